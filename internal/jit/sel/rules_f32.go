package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the rules of f32 operations of PTX.
//
// Input: vectors of f32, perhaps with NaNs that are not canonical.
// Output: vectors of f32. The driver makes NaNs canonical if rawOut is set and the web
// is not raw.
// Invariant: rounding, flushing and saturation are those of the operation's name
// (package num).
// Example: AddF32RZFtzSat: flush both arguments, VADDPS rounding to zero, flush, clamp
// to 0 to 1.

// f32Rules makes the table. Operations that differ in rounding, flushing and saturation
// are found by their names.
func f32Rules() map[ir.Op]vrule {
	t := named{ops: map[string]ir.Op{}, rules: map[ir.Op]vrule{}}
	for op := range ir.NumOps {
		t.ops[ir.Op(op).String()] = ir.Op(op)
	}
	two := func(op x64.Op) func(*lowering, [4]x64.Reg, x64.Rounding) x64.Reg {
		return func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
			return g.round(rc, x64.Inst{Op: op, A: a[0], B: a[1]})
		}
	}
	// PTX's approximate reciprocal and root get the exact result too; PTX allows a larger
	// error.
	rcp := func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
		return g.round(rc, x64.Inst{Op: x64.VDIVPS, A: g.c32(oneF32), B: a[0]})
	}
	sqrt := func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
		return g.round(rc, x64.Inst{Op: x64.VSQRTPS, B: a[0]})
	}
	t.arith("AddF32", 2, two(x64.VADDPS))
	t.arith("SubF32", 2, two(x64.VSUBPS))
	t.arith("MulF32", 2, two(x64.VMULPS))
	t.arith("DivF32", 2, two(x64.VDIVPS))
	t.arith("FmaF32", 3, func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg { return fusedF32(g, a, rc, true) })
	t.arith("RcpF32", 1, rcp)
	t.arith("SqrtF32", 1, sqrt)
	t.arith("RcpApproxF32", 1, rcp)
	t.arith("SqrtApproxF32", 1, sqrt)
	t.arith("DivFullF32", 2, two(x64.VDIVPS))
	t.arith("DivApproxF32", 2, divApproxF32)

	for name, mode := range map[string]int64{"RndneF32": toNearest, "FloorF32": toFloor, "CeilF32": toCeil, "TruncF32": toTrunc} {
		t.arith(name, 1, func(g *lowering, a [4]x64.Reg, _ x64.Rounding) x64.Reg { return g.roundTo(a[0], mode) })
	}
	for name, pred := range map[string]int64{
		"EqF32": cmpfEQ, "NeF32": cmpfNE, "LtF32": cmpfLT, "LeF32": cmpfLE, "GtF32": cmpfGT, "GeF32": cmpfGE,
		"EquF32": cmpfEQu, "NeuF32": cmpfNEu, "LtuF32": cmpfLTu, "LeuF32": cmpfLEu, "GtuF32": cmpfGTu, "GeuF32": cmpfGEu,
		"NumF32": cmpfORD, "NanF32": cmpfUN,
	} {
		t.each(name, false, 2, vrule{rawIn: 3, fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return g.cmpf(pred, a[0], a[1]) }})
	}
	// min and max, with and without .NaN, and their forms .xorsign.abs.
	for _, m := range []minmax{{}, {max: true}} {
		for _, m.nan = range []bool{false, true} {
			m := m
			name := map[bool]string{false: "Min", true: "Max"}[m.max] + map[bool]string{true: "NaN"}[m.nan]
			t.each(name+"F32", true, 2, vrule{fn: m.rule})
			t.each(name+"XorsignAbsF32", true, 2, vrule{fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
				r := m.rule(g, [4]x64.Reg{g.abs(a[0]), g.abs(a[1])})
				return g.xor(r, g.and(g.xor(a[0], a[1]), g.c32(signF32)))
			}})
			for _, form := range []string{"", "Ftz"} { // the sign of a NaN is visible in the result
				op := t.ops[name+"XorsignAbsF32"+form]
				r := t.rules[op]
				r.rawIn = 0
				t.rules[op] = r
			}
		}
	}
	for name, sign := range map[string]bool{"AbsF32": false, "NegF32": true} {
		t.plain(name, 1, func(g *lowering, a [4]x64.Reg) x64.Reg {
			if sign {
				return g.xor(a[0], g.c32(signF32))
			}
			return g.abs(a[0])
		})
	}
	return t.rules
}

// named makes rules by the names of operations.
type named struct {
	ops   map[string]ir.Op
	rules map[ir.Op]vrule
}

// arith adds the rules of an operation of n arguments in all its roundings and forms,
// with canonical NaN results.
func (t named) arith(name string, n int, f func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg) {
	for suffix, rc := range map[string]x64.Rounding{"": x64.Current, "RZ": x64.Zero, "RM": x64.Down, "RP": x64.Up} {
		t.each(name+suffix, true, n, vrule{fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return f(g, a, rc) }})
	}
}

// each adds the rules of an operation of n f32 arguments, and of its forms Ftz and Sat.
// If result is set, the result is an f32 with a canonical NaN.
func (t named) each(name string, result bool, n int, r vrule) {
	f := r.fn
	for _, ftz := range []bool{false, true} {
		for _, sat := range []bool{false, true} {
			op, ok := t.ops[name+map[bool]string{true: "Ftz"}[ftz]+map[bool]string{true: "Sat"}[sat]]
			if !ok {
				continue
			}
			// All arguments may hold any NaN: the result is canonical or its bits do
			// not depend on them.
			r.rawIn = 1<<n - 1
			if result && !sat {
				r.rawOut, r.nan = 32, nanF32
			}
			r.flushed, r.number = result && ftz, result && sat
			r.fn = func(g *lowering, a [4]x64.Reg) x64.Reg {
				if ftz {
					a = g.ftzAll(a, n)
				}
				d := f(g, a)
				if ftz && result {
					d = g.ftz(d)
				}
				if sat {
					d = g.sat(d)
				}
				return d
			}
			t.rules[op] = r
			r.rawOut = 0
		}
	}
}

// plain adds the rules of an operation that keeps the bits of NaNs, and of its form
// Ftz, which flushes arguments.
func (t named) plain(name string, n int, f func(g *lowering, a [4]x64.Reg) x64.Reg) {
	t.rules[t.ops[name]] = vrule{keeps: 1<<n - 1, fn: f}
	if op, ok := t.ops[name+"Ftz"]; ok {
		t.rules[op] = vrule{keeps: 1<<n - 1, fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return f(g, g.ftzAll(a, n)) }}
	}
}

// fmaF32 is a[0]*a[1] + a[2], rounded once.
func fmaF32(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg { return fusedF32(g, a, rc, false) }

// fusedF32 is fmaF32; either allows that the result is any of several NaNs.
func fusedF32(g *lowering, a [4]x64.Reg, rc x64.Rounding, either bool) x64.Reg {
	d := g.vec()
	g.move(d, a[2])
	return g.round(rc, x64.Inst{Op: x64.VFMADD231PS, Dst: d, A: a[0], B: a[1], Either: either})
}

// divApproxF32 is num.DivApproxF32: the quotient, but for divisors beyond 2^126 a
// product with zero.
func divApproxF32(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
	m := g.abs(a[1])
	k := g.maskAnd(g.cmpf(cmpfGT, m, g.c32(twoTo126)), g.cmpf(cmpfLT, m, g.c32(expF32)))
	q := g.v2(x64.VDIVPS, a[0], a[1])
	return g.pick32(k, q, g.v2(x64.VMULPS, a[0], g.and(a[1], g.c32(signF32))))
}

// minmax is a minimum or a maximum of PTX: if one operand is a NaN, the result is the
// other one, or with nan the NaN; -0 is less than +0.
type minmax struct{ max, nan bool }

// rule emits the operation for two arguments of the operation in hand.
func (m minmax) rule(g *lowering, a [4]x64.Reg) x64.Reg {
	x, y := a[0], a[1]
	if i := g.plainArg(); i >= 0 && !m.nan {
		return m.beside(&g.arithmetic, a[1-i], a[i])
	}
	if m.nan {
		return g.pick32(g.cmpf(cmpfUN, x, y), m.numbers(&g.arithmetic, x, y), g.c32(nanF32))
	}
	if g.avx512 {
		// vrangeps would return a signalling NaN
		return m.numbers(&g.arithmetic, g.quiet(x), g.quiet(y))
	}
	r := m.numbers(&g.arithmetic, x, y)
	// AVX2: replace the results for NaNs.
	r = g.pick32(g.cmpf(cmpfUN, y, y), r, x)
	return g.pick32(g.cmpf(cmpfUN, x, x), r, y)
}

// plainArg is the index of the one of the first two arguments that is a constant and no
// NaN, zero or subnormal; -1: neither is.
func (g *lowering) plainArg() int {
	for i, w := range g.ops.Args[:2] {
		if v, ok := g.constant1(w); ok && v&expF32 != 0 && v&(signF32-1) <= expF32 {
			return i
		}
	}
	return -1
}

// beside is the minimum or maximum of x and a constant that plainArg accepts. If x is a
// NaN the result is that number, because vminps and vmaxps return their second source
// then.
func (m minmax) beside(g *arithmetic, x, number x64.Reg) x64.Reg {
	if m.max {
		return g.v2(x64.VMAXPS, x, number)
	}
	return g.v2(x64.VMINPS, x, number)
}

// numbers is the minimum or maximum of numbers. With AVX-512 a quiet NaN yields to a
// number, and of two NaNs the first is the result; without it a NaN gives an arbitrary
// result.
func (m minmax) numbers(g *arithmetic, x, y x64.Reg) x64.Reg {
	if g.avx512 {
		const signed = 4 // the sign is that of the operand chosen
		return g.v2i(x64.VRANGEPS, x, y, signed|int64(b2i(m.max)))
	}
	// For two zeros VMAXPS and VMINPS return the second source, so both orders are
	// combined.
	if m.max {
		return g.v2(x64.VPAND, g.v2(x64.VMAXPS, x, y), g.v2(x64.VMAXPS, y, x))
	}
	return g.v2(x64.VPOR, g.v2(x64.VMINPS, x, y), g.v2(x64.VMINPS, y, x))
}

// oneF32s are the rules of the remaining operations.
var oneF32s = map[ir.Op]vrule{
	ir.CanonF32: {rawIn: 1, rawOut: 32, nan: nanF32, fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return a[0] }},
	ir.FlushF32: {flushed: true, fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return g.ftz(a[0]) }},
	ir.SatF32:   {rawIn: 1, number: true, fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return g.sat(a[0]) }},
	ir.ReluF32: {fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
		// vmaxps returns its second source if one is a NaN or both are zeros; -0 + 0 =
		// +0.
		r := g.v2(x64.VMAXPS, a[0], g.zero())
		return g.pick32(g.cmpf(cmpfUN, a[0], a[0]), r, a[0])
	}},
	ir.CopysignF32: {fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return g.signOf(a[0], a[1]) }},
	ir.SelF32:      {carries: 6, fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return g.pick32(a[0], a[2], a[1]) }},
	ir.SetF32:      {number: true, fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return g.pick32(a[0], g.zero(), g.c32(oneF32)) }},
	ir.SlctF32:     {rawIn: 1, fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return g.cmpf(cmpfGE, a[0], g.zero()) }},

	ir.IsNaNF32:       testF32(classNaN, false),
	ir.IsNumF32:       testF32(classNaN, true),
	ir.IsFiniteF32:    testF32(classNaN|classInf, true),
	ir.IsInfF32:       testF32(classInf, false),
	ir.IsNormalF32:    testF32(classNaN|classInf|classSub, true),
	ir.IsSubnormalF32: testF32(classSub, false),
}

// testF32 tests for membership in some classes of numbers; not inverts the result.
func testF32(classes int64, not bool) vrule {
	return vrule{rawIn: 1, fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
		k := x64.Reg(0)
		if g.avx512 {
			// AVX-512 has an instruction for classes.
			k = g.fpclass(a[0], classes)
		} else {
			m := g.abs(a[0])
			also := func(x x64.Reg) {
				if k != 0 {
					x = g.maskOr(k, x)
				}
				k = x
			}
			switch classes & (classNaN | classInf) {
			case classNaN:
				also(g.cmpf(cmpfUN, m, m))
			case classInf:
				also(g.eqd(m, g.c32(expF32)))
			case classNaN | classInf:
				also(g.gtd(m, g.c32(expF32-1)))
			}
			if classes&classSub != 0 { // zeros are excluded
				also(g.maskAnd(g.gtd(g.c32(leastF32), m), g.gtd(m, g.zero())))
			}
		}
		if not {
			return g.maskNot(k)
		}
		return k
	}}
}
