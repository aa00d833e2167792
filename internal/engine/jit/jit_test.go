package jit_test

import (
	"testing"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/engine/jit"
	"example.org/crosslane/internal/jit/exec"
	"example.org/crosslane/internal/jit/isa"
)

// engines calls f with an engine of each tier that the processor has.
func engines(t *testing.T, f func(t *testing.T, e *jit.Engine)) {
	for _, tier := range []isa.Tier{isa.AVX2, isa.AVX512} {
		t.Run(tier.String(), func(t *testing.T) { f(t, engine(t, jit.Mode{Tier: tier})) })
	}
}

// enginesF16 is engines for tests of f16, which the same code may compute in two ways.
func enginesF16(t *testing.T, f func(t *testing.T, e *jit.Engine)) {
	engines(t, f)
	if exec.Detect().Half {
		t.Run("wide", func(t *testing.T) { f(t, engine(t, jit.Mode{Tier: isa.AVX512, Wide: true})) })
	}
}

func engine(t *testing.T, m jit.Mode) *jit.Engine {
	best := exec.Detect().Best
	if best < m.Tier {
		t.Skipf("the processor lacks %s", m.Tier)
	}
	if testing.Short() && m.Tier < best {
		t.Skip("the best tier does")
	}
	m.Eager, m.Passes = true, true
	e, err := jit.New(jit.Options{Mode: m})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestConformance(t *testing.T) {
	engines(t, func(t *testing.T, e *jit.Engine) { enginetest.Run(t, e) })
}
