package num

// Byte permutes, dot products and 24-bit multiplication, PTX ISA 9.7.1, 9.7.9.

// Prmt is prmt.b32 without mode (PTX 9.7.9.7): bits 2:0 of nibble i of c select byte i of the
// result from [b, a]. If bit 3 of the nibble is set, that byte's sign is replicated over all eight
// bits.
func Prmt(a, b, c uint32) uint32 {
	v := uint64(b)<<32 | uint64(a)
	return prmtByte(v, c) | prmtByte(v, c>>4)<<8 | prmtByte(v, c>>8)<<16 | prmtByte(v, c>>12)<<24
}

func prmtByte(v uint64, ctl uint32) uint32 {
	b := uint32(uint8(v >> (ctl & 7 * 8)))
	if ctl&8 != 0 {
		b = uint32(uint8(int8(b) >> 7))
	}
	return b
}

// prmtRow permutes by one row of the mode tables: hexadecimal digits are the selectors of bytes 3
// to 0, row 3 in the highest 16 bits, row 0 in the lowest.
func prmtRow(a, b, c uint32, rows uint64) uint32 {
	return Prmt(a, b, uint32(uint16(rows>>(c&3*16))))
}

// PrmtF4e is prmt.b32.f4e, forward four extract.
func PrmtF4e(a, b, c uint32) uint32 { return prmtRow(a, b, c, 0x6543_5432_4321_3210) }

// PrmtB4e is prmt.b32.b4e, backward four extract.
func PrmtB4e(a, b, c uint32) uint32 { return prmtRow(a, b, c, 0x0123_7012_6701_5670) }

// PrmtRc8 is prmt.b32.rc8, replicate eight.
func PrmtRc8(a, b, c uint32) uint32 { return prmtRow(a, b, c, 0x3333_2222_1111_0000) }

// PrmtEcl is prmt.b32.ecl, edge clamp left.
func PrmtEcl(a, b, c uint32) uint32 { return prmtRow(a, b, c, 0x3333_3222_3211_3210) }

// PrmtEcr is prmt.b32.ecr, edge clamp right.
func PrmtEcr(a, b, c uint32) uint32 { return prmtRow(a, b, c, 0x3210_2210_1110_0000) }

// PrmtRc16 is prmt.b32.rc16, replicate sixteen.
func PrmtRc16(a, b, c uint32) uint32 { return prmtRow(a, b, c, 0x3232_1010_3232_1010) }

// u24 and s24 return the 24-bit operands of mul24 and of the GCN3 _u24 and _i24 instructions.
// Unspecified in PTX: the effect of bits 31:24; here they are ignored.
func u24(a uint32) uint64 { return uint64(a & 0xffffff) }
func s24(a int32) int64   { return int64(a << 8 >> 8) }

// Mul24LoU32 returns bits 31:0 of the 48-bit product (PTX mul24.lo.u32, GCN3
// v_mul_u32_u24).
func Mul24LoU32(a, b uint32) uint32 { return uint32(u24(a) * u24(b)) }

// Mul24LoS32 returns bits 31:0 of the 48-bit product (PTX mul24.lo.s32, GCN3
// v_mul_i32_i24).
func Mul24LoS32(a, b int32) int32 { return int32(s24(a) * s24(b)) }

// Mul24HiU32 returns bits 47:16 of the 48-bit product (PTX mul24.hi.u32).
func Mul24HiU32(a, b uint32) uint32 { return uint32(u24(a) * u24(b) >> 16) }

// Mul24HiS32 returns bits 47:16 of the 48-bit product (PTX mul24.hi.s32).
func Mul24HiS32(a, b int32) int32 { return int32(s24(a) * s24(b) >> 16) }

// Mad24LoU32 is mad24.lo.u32, GCN3 v_mad_u32_u24.
func Mad24LoU32(a, b, c uint32) uint32 { return Mul24LoU32(a, b) + c }

// Mad24LoS32 is mad24.lo.s32, GCN3 v_mad_i32_i24.
func Mad24LoS32(a, b, c int32) int32 { return Mul24LoS32(a, b) + c }

// Mad24HiU32 is mad24.hi.u32.
func Mad24HiU32(a, b, c uint32) uint32 { return Mul24HiU32(a, b) + c }

// Mad24HiS32 is mad24.hi.s32.
func Mad24HiS32(a, b, c int32) int32 { return Mul24HiS32(a, b) + c }

// Mad24HiSatS32 is mad24.hi.sat.s32: the sum is clamped to the range of s32.
func Mad24HiSatS32(a, b, c int32) int32 { return AddSatS32(Mul24HiS32(a, b), c) }

// PTX 9.7.1.24, dp4a: c plus the four products of the bytes of a and b, each
// extended according to its own type. The sum wraps, so its bits do not
// depend on the sign of the result. Names give the types of a and b.

func ub(a uint32, i int) uint32 { return a >> (8 * i) & 0xff }
func sb(a uint32, i int) uint32 { return uint32(int32(int8(a >> (8 * i)))) }
func uh(a uint32, i int) uint32 { return a >> (16 * i) & 0xffff }
func sh(a uint32, i int) uint32 { return uint32(int32(int16(a >> (16 * i)))) }

// Dp4aU32U32 is dp4a.u32.u32.
func Dp4aU32U32(a, b, c uint32) uint32 {
	return c + ub(a, 0)*ub(b, 0) + ub(a, 1)*ub(b, 1) + ub(a, 2)*ub(b, 2) + ub(a, 3)*ub(b, 3)
}

// Dp4aU32S32 is dp4a.u32.s32.
func Dp4aU32S32(a, b, c uint32) uint32 {
	return c + ub(a, 0)*sb(b, 0) + ub(a, 1)*sb(b, 1) + ub(a, 2)*sb(b, 2) + ub(a, 3)*sb(b, 3)
}

// Dp4aS32U32 is dp4a.s32.u32.
func Dp4aS32U32(a, b, c uint32) uint32 { return Dp4aU32S32(b, a, c) }

// Dp4aS32S32 is dp4a.s32.s32.
func Dp4aS32S32(a, b, c uint32) uint32 {
	return c + sb(a, 0)*sb(b, 0) + sb(a, 1)*sb(b, 1) + sb(a, 2)*sb(b, 2) + sb(a, 3)*sb(b, 3)
}

// PTX 9.7.1.25, dp2a: c plus the products of the halves of a and two bytes of
// b, the lower two for .lo and the upper two for .hi.

// Dp2aLoU32U32 is dp2a.lo.u32.u32.
func Dp2aLoU32U32(a, b, c uint32) uint32 { return c + uh(a, 0)*ub(b, 0) + uh(a, 1)*ub(b, 1) }

// Dp2aLoU32S32 is dp2a.lo.u32.s32.
func Dp2aLoU32S32(a, b, c uint32) uint32 { return c + uh(a, 0)*sb(b, 0) + uh(a, 1)*sb(b, 1) }

// Dp2aLoS32U32 is dp2a.lo.s32.u32.
func Dp2aLoS32U32(a, b, c uint32) uint32 { return c + sh(a, 0)*ub(b, 0) + sh(a, 1)*ub(b, 1) }

// Dp2aLoS32S32 is dp2a.lo.s32.s32.
func Dp2aLoS32S32(a, b, c uint32) uint32 { return c + sh(a, 0)*sb(b, 0) + sh(a, 1)*sb(b, 1) }

// Dp2aHiU32U32 is dp2a.hi.u32.u32.
func Dp2aHiU32U32(a, b, c uint32) uint32 { return Dp2aLoU32U32(a, b>>16, c) }

// Dp2aHiU32S32 is dp2a.hi.u32.s32.
func Dp2aHiU32S32(a, b, c uint32) uint32 { return Dp2aLoU32S32(a, b>>16, c) }

// Dp2aHiS32U32 is dp2a.hi.s32.u32.
func Dp2aHiS32U32(a, b, c uint32) uint32 { return Dp2aLoS32U32(a, b>>16, c) }

// Dp2aHiS32S32 is dp2a.hi.s32.s32.
func Dp2aHiS32S32(a, b, c uint32) uint32 { return Dp2aLoS32S32(a, b>>16, c) }
