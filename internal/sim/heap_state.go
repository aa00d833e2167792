package sim

import "fmt"

// The heap of a device as data, for launches that are made again elsewhere.

// A HeapState is the heap between launches, without the contents of its allocations.
type HeapState struct {
	Low, High uint64 // its addresses, if they are others than usual
	Next      uint64 // the address of the next allocation; 0: there was none
	Used      uint64 // bytes
	Count     int    // allocations so far
	Freed     []FreedAlloc
}

// A FreedAlloc is an allocation that the guest has freed.
type FreedAlloc struct {
	Name       string
	Base, Size uint64
}

// Heap returns the heap and its allocations, by address.
func (m *Memory) Heap() (HeapState, []*Alloc) {
	h := &m.heap
	s := HeapState{Low: h.lo, High: h.hi, Next: h.next, Used: h.used, Count: h.count}
	for _, g := range h.gone {
		s.Freed = append(s.Freed, FreedAlloc{g.name, g.base, g.size})
	}
	return s, h.allocs
}

// SetHeap gives a memory without a heap the heap that another one had. allocs are its allocations by address, with their
// names, addresses and bytes. The error says what does not fit together.
func (m *Memory) SetHeap(s HeapState, allocs []*Alloc) error {
	h := &m.heap
	if h.next != 0 || s.High != 0 && !m.MoveHeap(s.Low, s.High) {
		return fmt.Errorf("the memory has a heap, or an allocation at its addresses")
	}
	lo, hi := h.bounds(m.wide)
	at := lo
	for _, a := range allocs {
		if a.Base < at || a.Base%heapAlign != 0 || a.End() < a.Base || a.End() > min(s.Next, hi) {
			return fmt.Errorf("%q at %#x is not where the heap has allocations", a.Name, a.Base)
		}
		a.heap = true
		at = a.End()
	}
	if s.Next != 0 && (s.Next < at || s.Next > hi) {
		return fmt.Errorf("the heap goes on at %#x, which is none of its addresses", s.Next)
	}
	h.allocs, h.next, h.used, h.count = allocs, s.Next, s.Used, s.Count
	for _, f := range s.Freed {
		h.gone.add(gone{name: f.Name, base: f.Base, size: f.Size, pos: -1})
	}
	return nil
}
