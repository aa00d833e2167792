package num

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"
)

// TestApproxHalf tries all arguments of the approximate functions of 16 bits. The page has their
// greatest errors; -update writes them.
func TestApproxHalf(t *testing.T) {
	page, err := os.ReadFile(approxPage)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, c := range []struct {
		name    string
		fn      func(uint16) uint16
		f       refFormat
		ref     func(float64) float64
		words   string
		allowed float64
		rel     bool
		ftz     bool
	}{
		{"ex2.approx.f16", Ex2ApproxF16, refF16, math.Exp2, "relative 2^-9.9", math.Exp2(-9.9), true, false},
		{"ex2.approx.ftz.bf16", Ex2ApproxBF16Ftz, refBF16, math.Exp2, "relative 2^-7", 0x1p-7, true, true},
		{"tanh.approx.f16", TanhApproxF16, refF16, math.Tanh, "absolute 2^-10.987", math.Exp2(-10.987), false, false},
		{"tanh.approx.bf16", TanhApproxBF16, refBF16, math.Tanh, "absolute 2^-8", 0x1p-8, false, false},
	} {
		least := math.Ldexp(1, c.f.emin) // normal number
		greatest, at := 0.0, uint16(0)
		for v := range uint32(1 << 16) {
			got := c.fn(uint16(v))
			x, neg, inf, nan := c.f.value(uint64(v), 200)
			a := math.Inf(map[bool]int{true: -1, false: 1}[neg])
			switch {
			case nan:
				if got != 0x7fff {
					t.Fatalf("%s(%#04x) = %#04x, want NaN", c.name, v, got)
				}
				continue
			case !inf:
				a, _ = x.Float64()
				if neg && a == 0 {
					a = math.Copysign(0, -1)
				}
			}
			if c.ftz && math.Abs(a) < least {
				a = math.Copysign(0, a)
			}
			want := c.ref(a)
			if c.ftz && want < least { // rounds to a subnormal, or up to the least normal number
				if want < least*(1-0x1p-9) && got != 0 {
					t.Fatalf("%s(%#04x) = %#04x, want 0", c.name, v, got)
				}
				continue
			}
			y, yneg, yinf, ynan := c.f.value(uint64(got), 200)
			top := math.Ldexp(2-math.Ldexp(1, -c.f.p), c.f.emax)
			switch {
			case ynan:
				t.Fatalf("%s(%#04x) is NaN", c.name, v)
			case yinf:
				if want < top {
					t.Fatalf("%s(%#04x) is infinite, want %v", c.name, v, want)
				}
				continue
			case y.Sign() == 0 && want == 0 && yneg != math.Signbit(want):
				t.Fatalf("%s(%#04x) = %#04x, want %v", c.name, v, got, want)
			}
			r, _ := y.Float64()
			e := math.Abs(r - want)
			if c.rel && want >= least {
				e /= want
			}
			// The error of a result that is rounded to a subnormal number is at most half of its
			// unit.
			if c.rel && want < least {
				if e > math.Ldexp(0.5001, c.f.emin-c.f.p+1) {
					t.Fatalf("%s(%#04x) = %v, want %v", c.name, v, r, want)
				}
				continue
			}
			if e > c.allowed {
				t.Fatalf("%s(%#04x) = %v, want %v: error %v", c.name, v, r, want, e)
			}
			if e > greatest {
				greatest, at = e, uint16(v)
			}
		}
		line := fmt.Sprintf("| `%s` | %s | 2^%.4f | %#04x |", c.name, c.words, math.Log2(greatest), at)
		key := line[:strings.Index(line, "2^")]
		if i := strings.Index(text, key); i < 0 {
			t.Errorf("%s has no row %s", approxPage, line)
		} else {
			end := i + strings.IndexByte(text[i:], '\n')
			if text[i:end] != line {
				if !*update {
					t.Errorf("%s has %s, want %s", approxPage, text[i:end], line)
				}
				text = text[:i] + line + text[end:]
			}
		}
	}
	if *update && !t.Failed() && text != string(page) {
		if err := os.WriteFile(approxPage, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestApproxF64 compares with big numbers. rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 compute with
// 20 bits of the mantissa, so that the error of their results, rounded to 20 bits, is at most half
// of a unit there. rsqrt.approx.f64 is within 2^-52.
func TestApproxF64(t *testing.T) {
	t.Parallel()
	r := rng(21)
	relative := func(got float64, want *big.Float) float64 {
		d := new(big.Float).Sub(new(big.Float).SetPrec(300).SetFloat64(got), want)
		e, _ := d.Quo(d, want).Float64()
		return math.Abs(e)
	}
	for range count(40_000, 2_000_000) {
		a := math.Ldexp(1+r.Float64(), r.IntN(2040)-1020)
		upper := math.Float64frombits(math.Float64bits(a) &^ (1<<32 - 1))
		x := new(big.Float).SetPrec(300).SetFloat64(upper)
		rcp := new(big.Float).SetPrec(300).Quo(big.NewFloat(1), x)
		rsqrt := new(big.Float).SetPrec(300).Quo(big.NewFloat(1), new(big.Float).SetPrec(300).Sqrt(x))
		if got := RcpApproxF64Ftz(a); math.Float64bits(got)<<32 != 0 || math.Abs(a) < 0x1p1020 && relative(got, rcp) > 0x1.0000001p-21 {
			t.Fatalf("rcp.approx.ftz.f64(%v) = %v, want %v", a, got, rcp)
		}
		if got := RcpApproxF64Ftz(-a); got != -RcpApproxF64Ftz(a) {
			t.Fatalf("rcp.approx.ftz.f64(%v) = %v", -a, got)
		}
		if got := RsqrtApproxF64Ftz(a); math.Float64bits(got)<<32 != 0 || relative(got, rsqrt) > 0x1.0000001p-21 {
			t.Fatalf("rsqrt.approx.ftz.f64(%v) = %v, want %v", a, got, rsqrt)
		}
		exact := new(big.Float).SetPrec(300).Quo(big.NewFloat(1), new(big.Float).SetPrec(300).Sqrt(new(big.Float).SetPrec(300).SetFloat64(a)))
		if e := relative(RsqrtApproxF64(a), exact); e > 0x1p-52 {
			t.Fatalf("rsqrt.approx.f64(%v): error %v", a, e)
		}
	}
	// These are the tables of 9.7.3.14 and 9.7.3.17, for the upper words.
	inf := math.Inf(1)
	tiny := math.Float64frombits(1 << 40)
	for _, c := range []struct {
		name             string
		a, rcp, rs, full float64
	}{
		{"inf", inf, 0, 0, 0}, {"0", 0, inf, inf, inf}, {"-0", math.Copysign(0, -1), -inf, -inf, -inf},
		{"subnormal", tiny, inf, inf, 1 / math.Sqrt(tiny)}, {"-subnormal", -tiny, -inf, -inf, math.NaN()},
		{"-inf", -inf, math.Copysign(0, -1), math.NaN(), math.NaN()}, {"2^1023", 0x1p1023, 0, math.Float64frombits(0x1ff6a09e_00000000), 1 / math.Sqrt(0x1p1023)},
	} {
		for _, k := range []struct {
			fn        string
			got, want float64
			canonical bool
		}{
			{"rcp.approx.ftz.f64", RcpApproxF64Ftz(c.a), c.rcp, true}, {"rsqrt.approx.ftz.f64", RsqrtApproxF64Ftz(c.a), c.rs, true}, {"rsqrt.approx.f64", RsqrtApproxF64(c.a), c.full, false},
		} {
			if k.want != k.want {
				if k.got == k.got || k.canonical && math.Float64bits(k.got) != 0x7fffffff_00000000 {
					t.Errorf("%s(%s) = %v, want NaN", k.fn, c.name, k.got)
				}
			} else if math.Float64bits(k.got) != math.Float64bits(k.want) {
				t.Errorf("%s(%s) = %v (%#x), want %v (%#x)", k.fn, c.name, k.got, math.Float64bits(k.got), k.want, math.Float64bits(k.want))
			}
		}
	}
}

// TestDivApprox checks that div.approx and div.full are within 2 units in the last place of the
// exact quotient, and that div.approx gives zero for divisors beyond 2^126 (PTX 9.7.3.8).
func TestDivApprox(t *testing.T) {
	t.Parallel()
	r := rng(22)
	edges := refF32.edges()
	for i := range len(edges)*len(edges) + count(200_000, 50_000_000) {
		a, b := f32(r.Uint32()), f32(r.Uint32())
		if i < len(edges)*len(edges) {
			a, b = f32(uint32(edges[i%len(edges)])), f32(uint32(edges[i/len(edges)]))
		}
		for _, c := range []struct {
			name string
			ftz  bool
			fast bool
			fn   func(a, b float32) float32
		}{{"div.approx.f32", false, true, DivApproxF32}, {"div.approx.ftz.f32", true, true, DivApproxF32Ftz}, {"div.full.f32", false, false, DivFullF32}, {"div.full.ftz.f32", true, false, DivFullF32Ftz}} {
			x, y := float64(a), float64(b)
			flush := func(v float64) float64 {
				if c.ftz && math.Abs(v) < 0x1p-126 {
					return math.Copysign(0, v)
				}
				return v
			}
			x, y = flush(x), flush(y)
			want := x / y // the error of this f32 quotient is 2^-53 of its value
			if big := math.Abs(y); c.fast && big > 0x1p126 && big < 0x1p128 {
				want = math.Copysign(0, want)
				if math.IsInf(x, 0) || x != x {
					want = math.NaN()
				}
			}
			got := c.fn(a, b)
			if want != want || got != got {
				if want == want || b32(got) != NaN32 {
					t.Fatalf("%s(%v, %v) = %v, want %v", c.name, a, b, got, want)
				}
				continue
			}
			if c.ftz && math.Abs(want) < 0x1p-126*(1-0x1p-24) {
				want = math.Copysign(0, want)
			}
			if math.Signbit(float64(got)) != math.Signbit(want) {
				t.Fatalf("%s(%v, %v) = %v, want %v", c.name, a, b, got, want)
			}
			if e, _ := inUlps(0, want, got); !math.IsInf(want, 0) && e > 2 || math.IsInf(want, 0) && float64(got) != want {
				t.Fatalf("%s(%v, %v) = %v, want %v: %v ulp", c.name, a, b, got, want, e)
			}
		}
	}
}

// TestApproxFtz checks that the .ftz forms equal the plain forms with subnormal arguments and
// results replaced by zeros of their sign.
func TestApproxFtz(t *testing.T) {
	t.Parallel()
	r := rng(23)
	flush := func(v uint32) uint32 {
		if v&exp32 == 0 {
			return v & sign32
		}
		return v
	}
	for i := range 100_000 {
		u := r.Uint32()
		if i%2 == 0 {
			u &= 0x80ffffff // subnormal, or just above
		}
		for _, c := range []struct {
			name      string
			plain, fn func(float32) float32
		}{
			{"rcp", RcpApproxF32, RcpApproxF32Ftz}, {"sqrt", SqrtApproxF32, SqrtApproxF32Ftz}, {"rsqrt", RsqrtApproxF32, RsqrtApproxF32Ftz}, {"sin", SinApproxF32, SinApproxF32Ftz},
			{"cos", CosApproxF32, CosApproxF32Ftz}, {"lg2", Lg2ApproxF32, Lg2ApproxF32Ftz}, {"ex2", Ex2ApproxF32, Ex2ApproxF32Ftz},
		} {
			if got, want := b32(c.fn(f32(u))), flush(b32(c.plain(f32(flush(u))))); got != want {
				t.Fatalf("%s.approx.ftz(%#x) = %#x, want %#x", c.name, u, got, want)
			}
		}
	}
}
