package num

import "math/bits"

// Integer operations of GCN3 that differ from the neutral ones. GCN3 ISA,
// chapters 12 and 13; operands are S0, S1 and S2 of the instruction, in order.

// VBfeU32 is v_bfe_u32: the field of S2[4:0] bits that starts at bit S1[4:0].
func VBfeU32(s0, s1, s2 uint32) uint32 { return s0 >> (s1 & 31) & (1<<(s2&31) - 1) }

// VBfeI32 is v_bfe_i32: the sign is the last bit of the field; a field that reaches beyond bit 31
// is filled with the sign of S0.
func VBfeI32(s0 int32, s1, s2 uint32) int32 { return BfeS32(s0, s1&31, s2&31) }

// SBfeU32 is s_bfe_u32: offset S1[4:0], width S1[22:16] clamped to the word.
func SBfeU32(s0, s1 uint32) uint32 { return BfeU32(s0, s1&31, s1>>16&0x7f) }

// SBfeI32 is s_bfe_i32.
func SBfeI32(s0 int32, s1 uint32) int32 { return BfeS32(s0, s1&31, s1>>16&0x7f) }

// SBfeU64 is s_bfe_u64: offset S1[5:0], width S1[22:16].
func SBfeU64(s0 uint64, s1 uint32) uint64 { return BfeU64(s0, s1&63, s1>>16&0x7f) }

// SBfeI64 is s_bfe_i64.
func SBfeI64(s0 int64, s1 uint32) int64 { return BfeS64(s0, s1&63, s1>>16&0x7f) }

// VBfiB32 is v_bfi_b32: bits of S1 where S0 is set, else of S2.
func VBfiB32(s0, s1, s2 uint32) uint32 { return s0&s1 | s2&^s0 }

// BfmB32 is v_bfm_b32 and s_bfm_b32: S0[4:0] ones starting at bit S1[4:0].
func BfmB32(s0, s1 uint32) uint32 { return (1<<(s0&31) - 1) << (s1 & 31) }

// BfmB64 is s_bfm_b64: S0[5:0] ones starting at bit S1[5:0].
func BfmB64(s0, s1 uint32) uint64 { return (1<<(s0&63) - 1) << (s1 & 63) }

// VAlignbitB32 is v_alignbit_b32: the lower word of [S0, S1] >> S2[4:0].
func VAlignbitB32(s0, s1, s2 uint32) uint32 { return s1>>(s2&31) | s0<<(32-s2&31) }

// VAlignbyteB32 is v_alignbyte_b32: the lower word of [S0, S1] >> 8*S2[1:0].
func VAlignbyteB32(s0, s1, s2 uint32) uint32 { return VAlignbitB32(s0, s1, s2&3*8) }

// VPermB32 is v_perm_b32: byte i of S2 selects byte i of the result from [S0, S1], with S1 as bytes
// 3:0. Selectors 8 to 11 replicate the sign of bytes 1, 3, 5 and 7; 12 gives 0x00; 13 and above
// give 0xff.
func VPermB32(s0, s1, s2 uint32) uint32 {
	v := uint64(s0)<<32 | uint64(s1)
	return permByte(v, s2) | permByte(v, s2>>8)<<8 | permByte(v, s2>>16)<<16 | permByte(v, s2>>24)<<24
}

// permByte returns the byte that one selector of VPermB32 selects.
func permByte(v uint64, sel uint32) uint32 {
	sel &= 0xff
	switch {
	case sel < 8:
		return uint32(uint8(v >> (8 * sel)))
	case sel < 12:
		return uint32(v>>(16*(sel-8)+15)&1) * 0xff
	case sel == 12:
		return 0
	}
	return 0xff
}

// VBcntU32B32 is v_bcnt_u32_b32: S1 plus the ones of S0.
func VBcntU32B32(s0, s1 uint32) uint32 { return Popc32(s0) + s1 }

// Bcnt0B32 is s_bcnt0_i32_b32: it counts zeros.
func Bcnt0B32(s0 uint32) uint32 { return Popc32(^s0) }

// Bcnt0B64 is s_bcnt0_i32_b64: it counts zeros.
func Bcnt0B64(s0 uint64) uint32 { return Popc64(^s0) }

// FfbhU32 is v_ffbh_u32 and s_flbit_i32_b32: leading zeros; -1 for 0.
func FfbhU32(s0 uint32) uint32 { return BfindShiftamtU32(s0) }

// FfbhU64 is s_flbit_i32_b64: leading zeros; -1 for 0.
func FfbhU64(s0 uint64) uint32 { return BfindShiftamtU64(s0) }

// FfbhI32 is v_ffbh_i32 and s_flbit_i32: leading bits equal to the sign; -1 if
// all are.
func FfbhI32(s0 int32) uint32 { return BfindShiftamtS32(s0) }

// FfbhI64 is s_flbit_i32_i64: leading bits equal to the sign; -1 if all are.
func FfbhI64(s0 int64) uint32 { return BfindShiftamtS64(s0) }

// FfblB32 is v_ffbl_b32 and s_ff1_i32_b32: trailing zeros; -1 for 0.
func FfblB32(s0 uint32) uint32 {
	if s0 == 0 {
		return 0xffffffff
	}
	return uint32(bits.TrailingZeros32(s0))
}

// FfblB64 is s_ff1_i32_b64: trailing zeros; -1 for 0.
func FfblB64(s0 uint64) uint32 {
	if s0 == 0 {
		return 0xffffffff
	}
	return uint32(bits.TrailingZeros64(s0))
}

// Ff0B32 is s_ff0_i32_b32: trailing ones; -1 for all ones.
func Ff0B32(s0 uint32) uint32 { return FfblB32(^s0) }

// Ff0B64 is s_ff0_i32_b64: trailing ones; -1 for all ones.
func Ff0B64(s0 uint64) uint32 { return FfblB64(^s0) }

// SAbsdiffI32 is s_absdiff_i32: |S0 - S1| of the wrapped difference.
func SAbsdiffI32(s0, s1 int32) int32 { return AbsS32(s0 - s1) }

// BitsetB32 is s_bitset1_b32: d with bit S0[4:0] set.
func BitsetB32(d, s0 uint32) uint32 { return d | 1<<(s0&31) }

// BitsetB64 is s_bitset1_b64: d with bit S0[5:0] set.
func BitsetB64(d uint64, s0 uint32) uint64 { return d | 1<<(s0&63) }

// BitclrB32 is s_bitset0_b32: d with bit S0[4:0] cleared.
func BitclrB32(d, s0 uint32) uint32 { return d &^ (1 << (s0 & 31)) }

// BitclrB64 is s_bitset0_b64: d with bit S0[5:0] cleared.
func BitclrB64(d uint64, s0 uint32) uint64 { return d &^ (1 << (s0 & 63)) }

// BitcmpB32 is s_bitcmp1_b32: bit S1[4:0] of S0.
func BitcmpB32(s0, s1 uint32) bool { return s0>>(s1&31)&1 != 0 }

// BitcmpB64 is s_bitcmp1_b64: bit S1[5:0] of S0.
func BitcmpB64(s0 uint64, s1 uint32) bool { return s0>>(s1&63)&1 != 0 }

// WqmB32 is s_wqm_b32, whole quad mode: every group of four bits becomes all
// ones if any of them is set.
func WqmB32(s0 uint32) uint32 { return quadAny32(s0) * 0xf }

// WqmB64 is s_wqm_b64.
func WqmB64(s0 uint64) uint64 { return quadAny64(s0) * 0xf }

// QuadmaskB32 is s_quadmask_b32: bit i of the result is set if any of bits 4i+3:4i is set.
func QuadmaskB32(s0 uint32) uint32 { return uint32(QuadmaskB64(uint64(s0))) }

// QuadmaskB64 is s_quadmask_b64.
func QuadmaskB64(s0 uint64) uint64 {
	v := quadAny64(s0) // one bit per nibble; gather them
	v = (v | v>>3) & 0x0303030303030303
	v = (v | v>>6) & 0x000f000f000f000f
	v = (v | v>>12) & 0x000000ff000000ff
	return (v | v>>24) & 0xffff
}

func quadAny32(v uint32) uint32 { v |= v >> 2; return (v | v>>1) & 0x11111111 }
func quadAny64(v uint64) uint64 { v |= v >> 2; return (v | v>>1) & 0x1111111111111111 }

// VMulHiU32U24 is v_mul_hi_u32_u24: bits 47:32 of the product.
func VMulHiU32U24(s0, s1 uint32) uint32 { return uint32(u24(s0) * u24(s1) >> 32) }

// VMulHiI32I24 is v_mul_hi_i32_i24: bits 63:32 of the sign-extended product.
func VMulHiI32I24(s0, s1 int32) int32 { return int32(s24(s0) * s24(s1) >> 32) }

// VMin3U32 is v_min3_u32.
func VMin3U32(s0, s1, s2 uint32) uint32 { return min(s0, s1, s2) }

// VMin3I32 is v_min3_i32.
func VMin3I32(s0, s1, s2 int32) int32 { return min(s0, s1, s2) }

// VMax3U32 is v_max3_u32.
func VMax3U32(s0, s1, s2 uint32) uint32 { return max(s0, s1, s2) }

// VMax3I32 is v_max3_i32.
func VMax3I32(s0, s1, s2 int32) int32 { return max(s0, s1, s2) }

// VMed3U32 is v_med3_u32: the middle value.
func VMed3U32(s0, s1, s2 uint32) uint32 { return max(min(s0, s1), min(max(s0, s1), s2)) }

// VMed3I32 is v_med3_i32: the middle value.
func VMed3I32(s0, s1, s2 int32) int32 { return max(min(s0, s1), min(max(s0, s1), s2)) }

func absdiff(a, b uint32) uint32 { return max(a, b) - min(a, b) }

// VSadU8 is v_sad_u8: S2 plus the four absolute differences of bytes.
func VSadU8(s0, s1, s2 uint32) uint32 {
	for i := range 4 {
		s2 += absdiff(ub(s0, i), ub(s1, i))
	}
	return s2
}

// VSadHiU8 is v_sad_hi_u8: S2 plus the sum of [VSadU8] in the upper half.
func VSadHiU8(s0, s1, s2 uint32) uint32 { return VSadU8(s0, s1, 0)<<16 + s2 }

// VSadU16 is v_sad_u16: S2 plus the two absolute differences of halves.
func VSadU16(s0, s1, s2 uint32) uint32 {
	return s2 + absdiff(uh(s0, 0), uh(s1, 0)) + absdiff(uh(s0, 1), uh(s1, 1))
}

// VMsadU8 is v_msad_u8: like [VSadU8], without the bytes for which the reference S1 is zero.
func VMsadU8(s0, s1, s2 uint32) uint32 {
	for i := range 4 {
		if r := ub(s1, i); r != 0 {
			s2 += absdiff(ub(s0, i), r)
		}
	}
	return s2
}

// VQsadPkU16U8 is v_qsad_pk_u16_u8: four [VSadU8] of the four bytes of S0 that start at bytes 0 to
// 3, added to the four halves of S2.
func VQsadPkU16U8(s0 uint64, s1 uint32, s2 uint64) uint64 {
	var d uint64
	for i := range 4 {
		h := VSadU8(uint32(s0>>(8*i)), s1, uint32(s2>>(16*i)&0xffff))
		d |= uint64(h&0xffff) << (16 * i)
	}
	return d
}

// VMqsadPkU16U8 is v_mqsad_pk_u16_u8, [VQsadPkU16U8] with [VMsadU8].
func VMqsadPkU16U8(s0 uint64, s1 uint32, s2 uint64) uint64 {
	var d uint64
	for i := range 4 {
		h := VMsadU8(uint32(s0>>(8*i)), s1, uint32(s2>>(16*i)&0xffff))
		d |= uint64(h&0xffff) << (16 * i)
	}
	return d
}

// VLerpU8 is v_lerp_u8: averages of bytes, rounded up if bit 0 of the byte of S2 is set.
func VLerpU8(s0, s1, s2 uint32) uint32 {
	var d uint32
	for i := range 4 {
		d |= (ub(s0, i) + ub(s1, i) + ub(s2, i)&1) >> 1 << (8 * i)
	}
	return d
}

// VCvtPkU16U32 is v_cvt_pk_u16_u32: both operands clamped, S0 in the low half.
func VCvtPkU16U32(s0, s1 uint32) uint32 {
	return Pack32(CvtSatU16FromU32(s0), CvtSatU16FromU32(s1))
}

// VCvtPkI16I32 is v_cvt_pk_i16_i32: both operands clamped, S0 in the low half.
func VCvtPkI16I32(s0, s1 int32) uint32 {
	return Pack32(uint16(CvtSatS16FromS32(s0)), uint16(CvtSatS16FromS32(s1)))
}
