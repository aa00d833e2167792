package sel

import (
	"regexp"
	"testing"

	"example.org/crosslane/internal/ir"
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
		if r := &vrules()[op]; r.fn == nil {
			t.Errorf("%s has no rule", name)
		}
	}
	if n < 200 {
		t.Errorf("only %d operations", n)
	}
}

// TestNearTie holds the screen of approximations, a bit test, against what it means: one
// that lets all lanes through to the interpreter would be right too.
func TestNearTie(t *testing.T) {
	check := func(low uint32) {
		d := int64(low&(1<<29-1)) - 1<<28
		want := -tieWidth <= d && d < tieWidth
		if got := (low-tieFrom)&tieBits == 0; got != want {
			t.Errorf("%#x: %v, want %v", low, got, want)
		}
	}
	for top := range uint32(8) {
		for d := uint32(0); d < 1<<29; d += 3<<9 + 1 {
			check(top<<29 | d)
		}
		for d := -2 * tieWidth; d < 2*tieWidth; d++ {
			check(top<<29 | uint32(1<<28+d))
		}
	}
}
