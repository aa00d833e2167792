package jit_test

import (
	"testing"

	"crosslane/internal/engine/enginetest"
	"crosslane/internal/engine/jit"
	"crosslane/internal/jit/exec"
	"crosslane/internal/jit/isa"
)

// engines calls f with an engine of each tier that the processor has.
func engines(t *testing.T, f func(t *testing.T, e *jit.Engine)) {
	best := exec.Detect().Best
	for _, tier := range []isa.Tier{isa.AVX2, isa.AVX512} {
		t.Run(tier.String(), func(t *testing.T) {
			if best < tier {
				t.Skipf("the processor lacks %s", tier)
			}
			if testing.Short() && tier < best {
				t.Skip("the best tier does")
			}
			e, err := jit.New(jit.Options{Mode: jit.Mode{Tier: tier, Eager: true, Passes: true}})
			if err != nil {
				t.Fatal(err)
			}
			f(t, e)
		})
	}
}

func TestConformance(t *testing.T) {
	engines(t, func(t *testing.T, e *jit.Engine) { enginetest.Run(t, e) })
}
