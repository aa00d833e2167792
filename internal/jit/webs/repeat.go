package webs

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// This file checks whether the operations that register-pair fusion moves can be repeated at
// an exit.
//
// Input: a summed joint whose code may deoptimise between the low sum and the high sum
// (joint.repeats).
// Output: repeatable; gone, the operations at which the code does not deoptimise.
// Invariant: at each exit in the interval, the operands of the low operations are in frame
// slots, unchanged.
// Example: v0 = v0 + v2; v5 = cvt(v4); v1 = v1 + v3 + carry. If the cvt deoptimises, the
// interpreter repeats the carry and v0 + v2 first. If the cvt wrote v2 and a later operation
// could deoptimise, the pair is off.

// repeatable reports whether the interpreter can repeat the low operations at any exit
// between the low sum and the high sum. No operation in between may change the frame slots of
// their operands or of their results before an exit.
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

// leaves reports whether the code may deoptimise before operation i.
func (w *pairFuser) leaves(i int) bool { return relies(&w.fn.IR.Code[i]) && !w.gone[i] }

// overlap reports whether the frame slots of two values share bytes.
func (w *pairFuser) overlap(a, b ir.Ref) bool {
	f := w.fn.IR
	x, y := &f.Values[a], &f.Values[b]
	return x.Kind != ir.Const && y.Kind != ir.Const && f.Overlap(a, b)
}

// outlasts reports whether a temporary that operation i writes may have to be in its frame
// slot at an exit: a later operation of the same guest instruction reads it, at or after an
// operation that may deoptimise.
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

// settle marks the operations of a joint at which the code does not deoptimise, although it
// might at the operations of the guest: they become Nop. A Pack64 of the sum may still
// deoptimise.
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

// same reports whether a web that operation i reads is equal in all lanes because the
// operation before i splats a scalar to it.
func (w *pairFuser) same(x Web, i int) bool {
	return i > 0 && w.fn.Ops[i-1].Dst == x && w.fn.IR.Code[i-1].Op == ir.Splat && w.fn.Has(x, Temporary)
}
