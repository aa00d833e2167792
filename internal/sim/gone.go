package sim

import (
	"cmp"
	"fmt"

	"example.org/crosslane/diag"
)

// Allocations that were freed, for messages about uses of them.
//
// Input: an allocation that is freed, on the heap of the device or by the host.
// Output: the freed allocation at an address.
// Invariant: at most maxGone allocations are remembered, the latest ones.
// Example: free(b); a load at b+4 is "4 bytes inside malloc#1 (10 bytes), which was freed".

// maxGone is how many freed allocations are remembered.
const maxGone = 1 << 16

// gone is an allocation that was freed.
type gone struct {
	name       string
	base, size uint64
	pos        int32 // the instruction of the guest that freed it; -1: none did
	// The calls by which the host made and freed it, if the host did; may be nil.
	made, freed func() []diag.Related
	verb        string // "unmapped"; "": freed
}

// describe describes an address inside.
func (g *gone) describe(addr uint64) string {
	was := cmp.Or(g.verb, "freed")
	if addr == g.base {
		return fmt.Sprintf("it is %s (%d bytes), which was %s", g.name, g.size, was)
	}
	return fmt.Sprintf("%s inside %s (%d bytes), which was %s", count(addr-g.base), g.name, g.size, was)
}

// origins returns the calls of the host.
func (g *gone) origins() (list []diag.Related) {
	for _, f := range []func() []diag.Related{g.made, g.freed} {
		if f != nil {
			list = append(list, f()...)
		}
	}
	return list
}

// goneList is the freed allocations, in the order in which they were freed.
type goneList []gone

// add remembers an allocation.
func (l *goneList) add(g gone) {
	if len(*l) >= maxGone {
		*l = append((*l)[:0], (*l)[maxGone/2:]...)
	}
	*l = append(*l, g)
}

// at returns the latest allocation that held an address; nil: none did.
func (l goneList) at(addr uint64) *gone {
	for i := len(l) - 1; i >= 0; i-- {
		if g := &l[i]; addr >= g.base && addr-g.base < g.size {
			return g
		}
	}
	return nil
}
