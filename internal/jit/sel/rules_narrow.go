package sel

import (
	"regexp"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the rules of conversions from and to formats of 8 bits and less.
//
// Input: f32, or packed values of a narrow format.
// Output: packed values, or f32, f64, f16 or bf16 made from f32.
// Invariant: f32 holds every value of these formats exactly, so only encode rounds.
// Example: E4M3 1.0 = 0x38: shifted left by 20 and multiplied by 2^120 it is the f32
// 1.0.

// A narrowFormat describes a format as package num does: the bits of its mantissa, the
// bias of its exponent, its sign bit, the greatest value, and NaN. If the format has no
// NaN, that is the greatest value.
type narrowFormat struct {
	man, bias      int64
	sign, max, nan uint32
	inf            bool  // after max comes infinity, and then NaNs
	field          int64 // bits of a value in a packed pair
}

// narrowFormats are the formats by name.
var narrowFormats = map[string]narrowFormat{
	"E4M3": {man: 3, bias: 7, sign: 0x80, max: 0x7e, nan: 0x7f, field: 8},
	"E5M2": {man: 2, bias: 15, sign: 0x80, max: 0x7b, nan: 0x7f, inf: true, field: 8},
	"E2M3": {man: 3, bias: 1, sign: 0x20, max: 0x1f, nan: 0x1f, field: 8},
	"E3M2": {man: 2, bias: 3, sign: 0x20, max: 0x1f, nan: 0x1f, field: 8},
	"E2M1": {man: 1, bias: 1, sign: 0x08, max: 0x07, nan: 0x07, field: 4},
}

// decode makes f32 of words with a value in their low bits; higher bits are ignored.
func (f narrowFormat) decode(g *arithmetic, x x64.Reg) x64.Reg {
	mag := g.and(x, g.c32(f.sign-1))
	// With the fields in their f32 positions the value is too small by the difference
	// of the biases: one product corrects that, for subnormals too.
	r := g.v2(x64.VMULPS, g.vi(x64.VPSLLDImm, mag, 23-f.man), g.c32(uint32(254-f.bias)<<23))
	if f.inf {
		r = g.pick32(g.eqd(mag, g.c32(f.max+1)), r, g.c32(expF32))
	}
	r = g.or(r, g.vi(x64.VPSLLDImm, g.and(x, g.c32(f.sign)), f.signShift()))
	if f.nan > f.max {
		last := f.nan - 1
		if f.inf {
			last = f.max + 1
		}
		r = g.pick32(g.gtd(mag, g.c32(last)), r, g.c32(nanF32))
	}
	return r
}

// signShift is the distance of the sign bit from that of f32.
func (f narrowFormat) signShift() int64 {
	n := int64(0)
	for s := f.sign; s != signF32; s <<= 1 {
		n++
	}
	return n
}

// encode makes values of the format, in the low bits of words, of f32: rounded to
// nearest, or toward zero. Too large values become the greatest one.
func (f narrowFormat) encode(g *arithmetic, x x64.Reg, rc x64.Rounding) x64.Reg {
	// The greatest value of the format as an f32.
	greatest := uint32(int64(f.max>>f.man)-f.bias+127)<<23 | f.max&(1<<f.man-1)<<(23-f.man)
	mag := g.v2(x64.VPMINUD, g.abs(x), g.c32(greatest))
	shift := 23 - f.man
	// If the result is normal, a carry of the rounding moves into the exponent. Else
	// the value is counted in units of the last place.
	r, cvt := mag, x64.VCVTTPS2DQ
	if rc == x64.Current {
		// To nearest even: add half a unit minus 1, plus the last bit that is kept.
		odd := g.and(g.vi(x64.VPSRLDImm, mag, shift), g.c32(1))
		r = g.v2(x64.VPADDD, g.v2(x64.VPADDD, mag, g.c32(1<<(shift-1)-1)), odd)
		cvt = x64.VCVTPS2DQ
	}
	r = g.v2(x64.VPSUBD, g.vi(x64.VPSRLDImm, r, shift), g.c32(uint32(127-f.bias)<<f.man))
	units := g.v1(cvt, g.v2(x64.VMULPS, mag, g.c32(uint32(127+f.bias-1+f.man)<<23)))
	r = g.pick32(g.gtd(g.c32(uint32(128-f.bias)<<23), mag), r, units)
	r = g.or(r, g.and(g.vi(x64.VPSRLDImm, x, f.signShift()), g.c32(f.sign)))
	return g.pick32(g.cmpf(cmpfUN, x, x), r, g.c32(f.nan))
}

// scaleUE8M0 is num.scaleUE8M0 of the low bytes of words.
func (g *arithmetic) scaleUE8M0(x x64.Reg) x64.Reg {
	b := g.and(x, g.c32(0xff))
	r := g.vi(x64.VPSLLDImm, b, 23)
	r = g.pick32(g.eqd(b, g.zero()), r, g.c32(1<<22))
	return g.pick32(g.eqd(b, g.c32(0xff)), r, g.c32(nanF32))
}

// narrowRules makes the table.
func narrowRules() map[ir.Op]vrule {
	t := map[ir.Op]vrule{}
	pairTo := regexp.MustCompile(`^Cvt(F16|BF16)x2From(E\dM\d)x2$`)
	pairFrom := regexp.MustCompile(`^Cvt(E\dM\d)x2FromF32(RZ)?$`)
	double := regexp.MustCompile(`^CvtF64From(E\dM\d)$`)
	for i := range ir.NumOps {
		op := ir.Op(i)
		if m := pairTo.FindStringSubmatch(op.String()); m != nil {
			f := narrowFormats[m[2]]
			t[op] = vrule{fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
				ext := map[int64]x64.Op{8: x64.VPMOVZXWD, 4: x64.VPMOVZXBD}[f.field]
				x := g.v1(ext, a[0])
				lo, hi := f.decode(&g.arithmetic, x), f.decode(&g.arithmetic, g.vi(x64.VPSRLDImm, x, f.field))
				if m[1] == "F16" {
					return g.packed(g.halfWords(g.toHalf(lo, x64.Current)), g.halfWords(g.toHalf(hi, x64.Current)))
				}
				// The conversion to bf16 multiplies by a scale.
				s := g.v1(x64.VPMOVZXWD, a[1])
				lo = g.v2(x64.VMULPS, lo, g.scaleUE8M0(s))
				hi = g.v2(x64.VMULPS, hi, g.scaleUE8M0(g.vi(x64.VPSRLDImm, s, 8)))
				return g.packed(g.brains(lo, x64.Current), g.brains(hi, x64.Current))
			}}
		}
		if m := pairFrom.FindStringSubmatch(op.String()); m != nil {
			f, rc := narrowFormats[m[1]], roundings[m[2]]
			t[op] = vrule{rawIn: 3, fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
				hi := g.vi(x64.VPSLLDImm, f.encode(&g.arithmetic, a[0], rc), f.field)
				return g.drop(g.or(f.encode(&g.arithmetic, a[1], rc), hi), 4, uint8(f.field/4))
			}}
		}
		if m := double.FindStringSubmatch(op.String()); m != nil {
			f := narrowFormats[m[1]]
			t[op] = vrule{fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
				x := g.sized(g.len/2, func() x64.Reg { return f.decode(&g.arithmetic, g.v1(x64.VPMOVZXBD, a[0])) })
				return g.v1(x64.VCVTPS2PD, x)
			}}
		}
	}
	t[ir.CvtBF16x2FromUE8M0x2] = vrule{fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
		x := g.v1(x64.VPMOVZXWD, a[0])
		return g.packed(g.brains(g.scaleUE8M0(x), x64.Current), g.brains(g.scaleUE8M0(g.vi(x64.VPSRLDImm, x, 8)), x64.Current))
	}}
	return t
}
