package sim

import (
	"fmt"
	"sort"
	"sync"
)

// The heap of the device, for malloc and free of the guest. It has addresses of its own. An address is
// never used twice in a launch, so that each use of memory after free is found.
//
// Input: alloc and free of the guest.
// Output: allocations with gaps between them, and for messages the list of freed ones.
// Invariant: addresses only grow; the bytes in use (used) never exceed the limit of the launch.
// Example: malloc(10) gives base b; free(b); a load at b+4 is "4 bytes inside malloc#1 (10 bytes), which
// was freed".
const (
	heapBase   = 0x7000_0000_0000
	heapEnd    = 0x8000_0000_0000
	heapBase32 = 0xc000_0000
	heapEnd32  = 0xffff_0000
	heapAlign  = 16
	heapGap    = 256 // unused bytes between allocations
)

// heap is the state of the heap. The zero value is an empty heap.
type heap struct {
	mu     sync.Mutex
	allocs []*Alloc // by address
	gone   goneList // freed allocations
	next   uint64
	used   uint64 // bytes
	count  int
	lo, hi uint64 // the addresses, if they are others than usual; see MoveHeap
}

// bounds returns the first address of the heap and the one after its last.
func (h *heap) bounds(wide bool) (lo, hi uint64) {
	switch {
	case h.hi != 0:
		return h.lo, h.hi
	case wide:
		return heapBase, heapEnd
	}
	return heapBase32, heapEnd32
}

// MoveHeap gives the heap of the device other addresses, from lo up to hi. It reports whether it could: not if there
// are allocations in the way, or on the heap.
func (m *Memory) MoveHeap(lo, hi uint64) bool {
	h := &m.heap
	if !m.wide || h.next != 0 || m.overlap(&Alloc{Base: lo, Data: nil}) != nil {
		return false
	}
	if i := m.index(lo); i < len(m.allocs) && m.allocs[i].Base < hi {
		return false
	}
	h.lo, h.hi = lo, hi
	return true
}

// holds reports whether an address belongs to the heap.
func (h *heap) holds(addr uint64, wide bool) bool {
	lo, hi := h.bounds(wide)
	return addr >= lo && addr < hi
}

// about reports whether messages describe an address as one of the heap. That includes addresses shortly
// before its first allocation.
func (h *heap) about(addr uint64, wide bool) bool {
	return h.holds(addr, wide) || h.holds(addr+heapGap-1, wide)
}

// alloc makes an allocation of n bytes, zeros, and returns its address. It returns 0 if the heap, which may
// hold limit bytes, is full.
//
// Addresses are not reused: next only grows, by the rounded size and heapGap. A launch that allocates more
// than the range of addresses gets 0.
func (h *heap) alloc(n, limit uint64, wide bool) uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	lo, hi := h.bounds(wide)
	if h.next == 0 {
		h.next = lo
	}
	room := alignUp(n, heapAlign)
	// Unspecified: malloc(0). It returns null here, so that no lane uses it.
	if n == 0 || room < n || room > limit || h.used > limit-room || hi-h.next < room+heapGap {
		return 0
	}
	h.count++
	a := &Alloc{Name: fmt.Sprintf("malloc#%d", h.count), Base: h.next, heap: true, Data: alignedBytes(room)[:n:n]}
	h.next += room + heapGap
	h.used += room
	h.allocs = append(h.allocs, a)
	return a.Base
}

// free gives an allocation back. If it fails, it returns the reason.
func (h *heap) free(addr uint64) (why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := sort.Search(len(h.allocs), func(i int) bool { return h.allocs[i].Base >= addr })
	if i == len(h.allocs) || h.allocs[i].Base != addr {
		return h.describe(addr, 1)
	}
	a := h.allocs[i]
	h.used -= alignUp(uint64(len(a.Data)), heapAlign)
	h.allocs = append(h.allocs[:i], h.allocs[i+1:]...)
	h.gone.add(gone{name: a.Name, base: a.Base, size: uint64(len(a.Data)), pos: -1})
	return ""
}

// by notes the instruction that has just freed an allocation.
func (h *heap) by(pos int32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.gone); n > 0 {
		h.gone[n-1].pos = pos
	}
}

// freed returns the instruction that freed the memory at an address. ok is false if none did, or if it is
// forgotten.
func (h *heap) freed(addr uint64) (pos int32, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if g := h.gone.at(addr); g != nil {
		return g.pos, true
	}
	return 0, false
}

// find returns the allocation that holds all n bytes at addr, or nil.
func (h *heap) find(addr, n uint64) *Alloc {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := sort.Search(len(h.allocs), func(i int) bool { return h.allocs[i].Base > addr })
	if i == 0 {
		return nil
	}
	a := h.allocs[i-1]
	if off := addr - a.Base; off <= uint64(len(a.Data)) && uint64(len(a.Data))-off >= n {
		return a
	}
	return nil
}

// nearest is describe under the lock.
func (h *heap) nearest(addr, size uint64) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.describe(addr, size)
}

// describe describes the place of size bytes at an address of the heap.
func (h *heap) describe(addr, size uint64) string {
	if g := h.gone.at(addr); g != nil {
		return g.describe(addr)
	}
	i := sort.Search(len(h.allocs), func(i int) bool { return h.allocs[i].Base > addr })
	if i > 0 {
		a := h.allocs[i-1]
		switch off := addr - a.Base; {
		case off < uint64(len(a.Data)) && off+size > uint64(len(a.Data)):
			return fmt.Sprintf("%s of %s (%d bytes)", crossing(off+size-uint64(len(a.Data))), a.Name, len(a.Data))
		case off < uint64(len(a.Data)):
			return fmt.Sprintf("%d bytes inside %s (%d bytes)", off, a.Name, len(a.Data))
		case off == uint64(len(a.Data)):
			return fmt.Sprintf("just past the end of %s (%d bytes)", a.Name, off)
		case off < uint64(len(a.Data))+heapGap:
			return fmt.Sprintf("%d bytes past the end of %s (%d bytes)", off-uint64(len(a.Data)), a.Name, len(a.Data))
		}
	}
	if i < len(h.allocs) && h.allocs[i].Base-addr < heapGap {
		return fmt.Sprintf("%d bytes before the start of %s (%d bytes)", h.allocs[i].Base-addr, h.allocs[i].Name, len(h.allocs[i].Data))
	}
	return "it is in the heap, near no allocation"
}

// keep makes an allocation the one that the wave tries first. For one of the heap that is safe only if no
// other worker can free it meanwhile: with one worker, which forgets them at every free.
func (w *Wave) keep(a *Alloc) {
	if !a.heap || w.Launch.Workers == 1 {
		w.Last = a
	}
}

// forget makes all waves of the worker look up memory of the heap anew. That includes waves of blocks that
// have ended, because their storage is used again.
func (k *Worker) forget() {
	for _, list := range [2][]*Block{k.resident, k.free} {
		for _, b := range list {
			for _, w := range b.Waves {
				if w.Last != nil && w.Last.heap {
					w.Last = nil
				}
			}
		}
	}
}
