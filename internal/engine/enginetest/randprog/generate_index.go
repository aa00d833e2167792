package randprog

import (
	"math/rand/v2"
	"strings"

	"example.org/crosslane/internal/ir"
)

// Random operands seldom give the values that the native engine analyses best: lane numbers
// with constants added, scaled, masked, extended to 64 bits, and used as addresses. The
// programs here have little else. They are short: an error there needs a combination of two
// or three operations, not of twenty.

// Nasty returns a number that wraps or changes its sign a few lanes further, or one that does
// neither.
func Nasty(r *rand.Rand) uint32 {
	near := uint32(r.IntN(40)) * [...]uint32{1, 1, 4, 8, 32}[r.IntN(5)]
	switch r.IntN(8) {
	case 0, 1:
		return -near
	case 2:
		return 1<<31 - near
	case 3:
		return 1<<31 + near
	case 4:
		return [...]uint32{0x9e3779b1, 0x55555555, 0xffff0000, 0x7fffffff, 0xfffffffe, 0x10001, 0x40000000}[r.IntN(7)]
	case 5:
		return 1 << r.IntN(32)
	case 6:
		return 1<<r.IntN(32) - near
	}
	return near
}

// indexOps are operations on indices with the kinds of their arguments: r a register of 32
// bits, d of 64, u a uniform value, p a predicate. The constants are C nasty, L nasty of 64
// bits, c a step, M a mask, s a shift, l a long shift, n small, 0.
var indexOps = []struct {
	op   ir.Op
	args string
}{
	{ir.Add32, "rC"}, {ir.Add32, "ru"}, {ir.Add32, "rr"}, {ir.Add32, "rc"}, {ir.Sub32, "ru"}, {ir.Sub32, "ur"}, {ir.Sub32, "rr"}, {ir.Sub32, "rC"}, {ir.Neg32, "r"}, {ir.Not32, "r"},
	{ir.Mul32, "rc"}, {ir.Mul32, "rc"}, {ir.Mul32, "rC"}, {ir.Mul32, "ru"}, {ir.Mad32, "rcu"}, {ir.Mad32, "rCr"}, {ir.Mad32, "rur"}, {ir.Mad32, "rcC"}, {ir.Shl32, "rs"}, {ir.ShrU32, "rs"}, {ir.ShrS32, "rs"}, {ir.Mul24LoU32, "rc"}, {ir.Mul24LoS32, "rC"}, {ir.MulHiU32, "rC"}, {ir.Mad24LoU32, "rcu"},
	{ir.And32, "rM"}, {ir.And32, "rM"}, {ir.AndN32, "rM"}, {ir.Or32, "rc"}, {ir.Or32, "ru"}, {ir.Xor32, "rM"}, {ir.Xor32, "rC"}, {ir.MinU32, "rC"}, {ir.MinS32, "ru"}, {ir.MaxU32, "rn"}, {ir.MaxS32, "rC"}, {ir.DivU32, "rc"}, {ir.RemU32, "rc"}, {ir.DivS32, "rc"}, {ir.RemS32, "rc"}, {ir.BfeU32, "rss"}, {ir.BfeS32, "rss"},
	{ir.Mov32, "r"}, {ir.Mov32, "u"}, {ir.Sel32, "prr"}, {ir.Sel32, "prC"}, {ir.Sel64, "pdd"},
	{ir.CvtU64FromU32, "r"}, {ir.CvtU64FromU32, "r"}, {ir.CvtS64FromS32, "r"}, {ir.CvtS64FromS32, "r"}, {ir.MulWideU32, "rc"}, {ir.MulWideS32, "rc"}, {ir.MulWideU32, "rC"}, {ir.MulWideS32, "rC"}, {ir.MadWideU32, "rcd"}, {ir.MadWideS32, "rcd"}, {ir.MadWideS32, "rud"}, {ir.AddWideU32, "rd"}, {ir.Pack64, "rr"}, {ir.Pack64, "ru"}, {ir.Pack64, "r0"}, {ir.Pack64, "rC"},
	{ir.Add64, "dd"}, {ir.Sub64, "dd"}, {ir.Add64, "dC"}, {ir.Add64, "dc"}, {ir.Shl64, "ds"}, {ir.ShrU64, "ds"}, {ir.ShrS64, "ds"}, {ir.ShrU64, "dw"}, {ir.And64, "dM"}, {ir.Mul64, "dc"}, {ir.Mul64, "dL"}, {ir.Add64, "dL"}, {ir.Shl64, "dl"}, {ir.MinU64, "dd"}, {ir.Mov64, "d"},
	{ir.Lo32, "d"}, {ir.Hi32, "d"}, {ir.Lo32, "d"}, {ir.Hi32, "d"},
	{ir.LtU32, "rC"}, {ir.LtS32, "rC"}, {ir.LtU32, "rn"}, {ir.GeU32, "rn"}, {ir.EqU32, "rn"}, {ir.LtU32, "un"}, {ir.GeS32, "ru"}, {ir.LtU64, "dd"}, {ir.LtS64, "dd"}, {ir.AddC32, "rC"}, {ir.AddC32, "ru"}, {ir.Addc32, "rup"}, {ir.Addc32, "u0p"},
	{ir.LtF32, "rr"}, {ir.LtF32, "rC"}, {ir.EqF32, "ru"}, // the bits of NaNs are not visible in these
}

// NewIndex returns the program of indices of a seed.
func NewIndex(seed uint64) *Program {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x696e646578))}
	p := &Program{Seed: seed, Lanes: 32, Grid: uint32(1 + g.IntN(3)), Fuel: uint32(1 + g.IntN(8))}
	g.p = p
	p.Block = g.pick32(32, 32, 64, 33, 20, 7, 70, 96)
	if g.IntN(3) == 0 {
		p.Lanes = 64
		p.Block = g.pick32(64, 64, 128, 40, 65, 100)
	}
	if g.IntN(4) == 0 {
		p.Wide, p.Block = g.pick32(4, 8, 16, 32), uint32(p.Lanes)*g.pick32(1, 2, 3)
	}
	g.registers()
	for i := range p.Vars {
		if v := &p.Vars[i]; v.Type == "b32" && !v.Scalar && v.Init == "" && i != g.masks {
			v.Init = [...]string{"tid", "lane", "tidy", "", "ntid"}[g.IntN(5)]
		}
	}
	g.uniforms()
	g.fewer()
	if g.left = 4 + g.IntN(16); g.IntN(3) == 0 {
		g.rounds()
		g.left = g.IntN(6)
	}
	for g.left > 0 {
		g.index()
	}
	for i, v := range p.Vars {
		if v.Init != "exec" && !v.Scalar && v.Type != "b8" && v.Type != "b16" && g.IntN(2) == 0 {
			g.emit(Stmt{Op: "Store", Dst: None, Dst2: None, Args: []Arg{{Const: true}, {Var: i}}, Size: uint8(types[v.Type].Bytes()), Mem: "out", Index: "lane", Imm: uint64(i % maxSlots), Align: true})
		}
	}
	return p
}

// uniforms gives scalars of 32 bits values that only the launch has. Some of them make an
// index wrap when added.
func (g *generator) uniforms() {
	for i, v := range g.p.Vars {
		if v.Type != "b32" || !v.Scalar {
			continue
		}
		if g.p.Lanes == 64 || v.Init != "block" {
			if g.IntN(4) > 0 {
				g.emit(Stmt{Op: "Load", Dst: i, Dst2: None, Args: []Arg{{Const: true, Bits: uint64(4 * g.IntN(64))}}, Size: 4, Mem: "in", Index: "scalar"})
			}
			if g.IntN(3) == 0 {
				continue
			}
		}
		g.emit(Stmt{Op: "And32", Dst: i, Dst2: None, Args: []Arg{{Var: i}, {Const: true, Bits: uint64(g.pick32(3, 7, 12, 60))}}})
		if g.IntN(3) > 0 {
			g.emit(Stmt{Op: "Add32", Dst: i, Dst2: None, Args: []Arg{{Var: i}, g.number('C')}})
		}
	}
}

// number returns a constant of a kind.
func (g *generator) number(kind rune) Arg {
	n := uint32(0)
	switch kind {
	case 'C':
		n = Nasty(g.Rand)
	case 'L':
		return Arg{Const: true, Bits: [...]uint64{0, 1, 1<<32 - 1, uint64(Nasty(g.Rand))}[g.IntN(4)]<<32 | uint64(Nasty(g.Rand))}
	case 'l':
		n = g.pick32(31, 32, 33, 40, 63)
	case 'c':
		n = g.pick32(4, 4, 4, 8, 12, 16, 20, 32, 10)
	case 'M':
		n = g.pick32(28, 511, 0xffc, 7, 31, 0x1fc, 3, 0xfffffffc, 0xffff, 24, 60)
	case 's':
		n = g.pick32(1, 2, 3, 4, 5, 8, 16, 29, 30, 31)
	case 'n':
		n = uint32(g.IntN(40))
	case 'w':
		n = 32
	}
	return Arg{Const: true, Bits: uint64(n)}
}

// operands returns the arguments of an operation.
func (g *generator) operands(kinds string) (l []Arg) {
	for _, k := range kinds {
		a := Arg{}
		switch k {
		case 'r':
			if a.Var = g.reg(ir.B32, false); a.Var == g.masks {
				a.Var = 0
			}
		case 'd':
			a.Var = g.reg(ir.B64, false)
		case 'p':
			a.Var = g.reg(ir.B1, false)
		case 'u':
			a.Var = g.reg(ir.B32, true)
		default:
			a = g.number(k)
		}
		l = append(l, a)
	}
	return l
}

// result returns a register to write; with 32 bits not the first register, which holds the
// lane number.
func (g *generator) result(t ir.Type) int {
	for {
		if r := g.reg(t, false); r != 0 && r != g.masks {
			return r
		}
	}
}

// does emits an operation and returns its result.
func (g *generator) does(op ir.Op, args ...Arg) Arg {
	r := g.result(ir.Ops[op].Res)
	g.emit(Stmt{Op: op.String(), Dst: r, Dst2: None, Args: args})
	return Arg{Var: r}
}

// small returns a register that holds a number below 32.
func (g *generator) small() Arg {
	r := g.operands("r")[0]
	c := func(n uint32) Arg { return Arg{Const: true, Bits: uint64(n)} }
	switch g.IntN(9) {
	case 0:
		return g.does(ir.And32, r, c(g.pick32(31, 7, 28, 24, 1, 3)))
	case 1:
		return g.does(ir.MinU32, r, c(g.pick32(31, 20)))
	case 2:
		return g.does(ir.RemU32, r, c(g.pick32(32, 10, 31)))
	case 3:
		return g.does(ir.ShrU32, r, c(g.pick32(27, 28, 30)))
	case 4: // there and back
		u := Arg{Var: g.reg(ir.B32, true)}
		sum := g.does(ir.Add32, Arg{Var: 1}, u)
		return g.does(ir.And32, g.does(ir.Sub32, sum, u), c(31))
	case 5:
		return g.does(ir.Sub32, c(63), Arg{Var: 1})
	}
	return Arg{Var: 1}
}

// access emits a load, a store or an atomic at an index of 32 or 64 bits.
func (g *generator) access() {
	s := Stmt{Op: "Load", Dst: g.result(ir.B32), Dst2: None, Args: []Arg{g.small()}, Size: 4, Mem: []string{"in", "in", "own", "gown", "shared", "gshared", "local"}[g.IntN(7)], Index: "near", Imm: uint64(g.IntN(8)) * 4, Align: g.IntN(4) > 0}
	c := Arg{Const: true, Bits: uint64(g.pick32(4, 4, 4, 8, 12, 16, 20, 32))}
	switch s.Mem {
	case "own", "gown", "local":
		c.Bits = 4
	case "shared", "gshared":
		c.Bits = min(c.Bits, 12)
	}
	if s.Mem == "local" {
		s.Args[0] = g.does(ir.And32, s.Args[0], Arg{Const: true, Bits: 7})
	}
	switch k := g.IntN(8); {
	case k == 0 || s.Mem == "local" || s.Mem == "shared":
		s.Args[0] = g.does(ir.Mul32, s.Args[0], c)
	case k == 1:
		s.Args[0], s.Index = g.does(ir.Mul32, s.Args[0], c), "sext"
	case k < 4:
		s.Args[0], s.Index = g.does(ir.MulWideU32, s.Args[0], c), "far"
	case k == 4:
		s.Args[0], s.Index = g.does(ir.MulWideS32, s.Args[0], c), "far"
	case k == 5:
		s.Args[0], s.Index = g.does(ir.Shl64, g.does(ir.CvtU64FromU32, s.Args[0]), Arg{Const: true, Bits: 2}), "far"
	case k == 6: // there and back
		u := Arg{Var: g.reg(ir.B32, true)}
		d := g.does(ir.CvtU64FromU32, g.does(ir.Mad32, s.Args[0], c, u))
		e := g.does(ir.CvtU64FromU32, u)
		for e == d {
			e = g.does(ir.CvtU64FromU32, u)
		}
		s.Args[0], s.Index = g.does(ir.Sub64, d, e), "far"
	default:
		s.Args[0], s.Index = Arg{Var: g.reg(ir.B64, false)}, "far"
		if s.Args[0] = g.does(ir.And64, s.Args[0], Arg{Const: true, Bits: uint64(g.pick32(0x1cc, 28, 60))}); g.IntN(16) == 0 {
			s.Args[0] = Arg{Var: g.reg(ir.B64, false)} // mostly a fault
		}
	}
	if s.Mem != "in" {
		switch g.IntN(4) {
		case 0, 1:
			s.Op, s.Dst, s.Args = "Store", None, append(s.Args, Arg{Var: g.reg(ir.B32, false)})
		case 2:
			if s.Mem != "gown" {
				s.Op, s.Imm, s.Args = "Atomic", uint64(ir.AtomAdd), append(s.Args, Arg{Var: g.reg(ir.B32, false)}, Arg{Const: true})
			}
		}
	}
	if s.Op != "Atomic" && strings.HasSuffix(s.Mem, "shared") && g.IntN(6) == 0 { // close to the end
		s.Imm = sharedBytes - 4*uint64(g.IntN(24))
	}
	g.emit(g.guarded(s, 5))
}

// cell stores a value in private memory, at one address for all lanes, and loads it, possibly
// in some lanes only.
func (g *generator) cell() {
	s := Stmt{Op: "Store", Dst: None, Dst2: None, Args: []Arg{{Const: true, Bits: uint64(g.IntN(4))}}, Size: 4, Mem: "local", Index: "const", Align: true}
	t := ir.B32
	if g.IntN(2) == 0 {
		s.Size, t = 8, ir.B64
	}
	load := s
	s.Args = append(s.Args, Arg{Var: g.reg(t, false)})
	g.emit(s)
	load.Op, load.Dst = "Load", g.result(t)
	g.emit(g.guarded(load, 2))
}

// index emits one random statement.
func (g *generator) index() {
	n := 28
	if g.depth > 1 || g.left <= 0 {
		n = 21
	}
	switch k := g.IntN(n); {
	case k < 14:
		o := indexOps[g.IntN(len(indexOps))]
		g.emit(g.guarded(Stmt{Op: o.op.String(), Dst: g.result(ir.Ops[o.op].Res), Dst2: None, Args: g.operands(o.args)}, 8))
	case k < 18:
		g.access()
	case k == 18:
		if g.IntN(2) == 0 {
			g.cell()
			return
		}
		g.access()
	case k == 19:
		if g.p.Lanes == 32 && g.IntN(3) == 0 {
			g.emit(Stmt{Op: "Shfl", Dst: g.result(ir.B32), Dst2: None, Args: append(g.operands("r"), g.number('n'), Arg{Const: true, Bits: 31}), Imm: uint64(g.IntN(4))})
			return
		}
		g.rare()
	case k == 20:
		g.cond()
	case k < 25:
		els, end := g.label(), g.label()
		g.bra(els, false)
		g.indices()
		if g.IntN(3) == 0 {
			g.bra(end, true)
			g.bind(els)
			g.indices()
		} else {
			g.bind(els)
		}
		g.bind(end)
	default:
		top := g.label()
		g.bind(top)
		g.indices()
		if g.IntN(2) == 0 {
			r := g.result(ir.B32)
			g.emit(Stmt{Op: "Add32", Dst: r, Dst2: None, Args: []Arg{{Var: r}, g.number('c')}})
		}
		g.bra(top, g.IntN(3) == 0)
	}
}

// indices emits a few statements.
func (g *generator) indices() {
	g.depth++
	for range 1 + g.IntN(3) {
		g.index()
	}
	g.depth--
}
