package sim

import (
	"sort"

	"example.org/crosslane/diag"
)

// Addresses that belong to a host and that a kernel may not use as it wants.
//
// Input: the ranges of a device whose host manages addresses by itself (cuMemAddressReserve).
// Output: for an access that no allocation backs, or that an allocation forbids, the code and the reason.
// Invariant: ranges are sorted by address and do not overlap; no allocation lies in one.
// Example: addresses are reserved and no memory is mapped there: a load is out-of-bounds, "no memory is mapped there".

// A Closed is a range of addresses in which no access is possible.
type Closed struct {
	Base, Size uint64
	Code       string // CodeOutOfBounds or CodeNoAccess
	Why        string // "memory is mapped there, and cuMemSetAccess has given no rights to it"
	Origin     func() []diag.Related
}

// SetClosed replaces the closed ranges of the memory.
func (m *Memory) SetClosed(list []Closed) { m.closed = list }

// ClosedAt returns the closed range that holds an address; nil: none does.
func (m *Memory) ClosedAt(addr uint64) *Closed {
	i := sort.Search(len(m.closed), func(i int) bool { return m.closed[i].Base > addr })
	if i == 0 || addr-m.closed[i-1].Base >= m.closed[i-1].Size {
		return nil
	}
	return &m.closed[i-1]
}

// Forget notes that a range of addresses held memory which the host has taken away: a later use of it is a use
// after free. name is how messages call it, made and freed return the calls of the host.
func (m *Memory) Forget(name string, base, size uint64, made, freed func() []diag.Related) {
	m.removed.add(gone{name: name, base: base, size: size, pos: -1, made: made, freed: freed, verb: "unmapped"})
}
