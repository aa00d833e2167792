package jit_test

import (
	"testing"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/engine/jit"
)

// TestAcross compares operations across lanes with the interpreter's, on all tiers.
func TestAcross(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	engines(t, func(t *testing.T, e *jit.Engine) {
		for _, lanes := range []int{32, 64} {
			enginetest.Across{Engine: e, Reference: interp.Engine{Portable: true}, Lanes: lanes, Rounds: 400}.Test(t)
		}
	})
}
