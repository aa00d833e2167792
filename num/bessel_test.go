package num

import (
	"math"
	"testing"
)

// TestBesselEdges checks limits, signs and NaN (the returned values that the CUDA Math API lists).
func TestBesselEdges(t *testing.T) {
	t.Parallel()
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		f       uint32
		a, want float64
	}{
		{MathJ0, 0, 1}, {MathJ0, zero, 1}, {MathJ0, inf, 0}, {MathJ0, -inf, 0}, {MathJ0, 1e-200, 1}, {MathJ1, 0, 0}, {MathJ1, zero, zero}, {MathJ1, inf, 0}, {MathJ1, -inf, zero},
		{MathJ1, 5e-324, 0}, {MathJ1, 1e-323, 5e-324}, {MathJ1, 3 * 5e-324, 5e-324}, {MathJ1, -0x1p-300, -0x1p-301},
		{MathY0, 0, -inf}, {MathY0, zero, -inf}, {MathY0, inf, 0}, {MathY0, -1, nan}, {MathY0, -inf, nan}, {MathY1, 0, -inf}, {MathY1, 1e-320, -inf}, {MathY1, inf, 0}, {MathY1, -1, nan},
		{MathI0, 0, 1}, {MathI0, zero, 1}, {MathI0, inf, inf}, {MathI0, -inf, inf}, {MathI0, 714, inf}, {MathI1, 0, 0}, {MathI1, zero, zero}, {MathI1, -inf, -inf}, {MathI1, -714, -inf},
		{MathI1, 3 * 5e-324, 1e-323},
	} {
		if got := Math1F64(c.a, c.f); math.Float64bits(got) != math.Float64bits(c.want) && (got == got || c.want == c.want) {
			t.Errorf("function %d of %v is %v, want %v", c.f, c.a, got, c.want)
		}
	}
	for _, c := range []struct {
		f          uint32
		n, a, want float64
	}{
		{MathJn, -1, 1, nan}, {MathJn, 3, nan, nan}, {MathJn, 0, 0, 1}, {MathJn, 2, zero, 0}, {MathJn, 3, zero, zero}, {MathJn, 5, inf, 0}, {MathJn, 1 << 30, 1, 0}, {MathJn, 1<<31 - 1, 1e6, 0}, {MathJn, 50, 1e-10, 0},
		{MathYn, -1, 1, nan}, {MathYn, 3, -1, nan}, {MathYn, 3, 0, -inf}, {MathYn, 2, inf, 0}, {MathYn, 1 << 30, 1, -inf}, {MathYn, 1<<31 - 1, 1e6, -inf}, {MathYn, 50, 1e-10, -inf},
	} {
		if got := Math2F64(c.n, c.a, c.f); math.Float64bits(got) != math.Float64bits(c.want) && (got == got || c.want == c.want) {
			t.Errorf("function %d of %v, %v is %v, want %v", c.f, c.n, c.a, got, c.want)
		}
	}
}

// TestBesselOrders compares the ways to a result where they meet: the Wronskian J(n+1) Y(n) - J(n) Y(n+1) = 2/(pi x) holds
// for the pairs of each way, and its two products have its size: a J with a share of Y would have a larger one. For orders
// up to the largest one the work is bounded.
func TestBesselOrders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, x float64 }{
		{0, 63.9}, {0, 64.1}, {5, 63.99}, {5, 64.01}, {100, 100}, {70, 64.5}, {90, 64.5}, {16383, 16500}, {16384, 16500}, {16384, 16390}, {16384, 16100}, {20000, 1e9}, {1e6, 1e6 + 5000}, {1e6, 1e6},
		{1e6, 1e6 - 2000}, {1<<31 - 2, 1 << 31}, {1<<31 - 2, 1<<31 - 1e4}, {1<<31 - 2, 1e12}, {1<<31 - 2, 1e300}, {3, 1e300}, {0, 1e22}, {400, 150}, {17000, 16300},
	} {
		j0, j1 := Math2F64(c.n, c.x, MathJn), Math2F64(c.n+1, c.x, MathJn)
		y0, y1 := Math2F64(c.n, c.x, MathYn), Math2F64(c.n+1, c.x, MathYn)
		a, b := prod2(j1, y0), prod2(j0, y1)
		got, want := a.sub(b).h, 2/math.Pi/c.x
		// Each function has half an ulp.
		if limit := 0x1p-52 * (math.Abs(a.h) + math.Abs(b.h)); !(math.Abs(got-want) <= limit) && c.x < 1e290 || want == 0 || math.Abs(a.h)+math.Abs(b.h) > (1000+10*math.Cbrt(c.n))*want {
			t.Errorf("order %v at %v: J %v, %v, Y %v, %v: the Wronskian is %v, want %v", c.n, c.x, j0, j1, y0, y1, got, want)
		}
	}
}

// TestLengths compares Math3F64 with lengths that are exact, and at the ends of the range.
func TestLengths(t *testing.T) {
	t.Parallel()
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		list         []float64
		want, rnorm  float64
		approximates bool
	}{
		{[]float64{}, 0, inf, false}, {[]float64{-7}, 7, 1. / 7, false}, {[]float64{3, 4, 12}, 13, 1. / 13, false}, {[]float64{1, 1, 1, 1}, 2, 0.5, false},
		{[]float64{2e300, 3e300, 6e300}, 7e300, 1 / 7e300, true}, {[]float64{1e308, 1e308, 1.5e308}, inf, 0, true},
		{[]float64{2 * 0x1p-1070, 3 * 0x1p-1070, 6 * 0x1p-1070}, 7 * 0x1p-1070, inf, false},
		{[]float64{5e-324, 5e-324, 5e-324, 5e-324}, 1e-323, inf, false}, {[]float64{5e-324, 5e-324, 5e-324}, 1e-323, inf, false},
		{[]float64{nan, 1}, nan, nan, false}, {[]float64{nan, -inf, 2}, inf, 0, false}, {[]float64{inf, nan}, inf, 0, false}, {[]float64{0, math.Copysign(0, -1)}, 0, inf, false},
		// The root of 1 + 2^-52 is below the middle of two numbers, that of 1 + 2^-52 + 2^-80 above.
		{[]float64{1, 0x1p-27, 0x1p-27, 0x1p-27, 0x1p-27}, 1, 1 - 0x1p-53, false}, {[]float64{1, 0x1p-27, 0x1p-27, 0x1p-27, 0x1p-27, 0x1p-40}, 1 + 0x1p-52, 1 - 0x1p-53, false},
		{[]float64{1, 0x1p-27, 0x1p-27, 0x1p-27, 0x1p-27, 0x1p-27}, 1 + 0x1p-52, 1 - 0x1p-53, false},
	} {
		h, l := 0.0, 0.0
		for _, v := range c.list {
			h, l = Math3F64(h, l, v, MathNorm), Math3F64(h, l, v, MathNormLow)
		}
		r := Math3F64(h, l, 0, MathRnorm)
		equal := func(got, want float64) bool {
			return got == want || got != got && want != want || c.approximates && math.Abs(got-want) < 1e-15*want
		}
		if !equal(h, c.want) || !equal(r, c.rnorm) {
			t.Errorf("the length of %v is %v, its reciprocal %v, want %v and %v", c.list, h, r, c.want, c.rnorm)
		}
	}
	if r := Math3F64(1, 0, 1, numMath3); r == r {
		t.Errorf("there is no function %d; it gives %v", numMath3, r)
	}
}
