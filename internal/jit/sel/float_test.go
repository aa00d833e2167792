package sel

import (
	"regexp"
	"testing"

	"crosslane/internal/ir"
)

// TestFloatRules demands rules for all operations of f32 but those that are left to the
// interpreter, on both tiers.
func TestFloatRules(t *testing.T) {
	family := regexp.MustCompile(`^(Add|Sub|Mul|Div|Fma|Rcp|Sqrt|DivFull|DivApprox|RcpApprox|SqrtApprox|Rndne|Trunc|Floor|Ceil|Canon|Flush|Sat|Abs|Neg|Copysign|Is[A-Z][a-zN]+|(Min|Max)(NaN)?(XorsignAbs)?|Relu|Sel|Set|Slct|(Eq|Ne|Lt|Le|Gt|Ge)u?|Num|Nan)F32(R[ZMP])?(Ftz)?(Sat)?$`)
	left := map[string]bool{}
	n := 0
	for op := range ir.NumOps {
		name := ir.Op(op).String()
		if !family.MatchString(name) || left[name] {
			continue
		}
		n++
		if r := &vrules[op]; r.fn == nil || r.avx512 {
			t.Errorf("%s has no rule", name)
		}
	}
	if n < 150 {
		t.Errorf("only %d operations", n)
	}
}
