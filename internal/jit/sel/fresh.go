package sel

import (
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file saves the moves from a register of a rule's own to that of a web: what has made
// the one makes the other. Every instruction costs in all that follows selection.

// maxFresh is how many instructions are looked at for that.
const maxFresh = 24

// defineFresh is defineGPR for a register that was made since the list had start
// instructions, and that nobody reads later.
func (g *gen) defineFresh(w webs.Web, d x64.Reg, start int) {
	g.fresh = start + 1
	g.defineGPR(w, d)
	g.fresh = 0
}

// freshLanes is the same for a mask of lanes.
func (g *gen) freshLanes(w webs.Web, d x64.Reg, start int) {
	g.fresh = start + 1
	g.defineLanes(w, d, nil, 0, 0)
	g.fresh = 0
}

// settled writes a web's register p from d, of n bytes, if what has made d can make p
// instead, and reports whether that is so.
func (g *gen) settled(p, d x64.Reg, n uint8) bool {
	start := g.fresh - 1
	g.fresh = 0
	if start < 0 || d < x64.Virtual || p < x64.Virtual || d == p {
		return false
	}
	code := g.fn.Code[start:]
	if len(code) == 0 || len(code) > maxFresh {
		return false
	}
	moved := sum(code, d, p) // p op= x, by a copy of p
	last := -1
	for i := range code {
		in := &code[i]
		info := in.Op.Info()
		if info.Jump || info.Ends || info.Pseudo || in.Op == x64.CALLLabel {
			return false // p must not be half made where Go might look
		}
		if in.Dst == p || last >= 0 && reads(in, p) || i == 0 && !moved && lir.IsMove(in) && in.B == p {
			return false
		}
		if in.Dst == d {
			last = i
		}
	}
	// A move of 4 bytes leaves none above them; nor does what computes as many.
	if last < 0 || n < 8 && (code[last].Len != n || code[last].Op.Info().DstSize != x64.Full) {
		return false
	}
	for i := range code {
		in := &code[i]
		for _, r := range [...]*x64.Reg{&in.Dst, &in.A, &in.B, &in.C, &in.M.Base, &in.M.Index} {
			if *r == d {
				*r = p
			}
		}
	}
	if moved {
		copy(code, code[1:])
		g.fn.Code = g.fn.Code[:len(g.fn.Code)-1]
	}
	return true
}

// sum reports whether code begins with a copy of p to d, as much of it as the instruction
// behind it takes, which writes all of d.
func sum(code []x64.Inst, d, p x64.Reg) bool {
	if len(code) < 2 || !lir.IsMove(&code[0]) || code[0].Dst != d || code[0].B != p {
		return false
	}
	in := &code[1]
	return in.Dst == d && in.Op.Info().DstRead && in.Op.Info().DstSize == x64.Full && in.Len == code[0].Len && in.Len >= 4
}

// reads reports whether an instruction reads a register of which it is not the destination.
func reads(in *x64.Inst, r x64.Reg) bool {
	return in.A == r || in.B == r || in.C == r || in.HasMem && (in.M.Base == r || in.M.Index == r)
}
