package num

import "math"

// portableFMA returns a*b + c rounded once, to nearest even, with the operations that WebAssembly has.
// There math.FMA works on integers and takes several times as long.
func portableFMA(a, b, c float64) float64 {
	h, l := productF64(a, b)
	if r, unsure := sumF64(h, l, c); unsure|inexactF64(h) == 0 {
		return r
	}
	return nearFMA(a, b, c)
}

// FmaF64Lanes sets d to FmaF64 of a, b and c in 32 lanes, with the operations that WebAssembly has. Branches and calls of Go are
// slow there; most groups of four lanes need none. d may be one of the others.
func FmaF64Lanes(d, a, b, c *[32]float64) {
	for i := 0; i < 32; i += 4 {
		x := (*[4]float64)(a[i:])
		y := (*[4]float64)(b[i:])
		z := (*[4]float64)(c[i:])
		r := (*[4]float64)(d[i:])
		h0, l0 := productF64(x[0], y[0])
		r0, u0 := sumF64(h0, l0, z[0])
		u0 |= inexactF64(h0)
		h1, l1 := productF64(x[1], y[1])
		r1, u1 := sumF64(h1, l1, z[1])
		u1 |= inexactF64(h1)
		h2, l2 := productF64(x[2], y[2])
		r2, u2 := sumF64(h2, l2, z[2])
		u2 |= inexactF64(h2)
		h3, l3 := productF64(x[3], y[3])
		r3, u3 := sumF64(h3, l3, z[3])
		u3 |= inexactF64(h3)
		if u0|u1|u2|u3 != 0 {
			r0, r1, r2, r3 = FmaF64(x[0], y[0], z[0]), FmaF64(x[1], y[1], z[1]), FmaF64(x[2], y[2], z[2]), FmaF64(x[3], y[3], z[3])
		}
		r[0], r[1], r[2], r[3] = r0, r1, r2, r3
	}
}

// productF64 returns a*b rounded, and the error of the rounding (Dekker). The error is exact if inexactF64(h) is 0, and
// NaN if a part of a factor overflows.
func productF64(a, b float64) (h, l float64) {
	// The upper part of a factor is its nearest number of 26 bits; the rest has a sign and 26 bits.
	a1 := math.Float64frombits((math.Float64bits(a) + 1<<26) &^ (1<<27 - 1))
	b1 := math.Float64frombits((math.Float64bits(b) + 1<<26) &^ (1<<27 - 1))
	a2, b2 := a-a1, b-b1
	h = float64(a * b)
	return h, float64(a2*b2) - (((h - float64(a1*b1)) - float64(a2*b1)) - float64(a1*b2))
}

// inexactF64 returns 0 if no part of a product h overflows or underflows: its absolute value is at least 2^-500, and below 2^500.
func inexactF64(h float64) uint64 {
	x := math.Float64bits(h)<<1 - (1023-500)<<53
	return (x | (1000<<53 - 1 - x)) >> 63
}

// sumF64 returns h + l + c rounded once; unsure is 0 if it is sure of it. A sum of three terms is
// the rounded sum s of two, and the sum w of the small error and the third. w is the nearest number to
// that sum, which therefore lies between the numbers next to w; if both of them, added to s, give the same result, it is
// the right one. An overflow gives NaN, and is unsure.
func sumF64(h, l, c float64) (r float64, unsure uint64) {
	s, e := twoSumF64(h, c)
	w := e + l
	u := float64(w * 0x1p-52) // at least the distance to the next number
	r = s + (w + u)
	return r, math.Float64bits(r - (s + (w - u)))
}

// nearFMA is FMA for sums that are near the middle between two numbers, or small next to the product.
//
// The product is split exactly into h + l (Dekker), and the sum of the three terms into a rounded
// number v and two errors. The sum of the errors is rounded, and so is its sum with v. As the first of these
// roundings is far below the last bit of the result, the second one is right unless the result
// seems to be exactly between two numbers; math.FMA decides that case.
// Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding
// to odd", IEEE Transactions on Computers 57 (2008), algorithm 5, has the sums.
//
// The errors are exact if all terms are far from overflow and underflow: factors in 2^-400 to 2^400,
// and c, unless it is 0, in 2^-900 to 2^900. math.FMA does the other cases.
func nearFMA(a, b, c float64) float64 {
	x, y, z := math.Abs(a), math.Abs(b), math.Abs(c)
	if x == 0 || y == 0 {
		return float64(a*b) + c
	}
	if !(x > 0x1p-400 && x < 0x1p400 && y > 0x1p-400 && y < 0x1p400 && (z > 0x1p-900 && z < 0x1p900 || z == 0)) {
		return math.FMA(a, b, c)
	}
	h, l := productF64(a, b)
	t, te := twoSumF64(c, l)
	v, ve := twoSumF64(h, t)
	e := te + ve
	r := v + e
	// |e| is at most |v|, so the error of the last sum is exact (Dekker). If it is half a unit in the last
	// place, twice the error leads to the next number, exactly.
	if d := 2 * (e - (r - v)); d != 0 && (r+d)-r == d {
		return math.FMA(a, b, c)
	}
	return r
}

// twoSumF64 returns x + y rounded and the error of the rounding, which is exact (Knuth).
func twoSumF64(x, y float64) (sum, err float64) {
	sum = x + y
	v := sum - x
	return sum, (x - (sum - v)) + (y - v)
}
