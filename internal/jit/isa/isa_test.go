package isa

import "testing"

func TestParseTier(t *testing.T) {
	for tier := None; tier <= AVX512; tier++ {
		if got, err := ParseTier(tier.String()); err != nil || got != tier {
			t.Errorf("%s is %v, %v", tier, got, err)
		}
	}
	if _, err := ParseTier("sse"); err == nil {
		t.Error("sse is a tier")
	}
}
