package num

import (
	"math"
	"testing"
)

// gcnApproxFns are the transcendental functions of GCN3 in f32. Denormal operands count as zeros,
// and denormal results become zeros (CLRX).
func gcnApproxFns() []approxFn {
	flushed := func(f func(float64) float64) func(float64) float64 {
		return func(x float64) float64 {
			if math.Abs(x) < 0x1p-126 {
				x = math.Copysign(0, x)
			}
			r := f(x)
			if y := float32(r); math.Abs(float64(y)) < 0x1p-126 {
				return math.Copysign(0, r)
			}
			return r
		}
	}
	// CLRX: v_exp_f32 gives 0 below -126, v_sin_f32 and v_cos_f32 take revolutions.
	exp2 := func(x float64) float64 {
		if x < -126 {
			return 0
		}
		return math.Exp2(x)
	}
	one := []bound{{"1 ulp", 1, inUlps}}
	return []approxFn{
		{"v_rcp_f32", VRcpF32, flushed(func(x float64) float64 { return 1 / x }), one, -1, true},
		{"v_rsq_f32", VRsqF32, flushed(func(x float64) float64 { return 1 / math.Sqrt(x) }), one, -1, true},
		{"v_sqrt_f32", VSqrtF32, flushed(math.Sqrt), one, 1, true},
		{"v_exp_f32", VExpF32, flushed(exp2), one, 1, true},
		{"v_log_f32", VLogF32, flushed(log2ref), one, 1, true},
		{"v_sin_f32", VSinF32, flushed(func(x float64) float64 { return turnsRef(x, false) }), one, 0, true},
		{"v_cos_f32", VCosF32, flushed(func(x float64) float64 { return turnsRef(x, true) }), one, 0, true},
	}
}

// turnsRef is the sine or the cosine of x revolutions; beyond 256 it is 0 or 1. The argument is
// reduced exactly to an eighth of a turn.
func turnsRef(x float64, cos bool) float64 {
	switch {
	case math.IsInf(x, 0) || x != x:
		return math.NaN()
	case math.Abs(x) > 256 && cos:
		return 1
	case math.Abs(x) > 256 || x == 0 && !cos:
		return math.Copysign(0, x)
	}
	r := math.Remainder(x, 1) // -1/2 to 1/2
	q := math.Round(4 * r)
	r -= q / 4
	quarter := (int(q) + 8) % 4
	if cos {
		quarter++
	}
	s, c := math.Sincos(2 * math.Pi * r)
	return [...]float64{s, c, -s, -c}[quarter%4]
}

// TestGCNApproxF16 checks all arguments of the transcendental functions of f16, even denormal ones:
// the results are within one unit of the last place.
func TestGCNApproxF16(t *testing.T) {
	t.Parallel()
	for _, f := range []struct {
		name string
		fn   func(uint16) uint16
		ref  func(float64) float64
	}{
		{"v_rcp_f16", VRcpF16, func(x float64) float64 { return 1 / x }}, {"v_rsq_f16", VRsqF16, func(x float64) float64 { return 1 / math.Sqrt(x) }},
		{"v_sqrt_f16", VSqrtF16, math.Sqrt}, {"v_exp_f16", VExpF16, math.Exp2}, {"v_log_f16", VLogF16, log2ref},
		{"v_sin_f16", VSinF16, func(x float64) float64 { return turnsRef(x, false) }}, {"v_cos_f16", VCosF16, func(x float64) float64 { return turnsRef(x, true) }},
	} {
		greatest := 0.0
		for u := range 1 << 16 {
			x, got := f16Value(uint16(u)), f.fn(uint16(u))
			want, g := f.ref(x), f16Value(got)
			switch {
			case want != want:
				nan := uint16(VNaN16)
				if x != x {
					nan = uint16(u) | 0x200
				}
				if got != nan {
					t.Fatalf("%s(%#04x) = %#04x, want %#04x", f.name, u, got, nan)
				}
			case want == 0 || math.IsInf(want, 0) || math.Abs(want) >= 65520:
				if want != 0 && !math.IsInf(g, int(math.Copysign(1, want))) || want == 0 && g != 0 {
					t.Fatalf("%s(%#04x) = %g, want %g", f.name, u, g, want)
				}
			default:
				_, e := math.Frexp(want)
				err := math.Abs(g-want) / math.Ldexp(1, max(e-11, -24))
				if !(err <= 1) {
					t.Fatalf("%s(%#04x) = %g, want %g: %g ulp", f.name, u, g, want, err)
				}
				greatest = max(greatest, err)
			}
		}
		t.Logf("%s: %.4f ulp", f.name, greatest)
	}
}

// TestGCNApproxF64 checks that v_rcp_f64, v_rsq_f64 and v_sqrt_f64 are within one unit of the last
// place, by samples of every exponent. The residue of the inverse function is computed without
// rounding.
func TestGCNApproxF64(t *testing.T) {
	t.Parallel()
	r := rng(77)
	for i := range count(400_000, 20_000_000) {
		x := math.Float64frombits(r.Uint64() &^ (1 << 63))
		if i < 4096 {
			x = math.Float64frombits(uint64(i%2048)<<52 | uint64(i/2048)*(1<<52-1))
		}
		if x != x || x == 0 || math.IsInf(x, 0) {
			continue
		}
		// 1/x: |g*x - 1| <= ulp(g)*x
		if g := VRcpF64(x); !math.IsInf(g, 0) && math.Abs(math.FMA(g, x, -1)) > ulpOf64(g)*x {
			t.Fatalf("v_rcp_f64(%g) = %g", x, g)
		}
		// sqrt: (g - u)^2 <= x <= (g + u)^2
		g := VSqrtF64(x)
		if u := ulpOf64(g); math.FMA(g-u, g-u, -x) > 0 || math.FMA(g+u, g+u, -x) < 0 {
			t.Fatalf("v_sqrt_f64(%g) = %g", x, g)
		}
		// 1/sqrt: (g - u)^2 x <= 1 <= (g + u)^2 x, scaled to stay in range
		g = VRsqF64(x)
		_, e := math.Frexp(x)
		e &^= 1
		h, y := math.Ldexp(g, e/2), math.Ldexp(x, -e)
		u := ulpOf64(h)
		if lo, hi := (h-u)*(h-u), (h+u)*(h+u); lo*y > 1+0x1p-51 || hi*y < 1-0x1p-51 {
			t.Fatalf("v_rsq_f64(%g) = %g", x, g)
		}
	}
}

func ulpOf64(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e-53, -1074))
}
