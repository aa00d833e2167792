package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has operations on the bytes and half-words inside elements, for lane
// vectors only.
//
// Input: elements of 4 or 8 bytes with packed parts.
// Output: packed results, or sums over the parts.
// Invariant: parts do not influence each other unless the operation adds them.
// Example: Dp4aS32S32: the even and odd bytes as half-words, two VPMADDWD, two VPADDD.

// parts is f on parts of n bytes.
func parts(n uint8, f formula) intRule {
	return vecs(4, func(x *ex, a [4]operand) operand {
		// Numbers must be in registers, because a number has the size of the whole
		// element.
		for k := range ir.Ops[x.g.in.Op].Args {
			a[k] = x.held(a[k])
		}
		return x.held(f(x.sized(n), a))
	})
}

// each is a rule of one instruction with two sources.
func each(op x64.Op) intRule {
	return vecs(4, func(x *ex, a [4]operand) operand { return x.vec(x.g.v2(op, x.reg(a[0]), x.reg(a[1]))) })
}

// byteDiffs are the absolute differences of unsigned parts: one of the two saturated
// differences is 0.
func (x *ex) byteDiffs(a, b operand) operand {
	op := x64.VPSUBUSB
	if x.n == 2 {
		op = x64.VPSUBUSW
	}
	return x.or(x.vec(x.g.v2(op, x.reg(a), x.reg(b))), x.vec(x.g.v2(op, x.reg(b), x.reg(a))))
}

// pairs is the sum of the products of the two signed half-words of elements of 4 bytes.
func (x *ex) pairs(a, b operand) operand {
	return x.vec(x.g.v2(x64.VPMADDWD, x.reg(a), x.reg(b)))
}

// sumBytes is the sum of the unsigned bytes of elements of 4 bytes.
func (x *ex) sumBytes(a operand) operand {
	// Pairs of bytes to half-words, pairs of these to words.
	w := x.vec(x.g.v2(x64.VPMADDUBSW, x.reg(a), x.g.c8(1)))
	return x.pairs(w, operand{reg: x.g.c16(1)})
}

// sad is the sum of absolute differences of bytes; masked leaves out the bytes for
// which b is 0.
func sad(masked bool) formula {
	return func(x *ex, a [4]operand) operand {
		y := x.sized(1)
		p, q := x.held(a[0]), x.held(a[1])
		if masked {
			p = y.where(y.cmp(cmpNE, false, q, y.k(0)), p)
		}
		return x.sumBytes(y.byteDiffs(p, q))
	}
}

// sad16 is the sum of absolute differences of half-words.
func sad16(x *ex, a [4]operand) operand {
	d := x.sized(2).byteDiffs(x.held(a[0]), x.held(a[1]))
	return x.add(x.and(d, x.k(0xffff)), x.shiftBy(shr, d, 16))
}

// upper is f, shifted to the upper half.
func upper(f formula) formula {
	return func(x *ex, a [4]operand) operand { return x.shiftBy(shl, f(x, a), 16) }
}

// qsad has four sums of absolute differences: four bytes of a, from byte 0, 1, 2 and 3
// on, with those of b. op adds them to the half-words of c.
func qsad(masked bool, op x64.Op) formula {
	return func(x *ex, a [4]operand) operand {
		y := x.sized(1)
		s, ref := x.held(a[0]), x.held(x.ext(false, 4, a[1]))
		// VPSADBW adds the differences of 8 bytes; the mask leaves four.
		low := x.k(1<<32 - 1)
		if masked { // only bytes for which the reference is not 0
			low = y.spread(y.cmp(cmpNE, false, ref, y.k(0)))
		}
		var sum operand
		for i := range uint64(4) {
			p := x.and(x.shiftBy(shr, s, 8*i), low)
			d := x.shiftBy(shl, x.vec(x.g.v2(x64.VPSADBW, x.reg(p), ref.reg)), 16*i)
			if i == 0 {
				sum = d
			} else {
				sum = x.or(sum, d)
			}
		}
		return x.vec(x.g.v2(op, sum.reg, x.reg(a[2])))
	}
}

// lerp averages bytes, rounded up if bit 0 of c's byte is set. VPAVGB always rounds up,
// so 1 is subtracted elsewhere.
func lerp(x *ex, a [4]operand) operand {
	up := x.vec(x.g.v2(x64.VPAVGB, x.reg(a[0]), x.reg(a[1])))
	less := x.and(x.logic((ta^tb)&^tc, a[0], a[1], a[2]), x.k(0x01010101))
	return x.held(x.sized(1).sub(up, x.held(less))) // less may be a number, of four bytes
}

// bytesAs are the even and the odd bytes of half-words, extended to half-words.
func (x *ex) bytesAs(signed bool, a operand) (even, odd operand) {
	h := x.sized(2)
	a = x.held(a)
	if signed {
		return h.shiftBy(sar, h.shiftBy(shl, a, 8), 8), h.shiftBy(sar, a, 8)
	}
	return x.and(a, x.k(0x00ff00ff)), h.shiftBy(shr, a, 8)
}

// dp4a is c plus the products of bytes.
func dp4a(signedA, signedB bool) formula {
	return func(x *ex, a [4]operand) operand {
		ae, ao := x.bytesAs(signedA, a[0])
		be, bo := x.bytesAs(signedB, a[1])
		return x.add(x.add(x.pairs(ae, be), x.pairs(ao, bo)), a[2])
	}
}

// dp2a is c plus the products of the half-words of a and the lower or upper two bytes
// of b.
func dp2a(high, signedA, signedB bool) formula {
	return func(x *ex, a [4]operand) operand {
		// The bytes of b move to the upper halves of half-words.
		from := byte(0)
		if high {
			from = 2
		}
		idx := make([]byte, x.g.len)
		for i := range idx {
			idx[i] = 0x80
			if i%2 == 1 {
				idx[i] = byte(i%16/4*4+i%4/2) + from
			}
		}
		h := x.sized(2)
		b := x.vec(x.g.v2(x64.VPSHUFB, x.reg(a[1]), x.g.table(idx)))
		if signedB {
			b = h.shiftBy(sar, b, 8)
		} else {
			b = h.shiftBy(shr, b, 8)
		}
		if signedA {
			return x.add(x.pairs(a[0], b), a[2])
		}
		// VPMADDWD takes signed half-words, so 1<<15 is subtracted from each; the
		// products with -(1<<15) are subtracted again.
		p := x.pairs(x.xor(a[0], x.k(0x80008000)), b)
		return x.sub(x.add(p, a[2]), x.pairs(x.k(0x80008000), b))
	}
}

// chosen are bytes of b:a: the low three bits of the bytes of sel select them. If bit 3
// is set, the result is the selected byte's sign, in all bits.
func (x *ex) chosen(a, b, sel operand) operand {
	y := x.sized(1)
	// VPSHUFB indexes bytes inside 16 bytes: base is the element's first byte.
	base := make([]byte, x.g.len)
	for i := range base {
		base[i] = byte(i % 16 / 4 * 4)
	}
	at := x.or(x.and(sel, x.k(0x03030303)), operand{reg: x.g.table(base)})
	look := func(o operand) operand { return x.vec(x.g.v2(x64.VPSHUFB, x.reg(o), x.reg(at))) }
	v := y.sel(y.bitSet(sel, 2), look(b), look(a))
	sign := y.spread(y.negative(v))
	return x.held(y.sel(y.bitSet(sel, 3), sign, v))
}

// bitSet is the mask of bytes in which bit n is set.
func (x *ex) bitSet(a operand, n uint64) operand {
	if x.g.avx512 {
		d := x.g.kreg()
		x.g.emit(x64.Inst{Op: x64.VPTESTMB, Len: x.g.len, Dst: d, A: x.reg(a), B: x.g.c8(1 << n)})
		return x.vec(d)
	}
	// VPBLENDVB tests the highest bit of a byte, so bit n moves there.
	return x.sized(4).shiftBy(shl, x.held(a), 7-n)
}

// prmt is prmt.b32.
func prmt(x *ex, a [4]operand) operand {
	c := a[2]
	if c.num {
		return x.prmtBy(a[0], a[1], c.imm)
	}
	idx := make([]byte, x.g.len)
	for i := range idx {
		idx[i] = byte(i%16/4*4 + i%4/2)
	}
	d := x.vec(x.g.v2(x64.VPSHUFB, c.reg, x.g.table(idx))) // bytes 0, 0, 1, 1
	sel := x.or(x.and(d, x.k(0x000f000f)), x.and(x.shiftBy(shr, d, 4), x.k(0x0f000f00)))
	return x.chosen(x.held(a[0]), x.held(a[1]), sel)
}

// prmtBy is prmt.b32 with a constant selector: one VPSHUFB for each source.
func (x *ex) prmtBy(a, b operand, c uint64) operand {
	y := x.sized(1)
	var src [2][]byte
	var used [2]bool
	sign := make([]byte, x.g.len)
	signs := false
	for s := range src {
		src[s] = make([]byte, x.g.len)
		for i := range src[s] {
			n := c >> (4 * (i % 4))
			src[s][i] = 0x80
			// Selector bit 2 chooses the source, bits 1:0 the byte, bit 3 the sign
			// only.
			if int(n>>2&1) == s {
				src[s][i], used[s] = byte(i%16/4*4)+byte(n&3), true
			}
			if n&8 != 0 {
				sign[i], signs = 0xff, true
			}
		}
	}
	var v operand
	for s, o := range []operand{a, b} {
		if !used[s] {
			continue
		}
		p := x.vec(x.g.v2(x64.VPSHUFB, x.reg(o), x.g.table(src[s])))
		if s == 0 || !used[0] {
			v = p
		} else {
			v = x.or(v, p)
		}
	}
	if !signs {
		return v
	}
	m := operand{reg: x.g.table(sign)}
	return x.logic(ta&tb|^ta&tc, m, y.spread(y.negative(v)), v)
}

// prmtMode is a prmt with a mode: the low bits of c choose one of four selectors, in
// rows.
func prmtMode(rows uint64) intRule {
	return vecs(4, func(x *ex, a [4]operand) operand {
		if a[2].num {
			return x.prmtBy(a[0], a[1], rows>>(16*(a[2].imm&3))&0xffff)
		}
		// VPERMILPS looks the selector up in a table of four words, by the mode in the
		// low bits.
		t := make([]byte, x.g.len)
		for i := range t {
			if i%4 < 2 {
				t[i] = byte(rows >> (16*(i/4%4) + 8*(i%4)))
			}
		}
		a[2] = x.vec(x.g.v2(x64.VPERMILPS, x.g.table(t), a[2].reg))
		return prmt(x, a)
	})
}

// vperm is v_perm_b32: selectors up to 7 are bytes of a:b, 8 to 11 signs, 12 is 0, and
// larger ones are all ones.
func vperm(x *ex, a [4]operand) operand {
	y := x.sized(1)
	sel := y.minimum(false, x.held(a[2]), y.k(13))
	// Selectors of v_perm_b32 as those of prmt: 8 to 11 are the signs of bytes 1, 3, 5,
	// 7.
	as := [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 15}
	v := x.chosen(x.held(a[1]), x.held(a[0]), x.shuffled(as, sel))
	// Selectors from 12 on name no byte.
	keep := y.cmp(cmpLT, false, sel, y.k(12))
	ones := y.cmp(cmpGT, false, sel, y.k(12))
	return x.held(y.sel(ones, y.ones(), y.where(keep, v)))
}

// cvtPack is cvt.pack: a and b limited to a range, above the low bits of c.
func cvtPack(n uint64, lo, hi int64, third bool) formula {
	return func(x *ex, a [4]operand) operand {
		field := func(o operand) operand { return x.and(x.clamp(o, lo, hi), x.k(1<<n-1)) }
		v := x.or(x.shiftBy(shl, field(a[0]), n), field(a[1]))
		if third && 2*n < 32 {
			v = x.or(v, x.shiftBy(shl, a[2], 2*n))
		}
		return v
	}
}

// cvtPk puts a and b, limited to a range, into the low and the high half.
func cvtPk(signed bool) formula {
	return func(x *ex, a [4]operand) operand {
		lim := func(o operand) operand {
			if signed {
				return x.clamp(o, -1<<15, 1<<15-1)
			}
			return x.minimum(false, o, x.k(1<<16-1))
		}
		return x.or(x.and(lim(a[0]), x.k(0xffff)), x.shiftBy(shl, lim(a[1]), 16))
	}
}

// packedInt are the rules of packed operations.
var packedInt = map[ir.Op]intRule{
	ir.Add16x2: each(x64.VPADDW), ir.AddSatU16x2: each(x64.VPADDUSW), ir.AddSatS16x2: each(x64.VPADDSW),
	ir.MinU16x2: each(x64.VPMINUW), ir.MaxU16x2: each(x64.VPMAXUW), ir.MinS16x2: each(x64.VPMINSW), ir.MaxS16x2: each(x64.VPMAXSW),
	ir.MinReluS16x2: parts(2, relu(min2(true))), ir.MaxReluS16x2: parts(2, relu(max2(true))),
	ir.Add8x4: each(x64.VPADDB), ir.Sub8x4: each(x64.VPSUBB), ir.Neg8x4: parts(1, neg1),
	ir.AddSatU8x4: each(x64.VPADDUSB), ir.AddSatS8x4: each(x64.VPADDSB), ir.SubSatU8x4: each(x64.VPSUBUSB), ir.SubSatS8x4: each(x64.VPSUBSB),
	ir.MinU8x4: each(x64.VPMINUB), ir.MaxU8x4: each(x64.VPMAXUB), ir.MinS8x4: each(x64.VPMINSB), ir.MaxS8x4: each(x64.VPMAXSB),
	ir.MinReluS8x4: parts(1, relu(min2(true))), ir.MaxReluS8x4: parts(1, relu(max2(true))),

	ir.Dp4aU32U32: vecs(4, dp4a(false, false)), ir.Dp4aU32S32: vecs(4, dp4a(false, true)), ir.Dp4aS32U32: vecs(4, dp4a(true, false)), ir.Dp4aS32S32: vecs(4, dp4a(true, true)),
	ir.Dp2aLoU32U32: vecs(4, dp2a(false, false, false)), ir.Dp2aLoU32S32: vecs(4, dp2a(false, false, true)), ir.Dp2aLoS32U32: vecs(4, dp2a(false, true, false)), ir.Dp2aLoS32S32: vecs(4, dp2a(false, true, true)),
	ir.Dp2aHiU32U32: vecs(4, dp2a(true, false, false)), ir.Dp2aHiU32S32: vecs(4, dp2a(true, false, true)), ir.Dp2aHiS32U32: vecs(4, dp2a(true, true, false)), ir.Dp2aHiS32S32: vecs(4, dp2a(true, true, true)),

	// The modes of prmt, PTX ISA 9.7.9.7: selectors of rows 3 to 0.
	ir.Prmt: vecs(4, prmt), ir.PrmtF4e: prmtMode(0x6543_5432_4321_3210), ir.PrmtB4e: prmtMode(0x0123_7012_6701_5670), ir.PrmtRc8: prmtMode(0x3333_2222_1111_0000),
	ir.PrmtEcl: prmtMode(0x3333_3222_3211_3210), ir.PrmtEcr: prmtMode(0x3210_2210_1110_0000), ir.PrmtRc16: prmtMode(0x3232_1010_3232_1010),
	ir.VPermB32: vecs(4, vperm),

	ir.VSadU8: vecs(4, plus(sad(false))), ir.VSadHiU8: vecs(4, plus(upper(sad(false)))), ir.VMsadU8: vecs(4, plus(sad(true))), ir.VSadU16: vecs(4, plus(sad16)),
	ir.VSadSatU8: vecs(4, plusSat(sad(false), addSatU)), ir.VSadHiSatU8: vecs(4, plusSat(upper(sad(false)), addSatU)), ir.VMsadSatU8: vecs(4, plusSat(sad(true), addSatU)), ir.VSadSatU16: vecs(4, plusSat(sad16, addSatU)),
	ir.VQsadPkU16U8: vecs(8, qsad(false, x64.VPADDW)), ir.VMqsadPkU16U8: vecs(8, qsad(true, x64.VPADDW)), ir.VQsadSatPkU16U8: vecs(8, qsad(false, x64.VPADDUSW)), ir.VMqsadSatPkU16U8: vecs(8, qsad(true, x64.VPADDUSW)),
	ir.VLerpU8: vecs(4, lerp), ir.VCvtPkU16U32: vecs(4, cvtPk(false)), ir.VCvtPkI16I32: vecs(4, cvtPk(true)),

	ir.CvtPackU16: vecs(4, cvtPack(16, 0, 1<<16-1, false)), ir.CvtPackS16: vecs(4, cvtPack(16, -1<<15, 1<<15-1, false)),
	ir.CvtPackU8: vecs(4, cvtPack(8, 0, 1<<8-1, true)), ir.CvtPackS8: vecs(4, cvtPack(8, -1<<7, 1<<7-1, true)),
	ir.CvtPackU4: vecs(4, cvtPack(4, 0, 15, true)), ir.CvtPackS4: vecs(4, cvtPack(4, -8, 7, true)),
	ir.CvtPackU2: vecs(4, cvtPack(2, 0, 3, true)), ir.CvtPackS2: vecs(4, cvtPack(2, -2, 1, true)),
}
