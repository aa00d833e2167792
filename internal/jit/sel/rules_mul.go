package sel

import (
	"math/bits"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the rules of integer multiplication.
//
// Input: factors in vectors or general registers.
// Output: the low half, the high half, or the whole of the product.
// Invariant: without a machine instruction for a size, products of words are combined
// by the school method.
// Example: MulHiU32 in vectors: VPMULUDQ of the even and of the odd elements, then a
// blend of the high words.

// mulOps are the instructions that multiply the low words of elements of 8 bytes:
// unsigned, signed.
var mulOps = [2]x64.Op{x64.VPMULUDQ, x64.VPMULDQ}

// product is the product of the low words of elements of 8 bytes.
func (x *ex) product(signed bool, a, b operand) operand {
	return x.vec(x.g.v2(mulOps[b2i(signed)], x.reg(a), x.reg(b)))
}

// mul is the low half of a product.
func (x *ex) mul(a, b operand) operand {
	switch {
	case a.num && b.num:
		return x.k(a.imm * b.imm)
	case a.num:
		return x.mul(b, a)
	// A power of two is a shift.
	case b.num && b.imm&(b.imm-1) == 0:
		if b.imm == 0 {
			return b
		}
		return x.shiftBy(shl, a, uint64(bits.TrailingZeros64(b.imm)))
	case x.gp:
		// One IMUL, of a register or an immediate.
		d := x.g.gpr(x.n)
		x.g.mul(x.n, d, a, b)
		return operand{reg: d}
	case x.n == 2:
		return x.vec(x.g.v2(x64.VPMULLW, x.reg(a), x.reg(b)))
	case x.n == 4:
		return x.vec(x.g.v2(x64.VPMULLD, x.reg(a), x.reg(b)))
	case x.g.avx512:
		return x.vec(x.g.v2(x64.VPMULLQ, x.reg(a), x.reg(b)))
	}
	// AVX2 has no product of 8 bytes: the two cross products of words are made side by
	// side.
	swapped := x.g.vi(x64.VPSHUFD, x.reg(b), 0xb1)
	cross := x.vec(x.g.v2(x64.VPMULLD, x.reg(a), swapped))
	sum := x.add(x.shiftBy(shl, cross, 32), x.andNot(cross, x.k(1<<32-1)))
	return x.add(x.product(false, a, b), sum)
}

// mulHi is the high half of a product.
func (x *ex) mulHi(signed bool, a, b operand) operand {
	switch {
	case x.gp && x.n == 4:
		y := x.sized(8)
		return y.shiftBy(shr, y.mul(y.ext(signed, 4, a), y.ext(signed, 4, b)), 32)
	case x.gp:
		d := x.g.gpr(8)
		q := x.reg(b)
		x.g.put(abi.Acc, 8, a)
		x.g.emit(x64.Inst{Op: [2]x64.Op{x64.MUL, x64.IMUL1}[b2i(signed)], Len: 8, B: q})
		x.g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: d, B: abi.Acc2})
		return operand{reg: d}
	case x.n == 2:
		return x.vec(x.g.v2([2]x64.Op{x64.VPMULHUW, x64.VPMULHW}[b2i(signed)], x.reg(a), x.reg(b)))
	case x.n == 4:
		e, o := x.products(signed, a, b)
		return x.oddDwords(x.sized(8).shiftBy(shr, e, 32), o)
	}
	// The school method, with words as digits; a signed product is corrected at the
	// end.
	low := x.k(1<<32 - 1)
	ah, bh := x.shiftBy(shr, a, 32), x.shiftBy(shr, b, 32)
	t := x.add(x.product(false, ah, b), x.shiftBy(shr, x.product(false, a, b), 32))
	u := x.add(x.product(false, a, bh), x.and(t, low))
	hi := x.add(x.product(false, ah, bh), x.add(x.shiftBy(shr, t, 32), x.shiftBy(shr, u, 32)))
	if !signed {
		return hi
	}
	// Signed: a negative factor counts 2^64 too much, so the other one is subtracted
	// from the high half.
	hi = x.sub(hi, x.and(x.shiftBy(sar, a, 63), b))
	return x.sub(hi, x.and(x.shiftBy(sar, b, 63), a))
}

// products are the whole products of the even and of the odd elements of 4 bytes.
func (x *ex) products(signed bool, a, b operand) (even, odd operand) {
	y := x.sized(8)
	// The odd elements are shifted down; a number is the same in all elements.
	up := func(o operand) operand {
		if o.num {
			return x.held(o)
		}
		return y.shiftBy(shr, o, 32)
	}
	even = y.product(signed, x.held(a), x.held(b))
	return even, y.product(signed, up(a), up(b))
}

// wide is the whole product of elements of half the size.
func (x *ex) wide(signed bool, a, b operand) operand {
	half := x.n / 2
	switch {
	case x.gp:
		return x.mul(x.ext(signed, half, a), x.ext(signed, half, b))
	case x.n == 8: // the upper words of the factors are irrelevant
		return x.product(signed, x.ext(false, half, a), x.ext(false, half, b))
	case signed: // the upper halves are 0, and so are their products
		return x.vec(x.g.v2(x64.VPMADDWD, x.reg(x.ext(false, half, a)), x.reg(x.ext(false, half, b))))
	}
	return x.mul(x.ext(false, half, a), x.ext(false, half, b))
}

// mul2 is the low half of a product of two arguments.
func mul2(x *ex, a [4]operand) operand { return x.mul(a[0], a[1]) }

// mulHi2 is the high half of a product of two arguments.
func mulHi2(signed bool) formula {
	return func(x *ex, a [4]operand) operand { return x.mulHi(signed, a[0], a[1]) }
}

// wide2 is the whole product of two arguments of half the size.
func wide2(signed bool) formula {
	return func(x *ex, a [4]operand) operand { return x.wide(signed, a[0], a[1]) }
}

// wideC is the carry of a*b + c.
func wideC(x *ex, a [4]operand) operand {
	return x.cmp(cmpLT, false, x.add(x.wide(false, a[0], a[1]), a[2]), a[2])
}

// wideOverflow has the sign of over set if s = a*b + c is outside the signed range.
func (x *ex) wideOverflow(a [4]operand) (over, s operand) {
	p := x.wide(true, a[0], a[1])
	s = x.add(p, a[2])
	return x.addOverflow(p, a[2], s), s
}

// wideOvf reports whether a*b + c is outside the signed range.
func wideOvf(x *ex, a [4]operand) operand {
	over, _ := x.wideOverflow(a)
	return x.negative(over)
}

// wideSatU is a*b + c, saturated to all ones.
func wideSatU(x *ex, a [4]operand) operand {
	s := x.add(x.wide(false, a[0], a[1]), a[2])
	return x.sel(x.cmp(cmpLT, false, s, a[2]), x.ones(), s)
}

// wideSatS is a*b + c, saturated to the signed range.
func wideSatS(x *ex, a [4]operand) operand {
	over, s := x.wideOverflow(a)
	return x.saturated(a[2], s, over)
}

// low24 is the low 24 bits of an element, extended.
func (x *ex) low24(signed bool, a operand) operand {
	if signed {
		return x.shiftBy(sar, x.shiftBy(shl, a, 8), 8)
	}
	return x.and(a, x.k(0xffffff))
}

// mul24 is a part of the 48-bit product of 24-bit factors: 32 bits from bit from on.
func mul24(signed bool, from uint64) formula {
	return func(x *ex, a [4]operand) operand {
		p, q := x.low24(signed, a[0]), x.low24(signed, a[1])
		y := x.sized(8)
		switch {
		// The low bits are those of an ordinary product.
		case from == 0:
			return x.mul(p, q)
		case x.gp:
			return y.shiftBy(shr, y.mul(y.ext(signed, 4, p), y.ext(signed, 4, q)), from)
		}
		e, o := x.products(signed, p, q)
		return x.oddDwords(y.shiftBy(shr, e, from), y.shiftBy(shl, o, 32-from))
	}
}

// mad24Sat is a 48-bit product plus c, saturated to 32 bits.
func mad24Sat(signed, add bool) formula {
	return func(x *ex, a [4]operand) operand {
		p, q := x.low24(signed, a[0]), x.low24(signed, a[1])
		c := x.k(0)
		if add {
			c = a[2]
		}
		return x.halves(signed, func(y *ex, a []operand) operand {
			// The sum of a product of 48 bits and 32 bits fits 8 bytes.
			s := y.add(y.product(signed, a[0], a[1]), a[2])
			if signed {
				return y.clamp(s, -1<<31, 1<<31-1)
			}
			return y.minimum(false, s, y.k(1<<32-1))
		}, p, q, c)
	}
}

// mad16Sat is a product of elements of 2 bytes plus c, saturated.
func mad16Sat(signed bool) formula {
	return func(x *ex, a [4]operand) operand {
		return x.halves(signed, func(y *ex, a []operand) operand {
			p := y.mul(a[0], a[1])
			if !signed { // the sum is less than 1<<32
				return y.minimum(false, y.add(p, a[2]), y.k(1<<16-1))
			}
			return y.clamp(y.add(p, a[2]), -1<<15, 1<<15-1)
		}, a[0], a[1], a[2])
	}
}

// mulInt are the rules of multiplication.
var mulInt = map[ir.Op]intRule{
	ir.Mul16: vecs(2, mul2), ir.Mul32: vecs(4, mul2), ir.Mul64: vecs(8, mul2),
	ir.Mad16: vecs(2, plus(mul2)), ir.Mad32: vecs(4, plus(mul2)), ir.Mad64: vecs(8, plus(mul2)),
	ir.MulHiU16: vecs(2, mulHi2(false)), ir.MulHiS16: vecs(2, mulHi2(true)), ir.MulHiU32: all(4, mulHi2(false)), ir.MulHiS32: all(4, mulHi2(true)), ir.MulHiU64: all(8, mulHi2(false)), ir.MulHiS64: all(8, mulHi2(true)),
	ir.MadHiU16: vecs(2, plus(mulHi2(false))), ir.MadHiS16: vecs(2, plus(mulHi2(true))), ir.MadHiU32: all(4, plus(mulHi2(false))), ir.MadHiS32: all(4, plus(mulHi2(true))), ir.MadHiU64: all(8, plus(mulHi2(false))), ir.MadHiS64: all(8, plus(mulHi2(true))),
	ir.MadHiSatS32: all(4, plusSat(mulHi2(true), addSatS)),
	ir.MulWideU16:  vecs(4, wide2(false)), ir.MulWideS16: vecs(4, wide2(true)), ir.MulWideU32: vecs(8, wide2(false)), ir.MulWideS32: vecs(8, wide2(true)),
	ir.MadWideU16: vecs(4, plus(wide2(false))), ir.MadWideS16: vecs(4, plus(wide2(true))), ir.MadWideU32: vecs(8, plus(wide2(false))), ir.MadWideS32: vecs(8, plus(wide2(true))),
	ir.MadWideCU32: all(8, wideC), ir.MadWideOvfS32: all(8, wideOvf), ir.VMadWideSatU32: all(8, wideSatU), ir.VMadWideSatS32: all(8, wideSatS),
	ir.Mul24LoU32: all(4, mul24(false, 0)), ir.Mul24LoS32: all(4, mul24(true, 0)), ir.Mul24HiU32: all(4, mul24(false, 16)), ir.Mul24HiS32: all(4, mul24(true, 16)),
	ir.Mad24LoU32: all(4, plus(mul24(false, 0))), ir.Mad24LoS32: all(4, plus(mul24(true, 0))), ir.Mad24HiU32: all(4, plus(mul24(false, 16))), ir.Mad24HiS32: all(4, plus(mul24(true, 16))),
	ir.Mad24HiSatS32: all(4, plusSat(mul24(true, 16), addSatS)), ir.VMulHiU32U24: all(4, mul24(false, 32)), ir.VMulHiI32I24: all(4, mul24(true, 32)),
	ir.VMul24SatU32: vecs(4, mad24Sat(false, false)), ir.VMul24SatS32: vecs(4, mad24Sat(true, false)), ir.VMad24SatU32: vecs(4, mad24Sat(false, true)), ir.VMad24SatS32: vecs(4, mad24Sat(true, true)),
	ir.VMadSatU16: vecs(2, mad16Sat(false)), ir.VMadSatS16: vecs(2, mad16Sat(true)),
}
