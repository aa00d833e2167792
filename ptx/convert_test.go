package ptx

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

// fc writes an f32 constant.
func fc(x float64) string { return fmt.Sprintf("0f%08X", math.Float32bits(float32(x))) }

// TestNarrowConversions checks which operand goes to which field, and the effect of the modifiers,
// on values computed by hand. The tests of package num cover the arithmetic.
func TestNarrowConversions(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	for _, c := range []struct {
		src  string
		want uint64
	}{
		{"cvt.rn.satfinite.e4m3x2.f32 d, " + fc(1) + ", " + fc(-2), 0x38c0},
		{"cvt.rn.satfinite.relu.e4m3x2.f32 d, " + fc(1) + ", " + fc(-2), 0x3800},
		{"cvt.rn.satfinite.relu.e4m3x2.f32 d, 0fFFC00000, " + fc(math.Copysign(0, -1)), 0x7f00},
		{"cvt.rn.satfinite.e5m2x2.f32 d, " + fc(1) + ", " + fc(-inf), 0x3cfb},
		{"mov.b32 a, 0xc0003c00; cvt.rn.satfinite.e4m3x2.f16x2 d, a", 0xc038},
		{"mov.b32 a, 0xc0003c00; cvt.rn.relu.satfinite.e5m2x2.f16x2 d, a", 0x003c},
		{"mov.b32 a, 0xc0003f80; cvt.rn.satfinite.e4m3x2.bf16x2 d, a", 0xc038},
		{"mov.b16 a, 0xc038; cvt.rn.f16x2.e4m3x2 d, a", 0xc0003c00},
		{"mov.b16 a, 0xc038; cvt.rn.relu.f16x2.e4m3x2 d, a", 0x00003c00},
		{"mov.b16 a, 0xff7c; cvt.rn.relu.f16x2.e5m2x2 d, a", 0x7fff7c00},
		{"mov.b16 a, 0xc038; cvt.rn.bf16x2.e4m3x2 d, a", 0xc0003f80},
		{"mov.b16 a, 0xfc7c; cvt.rn.satfinite.bf16x2.e5m2x2 d, a", 0xff7f7f7f},
		{"mov.b16 a, 0xc038; mov.b16 s, 0x807e; cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 d, a, s", 0xc0803f00},
		{"mov.b16 a, 0xc038; mov.b16 s, 0x807e; cvt.bf16x2.e4m3x2.rn.relu.scaled::n2::ue8m0.satfinite d, a, s", 0x00003f00},
		{"mov.b16 a, 0x7b38; mov.b16 s, 0xfe7f; cvt.rn.scaled::n2::ue8m0.bf16x2.e5m2x2 d, a, s", 0x7f803f00},
		{"mov.b16 a, 0x7b38; mov.b16 s, 0xfe7f; cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.e5m2x2 d, a, s", 0x7f7f3f00},
		{"cvt.rn.satfinite.e2m1x2.f32 d, " + fc(6) + ", " + fc(-0.5), 0x79},
		{"mov.b32 a, 0x4600b800; cvt.rn.satfinite.e2m1x2.f16x2 d, a", 0x79},
		{"mov.b32 a, 0x40c0bf00; cvt.rn.satfinite.relu.e2m1x2.bf16x2 d, a", 0x70},
		{"mov.b32 w, 0x79; cvt.u8.u32 a, w; cvt.rn.f16x2.e2m1x2 d, a", 0x4600b800},
		{"mov.b32 w, 0x79; cvt.u8.u32 a, w; mov.b16 s, 0x807e; cvt.rn.scaled::n2::ue8m0.bf16x2.e2m1x2 d, a, s", 0x4140be80},
		{"cvt.rn.satfinite.e2m3x2.f32 d, " + fc(7.5) + ", " + fc(-1), 0x1f28},
		{"cvt.rn.satfinite.e3m2x2.f32 d, " + fc(-28) + ", " + fc(0.0625), 0x3f01},
		{"mov.b32 a, 0x4780bc00; cvt.rn.satfinite.e2m3x2.f16x2 d, a", 0x1f28},
		{"mov.b16 a, 0x1f28; cvt.rn.f16x2.e2m3x2 d, a", 0x4780bc00},
		{"mov.b16 a, 0x3f01; cvt.rn.bf16x2.e3m2x2 d, a", 0xc1e03d80},
		{"cvt.rz.ue8m0x2.f32 d, " + fc(1.5) + ", " + fc(4), 0x7f81},
		{"cvt.rp.ue8m0x2.f32 d, " + fc(1.5) + ", " + fc(4), 0x8081},
		{"cvt.rp.ue8m0x2.f32 d, " + fc(inf) + ", " + fc(4), 0xff81},
		{"cvt.rp.satfinite.ue8m0x2.f32 d, " + fc(inf) + ", " + fc(4), 0xfe81},
		{"mov.b32 a, 0x3fc04080; cvt.rp.satfinite.ue8m0x2.bf16x2 d, a", 0x8081},
		{"mov.b16 a, 0x8081; cvt.rn.bf16x2.ue8m0x2 d, a", 0x40004080},
		{"cvt.rn.satfinite.s2f6x2.f32 d, " + fc(1) + ", " + fc(-0.5), 0x40e0},
		{"cvt.rn.satfinite.relu.s2f6x2.f32 d, " + fc(1) + ", " + fc(-0.5), 0x4000},
		{"mov.b16 s, 0x807e; cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 d, " + fc(1) + ", " + fc(-0.5) + ", s", 0x20c0},
		{"mov.b32 a, 0x3f80bf00; mov.b16 s, 0x807e; cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.bf16x2 d, a, s", 0x20c0},
		{"mov.b16 a, 0x20c0; mov.b16 s, 0x807e; cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2 d, a, s", 0x3f80bf00},
		{"mov.b16 a, 0x20c0; cvt.rn.relu.bf16x2.s2f6x2 d, a", 0x3f000000},

		// The following are forms of PTX 9.4.
		{"cvt.rz.satfinite.e4m3x2.f32 d, " + fc(1.99) + ", " + fc(-500), 0x3ffe},
		{"cvt.rz.satfinite.e2m1x2.f32 d, " + fc(5.9) + ", " + fc(-0.9), 0x69},
		{"mov.b32 a, 0x3fffbfff; cvt.rz.satfinite.e3m2x2.bf16x2 d, a", 0x0f2f},
		{"cvt.rn.satfinite.pzo.e4m3x2.f32 d, " + fc(-1e-9) + ", " + fc(-2), 0x00c0},
		{"cvt.rn.satfinite.e4m3x2.f32 d, " + fc(-1e-9) + ", " + fc(-2), 0x80c0},
		{"cvt.rn.satfinite.pzo.e2m3x2.f32 d, " + fc(1) + ", " + fc(-1e-9), 0x0800},
		{"cvt.rn.satfinite.pzo.e2m1x2.f32 d, " + fc(-1e-9) + ", " + fc(-1e-9), 0},
		{"cvt.rn.pzo.f16.f32 d, " + fc(-1e-9), 0},
		{"cvt.rn.f16x2.f32.pzo d, " + fc(-1e-9) + ", " + fc(-1), 0xbc00},
		{"cvt.rz.pzo.bf16.f32 d, 0f80000001", 0},
		{"cvt.rz.pzo.tf32.f32 d, 0f80000001", 0},
		{"cvt.u8.u32 s, 128; cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32 d, " + fc(2) + ", " + fc(-4) + ", s", 0x38c0},
		{"mov.b32 a, 0x4000c400; cvt.u8.u32 s, 128; cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f16x2 d, a, s", 0x38c0},
		{"mov.b32 a, 0x03ff03ff; cvt.u8.u32 s, 97; cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f16x2 d, a, s", 0}, // subnormal
		{"mov.b32 a, 0x04000400; cvt.u8.u32 s, 113; cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f16x2 d, a, s", 0x3838},
		{"cvt.rn.ue5m3x2.f32 d, " + fc(1) + ", " + fc(-2), 0x7880},
		{"cvt.rp.ue5m3x2.f32 d, " + fc(1.01) + ", " + fc(1e9), 0x79ff},
		{"cvt.rp.satfinite.ue5m3x2.f32 d, " + fc(1.01) + ", " + fc(1e9), 0x79fe},
		{"cvt.rz.ue5m3x2.f32 d, " + fc(1.12) + ", " + fc(1e9), 0x78fe},
		{"mov.b32 a, 0x3c004000; cvt.rn.ue5m3x2.f16x2 d, a", 0x7880},
		{"mov.b32 a, 0x3f804000; cvt.u8.u32 s, 126; cvt.rn.scaled::n1::ue8m0.ue5m3x2.bf16x2 d, a, s", 0x8088},
		{"mov.b16 a, 0x7880; cvt.rn.f16x2.ue5m3x2 d, a", 0x3c004000},
		{"mov.b16 a, 0x78ff; mov.b16 s, 0x807f; cvt.rn.scaled::n2::ue8m0.bf16x2.ue5m3x2 d, a, s", 0x40007fff},

		{"cvt.rn.relu.f16.f32 d, " + fc(-1), 0},
		{"cvt.rz.satfinite.f16.f32 d, " + fc(1e9), 0x7bff},
		{"cvt.rn.satfinite.bf16.f32 d, " + fc(-inf), 0xff7f},
		{"cvt.rn.relu.satfinite.f16x2.f32 d, " + fc(inf) + ", " + fc(-3), 0x7bff0000},
		{"cvt.rn.bf16x2.f32 d, " + fc(1) + ", " + fc(2), 0x3f804000},
		{"cvt.rz.satfinite.bf16x2.f32 d, " + fc(-inf) + ", " + fc(2), 0xff7f4000},
		{"mov.b32 r, 0x10000fff; cvt.rs.f16x2.f32 d, 0f3F801000, 0f3F801000, r", 0x3c013c00},
		{"mov.b32 r, 0x80007fff; cvt.rs.relu.bf16x2.f32 d, 0f3F808000, 0fBF808000, r", 0x3f810000},
		{"cvt.rna.tf32.f32 d, 0f3F801000", 0x3f802000},
		{"cvt.rn.tf32.f32 d, 0f3F801000", 0x3f800000},
		{"cvt.rna.satfinite.tf32.f32 d, 0f7F7FFFFF", 0x7f7fe000},
		{"cvt.rz.relu.tf32.f32 d, 0fBF801FFF", 0},
		{"cvt.rn.satfinite.relu.tf32.f32 d, 0f7F800000", 0x7f7fe000},

		{"cvt.pack.sat.s16.s32 d, -40000, 7", 0x80000007},
		{"cvt.pack.sat.u8.s32.b32 d, 300, -5, 0x12345678", 0x5678ff00},
		{"cvt.pack.sat.s4.s32.b32 d, -9, 3, 0x12345678", 0x34567883},
		{"cvt.pack.sat.u2.s32.b32 d, 1, 9, 0x12345678", 0x23456787},
	} {
		out := runTry(t, c.src+";", nil)
		if got := out["d"][0]; got != c.want {
			t.Errorf("%s: %#x, want %#x", c.src, got, c.want)
		}
	}
}

// TestStochasticFields checks that each of the four values of cvt.rs is rounded by its own random
// bits. x is half way between neighbours, so that bit 15 of its 16 random bits decides. The first
// value of a pair takes its random bits in reverse order, so that bit 0 decides there.
func TestStochasticFields(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		to    string
		x     float64
		low   uint64 // the lower neighbour's pattern; the upper is one more
		field int    // bits of a field in d
		bits  [4]int // the bit of rbits that decides for a, b, e, f
	}{
		{"e4m3x4", 1.0625, 0x38, 8, [4]int{16, 31, 0, 15}},
		{"e5m2x4", 1.125, 0x3c, 8, [4]int{16, 31, 0, 15}},
		{"e2m3x4", 1.0625, 0x08, 8, [4]int{16, 31, 0, 15}},
		{"e3m2x4", 1.125, 0x0c, 8, [4]int{16, 31, 0, 15}},
		{"e2m1x4", 1.25, 0x2, 4, [4]int{8, 31, 0, 23}},
	} {
		for i := range 4 {
			var want uint64
			for j := range 4 {
				v := c.low
				if j == i {
					v++
				}
				want = want<<c.field | v
			}
			x := fc(c.x)
			src := fmt.Sprintf("mov.b32 r, %#x; cvt.rs.satfinite.%s.f32 d, {%s, %s, %s, %s}, r;", uint32(1)<<c.bits[i], c.to, x, x, x, x)
			if got := runTry(t, src, nil)["d"][0]; got != want {
				t.Errorf("%s: %#x, want %#x", src, got, want)
			}
		}
		src := fmt.Sprintf("mov.b32 r, 0; cvt.rs.relu.satfinite.%s.f32 d, {%s, %s, %s, %s}, r;", c.to, fc(-1), fc(-2), fc(-3), fc(c.x))
		if got := runTry(t, src, nil)["d"][0]; got != c.low {
			t.Errorf("%s: %#x, want %#x", src, got, c.low)
		}
	}
}

// TestConversionTargets checks the version and target that each conversion needs.
func TestConversionTargets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ version, target, src, code string }{
		{"7.8", "sm_90", "cvt.rn.satfinite.e4m3x2.f32 %h0, %f0, %f1;", ""},
		{"7.8", "sm_89", "cvt.rn.satfinite.e4m3x2.f32 %h0, %f0, %f1;", codeVersion},
		{"8.1", "sm_89", "cvt.rn.f16x2.e5m2x2 %r0, %h0;", ""},
		{"8.1", "sm_89", "cvt.f16x2.e5m2x2.rn %r0, %h0;", ""},
		{"8.1", "sm_89", "cvt.rn.e5m2x2.f16x2 %r0, %r1;", codeUnknown}, // without .satfinite
		{"8.8", "sm_90a", "cvt.rn.satfinite.e2m1x2.f32 %b0, %f0, %f1;", codeTarget},
		{"8.8", "sm_100", "cvt.rn.satfinite.e2m1x2.f32 %b0, %f0, %f1;", codeTarget},
		{"8.6", "sm_100a", "cvt.rn.satfinite.e2m1x2.f32 %b0, %f0, %f1;", ""},
		{"8.8", "sm_103f", "cvt.rn.satfinite.e2m3x2.f32 %h0, %f0, %f1;", ""},
		{"8.8", "sm_100f", "cvt.rs.satfinite.e4m3x4.f32 %r0, {%f0, %f1, %f2, %f3}, %r1;", codeTarget},
		{"8.8", "sm_103a", "cvt.rs.satfinite.e4m3x4.f32 %r0, {%f0, %f1, %f2, %f3}, %r1;", ""},
		{"8.8", "sm_103a", "cvt.rs.satfinite.e4m3x4.f32 %r0, {%f0, %f1, %f2}, %r1;", codeOperand},
		{"9.0", "sm_100f", "cvt.rn.satfinite.e4m3x2.bf16x2 %h0, %r0;", codeVersion},
		{"9.1", "sm_120f", "cvt.rn.satfinite.e4m3x2.bf16x2 %h0, %r0;", ""},
		{"9.1", "sm_120f", "cvt.rn.satfinite.s2f6x2.bf16x2 %h0, %r0;", codeTarget},
		{"9.1", "sm_121a", "cvt.rn.satfinite.s2f6x2.bf16x2 %h0, %r0;", ""},
		{"9.4", "sm_107f", "cvt.rz.satfinite.e4m3x2.f32 %h0, %f0, %f1;", ""},
		{"9.4", "sm_103f", "cvt.rz.satfinite.e4m3x2.f32 %h0, %f0, %f1;", codeTarget},
		{"9.4", "sm_107", "cvt.rn.pzo.f16.f32 %h0, %f0;", codeTarget},
		{"9.4", "sm_107a", "cvt.rn.pzo.f16.f32 %h0, %f0;", ""},
		{"9.4", "sm_107f", "cvt.rn.ue5m3x2.f32 %h0, %f0, %f1;", ""},
		{"9.4", "sm_107f", "cvt.rp.scaled::n1::ue8m0.ue5m3x2.f32 %h0, %f0, %f1, %b0;", codeUnknown},
		{"9.3", "sm_103a", "cvt.rn.ue5m3x2.f32 %h0, %f0, %f1;", codeVersion},
		{"8.5", "sm_90", "cvt.rn.satfinite.tf32.f32 %r0, %f0;", codeVersion},
		{"8.6", "sm_90", "cvt.rn.satfinite.tf32.f32 %r0, %f0;", codeTarget},
		{"8.1", "sm_80", "cvt.rna.satfinite.tf32.f32 %r0, %f0;", ""},
		{"8.0", "sm_80", "cvt.rn.satfinite.f16.f32 %h0, %f0;", codeVersion},
		{"7.1", "sm_80", "cvt.f32.bf16 %f0, %h0;", ""},
		{"7.1", "sm_80", "cvt.ftz.f32.bf16 %f0, %h0;", codeVersion},
		{"7.8", "sm_80", "cvt.f32.bf16 %f0, %r0;", codeType},
		{"6.5", "sm_72", "cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, 0;", ""},
		{"6.5", "sm_72", "cvt.pack.sat.u4.s32.b32 %r0, %r1, %r2, 0;", codeTarget},
	} {
		m, l := Parse("t.ptx", fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n.entry k() {\n.reg .b8 %%b<2>; .reg .b16 %%h<4>; .reg .b32 %%r<4>; .reg .f32 %%f<4>;\n%s ret;\n}\n", c.version, c.target, c.src))
		if len(l) == 0 {
			l = Check(m)
		}
		got := ""
		if errs := l.Err(); errs != nil {
			got = diag.Of(errs)[0].Code
		}
		if got != c.code {
			t.Errorf("%s %s %s: %q, want %q: %s", c.version, c.target, c.src, got, c.code, strings.TrimSpace(l.Error()))
		}
	}
}
