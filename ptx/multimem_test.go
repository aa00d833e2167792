package ptx

import (
	"regexp"
	"testing"
)

// multimemOrder matches the name of a load or store, and the memory order that it requests.
var multimemOrder = regexp.MustCompile(`(multimem\.(?:ld_reduce|st))(?:\.weak|\.(?:relaxed|acquire|release)\.(?:cta|gpu|sys))?(\.(?:global|add|min|max|and|or|xor|v2|v4|[befsu]\d))`)

// TestMultimem checks that a multimem address on one device stands for one memory (PTX 9.7.9.15).
// Therefore a load that reduces returns the loaded value, and stores and reductions act as st and
// red.
func TestMultimem(t *testing.T) {
	t.Parallel()
	const decl = ".global .align 16 .b32 g[8] = {10, 0xfffffff0, 0x3c003c00, 0x3f800000, 5, 6, 7, 8};"
	const frame = "mov.u64 %rd5, g; .shared .align 16 .b32 s[4]; mov.u32 %r3, 3; mov.u32 %r9, 0; mov.u64 %rd6, s;"
	for _, c := range []struct {
		code string
		want uint32
	}{
		{"multimem.ld_reduce.acquire.gpu.global.add.u32 %r9, [%rd5];", 10},
		{"multimem.ld_reduce.weak.max.s32 %r9, [%rd5+4];", 0xfffffff0},
		{"multimem.ld_reduce.and.b64 %rd7, [%rd5]; cvt.u32.u64 %r9, %rd7;", 10},
		{"multimem.ld_reduce.add.acc::f32.v2.f16x2 {%r4, %r9}, [%rd5+8];", 0x3f800000},
		{"multimem.ld_reduce.relaxed.cta.min.v2.e4m3x2 {%h1, %h2}, [%rd5+8]; cvt.u32.u16 %r9, %h2;", 0x3c00},
		{"multimem.ld_reduce.add.acc::f16.v4.e5m2 {%h1, %h2, %h3, %h4}, [%rd5+12]; cvt.u32.u16 %r9, %h4;", 0x3f},
		{"multimem.ld_reduce.add.e4m3x4 %r9, [%rd5+12];", 0x3f800000},
		{"multimem.ld_reduce.add.f32 %r9, [%rd5+12];", 0x3f800000},
		{"multimem.st.relaxed.gpu.b32 [%rd5], %r3; ld.global.u32 %r9, [%rd5];", 3},
		{"multimem.st.v2.f32 [%rd5], {%r3, %r3}; ld.global.u32 %r9, [%rd5+4];", 3},
		{"multimem.st.release.sys.global.v4.e5m2x2 [%rd5], {%h1, %h1, %h1, %h1}; mov.b16 %h1, 7; multimem.st.v2.e4m3x2 [%rd5], {%h1, %h1}; ld.global.u32 %r9, [%rd5];", 0x70007},
		{"multimem.red.relaxed.gpu.max.u32 [%rd5], 11; ld.global.u32 %r9, [%rd5];", 11},
		{"multimem.red.release.cta.global.add.v4.f32 [%rd5], {0f3F800000, 0f3F800000, 0f00000000, 0f3F800000}; ld.global.u32 %r9, [%rd5+12];", 0x40000000},
		{"mov.b32 %r4, 0x3c004000; multimem.red.add.f16x2 [%rd5+8], %r4; ld.global.u32 %r9, [%rd5+8];", 0x40004200},
		{"multimem.st.async.release.gpu.global.u32 [%rd5], 9; multimem.red.async.release.sys.add.s32 [%rd5], -2; ld.global.u32 %r9, [%rd5];", 7},
		{"st.shared.v4.u32 [%rd6], {%r3, %r3, %r3, %r3}; multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd5], [%rd6], 16; multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd5], [%rd6], 16; ld.global.u32 %r9, [%rd5+12];", 6},
		{"st.shared.v4.u32 [%rd6], {%r3, %r3, %r3, %r3}; mov.b16 %h1, 0xf; multimem.cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.cp_mask.b128 [%rd5], [%rd6], 16, %h1; multimem.cp.reduce.async.bulk.relaxed.sys.global.shared::cta.bulk_group.inc.u32 [%rd5], [%rd6], 16; ld.global.u32 %r9, [%rd5];", 0},
		{"multimem.red.add.u32 [%rd5], 5; ld.global.u32 %r9, [%rd5];", 15},
		{"multimem.red.xor.b32 [%rd5], 3; ld.global.u32 %r9, [%rd5];", 9},
		{"multimem.ld_reduce.add.acc::f32.v2.f16 {%h1, %h2}, [%rd5+8]; cvt.u32.u16 %r9, %h2;", 0x3c00},
		{"mov.b16 %h1, 0x4000; multimem.st.v2.bf16 [%rd5], {%h1, %h1}; ld.global.u32 %r9, [%rd5];", 0x40004000},
		{"mov.b16 %h1, 0x3c00; multimem.red.add.v2.f16 [%rd5+8], {%h1, %h1}; ld.global.u32 %r9, [%rd5+8];", 0x40004000},
		{"multimem.st.v2.f16x2 [%rd5], {%r3, %r3}; ld.global.u32 %r9, [%rd5+4];", 3},
		{"multimem.ld_reduce.add.f64 %rd7, [%rd5+8]; shr.u64 %rd7, %rd7, 32; cvt.u32.u64 %r9, %rd7;", 0x3f800000},
		{"mov.b64 %rd7, 0x3ff0000000000000; multimem.st.f64 [%rd5], %rd7; ld.global.u32 %r9, [%rd5+4];", 0x3ff00000},
		{"mov.b64 %rd7, 0x3ff0000000000000; st.global.u64 [%rd5], %rd7; multimem.red.add.f64 [%rd5], %rd7; ld.global.u32 %r9, [%rd5+4];", 0x40000000},
		{"mov.b16 %h1, 0x12; multimem.st.v4.e5m2 [%rd5], {%h1, %h1, %h1, %h1}; ld.global.u32 %r9, [%rd5];", 0x12121212},
		{"multimem.st.e4m3x4 [%rd5], %r3; ld.global.u32 %r9, [%rd5];", 3},
		{"st.shared.v4.u32 [%rd6], {%r3, %r3, %r3, %r3}; multimem.cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.b128 [%rd5], [%rd6], 16; ld.global.u32 %r9, [%rd5+8];", 3},
		{"st.shared.v4.u32 [%rd6], {%r3, %r3, %r3, %r3}; mov.b16 %h1, 1; multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd5], [%rd6], 16, %h1; ld.global.u32 %r9, [%rd5+4];", 0xfffffff0},
		{"st.shared.v4.u32 [%rd6], {%r3, %r3, %r3, %r3}; multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.min.u32 [%rd5], [%rd6], 16; ld.global.u32 %r9, [%rd5];", 3},
		{"st.shared.v4.u32 [%rd6], {%r3, %r3, %r3, %r3}; multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b32 [%rd5], [%rd6], 16; ld.global.u32 %r9, [%rd5];", 9},
		{"st.shared.v4.u32 [%rd6], {%r3, %r3, %r3, %r3}; st.global.v4.u32 [%rd5], {%r9, %r9, %r9, %r9}; multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%rd5], [%rd6], 16; ld.global.u32 %r9, [%rd5];", 3},
		{"multimem.ld_reduce.min.v2.f16 {%h1, %h2}, [%rd5+8]; cvt.u32.u16 %r9, %h2;", 0x3c00},
		{"multimem.ld_reduce.max.v2.f16x2 {%r4, %r9}, [%rd5+8];", 0x3f800000},
		{"multimem.ld_reduce.min.v4.e5m2 {%h1, %h2, %h3, %h4}, [%rd5+12]; cvt.u32.u16 %r9, %h4;", 0x3f},
		{"multimem.ld_reduce.max.e4m3x4 %r9, [%rd5+12];", 0x3f800000},
		{"multimem.ld_reduce.add.acc::f16.v2.e4m3x2 {%h1, %h2}, [%rd5+8]; cvt.u32.u16 %r9, %h2;", 0x3c00},
		{"multimem.st.b32 [%rd5], %r3; ld.global.u32 %r9, [%rd5];", 3},
	} {
		codes := map[string]bool{}
		for _, order := range []string{"", ".weak", ".relaxed.sys"} {
			codes[multimemOrder.ReplaceAllString(c.code, "$1"+order+"$2")] = true
		}
		codes[c.code] = true
		for code := range codes {
			if got := launchKernel(t, body94(decl, frame+code), "k", 1, 1, 0); got[0] != c.want {
				t.Errorf("%s\ngives %#x, want %#x", code, got[0], c.want)
			}
		}
	}
}
