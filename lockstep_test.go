package crosslane_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/examples/programs"
	"example.org/crosslane/internal/difftest"
	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
)

// Compiled programs hold the same in every register of every lane on every engine, after
// every so many instructions of each wave, and their lanes are at the same places.
func TestProgramsInLockstep(t *testing.T) {
	t.Parallel()
	n := 0
	// All of it runs on one worker, and takes long where memory accesses are watched.
	for _, p := range short.Sample(programs.All(), 16) {
		if p.Name == "locks" {
			continue // lanes that spin are put aside when a turn is over; in steps it never is
		}
		cases := p.Cases()
		// One file of each program, of other levels and versions from program to program.
		file := p.Files[n*5%len(p.Files)]
		n++
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			m, err := p.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			for i := range cases {
				c := &cases[i]
				plain := c.Run(context.Background(), m, func(l *crosslane.Launch) { l.Engine, l.Workers = "interp", 1 })
				var want []stepped
				for _, e := range append([]difftest.Engine{{Name: "reference", Engine: difftest.Reference()}}, difftest.Engines()...) {
					if e.Exact != nil {
						e.Engine = e.Exact
					}
					got := inSteps(c, m, e.Engine, plain)
					if want == nil {
						want = got
						continue
					}
					for s := range want {
						if d := want[s].kernel.Diff(want[s].outcome, got[s].outcome, randprog.Mode{}); d != "" {
							t.Fatalf("%s, launch %d, %s in steps of %d: %s", c.Name, s, e.Name, want[s].every, d)
						}
					}
				}
			}
		})
	}
}

// stepped is a launch that has been run in steps.
type stepped struct {
	kernel  *randprog.Case
	outcome *randprog.Outcome
	every   int
}

// inSteps runs a case on an engine, in some thousand steps for each launch.
func inSteps(c *programs.Case, m *crosslane.Module, e sim.Engine, plain *programs.Outcome) []stepped {
	const steps = 3000
	var l []stepped
	last := c.RunBy(context.Background(), m, func(l *crosslane.Launch) { l.Timeout = time.Minute },
		func(k *crosslane.Kernel, ctx context.Context, launch crosslane.Launch) (*crosslane.Result, error) {
			s := stepped{outcome: &randprog.Outcome{}, every: 1}
			if len(l) < len(plain.Stats) {
				s.every += int(plain.Stats[len(l)].WarpInstructions / steps)
			}
			res, err := crosslane.RunProgram(ctx, k, launch, func(f *ir.Func) (sim.Program, error) {
				s.kernel = &randprog.Case{Func: f}
				prog, err := e.Compile(f)
				if err != nil {
					return nil, err
				}
				return randprog.InSteps(prog, f, s.every, s.outcome), nil
			})
			if res != nil {
				s.outcome.Stats = sim.Stats{WaveInstructions: res.Stats.WarpInstructions, LaneInstructions: res.Stats.LaneInstructions, Blocks: res.Stats.Blocks}
				s.outcome.Text, s.outcome.Findings = res.Output, []string{fmt.Sprint(res.Findings)}
			}
			if err != nil {
				s.outcome.Fault = err.Error()
			}
			l = append(l, s)
			return res, err
		})
	for _, b := range last.Buffers {
		end := &l[len(l)-1]
		end.kernel.Buffers = append(end.kernel.Buffers, randprog.Buffer{Name: b.Name})
		end.outcome.Buffers = append(end.outcome.Buffers, b.Data)
	}
	return l
}
