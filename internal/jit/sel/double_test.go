package sel

import (
	"regexp"
	"testing"

	"example.org/crosslane/internal/ir"
)

// floats are families of operations that have rules for lane vectors on both tiers, as regular
// expressions over names.
var floats = []string{
	`V?(Add|Sub|Mul|Div|Fma|Rcp|Sqrt|Rndne|Trunc|Floor|Ceil)F64(R[ZMP])?`,
	`V(Fract|Ldexp|FrexpMant|FrexpExpI32|CmpClass|Clamp|FlushIn|FlushOut|DivScale|DivScaleVcc|DivFmas|DivFixup)(Mode)?F64`,
	`V(Add|Mul|Fma)F64Round`,
	`(Add|Sub|Mul|Fma|M(in|ax)(NaN)?(XorsignAbs)?|Abs|Neg|Satfinite|Relu|Sat|Flush)B?F16(x2)?(Ftz)?(Sat|Relu)?`,
	`(Rndne|Trunc|Floor|Ceil|IsNaN|(Eq|Ne|Lt|Le|Gt|Ge)u?|Num|Nan)B?F16`,
	`VCvt(F16|F32|I32|U32|Rpi|Flr|Off|Pk(rtz|norm|U8))\w*`, `CvtB?F16x2FromF32(RZ)?`, `CvtTF32\w+`, `(Satfinite|Relu)TF32`, `V?Rsq(rtApprox)?F64`,
	`V(Add|Sub|Mul|Fma|Mad|Ldexp|CmpClass|Rcp|Rsq|Sqrt)F16(Round)?`, `V(Min|Max|Clamp|OMod|Flush(In|Out))(Mode)?F16`,
	`V(Rndne|Trunc|Floor|Ceil|Fract|DivFixup|FrexpMant)F16`, `VFrexpExpI16F16`, `R(cp|sqrt)ApproxF64Ftz|VOMod(Mode)?F64|VLdexpF64Round`,
	`(Ex2|Tanh)ApproxB?F16(x2)?(Ftz)?`, `V(Exp|Log|Sin|Cos)F16`,
	`CvtB?F16x2FromE\dM\dx2|CvtBF16x2FromUE8M0x2`, `CvtE\dM\dx2FromF32(RZ)?|CvtF64FromE\dM\d`,
	`Cvt[US]\d+FromB?F\d+R[NZMP]I`, `CvtB?F\d+From[US]\d+(R[ZMP])?`, `CvtB?F\d+FromB?F\d+(R[ZMP])?`,
	`Is\w+F64|V?(Min|Max)(Mode)?F64|(Abs|Neg|Copysign|Sat|Flush|Sel|Num|Nan)F64|(Eq|Ne|Lt|Le|Gt|Ge)u?F64`,
}

// TestDoubleRules demands a rule for every operation of these families, so that no operation falls
// to the interpreter without notice.
func TestDoubleRules(t *testing.T) {
	for _, f := range floats {
		re := regexp.MustCompile(`^(` + f + `)$`)
		n := 0
		for op := range ir.NumOps {
			if !ir.Op(op).Pure() || !re.MatchString(ir.Op(op).String()) {
				continue
			}
			n++
			if r := &vrules()[op]; r.fn == nil {
				t.Errorf("%s has no rule", ir.Op(op))
			}
		}
		if n == 0 {
			t.Errorf("%s names no operation", f)
		}
	}
}
