package sel

import (
	"regexp"
	"testing"

	"crosslane/internal/ir"
)

// TestFloatRules demands rules for all operations of f32 but those that are left to the
// interpreter, on both tiers.
func TestFloatRules(t *testing.T) {
	// What is f32 by name, but for conversions.
	family := regexp.MustCompile(`F32(R[ZMP])?(Ftz)?(Sat)?(Round)?$`)
	other := regexp.MustCompile(`Cvt|^Ds|^Redux|TF32|^VCube|^Unscale`)
	left := map[string]bool{"VDivFmasScaledF32Round": true}
	n := 0
	for op := range ir.NumOps {
		name := ir.Op(op).String()
		if !ir.Op(op).Pure() || !family.MatchString(name) || other.MatchString(name) || left[name] {
			continue
		}
		n++
		if r := &vrules[op]; r.fn == nil || r.avx512 {
			t.Errorf("%s has no rule", name)
		}
	}
	if n < 200 {
		t.Errorf("only %d operations", n)
	}
}
