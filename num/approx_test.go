package num

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"
)

// ulpF32 returns the distance of got from the real value want, in units of the last place of the
// f32 format at want.
func ulpF32(got float32, want float64) float64 {
	_, e := math.Frexp(want)
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(e-24, -149))
}

// TestApproxError compares with the standard library's f64 functions, which use other algorithms.
// An f64 result with a relative error far below 2^-30 that is rounded once can be off by 0.51
// units; the ISA allows more for every function.
func TestApproxError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		fn     func(float32) float32
		ref    func(float64) float64
		lo, hi float64 // the range of log2|x|
		neg    bool
	}{
		{"ex2", Ex2ApproxF32, math.Exp2, -30, 7, true},
		{"lg2", Lg2ApproxF32, math.Log2, -149, 128, false},
		{"sin", SinApproxF32, math.Sin, -149, 128, true},
		{"cos", CosApproxF32, math.Cos, -30, 128, true},
		{"tanh", TanhApproxF32, math.Tanh, -149, 6, true},
		{"rcp", RcpApproxF32, func(x float64) float64 { return 1 / x }, -127.5, 127.9, true},
		{"rsqrt", RsqrtApproxF32, func(x float64) float64 { return 1 / math.Sqrt(x) }, -149, 128, false},
		{"sqrt", SqrtApproxF32, math.Sqrt, -149, 128, false},
		{"v_rcp_f32", VRcpF32, func(x float64) float64 { return 1 / x }, -126, 125.9, true},
		{"v_rsq_f32", VRsqF32, func(x float64) float64 { return 1 / math.Sqrt(x) }, -126, 128, false},
		{"v_exp_f32", VExpF32, math.Exp2, -30, 6.9, true},
		{"v_log_f32", VLogF32, math.Log2, -126, 128, false},
		{"v_sin_f32", VSinF32, func(x float64) float64 {
			x -= math.RoundToEven(x)
			if math.Abs(x) > 0.25 { // sin(pi - y) = sin y, exact here
				x = math.Copysign(0.5, x) - x
			}
			return math.Sin(2 * math.Pi * x)
		}, -120, 8, true},
		{"v_cos_f32", VCosF32, func(x float64) float64 {
			x = math.Abs(x - math.RoundToEven(x))
			return math.Sin(2 * math.Pi * (0.25 - x))
		}, -30, 8, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := rng(31)
			worst, at := 0.0, float32(0)
			try := func(x float32) {
				want := c.ref(float64(x))
				if math.Abs(want) < 0x1p-126 && c.name[0] == 'v' {
					want = 0
				}
				if e := ulpF32(c.fn(x), want); e > worst || e != e {
					worst, at = e, x
				}
			}
			if *long {
				for u := uint64(0); u < 1<<32; u += 61 {
					x := f32(uint32(u))
					if l := math.Log2(math.Abs(float64(x))); l >= c.lo && l < c.hi && (c.neg || x > 0) {
						try(x)
					}
				}
			}
			for range count(40_000, 10_000_000) {
				x := float32(math.Exp2(c.lo + r.Float64()*(c.hi-c.lo)))
				if r.IntN(4) == 0 { // near 1, where logarithms cancel
					x = float32(1 + (r.Float64()-0.5)*math.Exp2(-float64(r.IntN(24))))
				}
				if c.neg && r.IntN(2) == 0 {
					x = -x
				}
				if !math.IsInf(float64(x), 0) {
					try(x)
				}
			}
			if !(worst <= 0.51) {
				t.Errorf("error %.3f ulp at %v (%#08x): got %v, want %v", worst, at, b32(at), c.fn(at), c.ref(float64(at)))
			}
		})
	}
}

// TestApproxCorners checks the ISA's tables of special values.
func TestApproxCorners(t *testing.T) {
	t.Parallel()
	const nan, inf, ninf, nz, one, none = 0x7fffffff, 0x7f800000, 0xff800000, 0x80000000, 0x3f800000, 0xbf800000
	for _, c := range []struct {
		name string
		fn   func(float32) float32
		in   []uint32
		want []uint32
	}{
		{"rcp", RcpApproxF32, []uint32{ninf, nz, 0, inf, 0x7f812345}, []uint32{nz, ninf, inf, 0, nan}},
		{"sqrt", SqrtApproxF32, []uint32{ninf, none, nz, 0, inf, 0xffc00000}, []uint32{nan, nan, nz, 0, inf, nan}},
		{"rsqrt", RsqrtApproxF32, []uint32{ninf, none, nz, 0, inf, 0xffc00000}, []uint32{nan, nan, ninf, inf, 0, nan}},
		{"sin", SinApproxF32, []uint32{ninf, nz, 0, inf, 0xffc00000, 1}, []uint32{nan, nz, 0, nan, nan, 1}},
		{"cos", CosApproxF32, []uint32{ninf, nz, 0, inf, 0xffc00000}, []uint32{nan, one, one, nan, nan}},
		{"ex2", Ex2ApproxF32, []uint32{ninf, nz, 0, inf, 0xffc00000, 0xc3160000, 0x43000000, 0xc2fe0000}, []uint32{0, one, one, inf, nan, 0, inf, 0x00400000}},
		{"lg2", Lg2ApproxF32, []uint32{ninf, none, nz, 0, inf, 0xffc00000, one, 1}, []uint32{nan, nan, ninf, ninf, inf, nan, 0, 0xc3150000}},
		{"tanh", TanhApproxF32, []uint32{ninf, nz, 0, inf, 0xffc00000}, []uint32{none, nz, 0, one, nan}},
		{"rcp.ftz", RcpApproxF32Ftz, []uint32{1, 0x80000001, 0x7e800001}, []uint32{inf, ninf, 0}},
		{"ex2.ftz", Ex2ApproxF32Ftz, []uint32{0xc2fe0000, 1}, []uint32{0, one}},
		{"lg2.ftz", Lg2ApproxF32Ftz, []uint32{1, 0x80000001}, []uint32{ninf, ninf}},
		{"rsqrt.ftz", RsqrtApproxF32Ftz, []uint32{1, 0x80000001}, []uint32{inf, ninf}},
		{"v_rcp_f32", VRcpF32, []uint32{0, nz, inf, 0x7f812345, 1}, []uint32{inf, ninf, 0, 0x7fc12345, inf}},
		{"v_sqrt_f32", VSqrtF32, []uint32{none, nz, 4, inf}, []uint32{0xffc00000, nz, 0, inf}},
		{"v_rsq_f32", VRsqF32, []uint32{none, 0, inf}, []uint32{0xffc00000, inf, 0}},
		{"v_exp_f32", VExpF32, []uint32{0xc2fe0000, 0xc2fc0000, inf, ninf}, []uint32{0, 0x00800000, inf, 0}},
		{"v_log_f32", VLogF32, []uint32{none, 0, inf, one, 1}, []uint32{0xffc00000, ninf, inf, 0, ninf}},
		{"v_sin_f32", VSinF32, []uint32{inf, 0x3e800000, 0x3f000000, 0x43808000, 0x3f400000, nz, 0, 0x80000001}, []uint32{0xffc00000, one, 0, 0, none, nz, 0, nz}},
		{"v_cos_f32", VCosF32, []uint32{ninf, 0x3e800000, 0x3f000000, 0x43808000, 0, 0x3f400000}, []uint32{0xffc00000, 0, none, one, one, 0}},
		{"v_fract_f32", VFractF32, []uint32{0xbf400000, 0xb3000000, inf, 0x40200000}, []uint32{0x3e800000, 0x3f7fffff, 0xffc00000, 0x3f000000}},
	} {
		for i := range c.in {
			if got := b32(c.fn(f32(c.in[i]))); got != c.want[i] {
				t.Errorf("%s(%#08x) = %#08x, want %#08x", c.name, c.in[i], got, c.want[i])
			}
		}
	}
	for _, c := range []struct{ a, b, want uint32 }{
		{0x40c00000, 0x40400000, 0x40000000}, // 6/3
		{inf, 0x7f000000, nan},               // |b| > 2^126 and a infinite; 2^127
		{one, 0x7f000000, 0}, {none, 0x7f000000, nz}, {one, 0x7e800000, 0x00800000}, {one, inf, 0},
	} {
		if got := b32(DivApproxF32(f32(c.a), f32(c.b))); got != c.want {
			t.Errorf("div.approx(%#08x, %#08x) = %#08x, want %#08x", c.a, c.b, got, c.want)
		}
	}
	for _, c := range []struct {
		name      string
		got, want uint64
	}{
		{"rcp.approx.ftz.f64(NaN)", b64(RcpApproxF64Ftz(f64(0x7ff0000000000001))), 0x7fffffff00000000},
		{"rcp.approx.ftz.f64(-inf)", b64(RcpApproxF64Ftz(f64(0xfff0000000000000))), 0x8000000000000000},
		{"rcp.approx.ftz.f64(-subnormal)", b64(RcpApproxF64Ftz(f64(0x8000000100000000))), 0xfff0000000000000},
		{"rcp.approx.ftz.f64(2 and a bit)", b64(RcpApproxF64Ftz(f64(0x40000000ffffffff))), 0x3fe0000000000000},
		{"rsqrt.approx.ftz.f64(4)", b64(RsqrtApproxF64Ftz(4)), 0x3fe0000000000000},
		{"rsqrt.approx.ftz.f64(-0)", b64(RsqrtApproxF64Ftz(math.Copysign(0, -1))), 0xfff0000000000000},
		{"rsqrt.approx.ftz.f64(-1)", b64(RsqrtApproxF64Ftz(-1)), 0x7fffffff00000000},
		{"ex2.approx.f16(3)", uint64(Ex2ApproxF16(0x4200)), 0x4800},
		{"ex2.approx.f16(-inf)", uint64(Ex2ApproxF16(0xfc00)), 0},
		{"ex2.approx.f16(-24)", uint64(Ex2ApproxF16(0xce00)), 1},
		{"ex2.approx.ftz.bf16(-127)", uint64(Ex2ApproxBF16Ftz(0xc2fe)), 0},
		{"tanh.approx.f16(inf)", uint64(TanhApproxF16(0x7c00)), 0x3c00},
		{"tanh.approx.bf16(-0)", uint64(TanhApproxBF16(0x8000)), 0x8000},
		{"v_rcp_f16(-0)", uint64(VRcpF16(0x8000)), 0xfc00},
		{"v_sqrt_f16(-1)", uint64(VSqrtF16(0xbc00)), 0xfe00},
		{"v_exp_f16(NaN)", uint64(VExpF16(0x7c01)), 0x7e01},
		{"v_log_f16(8)", uint64(VLogF16(0x4800)), 0x4200},
		{"v_sin_f16(1/4)", uint64(VSinF16(0x3400)), 0x3c00},
		{"v_fract_f16(-tiny)", uint64(VFractF16(0x8001)), 0x3bff},
		{"v_fract_f16(inf)", uint64(VFractF16(0x7c00)), 0xfe00},
	} {
		if c.got != c.want {
			t.Errorf("%s = %#x, want %#x", c.name, c.got, c.want)
		}
	}
}

// TestApproxSameEverywhere pins the bits of the approximate functions by a hash. The hash does not
// prove correctness, which the remaining tests check. It fails on a platform whose results differ.
func TestApproxSameEverywhere(t *testing.T) {
	t.Parallel()
	h := fnv.New64a()
	var buf [4]byte
	for _, fn := range []func(float32) float32{SinApproxF32, CosApproxF32, Ex2ApproxF32, Lg2ApproxF32, TanhApproxF32,
		RcpApproxF32, RsqrtApproxF32, SqrtApproxF32, VSinF32, VCosF32, VExpF32, VLogF32, VRcpF32, VRsqF32, VSqrtF32} {
		for u := uint64(0); u < 1<<32; u += 1_000_003 {
			binary.LittleEndian.PutUint32(buf[:], b32(fn(f32(uint32(u)))))
			h.Write(buf[:])
		}
	}
	const want = 0x64445c63bf86f1b6
	if got := h.Sum64(); got != want {
		t.Errorf("hash %#x, want %#x", got, uint64(want))
	}
}

func BenchmarkF32(b *testing.B) {
	for _, c := range []struct {
		name string
		fn   func(a, b, c float32) float32
	}{
		{"Add", func(a, b, _ float32) float32 { return AddF32(a, b) }},
		{"AddFtz", func(a, b, _ float32) float32 { return AddF32Ftz(a, b) }},
		{"AddRZ", func(a, b, _ float32) float32 { return AddF32RZ(a, b) }},
		{"Fma", FmaF32},
		{"Ex2", func(a, _, _ float32) float32 { return Ex2ApproxF32(a) }},
		{"Sin", func(a, _, _ float32) float32 { return SinApproxF32(a) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			x, y := float32(1.2345), float32(0.98765)
			for b.Loop() {
				y = c.fn(x, y, 0.1) * 0.5
			}
		})
	}
}
