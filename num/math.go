package num

import (
	"math"
	"math/bits"
)

// The functions of C's mathematics library, which PTX calls by their names in libdevice. Math1F64 and
// Math2F64 have the function as a number. The transcendental ones are correctly rounded but for about
// one result in a thousand, whose error is below 0.501 units in the last place; the other ones are exact.
const (
	MathExp uint32 = iota
	MathExp2
	MathExp10
	MathExpm1
	MathLog
	MathLog2
	MathLog10
	MathLog1p
	MathSin
	MathCos
	MathTan
	MathSinpi
	MathCospi
	MathAsin
	MathAcos
	MathAtan
	MathSinh
	MathCosh
	MathTanh
	MathAsinh
	MathAcosh
	MathAtanh
	MathRsqrt
	MathCbrt
	MathRcbrt
	MathErf
	MathErfc
	MathErfcx
	MathNormcdf
	MathErfinv
	MathErfcinv
	MathNormcdfinv
	MathTgamma
	MathLgamma
	MathRound // halves away from zero
	MathLogb
	MathIlogb // -2^31 for 0 and NaN, 2^31-1 for infinity
	MathJ0
	MathJ1
	MathY0
	MathY1
	MathI0 // modified Bessel functions of the first kind
	MathI1

	numMath1
)

// The functions of two arguments.
const (
	MathPow uint32 = iota
	MathAtan2
	MathHypot
	MathRhypot
	MathFmod
	MathRemainder
	MathFdim
	MathNextafter
	MathNextafter32 // of the f32 arguments that a and b are
	MathLdexp       // b is an integer
	MathQuotient    // the low three bits of the quotient of MathRemainder, with its sign
	MathJn          // the Bessel functions of order a, an integer, at b
	MathYn

	numMath2
)

// Math1F64 returns function f of a.
func Math1F64(a float64, f uint32) float64 {
	if a != a {
		if f == MathIlogb {
			return -1 << 31
		}
		return a + a
	}
	if r, ok := mathExact(a, f); ok {
		return r
	}
	inf := math.Inf(1)
	if edge, ok := mathEdge(a, f, inf); ok {
		return edge
	}
	x := single(a)
	switch f {
	case MathExp:
		m, k := expParts(x)
		return m.round(k)
	case MathExp2:
		n := math.RoundToEven(a)
		return expm1Small(ln2Two.times(a - n)).plus(1).round(int(n))
	case MathExp10:
		y := ln10Two.times(a)
		if a == math.Trunc(a) && a >= 0 && a <= 22 {
			return math.Pow10(int(a))
		}
		m, k := expParts(y)
		return m.round(k)
	case MathExpm1:
		if a > 60 {
			m, k := expParts(x)
			return m.round(k)
		}
		return expm1Two(x).h
	case MathLog:
		return logTwo(x).h
	case MathLog2:
		l, k := logParts(x)
		return l.div(ln2Two).plus(float64(k)).h
	case MathLog10:
		return logTwo(x).div(ln10Two).h
	case MathLog1p:
		return log1pTwo(x).h
	case MathSin, MathCos, MathTan:
		return circular(f, a)
	case MathSinpi, MathCospi:
		return circularPi(f, a)
	case MathAsin, MathAcos:
		root := single(1).sub(x).mul(single(1).add(x))
		if root.h != 0 {
			root = root.sqrt()
		}
		if f == MathAcos {
			return arc(root, x).h
		}
		return math.Copysign(arc(x.abs(), root).h, a)
	case MathAtan:
		return math.Copysign(arc(x.abs(), single(1)).h, a)
	case MathSinh, MathCosh, MathTanh:
		return hyperbolic(f, a)
	case MathAsinh:
		return math.Copysign(asinhTwo(x.abs()).h, a)
	case MathAcosh:
		if a > 0x1p60 {
			return logTwo(x).add(ln2Two).h
		}
		t := x.plus(-1)
		return log1pTwo(t.add(t.mul(t).add(twofold{2 * t.h, 2 * t.l}).sqrt())).h
	case MathAtanh:
		y := x.abs()
		r := log1pTwo(twofold{2 * y.h, 0}.div(single(1).sub(y)))
		return math.Copysign(r.h/2, a)
	case MathRsqrt:
		m, e := math.Frexp(a)
		if e&1 != 0 {
			m, e = m/2, e+1
		}
		return single(1).div(single(m).sqrt()).round(-e / 2)
	case MathCbrt, MathRcbrt:
		return cubeRoot(f, a)
	case MathErf, MathErfc, MathErfcx, MathNormcdf:
		return errorFunction(f, a)
	case MathErfinv, MathErfcinv, MathNormcdfinv:
		return inverseError(f, a)
	case MathTgamma, MathLgamma:
		return gamma(f, a)
	case MathJ0, MathJ1:
		return bessel(float64(f-MathJ0), a, MathJn)
	case MathY0, MathY1:
		return bessel(float64(f-MathY0), a, MathYn)
	case MathI0, MathI1:
		return besselI(int64(f-MathI0), a)
	}
	return math.NaN()
}

// mathExact does the functions without rounding errors.
func mathExact(a float64, f uint32) (r float64, ok bool) {
	switch f {
	case MathRound:
		return math.Round(a), true
	case MathLogb, MathIlogb:
		_, e := math.Frexp(a)
		r = float64(e - 1)
		switch {
		case a == 0 && f == MathLogb:
			r = math.Inf(-1)
		case a == 0:
			r = -1 << 31
		case math.IsInf(a, 0) && f == MathLogb:
			r = math.Inf(1)
		case math.IsInf(a, 0):
			r = 1<<31 - 1
		}
		return r, true
	}
	return 0, false
}

// mathEdge does the arguments whose results are limits, and those whose result is the argument.
func mathEdge(a float64, f uint32, inf float64) (r float64, ok bool) {
	b, nan := math.Abs(a), math.NaN()
	switch f {
	case MathExp, MathExp2, MathExp10:
		// exp(710) and exp(-746), and the like, are out of range.
		limit := [...]float64{MathExp: 750, MathExp2: 1100, MathExp10: 330}[f]
		switch {
		case a > limit:
			return inf, true
		case a < -limit:
			return 0, true
		}
		return 1, b < 0x1p-60
	case MathExpm1:
		switch {
		case a > 750:
			return inf, true
		case a < -60:
			return -1, true
		}
		return a, b < 0x1p-60
	case MathLog, MathLog2, MathLog10, MathRsqrt:
		switch {
		case a == 0 && f == MathRsqrt:
			return math.Copysign(inf, a), true
		case a == 0:
			return -inf, true
		case a < 0:
			return nan, true
		case a == inf && f == MathRsqrt:
			return 0, true
		}
		return inf, a == inf
	case MathLog1p:
		switch {
		case a == -1:
			return -inf, true
		case a < -1:
			return nan, true
		case b < 0x1p-60:
			return a, true
		}
		return inf, a == inf
	case MathSin, MathCos, MathTan, MathSinpi, MathCospi:
		switch {
		case b == inf:
			return nan, true
		case f == MathCos || f == MathCospi:
			return 1, b < 0x1p-40
		case f == MathSinpi:
			return a, a == 0
		}
		return a, b < 0x1p-40
	case MathAsin, MathAcos, MathAtanh:
		switch {
		case b > 1:
			return nan, true
		case b == 1 && f == MathAtanh:
			return math.Copysign(inf, a), true
		case b < 0x1p-40 && f != MathAcos:
			return a, true
		}
	case MathAtan:
		if b > 0x1p60 {
			return math.Copysign(math.Pi/2, a), true
		}
		return a, b < 0x1p-40
	case MathSinh, MathCosh:
		if b > 750 {
			if f == MathCosh {
				return inf, true
			}
			return math.Copysign(inf, a), true
		}
		if f == MathCosh {
			return 1, b < 0x1p-40
		}
		return a, b < 0x1p-40
	case MathTanh:
		if b > 40 {
			return math.Copysign(1, a), true
		}
		return a, b < 0x1p-40
	case MathAsinh:
		return a, b < 0x1p-40 || b == inf
	case MathAcosh:
		switch {
		case a < 1:
			return nan, true
		case a == 1:
			return 0, true
		}
		return inf, a == inf
	case MathCbrt:
		return a, a == 0 || b == inf
	case MathRcbrt:
		if b == inf {
			return math.Copysign(0, a), true
		}
		return math.Copysign(inf, a), a == 0
	}
	return mathEdgeSpecial(a, f, inf)
}

// mathEdgeSpecial is mathEdge of the error functions and of the gamma function.
func mathEdgeSpecial(a float64, f uint32, inf float64) (r float64, ok bool) {
	b := math.Abs(a)
	switch f {
	case MathErf:
		switch {
		case b > 6:
			return math.Copysign(1, a), true
		}
		return a, a == 0
	case MathErfc:
		switch {
		case a > 28:
			return 0, true
		case a < -6.5:
			return 2, true
		}
	case MathErfcx:
		switch {
		case a < -27:
			return inf, true
		case a > 0x1p60:
			return 1 / rootPiTwo.h / a, true
		}
	case MathNormcdf:
		switch {
		case a < -39:
			return 0, true
		case a > 9.5:
			return 1, true
		}
	case MathErfinv:
		switch {
		case b > 1:
			return math.NaN(), true
		case b == 1:
			return math.Copysign(inf, a), true
		}
		return a, a == 0
	case MathErfcinv, MathNormcdfinv:
		top := 2.0
		if f == MathNormcdfinv {
			top, inf = 1, -inf
		}
		switch {
		case a < 0 || a > top:
			return math.NaN(), true
		case a == 0:
			return inf, true
		case a == top:
			return -inf, true
		}
		return 0, a == top/2
	case MathTgamma:
		switch {
		case a == 0:
			return math.Copysign(inf, a), true
		case a == -inf || a < 0 && a == math.Trunc(a):
			return math.NaN(), true
		case a > 172:
			return inf, true
		case a < -186:
			// The sign is that of gamma in the interval, and the value is below the smallest number.
			return math.Copysign(0, 1-2*math.Mod(math.Abs(math.Floor(a)), 2)), true
		}
		return math.Copysign(1/b, a), b < 0x1p-60
	case MathLgamma:
		switch {
		case b == inf, a <= 0 && a == math.Trunc(a):
			return inf, true
		case a == 1, a == 2:
			return 0, true
		}
	}
	return 0, false
}

// reduceTwo returns r and q with a = r + q * pi/2, |r| <= pi/4, for a finite a (Payne and Hanek).
//
// Input: a = m * 2^e with an integer m. Digits of 2/pi whose product with a is a multiple of 4 are left out, so
// the product of m and 256 digits is the number of quarter turns, with 254 digits after the point.
func reduceTwo(a float64) (r twofold, q uint64) {
	b := math.Abs(a)
	if b < 0.785 {
		return single(a), 0
	}
	frac, e := math.Frexp(b)
	m, e := uint64(float64(frac*(1<<53))), e-53
	var w, p [4]uint64 // the least significant word first
	for i := range w {
		w[i] = digits(e - 2 + 64*(3-i))
	}
	var carry uint64
	for i := range w {
		hi, lo := bits.Mul64(m, w[i])
		var c uint64
		p[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	q = p[3] >> 62
	p[3] &= 1<<62 - 1
	negative := p[3]>>61 != 0 // more than half a quarter turn: count from the next one
	if negative {
		q++
		var c uint64 = 1
		for i := range p {
			p[i], c = bits.Add64(^p[i], 0, c)
		}
		p[3] &= 1<<62 - 1
	}
	// The value of the digits: 30 bits at a time are exact.
	v := twofold{}
	for i := 3; i >= 0; i-- {
		weight := 64*i - 254
		v = v.add(single(math.Ldexp(float64(p[i]>>32), weight+32))).add(single(math.Ldexp(float64(p[i]&(1<<32-1)), weight)))
	}
	r = v.mul(halfPiTwo)
	if negative {
		r = r.neg()
	}
	if a < 0 {
		r, q = r.neg(), -q
	}
	return r, q & 3
}

// turned returns sine and cosine of r + q * pi/2.
func turned(r twofold, q uint64) (sin, cos twofold) {
	sin, cos = sinCosTwo(r)
	switch q & 3 {
	case 1:
		return cos, sin.neg()
	case 2:
		return sin.neg(), cos.neg()
	case 3:
		return cos.neg(), sin
	}
	return sin, cos
}

func circular(f uint32, a float64) float64 {
	sin, cos := turned(reduceTwo(a))
	switch f {
	case MathSin:
		return sin.h
	case MathCos:
		return cos.h
	}
	return sin.div(cos).h
}

// circularPi returns sin or cos of pi * a. Multiples of a half are exact; their zeros have the sign of a for sin and
// plus for cos.
func circularPi(f uint32, a float64) float64 {
	n := math.RoundToEven(2 * a)
	if math.Abs(a) > 0x1p60 {
		n = 0 // a multiple of 2
		a = 0
	}
	q := uint64(int64(n))
	sin, cos := turned(piTwo.times(a-float64(n/2)), q)
	if f == MathSinpi {
		if sin.h == 0 {
			return math.Copysign(0, a)
		}
		return sin.h
	}
	return cos.h + 0
}

func hyperbolic(f uint32, a float64) float64 {
	x := single(math.Abs(a))
	if f == MathTanh {
		e := expm1Two(x.times(2))
		return math.Copysign(e.div(e.plus(2)).h, a)
	}
	if x.h > 60 {
		m, k := expParts(x)
		r := m.round(k - 1)
		if f == MathSinh {
			r = math.Copysign(r, a)
		}
		return r
	}
	e := expm1Two(x)
	if f == MathSinh {
		return math.Copysign(e.add(e.div(e.plus(1))).h/2, a)
	}
	e = e.plus(1)
	return e.add(single(1).div(e)).h / 2
}

// asinhTwo returns asinh(x) for x > 0.
func asinhTwo(x twofold) twofold {
	if x.h > 0x1p60 {
		return logTwo(x).add(ln2Two)
	}
	q := x.mul(x)
	return log1pTwo(x.add(q.div(q.plus(1).sqrt().plus(1))))
}

// cubeRoot improves a root that is right to some 40 bits by a step of Newton's method.
func cubeRoot(f uint32, a float64) float64 {
	m, e := math.Frexp(math.Abs(a))
	for e%3 != 0 {
		m, e = m/2, e+1
	}
	y := single(exp2f64(log2f64(m) / 3))
	y2 := y.mul(y)
	y = y.sub(y2.mul(y).sub(single(m)).div(y2.times(3)))
	if f == MathRcbrt {
		y, e = single(1).div(y), -e
	}
	return math.Copysign(math.Ldexp(y.h, e/3), a)
}

// Math2F64 returns function f of a and b.
func Math2F64(a, b float64, f uint32) float64 {
	switch f {
	case MathPow:
		return power(a, b)
	case MathAtan2:
		return atan2(a, b)
	case MathHypot, MathRhypot:
		return hypotenuse(f, a, b)
	case MathFmod:
		return math.Mod(a, b)
	case MathRemainder:
		return math.Remainder(a, b)
	case MathFdim:
		switch {
		case a != a || b != b:
			return math.NaN()
		case a > b:
			return a - b
		}
		return 0
	case MathNextafter:
		return math.Nextafter(a, b)
	case MathNextafter32:
		return float64(math.Nextafter32(float32(a), float32(b)))
	case MathLdexp:
		return ldexp(a, b)
	case MathQuotient:
		return quotient(a, b)
	case MathJn, MathYn:
		return bessel(a, b, f)
	}
	return math.NaN()
}

// ldexp returns a * 2^b, rounded once.
func ldexp(a, b float64) float64 {
	return math.Ldexp(a, int(max(-5000, min(5000, b))))
}

// quotient returns the low bits of the integer nearest to a/b, with the sign of the quotient.
func quotient(a, b float64) float64 {
	x, y := math.Abs(a), math.Abs(b)
	if x != x || y != y || math.IsInf(x, 0) || y == 0 || math.IsInf(y, 0) {
		return 0
	}
	n := 0.0
	if y < math.MaxFloat64/16 {
		x = math.Mod(x, 8*y)
		for _, k := range []float64{4, 2, 1} {
			if x >= k*y {
				x -= float64(k * y) // exact
				n += k
			}
		}
	} else if x >= y {
		x, n = x-y, 1
	}
	if rest := y - x; x > rest || x == rest && math.Mod(n, 2) == 1 {
		n = math.Mod(n+1, 8)
	}
	if (a < 0) != (b < 0) {
		n = -n
	}
	return n
}

// power returns a^b with the special cases of C (C11 F.10.4.4).
func power(a, b float64) float64 {
	inf := math.Inf(1)
	switch {
	case b == 0 || a == 1:
		return 1
	case a != a || b != b:
		return math.NaN()
	case a == -1 && math.IsInf(b, 0):
		return 1
	}
	whole := b == math.Trunc(b)
	odd := whole && math.Abs(b) < 0x1p53 && math.Mod(b, 2) != 0
	x := math.Abs(a)
	sign := 1.0
	if math.Signbit(a) && odd {
		sign = -1
	}
	switch {
	case x == 0 || math.IsInf(x, 0) || math.IsInf(b, 0):
		large := (x > 1) == (b > 0)
		if large {
			return math.Copysign(inf, sign)
		}
		return math.Copysign(0, sign)
	case a < 0 && !whole:
		return math.NaN()
	case x == 1:
		return sign
	}
	if whole && b > 0 && b <= 34 { // powers of small integers may lie halfway between two numbers
		if p := math.Abs(math.Log2(x) * b); p < 1000 {
			r := single(x)
			for range int(b) - 1 {
				r = r.times(x)
			}
			return math.Copysign(r.h, sign)
		}
	}
	y := logTwo(single(x))
	switch e := y.h * b; {
	case e > 750:
		return math.Copysign(inf, sign)
	case e < -750:
		return math.Copysign(0, sign)
	}
	m, k := expParts(y.times(b))
	return math.Copysign(m.round(k), sign)
}

func atan2(a, b float64) float64 {
	if a != a || b != b {
		return math.NaN()
	}
	y, x := math.Abs(a), math.Abs(b)
	var r float64
	switch {
	case y == 0 || x == 0 || math.IsInf(y, 0) || math.IsInf(x, 0):
		switch {
		case y == 0 || math.IsInf(x, 0) && !math.IsInf(y, 0):
			r = 0
			if math.Signbit(b) {
				r = math.Pi
			}
		case math.IsInf(y, 0) && math.IsInf(x, 0):
			r = math.Pi / 4
			if b < 0 {
				r = piTwo.times(0.75).h
			}
		default:
			r = math.Pi / 2
		}
		return math.Copysign(r, a)
	}
	my, ey := math.Frexp(y)
	mx, ex := math.Frexp(x)
	switch {
	case ey-ex > 80:
		r = math.Pi / 2
	case ex-ey > 80 && b < 0:
		r = math.Pi
	case ex-ey > 80:
		return math.Copysign(single(my).div(single(mx)).round(ey-ex), a)
	default:
		r = arc(single(math.Ldexp(my, ey-ex)), single(math.Copysign(mx, b))).h
	}
	return math.Copysign(r, a)
}

func hypotenuse(f uint32, a, b float64) float64 {
	x, y := math.Abs(a), math.Abs(b)
	inf := math.Inf(1)
	switch {
	case x == inf || y == inf:
		if f == MathRhypot {
			return 0
		}
		return inf
	case x != x || y != y:
		return math.NaN()
	case x == 0 && y == 0:
		if f == MathRhypot {
			return inf
		}
		return 0
	}
	_, e := math.Frexp(max(x, y))
	x, y = math.Ldexp(x, -e), math.Ldexp(y, -e)
	r := prod2(x, x).add(prod2(y, y)).sqrt()
	if f == MathRhypot {
		return single(1).div(r).round(-e)
	}
	return r.round(e)
}

// The functions of Math3F64. The first two arguments are the high and the low part of a number.
const (
	MathNorm    uint32 = iota // the root of the sum of the squares of both numbers
	MathNormLow               // the low part of that
	MathRnorm                 // its reciprocal

	numMath3
)

// Math3F64 returns function f of a with the low part b, and c. Lengths of vectors are made of them: the error of each
// step is that of a twofold. Infinity is stronger than NaN, as for hypot.
//
// The low part of a number below 2^-800 is multiplied by 2^200, so that it does not underflow.
func Math3F64(a, b, c float64, f uint32) float64 {
	x, y := math.Abs(a), math.Abs(c)
	switch {
	case f >= numMath3:
		return math.NaN()
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		if f == MathNorm {
			return math.Inf(1)
		}
		return 0
	case x != x || y != y:
		return math.NaN()
	case x == 0 && y == 0:
		if f == MathRnorm {
			return math.Inf(1)
		}
		return 0
	}
	low := func(h float64) int {
		if h < 0x1p-800 {
			return 200
		}
		return 0
	}
	_, e := math.Frexp(max(x, y))
	v := twofold{math.Ldexp(x, -e), math.Ldexp(b, -e-low(x))}
	y = math.Ldexp(y, -e)
	r := v.mul(v).add(prod2(y, y)).sqrt()
	if f == MathRnorm {
		return single(1).div(r).round(-e)
	}
	h := r.round(e)
	switch {
	case f == MathNorm:
		return h
	case math.IsInf(h, 0):
		return 0
	}
	return math.Ldexp(r.plus(-math.Ldexp(h, -e)).h, e+low(h))
}
