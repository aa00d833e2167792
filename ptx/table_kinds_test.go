package ptx

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

// TestIsFormat compares isFormat with the regular expression of its comment, for all modifiers of
// the table and for random changes of them.
func TestIsFormat(t *testing.T) {
	t.Parallel()
	want := regexp.MustCompile(`^(pred|[subf]\d+(x\d+)?(_p\d+)?|bf16(x2)?|tf32|u?e\dm\d(p4)?(x[24])?|s2f6x2)$`)
	list := []string{"", "pred", "bf16x2", "tf32", "s2f6x2", "b8x16", "b6x16_p32", "b4x16_p64", "ue4m3x4", "ue8m0x2", "e2m1p4", "e3m2p4x2", "f", "u", "e", "ue8m", "f16x", "b8_p", "f32.", "x2"}
	for _, rows := range instructions().rows {
		for _, r := range rows {
			for _, e := range r.elems {
				list = append(list, e.alts...)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 60))
	const letters = "subfepmxt_0123468"
	formats := 0
	for _, s := range list {
		for range 20 {
			if got := isFormat(s); got != want.MatchString(s) {
				t.Fatalf("isFormat(%q) = %v", s, got)
			} else if got {
				formats++
			}
			i := r.IntN(len(s) + 1)
			switch c := letters[r.IntN(len(letters))]; {
			case i == len(s) || r.IntN(2) == 0:
				s = s[:i] + string(c) + s[i:]
			case r.IntN(2) == 0:
				s = s[:i] + s[i+1:]
			default:
				s = s[:i] + string(c) + s[i+1:]
			}
		}
	}
	if formats < 1000 {
		t.Errorf("only %d formats", formats)
	}
}
