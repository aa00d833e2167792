package jit_test

import (
	"regexp"
	"testing"

	"crosslane/internal/engine/enginetest"
	"crosslane/internal/engine/interp"
	"crosslane/internal/engine/jit"
)

// lower compares the machine code of operations with the interpreter, on all tiers.
func lower(t *testing.T, random int, match string) {
	engines(t, func(t *testing.T, e *jit.Engine) {
		enginetest.Lowering{Engine: e, Reference: interp.Engine{Portable: true}, Match: regexp.MustCompile(match), Random: random}.Test(t)
	})
}

func TestLowerF32(t *testing.T) {
	lower(t, 1000, `^[A-UW-Z][A-Za-z]*F32(R[ZMP])?(Ftz)?(Sat)?$`)
}
