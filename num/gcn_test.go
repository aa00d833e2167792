package num

import (
	"math"
	"testing"
)

// TestDivisionSequence runs the division that AMD's compilers emit with denormals enabled. The
// result must be the correctly rounded quotient, which tests v_div_scale, v_div_fmas and
// v_div_fixup together.
func TestDivisionSequence(t *testing.T) {
	t.Parallel()
	r := rng(41)
	edges := refF32.edges()
	for i := range len(edges)*len(edges) + count(200_000, 50_000_000) {
		x, y := uint32(refF32.random(r, 127<<23)), uint32(refF32.random(r, 127<<23))
		if i < len(edges)*len(edges) {
			x, y = uint32(edges[i%len(edges)]), uint32(edges[i/len(edges)])
		} else if i%4 == 0 { // equal mantissas: powers of two, ties of subnormals
			y = y&^0x7fffff | x&0x7fffff
		}
		n, d := f32(x), f32(y)
		ds, ns := VDivScaleF32(d, d, n), VDivScaleF32(n, d, n)
		vcc := VDivScaleVccF32(n, d, n)
		rcp := VRcpF32(ds)
		f0 := VFmaF32(-ds, rcp, 1)
		f1 := VFmaF32(f0, rcp, rcp)
		q := VMulF32(ns, f1)
		f2 := VFmaF32(-ds, q, ns)
		f3 := VFmaF32(f2, f1, q)
		f4 := VFmaF32(-ds, f3, ns)
		got := VDivFixupF32(VDivFmasF32(f4, f1, f3, vcc), d, n)
		want := float32(n / d)
		if got != want && (got == got || want == want) || got == 0 && b32(got) != b32(want) {
			t.Fatalf("%#08x / %#08x = %#08x, want %#08x (scaled %v / %v, vcc %v)", x, y, b32(got), b32(want), ns, ds, vcc)
		}
	}
}

func TestDivisionSequenceF64(t *testing.T) {
	t.Parallel()
	r := rng(43)
	edges := refF64.edges()
	for i := range len(edges)*len(edges) + count(50_000, 20_000_000) {
		x, y := refF64.random(r, 1023<<52), refF64.random(r, 1023<<52)
		if i < len(edges)*len(edges) {
			x, y = edges[i%len(edges)], edges[i/len(edges)]
		} else if i%4 == 0 { // equal mantissas: powers of two, ties of subnormals
			const man = 1<<52 - 1
			y = y&^man | x&man
		}
		n, d := f64(x), f64(y)
		ds, ns := VDivScaleF64(d, d, n), VDivScaleF64(n, d, n)
		vcc := VDivScaleVccF64(n, d, n)
		rcp := VRcpF64(ds)
		f0 := FmaF64(-ds, rcp, 1)
		f1 := FmaF64(rcp, f0, rcp)
		f2 := FmaF64(-ds, f1, 1)
		f3 := FmaF64(f1, f2, f1)
		q := MulF64(ns, f3)
		f4 := FmaF64(-ds, q, ns)
		got := VDivFixupF64(VDivFmasF64(f4, f3, q, vcc), d, n)
		want := n / d
		if got != want && (got == got || want == want) || got == 0 && b64(got) != b64(want) {
			t.Fatalf("%#016x / %#016x = %#016x, want %#016x (scaled %v / %v, vcc %v)", x, y, b64(got), b64(want), ns, ds, vcc)
		}
	}
}

func TestGCNFloat(t *testing.T) {
	t.Parallel()
	const inf, ninf, qnan, snan = 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001
	for _, c := range []struct {
		name      string
		got, want uint32
	}{
		{"v_add_f32 inf-inf", b32(VAddF32(f32(inf), f32(ninf))), 0xffc00000},
		{"v_add_f32 sNaN", b32(VAddF32(1, f32(0xff800123))), 0xffc00123},
		{"v_mul_f32 first NaN", b32(VMulF32(f32(snan), f32(0xffc00055))), 0x7fc00001},
		{"v_fma_f32 third NaN", b32(VFmaF32(1, 2, f32(snan))), 0x7fc00001},
		{"v_mul_legacy_f32 0*inf", b32(VMulLegacyF32(0, f32(inf))), 0},
		{"v_mul_legacy_f32 -0*2", b32(VMulLegacyF32(f32(0x80000000), 2)), 0},
		{"v_mad_legacy_f32", b32(VMadLegacyF32(f32(inf), 0, 3)), 0x40400000},
		{"v_mad_f32 is not fused", b32(VMadF32(f32(0x3f800001), f32(0x3f7fffff), -1)), 0},
		{"v_mad_f32 flushes inputs", b32(VMadF32(f32(0x00400000), f32(0x7f000000), 1)), 0x3f800000},
		{"v_mad_f32 flushes the product", b32(VMadF32(f32(0x20000000), f32(0x1f400000), f32(0x00c00000))), 0x00c00000},
		{"v_min_f32 qNaN", b32(VMinF32(f32(qnan), 2)), 0x40000000},
		{"v_min_f32 sNaN", b32(VMinF32(2, f32(snan))), 0x7fc00001},
		{"v_min_f32 zeros", b32(VMinF32(0, f32(0x80000000))), 0x80000000},
		{"v_max_f32 zeros", b32(VMaxF32(f32(0x80000000), 0)), 0},
		{"v_max_f32 both qNaN", b32(VMaxF32(f32(qnan), f32(0x7fc00002))), 0x7fc00002},
		{"v_med3_f32", b32(VMed3F32(3, 1, 2)), 0x40000000},
		{"v_med3_f32 NaN", b32(VMed3F32(3, f32(qnan), 2)), 0x40000000},
		{"v_ldexp_f32 into subnormals", b32(VLdexpF32(f32(0x3fc00000), -149)), 2}, // 1.5 ties to even
		{"v_ldexp_f32 far", b32(VLdexpF32(f32(1), 1<<30)), inf},
		{"v_ldexp_f32 NaN", b32(VLdexpF32(f32(snan), 1)), 0x7fc00001},
		{"v_frexp_mant_f32", b32(VFrexpMantF32(-12)), 0xbf400000},
		{"v_frexp_exp_i32_f32", uint32(VFrexpExpI32F32(-12)), 4},
		{"v_frexp_exp_i32_f32 subnormal", uint32(VFrexpExpI32F32(f32(1))), 0xffffff6c}, // -148
		{"v_frexp_exp_i32_f32 0", uint32(VFrexpExpI32F32(0)), 0},
		{"v_rndne_f32 NaN", b32(VRndneF32(f32(snan))), 0x7fc00001},
		{"v_cvt_f16_f32 NaN", uint32(VCvtF16F32(f32(0xff802000))), 0xfe01},
		{"v_cvt_f32_f16 NaN", b32(VCvtF32F16(0xfc01)), 0xffc02000},
		{"v_cvt_f32_f64 NaN", b32(VCvtF32F64(f64(0xfff0000020000000))), 0xffc00001},
		{"v_cvt_u32_f64 NaN", VCvtU32F64(f64(0x7ff8000000000000)), 0},
		{"v_cvt_rpi_i32_f32 2.5", uint32(VCvtRpiI32F32(2.5)), 3},
		{"v_cvt_rpi_i32_f32 -2.5", uint32(VCvtRpiI32F32(-2.5)), 0xfffffffe},
		{"v_cvt_rpi_i32_f32 just below 0.5", uint32(VCvtRpiI32F32(f32(0x3effffff))), 0},
		{"v_cvt_flr_i32_f32 NaN", uint32(VCvtFlrI32F32(f32(qnan))), 0x7fffffff},
		{"v_cvt_flr_i32_f32 -NaN", uint32(VCvtFlrI32F32(f32(qnan | 1<<31))), 0x80000000},
		{"v_cvt_flr_i32_f32 -0.5", uint32(VCvtFlrI32F32(-0.5)), 0xffffffff},
		{"v_cvt_off_f32_i4 8", b32(VCvtOffF32I4(8)), 0xbf000000},
		{"v_cvt_off_f32_i4 7", b32(VCvtOffF32I4(7)), 0x3ee00000},
		{"v_cvt_f32_ubyte2", b32(VCvtF32Ubyte2(0x12ff3456)), 0x437f0000},
		{"v_cvt_pk_u8_f32", VCvtPkU8F32(300, 6, 0x11223344), 0x11ff3344},
		{"v_cvt_pkrtz_f16_f32", VCvtPkrtzF16F32(1, 65535), 0x7bff3c00},
		{"v_cvt_pknorm_i16_f32", VCvtPknormI16F32(-1, 0.5), 0x40008001},
		{"v_cvt_pknorm_u16_f32", VCvtPknormU16F32(2, 0.5), 0x8000ffff},
		{"v_cvt_pk_u16_u32", VCvtPkU16U32(70000, 5), 0x0005ffff},
		{"v_cvt_pk_i16_i32", VCvtPkI16I32(-70000, 40000), 0x7fff8000},
		{"v_qsad", uint32(VQsadPkU16U8(0x0706050403020100, 0x03020100, 0)), 0x00040000},
	} {
		if c.got != c.want {
			t.Errorf("%s = %#08x, want %#08x", c.name, c.got, c.want)
		}
	}
	if got := b64(VLdexpF64(f64(0x3ff8000000000000), -1074)); got != 2 {
		t.Errorf("v_ldexp_f64 into subnormals = %#x", got)
	}
	// One value of each class, in the order of the bits of the mask.
	for i, v := range []uint32{snan, qnan, ninf, 0xbf800000, 0x80000001, 0x80000000, 0, 1, 0x3f800000, inf} {
		for bit := range 10 {
			if got := VCmpClassF32(f32(v), 1<<bit); got != (i == bit) {
				t.Errorf("v_cmp_class_f32(%#08x, bit %d) = %v", v, bit, got)
			}
			d := CvtF64FromF32(f32(v))
			if i != 0 && i != 4 && i != 7 { // no f32 converts to a signalling or denormal f64
				if got := VCmpClassF64(d, 1<<bit); got != (i == bit) {
					t.Errorf("v_cmp_class_f64(%v, bit %d) = %v", d, bit, got)
				}
			}
			h := []uint16{0x7c01, 0x7e01, 0xfc00, 0xbc00, 0x8001, 0x8000, 0, 1, 0x3c00, 0x7c00}[i]
			if got := VCmpClassF16(h, 1<<bit); got != (i == bit) {
				t.Errorf("v_cmp_class_f16(%#04x, bit %d) = %v", h, bit, got)
			}
		}
	}
}

// TestFindBits checks the searches for single bits. TestMad24 and the tests of the remaining
// related integer instructions are in int_test.go.
func TestFindBits(t *testing.T) {
	t.Parallel()
	r := rng(45)
	for range 50_000 {
		v := pick64(r)
		low := func(v uint64, n int, want uint64) uint32 {
			for i := range n {
				if v>>i&1 == want {
					return uint32(i)
				}
			}
			return math.MaxUint32
		}
		w := uint32(v)
		for _, c := range []struct {
			name      string
			got, want uint32
		}{
			{"FfblB32", FfblB32(w), low(uint64(w), 32, 1)}, {"FfblB64", FfblB64(v), low(v, 64, 1)},
			{"Ff0B32", Ff0B32(w), low(uint64(w), 32, 0)}, {"Ff0B64", Ff0B64(v), low(v, 64, 0)},
			{"FfbhI32", FfbhI32(int32(w)), refBfind(uint64(w), 31, true, true)},
			{"FfbhI64", FfbhI64(int64(v)), refBfind(v, 63, true, true)},
		} {
			if c.got != c.want {
				t.Fatalf("%s(%#x) = %d, want %d", c.name, v, c.got, c.want)
			}
		}
	}
}
