package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the rules of conversions of GCN3, and of the packed conversions of PTX.
//
// Input: vectors of floats or integers.
// Output: vectors of the result format, packed if the operation packs two.
// Invariant: GCN3's NaNs keep the upper bits of their payload, as on the machine; PTX's
// become canonical.
// Example: v_cvt_pkrtz_f16_f32: two VCVTPS2PH to zero, then a shift and an OR.

// byMode is f in the rounding that two bits of the MODE register, argument at, select;
// they begin at bit shift. f's result has elements of 4 bytes in n bytes.
func (g *lowering) byMode(a [4]x64.Reg, at int, shift uint, n uint8, f func(rc x64.Rounding) x64.Reg) x64.Reg {
	// The codes of MODE, in order.
	roundings := [4]x64.Rounding{x64.Current, x64.Up, x64.Down, x64.Zero}
	if v, ok := g.constant1(g.ops.Args[at]); ok {
		return f(roundings[v>>shift&3])
	}
	r := f(roundings[0])
	for i, rc := range roundings[1:] {
		x := f(rc)
		r = g.sized(n, func() x64.Reg {
			return g.pick32(g.eqd(g.and(a[at], g.c32(3<<shift)), g.c32(uint32(i+1)<<shift)), r, x)
		})
	}
	return r
}

// halfWords are the half-words in the low half of a register, as words.
func (g *arithmetic) halfWords(x x64.Reg) x64.Reg { return g.v1(x64.VPMOVZXWD, x) }

// packed packs pairs of words with upper halves of 0.
func (g *arithmetic) packed(lo, hi x64.Reg) x64.Reg { return g.or(lo, g.vi(x64.VPSLLDImm, hi, 16)) }

// convertOthers makes the table.
func convertOthers() map[ir.Op]vrule {
	t := map[ir.Op]vrule{}
	type fn = func(g *lowering, a [4]x64.Reg) x64.Reg
	rule := func(op ir.Op, f fn) { t[op] = vrule{fn: f} }

	rule(ir.VCvtF32F16, func(g *lowering, a [4]x64.Reg) x64.Reg { return g.v1(x64.VCVTPH2PS, a[0]) })
	rule(ir.VCvtF16F32, func(g *lowering, a [4]x64.Reg) x64.Reg { return g.toHalf(a[0], x64.Current) })
	rule(ir.VCvtF32F64, func(g *lowering, a [4]x64.Reg) x64.Reg { return g.v1(x64.VCVTPD2PS, a[0]) })
	rule(ir.VCvtF32F64Round, func(g *lowering, a [4]x64.Reg) x64.Reg {
		return g.byMode(a, 1, 0, g.len/2, func(rc x64.Rounding) x64.Reg { return g.round(rc, x64.Inst{Op: x64.VCVTPD2PS, B: a[0]}) })
	})
	rule(ir.VCvtF16F32Round, func(g *lowering, a [4]x64.Reg) x64.Reg {
		return g.drop(g.byMode(a, 1, 2, g.len, func(rc x64.Rounding) x64.Reg { return g.halfWords(g.toHalf(a[0], rc)) }), 4, 2)
	})
	// Integers to floats in the rounding of MODE.
	for op, signed := range map[ir.Op]bool{ir.VCvtF32I32Round: true, ir.VCvtF32U32Round: false} {
		rule(op, func(g *lowering, a [4]x64.Reg) x64.Reg {
			return g.byMode(a, 1, 0, g.len, func(rc x64.Rounding) x64.Reg { return g.f32OfWords(a[0], signed, rc) })
		})
	}
	for op, ext := range map[ir.Op]x64.Op{ir.VCvtF16I16Round: x64.VPMOVSXWD, ir.VCvtF16U16Round: x64.VPMOVZXWD} {
		rule(op, func(g *lowering, a [4]x64.Reg) x64.Reg {
			x := g.v1(x64.VCVTDQ2PS, g.v1(ext, a[0]))
			return g.drop(g.byMode(a, 1, 2, g.len, func(rc x64.Rounding) x64.Reg { return g.halfWords(g.toHalf(x, rc)) }), 4, 2)
		})
	}
	for op, signed := range map[ir.Op]bool{ir.VCvtI32F64: true, ir.VCvtU32F64: false} {
		rule(op, func(g *lowering, a [4]x64.Reg) x64.Reg { return g.wordsOf64(a[0], 32, signed, toTrunc, true) })
	}
	nans := func(g *lowering, x, r x64.Reg) x64.Reg { // the greatest integer, or the least
		return g.pick32(g.cmpf(cmpfUN, x, x), r, g.xor(g.vi(x64.VPSRADImm, x, 31), g.c32(1<<31-1)))
	}
	rule(ir.VCvtFlrI32F32, func(g *lowering, a [4]x64.Reg) x64.Reg { return nans(g, a[0], g.intsOf32(a[0], 32, true, toFloor)) })
	// floor(x + 0.5), with the sum in f64.
	rule(ir.VCvtRpiI32F32, func(g *lowering, a [4]x64.Reg) x64.Reg {
		lo, hi := g.halves(x64.VCVTPS2PD, a[0])
		one := func(x x64.Reg) x64.Reg {
			return g.wordsOf64(g.v2(x64.VADDPD, x, g.f64(0.5)), 32, true, toFloor, true)
		}
		return nans(g, a[0], g.join([]x64.Reg{one(lo), one(hi)}, int32(g.len)/2))
	})
	// A signed nibble divided by 16.
	rule(ir.VCvtOffF32I4, func(g *lowering, a [4]x64.Reg) x64.Reg {
		x := g.vi(x64.VPSRADImm, g.vi(x64.VPSLLDImm, a[0], 28), 28)
		return g.v2(x64.VMULPS, g.v1(x64.VCVTDQ2PS, x), g.f32(0x1p-4))
	})
	// Byte i of the word.
	for i, op := range []ir.Op{ir.VCvtF32Ubyte0, ir.VCvtF32Ubyte1, ir.VCvtF32Ubyte2, ir.VCvtF32Ubyte3} {
		rule(op, func(g *lowering, a [4]x64.Reg) x64.Reg {
			x := a[0]
			if i > 0 {
				x = g.vi(x64.VPSRLDImm, x, int64(8*i))
			}
			if i < 3 {
				x = g.and(x, g.c32(0xff))
			}
			return g.v1(x64.VCVTDQ2PS, x)
		})
	}
	// byteOf inserts the converted byte at byte a[1] of a[2].
	byteOf := func(g *lowering, a [4]x64.Reg, mode int64) x64.Reg {
		n := g.vi(x64.VPSLLDImm, g.and(a[1], g.c32(3)), 3)
		v := g.and(g.intsOf32(a[0], 8, false, mode), g.c32(0xff))
		rest := g.andn(g.v2(x64.VPSLLVD, g.c32(0xff), n), a[2])
		return g.or(rest, g.v2(x64.VPSLLVD, v, n))
	}
	rule(ir.VCvtPkU8F32, func(g *lowering, a [4]x64.Reg) x64.Reg { return byteOf(g, a, toNearest) })
	rule(ir.VCvtPkU8F32Round, func(g *lowering, a [4]x64.Reg) x64.Reg {
		return g.byMode(a, 3, 0, g.len, func(rc x64.Rounding) x64.Reg {
			return byteOf(g, a, map[x64.Rounding]int64{x64.Current: toNearest, x64.Up: toCeil, x64.Down: toFloor, x64.Zero: toTrunc}[rc])
		})
	})
	// Two f16, rounded toward zero.
	rule(ir.VCvtPkrtzF16F32, func(g *lowering, a [4]x64.Reg) x64.Reg {
		return g.packed(g.halfWords(g.toHalf(a[0], x64.Zero)), g.halfWords(g.toHalf(a[1], x64.Zero)))
	})
	// Normalised integers: x times the greatest one, limited, rounded to nearest.
	for op, lim := range map[ir.Op][2]float64{ir.VCvtPknormI16F32: {-32767, 32767}, ir.VCvtPknormU16F32: {0, 65535}} {
		rule(op, func(g *lowering, a [4]x64.Reg) x64.Reg {
			one := func(x x64.Reg) x64.Reg { // the product is exact; a NaN becomes 1<<31
				x = g.v2(x64.VMAXPD, g.f64(lim[0]), g.v2(x64.VMULPD, x, g.f64(lim[1])))
				return g.v1(x64.VCVTPD2DQ, g.v2(x64.VMINPD, g.f64(lim[1]), x))
			}
			both := func(x x64.Reg) x64.Reg {
				lo, hi := g.halves(x64.VCVTPS2PD, x)
				return g.join([]x64.Reg{one(lo), one(hi)}, int32(g.len)/2)
			}
			return g.packed(g.and(both(a[0]), g.c32(0xffff)), both(a[1]))
		})
	}

	// PTX: the first argument goes to the upper half.
	for op, rc := range map[ir.Op]x64.Rounding{ir.CvtF16x2FromF32: x64.Current, ir.CvtF16x2FromF32RZ: x64.Zero} {
		t[op] = vrule{rawIn: 3, fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
			one := func(x x64.Reg) x64.Reg { return g.halfWords(g.toHalf(g.canonical(x, 32, nanF32), rc)) }
			return g.packed(one(a[1]), one(a[0]))
		}}
	}
	for op, rc := range map[ir.Op]x64.Rounding{ir.CvtBF16x2FromF32: x64.Current, ir.CvtBF16x2FromF32RZ: x64.Zero} {
		t[op] = vrule{rawIn: 3, fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
			hi := g.toBrain(g.canonical(a[0], 32, 0x7fff0000), rc)
			return g.or(g.brains(a[1], rc), g.and(hi, g.c32(0xffff0000)))
		}}
	}
	// tf32 has the exponent of f32 and 10 bits of mantissa, in the upper bits of an
	// f32.
	const cut = 1<<13 - 1 // bits of f32 that tf32 does not have
	for op, f := range map[ir.Op]func(g *lowering, x x64.Reg) x64.Reg{
		ir.CvtTF32FromF32RNA: func(g *lowering, x x64.Reg) x64.Reg { return g.v2(x64.VPADDD, x, g.c32(1<<12)) },
		ir.CvtTF32FromF32RN: func(g *lowering, x x64.Reg) x64.Reg {
			// To nearest even: add half a unit minus 1, plus the last bit that is kept.
			even := g.and(g.vi(x64.VPSRLDImm, x, 13), g.c32(1))
			return g.v2(x64.VPADDD, g.v2(x64.VPADDD, x, g.c32(1<<12-1)), even)
		},
		ir.CvtTF32FromF32RZ: func(g *lowering, x x64.Reg) x64.Reg { return x },
	} {
		t[op] = vrule{rawIn: 1, fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
			r := g.and(f(g, a[0]), g.c32(1<<32-1-cut))
			return g.pick32(g.cmpf(cmpfUN, a[0], a[0]), r, g.c32(nanF32))
		}}
	}
	// Infinity minus one unit is the greatest finite number.
	rule(ir.SatfiniteTF32, func(g *lowering, a [4]x64.Reg) x64.Reg {
		return g.pick32(g.eqd(g.abs(a[0]), g.c32(expF32)), a[0], g.v2(x64.VPSUBD, a[0], g.c32(cut+1)))
	})
	rule(ir.ReluTF32, func(g *lowering, a [4]x64.Reg) x64.Reg {
		r := g.v2(x64.VPMAXSD, a[0], g.zero())
		return g.pick32(g.cmpf(cmpfUN, a[0], a[0]), r, g.c32(nanF32))
	})
	rsqrt := func(g *lowering, a [4]x64.Reg) x64.Reg {
		return g.v2(x64.VDIVPD, g.c64(oneF64), g.v1(x64.VSQRTPD, a[0]))
	}
	rule(ir.RsqrtApproxF64, rsqrt)
	rule(ir.VRsqF64, rsqrt)
	return t
}
