package sel

import (
	"regexp"
	"strconv"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the rules of conversions between floats, and between floats and
// integers.
//
// Input: a vector of the source format.
// Output: a vector of the result format.
// Invariant: rounding, saturation and NaNs are those of the function in package num
// with the operation's name.
// Example: CvtS32FromF32RZI is VCVTTPS2DQ with a correction for numbers out of range.

// roundings are the machine's roundings, by the suffix of operations.
var roundings = map[string]x64.Rounding{"": x64.Current, "RZ": x64.Zero, "RM": x64.Down, "RP": x64.Up}

// floatBytes are the sizes of formats in bytes.
var floatBytes = map[string]uint8{"F16": 2, "BF16": 2, "F32": 4, "F64": 8}

// convertRules makes the table: it parses the names of all conversions.
func convertRules() map[ir.Op]vrule {
	t := map[ir.Op]vrule{}
	toInt := regexp.MustCompile(`^Cvt([US])(8|16|32|64)From(F16|BF16|F32|F64)(R[NZMP]I)$`)
	fromInt := regexp.MustCompile(`^Cvt(F16|BF16|F32|F64)From([US])(8|16|32|64)(R[ZMP])?$`)
	between := regexp.MustCompile(`^Cvt(F16|BF16|F32|F64)From(F16|BF16|F32|F64)(R[ZMP])?$`)
	modes := map[string]int64{"RNI": toNearest, "RZI": toTrunc, "RMI": toFloor, "RPI": toCeil}
	for i := range ir.NumOps {
		op := ir.Op(i)
		name := op.String()
		var r vrule
		// A float to an integer: size, sign and rounding are in the name.
		if m := toInt.FindStringSubmatch(name); m != nil {
			bits, _ := strconv.Atoi(m[2])
			c := floatToInt{bits: uint(bits), signed: m[1] == "S", from: m[3], mode: modes[m[4]]}
			r.fn = c.rule
			if c.from == "F32" {
				r.rawIn = 1
			}
			t[op] = r
		}
		// An integer to a float.
		if m := fromInt.FindStringSubmatch(name); m != nil {
			bits, _ := strconv.Atoi(m[3])
			c := intToFloat{to: m[1], bits: uint(bits), signed: m[2] == "S", rc: roundings[m[4]]}
			r.fn, r.number = c.rule, c.to == "F32"
			t[op] = r
		}
		// Between floats. NaNs of f32 arguments are canonicalised by the rule itself.
		if m := between.FindStringSubmatch(name); m != nil {
			c := floatToFloat{to: m[1], from: m[2], rc: roundings[m[3]]}
			r.fn = c.rule
			switch {
			case c.from == "F32" && c.to != "F64":
				r.rawIn = 1
			case c.to == "F32" && c.from != "BF16":
				r.rawOut, r.nan = 32, nanF32
			}
			t[op] = r
		}
	}
	return t
}

// floatToInt is a conversion to an integer of bits bits.
type floatToInt struct {
	bits   uint
	signed bool
	from   string
	mode   int64
}

// rule emits the conversion. Results of 8 bytes and sources of f64 go through f64, all
// else through f32.
func (c floatToInt) rule(g *lowering, a [4]x64.Reg) x64.Reg {
	to, from := uint8(c.bits/8), floatBytes[c.from]
	wide := max(to, from)
	// f32 is not precise enough for 8 bytes, so these go through f64.
	if c.from == "F64" || to == 8 {
		x := a[0]
		if c.from != "F64" {
			x = g.v1(x64.VCVTPS2PD, g.f32s(c.from, x, wide).v[0])
		}
		if to == 8 {
			return g.longsOf64(x, c.signed, c.mode)
		}
		d := g.wordsOf64(x, c.bits, c.signed, c.mode, false)
		return pieces{n: g.len / 2, v: []x64.Reg{d}}.narrow(g, 4, to)
	}
	// All other conversions go through f32 and words.
	p := g.f32s(c.from, a[0], wide).each(&g.arithmetic, func(x x64.Reg) x64.Reg { return g.intsOf32(x, c.bits, c.signed, c.mode) })
	return p.narrow(g, 4, to)
}

// f32s are the f32 of an argument of 2 or 4 bytes. The conversion from f16 makes
// signalling NaNs quiet.
func (g *arithmetic) f32s(format string, x x64.Reg, wide uint8) pieces {
	switch format {
	case "F16":
		return g.piecesOf(x64.VCVTPH2PS, x, 2, 4, wide)
	case "BF16":
		return g.piecesOf(x64.VPMOVZXWD, x, 2, 4, wide).each(g, func(x x64.Reg) x64.Reg { return g.vi(x64.VPSLLDImm, x, 16) })
	}
	return g.piecesOf(0, x, 4, 4, wide)
}

// intToFloat is a conversion from an integer of bits bits.
type intToFloat struct {
	to     string
	bits   uint
	signed bool
	rc     x64.Rounding
}

// rule emits the conversion. Formats with 16 bits are rounded once only: closeTo gives
// an intermediate f32 that does not cause double rounding.
func (c intToFloat) rule(g *lowering, a [4]x64.Reg) x64.Reg {
	x := a[0]
	from, to := uint8(c.bits/8), floatBytes[c.to]
	wide := max(to, from)
	if from == 8 {
		switch c.to {
		case "F64":
			return g.f64OfLongs(x, c.signed, c.rc)
		case "F32":
			return g.f32OfLongs(x, c.signed, c.rc)
		case "BF16":
			d := g.closeTo(g.len/2, c.rc, func(rc x64.Rounding) x64.Reg { return g.f32OfLongs(x, c.signed, rc) })
			p := pieces{n: g.len / 2, v: []x64.Reg{d}}
			return p.each(&g.arithmetic, func(x x64.Reg) x64.Reg { return g.vi(x64.VPSRLDImm, g.toBrain(x, c.rc), 16) }).narrow(g, 4, 2)
		}
		// All integers beyond the range of f16 give the same result, so they are
		// clamped.
		y := g.q()
		v := operand{reg: x}
		if c.signed {
			v = y.clamp(v, -1<<20, 1<<20)
		} else {
			v = y.minimum(false, v, y.k(1<<20))
		}
		x = g.drop(y.reg(v), 8, 4)
		p := pieces{n: g.len / 2, v: []x64.Reg{x}}
		return p.each(&g.arithmetic, func(x x64.Reg) x64.Reg { return g.v1(x64.VCVTDQ2PS, x) }).halved(&g.arithmetic, c.rc)
	}
	var words pieces
	if from == 4 {
		words = g.piecesOf(0, x, 4, 4, wide)
	} else {
		words = g.piecesOf(extOps[b2i(c.signed)][index(from)][2], x, from, 4, wide)
	}
	// Smaller integers are extended to words, which hold them as signed numbers.
	signed := c.signed || from < 4
	switch c.to {
	case "F64":
		switch {
		case signed:
			return g.v1(x64.VCVTDQ2PD, words.v[0])
		case g.avx512:
			return g.v1(x64.VCVTUDQ2PD, words.v[0])
		}
		// The low bits of the f64 2^52 are the integer.
		return g.v2(x64.VSUBPD, g.or(g.v1(x64.VPMOVZXDQ, x), g.f64(1<<52)), g.f64(1<<52))
	case "F32":
		return g.f32OfWords(words.v[0], signed, c.rc)
	case "F16":
		if from == 4 {
			words = words.each(&g.arithmetic, func(x x64.Reg) x64.Reg {
				y := g.ex(4)
				if signed {
					return y.reg(y.clamp(operand{reg: x}, -1<<20, 1<<20))
				}
				return y.reg(y.minimum(false, operand{reg: x}, y.k(1<<20)))
			})
		}
		return words.each(&g.arithmetic, func(x x64.Reg) x64.Reg { return g.v1(x64.VCVTDQ2PS, x) }).halved(&g.arithmetic, c.rc)
	}
	return words.each(&g.arithmetic, func(x x64.Reg) x64.Reg {
		if from == 4 {
			x = g.closeTo(g.len, c.rc, func(rc x64.Rounding) x64.Reg { return g.f32OfWords(x, signed, rc) })
		} else {
			x = g.f32OfWords(x, true, x64.Current)
		}
		return g.vi(x64.VPSRLDImm, g.toBrain(x, c.rc), 16)
	}).narrow(g, 4, 2)
}

// halved are the f16 of f32, in the low part of a register.
func (p pieces) halved(g *arithmetic, rc x64.Rounding) x64.Reg {
	p = p.each(g, func(x x64.Reg) x64.Reg { return g.toHalf(x, rc) })
	return g.join(p.v, int32(p.n/2))
}

// canonical makes NaNs of f32 the canonical ones of PTX.
func (p pieces) canonical(g *arithmetic) pieces {
	return p.each(g, func(x x64.Reg) x64.Reg { return g.canonical(x, 32, nanF32) })
}

// floatToFloat is a conversion between float formats of PTX.
type floatToFloat struct {
	to, from string
	rc       x64.Rounding
}

// rule emits the conversion, by way of f32 unless one format is f64.
func (c floatToFloat) rule(g *lowering, a [4]x64.Reg) x64.Reg {
	x := a[0]
	wide := max(floatBytes[c.to], floatBytes[c.from])
	var p pieces
	switch {
	// To f32 first; a narrowing from f64 to 16 bits must not round twice.
	case c.from != "F64":
		p = g.f32s(c.from, x, wide)
	case c.to == "F32":
		return g.round(c.rc, x64.Inst{Op: x64.VCVTPD2PS, B: x})
	default:
		x = g.closeTo(g.len/2, c.rc, func(rc x64.Rounding) x64.Reg { return g.round(rc, x64.Inst{Op: x64.VCVTPD2PS, B: x}) })
		p = pieces{n: g.len / 2, v: []x64.Reg{x}}
	}
	switch c.to {
	case "F16":
		return p.canonical(&g.arithmetic).halved(&g.arithmetic, c.rc)
	case "BF16":
		return p.each(&g.arithmetic, func(x x64.Reg) x64.Reg { return g.brains(x, c.rc) }).narrow(g, 4, 2)
	case "F64":
		if c.from == "F16" {
			p = p.canonical(&g.arithmetic)
		}
		return g.v1(x64.VCVTPS2PD, p.v[0])
	}
	return p.v[0]
}
