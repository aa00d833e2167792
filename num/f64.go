package num

import "math"

// f64 arithmetic, PTX ISA 9.7.3. NaN payloads of operands are kept. If several operands are NaN,
// the ISA does not specify which payload is kept; here it is that of the first NaN in the order of
// operands.

// quietNaN64 returns a with the quiet bit set.
func quietNaN64(a float64) float64 {
	return math.Float64frombits(math.Float64bits(a) | quiet64)
}

// nanF64 is the NaN result of an operation on a, b and c. It is kept out of
// line so that its callers can be inlined.
//
//go:noinline
func nanF64(a, b, c float64) float64 {
	switch {
	case a != a:
		return quietNaN64(a)
	case b != b:
		return quietNaN64(b)
	case c != c:
		return quietNaN64(c)
	}
	return math.Float64frombits(NaN64)
}

// AddF64 returns a + b, rounded to nearest even.
func AddF64(a, b float64) float64 {
	r := a + b
	if r != r {
		return nanF64(a, b, 0)
	}
	return r
}

// SubF64 returns a - b, rounded to nearest even.
func SubF64(a, b float64) float64 {
	r := a - b
	if r != r {
		return nanF64(a, b, 0)
	}
	return r
}

// MulF64 returns a * b, rounded to nearest even.
func MulF64(a, b float64) float64 {
	r := a * b
	if r != r {
		return nanF64(a, b, 0)
	}
	return r
}

// DivF64 returns a / b, rounded to nearest even.
func DivF64(a, b float64) float64 {
	r := a / b
	if r != r {
		return nanF64(a, b, 0)
	}
	return r
}

// RcpF64 returns 1 / a, rounded to nearest even.
func RcpF64(a float64) float64 { return DivF64(1, a) }

// SqrtF64 returns the square root of a, rounded to nearest even.
func SqrtF64(a float64) float64 {
	r := math.Sqrt(a)
	if r != r {
		return nanF64(a, 0, 0)
	}
	return r
}

// FmaF64 returns a*b + c rounded once, to nearest even.
func FmaF64(a, b, c float64) float64 {
	r := fma(a, b, c)
	if r != r {
		return nanF64(a, b, c)
	}
	return r
}

// MinF64 is min.f64: a NaN yields to the other operand, and -0 < +0.
func MinF64(a, b float64) float64 {
	switch {
	case a < b || b != b:
		return a
	case a > b || a != a:
		return b
	}
	return math.Float64frombits(math.Float64bits(a) | math.Float64bits(b))
}

// MaxF64 is max.f64.
func MaxF64(a, b float64) float64 {
	switch {
	case a > b || b != b:
		return a
	case a < b || a != a:
		return b
	}
	return math.Float64frombits(math.Float64bits(a) & math.Float64bits(b))
}

// SelF64 returns a if p, else b.
func SelF64(p bool, a, b float64) float64 {
	if p {
		return a
	}
	return b
}
