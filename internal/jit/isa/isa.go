// Package isa names the sets of extensions of the processor that code of the native engine
// may use. It is a package of its own because package x64, whose tests run code, must not
// import what package exec does.
package isa

import (
	"fmt"
	"slices"
	"strings"
)

// A Tier is a set of extensions of the processor that code may use.
type Tier uint8

// The tiers. Each has what those before it have.
const (
	None   Tier = iota
	AVX2        // AVX2, FMA, F16C, BMI1, BMI2, LZCNT, POPCNT; V0 to V15
	AVX512      // AVX-512 F, BW, DQ and VL; V0 to V31, K0 to K7
)

// String returns none, avx2 or avx512.
func (t Tier) String() string { return [...]string{"none", "avx2", "avx512"}[t] }

// Width is how many bytes a vector register has.
func (t Tier) Width() int32 { return [...]int32{0, 32, 64}[t] }

// ParseTier is the tier of that name.
func ParseTier(s string) (Tier, error) {
	all := []string{None.String(), AVX2.String(), AVX512.String()}
	if i := slices.Index(all, s); i >= 0 {
		return Tier(i), nil
	}
	return None, fmt.Errorf("there is no tier %q: they are %s", s, strings.Join(all, ", "))
}
