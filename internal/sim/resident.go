package sim

import (
	"unsafe"

	"fmt"
	"slices"
	"sort"
	"sync"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Memory that outlives a launch: that of a device. Between launches the host adds and removes allocations,
// writes bytes, and reads which bits are undefined.
//
// Input: calls of the host between launches. None may come while a launch runs.
// Output: the allocations that the next launch sees; the first write of each allocation (OnWrite).
// Invariant: allocations are sorted by address and do not overlap. Undefined bits move with the bytes: a
// write of the host defines them, and they stay from launch to launch.
// Example: kernel 1 writes half of a buffer; kernel 2 branches on a byte of the other half: poison-branch.

// AddAt makes an allocation at an address that the caller chooses. The error says which allocation or which
// range of addresses is in the way.
func (m *Memory) AddAt(base uint64, name string, data []byte) (*Alloc, error) {
	a := &Alloc{Name: name, Base: base, Data: data}
	lo, hi := m.heap.bounds(m.wide)
	switch end := a.End(); {
	case end < base || m.wide && end > ir.ConstantWindow && base < ir.ConstantEnd || m.wide && end > 1<<48:
		return nil, fmt.Errorf("the addresses %#x to %#x are not those of global memory", base, end)
	case end > lo && base < hi:
		return nil, fmt.Errorf("the addresses %#x to %#x are those of the heap of the device", base, end)
	}
	if x := m.overlap(a); x != nil {
		return nil, fmt.Errorf("the addresses %#x to %#x belong to %q", base, a.End(), x.Name)
	}
	m.placed = true
	m.insert(a)
	return a, nil
}

// AddConstantAt is AddAt of memory that the guest cannot write. The address may be one of constants.
func (m *Memory) AddConstantAt(base uint64, name string, data []byte) (*Alloc, error) {
	a := &Alloc{Name: name, Base: base, Data: data, ReadOnly: true}
	if end := a.End(); !m.wide || base < constBase || end < base || end > ir.ConstantEnd {
		a, err := m.AddAt(base, name, data)
		if a != nil {
			a.ReadOnly = true
		}
		return a, err
	}
	if x := m.overlap(a); x != nil {
		return nil, fmt.Errorf("the addresses %#x to %#x belong to %q", base, a.End(), x.Name)
	}
	m.insert(a)
	return a, nil
}

// index returns the position of the first allocation that begins after an address.
func (m *Memory) index(addr uint64) int {
	return sort.Search(len(m.allocs), func(i int) bool { return m.allocs[i].Base > addr })
}

// insert puts an allocation where its address belongs.
func (m *Memory) insert(a *Alloc) {
	if n := len(m.allocs); n == 0 || m.allocs[n-1].Base <= a.Base {
		m.allocs = append(m.allocs, a)
		return
	}
	m.allocs = slices.Insert(m.allocs, m.index(a.Base), a)
}

// overlap returns an allocation that shares addresses with a, or begins where it does.
func (m *Memory) overlap(a *Alloc) *Alloc {
	i := m.index(a.Base)
	if i > 0 && (m.allocs[i-1].End() > a.Base || m.allocs[i-1].Base == a.Base) {
		return m.allocs[i-1]
	}
	if i < len(m.allocs) && m.allocs[i].Base < a.End() {
		return m.allocs[i]
	}
	return nil
}

// Remove takes an allocation away. A later use of its addresses is a use after free. by returns the calls of
// the host that freed it; nil: not known.
func (m *Memory) Remove(a *Alloc, by func() []diag.Related) {
	i := m.indexOf(a)
	if i < 0 {
		return
	}
	if i < len(m.allocs)/2 { // move the shorter side
		copy(m.allocs[1:i+1], m.allocs[:i])
		m.allocs[0] = nil
		m.allocs = m.allocs[1:]
	} else {
		m.allocs = slices.Delete(m.allocs, i, i+1)
	}
	m.removed.add(gone{name: fmt.Sprintf("%q", a.Name), base: a.Base, size: uint64(len(a.Data)), pos: -1, made: a.Origin, freed: by})
}

// Detach takes an allocation away whose addresses mean nothing from now on: a later use of them is no use after free.
func (m *Memory) Detach(a *Alloc) {
	if i := m.indexOf(a); i >= 0 {
		m.allocs = slices.Delete(m.allocs, i, i+1)
	}
}

// indexOf returns the position of an allocation; -1: it is not, or no longer, there.
func (m *Memory) indexOf(a *Alloc) int {
	for i := m.index(a.Base) - 1; i >= 0 && m.allocs[i].Base == a.Base; i-- {
		if m.allocs[i] == a {
			return i
		}
	}
	return -1
}

// Holds reports whether an allocation is there: it was not removed, and the guest did not free it.
func (m *Memory) Holds(a *Alloc) bool {
	if a.heap {
		return m.heap.find(a.Base, 0) == a
	}
	return m.indexOf(a) >= 0
}

// OnHeap reports whether the guest made the allocation, on the heap of the device.
func (a *Alloc) OnHeap() bool { return a.heap }

// Renew gives an allocation other bytes, all of them defined, as if it were new.
func (a *Alloc) Renew(data []byte) {
	a.Data, a.undef, a.Uninitialised, a.stains = data, nil, false, nil
	a.read, a.loose = false, false
	a.written.Store(false)
}

// Removed describes the freed allocation that held an address, for messages, and returns the calls of the
// host that made and freed it; "" if there is none.
func (m *Memory) Removed(addr uint64) (text string, calls []diag.Related) {
	g := m.removed.at(addr)
	if g == nil {
		return "", nil
	}
	return g.describe(addr), g.origins()
}

// Origins returns the calls of the host that made, or made and freed, the memory that an access to addr
// concerns: the allocation at the address, the freed one, or the closest one.
func (m *Memory) Origins(addr uint64) []diag.Related {
	if c := m.ClosedAt(addr); c != nil && c.Origin != nil && m.removed.at(addr) == nil {
		return c.Origin()
	}
	if a := m.Find(addr, 0); a != nil {
		if a.Origin == nil {
			return nil
		}
		return a.Origin()
	}
	if g := m.removed.at(addr); g != nil {
		return g.origins()
	}
	i := m.index(addr)
	var near *Alloc
	if i > 0 && addr-m.allocs[i-1].End() < guardGap {
		near = m.allocs[i-1]
	}
	if i < len(m.allocs) && m.allocs[i].Base-addr < guardGap && (near == nil || m.allocs[i].Base-addr < addr-near.End()) {
		near = m.allocs[i]
	}
	if near == nil || near.Origin == nil {
		return nil
	}
	return near.Origin()
}

// writeHook is called before the first write of an allocation.
type writeHook struct {
	mu   sync.Mutex
	call func(a *Alloc)
}

// OnWrite sets the function that is called before the guest writes an allocation for the first time, or for
// the first time since ClearWritten. It may copy the old contents. It runs on the goroutine of a worker, and
// workers that write at the same time wait for it. nil: none.
func (m *Memory) OnWrite(f func(a *Alloc)) { m.writes.call = f }

// write marks an allocation as written, before the guest writes it.
func (m *Memory) write(a *Alloc) {
	if a.written.Load() {
		return
	}
	if m.writes.call == nil {
		a.written.Store(true)
		return
	}
	m.writes.mu.Lock()
	defer m.writes.mu.Unlock()
	if !a.written.Load() {
		m.writes.call(a)
		a.written.Store(true)
	}
}

// ClearWritten makes all allocations count as not written, so that the next write of each is seen.
func (m *Memory) ClearWritten() {
	for _, a := range m.allocs {
		a.written.Store(false)
	}
	for _, a := range m.heap.allocs {
		a.written.Store(false)
	}
}

// shadow returns the undefined bits of an allocation and makes them at the first use; nil if it has no bytes
// or all its bits are defined.
func (a *Alloc) shadow() []byte {
	if a.undef == nil && a.Uninitialised && len(a.Data) > 0 {
		a.undef = alignedBytes(uint64(len(a.Data)))
		fillOnes(a.undef)
	}
	return a.undef
}

// Define makes n bytes at an offset defined, after the host wrote them.
func (a *Alloc) Define(off, n uint64) {
	if off == 0 && n == uint64(len(a.Data)) {
		a.Uninitialised, a.stains = false, nil
		clear(a.undef)
		return
	}
	if s := a.shadow(); s != nil {
		clear(s[off : off+n])
	}
}

// CopyUndefined copies the undefined bits of n bytes at an offset of another allocation, after the host
// copied the bytes.
func (a *Alloc) CopyUndefined(off uint64, from *Alloc, at, n uint64) {
	source := from.shadow()
	if source == nil || n == 0 {
		a.Define(off, n)
		return
	}
	if a.shadow() == nil {
		a.undef = alignedBytes(uint64(len(a.Data))) // all of it was defined
	}
	copy(a.undef[off:off+n], source[at:at+n])
	for _, s := range from.stains {
		if s.Lo < at+n && s.Hi > at {
			s.Lo, s.Hi = max(s.Lo, at)-at+off, min(s.Hi, at+n)-at+off
			a.stain(s)
		}
	}
}

// UndefinedBits returns the undefined bits of all bytes, between launches: all of them, or those in bits, or none if
// that is nil. The caller does not change bits.
func (a *Alloc) UndefinedBits() (bits []byte, all bool) {
	return a.undef, a.undef == nil && a.Uninitialised
}

// SetUndefined is the reverse of UndefinedBits.
func (a *Alloc) SetUndefined(bits []byte, all bool) {
	a.Uninitialised, a.stains, a.undef = all, nil, nil
	if bits != nil {
		a.undef = alignedBytes(uint64(len(a.Data)))
		copy(a.undef, bits)
	}
}

// UndefinedBytes counts the bytes of a range that have undefined bits, and returns the offset of the first
// one.
func (a *Alloc) UndefinedBytes(off, n uint64) (first, count uint64) {
	if a.undef == nil {
		if a.Uninitialised {
			return off, n
		}
		return 0, 0
	}
	for i, b := range a.undef[off : off+n] {
		if b != 0 {
			if count == 0 {
				first = off + uint64(i)
			}
			count++
		}
	}
	return first, count
}

// Attach adds allocations at the end of the memory, in the order of their addresses, for one launch. Their writes are not
// seen by OnWrite. The caller calls detach before it changes the memory in any other way.
func (m *Memory) Attach(list []*Alloc) (detach func()) {
	n := len(m.allocs)
	for _, a := range list {
		a.written.Store(true)
	}
	m.allocs = append(m.allocs, list...)
	return func() {
		clear(m.allocs[n:])
		m.allocs = m.allocs[:n]
	}
}

// Last returns the address after the last allocation.
func (m *Memory) Last() uint64 {
	if n := len(m.allocs); n > 0 {
		return m.allocs[n-1].End()
	}
	return 0
}

// Provided reports whether the host made the allocation, and it has bytes.
func (a *Alloc) Provided() bool { return !a.absent && !a.heap }

// NoneUndefined reports whether no bit is undefined. It remembers that if settle is set.
func (a *Alloc) NoneUndefined(settle bool) bool {
	if a.undef == nil {
		return !a.Uninitialised
	}
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(a.undef))), len(a.undef)/8)
	for _, x := range words {
		if x != 0 {
			return false
		}
	}
	for _, x := range a.undef[8*len(words):] {
		if x != 0 {
			return false
		}
	}
	if settle {
		a.undef, a.Uninitialised, a.stains = nil, false, nil
	}
	return true
}

// DefineTagged makes the pieces of size bytes defined whose tag is at least least.
func (a *Alloc) DefineTagged(tags []uint32, least uint32, size int) {
	s := a.shadow()
	for i, t := range tags {
		if t >= least {
			clear(s[min(size*i, len(s)):min(size*(i+1), len(s))])
		}
	}
}

// A Stain says which instruction stored undefined bits to an allocation, in which range of it.
type Stain struct {
	Func   *ir.Func
	Pos    int32
	Lanes  lane.Mask
	Lo, Hi uint64 // offsets of the first byte and after the last one
	Name   string // the kernel
}

// maxStains is how many instructions an allocation remembers.
const maxStains = 16

// stain notes a store of undefined bits.
func (a *Alloc) stain(s Stain) {
	for i := range a.stains {
		if x := &a.stains[i]; x.Func == s.Func && x.Pos == s.Pos {
			x.Lanes, x.Lo, x.Hi = x.Lanes|s.Lanes, min(x.Lo, s.Lo), max(x.Hi, s.Hi)
			return
		}
	}
	if len(a.stains) < maxStains {
		a.stains = append(a.stains, s)
	}
}

// Stains returns the instructions that stored undefined bits to a range, as steps of a message.
func (a *Alloc) Stains(off, n uint64) (list []diag.Related) {
	for _, s := range a.stains {
		if s.Lo >= off+n || s.Hi <= off {
			continue
		}
		pos, src := where(s.Func, s.Pos)
		list = append(list, diag.Related{Pos: pos, Source: src,
			Message: fmt.Sprintf("%s of kernel %s stored undefined bits of %s in bytes %d to %d", s.Func.Pos[s.Pos].Name, s.Name, s.Lanes.Named(), s.Lo, s.Hi-1)})
	}
	return list
}

// HideUndefined makes all memory count as defined, until the function that it returns is called. It serves
// launches with Origins, which make undefined bits of their own.
func (m *Memory) HideUndefined() (show func()) {
	var list []*Alloc
	for _, allocs := range [][]*Alloc{m.allocs, m.heap.allocs} {
		for _, a := range allocs {
			if a.undef != nil || a.Uninitialised {
				list = append(list, a)
				a.hidden = &hidden{a.undef, a.Uninitialised}
				a.undef, a.Uninitialised = nil, false
			}
		}
	}
	return func() {
		for _, allocs := range [][]*Alloc{m.allocs, m.heap.allocs} {
			for _, a := range allocs {
				a.undef = nil
			}
		}
		for _, a := range list {
			a.undef, a.Uninitialised, a.hidden = a.hidden.undef, a.hidden.uninitialised, nil
		}
	}
}

// hidden is the undefined bits of an allocation while HideUndefined hides them.
type hidden struct {
	undef         []byte
	uninitialised bool
}

// A Saved is the contents of an allocation at one time.
type Saved struct {
	data, undef   []byte
	uninitialised bool
	stains        []Stain
}

// Save copies the contents and the undefined bits, also those that are hidden. into may be an older copy that is no longer used.
func (a *Alloc) Save(into *Saved) *Saved {
	s := &Saved{undef: slices.Clone(a.undef), uninitialised: a.Uninitialised, stains: slices.Clone(a.stains)}
	if h := a.hidden; h != nil {
		s.undef, s.uninitialised = slices.Clone(h.undef), h.uninitialised
	}
	if into != nil && len(into.data) == len(a.Data) {
		s.data = into.data
		copy(s.data, a.Data)
	} else {
		s.data = slices.Clone(a.Data)
	}
	return s
}

// Restore puts saved contents back.
func (a *Alloc) Restore(s *Saved) {
	copy(a.Data, s.data)
	a.Uninitialised, a.stains = s.uninitialised, slices.Clone(s.stains)
	switch {
	case s.undef != nil && a.undef != nil:
		copy(a.undef, s.undef)
	case s.undef != nil:
		a.undef = slices.Clone(s.undef)
	default:
		a.undef = nil
	}
}

// Data returns the saved bytes.
func (s *Saved) Data() []byte { return s.data }

// A SavedHeap is the heap of the device at one time.
type SavedHeap struct {
	allocs []*Alloc
	saved  []*Saved
	next   uint64
	used   uint64
	count  int
	gone   int
}

// SaveHeap copies the heap of the device.
func (m *Memory) SaveHeap() *SavedHeap {
	h := &m.heap
	s := &SavedHeap{allocs: slices.Clone(h.allocs), next: h.next, used: h.used, count: h.count, gone: len(h.gone)}
	for _, a := range h.allocs {
		s.saved = append(s.saved, a.Save(nil))
	}
	return s
}

// Has reports whether an allocation was on the heap.
func (s *SavedHeap) Has(a *Alloc) bool {
	i := sort.Search(len(s.allocs), func(i int) bool { return s.allocs[i].Base >= a.Base })
	return i < len(s.allocs) && s.allocs[i] == a
}

// RestoreHeap puts the heap of the device back.
func (m *Memory) RestoreHeap(s *SavedHeap) {
	h := &m.heap
	h.allocs, h.next, h.used, h.count = slices.Clone(s.allocs), s.next, s.used, s.count
	h.gone = h.gone[:min(s.gone, len(h.gone))]
	for i, a := range s.allocs {
		a.Restore(s.saved[i])
	}
}

// HeapUsed is how many bytes the guest has allocated on the heap of the device and not freed.
func (m *Memory) HeapUsed() uint64 { return m.heap.used }
