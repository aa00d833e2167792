package num

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/crosslane/internal/short"
)

// TestAlternate compares sums, differences and fused products on FP8, FP6 and FP4 with exact
// arithmetic (PTX 9.4, 9.7.6). The reference rounds by a search among all numbers of the
// destination's format. The formats are those of PTX 5.2.3.
func TestAlternate(t *testing.T) {
	t.Parallel()
	formats := map[string]struct {
		exp, man, bias int
		decode         func(uint8) float64
	}{
		"e4m3": {4, 3, 7, CvtF64FromE4M3}, "e5m2": {5, 2, 15, CvtF64FromE5M2}, "e3m2": {3, 2, 3, CvtF64FromE3M2},
		"e2m3": {2, 3, 1, CvtF64FromE2M3}, "e2m1": {2, 1, 1, CvtF64FromE2M1}, "ue8m0": {8, 0, 127, CvtF64FromUE8M0},
	}
	value := func(name string, b uint8) float64 {
		f := formats[name]
		if name == "ue8m0" {
			if b == 0xff {
				return math.NaN()
			}
			return math.Ldexp(1, int(b)-127)
		}
		s, e, m := b>>(f.exp+f.man)&1, int(b>>f.man)&(1<<f.exp-1), int(b)&(1<<f.man-1)
		v := math.Ldexp(float64(m), 1-f.bias-f.man)
		if e > 0 {
			v = math.Ldexp(float64(1<<f.man+m), e-f.bias-f.man)
		}
		switch {
		case name == "e4m3" && b&0x7f == 0x7f:
			return math.NaN()
		case name == "e5m2" && b&0x7f == 0x7c:
			v = math.Inf(1)
		case name == "e5m2" && b&0x7f > 0x7c:
			return math.NaN()
		}
		if s != 0 {
			return -v
		}
		return v
	}
	same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }
	for name, f := range formats {
		for b := range 256 {
			if got, want := f.decode(uint8(b)), value(name, uint8(b)); !same(got, want) {
				t.Fatalf("%s of %#x is %v, want %v", name, b, got, want)
			}
		}
	}
	for _, to := range []struct {
		name          string
		beyond        uint8 // the result for a number that is too large
		max           uint8
		nan           uint8
		plain, finite func(float64) uint8
	}{{"e4m3", 0x7f, 0x7e, 0x7f, CvtE4M3FromF64, CvtE4M3FromF64Satfinite}, {"e5m2", 0x7c, 0x7b, 0x7f, CvtE5M2FromF64, CvtE5M2FromF64Satfinite}} {
		// numbers holds the numbers of the format from 0 on, and one more, which continues the
		// exponents.
		var numbers []*big.Float
		for b := range to.max + 1 {
			numbers = append(numbers, big.NewFloat(value(to.name, b)))
		}
		last := value(to.name, to.max)
		numbers = append(numbers, big.NewFloat(2*last-value(to.name, to.max-1)))
		round := func(x *big.Float, sat bool) uint8 {
			mag := new(big.Float).Abs(x)
			i, exact := slices.BinarySearchFunc(numbers, mag, (*big.Float).Cmp)
			if i == len(numbers) {
				i--
			} else if !exact && i > 0 {
				mid := new(big.Float).Add(numbers[i], numbers[i-1])
				if c := new(big.Float).Mul(mag, big.NewFloat(2)).Cmp(mid); c < 0 || c == 0 && i&1 == 1 {
					i--
				}
			}
			r := uint8(i)
			if r > to.max {
				if r = to.beyond; sat {
					r = to.max
				} else if to.beyond == to.nan {
					return r
				}
			}
			if x.Signbit() {
				r |= 0x80
			}
			return r
		}
		check := func(what string, got float64, x float64, exact *big.Float) {
			t.Helper()
			for _, sat := range []bool{false, true} {
				cvt := to.plain
				if sat {
					cvt = to.finite
				}
				var want uint8
				switch {
				case x != x:
					want = to.nan
				case math.IsInf(x, 0) && !sat && to.beyond == to.nan:
					want = to.nan
				case math.IsInf(x, 0):
					want = map[bool]uint8{true: to.max, false: to.beyond}[sat]
					if x < 0 {
						want |= 0x80
					}
				case exact.Sign() == 0:
					if math.Signbit(x) {
						want = 0x80
					}
				default:
					want = round(exact, sat)
				}
				if r := cvt(got); r != want {
					t.Fatalf("%s to %s, satfinite %t: %#x, want %#x", what, to.name, sat, r, want)
				}
			}
		}
		wide := func(x float64) *big.Float { return new(big.Float).SetPrec(1200).SetFloat64(x) }
		finite := func(xs ...float64) bool {
			return !slices.ContainsFunc(xs, func(x float64) bool { return x != x || math.IsInf(x, 0) })
		}
		r := rand.New(rand.NewPCG(94, 1))
		step := short.Of(7, 70)
		if *long {
			step = 1
		}
		for name := range formats {
			for i := 0; i < 1<<16; i += 1 + r.IntN(step) {
				a, c := value(name, uint8(i)), value(to.name, uint8(i>>8))
				if finite(a, c) {
					check("sum", AddF64(a, c), a+c, new(big.Float).Add(wide(a), wide(c)))
					check("difference", SubF64(a, c), a-c, new(big.Float).Sub(wide(a), wide(c)))
				} else {
					check("sum", AddF64(a, c), a+c, nil)
				}
			}
			for other := range formats {
				for range 60000 / step {
					a, b, c := value(name, uint8(r.Uint32())), value(other, uint8(r.Uint32())), value(to.name, uint8(r.Uint32()))
					if !finite(a, b, c) {
						check("fma", FmaF64(a, b, c), a*b+c, nil)
						continue
					}
					p := new(big.Float).Mul(wide(a), wide(b))
					check("product", MulF64(a, b), a*b, p)
					check("fma", FmaF64(a, b, c), math.FMA(a, b, c), new(big.Float).Add(p, wide(c)))
				}
			}
		}
	}
}
