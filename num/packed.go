package num

// Packed integers of PTX 9.7.1: .u16x2, .s16x2, .u8x4 and .s8x4 in 32 bits, and the
// carryless product.

// satU and satS return v clamped to the range of an unsigned or signed integer of n bits.
func satU(v int32, n uint) uint32 { return uint32(max(0, min(v, 1<<n-1))) }
func satS(v int32, n uint) uint32 {
	return uint32(max(-1<<(n-1), min(v, 1<<(n-1)-1))) & (1<<n - 1)
}

// The bytes and half-words of packed operands, extended to 32 bits.
func u8at(a uint32, i uint) int32  { return int32(a >> (8 * i) & 0xff) }
func s8at(a uint32, i uint) int32  { return int32(int8(a >> (8 * i))) }
func u16at(a uint32, i uint) int32 { return int32(a >> (16 * i) & 0xffff) }
func s16at(a uint32, i uint) int32 { return int32(int16(a >> (16 * i))) }

// pack4 joins four bytes.
func pack4(b0, b1, b2, b3 uint32) uint32 {
	return b0&0xff | b1&0xff<<8 | b2&0xff<<16 | b3<<24
}

// AddSatU16x2 is add.sat.u16x2.
func AddSatU16x2(a, b uint32) uint32 {
	return satU(u16at(a, 0)+u16at(b, 0), 16) | satU(u16at(a, 1)+u16at(b, 1), 16)<<16
}

// AddSatS16x2 is add.sat.s16x2.
func AddSatS16x2(a, b uint32) uint32 {
	return satS(s16at(a, 0)+s16at(b, 0), 16) | satS(s16at(a, 1)+s16at(b, 1), 16)<<16
}

// Add8x4 is add.u8x4 and add.s8x4.
func Add8x4(a, b uint32) uint32 {
	// The top bits of the bytes are added without carry.
	return (a&0x7f7f7f7f + b&0x7f7f7f7f) ^ (a^b)&0x80808080
}

// Sub8x4 is sub.u8x4 and sub.s8x4.
func Sub8x4(a, b uint32) uint32 {
	return ((a | 0x80808080) - b&0x7f7f7f7f) ^ (a^^b)&0x80808080
}

// Neg8x4 is neg.s8x4.
func Neg8x4(a uint32) uint32 { return Sub8x4(0, a) }

// AddSatU8x4 is add.sat.u8x4.
func AddSatU8x4(a, b uint32) uint32 {
	return pack4(satU(u8at(a, 0)+u8at(b, 0), 8), satU(u8at(a, 1)+u8at(b, 1), 8), satU(u8at(a, 2)+u8at(b, 2), 8), satU(u8at(a, 3)+u8at(b, 3), 8))
}

// AddSatS8x4 is add.sat.s8x4.
func AddSatS8x4(a, b uint32) uint32 {
	return pack4(satS(s8at(a, 0)+s8at(b, 0), 8), satS(s8at(a, 1)+s8at(b, 1), 8), satS(s8at(a, 2)+s8at(b, 2), 8), satS(s8at(a, 3)+s8at(b, 3), 8))
}

// SubSatU8x4 is sub.sat.u8x4.
func SubSatU8x4(a, b uint32) uint32 {
	return pack4(satU(u8at(a, 0)-u8at(b, 0), 8), satU(u8at(a, 1)-u8at(b, 1), 8), satU(u8at(a, 2)-u8at(b, 2), 8), satU(u8at(a, 3)-u8at(b, 3), 8))
}

// SubSatS8x4 is sub.sat.s8x4.
func SubSatS8x4(a, b uint32) uint32 {
	return pack4(satS(s8at(a, 0)-s8at(b, 0), 8), satS(s8at(a, 1)-s8at(b, 1), 8), satS(s8at(a, 2)-s8at(b, 2), 8), satS(s8at(a, 3)-s8at(b, 3), 8))
}

// MinU8x4 is min.u8x4.
func MinU8x4(a, b uint32) uint32 {
	return pack4(uint32(min(u8at(a, 0), u8at(b, 0))), uint32(min(u8at(a, 1), u8at(b, 1))), uint32(min(u8at(a, 2), u8at(b, 2))), uint32(min(u8at(a, 3), u8at(b, 3))))
}

// MaxU8x4 is max.u8x4.
func MaxU8x4(a, b uint32) uint32 {
	return pack4(uint32(max(u8at(a, 0), u8at(b, 0))), uint32(max(u8at(a, 1), u8at(b, 1))), uint32(max(u8at(a, 2), u8at(b, 2))), uint32(max(u8at(a, 3), u8at(b, 3))))
}

// MinS8x4 is min.s8x4.
func MinS8x4(a, b uint32) uint32 {
	return pack4(uint32(min(s8at(a, 0), s8at(b, 0))), uint32(min(s8at(a, 1), s8at(b, 1))), uint32(min(s8at(a, 2), s8at(b, 2))), uint32(min(s8at(a, 3), s8at(b, 3))))
}

// MaxS8x4 is max.s8x4.
func MaxS8x4(a, b uint32) uint32 {
	return pack4(uint32(max(s8at(a, 0), s8at(b, 0))), uint32(max(s8at(a, 1), s8at(b, 1))), uint32(max(s8at(a, 2), s8at(b, 2))), uint32(max(s8at(a, 3), s8at(b, 3))))
}

// MinReluS8x4 is min.relu.s8x4.
func MinReluS8x4(a, b uint32) uint32 { return MaxS8x4(MinS8x4(a, b), 0) }

// MaxReluS8x4 is max.relu.s8x4.
func MaxReluS8x4(a, b uint32) uint32 { return MaxS8x4(MaxS8x4(a, b), 0) }

// ClmadLo is clmad.lo.u64: the low half of the carryless product of a and b, plus c
// without carry (PTX 9.7.1.5).
func ClmadLo(a, b, c uint64) uint64 {
	for ; a != 0; a, b = a>>1, b<<1 {
		c ^= b & -(a & 1)
	}
	return c
}

// ClmadHi is clmad.hi.u64, with the high half.
func ClmadHi(a, b, c uint64) uint64 {
	// Bit i of a contributes b>>(64-i); from the top down: b>>1 for bit 63.
	for b >>= 1; b != 0; b >>= 1 {
		c ^= b & -(a >> 63)
		a <<= 1
	}
	return c
}
