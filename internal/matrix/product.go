package matrix

import (
	"math"

	"example.org/crosslane/num"
)

// The arithmetic of products. The manual leaves the order of accumulation unspecified (PTX 9.7.15.5.14,
// "Precision and rounding"). Here an element starts as C and accumulates the products in ascending k. Each
// step has one rounding to nearest even in f32, like fma.rn.f32. Accumulators of f16 are f32 within the
// instruction and are rounded once, at its end.
//
// Input: A and B as row-major arrays, and C in d (for integers 0; addInt adds C later).
// Output: d = A*B + C.
// Invariant: every function for floats gives the bits that a chain of fused multiply-adds in ascending k
// gives; the fast ones may be used only if the products are exact, see exact.
// Example: 2^24 + 1 + 1 in f32 stays 2^24: each step rounds to even.
//
// Literature: Boldo and Melquiond, Emulation of a FMA and correctly rounded sums (IEEE TC 2008), for sum.

// product adds A (m by k) times B (k by n) to d (m by n); all are row-major. The
// products must be exact in f32.
func product(d, a, b []float32, m, n, k int) {
	for j := 0; j < n; j += 8 {
		for i := range m {
			c := (*[8]float32)(d[i*n+j:])
			c0, c1, c2, c3, c4, c5, c6, c7 := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
			at := j
			for _, x := range a[i*k : (i+1)*k] {
				y := (*[8]float32)(b[at:])
				c0 += float32(x * y[0])
				c1 += float32(x * y[1])
				c2 += float32(x * y[2])
				c3 += float32(x * y[3])
				c4 += float32(x * y[4])
				c5 += float32(x * y[5])
				c6 += float32(x * y[6])
				c7 += float32(x * y[7])
				at += n
			}
			c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7] = c0, c1, c2, c3, c4, c5, c6, c7
		}
	}
}

// productFused is product for products that may be inexact in f32.
func productFused(d, a, b []float32, m, n, k int) {
	for i := range m {
		for j := range n {
			c := d[i*n+j]
			for t := range k {
				c = num.FmaF32(a[i*k+t], b[t*n+j], c)
			}
			d[i*n+j] = c
		}
	}
}

// exponents returns the least and the greatest biased exponent among the numbers that are not zero:
// 255 and 0 if there are none.
func exponents(v []float32) (lo, hi int) {
	lo = 255
	for _, x := range v {
		u := math.Float32bits(x) << 1
		if u != 0 {
			e := int(u >> 24)
			lo, hi = min(lo, e), max(hi, e)
		}
	}
	return lo, hi
}

// exact reports whether all products of numbers of a and b with at most 12 bits of mantissa are
// exact in f32: they neither overflow nor lose low bits.
func exact(a, b []float32) bool {
	la, ha := exponents(a)
	lb, hb := exponents(b)
	return exactRange(la, ha, lb, hb)
}

// exactRange is exact for numbers with exponents from la to ha, and from lb to hb.
func exactRange(la, ha, lb, hb int) bool {
	none := la > ha || lb > hb // only zeros; numbers below the least normal one have exponent 0
	return ha+hb <= 254+126 && (none || la+lb >= 254-120)
}

// productAt is product for a sparse A: at[i*k+t] is the row of B that element t of
// row i of A multiplies.
func productAt(d, a, b []float32, at []uint8, m, n, k int) {
	for j := 0; j < n; j += 8 {
		for i := range m {
			c := (*[8]float32)(d[i*n+j:])
			c0, c1, c2, c3, c4, c5, c6, c7 := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
			rows := at[i*k : (i+1)*k]
			for t, x := range a[i*k : (i+1)*k] {
				y := (*[8]float32)(b[int(rows[t])*n+j:])
				c0 += float32(x * y[0])
				c1 += float32(x * y[1])
				c2 += float32(x * y[2])
				c3 += float32(x * y[3])
				c4 += float32(x * y[4])
				c5 += float32(x * y[5])
				c6 += float32(x * y[6])
				c7 += float32(x * y[7])
			}
			c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7] = c0, c1, c2, c3, c4, c5, c6, c7
		}
	}
}

// productFusedAt is productAt for products that may be inexact in f32.
func productFusedAt(d, a, b []float32, at []uint8, m, n, k int) {
	for i := range m {
		for j := range n {
			c := d[i*n+j]
			for t := range k {
				c = num.FmaF32(a[i*k+t], b[int(at[i*k+t])*n+j], c)
			}
			d[i*n+j] = c
		}
	}
}

// sum returns p + c rounded once to f32, for a p that is exact in f64.
func sum(p float64, c float32) float32 {
	s := p + float64(c)
	if s != s || math.IsInf(s, 0) {
		return float32(s)
	}
	// The sum rounded to odd keeps the information that the second rounding needs.
	t := s - p
	if err := (p - (s - t)) + (float64(c) - t); err != 0 && math.Float64bits(s)&1 == 0 {
		u := math.Float64bits(s)
		if (err > 0) == (s > 0) {
			u++
		} else {
			u--
		}
		s = math.Float64frombits(u)
	}
	return float32(s)
}

// productScaled is product with scale factors: fa[i*v+s] and fb[s*n+j] for each of the v pieces of
// the depth. at is that of productAt, or nil; depth is that of B.
func productScaled(d, a, b []float32, fa, fb []float64, at []uint8, v, m, n, k, depth int) {
	for i := range m {
		for j := range n {
			c := d[i*n+j]
			for t := range k {
				row := t
				if at != nil {
					row = int(at[i*k+t])
				}
				s := row * v / depth
				// Factors and elements have at most 4 bits each, so the product is exact.
				p := float64(a[i*k+t]) * fa[i*v+s] * (float64(b[row*n+j]) * fb[s*n+j])
				c = sum(p, c)
			}
			d[i*n+j] = c
		}
	}
}

// productF64 is product in f64: a chain of fma. NaNs are passed on as by fma.
func productF64(d, a, b []float64, m, n, k int, mode num.RoundMode) {
	if mode == num.RN {
		for i := range m {
			c := (*[8]float64)(d[i*n:])
			e := *c
			for t, x := range a[i*k : (i+1)*k] {
				y := (*[8]float64)(b[t*n:])
				e[0] = math.FMA(x, y[0], e[0])
				e[1] = math.FMA(x, y[1], e[1])
				e[2] = math.FMA(x, y[2], e[2])
				e[3] = math.FMA(x, y[3], e[3])
				e[4] = math.FMA(x, y[4], e[4])
				e[5] = math.FMA(x, y[5], e[5])
				e[6] = math.FMA(x, y[6], e[6])
				e[7] = math.FMA(x, y[7], e[7])
			}
			for j, v := range e {
				if v != v {
					e[j] = chainF64(c[j], a[i*k:(i+1)*k], b[j:], n, num.FmaF64)
				}
			}
			*c = e
		}
		return
	}
	fma := num.FmaF64RZ
	switch mode {
	case num.RM:
		fma = num.FmaF64RM
	case num.RP:
		fma = num.FmaF64RP
	}
	for i := range m {
		for j := range n {
			d[i*n+j] = chainF64(d[i*n+j], a[i*k:(i+1)*k], b[j:], n, fma)
		}
	}
}

// chainF64 accumulates one element, one fused multiply-add after another.
func chainF64(c float64, a, b []float64, n int, fma func(a, b, c float64) float64) float64 {
	for t, x := range a {
		c = fma(x, b[t*n], c)
	}
	return c
}

// productInt is product of integers into the sums of the products, which always fit in 32 bits: at
// most 256 products of 16 bits.
func productInt(d, a, b []int32, m, n, k int) {
	for j := 0; j < n; j += 8 {
		for i := range m {
			c := (*[8]int32)(d[i*n+j:])
			c0, c1, c2, c3, c4, c5, c6, c7 := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
			at := j
			for _, x := range a[i*k : (i+1)*k] {
				y := (*[8]int32)(b[at:])
				c0 += x * y[0]
				c1 += x * y[1]
				c2 += x * y[2]
				c3 += x * y[3]
				c4 += x * y[4]
				c5 += x * y[5]
				c6 += x * y[6]
				c7 += x * y[7]
				at += n
			}
			c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7] = c0, c1, c2, c3, c4, c5, c6, c7
		}
	}
}

// productIntAt is productInt for a sparse A.
func productIntAt(d, a, b []int32, at []uint8, m, n, k int) {
	for i := range m {
		for j := range n {
			c := d[i*n+j]
			for t := range k {
				c += a[i*k+t] * b[int(at[i*k+t])*n+j]
			}
			d[i*n+j] = c
		}
	}
}
