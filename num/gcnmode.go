package num

import (
	"math"
	"math/bits"
)

// GCN3 operations in the forms that the MODE register selects (flushed denormals), the output
// modifiers, saturating integers, f16 arithmetic, and the lane counts of v_mbcnt. GCN3 ISA chapters
// 6 and 12.

// VAddF32Ftz is v_add_f32 with f32 denormals flushed in and out.
func VAddF32Ftz(s0, s1 float32) float32 { return FlushF32(VAddF32(FlushF32(s0), FlushF32(s1))) }

// VSubF32Ftz is v_sub_f32 with f32 denormals flushed in and out.
func VSubF32Ftz(s0, s1 float32) float32 { return FlushF32(VSubF32(FlushF32(s0), FlushF32(s1))) }

// VMulF32Ftz is v_mul_f32 with f32 denormals flushed in and out.
func VMulF32Ftz(s0, s1 float32) float32 { return FlushF32(VMulF32(FlushF32(s0), FlushF32(s1))) }

// VFmaF32Ftz is v_fma_f32 with f32 denormals flushed in and out.
func VFmaF32Ftz(s0, s1, s2 float32) float32 {
	return FlushF32(VFmaF32(FlushF32(s0), FlushF32(s1), FlushF32(s2)))
}

// VOModF32 applies the output modifier OMOD of VOP3: 1 doubles, 2 quadruples, 3 halves. It acts
// only if denormal results are flushed; it flushes its result and turns -0 into +0. GCN3 ISA 6.2.3.
func VOModF32(r float32, omod uint32) float32 {
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
	if r = FlushF32(r); r == 0 {
		return 0
	}
	return r
}

// VClampF32 is the clamp output modifier with DX10_CLAMP off: it clamps to 0..1, and keeps a NaN.
// With DX10_CLAMP on it is [SatF32].
func VClampF32(r float32) float32 {
	if r != r {
		return r
	}
	return SatF32(r)
}

// VClampF64 is [VClampF32] for f64.
func VClampF64(r float64) float64 {
	if r != r {
		return r
	}
	return SatF64(r)
}

// VClampF16 is [VClampF32] for f16.
func VClampF16(r uint16) uint16 {
	if IsNaNF16(r) {
		return r
	}
	return SatF16(r)
}

// AddSatU32 is v_add_u32 with clamp: 2^32-1 on overflow.
func AddSatU32(s0, s1 uint32) uint32 {
	if r := s0 + s1; r >= s0 {
		return r
	}
	return math.MaxUint32
}

// SubSatU32 is v_sub_u32 with clamp: 0 on borrow.
func SubSatU32(s0, s1 uint32) uint32 { return max(s0, s1) - s1 }

// AddSatU16 is v_add_u16 with clamp.
func AddSatU16(s0, s1 uint16) uint16 { return uint16(min(uint32(s0)+uint32(s1), 0xffff)) }

// SubSatU16 is v_sub_u16 with clamp.
func SubSatU16(s0, s1 uint16) uint16 { return max(s0, s1) - s1 }

// vnanF16 returns r, or the first NaN operand, quiet, if r is a NaN.
func vnanF16(r, a, b, c uint16) uint16 {
	if !IsNaNF16(r) {
		return r
	}
	for _, x := range [...]uint16{a, b, c} {
		if IsNaNF16(x) {
			return x | 0x200
		}
	}
	return VNaN16
}

// VAddF16 is v_add_f16.
func VAddF16(s0, s1 uint16) uint16 { return vnanF16(AddF16(s0, s1), s0, s1, 0) }

// VSubF16 is v_sub_f16.
func VSubF16(s0, s1 uint16) uint16 { return vnanF16(SubF16(s0, s1), s0, s1, 0) }

// VMulF16 is v_mul_f16.
func VMulF16(s0, s1 uint16) uint16 { return vnanF16(MulF16(s0, s1), s0, s1, 0) }

// VFmaF16 is v_fma_f16, rounded once.
func VFmaF16(s0, s1, s2 uint16) uint16 { return vnanF16(FmaF16(s0, s1, s2), s0, s1, s2) }

// VMadF16 is v_mad_f16, v_mac_f16, v_madmk_f16 and v_madak_f16: the product is rounded before the
// addition, and denormals are flushed, independent of MODE.
func VMadF16(s0, s1, s2 uint16) uint16 {
	s0, s1, s2 = FlushF16(s0), FlushF16(s1), FlushF16(s2)
	return FlushF16(vnanF16(AddF16(FlushF16(MulF16(s0, s1)), s2), s0, s1, s2))
}

// VMinF16 is v_min_f16 with IEEE mode on, see [VMinF32].
func VMinF16(s0, s1 uint16) uint16 {
	if x, ok := vpickF16(s0, s1); ok {
		return x
	}
	return MinF16(s0, s1)
}

// VMaxF16 is v_max_f16 with IEEE mode on.
func VMaxF16(s0, s1 uint16) uint16 {
	if x, ok := vpickF16(s0, s1); ok {
		return x
	}
	return MaxF16(s0, s1)
}

// vpickF16 returns the result of min and max if there is a NaN.
func vpickF16(s0, s1 uint16) (uint16, bool) {
	snan := func(a uint16) bool { return IsNaNF16(a) && a&0x200 == 0 }
	switch {
	case snan(s0):
		return s0 | 0x200, true
	case snan(s1):
		return s1 | 0x200, true
	case IsNaNF16(s0):
		return s1, true
	case IsNaNF16(s1):
		return s0, true
	}
	return 0, false
}

// VRndneF16 is v_rndne_f16.
func VRndneF16(s0 uint16) uint16 { return vnanF16(RndneF16(s0), s0, 0, 0) }

// VTruncF16 is v_trunc_f16.
func VTruncF16(s0 uint16) uint16 { return vnanF16(TruncF16(s0), s0, 0, 0) }

// VFloorF16 is v_floor_f16.
func VFloorF16(s0 uint16) uint16 { return vnanF16(FloorF16(s0), s0, 0, 0) }

// VCeilF16 is v_ceil_f16.
func VCeilF16(s0 uint16) uint16 { return vnanF16(CeilF16(s0), s0, 0, 0) }

// VMbcntLoU32B32 is v_mbcnt_lo_u32_b32 in the given lane: S1 plus the ones of S0
// below it.
//
//	ThreadMask = (1 << ThreadPosition) - 1
//	D.u = CountOneBits(S0.u & ThreadMask[31:0]) + S1.u
func VMbcntLoU32B32(s0, s1, lane uint32) uint32 {
	mask := uint64(1)<<(lane&63) - 1
	return uint32(bits.OnesCount32(s0&uint32(mask))) + s1
}

// VMbcntHiU32B32 is v_mbcnt_hi_u32_b32; S0 holds the mask of lanes 32 to 63.
//
//	ThreadMask = (1 << ThreadPosition) - 1
//	D.u = CountOneBits(S0.u & ThreadMask[63:32]) + S1.u
func VMbcntHiU32B32(s0, s1, lane uint32) uint32 {
	mask := uint64(1)<<(lane&63) - 1
	return uint32(bits.OnesCount32(s0&uint32(mask>>32))) + s1
}

// VDivFixupF16 is v_div_fixup_f16: S0 is the quotient, S1 the denominator, S2 the
// numerator; see [VDivFixupF32].
func VDivFixupF16(s0, s1, s2 uint16) uint16 {
	sign := (s1 ^ s2) & 0x8000
	m1, m2 := s1&0x7fff, s2&0x7fff
	switch {
	case m2 > 0x7c00:
		return s2 | 0x200
	case m1 > 0x7c00:
		return s1 | 0x200
	case m1 == 0 && m2 == 0, m1 == 0x7c00 && m2 == 0x7c00:
		return VNaN16
	case m1 == 0 || m2 == 0x7c00:
		return sign | 0x7c00
	case m1 == 0x7c00 || m2 == 0:
		return sign
	}
	return s0&0x7fff | sign
}
