package sel

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// branch emits a Bra, after its block has been accounted for.
func (g *gen) branch(b int, in *ir.Inst) {
	to := int(in.Imm)
	switch {
	case in.Guard == 0:
		g.edge(b, to)
	case to == b+1:
		g.branchNext(b)
	case g.mk.Divergent(b):
		g.split(b, to)
	default:
		g.fork(b, to, func() x64.Cond {
			return g.condition(g.ops.Guard, in.GuardNot, func(m x64.Reg) {
				g.emit(x64.Inst{Op: x64.TEST, Len: g.maskBytes(), A: m, B: Active})
			})
		})
	}
}

// fuse finds the comparison that makes the condition of the branch at the end of block b,
// if nobody else wants it and it can as well be done there; -1: there is none.
func (g *gen) fuse(b int) int {
	blk := g.f.Blocks[b]
	last := &g.f.Code[blk.End-1]
	ops := &g.s.Ops[blk.End-1]
	w := ops.Guard
	switch {
	case last.Op == ir.SBra:
		w = ops.Args[0]
	case last.Op != ir.Bra || g.mk.Divergent(b) || int(last.Imm) == b+1:
		return -1
	}
	if w == 0 || g.s.Webs[w].Defs != 1 || g.s.Webs[w].Uses != 1 || g.s.Webs[w].Flags&(webs.Aliased|webs.Const|webs.Input) != 0 || slices.Contains(g.s.LiveOut[b], w) {
		return -1
	}
	for i := blk.End - 2; i >= blk.Start; i-- {
		if g.s.Ops[i].Dst != w {
			continue
		}
		in, at := &g.f.Code[i], &g.s.Ops[i]
		if comparisons()[in.Op].set == 0 || in.Guard != 0 && !in.Scalar && at.Guard != 0 || g.how(i) != byScalar || g.sh.Check(i) != shape.NoCheck {
			return -1
		}
		// What it compares must still be there.
		for j := i + 1; j < blk.End-1; j++ {
			if g.mayExit(j) { // whoever goes on there wants the result
				return -1
			}
			for _, a := range at.Args {
				if a != 0 && (g.writes(j, a) || g.s.Has(a, webs.Aliased)) {
					return -1
				}
			}
		}
		return i
	}
	return -1
}

// condition sets the flags by a condition and returns what to jump by: by the comparison
// that makes it, if that is left to the branch; else test sets them, not equal if it holds.
func (g *gen) condition(w webs.Web, not bool, test func(x64.Reg)) x64.Cond {
	c := x64.CondNE
	if g.fused >= 0 {
		in := &g.f.Code[g.fused]
		r := comparisons()[in.Op]
		var a [4]operand
		for k, t := range ir.Ops[in.Op].Args {
			a[k] = g.scalarArg(g.s.Ops[g.fused].Args[k], t)
		}
		g.compare(r.n, a)
		c = r.cond
	} else {
		test(g.lanesOf(w))
	}
	if not {
		c = c.Not()
	}
	return c
}

// fork goes from block b to another one, if a condition holds that when makes, else to the
// next: all lanes.
func (g *gen) fork(b, to int, when func() x64.Cond) {
	if to == b+1 {
		g.edge(b, to)
		return
	}
	out, l := g.label(), g.label()
	g.overdrawn(out)
	g.cold(out, func() {
		g.jump(when().Jcc(), l)
		g.left(b, b+1, ExitBudget)
		g.bind(l)
		g.left(b, to, ExitBudget)
	})
	c := when()
	switch {
	case to <= b: // a loop goes on more often than not
		g.jump(c.Jcc(), g.arrival(to))
		g.follow(b, b+1)
	default:
		l := g.label()
		g.jump(c.Jcc(), l)
		g.follow(b, b+1)
		g.outOfLine(b, func() {
			g.bind(l)
			g.follow(b, to)
		})
	}
}

// aside keeps code of block b for later, out of the way of what runs often. It must not
// fall through.
func (g *gen) outOfLine(b int, f func()) {
	in, ops, at := g.in, g.ops, g.at
	fused := g.fused
	g.later = append(g.later, func() {
		g.block, g.in, g.ops, g.at, g.fused = b, in, ops, at, fused
		g.masks, g.bcasts, g.wides, g.shared = g.masks[:0], g.bcasts[:0], g.wides[:0], 0
		f()
	})
}

// seldom emits the code that was kept for later.
func (g *gen) seldom() {
	g.deoptimised = g.label()
	g.bind(g.deoptimised)
	g.fn.Weights = append(g.fn.Weights, lir.Weight{At: int32(len(g.fn.Code)), Factor: 0.1})
	for i := 0; i < len(g.later); i++ {
		g.later[i]()
	}
}

// branchNext emits a Bra to the next block, where all lanes go. If it uses up the budget it
// matters all the same whether lanes parted.
func (g *gen) branchNext(b int) {
	out, whole := g.label(), g.label()
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: Counter, B: Counter})
	g.jump(x64.JS, out)
	g.cold(out, func() {
		m, _ := g.writeMask()
		g.emit(x64.Inst{Op: x64.TEST, Len: g.maskBytes(), A: m, B: m})
		g.jump(x64.JE, whole)
		g.emit(x64.Inst{Op: x64.CMP, Len: g.maskBytes(), A: m, B: Active})
		g.jump(x64.JE, whole)
		g.exit(Exit{Kind: ExitSplit, Block: b, To: b + 1})
		g.others(b)
		g.jump(x64.JMP, g.out.Blocks[b+1])
		g.bind(whole)
		g.exit(Exit{Kind: ExitBudget, Block: b, To: b + 1})
		g.others(b)
		g.jump(x64.JMP, g.out.Blocks[b+1])
	})
	g.follow(b, b+1)
}

// split emits a Bra at which lanes may part. The lower of the two blocks runs; the lanes of
// the other one are pending there.
func (g *gen) split(b, to int) {
	next := b + 1
	m, _ := g.writeMask()
	some, other := g.label(), g.label()
	if to > next { // often nobody goes
		g.emit(x64.Inst{Op: x64.TEST, Len: g.maskBytes(), A: m, B: m})
		g.jump(x64.JNE, some)
		g.edge(b, next)
		g.outOfLine(b, func() {
			g.bind(some)
			g.emit(x64.Inst{Op: x64.CMP, Len: g.maskBytes(), A: m, B: Active})
			g.jump(x64.JE, other)
			g.flush()
			g.emit(x64.Inst{Op: x64.ORSt, Len: 8, B: m, HasMem: true, M: g.pend(to)})
			g.emit(x64.Inst{Op: x64.ANDN, Len: g.maskBytes(), Dst: Active, A: m, B: Active})
			g.budget(b, next, ExitSplit)
			g.jump(x64.JMP, g.arrival(next))
			g.bind(other)
			g.edge(b, to)
		})
		return
	}
	// Often all go.
	g.emit(x64.Inst{Op: x64.CMP, Len: g.maskBytes(), A: m, B: Active})
	g.jump(x64.JNE, some)
	g.edge(b, to)
	g.outOfLine(b, func() {
		g.bind(some)
		g.emit(x64.Inst{Op: x64.TEST, Len: g.maskBytes(), A: m, B: m})
		g.jump(x64.JE, other)
		g.flush()
		g.emit(x64.Inst{Op: x64.ANDN, Len: g.maskBytes(), Dst: Acc, A: m, B: Active})
		g.emit(x64.Inst{Op: x64.ORSt, Len: 8, B: Acc, HasMem: true, M: g.pend(next)})
		g.move(Active, m)
		g.budget(b, to, ExitSplit)
		g.jump(x64.JMP, g.arrival(to))
		g.bind(other)
		g.edge(b, next)
		g.jump(x64.JMP, g.arrival(next))
	})
}
