package num

import (
	"flag"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"
)

var long = flag.Bool("long", false, "run exhaustive and very long tests")

// count scales the number of random cases.
func count(short, long_ int) int {
	if *long {
		return long_
	}
	if testing.Short() {
		return short / 10
	}
	return short
}

// refFormat is the reference's own description of a format: p bits of
// precision and the exponent range.
type refFormat struct {
	p, emin, emax int
	width         int
}

var (
	refF16  = refFormat{11, -14, 15, 16}
	refBF16 = refFormat{8, -126, 127, 16}
	refF32  = refFormat{24, -126, 127, 32}
	refF64  = refFormat{53, -1022, 1023, 64}
)

// refRound rounds the exact value x (not zero) to the format by comparing it
// with the two neighbouring multiples of the unit in the last place.
func (f refFormat) refRound(mode RoundMode, x *big.Float) uint64 {
	neg := x.Sign() < 0
	abs := new(big.Float).Abs(x)
	e := abs.MantExp(nil) - 1
	ulp := max(e, f.emin) - (f.p - 1)
	scaled := new(big.Float).SetMantExp(abs, -ulp)
	n, _ := scaled.Int(nil)
	rest := new(big.Float).SetPrec(scaled.Prec()).Sub(scaled, new(big.Float).SetInt(n))
	cmp := rest.Cmp(big.NewFloat(0.5))
	up := false
	switch mode {
	case RN:
		up = cmp > 0 || cmp == 0 && n.Bit(0) == 1
	case RNA:
		up = cmp >= 0
	case RP:
		up = !neg && rest.Sign() > 0
	case RM:
		up = neg && rest.Sign() > 0
	}
	if up {
		n.Add(n, big.NewInt(1))
	}
	return f.encode(mode, neg, n, ulp)
}

// encode returns the bits of (-1)^neg * n * 2^ulp, where n has at most p+1 bits.
func (f refFormat) encode(mode RoundMode, neg bool, n *big.Int, ulp int) uint64 {
	man := f.p - 1
	inf := (uint64(1)<<(f.width-1-man) - 1) << man
	v := n.Uint64()
	var r uint64
	if n.BitLen() > f.p { // carried to a power of two
		v, ulp = v>>1, ulp+1
	}
	if v < 1<<man {
		r = v
	} else {
		e := ulp + man
		r = uint64(e-f.emin+1)<<man | v&(1<<man-1)
		if e > f.emax {
			r = inf
			if mode == RZ || mode == RP && neg || mode == RM && !neg {
				r = inf - 1
			}
		}
	}
	if neg {
		r |= 1 << (f.width - 1)
	}
	return r
}

// value decodes bits; ok is false for infinity and NaN.
func (f refFormat) value(v uint64, prec uint) (x *big.Float, neg, inf, nan bool) {
	man := f.p - 1
	neg = v>>(f.width-1) != 0
	v &^= 1 << (f.width - 1)
	e := int(v >> man)
	m := v & (1<<man - 1)
	if e == 1<<(f.width-1-man)-1 {
		return nil, neg, m == 0, m != 0
	}
	if e == 0 {
		e = 1
	} else {
		m |= 1 << man
	}
	x = new(big.Float).SetPrec(prec).SetUint64(m)
	x.SetMantExp(x, e-1+f.emin-man)
	if neg {
		x.Neg(x)
	}
	return x, neg, false, false
}

func (f refFormat) prec() uint { return uint(3*(f.emax-f.emin) + 8*f.p) }

// refFma computes a*b + c with big numbers; nan is reported separately.
func (f refFormat) refFma(mode RoundMode, a, b, c uint64) (r uint64, nan bool) {
	p := f.prec()
	x, xn, xi, xnan := f.value(a, p)
	y, yn, yi, ynan := f.value(b, p)
	z, zn, zi, znan := f.value(c, p)
	sign := uint64(1) << (f.width - 1)
	inf := (uint64(1)<<(f.width-f.p) - 1) << (f.p - 1)
	signed := func(v uint64, neg bool) uint64 {
		if neg {
			return v | sign
		}
		return v
	}
	if xnan || ynan || znan {
		return 0, true
	}
	if xi || yi {
		if xi && !yi && y.Sign() == 0 || yi && !xi && x.Sign() == 0 || zi && zn != (xn != yn) {
			return 0, true
		}
		return signed(inf, xn != yn), false
	}
	if zi {
		return signed(inf, zn), false
	}
	s := new(big.Float).SetPrec(p).Mul(x, y)
	pz := s.Sign() == 0
	s.Add(s, z)
	if s.Sign() == 0 {
		if pz && z.Sign() == 0 && (xn != yn) == zn {
			return signed(0, zn), false
		}
		return signed(0, mode == RM), false
	}
	return f.refRound(mode, s), false
}

func (f refFormat) refDiv(mode RoundMode, a, b uint64) (r uint64, nan bool) {
	p := f.prec()
	x, xn, xi, xnan := f.value(a, p)
	y, yn, yi, ynan := f.value(b, p)
	var sign uint64
	if xn != yn {
		sign = 1 << (f.width - 1)
	}
	inf := (uint64(1)<<(f.width-f.p) - 1) << (f.p - 1)
	switch {
	case xnan || ynan || xi && yi:
		return 0, true
	case xi:
		return sign | inf, false
	case yi:
		return sign, false
	case x.Sign() == 0 && y.Sign() == 0:
		return 0, true
	case x.Sign() == 0:
		return sign, false
	case y.Sign() == 0:
		return sign | inf, false
	}
	// The quotient of p-bit numbers is exact, or differs from every midpoint in the first 2p+2
	// bits.
	return f.refRound(mode, new(big.Float).SetPrec(uint(6*f.p)).Quo(x, y)), false
}

func (f refFormat) refSqrt(mode RoundMode, a uint64) (r uint64, nan bool) {
	x, neg, inf, isnan := f.value(a, f.prec())
	switch {
	case isnan || neg && (inf || x.Sign() != 0):
		return 0, true
	case inf || x.Sign() == 0:
		return a, false
	}
	return f.refRound(mode, new(big.Float).SetPrec(uint(6*f.p)).Sqrt(x)), false
}

// rng returns a generator with a fixed seed.
func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// edges returns bit patterns at the ends of the format's ranges.
func (f refFormat) edges() []uint64 {
	man := f.p - 1
	inf := (uint64(1)<<(f.width-1-man) - 1) << man
	one := uint64(-f.emin+1) << man
	pos := []uint64{0, 1, 2, 3, 1<<man - 1, 1 << man, 1<<man + 1, one - 1, one, one + 1, one + 1<<man,
		one + 1<<(man-1), one - 1<<man, inf - 1, inf - 2, inf - 1<<man, inf, inf + 1, inf | 1<<(man-1), inf | 1<<(man-1) | 5,
		one + uint64(man)<<man, one - uint64(man+1)<<man, one - uint64(man+1)<<man + 1, 1 << (man - 1), one + 3}
	out := pos
	for _, v := range pos {
		out = append(out, v|1<<(f.width-1))
	}
	return out
}

// random returns a pattern: uniform bits, a pattern close to near, or long runs of equal mantissa
// bits, which show mistakes in rounding.
func (f refFormat) random(r *rand.Rand, near uint64) uint64 {
	v := r.Uint64()
	man := f.p - 1
	mask := uint64(1)<<man - 1
	switch r.IntN(4) {
	case 0:
		v &^= mask >> r.IntN(f.p)
	case 1:
		v |= mask >> r.IntN(f.p)
	case 2: // exponent close to that of near
		e := near>>man + uint64(r.IntN(2*f.p)) - uint64(f.p)
		v = v&mask | v>>63<<(f.width-1) | e&(1<<(f.width-1-man)-1)<<man
	}
	if f.width < 64 {
		v &= 1<<f.width - 1
	}
	return v
}

// hardFma returns operands whose product is half a unit in the last place of z, except for a tiny
// part: (2^m + 1)(2^m - 1) = 2^2m - 1, or, after Aurifeuille, (2^(2k-1) - 2^k + 1)(2^(2k-1) + 2^k +
// 1) = 2^(4k-2) + 1.
func (f refFormat) hardFma(r *rand.Rand) (x, y, z uint64) {
	man := f.p - 1
	sign := uint64(1) << (f.width - 1)
	bias := 1 - f.emin
	e := r.IntN(2 * bias)
	if r.IntN(2) == 0 {
		e = r.IntN(2) // subnormal or next to it
	}
	z = r.Uint64()&sign | uint64(e)<<man | r.Uint64()&(1<<man-1)
	a, b, log := uint64(1)<<man+1, uint64(1)<<man-1, 2*man
	if k := (man + 1) / 2; r.IntN(2) == 0 {
		a, b, log = 1<<(2*k-1)-1<<k+1, 1<<(2*k-1)+1<<k+1, 4*k-2
	}
	target := max(e, 1) - bias - man - 1 - log // exponent of half a unit of z
	enc := func(v uint64, e int) uint64 {
		n := bits.Len64(v) - 1
		return uint64(bias+e+n)<<man | v<<(man-n)&(1<<man-1)
	}
	return r.Uint64()&sign | enc(a, target/2), enc(b, target-target/2), z
}

func f32(u uint32) float32 { return math.Float32frombits(u) }
func f64(u uint64) float64 { return math.Float64frombits(u) }
func b32(f float32) uint32 { return math.Float32bits(f) }
func b64(f float64) uint64 { return math.Float64bits(f) }
