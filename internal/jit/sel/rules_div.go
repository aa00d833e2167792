package sel

import (
	"math/bits"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the rules of integer division.
//
// Input: a dividend and a divisor, constant or not.
// Output: quotient or remainder without a trap. A quotient by 0 is all ones, and so is
// a remainder.
// Invariant: quotients by floats are exact, because the float has more bits than the
// quotient needs, or because a correction step follows.
// Example: a / 7 (32 bits): t = mulhi(a, 0x24924925); (((a-t)>>1) + t) >> 2.
// Literature: Granlund and Montgomery, Division by invariant integers using
// multiplication (PLDI 1994).

// divides makes the rule of a quotient or a remainder.
func divides(signed, rem bool) formula {
	return func(x *ex, a [4]operand) operand {
		if q, ok := x.quotientBy(signed, a[0], a[1]); ok {
			if rem && a[1].imm != 0 {
				return x.sub(a[0], x.mul(q, a[1]))
			}
			return q
		}
		if x.gp {
			return x.divGPR(signed, rem, a[0], a[1])
		}
		q := x.quotient(signed, a[0], a[1])
		if rem {
			return x.or(x.sub(a[0], x.mul(q, a[1])), x.spread(x.cmp(cmpEQ, false, a[1], x.k(0))))
		}
		return q
	}
}

// quotientBy is a / b for a constant b: elements of 4 bytes, or a power of two.
func (x *ex) quotientBy(signed bool, a, b operand) (q operand, ok bool) {
	if !b.num || a.num || x.n < 4 {
		return q, false
	}
	d := b.imm
	negative := signed && d>>(x.bits()-1) != 0
	if negative {
		d = -d & sizeMask(x.n)
	}
	if x.n == 8 && d&(d-1) != 0 {
		return q, false
	}
	if d == 0 {
		return x.ones(), true
	}
	if !signed {
		return x.unsignedBy(a, d), true
	}
	// Signed: divide the magnitude; s is 0 or -1.
	s := x.shiftBy(sar, a, x.bits()-1)
	q = x.unsignedBy(x.sub(x.xor(a, s), s), d)
	if negative {
		s = x.not(s)
	}
	return x.sub(x.xor(q, s), s), true
}

// unsignedBy is a / d for d > 0. A power of two is a shift; else elements of 4 bytes
// are multiplied by a reciprocal of 33 bits (Granlund and Montgomery, figure 4.1).
func (x *ex) unsignedBy(a operand, d uint64) operand {
	l := uint64(bits.Len64(d - 1))
	if d&(d-1) == 0 {
		return x.shiftBy(shr, a, l)
	}
	m := (1<<l-d)<<32/d + 1
	t := x.mulHi(false, a, x.k(m))
	return x.shiftBy(shr, x.add(t, x.shiftBy(shr, x.sub(a, t), 1)), l-1)
}

// quotient is a / b in vectors; the method depends on the size.
func (x *ex) quotient(signed bool, a, b operand) operand {
	switch x.n {
	case 2:
		return x.halves(signed, func(y *ex, a []operand) operand { return y.quotientF32(a[0], a[1]) }, a, b)
	case 4:
		return x.quotientF64(signed, a, b)
	}
	if signed {
		sa, sb := x.shiftBy(sar, a, 63), x.shiftBy(sar, b, 63)
		abs := func(v, s operand) operand { return x.sub(x.xor(v, s), s) }
		s := x.andNot(x.xor(sa, sb), x.spread(x.cmp(cmpEQ, false, b, x.k(0))))
		return abs(x.quotient64(abs(a, sa), abs(b, sb)), s)
	}
	return x.quotient64(a, b)
}

// quotientF32 divides elements of 4 bytes, with dividends of at most 24 bits and
// divisors of at most 16, in single precision. The exact quotient is an integer or at
// least 1/b away from one, far more than the rounding error. A division by 0 gives the
// integer indefinite, which has 0 in its low half.
func (x *ex) quotientF32(a, b operand) operand {
	f := func(o operand) x64.Reg { return x.g.v1(x64.VCVTDQ2PS, x.reg(o)) }
	q := x.vec(x.g.v1(x64.VCVTTPS2DQ, x.g.v2(x64.VDIVPS, f(a), f(b))))
	return x.or(q, x.spread(x.cmp(cmpEQ, false, b, x.k(0))))
}

// quotientF64 divides elements of 4 bytes in double precision, as quotientF32 does in
// single.
func (x *ex) quotientF64(signed bool, a, b operand) operand {
	a, b = x.held(a), x.held(b)
	var part [2]x64.Reg
	for h := range part {
		p, q := a, b
		if h == 1 {
			p, q = x.highHalf(a), x.highHalf(b)
		}
		part[h] = x.truncF64(signed, x.g.v2(x64.VDIVPD, x.toF64(signed, p), x.toF64(signed, q)))
	}
	q := x.vec(x.joinHalves(part[0], part[1]))
	if !signed && x.g.avx512 { // the indefinite result is all ones
		return q
	}
	return x.or(q, x.spread(x.cmp(cmpEQ, false, b, x.k(0))))
}

// toF64 converts the integers of 4 bytes in the low half of a register to doubles.
func (x *ex) toF64(signed bool, a operand) x64.Reg {
	switch {
	case signed:
		return x.g.v1(x64.VCVTDQ2PD, a.reg)
	case x.g.avx512:
		return x.g.v1(x64.VCVTUDQ2PD, a.reg)
	}
	y := x.sized(8) // the low bits of 1<<52
	v := y.or(y.ext(false, 4, a), y.k(two52))
	return x.g.v2(x64.VSUBPD, v.reg, y.reg(y.k(two52)))
}

const (
	two52 = 0x4330000000000000 // 1<<52 as a double
	two84 = 0x4530000000000000
	// 1<<84 + 1<<52 as a double.
	two84and52 = 0x4530000000100000
	// 1 - 1<<-49 as a double.
	below1 = 0x3feffffffffffff0
)

// truncF64 truncates doubles to integers of 4 bytes, in the low half of a register.
func (x *ex) truncF64(signed bool, q x64.Reg) x64.Reg {
	switch {
	case signed:
		return x.g.v1(x64.VCVTTPD2DQ, q)
	case x.g.avx512:
		return x.g.v1(x64.VCVTTPD2UDQ, q)
	}
	const towardZero = 3
	y := x.sized(8)
	v := x.g.v2(x64.VADDPD, x.g.vi(x64.VROUNDPD, q, towardZero), y.reg(y.k(two52)))
	return y.trunc(4, x.vec(v)).reg
}

// quotient64 divides unsigned elements of 8 bytes: a quotient of doubles, a second one
// of the remainder, and a correction by at most 1.
//
// Here a quotient of doubles is the dividend times r, a reciprocal of b that is too
// small by a factor of 1-1<<-49. That is more than all roundings together (four, of
// 1<<-53 each). So the quotient is never too large, and it is too small by less than 1
// plus the quotient divided by 1<<48. So the first remainder is less than b + a>>48.
// The second step leaves less than b + 1 if b is less than 1<<16, and else less than b
// + 1<<16.
func (x *ex) quotient64(a, b operand) operand {
	b = x.held(b)
	r := x.g.v2(x64.VDIVPD, x.reg(x.k(below1)), x.u64toF64(b))
	q := x.truncU64(x.g.v2(x64.VMULPD, x.u64toF64(a), r))
	rest := x.sub(a, x.mul(q, b))
	more := x.truncU64(x.g.v2(x64.VMULPD, x.u64toF64(rest), r))
	q, rest = x.add(q, more), x.sub(rest, x.mul(more, b))
	q = x.inc(q, x.cmp(cmpGE, false, rest, b))
	return x.or(q, x.spread(x.cmp(cmpEQ, false, b, x.k(0))))
}

// u64toF64 converts unsigned integers of 8 bytes to doubles.
func (x *ex) u64toF64(a operand) x64.Reg {
	if x.g.avx512 {
		return x.g.v1(x64.VCVTUQQ2PD, x.reg(a))
	}
	lo := x.or(x.and(a, x.k(1<<32-1)), x.k(two52))
	hi := x.or(x.shiftBy(shr, a, 32), x.k(two84))
	h := x.g.v2(x64.VSUBPD, x.reg(hi), x.reg(x.k(two84and52)))
	return x.g.v2(x64.VADDPD, h, x.reg(lo))
}

// truncU64 truncates doubles from 0 to below 1<<64 to unsigned integers.
func (x *ex) truncU64(d x64.Reg) operand {
	if x.g.avx512 {
		return x.vec(x.g.v1(x64.VCVTTPD2UQQ, d))
	}
	const towardZero = 3
	const down32, up32 = 0x3df0000000000000, 0xc1f0000000000000 // 1<<-32, -(1<<32)
	g := x.g
	hi := g.vi(x64.VROUNDPD, g.v2(x64.VMULPD, d, x.reg(x.k(down32))), towardZero)
	lo := g.vi(x64.VROUNDPD, g.v3(x64.VFMADD231PD, d, hi, x.reg(x.k(up32))), towardZero)
	word := func(r x64.Reg) operand {
		return x.xor(x.vec(g.v2(x64.VADDPD, r, x.reg(x.k(two52)))), x.k(two52))
	}
	return x.or(x.shiftBy(shl, word(hi), 32), word(lo))
}

// divGPR divides in general registers. It divides magnitudes, because the processor
// traps if a signed quotient does not fit.
func (x *ex) divGPR(signed, rem bool, a, b operand) operand {
	p, q := x.held(a), x.held(b)
	var sa, s operand
	if signed {
		sa = x.shiftBy(sar, p, x.bits()-1)
		sb := x.shiftBy(sar, q, x.bits()-1)
		s = x.xor(sa, sb)
		p, q = x.sub(x.xor(p, sa), sa), x.sub(x.xor(q, sb), sb)
	}
	// A divisor of 0 would trap: divide by 1, and choose the result later.
	by := x.choose(cmpEQ, false, q, x.k(0), x.k(1), q)
	d := x.g.gpr(x.n)
	x.g.put(abi.Acc, x.n, p)
	x.g.emit(x64.Inst{Op: x64.MOVImm, Len: 4, Dst: abi.Acc2})
	x.g.emit(x64.Inst{Op: x64.DIV, Len: x.n, B: by.reg})
	if rem {
		x.g.emit(x64.Inst{Op: x64.MOV, Len: x.n, Dst: d, B: abi.Acc2})
		r := operand{reg: d}
		if signed {
			r = x.sub(x.xor(r, sa), sa)
		}
		return x.choose(cmpEQ, false, q, x.k(0), x.ones(), r)
	}
	x.g.emit(x64.Inst{Op: x64.MOV, Len: x.n, Dst: d, B: abi.Acc})
	r := operand{reg: d}
	if signed {
		r = x.sub(x.xor(r, s), s)
	}
	return x.choose(cmpEQ, false, q, x.k(0), x.ones(), r)
}

// divInt are the rules of division.
var divInt = map[ir.Op]intRule{
	ir.DivU16: vecs(2, divides(false, false)), ir.DivS16: vecs(2, divides(true, false)), ir.RemU16: vecs(2, divides(false, true)), ir.RemS16: vecs(2, divides(true, true)),
	ir.DivU32: all(4, divides(false, false)), ir.DivS32: all(4, divides(true, false)), ir.RemU32: all(4, divides(false, true)), ir.RemS32: all(4, divides(true, true)),
	ir.DivU64: all(8, divides(false, false)), ir.DivS64: all(8, divides(true, false)), ir.RemU64: all(8, divides(false, true)), ir.RemS64: all(8, divides(true, true)),
}
