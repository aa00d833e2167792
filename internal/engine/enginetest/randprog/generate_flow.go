package randprog

import (
	"example.org/crosslane/internal/ir"
)

func (g *generator) label() int {
	g.labels++
	return g.labels
}

func (g *generator) bind(l int) { g.p.Code = append(g.p.Code, Stmt{Op: "label", Imm: uint64(l)}) }

// bra branches to a label: some lanes, or the whole wave if lanes do not diverge.
func (g *generator) bra(l int, always bool) {
	s := Stmt{Op: "Bra", Dst: None, Dst2: None, To: []int{l}}
	if g.p.Lanes == 64 {
		s.Op = "SBra"
		if !always {
			s.Args, s.Not = []Arg{{Var: g.reg(ir.B1, true)}}, g.IntN(2) == 0
		}
	} else if !always {
		s.Guard, s.Not = 1+g.reg(ir.B1, false), g.IntN(2) == 0
	}
	g.emit(s)
}

// cond makes a predicate that differs from lane to lane, or from wave to wave.
func (g *generator) cond() {
	scalar := g.p.Lanes == 64
	op := []ir.Op{ir.LtU32, ir.GeU32, ir.EqU32, ir.NeU32, ir.LtS32, ir.LtF32}[g.IntN(6)]
	a := Arg{Var: g.reg(ir.B32, scalar)}
	b := Arg{Const: true, Bits: uint64(g.IntN(40))}
	if g.IntN(2) == 0 {
		b = g.arg(ir.B32, scalar)
	}
	g.emit(Stmt{Op: op.String(), Dst: g.reg(ir.B1, scalar), Dst2: None, Args: []Arg{a, b}})
}

func (g *generator) body() {
	g.depth++
	for range 1 + g.IntN(4) {
		g.statement()
	}
	g.depth--
}

// statement emits a random statement.
func (g *generator) statement() {
	if g.close && g.IntN(3) > 0 {
		g.pure()
		return
	}
	n := 40
	if g.depth > 3 || g.left <= 0 {
		n = 28
	}
	switch k := g.IntN(n); {
	case k < 16:
		g.pure()
	case k < 22:
		g.memory()
	case k < 26:
		g.across()
	case k == 26:
		g.cond()
	case k == 27:
		g.rare()
	case k < 32: // if, with or without else
		if g.IntN(2) == 0 {
			g.cond()
		}
		els, end := g.label(), g.label()
		g.bra(els, false)
		g.body()
		if g.IntN(2) == 0 {
			g.bra(end, true)
			g.bind(els)
			g.body()
		} else {
			g.bind(els)
		}
		g.bind(end)
	case k < 36: // a loop
		top, end := g.label(), g.label()
		g.bind(top)
		g.body()
		if g.IntN(3) == 0 {
			g.bra(end, false)
			g.body()
		}
		if g.IntN(2) == 0 {
			g.cond()
		}
		g.bra(top, g.IntN(4) == 0)
		g.bind(end)
	case k == 36 && g.p.Lanes == 32: // a switch
		end := g.label()
		s := Stmt{Op: "BraTable", Dst: None, Dst2: None, Args: []Arg{g.arg(ir.B32, false)}}
		for range 2 + g.IntN(3) {
			s.To = append(s.To, g.label())
		}
		if g.wild && g.IntN(4) == 0 {
			s.Index = "raw"
		}
		cases := s.To
		if len(g.free) > 0 && g.IntN(3) == 0 {
			s.To = append(append([]int{}, cases...), g.free[g.IntN(len(g.free))])
		}
		g.emit(g.guarded(s, 4))
		for _, l := range cases {
			g.bind(l)
			g.body()
			if g.IntN(3) > 0 {
				g.bra(end, true)
			}
		}
		g.bind(end)
	default: // to any label
		if len(g.free) > 0 {
			g.bra(g.free[g.IntN(len(g.free))], g.IntN(8) == 0)
		}
	}
}

// rare emits a statement that programs seldom have.
func (g *generator) rare() {
	s := Stmt{Dst: None, Dst2: None}
	switch g.IntN(12) {
	case 0, 1:
		s.Op = "Exit"
		if g.p.Lanes == 64 {
			s.Op = "Nop"
		}
		g.emit(g.guarded(s, 1))
	case 2:
		if g.wild {
			s.Op = "Trap"
			g.emit(g.guarded(s, 1))
		}
	case 3, 4, 5:
		if g.cheap {
			return
		}
		s.Op = "Bar"
		if g.p.Lanes == 64 {
			s.Op = "WaveBar"
			g.emit(s)
			return
		}
		s.Args = []Arg{{Const: true, Bits: uint64(g.IntN(3) / 2)}, g.arg(ir.B1, false)}
		if g.IntN(3) == 0 {
			s.Imm, s.Dst, s.Dst2 = uint64(ir.BarRedPopc)+uint64(g.IntN(3)), g.reg(ir.B32, false), g.reg(ir.B1, false)
		}
		g.emit(s)
	case 6:
		s.Op = "Fence"
		g.emit(g.guarded(s, 2))
	case 7:
		s.Op, s.Dst = "Clock", g.reg([]ir.Type{ir.B32, ir.B64}[g.IntN(2)], false)
		g.emit(g.guarded(s, 4))
	case 8:
		t := []ir.Type{ir.B32, ir.B64, ir.B1}[g.IntN(3)]
		s.Op, s.Dst, s.Args = "Splat", g.reg(t, false), []Arg{{Var: g.reg(t, true)}}
		g.emit(g.guarded(s, 4))
	case 9:
		s.Op, s.Dst, s.Args = "LaneBit", g.reg(ir.B1, false), []Arg{{Var: g.reg(ir.B1, true)}}
		g.emit(g.guarded(s, 4))
	case 10:
		if g.p.Lanes == 64 && g.IntN(4) == 0 {
			s.Op = "EndWave"
			l := g.label()
			g.bra(l, false)
			g.emit(s)
			g.bind(l)
		}
	default:
		s.Op = "Nop"
		g.emit(s)
	}
}

// results stores some of the registers.
func (g *generator) results() {
	if g.p.Lanes == 64 && g.IntN(4) > 0 {
		// All lanes, also those that are not there: they have places, too.
		g.emit(Stmt{Op: "Mov64", Dst: len(g.p.Vars) - 1, Dst2: None, Args: []Arg{{Const: true, Bits: 1<<64 - 1}}})
	}
	if g.short {
		g.sum()
		return
	}
	slot := 0
	for i, v := range g.p.Vars {
		if slot == maxSlots || v.Init == "exec" || g.IntN(3) == 0 {
			continue
		}
		s := Stmt{Op: "Store", Dst: None, Dst2: None, Args: []Arg{{Const: true}, {Var: i}}, Size: uint8(types[v.Type].Bytes()), Mem: "out", Index: "lane", Imm: uint64(slot), Align: true}
		g.emit(s)
		slot++
	}
}

// sum stores one word of each lane that combines all registers. Single stores of each
// register would be most of the machine code of a program.
func (g *generator) sum() {
	sum := len(g.p.Vars)
	vars := g.p.Vars
	g.p.Vars = append(vars, Var{Type: "b32"})
	const odd = 0x9e3779b1
	add := func(a Arg) {
		g.emit(Stmt{Op: "Mad32", Cont: a.Var < 0, Dst: sum, Dst2: None, Args: []Arg{{Var: sum}, {Const: true, Bits: odd}, a}})
	}
	part := func(op string, args ...Arg) {
		g.emit(Stmt{Op: op, Dst: -1, Dst2: None, Args: args})
		add(Arg{Var: -1})
	}
	for i, v := range vars {
		switch r := (Arg{Var: i}); {
		case v.Init == "exec":
		case v.Type == "b64":
			part("Lo32", r)
			part("Hi32", r)
		case v.Type == "b32":
			add(r)
		case v.Type == "b1":
			part("Sel32", r, Arg{Const: true, Bits: 1}, Arg{Const: true})
		default:
			part("CvtU32FromU"+v.Type[1:], r)
		}
	}
	g.emit(Stmt{Op: "Store", Dst: None, Dst2: None, Args: []Arg{{Const: true}, {Var: sum}}, Size: 4, Mem: "sum", Index: "lane", Align: true})
}
