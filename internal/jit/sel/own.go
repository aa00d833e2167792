package sel

import (
	"sync"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the table of operations that are not pure, and the rules of some of
// them.
//
// Input: an operation with effects, across lanes, or at the end of a block.
// Output: the code of its own.emit. An operation without an entry, or with can false,
// is a call-out.
// Invariant: can decides before places are chosen; emit may rely on it.
// Example: ir.Fail becomes a test of its argument and a call-out in cold code.

// owns are the rules of operations that are not pure, by operation. For an operation
// that ends a block, the rule emits only its effect; end emits the accounting and the
// way to the next block.
var owns = sync.OnceValue(func() []*own { return joined(basicOwns, memoryOwns, crossOwns, waveOwns, collectiveOwns) })

// basicOwns has the rules of operations that fit no other file.
var basicOwns = map[ir.Op]*own{
	ir.Fail: {
		can: func(g *facts, i int) bool { return g.f.Code[i].Shadow == [4]ir.Ref{} },
		wants: func(g *facts, i int, wants, defs []want) {
			// A uniform argument is tested once, a varying one in all lanes.
			if w := g.s.Ops[i].Args[0]; g.sh.Web(w).Uniform() {
				wants[w] |= wantG
			} else {
				wants[w] |= wantV
			}
		},
		emit: (*access).fail,
	},
	ir.Observe: {can: canObserve, wants: func(*facts, int, []want, []want) {}, emit: (*access).observe},
	ir.Splat: {
		can: func(g *facts, i int) bool { return true },
		wants: func(g *facts, i int, wants, defs []want) {
			// Bytes and half-words have no general-register form.
			form := wantG
			if t := g.f.Val(g.f.Code[i].Dst).Type; t == ir.B8 || t == ir.B16 {
				form = wantV
			}
			wants[g.s.Ops[i].Args[0]] |= form
			defs[g.s.Ops[i].Dst] |= form
		},
		emit: func(g *access) {
			t := g.f.Val(g.in.Args[0]).Type
			if t == ir.B8 || t == ir.B16 {
				g.defineSplat(g.ops.Dst, g.unit(g.ops.Args[0], 0, t))
				return
			}
			start, first := len(g.fn.Code), x64.Virtual+x64.Reg(len(g.fn.VRegs))
			a := g.scalarArg(g.ops.Args[0], t)
			d := a.reg
			// d must be a register that was made for this operation: then the
			// instructions that made it may write the web's register instead.
			if a.num || d < first || g.fn.VRegs[d-x64.Virtual].Const != 0 { // not a register that was made for it
				d, start = g.gpr(uint8(t.Bytes())), len(g.fn.Code)
				g.put(d, uint8(t.Bytes()), a)
			}
			if t == ir.B1 {
				g.defineLanes(g.ops.Dst, g.spreadBit(d), nil, 0, 0)
				return
			}
			g.defineFresh(g.ops.Dst, d, start)
		},
	},
	ir.LaneBit: {
		can: func(g *facts, i int) bool { return true },
		wants: func(g *facts, i int, wants, defs []want) {
			wants[g.s.Ops[i].Args[0]] |= wantG
		},
		emit: func(g *access) {
			d := g.gpr(4)
			g.put(d, 4, g.scalarArg(g.ops.Args[0], ir.B1))
			g.defineLanes(g.ops.Dst, g.spreadBit(d), nil, 0, 0)
		},
	},
}

// spreadBit makes a mask of all lanes or none from bit 0 of register d.
func (g *lowering) spreadBit(d x64.Reg) x64.Reg {
	r := g.gpr(g.maskBytes())
	g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: r, B: d})
	g.ri(x64.ANDImm, 4, r, 1)
	// 0 stays 0, 1 becomes all ones.
	g.emit(x64.Inst{Op: x64.NEG, Len: g.maskBytes(), Dst: r})
	return r
}

// fail emits a Fail operation: a call-out if a lane for which it acts fails. A uniform
// argument is tested without the mask, so Go may be called without need.
func (g *access) fail() {
	l, back := g.label(), g.label()
	w := g.ops.Args[0]
	v, isConst := g.constant1(w)
	known := g.known()
	switch {
	// A constant decides at translation time.
	case isConst && v == 0:
		return
	case isConst:
		g.jump(x64.JMP, l)
	case g.sh.Web(w).Uniform() && !g.places[w].slot:
		// Uniform: one test for all lanes.
		r := g.regOf(g.scalarArg(w, ir.B32), 4)
		g.emit(x64.Inst{Op: x64.TEST, Len: 4, A: r, B: r})
		g.jump(x64.JNE, l)
	default:
		was := g.len
		g.len = uint8(g.w)
		m := g.lanesMask()
		// Varying: any nonzero element among the active lanes.
		var bad x64.Reg
		for c := range int32(g.f.Lanes) * 4 / g.w {
			a := g.value(w, c, ir.B32)
			if g.avx512 {
				bad = g.either(bad, g.nonzero(a, a, 4, g.chunk(m, uint8(g.w)/4, 4, c)))
			} else {
				bad = g.either(bad, g.v2(x64.VPAND, a, g.chunk(m, uint8(g.w)/4, 4, c)))
			}
		}
		if g.avx512 {
			g.jumpIfAny(bad, l, 4)
		} else {
			g.emit(x64.Inst{Op: x64.VPTEST, Len: g.len, A: bad, B: bad})
			g.jump(x64.JNE, l)
		}
		g.len = was
	}
	g.cold(l, func() {
		g.restore(known)
		g.surface(1)
		g.callOut()
		g.jump(x64.JMP, back)
	})
	g.bind(back)
	g.restore(known)
}
