package jit_test

import "testing"

func TestLowerF64(t *testing.T) {
	lower(t, 500, `^V?(Add|Sub|Mul|Div|Fma|Rcp|Sqrt|Rndne|Trunc|Floor|Ceil|Fract|Ldexp|Frexp\w+|CmpClass|Clamp|Flush(In|Out)?|Div(Scale|ScaleVcc|Fmas|Fixup)|Is\w+|Min|Max|Abs|Neg|Copysign|Sat|Sel|(Eq|Ne|Lt|Le|Gt|Ge)u?|Num|Nan)(Mode)?F64(R[ZMP]|Round)?$`)
}
