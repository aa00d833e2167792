package num

import "math"

// The building blocks of the generated families of f32 arithmetic, and the operations that do not
// round. PTX ISA 9.7.3.

// NaN32 is the NaN that PTX f32 operations produce.
const NaN32 = 0x7fffffff

// NaN64 is the NaN that f64 operations on numbers produce (0/0, inf - inf).
//
// Unspecified: the ISA does not give its bits; this is CUDA's CUDART_NAN.
const NaN64 = 0xfff8000000000000

const (
	sign32, exp32, man32 = 1 << 31, 0xff << 23, 1<<23 - 1
	sign64, exp64, man64 = 1 << 63, 0x7ff << 52, 1<<52 - 1
	quiet32, quiet64     = 1 << 22, 1 << 51
)

// CanonF32 returns a, or the canonical NaN if a is a NaN.
func CanonF32(a float32) float32 {
	if a != a {
		return math.Float32frombits(NaN32)
	}
	return a
}

// FlushF32 returns a, or a zero of its sign if a is subnormal.
func FlushF32(a float32) float32 {
	if a > -0x1p-126 && a < 0x1p-126 {
		return math.Float32frombits(math.Float32bits(a) & sign32)
	}
	return a
}

// FlushF64 returns a, or a zero of its sign if a is subnormal.
func FlushF64(a float64) float64 {
	if a > -0x1p-1022 && a < 0x1p-1022 {
		return math.Float64frombits(math.Float64bits(a) & sign64)
	}
	return a
}

// SatF32 clamps a to [0, 1]; NaN gives +0.
//
// Unspecified: -0 gives +0.
func SatF32(a float32) float32 {
	if a >= 1 {
		return 1
	}
	if a > 0 {
		return a
	}
	return 0
}

// SatF64 clamps a to [0, 1]; NaN gives +0.
func SatF64(a float64) float64 {
	if a >= 1 {
		return 1
	}
	if a > 0 {
		return a
	}
	return 0
}

// FmaF32 returns a*b + c rounded once, to nearest even.
//
// The product of two f32 is exact in f64, so the f64 sum s is rounded once. The second rounding, to
// f32, can go wrong in two cases only: if the first one hit the midpoint of two f32, and for tiny
// results, whose midpoints are elsewhere; see [fmaF32IsHard].
func FmaF32(a, b, c float32) float32 {
	s := float64(float64(a)*float64(b)) + float64(c)
	if fmaF32IsHard(s) {
		return fmaF32Slow(a, b, c)
	}
	return float32(s)
}

// fmaF32IsHard reports that s is the midpoint of two normal f32 (its low 29 bits are 1000...), or
// is below the normal range of f32, or is NaN.
func fmaF32IsHard(s float64) bool {
	u := math.Float64bits(s)
	return u&0x1fffffff == 0x10000000 || u+u < 0x381<<53 || u+u > 0x7ff<<53
}

// fmaF32Slow rounds the sum to odd, which survives any second rounding to at
// least two bits less.
//
//go:noinline
func fmaF32Slow(a, b, c float32) float32 {
	return CanonF32(float32(addOdd(float64(float64(a)*float64(b)), float64(c))))
}

// addOdd returns x + y rounded to odd: inexact results have the last bit set. A second rounding to
// a format that is at least two bits narrower, in any mode, then gives the same result as a single
// rounding. x and y must be far from overflow.
func addOdd(x, y float64) float64 {
	s := x + y
	// Knuth's two-sum: err is exactly x + y - s.
	v := s - x
	err := (x - (s - v)) + (y - v)
	return toOdd(s, err)
}

// toOdd makes the nearest value s odd if the exact value differs from it by err. Only the sign of
// err is used. A NaN err means that s is not finite.
func toOdd(s, err float64) float64 {
	u := math.Float64bits(s)
	if !(err < 0 || err > 0) || u&1 != 0 {
		return s
	}
	if (err > 0) == (s > 0) {
		return math.Float64frombits(u + 1)
	}
	return math.Float64frombits(u - 1)
}

// divOdd returns x / y rounded to odd, for operands in the range of f32.
func divOdd(x, y float64) float64 {
	q := x / y
	r := fma(-q, y, x) // exact remainder; NaN if q is not finite
	if y < 0 {
		r = -r
	}
	return toOdd(q, r)
}

// sqrtOdd returns the square root of x rounded to odd, for x in the range of
// f32.
func sqrtOdd(x float64) float64 {
	s := math.Sqrt(x)
	return toOdd(s, fma(-s, s, x))
}

// zeroRM gives an exact zero sum the sign that rounding toward minus infinity requires: -0 unless
// both terms are +0.
func zeroRM(s, x, y float64) float64 {
	if s == 0 && (math.Signbit(x) || math.Signbit(y)) {
		return math.Copysign(0, -1)
	}
	return s
}

// narrowF32RZ rounds x to f32 toward zero.
func narrowF32RZ(x float64) float32 {
	r := float32(x)
	if math.Abs(float64(r)) > math.Abs(x) {
		return math.Float32frombits(math.Float32bits(r) - 1)
	}
	return CanonF32(r)
}

// narrowF32RM rounds x to f32 toward minus infinity.
func narrowF32RM(x float64) float32 {
	r := float32(x)
	if float64(r) > x {
		return stepF32(r, r > 0)
	}
	return CanonF32(r)
}

// narrowF32RP rounds x to f32 toward plus infinity.
func narrowF32RP(x float64) float32 {
	r := float32(x)
	if float64(r) < x {
		return stepF32(r, math.Signbit(float64(r)))
	}
	return CanonF32(r)
}

// stepF32 moves r to its neighbour, inward (toward zero) or outward.
func stepF32(r float32, inward bool) float32 {
	if inward {
		return math.Float32frombits(math.Float32bits(r) - 1)
	}
	return math.Float32frombits(math.Float32bits(r) + 1)
}

// AbsF32 clears the sign. Unspecified: the ISA leaves abs of NaN open; here the other bits are
// kept.
func AbsF32(a float32) float32 { return math.Float32frombits(math.Float32bits(a) &^ sign32) }

// NegF32 flips the sign, of NaN too.
func NegF32(a float32) float32 { return math.Float32frombits(math.Float32bits(a) ^ sign32) }

// AbsF32Ftz is [AbsF32] with a subnormal input flushed.
func AbsF32Ftz(a float32) float32 { return AbsF32(FlushF32(a)) }

// NegF32Ftz is [NegF32] with a subnormal input flushed.
func NegF32Ftz(a float32) float32 { return NegF32(FlushF32(a)) }

// AbsF64 clears the sign.
func AbsF64(a float64) float64 { return math.Float64frombits(math.Float64bits(a) &^ sign64) }

// NegF64 flips the sign, of NaN too.
func NegF64(a float64) float64 { return math.Float64frombits(math.Float64bits(a) ^ sign64) }

// CopysignF32 returns b with the sign of a (PTX copysign: the order of
// operands is not that of C).
func CopysignF32(a, b float32) float32 {
	return math.Float32frombits(math.Float32bits(a)&sign32 | math.Float32bits(b)&^sign32)
}

// CopysignF64 returns b with the sign of a.
func CopysignF64(a, b float64) float64 {
	return math.Float64frombits(math.Float64bits(a)&sign64 | math.Float64bits(b)&^sign64)
}

// IsNaNF32 is testp.notanumber.f32.
func IsNaNF32(a float32) bool { return a != a }

// IsNaNF64 is testp.notanumber.f64.
func IsNaNF64(a float64) bool { return a != a }

// IsNumF32 is testp.number.f32: a is not a NaN.
func IsNumF32(a float32) bool { return a == a }

// IsNumF64 is testp.number.f64: a is not a NaN.
func IsNumF64(a float64) bool { return a == a }

// IsFiniteF32 is testp.finite.f32: a is neither infinite nor NaN.
func IsFiniteF32(a float32) bool { return math.Float32bits(a)&exp32 != exp32 }

// IsFiniteF64 is testp.finite.f64: a is neither infinite nor NaN.
func IsFiniteF64(a float64) bool { return math.Float64bits(a)&exp64 != exp64 }

// IsInfF32 is testp.infinite.f32.
func IsInfF32(a float32) bool { return math.Float32bits(a)&^sign32 == exp32 }

// IsInfF64 is testp.infinite.f64.
func IsInfF64(a float64) bool { return math.Float64bits(a)&^sign64 == exp64 }

// IsNormalF32 is testp.normal.f32: not subnormal, infinite or NaN. PTX
// 9.7.3.1 counts zeros as normal.
func IsNormalF32(a float32) bool { return IsFiniteF32(a) && !IsSubnormalF32(a) }

// IsNormalF64 is testp.normal.f64.
func IsNormalF64(a float64) bool { return IsFiniteF64(a) && !IsSubnormalF64(a) }

// IsSubnormalF32 is testp.subnormal.f32; zero is not subnormal.
func IsSubnormalF32(a float32) bool { return math.Float32bits(a)&^sign32-1 < man32 }

// IsSubnormalF64 is testp.subnormal.f64; zero is not subnormal.
func IsSubnormalF64(a float64) bool { return math.Float64bits(a)&^sign64-1 < man64 }

// MinF32 is min.f32 (PTX 9.7.3.11): a NaN yields to the other operand, two
// NaNs give the canonical NaN, and -0 < +0.
func MinF32(a, b float32) float32 {
	switch {
	case a < b || b != b:
		return CanonF32(a)
	case a > b || a != a:
		return b
	}
	// Equal: the bits differ only for zeros, where -0 wins.
	return math.Float32frombits(math.Float32bits(a) | math.Float32bits(b))
}

// MaxF32 is max.f32 (PTX 9.7.3.12).
func MaxF32(a, b float32) float32 {
	switch {
	case a > b || b != b:
		return CanonF32(a)
	case a < b || a != a:
		return b
	}
	return math.Float32frombits(math.Float32bits(a) & math.Float32bits(b))
}

// MinNaNF32 is min.NaN.f32: the canonical NaN if either operand is NaN.
func MinNaNF32(a, b float32) float32 {
	if a != a || b != b {
		return math.Float32frombits(NaN32)
	}
	return MinF32(a, b)
}

// MaxNaNF32 is max.NaN.f32.
func MaxNaNF32(a, b float32) float32 {
	if a != a || b != b {
		return math.Float32frombits(NaN32)
	}
	return MaxF32(a, b)
}

// MinF32Ftz is [MinF32] with subnormal inputs flushed.
func MinF32Ftz(a, b float32) float32 { return MinF32(FlushF32(a), FlushF32(b)) }

// MaxF32Ftz is [MaxF32] with subnormal inputs flushed.
func MaxF32Ftz(a, b float32) float32 { return MaxF32(FlushF32(a), FlushF32(b)) }

// MinNaNF32Ftz is [MinNaNF32] with subnormal inputs flushed.
func MinNaNF32Ftz(a, b float32) float32 { return MinNaNF32(FlushF32(a), FlushF32(b)) }

// MaxNaNF32Ftz is [MaxNaNF32] with subnormal inputs flushed.
func MaxNaNF32Ftz(a, b float32) float32 { return MaxNaNF32(FlushF32(a), FlushF32(b)) }

// xorsignF32 gives r the exclusive or of the signs of a and b, unless r is NaN.
func xorsignF32(r, a, b float32) float32 {
	if r != r {
		return r
	}
	s := (math.Float32bits(a) ^ math.Float32bits(b)) & sign32
	return math.Float32frombits(math.Float32bits(r)&^sign32 | s)
}

// MinXorsignAbsF32 is min.xorsign.abs.f32: the lesser magnitude, with the
// exclusive or of both signs.
func MinXorsignAbsF32(a, b float32) float32 {
	return xorsignF32(MinF32(AbsF32(a), AbsF32(b)), a, b)
}

// MaxXorsignAbsF32 is max.xorsign.abs.f32.
func MaxXorsignAbsF32(a, b float32) float32 {
	return xorsignF32(MaxF32(AbsF32(a), AbsF32(b)), a, b)
}

// MinNaNXorsignAbsF32 is min.NaN.xorsign.abs.f32.
func MinNaNXorsignAbsF32(a, b float32) float32 {
	return xorsignF32(MinNaNF32(AbsF32(a), AbsF32(b)), a, b)
}

// MaxNaNXorsignAbsF32 is max.NaN.xorsign.abs.f32.
func MaxNaNXorsignAbsF32(a, b float32) float32 {
	return xorsignF32(MaxNaNF32(AbsF32(a), AbsF32(b)), a, b)
}

// MinXorsignAbsF32Ftz is [MinXorsignAbsF32] with subnormal inputs flushed.
func MinXorsignAbsF32Ftz(a, b float32) float32 { return MinXorsignAbsF32(FlushF32(a), FlushF32(b)) }

// MaxXorsignAbsF32Ftz is [MaxXorsignAbsF32] with subnormal inputs flushed.
func MaxXorsignAbsF32Ftz(a, b float32) float32 { return MaxXorsignAbsF32(FlushF32(a), FlushF32(b)) }

// MinNaNXorsignAbsF32Ftz is [MinNaNXorsignAbsF32] with subnormal inputs flushed.
func MinNaNXorsignAbsF32Ftz(a, b float32) float32 {
	return MinNaNXorsignAbsF32(FlushF32(a), FlushF32(b))
}

// MaxNaNXorsignAbsF32Ftz is [MaxNaNXorsignAbsF32] with subnormal inputs flushed.
func MaxNaNXorsignAbsF32Ftz(a, b float32) float32 {
	return MaxNaNXorsignAbsF32(FlushF32(a), FlushF32(b))
}

// SelF32 returns a if p, else b.
func SelF32(p bool, a, b float32) float32 {
	if p {
		return a
	}
	return b
}

// SlctF32 reports the selection of slct with an .f32 selector: c >= 0, where
// -0 counts as 0 and NaN selects b (PTX 9.7.6.3: result is b if c is NaN).
func SlctF32(c float32) bool { return c >= 0 }

// SetF32 is the result of set with .f32 destination: 1.0 or 0.
func SetF32(p bool) float32 {
	if p {
		return 1
	}
	return 0
}
