package randprog_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"example.org/crosslane/internal/short"

	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestProgramsAreTheirSeeds: a program follows from its seed, survives JSON, and is valid.
func TestProgramsAreTheirSeeds(t *testing.T) {
	t.Parallel()
	faults, ops := map[string]int{}, map[ir.Op]bool{}
	programs := short.Of(1500, 300)
	for seed := range uint64(programs) {
		p := randprog.New(seed)
		data := p.JSON()
		if !bytes.Equal(data, randprog.New(seed).JSON()) {
			t.Fatalf("seed %d gives two programs", seed)
		}
		q, err := randprog.Parse(data)
		if err != nil || !bytes.Equal(data, q.JSON()) {
			t.Fatalf("seed %d: %v, or another program when read back", seed, err)
		}
		c, err := p.Case()
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.Text())
		}
		for i := range c.Func.Code {
			ops[c.Func.Code[i].Op] = true
		}
		o := c.Run(interp.Engine{}, randprog.Mode{})
		if o.Err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, o.Err, p.Text())
		}
		faults[o.Code]++
	}
	t.Log(faults, len(ops))
	if faults[""] < programs*13/15 || faults["timeout"] > 0 || len(faults) < short.Of(5, 2) {
		t.Errorf("of %d programs %d end without a fault; faults: %v", programs, faults[""], faults)
	}
	for op := range ir.Op(ir.NumOps) {
		switch op {
		case ir.Bulk, ir.Tensor, ir.Fail, ir.Yield, ir.ClusterArrive, ir.ClusterDone, ir.Delay, ir.Settle, ir.Collective, ir.HostCall, ir.Observe, ir.Reach, ir.Record, ir.Access, ir.Claim:
			continue // not made
		}
		if !ops[op] && !op.Pure() && !testing.Short() { // few programs lack seldom operations
			t.Errorf("no program has %s", op)
		}
	}
}

// The same holds for programs of indices, most of which end without a fault.
func TestIndexProgramsAreTheirSeeds(t *testing.T) {
	t.Parallel()
	faults := map[string]int{}
	programs := short.Of(1000, 100)
	for seed := range uint64(programs) {
		p := randprog.NewIndex(seed)
		data := p.JSON()
		q, err := randprog.Parse(data)
		if err != nil || !bytes.Equal(data, q.JSON()) || !bytes.Equal(data, randprog.NewIndex(seed).JSON()) {
			t.Fatalf("seed %d: %v, or another program when made again or read back", seed, err)
		}
		c, err := p.Case()
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.Text())
		}
		o := c.Run(interp.Engine{}, randprog.Mode{})
		if o.Err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, o.Err, p.Text())
		}
		faults[o.Code]++
	}
	t.Log(faults)
	if faults[""] < programs*85/100 || faults["timeout"] > 0 || len(faults) < 2 {
		t.Errorf("of %d programs %d end without a fault; faults: %v", programs, faults[""], faults)
	}
}

// The same holds for programs of idioms, most of which end without a fault.
func TestIdiomProgramsAreTheirSeeds(t *testing.T) {
	t.Parallel()
	faults := map[string]int{}
	programs := short.Of(1000, 100)
	for seed := range uint64(programs) {
		p := randprog.NewIdioms(seed)
		data := p.JSON()
		q, err := randprog.Parse(data)
		if err != nil || !bytes.Equal(data, q.JSON()) || !bytes.Equal(data, randprog.NewIdioms(seed).JSON()) {
			t.Fatalf("seed %d: %v, or another program when made again or read back", seed, err)
		}
		c, err := p.Case()
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.Text())
		}
		o := c.Run(interp.Engine{}, randprog.Mode{})
		if o.Err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, o.Err, p.Text())
		}
		faults[o.Code]++
	}
	t.Log(faults)
	if faults[""] < programs*70/100 || faults["timeout"] > 0 || len(faults) < 2 {
		t.Errorf("of %d programs %d end without a fault; faults: %v", programs, faults[""], faults)
	}
}

// broken is an engine that deviates from the interpreter.
type broken struct {
	interp.Engine
	edit func(f *ir.Func)                          // changes the function
	run  func(p sim.Program, w *sim.Wave) sim.Stop // runs it
}

func (b broken) Compile(f *ir.Func) (sim.Program, error) {
	f.Code = slices.Clone(f.Code)
	if b.edit != nil {
		b.edit(f)
	}
	p, err := b.Engine.Compile(f)
	if err == nil && b.run != nil {
		p = brokenProgram{p, b.run}
	}
	return p, err
}

type brokenProgram struct {
	sim.Program
	run func(p sim.Program, w *sim.Wave) sim.Stop
}

func (b brokenProgram) Run(w *sim.Wave) sim.Stop { return b.run(b.Program, w) }

// Engines with one error are detected, and the program that detects them is reduced to a few
// statements.
func TestMistakesAreFound(t *testing.T) {
	t.Parallel()
	each := func(change func(in *ir.Inst)) func(f *ir.Func) {
		return func(f *ir.Func) {
			for i := range f.Code {
				change(&f.Code[i])
			}
		}
	}
	swap := func(from, to ir.Op) func(f *ir.Func) {
		return each(func(in *ir.Inst) {
			if in.Op == from {
				in.Op = to
			}
		})
	}
	for i, c := range []struct {
		name   string
		engine broken
		mode   randprog.Mode
		max    int // statements of the smaller program
	}{
		{"rounding", broken{edit: swap(ir.AddF32, ir.AddF32RZ)}, randprog.Mode{}, 4},
		{"a quiet NaN", broken{edit: swap(ir.FmaF32, ir.FmaF32Ftz)}, randprog.Mode{}, 5},
		{"signs", broken{edit: swap(ir.LtS32, ir.LtU32)}, randprog.Mode{}, 6},
		{"a mask that is ignored", broken{edit: each(func(in *ir.Inst) {
			if in.Op == ir.Mov32 || in.Op == ir.Xor32 {
				in.Guard = 0
			}
		})}, randprog.Mode{}, 5},
		{"a branch the wrong way", broken{edit: each(func(in *ir.Inst) {
			if in.Op == ir.Bra && in.Guard != 0 {
				in.GuardNot = !in.GuardNot
			}
		})}, randprog.Mode{}, 6},
		{"alignment", broken{edit: each(func(in *ir.Inst) {
			if in.Op == ir.Load {
				in.Align = 0
			}
		})}, randprog.Mode{}, 2},
		{"the order of lanes", broken{}, randprog.Mode{Edit: func(l *sim.Launch) { l.Schedule.Reversed = true }}, 4},
		{"instructions that are not counted", broken{run: func(p sim.Program, w *sim.Wave) sim.Stop {
			stop := p.Run(w)
			if stop == sim.StopDiverge {
				w.Count(1, 1)
			}
			return stop
		}}, randprog.Mode{}, 4},
		{"two workers", broken{edit: swap(ir.Xor32, ir.Or32)}, randprog.Mode{Workers: 2}, 4},
		{"a register of a lane that is off", broken{run: func(p sim.Program, w *sim.Wave) sim.Stop {
			stop := p.Run(w)
			if off := w.Live &^ w.Active; stop == sim.StopBudget && off != 0 {
				r := w.Func.ByName("r3")
				w.Set(r, off.First(), w.Get(r, off.First())^4)
			}
			return stop
		}}, randprog.Mode{Lockstep: 5}, 9},
	} {
		if !short.Every(i, 3) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ref := interp.Engine{Portable: true}
			differs := func(p *randprog.Program) string {
				k, err := p.Case()
				if err != nil {
					return ""
				}
				// An error may make a loop endless; that is not the error in question.
				bad := c.mode
				bad.Timeout = time.Second
				if k.Run(c.engine, bad).Code == sim.CodeTimeout {
					return ""
				}
				m := c.mode
				m.Workers, m.Edit = 1, nil
				return k.Compare(ref, k.Run(ref, m), c.engine, c.mode)
			}
			fails := func(p *randprog.Program) bool { return differs(p) != "" }
			for seed := range uint64(4000) {
				p := randprog.New(seed)
				if !fails(p) {
					continue
				}
				q := randprog.Shrink(p, 2000, fails)
				d := differs(q)
				t.Logf("%s\n%s", d, q.Text())
				if len(q.Code) > c.max || d == "" {
					t.Errorf("seed %d: %d statements of %d are left, want %d: %q\n%s", seed, len(q.Code), len(p.Code), c.max, d, q.Text())
				}
				return
			}
			t.Error("4000 programs do not find it")
		})
	}
}

// The interpreter's two forms agree, also in lockstep.
func TestInterpreters(t *testing.T) {
	t.Parallel()
	for seed := range short.Of(uint64(400), 100) {
		p := randprog.New(1e9 + seed)
		for _, m := range []randprog.Mode{{}, {Workers: 2}, {Lockstep: 1 + int(seed)%40}} {
			if d, err := p.Differs(interp.Engine{Portable: true}, interp.Engine{}, m); d != "" || err != nil {
				t.Fatalf("seed %d, %+v: %v %s\n%s", p.Seed, m, err, d, p.Text())
			}
		}
	}
}
