package interp_test

import (
	"context"
	"regexp"
	"testing"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// stepped is an engine that runs functions by Exec and End, operation by operation.
type stepped struct{ interp.Engine }

func (s stepped) Compile(f *ir.Func) (sim.Program, error) {
	p, err := s.Engine.Compile(f)
	if err != nil {
		return nil, err
	}
	return &steppedProgram{p.(*interp.Program), f}, nil
}

type steppedProgram struct {
	*interp.Program
	f *ir.Func
}

func (p *steppedProgram) Run(w *sim.Wave) sim.Stop {
	for {
		b := w.PC
		end := p.f.Blocks[b].End
		for i := p.f.Blocks[b].Start; i < end; i++ {
			in := &p.f.Code[i]
			if in.Op.EndsBlock() {
				break
			}
			if n := p.Tally(i); n > 0 {
				w.Count(n, w.Mask(p.f.Exec))
			}
			m := w.Active
			if in.Guard != 0 {
				g := w.Mask(in.Guard)
				if in.GuardNot {
					g ^= lane.All(p.f.Lanes)
				}
				m &= g
			}
			if !p.Exec(w, i, m) {
				return sim.StopFault
			}
		}
		if stop, goes := p.End(w, b); !goes {
			return stop
		}
	}
}

func TestConformanceStepped(t *testing.T) {
	t.Parallel()
	enginetest.Run(t, stepped{})
}

func TestLoweringStepped(t *testing.T) {
	t.Parallel()
	enginetest.Lowering{Engine: stepped{}, Reference: interp.Engine{}, Match: regexp.MustCompile("^(Add|Lt|Sel|Cvt)"), Random: 300}.Test(t)
}

// TestTally: a block that changes EXEC several times counts the same instructions for the
// same lanes in each way to run it.
func TestTally(t *testing.T) {
	t.Parallel()
	b := ir.NewBuilder("tally", 64)
	b.Reserve(8)
	off := b.Reserve(8)
	exec, bits := b.View("exec", ir.B1, false, off), b.View("exec", ir.B64, true, off)
	b.Func().Exec = exec
	b.Input(ir.ActiveMask0, bits, 0)
	v := b.Vector("v", ir.B32)
	ins := func(name string) { b.At(ir.Pos{Line: 1, Text: name, Name: name}) }
	for _, m := range []uint64{0xff, 3, 0, 0xffff_ffff_0000_0000} {
		for range 3 {
			ins("v_add")
			b.Guard(exec, false)
			b.To(v, ir.Add32, v, b.Const(ir.B32, 1))
			b.Guard(0, false)
		}
		ins("s_mov")
		b.Move(bits, b.SConst(ir.B64, m))
	}
	ins("v_add")
	b.Guard(exec, false)
	b.To(v, ir.Add32, v, b.Const(ir.B32, 1))
	b.Guard(0, false)
	ins("s_endpgm")
	b.Emit(ir.Inst{Op: ir.EndWave, Scalar: true})
	f, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	// 3 additions and the move before each change, and the instructions after the last one.
	want := sim.Stats{WaveInstructions: 18, LaneInstructions: 3*64 + 64 + 4*8 + 4*2 + 0 + 2*32, Blocks: 1}
	// The move that changes EXEC counts for the lanes before it.
	for _, e := range []sim.Engine{interp.Engine{}, stepped{}} {
		p, err := e.Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		st, _, err := sim.Run(context.Background(), &sim.Launch{Func: f, Program: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: sim.NewMemory(), Workers: 1})
		if err != nil || st != want {
			t.Errorf("%T: %+v, %v; want %+v", e, st, err, want)
		}
	}
}
