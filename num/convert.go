package num

import "math"

// Single conversions, which belong to no family. PTX ISA 9.7.9.22; GCN3 ISA 12.

// RndneF32 is cvt.rni.f32.f32: a rounded to an integer, ties to even.
func RndneF32(a float32) float32 { return CanonF32(float32(math.RoundToEven(float64(a)))) }

// TruncF32 is cvt.rzi.f32.f32: a rounded to an integer toward zero.
func TruncF32(a float32) float32 { return CanonF32(float32(math.Trunc(float64(a)))) }

// FloorF32 is cvt.rmi.f32.f32: a rounded to an integer toward minus infinity.
func FloorF32(a float32) float32 { return CanonF32(float32(math.Floor(float64(a)))) }

// CeilF32 is cvt.rpi.f32.f32: a rounded to an integer toward plus infinity.
func CeilF32(a float32) float32 { return CanonF32(float32(math.Ceil(float64(a)))) }

// canonIntF64 returns the result r of rounding a to an integer; a NaN is passed on quiet.
func canonIntF64(r, a float64) float64 {
	if r != r {
		return quietNaN64(a)
	}
	return r
}

// RndneF64 is cvt.rni.f64.f64: a rounded to an integer, ties to even.
func RndneF64(a float64) float64 { return canonIntF64(math.RoundToEven(a), a) }

// TruncF64 is cvt.rzi.f64.f64: a rounded to an integer toward zero.
func TruncF64(a float64) float64 { return canonIntF64(math.Trunc(a), a) }

// FloorF64 is cvt.rmi.f64.f64: a rounded to an integer toward minus infinity.
func FloorF64(a float64) float64 { return canonIntF64(math.Floor(a), a) }

// CeilF64 is cvt.rpi.f64.f64: a rounded to an integer toward plus infinity.
func CeilF64(a float64) float64 { return canonIntF64(math.Ceil(a), a) }

// CvtF64FromF32 is exact. A NaN keeps its sign and payload and becomes quiet.
func CvtF64FromF32(a float32) float64 {
	if a != a {
		// The host does not convert it: WebAssembly does not define the bits.
		u := uint64(math.Float32bits(a))
		return math.Float64frombits(u&sign32<<32 | exp64 | quiet64 | u&man32<<29)
	}
	return float64(a)
}

// CvtF32FromF64 rounds to nearest even. NaN gives the canonical NaN.
func CvtF32FromF64(a float64) float32 { return CanonF32(float32(a)) }

// CvtF32FromF64RZ rounds toward zero.
func CvtF32FromF64RZ(a float64) float32 { return narrowF32RZ(a) }

// CvtF32FromF64RM rounds toward minus infinity.
func CvtF32FromF64RM(a float64) float32 { return narrowF32RM(a) }

// CvtF32FromF64RP rounds toward plus infinity.
func CvtF32FromF64RP(a float64) float32 { return narrowF32RP(a) }

// CvtF64FromF16 is exact.
func CvtF64FromF16(a uint16) float64 { return CvtF64FromF32(CvtF32FromF16(a)) }

// CvtF64FromBF16 is exact.
func CvtF64FromBF16(a uint16) float64 { return CvtF64FromF32(CvtF32FromBF16(a)) }

// CvtF16FromF32 rounds to nearest even. NaN gives 0x7fff.
func CvtF16FromF32(a float32) uint16 {
	u := math.Float32bits(a)
	s := uint16(u >> 16 & 0x8000)
	u &^= sign32
	switch {
	case u > exp32:
		return 0x7fff
	case u >= 0x477ff000: // 65520 and above round to infinity
		return s | 0x7c00
	case u >= 0x38800000: // 2^-14: normal; a carry moves into the exponent
		return s | uint16((u+0xfff+u>>13&1-112<<23)>>13)
	}
	// The unit in the last place of 0.5 is the f16 subnormal unit 2^-24, so
	// the sum rounds as needed and its low bits are the result.
	return s | uint16(math.Float32bits(math.Float32frombits(u)+0.5))
}

// CvtF16FromF32RZ rounds toward zero. NaN gives 0x7fff.
func CvtF16FromF32RZ(a float32) uint16 { return cvtF16(RZ, a) }

// CvtF16FromF32RM rounds toward minus infinity. NaN gives 0x7fff.
func CvtF16FromF32RM(a float32) uint16 { return cvtF16(RM, a) }

// CvtF16FromF32RP rounds toward plus infinity. NaN gives 0x7fff.
func CvtF16FromF32RP(a float32) uint16 { return cvtF16(RP, a) }

func cvtF16(mode RoundMode, a float32) uint16 {
	return uint16(FormatF16().Convert(mode, FormatF32(), uint64(math.Float32bits(a))))
}

// CvtBF16FromF32 rounds to nearest even. NaN gives 0x7fff.
func CvtBF16FromF32(a float32) uint16 {
	if a != a {
		return 0x7fff
	}
	u := math.Float32bits(a)
	return uint16((u + 0x7fff + u>>16&1) >> 16)
}

// CvtBF16FromF32RZ rounds toward zero. NaN gives 0x7fff.
func CvtBF16FromF32RZ(a float32) uint16 {
	if a != a {
		return 0x7fff
	}
	return uint16(math.Float32bits(a) >> 16)
}

// CvtBF16FromF32RM rounds toward minus infinity. NaN gives 0x7fff.
func CvtBF16FromF32RM(a float32) uint16 { return cvtBF16(RM, a) }

// CvtBF16FromF32RP rounds toward plus infinity. NaN gives 0x7fff.
func CvtBF16FromF32RP(a float32) uint16 { return cvtBF16(RP, a) }

func cvtBF16(mode RoundMode, a float32) uint16 {
	return uint16(FormatBF16().Convert(mode, FormatF32(), uint64(math.Float32bits(a))))
}

// CvtF16FromBF16 rounds to nearest even.
func CvtF16FromBF16(a uint16) uint16 { return CvtF16FromF32(CvtF32FromBF16(a)) }

// CvtBF16FromF16 rounds to nearest even.
func CvtBF16FromF16(a uint16) uint16 { return CvtBF16FromF32(CvtF32FromF16(a)) }

// cvt.f16x2.f32 and cvt.bf16x2.f32: a goes to the upper half.

// CvtF16x2FromF32 is cvt.rn.f16x2.f32.
func CvtF16x2FromF32(a, b float32) uint32 { return Pack32(CvtF16FromF32(b), CvtF16FromF32(a)) }

// CvtF16x2FromF32RZ is cvt.rz.f16x2.f32.
func CvtF16x2FromF32RZ(a, b float32) uint32 { return Pack32(CvtF16FromF32RZ(b), CvtF16FromF32RZ(a)) }

// CvtBF16x2FromF32 is cvt.rn.bf16x2.f32.
func CvtBF16x2FromF32(a, b float32) uint32 { return Pack32(CvtBF16FromF32(b), CvtBF16FromF32(a)) }

// CvtBF16x2FromF32RZ is cvt.rz.bf16x2.f32.
func CvtBF16x2FromF32RZ(a, b float32) uint32 {
	return Pack32(CvtBF16FromF32RZ(b), CvtBF16FromF32RZ(a))
}

// tf32 is f32 with 10 mantissa bits; the low 13 bits of the register are 0.

// CvtTF32FromF32RNA is cvt.rna.tf32.f32: ties away from zero.
func CvtTF32FromF32RNA(a float32) uint32 {
	if a != a {
		return NaN32
	}
	return (math.Float32bits(a) + 0x1000) &^ 0x1fff
}

// CvtTF32FromF32RN is cvt.rn.tf32.f32: ties to even.
func CvtTF32FromF32RN(a float32) uint32 {
	if a != a {
		return NaN32
	}
	u := math.Float32bits(a)
	return (u + 0xfff + u>>13&1) &^ 0x1fff
}

// CvtTF32FromF32RZ is cvt.rz.tf32.f32.
func CvtTF32FromF32RZ(a float32) uint32 {
	if a != a {
		return NaN32
	}
	return math.Float32bits(a) &^ 0x1fff
}

// SatfiniteF16 is the .satfinite step of a conversion to f16: infinities
// become the greatest finite value of their sign.
func SatfiniteF16(a uint16) uint16 {
	if a&0x7fff == 0x7c00 {
		return a - 1
	}
	return a
}

// SatfiniteBF16 is the .satfinite step of a conversion to bf16.
func SatfiniteBF16(a uint16) uint16 {
	if a&0x7fff == 0x7f80 {
		return a - 1
	}
	return a
}

// ReluF16 is the .relu step: negative values become +0, and NaN 0x7fff.
func ReluF16(a uint16) uint16 {
	if IsNaNF16(a) {
		return 0x7fff
	}
	return a &^ uint16(int16(a)>>15)
}

// ReluBF16 is the .relu step: negative values become +0, and NaN 0x7fff.
func ReluBF16(a uint16) uint16 {
	if IsNaNBF16(a) {
		return 0x7fff
	}
	return a &^ uint16(int16(a)>>15)
}

// SatF16 clamps to [0, 1]; NaN gives +0.
func SatF16(a uint16) uint16 {
	if a >= 0x8000 || a > 0x7c00 {
		return 0
	}
	return min(a, 0x3c00)
}

// FlushF16 flushes a subnormal to a zero of its sign.
func FlushF16(a uint16) uint16 {
	if a&0x7c00 == 0 {
		return a & 0x8000
	}
	return a
}
