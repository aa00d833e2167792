package webs

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// This file finds out whether what the code leaves out can be done where it leaves: see Undone.

// repeatable reports whether who leaves behind the sum of the low halves can do it again: what it
// reads is in its home up to the sum of the high ones then, and so is what it makes. No other
// operation in between may have its result in these places.
func (w *pairFuser) repeatable(j *joint) bool {
	f := w.fn.IR
	low := &f.Code[j.lo]
	leaves := false
	for i := j.hi - 1; i > j.lo; i-- {
		clash := func(d ir.Ref) bool {
			if d == 0 || f.Values[d].Kind == ir.Temp && !w.outlasts(i) || f.Values[d].Kind != ir.Temp && !leaves {
				return false
			}
			return w.overlap(d, f.Code[j.from].Dst) || w.overlap(d, low.Dst) || w.overlap(d, low.Args[0]) || w.overlap(d, low.Args[1])
		}
		if clash(f.Code[i].Dst) || clash(f.Code[i].Dst2) || w.fn.Ops[i].Ext > 0 && slices.ContainsFunc(w.fn.Ext[w.fn.Ops[i].Ext-1].DefRefs, clash) {
			return false
		}
		leaves = leaves || w.leaves(i)
	}
	return true
}

// leaves reports whether the code may leave in front of operation i.
func (w *pairFuser) leaves(i int) bool { return relies(&w.fn.IR.Code[i]) && !w.gone[i] }

// overlap reports whether two values share a part of their homes.
func (w *pairFuser) overlap(a, b ir.Ref) bool {
	f := w.fn.IR
	x, y := &f.Values[a], &f.Values[b]
	return x.Kind != ir.Const && y.Kind != ir.Const && x.Off < y.Off+y.Size(f.Lanes) && y.Off < x.Off+x.Size(f.Lanes)
}

// outlasts reports whether a temporary that operation i writes is there when the code may leave.
func (w *pairFuser) outlasts(i int) bool {
	leaves := false
	for k := i + 1; k < len(w.fn.Ops) && w.fn.IR.Code[k].Pos == w.fn.IR.Code[i].Pos; k++ {
		leaves = leaves || w.leaves(k)
		if leaves && slices.Contains(w.fn.Ops[k].Args[:], w.fn.Ops[i].Dst) {
			return true
		}
	}
	return false
}

// settle notes at which operations of a joint, of halves that are one, the code does not leave,
// though it may where the guest's are done: where it puts halves together it still does.
func (w *pairFuser) settle(j *joint) {
	if j.kind != summed {
		w.gone[j.hi] = true
		return
	}
	for _, i := range j.drop {
		w.gone[i] = true
	}
	for _, half := range j.args {
		if w.paired(half) == nil && !w.constant(half) && !w.same(half[0], j.from) {
			w.gone[j.from] = false
		}
	}
}

// same reports whether a web that operation i reads is the same in all lanes, as the operation
// in front of it has made it of a scalar.
func (w *pairFuser) same(x Web, i int) bool {
	return i > 0 && w.fn.Ops[i-1].Dst == x && w.fn.IR.Code[i-1].Op == ir.Splat && w.fn.Has(x, Temporary)
}
