package sel

import (
	"regexp"
	"testing"

	"example.org/crosslane/internal/ir"
)

// TestFloatRules demands rules for all operations on f32, on both tiers, except those that the
// interpreter does by design.
func TestFloatRules(t *testing.T) {
	// The names that end like an operation on f32, without conversions.
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

// TestNearTie compares the screen of approximations, a test of bits, with its definition. The
// results alone would not show a mistake: a screen that sends all lanes to the interpreter gives
// right results, too.
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
