package num

import "math"

// f16 and bf16 values are carried as their bits.

// CvtF32FromF16 is exact; NaN gives the canonical NaN.
//
// It moves the fields into place and corrects the exponent by an exact multiplication, which also
// normalises subnormals.
func CvtF32FromF16(a uint16) float32 {
	u := uint32(a&0x7fff) << 13
	f := math.Float32frombits(u) * 0x1p112
	if u >= 0x7c00<<13 {
		f = math.Float32frombits(u | exp32)
	}
	if a&0x8000 != 0 {
		f = -f
	}
	return CanonF32(f)
}

// CvtF32FromBF16 is exact; a NaN keeps its payload.
func CvtF32FromBF16(a uint16) float32 { return math.Float32frombits(uint32(a) << 16) }

// IsNaNF16 reports whether a is a NaN.
func IsNaNF16(a uint16) bool { return a&0x7fff > 0x7c00 }

// IsNaNBF16 reports whether a is a NaN.
func IsNaNBF16(a uint16) bool { return a&0x7fff > 0x7f80 }

// Arithmetic of 16-bit formats, PTX ISA 9.7.4. NaN results are 0x7fff.
//
// A sum, difference or product of two f16 is rounded to f32 and then to f16. f32 has 24 = 2*11 + 2
// bits, so the two roundings equal one for normal results; subnormal results are exact in f32.

// AddF16 returns a + b.
func AddF16(a, b uint16) uint16 { return CvtF16FromF32(CvtF32FromF16(a) + CvtF32FromF16(b)) }

// SubF16 returns a - b.
func SubF16(a, b uint16) uint16 { return CvtF16FromF32(CvtF32FromF16(a) - CvtF32FromF16(b)) }

// MulF16 returns a * b.
func MulF16(a, b uint16) uint16 { return CvtF16FromF32(CvtF32FromF16(a) * CvtF32FromF16(b)) }

// FmaF16 returns a*b + c, rounded once. The product is exact in f64, and the sum is rounded to odd,
// first in f64 and then in f32.
func FmaF16(a, b, c uint16) uint16 {
	p := float64(CvtF32FromF16(a)) * float64(CvtF32FromF16(b))
	return CvtF16FromF32(oddF32(addOdd(p, float64(CvtF32FromF16(c)))))
}

// oddF32 rounds x, which is itself rounded to odd, to f32 by rounding to odd.
func oddF32(x float64) float32 {
	r := float32(x)
	if float64(r) == x || x != x || math.Float32bits(r)&1 != 0 {
		return r
	}
	return stepF32(r, math.Abs(float64(r)) > math.Abs(x))
}

// A sum of two bf16 is rounded to f32 and then to bf16: 24 >= 2*8 + 2, and the
// subnormals of both formats begin at the same exponent, where sums are exact.
// A product, exact in f64, may fall below f32; it goes through oddF32.

// AddBF16 returns a + b.
func AddBF16(a, b uint16) uint16 { return CvtBF16FromF32(CvtF32FromBF16(a) + CvtF32FromBF16(b)) }

// SubBF16 returns a - b.
func SubBF16(a, b uint16) uint16 { return CvtBF16FromF32(CvtF32FromBF16(a) - CvtF32FromBF16(b)) }

// MulBF16 returns a * b.
func MulBF16(a, b uint16) uint16 {
	return CvtBF16FromF32(oddF32(float64(CvtF32FromBF16(a)) * float64(CvtF32FromBF16(b))))
}

// FmaBF16 returns a*b + c, rounded once.
func FmaBF16(a, b, c uint16) uint16 {
	p := float64(CvtF32FromBF16(a)) * float64(CvtF32FromBF16(b))
	return CvtBF16FromF32(oddF32(addOdd(p, float64(CvtF32FromBF16(c)))))
}

// AbsF16 clears the sign; it serves bf16 too.
func AbsF16(a uint16) uint16 { return a &^ 0x8000 }

// NegF16 flips the sign; it serves bf16 too.
func NegF16(a uint16) uint16 { return a ^ 0x8000 }

// key16 maps a number to an integer in the order of floats, with -0 < +0.
func key16(a uint16) int16 { return int16(a) ^ int16(a)>>15&0x7fff }

// min16 and max16 are min_num and max_num of PTX 9.7.4.7; a magnitude above the pattern inf is a
// NaN.
func min16(a, b, inf uint16) uint16 {
	switch an, bn := a&0x7fff > inf, b&0x7fff > inf; {
	case an && bn:
		return 0x7fff
	case an:
		return b
	case bn || key16(a) < key16(b):
		return a
	}
	return b
}

// max16 is max_num, see min16.
func max16(a, b, inf uint16) uint16 {
	switch an, bn := a&0x7fff > inf, b&0x7fff > inf; {
	case an && bn:
		return 0x7fff
	case an:
		return b
	case bn || key16(a) > key16(b):
		return a
	}
	return b
}

// MinF16 is min.f16: a NaN yields to the other operand, and -0 < +0.
func MinF16(a, b uint16) uint16 { return min16(a, b, 0x7c00) }

// MaxF16 is max.f16.
func MaxF16(a, b uint16) uint16 { return max16(a, b, 0x7c00) }

// MinBF16 is min.bf16.
func MinBF16(a, b uint16) uint16 { return min16(a, b, 0x7f80) }

// MaxBF16 is max.bf16.
func MaxBF16(a, b uint16) uint16 { return max16(a, b, 0x7f80) }

// MinNaNF16 is min.NaN.f16: NaN if either operand is NaN.
func MinNaNF16(a, b uint16) uint16 { return nan16(MinF16(a, b), NanF16(a, b)) }

// MaxNaNF16 is max.NaN.f16.
func MaxNaNF16(a, b uint16) uint16 { return nan16(MaxF16(a, b), NanF16(a, b)) }

// MinNaNBF16 is min.NaN.bf16.
func MinNaNBF16(a, b uint16) uint16 { return nan16(MinBF16(a, b), NanBF16(a, b)) }

// MaxNaNBF16 is max.NaN.bf16.
func MaxNaNBF16(a, b uint16) uint16 { return nan16(MaxBF16(a, b), NanBF16(a, b)) }

func nan16(r uint16, nan bool) uint16 {
	if nan {
		return 0x7fff
	}
	return r
}

// xorsign16 gives r the exclusive or of the signs of a and b, unless r is NaN.
func xorsign16(r, a, b, inf uint16) uint16 {
	if r&0x7fff > inf {
		return r
	}
	return r&0x7fff | (a^b)&0x8000
}

// RndneF16 rounds to an integer, ties to even; f32 holds every f16 integer.
func RndneF16(a uint16) uint16 { return CvtF16FromF32(RndneF32(CvtF32FromF16(a))) }

// TruncF16 rounds to an integer toward zero.
func TruncF16(a uint16) uint16 { return CvtF16FromF32(TruncF32(CvtF32FromF16(a))) }

// FloorF16 rounds to an integer toward minus infinity.
func FloorF16(a uint16) uint16 { return CvtF16FromF32(FloorF32(CvtF32FromF16(a))) }

// CeilF16 rounds to an integer toward plus infinity.
func CeilF16(a uint16) uint16 { return CvtF16FromF32(CeilF32(CvtF32FromF16(a))) }

// RndneBF16 rounds to an integer, ties to even.
func RndneBF16(a uint16) uint16 { return CvtBF16FromF32(RndneF32(CvtF32FromBF16(a))) }

// TruncBF16 rounds to an integer toward zero.
func TruncBF16(a uint16) uint16 { return CvtBF16FromF32(TruncF32(CvtF32FromBF16(a))) }

// FloorBF16 rounds to an integer toward minus infinity.
func FloorBF16(a uint16) uint16 { return CvtBF16FromF32(FloorF32(CvtF32FromBF16(a))) }

// CeilBF16 rounds to an integer toward plus infinity.
func CeilBF16(a uint16) uint16 { return CvtBF16FromF32(CeilF32(CvtF32FromBF16(a))) }
