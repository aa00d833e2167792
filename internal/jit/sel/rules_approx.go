package sel

import (
	"encoding/binary"
	"math"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the rules of the approximate f32 functions.
//
// Input: vector registers of f32.
// Output: the correctly rounded results of the f64 approximation, and a mask of lanes
// that are not decided.
// Invariant: a lane that is not marked as hard has the bits of package num's function.
// Example: ex2(x): compute 2^x in f64; if its low 29 bits are within 2^10 of 2^28, the
// lane is hard; else round to f32.
// Literature: Ziv, Fast evaluation of elementary mathematical functions with correctly
// rounded last bit (TOMS 1991).
//
// Package num defines each function as the f32 nearest to a value that it computes in
// f64, with an error of less than 2^-44. These rules compute another value in another
// way, and it differs as little from the true one. Both give the same f32 unless the
// middle of two f32 lies between them. If it is that close, in about one lane of 2^18,
// the interpreter does the operation (vrule.screened).
//
// The coefficients are those of the polynomials that agree with the function at the
// Chebyshev nodes of the interval. The relative errors were found by evaluation at
// 2,000 points with 200 bits.

// approxRules makes the table.
func approxRules() map[ir.Op]vrule {
	nan := vrule{rawIn: 1, rawOut: 32, nan: nanF32}
	of := func(r vrule, f func(g *lowering, x x64.Reg) x64.Reg) vrule {
		r.fn = func(g *lowering, a [4]x64.Reg) x64.Reg { return f(g, a[0]) }
		return r
	}
	screened := nan
	screened.screened = true
	flushed := screened
	flushed.flushed = true
	keeps := vrule{screened: true, flushed: true} // NaNs keep their bits
	after := func(f func(g *lowering, x x64.Reg) x64.Reg) func(g *lowering, x x64.Reg) x64.Reg {
		return func(g *lowering, x x64.Reg) x64.Reg { return f(g, g.ftzAll([4]x64.Reg{x}, 1)[0]) }
	}
	// with adds a quick way for ordinary arguments.
	with := func(r vrule, f func(g *lowering, x x64.Reg) x64.Reg) vrule {
		r.quick = func(g *lowering, a [4]x64.Reg) x64.Reg { return f(g, a[0]) }
		return r
	}
	ex2 := func(ftz bool) func(g *lowering, x x64.Reg) x64.Reg {
		return func(g *lowering, x x64.Reg) x64.Reg { return g.ex2(x, ftz) }
	}
	sine := func(cos bool) func(g *lowering, x x64.Reg) x64.Reg {
		return func(g *lowering, x x64.Reg) x64.Reg { return g.radians(x, cos) }
	}
	turns := func(cos bool) func(g *lowering, x x64.Reg) x64.Reg {
		return func(g *lowering, x x64.Reg) x64.Reg { return g.turns(x, cos) }
	}
	return map[ir.Op]vrule{
		ir.Ex2ApproxF32:    with(of(screened, ex2(false)), (*lowering).ex2Quick),
		ir.Ex2ApproxF32Ftz: with(of(flushed, ex2(true)), (*lowering).ex2Quick),
		ir.VExpF32:         with(of(keeps, ex2(true)), (*lowering).ex2Quick),
		ir.Lg2ApproxF32:    of(flushed, (*lowering).lg2), ir.Lg2ApproxF32Ftz: of(flushed, after((*lowering).lg2)), ir.VLogF32: of(keeps, after((*lowering).lg2)),
		ir.SinApproxF32: of(screened, sine(false)), ir.SinApproxF32Ftz: of(flushed, after(sine(false))), ir.VSinF32: of(keeps, after(turns(false))),
		ir.CosApproxF32: of(flushed, sine(true)), ir.CosApproxF32Ftz: of(flushed, after(sine(true))), ir.VCosF32: of(keeps, after(turns(true))),
		ir.RsqrtApproxF32:    with(of(flushed, (*lowering).rsqrt), (*lowering).rsqrtQuick),
		ir.RsqrtApproxF32Ftz: with(of(flushed, after((*lowering).rsqrt)), after((*lowering).rsqrtQuick)),
		ir.VRsqF32:           with(of(keeps, after((*lowering).rsqrt)), after((*lowering).rsqrtQuick)),
		ir.TanhApproxF32:     of(screened, (*lowering).tanh),
		// These are exact to rounding. num computes them in f64 with the same result,
		// because a quotient and a root of f32 are close to no middle of two f32; only
		// results that are flushed differ.
		ir.VRcpF32: of(vrule{flushed: true}, after(func(g *lowering, x x64.Reg) x64.Reg {
			return g.ftz(g.v2(x64.VDIVPS, g.c32(oneF32), x))
		})),
		ir.VSqrtF32: of(vrule{flushed: true}, after(func(g *lowering, x x64.Reg) x64.Reg { return g.v1(x64.VSQRTPS, x) })),
	}
}

// f64 is a constant of f64.
func (g *arithmetic) f64(x float64) x64.Reg { return g.c64(math.Float64bits(x)) }

// f32 is a constant of f32.
func (g *arithmetic) f32(x float32) x64.Reg { return g.c32(math.Float32bits(x)) }

// halves widens the two halves of a vector of f32, or of words, by op.
func (g *arithmetic) halves(op x64.Op, x x64.Reg) (lo, hi x64.Reg) {
	n := int32(g.len) / 2
	return g.v1(op, x), g.v1(op, g.piece8(x, n, 1))
}

// narrowed rounds two vectors of f64 to f32, in one vector.
func (g *arithmetic) narrowed(lo, hi x64.Reg) x64.Reg { return g.narrowedIn(x64.Current, lo, hi) }

// narrowedIn is narrowed with rounding rc.
func (g *arithmetic) narrowedIn(rc x64.Rounding, lo, hi x64.Reg) x64.Reg {
	one := func(x x64.Reg) x64.Reg { return g.round(rc, x64.Inst{Op: x64.VCVTPD2PS, B: x}) }
	return g.join([]x64.Reg{one(lo), one(hi)}, int32(g.len)/2)
}

// fma is a*b + c of f64; sub is c - a*b.
func (g *arithmetic) fma(a, b, c x64.Reg) x64.Reg { return g.v3(x64.VFMADD231PD, c, a, b) }

// sub is c - a*b of f64.
func (g *arithmetic) sub(a, b, c x64.Reg) x64.Reg { return g.v3(x64.VFNMADD231PD, c, a, b) }

// poly is c[0] + c[1]*x + ... of f64.
func (g *arithmetic) poly(x x64.Reg, c ...float64) x64.Reg {
	r := g.f64(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		r = g.v3(x64.VFMADD213PD, r, x, g.f64(c[i]))
	}
	return r
}

// A f64 is near the middle of two f32 if its low 29 bits are within tieWidth of 2^28;
// then its low word minus tieFrom has no bit of tieBits.
const (
	tieWidth = 1 << 10
	tieFrom  = 1<<28 - tieWidth
	tieBits  = (1<<29 - 1) &^ (2*tieWidth - 1)
)

// nearTie is the mask of the lanes in which the f64 of lo or hi is within 2^-42 of the
// middle of two normal f32: the low 29 bits are about 2^28.
func (g *arithmetic) nearTie(lo, hi x64.Reg) x64.Reg {
	var low x64.Reg // words
	if g.avx512 {
		idx := make([]byte, g.len)
		for i := range int(g.len) / 4 {
			idx[4*i] = byte(2 * i)
		}
		low = g.v3(x64.VPERMI2D, g.table(idx), lo, hi)
	} else {
		const evens, inner = 0x88, 0xd8
		low = g.vi(x64.VPERMQImm, g.v2i(x64.VSHUFPS, lo, hi, evens), inner)
	}
	low = g.v2(x64.VPSUBD, low, g.c32(tieFrom))
	return g.bitClear(low, g.c32(tieBits))
}

// After the addition of one of these, the low bits of the sum are the number rounded to
// an integer.
const (
	intoF32 = 0x1.8p23
	intoF64 = 0x1.8p52
)

// pow2 is 2^d * 2^k in f64 for |d| <= 1/2 and integers k in the low bits of k. The
// result must be a normal f64. The relative error is 2^-44.6.
func (g *arithmetic) pow2(d, k x64.Reg) x64.Reg {
	p := g.poly(d, 1, 0x1.62e42fefa39efp-1, 0x1.ebfbdff823cedp-3, 0x1.c6b08d7047e52p-5, 0x1.3b2ab7181b755p-7,
		0x1.5d87fe86fe88ep-10, 0x1.4308ac85aa947p-13, 0x1.ffcb9515a8016p-17, 0x1.63d136366db24p-20, 0x1.b63880a30e9ffp-24)
	return g.v2(x64.VPADDQ, p, g.vi(x64.VPSLLQImm, k, 52))
}

// ex2 is 2^x; with ftz, results that are not normal become 0.
func (g *lowering) ex2(x x64.Reg, ftz bool) x64.Reg {
	lo, hi := g.ex2Wide(x)
	hard := g.nearTie(lo, hi)
	r := g.narrowed(lo, hi)
	if ftz {
		r = g.pick32(g.cmpf(cmpfLT, x, g.f32(-126)), r, g.zero())
	} else { // the middles of subnormals are elsewhere
		few := g.abs(g.v2(x64.VADDPS, x, g.f32(138.5)))
		hard = g.maskOr(hard, g.cmpf(cmpfLT, few, g.f32(12.5)))
	}
	g.hard(hard)
	return g.passNaN(r, x)
}

// ex2Quick is 2^x for |x| < 126. If there are registers for a table of 16 values, the
// polynomial for the remainder is smaller.
func (g *lowering) ex2Quick(x x64.Reg) x64.Reg {
	far := g.cmpf(cmpfGEu, g.abs(x), g.f32(126))
	var lo, hi x64.Reg
	if g.avx512 && g.len == 64 {
		t := g.v2(x64.VADDPS, x, g.f32(intoF32/16)) // 16*x in the low bits
		d := g.v2(x64.VSUBPS, x, g.v2(x64.VSUBPS, t, g.f32(intoF32/16)))
		dl, dh := g.halves(x64.VCVTPS2PD, d)
		tl, th := g.halves(x64.VPMOVSXDQ, t)
		lo, hi = g.pow2Table(dl, tl), g.pow2Table(dh, th)
	} else {
		t := g.v2(x64.VADDPS, x, g.f32(intoF32))
		d := g.v2(x64.VSUBPS, x, g.v2(x64.VSUBPS, t, g.f32(intoF32)))
		dl, dh := g.halves(x64.VCVTPS2PD, d)
		tl, th := g.halves(x64.VPMOVSXDQ, t)
		lo, hi = g.pow2(dl, tl), g.pow2(dh, th)
	}
	g.hard(g.maskOr(far, g.nearTie(lo, hi)))
	return g.narrowed(lo, hi)
}

// pow2Table is 2^d * 2^(t/16) for |d| <= 1/32 and integers t in the low bits of t. The
// relative error is 2^-47.
func (g *arithmetic) pow2Table(d, t x64.Reg) x64.Reg {
	// 2^(j/16), minus the contribution of j when t is added to the exponent.
	var table [2][]byte
	for j, bits := range [16]uint64{
		0x3ff0000000000000, 0x3ff0b5586cf9890f, 0x3ff172b83c7d517b, 0x3ff2387a6e756238, 0x3ff306fe0a31b715, 0x3ff3dea64c123422,
		0x3ff4bfdad5362a27, 0x3ff5ab07dd485429, 0x3ff6a09e667f3bcd, 0x3ff7a11473eb0187, 0x3ff8ace5422aa0db, 0x3ff9c49182a3f090,
		0x3ffae89f995ad3ad, 0x3ffc199bdd85529c, 0x3ffd5818dcfba487, 0x3ffea4afa2a490da,
	} {
		table[j/8] = binary.LittleEndian.AppendUint64(table[j/8], bits-uint64(j)<<48)
	}
	s := g.v3(x64.VPERMI2PD, t, g.table(table[0]), g.table(table[1]))
	s = g.v2(x64.VPADDQ, s, g.vi(x64.VPSLLQImm, t, 48))
	p := g.poly(d, 0x1.0000000000014p+0, 0x1.62e42fefa39f3p-1, 0x1.ebfbdff555824p-3, 0x1.c6b08d6f2a289p-5,
		0x1.3b2c9b8a6caeap-7, 0x1.5d897e525c216p-10)
	return g.v2(x64.VMULPD, p, s)
}

// ex2Half is 2^x for x that is a f16 or bf16, with a result that will be rounded to
// one. It does not round to nearest: for the f16 0x11c5 the f32 nearest to 2^x is the
// middle of two f16.
func (g *arithmetic) ex2Half(x x64.Reg) x64.Reg {
	lo, hi := g.ex2Wide(x)
	return g.passNaN(g.narrowedIn(x64.Up, lo, hi), x)
}

// passNaN is r, except that lanes in which x is a NaN get that NaN, quiet.
func (g *arithmetic) passNaN(r, x x64.Reg) x64.Reg {
	if g.avx512 {
		return g.fixup(r, x, fixAllNaNs)
	}
	return g.pick32(g.cmpf(cmpfUN, x, x), r, g.quiet(x))
}

// ex2Wide is 2^x in f64, with x limited to ±200.
func (g *arithmetic) ex2Wide(x x64.Reg) (lo, hi x64.Reg) {
	c := g.v2(x64.VMAXPS, g.v2(x64.VMINPS, x, g.f32(200)), g.f32(-200))
	t := g.v2(x64.VADDPS, c, g.f32(intoF32))
	d := g.v2(x64.VSUBPS, c, g.v2(x64.VSUBPS, t, g.f32(intoF32)))
	dl, dh := g.halves(x64.VCVTPS2PD, d)
	kl, kh := g.halves(x64.VPMOVSXDQ, t)
	return g.pow2(dl, kl), g.pow2(dh, kh)
}

// lg2 is the binary logarithm.
func (g *lowering) lg2(x x64.Reg) x64.Reg {
	one := func(x x64.Reg) x64.Reg {
		// x = m * 2^e with m from sqrt(1/2) on.
		const bias = 1023 << 52
		t := g.v2(x64.VPADDQ, x, g.c64(bias-0x3fe6a09e667f3bcd)) // modulo 2^64
		e := g.or(g.vi(x64.VPSRLQImm, t, 52), g.f64(0x1p52))
		e = g.v2(x64.VSUBPD, e, g.f64(0x1p52+1023))
		m := g.v2(x64.VPSUBQ, g.v2(x64.VPADDQ, x, g.c64(bias)), g.and(t, g.c64(0xfff<<52)))
		// log m = 2 artanh s; the relative error is 2^-52.
		s := g.quotient(g.v2(x64.VSUBPD, m, g.f64(1)), g.v2(x64.VADDPD, m, g.f64(1)))
		p := g.poly(g.v2(x64.VMULPD, s, s), 0x1.71547652b82ffp+1, 0x1.ec709dc39ca40p-1, 0x1.2776c516a083cp-1,
			0x1.a61756810b0f8p-2, 0x1.484fa9965bc9cp-2, 0x1.0bb80a92c80ccp-2, 0x1.f17dfd13ae0efp-3)
		return g.fma(s, p, e)
	}
	lo, hi := g.halves(x64.VCVTPS2PD, x)
	lo, hi = one(lo), one(hi)
	g.hard(g.nearTie(lo, hi))
	r := g.narrowed(lo, hi)
	if g.avx512 {
		return g.fixup(r, x, fixAllNaNs|fixNegInf<<tokenZero|fixNaN<<tokenNeg|fixNaN<<tokenNInf|fixPosInf<<tokenPInf)
	}
	r = g.pick32(g.cmpf(cmpfEQ, x, g.c32(expF32)), r, x)
	r = g.pick32(g.cmpf(cmpfEQ, x, g.zero()), r, g.c32(expF32|signF32))
	return g.pick32(g.cmpf(cmpfLTu, x, g.zero()), r, g.v1(x64.VSQRTPS, x)) // a NaN
}

// quotient is a/b with a relative error of 2^-51, for numbers that are far from the
// limits of f64.
func (g *arithmetic) quotient(a, b x64.Reg) x64.Reg {
	if !g.avx512 {
		return g.v2(x64.VDIVPD, a, b)
	}
	y := g.v1(x64.VRCP14PD, b)
	e := g.sub(b, y, g.f64(1)) // 1/b = y * (1 + e + e^2 + ...), e < 2^-14
	t := g.fma(e, g.fma(e, e, e), e)
	return g.v2(x64.VMULPD, a, g.fma(y, t, y))
}

// sinCos is the sine of r plus q quarter turns, for |r| up to a bit more than pi/4 and
// q in the low bits. The relative error is 2^-51.
func (g *arithmetic) sinCos(r, q x64.Reg) x64.Reg {
	z := g.v2(x64.VMULPD, r, r)
	s := g.poly(z, 1, -0x1.5555555555555p-3, 0x1.1111111110bb2p-7, -0x1.a01a019e83aa2p-13, 0x1.71de379689090p-19,
		-0x1.ae600b01a40ccp-26, 0x1.5e0b1995f429ap-33)
	s = g.v2(x64.VMULPD, r, s)
	c := g.poly(z, 1, -0x1.ffffffffffffap-2, 0x1.5555555554137p-5, -0x1.6c16c1691d893p-10, 0x1.a019fc7b49b2cp-16,
		-0x1.27e0f5779d06fp-22, 0x1.1c0647a533ae0p-29)
	var y x64.Reg
	if g.avx512 {
		k := g.kreg()
		g.emit(x64.Inst{Op: x64.VPTESTMQ, Len: g.len, Dst: k, A: q, B: g.c64(1)})
		y = g.blend(k, s, c, 8)
	} else {
		y = g.vec()
		g.emit(x64.Inst{Op: x64.VBLENDVPD, Len: g.len, Dst: y, A: s, B: c, C: g.vi(x64.VPSLLQImm, q, 63)})
	}
	return g.xor(y, g.vi(x64.VPSLLQImm, g.and(q, g.c64(2)), 62))
}

// radians is the sine, or the cosine, of an angle in radians.
func (g *lowering) radians(x x64.Reg, cos bool) x64.Reg {
	one := func(x x64.Reg) x64.Reg {
		// Multiples of pi/2 up to 2^20: the difference from the angle is exact, because
		// it is less than 1 and its last bit is 2^-52. The second part of pi/2 leaves
		// an error of 2^-86.
		t := g.fma(x, g.f64(2/math.Pi), g.f64(intoF64))
		n := g.v2(x64.VSUBPD, t, g.f64(intoF64))
		r := g.sub(n, g.f64(0x1.1a62633145c07p-54), g.sub(n, g.f64(math.Pi/2), x))
		if cos {
			t = g.v2(x64.VPADDQ, t, g.c64(1))
		}
		return g.sinCos(r, t)
	}
	lo, hi := g.halves(x64.VCVTPS2PD, x)
	lo, hi = one(lo), one(hi)
	m := g.abs(x)
	far := g.maskAnd(g.cmpf(cmpfGE, m, g.f32(1<<20)), g.cmpf(cmpfLT, m, g.c32(expF32)))
	g.hard(g.maskOr(g.nearTie(lo, hi), far))
	return g.narrowed(lo, hi)
}

// turns is the sine, or the cosine, of x revolutions, for x that is not subnormal:
// num.VSinF32, num.VCosF32.
func (g *lowering) turns(x x64.Reg, cos bool) x64.Reg {
	r := g.v2(x64.VSUBPS, x, g.roundTo(x, toNearest))
	t := g.v2(x64.VADDPS, g.v2(x64.VMULPS, r, g.f32(4)), g.f32(intoF32))
	n := g.v2(x64.VSUBPS, t, g.f32(intoF32))
	r = g.v2(x64.VSUBPS, r, g.v2(x64.VMULPS, n, g.f32(0.25)))
	if cos {
		t = g.v2(x64.VPADDD, t, g.c32(1))
	}
	rl, rh := g.halves(x64.VCVTPS2PD, r)
	tl, th := g.halves(x64.VPMOVSXDQ, t)
	turn := g.f64(2 * math.Pi)
	lo, hi := g.sinCos(g.v2(x64.VMULPD, rl, turn), tl), g.sinCos(g.v2(x64.VMULPD, rh, turn), th)
	g.hard(g.nearTie(lo, hi))
	y := g.v2(x64.VADDPS, g.narrowed(lo, hi), g.zero()) // no -0
	m := g.abs(x)
	beyond := g.zero()
	if cos {
		beyond = g.c32(oneF32)
	} else {
		y = g.pick32(g.cmpf(cmpfEQ, x, g.zero()), y, x)
	}
	y = g.pick32(g.cmpf(cmpfGT, m, g.f32(256)), y, beyond)
	return g.pick32(g.cmpf(cmpfGEu, m, g.c32(expF32)), y, g.v2(x64.VSUBPS, x, x)) // a NaN
}

// rsqrt is 1/sqrt(x), computed in f32. For an estimate y the residual 1 - x*y*y is
// computed to 2^-46 by exact products, and the correction of y is rounded once. If a
// slightly larger and a slightly smaller residual give the same result, the result is
// right; else the lane is hard.
func (g *lowering) rsqrt(x x64.Reg) x64.Reg {
	y, first, hard := g.rsqrtOf(x)
	// For zeros, infinities, negative numbers and NaNs the estimate is right.
	var special x64.Reg
	if g.avx512 {
		special = g.fpclass(x, classZero|classInf|classNeg|classNaN)
	} else {
		// For subnormals the estimate of vrsqrtps is infinite, so they are hard.
		finite := g.maskAnd(g.cmpf(cmpfGT, x, g.c32(leastF32|signF32)), g.cmpf(cmpfLT, x, g.c32(expF32)))
		special = g.maskOr(g.maskNot(finite), g.cmpf(cmpfEQ, x, g.zero()))
	}
	g.hard(g.maskLess(special, hard))
	return g.pick32(special, y, first)
}

// rsqrtQuick is rsqrt of ordinary numbers, computed directly from the estimate y. With
// r = 1 - x*y*y the result is y + y*s, s = r/2 + 3/8 r^2 + 5/16 r^3 + ...; the last
// term is left out if the estimate has 14 bits. r has an error of half a unit in its
// last place, twice, because |r| is at most 2^-13, or 3*2^-12 for vrsqrtps (Intel SDM).
// s has half of that error, the error of the factor of r, and its own rounding: 2^-36
// in all, or 0x1.2p-34. The terms left out are less than 2^-40. So if y + y*(s+eps) and
// y + y*(s-eps) round to the same f32, it is the result. For numbers that are not
// ordinary r is a NaN, so the lane is hard.
func (g *lowering) rsqrtQuick(x x64.Reg) x64.Reg {
	op, eps := x64.VRSQRTPS, float32(0x1.3p-34)
	if g.avx512 {
		op, eps = x64.VRSQRT14PS, 0x1.2p-36
	}
	y := g.v1(op, x)
	r := g.rsqrtRest(x, y)
	p := g.f32(0.375)
	if !g.avx512 {
		p = g.v3(x64.VFMADD231PS, p, r, g.f32(0.3125))
	}
	p = g.v3(x64.VFMADD213PS, p, r, g.f32(0.5))
	sum := func(eps float32) x64.Reg { return g.v3(x64.VFMADD213PS, g.v3(x64.VFMADD213PS, p, r, g.f32(eps)), y, y) }
	up, down := sum(eps), sum(-eps)
	g.hard(g.cmpf(cmpfNEu, up, down))
	return up
}

// rsqrtRest is 1 - x*y*y, by exact products.
func (g *arithmetic) rsqrtRest(x, y x64.Reg) x64.Reg {
	h := g.v2(x64.VMULPS, x, y)
	l := g.v3(x64.VFMSUB231PS, h, x, y)
	r := g.v3(x64.VFNMADD231PS, g.f32(1), h, y)
	return g.v3(x64.VFNMADD231PS, r, l, y)
}

// rsqrtOf is rsqrt of ordinary numbers; it also returns the first estimate, and the
// mask of hard lanes.
func (g *arithmetic) rsqrtOf(x x64.Reg) (y, first, hard x64.Reg) {
	op, steps := x64.VRSQRTPS, 2
	if g.avx512 {
		op, steps = x64.VRSQRT14PS, 1
	}
	fma := func(op x64.Op, a, b, c x64.Reg) x64.Reg { return g.v3(op, c, a, b) }
	mul := func(a, b x64.Reg) x64.Reg { return g.v2(x64.VMULPS, a, b) }
	one, half := g.f32(1), g.f32(0.5)
	first = g.v1(op, x)
	y = first
	for range steps {
		e := fma(x64.VFNMADD231PS, mul(x, y), y, one)
		y = fma(x64.VFMADD231PS, mul(y, half), e, y)
	}
	r := g.rsqrtRest(x, y)
	q := mul(y, half)
	const eps = 0x1p-42
	up := fma(x64.VFMADD231PS, q, g.v2(x64.VADDPS, r, g.f32(eps)), y)
	down := fma(x64.VFMADD231PS, q, g.v2(x64.VSUBPS, r, g.f32(eps)), y)
	return up, first, g.cmpf(cmpfNEu, up, down)
}

// tanh is the hyperbolic tangent: a polynomial for small x, else (e-1)/(e+1) with e =
// 2^(x*2/log 2).
func (g *lowering) tanh(x x64.Reg) x64.Reg {
	c := g.v2(x64.VMAXPS, g.f32(-50), g.v2(x64.VMINPS, g.f32(50), x)) // a NaN stays
	one := func(x x64.Reg) x64.Reg {
		t := g.v2(x64.VMULPD, x, g.f64(2/math.Ln2))
		k := g.v2(x64.VADDPD, t, g.f64(intoF64))
		e := g.pow2(g.v2(x64.VSUBPD, t, g.v2(x64.VSUBPD, k, g.f64(intoF64))), k)
		y := g.quotient(g.v2(x64.VSUBPD, e, g.f64(1)), g.v2(x64.VADDPD, e, g.f64(1)))
		p := g.poly(g.v2(x64.VMULPD, x, x), 1, -0x1.5555555555291p-2, 0x1.1111110f82b7bp-3, -0x1.ba1b9d2e246b0p-5,
			0x1.664cd96394ad6p-6, -0x1.21d6e837191e6p-7, 0x1.b4af689fa0f8bp-9)
		p = g.v2(x64.VMULPD, x, p)
		m := g.and(x, g.c64(1<<63-1))
		if g.avx512 {
			k := g.kreg()
			g.emit(x64.Inst{Op: x64.VCMPPDK, Len: g.len, Dst: k, A: m, B: g.f64(0.25), Imm: cmpfLT})
			return g.blend(k, y, p, 8)
		}
		d := g.vec()
		g.emit(x64.Inst{Op: x64.VBLENDVPD, Len: g.len, Dst: d, A: y, B: p, C: g.v2i(x64.VCMPPD, m, g.f64(0.25), cmpfLT)})
		return d
	}
	lo, hi := g.halves(x64.VCVTPS2PD, c)
	lo, hi = one(lo), one(hi)
	g.hard(g.nearTie(lo, hi))
	r := g.narrowed(lo, hi)
	return g.pick32(g.cmpf(cmpfUN, x, x), r, x)
}
