package sel

import (
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file saves moves from a register that a rule made to the register of a web (coalescing at
// selection).
//
// Input: the instructions that the operation in hand has emitted for its result d, and the web's
// register p.
// Output: the same instructions with p in place of d, and no move.
// Invariant: p is written only after its last read, and Go never sees a partly computed p.
// Example: mov t, x; add t, y; mov p, t becomes mov p, x; add p, y.
// Literature: Chaitin et al., register allocation via coloring (1981): coalescing.
//
// The allocator could do this, too, but every instruction costs time in all later passes.

// maxFresh is how many instructions settled looks at.
const maxFresh = 24

// defineFresh is defineGPR for a register d that was made since the list had start instructions,
// and that is not read later.
func (g *lowering) defineFresh(w webs.Web, d x64.Reg, start int) {
	g.fresh = start + 1
	g.defineGPR(w, d)
	g.fresh = 0
}

// freshLanes is defineFresh for a mask of lanes.
func (g *lowering) freshLanes(w webs.Web, d x64.Reg, start int) {
	g.fresh = start + 1
	g.defineLanes(w, d, nil, 0, 0)
	g.fresh = 0
}

// settled writes a web's register p from d, of n bytes, if the instructions that made d can make p
// instead. It reports whether that is so.
func (g *lowering) settled(p, d x64.Reg, n uint8) bool {
	start := g.fresh - 1
	g.fresh = 0
	if start < 0 || d < x64.Virtual || p < x64.Virtual || d == p {
		return false
	}
	code := g.fn.Code[start:]
	if len(code) == 0 || len(code) > maxFresh {
		return false
	}
	moved := sum(code, d, p) // the computation begins with a copy of p: p op= x
	last := -1
	for i := range code {
		in := &code[i]
		info := in.Op.Info()
		if info.Jump || info.Ends || info.Pseudo || in.Op == x64.CALLLabel {
			return false // Go must never see a partly computed p
		}
		// p must keep its old value up to the last read of it.
		if in.Dst == p || last >= 0 && lir.ReadsSource(in, p) || i == 0 && !moved && lir.IsMove(in) && in.B == p {
			return false
		}
		if in.Dst == d {
			last = i
		}
	}
	// A move of 4 bytes clears the upper half; so does an instruction that computes 4 bytes.
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
	// The copy of p to itself is superfluous.
	if moved {
		copy(code, code[1:])
		g.fn.Code = g.fn.Code[:len(g.fn.Code)-1]
	}
	return true
}

// sum reports whether code begins with a copy of p to d that the next instruction uses up: it reads
// the bytes that were copied and writes all of d.
func sum(code []x64.Inst, d, p x64.Reg) bool {
	if len(code) < 2 || !lir.IsMove(&code[0]) || code[0].Dst != d || code[0].B != p {
		return false
	}
	in := &code[1]
	return in.Dst == d && in.Op.Info().DstRead && in.Op.Info().DstSize == x64.Full && in.Len == code[0].Len && in.Len >= 4
}
