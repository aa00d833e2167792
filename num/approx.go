package num

import (
	"math"
	"math/bits"
)

// The approximate functions. The ISAs bound their errors and leave the bits to the machine. Here
// they are computed in f64 to about 2^-45 and rounded once, which is within every bound and the
// same on every platform. Products are converted explicitly, so that none is fused into a sum.

// horner evaluates c[0] + c[1]*x + ... .
func horner(x float64, c *[12]float64) float64 {
	r := c[11]
	for i := 10; i >= 0; i-- {
		r = float64(r*x) + c[i]
	}
	return r
}

// exp2f64 returns 2^x for |x| <= 1000.
func exp2f64(x float64) float64 {
	k := math.RoundToEven(x)
	t := float64((x - k) * math.Ln2) // |t| <= 0.347: 0.347^12/12! < 2^-47
	// Taylor series of the exponential function.
	c := [12]float64{1, 1, 1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320,
		1. / 362880, 1. / 3628800, 1. / 39916800}
	return horner(t, &c) * pow2(int(k))
}

// log2f64 returns the binary logarithm of a finite x > 0.
func log2f64(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	// log m = 2 artanh s, |s| <= 0.1716; s^24/25 < 2^-60.
	s := (m - 1) / (m + 1)
	c := [12]float64{1, 1. / 3, 1. / 5, 1. / 7, 1. / 9, 1. / 11, 1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21, 1. / 23}
	return float64(e) + float64(float64(2/math.Ln2*s)*horner(float64(s*s), &c))
}

// sinCosPoly returns sine and cosine of |r| <= pi/4 by their Taylor series.
func sinCosPoly(r float64) (sin, cos float64) {
	s := [12]float64{1, -1. / 6, 1. / 120, -1. / 5040, 1. / 362880, -1. / 39916800, 1. / 6227020800, -1. / 1307674368000}
	c := [12]float64{1, -1. / 2, 1. / 24, -1. / 720, 1. / 40320, -1. / 3628800, 1. / 479001600, -1. / 87178291200}
	q := float64(r * r)
	return r * horner(q, &s), horner(q, &c)
}

// sinQuadrant returns sin(r + q*pi/2).
func sinQuadrant(r float64, q uint64) float64 {
	s, c := sinCosPoly(r)
	switch q & 3 {
	case 0:
		return s
	case 1:
		return c
	case 2:
		return -s
	}
	return -c
}

// reducePi returns r and q with a = r + q*pi/2 modulo 2*pi, |r| <= pi/4, for finite a.
//
// It computes the quotient a * 2/pi modulo 4 in fixed point with 126 fraction bits, from a table of
// 2/pi that covers the whole range of exponents.
//
// Literature: Payne and Hanek, radian reduction for trigonometric functions (SIGNUM 1983).
func reducePi(a float32) (r float64, q uint64) {
	if math.Abs(float64(a)) < 0.5 {
		return float64(a), 0
	}
	// 2/pi = 0.a2f9836e4e44... in binary, bit -1 first.
	twoOverPi := [6]uint64{0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
		0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c}
	u := math.Float32bits(a)
	m := uint64(u&man32 | 1<<23)
	e := int(u>>23&0xff) - 150 // |a| = m * 2^e, e from -24 to 104
	// Window of 2/pi * 2^e whose top bit has the weight 2. It starts at bit e-1 of the table,
	// counted from the bit after the point.
	bit := func(i int) uint64 { // 64 bits from position i
		if i <= -64 {
			return 0
		}
		if i < 0 {
			return twoOverPi[0] >> -i
		}
		return twoOverPi[i/64]<<(i%64) | twoOverPi[i/64+1]>>(64-i%64)
	}
	hi, lo := bit(e-2), bit(e+62)
	c, plo := bits.Mul64(lo, m)
	phi := hi*m + c // the bits above are multiples of 4 quarter turns
	q = phi >> 62
	// The fraction, as a signed number in [-1/2, 1/2).
	phi, plo = phi<<2|plo>>62, plo<<2
	neg := phi>>63 != 0
	if neg {
		q++
		plo, phi = -plo, ^phi+uint64(B2U32(plo == 0))
	}
	r = (float64(float64(phi)*0x1p-64) + float64(float64(plo)*0x1p-128)) * (math.Pi / 2)
	if neg {
		r = -r
	}
	if u&sign32 != 0 {
		r, q = -r, -q
	}
	return r, q
}

// SinApproxF32 is sin.approx.f32, of an angle in radians (PTX 9.7.3.18).
func SinApproxF32(a float32) float32 {
	if !IsFiniteF32(a) {
		return math.Float32frombits(NaN32)
	}
	if a == 0 {
		return a
	}
	r, q := reducePi(a)
	return float32(sinQuadrant(r, q))
}

// CosApproxF32 is cos.approx.f32, of an angle in radians (PTX 9.7.3.19).
func CosApproxF32(a float32) float32 {
	if !IsFiniteF32(a) {
		return math.Float32frombits(NaN32)
	}
	r, q := reducePi(a)
	return float32(sinQuadrant(r, q+1))
}

// Ex2ApproxF32 is ex2.approx.f32: 2^a (PTX 9.7.3.21).
func Ex2ApproxF32(a float32) float32 {
	if a != a {
		return math.Float32frombits(NaN32)
	}
	return float32(exp2f64(float64(max(-200, min(200, a)))))
}

// Lg2ApproxF32 is lg2.approx.f32: the binary logarithm (PTX 9.7.3.20).
func Lg2ApproxF32(a float32) float32 {
	switch {
	case a == 0:
		return float32(math.Inf(-1))
	case !(a > 0):
		return math.Float32frombits(NaN32)
	case IsInfF32(a):
		return a
	}
	return float32(log2f64(float64(a)))
}

// TanhApproxF32 is tanh.approx.f32 (PTX 9.7.3.22).
func TanhApproxF32(a float32) float32 {
	if a != a {
		return math.Float32frombits(NaN32)
	}
	return float32(tanhf64(float64(a)))
}

// tanhf64 returns tanh(x).
func tanhf64(x float64) float64 {
	if math.Abs(x) < 0.25 {
		// Continued fraction x/(1 + x^2/(3 + x^2/(5 + ...))).
		q, r := float64(x*x), 15.0
		for n := 13.0; n > 0; n -= 2 {
			r = n + q/r
		}
		return x / r
	}
	e := exp2f64(float64(max(-50, min(50, x)) * (2 / math.Ln2)))
	return (e - 1) / (e + 1)
}

// RcpApproxF32 is rcp.approx.f32; it is exact to rounding (PTX 9.7.3.13).
func RcpApproxF32(a float32) float32 { return RcpF32(a) }

// SqrtApproxF32 is sqrt.approx.f32; it is exact to rounding (PTX 9.7.3.15).
func SqrtApproxF32(a float32) float32 { return SqrtF32(a) }

// RsqrtApproxF32 is rsqrt.approx.f32 (PTX 9.7.3.16).
func RsqrtApproxF32(a float32) float32 { return CanonF32(float32(rsqrtf64(float64(a)))) }

// rsqrtf64 returns 1/sqrt(x), with -Inf for -0.
func rsqrtf64(x float64) float64 { return 1 / math.Sqrt(x) }

// DivApproxF32 is div.approx.f32, a * (1/b) (PTX 9.7.3.8). If |b| is above 2^126, the reciprocal is
// flushed, so the quotient is a zero with its sign, or NaN for infinite a.
func DivApproxF32(a, b float32) float32 {
	if m := AbsF32(b); m > 0x1p126 && !IsInfF32(b) {
		return MulF32(a, CopysignF32(b, 0))
	}
	return DivF32(a, b)
}

// DivFullF32 is div.full.f32; it is exact to rounding (PTX 9.7.3.8).
func DivFullF32(a, b float32) float32 { return DivF32(a, b) }

// The .ftz forms flush subnormal inputs and results.

// SinApproxF32Ftz is sin.approx.ftz.f32.
func SinApproxF32Ftz(a float32) float32 { return FlushF32(SinApproxF32(FlushF32(a))) }

// CosApproxF32Ftz is cos.approx.ftz.f32.
func CosApproxF32Ftz(a float32) float32 { return FlushF32(CosApproxF32(FlushF32(a))) }

// Ex2ApproxF32Ftz is ex2.approx.ftz.f32.
func Ex2ApproxF32Ftz(a float32) float32 { return FlushF32(Ex2ApproxF32(FlushF32(a))) }

// Lg2ApproxF32Ftz is lg2.approx.ftz.f32.
func Lg2ApproxF32Ftz(a float32) float32 { return FlushF32(Lg2ApproxF32(FlushF32(a))) }

// RcpApproxF32Ftz is rcp.approx.ftz.f32.
func RcpApproxF32Ftz(a float32) float32 { return FlushF32(RcpF32(FlushF32(a))) }

// SqrtApproxF32Ftz is sqrt.approx.ftz.f32.
func SqrtApproxF32Ftz(a float32) float32 { return FlushF32(SqrtF32(FlushF32(a))) }

// RsqrtApproxF32Ftz is rsqrt.approx.ftz.f32.
func RsqrtApproxF32Ftz(a float32) float32 { return FlushF32(RsqrtApproxF32(FlushF32(a))) }

// DivApproxF32Ftz is div.approx.ftz.f32.
func DivApproxF32Ftz(a, b float32) float32 {
	return FlushF32(DivApproxF32(FlushF32(a), FlushF32(b)))
}

// DivFullF32Ftz is div.full.ftz.f32.
func DivFullF32Ftz(a, b float32) float32 { return DivF32Ftz(a, b) }

// RsqrtApproxF64 is rsqrt.approx.f64.
func RsqrtApproxF64(a float64) float64 {
	r := rsqrtf64(a)
	if r != r {
		return nanF64(a, 0, 0)
	}
	return r
}

// upperF64 rounds r to the 1.11.20 format of the upper word of an f64, with
// subnormals flushed and NaN made canonical (PTX 9.7.3.14).
func upperF64(r float64) float64 {
	if r != r {
		return math.Float64frombits(0x7fffffff_00000000)
	}
	r = FlushF64(r)
	return math.Float64frombits((math.Float64bits(r) + 1<<31) &^ (1<<32 - 1))
}

// upperOf clears the lower word of a, and flushes subnormals.
func upperOf(a float64) float64 {
	if a != a {
		return a // the payload may be in the lower word only
	}
	return FlushF64(math.Float64frombits(math.Float64bits(a) &^ (1<<32 - 1)))
}

// RcpApproxF64Ftz is rcp.approx.ftz.f64: only the upper words are used.
func RcpApproxF64Ftz(a float64) float64 { return upperF64(1 / upperOf(a)) }

// RsqrtApproxF64Ftz is rsqrt.approx.ftz.f64: only the upper words are used.
func RsqrtApproxF64Ftz(a float64) float64 { return upperF64(rsqrtf64(upperOf(a))) }

// Ex2ApproxF16 is ex2.approx.f16 (PTX 9.7.4.10).
func Ex2ApproxF16(a uint16) uint16 {
	x := CvtF32FromF16(a)
	if x != x {
		return 0x7fff
	}
	return CvtF16FromF64(exp2f64(float64(max(-200, min(200, x)))))
}

// Ex2ApproxBF16Ftz is ex2.approx.ftz.bf16 (PTX 9.7.4.10): subnormal inputs and
// results are flushed.
func Ex2ApproxBF16Ftz(a uint16) uint16 {
	x := FlushF32(CvtF32FromBF16(a))
	if x != x {
		return 0x7fff
	}
	r := CvtBF16FromF64(exp2f64(float64(max(-200, min(200, x)))))
	if r&0x7f80 == 0 {
		return 0
	}
	return r
}

// TanhApproxF16 is tanh.approx.f16 (PTX 9.7.4.9).
func TanhApproxF16(a uint16) uint16 {
	x := CvtF32FromF16(a)
	if x != x {
		return 0x7fff
	}
	return CvtF16FromF64(tanhf64(float64(x)))
}

// TanhApproxBF16 is tanh.approx.bf16 (PTX 9.7.4.9).
func TanhApproxBF16(a uint16) uint16 {
	x := CvtF32FromBF16(a)
	if x != x {
		return 0x7fff
	}
	return CvtBF16FromF64(tanhf64(float64(x)))
}

// Ex2ApproxF16x2 is ex2.approx.f16x2.
func Ex2ApproxF16x2(a uint32) uint32 { return Pack32(Ex2ApproxF16(Lo16(a)), Ex2ApproxF16(Hi16(a))) }

// Ex2ApproxBF16x2Ftz is ex2.approx.ftz.bf16x2.
func Ex2ApproxBF16x2Ftz(a uint32) uint32 {
	return Pack32(Ex2ApproxBF16Ftz(Lo16(a)), Ex2ApproxBF16Ftz(Hi16(a)))
}

// TanhApproxF16x2 is tanh.approx.f16x2.
func TanhApproxF16x2(a uint32) uint32 { return Pack32(TanhApproxF16(Lo16(a)), TanhApproxF16(Hi16(a))) }

// TanhApproxBF16x2 is tanh.approx.bf16x2.
func TanhApproxBF16x2(a uint32) uint32 {
	return Pack32(TanhApproxBF16(Lo16(a)), TanhApproxBF16(Hi16(a)))
}
