package num

import "math"

// portableFMA returns a*b + c rounded once, to nearest even, with the operations that WebAssembly has.
// There math.FMA works on integers and takes several times as long.
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
func portableFMA(a, b, c float64) float64 {
	x, y, z := math.Abs(a), math.Abs(b), math.Abs(c)
	if !(x > 0x1p-400 && x < 0x1p400 && y > 0x1p-400 && y < 0x1p400 && (z > 0x1p-900 && z < 0x1p900 || z == 0)) {
		return math.FMA(a, b, c)
	}
	h := float64(a * b)
	a1, a2 := splitF64(a)
	b1, b2 := splitF64(b)
	l := float64(a2*b2) - (((h - float64(a1*b1)) - float64(a2*b1)) - float64(a1*b2))
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

// splitF64 returns the upper 26 bits of x and the rest, which has a sign and 26 bits (Veltkamp).
func splitF64(x float64) (upper, rest float64) {
	p := float64(x * (1<<27 + 1))
	upper = p - (p - x)
	return upper, x - upper
}

// twoSumF64 returns x + y rounded and the error of the rounding, which is exact (Knuth).
func twoSumF64(x, y float64) (sum, err float64) {
	sum = x + y
	v := sum - x
	return sum, (x - (sum - v)) + (y - v)
}
