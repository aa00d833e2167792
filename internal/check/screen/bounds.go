package screen

import "example.org/crosslane/internal/ir"

// Bounds of accesses.
//
// Input: an access, and those after it in its block with the same address register and guard.
// Output: one comparison of all of them with an allocation, or with the variables of shared memory.
// Invariant: the register and the guard keep their values between the accesses, so if one of them is executed all
// are.
// Example: 16 loads at [r8], [r8+64] … [r8+960] are one comparison: r8 - b <= size(b) - 964.

// A group is accesses that one comparison covers.
type group struct {
	space     ir.Space
	addr      ir.Ref
	guard     ir.Ref
	guardNot  bool
	low, high int64 // the offsets of the first byte and after the last one
}

// offset returns the offset of an access with its sign.
func (w *writer) offset(in *ir.Inst) int64 {
	if w.f.Val(in.Args[0]).Type == ir.B32 {
		return int64(int32(uint32(in.Offset())))
	}
	return int64(in.Offset())
}

// covers reports whether an access belongs to a group.
func (g *group) covers(in *ir.Inst) bool {
	return accesses(in) && in.Space == g.space && in.Args[0] == g.addr && in.Guard == g.guard && in.GuardNot == g.guardNot
}

// group begins the group of an access; nil if it belongs to one that has begun.
func (w *writer) group(b, i int, in *ir.Inst) *group {
	for n := range w.groups {
		if w.groups[n].covers(in) {
			return nil
		}
	}
	g := group{space: in.Space, addr: in.Args[0], guard: in.Guard, guardNot: in.GuardNot}
	g.low = w.offset(in)
	g.high = g.low + int64(in.Size)
	for j := i; j < w.f.Blocks[b].End; j++ {
		x := &w.f.Code[j]
		if g.covers(x) {
			off := w.offset(x)
			g.low, g.high = min(g.low, off), max(g.high, off+int64(x.Size))
		}
		if x.Dst != 0 && (x.Dst == g.addr || x.Dst == g.guard) || x.Dst2 != 0 && (x.Dst2 == g.addr || x.Dst2 == g.guard) {
			break
		}
	}
	w.groups = append(w.groups, g)
	return &g
}

// forget ends the groups that use a register, which is written.
func (w *writer) forget(r ir.Ref) {
	if r == 0 {
		return
	}
	left := w.groups[:0]
	for _, g := range w.groups {
		if g.addr != r && g.guard != r {
			left = append(left, g)
		}
	}
	w.groups = left
}

// bounds compares an access to global memory with the allocation of its base.
func (w *writer) bounds(b, i int, in *ir.Inst, base int) {
	g := w.group(b, i, in)
	if g == nil {
		return
	}
	from := w.v(ir.Sub64, in.Args[0], w.value(OfBase(base, BaseLow), ir.B64))
	if g.low != 0 {
		from = w.v(ir.Add64, from, w.konst(ir.B64, uint64(g.low)))
	}
	to := w.v(ir.Add64, from, w.konst(ir.B64, uint64(g.high-g.low)))
	out := w.v(ir.GtU64, to, w.value(OfBase(base, BaseSize), ir.B64))
	w.suspect(w.v(ir.OrP, out, w.v(ir.GtU64, from, to)), in)
}

// variables compares an access to shared memory with the variables there, if there are gaps between them.
// Without gaps, a fault shows an access outside.
func (w *writer) variables(b, i int, in *ir.Inst) {
	g := w.group(b, i, in)
	if g == nil || w.f.Apart == nil || len(w.f.Apart.Shared) == 0 {
		return
	}
	t := w.f.Val(in.Args[0]).Type
	add, sub, gt := ir.Add32, ir.Sub32, ir.GtU32
	if t == ir.B64 {
		add, sub, gt = ir.Add64, ir.Sub64, ir.GtU64
	}
	from := in.Args[0]
	if g.low != 0 {
		from = w.v(add, from, w.konst(t, uint64(g.low)))
	}
	// In a gap, or before one and after its begin. Bytes after the last gap are in variables, or do not exist.
	span := uint64(g.high - g.low)
	for _, gap := range w.f.Apart.Shared {
		// from + span > gap.From and from < gap.To: from - (gap.From - span + 1) < gap.To - gap.From + span - 1
		least := uint64(gap.From) - span + 1
		wide := uint64(gap.To-gap.From) + span - 1
		w.suspect(w.v(gt, w.konst(t, wide), w.v(sub, from, w.konst(t, least))), in)
	}
}
