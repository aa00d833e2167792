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
	lower(t, 500, `^(Add|Sub|Mul|Div|Fma|Rcp|Sqrt|Rndne|Trunc|Floor|Ceil)F32(R[ZMP])?(Ftz)?(Sat)?$`)
}

func TestLowerF32Other(t *testing.T) {
	lower(t, 500, `^(Is\w+|M(in|ax)\w*|Abs|Neg|Copysign|Canon|Flush|Sat|Relu|Sel|Slct|Set|(Eq|Ne|Lt|Le|Gt|Ge)u?|Num|Nan)F32(Ftz)?$`)
}

// Of the approximate functions and the rest of GCN3 all values that are treated apart.
func TestLowerF32Approx(t *testing.T) {
	lower(t, 20_000, `^(\w+ApproxF32|DivFullF32)(Ftz)?$|^V(Rcp|Rsq|Sqrt|Exp|Log|Sin|Cos)F32$`)
}

func TestLowerF32GCN3(t *testing.T) {
	lower(t, 500, `^V(Add|Sub|Mul|Fma|Mad|(Mul|Mad)Legacy|(Min|Max|Med)3?|Rndne|Trunc|Floor|Ceil|Fract|Ldexp|Frexp\w+|CmpClass|Clamp|OMod|Flush(In|Out)|Div(Scale|ScaleVcc|Fmas|Fixup))(Mode)?F32(Ftz|Round)?$`)
}
