package jit

import (
	"strings"
	"testing"

	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
)

// TestFrameStates: the frame states of random programs are complete on all tiers: at each place where the
// interpreter may go on, each lane of each register that it may read then follows from the exit's operands.
func TestFrameStates(t *testing.T) {
	t.Parallel()
	for seed := range short.Of(uint64(1500), 150) {
		p := randprog.New(seed)
		if seed%2 == 0 {
			p = randprog.NewIndex(seed)
		}
		c, err := p.Case()
		if err != nil {
			t.Fatal(err)
		}
		for _, tier := range []isa.Tier{isa.AVX2, isa.AVX512} {
			// Code of a tier can be made on any processor.
			fn := *c.Func
			k := key{geom: geometry(&fn, &sim.Launch{Func: &fn, Grid: c.Grid, Block: c.Block}, Mode{}, false), tier: tier, scribble: true}
			if _, _, err := new(scratch).compile(&fn, k); err != nil {
				t.Fatalf("seed %d, tier %d: %v", seed, tier, err)
			}
		}
	}
}

// TestIncompleteFrameState: a frame state without one of its registers is reported.
func TestIncompleteFrameState(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range uint64(40) {
		c, err := randprog.New(seed).Case()
		if err != nil {
			t.Fatal(err)
		}
		fn := *c.Func
		m := new(scratch)
		g := geometry(&fn, &sim.Launch{Func: &fn, Grid: c.Grid, Block: c.Block}, Mode{}, false)
		tr, list, err := m.assemble(&fn, g, isa.AVX2)
		if err != nil {
			t.Fatal(err)
		}
		code, err := m.asm.Encode(list, tr.sel.LIR.Pool)
		if err != nil {
			t.Fatal(err)
		}
		n := tr.native(code.Labels)
		if err := tr.complete(n); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		reached := tr.reached()
		for b := range n.states {
			l := &n.states[b]
			if !reached[b] || l.To == l.From {
				continue
			}
			l.To--
			err := tr.complete(n)
			l.To++
			if err == nil || !strings.Contains(err.Error(), "has lanes") {
				t.Fatalf("seed %d, block %d without its last recipe: %v", seed, b, err)
			}
			found++
		}
	}
	if found < 100 {
		t.Errorf("only %d frame states were made incomplete", found)
	}
}
