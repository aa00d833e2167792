package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the rules of f16 and bf16.
//
// Input: vectors of half-words.
// Output: vectors of half-words; arithmetic in f32, or in f16 if the processor has it.
// Invariant: two roundings, to f32 and to the half format, give the result of one: f32
// has twice the bits of the half format and two more; other operations round to odd
// first (see half.arith).
// Example: AddF16: VCVTPH2PS both halves, VADDPS, VCVTPS2PH.
//
// A vector of pairs (f16x2) is a vector of twice as many elements: the same rules work
// on all half-words.

// A half is a float format of 16 bits.
type half struct {
	inf   uint64 // the bits of infinity; larger magnitudes are NaNs
	brain bool   // bf16
}

var (
	f16  = half{inf: 0x7c00}
	bf16 = half{inf: 0x7f80, brain: true}
)

// Constants of the formats.
const (
	signF16  = 0x8000
	absF16   = 0x7fff
	nanF16   = 0x7fff // the canonical NaN of PTX
	nanVF16  = 0xfe00 // the NaN of GCN3
	quietF16 = 0x200
	oneF16   = 0x3c00
)

// h makes formulas for elements of 2 bytes.
func (g *lowering) h() *ex { return g.ex(2) }

// isNaN is the mask of the NaNs of a.
func (f half) isNaN(g *lowering, a x64.Reg) operand {
	y := g.h()
	return y.cmp(cmpGT, true, y.and(operand{reg: a}, y.k(absF16)), y.k(f.inf))
}

// canonical replaces NaNs by 0x7fff.
func (f half) canonical(g *lowering, a x64.Reg) x64.Reg {
	y := g.h()
	return y.sel(f.isNaN(g, a), y.held(y.k(nanF16)), operand{reg: a}).reg
}

// ftz is num.FlushF16: subnormals become zeros of the same sign.
func (f half) ftz(g *lowering, a x64.Reg) x64.Reg {
	y := g.h()
	v := operand{reg: a}
	// An exponent of 0: a subnormal or a zero.
	none := y.cmp(cmpEQ, true, y.and(v, y.k(f.inf)), y.k(0))
	return y.sel(none, y.and(v, y.k(signF16)), v).reg
}

// ftz16 flushes subnormal f16 to zero.
func (g *lowering) ftz16(a x64.Reg) x64.Reg { return f16.ftz(g, a) }

// sat16 is num.SatF16: the value limited to 0 to 1.
func (g *lowering) sat16(a x64.Reg) x64.Reg {
	y := g.h()
	// As integers, negative floats are negative; NaNs are above infinity and become 0.
	v := y.maximum(true, operand{reg: a}, y.k(0))
	return y.where(y.cmp(cmpLE, true, v, y.k(f16.inf)), y.minimum(true, v, y.k(oneF16))).reg
}

// relu16 is num.ReluF16 for values with canonical NaNs.
func (g *arithmetic) relu16(a x64.Reg) x64.Reg { return g.v2(x64.VPMAXSW, a, g.zero()) }

// screened applies to half-words a function of f32 that calls g.hard. No half-word is
// hard: a test of all of them shows that.
func (f half) screened(g *lowering, a x64.Reg, do func(g *lowering, x x64.Reg) x64.Reg) x64.Reg {
	n := len(g.hards)
	r := f.arith(g, [4]x64.Reg{a}, 1, x64.Current, false, func(b [4]x64.Reg, _ x64.Rounding) x64.Reg { return do(g, b[0]) })
	g.hards = g.hards[:n]
	return r
}

// twoF32 is an f32 operation of two arguments, for arith.
func twoF32(op x64.Op) func(g *lowering, b [4]x64.Reg, rc x64.Rounding) x64.Reg {
	return func(g *lowering, b [4]x64.Reg, rc x64.Rounding) x64.Reg {
		return g.round(rc, x64.Inst{Op: op, A: b[0], B: b[1], Ordered: true})
	}
}

// key16 maps half-words to integers in the order of floats, with -0 < +0, and back.
func (g *lowering) key16(a operand) operand {
	y := g.h()
	return y.xor(a, y.and(y.shiftBy(sar, a, 15), y.k(absF16)))
}

// least16 is the minimum or maximum of PTX.
func (f half) least16(g *lowering, m minmax, a, b x64.Reg) x64.Reg {
	y := g.h()
	// A NaN becomes the value that loses, or with m.nan the one that wins.
	nan := y.held(y.k(nanF16))
	// low: the NaN must sort below all numbers.
	low := m.max != m.nan
	if low {
		nan = y.held(y.k(0xffff))
	}
	k := func(x x64.Reg) operand { return g.key16(y.sel(f.isNaN(g, x), nan, operand{reg: x})) }
	var r operand
	if m.max {
		r = y.maximum(true, k(a), k(b))
	} else {
		r = y.minimum(true, k(a), k(b))
	}
	r = g.key16(r)
	if low {
		r = y.sel(y.cmp(cmpEQ, true, r, nan), y.held(y.k(nanF16)), r)
	}
	return r.reg
}

// halfRules makes the table.
func halfRules() map[ir.Op]vrule {
	t := map[ir.Op]vrule{}
	names := map[string]ir.Op{}
	for op := range ir.NumOps {
		names[ir.Op(op).String()] = ir.Op(op)
	}
	type fn = func(g *lowering, a [4]x64.Reg) x64.Reg
	// forms adds a rule for each existing form: of one half-word and of two, flushed,
	// saturated, without negative results.
	forms := func(name string, n int, f half, result bool, do fn) {
		format := "F16"
		if f.brain {
			format = "BF16"
		}
		for _, packed := range []string{"", "x2"} {
			for _, ftz := range []string{"", "Ftz"} {
				for _, end := range []string{"", "Sat", "Relu"} {
					op, ok := names[name+format+packed+ftz+end]
					if !ok {
						continue
					}
					t[op] = vrule{fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
						if ftz != "" {
							b := a
							for i := range n {
								b[i] = f.ftz(g, a[i])
							}
							a = b
						}
						r := do(g, a)
						// Canonical NaNs; their f32 form is kept for operations that
						// follow.
						if result && end != "Sat" {
							c := f.canonical(g, r)
							g.widerToo(r, c, true)
							r = c
						}
						if ftz != "" && result {
							r = f.ftz(g, r)
						}
						switch end {
						case "Sat":
							r = g.sat16(r)
						case "Relu":
							r = g.relu16(r)
						}
						return r
					}}
				}
			}
		}
	}
	for _, f := range []half{f16, bf16} {
		for name, op := range map[string][2]x64.Op{"Add": {x64.VADDPS, x64.VADDPH}, "Sub": {x64.VSUBPS, x64.VSUBPH}, "Mul": {x64.VMULPS, x64.VMULPH}} {
			// Directly in f16 if the processor can, else in f32.
			do := f.direct(op[1], 2, f.in(2, false, twoF32(op[0])))
			forms(name, 2, f, true, func(g *lowering, a [4]x64.Reg) x64.Reg { return do(g, a, x64.Current) })
		}
		// A fused product and sum is not exact in f32: round to odd first.
		fma := f.direct(x64.VFMADD231PH, 3, f.in(3, true, fmaF32))
		forms("Fma", 3, f, true, func(g *lowering, a [4]x64.Reg) x64.Reg { return fma(g, a, x64.Current) })
		for name, m := range map[string]int64{"Rndne": toNearest, "Floor": toFloor, "Ceil": toCeil, "Trunc": toTrunc} {
			forms(name, 1, f, true, func(g *lowering, a [4]x64.Reg) x64.Reg {
				return f.arith(g, a, 1, x64.Current, false, func(b [4]x64.Reg, _ x64.Rounding) x64.Reg { return g.roundTo(b[0], m) })
			})
		}
		for _, m := range []minmax{{}, {max: true}, {nan: true}, {max: true, nan: true}} {
			name := map[bool]string{false: "Min", true: "Max"}[m.max] + map[bool]string{true: "NaN"}[m.nan]
			forms(name, 2, f, false, func(g *lowering, a [4]x64.Reg) x64.Reg { return f.least16(g, m, a[0], a[1]) })
			forms(name+"XorsignAbs", 2, f, false, func(g *lowering, a [4]x64.Reg) x64.Reg {
				y := g.h()
				p, q := operand{reg: a[0]}, operand{reg: a[1]}
				r := operand{reg: f.least16(g, m, y.and(p, y.k(absF16)).reg, y.and(q, y.k(absF16)).reg)}
				signs := y.and(y.xor(p, q), y.k(signF16))
				return y.sel(y.cmp(cmpEQ, true, r, y.k(nanF16)), r, y.or(r, signs)).reg
			})
		}
		for name, pred := range map[string]int64{
			"Eq": cmpfEQ, "Ne": cmpfNE, "Lt": cmpfLT, "Le": cmpfLE, "Gt": cmpfGT, "Ge": cmpfGE,
			"Equ": cmpfEQu, "Neu": cmpfNEu, "Ltu": cmpfLTu, "Leu": cmpfLEu, "Gtu": cmpfGTu, "Geu": cmpfGEu,
			"Num": cmpfORD, "Nan": cmpfUN,
		} {
			forms(name, 2, f, false, func(g *lowering, a [4]x64.Reg) x64.Reg { return f.compare(g, a[0], a[1], pred) })
		}
		forms("IsNaN", 1, f, false, func(g *lowering, a [4]x64.Reg) x64.Reg { return f.isNaN(g, a[0]).reg })
		// Infinity minus 1 is the greatest finite number.
		forms("Satfinite", 1, f, false, func(g *lowering, a [4]x64.Reg) x64.Reg {
			y := g.h()
			v := operand{reg: a[0]}
			return y.sub(v, y.one(y.cmp(cmpEQ, true, y.and(v, y.k(absF16)), y.k(f.inf)))).reg
		})
		forms("Relu", 1, f, false, func(g *lowering, a [4]x64.Reg) x64.Reg { return g.relu16(f.canonical(g, a[0])) })
	}
	for name, do := range map[string]func(g *lowering, x x64.Reg) x64.Reg{
		"Ex2Approx": (*lowering).ex2Half, "TanhApprox": (*lowering).tanh,
	} {
		for _, f := range []half{f16, bf16} {
			forms(name, 1, f, true, func(g *lowering, a [4]x64.Reg) x64.Reg { return f.screened(g, a[0], do) })
		}
	}
	one := func(name string, do func(g *lowering, a x64.Reg) x64.Reg) {
		forms(name, 1, f16, false, func(g *lowering, a [4]x64.Reg) x64.Reg { return do(g, a[0]) })
	}
	one("Sat", (*lowering).sat16)
	one("Flush", (*lowering).ftz16)
	one("Abs", func(g *lowering, a x64.Reg) x64.Reg { return g.and(a, g.c16(absF16)) })
	one("Neg", func(g *lowering, a x64.Reg) x64.Reg { return g.xor(a, g.c16(signF16)) })
	return t
}

// compare is the mask of half-words for which a pred b; the comparison is of f32.
func (f half) compare(g *lowering, a, b x64.Reg, pred int64) x64.Reg {
	wide := func(x x64.Reg) [2]x64.Reg {
		// bf16 is the upper half of f32, so widening is a shift.
		if !f.brain {
			return f.widened(g, x)
		}
		lo, hi := g.halves(x64.VPMOVZXWD, x)
		return [2]x64.Reg{g.vi(x64.VPSLLDImm, lo, 16), g.vi(x64.VPSLLDImm, hi, 16)}
	}
	x, y := wide(a), wide(b)
	var k [2]x64.Reg
	for h := range k {
		k[h] = g.cmpf(pred, x[h], y[h])
	}
	if g.avx512 {
		d := g.kreg()
		op := [65]x64.Op{64: x64.KUNPCKWD, 32: x64.KUNPCKBW}[g.len]
		g.emit(x64.Inst{Op: op, Len: 8, Dst: d, A: k[1], B: k[0]})
		return d
	}
	const halves = 0xd8 // the packing interleaves the halves of both sources: put the lower ones first
	return g.vi(x64.VPERMQImm, g.v2(x64.VPACKSSDW, k[0], k[1]), halves)
}
