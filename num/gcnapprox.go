package num

import "math"

// The approximate functions of GCN3. All f32 ones flush denormal inputs and results, independent of
// MODE: the ISA's tables of MODE do not cover the transcendental unit, and the CLRX documentation
// records the flushing for most of them.

// vapproxF32 returns r = f(s0) with denormals flushed and NaN passed on; a NaN result of a number
// is VNaN32.
func vapproxF32(s0 float32, r float64) float32 {
	if r != r {
		return vnanF32(s0, 0, 0)
	}
	return FlushF32(float32(r))
}

// VRcpF32 is v_rcp_f32 and v_rcp_iflag_f32.
func VRcpF32(s0 float32) float32 { return vapproxF32(s0, 1/float64(FlushF32(s0))) }

// VRsqF32 is v_rsq_f32.
func VRsqF32(s0 float32) float32 { return vapproxF32(s0, rsqrtf64(float64(FlushF32(s0)))) }

// VSqrtF32 is v_sqrt_f32.
func VSqrtF32(s0 float32) float32 { return vapproxF32(s0, math.Sqrt(float64(FlushF32(s0)))) }

// VExpF32 is v_exp_f32: 2^S0, and 0 for S0 < -126.
func VExpF32(s0 float32) float32 {
	if s0 != s0 {
		return quietNaN32(s0)
	}
	return FlushF32(Ex2ApproxF32(FlushF32(s0)))
}

// VLogF32 is v_log_f32: the binary logarithm.
func VLogF32(s0 float32) float32 {
	r := Lg2ApproxF32(FlushF32(s0))
	if r != r {
		return vnanF32(s0, 0, 0)
	}
	return FlushF32(r)
}

// VSinF32 is v_sin_f32: the sine of S0 revolutions, for |S0| <= 256; +0 beyond.
func VSinF32(s0 float32) float32 {
	r, ok := revolutions(s0)
	if !ok {
		return vnanF32(s0, 0, 0)
	}
	if AbsF32(s0) > 256 {
		return 0
	}
	if z := FlushF32(s0); z == 0 {
		return z
	}
	return FlushF32(float32(sinTurns(r, 0)))
}

// VCosF32 is v_cos_f32: the cosine of S0 revolutions, for |S0| <= 256; 1 beyond.
func VCosF32(s0 float32) float32 {
	r, ok := revolutions(s0)
	if !ok {
		return vnanF32(s0, 0, 0)
	}
	if AbsF32(s0) > 256 {
		return 1
	}
	return float32(sinTurns(r, 1))
}

// revolutions returns s0 modulo 1 in [-1/2, 1/2], exactly; ok is false for
// infinity and NaN.
func revolutions(s0 float32) (r float64, ok bool) {
	x := float64(FlushF32(s0))
	return x - math.RoundToEven(x), IsFiniteF32(s0)
}

// sinTurns returns the sine of r revolutions plus q quarter turns; zeros are
// positive.
func sinTurns(r float64, q uint64) float64 {
	k := math.RoundToEven(4 * r)
	return sinQuadrant(float64((r-float64(k/4))*(2*math.Pi)), q+uint64(int64(k))) + 0
}

// VRcpF64 is v_rcp_f64.
func VRcpF64(s0 float64) float64 { return RcpF64(s0) }

// VRsqF64 is v_rsq_f64.
func VRsqF64(s0 float64) float64 { return RsqrtApproxF64(s0) }

// VSqrtF64 is v_sqrt_f64.
func VSqrtF64(s0 float64) float64 { return SqrtF64(s0) }

// VNaN16 is the NaN of f16 operations on numbers. Unspecified: by analogy with
// [VNaN32].
const VNaN16 = 0xfe00

// vapproxF16 rounds r, a function of s0, to f16.
func vapproxF16(s0 uint16, r float64) uint16 {
	switch {
	case IsNaNF16(s0):
		return s0 | 0x200
	case r != r:
		return VNaN16
	}
	return CvtF16FromF64(r)
}

// VRcpF16 is v_rcp_f16.
func VRcpF16(s0 uint16) uint16 { return vapproxF16(s0, 1/float64(CvtF32FromF16(s0))) }

// VSqrtF16 is v_sqrt_f16.
func VSqrtF16(s0 uint16) uint16 { return vapproxF16(s0, math.Sqrt(float64(CvtF32FromF16(s0)))) }

// VRsqF16 is v_rsq_f16.
func VRsqF16(s0 uint16) uint16 { return vapproxF16(s0, rsqrtf64(float64(CvtF32FromF16(s0)))) }

// VExpF16 is v_exp_f16: 2^S0.
func VExpF16(s0 uint16) uint16 {
	return vapproxF16(s0, exp2f64(float64(max(-200, min(200, CvtF32FromF16(s0&^nanMask16(s0)))))))
}

// VLogF16 is v_log_f16: the binary logarithm.
func VLogF16(s0 uint16) uint16 { return vapproxF16(s0, float64(Lg2ApproxF32(CvtF32FromF16(s0)))) }

// VSinF16 is v_sin_f16: the sine of S0 revolutions, for |S0| <= 256; +0 beyond.
func VSinF16(s0 uint16) uint16 { return vapproxF16(s0, float64(VSinF32(CvtF32FromF16(s0)))) }

// VCosF16 is v_cos_f16: the cosine of S0 revolutions, for |S0| <= 256; 1
// beyond.
func VCosF16(s0 uint16) uint16 { return vapproxF16(s0, float64(VCosF32(CvtF32FromF16(s0)))) }

// nanMask16 returns a mask that clears a NaN to zero, because pow2 needs a number.
func nanMask16(a uint16) uint16 {
	if IsNaNF16(a) {
		return 0xffff
	}
	return 0
}

// VFractF16 is v_fract_f16: S0 - floor(S0), which never reaches 1.
func VFractF16(s0 uint16) uint16 {
	x := CvtF32FromF16(s0)
	return min(vapproxF16(s0, float64(x)-math.Floor(float64(x))), 0x3bff|nanBits16(s0))
}

// nanBits16 is all ones if the fraction of a is a NaN, so that a minimum with
// it leaves the NaN alone.
func nanBits16(a uint16) uint16 {
	if a&0x7c00 == 0x7c00 {
		return 0xffff
	}
	return 0
}
