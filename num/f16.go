package num

import (
	"math"
	"math/bits"
)

// f16 and bf16 values are carried as their bits.

// CvtF32FromF16 is exact; a NaN keeps its payload.
func CvtF32FromF16(a uint16) float32 {
	s := uint32(a&0x8000) << 16
	e, m := uint32(a)>>10&31, uint32(a)&0x3ff
	switch {
	case e == 31:
		return math.Float32frombits(s | exp32 | m<<13)
	case e != 0:
		return math.Float32frombits(s | (e+112)<<23 | m<<13)
	case m == 0:
		return math.Float32frombits(s)
	}
	// Subnormal: m * 2^-24, normalised.
	n := uint32(bits.LeadingZeros32(m)) - 21
	return math.Float32frombits(s | (113-n)<<23 | m<<(n+13)&man32)
}

// CvtF32FromBF16 is exact; a NaN keeps its payload.
func CvtF32FromBF16(a uint16) float32 { return math.Float32frombits(uint32(a) << 16) }

// IsNaNF16 reports a NaN.
func IsNaNF16(a uint16) bool { return a&0x7fff > 0x7c00 }

// IsNaNBF16 reports a NaN.
func IsNaNBF16(a uint16) bool { return a&0x7fff > 0x7f80 }
