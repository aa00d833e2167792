package num

import "math"

// A twofold is the unevaluated sum of two numbers, h + l with |l| <= ulp(h)/2: some 106 bits. The
// functions of math.go compute with it and round once, so their results are within 0.501 units in
// the last place. Fused operations are explicit, and products are converted, so the bits are the
// same on every platform. Literature: T. J. Dekker, A floating-point technique for extending the
// available precision, 1971; M. Joldes et al., Tight and rigorous error bounds for basic building
// blocks of double-word arithmetic, 2017.
//
// Infinities and NaN are cases of the callers.
type twofold struct{ h, l float64 }

func single(a float64) twofold { return twofold{a, 0} }

// sum2 returns a + b exactly.
func sum2(a, b float64) twofold {
	s := a + b
	t := s - a
	return twofold{s, (a - (s - t)) + (b - t)}
}

// join returns a + b exactly, for |a| >= |b|.
func join(a, b float64) twofold {
	s := a + b
	return twofold{s, b - (s - a)}
}

// prod2 returns a * b exactly.
func prod2(a, b float64) twofold {
	p := float64(a * b)
	return twofold{p, fma(a, b, -p)}
}

func (x twofold) add(y twofold) twofold {
	s, t := sum2(x.h, y.h), sum2(x.l, y.l)
	s = join(s.h, s.l+t.h)
	return join(s.h, s.l+t.l)
}

func (x twofold) neg() twofold            { return twofold{-x.h, -x.l} }
func (x twofold) sub(y twofold) twofold   { return x.add(y.neg()) }
func (x twofold) plus(b float64) twofold  { return x.add(single(b)) }
func (x twofold) times(b float64) twofold { return x.mul(single(b)) }

// scale returns x * 2^n without rounding, if nothing underflows.
func (x twofold) scale(n int) twofold { return twofold{math.Ldexp(x.h, n), math.Ldexp(x.l, n)} }

func (x twofold) mul(y twofold) twofold {
	p := prod2(x.h, y.h)
	return join(p.h, p.l+fma(x.h, y.l, float64(x.l*y.h)))
}

func (x twofold) div(y twofold) twofold {
	q := x.h / y.h
	r := x.sub(y.times(q))
	q2 := r.h / y.h
	r = r.sub(y.times(q2))
	return join(q, q2).plus(r.h / y.h)
}

// sqrt returns the root of x > 0.
func (x twofold) sqrt() twofold {
	r := math.Sqrt(x.h)
	rest := x.sub(prod2(r, r))
	return join(r, rest.h/(2*r))
}

func (x twofold) abs() twofold {
	if x.h < 0 {
		return x.neg()
	}
	return x
}

// round returns x * 2^n, rounded to an f64.
func (x twofold) round(n int) float64 {
	if x.h == 0 {
		return x.h
	}
	switch _, e := math.Frexp(x.h); {
	case e+n >= -1021:
		return math.Ldexp(x.h, n)
	case e+n < -1074: // below half of the smallest number
		return math.Copysign(0, x.h)
	}
	// A subnormal result is a multiple of 2^-1074, here of u. Adding a large number rounds h to one; l decides ties.
	u := math.Ldexp(1, -1074-n)
	c := math.Copysign(math.Ldexp(1, 52-1074-n), x.h)
	t := sum2(c, x.h)
	r := t.h - c
	switch {
	case t.l == u/2 && x.l > 0:
		r += u
	case t.l == -u/2 && x.l < 0:
		r -= u
	}
	return math.Copysign(math.Ldexp(r, n), x.h)
}

// Constants.
var (
	ln2Two      = twofold{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}
	ln10Two     = twofold{0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53}
	piTwo       = twofold{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}
	halfPiTwo   = twofold{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}
	rootPiTwo   = twofold{0x1.c5bf891b4ef6bp+0, -0x1.618f13eb7ca89p-54}
	rootHalfTwo = twofold{0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55}
	halfLn2Pi   = twofold{0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55}
	eulerTwo    = twofold{0x1.2788cfc6fb619p-1, -0x1.6cb90701fbfabp-58}

	// inverseFactorials[n] is 1/n!.
	inverseFactorials = func() (list [30]twofold) {
		list[0] = single(1)
		for n := 1; n < len(list); n++ {
			list[n] = list[n-1].div(single(float64(n)))
		}
		return list
	}()
)

// expm1Small returns exp(x) - 1 for |x| <= 0.35, with a relative error of about 2^-98.
//
// Input: r = x/256. Output: its Taylor series, and eight times (1+s)^2 - 1 = 2s + s^2.
func expm1Small(x twofold) twofold {
	r := x.scale(-8)
	s := inverseFactorials[10]
	for n := 9; n >= 1; n-- {
		s = s.mul(r).add(inverseFactorials[n])
	}
	s = s.mul(r)
	for range 8 {
		s = s.mul(s).add(twofold{2 * s.h, 2 * s.l})
	}
	return s
}

// expParts returns m and k with exp(x) = m * 2^k and m in [0.7, 1.42], for |x| < 2^20.
func expParts(x twofold) (m twofold, k int) {
	n := math.RoundToEven(float64(x.h * (1 / math.Ln2)))
	return expm1Small(x.sub(ln2Two.times(n))).plus(1), int(n)
}

// expm1Two returns exp(x) - 1 for |x| < 700.
func expm1Two(x twofold) twofold {
	if math.Abs(x.h) <= 0.34 {
		return expm1Small(x)
	}
	m, k := expParts(x)
	return m.scale(k).plus(-1)
}

// log1pSmall returns log(1+z) for z in [-0.3, 0.42], with a relative error of about 2^-98. It improves
// y = 2 artanh(z/(2+z)), which is right to some 45 bits, by a step of Halley's method.
func log1pSmall(z twofold) twofold {
	s := z.h / (2 + z.h)
	c := [12]float64{1, 1. / 3, 1. / 5, 1. / 7, 1. / 9, 1. / 11, 1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21, 1. / 23}
	y := single(float64(2 * s * horner(float64(s*s), &c)))
	e := expm1Small(y)
	d := z.sub(e)
	return y.add(twofold{2 * d.h, 2 * d.l}.div(z.add(e).plus(2)))
}

// logParts returns log(m) and k with x = m * 2^k and m in [0.7, 1.42], for x > 0.
func logParts(x twofold) (log twofold, k int) {
	m, k := math.Frexp(x.h)
	if m < math.Sqrt2/2 {
		k--
	}
	return log1pSmall(x.scale(-k).plus(-1)), k
}

func logTwo(x twofold) twofold {
	l, k := logParts(x)
	return ln2Two.times(float64(k)).add(l)
}

// log1pTwo returns log(1+z) for z > -1.
func log1pTwo(z twofold) twofold {
	if z.h >= -0.29 && z.h <= 0.41 {
		return log1pSmall(z)
	}
	return logTwo(z.plus(1))
}

// sinCosTwo returns sine and cosine of |r| <= 0.8.
func sinCosTwo(r twofold) (sin, cos twofold) {
	q := r.mul(r).neg()
	sin, cos = inverseFactorials[27], inverseFactorials[26]
	for n := 25; n >= 1; n -= 2 {
		sin = sin.mul(q).add(inverseFactorials[n])
		cos = cos.mul(q).add(inverseFactorials[n-1])
	}
	return sin.mul(r), cos
}

// digits returns the 64 binary digits of 2/pi from the one of weight 2^-(at+1) on; digits before the point are 0.
func digits(at int) uint64 {
	var v uint64
	for i := range 9 {
		b := byte(0)
		if k := at>>3 + i; k >= 0 && k < len(twoOverPi) {
			b = twoOverPi[k]
		}
		if i < 8 {
			v = v<<8 | uint64(b)
		} else {
			v = v<<(at&7) | uint64(b)>>(8-at&7)
		}
	}
	return v
}

// atanTwo returns atan(x) for x in [0, 1.0001].
//
// Input: y, right to some 45 bits, by atan x = 2 atan(x/(1+sqrt(1+x^2))), twice, and the series.
// Output: y + atan((x - tan y)/(1 + x tan y)), where the last arc is its tangent t - t^3/3.
func atanTwo(x twofold) twofold {
	u := x.h
	for range 2 {
		u /= 1 + math.Sqrt(1+float64(u*u))
	}
	c := [12]float64{1, -1. / 3, 1. / 5, -1. / 7, 1. / 9, -1. / 11, 1. / 13, -1. / 15, 1. / 17, -1. / 19, 1. / 21, -1. / 23}
	y := single(float64(4 * u * horner(float64(u*u), &c)))
	sin, cos := sinCosTwo(y)
	return y.add(x.mul(cos).sub(sin).div(cos.add(x.mul(sin))))
}

// arc returns the angle of the point (x, y), y >= 0, in [0, pi]; x and y are of similar size or 0.
func arc(y, x twofold) twofold {
	a := x.abs()
	var r twofold
	if y.h > a.h {
		r = halfPiTwo.sub(atanTwo(a.div(y)))
	} else {
		r = atanTwo(y.div(a))
	}
	if x.h < 0 {
		r = piTwo.sub(r)
	}
	return r
}
