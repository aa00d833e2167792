package sel

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file lowers branches (ir.Bra, ir.SBra).
//
// Input: a branch at the end of block b, whose instructions have been counted.
// Output: jumps to the blocks that follow, with checks of the budget and of pending lanes on each
// edge.
// Invariant: of two targets with lanes, the block that is lower in layout order runs first; the
// lanes of the other one are in its pending mask.
// Example: `bra p, L5` in block 3 with some lanes in p: pend[5] |= p; active &^= p; goto block 4.
// Literature: Diamos et al., SIMD re-convergence at thread frontiers (MICRO 2011).

// branch emits an ir.Bra at the end of block b.
func (g *control) branch(b int, in *ir.Inst) {
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
				g.emit(x64.Inst{Op: x64.TEST, Len: g.maskBytes(), A: m, B: abi.Active})
			})
		})
	}
}

// fuse returns the comparison that makes the condition of the branch at the end of block b, if the
// branch is its only reader and can do it itself with the machine's flags; -1 if there is none. The
// operands of the comparison must be unchanged at the end of the block, and the code must not
// deoptimise between the two, because the interpreter would need the result.
func (g *control) fuse(b int) int {
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
	// The branch must be the only reader, and the condition must not outlive the block.
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
		// The operands must still hold their values at the branch.
		for j := i + 1; j < blk.End-1; j++ { // from the comparison to the branch
			if g.mayDeoptimise(j) { // the interpreter, which continues there, needs the result
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

// condition sets the flags by a condition and returns the condition code to jump by. If the branch
// is fused with a comparison, that comparison sets the flags; else test sets them, to "not equal"
// if the condition holds.
func (g *control) condition(w webs.Web, not bool, test func(x64.Reg)) x64.Cond {
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

// fork goes from block b to block `to` if the condition holds that when emits, else to the next
// block. All lanes take the same way.
func (g *control) fork(b, to int, when func() x64.Cond) {
	if to == b+1 {
		g.edge(b, to)
		return
	}
	// The condition is computed twice, because an exit may change the flags: in the cold code for the
	// target that the exit names, and after the check of the budget for the jump.
	out, l := g.label(), g.label()
	g.overdrawn(out)
	g.cold(out, func() {
		g.jump(when().Jcc(), l)
		g.left(b, b+1, abi.ExitBudget)
		g.bind(l)
		g.left(b, to, abi.ExitBudget)
	})
	c := when()
	switch {
	case to <= b: // a loop continues more often than it ends
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

// outOfLine defers code of block b to the end of the function, away from the code that runs often.
// The code must not fall through. Facts about registers that hold inside the block are not known
// there.
func (g *control) outOfLine(b int, f func()) {
	// The deferred code runs in the state of the generator at this point.
	in, ops, at := g.in, g.ops, g.at
	fused := g.fused
	g.later = append(g.later, func() {
		g.block, g.in, g.ops, g.at, g.fused = b, in, ops, at, fused
		g.masks, g.bcasts, g.wides, g.shared = g.masks[:0], g.bcasts[:0], g.wides[:0], 0
		f()
	})
}

// seldom emits the code that outOfLine deferred. Deferred code may defer more.
func (g *control) seldom() {
	g.deoptimised = g.label()
	g.bind(g.deoptimised)
	// The weight makes the allocator prefer the code that runs often.
	g.fn.Weights = append(g.fn.Weights, lir.Weight{At: int32(len(g.fn.Code)), Factor: 0.1})
	for i := 0; i < len(g.later); i++ {
		g.later[i]()
	}
}

// branchNext emits an ir.Bra to the next block, at which no lanes part. If it uses up the budget,
// sim still has to see whether the lanes parted: the branch then exits as ExitSplit if its guard
// holds for some active lanes and not for all.
func (g *control) branchNext(b int) {
	// In cold code: ExitSplit only if some active lanes jump and some do not.
	out, whole := g.label(), g.label()
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: abi.Counter, B: abi.Counter})
	g.jump(x64.JS, out)
	g.cold(out, func() {
		m, _ := g.writeMask()
		g.emit(x64.Inst{Op: x64.TEST, Len: g.maskBytes(), A: m, B: m})
		g.jump(x64.JE, whole)
		g.emit(x64.Inst{Op: x64.CMP, Len: g.maskBytes(), A: m, B: abi.Active})
		g.jump(x64.JE, whole)
		g.exit(abi.Exit{Kind: abi.ExitSplit, Block: b, To: b + 1})
		g.others(b)
		g.jump(x64.JMP, g.out.Blocks[b+1])
		g.bind(whole)
		g.exit(abi.Exit{Kind: abi.ExitBudget, Block: b, To: b + 1})
		g.others(b)
		g.jump(x64.JMP, g.out.Blocks[b+1])
	})
	g.follow(b, b+1)
}

// split emits an ir.Bra at which lanes may part. The lower of the two blocks runs; the lanes of the
// other block become pending there. The case that the lanes do not part is the straight one.
func (g *control) split(b, to int) {
	next := b + 1
	m, _ := g.writeMask()
	some, other := g.label(), g.label()
	if to > next { // often no lane jumps
		g.emit(x64.Inst{Op: x64.TEST, Len: g.maskBytes(), A: m, B: m})
		g.jump(x64.JNE, some)
		g.edge(b, next)
		g.outOfLine(b, func() {
			g.bind(some)
			g.emit(x64.Inst{Op: x64.CMP, Len: g.maskBytes(), A: m, B: abi.Active})
			g.jump(x64.JE, other)
			// The lanes part: those that jump wait at the later block.
			g.flush()
			g.emit(x64.Inst{Op: x64.ORSt, Len: 8, B: m, HasMem: true, M: g.pend(to)})
			g.emit(x64.Inst{Op: x64.ANDN, Len: g.maskBytes(), Dst: abi.Active, A: m, B: abi.Active})
			g.budget(b, next, abi.ExitSplit)
			g.jump(x64.JMP, g.arrival(next))
			g.bind(other)
			g.edge(b, to)
		})
		return
	}
	// Often all lanes jump.
	g.emit(x64.Inst{Op: x64.CMP, Len: g.maskBytes(), A: m, B: abi.Active})
	g.jump(x64.JNE, some)
	g.edge(b, to)
	g.outOfLine(b, func() {
		g.bind(some)
		g.emit(x64.Inst{Op: x64.TEST, Len: g.maskBytes(), A: m, B: m})
		g.jump(x64.JE, other)
		// The lanes part: those that do not jump wait at the next block, after the loop.
		g.flush()
		g.emit(x64.Inst{Op: x64.ANDN, Len: g.maskBytes(), Dst: abi.Acc, A: m, B: abi.Active})
		g.emit(x64.Inst{Op: x64.ORSt, Len: 8, B: abi.Acc, HasMem: true, M: g.pend(next)})
		g.move(abi.Active, m)
		g.budget(b, to, abi.ExitSplit)
		g.jump(x64.JMP, g.arrival(to))
		g.bind(other)
		g.edge(b, next)
		g.jump(x64.JMP, g.arrival(next))
	})
}
