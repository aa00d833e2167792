package num

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestPortableFMA compares the sum of error-free terms with exact arithmetic, above all where the three
// terms nearly cancel, where the sum is near the middle of two numbers, and at the limits of the
// ranges in which it holds.
func TestPortableFMA(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	// number returns a number of few or many bits with a biased exponent from least to greatest.
	number := func(least, greatest int) float64 {
		m := r.Uint64()
		if n := r.IntN(3); n > 0 {
			m &^= 1<<(r.IntN(52)) - 1
			m &= m << r.IntN(12)
		}
		e := uint64(least + r.IntN(greatest-least+1))
		return math.Float64frombits(m&(sign64|man64) | e<<52)
	}
	n := 1 << 20
	if *long {
		n <<= 5
	}
	var x, y, z, all [32]float64
	for i := range n {
		a, b := number(0, 0x7ff), number(0, 0x7ff)
		switch r.IntN(6) {
		case 0:
			a, b = number(600, 650), number(600, 650)
		case 1:
			a, b = number(1400, 1430), number(1400, 1430)
		case 2, 3:
			a, b = number(1000, 1040), number(1000, 1040)
		case 4: // products of about 2^-500 and 2^500
			a = number(500, 1500)
			b = math.Ldexp(number(1023, 1023), 1023+500*(1-2*r.IntN(2))-int(math.Float64bits(a)>>52&0x7ff))
		}
		c := number(0, 0x7ff)
		p := a * b
		switch r.IntN(6) {
		case 0:
			c = -p
		case 1:
			c = math.Float64frombits(math.Float64bits(-p) + uint64(r.IntN(7)) - 3)
		case 2: // about half a unit in the last place of the product, or a bit of its error
			c = math.Ldexp(p, -50-r.IntN(60)) * float64(1-2*r.IntN(2))
		case 3: // the product is about half a unit in the last place of c
			c = math.Ldexp(p, 50+r.IntN(6)) * float64(1-2*r.IntN(2))
		case 4:
			c = number(110, 130)
		}
		x[i%32], y[i%32], z[i%32] = a, b, c
		if i%32 == 31 {
			// The sums may replace a factor.
			all = x
			FmaF64Lanes(&all, &all, &y, &z)
			for j, got := range all {
				want := math.FMA(x[j], y[j], z[j])
				if want != want {
					want = nanF64(x[j], y[j], z[j])
				}
				if math.Float64bits(got) != math.Float64bits(want) {
					t.Fatalf("lane %d: FmaF64Lanes(%x, %x, %x) = %x, want %x", j, x[j], y[j], z[j], got, want)
				}
			}
		}
		got, want := portableFMA(a, b, c), math.FMA(a, b, c)
		if near := nearFMA(a, b, c); near != want && (near == near || want == want) || near == 0 && math.Signbit(near) != math.Signbit(want) {
			t.Fatalf("nearFMA(%x, %x, %x) = %x, want %x", a, b, c, near, want)
		}
		if got != got && want != want {
			continue
		}
		if math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("portableFMA(%x, %x, %x) = %x, want %x", a, b, c, got, want)
		}
		// math.FMA itself may be the machine's; check a part of them against exact sums.
		if r.IntN(16) == 0 && !math.IsInf(a, 0) && a == a && !math.IsInf(b, 0) && b == b && !math.IsInf(c, 0) && c == c {
			exact := new(big.Float).SetPrec(5000).Mul(big.NewFloat(a), big.NewFloat(b))
			exact.Add(exact, big.NewFloat(c))
			if w, _ := exact.Float64(); w != got {
				t.Fatalf("portableFMA(%x, %x, %x) = %x, exactly %x", a, b, c, got, w)
			}
		}
	}
}

func BenchmarkFMA(b *testing.B) {
	x, y, z := 1.000123, 0.99998, 0.3
	b.Run("fma", func(b *testing.B) {
		for range b.N {
			z = fma(x, y, z)
		}
	})
	b.Run("math", func(b *testing.B) {
		for range b.N {
			z = math.FMA(x, y, z)
		}
	})
	_ = z
}
