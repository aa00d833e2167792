package randprog

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// Go does the first access of an instruction, and so finds the region of memory. Machine code
// accesses memory only in later iterations of a loop, in other waves and in other blocks. So
// the programs here are short loops around accesses, with addresses that move, lanes that
// change, and ends of memory that are reached.

// own declares registers that only loops around accesses change, some of each kind: indices
// of 32 and of 64 bits, a count of iterations, and a predicate.
func (g *generator) own() (near, far [2]int, count, guard int) {
	g.common = len(g.p.Vars)
	add := func(t string) int {
		g.p.Vars = append(g.p.Vars, Var{Type: t})
		return len(g.p.Vars) - 1
	}
	return [2]int{add("b32"), add("b32")}, [2]int{add("b64"), add("b64")}, add("b32"), add("b1")
}

// to emits an operation with its result in a given register.
func (g *generator) to(r int, op ir.Op, args ...Arg) Arg {
	g.emit(Stmt{Op: op.String(), Dst: r, Dst2: None, Args: args})
	return Arg{Var: r}
}

func number(n uint64) Arg { return Arg{Const: true, Bits: n} }

// lanes computes an index below about 128 in register x, mostly from lane numbers.
func (g *generator) lanes(x int) {
	lane, tid := Arg{Var: 1}, Arg{Var: 0}
	n := func(l ...uint32) Arg { return number(uint64(g.pick32(l...))) }
	if y := slices.IndexFunc(g.p.Vars, func(v Var) bool { return v.Init == "tidy" }); y >= 0 && g.p.Wide > 0 && g.IntN(2) == 0 {
		step := n(4, 8, 12, 16)
		if g.IntN(3) == 0 { // a value that only the launch has
			step = g.does(ir.And32, Arg{Var: g.reg(ir.B32, true)}, n(12, 8))
		}
		g.to(x, ir.Mad32, Arg{Var: y}, step, tid)
		return
	}
	switch g.IntN(12) {
	case 0:
		g.to(x, ir.Sub32, number(63), lane)
	case 1:
		g.to(x, ir.Xor32, lane, n(1, 4, 8, 31, 16))
	case 2:
		g.to(x, ir.ShrU32, lane, n(1, 2, 3))
	case 3: // runs of neighbours
		low := g.to(x, ir.And32, lane, n(1, 3, 7))
		g.to(x, ir.Sub32, g.does(ir.Shl32, lane, number(1)), low)
	case 4:
		g.emit(Stmt{Op: "Load", Dst: x, Dst2: None, Args: []Arg{{Const: true}}, Size: 4, Mem: "in", Index: "lane", Align: true})
		g.to(x, ir.And32, Arg{Var: x}, n(31, 63, 28))
	case 5:
		g.to(x, ir.And32, Arg{Var: g.reg(ir.B32, false)}, n(31, 60, 15))
	case 6:
		g.to(x, ir.And32, Arg{Var: g.reg(ir.B32, true)}, number(15))
	case 7:
		g.to(x, ir.And32, tid, n(63, 31, 7))
	default:
		g.to(x, ir.Mov32, lane)
	}
}

// A spot is a place of accesses in a loop.
type spot struct {
	mem, index string
	at         int // the register
	align      uint32
	move       int64
	edge       bool // it comes to the end of memory
	start      int64
	apart      int // for an index of 64 bits: the index of 32 bits from which each iteration computes it, or None
}

// spot chooses a place for accesses, with its index in registers near and far.
func (g *generator) spot(near, far int, edge bool) *spot {
	x := &spot{mem: []string{"in", "in", "own", "own", "gown", "shared", "shared", "gshared"}[g.IntN(8)], index: "near", at: near, align: g.pick32(4, 4, 4, 8, 1, 2, 16), apart: None}
	size := map[string]int64{"in": inBytes, "own": ownBytes, "gown": ownBytes, "shared": sharedBytes, "gshared": sharedBytes}[x.mem]
	if edge && g.p.Grid > 1 && size == ownBytes {
		x.mem, size = "in", inBytes // the next block's memory follows that of a block
	}
	if edge { // one of the iterations is at the end, or the loop ends there
		if n := uint64(g.p.Lanes - 1); g.IntN(2) == 0 {
			g.to(near, ir.Mov32, Arg{Var: 1})
		} else {
			g.to(near, []ir.Op{ir.Sub32, ir.Xor32}[g.IntN(2)], number(n), Arg{Var: 1})
		}
	} else {
		g.lanes(near)
	}
	switch {
	case x.mem == "in":
		x.start = 512 + 16*int64(g.IntN(16))
	case size == ownBytes:
		x.align = min(x.align, 4)
		x.start = 80
		if x.align == 4 && g.p.Wide > 0 || g.p.Lanes == 64 {
			x.start = 0
		}
	default:
		x.align, x.start = min(x.align, 8), 128
	}
	x.move = int64(x.align) * []int64{1, 1, 2, 4, -1, -2, 0}[g.IntN(7)]
	if size == ownBytes && x.start == 0 {
		x.move = max(x.move, -x.move)
	}
	if edge {
		x.edge = true
		if x.move = int64(x.align); g.IntN(3) == 0 {
			x.move = -x.move
		}
		before := int64(x.align) * int64(g.IntN(int(g.p.Fuel)+1)) // so many iterations are in bounds, and one more
		if x.start = size - int64(g.p.Lanes)*int64(x.align) - before; x.move < 0 {
			x.start = before
		}
	}
	scale := number(uint64(x.align))
	switch k := g.IntN(6); {
	case k < 2 || x.mem == "shared":
		if k == 1 && x.mem != "shared" {
			x.index = "sext"
		}
		g.to(near, ir.Mul32, Arg{Var: near}, scale)
	case k == 2:
		x.at, x.index, x.apart = far, "far", near
	default:
		x.at, x.index = far, "far"
		g.wide2(x, near)
	}
	return x
}

// wide2 computes the 64-bit index from a 32-bit index.
func (g *generator) wide2(x *spot, near int) {
	scale := number(uint64(x.align))
	switch g.IntN(3) {
	case 0:
		g.to(x.at, ir.MulWideU32, Arg{Var: near}, scale)
	case 1:
		g.to(x.at, ir.MulWideS32, Arg{Var: near}, scale)
	default:
		g.to(x.at, ir.Mul64, g.to(x.at, ir.CvtU64FromU32, Arg{Var: near}), scale)
	}
}

// stray emits a step by which one lane, or all of them, leave their memory, or become
// misaligned, in one iteration.
func (g *generator) stray(x *spot, count int) {
	when := g.does(ir.EqU32, Arg{Var: count}, number(uint64(g.IntN(int(g.p.Fuel)))))
	if g.IntN(2) == 0 {
		when = g.does(ir.AndP, when, g.does(ir.EqU32, Arg{Var: 1}, g.number('n')))
	}
	by := number(uint64(g.pick32(1, 2, 1, 2, 2, 4, 0x1000, 1<<31)))
	if x.index == "far" {
		g.to(x.at, ir.Add64, Arg{Var: x.at}, g.does(ir.Sel64, when, by, number(0)))
		return
	}
	g.to(x.at, ir.Add32, Arg{Var: x.at}, g.does(ir.Sel32, when, by, number(0)))
}

// use emits an access at a spot.
func (g *generator) use(x *spot, guard int) {
	size := uint8(min(x.align, 8))
	for size > 1 && !x.edge && g.IntN(4) == 0 {
		size /= 2
	}
	t := map[uint8]ir.Type{1: ir.B32, 2: ir.B32, 4: ir.B32, 8: ir.B64}[size]
	if size < 4 && g.IntN(2) == 0 {
		t = map[uint8]ir.Type{1: ir.B8, 2: ir.B16}[size]
	}
	off := x.start
	if g.IntN(4) == 0 {
		off += int64(size)
	}
	s := Stmt{Op: "Load", Dst: g.reg(t, false), Dst2: None, Args: []Arg{{Var: x.at}}, Size: size, Mem: x.mem, Index: x.index, Imm: uint64(off), Align: g.IntN(3) > 0, Flags: uint8(ir.SignExtend) * uint8(g.IntN(2))}
	if t == ir.B32 || t == ir.B64 {
		s.Dst = g.result(t)
	}
	if x.mem != "in" {
		switch k := g.IntN(5); {
		case k < 2:
			s.Op, s.Dst, s.Flags, s.Args = "Store", None, 0, append(s.Args, Arg{Var: g.reg(t, false)})
		case k < 4 && size >= 4 && x.move >= 0:
			s.Op, s.Flags, s.Args = "Atomic", 0, append(s.Args, Arg{Var: g.reg(t, false)}, Arg{Const: true})
			s.Imm = uint64([]ir.AtomicOp{ir.AtomAdd, ir.AtomMaxU, ir.AtomXor, ir.AtomMinS}[g.IntN(4)])
			if g.IntN(2) == 0 {
				s.Dst = None
			}
		}
	}
	if guard != None && g.IntN(2) == 0 {
		s.Guard, s.Not = 1+guard, g.IntN(2) == 0
	}
	g.emit(s)
	if s.Op == "Load" && t == ir.B32 && g.IntN(2) == 0 {
		r := g.result(ir.B32)
		g.to(r, ir.Mad32, Arg{Var: r}, number(3), Arg{Var: s.Dst})
	}
}

// rounds emits one of these loops.
func (g *generator) rounds() {
	near, far, count, guard := g.own()
	g.p.Fuel = uint32(2 + g.IntN(5))
	edge, stray := g.IntN(12) == 0, g.IntN(12) == 0
	var spots []*spot
	for i := range 1 + g.IntN(2) {
		spots = append(spots, g.spot(near[i], far[i], edge && i == 0))
		if g.IntN(3) == 0 { // the access is in another block than the computation of its index
			l := g.label()
			g.bra(l, false)
			g.index()
			g.bind(l)
		}
	}
	top := g.label()
	g.bind(top)
	g.depth += 2
	if g.IntN(2) == 0 {
		guard = None
	} else {
		lane := Arg{Var: 1}
		switch g.IntN(3) {
		case 0:
			g.to(guard, ir.LtU32, lane, g.number('n'))
		case 1:
			g.to(guard, ir.LtU32, lane, g.does(ir.Mul32, Arg{Var: count}, number(uint64(g.pick32(3, 11, 16)))))
		default:
			g.to(guard, ir.EqU32, g.does(ir.And32, lane, number(1)), g.does(ir.And32, Arg{Var: count}, number(1)))
		}
	}
	for i, x := range spots {
		if x.apart != None {
			g.wide2(x, near[i])
		}
	}
	if stray {
		g.stray(spots[0], count)
	}
	for range 1 + g.IntN(4) {
		switch k := g.IntN(8); {
		case k < 6:
			g.use(spots[g.IntN(len(spots))], guard)
		case k == 6: // elsewhere, and in private memory
			g.access()
		default:
			g.index()
		}
	}
	g.to(count, ir.Add32, Arg{Var: count}, number(1))
	for i, x := range spots {
		switch {
		case g.IntN(6) == 0:
		case x.apart != None:
			g.to(near[i], ir.Add32, Arg{Var: near[i]}, number(uint64(uint32(x.move/int64(x.align)))))
		case x.index == "far" && g.IntN(3) == 0: // by a step that only the launch has
			hidden := g.does(ir.ShrU64, g.does(ir.CvtU64FromU32, Arg{Var: g.reg(ir.B32, true)}), number(32))
			g.to(x.at, ir.Add64, Arg{Var: x.at}, g.does(ir.Add64, hidden, number(uint64(x.move))))
		case x.index == "far":
			g.to(x.at, ir.Add64, Arg{Var: x.at}, number(uint64(x.move)))
		default:
			g.to(x.at, ir.Add32, Arg{Var: x.at}, number(uint64(uint32(x.move))))
		}
	}
	g.depth -= 2
	g.bra(top, g.IntN(4) > 0)
}
