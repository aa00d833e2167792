package num

import "math/bits"

// Logic, shifts and selection, PTX ISA 9.7.8; GCN3 ISA chapters 5 and 6.

// And16 returns a & b.
func And16(a, b uint16) uint16 { return a & b }

// And32 returns a & b.
func And32(a, b uint32) uint32 { return a & b }

// And64 returns a & b.
func And64(a, b uint64) uint64 { return a & b }

// AndP returns a && b.
func AndP(a, b bool) bool { return a && b }

// Or16 returns a | b.
func Or16(a, b uint16) uint16 { return a | b }

// Or32 returns a | b.
func Or32(a, b uint32) uint32 { return a | b }

// Or64 returns a | b.
func Or64(a, b uint64) uint64 { return a | b }

// OrP returns a || b.
func OrP(a, b bool) bool { return a || b }

// Xor16 returns a ^ b.
func Xor16(a, b uint16) uint16 { return a ^ b }

// Xor32 returns a ^ b.
func Xor32(a, b uint32) uint32 { return a ^ b }

// Xor64 returns a ^ b.
func Xor64(a, b uint64) uint64 { return a ^ b }

// XorP returns a != b.
func XorP(a, b bool) bool { return a != b }

// Not16 returns ^a.
func Not16(a uint16) uint16 { return ^a }

// Not32 returns ^a.
func Not32(a uint32) uint32 { return ^a }

// Not64 returns ^a.
func Not64(a uint64) uint64 { return ^a }

// NotP returns !a.
func NotP(a bool) bool { return !a }

// AndN32 returns a &^ b (GCN3 s_andn2_b32).
func AndN32(a, b uint32) uint32 { return a &^ b }

// AndN64 returns a &^ b (GCN3 s_andn2_b64).
func AndN64(a, b uint64) uint64 { return a &^ b }

// OrN32 returns a | ^b (GCN3 s_orn2_b32).
func OrN32(a, b uint32) uint32 { return a | ^b }

// OrN64 returns a | ^b (GCN3 s_orn2_b64).
func OrN64(a, b uint64) uint64 { return a | ^b }

// Nand32 returns ^(a & b).
func Nand32(a, b uint32) uint32 { return ^(a & b) }

// Nand64 returns ^(a & b).
func Nand64(a, b uint64) uint64 { return ^(a & b) }

// Nor32 returns ^(a | b).
func Nor32(a, b uint32) uint32 { return ^(a | b) }

// Nor64 returns ^(a | b).
func Nor64(a, b uint64) uint64 { return ^(a | b) }

// Xnor32 returns ^(a ^ b).
func Xnor32(a, b uint32) uint32 { return ^(a ^ b) }

// Xnor64 returns ^(a ^ b).
func Xnor64(a, b uint64) uint64 { return ^(a ^ b) }

// Cnot16 is C's !a: 1 if a is zero, else 0 (PTX cnot).
func Cnot16(a uint16) uint16 { return uint16(B2U32(a == 0)) }

// Cnot32 is C's !a: 1 if a is zero, else 0 (PTX cnot).
func Cnot32(a uint32) uint32 { return B2U32(a == 0) }

// Cnot64 is C's !a: 1 if a is zero, else 0 (PTX cnot).
func Cnot64(a uint64) uint64 { return uint64(B2U32(a == 0)) }

// Lop3 applies the three-input truth table lut to every bit. PTX 9.7.8.6: bit
// (a<<2 | b<<1 | c) of lut is the result for the input bits a, b and c, so
// that lut is the function applied to ta = 0xf0, tb = 0xcc, tc = 0xaa.
func Lop3(a, b, c, lut uint32) uint32 {
	bit := func(i uint32) uint32 { return -(lut >> i & 1) }
	lo := (bit(0)&^c|bit(1)&c)&^b | (bit(2)&^c|bit(3)&c)&b
	hi := (bit(4)&^c|bit(5)&c)&^b | (bit(6)&^c|bit(7)&c)&b
	return lo&^a | hi&a
}

// PTX 9.7.8.8, 9.7.8.9: shift amounts beyond the register width are clamped
// to the width; Go's shifts do exactly that.

// Shl16 returns a << n; 0 for n >= 16.
func Shl16(a uint16, n uint32) uint16 { return a << n }

// Shl32 returns a << n; 0 for n >= 32.
func Shl32(a uint32, n uint32) uint32 { return a << n }

// Shl64 returns a << n; 0 for n >= 64.
func Shl64(a uint64, n uint32) uint64 { return a << n }

// ShrU16 returns a >> n; 0 for n >= 16.
func ShrU16(a uint16, n uint32) uint16 { return a >> n }

// ShrU32 returns a >> n; 0 for n >= 32.
func ShrU32(a uint32, n uint32) uint32 { return a >> n }

// ShrU64 returns a >> n; 0 for n >= 64.
func ShrU64(a uint64, n uint32) uint64 { return a >> n }

// ShrS16 returns a >> n with sign fill; all sign bits for n >= 16.
func ShrS16(a int16, n uint32) int16 { return a >> n }

// ShrS32 returns a >> n with sign fill; all sign bits for n >= 32.
func ShrS32(a int32, n uint32) int32 { return a >> n }

// ShrS64 returns a >> n with sign fill; all sign bits for n >= 64.
func ShrS64(a int64, n uint32) int64 { return a >> n }

// GCN3 shifts use the low four, five or six bits of the amount.

// ShlWrap16 returns a << (n & 15).
func ShlWrap16(a uint16, n uint32) uint16 { return a << (n & 15) }

// ShlWrap32 returns a << (n & 31).
func ShlWrap32(a uint32, n uint32) uint32 { return a << (n & 31) }

// ShlWrap64 returns a << (n & 63).
func ShlWrap64(a uint64, n uint32) uint64 { return a << (n & 63) }

// ShrUWrap16 returns a >> (n & 15).
func ShrUWrap16(a uint16, n uint32) uint16 { return a >> (n & 15) }

// ShrUWrap32 returns a >> (n & 31).
func ShrUWrap32(a uint32, n uint32) uint32 { return a >> (n & 31) }

// ShrUWrap64 returns a >> (n & 63).
func ShrUWrap64(a uint64, n uint32) uint64 { return a >> (n & 63) }

// ShrSWrap16 returns a >> (n & 15) with sign fill.
func ShrSWrap16(a int16, n uint32) int16 { return a >> (n & 15) }

// ShrSWrap32 returns a >> (n & 31) with sign fill.
func ShrSWrap32(a int32, n uint32) int32 { return a >> (n & 31) }

// ShrSWrap64 returns a >> (n & 63) with sign fill.
func ShrSWrap64(a int64, n uint32) int64 { return a >> (n & 63) }

// PTX 9.7.8.7, shf. Operand b holds bits 63:32 and a bits 31:0.
//
//	u32  n = (.mode == .clamp) ? min(c, 32) : c & 0x1f;
//	switch (shf.dir) {  // shift concatenation of [b, a]
//	    case shf.l:     // extract 32 msbs
//	           u32  d = (b << n)      | (a >> (32-n));
//	    case shf.r:     // extract 32 lsbs
//	           u32  d = (b << (32-n)) | (a >> n);
//	}
//
// A shift by 32 in it gives 0, like that of a 64-bit value.

// clamp32 returns min(c, 32), without min. On amd64, the compiler (seen in Go 1.26.8) may share one
// comparison of c with 32 between min, which needs the zero flag, and a shift by c, whose SBB
// instruction destroys that flag. The condition c >= 32 needs only the carry flag, which SBB keeps.
func clamp32(c uint32) uint32 {
	if c >= 32 {
		return 32
	}
	return c
}

// ShfLClamp is shf.l.clamp.b32: the upper word of [b, a] << min(c, 32).
func ShfLClamp(a, b, c uint32) uint32 {
	n := clamp32(c)
	return b<<n | a>>(32-n)
}

// ShfLWrap is shf.l.wrap.b32: the upper word of [b, a] << (c & 31).
func ShfLWrap(a, b, c uint32) uint32 {
	n := c & 31
	return b<<n | a>>(32-n)
}

// ShfRClamp is shf.r.clamp.b32: the lower word of [b, a] >> min(c, 32).
func ShfRClamp(a, b, c uint32) uint32 {
	n := clamp32(c)
	return b<<(32-n) | a>>n
}

// ShfRWrap is shf.r.wrap.b32: the lower word of [b, a] >> (c & 31).
func ShfRWrap(a, b, c uint32) uint32 {
	n := c & 31
	return b<<(32-n) | a>>n
}

// Popc32 counts the ones of a.
func Popc32(a uint32) uint32 { return uint32(bits.OnesCount32(a)) }

// Popc64 counts the ones of a.
func Popc64(a uint64) uint32 { return uint32(bits.OnesCount64(a)) }

// Clz32 counts leading zeros, 0 to 32.
func Clz32(a uint32) uint32 { return uint32(bits.LeadingZeros32(a)) }

// Clz64 counts leading zeros, 0 to 64.
func Clz64(a uint64) uint32 { return uint32(bits.LeadingZeros64(a)) }

// Brev32 reverses the order of the bits.
func Brev32(a uint32) uint32 { return bits.Reverse32(a) }

// Brev64 reverses the order of the bits.
func Brev64(a uint64) uint64 { return bits.Reverse64(a) }

// PTX 9.7.1.17, bfind: the position of the most significant non-sign bit, or
// 0xffffffff; .shiftamt gives the left shift that moves it to the top.

// BfindU32 is bfind.u32.
func BfindU32(a uint32) uint32 { return uint32(bits.Len32(a)) - 1 }

// BfindS32 is bfind.s32.
func BfindS32(a int32) uint32 { return BfindU32(uint32(a ^ a>>31)) }

// BfindU64 is bfind.u64.
func BfindU64(a uint64) uint32 { return uint32(bits.Len64(a)) - 1 }

// BfindS64 is bfind.s64.
func BfindS64(a int64) uint32 { return BfindU64(uint64(a ^ a>>63)) }

// BfindShiftamtU32 is bfind.shiftamt.u32.
func BfindShiftamtU32(a uint32) uint32 {
	if a == 0 {
		return 0xffffffff
	}
	return Clz32(a)
}

// BfindShiftamtS32 is bfind.shiftamt.s32.
func BfindShiftamtS32(a int32) uint32 { return BfindShiftamtU32(uint32(a ^ a>>31)) }

// BfindShiftamtU64 is bfind.shiftamt.u64.
func BfindShiftamtU64(a uint64) uint32 {
	if a == 0 {
		return 0xffffffff
	}
	return Clz64(a)
}

// BfindShiftamtS64 is bfind.shiftamt.s64.
func BfindShiftamtS64(a int64) uint32 { return BfindShiftamtU64(uint64(a ^ a>>63)) }

// Fns finds the offset-th set bit of mask counted from bit base (PTX 9.7.1.18): upward for a
// positive offset, downward for a negative one; with offset 0 only bit base itself counts. The
// result is 0xffffffff if there is none. base above 31 is undefined in PTX and gives 0xffffffff
// here.
func Fns(mask, base uint32, offset int32) uint32 {
	if base > 31 {
		return 0xffffffff
	}
	inc, n := int32(1), int64(offset)
	switch {
	case offset == 0:
		inc, n = 32, 1
	case offset < 0:
		inc, n = -1, -n
	}
	for pos := int32(base); pos >= 0 && pos < 32; pos += inc {
		if mask>>uint32(pos)&1 != 0 {
			if n--; n == 0 {
				return uint32(pos)
			}
		}
	}
	return 0xffffffff
}

// PTX 9.7.1.20, bfe. In fields of 32 bits, position and length are the low eight bits of b and c.
// In fields of 64 bits they are not truncated, as in the code and the constant folding of ptxas
// (Errata E117): a position beyond the top stays beyond it.

// BfeU32 is bfe.u32: the field of c bits of a that starts at bit b.
func BfeU32(a, b, c uint32) uint32 {
	return a >> (b & 0xff) & (1<<(c&0xff) - 1)
}

// BfeU64 is bfe.u64.
func BfeU64(a uint64, b, c uint32) uint64 {
	return a >> b & (1<<c - 1)
}

// BfeS32 is bfe.s32. The sign bit is bit min(pos+len-1, 31) of a, so a field that reaches beyond
// the top is filled with the sign of a.
func BfeS32(a int32, b, c uint32) int32 {
	pos, n := b&0xff, c&0xff
	if n == 0 {
		return 0
	}
	n = clamp32(n)
	// The shift pair sign-extends bit n-1 of a>>pos.
	return a >> pos << (32 - n) >> (32 - n)
}

// BfeS64 is bfe.s64.
func BfeS64(a int64, b, c uint32) int64 {
	if c == 0 {
		return 0
	}
	if c >= 64 { // not >, see clamp32
		c = 64
	}
	return a >> b << (64 - c) >> (64 - c)
}

// Bfi32 is bfi.b32 (PTX 9.7.1.21): b with d bits of a inserted at bit c.
func Bfi32(a, b, c, d uint32) uint32 {
	m := uint32(1<<(d&0xff)-1) << (c & 0xff)
	return b&^m | a<<(c&0xff)&m
}

// Bfi64 is bfi.b64. Its position and length are not truncated, see above.
func Bfi64(a, b uint64, c, d uint32) uint64 {
	m := uint64(1<<d-1) << c
	return b&^m | a<<c&m
}

// BmskClamp is bmsk.clamp.b32 (PTX 9.7.1.23): b ones starting at bit a; both
// amounts are clamped to 32.
func BmskClamp(a, b uint32) uint32 { return (1<<clamp32(b) - 1) << a }

// BmskWrap is bmsk.wrap.b32: both amounts are modulo 32.
func BmskWrap(a, b uint32) uint32 { return (1<<(b&31) - 1) << (a & 31) }

// SzextClampU32 is szext.clamp.u32 (PTX 9.7.1.22): a zero-extended from its
// low b bits; unchanged for b >= 32.
func SzextClampU32(a, b uint32) uint32 { return a & (1<<b - 1) }

// SzextWrapU32 is szext.wrap.u32: b is modulo 32, and 0 bits give 0.
func SzextWrapU32(a, b uint32) uint32 { return a & (1<<(b&31) - 1) }

// SzextClampS32 is szext.clamp.s32: a sign-extended from its low b bits;
// unchanged for b >= 32, and 0 for b = 0.
func SzextClampS32(a int32, b uint32) int32 {
	n := 32 - clamp32(b)
	return a << n >> n & -int32(B2U32(b != 0))
}

// SzextWrapS32 is szext.wrap.s32: b is modulo 32, and 0 bits give 0.
func SzextWrapS32(a int32, b uint32) int32 { return SzextClampS32(a, b&31) }

// Sel16 returns a if p, else b.
func Sel16(p bool, a, b uint16) uint16 {
	if p {
		return a
	}
	return b
}

// Sel32 returns a if p, else b.
func Sel32(p bool, a, b uint32) uint32 {
	if p {
		return a
	}
	return b
}

// Sel64 returns a if p, else b.
func Sel64(p bool, a, b uint64) uint64 {
	if p {
		return a
	}
	return b
}

// SelP returns a if p, else b.
func SelP(p, a, b bool) bool { return p && a || !p && b }

// Slct32 returns a if c >= 0, else b (PTX slct with .s32 selector).
func Slct32(a, b uint32, c int32) uint32 { return Sel32(c >= 0, a, b) }

// Slct64 returns a if c >= 0, else b (PTX slct with .s32 selector).
func Slct64(a, b uint64, c int32) uint64 { return Sel64(c >= 0, a, b) }

// Pack64 joins two words.
func Pack64(lo, hi uint32) uint64 { return uint64(hi)<<32 | uint64(lo) }

// Pack32 joins two halves.
func Pack32(lo, hi uint16) uint32 { return uint32(hi)<<16 | uint32(lo) }

// Lo32 returns bits 31:0.
func Lo32(a uint64) uint32 { return uint32(a) }

// Hi32 returns bits 63:32.
func Hi32(a uint64) uint32 { return uint32(a >> 32) }

// Lo16 returns bits 15:0.
func Lo16(a uint32) uint16 { return uint16(a) }

// Hi16 returns bits 31:16.
func Hi16(a uint32) uint16 { return uint16(a >> 16) }
