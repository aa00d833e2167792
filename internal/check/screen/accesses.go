package screen

import (
	"strconv"

	"example.org/crosslane/internal/ir"
)

// The accesses that a form compares are those that the race detector is told of.
//
// Input: a function that race.Track has made: an ir.Access comes before each access to memory that lanes share.
// Output: for each ir.Access of what pieces it consists, and what its atomic does to memory.
// Invariant: each load, store and atomic that may reach shared or global memory lies within the ir.Access before it, with
// the same address, space and lanes; else the kernel is not screened. A form emits its comparisons for ir.Access operations
// alone, so it cannot leave out an access, or compare another range of bytes, other lanes or another scope than the detector.
// Example: "Access.global.8 [a]; Load.global.4 [a]; Load.global.4 [a+4]" is one access of 8 bytes, whose unit is 8 if a is a
// multiple of 8, else 4.

// A told is what is known about an ir.Access.
type told struct {
	unit   uint8    // it consists of aligned pieces of so many bytes, and tags may be for such pieces
	stores []int    // the stores in it
	update function // what its atomic does, for ir.AccessUpdate
}

// isTold reports whether an operation is an ir.Access of memory that lanes share.
func isTold(in *ir.Inst) bool {
	return in.Op == ir.Access && in.Args[0] != 0 && in.Space != ir.Local
}

// sharesMemory reports whether an operation is a load, a store or an atomic of memory that lanes share.
func sharesMemory(in *ir.Inst) bool {
	switch in.Op {
	case ir.Load, ir.Store, ir.Atomic:
		return in.Space == ir.Global || in.Space == ir.Generic || in.Space == ir.Shared
	}
	return false
}

// isPrivate reports whether an operation accesses private memory, whose accesses race with nothing.
func isPrivate(in *ir.Inst) bool {
	return (in.Op == ir.Load || in.Op == ir.Store) && in.Space == ir.Local
}

// kindOf is the kind of a load, a store, an atomic or an ir.Access.
func kindOf(in *ir.Inst) ir.AccessKind {
	switch in.Op {
	case ir.Load:
		return ir.AccessRead
	case ir.Store:
		return ir.AccessWrite
	case ir.Atomic:
		return ir.AccessUpdate
	}
	return ir.AccessKind(in.Align)
}

// offsetOf is the offset that an operation adds to its address.
func offsetOf(in *ir.Inst) uint64 {
	if in.Op == ir.Access {
		return in.Imm
	}
	return in.Offset()
}

// within reports whether a load, store or atomic lies within an access that was told.
func within(in, a *ir.Inst) bool {
	from := offsetOf(in) - offsetOf(a)
	return a.Space == in.Space && a.Args[0] == in.Args[0] && a.Guard == in.Guard && a.GuardNot == in.GuardNot && a.Scalar == in.Scalar && kindOf(a) == kindOf(in) &&
		a.Pos == in.Pos && a.Surplus == in.Surplus && from < uint64(a.Size) && from+uint64(in.Size) <= uint64(a.Size)
}

// match finds the ir.Access of each access. It returns the reason why the kernel cannot be screened.
func (k *Kernel) match() string {
	f := k.f
	for _, b := range f.Blocks {
		open := -1 // the access that was told last, while its address and its guard keep their values
		for i := b.Start; i < b.End; i++ {
			in := &f.Code[i]
			switch {
			case isTold(in):
				open = i
				k.told[i] = told{}
			case sharesMemory(in):
				if open < 0 || !within(in, &f.Code[open]) {
					return "an access that is not reported"
				}
				t := k.told[open]
				t.unit = max(t.unit, unitOf(in, &f.Code[open]))
				if in.Op == ir.Store {
					t.stores = append(t.stores, i)
				}
				if in.Op == ir.Atomic {
					var ok bool
					if t.update, ok = functionOf(f, in); !ok {
						// A lane may wait for the value that it finds, and tags must not change meanwhile.
						return "an atomic whose order shows"
					}
					if in.Size != 4 && in.Size != 8 {
						return "an atomic of " + strconv.Itoa(int(in.Size)) + " bytes"
					}
				}
				k.told[open] = t
			}
			if open >= 0 && in.Dst != 0 && (in.Dst == f.Code[open].Args[0] || in.Dst == f.Code[open].Guard) {
				open = -1
			}
			if open >= 0 && in.Dst2 != 0 && (in.Dst2 == f.Code[open].Args[0] || in.Dst2 == f.Code[open].Guard) {
				open = -1
			}
		}
	}
	for _, t := range k.told {
		if t.unit == 0 {
			return "an access that nothing makes"
		}
	}
	return ""
}
