package sim

import (
	"fmt"
	"sort"
	"sync"
	"sync/atomic"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

const (
	globalBase   = 0x2_0000_0000 // first allocation: no 32-bit integer is a valid address by accident
	globalBase32 = 0x1000_0000
	constBase    = ir.ConstantWindow // first constant: compilers keep addresses of constants in 32 bits, too
	guardGap     = 1 << 16           // unused bytes between allocations
	allocAlign   = 256
)

// An Alloc is one allocation of global memory.
type Alloc struct {
	Name     string
	Base     uint64 // guest address of Data[0]
	Data     []byte
	ReadOnly bool
	written  atomic.Bool
	heap     bool // it is on the device's heap and may be freed
	// Uninitialised and Visible are for checks. Uninitialised: no contents were given before the launch.
	// Visible: the caller of the launch sees the bytes afterwards.
	Uninitialised, Visible bool
	// Outside: the host may change the bytes while a launch runs, so lanes that wait for that are in no livelock.
	Outside bool

	Elem uint64 // bytes of an element, for messages; 0: not known

	// Origin returns the calls by which the host made the allocation, for messages; nil: not known.
	Origin func() []diag.Related
	// Rights, of a ReadOnly allocation, says why it cannot be written: "cuMemSetAccess gave the right to read only".
	// "": it is constant.
	Rights string

	undef  []byte // the undefined bits of Data; nil until they are first used
	hidden *hidden
	absent bool // a placeholder for memory that a runtime would provide, and Crosslane does not
	// With Launch.Track: whether the guest has loaded any of Data, and whether it has stored
	// undefined bits to it.
	read, loose bool
	stains      []Stain // with Launch.Track, if the allocation is not Visible
}

// Written reports whether the guest stored into the allocation.
func (a *Alloc) Written() bool { return a.written.Load() }

// End is the address after the last byte.
func (a *Alloc) End() uint64 { return a.Base + uint64(len(a.Data)) }

// Memory is the global memory of a launch, or of the launches of a device (see resident.go). Gaps separate
// its allocations, so that every access outside an allocation is found.
type Memory struct {
	allocs  []*Alloc // by address
	next    uint64
	wide    bool
	heap    heap
	locks   [64]sync.Mutex
	removed goneList // allocations that Remove took away
	placed  bool     // AddAt has made an allocation
	writes  writeHook
	missed  atomic.Pointer[miss]
	closed  []Closed // by address
}

// miss is an access that no allocation backs.
type miss struct{ addr, n uint64 }

// Missed returns the first access since the last call that no allocation backed; ok is false if there was none.
func (m *Memory) Missed() (addr, n uint64, ok bool) {
	if x := m.missed.Swap(nil); x != nil {
		return x.addr, x.n, true
	}
	return 0, 0, false
}

// Lock locks a hash of the 16 bytes around addr, and returns the lock. It serves atomics that the host
// cannot do in one instruction: those of 2 and of 16 bytes.
func (m *Memory) Lock(addr uint64) *sync.Mutex {
	l := &m.locks[addr>>4%uint64(len(m.locks))]
	l.Lock()
	return l
}

// NewMemory returns an empty memory of 64-bit addresses.
func NewMemory() *Memory { return &Memory{next: globalBase, wide: true} }

// NewMemory32 returns an empty memory of 32-bit addresses, for modules that use
// them. The windows lie below all allocations (see ir.Window32).
func NewMemory32() *Memory { return &Memory{next: globalBase32} }

// Wide reports whether addresses have 64 bits.
func (m *Memory) Wide() bool { return m.wide }

// Add makes an allocation of the given bytes. The bytes stay the caller's: guest stores go there directly.
func (m *Memory) Add(name string, data []byte) *Alloc {
	a := &Alloc{Name: name, Base: m.next, Data: data}
	if lo, _ := m.heap.bounds(m.wide); a.Base+uint64(len(data)) > lo-guardGap {
		// Long-running hosts use up the addresses.
		if base, ok := m.gap(globalBase, lo, uint64(len(data))); ok && m.wide {
			a.Base = base
			m.insert(a)
			return a
		}
	}
	for m.placed {
		x := m.overlap(a)
		if x == nil {
			break
		}
		a.Base = after(x)
	}
	m.next = after(a)
	m.insert(a)
	return a
}

// Extend gives the allocation that Add made last, which has no bytes, its bytes. They may therefore depend
// on its address.
func (m *Memory) Extend(a *Alloc, data []byte) {
	a.Data = data
	m.next = after(a)
}

// Split takes the bytes of an allocation from the offset n on, and makes an allocation of its own of them,
// at their address. The two may then have different access rights.
func (m *Memory) Split(a *Alloc, n int) *Alloc {
	b := &Alloc{Name: a.Name, Base: a.Base + uint64(n), Data: a.Data[n:]}
	a.Data = a.Data[:n:n]
	m.insert(b)
	return b
}

// AddAbsent makes an address for an object to which code may hold a pointer and which is not provided. A
// fault at that address names the object.
func (m *Memory) AddAbsent(name string) uint64 {
	a := m.Add(name, nil)
	a.absent = true
	return a.Base
}

// absent returns the name of the AddAbsent object at an address, or "".
func (m *Memory) absent(addr uint64) string {
	i := sort.Search(len(m.allocs), func(i int) bool { return m.allocs[i].Base > addr })
	if i > 0 && m.allocs[i-1].absent && addr-m.allocs[i-1].Base < guardGap {
		return m.allocs[i-1].Name
	}
	return ""
}

// AddConstant makes an allocation that the guest cannot write. Its address fits in 32
// bits as long as there is room: code with pointers of 64 bits may address .const
// variables by 32-bit registers (PTX 6.4.1: addresses are extended by zeros).
func (m *Memory) AddConstant(name string, data []byte) *Alloc {
	a := &Alloc{Name: name, Base: constBase, Data: data, ReadOnly: true}
	if i := m.index(ir.ConstantEnd - 1); i > 0 && m.allocs[i-1].Base >= constBase {
		a.Base = after(m.allocs[i-1])
	}
	room := m.wide && a.Base+uint64(len(data)) <= ir.ConstantEnd-guardGap
	if !room && m.wide {
		a.Base, room = m.gap(constBase, ir.ConstantEnd, uint64(len(data)))
	}
	if !room {
		a = m.Add(name, data)
		a.ReadOnly = true
		return a
	}
	m.insert(a)
	return a
}

// gap returns the first address from lo on, and below hi, at which n bytes and the gaps around them are free.
func (m *Memory) gap(lo, hi, n uint64) (base uint64, ok bool) {
	base = lo
	i := m.index(lo - 1)
	if i > 0 {
		base = max(base, after(m.allocs[i-1]))
	}
	for ; ; i++ {
		next := hi
		if i < len(m.allocs) {
			next = min(hi, m.allocs[i].Base)
		}
		if base <= next && next-base >= guardGap && next-base-guardGap >= n {
			return base, true
		}
		if next == hi {
			return 0, false
		}
		base = after(m.allocs[i])
	}
}

// freed reports whether the memory at an address was freed, by the guest or by the host.
func (m *Memory) freed(addr uint64) bool {
	if _, ok := m.heap.freed(addr); ok {
		return true
	}
	return m.removed.at(addr) != nil
}

// All returns the allocations, in the order of their addresses.
func (m *Memory) All() []*Alloc { return m.allocs }

// after returns the address at which the allocation after a begins.
func after(a *Alloc) uint64 { return alignUp(a.End()+guardGap, allocAlign) }

// alignUp returns the least multiple of a that is not below n. a is a power of two.
func alignUp(n, a uint64) uint64 { return (n + a - 1) &^ (a - 1) }

// Find returns the allocation that holds all n bytes at addr, or nil.
func (m *Memory) Find(addr, n uint64) *Alloc {
	if m.heap.holds(addr, m.wide) {
		return m.heap.find(addr, n)
	}
	i := sort.Search(len(m.allocs), func(i int) bool { return m.allocs[i].Base > addr })
	if i == 0 {
		return nil
	}
	a := m.allocs[i-1]
	if off := addr - a.Base; off <= uint64(len(a.Data)) && uint64(len(a.Data))-off >= n {
		return a
	}
	return nil
}

// Nearest describes, for messages, the place of size bytes at addr relative to the closest allocation: `16
// bytes past the end of "out" (4096 bytes)`.
func (m *Memory) Nearest(addr, size uint64) string {
	if m.heap.about(addr, m.wide) {
		return m.heap.nearest(addr, size)
	}
	if g := m.removed.at(addr); g != nil {
		return g.describe(addr)
	}
	best, dist, text := false, uint64(0), ""
	for _, a := range m.allocs {
		var d uint64
		var s string
		switch {
		case addr < a.Base:
			d, s = a.Base-addr, "before the start of"
		case addr >= a.End():
			d, s = addr-a.End(), "past the end of"
		default:
			if end := addr + size; end > a.End() {
				return fmt.Sprintf("%s of %q (%d bytes)", crossing(end-a.End()), a.Name, len(a.Data))
			}
			return fmt.Sprintf("%s inside %q (%d bytes)", count(addr-a.Base), a.Name, len(a.Data))
		}
		if !best || d < dist {
			best, dist = true, d
			text = fmt.Sprintf("%s %s %q (%d bytes)", count(d), s, a.Name, len(a.Data))
			if d == 0 {
				text = fmt.Sprintf("just past the end of %q (%d bytes)", a.Name, len(a.Data))
			}
		}
	}
	if !best {
		return "there is no allocation"
	}
	if dist >= 1<<30 {
		return "it is near no allocation"
	}
	return text
}

// Fence orders the memory accesses of this worker before the call before those after it, as other workers
// see them: processors reorder plain loads and stores. A single worker needs no order.
func (k *Worker) Fence() {
	if !k.alone {
		atomic.AddUint32(&k.order, 1)
	}
}
