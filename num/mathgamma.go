package num

import "math"

// erfTwo returns erf(x) for 0 <= x <= 3.2 by its series of positive terms:
// 2/sqrt(pi) exp(-x^2) (x + 2x^3/3 + 4x^5/15 + ...).
func erfTwo(x twofold) twofold {
	q := x.mul(x)
	term := x
	s := x
	for n := 3; n < 200 && term.h > s.h*0x1p-110; n += 2 {
		term = term.mul(q).times(2).div(single(float64(n)))
		s = s.add(term)
	}
	m, k := expParts(q.neg())
	return s.mul(m.scale(k + 1)).div(rootPiTwo)
}

// erfcxTwo returns exp(x^2) erfc(x) for x >= 2.8 by its continued fraction,
// 1/(x sqrt(pi)) 1/(1+ v/(1+ 2v/(1+ 3v/(1+ ...)))) with v = 1/(2x^2).
func erfcxTwo(x twofold) twofold {
	v := single(0.5).div(x.mul(x))
	r := single(1)
	for n := 20 + int(1000/(x.h*x.h)); n >= 1; n-- {
		r = v.times(float64(n)).div(r).plus(1)
	}
	return single(1).div(x.mul(rootPiTwo).mul(r))
}

// erfcParts returns m and k with erfc(x) = m * 2^k.
func erfcParts(x twofold) (m twofold, k int) {
	switch {
	case x.h < 0:
		m, k = erfcParts(x.neg())
		return single(2).sub(m.scale(k)), 0
	case x.h < 2.8:
		return single(1).sub(erfTwo(x)), 0
	}
	e, k := expParts(x.mul(x).neg())
	return erfcxTwo(x).mul(e), k
}

func errorFunction(f uint32, a float64) float64 {
	x := single(a)
	switch f {
	case MathErf:
		if b := x.abs(); b.h < 3.2 {
			return math.Copysign(erfTwo(b).h, a)
		} else {
			m, k := erfcParts(b)
			return math.Copysign(single(1).sub(m.scale(k)).h, a)
		}
	case MathErfc:
		m, k := erfcParts(x)
		return m.round(k)
	case MathErfcx:
		if a >= 2.8 {
			return erfcxTwo(x).h
		}
		m, k := erfcParts(x)
		e, n := expParts(x.mul(x))
		return m.mul(e).round(k + n)
	}
	m, k := erfcParts(rootHalfTwo.times(-a))
	return m.round(k - 1)
}

// erfcInverse returns x >= 0 with erfc(x) = p, for p in (0, 0.6].
//
// Input: an estimate with an error of 5e-4 (Hastings, 1955). Output: three steps of Halley's method, each of which
// triples the number of right digits: with u = (erfc(x) - p) sqrt(pi)/2 exp(x^2), x + u/(1 + x u).
func erfcInverse(p twofold) twofold {
	t := math.Sqrt(-2 * (logTwo(p).h - math.Ln2))
	n := 2.515517 + float64(t*(0.802853+float64(t*0.010328)))
	d := 1 + float64(t*(1.432788+float64(t*(0.189269+float64(t*0.001308)))))
	x := single(float64((t - n/d) * math.Sqrt(0.5)))
	for range 3 {
		m, k := erfcParts(x)
		e, n := expParts(x.mul(x).neg())
		u := m.sub(p.scale(-k)).mul(rootPiTwo).div(e).scale(k - n - 1)
		x = x.add(u.div(x.mul(u).plus(1)))
	}
	return x
}

// erfInverse returns x with erf(x) = a, for a in (0, 0.5]. It is erfcInverse with another estimate.
func erfInverse(a twofold) twofold {
	x := single(float64(a.h * (0.886226925 + float64(float64(a.h*a.h)*(0.232013666+float64(a.h*a.h*0.2))))))
	for range 4 {
		e, n := expParts(x.mul(x).neg())
		u := a.sub(erfTwo(x)).mul(rootPiTwo).div(e.scale(n + 1))
		x = x.add(u.div(single(1).sub(x.mul(u))))
	}
	return x
}

// inverseError is the inverse of erf, erfc and normcdf.
func inverseError(f uint32, a float64) float64 {
	root2 := twofold{2 * rootHalfTwo.h, 2 * rootHalfTwo.l}
	q := single(a) // erfc of the result, but for normcdf of minus the result times the root of 1/2
	switch f {
	case MathErfinv:
		b := single(math.Abs(a))
		if b.h < 0x1p-60 {
			return rootPiTwo.times(a).round(-1)
		}
		r := b
		if b.h <= 0.5 {
			r = erfInverse(b)
		} else {
			r = erfcInverse(single(1).sub(b))
		}
		return math.Copysign(r.h, a)
	case MathNormcdfinv:
		q = twofold{2 * a, 0}
	}
	var r twofold
	switch c := single(1).sub(q); { // erf of the result
	case math.Abs(c.h) <= 0.5:
		r = erfInverse(c.abs())
	case c.h > 0:
		r = erfcInverse(q)
	default:
		r = erfcInverse(single(2).sub(q))
	}
	if (single(1).sub(q)).h < 0 {
		r = r.neg()
	}
	if f == MathNormcdfinv {
		r = r.mul(root2).neg()
	}
	return r.h
}

// stirling holds B(2k)/(2k(2k-1)), the coefficients of Stirling's series.
var stirling = [...]twofold{
	{0x1.5555555555555p-4, 0x1.5555555555555p-58}, {-0x1.6c16c16c16c17p-9, 0x1.f49f49f49f49fp-64},
	{0x1.a01a01a01a01ap-11, 0x1.a01a01a01a01ap-71}, {-0x1.3813813813814p-11, 0x1.fb1fb1fb1fb20p-65},
	{0x1.b951e2b18ff23p-11, 0x1.5c3a9ce01b952p-65}, {-0x1.f6ab0d9993c7dp-10, 0x1.f82553c999b0ep-64},
	{0x1.a41a41a41a41ap-8, 0x1.0690690690690p-62}, {-0x1.e4286cb0f5398p-6, 0x1.1efcdab896745p-61},
	{0x1.6fe96381e0680p-3, -0x1.79e2405a71f88p-61}, {-0x1.6476701181f3ap+0, 0x1.24246319da678p-56},
	{0x1.ace44322ce006p+3, -0x1.62c2b1bbcdd32p-51}, {-0x1.39b2525cccc1bp+7, 0x1.52604768a30fcp-47},
	{0x1.12234e81b4e82p+11, -0x1.2c5f92c5f92c6p-43}, {-0x1.1a198ae1c4ab8p+15, 0x1.4c012227b696ep-41},
}

// zetas holds (-1)^k zeta(k)/k from k = 2 on.
var zetas = [...]twofold{
	{0x1.a51a6625307d3p-1, 0x1.1873d8912200cp-56}, {-0x1.9a4d55beab2d7p-2, 0x1.4c26d1b465993p-59},
	{0x1.151322ac7d848p-2, 0x1.b5f91211196e5p-57}, {-0x1.a8b9c17aa6149p-3, -0x1.2e826a4fdae1ap-58},
	{0x1.5b40cb100c306p-3, 0x1.4a79940f15696p-59}, {-0x1.2703a1dcea3aep-3, -0x1.6307fd0794ac4p-57},
	{0x1.010b36af86397p-3, -0x1.741a635b224a6p-59}, {-0x1.c806706d57db4p-4, -0x1.56aa806fdd3eep-58},
}

// lgammaLarge returns log gamma(x) for x >= 30 (Stirling).
func lgammaLarge(x twofold) twofold {
	inverse := single(1).div(x)
	q := inverse.mul(inverse)
	s := twofold{}
	for k := len(stirling) - 1; k >= 0; k-- {
		s = s.mul(q).add(stirling[k])
	}
	return x.plus(-0.5).mul(logTwo(x)).sub(x).add(halfLn2Pi).add(s.mul(inverse))
}

// raised returns y >= 30 and the product p with gamma(x) = gamma(y)/p, for x > 0.
func raised(x twofold) (y, p twofold) {
	p = single(1)
	for x.h < 30 {
		p = p.mul(x)
		x = x.plus(1)
	}
	return x, p
}

// lgammaTwo returns log gamma(x) for x > 0.
func lgammaTwo(x twofold) twofold {
	if x.h > 0x1p100 {
		return logTwo(x).plus(-1).mul(x)
	}
	for _, zero := range []float64{1, 2} {
		d := x.plus(-zero)
		if math.Abs(d.h) > 0x1p-12 {
			continue
		}
		s := twofold{}
		for k := len(zetas) - 1; k >= 0; k-- {
			s = s.add(zetas[k]).mul(d)
		}
		s = s.sub(eulerTwo).mul(d)
		if zero == 2 {
			s = s.add(log1pTwo(d))
		}
		return s
	}
	y, p := raised(x)
	return lgammaLarge(y).sub(logTwo(p))
}

func gamma(f uint32, a float64) float64 {
	x := single(a)
	if f == MathLgamma {
		if a > 0 {
			return lgammaTwo(x).h
		}
		if a > -0x1p-60 {
			return -logTwo(x.neg()).h
		}
		// gamma(x) gamma(1-x) = pi / sin(pi x)
		return logTwo(piTwo.div(sinPiTwo(a).abs())).sub(lgammaTwo(single(1).sub(x))).h
	}
	if a > 0 {
		y, p := raised(x)
		m, k := expParts(lgammaLarge(y))
		return m.div(p).round(k)
	}
	y, p := raised(single(1).sub(x))
	m, k := expParts(lgammaLarge(y))
	return piTwo.div(sinPiTwo(a)).mul(p).div(m).round(-k)
}

// sinPiTwo returns sin(pi a).
func sinPiTwo(a float64) twofold {
	n := math.RoundToEven(2 * a)
	sin, _ := turned(piTwo.times(a-float64(n/2)), uint64(int64(n)))
	return sin
}
