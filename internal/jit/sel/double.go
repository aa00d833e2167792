package sel

import "example.org/crosslane/internal/jit/x64"

// This file has the building blocks of rules for f64; float.go has those for f32. Vectors are of
// f64, and masks have one bit, or one element of ones, per 8 bytes.

// Bits of f64. The names are those of float.go.
const (
	signF64   = 1 << 63
	expF64    = 0x7ff << 52
	absF64    = 1<<63 - 1
	quietF64  = 1 << 51
	leastF64  = 1 << 52 // the least normal number
	oneF64    = 0x3ff << 52
	underOneD = oneF64 - 1
	nanF64    = 0x1fff << 51 // the NaN that the machine makes
)

// sized runs f with vectors of n bytes.
func (g *arithmetic) sized(n uint8, f func() x64.Reg) x64.Reg {
	was := g.len
	g.len = n
	r := f()
	g.len = was
	return r
}

// cmpd compares f64. The result is a mask register with AVX-512, else a vector mask.
func (g *arithmetic) cmpd(pred int64, a, b x64.Reg) x64.Reg {
	if !g.avx512 {
		return g.v2i(x64.VCMPPD, a, b, pred)
	}
	k := g.kreg()
	g.emit(x64.Inst{Op: x64.VCMPPDK, Len: g.len, Dst: k, A: a, B: b, Imm: pred})
	return k
}

// q returns the integer formulas for vectors of elements of 8 bytes.
func (g *lowering) q() *ex { return g.ex(8) }

// gtq compares signed integers: a > b.
func (g *lowering) gtq(a, b x64.Reg) x64.Reg {
	return g.q().cmp(cmpGT, true, operand{reg: a}, operand{reg: b}).reg
}

// eqq compares integers: a == b.
func (g *lowering) eqq(a, b x64.Reg) x64.Reg {
	return g.q().cmp(cmpEQ, true, operand{reg: a}, operand{reg: b}).reg
}

// bitClear64 is the mask of the elements of a that have none of the bits of b.
func (g *arithmetic) bitClear64(a, b x64.Reg) x64.Reg {
	if !g.avx512 {
		return g.v2(x64.VPCMPEQQ, g.v2(x64.VPAND, a, b), g.zero())
	}
	k := g.kreg()
	g.emit(x64.Inst{Op: x64.VPTESTNMQ, Len: g.len, Dst: k, A: a, B: b})
	return k
}

// maskNot64 is maskNot for masks of 8 elements.
func (g *arithmetic) maskNot64(a x64.Reg) x64.Reg {
	if !g.avx512 {
		return g.maskNot(a)
	}
	d := g.kreg()
	g.emit(x64.Inst{Op: x64.KNOTB, Len: 8, Dst: d, B: a})
	return d
}

// pick64 is b in the elements that the mask k selects, else a.
func (g *arithmetic) pick64(k, a, b x64.Reg) x64.Reg { return g.blend(k, a, b, 8) }

// abs64 clears the signs.
func (g *arithmetic) abs64(a x64.Reg) x64.Reg { return g.and(a, g.c64(absF64)) }

// signOf64 returns b with the signs of a.
func (g *arithmetic) signOf64(a, b x64.Reg) x64.Reg {
	if g.avx512 {
		// The truth table of "s ? a : b".
		const choose = 0xca
		return g.v3i(x64.VPTERNLOGQ, g.c64(signF64), a, b, choose)
	}
	s := g.c64(signF64)
	return g.v2(x64.VPOR, g.v2(x64.VPAND, s, a), g.v2(x64.VPANDN, s, b))
}

// ftz64 is num.FlushF64: a subnormal number becomes a zero of its sign.
func (g *arithmetic) ftz64(a x64.Reg) x64.Reg {
	if g.avx512 {
		k := g.kreg()
		g.emit(x64.Inst{Op: x64.VFPCLASSPD, Len: g.len, Dst: k, B: a, Imm: classSub})
		d := g.vec()
		g.move(d, a)
		g.emit(x64.Inst{Op: x64.VPANDQ, Len: g.len, Dst: d, A: a, B: g.c64(signF64), K: k})
		return d
	}
	// An exponent of 0 means zero or subnormal; the mask then clears all bits but the sign.
	none := g.v2(x64.VPCMPEQQ, g.v2(x64.VPAND, a, g.c64(expF64)), g.zero())
	return g.v2(x64.VPANDN, g.v2(x64.VPAND, none, g.c64(absF64)), a)
}

// sat64 is num.SatF64. It relies on vmaxpd and vminpd: they return their second source if one
// source is a NaN or both are zeros.
func (g *arithmetic) sat64(a x64.Reg) x64.Reg {
	return g.v2(x64.VMINPD, g.v2(x64.VMAXPD, a, g.zero()), g.c64(oneF64))
}

// quiet64 makes signalling NaNs quiet: the product with 1 is the same number.
func (g *arithmetic) quiet64(a x64.Reg) x64.Reg { return g.v2(x64.VMULPD, a, g.c64(oneF64)) }

// roundTo64 rounds to integers; mode is the immediate of vroundpd.
func (g *arithmetic) roundTo64(a x64.Reg, mode int64) x64.Reg {
	// No exception for inexact results.
	const inexact = 8
	if g.avx512 {
		return g.vi(x64.VRNDSCALEPD, a, mode|inexact)
	}
	return g.vi(x64.VROUNDPD, a, mode|inexact)
}

// numbers64 is the minimum or maximum of two numbers, with -0 less than +0. If an argument is a
// NaN, the result is arbitrary.
func (m minmax) numbers64(g *arithmetic, x, y x64.Reg) x64.Reg {
	if g.avx512 {
		const signed = 4
		return g.v2i(x64.VRANGEPD, x, y, signed|int64(b2i(m.max)))
	}
	// Both orders of the operands together give the right zero: the bits of -0 and +0 are combined.
	if m.max {
		return g.v2(x64.VPAND, g.v2(x64.VMAXPD, x, y), g.v2(x64.VMAXPD, y, x))
	}
	return g.v2(x64.VPOR, g.v2(x64.VMINPD, x, y), g.v2(x64.VMINPD, y, x))
}

// yielding is numbers64, but a NaN yields to the other operand. If both are NaNs the result is the
// first one, or with last the second one.
func (m minmax) yielding(g *arithmetic, x, y x64.Reg, last bool) x64.Reg {
	r := m.numbers64(g, x, y)
	if last {
		r = g.pick64(g.cmpd(cmpfUN, y, y), r, x)
		return g.pick64(g.cmpd(cmpfUN, x, x), r, y)
	}
	r = g.pick64(g.cmpd(cmpfUN, x, x), r, y)
	return g.pick64(g.cmpd(cmpfUN, y, y), r, x)
}

// gcn64 is num.VMinF64 or num.VMaxF64: yielding, but a signalling NaN is the result, made quiet.
func (m minmax) gcn64(g *arithmetic, x, y x64.Reg) x64.Reg {
	r := m.yielding(g, x, y, true)
	signals := func(a x64.Reg) x64.Reg {
		return g.maskAnd(g.cmpd(cmpfUN, a, a), g.bitClear64(a, g.c64(quietF64)))
	}
	// The pick for x comes last, so x wins.
	r = g.pick64(signals(y), r, g.or(y, g.c64(quietF64)))
	return g.pick64(signals(x), r, g.or(x, g.c64(quietF64)))
}

// choice64 is choice for f64: the deciding word of each element is in the low half of a register.
// no and yes make the two results; if the word is a constant, only one of them is made.
func (g *lowering) choice64(a [4]x64.Reg, at int, bits uint32, no, yes func() x64.Reg) x64.Reg {
	v, ok := g.constant1(g.ops.Args[at])
	switch {
	case !ok:
		k := g.bitClear64(g.v1(x64.VPMOVZXDQ, a[at]), g.c64(uint64(bits)))
		return g.pick64(k, yes(), no())
	case uint32(v)&bits != 0:
		return yes()
	}
	return no()
}
