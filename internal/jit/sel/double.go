package sel

import "example.org/crosslane/internal/jit/x64"

// This file holds what rules of f64 are written with; float.go has the same for f32.

// Bits of f64.
const (
	signF64   = 1 << 63
	expF64    = 0x7ff << 52
	absF64    = 1<<63 - 1
	quietF64  = 1 << 51
	leastF64  = 1 << 52 // the least normal number
	oneF64    = 0x3ff << 52
	underOneD = oneF64 - 1
	nanF64    = 0x1fff << 51 // the machine's
)

// sized runs f on vectors of n bytes.
func (g *gen) sized(n uint8, f func() x64.Reg) x64.Reg {
	was := g.len
	g.len = n
	r := f()
	g.len = was
	return r
}

// cmpd compares f64.
func (g *gen) cmpd(pred int64, a, b x64.Reg) x64.Reg {
	if !g.avx512 {
		return g.v2i(x64.VCMPPD, a, b, pred)
	}
	k := g.kreg()
	g.emit(x64.Inst{Op: x64.VCMPPDK, Len: g.len, Dst: k, A: a, B: b, Imm: pred})
	return k
}

// q is the place of elements of 8 bytes.
func (g *gen) q() *ex { return g.ex(8) }

// gtq compares signed: a > b.
func (g *gen) gtq(a, b x64.Reg) x64.Reg {
	return g.q().cmp(cmpGT, true, operand{reg: a}, operand{reg: b}).reg
}

// eqq compares.
func (g *gen) eqq(a, b x64.Reg) x64.Reg {
	return g.q().cmp(cmpEQ, true, operand{reg: a}, operand{reg: b}).reg
}

// bitClear64 is the mask of the elements of a that have none of the bits of b.
func (g *gen) bitClear64(a, b x64.Reg) x64.Reg {
	if !g.avx512 {
		return g.v2(x64.VPCMPEQQ, g.v2(x64.VPAND, a, b), g.zero())
	}
	k := g.kreg()
	g.emit(x64.Inst{Op: x64.VPTESTNMQ, Len: g.len, Dst: k, A: a, B: b})
	return k
}

// maskNot64 is maskNot of masks of 8 elements.
func (g *gen) maskNot64(a x64.Reg) x64.Reg {
	if !g.avx512 {
		return g.maskNot(a)
	}
	d := g.kreg()
	g.emit(x64.Inst{Op: x64.KNOTB, Len: 8, Dst: d, B: a})
	return d
}

// pick64 is b where the mask k is set, else a.
func (g *gen) pick64(k, a, b x64.Reg) x64.Reg { return g.blend(k, a, b, 8) }

func (g *gen) abs64(a x64.Reg) x64.Reg { return g.and(a, g.c64(absF64)) }

// signOf64 is b with the signs of a.
func (g *gen) signOf64(a, b x64.Reg) x64.Reg {
	if g.avx512 {
		const choose = 0xca
		return g.v3i(x64.VPTERNLOGQ, g.c64(signF64), a, b, choose)
	}
	s := g.c64(signF64)
	return g.v2(x64.VPOR, g.v2(x64.VPAND, s, a), g.v2(x64.VPANDN, s, b))
}

// ftz64 is num.FlushF64.
func (g *gen) ftz64(a x64.Reg) x64.Reg {
	if g.avx512 {
		k := g.kreg()
		g.emit(x64.Inst{Op: x64.VFPCLASSPD, Len: g.len, Dst: k, B: a, Imm: classSub})
		d := g.vec()
		g.move(d, a)
		g.emit(x64.Inst{Op: x64.VPANDQ, Len: g.len, Dst: d, A: a, B: g.c64(signF64), K: k})
		return d
	}
	none := g.v2(x64.VPCMPEQQ, g.v2(x64.VPAND, a, g.c64(expF64)), g.zero())
	return g.v2(x64.VPANDN, g.v2(x64.VPAND, none, g.c64(absF64)), a)
}

// sat64 is num.SatF64: vmaxpd returns its second source if one is a NaN, or both are zeros.
func (g *gen) sat64(a x64.Reg) x64.Reg {
	return g.v2(x64.VMINPD, g.v2(x64.VMAXPD, a, g.zero()), g.c64(oneF64))
}

// quiet64 makes signalling NaNs quiet.
func (g *gen) quiet64(a x64.Reg) x64.Reg { return g.v2(x64.VMULPD, a, g.c64(oneF64)) }

// roundTo64 rounds to integers.
func (g *gen) roundTo64(a x64.Reg, mode int64) x64.Reg {
	const inexact = 8
	if g.avx512 {
		return g.vi(x64.VRNDSCALEPD, a, mode|inexact)
	}
	return g.vi(x64.VROUNDPD, a, mode|inexact)
}

// numbers64 is the minimum or maximum of numbers, with -0 less than +0; what a NaN gives is
// arbitrary.
func (m minmax) numbers64(g *gen, x, y x64.Reg) x64.Reg {
	if g.avx512 {
		const signed = 4
		return g.v2i(x64.VRANGEPD, x, y, signed|int64(b2i(m.max)))
	}
	if m.max {
		return g.v2(x64.VPAND, g.v2(x64.VMAXPD, x, y), g.v2(x64.VMAXPD, y, x))
	}
	return g.v2(x64.VPOR, g.v2(x64.VMINPD, x, y), g.v2(x64.VMINPD, y, x))
}

// yielding is numbers64 where a NaN yields to the other operand; of two NaNs the first is
// the result, or the second with last.
func (m minmax) yielding(g *gen, x, y x64.Reg, last bool) x64.Reg {
	r := m.numbers64(g, x, y)
	if last {
		r = g.pick64(g.cmpd(cmpfUN, y, y), r, x)
		return g.pick64(g.cmpd(cmpfUN, x, x), r, y)
	}
	r = g.pick64(g.cmpd(cmpfUN, x, x), r, y)
	return g.pick64(g.cmpd(cmpfUN, y, y), r, x)
}

// gcn64 is num.VMinF64 or num.VMaxF64.
func (m minmax) gcn64(g *gen, x, y x64.Reg) x64.Reg {
	r := m.yielding(g, x, y, true)
	signals := func(a x64.Reg) x64.Reg {
		return g.maskAnd(g.cmpd(cmpfUN, a, a), g.bitClear64(a, g.c64(quietF64)))
	}
	r = g.pick64(signals(y), r, g.or(y, g.c64(quietF64)))
	return g.pick64(signals(x), r, g.or(x, g.c64(quietF64)))
}

// choice64 is choice of f64, with a word in the low half of a register for each.
func (g *gen) choice64(a [4]x64.Reg, at int, bits uint32, no, yes func() x64.Reg) x64.Reg {
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
