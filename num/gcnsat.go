package num

import "math"

// The integer operations of GCN3 with clamp, which saturate: the result is the value of the
// destination's type that is nearest to the exact result. LLVM's description of the modifier: "the
// result must be clamped to the largest and smallest representable value".

// AddcSatU32 is v_addc_u32 with clamp.
func AddcSatU32(s0, s1 uint32, c bool) uint32 {
	return satU32(uint64(s0) + uint64(s1) + uint64(B2U32(c)))
}

// SubbSatU32 is v_subb_u32 with clamp.
func SubbSatU32(s0, s1 uint32, c bool) uint32 {
	if s := uint64(s1) + uint64(B2U32(c)); s < uint64(s0) {
		return uint32(uint64(s0) - s)
	}
	return 0
}

func satU32(v uint64) uint32 { return uint32(min(v, math.MaxUint32)) }
func satS32(v int64) int32   { return int32(max(math.MinInt32, min(math.MaxInt32, v))) }

// VMul24SatU32 is v_mul_u32_u24 with clamp.
func VMul24SatU32(s0, s1 uint32) uint32 { return satU32(u24(s0) * u24(s1)) }

// VMul24SatS32 is v_mul_i32_i24 with clamp.
func VMul24SatS32(s0, s1 int32) int32 { return satS32(s24(s0) * s24(s1)) }

// VMad24SatU32 is v_mad_u32_u24 with clamp.
func VMad24SatU32(s0, s1, s2 uint32) uint32 { return satU32(u24(s0)*u24(s1) + uint64(s2)) }

// VMad24SatS32 is v_mad_i32_i24 with clamp.
func VMad24SatS32(s0, s1, s2 int32) int32 { return satS32(s24(s0)*s24(s1) + int64(s2)) }

// VMadSatU16 is v_mad_u16 with clamp.
func VMadSatU16(s0, s1, s2 uint16) uint16 {
	return uint16(min(uint64(s0)*uint64(s1)+uint64(s2), math.MaxUint16))
}

// VMadSatS16 is v_mad_i16 with clamp.
func VMadSatS16(s0, s1, s2 int16) int16 {
	return int16(max(math.MinInt16, min(math.MaxInt16, int64(s0)*int64(s1)+int64(s2))))
}

// VMadWideSatU32 is v_mad_u64_u32 with clamp.
func VMadWideSatU32(s0, s1 uint32, s2 uint64) uint64 {
	if MadWideCU32(s0, s1, s2) {
		return math.MaxUint64
	}
	return MadWideU32(s0, s1, s2)
}

// VMadWideSatS32 is v_mad_i64_i32 with clamp.
func VMadWideSatS32(s0, s1 int32, s2 int64) int64 {
	switch {
	case !MadWideOvfS32(s0, s1, s2):
		return MadWideS32(s0, s1, s2)
	case s2 < 0: // the product has the same sign
		return math.MinInt64
	}
	return math.MaxInt64
}

// VSadSatU8 is v_sad_u8 with clamp.
func VSadSatU8(s0, s1, s2 uint32) uint32 { return AddSatU32(VSadU8(s0, s1, 0), s2) }

// VSadHiSatU8 is v_sad_hi_u8 with clamp.
func VSadHiSatU8(s0, s1, s2 uint32) uint32 { return AddSatU32(VSadHiU8(s0, s1, 0), s2) }

// VSadSatU16 is v_sad_u16 with clamp.
func VSadSatU16(s0, s1, s2 uint32) uint32 { return AddSatU32(VSadU16(s0, s1, 0), s2) }

// VSadSatU32 is v_sad_u32 with clamp.
func VSadSatU32(s0, s1, s2 uint32) uint32 { return AddSatU32(absdiff(s0, s1), s2) }

// VMsadSatU8 is v_msad_u8 with clamp.
func VMsadSatU8(s0, s1, s2 uint32) uint32 { return AddSatU32(VMsadU8(s0, s1, 0), s2) }

// VQsadSatPkU16U8 is v_qsad_pk_u16_u8 with clamp: each half saturates.
func VQsadSatPkU16U8(s0 uint64, s1 uint32, s2 uint64) uint64 {
	var d uint64
	for i := range 4 {
		h := VSadU8(uint32(s0>>(8*i)), s1, uint32(s2>>(16*i)&0xffff))
		d |= uint64(min(h, 0xffff)) << (16 * i)
	}
	return d
}

// VMqsadSatPkU16U8 is v_mqsad_pk_u16_u8 with clamp.
func VMqsadSatPkU16U8(s0 uint64, s1 uint32, s2 uint64) uint64 {
	var d uint64
	for i := range 4 {
		h := VMsadU8(uint32(s0>>(8*i)), s1, uint32(s2>>(16*i)&0xffff))
		d |= uint64(min(h, 0xffff)) << (16 * i)
	}
	return d
}
