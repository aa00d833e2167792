package sel

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/x64"
)

// This file emits the run-time checks of the assumptions that package shape makes, and the exits
// that deoptimise if an assumption fails.
//
// Input: an operation with a shape.Check, before its code.
// Output: a comparison, and an exit of kind ExitDeopt in cold code.
// Invariant: the STATE after the exit has a register for each web that the interpreter needs from
// the operation on and that only registers hold.
// Example: a 32-bit index i + lane that is extended to 64 bits: t = i + 31; exit if t > 2^32-1.
// Literature: Hölzle, Chambers and Ungar, dynamic deoptimization (PLDI 1992).

// check deoptimises unless the lanes of the argument that the operation in hand extends follow each
// other without a wrap: see shape.Check. It computes the last lane's value in 64 bits and compares
// it with its extension from 32 bits.
func (g *lowering) check(c shape.Check) {
	switch c {
	case shape.CheckCarry:
		g.checkCarry()
		return
	case shape.CheckSign, shape.CheckHigh:
		g.checkUpper(c == shape.CheckSign)
		return
	case shape.CheckRows:
		g.checkRows()
		return
	}
	k := g.stepping()
	span := g.laneSpread(g.sh.Arg(g.at, k))
	ext, n := x64.MOV, uint8(4)
	if c == shape.CheckSigned {
		ext, n = x64.MOVSXD, 8
	}
	base := g.regOf(g.scalarArg(g.ops.Args[k], ir.B32), 4)
	last, short := g.gpr(8), g.gpr(8)
	g.emit(x64.Inst{Op: ext, Len: n, Dst: last, B: base})
	g.apply(x64.ADD, x64.ADDImm, 8, last, operand{num: true, imm: uint64(span)})
	g.emit(x64.Inst{Op: ext, Len: n, Dst: short, B: last})
	g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: short, B: last})
	g.exitIfNot()
}

// stepping returns which of the first two arguments differs from lane to lane: the one that a check
// is about. See shape.Shapes.Check.
func (g *lowering) stepping() int {
	if g.sh.Arg(g.at, 0).Uniform() {
		return 1
	}
	return 0
}

// checkCarry deoptimises unless all lanes have the same carry: see shape.CheckCarry. Neither the
// affine argument nor the sum may cross a multiple of 2^32 between the first and the last lane.
func (g *lowering) checkCarry() {
	k := g.stepping()
	span := operand{num: true, imm: uint64(g.laneSpread(g.sh.Arg(g.at, k)))}
	x, y := g.gpr(8), g.gpr(8)
	g.put(x, 4, g.scalarArg(g.ops.Args[k], ir.B32))
	g.put(y, 4, g.scalarArg(g.ops.Args[1-k], ir.B32))
	g.r2(x64.ADD, 8, y, x) // the sum of lane 0, with its carry in bit 32
	last := g.gpr(8)
	g.move(last, y)
	g.apply(x64.ADD, x64.ADDImm, 8, last, span)
	g.apply(x64.ADD, x64.ADDImm, 8, x, span)
	g.r2(x64.XOR, 8, last, y)
	g.r2(x64.OR, 8, last, x)
	g.ri(x64.SHRImm, 8, last, 32)
	g.exitIfNot()
}

// checkUpper deoptimises unless all lanes of the first argument have the same sign, for 32 bits, or
// the same upper half, for 64: see shape.CheckSign. As lanes are affine, the first and the last one
// suffice.
func (g *lowering) checkUpper(sign bool) {
	sh := g.sh.Arg(g.at, 0)
	span, t, bits := int64(sh.Stride), ir.B64, int64(32)
	if sign {
		span, t, bits = int64(int32(sh.Stride)), ir.B32, 31
	}
	x, last := g.gpr(8), g.gpr(8)
	g.put(x, uint8(t.Bytes()), g.scalarArg(g.ops.Args[0], t))
	if sign {
		g.emit(x64.Inst{Op: x64.MOVSXD, Len: 8, Dst: last, B: x})
		x, last = last, x
	}
	g.move(last, x)
	g.apply(x64.ADD, x64.ADDImm, 8, last, operand{num: true, imm: uint64(span * int64(g.f.Lanes-1))})
	g.r2(x64.XOR, 8, last, x)
	g.ri(x64.SHRImm, 8, last, bits)
	g.exitIfNot()
}

// checkRows deoptimises unless, in every tile row of the argument, the last lane is above the
// first: see shape.CheckRows. It adds the distance to the first lane's value in 64 bits; bits above
// 32 mean a wrap.
func (g *lowering) checkRows() {
	k := g.stepping()
	sh := g.sh.Arg(g.at, k)
	rows := int32(g.f.Lanes) >> sh.Tile
	all := g.gpr(8)
	for r := range rows {
		last := all
		if r > 0 {
			last = g.gpr(8)
		}
		at := r << sh.Tile * 4 // each tile row begins with a vector register
		g.emit(x64.Inst{Op: fromVec(ir.B32), Len: 4, Dst: last, B: g.unit(g.ops.Args[k], at/g.w, ir.B32)})
		g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: last, B: last})
		g.apply(x64.ADD, x64.ADDImm, 8, last, operand{num: true, imm: sh.Stride * (1<<sh.Tile - 1)})
		if r > 0 {
			g.r2(x64.OR, 8, all, last)
		}
	}
	g.ri(x64.SHRImm, 8, all, 32)
	g.exitIfNot()
}

// mayDeoptimise reports whether the code may deoptimise before operation i.
func (g *facts) mayDeoptimise(i int) bool { return g.sh.Check(i) != shape.NoCheck }

// again returns the operations that the interpreter must repeat if the code deoptimises before
// operation i: see webs.Func.Repeats.
func (g *facts) again(i int) (list []int) {
	for _, u := range g.s.Repeats {
		if i > u.Ops[len(u.Ops)-1] && i <= u.Until {
			list = append(list, u.Ops...)
		}
	}
	slices.Sort(list)
	return list
}

// exitIfNot jumps to g.failed if the flags report "not equal": an assumption does not hold.
func (g *lowering) exitIfNot() { g.jump(x64.JNE, g.failed) }

// assume emits the check of the operation in hand. If an assumption does not hold, the code
// deoptimises before the operation has any effect.
func (g *control) assume(c shape.Check) {
	g.failed = g.label()
	g.check(c)
	g.cold(g.failed, func() {
		wanted := g.wanted[g.at]
		g.compute(wanted)
		g.exit(abi.Exit{Kind: abi.ExitDeopt, Inst: g.at, Block: g.block})
		g.out.Exits[len(g.out.Exits)-1].State = g.state(wanted, g.again(g.at))
		g.others(g.block)
		g.emit(x64.Inst{Op: x64.UD2}) // Go never comes back to here
	})
}
