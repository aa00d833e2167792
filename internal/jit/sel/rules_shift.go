package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the shifts, bit fields and counts of bits.
//
// Input: elements and counts; counts always have 4 bytes.
// Output: the shifted element, the field, or the count.
// Invariant: clamps: a count beyond the size gives 0 or the sign; wraps: counts are
// modulo the size; exact: the count is known to be small.
// Example: bfe.u32: (a >> pos) & ((1 << n) - 1), with clamped shifts.

// shifts is a shift of elements by a count of 4 bytes.
func shifts(kind, how int) formula {
	return func(x *ex, a [4]operand) operand {
		if x.n == 2 {
			return x.shift16(kind, how, a[0], a[1])
		}
		return x.shift(kind, a[0], x.ext(false, 4, a[1]), how)
	}
}

// shift16 shifts elements of 2 bytes by counts of 4 bytes, in elements of 4 bytes. A
// count that is too large for 2 bytes shifts all relevant bits out of 4 too.
func (x *ex) shift16(kind, how int, a, c operand) operand {
	if c.num {
		return x.narrow(4, func(x *ex) operand { return x.shift(kind, a, c, how) })
	}
	y := x.sized(4)
	if how == wraps {
		c = y.and(c, y.k(15))
	}
	return y.trunc(2, y.shift(kind, y.ext(kind == sar, 2, a), c, clamps))
}

// funnel is shf of PTX: the upper word of hi:lo shifted left by n, or its lower word
// shifted right.
func funnel(left, wrap bool) formula {
	return func(x *ex, a [4]operand) operand {
		lo, hi, n := a[0], a[1], a[2]
		switch {
		case wrap:
			n = x.and(n, x.k(31))
		case n.num:
			n = x.k(min(n.imm, 32))
		default:
			n = x.minimum(false, n, x.k(32))
		}
		switch {
		case x.gp:
			y := x.sized(8)
			v := y.or(y.shiftBy(shl, y.ext(false, 4, hi), 32), y.ext(false, 4, lo))
			n = y.ext(false, 4, n)
			if left {
				return y.shiftBy(shr, y.shift(shl, v, n, exact), 32)
			}
			return y.shift(shr, v, n, exact)
		// Equal words: a rotation.
		case wrap && x.g.avx512 && !lo.num && x.g.ops.Args[0] == x.g.ops.Args[1]:
			if n.num && left {
				return x.vec(x.g.vi(x64.VPROLD, lo.reg, int64(n.imm)))
			} else if n.num {
				return x.vec(x.g.vi(x64.VPRORD, lo.reg, int64(n.imm)))
			} else if left {
				return x.vec(x.g.v2(x64.VPROLVD, lo.reg, x.reg(n)))
			}
			return x.vec(x.g.v2(x64.VPRORVD, lo.reg, x.reg(n)))
		}
		// Counts of 32 give 0, as clamped shifts do.
		rest := x.sub(x.k(32), n)
		if left {
			return x.or(x.shift(shl, hi, n, clamps), x.shift(shr, lo, rest, clamps))
		}
		return x.or(x.shift(shl, hi, rest, clamps), x.shift(shr, lo, n, clamps))
	}
}

// below is 1<<n - 1; all ones if n is large.
func (x *ex) below(n operand) operand {
	return x.sub(x.shift(shl, x.k(1), n, clamps), x.k(1))
}

// bfe is the field of n bits from pos on. If it is signed, n is limited to the number
// of bits.
func (x *ex) bfe(signed bool, a, pos, n operand) operand {
	if !signed {
		return x.and(x.shift(shr, a, pos, clamps), x.below(n))
	}
	// Move the field to the top, and back with its sign.
	up := x.sub(x.k(x.bits()), x.lesser(n, x.k(x.bits())))
	return x.shift(sar, x.shift(shl, x.shift(sar, a, pos, clamps), up, clamps), up, clamps)
}

// bfes is bfe with position and length in arguments of 4 bytes; only the bits of mask
// count.
func bfes(signed bool, mask uint64) formula {
	return func(x *ex, a [4]operand) operand {
		return x.bfe(signed, a[0], x.amount(a[1], mask), x.amount(a[2], mask))
	}
}

// sbfe is s_bfe: position and length are in one argument.
func sbfe(signed bool) formula {
	return func(x *ex, a [4]operand) operand {
		c := x.ext(false, 4, a[1])
		return x.bfe(signed, a[0], x.and(c, x.k(x.bits()-1)), x.and(x.shiftBy(shr, c, 16), x.k(0x7f)))
	}
}

// amount is a position or a length; only the bits of mask count.
func (x *ex) amount(a operand, mask uint64) operand {
	if a = x.ext(false, 4, a); mask == 1<<32-1 {
		return a
	}
	return x.and(a, x.k(mask))
}

// bfi inserts d bits of a at bit c of b; only the bits of mask count in c and d.
func bfi(mask uint64) formula {
	return func(x *ex, a [4]operand) operand {
		c, d := x.amount(a[2], mask), x.amount(a[3], mask)
		m := x.shift(shl, x.below(d), c, clamps)
		return x.logic(ta&tb|^ta&tc, m, x.shift(shl, a[0], c, clamps), a[1])
	}
}

// bmsk is a mask of ones: arguments first and length are its position and number of
// ones. If modulo is 0, both are clamped.
func bmsk(first, length int, modulo uint64) formula {
	return func(x *ex, a [4]operand) operand {
		p, n := x.ext(false, 4, a[first]), x.ext(false, 4, a[length])
		if modulo > 0 {
			p, n = x.and(p, x.k(modulo-1)), x.and(n, x.k(modulo-1))
		}
		return x.shift(shl, x.below(n), p, clamps)
	}
}

// szext extends the low b bits of a.
func szext(signed, wrap bool) formula {
	return func(x *ex, a [4]operand) operand {
		n := a[1]
		if wrap {
			n = x.and(n, x.k(31))
		}
		if !signed {
			return x.and(a[0], x.below(n))
		}
		return x.bfe(true, a[0], x.k(0), n)
	}
}

// alignbyte is v_alignbyte_b32.
func alignbyte(x *ex, a [4]operand) operand {
	return funnel(false, true)(x, [4]operand{a[1], a[0], x.shiftBy(shl, x.and(a[2], x.k(3)), 3)})
}

// alignbit is v_alignbit_b32.
func alignbit(x *ex, a [4]operand) operand {
	return funnel(false, true)(x, [4]operand{a[1], a[0], a[2]})
}

// bit is 1<<(c&(bits-1)).
func (x *ex) bit(c operand) operand {
	return x.shift(shl, x.k(1), x.ext(false, 4, c), wraps)
}

// shuffled looks the low four bits of each byte up in a table of 16.
func (x *ex) shuffled(t [16]byte, a operand) operand {
	data := make([]byte, x.g.len)
	for i := range data {
		data[i] = t[i%16]
	}
	return x.vec(x.g.v2(x64.VPSHUFB, x.g.table(data), x.reg(a)))
}

// nibbles are the low and the high halves of bytes.
func (x *ex) nibbles(a operand) (lo, hi operand) {
	y := x.sized(4)
	m := y.k(0x0f0f0f0f)
	a = x.held(a)
	return y.and(a, m), y.and(y.shiftBy(shr, a, 4), m)
}

// popc counts ones: bytes by a table of nibbles, then sums of bytes.
func (x *ex) popc(a operand) operand {
	if x.gp {
		d := x.g.gpr(4)
		x.g.emit(x64.Inst{Op: x64.POPCNT, Len: x.n, Dst: d, B: x.reg(a)})
		return operand{reg: d}
	}
	lo, hi := x.nibbles(a)
	var t [16]byte
	for i := range t {
		t[i] = byte(i&1 + i>>1&1 + i>>2&1 + i>>3)
	}
	b := x.sized(1)
	// The number of ones of each byte; then the bytes of an element are added.
	s := b.add(b.shuffled(t, lo), b.shuffled(t, hi))
	if x.n == 8 {
		return x.vec(x.g.v2(x64.VPSADBW, s.reg, x.reg(x.k(0))))
	}
	w := x.g.v2(x64.VPMADDUBSW, s.reg, b.reg(b.k(1)))
	h := x.sized(2)
	return x.vec(x.g.v2(x64.VPMADDWD, w, h.reg(h.k(1))))
}

// clz counts leading zeros. For vectors of 8 bytes the upper half of the result is 0.
func (x *ex) clz(a operand) operand {
	if x.gp {
		d := x.g.gpr(4)
		x.g.emit(x64.Inst{Op: x64.LZCNT, Len: x.n, Dst: d, B: x.reg(a)})
		return operand{reg: d}
	}
	if x.n == 8 {
		z := x.sized(4).clz(x.held(a)) // of both words
		hi, lo := x.shiftBy(shr, z, 32), x.and(z, x.k(1<<32-1))
		full := x.sized(4).cmp(cmpEQ, false, hi, imm(32))
		return x.sized(4).add(hi, x.sized(4).where(full, lo))
	}
	// The exponent of the number as a float gives the position of its highest one;
	// lower bits are cleared first, so that the conversion does not round up. A
	// negative number has its sign above the exponent, and saturates.
	v := x.andNot(a, x.shiftBy(shr, a, 8))
	f := x.shiftBy(shr, x.vec(x.g.v1(x64.VCVTDQ2PS, x.reg(v))), 23)
	n := x.g.v2(x64.VPSUBUSW, x.g.c32(158), f.reg)
	return x.vec(x.g.v2(x64.VPMINSW, n, x.g.c32(32)))
}

// low32 is the result of a count of elements of x: 4 bytes.
func (x *ex) low32(a operand) operand { return x.trunc(4, a) }

// withoutSign is a ^ a>>63: leading ones become zeros, so signed counts use clz.
func (x *ex) withoutSign(a operand) operand {
	return x.xor(a, x.shiftBy(sar, a, x.bits()-1))
}

// bfind is the position of the highest one, or -1.
func (x *ex) bfind(a operand) operand {
	y := x.counts()
	return x.low32(y.sub(y.k(x.bits()-1), x.clz(a)))
}

// counts is the place in which counts are computed: in general registers they have 4
// bytes.
func (x *ex) counts() *ex {
	if x.gp {
		return x.sized(4)
	}
	return x
}

// shiftamt is the number of leading zeros, or -1 if there is no one.
func (x *ex) shiftamt(a operand) operand {
	y := x.counts()
	n := x.clz(a)
	return x.low32(y.choose(cmpEQ, false, n, y.k(x.bits()), y.ones(), n))
}

// ffbl is the position of the lowest one, or -1.
func (x *ex) ffbl(a operand) operand { return x.bfind(x.and(a, x.neg(a))) }

// counting makes the rule of a count.
func counting(signed bool, f func(x *ex, a operand) operand) formula {
	return func(x *ex, a [4]operand) operand {
		if signed {
			return f(x, x.withoutSign(a[0]))
		}
		return f(x, a[0])
	}
}

// popcs is popc with a result of 4 bytes.
func popcs(x *ex, a operand) operand { return x.low32(x.popc(a)) }

// clzs is clz with a result of 4 bytes.
func clzs(x *ex, a operand) operand { return x.low32(x.clz(a)) }

// brev reverses bits: those of nibbles by a table, then the bytes.
func brev(x *ex, a [4]operand) operand {
	lo, hi := x.nibbles(a[0])
	var up, down [16]byte
	for i := range up {
		r := byte(i&1<<3 | i&2<<1 | i&4>>1 | i&8>>3)
		up[i], down[i] = r<<4, r
	}
	r := x.or(x.shuffled(up, lo), x.shuffled(down, hi))
	idx := make([]byte, x.g.len)
	for i := range idx {
		// The bytes of an element in reverse order.
		idx[i] = byte(i%16)/x.n*x.n + x.n - 1 - byte(i)%x.n
	}
	return x.vec(x.g.v2(x64.VPSHUFB, r.reg, x.g.table(idx)))
}

// brevGPR reverses bits in general registers, by exchanges over growing distances.
func brevGPR(x *ex, a [4]operand) operand {
	v := a[0]
	for _, s := range [3]struct{ by, mask uint64 }{{1, 0x5555555555555555}, {2, 0x3333333333333333}, {4, 0x0f0f0f0f0f0f0f0f}} {
		m := x.k(s.mask)
		v = x.or(x.and(x.shiftBy(shr, v, s.by), m), x.shiftBy(shl, x.and(v, m), s.by))
	}
	d := x.g.gpr(x.n)
	x.g.put(d, x.n, v)
	x.g.emit(x64.Inst{Op: x64.BSWAP, Len: x.n, Dst: d})
	return operand{reg: d}
}

// mbcnt is v_mbcnt: the number of ones of a below the lane's number, in the low or the
// high word, plus b.
func mbcnt(high bool) formula {
	return func(x *ex, a [4]operand) operand {
		n := x.and(a[2], x.k(63))
		if high { // lanes below 32 have no bits there
			n = x.maximum(true, x.sub(n, x.k(32)), x.k(0))
		}
		return x.add(x.popc(x.and(a[0], x.below(n))), a[1])
	}
}

// quad sets the lowest bit of each group of four if any of the four is set.
func (x *ex) quad(a operand) operand {
	// Only the lowest bit of each quad is meaningful after the two steps.
	v := x.or(a, x.shiftBy(shr, a, 2))
	return x.and(x.or(v, x.shiftBy(shr, v, 1)), x.k(0x1111111111111111))
}

// wqm is s_wqm: all four bits of a quad if any of them is set.
func wqm(x *ex, a [4]operand) operand {
	q := x.quad(a[0])
	return x.sub(x.shiftBy(shl, q, 4), q)
}

// quadmask is s_quadmask: one bit for each quad, packed.
func quadmask(x *ex, a [4]operand) operand {
	v := x.quad(a[0])
	for _, s := range [4]struct{ by, mask uint64 }{{3, 0x0303030303030303}, {6, 0x000f000f000f000f}, {12, 0x000000ff000000ff}, {24, 0xffff}} {
		v = x.and(x.or(v, x.shiftBy(shr, v, s.by)), x.k(s.mask))
	}
	return v
}

// tests is bit c of a.
func tests(x *ex, a [4]operand) operand {
	return x.cmp(cmpNE, false, x.and(a[0], x.bit(a[1])), x.k(0))
}

// bitInt are the rules of shifts and bits.
var bitInt = map[ir.Op]intRule{
	ir.Shl16: vecs(2, shifts(shl, clamps)), ir.ShrU16: vecs(2, shifts(shr, clamps)), ir.ShrS16: vecs(2, shifts(sar, clamps)),
	ir.Shl32: vecs(4, shifts(shl, clamps)), ir.ShrU32: vecs(4, shifts(shr, clamps)), ir.ShrS32: vecs(4, shifts(sar, clamps)),
	ir.Shl64: vecs(8, shifts(shl, clamps)), ir.ShrU64: vecs(8, shifts(shr, clamps)), ir.ShrS64: vecs(8, shifts(sar, clamps)),
	ir.ShlWrap16: vecs(2, shifts(shl, wraps)), ir.ShrUWrap16: vecs(2, shifts(shr, wraps)), ir.ShrSWrap16: vecs(2, shifts(sar, wraps)),
	ir.ShlWrap32: vecs(4, shifts(shl, wraps)), ir.ShrUWrap32: vecs(4, shifts(shr, wraps)), ir.ShrSWrap32: vecs(4, shifts(sar, wraps)),
	ir.ShlWrap64: vecs(8, shifts(shl, wraps)), ir.ShrUWrap64: vecs(8, shifts(shr, wraps)), ir.ShrSWrap64: vecs(8, shifts(sar, wraps)),
	ir.ShfLClamp: all(4, funnel(true, false)), ir.ShfLWrap: all(4, funnel(true, true)), ir.ShfRClamp: all(4, funnel(false, false)), ir.ShfRWrap: all(4, funnel(false, true)),
	ir.VAlignbitB32: all(4, alignbit), ir.VAlignbyteB32: all(4, alignbyte),

	ir.BfeU32: all(4, bfes(false, 0xff)), ir.BfeS32: all(4, bfes(true, 0xff)), ir.BfeU64: all(8, bfes(false, 1<<32-1)), ir.BfeS64: all(8, bfes(true, 1<<32-1)),
	ir.VBfeU32: all(4, bfes(false, 31)), ir.VBfeI32: all(4, bfes(true, 31)),
	ir.SBfeU32: all(4, sbfe(false)), ir.SBfeI32: all(4, sbfe(true)), ir.SBfeU64: all(8, sbfe(false)), ir.SBfeI64: all(8, sbfe(true)),
	ir.Bfi32: all(4, bfi(0xff)), ir.Bfi64: all(8, bfi(1<<32-1)),
	ir.BmskClamp: all(4, bmsk(0, 1, 0)), ir.BmskWrap: all(4, bmsk(0, 1, 32)), ir.BfmB32: all(4, bmsk(1, 0, 32)), ir.BfmB64: all(8, bmsk(1, 0, 64)),
	ir.SzextClampU32: all(4, szext(false, false)), ir.SzextWrapU32: all(4, szext(false, true)), ir.SzextClampS32: all(4, szext(true, false)), ir.SzextWrapS32: all(4, szext(true, true)),

	ir.Popc32: vecs(4, counting(false, popcs)), ir.Popc64: vecs(8, counting(false, popcs)),
	ir.Bcnt0B32:       all(4, func(x *ex, a [4]operand) operand { return popcs(x, x.not(a[0])) }),
	ir.Bcnt0B64:       all(8, func(x *ex, a [4]operand) operand { return popcs(x, x.not(a[0])) }),
	ir.VBcntU32B32:    all(4, func(x *ex, a [4]operand) operand { return x.add(x.popc(a[0]), a[1]) }),
	ir.VMbcntLoU32B32: all(4, mbcnt(false)), ir.VMbcntHiU32B32: all(4, mbcnt(true)),
	ir.Clz32: vecs(4, counting(false, clzs)), ir.Clz64: all(8, counting(false, clzs)),
	ir.BfindU32: all(4, counting(false, (*ex).bfind)), ir.BfindS32: all(4, counting(true, (*ex).bfind)), ir.BfindU64: all(8, counting(false, (*ex).bfind)), ir.BfindS64: all(8, counting(true, (*ex).bfind)),
	ir.BfindShiftamtU32: all(4, counting(false, (*ex).shiftamt)), ir.BfindShiftamtS32: all(4, counting(true, (*ex).shiftamt)),
	ir.BfindShiftamtU64: all(8, counting(false, (*ex).shiftamt)), ir.BfindShiftamtS64: all(8, counting(true, (*ex).shiftamt)),
	ir.FfbhU32: all(4, counting(false, (*ex).shiftamt)), ir.FfbhI32: all(4, counting(true, (*ex).shiftamt)), ir.FfbhU64: all(8, counting(false, (*ex).shiftamt)), ir.FfbhI64: all(8, counting(true, (*ex).shiftamt)),
	ir.FfblB32: all(4, counting(false, (*ex).ffbl)), ir.FfblB64: all(8, counting(false, (*ex).ffbl)),
	ir.Ff0B32: all(4, func(x *ex, a [4]operand) operand { return x.ffbl(x.not(a[0])) }),
	ir.Ff0B64: all(8, func(x *ex, a [4]operand) operand { return x.ffbl(x.not(a[0])) }),
	ir.Brev32: vecs(4, brev), ir.Brev64: vecs(8, brev),
	ir.WqmB32: all(4, wqm), ir.WqmB64: all(8, wqm), ir.QuadmaskB32: all(4, quadmask), ir.QuadmaskB64: all(8, quadmask),
	ir.BitsetB32: all(4, func(x *ex, a [4]operand) operand { return x.or(a[0], x.bit(a[1])) }),
	ir.BitsetB64: all(8, func(x *ex, a [4]operand) operand { return x.or(a[0], x.bit(a[1])) }),
	ir.BitclrB32: all(4, func(x *ex, a [4]operand) operand { return x.andNot(a[0], x.bit(a[1])) }),
	ir.BitclrB64: all(8, func(x *ex, a [4]operand) operand { return x.andNot(a[0], x.bit(a[1])) }),
	ir.BitcmpB32: all(4, tests), ir.BitcmpB64: all(8, tests),
}

// bitGPR are rules that differ for general registers.
var bitGPR = map[ir.Op]intRule{
	ir.Brev32: {n: 4, f: brevGPR, only: onlyGPR}, ir.Brev64: {n: 8, f: brevGPR, only: onlyGPR},
}
