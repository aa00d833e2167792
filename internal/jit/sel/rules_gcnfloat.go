package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the rules of f32 operations of GCN3.
//
// Input: vectors of f32, and perhaps the MODE register as a vector of words.
// Output: vectors of f32, or masks.
// Invariant: as on the machine, the result is the first NaN among the operands, made
// quiet; an invalid operation on numbers gives the machine's NaN (Intel SDM volume 1,
// table 4-7). So an operation that is one machine instruction needs no correction.
// Example: v_med3_f32: the maximum of the two operands that are not the maximum of all.

// gcnFloats makes the table.
func gcnFloats() map[ir.Op]vrule {
	t := map[ir.Op]vrule{}
	rule := func(op ir.Op, f func(g *lowering, a [4]x64.Reg) x64.Reg) { t[op] = vrule{fn: f} }

	add := func(g *lowering, a [4]x64.Reg) x64.Reg { return g.ordered(x64.VADDPS, a[0], a[1]) }
	sub := func(g *lowering, a [4]x64.Reg) x64.Reg { return g.v2(x64.VSUBPS, a[0], a[1]) }
	mul := func(g *lowering, a [4]x64.Reg) x64.Reg { return g.ordered(x64.VMULPS, a[0], a[1]) }
	fma := func(g *lowering, a [4]x64.Reg) x64.Reg { return fmaF32(g, a, x64.Current) }
	// flushed adds an operation that flushes its n arguments and its result.
	flushed := func(op ir.Op, n int, f func(g *lowering, a [4]x64.Reg) x64.Reg) {
		t[op] = vrule{flushed: true, fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return g.ftz(f(g, g.ftzAll(a, n))) }}
	}
	rule(ir.VAddF32, add)
	rule(ir.VSubF32, sub)
	rule(ir.VMulF32, mul)
	rule(ir.VFmaF32, fma)
	flushed(ir.VAddF32Ftz, 2, add)
	flushed(ir.VSubF32Ftz, 2, sub)
	flushed(ir.VMulF32Ftz, 2, mul)
	flushed(ir.VFmaF32Ftz, 3, fma)
	for op, legacy := range map[ir.Op]bool{ir.VMadF32: false, ir.VMadLegacyF32: true} {
		t[op] = vrule{flushed: true, fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return g.vmad(a, legacy, x64.Current) }}
	}
	// Legacy products: zero times any number, infinity or NaN is zero.
	legacy := func(g *lowering, a [4]x64.Reg) x64.Reg {
		r := mul(g, a)
		return g.pick32(g.anyZero(a[0], a[1]), r, g.zero())
	}
	rule(ir.VMulLegacyF32, legacy)
	flushed(ir.VMulLegacyF32Ftz, 2, legacy)

	least := minmax{}
	most := minmax{max: true}
	rule(ir.VMinF32, least.gcnRule)
	rule(ir.VMaxF32, most.gcnRule)
	rule(ir.VMin3F32, func(g *lowering, a [4]x64.Reg) x64.Reg {
		return least.gcn(&g.arithmetic, least.gcn(&g.arithmetic, a[0], a[1]), a[2])
	})
	rule(ir.VMax3F32, func(g *lowering, a [4]x64.Reg) x64.Reg {
		return most.gcn(&g.arithmetic, most.gcn(&g.arithmetic, a[0], a[1]), a[2])
	})
	rule(ir.VMed3F32, func(g *lowering, a [4]x64.Reg) x64.Reg {
		return medianF32(g, a, least.gcn(&g.arithmetic, least.gcn(&g.arithmetic, a[0], a[1]), a[2]))
	})
	rule(ir.VMinModeF32, least.modeRule)
	rule(ir.VMaxModeF32, most.modeRule)
	rule(ir.VMin3ModeF32, func(g *lowering, a [4]x64.Reg) x64.Reg {
		return least.mode(g, a, 3, least.mode(g, a, 3, a[0], a[1]), a[2])
	})
	rule(ir.VMax3ModeF32, func(g *lowering, a [4]x64.Reg) x64.Reg {
		return most.mode(g, a, 3, most.mode(g, a, 3, a[0], a[1]), a[2])
	})
	rule(ir.VMed3ModeF32, func(g *lowering, a [4]x64.Reg) x64.Reg {
		return medianF32(g, a, least.mode(g, a, 3, least.mode(g, a, 3, a[0], a[1]), a[2]))
	})

	for op, mode := range map[ir.Op]int64{ir.VRndneF32: toNearest, ir.VFloorF32: toFloor, ir.VCeilF32: toCeil, ir.VTruncF32: toTrunc} {
		rule(op, func(g *lowering, a [4]x64.Reg) x64.Reg { return g.roundTo(a[0], mode) })
	}
	// fract is x - floor(x), but below 1.
	rule(ir.VFractF32, func(g *lowering, a [4]x64.Reg) x64.Reg {
		r := g.v2(x64.VSUBPS, a[0], g.roundTo(a[0], toFloor))
		return g.v2(x64.VMINPS, g.c32(underOne), r) // a NaN stays
	})
	rule(ir.VLdexpF32, func(g *lowering, a [4]x64.Reg) x64.Reg { return ldexp(g, a, x64.Current) })
	rule(ir.VFrexpMantF32, func(g *lowering, a [4]x64.Reg) x64.Reg {
		x, _, other := g.frexp(a[0])
		m := g.or(g.and(x, g.c32(signF32|(leastF32-1))), g.f32(0.5))
		return g.pick32(other, m, g.quiet(a[0]))
	})
	rule(ir.VFrexpExpI32F32, func(g *lowering, a [4]x64.Reg) x64.Reg {
		x, less, other := g.frexp(a[0])
		e := g.vi(x64.VPSRLDImm, g.abs(x), 23)
		return g.pick32(other, g.v2(x64.VPSUBD, e, less), g.zero())
	})
	rule(ir.VCmpClassF32, cmpClass)

	// A NaN stays unless DX10_CLAMP is set in MODE.
	clamp := func(g *lowering, a [4]x64.Reg) x64.Reg {
		return g.pick32(g.cmpf(cmpfUN, a[0], a[0]), g.sat(a[0]), a[0])
	}
	rule(ir.VClampF32, clamp)
	rule(ir.VClampModeF32, func(g *lowering, a [4]x64.Reg) x64.Reg {
		const dx10 = 1 << 8
		return g.choice(a, 1, dx10, func() x64.Reg { return clamp(g, a) }, func() x64.Reg { return g.sat(a[0]) })
	})
	// A bit of MODE says whether subnormals are kept.
	keepsIn := func(bit uint32) func(g *lowering, a [4]x64.Reg) x64.Reg {
		return func(g *lowering, a [4]x64.Reg) x64.Reg {
			return g.choice(a, 1, bit, func() x64.Reg { return g.ftz(a[0]) }, func() x64.Reg { return a[0] })
		}
	}
	rule(ir.VFlushInF32, keepsIn(1<<4))
	rule(ir.VFlushOutF32, keepsIn(1<<5))
	rule(ir.VOModF32, func(g *lowering, a [4]x64.Reg) x64.Reg { return g.omod(a[0], a[1]) })
	rule(ir.VOModModeF32, func(g *lowering, a [4]x64.Reg) x64.Reg {
		const keep = 1<<5 | 1<<9 // subnormals are kept, or IEEE is on: no modifier
		return g.choice(a, 2, keep, func() x64.Reg { return g.omod(a[0], a[1]) }, func() x64.Reg { return a[0] })
	})

	t[ir.VDivScaleF32] = vrule{screened: true, fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
		g.hard(divScaled(g, a))
		return g.pick32(g.anyZero(a[1], a[2]), g.quiet(a[0]), g.c32(nanVF32))
	}}
	t[ir.VDivScaleVccF32] = vrule{screened: true, fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
		g.hard(divScaled(g, a))
		return g.gtd(g.zero(), g.zero())
	}}
	t[ir.VDivFmasF32] = vrule{screened: true, fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
		g.hard(a[3])
		return fma(g, a)
	}}
	rule(ir.VDivFixupF32, divFixup)

	// The rounding is in the MODE register, argument at.
	rounded := func(op ir.Op, at int, f func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg) {
		t[op] = vrule{screened: true, fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return g.inMode(a, at, f) }}
	}
	two := func(op x64.Op) func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
		return func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
			return g.round(rc, x64.Inst{Op: op, A: a[0], B: a[1], Ordered: true})
		}
	}
	rounded(ir.VAddF32Round, 2, two(x64.VADDPS))
	rounded(ir.VSubF32Round, 2, two(x64.VSUBPS))
	rounded(ir.VMulF32Round, 2, two(x64.VMULPS))
	rounded(ir.VFmaF32Round, 3, fmaF32)
	rounded(ir.VMadF32Round, 3, func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg { return g.vmad(a, false, rc) })
	rounded(ir.VMadLegacyF32Round, 3, func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg { return g.vmad(a, true, rc) })
	rounded(ir.VLdexpF32Round, 2, ldexp)
	rounded(ir.VMulLegacyF32Round, 2, func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
		return g.pick32(g.anyZero(a[0], a[1]), two(x64.VMULPS)(g, a, rc), g.zero())
	})
	return t
}

// anyZero is the mask of the elements for which a or b is a zero.
func (g *arithmetic) anyZero(a, b x64.Reg) x64.Reg {
	if g.avx512 {
		return g.maskOr(g.fpclass(a, classZero), g.fpclass(b, classZero))
	}
	return g.maskOr(g.cmpf(cmpfEQ, a, g.zero()), g.cmpf(cmpfEQ, b, g.zero()))
}

// vmad is num.VMadF32, or with legacy num.VMadLegacyF32: the product is rounded and
// flushed before the sum.
func (g *lowering) vmad(a [4]x64.Reg, legacy bool, rc x64.Rounding) x64.Reg {
	a = g.ftzAll(a, 3)
	op := func(op x64.Op, a, b x64.Reg) x64.Reg {
		return g.round(rc, x64.Inst{Op: op, A: a, B: b, Ordered: true})
	}
	p := g.ftz(op(x64.VMULPS, a[0], a[1]))
	if legacy {
		p = g.pick32(g.anyZero(a[0], a[1]), p, g.zero())
	}
	// A NaN addend comes before the NaN of a product of numbers, but after a NaN
	// factor.
	r, s := op(x64.VADDPS, a[2], p), op(x64.VADDPS, p, a[2])
	return g.ftz(g.pick32(g.cmpf(cmpfUN, a[0], a[1]), r, s))
}

// gcnRule is gcn of the two arguments; if one is a plain constant, one instruction is
// enough.
func (m minmax) gcnRule(g *lowering, a [4]x64.Reg) x64.Reg {
	i := g.plainArg()
	if i < 0 {
		return m.gcn(&g.arithmetic, a[0], a[1])
	}
	x := a[1-i]
	return g.quieted(m.beside(&g.arithmetic, x, a[i]), x)
}

// modeRule is mode of the two arguments, likewise.
func (m minmax) modeRule(g *lowering, a [4]x64.Reg) x64.Reg {
	i := g.plainArg()
	if i < 0 {
		return m.mode(g, a, 2, a[0], a[1])
	}
	return g.choice(a, 2, modeIEEE, func() x64.Reg { return m.beside(&g.arithmetic, a[1-i], a[i]) }, func() x64.Reg { return m.gcnRule(g, a) })
}

// quieted is r, except that lanes in which x is a signalling NaN get that NaN, quiet.
func (g *arithmetic) quieted(r, x x64.Reg) x64.Reg {
	if g.avx512 {
		d := g.vec()
		k := g.fpclass(x, classSNaN)
		g.move(d, r)
		g.emit(x64.Inst{Op: x64.VPORD, Len: g.len, Dst: d, A: x, B: g.c32(quietF32), K: k})
		return d
	}
	signals := g.maskAnd(g.cmpf(cmpfUN, x, x), g.bitClear(x, g.c32(quietF32)))
	return g.pick32(signals, r, g.or(x, g.c32(quietF32)))
}

// gcn is num.VMinF32 or num.VMaxF32. If an operand is a signalling NaN, it is the
// result, quiet. If one is a quiet NaN, the result is the other operand; of two quiet
// NaNs the second is the result.
func (m minmax) gcn(g *arithmetic, x, y x64.Reg) x64.Reg {
	if g.avx512 {
		// vrangeps returns a signalling NaN of either operand, quiet; x has precedence if
		// both are. If both are quiet NaNs it returns its first operand, y.
		return g.quieted(m.numbers(g, y, x), x)
	}
	r := m.numbers(g, x, y)
	r = g.pick32(g.cmpf(cmpfUN, y, y), r, x)
	r = g.pick32(g.cmpf(cmpfUN, x, x), r, y)
	return g.quieted(g.quieted(r, y), x)
}

// modeIEEE is the bit IEEE of the MODE register.
const modeIEEE = 1 << 9

// mode is gcn, but if IEEE is off in the MODE register, argument at, every NaN yields
// to the other operand.
func (m minmax) mode(g *lowering, a [4]x64.Reg, at int, x, y x64.Reg) x64.Reg {
	return g.choice(a, at, modeIEEE, func() x64.Reg {
		r := m.numbers(&g.arithmetic, x, y)
		r = g.pick32(g.cmpf(cmpfUN, y, y), r, x)
		return g.pick32(g.cmpf(cmpfUN, x, x), r, y)
	}, func() x64.Reg { return m.gcn(&g.arithmetic, x, y) })
}

// medianF32 is num.VMed3F32; nans is the result if an operand is a NaN.
func medianF32(g *lowering, a [4]x64.Reg, nans x64.Reg) x64.Reg {
	most := minmax{max: true}
	// The maximum of all; the median is the maximum of the other two.
	m := most.numbers(&g.arithmetic, most.numbers(&g.arithmetic, a[0], a[1]), a[2])
	r := most.numbers(&g.arithmetic, a[0], a[1])
	r = g.pick32(g.cmpf(cmpfEQ, m, a[1]), r, most.numbers(&g.arithmetic, a[0], a[2]))
	r = g.pick32(g.cmpf(cmpfEQ, m, a[0]), r, most.numbers(&g.arithmetic, a[1], a[2]))
	some := g.maskOr(g.cmpf(cmpfUN, a[0], a[1]), g.cmpf(cmpfUN, a[2], a[2]))
	return g.pick32(some, r, nans)
}

// choice is yes in the lanes for which the word in argument at has one of some bits,
// else no. The word is nearly always a constant.
func (g *lowering) choice(a [4]x64.Reg, at int, bits uint32, no, yes func() x64.Reg) x64.Reg {
	v, ok := g.constant1(g.ops.Args[at])
	switch {
	case !ok:
		return g.pick32(g.bitClear(a[at], g.c32(bits)), yes(), no())
	case uint32(v)&bits != 0:
		return yes()
	}
	return no()
}

// inMode is f in the rounding that bits 1:0 of the MODE register, argument at, select.
// If MODE is not a constant, all roundings except the current one are hard.
func (g *lowering) inMode(a [4]x64.Reg, at int, f func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg) x64.Reg {
	if v, ok := g.constant1(g.ops.Args[at]); ok {
		return f(g, a, [4]x64.Rounding{x64.Current, x64.Up, x64.Down, x64.Zero}[v&3])
	}
	g.hard(g.maskNot(g.bitClear(a[at], g.c32(3))))
	return f(g, a, x64.Current)
}

// ldexp is num.VLdexpF32: a[0] * 2^a[1].
func ldexp(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
	if g.avx512 {
		return g.round(rc, x64.Inst{Op: x64.VSCALEFPS, A: a[0], B: g.v1(x64.VCVTDQ2PS, a[1])})
	}
	// In f64 the product is exact; exponents beyond 300 are out of the range of f32
	// anyway.
	n := g.v2(x64.VPMAXSD, g.v2(x64.VPMINSD, a[1], g.c32(300)), g.c32(1<<32-300))
	xl, xh := g.halves(x64.VCVTPS2PD, a[0])
	nl, nh := g.halves(x64.VPMOVSXDQ, n)
	one := func(x, n x64.Reg) x64.Reg {
		return g.v2(x64.VMULPD, x, g.vi(x64.VPSLLQImm, g.v2(x64.VPADDQ, n, g.c64(1023)), 52))
	}
	return g.narrowedIn(rc, one(xl, nl), one(xh, nh))
}

// frexp makes subnormals normal: x is a or a * 2^32, and less is the number to subtract
// from x's exponent bits. other is the mask of zeros, infinities and NaNs.
func (g *arithmetic) frexp(a x64.Reg) (x, less, other x64.Reg) {
	m := g.abs(a)
	sub := g.gtd(g.c32(leastF32), m)
	x = g.pick32(sub, a, g.v2(x64.VMULPS, a, g.f32(1<<32)))
	less = g.pick32(sub, g.c32(126), g.c32(126+32))
	return x, less, g.maskOr(g.eqd(m, g.zero()), g.gtd(m, g.c32(expF32-1)))
}

// cmpClass is num.VCmpClassF32: whether the mask in a[1] has the bit of the class of
// a[0].
func cmpClass(g *lowering, a [4]x64.Reg) x64.Reg {
	return g.hasClass(a[0], g.abs(a[0]), a[1], leastF32, expF32, quietF32)
}

// hasClass is cmpClass for a format: words x have their sign in bit 31 and the
// magnitude m. least is the least normal number, inf infinity, quiet the bit of quiet
// NaNs.
func (g *arithmetic) hasClass(x, m, classes x64.Reg, least, inf, quiet uint32) x64.Reg {
	c := g.c32(8) // a positive normal number
	c = g.pick32(g.gtd(g.c32(least), m), c, g.c32(7))
	c = g.pick32(g.eqd(m, g.zero()), c, g.c32(6))
	c = g.pick32(g.eqd(m, g.c32(inf)), c, g.c32(9))
	s := g.vi(x64.VPSRADImm, x, 31)
	c = g.v2(x64.VPADDD, g.v2(x64.VPSUBD, g.xor(c, s), s), g.and(s, g.c32(11))) // negative numbers have class 11-c
	c = g.pick32(g.gtd(m, g.c32(inf)), c, g.c32(1))
	c = g.pick32(g.maskAnd(g.gtd(m, g.c32(inf)), g.gtd(g.c32(inf|quiet), m)), c, g.zero())
	return g.maskNot(g.bitClear(g.v2(x64.VPSRLVD, classes, c), g.c32(1)))
}

// omod is num.VOModF32: an output modifier multiplies by 2, 4 or 0.5.
func (g *arithmetic) omod(r, omod x64.Reg) x64.Reg {
	// The sum with 0 turns -0 into +0.
	x := g.v2(x64.VADDPS, g.ftz(g.v2(x64.VMULPS, r, g.omodFactor(omod))), g.zero())
	return g.pick32(g.bitClear(omod, g.c32(3)), x, r)
}

// omodFactor is the factor of an output modifier.
func (g *arithmetic) omodFactor(omod x64.Reg) x64.Reg {
	factors := make([]byte, g.len)
	for i := range factors {
		factors[i] = byte([...]uint32{oneF32, 0x40000000, 0x40800000, 0x3f000000}[i/4%4] >> (8 * (i % 4)))
	}
	return g.v2(x64.VPERMILPS, g.table(factors), omod) // by bits 1:0
}

// divScaled is the mask of the lanes for which v_div_scale_f32 may have to scale:
// num.VDivScaleF32 with denominator a[1] and numerator a[2]. A zero is not scaled.
func divScaled(g *lowering, a [4]x64.Reg) x64.Reg {
	e := func(x x64.Reg) x64.Reg { return g.vi(x64.VPSRLDImm, g.abs(x), 23) }
	e1, e2 := e(a[1]), e(a[2])
	d := g.v2(x64.VPSUBD, e2, e1)
	// No scaling is needed if the quotient is normal and not large, and the reciprocal
	// is normal.
	const far, tiny, low, high = 96, -124, 23, 252
	out := func(x x64.Reg, from, to uint32) x64.Reg {
		return g.maskOr(g.gtd(g.c32(from), x), g.gtd(x, g.c32(to)))
	}
	tinyBits := int32(tiny)
	k := g.maskOr(out(d, uint32(tinyBits), far-1), g.maskOr(out(e1, 1, high-1), out(e2, low+1, 254)))
	return g.maskLess(g.anyZero(a[1], a[2]), k)
}

// divFixup is num.VDivFixupF32: it corrects the quotient a[0] of numerator a[2] and
// denominator a[1]. For zeros, infinities and NaNs the result is the machine's
// quotient.
func divFixup(g *lowering, a [4]x64.Reg) x64.Reg {
	sign := g.and(g.xor(a[1], a[2]), g.c32(signF32))
	r := g.or(g.abs(a[0]), sign)
	r = g.pick32(g.cmpf(cmpfUN, a[0], a[0]), r, g.or(sign, g.c32(expF32)))
	e := func(x x64.Reg) x64.Reg { return g.vi(x64.VPSRLDImm, g.abs(x), 23) }
	d := g.v2(x64.VPSUBD, e(a[1]), e(a[2]))
	r = g.pick32(g.gtd(d, g.c32(150)), r, sign)
	k := g.anyZero(a[1], a[2])
	for _, x := range a[1:3] {
		k = g.maskOr(k, g.gtd(g.abs(x), g.c32(expF32-1)))
	}
	return g.pick32(k, r, g.v2(x64.VDIVPS, a[2], a[1]))
}
