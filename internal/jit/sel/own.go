package sel

import (
	"sync"

	"crosslane/internal/ir"
	"crosslane/internal/jit/x64"
)

// owns are the rules of operations that are not pure. Of those that end a block the rule
// makes what they do; the accounts and the way to the next block are end's.
var owns = sync.OnceValue(func() []*own { return joined(basicOwns, memoryOwns, crossOwns, waveOwns, collectiveOwns) })

var basicOwns = map[ir.Op]*own{
	ir.Observe: {can: canObserve, wants: func(*gen, int, []want, []want) {}, emit: (*gen).observe},
	ir.Splat: {
		can: func(g *gen, i int) bool { return true },
		wants: func(g *gen, i int, wants, defs []want) {
			form := wantG
			if t := g.f.Val(g.f.Code[i].Dst).Type; t == ir.B8 || t == ir.B16 {
				form = wantV
			}
			wants[g.s.Ops[i].Args[0]] |= form
			defs[g.s.Ops[i].Dst] |= form
		},
		emit: func(g *gen) {
			t := g.f.Val(g.in.Args[0]).Type
			if t == ir.B8 || t == ir.B16 {
				g.defineSplat(g.ops.Dst, g.unit(g.ops.Args[0], 0, t))
				return
			}
			d := g.gpr(uint8(t.Bytes()))
			g.put(d, uint8(t.Bytes()), g.scalarArg(g.ops.Args[0], t))
			if t == ir.B1 {
				g.defineLanes(g.ops.Dst, g.spreadBit(d), nil, 0, 0)
				return
			}
			g.defineGPR(g.ops.Dst, d)
		},
	},
	ir.LaneBit: {
		can: func(g *gen, i int) bool { return true },
		wants: func(g *gen, i int, wants, defs []want) {
			wants[g.s.Ops[i].Args[0]] |= wantG
		},
		emit: func(g *gen) {
			d := g.gpr(4)
			g.put(d, 4, g.scalarArg(g.ops.Args[0], ir.B1))
			g.defineLanes(g.ops.Dst, g.spreadBit(d), nil, 0, 0)
		},
	},
}

// spreadBit makes a mask of all lanes or none from the bit 0 of a register.
func (g *gen) spreadBit(d x64.Reg) x64.Reg {
	r := g.gpr(g.maskBytes())
	g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: r, B: d})
	g.ri(x64.ANDImm, 4, r, 1)
	g.emit(x64.Inst{Op: x64.NEG, Len: g.maskBytes(), Dst: r})
	return r
}
