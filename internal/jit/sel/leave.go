package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the checks of what package shape assumes, and the way out if it does not
// hold.

// check leaves the code unless the lanes of the argument that the operation in hand extends
// follow each other without a wrap: see shape.Check.
func (g *gen) check(c shape.Check) {
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

// stepping is which of the first two arguments differs from lane to lane, if one does not: what
// a check is about. See shape.Shapes.Check.
func (g *gen) stepping() int {
	if g.sh.Arg(g.at, 0).Uniform() {
		return 1
	}
	return 0
}

// checkCarry leaves the code unless all lanes have the same carry: see shape.CheckCarry.
func (g *gen) checkCarry() {
	k := g.stepping()
	span := operand{num: true, imm: uint64(g.laneSpread(g.sh.Arg(g.at, k)))}
	x, y := g.gpr(8), g.gpr(8)
	g.put(x, 4, g.scalarArg(g.ops.Args[k], ir.B32))
	g.put(y, 4, g.scalarArg(g.ops.Args[1-k], ir.B32))
	g.r2(x64.ADD, 8, y, x) // the sum of lane 0, with its carry above
	last := g.gpr(8)
	g.move(last, y)
	g.apply(x64.ADD, x64.ADDImm, 8, last, span)
	g.apply(x64.ADD, x64.ADDImm, 8, x, span)
	g.r2(x64.XOR, 8, last, y)
	g.r2(x64.OR, 8, last, x)
	g.ri(x64.SHRImm, 8, last, 32)
	g.exitIfNot()
}

// checkUpper leaves the code unless all lanes of the first argument have the same sign, of
// 32 bits, or the same upper half, of 64: see shape.CheckSign.
func (g *gen) checkUpper(sign bool) {
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

// checkRows leaves the code unless the last lane of every row of the argument that is in rows
// is above the first one: see shape.CheckRows.
func (g *gen) checkRows() {
	k := g.stepping()
	sh := g.sh.Arg(g.at, k)
	rows := int32(g.f.Lanes) >> sh.Tile
	all := g.gpr(8)
	for r := range rows {
		last := all
		if r > 0 {
			last = g.gpr(8)
		}
		at := r << sh.Tile * 4 // each row begins with a vector register
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

// leaves reports whether the code may leave for good in front of operation i.
func (g *gen) mayExit(i int) bool { return g.sh.Check(i) != shape.NoCheck }

// wanted are the webs that the interpreter wants if the code leaves in front of the
// operation in hand. The code itself may have other forms of what is in them, and not need
// them any more.
func (g *gen) wanted() []webs.Web {
	if g.wantedIn != g.block+1 {
		g.wantedIn = g.block + 1
		g.wantedAt = map[int][]webs.Web{}
		before := g.s.NewSet()
		g.s.Backward(g.block, g.s.NewSet(), func(i int, after *webs.Set) {
			if g.mayExit(i) {
				before.Copy(after)
				g.s.Before(i, before)
				var l []webs.Web
				for w := range before.All {
					l = append(l, w)
				}
				g.wantedAt[i] = l
			}
		})
	}
	return g.wantedAt[g.at]
}

// leaveIfNot leaves the code if the flags say that it is not what it relies on.
func (g *gen) exitIfNot() {
	if !g.mayExit(g.at) {
		panic("sel: leaves where it must not: " + g.in.Op.String())
	}
	l, back := g.label(), g.label()
	g.jump(x64.JNE, l)
	g.cold(l, func() {
		g.exit(Exit{Kind: ExitDeopt, Inst: g.at, Block: g.block})
		for _, w := range g.wanted() {
			g.need(w)
		}
		g.others(g.block)
		g.jump(x64.JMP, back) // never; but what is needed from here on has to be there
	})
	g.bind(back)
}
