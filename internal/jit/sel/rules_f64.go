package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the rules of f64 operations.
//
// Input: vectors of f64.
// Output: vectors of f64, or masks.
// Invariant: as on the machine, the result is the first NaN among the operands, made
// quiet; an invalid operation on numbers gives the machine's NaN (Intel SDM volume 1,
// table 4-7). So f64 webs are never raw.
// Example: AddF64RZ: VADDPD with rounding to zero.

// f64Rules makes the table.
func f64Rules() map[ir.Op]vrule {
	t := map[ir.Op]vrule{}
	names := map[string]ir.Op{}
	for op := range ir.NumOps {
		names[ir.Op(op).String()] = ir.Op(op)
	}
	type fn = func(g *lowering, a [4]x64.Reg) x64.Reg
	type rounds = func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg
	rule := func(name string, f fn) {
		op, ok := names[name]
		if !ok {
			panic("sel: no operation " + name)
		}
		t[op] = vrule{fn: f}
	}
	// arith adds a rule for each rounding of PTX. mode is for GCN3: argument at is the
	// MODE register.
	arith := func(name string, f rounds) {
		for suffix, rc := range map[string]x64.Rounding{"": x64.Current, "RZ": x64.Zero, "RM": x64.Down, "RP": x64.Up} {
			rule(name+suffix, func(g *lowering, a [4]x64.Reg) x64.Reg { return f(g, a, rc) })
		}
	}
	mode := func(name string, at int, f rounds) {
		rule(name, func(g *lowering, a [4]x64.Reg) x64.Reg { return g.inMode64(a, at, f) })
	}
	two := func(op x64.Op) rounds {
		return func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
			return g.round(rc, x64.Inst{Op: op, A: a[0], B: a[1], Ordered: true})
		}
	}
	// Reciprocals and roots are exact to rounding.
	rcp := func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
		return g.round(rc, x64.Inst{Op: x64.VDIVPD, A: g.c64(oneF64), B: a[0]})
	}
	sqrt := func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
		return g.round(rc, x64.Inst{Op: x64.VSQRTPD, B: a[0]})
	}
	// The instruction adds to its destination, so the summand is moved there first.
	fma := func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
		d := g.vec()
		g.move(d, a[2])
		return g.round(rc, x64.Inst{Op: x64.VFMADD231PD, Dst: d, A: a[0], B: a[1]})
	}
	arith("AddF64", two(x64.VADDPD))
	arith("SubF64", two(x64.VSUBPD))
	arith("MulF64", two(x64.VMULPD))
	arith("DivF64", two(x64.VDIVPD))
	arith("FmaF64", fma)
	arith("RcpF64", rcp)
	arith("SqrtF64", sqrt)
	// GCN3: the rounding is in the MODE register.
	mode("VAddF64Round", 2, two(x64.VADDPD))
	mode("VMulF64Round", 2, two(x64.VMULPD))
	mode("VFmaF64Round", 3, fma)
	rule("VRcpF64", func(g *lowering, a [4]x64.Reg) x64.Reg { return rcp(g, a, x64.Current) })
	rule("VSqrtF64", func(g *lowering, a [4]x64.Reg) x64.Reg { return sqrt(g, a, x64.Current) })

	for name, m := range map[string]int64{"RndneF64": toNearest, "FloorF64": toFloor, "CeilF64": toCeil, "TruncF64": toTrunc} {
		rule(name, func(g *lowering, a [4]x64.Reg) x64.Reg { return g.roundTo64(a[0], m) })
	}
	// Comparisons: the machine has all predicates.
	for name, pred := range map[string]int64{
		"EqF64": cmpfEQ, "NeF64": cmpfNE, "LtF64": cmpfLT, "LeF64": cmpfLE, "GtF64": cmpfGT, "GeF64": cmpfGE,
		"EquF64": cmpfEQu, "NeuF64": cmpfNEu, "LtuF64": cmpfLTu, "LeuF64": cmpfLEu, "GtuF64": cmpfGTu, "GeuF64": cmpfGEu,
		"NumF64": cmpfORD, "NanF64": cmpfUN,
	} {
		rule(name, func(g *lowering, a [4]x64.Reg) x64.Reg { return g.cmpd(pred, a[0], a[1]) })
	}
	for name, classes := range map[string]int64{"IsNaNF64": classNaN, "IsInfF64": classInf, "IsSubnormalF64": classSub} {
		rule(name, func(g *lowering, a [4]x64.Reg) x64.Reg { return g.test64(a[0], classes) })
	}
	for name, classes := range map[string]int64{"IsNumF64": classNaN, "IsFiniteF64": classNaN | classInf, "IsNormalF64": classNaN | classInf | classSub} {
		rule(name, func(g *lowering, a [4]x64.Reg) x64.Reg { return g.maskNot64(g.test64(a[0], classes)) })
	}
	// PTX: a NaN yields to the other operand. GCN3: see gcn64 and yielding.
	for name, m := range map[string]minmax{"Min": {}, "Max": {max: true}} {
		rule(name+"F64", func(g *lowering, a [4]x64.Reg) x64.Reg { return m.yielding(&g.arithmetic, a[0], a[1], false) })
		rule("V"+name+"F64", func(g *lowering, a [4]x64.Reg) x64.Reg { return m.gcn64(&g.arithmetic, a[0], a[1]) })
		rule("V"+name+"ModeF64", func(g *lowering, a [4]x64.Reg) x64.Reg {
			return g.choice64(a, 2, modeIEEE, func() x64.Reg { return m.yielding(&g.arithmetic, a[0], a[1], true) }, func() x64.Reg { return m.gcn64(&g.arithmetic, a[0], a[1]) })
		})
	}
	rule("AbsF64", func(g *lowering, a [4]x64.Reg) x64.Reg { return g.abs64(a[0]) })
	rule("NegF64", func(g *lowering, a [4]x64.Reg) x64.Reg { return g.xor(a[0], g.c64(signF64)) })
	rule("FlushF64", func(g *lowering, a [4]x64.Reg) x64.Reg { return g.ftz64(a[0]) })
	rule("SatF64", func(g *lowering, a [4]x64.Reg) x64.Reg { return g.sat64(a[0]) })
	rule("CopysignF64", func(g *lowering, a [4]x64.Reg) x64.Reg { return g.signOf64(a[0], a[1]) })
	rule("SelF64", func(g *lowering, a [4]x64.Reg) x64.Reg { return g.pick64(a[0], a[2], a[1]) })

	// fract is x - floor(x), but below 1.
	rule("VFractF64", func(g *lowering, a [4]x64.Reg) x64.Reg {
		r := g.v2(x64.VSUBPD, a[0], g.roundTo64(a[0], toFloor))
		return g.v2(x64.VMINPD, g.c64(underOneD), r) // a NaN stays
	})
	clamp := func(g *lowering, a [4]x64.Reg) x64.Reg {
		return g.pick64(g.cmpd(cmpfUN, a[0], a[0]), g.sat64(a[0]), a[0])
	}
	rule("VClampF64", clamp)
	rule("VClampModeF64", func(g *lowering, a [4]x64.Reg) x64.Reg {
		// If DX10_CLAMP is set in MODE, a NaN becomes 0, else it stays.
		const dx10 = 1 << 8
		return g.choice64(a, 1, dx10, func() x64.Reg { return clamp(g, a) }, func() x64.Reg { return g.sat64(a[0]) })
	})
	// Bits of MODE say whether subnormals are kept.
	for name, keep := range map[string]uint32{"VFlushInF64": 1 << 6, "VFlushOutF64": 1 << 7} {
		rule(name, func(g *lowering, a [4]x64.Reg) x64.Reg {
			return g.choice64(a, 1, keep, func() x64.Reg { return g.ftz64(a[0]) }, func() x64.Reg { return a[0] })
		})
	}
	// The mantissa has the exponent of 0.5; zeros, infinities and NaNs stay.
	rule("VFrexpMantF64", func(g *lowering, a [4]x64.Reg) x64.Reg {
		x, _, other := g.frexp64(a[0])
		m := g.or(g.and(x, g.c64(signF64|(leastF64-1))), g.f64(0.5))
		return g.pick64(other, m, g.quiet64(a[0]))
	})
	rule("VFrexpExpI32F64", func(g *lowering, a [4]x64.Reg) x64.Reg {
		x, less, other := g.frexp64(a[0])
		e := g.v2(x64.VPSUBQ, g.vi(x64.VPSRLQImm, g.abs64(x), 52), less)
		return g.q().trunc(4, operand{reg: g.pick64(other, e, g.zero())}).reg
	})
	rule("VCmpClassF64", cmpClass64)
	rule("VDivFixupF64", divFixup64)
	// Lanes that need scaling are hard. Else the operand is unchanged, or a NaN if one
	// is a zero.
	t[ir.VDivScaleF64] = vrule{screened: true, fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
		g.hard(divScaled64(g, a))
		return g.pick64(g.anyZero64(a[1], a[2]), g.quiet64(a[0]), g.c64(nanF64))
	}}
	t[ir.VDivScaleVccF64] = vrule{screened: true, fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
		g.hard(divScaled64(g, a))
		return g.gtq(g.zero(), g.zero())
	}}
	// Lanes with their bit of VCC set scale the result: hard.
	t[ir.VDivFmasF64] = vrule{screened: true, fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
		g.hard(a[3])
		return fma(g, a, x64.Current)
	}}
	t[ir.VLdexpF64] = vrule{screened: true, fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return ldexp64(g, a, x64.Current) }}
	t[ir.VLdexpF64Round] = vrule{screened: true, fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
		n := len(g.hards)
		r := g.inMode64(a, 2, ldexp64)
		if len(g.hards) > n { // once for each rounding, with the same result
			g.hards = g.hards[:n+1]
		}
		return r
	}}
	rule("VOModF64", func(g *lowering, a [4]x64.Reg) x64.Reg { return g.omod64(a[0], a[1]) })
	rule("VOModModeF64", func(g *lowering, a [4]x64.Reg) x64.Reg {
		// Output modifiers apply only if subnormals are flushed and IEEE is off.
		const keep = 1<<7 | 1<<9
		return g.choice64(a, 2, keep, func() x64.Reg { return g.omod64(a[0], a[1]) }, func() x64.Reg { return a[0] })
	})
	upper := func(f func(g *lowering, x x64.Reg) x64.Reg) func(g *lowering, a [4]x64.Reg) x64.Reg {
		return func(g *lowering, a [4]x64.Reg) x64.Reg { // on the upper words
			// Only the upper word of the result counts: it is rounded half up there.
			const high = 1<<64 - 1<<32
			r := f(g, g.ftz64(g.and(a[0], g.c64(high))))
			d := g.and(g.v2(x64.VPADDQ, g.ftz64(r), g.c64(1<<31)), g.c64(high))
			return g.pick64(g.cmpd(cmpfUN, r, a[0]), d, g.c64(0x7fffffff<<32))
		}
	}
	rule("RcpApproxF64Ftz", upper(func(g *lowering, x x64.Reg) x64.Reg { return g.v2(x64.VDIVPD, g.c64(oneF64), x) }))
	rule("RsqrtApproxF64Ftz", upper(func(g *lowering, x x64.Reg) x64.Reg {
		return g.v2(x64.VDIVPD, g.c64(oneF64), g.v1(x64.VSQRTPD, x))
	}))
	return t
}

// inMode64 is f in the rounding that bits 3:2 of the MODE register, argument at,
// select.
func (g *lowering) inMode64(a [4]x64.Reg, at int, f func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg) x64.Reg {
	roundings := [4]x64.Rounding{x64.Current, x64.Up, x64.Down, x64.Zero}
	if v, ok := g.constant1(g.ops.Args[at]); ok {
		return f(g, a, roundings[v>>2&3])
	}
	// MODE is not constant: compute all four roundings and select.
	m := g.and(g.v1(x64.VPMOVZXDQ, a[at]), g.c64(3<<2))
	r := f(g, a, roundings[0])
	for i, rc := range roundings[1:] {
		r = g.pick64(g.eqq(m, g.c64(uint64(i+1)<<2)), r, f(g, a, rc))
	}
	return r
}

// test64 is the mask of the elements in some classes: NaNs, infinities, subnormals.
func (g *lowering) test64(a x64.Reg, classes int64) x64.Reg {
	if g.avx512 {
		k := g.kreg()
		g.emit(x64.Inst{Op: x64.VFPCLASSPD, Len: g.len, Dst: k, B: a, Imm: classes})
		return k
	}
	m := g.abs64(a)
	k := x64.Reg(0)
	also := func(x x64.Reg) {
		if k != 0 {
			x = g.maskOr(k, x)
		}
		k = x
	}
	// Magnitudes as integers: NaNs are above infinity.
	switch classes & (classNaN | classInf) {
	case classNaN:
		also(g.cmpd(cmpfUN, m, m))
	case classInf:
		also(g.eqq(m, g.c64(expF64)))
	case classNaN | classInf:
		also(g.gtq(m, g.c64(expF64-1)))
	}
	if classes&classSub != 0 {
		also(g.maskAnd(g.gtq(g.c64(leastF64), m), g.gtq(m, g.zero())))
	}
	return k
}

// anyZero64 is the mask of the elements for which a or b is a zero.
func (g *arithmetic) anyZero64(a, b x64.Reg) x64.Reg {
	return g.maskOr(g.cmpd(cmpfEQ, a, g.zero()), g.cmpd(cmpfEQ, b, g.zero()))
}

// frexp64 makes subnormals normal: x is a or a * 2^64, and less is the number to
// subtract from x's exponent bits. other is the mask of zeros, infinities and NaNs.
func (g *lowering) frexp64(a x64.Reg) (x, less, other x64.Reg) {
	m := g.abs64(a)
	sub := g.gtq(g.c64(leastF64), m)
	x = g.pick64(sub, a, g.v2(x64.VMULPD, a, g.f64(1<<64)))
	less = g.pick64(sub, g.c64(1022), g.c64(1022+64))
	return x, less, g.maskOr(g.eqq(m, g.zero()), g.gtq(m, g.c64(expF64-1)))
}

// cmpClass64 is num.VCmpClassF64; see hasClass for the method.
func cmpClass64(g *lowering, a [4]x64.Reg) x64.Reg {
	x := a[0]
	m := g.abs64(x)
	// c is the bit number of the class: 8 normal, 7 subnormal, 6 zero, 9 infinity, for
	// positive numbers.
	c := g.c64(8)
	c = g.pick64(g.gtq(g.c64(leastF64), m), c, g.c64(7))
	c = g.pick64(g.eqq(m, g.zero()), c, g.c64(6))
	c = g.pick64(g.eqq(m, g.c64(expF64)), c, g.c64(9))
	var s x64.Reg
	if g.avx512 {
		s = g.vi(x64.VPSRAQImm, x, 63)
	} else {
		s = g.v2(x64.VPCMPGTQ, g.zero(), x)
	}
	c = g.v2(x64.VPADDQ, g.v2(x64.VPSUBQ, g.xor(c, s), s), g.and(s, g.c64(11))) // negative numbers have class 11-c
	// NaNs: 1 quiet, 0 signalling.
	c = g.pick64(g.gtq(m, g.c64(expF64)), c, g.c64(1))
	c = g.pick64(g.maskAnd(g.gtq(m, g.c64(expF64)), g.gtq(g.c64(expF64|quietF64), m)), c, g.zero())
	w := g.v1(x64.VPMOVZXDQ, a[1])
	return g.maskNot64(g.bitClear64(g.v2(x64.VPSRLVQ, w, c), g.c64(1)))
}

// exponent64 has the exponent bits of x.
func (g *arithmetic) exponent64(x x64.Reg) x64.Reg { return g.vi(x64.VPSRLQImm, g.abs64(x), 52) }

// divScaled64 is the mask of the lanes for which v_div_scale_f64 may have to scale; see
// divScaled.
func divScaled64(g *lowering, a [4]x64.Reg) x64.Reg {
	e1, e2 := g.exponent64(a[1]), g.exponent64(a[2])
	// Ranges of the exponents for which nothing has to be scaled.
	d := g.v2(x64.VPSUBQ, e2, e1)
	const far, tiny, low, high = 768, -1020, 53, 2044
	out := func(x x64.Reg, from, to int64) x64.Reg {
		return g.maskOr(g.gtq(g.c64(uint64(from)), x), g.gtq(x, g.c64(uint64(to))))
	}
	k := g.maskOr(out(d, tiny, far-1), g.maskOr(out(e1, 1, high-1), out(e2, low+1, 2046)))
	return g.maskLess(g.anyZero64(a[1], a[2]), k)
}

// divFixup64 is num.VDivFixupF64; see divFixup.
func divFixup64(g *lowering, a [4]x64.Reg) x64.Reg {
	// The sign is that of the operands; a NaN quotient stands for an overflow to
	// infinity.
	sign := g.and(g.xor(a[1], a[2]), g.c64(signF64))
	r := g.or(g.abs64(a[0]), sign)
	r = g.pick64(g.cmpd(cmpfUN, a[0], a[0]), r, g.or(sign, g.c64(expF64)))
	d := g.v2(x64.VPSUBQ, g.exponent64(a[1]), g.exponent64(a[2]))
	r = g.pick64(g.gtq(d, g.c64(1075)), r, sign)
	k := g.anyZero64(a[1], a[2])
	for _, x := range a[1:3] {
		k = g.maskOr(k, g.gtq(g.abs64(x), g.c64(expF64-1)))
	}
	return g.pick64(k, r, g.v2(x64.VDIVPD, a[2], a[1]))
}

// ldexp64 is num.VLdexpF64 in rounding rc: a[0] * 2^a[1]. Without AVX-512 it is a
// product with a power of two, and lanes are hard if that power is not a normal f64.
func ldexp64(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
	if g.avx512 {
		return g.round(rc, x64.Inst{Op: x64.VSCALEFPD, A: a[0], B: g.v1(x64.VCVTDQ2PD, a[1])})
	}
	n := g.v1(x64.VPMOVSXDQ, a[1])
	g.hard(g.maskOr(g.gtq(n, g.c64(1023)), g.gtq(g.c64(1<<64-1022), n)))
	n = g.vi(x64.VPSLLQImm, g.v2(x64.VPADDQ, n, g.c64(1023)), 52)
	return g.round(rc, x64.Inst{Op: x64.VMULPD, A: a[0], B: n, Ordered: true})
}

// omod64 is num.VOModF64: an output modifier multiplies by 2, 4 or 0.5.
func (g *lowering) omod64(r, omod x64.Reg) x64.Reg {
	m := g.and(g.v1(x64.VPMOVZXDQ, omod), g.c64(3))
	f := g.f64(1)
	for i, x := range []float64{2, 4, 0.5} {
		f = g.pick64(g.eqq(m, g.c64(uint64(i)+1)), f, g.f64(x))
	}
	x := g.v2(x64.VADDPD, g.ftz64(g.v2(x64.VMULPD, r, f)), g.zero())
	return g.pick64(g.eqq(m, g.zero()), x, r)
}
