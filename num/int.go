package num

import "math/bits"

// Integer arithmetic, PTX ISA 9.7.1; GCN3 ISA chapters 5 and 6.

// Add16 returns a + b modulo 2^16.
func Add16(a, b uint16) uint16 { return a + b }

// Add32 returns a + b modulo 2^32.
func Add32(a, b uint32) uint32 { return a + b }

// Add64 returns a + b modulo 2^64.
func Add64(a, b uint64) uint64 { return a + b }

// Sub16 returns a - b modulo 2^16.
func Sub16(a, b uint16) uint16 { return a - b }

// Sub32 returns a - b modulo 2^32.
func Sub32(a, b uint32) uint32 { return a - b }

// Sub64 returns a - b modulo 2^64.
func Sub64(a, b uint64) uint64 { return a - b }

// Neg16 returns -a modulo 2^16.
func Neg16(a uint16) uint16 { return -a }

// Neg32 returns -a modulo 2^32.
func Neg32(a uint32) uint32 { return -a }

// Neg64 returns -a modulo 2^64.
func Neg64(a uint64) uint64 { return -a }

// AbsS16 returns |a|; the most negative value maps to itself.
func AbsS16(a int16) int16 { m := a >> 15; return (a ^ m) - m }

// AbsS32 returns |a|; the most negative value maps to itself.
func AbsS32(a int32) int32 { m := a >> 31; return (a ^ m) - m }

// AbsS64 returns |a|; the most negative value maps to itself.
func AbsS64(a int64) int64 { m := a >> 63; return (a ^ m) - m }

// AddSatS32 returns a + b clamped to the range of s32 (PTX add.sat.s32).
func AddSatS32(a, b int32) int32 { return CvtSatS32FromS64(int64(a) + int64(b)) }

// SubSatS32 returns a - b clamped to the range of s32 (PTX sub.sat.s32).
func SubSatS32(a, b int32) int32 { return CvtSatS32FromS64(int64(a) - int64(b)) }

// AddC32 is the carry out of a + b.
func AddC32(a, b uint32) bool { return a+b < a }

// AddC64 is the carry out of a + b.
func AddC64(a, b uint64) bool { return a+b < a }

// Addc32 returns a + b + cin modulo 2^32 (PTX addc, GCN3 v_addc_u32).
func Addc32(a, b uint32, cin bool) uint32 { return a + b + B2U32(cin) }

// Addc64 returns a + b + cin modulo 2^64.
func Addc64(a, b uint64, cin bool) uint64 { return a + b + uint64(B2U32(cin)) }

// AddCC32 is the carry out of a + b + cin.
func AddCC32(a, b uint32, cin bool) bool {
	return (uint64(a)+uint64(b)+uint64(B2U32(cin)))>>32 != 0
}

// AddCC64 is the carry out of a + b + cin.
func AddCC64(a, b uint64, cin bool) bool {
	_, c := bits.Add64(a, b, uint64(B2U32(cin)))
	return c != 0
}

// SubB32 is the borrow out of a - b.
func SubB32(a, b uint32) bool { return a < b }

// SubB64 is the borrow out of a - b.
func SubB64(a, b uint64) bool { return a < b }

// Subb32 returns a - b - bin modulo 2^32 (PTX subc, GCN3 v_subb_u32).
func Subb32(a, b uint32, bin bool) uint32 { return a - b - B2U32(bin) }

// Subb64 returns a - b - bin modulo 2^64.
func Subb64(a, b uint64, bin bool) uint64 { return a - b - uint64(B2U32(bin)) }

// SubBB32 is the borrow out of a - b - bin.
func SubBB32(a, b uint32, bin bool) bool {
	return uint64(a) < uint64(b)+uint64(B2U32(bin))
}

// SubBB64 is the borrow out of a - b - bin.
func SubBB64(a, b uint64, bin bool) bool {
	_, c := bits.Sub64(a, b, uint64(B2U32(bin)))
	return c != 0
}

// AddOvfS32 reports signed overflow of a + b (SCC of GCN3 s_add_i32).
func AddOvfS32(a, b int32) bool { s := a + b; return (a^s)&(b^s) < 0 }

// SubOvfS32 reports signed overflow of a - b (SCC of GCN3 s_sub_i32).
func SubOvfS32(a, b int32) bool { s := a - b; return (a^b)&(a^s) < 0 }

// Mul16 returns the low 16 bits of a * b.
func Mul16(a, b uint16) uint16 { return a * b }

// Mul32 returns the low 32 bits of a * b.
func Mul32(a, b uint32) uint32 { return a * b }

// Mul64 returns the low 64 bits of a * b.
func Mul64(a, b uint64) uint64 { return a * b }

// MulHiU16 returns bits 31:16 of the product.
func MulHiU16(a, b uint16) uint16 { return uint16(uint32(a) * uint32(b) >> 16) }

// MulHiS16 returns bits 31:16 of the signed product.
func MulHiS16(a, b int16) int16 { return int16(int32(a) * int32(b) >> 16) }

// MulHiU32 returns bits 63:32 of the product.
func MulHiU32(a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }

// MulHiS32 returns bits 63:32 of the signed product.
func MulHiS32(a, b int32) int32 { return int32(int64(a) * int64(b) >> 32) }

// MulHiU64 returns bits 127:64 of the product.
func MulHiU64(a, b uint64) uint64 { hi, _ := bits.Mul64(a, b); return hi }

// MulHiS64 returns bits 127:64 of the signed product.
func MulHiS64(a, b int64) int64 {
	hi, _ := bits.Mul64(uint64(a), uint64(b))
	return int64(hi) - (a>>63)&b - (b>>63)&a
}

// MulWideU16 returns the whole 32-bit product.
func MulWideU16(a, b uint16) uint32 { return uint32(a) * uint32(b) }

// MulWideS16 returns the whole 32-bit signed product.
func MulWideS16(a, b int16) int32 { return int32(a) * int32(b) }

// MulWideU32 returns the whole 64-bit product.
func MulWideU32(a, b uint32) uint64 { return uint64(a) * uint64(b) }

// MulWideS32 returns the whole 64-bit signed product.
func MulWideS32(a, b int32) int64 { return int64(a) * int64(b) }

// Mad16 returns the low 16 bits of a*b + c.
func Mad16(a, b, c uint16) uint16 { return a*b + c }

// Mad32 returns the low 32 bits of a*b + c.
func Mad32(a, b, c uint32) uint32 { return a*b + c }

// Mad64 returns the low 64 bits of a*b + c.
func Mad64(a, b, c uint64) uint64 { return a*b + c }

// MadHiU16 returns bits 31:16 of a*b, plus c.
func MadHiU16(a, b, c uint16) uint16 { return MulHiU16(a, b) + c }

// MadHiS16 returns bits 31:16 of a*b, plus c.
func MadHiS16(a, b, c int16) int16 { return MulHiS16(a, b) + c }

// MadHiU32 returns bits 63:32 of a*b, plus c.
func MadHiU32(a, b, c uint32) uint32 { return MulHiU32(a, b) + c }

// MadHiS32 returns bits 63:32 of a*b, plus c.
func MadHiS32(a, b, c int32) int32 { return MulHiS32(a, b) + c }

// MadHiSatS32 returns bits 63:32 of a*b, plus c, clamped to the range of s32.
func MadHiSatS32(a, b, c int32) int32 { return AddSatS32(MulHiS32(a, b), c) }

// MadHiU64 returns bits 127:64 of a*b, plus c.
func MadHiU64(a, b, c uint64) uint64 { return MulHiU64(a, b) + c }

// MadHiS64 returns bits 127:64 of a*b, plus c.
func MadHiS64(a, b, c int64) int64 { return MulHiS64(a, b) + c }

// MadWideU16 returns a*b + c in 32 bits.
func MadWideU16(a, b uint16, c uint32) uint32 { return uint32(a)*uint32(b) + c }

// MadWideS16 returns a*b + c in 32 bits.
func MadWideS16(a, b int16, c int32) int32 { return int32(a)*int32(b) + c }

// MadWideU32 returns a*b + c in 64 bits (PTX mad.wide, GCN3 v_mad_u64_u32).
func MadWideU32(a, b uint32, c uint64) uint64 { return uint64(a)*uint64(b) + c }

// MadWideS32 returns a*b + c in 64 bits (PTX mad.wide, GCN3 v_mad_i64_i32).
func MadWideS32(a, b int32, c int64) int64 { return int64(a)*int64(b) + c }

// MadWideCU32 is the carry out of bit 63 of a*b + c (GCN3 v_mad_u64_u32).
func MadWideCU32(a, b uint32, c uint64) bool { return uint64(a)*uint64(b)+c < c }

// AddWideU32 returns a + b modulo 2^64.
func AddWideU32(a uint32, b uint64) uint64 { return uint64(a) + b }

// MadWideOvfS32 reports that a*b + c is outside the range of s64 (GCN3 v_mad_i64_i32).
func MadWideOvfS32(a, b int32, c int64) bool {
	p := int64(a) * int64(b)
	s := p + c
	return (p^s)&(c^s) < 0
}

// Unspecified: the PTX ISA leaves division by zero to the machine. ptxas folds quotients and
// remainders by 0 to all ones, and its code for variables yields the same. Crosslane does so for
// every width and sign (Errata E11). INT_MIN / -1 wraps to INT_MIN with remainder 0.

// DivU16 returns a / b; all ones if b is 0.
func DivU16(a, b uint16) uint16 {
	if b == 0 {
		return 0xffff
	}
	return a / b
}

// DivS16 returns a / b truncated toward zero; all ones if b is 0.
func DivS16(a, b int16) int16 {
	if b == 0 {
		return -1
	}
	return a / b
}

// DivU32 returns a / b; all ones if b is 0.
func DivU32(a, b uint32) uint32 {
	if b == 0 {
		return 0xffffffff
	}
	return a / b
}

// DivS32 returns a / b truncated toward zero; all ones if b is 0.
func DivS32(a, b int32) int32 {
	if b == 0 {
		return -1
	}
	return a / b
}

// DivU64 returns a / b; all ones if b is 0.
func DivU64(a, b uint64) uint64 {
	if b == 0 {
		return 0xffffffffffffffff
	}
	return a / b
}

// DivS64 returns a / b truncated toward zero; all ones if b is 0.
func DivS64(a, b int64) int64 {
	if b == 0 {
		return -1
	}
	return a / b
}

// RemU16 returns a modulo b; all ones if b is 0.
func RemU16(a, b uint16) uint16 {
	if b == 0 {
		return 0xffff
	}
	return a % b
}

// RemS16 returns the remainder of a / b, with the sign of a; all ones if b is 0.
func RemS16(a, b int16) int16 {
	if b == 0 {
		return -1
	}
	return a % b
}

// RemU32 returns a modulo b; all ones if b is 0.
func RemU32(a, b uint32) uint32 {
	if b == 0 {
		return 0xffffffff
	}
	return a % b
}

// RemS32 returns the remainder of a / b, with the sign of a; all ones if b is 0.
func RemS32(a, b int32) int32 {
	if b == 0 {
		return -1
	}
	return a % b
}

// RemU64 returns a modulo b; all ones if b is 0.
func RemU64(a, b uint64) uint64 {
	if b == 0 {
		return 0xffffffffffffffff
	}
	return a % b
}

// RemS64 returns the remainder of a / b, with the sign of a; all ones if b is 0.
func RemS64(a, b int64) int64 {
	if b == 0 {
		return -1
	}
	return a % b
}

// MinU16 returns the lesser of a and b.
func MinU16(a, b uint16) uint16 { return min(a, b) }

// MinS16 returns the lesser of a and b.
func MinS16(a, b int16) int16 { return min(a, b) }

// MinU32 returns the lesser of a and b.
func MinU32(a, b uint32) uint32 { return min(a, b) }

// MinS32 returns the lesser of a and b.
func MinS32(a, b int32) int32 { return min(a, b) }

// MinU64 returns the lesser of a and b.
func MinU64(a, b uint64) uint64 { return min(a, b) }

// MinS64 returns the lesser of a and b.
func MinS64(a, b int64) int64 { return min(a, b) }

// MaxU16 returns the greater of a and b.
func MaxU16(a, b uint16) uint16 { return max(a, b) }

// MaxS16 returns the greater of a and b.
func MaxS16(a, b int16) int16 { return max(a, b) }

// MaxU32 returns the greater of a and b.
func MaxU32(a, b uint32) uint32 { return max(a, b) }

// MaxS32 returns the greater of a and b.
func MaxS32(a, b int32) int32 { return max(a, b) }

// MaxU64 returns the greater of a and b.
func MaxU64(a, b uint64) uint64 { return max(a, b) }

// MaxS64 returns the greater of a and b.
func MaxS64(a, b int64) int64 { return max(a, b) }

// SadU16 returns c + |a - b|.
func SadU16(a, b, c uint16) uint16 { return c + max(a, b) - min(a, b) }

// SadS16 returns c + |a - b| modulo 2^16.
func SadS16(a, b, c int16) int16 { return c + max(a, b) - min(a, b) }

// SadU32 returns c + |a - b| (PTX sad.u32, GCN3 v_sad_u32).
func SadU32(a, b, c uint32) uint32 { return c + max(a, b) - min(a, b) }

// SadS32 returns c + |a - b| modulo 2^32.
func SadS32(a, b, c int32) int32 { return c + max(a, b) - min(a, b) }

// SadU64 returns c + |a - b|.
func SadU64(a, b, c uint64) uint64 { return c + max(a, b) - min(a, b) }

// SadS64 returns c + |a - b| modulo 2^64.
func SadS64(a, b, c int64) int64 { return c + max(a, b) - min(a, b) }

// B2U32 returns 1 for true and 0 for false.
func B2U32(p bool) uint32 {
	// The compiler turns this form into a flag move, without a branch.
	var r uint32
	if p {
		r = 1
	}
	return r
}

// B2Mask32 returns all ones for true and 0 for false (PTX set.u32).
func B2Mask32(p bool) uint32 { return -B2U32(p) }

// MinReluS32 is min.relu.s32: negative results become 0.
func MinReluS32(a, b int32) int32 { return max(0, min(a, b)) }

// MaxReluS32 is max.relu.s32: negative results become 0.
func MaxReluS32(a, b int32) int32 { return max(0, a, b) }

// Packed 16-bit integers, PTX add, min and max with .u16x2 and .s16x2.

// Add16x2 adds both halves, each modulo 2^16.
func Add16x2(a, b uint32) uint32 { return Pack32(Lo16(a)+Lo16(b), Hi16(a)+Hi16(b)) }

// MinU16x2 is min.u16x2.
func MinU16x2(a, b uint32) uint32 { return Pack32(min(Lo16(a), Lo16(b)), min(Hi16(a), Hi16(b))) }

// MaxU16x2 is max.u16x2.
func MaxU16x2(a, b uint32) uint32 { return Pack32(max(Lo16(a), Lo16(b)), max(Hi16(a), Hi16(b))) }

// MinS16x2 is min.s16x2.
func MinS16x2(a, b uint32) uint32 {
	return Pack32(uint16(min(int16(a), int16(b))), uint16(min(int16(a>>16), int16(b>>16))))
}

// MaxS16x2 is max.s16x2.
func MaxS16x2(a, b uint32) uint32 {
	return Pack32(uint16(max(int16(a), int16(b))), uint16(max(int16(a>>16), int16(b>>16))))
}

// MinReluS16x2 is min.relu.s16x2: negative results become 0.
func MinReluS16x2(a, b uint32) uint32 { return MaxS16x2(MinS16x2(a, b), 0) }

// MaxReluS16x2 is max.relu.s16x2: negative results become 0.
func MaxReluS16x2(a, b uint32) uint32 { return MaxS16x2(MaxS16x2(a, b), 0) }
