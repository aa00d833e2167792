package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the rules of f16 operations of GCN3.
//
// Input: vectors of half-words, and perhaps the MODE register.
// Output: vectors of half-words; arithmetic is in f32, or in f16 if the processor has
// it.
// Invariant: NaN payloads are visible, so all rules here set payloads.
// Example: v_add_f16 in round-up mode: VCVTPH2PS, VADDPS with rounding up, VCVTPS2PH.

// mode16 is f in the rounding that bits 3:2 of MODE select. MODE is argument at, in
// words; f works on half-words, so on half the length.
func (g *lowering) mode16(a [4]x64.Reg, at int, f func(rc x64.Rounding) x64.Reg) x64.Reg {
	half := g.len / 2
	do := func(rc x64.Rounding) x64.Reg { return g.sized(half, func() x64.Reg { return f(rc) }) }
	roundings := [4]x64.Rounding{x64.Current, x64.Up, x64.Down, x64.Zero}
	if v, ok := g.constant1(g.ops.Args[at]); ok {
		return do(roundings[v>>2&3])
	}
	// MODE is not constant: compute all four roundings and select.
	m := g.drop(g.and(a[at], g.c32(3<<2)), 4, 2)
	r := do(roundings[0])
	for i, rc := range roundings[1:] {
		x := do(rc)
		r = g.sized(half, func() x64.Reg {
			y := g.h()
			return y.sel(y.cmp(cmpEQ, true, operand{reg: m}, y.k(uint64(i+1)<<2)), operand{reg: x}, operand{reg: r}).reg
		})
	}
	return r
}

// choice16 is choice for half-words.
func (g *lowering) choice16(a [4]x64.Reg, at int, bits uint32, no, yes func() x64.Reg) x64.Reg {
	if v, ok := g.constant1(g.ops.Args[at]); ok {
		if uint32(v)&bits != 0 {
			no = yes
		}
		return g.sized(g.len/2, no)
	}
	m := g.drop(g.and(a[at], g.c32(bits)), 4, 2)
	return g.sized(g.len/2, func() x64.Reg {
		y := g.h()
		return y.sel(y.cmp(cmpEQ, true, operand{reg: m}, y.k(0)), operand{reg: no()}, operand{reg: yes()}).reg
	})
}

// numbers16 is the minimum or maximum of numbers; NaNs give arbitrary results.
func (m minmax) numbers16(g *lowering, a, b x64.Reg) x64.Reg {
	y := g.h()
	p, q := g.key16(operand{reg: a}), g.key16(operand{reg: b})
	if m.max {
		return g.key16(y.maximum(true, p, q)).reg
	}
	return g.key16(y.minimum(true, p, q)).reg
}

// yielding16 is num.VMinModeF16 or num.VMaxModeF16 with IEEE off; with ieee it is
// VMinF16 or VMaxF16.
func (m minmax) yielding16(g *lowering, a, b x64.Reg, ieee bool) x64.Reg {
	y := g.h()
	p, q := operand{reg: a}, operand{reg: b}
	an, bn := f16.isNaN(g, a), f16.isNaN(g, b)
	r := y.vec(m.numbers16(g, a, b))
	r = y.sel(bn, p, r)
	r = y.sel(an, q, r)
	if !ieee {
		return r.reg
	}
	// With IEEE on, a signalling NaN is the result, quiet.
	signals := func(x, nan operand) operand {
		return y.mand(nan, y.cmp(cmpEQ, true, y.and(x, y.k(quietF16)), y.k(0)))
	}
	r = y.sel(signals(q, bn), y.or(q, y.k(quietF16)), r)
	return y.sel(signals(p, an), y.or(p, y.k(quietF16)), r).reg
}

// mad16 is num.VMadF16 in rounding rc: the product is rounded before the sum.
func mad16(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
	for i := range 3 {
		a[i] = g.ftz16(a[i])
	}
	mul, add := twoF32(x64.VMULPS), twoF32(x64.VADDPS)
	// The product is rounded to f16 and flushed before the sum.
	p := g.ftz16(f16.arith(g, a, 2, rc, false, func(b [4]x64.Reg, rc x64.Rounding) x64.Reg { return mul(g, b, rc) }))
	r := f16.arith(g, [4]x64.Reg{a[0], a[1], a[2], p}, 4, rc, false, func(b [4]x64.Reg, rc x64.Rounding) x64.Reg {
		// A NaN addend comes before the NaN of a product of numbers, but after a NaN
		// factor.
		r, s := add(g, [4]x64.Reg{b[2], b[3]}, rc), add(g, [4]x64.Reg{b[3], b[2]}, rc)
		return g.pick32(g.cmpf(cmpfUN, b[0], b[1]), r, s)
	})
	return g.ftz16(r)
}

// ldexp16 is num.VLdexpF16 in rounding rc: the product is exact in f32.
func ldexp16(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
	y := g.h()
	nl, nh := g.halves(x64.VPMOVSXWD, y.reg(y.clamp(operand{reg: a[1]}, -60, 60)))
	x := f16.widened(g, a[0])
	for h, n := range []x64.Reg{nl, nh} {
		x[h] = g.v2(x64.VMULPS, x[h], g.vi(x64.VPSLLDImm, g.v2(x64.VPADDD, n, g.c32(127)), 23))
	}
	return f16.narrowed(g, x, rc)
}

// gcnHalves makes the table.

// gcnHalves makes the table.
func gcnHalves() map[ir.Op]vrule {
	t := map[ir.Op]vrule{}
	type fn = func(g *lowering, a [4]x64.Reg) x64.Reg
	rule := func(op ir.Op, f fn) { t[op] = vrule{fn: f, payloads: true} }
	in := f16.in
	// both adds an operation in the default rounding and in that of MODE.
	both := func(op, round ir.Op, n int, f rounds) {
		rule(op, func(g *lowering, a [4]x64.Reg) x64.Reg { return f(g, a, x64.Current) })
		rule(round, func(g *lowering, a [4]x64.Reg) x64.Reg {
			return g.mode16(a, n, func(rc x64.Rounding) x64.Reg { return f(g, a, rc) })
		})
	}
	both(ir.VAddF16, ir.VAddF16Round, 2, f16.direct(x64.VADDPH, 2, in(2, false, twoF32(x64.VADDPS))))
	both(ir.VSubF16, ir.VSubF16Round, 2, f16.direct(x64.VSUBPH, 2, in(2, false, twoF32(x64.VSUBPS))))
	both(ir.VMulF16, ir.VMulF16Round, 2, f16.direct(x64.VMULPH, 2, in(2, false, twoF32(x64.VMULPS))))
	both(ir.VFmaF16, ir.VFmaF16Round, 3, f16.direct(x64.VFMADD231PH, 3, in(3, true, fmaF32)))
	both(ir.VMadF16, ir.VMadF16Round, 3, mad16)
	both(ir.VLdexpF16, ir.VLdexpF16Round, 2, ldexp16)

	// one adds an operation of one argument that is computed in f32.
	one := func(op ir.Op, f func(g *lowering, x x64.Reg) x64.Reg) {
		do := in(1, false, func(g *lowering, a [4]x64.Reg, _ x64.Rounding) x64.Reg { return f(g, a[0]) })
		rule(op, func(g *lowering, a [4]x64.Reg) x64.Reg { return do(g, a, x64.Current) })
	}
	for op, mode := range map[ir.Op]int64{ir.VRndneF16: toNearest, ir.VFloorF16: toFloor, ir.VCeilF16: toCeil, ir.VTruncF16: toTrunc} {
		one(op, func(g *lowering, x x64.Reg) x64.Reg { return g.roundTo(x, mode) })
	}
	one(ir.VFractF16, func(g *lowering, x x64.Reg) x64.Reg { // exact in f32; a NaN stays
		return g.v2(x64.VMINPS, g.f32(1-0x1p-11), g.v2(x64.VSUBPS, x, g.roundTo(x, toFloor)))
	})
	one(ir.VRcpF16, func(g *lowering, x x64.Reg) x64.Reg { return g.v2(x64.VDIVPS, g.f32(1), x) })
	one(ir.VSqrtF16, func(g *lowering, x x64.Reg) x64.Reg { return g.v1(x64.VSQRTPS, x) })
	one(ir.VRsqF16, func(g *lowering, x x64.Reg) x64.Reg { return g.v2(x64.VDIVPS, g.f32(1), g.v1(x64.VSQRTPS, x)) })
	for op, f := range map[ir.Op]func(g *lowering, x x64.Reg) x64.Reg{
		ir.VExpF16: (*lowering).ex2Half,
		ir.VLogF16: (*lowering).lg2,
		ir.VSinF16: func(g *lowering, x x64.Reg) x64.Reg { return g.turns(x, false) },
		ir.VCosF16: func(g *lowering, x x64.Reg) x64.Reg { return g.turns(x, true) },
	} {
		rule(op, func(g *lowering, a [4]x64.Reg) x64.Reg { return f16.screened(g, a[0], f) })
	}
	// Every f16 number is a normal f32 or zero, so frexp of f32 serves.
	one(ir.VFrexpMantF16, func(g *lowering, x x64.Reg) x64.Reg {
		r, _, other := g.frexp(x)
		m := g.or(g.and(r, g.c32(signF32|(leastF32-1))), g.f32(0.5))
		return g.pick32(other, m, x)
	})
	rule(ir.VFrexpExpI16F16, func(g *lowering, a [4]x64.Reg) x64.Reg {
		p := g.f32s("F16", a[0], 2).each(&g.arithmetic, func(x x64.Reg) x64.Reg {
			r, less, other := g.frexp(x)
			return g.pick32(other, g.v2(x64.VPSUBD, g.vi(x64.VPSRLDImm, g.abs(r), 23), less), g.zero())
		})
		return p.narrow(g, 4, 2)
	})
	for ops, m := range map[[2]ir.Op]minmax{{ir.VMinF16, ir.VMinModeF16}: {}, {ir.VMaxF16, ir.VMaxModeF16}: {max: true}} {
		rule(ops[0], func(g *lowering, a [4]x64.Reg) x64.Reg { return m.yielding16(g, a[0], a[1], true) })
		rule(ops[1], func(g *lowering, a [4]x64.Reg) x64.Reg {
			return g.choice16(a, 2, modeIEEE, func() x64.Reg { return m.yielding16(g, a[0], a[1], false) }, func() x64.Reg { return m.yielding16(g, a[0], a[1], true) })
		})
	}
	// A NaN stays unless DX10_CLAMP is set in MODE.
	clamp := func(g *lowering, x x64.Reg) x64.Reg {
		return g.h().sel(f16.isNaN(g, x), operand{reg: x}, operand{reg: g.sat16(x)}).reg
	}
	rule(ir.VClampF16, func(g *lowering, a [4]x64.Reg) x64.Reg { return clamp(g, a[0]) })
	rule(ir.VClampModeF16, func(g *lowering, a [4]x64.Reg) x64.Reg {
		const dx10 = 1 << 8
		return g.choice16(a, 1, dx10, func() x64.Reg { return clamp(g, a[0]) }, func() x64.Reg { return g.sat16(a[0]) })
	})
	// Bits of MODE say whether subnormals are kept.
	for op, keep := range map[ir.Op]uint32{ir.VFlushInF16: 1 << 6, ir.VFlushOutF16: 1 << 7} {
		rule(op, func(g *lowering, a [4]x64.Reg) x64.Reg {
			return g.choice16(a, 1, keep, func() x64.Reg { return g.ftz16(a[0]) }, func() x64.Reg { return a[0] })
		})
	}
	rule(ir.VOModF16, func(g *lowering, a [4]x64.Reg) x64.Reg { return g.drop(g.omod16(a[0], a[1]), 4, 2) })
	rule(ir.VOModModeF16, func(g *lowering, a [4]x64.Reg) x64.Reg {
		const keep = 1<<7 | 1<<9
		return g.drop(g.choice(a, 2, keep, func() x64.Reg { return g.omod16(a[0], a[1]) }, func() x64.Reg { return g.halfWords(a[0]) }), 4, 2)
	})
	rule(ir.VDivFixupF16, func(g *lowering, a [4]x64.Reg) x64.Reg {
		// For zeros, infinities and NaNs the result is the machine's quotient.
		y := g.h()
		s0, s1, s2 := operand{reg: a[0]}, operand{reg: a[1]}, operand{reg: a[2]}
		r := y.or(y.and(s0, y.k(absF16)), y.and(y.xor(s1, s2), y.k(signF16)))
		// q is the machine's quotient; special tests for zeros, infinities and NaNs.
		q := in(2, false, twoF32(x64.VDIVPS))(g, [4]x64.Reg{a[2], a[1]}, x64.Current)
		special := func(x operand) operand {
			m := y.and(x, y.k(absF16))
			return y.mor(y.cmp(cmpEQ, true, m, y.k(0)), y.cmp(cmpGT, true, m, y.k(f16.inf-1)))
		}
		return y.sel(y.mor(special(s1), special(s2)), operand{reg: q}, r).reg
	})
	rule(ir.VCmpClassF16, func(g *lowering, a [4]x64.Reg) x64.Reg {
		// As words with their sign on top, half-words have the form that hasClass
		// takes.
		x := g.v1(x64.VPMOVSXWD, a[0])
		return g.hasClass(x, g.and(x, g.c32(absF16)), a[1], 1<<10, uint32(f16.inf), quietF16)
	})
	return t
}

// omod16 is num.VOModF16, in words.
func (g *arithmetic) omod16(r, omod x64.Reg) x64.Reg {
	x := g.v1(x64.VCVTPH2PS, r)
	d := g.halfWords(g.toHalf(g.v2(x64.VMULPS, x, g.omodFactor(omod)), x64.Current))
	d = g.pick32(g.bitClear(d, g.c32(uint32(f16.inf))), d, g.zero()) // no subnormals, nor -0
	return g.pick32(g.maskOr(g.bitClear(omod, g.c32(3)), g.cmpf(cmpfUN, x, x)), d, g.halfWords(r))
}
