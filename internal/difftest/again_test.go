package difftest

import (
	"testing"

	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/engine/jit"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/exec"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/sim"
)

// once is an engine that compiles one function, and uses its program for every launch.
type once struct {
	sim.Engine
	f *ir.Func
	p sim.Program
}

func (e *once) Compile(f *ir.Func) (sim.Program, error) {
	if e.p == nil {
		g := *f
		p, err := e.Engine.Compile(&g)
		if err != nil {
			return nil, err
		}
		e.f, e.p = &g, p
	}
	*f = *e.f
	return e.p, nil
}

// TestAgain launches random programs several times, in different geometries. A launch must not
// depend on facts of an earlier launch for which machine code was made, or on memory of an earlier
// launch.
func TestAgain(t *testing.T) {
	if exec.Detect().Best == isa.None {
		t.Skip("no machine code on this processor")
	}
	t.Parallel()
	ref := interp.Engine{Portable: true}
	sources := sources()
	for k := range uint64(sampled(*againPrograms)) {
		seed := *seed + k
		m, err := of(sources, seed).make(seed)
		if err != nil {
			t.Fatal(err)
		}
		c := m.launch
		n := c.Block[0] * c.Block[1] * c.Block[2]
		blocks := [][3]uint32{c.Block, {max(1, n/2), 1, 1}, {1, 1, 1}, {n, 1, 1}}
		for tier := isa.AVX2; tier <= exec.Detect().Best; tier++ {
			native, err := jit.New(jit.Options{Mode: jit.Mode{Tier: tier, Eager: seed%2 == 0, Passes: seed%3 == 0, After: 40 * int64(seed%4)}})
			if err != nil {
				t.Fatal(err)
			}
			e := &once{Engine: native}
			for i := range 5 {
				x := seed*5 + uint64(i)
				mode := randprog.Mode{Edit: func(l *sim.Launch) {
					if x%2 == 0 {
						l.Grid[0] = 1
					}
					l.Block = blocks[x/2%4]
				}}
				want := c.Run(ref, mode)
				if want.Code == sim.CodeTimeout {
					break
				}
				if d := c.Diff(want, c.Run(e, mode), mode); d != "" {
					t.Errorf("seed %d, launch %d: %s", seed, i, d)
				}
			}
		}
	}
}
