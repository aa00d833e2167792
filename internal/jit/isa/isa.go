// Package isa names the tiers: the sets of processor extensions that code of the native
// engine may use. It is separate from package exec, which detects them, because package x64,
// which runs code in its tests, must not import package exec.
package isa

import (
	"fmt"
	"slices"
	"strings"
)

// A Tier is a set of processor extensions that code may use.
type Tier uint8

// The tiers. Each one includes those before it.
const (
	None   Tier = iota
	AVX2        // AVX2, FMA, F16C, BMI1, BMI2, LZCNT, POPCNT; V0 to V15
	AVX512      // AVX-512 F, BW, DQ and VL; V0 to V31, K0 to K7
)

// String returns none, avx2 or avx512.
func (t Tier) String() string { return [...]string{"none", "avx2", "avx512"}[t] }

// Width returns the number of bytes of a vector register.
func (t Tier) Width() int32 { return [...]int32{0, 32, 64}[t] }

// ParseTier returns the tier with a name.
func ParseTier(s string) (Tier, error) {
	all := []string{None.String(), AVX2.String(), AVX512.String()}
	if i := slices.Index(all, s); i >= 0 {
		return Tier(i), nil
	}
	return None, fmt.Errorf("there is no tier %q: they are %s", s, strings.Join(all, ", "))
}
