package num

import "math"

// Float operations of GCN3 that differ from those of PTX: NaN operands are passed on, quiet. GCN3
// ISA chapter 12. The MODE register determines the flushing of denormals: compose these operations
// with FlushF32, FlushF64 or FlushF16, unless an operation always flushes.

// VNaN32 is the NaN of f32 operations on numbers.
//
// Unspecified: the ISA names its bits only in v_div_fixup_f32; the CLRX documentation records a
// negative NaN for the transcendental operations too.
const VNaN32 = 0xffc00000

// quietNaN32 returns a with the quiet bit set.
func quietNaN32(a float32) float32 {
	return math.Float32frombits(math.Float32bits(a) | quiet32)
}

// vnanF32 is the NaN result of an operation on a, b and c: the first NaN
// operand. It is kept out of line so that its callers can be inlined.
//
//go:noinline
func vnanF32(a, b, c float32) float32 {
	switch {
	case a != a:
		return quietNaN32(a)
	case b != b:
		return quietNaN32(b)
	case c != c:
		return quietNaN32(c)
	}
	return math.Float32frombits(VNaN32)
}

// VAddF32 is v_add_f32.
func VAddF32(s0, s1 float32) float32 {
	r := s0 + s1
	if r != r {
		return vnanF32(s0, s1, 0)
	}
	return r
}

// VSubF32 is v_sub_f32.
func VSubF32(s0, s1 float32) float32 {
	r := s0 - s1
	if r != r {
		return vnanF32(s0, s1, 0)
	}
	return r
}

// VMulF32 is v_mul_f32.
func VMulF32(s0, s1 float32) float32 {
	r := s0 * s1
	if r != r {
		return vnanF32(s0, s1, 0)
	}
	return r
}

// VFmaF32 is v_fma_f32: fused, and denormals are supported.
func VFmaF32(s0, s1, s2 float32) float32 {
	r := FmaF32(s0, s1, s2)
	if r != r {
		return vnanF32(s0, s1, s2)
	}
	return r
}

// VMadF32 is v_mad_f32, v_mac_f32, v_madmk_f32 and v_madak_f32: the product is rounded before the
// addition. On gfx8 these flush denormal inputs and results, independent of MODE.
func VMadF32(s0, s1, s2 float32) float32 {
	s0, s1, s2 = FlushF32(s0), FlushF32(s1), FlushF32(s2)
	p := FlushF32(s0 * s1)
	r := p + s2
	if r != r {
		return vnanF32(s0, s1, s2)
	}
	return FlushF32(r)
}

// VMulLegacyF32 is v_mul_legacy_f32: zero times any value is +0.
func VMulLegacyF32(s0, s1 float32) float32 {
	if s0 == 0 || s1 == 0 {
		return 0
	}
	return VMulF32(s0, s1)
}

// VMulLegacyF32Ftz is [VMulLegacyF32] with denormals flushed.
func VMulLegacyF32Ftz(s0, s1 float32) float32 {
	return FlushF32(VMulLegacyF32(FlushF32(s0), FlushF32(s1)))
}

// VMadLegacyF32 is v_mad_legacy_f32 and v_mac_legacy_f32: like [VMadF32], but zero times any value
// is +0.
func VMadLegacyF32(s0, s1, s2 float32) float32 {
	if FlushF32(s0) == 0 || FlushF32(s1) == 0 {
		return VMadF32(0, 0, s2)
	}
	return VMadF32(s0, s1, s2)
}

func signallingF32(a float32) bool { return a != a && math.Float32bits(a)&quiet32 == 0 }
func signallingF64(a float64) bool { return a != a && math.Float64bits(a)&quiet64 == 0 }

// VMinF32 is v_min_f32 with IEEE mode on, which compute kernels use. A signalling NaN is the
// result, quiet; a quiet NaN yields to the other operand; -0 < +0.
func VMinF32(s0, s1 float32) float32 {
	if s0 != s0 || s1 != s1 {
		return vpickF32(s0, s1)
	}
	return MinF32(s0, s1)
}

// VMaxF32 is v_max_f32 with IEEE mode on.
func VMaxF32(s0, s1 float32) float32 {
	if s0 != s0 || s1 != s1 {
		return vpickF32(s0, s1)
	}
	return MaxF32(s0, s1)
}

// vpickF32 returns the result of min and max if s0 or s1 is NaN.
//
//go:noinline
func vpickF32(s0, s1 float32) float32 {
	switch {
	case signallingF32(s0):
		return quietNaN32(s0)
	case signallingF32(s1):
		return quietNaN32(s1)
	case s0 != s0:
		return s1
	}
	return s0
}

// VMinF64 is v_min_f64 with IEEE mode on.
func VMinF64(s0, s1 float64) float64 {
	switch {
	case signallingF64(s0):
		return quietNaN64(s0)
	case signallingF64(s1):
		return quietNaN64(s1)
	case s0 != s0: // S1 is the result of two NaNs, as in f32
		return s1
	}
	return MinF64(s0, s1)
}

// VMaxF64 is v_max_f64 with IEEE mode on.
func VMaxF64(s0, s1 float64) float64 {
	switch {
	case signallingF64(s0):
		return quietNaN64(s0)
	case signallingF64(s1):
		return quietNaN64(s1)
	case s0 != s0: // S1 is the result of two NaNs, as in f32
		return s1
	}
	return MaxF64(s0, s1)
}

// VMin3F32 is v_min3_f32.
func VMin3F32(s0, s1, s2 float32) float32 { return VMinF32(VMinF32(s0, s1), s2) }

// VMax3F32 is v_max3_f32.
func VMax3F32(s0, s1, s2 float32) float32 { return VMaxF32(VMaxF32(s0, s1), s2) }

// VMed3F32 is v_med3_f32: the middle value; with a NaN operand, the minimum.
//
//	if (isNan(S0) || isNan(S1) || isNan(S2)) D = v_min3_f32(S0, S1, S2)
//	else if (v_max3_f32(S0, S1, S2) == S0)   D = v_max_f32(S1, S2)
//	else if (v_max3_f32(S0, S1, S2) == S1)   D = v_max_f32(S0, S2)
//	else                                     D = v_max_f32(S0, S1)
func VMed3F32(s0, s1, s2 float32) float32 {
	if s0 != s0 || s1 != s1 || s2 != s2 {
		return VMin3F32(s0, s1, s2)
	}
	switch VMax3F32(s0, s1, s2) {
	case s0:
		return VMaxF32(s1, s2)
	case s1:
		return VMaxF32(s0, s2)
	}
	return VMaxF32(s0, s1)
}

// passF32 returns r, or the operand a, quiet, if it is a NaN.
func passF32(r, a float32) float32 {
	if a != a {
		return quietNaN32(a)
	}
	return r
}

// VRndneF32 is v_rndne_f32.
func VRndneF32(s0 float32) float32 { return passF32(RndneF32(s0), s0) }

// VTruncF32 is v_trunc_f32.
func VTruncF32(s0 float32) float32 { return passF32(TruncF32(s0), s0) }

// VFloorF32 is v_floor_f32.
func VFloorF32(s0 float32) float32 { return passF32(FloorF32(s0), s0) }

// VCeilF32 is v_ceil_f32.
func VCeilF32(s0 float32) float32 { return passF32(CeilF32(s0), s0) }

// VFractF32 is v_fract_f32, S0 - floor(S0), which never reaches 1. An infinity
// gives a NaN.
func VFractF32(s0 float32) float32 {
	r := s0 - FloorF32(s0)
	if r != r {
		return vnanF32(s0, 0, 0)
	}
	return min(r, math.Float32frombits(0x3f7fffff))
}

// VFractF64 is v_fract_f64.
func VFractF64(s0 float64) float64 {
	r := s0 - math.Floor(s0)
	if r != r {
		return nanF64(s0, 0, 0)
	}
	return min(r, math.Float64frombits(0x3fefffffffffffff))
}

// VLdexpF32 is v_ldexp_f32: S0 * 2^S1, rounded once.
func VLdexpF32(s0 float32, s1 int32) float32 {
	// Beyond +-300 every f32 is out of range, for all its exponents.
	return passF32(float32(float64(s0)*pow2(clampInt(s1, -300, 300))), s0)
}

// VLdexpF64 is v_ldexp_f64: S0 * 2^S1, rounded once.
func VLdexpF64(s0 float64, s1 int32) float64 {
	if s0 != s0 {
		return quietNaN64(s0)
	}
	f := FormatF64()
	w, c := f.unpack(math.Float64bits(s0))
	if c != classFinite {
		return s0
	}
	w.exp += clampInt(s1, -3000, 3000)
	return math.Float64frombits(f.pack(RN, w))
}

// VLdexpF16 is v_ldexp_f16: S0 * 2^S1, rounded once.
func VLdexpF16(s0 uint16, s1 int16) uint16 {
	if IsNaNF16(s0) {
		return s0 | 0x200
	}
	return CvtF16FromF64(float64(CvtF32FromF16(s0)) * pow2(clampInt(int32(s1), -60, 60)))
}

func clampInt(v int32, lo, hi int32) int { return int(max(lo, min(hi, v))) }

// pow2 returns 2^n for a normal f64.
func pow2(n int) float64 { return math.Float64frombits(uint64(n+1023) << 52) }

// VFrexpExpI32F32 is v_frexp_exp_i32_f32: e with S0 = m * 2^e with |m| in [1/2, 1); 0 for
// zero.
//
// Errata: for infinity and NaN the ISA gives 0, and the CLRX documentation records -1. Crosslane
// uses the ISA's value.
func VFrexpExpI32F32(s0 float32) int32 { return VFrexpExpI32F64(CvtF64FromF32(s0)) }

// VFrexpExpI32F64 is v_frexp_exp_i32_f64.
func VFrexpExpI32F64(s0 float64) int32 {
	if !IsFiniteF64(s0) {
		return 0
	}
	_, e := math.Frexp(s0)
	return int32(e)
}

// VFrexpMantF32 is v_frexp_mant_f32: m with S0 = m * 2^e with |m| in [1/2, 1). Zero, infinity
// and NaN are passed on.
func VFrexpMantF32(s0 float32) float32 {
	if s0 != s0 || IsInfF32(s0) {
		return passF32(s0, s0)
	}
	m, _ := math.Frexp(float64(s0))
	return float32(m)
}

// VFrexpMantF64 is v_frexp_mant_f64.
func VFrexpMantF64(s0 float64) float64 {
	if s0 != s0 {
		return quietNaN64(s0)
	}
	m, _ := math.Frexp(s0)
	return m
}

// VFrexpExpI16F16 is v_frexp_exp_i16_f16.
func VFrexpExpI16F16(s0 uint16) int16 { return int16(VFrexpExpI32F32(CvtF32FromF16(s0))) }

// VFrexpMantF16 is v_frexp_mant_f16.
func VFrexpMantF16(s0 uint16) uint16 {
	if IsNaNF16(s0) {
		return s0 | 0x200
	}
	return CvtF16FromF32(VFrexpMantF32(CvtF32FromF16(s0)))
}

// VCmpClassF32 is v_cmp_class_f32: S1 holds a mask of classes, bit 0
// signalling NaN, 1 quiet NaN, 2 -infinity, 3 -normal, 4 -denormal, 5 -0, 6
// +0, 7 +denormal, 8 +normal, 9 +infinity.
func VCmpClassF32(s0 float32, s1 uint32) bool {
	return s1>>vclass(signallingF32(s0), s0 != s0, IsInfF32(s0), IsSubnormalF32(s0), s0 == 0,
		math.Float32bits(s0)&sign32 != 0)&1 != 0
}

// VCmpClassF64 is v_cmp_class_f64, see [VCmpClassF32].
func VCmpClassF64(s0 float64, s1 uint32) bool {
	return s1>>vclass(signallingF64(s0), s0 != s0, IsInfF64(s0), IsSubnormalF64(s0), s0 == 0,
		math.Float64bits(s0)&sign64 != 0)&1 != 0
}

// VCmpClassF16 is v_cmp_class_f16, see [VCmpClassF32].
func VCmpClassF16(s0 uint16, s1 uint32) bool {
	m := s0 & 0x7fff
	return s1>>vclass(m > 0x7c00 && m&0x200 == 0, m > 0x7c00, m == 0x7c00, m != 0 && m < 0x400, m == 0,
		s0&0x8000 != 0)&1 != 0
}

// vclass returns the bit number of a value's class, see VCmpClassF32.
func vclass(snan, nan, inf, sub, zero, neg bool) uint32 {
	var c uint32
	switch {
	case snan:
		return 0
	case nan:
		return 1
	case inf:
		c = 9
	case sub:
		c = 7
	case zero:
		c = 6
	default:
		c = 8
	}
	if neg {
		c = 11 - c
	}
	return c
}
