package num

import "math"

// Conversions and division helpers of GCN3, ISA chapter 12.

// VCvtF32F16 is v_cvt_f32_f16; a NaN keeps its payload and becomes quiet.
func VCvtF32F16(s0 uint16) float32 {
	if IsNaNF16(s0) {
		u := uint32(s0)
		return math.Float32frombits(u&0x8000<<16 | exp32 | quiet32 | u&0x3ff<<13)
	}
	return CvtF32FromF16(s0)
}

// VCvtF16F32 is v_cvt_f16_f32 rounding to nearest even; a NaN keeps the upper
// part of its payload and becomes quiet.
func VCvtF16F32(s0 float32) uint16 {
	if s0 != s0 {
		u := math.Float32bits(s0)
		return uint16(u>>16&0x8000 | 0x7e00 | u>>13&0x3ff)
	}
	return CvtF16FromF32(s0)
}

// VCvtF32F64 is v_cvt_f32_f64 rounding to nearest even; a NaN keeps the upper
// part of its payload and becomes quiet.
func VCvtF32F64(s0 float64) float32 {
	if s0 != s0 {
		u := math.Float64bits(s0)
		return math.Float32frombits(uint32(u>>32)&sign32 | exp32 | quiet32 | uint32(u>>29)&man32)
	}
	return float32(s0)
}

// VCvtI32F64 is v_cvt_i32_f64: toward zero, clamped, NaN gives 0.
func VCvtI32F64(s0 float64) int32 {
	if s0 != s0 {
		return 0
	}
	return CvtS32FromF64RZI(s0)
}

// VCvtU32F64 is v_cvt_u32_f64: toward zero, clamped, NaN gives 0.
func VCvtU32F64(s0 float64) uint32 {
	if s0 != s0 {
		return 0
	}
	return CvtU32FromF64RZI(s0)
}

// VCvtRpiI32F32 is v_cvt_rpi_i32_f32: floor(S0 + 0.5), clamped. A NaN gives
// the greatest integer, or the least if its sign is set.
func VCvtRpiI32F32(s0 float32) int32 {
	// The f64 sum is exact, or so far from an integer boundary that the error has no effect.
	return vcvtNaN(CvtS32FromF64RMI(float64(s0)+0.5), s0)
}

// VCvtFlrI32F32 is v_cvt_flr_i32_f32: floor(S0), clamped. A NaN gives the
// greatest integer, or the least if its sign is set.
func VCvtFlrI32F32(s0 float32) int32 { return vcvtNaN(CvtS32FromF32RMI(s0), s0) }

func vcvtNaN(r int32, s0 float32) int32 {
	if s0 != s0 {
		return math.MaxInt32 ^ int32(math.Float32bits(s0))>>31
	}
	return r
}

// VCvtOffF32I4 is v_cvt_off_f32_i4: the low four bits of S0, signed, over 16.
func VCvtOffF32I4(s0 uint32) float32 { return float32(int32(s0<<28)>>28) * 0x1p-4 }

// VCvtF32Ubyte0 is v_cvt_f32_ubyte0.
func VCvtF32Ubyte0(s0 uint32) float32 { return float32(uint8(s0)) }

// VCvtF32Ubyte1 is v_cvt_f32_ubyte1.
func VCvtF32Ubyte1(s0 uint32) float32 { return float32(uint8(s0 >> 8)) }

// VCvtF32Ubyte2 is v_cvt_f32_ubyte2.
func VCvtF32Ubyte2(s0 uint32) float32 { return float32(uint8(s0 >> 16)) }

// VCvtF32Ubyte3 is v_cvt_f32_ubyte3.
func VCvtF32Ubyte3(s0 uint32) float32 { return float32(uint8(s0 >> 24)) }

// VCvtPkU8F32 is v_cvt_pk_u8_f32 rounding to nearest even: S2 with byte
// S1[1:0] replaced by S0 clamped to 0..255; NaN gives 0.
func VCvtPkU8F32(s0 float32, s1, s2 uint32) uint32 {
	n := s1 & 3 * 8
	return s2&^(0xff<<n) | uint32(CvtU8FromF32RNI(s0))<<n
}

// VCvtPkrtzF16F32 is v_cvt_pkrtz_f16_f32: both toward zero, S0 in the low half.
func VCvtPkrtzF16F32(s0, s1 float32) uint32 { return Pack32(vcvtF16RZ(s0), vcvtF16RZ(s1)) }

func vcvtF16RZ(a float32) uint16 {
	if a != a {
		return VCvtF16F32(a)
	}
	return CvtF16FromF32RZ(a)
}

// VCvtPknormI16F32 is v_cvt_pknorm_i16_f32: S * 32767, to nearest even, clamped to -32767..32767;
// NaN gives 0; S0 in the low half.
func VCvtPknormI16F32(s0, s1 float32) uint32 { return Pack32(snorm16(s0), snorm16(s1)) }

func snorm16(a float32) uint16 {
	if a != a {
		return 0
	}
	return uint16(int16(math.RoundToEven(max(-32767, min(32767, float64(a)*32767)))))
}

// VCvtPknormU16F32 is v_cvt_pknorm_u16_f32: S * 65535, to nearest even, clamped
// to 0..65535; NaN gives 0; S0 in the low half.
func VCvtPknormU16F32(s0, s1 float32) uint32 { return Pack32(unorm16(s0), unorm16(s1)) }

func unorm16(a float32) uint16 {
	if a != a {
		return 0
	}
	return uint16(math.RoundToEven(max(0, min(65535, float64(a)*65535))))
}

// Division. A quotient S2 / S1 is computed from scaled operands by Newton steps. v_div_scale
// chooses the scale of the operand S0 (which is S1 or S2) and reports in VCC whether v_div_fmas
// must undo it. v_div_fixup replaces the quotient if an operand is special.
//
//	VCC = 0; D = S0
//	if      (S2 == 0 || S1 == 0)                   D = NAN
//	else if (exponent(S2) - exponent(S1) >= 96)    VCC = 1; if (S0 == S1) D = ldexp(S0, 64)
//	else if (S1 == DENORM)                         D = ldexp(S0, 64)
//	else if (1/S1 == DENORM && S2/S1 == DENORM)    VCC = 1; if (S0 == S1) D = ldexp(S0, -64)
//	else if (1/S1 == DENORM)                       D = ldexp(S0, -64)
//	else if (S2/S1 == DENORM)                      VCC = 1; if (S0 == S2) D = ldexp(S0, 64)
//	else if (exponent(S2) <= 23)                   D = ldexp(S0, 64)
//
// For f64 the constants are 768, 128 and 53.
//
// Errata: the manuals have ldexp(S0, +64) in the third case, in which S1 is near the greatest
// number, so the denominator would become infinity. For f32 they test 1/S1 in f64, where it is
// never denormal, although the result of v_rcp_f32 must not be denormal. S2/S1 == DENORM must also
// hold for quotients that round to zero, or 2^-150 is rounded twice. With the sign and the tests
// given here, the sequence yields correctly rounded quotients.

// divScale returns log2 of the scale and VCC. e1 and e2 are the biased exponents of S1 and S2. is1
// and is2 report whether S0 is S1 or S2. tiny1 and tinyQ report that 1/S1 and S2/S1 are denormal.
func divScale(e1, e2, far, step, low int, is1, is2, tiny1, tinyQ bool) (int, bool) {
	only := func(p bool, n int) int {
		if p {
			return n
		}
		return 0
	}
	switch {
	case e2-e1 >= far:
		return only(is1, step), true
	case e1 == 0:
		return step, false
	case tiny1 && tinyQ:
		return only(is1, -step), true
	case tiny1:
		return -step, false
	case tinyQ:
		return only(is2, step), true
	case e2 <= low:
		return step, false
	}
	return 0, false
}

func divScaleF32(s0, s1, s2 float32) (int, bool) {
	e1, e2 := int(math.Float32bits(s1)>>23&0xff), int(math.Float32bits(s2)>>23&0xff)
	return divScale(e1, e2, 96, 64, 23, s0 == s1, s0 == s2, IsSubnormalF32(1/s1), FlushF32(s2/s1) == 0)
}

func divScaleF64(s0, s1, s2 float64) (int, bool) {
	e1, e2 := int(math.Float64bits(s1)>>52&0x7ff), int(math.Float64bits(s2)>>52&0x7ff)
	return divScale(e1, e2, 768, 128, 53, s0 == s1, s0 == s2, IsSubnormalF64(1/s1), FlushF64(s2/s1) == 0)
}

// VDivScaleF32 is the value of v_div_scale_f32.
func VDivScaleF32(s0, s1, s2 float32) float32 {
	if s1 == 0 || s2 == 0 {
		return math.Float32frombits(VNaN32)
	}
	n, _ := divScaleF32(s0, s1, s2)
	return VLdexpF32(s0, int32(n))
}

// VDivScaleVccF32 is the VCC result of v_div_scale_f32.
func VDivScaleVccF32(s0, s1, s2 float32) bool {
	_, vcc := divScaleF32(s0, s1, s2)
	return vcc && s1 != 0 && s2 != 0
}

// VDivScaleF64 is the value of v_div_scale_f64.
func VDivScaleF64(s0, s1, s2 float64) float64 {
	if s1 == 0 || s2 == 0 {
		return math.Float64frombits(NaN64)
	}
	n, _ := divScaleF64(s0, s1, s2)
	return VLdexpF64(s0, int32(n))
}

// VDivScaleVccF64 is the VCC result of v_div_scale_f64.
func VDivScaleVccF64(s0, s1, s2 float64) bool {
	_, vcc := divScaleF64(s0, s1, s2)
	return vcc && s1 != 0 && s2 != 0
}

// VDivFmasF32 is v_div_fmas_f32: S0*S1 + S2. If VCC is set, the sum is multiplied by 2^64 for |S2|
// >= 2, else by 2^-64, and rounded once.
//
// Errata: the ISA has 2^32 in all cases, which does not undo the scale of v_div_scale_f32.
func VDivFmasF32(s0, s1, s2 float32, vcc bool) float32 {
	if !vcc {
		return VFmaF32(s0, s1, s2)
	}
	n := -64
	if AbsF32(s2) >= 2 {
		n = 64
	}
	s := addOdd(float64(float64(s0)*float64(s1)), float64(s2))
	r := float32(s * pow2(n))
	if r != r {
		return vnanF32(s0, s1, s2)
	}
	return r
}

// VDivFmasF64 is v_div_fmas_f64, with 2^128 and 2^-128; see [VDivFmasF32].
func VDivFmasF64(s0, s1, s2 float64, vcc bool) float64 {
	r := FmaF64(s0, s1, s2)
	if !vcc || !IsFiniteF64(r) {
		return r
	}
	n := -128
	if AbsF64(s2) >= 2 {
		n = 128
	}
	// Scale the unrounded sum, so that the result is rounded once.
	f := FormatF64()
	a, b, c := math.Float64bits(s0), math.Float64bits(s1), math.Float64bits(s2)
	return math.Float64frombits(f.fmaScaled(RN, a, b, c, n))
}

// fmaScaled returns (a*b + c) * 2^n, rounded once, for finite operands.
func (f Format) fmaScaled(mode RoundMode, a, b, c uint64, n int) uint64 {
	x, xc := f.unpack(a)
	y, yc := f.unpack(b)
	z, zc := f.unpack(c)
	s := z
	if xc == classFinite && yc == classFinite {
		s = mulWide(x, y)
		if zc == classFinite {
			s = addWide(s, z)
		}
	}
	s.exp += n
	return f.pack(mode, s)
}

// VDivFixupF32 is v_div_fixup_f32: S0 is the quotient, S1 the denominator, S2 the numerator.
//
// Errata: the ISA tests exponent(S1) == 255 for overflow, which the earlier cases exclude. The
// Newton steps yield a NaN quotient of numbers if the scaled quotient overflows. That NaN has to
// become infinity, and the CLRX documentation records that.
func VDivFixupF32(s0, s1, s2 float32) float32 {
	sign := (math.Float32bits(s1) ^ math.Float32bits(s2)) & sign32
	e1, e2 := int(math.Float32bits(s1)>>23&0xff), int(math.Float32bits(s2)>>23&0xff)
	switch {
	case s2 != s2:
		return quietNaN32(s2)
	case s1 != s1:
		return quietNaN32(s1)
	case s1 == 0 && s2 == 0, IsInfF32(s1) && IsInfF32(s2):
		return math.Float32frombits(VNaN32)
	case s1 == 0 || IsInfF32(s2):
		return math.Float32frombits(sign | exp32)
	case IsInfF32(s1) || s2 == 0 || e2-e1 < -150:
		return math.Float32frombits(sign)
	case s0 != s0:
		return math.Float32frombits(sign | exp32)
	}
	return math.Float32frombits(math.Float32bits(s0)&^sign32 | sign)
}

// VDivFixupF64 is v_div_fixup_f64; see [VDivFixupF32].
func VDivFixupF64(s0, s1, s2 float64) float64 {
	sign := (math.Float64bits(s1) ^ math.Float64bits(s2)) & sign64
	e1, e2 := int(math.Float64bits(s1)>>52&0x7ff), int(math.Float64bits(s2)>>52&0x7ff)
	switch {
	case s2 != s2:
		return quietNaN64(s2)
	case s1 != s1:
		return quietNaN64(s1)
	case s1 == 0 && s2 == 0, IsInfF64(s1) && IsInfF64(s2):
		return math.Float64frombits(NaN64)
	case s1 == 0 || IsInfF64(s2):
		return math.Float64frombits(sign | exp64)
	case IsInfF64(s1) || s2 == 0 || e2-e1 < -1075:
		return math.Float64frombits(sign)
	case s0 != s0:
		return math.Float64frombits(sign | exp64)
	}
	return math.Float64frombits(math.Float64bits(s0)&^sign64 | sign)
}
