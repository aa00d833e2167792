package screen

import "example.org/crosslane/internal/ir"

// Loads whose word the thread stores next.
//
// Input: the accesses of a block of the function, which all have the same lanes.
// Output: the loads that leave no tag of a reader.
// Invariant: a store after such a load, with the same lanes and no barrier between, leaves a tag of a writer at each byte of the load, or
// is suspicious. An access of another thread of the interval, or of another block, that conflicts with the load is a store. If it comes before the
// load, the load meets its tag; if it comes between the two, the store does; and if it comes after them, it meets the tag of the
// store. So no tag of the load is needed.
// Example: "ld r, [a]; add r, r, 1; st [a], r".

// pairs finds these loads.
func (k *Kernel) pairs() {
	k.paired = map[int]bool{}
	for _, b := range k.f.Blocks {
		for i := b.Start; i < b.End; i++ {
			if in := &k.f.Code[i]; isTold(in) && kindOf(in) == ir.AccessRead && k.storedNext(i, b.End) {
				k.paired[i] = true
			}
		}
	}
}

// storedNext reports whether the lanes of a load store to its bytes before the end of its block.
func (k *Kernel) storedNext(load, end int) bool {
	l := &k.f.Code[load]
	if l.Surplus {
		return false
	}
	for i := load; i < end; i++ {
		in := &k.f.Code[i]
		if isTold(in) && kindOf(in) == ir.AccessWrite && in.Order&ir.Async == 0 && in.Space == l.Space && in.Args[0] == l.Args[0] && in.Guard == l.Guard && in.GuardNot == l.GuardNot {
			from := offsetOf(l) - offsetOf(in)
			if from < uint64(in.Size) && from+uint64(l.Size) <= uint64(in.Size) {
				return true
			}
		}
		for _, d := range []ir.Ref{in.Dst, in.Dst2} {
			if d != 0 && (d == l.Args[0] || d == l.Guard) {
				return false
			}
		}
		switch in.Op {
		case ir.Exit, ir.Trap, ir.Bar, ir.Collective: // which has more results
			return false
		}
	}
	return false
}
