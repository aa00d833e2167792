package num

import "math"

// GCN3 float operations under any MODE. The last argument, mode, holds the bits of the MODE
// register, GCN3 ISA 3.6: 1:0 FP_ROUND of f32, 3:2 of f64 and f16 (0 to nearest even, 1 up, 2 down,
// 3 toward zero); 4 and 5 whether f32 denormals are kept in and out; 6 and 7 the same for f64 and
// f16; 8 DX10_CLAMP; 9 IEEE. The functions of gcnfloat.go and gcnmode.go cover the usual modes
// faster.

func round32(mode uint32) RoundMode { return [...]RoundMode{RN, RP, RM, RZ}[mode&3] }
func round64(mode uint32) RoundMode { return round32(mode >> 2) }

func vbits32(u uint64, a, b, c float32) float32 {
	r := math.Float32frombits(uint32(u))
	if r != r {
		return vnanF32(a, b, c)
	}
	return r
}

func vbits64(u uint64, a, b, c float64) float64 {
	r := math.Float64frombits(u)
	if r != r {
		return nanF64(a, b, c)
	}
	return r
}

func u32(a float32) uint64 { return uint64(math.Float32bits(a)) }

// VAddF32Round is v_add_f32.
func VAddF32Round(s0, s1 float32, mode uint32) float32 {
	return vbits32(FormatF32().Add(round32(mode), u32(s0), u32(s1)), s0, s1, 0)
}

// VSubF32Round is v_sub_f32.
func VSubF32Round(s0, s1 float32, mode uint32) float32 {
	return vbits32(FormatF32().Sub(round32(mode), u32(s0), u32(s1)), s0, s1, 0)
}

// VMulF32Round is v_mul_f32.
func VMulF32Round(s0, s1 float32, mode uint32) float32 {
	return vbits32(FormatF32().Mul(round32(mode), u32(s0), u32(s1)), s0, s1, 0)
}

// VMulLegacyF32Round is v_mul_legacy_f32, see [VMulLegacyF32].
func VMulLegacyF32Round(s0, s1 float32, mode uint32) float32 {
	if s0 == 0 || s1 == 0 {
		return 0
	}
	return VMulF32Round(s0, s1, mode)
}

// VFmaF32Round is v_fma_f32.
func VFmaF32Round(s0, s1, s2 float32, mode uint32) float32 {
	return vbits32(FormatF32().Fma(round32(mode), u32(s0), u32(s1), u32(s2)), s0, s1, s2)
}

// VMadF32Round is v_mad_f32, see [VMadF32]: product and sum are rounded.
func VMadF32Round(s0, s1, s2 float32, mode uint32) float32 {
	s0, s1, s2 = FlushF32(s0), FlushF32(s1), FlushF32(s2)
	f, rm := FormatF32(), round32(mode)
	p := FlushF32(math.Float32frombits(uint32(f.Mul(rm, u32(s0), u32(s1)))))
	return FlushF32(vbits32(f.Add(rm, u32(p), u32(s2)), s0, s1, s2))
}

// VMadLegacyF32Round is v_mad_legacy_f32, see [VMadLegacyF32].
func VMadLegacyF32Round(s0, s1, s2 float32, mode uint32) float32 {
	if FlushF32(s0) == 0 || FlushF32(s1) == 0 {
		return VMadF32Round(0, 0, s2, mode)
	}
	return VMadF32Round(s0, s1, s2, mode)
}

// scaled returns v * 2^n, rounded once.
func (f Format) scaled(mode RoundMode, v uint64, n int) uint64 {
	w, c := f.unpack(v)
	if c != classFinite {
		return v
	}
	w.exp += n
	return f.pack(mode, w)
}

// VLdexpF32Round is v_ldexp_f32.
func VLdexpF32Round(s0 float32, s1 int32, mode uint32) float32 {
	return vbits32(FormatF32().scaled(round32(mode), u32(s0), clampInt(s1, -300, 300)), s0, 0, 0)
}

// VLdexpF64Round is v_ldexp_f64.
func VLdexpF64Round(s0 float64, s1 int32, mode uint32) float64 {
	return vbits64(FormatF64().scaled(round64(mode), math.Float64bits(s0), clampInt(s1, -3000, 3000)), s0, 0, 0)
}

// VLdexpF16Round is v_ldexp_f16.
func VLdexpF16Round(s0 uint16, s1 int16, mode uint32) uint16 {
	return vnanF16(uint16(FormatF16().scaled(round64(mode), uint64(s0), clampInt(int32(s1), -60, 60))), s0, 0, 0)
}

// VCvtF32F64Round is v_cvt_f32_f64.
func VCvtF32F64Round(s0 float64, mode uint32) float32 {
	if s0 != s0 {
		return VCvtF32F64(s0)
	}
	return math.Float32frombits(uint32(FormatF32().Convert(round32(mode), FormatF64(), math.Float64bits(s0))))
}

// VCvtF16F32Round is v_cvt_f16_f32.
func VCvtF16F32Round(s0 float32, mode uint32) uint16 {
	if s0 != s0 {
		return VCvtF16F32(s0)
	}
	return uint16(FormatF16().Convert(round64(mode), FormatF32(), u32(s0)))
}

// VCvtF32I32Round is v_cvt_f32_i32.
func VCvtF32I32Round(s0 int32, mode uint32) float32 {
	return math.Float32frombits(uint32(FormatF32().FromUint(round32(mode), s0 < 0, uint64(AbsS64(int64(s0))))))
}

// VCvtF32U32Round is v_cvt_f32_u32.
func VCvtF32U32Round(s0, mode uint32) float32 {
	return math.Float32frombits(uint32(FormatF32().FromUint(round32(mode), false, uint64(s0))))
}

// VCvtF16I16Round is v_cvt_f16_i16.
func VCvtF16I16Round(s0 int16, mode uint32) uint16 {
	return uint16(FormatF16().FromUint(round64(mode), s0 < 0, uint64(AbsS64(int64(s0)))))
}

// VCvtF16U16Round is v_cvt_f16_u16.
func VCvtF16U16Round(s0 uint16, mode uint32) uint16 {
	return uint16(FormatF16().FromUint(round64(mode), false, uint64(s0)))
}

// VCvtPkU8F32Round is v_cvt_pk_u8_f32, see [VCvtPkU8F32].
func VCvtPkU8F32Round(s0 float32, s1, s2, mode uint32) uint32 {
	var v float64
	switch x := float64(s0); round32(mode) {
	case RP:
		v = math.Ceil(x)
	case RM:
		v = math.Floor(x)
	case RZ:
		v = math.Trunc(x)
	default:
		v = math.RoundToEven(x)
	}
	var b uint32
	if v > 0 { // not for a NaN
		b = uint32(min(v, 255))
	}
	n := s1 & 3 * 8
	return s2&^(0xff<<n) | b<<n
}

// VAddF64Round is v_add_f64.
func VAddF64Round(s0, s1 float64, mode uint32) float64 {
	return vbits64(FormatF64().Add(round64(mode), math.Float64bits(s0), math.Float64bits(s1)), s0, s1, 0)
}

// VMulF64Round is v_mul_f64.
func VMulF64Round(s0, s1 float64, mode uint32) float64 {
	return vbits64(FormatF64().Mul(round64(mode), math.Float64bits(s0), math.Float64bits(s1)), s0, s1, 0)
}

// VFmaF64Round is v_fma_f64.
func VFmaF64Round(s0, s1, s2 float64, mode uint32) float64 {
	return vbits64(FormatF64().Fma(round64(mode), math.Float64bits(s0), math.Float64bits(s1), math.Float64bits(s2)), s0, s1, s2)
}

// VDivFmasScaledF32Round is v_div_fmas_f32 with VCC set, see [VDivFmasF32].
func VDivFmasScaledF32Round(s0, s1, s2 float32, mode uint32) float32 {
	if r := VFmaF32(s0, s1, s2); !IsFiniteF32(r) && (!IsFiniteF32(s0) || !IsFiniteF32(s1) || !IsFiniteF32(s2)) {
		return r
	}
	n := -64
	if AbsF32(s2) >= 2 {
		n = 64
	}
	return math.Float32frombits(uint32(FormatF32().fmaScaled(round32(mode), u32(s0), u32(s1), u32(s2), n)))
}

// VDivFmasScaledF64Round is v_div_fmas_f64 with VCC set, see [VDivFmasF64].
func VDivFmasScaledF64Round(s0, s1, s2 float64, mode uint32) float64 {
	if r := FmaF64(s0, s1, s2); !IsFiniteF64(r) {
		return r
	}
	n := -128
	if AbsF64(s2) >= 2 {
		n = 128
	}
	return math.Float64frombits(FormatF64().fmaScaled(round64(mode), math.Float64bits(s0), math.Float64bits(s1), math.Float64bits(s2), n))
}

// VAddF16Round is v_add_f16.
func VAddF16Round(s0, s1 uint16, mode uint32) uint16 {
	return vnanF16(uint16(FormatF16().Add(round64(mode), uint64(s0), uint64(s1))), s0, s1, 0)
}

// VSubF16Round is v_sub_f16.
func VSubF16Round(s0, s1 uint16, mode uint32) uint16 {
	return vnanF16(uint16(FormatF16().Sub(round64(mode), uint64(s0), uint64(s1))), s0, s1, 0)
}

// VMulF16Round is v_mul_f16.
func VMulF16Round(s0, s1 uint16, mode uint32) uint16 {
	return vnanF16(uint16(FormatF16().Mul(round64(mode), uint64(s0), uint64(s1))), s0, s1, 0)
}

// VFmaF16Round is v_fma_f16.
func VFmaF16Round(s0, s1, s2 uint16, mode uint32) uint16 {
	return vnanF16(uint16(FormatF16().Fma(round64(mode), uint64(s0), uint64(s1), uint64(s2))), s0, s1, s2)
}

// VMadF16Round is v_mad_f16, see [VMadF16]: product and sum are rounded.
func VMadF16Round(s0, s1, s2 uint16, mode uint32) uint16 {
	s0, s1, s2 = FlushF16(s0), FlushF16(s1), FlushF16(s2)
	f, rm := FormatF16(), round64(mode)
	p := FlushF16(uint16(f.Mul(rm, uint64(s0), uint64(s1))))
	return FlushF16(vnanF16(uint16(f.Add(rm, uint64(p), uint64(s2))), s0, s1, s2))
}

// VFlushInF32 flushes a denormal operand if MODE requires it.
func VFlushInF32(s0 float32, mode uint32) float32 {
	if mode>>4&1 == 0 {
		return FlushF32(s0)
	}
	return s0
}

// VFlushOutF32 flushes a denormal result if MODE requires it.
func VFlushOutF32(s0 float32, mode uint32) float32 { return VFlushInF32(s0, mode>>1) }

// VFlushInF64 is [VFlushInF32] for f64.
func VFlushInF64(s0 float64, mode uint32) float64 {
	if mode>>6&1 == 0 {
		return FlushF64(s0)
	}
	return s0
}

// VFlushOutF64 is [VFlushOutF32] for f64.
func VFlushOutF64(s0 float64, mode uint32) float64 { return VFlushInF64(s0, mode>>1) }

// VFlushInF16 is [VFlushInF32] for f16.
func VFlushInF16(s0 uint16, mode uint32) uint16 {
	if mode>>6&1 == 0 {
		return FlushF16(s0)
	}
	return s0
}

// VFlushOutF16 is [VFlushOutF32] for f16.
func VFlushOutF16(s0 uint16, mode uint32) uint16 { return VFlushInF16(s0, mode>>1) }

// VClampModeF32 is the clamp output modifier, see [VClampF32].
func VClampModeF32(r float32, mode uint32) float32 {
	if mode>>8&1 == 0 {
		return VClampF32(r)
	}
	return SatF32(r)
}

// VClampModeF64 is [VClampModeF32] for f64.
func VClampModeF64(r float64, mode uint32) float64 {
	if mode>>8&1 == 0 {
		return VClampF64(r)
	}
	return SatF64(r)
}

// VClampModeF16 is [VClampModeF32] for f16.
func VClampModeF16(r uint16, mode uint32) uint16 {
	if mode>>8&1 == 0 {
		return VClampF16(r)
	}
	return SatF16(r)
}

// omodActs reports whether the output modifier has an effect. GCN3 ISA 6.2.3: it is ignored if
// denormal results are kept, and if IEEE is on. shift is 5 for f32, 7 for f64 and f16.
func omodActs(mode uint32, shift uint) bool { return mode>>shift&1 == 0 && mode>>9&1 == 0 }

// VOModModeF32 is [VOModF32] if MODE allows it.
func VOModModeF32(r float32, omod, mode uint32) float32 {
	if omodActs(mode, 5) {
		return VOModF32(r, omod)
	}
	return r
}

// VOModModeF64 is [VOModF64] if MODE allows it.
func VOModModeF64(r float64, omod, mode uint32) float64 {
	if omodActs(mode, 7) {
		return VOModF64(r, omod)
	}
	return r
}

// VOModModeF16 is [VOModF16] if MODE allows it.
func VOModModeF16(r uint16, omod, mode uint32) uint16 {
	if omodActs(mode, 7) {
		return VOModF16(r, omod)
	}
	return r
}

// VOModF64 is [VOModF32] for f64.
func VOModF64(r float64, omod uint32) float64 {
	switch omod & 3 {
	case 0:
		return r
	case 1:
		r *= 2
	case 2:
		r *= 4
	default:
		r *= 0.5
	}
	if r = FlushF64(r); r == 0 {
		return 0
	}
	return r
}

// VOModF16 is [VOModF32] for f16.
func VOModF16(r uint16, omod uint32) uint16 {
	if omod&3 == 0 || IsNaNF16(r) {
		return r
	}
	x := float64(CvtF32FromF16(r)) * [...]float64{1, 2, 4, 0.5}[omod&3]
	if r = FlushF16(CvtF16FromF64(x)); r&0x7fff == 0 {
		return 0
	}
	return r
}
