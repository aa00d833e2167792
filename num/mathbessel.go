package num

import (
	"math"
	"math/big"
	"sync"
)

// The Bessel functions are computed with some 320 bits and rounded once. Their zeros are no multiples of a known number,
// so a result close to one needs more digits than a twofold has: the smallest results are about 2^-60 times the size
// of the function in the neighbourhood.
//
// |x| < 64 uses the power series. Above, the pair of the orders m and m+1 comes from an asymptotic expansion (Hankel's
// for m = 0, Debye's for large orders), and the recurrence C(k+1) = 2k/x C(k) - C(k-1) leads to the order n: upwards
// as long as that is stable, which is always for Y and up to n = x for J, and else downwards (Miller). The work is bounded
// by about n^(1/3) steps for orders above 2^14, so each result needs less than a second. DLMF 10.2, 10.8, 10.17 and 10.19
// have the formulas.
const (
	besselBits   = 320
	besselSmall  = 64      // the power series below, Hankel's expansion above
	besselOrders = 1 << 14 // the recurrence begins at order 0 below
)

// bessel returns J (f = MathJn) or Y (f = MathYn) of order n at x. Negative orders give NaN, as in CUDA.
func bessel(n, x float64, f uint32) float64 {
	inf := math.Inf(1)
	y := f == MathYn
	switch {
	case x != x || n != n || n < 0 || y && x < 0:
		return math.NaN()
	case x < 0 && math.Mod(n, 2) == 1:
		return -bessel(n, -x, f)
	case x < 0:
		x = -x
	}
	order := int64(n)
	switch {
	case x == inf:
		return 0
	case y && x == 0:
		return -inf
	case x == 0 && order > 0 && order&1 == 0:
		return 0
	case x == 0 && order > 0:
		return x
	case float64(order) > x && x >= besselSmall && besselExponent(n, x) < -1200,
		!y && x < besselSmall && order > 0 && firstTerm(n, x) < -1200:
		if y {
			return -inf
		}
		return 0
	}
	if x < besselSmall && !y {
		return rounded(besselSeries(order, x, false))
	}
	if x < besselSmall {
		return rounded(recur(besselYSmall(x), 0, order, x))
	}
	m := int64(0)
	if order >= besselOrders {
		m = order
		if low := x - float64(192*math.Cbrt(x)); low < n {
			m = int64(low)
		}
	}
	j, ys := besselPair(m, x)
	switch {
	case y:
		return rounded(recur(ys, m, order, x))
	case n <= x:
		return rounded(recur(j, m, order, x))
	}
	return rounded(miller(j, m, order, x))
}

// besselExponent is about the logarithm to base 2 of J of order n > x, and of 1/Y: n (tanh a - a) with n = x cosh a.
func besselExponent(n, x float64) float64 {
	a := math.Acosh(n / x)
	return n * (math.Tanh(a) - a) / math.Ln2
}

// firstTerm is the logarithm to base 2 of (x/2)^n/n!, an upper bound of J of order n.
func firstTerm(n, x float64) float64 {
	l, _ := math.Lgamma(n + 1)
	return float64(n*math.Log2(x/2)) - l/math.Ln2
}

func rounded(r *big.Float) float64 {
	v, _ := r.Float64()
	return v
}

// bigOf returns a new number of p bits.
func bigOf(p uint, v float64) *big.Float { return new(big.Float).SetPrec(p).SetFloat64(v) }

func bigInt(p uint, v int64) *big.Float { return new(big.Float).SetPrec(p).SetInt64(v) }

// besselSeries returns the power series of J, or of I if modified: (x/2)^n/n! (1 - q/(n+1) (1 - q/(2(n+2)) (...))) with
// q = x^2/4.
//
// The sum may be as small as e^-x times its largest term, and J as small as 2^-60 times that.
func besselSeries(n int64, x float64, modified bool) *big.Float {
	p := uint(besselBits + 3*min(int(x), besselSmall))
	half := bigOf(p, x)
	half.SetMantExp(half, -1)
	q := new(big.Float).Mul(half, half)
	if !modified {
		q.Neg(q)
	}
	term, sum := bigInt(p, 1), bigInt(p, 1)
	for k := int64(1); ; k++ {
		term.Mul(term, q).Quo(term, bigInt(p, k*(n+k)))
		if term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-int(p) && k > int64(x) {
			// The rest is not 0: a result halfway between two numbers is rounded to the side of the rest.
			sum.Add(sum, new(big.Float).SetMantExp(bigInt(p, int64(q.Sign())), sum.MantExp(nil)-int(p)+2))
			break
		}
		sum.Add(sum, term)
	}
	for k := int64(1); k <= n; k++ {
		sum.Mul(sum, half).Quo(sum, bigInt(p, k))
	}
	return sum
}

// besselYSmall returns Y of the orders 0 and 1 for x < 64 by their power series:
//
//	pi/2 Y0 = (log(x/2) + gamma) J0 + H(1) q - H(2) q^2/2!^2 + ...
//	pi   Y1 = 2 (log(x/2) + gamma) J1 - 2/x - x/2 ((H(0)+H(1)) - (H(1)+H(2)) q/(1! 2!) + ...)
//
// with q = x^2/4 and H(k) = 1 + 1/2 + ... + 1/k.
func besselYSmall(x float64) (pair [2]*big.Float) {
	p := uint(besselBits + 3*min(int(x), besselSmall))
	xb := bigOf(p, x)
	half := new(big.Float).SetMantExp(xb, -1)
	q := new(big.Float).Mul(half, half)
	l := logBig(half)
	l.Add(l, eulerBig())
	term0, term1, harmonic := bigInt(p, 1), bigInt(p, 1), bigInt(p, 0)
	sum0, sum1 := bigInt(p, 0), bigInt(p, 1)
	t := new(big.Float).SetPrec(p)
	for k := int64(1); k < 10 || float64(k) < x || term1.MantExp(nil) > -int(p) && term1.Sign() != 0; k++ {
		kb := bigInt(p, k)
		term0.Mul(term0, q).Quo(term0, bigInt(p, -k*k))
		term1.Mul(term1, q).Quo(term1, bigInt(p, -k*(k+1)))
		harmonic.Add(harmonic, t.Quo(bigInt(p, 1), kb))
		sum0.Sub(sum0, t.Mul(term0, harmonic))
		next := new(big.Float).Add(harmonic, harmonic)
		next.Add(next, new(big.Float).Quo(bigInt(p, 1), bigInt(p, k+1)))
		sum1.Add(sum1, next.Mul(next, term1))
	}
	pi := piBig(p)
	y0 := new(big.Float).Mul(l, besselSeries(0, x, false))
	y0.Add(y0, sum0)
	y0.SetMantExp(y0, 1)
	y1 := new(big.Float).Mul(l, besselSeries(1, x, false))
	y1.SetMantExp(y1, 1)
	y1.Sub(y1, t.Quo(bigInt(p, 2), xb))
	y1.Sub(y1, sum1.Mul(sum1, half))
	return [2]*big.Float{y0.Quo(y0, pi), y1.Quo(y1, pi)}
}

// recur leads a pair of the orders m and m+1 upwards to the order n, or until the result is out of range.
func recur(pair [2]*big.Float, m, n int64, x float64) *big.Float {
	if n == m {
		return pair[0]
	}
	a, b := pair[0], pair[1]
	xb, t := bigOf(besselBits, x), new(big.Float)
	for k := m + 1; k < n; k++ {
		if b.MantExp(nil) > 1200 {
			break
		}
		t = new(big.Float).SetPrec(besselBits)
		t.Mul(b, bigInt(besselBits, 2*k)).Quo(t, xb).Sub(t, a)
		a, b = b, t
	}
	return b
}

// miller returns J of order n > x from those of the orders m and m+1, m <= x.
//
// A solution that begins with 0 and 1 at a high order N is J times a factor, but for Y's share, which the way down to
// n makes smaller by the square of the factor by which it has grown from n to N.
func miller(pair [2]*big.Float, m, n int64, x float64) *big.Float {
	top := n
	for a, b := 0.0, 1.0; b < 0x1p200; top++ {
		a, b = b, float64(2*float64(top+1)/x*b)-a
	}
	xb := bigOf(besselBits, x)
	a, b := bigInt(besselBits, 0), bigInt(besselBits, 1) // the orders k+1 and k
	var at *big.Float
	for k := top; k > m; k-- {
		if k == n {
			at = b
		}
		t := new(big.Float).SetPrec(besselBits)
		t.Mul(b, bigInt(besselBits, 2*k)).Quo(t, xb).Sub(t, a)
		a, b = b, t
	}
	// One of the orders m and m+1 is far from a zero.
	want, got := pair[0], b
	if pair[1].MantExp(nil) > pair[0].MantExp(nil) {
		want, got = pair[1], a
	}
	r := new(big.Float).Mul(at, want)
	return r.Quo(r, got)
}

// besselPair returns J and Y of the orders m and m+1 for x >= 64.
func besselPair(m int64, x float64) (j, y [2]*big.Float) {
	for i := range 2 {
		if m == 0 {
			j[i], y[i] = hankel(int64(i), x)
		} else {
			j[i], y[i] = debye(m+int64(i), x)
		}
	}
	return j, y
}

// hankel returns J and Y of the order 0 or 1 for x >= 64 (DLMF 10.17.3): with u = x - order pi/2 - pi/4,
// J = sqrt(2/(pi x)) (P cos u - Q sin u), Y = sqrt(2/(pi x)) (P sin u + Q cos u).
func hankel(order int64, x float64) (j, y *big.Float) {
	xb := bigOf(besselBits, x)
	sums := [2]*big.Float{bigInt(besselBits, 1), bigInt(besselBits, 0)} // P and Q
	term := bigInt(besselBits, 1)
	x8 := new(big.Float).SetMantExp(xb, 3)
	for k := int64(1); k < 2*besselSmall; k++ {
		term.Mul(term, bigInt(besselBits, 4*order-(2*k-1)*(2*k-1))).Quo(term, bigInt(besselBits, k)).Quo(term, x8)
		if term.MantExp(nil) < -besselBits {
			break
		}
		if k&2 == 0 {
			sums[k&1].Add(sums[k&1], term)
		} else {
			sums[k&1].Sub(sums[k&1], term)
		}
	}
	return oscillation(sums[0], sums[1].Neg(sums[1]), bigOf(phaseBits(x), x), xb, order)
}

// oscillation returns sqrt(2/(pi s)) times even cos u + odd sin u and even sin u - odd cos u, with u = angle - turns pi/2 - pi/4.
func oscillation(even, odd, angle, s *big.Float, turns int64) (j, y *big.Float) {
	sin, cos := sinCosBig(angle, 2*turns+1)
	t := new(big.Float)
	j = new(big.Float).Mul(even, cos)
	j.Add(j, t.Mul(odd, sin))
	y = new(big.Float).Mul(even, sin)
	y.Sub(y, new(big.Float).Mul(odd, cos))
	size := new(big.Float).Mul(piBig(besselBits), s)
	size.Sqrt(size.Quo(bigInt(besselBits, 2), size))
	return j.Mul(j, size), y.Mul(y, size)
}

// phaseBits returns the bits of an angle of the size of x.
func phaseBits(x float64) uint { return besselBits + uint(max(0, math.Ilogb(x))) + 8 }

// debye returns J and Y of a large order n for x > n + 100 n^(1/3) (DLMF 10.19.6). With x = n sec b,
//
//	J = sqrt(2/(pi n tan b)) (cos u E + sin u O), Y = sqrt(2/(pi n tan b)) (sin u E - cos u O),
//
// u = n (tan b - b) - pi/4, and E and O are the sums of the polynomials U(k) of even and odd k at i cot b, divided by n^k,
// without the powers of i.
func debye(n int64, x float64) (j, y *big.Float) {
	p := phaseBits(x)
	xb, nb := bigOf(p, x), bigInt(p, n)
	t := new(big.Float).Mul(xb, xb)
	root := new(big.Float).Sub(t, new(big.Float).Mul(nb, nb)) // n tan b
	root.Sqrt(root)
	angle := new(big.Float).Mul(nb, atanBig(new(big.Float).Quo(root, nb)))
	angle.Sub(root, angle)

	c := new(big.Float).SetPrec(besselBits).Quo(nb, root) // cot b
	c2 := new(big.Float).Mul(c, c)
	sums := [2]*big.Float{bigInt(besselBits, 0), bigInt(besselBits, 0)}
	power := bigInt(besselBits, 1) // (cot b / n)^k
	step := new(big.Float).Quo(c, bigInt(besselBits, n))
	for k, coefficients := range debyePolynomials() {
		v := bigInt(besselBits, 0)
		for i := len(coefficients) - 1; i >= 0; i-- { // in the square of i cot b, -c2
			v.Mul(v, c2).Sub(coefficients[i], v)
		}
		v.Mul(v, power)
		if k&2 != 0 {
			v.Neg(v)
		}
		sums[k&1].Add(sums[k&1], v)
		power.Mul(power, step)
	}
	return oscillation(sums[0], sums[1], angle, new(big.Float).SetPrec(besselBits).Set(root), 0)
}

// debyePolynomials returns the coefficients of U(k)(t)/t^k in powers of t^2 (DLMF 10.41.9):
// U(k+1) = t^2 (1 - t^2) U(k)'/2 + 1/8 times the integral of (1 - 5 t^2) U(k).
var debyePolynomials = sync.OnceValue(func() [][]*big.Float {
	list := [][]*big.Rat{{big.NewRat(1, 1)}}
	for k := range int64(27) {
		next := make([]*big.Rat, k+2)
		for i := range next {
			next[i] = new(big.Rat)
		}
		for i, a := range list[k] {
			d := k + 2*int64(i) // a t^d
			next[i].Add(next[i], new(big.Rat).Mul(a, big.NewRat(d, 2)))
			next[i].Add(next[i], new(big.Rat).Mul(a, big.NewRat(1, 8*(d+1))))
			next[i+1].Sub(next[i+1], new(big.Rat).Mul(a, big.NewRat(d, 2)))
			next[i+1].Sub(next[i+1], new(big.Rat).Mul(a, big.NewRat(5, 8*(d+3))))
		}
		list = append(list, next)
	}
	var floats [][]*big.Float
	for _, r := range list {
		var f []*big.Float
		for _, a := range r {
			f = append(f, new(big.Float).SetPrec(besselBits).SetRat(a))
		}
		floats = append(floats, f)
	}
	return floats
})

// besselI returns I of the order 0 or 1.
func besselI(order int64, x float64) float64 {
	b := math.Abs(x)
	switch {
	case b > 720:
		b = math.Inf(1)
	case x == 0 && order == 1:
		b = 0
	default:
		b = rounded(besselSeries(order, b, true))
	}
	if order == 1 {
		return math.Copysign(b, x)
	}
	return b
}

// atanBig returns atan(x) for x > 0 with the bits of x: halved eight times by x/(1 + sqrt(1 + x^2)), then its series.
func atanBig(x *big.Float) *big.Float {
	p := x.Prec() + 32
	one := bigInt(p, 1)
	u := new(big.Float).SetPrec(p).Set(x)
	for range 8 {
		t := new(big.Float).Mul(u, u)
		t.Sqrt(t.Add(t, one))
		u.Quo(u, t.Add(t, one))
	}
	q := new(big.Float).Mul(u, u)
	q.Neg(q)
	sum := new(big.Float).Copy(u)
	for k := int64(3); u.MantExp(nil) > sum.MantExp(nil)-int(p); k += 2 {
		u.Mul(u, q)
		sum.Add(sum, new(big.Float).Quo(u, bigInt(p, k)))
	}
	return sum.SetMantExp(sum, 8).SetPrec(x.Prec())
}

// logBig returns log(x) for x > 0 with the bits of x: 2 artanh((m-1)/(m+1)) and the exponent.
func logBig(x *big.Float) *big.Float {
	p := x.Prec() + 32
	m := new(big.Float).SetPrec(p)
	e := x.MantExp(m)
	r := logSeries(m)
	if e != 0 {
		r.Add(r, new(big.Float).Mul(logSeries(bigInt(p, 2)), bigInt(p, int64(e))))
	}
	return r.SetPrec(x.Prec())
}

func logSeries(m *big.Float) *big.Float {
	p := m.Prec()
	one := bigInt(p, 1)
	u := new(big.Float).Sub(m, one)
	sum := bigInt(p, 0)
	if u.Sign() == 0 {
		return sum
	}
	u.Quo(u, new(big.Float).Add(m, one))
	q := new(big.Float).Mul(u, u)
	for k := int64(1); sum.Sign() == 0 || u.MantExp(nil) > sum.MantExp(nil)-int(p); k += 2 {
		sum.Add(sum, new(big.Float).Quo(u, bigInt(p, k)))
		u.Mul(u, q)
	}
	return sum.SetMantExp(sum, 1)
}

// sinCosBig returns sine and cosine of x - eighths pi/4 with 320 bits, for x >= 0 with bits enough for that.
func sinCosBig(x *big.Float, eighths int64) (sin, cos *big.Float) {
	p := x.Prec()
	pi := piBig(p)
	quarter := new(big.Float).SetMantExp(pi, -1)
	r := new(big.Float).SetMantExp(pi, -2)
	r.Sub(x, r.Mul(r, bigInt(p, eighths)))
	turns, _ := new(big.Float).Quo(r, quarter).Int(nil)
	r.Sub(r, new(big.Float).SetPrec(p).Mul(quarter, new(big.Float).SetPrec(p).SetInt(turns)))
	r.SetPrec(besselBits)
	sin, cos = new(big.Float).Copy(r), bigInt(besselBits, 1)
	s, c := new(big.Float).Copy(sin), new(big.Float).Copy(cos)
	q := new(big.Float).Mul(r, r)
	q.Neg(q)
	for k := int64(1); c.Sign() != 0 && c.MantExp(nil) > -besselBits; k++ {
		c.Mul(c, q).Quo(c, bigInt(besselBits, (2*k-1)*2*k))
		s.Mul(s, q).Quo(s, bigInt(besselBits, 2*k*(2*k+1)))
		cos.Add(cos, c)
		sin.Add(sin, s)
	}
	switch new(big.Int).And(turns, big.NewInt(3)).Int64() {
	case 1:
		return cos, sin.Neg(sin)
	case 2:
		return sin.Neg(sin), cos.Neg(cos)
	case 3:
		return cos.Neg(cos), sin
	}
	return sin, cos
}

// piBig returns pi with p <= 1400 bits.
func piBig(p uint) *big.Float { return new(big.Float).SetPrec(p).Set(bigPi()) }

var bigPi = sync.OnceValue(func() *big.Float {
	r := atanBig(bigInt(1400, 1))
	return r.SetMantExp(r, 2)
})

// eulerBig returns Euler's constant with 640 bits (Brent and McMillan, 1980): with n = 128, the sums over all k of
// (n^k/k!)^2 H(k) and of (n^k/k!)^2 have the quotient log n + gamma, but for about e^(-4n).
var eulerBig = sync.OnceValue(func() *big.Float {
	const p, n = 640, 128
	term, harmonic := bigInt(p, 1), bigInt(p, 0)
	sum, weighted := bigInt(p, 1), bigInt(p, 0)
	for k := int64(1); k < n || term.MantExp(nil) > sum.MantExp(nil)-p; k++ {
		term.Mul(term, bigInt(p, n*n)).Quo(term, bigInt(p, k*k))
		harmonic.Add(harmonic, new(big.Float).Quo(bigInt(p, 1), bigInt(p, k)))
		sum.Add(sum, term)
		weighted.Add(weighted, new(big.Float).Mul(term, harmonic))
	}
	weighted.Quo(weighted, sum)
	return weighted.Sub(weighted, logBig(bigInt(p, n)))
})
