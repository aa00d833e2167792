package difftest

import (
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
)

// An execProgram makes code in the form that compilers emit for GCN3. EXEC switches lanes off and
// on again, around nested conditionals and loops, with the old mask in a pair of scalar registers.
// Sometimes EXEC is set to another value.
type execProgram struct {
	*ir.Builder
	*rand.Rand
	v      []ir.Ref // vector registers
	pair   []ir.Ref // pairs of scalar registers
	mask   []ir.Ref // the same pairs as masks
	exec   ir.Ref   // EXEC as a scalar
	emask  ir.Ref
	vcc    ir.Ref
	vmask  ir.Ref
	fuel   ir.Ref
	lane   ir.Ref
	free   []int // pairs that hold no mask
	line   int
	budget int
}

func makeExec(seed uint64) *randprog.Case {
	p := &execProgram{Builder: ir.NewBuilder("exec", 64), Rand: rand.New(rand.NewPCG(seed, 1)), budget: 4 + int(seed%37)}
	file := p.Reserve(4 * 40)
	pairAt := func(name string, at uint32) (ir.Ref, ir.Ref) {
		return p.View(name, ir.B64, true, file+4*at), p.View(name+".mask", ir.B1, false, file+4*at)
	}
	for i := range 6 {
		s, m := pairAt("s", uint32(2*i))
		p.pair, p.mask = append(p.pair, s), append(p.mask, m)
		p.free = append(p.free, i)
	}
	p.vcc, p.vmask = pairAt("vcc", 12)
	p.exec, p.emask = pairAt("exec", 14)
	if p.IntN(4) == 0 {
		p.View("s2", ir.B32, true, file+8) // no instruction uses it
	}
	p.Func().Exec = p.emask
	p.Input(ir.ActiveMask0, p.emask, 0)
	p.fuel, p.lane = p.Scalar("fuel", ir.B32), p.Vector("lane", ir.B32)
	p.Input(ir.InConst, p.fuel, 20)
	p.Input(ir.LaneID, p.lane, 0)
	tid := p.Vector("tid", ir.B32)
	p.Input(ir.ThreadIDX, tid, 0)
	out := p.Scalar("out", ir.B64)
	p.Input(ir.LaunchValue, out, 0)
	for range 6 {
		p.v = append(p.v, p.Vector("v", ir.B32))
	}
	p.v = append(p.v, tid)
	p.statements(4)
	// All lanes that exist store all registers.
	p.ins()
	if p.IntN(2) == 0 {
		p.Move(p.exec, p.SConst(ir.B64, ^uint64(0)))
	}
	for i, v := range p.v {
		p.ins()
		at := p.T(ir.Add64, p.T(ir.Pack64, p.T(ir.Mad32, p.lane, p.Const(ir.B32, 4*uint64(len(p.v))), p.Const(ir.B32, uint64(4*i))), p.Const(ir.B32, 0)), out)
		p.Guard(p.emask, false)
		p.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{at, v}, Size: 4, Align: 4, Space: ir.Global})
	}
	p.ins()
	p.Emit(ir.Inst{Op: ir.EndWave, Scalar: true})
	f, err := p.Finish()
	if err != nil {
		panic(err)
	}
	return &randprog.Case{Func: f, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{[]uint32{64, 64, 37, 128}[p.IntN(4)], 1, 1},
		Buffers: []randprog.Buffer{{Name: "out", Data: make([]byte, 64*4*len(p.v))}}}
}

func (p *execProgram) ins() {
	p.line++
	p.At(ir.Pos{Line: p.line, Text: "x", Name: "x"})
}

func (p *execProgram) reg() ir.Ref { return p.v[p.IntN(len(p.v))] }

func (p *execProgram) statements(depth int) {
	for range 1 + p.IntN(5) {
		if p.budget--; p.budget < 0 {
			return
		}
		p.statement(depth)
	}
}

func (p *execProgram) statement(depth int) {
	switch n := p.IntN(20); {
	case n < 9:
		p.ins()
		a, b := p.reg(), p.reg()
		if p.IntN(3) == 0 {
			b = p.Const(ir.B32, uint64(p.IntN(40)))
		}
		op := []ir.Op{ir.Add32, ir.Xor32, ir.Sub32, ir.Mul32, ir.MaxS32}[p.IntN(5)]
		t := p.T(op, a, b)
		p.Guard(p.emask, false)
		p.Move(p.reg(), t)
	case n < 11:
		// The result is the same in all lanes, and comes from one of them.
		p.ins()
		t := p.STemp(ir.B32)
		p.Emit(ir.Inst{Op: ir.ReadFirstLane, Scalar: true, Dst: t, Args: [4]ir.Ref{p.reg(), p.emask}})
		p.Guard(p.emask, false)
		p.Move(p.reg(), t)
	case n == 11:
		p.ins()
		t := p.Temp(ir.B32)
		p.Emit(ir.Inst{Op: ir.DPPRead, Dst: t, Args: [4]ir.Ref{p.reg(), p.emask}, Imm: ir.DPPImm(0x111+uint16(p.IntN(3)), 15, 15, true)})
		p.Guard(p.emask, false)
		p.Move(p.reg(), t)
	case n == 12:
		p.ins()
		p.Guard(p.emask, false)
		p.Emit(ir.Inst{Op: ir.DSBpermute, Dst: p.reg(), Args: [4]ir.Ref{p.reg(), p.reg()}})
	case n == 13:
		p.ins()
		c := p.cond()
		p.ins()
		t := p.T(ir.Sel32, c, p.reg(), p.reg())
		p.Guard(p.emask, false)
		p.Move(p.reg(), t)
	case n == 14 && p.IntN(3) == 0:
		p.ins()
		switch p.IntN(4) {
		case 0:
			p.Move(p.exec, p.SConst(ir.B64, p.Uint64()))
		case 1:
			p.To(p.exec, ir.Not64, p.exec)
		case 2:
			p.Move(p.exec, p.pair[p.IntN(len(p.pair))])
		default:
			p.Move(p.exec, p.SConst(ir.B64, ^uint64(0)))
		}
	case depth == 0 || len(p.free) == 0:
	case n < 17:
		p.conditional(depth)
	default:
		p.loop(depth)
	}
}

// cond sets VCC, or the mask of a free pair.
func (p *execProgram) cond() ir.Ref {
	m := p.vmask
	if len(p.free) > 0 && p.IntN(3) == 0 {
		m = p.mask[p.free[p.IntN(len(p.free))]]
	}
	c := p.T(ir.LtS32, p.reg(), p.reg())
	p.To(m, ir.AndP, c, p.emask)
	return m
}

func (p *execProgram) take() (pair ir.Ref, done func()) {
	k := p.IntN(len(p.free))
	i := p.free[k]
	p.free = append(append([]int(nil), p.free[:k]...), p.free[k+1:]...)
	return p.pair[i], func() { p.free = append(p.free, i) }
}

// saveExec emits s_OP_saveexec_b64.
func (p *execProgram) saveExec(op ir.Op, save, arg ir.Ref) {
	p.ins()
	t := p.S(op, arg, p.exec)
	p.Move(save, p.exec)
	p.Move(p.exec, t)
}

func (p *execProgram) skipIfNone(l ir.Label) {
	p.ins()
	p.SBra(l, p.S(ir.EqU64, p.exec, p.SConst(ir.B64, 0)), false)
}

// conditional emits an if, perhaps with an else.
func (p *execProgram) conditional(depth int) {
	s, done := p.take()
	defer done()
	p.ins()
	p.vmaskOf(p.cond())
	p.saveExec(ir.And64, s, p.vcc)
	other, end := p.NewLabel(), p.NewLabel()
	hasElse := p.IntN(2) == 0
	if hasElse {
		p.ins()
		p.To(s, ir.Xor64, p.exec, s)
	}
	if p.IntN(2) == 0 {
		p.skipIfNone(other)
	}
	p.statements(depth - 1)
	p.Bind(other)
	if hasElse {
		p.saveExec(ir.Or64, s, s)
		p.ins()
		p.To(p.exec, ir.Xor64, p.exec, s)
		if p.IntN(2) == 0 {
			p.skipIfNone(end)
		}
		p.statements(depth - 1)
	}
	p.Bind(end)
	p.ins()
	if p.IntN(3) == 0 && !hasElse {
		p.Move(p.exec, s)
	} else {
		p.To(p.exec, ir.Or64, p.exec, s)
	}
}

// vmaskOf copies the condition to VCC.
func (p *execProgram) vmaskOf(c ir.Ref) {
	if c != p.vmask {
		p.Move(p.vmask, c)
	}
}

// loop runs until all lanes have left it, or the fuel is used up.
func (p *execProgram) loop(depth int) {
	s, done := p.take()
	defer done()
	p.ins()
	p.Move(s, p.SConst(ir.B64, 0))
	head, end := p.NewLabel(), p.NewLabel()
	p.Bind(head)
	p.statements(depth - 1)
	p.ins()
	p.To(p.fuel, ir.Sub32, p.fuel, p.SConst(ir.B32, 1))
	p.ins()
	p.SBra(end, p.S(ir.LtS32, p.fuel, p.SConst(ir.B32, 0)), false)
	p.ins()
	p.vmaskOf(p.cond())
	p.ins()
	p.To(s, ir.Or64, p.vcc, s)
	p.ins()
	p.To(p.exec, ir.AndN64, p.exec, s)
	p.ins()
	p.SBra(head, p.S(ir.EqU64, p.exec, p.SConst(ir.B64, 0)), true)
	p.Bind(end)
	p.ins()
	p.To(p.exec, ir.Or64, p.exec, s)
}

// TestWebsExec makes the same comparison for lanes that EXEC switches.
func TestWebsExec(t *testing.T) {
	t.Parallel()
	seen := &WebsSeen{}
	for i := range sampled(*websPrograms) {
		s := *seed + uint64(i)
		c := makeExec(s)
		wrong := ""
		e := Webs{Exact: i%8 == 7, NoWrap: i%2 == 0, Seen: seen, Report: func(msg string) {
			if wrong == "" {
				wrong = msg
			}
		}}
		ref := c.Run(interp.Engine{}, randprog.Mode{})
		d := c.Diff(ref, c.Run(e, randprog.Mode{}), randprog.Mode{})
		if d != "" || wrong != "" {
			t.Errorf("program %d: %s\n%s\n%s", s, wrong, d, c.Func.Print())
			break
		}
	}
	t.Log(seen)
	if seen.Plain.Load() > 0 || seen.Free.Load() < int64(sampled(*websPrograms))/4 {
		t.Errorf("too little was done: %s", seen)
	}
}
