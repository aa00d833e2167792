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
	loads     []piece
}

// piece is the bytes of a load of a group.
type piece struct {
	low, high int64
	pos       int32
}

// offset returns the offset of an access with its sign.
func (w *writer) offset(in *ir.Inst) int64 {
	if w.f.Val(in.Args[0]).Type == ir.B32 {
		return int64(int32(uint32(offsetOf(in))))
	}
	return int64(offsetOf(in))
}

// covers reports whether an access belongs to a group.
func (g *group) covers(in *ir.Inst) bool {
	return (isTold(in) || isPrivate(in)) && !in.Surplus && in.Space == g.space && in.Args[0] == g.addr && in.Guard == g.guard && in.GuardNot == g.guardNot
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
		if j == i || g.covers(x) {
			off := w.offset(x)
			g.low, g.high = min(g.low, off), max(g.high, off+int64(x.Size))
			if kindOf(x) == ir.AccessRead {
				g.loads = append(g.loads, piece{off, off + int64(x.Size), x.Pos})
			}
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

// bounds compares an access to global memory with the allocation of its base. It returns the group that begins with the
// access; nil: it belongs to one that has begun.
func (w *writer) bounds(b, i int, in *ir.Inst, base int) *group {
	g := w.group(b, i, in)
	if g == nil {
		return nil
	}
	from := w.v(ir.Sub64, in.Args[0], w.value(OfBase(base, BaseLow), ir.B64))
	if g.low != 0 {
		from = w.v(ir.Add64, from, w.konst(ir.B64, uint64(g.low)))
	}
	to := w.v(ir.Add64, from, w.konst(ir.B64, uint64(g.high-g.low)))
	out := w.v(ir.GtU64, to, w.value(OfBase(base, BaseSize), ir.B64))
	w.suspect(w.v(ir.OrP, out, w.v(ir.GtU64, from, to)), in)
	return g
}

// variables compares an access to shared or private memory with the variables there, if there are gaps between them.
// Without gaps, a fault shows an access outside.
func (w *writer) variables(b, i int, in *ir.Inst) {
	if w.f.Apart == nil {
		return
	}
	gaps := w.f.Apart.Shared
	if in.Space == ir.Local {
		gaps = w.f.Apart.Local
	}
	v := w.f.Val(in.Args[0])
	t := v.Type
	if v.Kind == ir.Const { // accesses to several variables may have this address
		from := int64(v.Const) + w.offset(in)
		if t == ir.B32 {
			from = int64(uint32(from))
		}
		for _, gap := range gaps {
			if from < int64(gap.To) && from+int64(in.Size) > int64(gap.From) {
				w.suspect(w.v(ir.EqU32, w.konst(ir.B32, 0), w.konst(ir.B32, 0)), in)
			}
		}
		return
	}
	low, high := w.offset(in), w.offset(in)+int64(in.Size)
	if w.f.Code[i].Op != ir.Collective { // whose lanes have no register
		g := w.group(b, i, in)
		if g == nil {
			return
		}
		low, high = g.low, g.high
	}
	add, sub, gt := ir.Add32, ir.Sub32, ir.GtU32
	if t == ir.B64 {
		add, sub, gt = ir.Add64, ir.Sub64, ir.GtU64
	}
	from := in.Args[0]
	if low != 0 {
		from = w.v(add, from, w.konst(t, uint64(low)))
	}
	// In a gap, or before one and after its begin. Bytes after the last gap are in variables, or do not exist.
	span := uint64(high - low)
	for _, gap := range gaps {
		// from + span > gap.From and from < gap.To: from - (gap.From - span + 1) < gap.To - gap.From + span - 1
		least := uint64(gap.From) - span + 1
		wide := uint64(gap.To-gap.From) + span - 1
		w.suspect(w.v(gt, w.konst(t, wide), w.v(sub, from, w.konst(t, least))), in)
	}
}
