package randprog

import (
	"math/rand/v2"
	"slices"

	"example.org/crosslane/internal/ir"
)

// NewTogether returns the program of a seed with waves that may begin together in a coarsened
// body: see package sel. It has several waves, a loop close to the start, no effect before
// the end of that loop, and any pure operation.
func NewTogether(seed uint64) *Program {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x746f676574686572)), cheap: true, short: true}
	p := &Program{Seed: seed, Lanes: 32, Grid: g.pick32(2, 3, 4), Fuel: g.pick32(2, 3, 4, 6)}
	p.Coded = true
	g.p = p
	if g.IntN(2) == 0 {
		p.Lanes = 64
	}
	p.Block = uint32(p.Lanes) * g.pick32(2, 2, 3, 4, 4, 8)
	whole := g.IntN(8) > 0
	if !whole {
		p.Block -= uint32(1 + g.IntN(p.Lanes-1))
	}
	for range 1 + g.IntN(4) { // few, because operations that are done lane by lane are not in a coarsened body
		g.theme = append(g.theme, g.anyPure())
	}
	g.themed = true
	g.registers()
	for i := range p.Vars {
		v := &p.Vars[i]
		v.At = 0 // overlapping registers live in memory
		if v.Type == "b32" && v.Init == "" && i != g.masks && g.IntN(2) == 0 {
			v.Init = [...]string{"tid", "lane", "wave", "block", "ntid"}[g.IntN(5)]
			if v.Scalar {
				v.Init = [...]string{"wave", "block", "ntid"}[g.IntN(3)]
			}
		}
	}
	g.numbers()
	for range 1 + g.IntN(2) {
		top, end := g.label(), g.label()
		g.bind(top)
		for range 2 + g.IntN(8) {
			g.together(whole)
		}
		if g.IntN(8) == 0 {
			g.bra(end, false)
			g.together(whole)
		}
		g.bra(top, g.IntN(4) > 0)
		g.bind(end)
		if g.IntN(4) == 0 {
			g.barrier()
		}
	}
	g.results()
	return p
}

// numbers initialises registers, mostly with numbers made from the lane number, because other
// waves must wait for loads that are not of neighbouring words.
func (g *generator) numbers() {
	lane := Arg{Var: g.IntN(2)}
	for i, v := range g.p.Vars {
		s := Stmt{Dst: i, Dst2: None, Args: []Arg{lane}}
		switch {
		case v.Init != "" || g.IntN(16) == 0:
			continue
		case v.Type == "b32" && (v.Scalar || g.IntN(4) == 0):
			s = Stmt{Op: "Load", Dst: i, Dst2: None, Args: []Arg{g.konst(ir.B32)}, Size: 4, Mem: "in", Index: "lane", Imm: uint64(g.IntN(16)), Align: true}
			if v.Scalar {
				s.Index = "scalar"
			}
		case v.Type == "b32":
			s.Op, s.Args = "Mad32", append(s.Args, g.konst(ir.B32), g.konst(ir.B32))
		case v.Scalar:
			s.Op = map[string]string{"b64": "Mov64", "b1": "MovB1"}[v.Type]
			s.Args[0] = g.konst(types[v.Type])
		case v.Type == "b64":
			s.Op, s.Args = "MadWideU32", append(s.Args, g.konst(ir.B32), g.konst(ir.B64))
		case v.Type == "b1":
			s.Op, s.Args = "LtU32", append(s.Args, g.konst(ir.B32))
		default:
			s.Op = map[string]string{"b8": "CvtU8FromU32", "b16": "CvtU16FromU32"}[v.Type]
		}
		g.emit(s)
	}
}

// pureOps lists the pure operations. Programs choose from the list, so that an operation with effects that is new changes none.
var pureOps = slices.Collect(func(yield func(ir.Op) bool) {
	for op := range ir.Op(ir.NumOps) {
		if op.Pure() && !yield(op) {
			return
		}
	}
})

// anyPure returns a random pure operation, all with the same probability.
func (g *generator) anyPure() ir.Op { return pureOps[g.IntN(len(pureOps))] }

// barrier emits a barrier at which all waves wait.
func (g *generator) barrier() {
	if g.p.Lanes == 64 {
		g.emit(Stmt{Op: "WaveBar", Dst: None, Dst2: None})
		return
	}
	g.emit(Stmt{Op: "Bar", Dst: None, Dst2: None, Args: []Arg{{Const: true}, {Const: true}}})
}

// together emits a statement without visible effect. In full waves all lanes meet.
func (g *generator) together(whole bool) {
	switch k := g.IntN(20); {
	case k < 14:
		g.pure()
	case k < 16:
		if g.p.Lanes == 64 {
			g.wide()
			return
		}
		g.meet(whole)
	case k == 16:
		g.cond()
	case k == 17 && g.IntN(3) == 0: // a load of neighbouring words, or a uniform one
		t := []ir.Type{ir.B32, ir.B32, ir.B64}[g.IntN(3)]
		s := Stmt{Op: "Load", Dst: g.reg(t, false), Dst2: None, Args: []Arg{{Const: true}}, Mem: "in", Index: "lane", Imm: uint64(g.IntN(16)), Align: true, Size: uint8(t.Bytes())}
		if g.IntN(3) == 0 {
			s.Index, s.Dst, s.Args[0] = "scalar", g.reg(t, true), g.arg(ir.B32, true)
		}
		g.emit(g.guarded(s, 4))
	default:
		t := []ir.Type{ir.B32, ir.B64, ir.B1}[g.IntN(3)]
		if s := g.reg(t, true); s != None {
			g.emit(g.guarded(Stmt{Op: "Splat", Dst: g.reg(t, false), Dst2: None, Args: []Arg{{Var: s}}}, 4))
		}
	}
}

// meet emits an operation for which all 32 lanes of a wave meet; in partial waves, one for
// the lanes that are there.
func (g *generator) meet(whole bool) {
	v, mask := g.arg(ir.B32, false), Arg{Const: true, Bits: 0xffffffff}
	d, d2 := g.reg(ir.B32, false), g.reg(ir.B1, false)
	by := Arg{Const: true, Bits: uint64(g.pick32(1, 2, 4, 8, 16, 31, 3))}
	if g.IntN(4) == 0 {
		by = g.arg(ir.B32, false)
	}
	clamp := Arg{Const: true, Bits: uint64(g.pick32(31, 31, 31, 0, 0x181f, 0x1c1f))}
	if !whole {
		g.emit(Stmt{Op: "Shfl", Dst: d, Dst2: d2, Args: []Arg{v, by, clamp}, Imm: uint64(g.IntN(4))})
		return
	}
	zero := Arg{Const: true}
	switch g.IntN(8) {
	case 0:
		g.emit(Stmt{Op: "VoteSync", Dst: d, Dst2: d2, Args: []Arg{g.arg(ir.B1, false), zero, zero, mask}, Imm: uint64(g.IntN(4))})
	case 1:
		g.emit(Stmt{Op: "MatchSync", Dst: d, Dst2: d2, Args: []Arg{v, zero, zero, mask}, Imm: uint64(g.IntN(2))})
	case 2:
		g.emit(Stmt{Op: "ReduxSync", Dst: d, Dst2: None, Args: []Arg{v, zero, zero, mask}, Imm: uint64(g.IntN(int(ir.ReduxMinF32)))})
	default:
		if g.IntN(3) > 0 {
			d2 = None
		}
		g.emit(Stmt{Op: "ShflSync", Dst: d, Dst2: d2, Args: []Arg{v, by, clamp, mask}, Imm: uint64(g.IntN(4))})
	}
}
