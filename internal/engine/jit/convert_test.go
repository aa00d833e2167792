package jit_test

import "testing"

func TestLowerF64(t *testing.T) {
	lower(t, 500, `^V?(Add|Sub|Mul|Div|Fma|Rcp|Sqrt|Rndne|Trunc|Floor|Ceil|Fract|Ldexp|Frexp\w+|CmpClass|Clamp|Flush(In|Out)?|Div(Scale|ScaleVcc|Fmas|Fixup)|Is\w+|Min|Max|Abs|Neg|Copysign|Sat|Sel|(Eq|Ne|Lt|Le|Gt|Ge)u?|Num|Nan)(Mode)?F64(R[ZMP]|Round)?$`)
}

func TestLowerToInt(t *testing.T) {
	lower(t, 500, `^Cvt[US]\d+From\w*F\d+R[NZMP]I$`)
}

func TestLowerFromInt(t *testing.T) {
	lower(t, 500, `^CvtB?F\d+From[US]\d+(R[ZMP])?$`)
}

func TestLowerFloatToFloat(t *testing.T) {
	lower(t, 500, `^Cvt(F16|BF16|F32|F64)From(F16|BF16|F32|F64)(R[ZMP])?$`)
}

func TestLowerF16(t *testing.T) {
	lower(t, 1000, `^((Add|Sub|Mul|Fma|Rndne|Trunc|Floor|Ceil|M(in|ax)(NaN)?(XorsignAbs)?|Abs|Neg|IsNaN|(Eq|Ne|Lt|Le|Gt|Ge)u?|Num|Nan|Satfinite|Relu|Sat|Flush)B?F16(x2)?(Ftz)?(Sat|Relu)?)$`)
}

func TestLowerConvertOther(t *testing.T) {
	lower(t, 1000, `^(VCvt\w+(Round)?|CvtB?F16x2FromF32(RZ)?|CvtTF32\w+|(Satfinite|Relu)TF32|(V|)Rsq(rtApprox)?F64|R(cp|sqrt)ApproxF64Ftz|VOMod(Mode)?F64|VLdexpF64Round)$`)
}

func TestLowerF16GCN3(t *testing.T) {
	lower(t, 1000, `^V(Add|Sub|Mul|Fma|Mad|Min|Max|Rndne|Trunc|Floor|Ceil|Fract|Ldexp|Frexp\w+|CmpClass|Clamp|OMod|Flush(In|Out)|DivFixup|Rcp|Rsq|Sqrt)(Mode)?F16(Round)?$`)
}

// All values of these are tested.
func TestLowerHalfApprox(t *testing.T) {
	lower(t, 20_000, `^((Ex2|Tanh)ApproxB?F16(x2)?(Ftz)?|V(Exp|Log|Sin|Cos)F16)$`)
}

func TestLowerNarrow(t *testing.T) {
	lower(t, 3000, `^(Cvt(F16|BF16)x2From(E\dM\d|UE8M0)x2|CvtE\dM\dx2FromF32(RZ)?|CvtF64FromE\dM\d)$`)
}
