package num

import "math"

// Arithmetic on FP8, FP6 and FP4 (PTX 9.4, 9.7.6). Operands are converted to f64, and the f64
// result to the destination's format. Sums and products in f64 lead to the same result as exact
// ones. A product of two operands has at most 8 bits and is exact. A sum is inexact only if one
// part is so much smaller than the other that it does not change the rounding to the format. In
// that case the greater part is beyond all finite results, or it is c, which is in the
// destination's format already.

// CvtF64FromE4M3 is exact; it uses all bits of the byte.
func CvtF64FromE4M3(a uint8) float64 { return widened(formatE4M3(), a) }

// CvtF64FromE5M2 is exact.
func CvtF64FromE5M2(a uint8) float64 { return widened(formatE5M2(), a) }

// CvtF64FromE3M2 uses bits 5:0.
func CvtF64FromE3M2(a uint8) float64 { return widened(formatE3M2(), a) }

// CvtF64FromE2M3 uses bits 5:0.
func CvtF64FromE2M3(a uint8) float64 { return widened(formatE2M3(), a) }

// CvtF64FromE2M1 uses bits 3:0.
func CvtF64FromE2M1(a uint8) float64 { return widened(formatE2M1(), a) }

// CvtF64FromUE8M0 is 2^(a-127), and NaN for 0xff.
func CvtF64FromUE8M0(a uint8) float64 { return CvtF64FromF32(scaleUE8M0(a)) }

func widened(f narrowFormat, a uint8) float64 { return CvtF64FromF32(f.decode(uint16(a))) }

// CvtE4M3FromF64 rounds to nearest even. A value beyond the greatest number, 448, becomes NaN.
// [oddF32] makes two roundings equal to one.
func CvtE4M3FromF64(a float64) uint8 {
	// The next number after 448 would be 480, so results up to the middle, 464, round to 448.
	if x := math.Abs(a); x > 464 {
		return 0x7f
	}
	return CvtE4M3FromF64Satfinite(a)
}

// CvtE4M3FromF64Satfinite is CvtE4M3FromF64, except that greater values become 448.
func CvtE4M3FromF64Satfinite(a float64) uint8 { return uint8(formatE4M3().encode(RN, oddF32(a))) }

// CvtE5M2FromF64 rounds to nearest even. A value beyond the greatest number, 57344, becomes
// infinity.
func CvtE5M2FromF64(a float64) uint8 {
	// The next number after 57344 would be 65536, so results from the middle, 61440, on are
	// infinite.
	if x := math.Abs(a); x >= 61440 {
		if math.Signbit(a) {
			return 0xfc
		}
		return 0x7c
	}
	return CvtE5M2FromF64Satfinite(a)
}

// CvtE5M2FromF64Satfinite is CvtE5M2FromF64, except that greater values become 57344.
func CvtE5M2FromF64Satfinite(a float64) uint8 { return uint8(formatE5M2().encode(RN, oddF32(a))) }
