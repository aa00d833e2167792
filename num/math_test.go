package num

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

var math1Names = map[string]uint32{
	"exp": MathExp, "exp2": MathExp2, "exp10": MathExp10, "expm1": MathExpm1, "log": MathLog, "log2": MathLog2, "log10": MathLog10,
	"log1p": MathLog1p, "sin": MathSin, "cos": MathCos, "tan": MathTan, "sinpi": MathSinpi, "cospi": MathCospi, "asin": MathAsin,
	"acos": MathAcos, "atan": MathAtan, "sinh": MathSinh, "cosh": MathCosh, "tanh": MathTanh, "asinh": MathAsinh, "acosh": MathAcosh,
	"atanh": MathAtanh, "rsqrt": MathRsqrt, "cbrt": MathCbrt, "rcbrt": MathRcbrt, "erf": MathErf, "erfc": MathErfc, "erfcx": MathErfcx,
	"normcdf": MathNormcdf, "erfinv": MathErfinv, "erfcinv": MathErfcinv, "normcdfinv": MathNormcdfinv, "tgamma": MathTgamma, "lgamma": MathLgamma,
	"j0": MathJ0, "j1": MathJ1, "y0": MathY0, "y1": MathY1, "i0": MathI0, "i1": MathI1,
}

var math2Names = map[string]uint32{
	"pow": MathPow, "atan2": MathAtan2, "hypot": MathHypot, "rhypot": MathRhypot, "fmod": MathFmod, "remainder": MathRemainder, "quotient": MathQuotient,
	"jn": MathJn, "yn": MathYn,
}

// TestMathGolden compares with values of mpmath, correctly rounded from 500 bits and more.
func TestMathGolden(t *testing.T) {
	t.Parallel()
	name := "testdata/math.golden"
	if s := os.Getenv("CROSSLANE_MATH_GOLDEN"); s != "" {
		name = s // a longer file
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	wrong, all := map[string]int{}, map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		w := strings.Fields(lines.Text())
		if w[0] == "#" {
			continue
		}
		var v []float64
		for _, s := range w[1:] {
			n, err := strconv.ParseUint(s, 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			v = append(v, math.Float64frombits(n))
		}
		var got float64
		if f, ok := math1Names[w[0]]; ok {
			got = Math1F64(v[0], f)
		} else if f, ok := math2Names[w[0]]; ok {
			got = Math2F64(v[0], v[1], f)
		} else {
			t.Fatal(w[0])
		}
		all[w[0]]++
		if math.Float64bits(got) != math.Float64bits(v[len(v)-1]) {
			if wrong[w[0]]++; wrong[w[0]] <= 3 {
				t.Errorf("%s%v = %v (%x), want %v (%x)", w[0], v[:len(v)-1], got, math.Float64bits(got), v[len(v)-1], math.Float64bits(v[len(v)-1]))
			}
		}
	}
	for name, n := range wrong {
		t.Errorf("%s: %d of %d", name, n, all[name])
	}
	if len(all) != len(math1Names)+len(math2Names) {
		t.Errorf("%d functions were tested", len(all))
	}
}

// TestMathEdges checks limits, signed zeros and NaN (C11 F.10).
func TestMathEdges(t *testing.T) {
	t.Parallel()
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for f := range numMath1 {
		if r := Math1F64(nan, f); r == r && f != MathIlogb {
			t.Errorf("function %d of NaN is %v", f, r)
		}
	}
	for _, c := range []struct {
		f       uint32
		a, want float64
	}{
		{MathExp, inf, inf}, {MathExp, -inf, 0}, {MathExp, zero, 1}, {MathExp, 709.79, inf}, {MathExp, -745.2, 0}, {MathExp2, 1024, inf}, {MathExp2, -1075, 0}, {MathExp2, -1074, 5e-324},
		{MathExp10, 308.3, inf}, {MathExp10, -324, 0}, {MathExp10, 22, 1e22}, {MathExp10, 300, 1e300}, {MathExpm1, zero, zero}, {MathExpm1, -inf, -1}, {MathExpm1, inf, inf},
		{MathLog, 0, -inf}, {MathLog, zero, -inf}, {MathLog, 1, 0}, {MathLog, -1, nan}, {MathLog, inf, inf}, {MathLog2, 0x1p-1060, -1060}, {MathLog10, 1e15, 15}, {MathLog1p, -1, -inf},
		{MathLog1p, zero, zero}, {MathLog1p, -2, nan}, {MathLog1p, inf, inf}, {MathSin, zero, zero}, {MathSin, inf, nan}, {MathCos, 0, 1}, {MathCos, -inf, nan}, {MathTan, zero, zero},
		{MathSinpi, 1, 0}, {MathSinpi, -1, zero}, {MathSinpi, 2.5, 1}, {MathSinpi, 0x1p70, 0}, {MathSinpi, zero, zero}, {MathCospi, 0.5, 0}, {MathCospi, 1.5, 0}, {MathCospi, 3, -1}, {MathCospi, 0x1p70, 1},
		{MathAsin, zero, zero}, {MathAsin, 1, math.Pi / 2}, {MathAsin, 1.1, nan}, {MathAcos, 1, 0}, {MathAcos, -1, math.Pi}, {MathAcos, -1.1, nan}, {MathAcos, 0, math.Pi / 2},
		{MathAtan, zero, zero}, {MathAtan, -inf, -math.Pi / 2}, {MathSinh, zero, zero}, {MathSinh, -inf, -inf}, {MathSinh, 711, inf}, {MathCosh, -inf, inf}, {MathCosh, 0, 1}, {MathTanh, zero, zero}, {MathTanh, -inf, -1},
		{MathAsinh, zero, zero}, {MathAsinh, -inf, -inf}, {MathAcosh, 1, 0}, {MathAcosh, 0.5, nan}, {MathAcosh, inf, inf}, {MathAtanh, zero, zero}, {MathAtanh, -1, -inf}, {MathAtanh, 2, nan},
		{MathRsqrt, zero, -inf}, {MathRsqrt, inf, 0}, {MathRsqrt, -1, nan}, {MathRsqrt, 4, 0.5}, {MathCbrt, zero, zero}, {MathCbrt, -27, -3}, {MathCbrt, -inf, -inf}, {MathRcbrt, zero, -inf}, {MathRcbrt, -8, -0.5}, {MathRcbrt, -inf, zero},
		{MathErf, zero, zero}, {MathErf, -inf, -1}, {MathErfc, inf, 0}, {MathErfc, -inf, 2}, {MathErfc, 0, 1}, {MathErfcx, -inf, inf}, {MathErfcx, inf, 0}, {MathErfcx, 0, 1}, {MathNormcdf, 0, 0.5}, {MathNormcdf, -inf, 0}, {MathNormcdf, inf, 1},
		{MathErfinv, zero, zero}, {MathErfinv, -1, -inf}, {MathErfinv, 1.5, nan}, {MathErfcinv, 0, inf}, {MathErfcinv, 2, -inf}, {MathErfcinv, 1, 0}, {MathErfcinv, -1, nan}, {MathErfcinv, 3, nan},
		{MathNormcdfinv, 0, -inf}, {MathNormcdfinv, 1, inf}, {MathNormcdfinv, 0.5, 0}, {MathNormcdfinv, -1, nan},
		{MathTgamma, zero, -inf}, {MathTgamma, -1, nan}, {MathTgamma, -inf, nan}, {MathTgamma, inf, inf}, {MathTgamma, 5, 24}, {MathTgamma, -186.5, zero}, {MathTgamma, -187.5, 0},
		{MathLgamma, 1, 0}, {MathLgamma, 2, 0}, {MathLgamma, -3, inf}, {MathLgamma, -inf, inf}, {MathLgamma, inf, inf}, {MathLgamma, 1e305, 7.0129e307},
		{MathRound, 2.5, 3}, {MathRound, -0.3, zero}, {MathLogb, 0, -inf}, {MathLogb, -inf, inf}, {MathLogb, 5e-324, -1074}, {MathIlogb, 0, -1 << 31}, {MathIlogb, nan, -1 << 31}, {MathIlogb, inf, 1<<31 - 1}, {MathIlogb, 8, 3},
	} {
		got := Math1F64(c.a, c.f)
		if c.f == MathLgamma && c.a == 1e305 {
			c.want, _ = math.Lgamma(1e305)
			if math.Abs(got-c.want) < 1e-15*c.want {
				continue
			}
		}
		if math.Float64bits(got) != math.Float64bits(c.want) && (got == got || c.want == c.want) {
			t.Errorf("function %d of %v is %v, want %v", c.f, c.a, got, c.want)
		}
	}
	for _, c := range []struct {
		f          uint32
		a, b, want float64
	}{
		{MathPow, 0, -3, inf}, {MathPow, zero, -3, -inf}, {MathPow, zero, -2, inf}, {MathPow, zero, 3, zero}, {MathPow, zero, 2, 0}, {MathPow, -1, inf, 1}, {MathPow, 1, nan, 1}, {MathPow, nan, 0, 1},
		{MathPow, -2, 0.5, nan}, {MathPow, 0.5, -inf, inf}, {MathPow, 2, -inf, 0}, {MathPow, -inf, 3, -inf}, {MathPow, -inf, -3, zero}, {MathPow, -inf, 2, inf}, {MathPow, inf, -1, 0}, {MathPow, -2, 3, -8},
		{MathPow, 2, -1074, 5e-324}, {MathPow, 2, 1024, inf}, {MathPow, -3, 1001, -inf}, {MathPow, 10, 20, 1e20}, {MathPow, 1 + 0x1p-52, 0x1p62, inf}, {MathPow, -1, 0x1p60, 1}, {MathPow, 0.1, 1, 0.1}, {MathPow, -29, 11, -12200509765705828},
		{MathAtan2, 0, 0, 0}, {MathAtan2, zero, 1, zero}, {MathAtan2, zero, -1, -math.Pi}, {MathAtan2, 0, zero, math.Pi}, {MathAtan2, 1, 0, math.Pi / 2}, {MathAtan2, inf, inf, math.Pi / 4}, {MathAtan2, -inf, -inf, -3 * math.Pi / 4},
		{MathAtan2, 1, inf, 0}, {MathAtan2, -1, -inf, -math.Pi}, {MathAtan2, 5e-324, 1e300, 0}, {MathAtan2, 1e300, -5e-324, math.Pi / 2}, {MathAtan2, nan, 1, nan},
		{MathHypot, inf, nan, inf}, {MathHypot, 3, -4, 5}, {MathHypot, 0, zero, 0}, {MathHypot, 1e308, 1.7e308, inf}, {MathHypot, 3e-324, 4e-324, 7e-324}, {MathRhypot, 0, 0, inf}, {MathRhypot, nan, inf, 0}, {MathRhypot, 3, 4, 0.2},
		{MathFmod, -5, 3, -2}, {MathFmod, 1, 0, nan}, {MathFmod, zero, 1, zero}, {MathFdim, 3, 5, 0}, {MathFdim, 5, 3, 2}, {MathFdim, inf, inf, 0}, {MathNextafter, 0, -1, -5e-324}, {MathNextafter32, 1, 2, 1 + 0x1p-23},
		{MathLdexp, 1, -1074, 5e-324}, {MathLdexp, 1, 1 << 31, inf}, {MathLdexp, 3, -1075, 1e-323}, {MathQuotient, 11, 2, -2 + 8}, {MathQuotient, -7, 2, -4}, {MathQuotient, 1, 0, 0}, {MathRemainder, 11, 2, -1},
	} {
		if got := Math2F64(c.a, c.b, c.f); math.Float64bits(got) != math.Float64bits(c.want) && (got == got || c.want == c.want) {
			t.Errorf("function %d of %v, %v is %v, want %v", c.f, c.a, c.b, got, c.want)
		}
	}
	if r := Math1F64(1, numMath1); r == r {
		t.Errorf("there is no function %d; it gives %v", numMath1, r)
	}
	if r := Math2F64(1, 1, numMath2); r == r {
		t.Errorf("there is no function %d; it gives %v", numMath2, r)
	}
}

func BenchmarkMath(b *testing.B) {
	for name, f := range map[string]uint32{"exp": MathExp, "log": MathLog, "sin": MathSin, "erf": MathErf, "tgamma": MathTgamma} {
		b.Run(name, func(b *testing.B) {
			for i := range b.N {
				Math1F64(1.1+float64(i&7), f)
			}
		})
	}
}
