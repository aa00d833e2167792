package ptx

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

// spelled lifts a kernel of one statement and returns its IR as text.
func spelled(t *testing.T, version, target, instr string) (string, error) {
	t.Helper()
	src := fmt.Sprintf(`.version %s
.target %s
.address_size 64
.entry k(.param .u64 kp) {
	.reg .pred p<4>; .reg .b16 h<8>; .reg .b32 r<16>; .reg .b64 d<8>; .reg .f32 f<8>; .reg .f64 g<4>;
	.shared .align 16 .b8 s[1024];
	%s
}
`, version, target, instr)
	m, errs := Parse("k.ptx", src)
	if errs.Err() != nil {
		t.Fatalf("%s: %v", instr, errs)
	}
	k, err := Lift(m, "k")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, l := range strings.SplitAfter(k.Func.Print(), "\n") {
		if !strings.HasPrefix(strings.TrimSpace(l), ";") { // the guest's text
			b.WriteString(l)
		}
	}
	return b.String(), nil
}

// chosen returns the result of a table lookup of the opcode of an instruction.
func chosen(instr string, operands int) *variant {
	f := strings.Fields(instr)
	if f[0][0] == '@' {
		f = f[1:]
	}
	return instructions().lookup(strings.Split(f[0], "."), operands)
}

// TestSpellings checks the spellings that libraries and compilers write in place of the manual's
// syntax, and their meaning.
func TestSpellings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ version, target, written, manual string }{
		{"6.5", "sm_75", "ldmatrix.sync.aligned.x1.m8n8.shared.b16 {r1}, [r2];", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r1}, [r2];"},
		{"6.5", "sm_75", "ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16 {r1, r2, r3, r4}, [r5];", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {r1, r2, r3, r4}, [r5];"},
		{"7.8", "sm_90", "stmatrix.sync.aligned.x2.trans.m8n8.shared.b16 [r5], {r1, r2};", "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [r5], {r1, r2};"},
		{"8.7", "sm_120a", "mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e2m1.e3m2.f32 {f0, f1, f2, f3}, {r0, r1, r2, r3}, {r4, r5}, {f4, f5, f6, f7};",
			"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32 {f0, f1, f2, f3}, {r0, r1, r2, r3}, {r4, r5}, {f4, f5, f6, f7};"},
		{"8.7", "sm_120a", "mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3 {f0, f1, f2, f3}, {r0, r1, r2, r3}, {r4, r5}, {f0, f1, f2, f3}, {r6}, {h1, h2}, {r7}, {h3, h4};",
			"mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 {f0, f1, f2, f3}, {r0, r1, r2, r3}, {r4, r5}, {f0, f1, f2, f3}, r6, {h1, h2}, r7, {h3, h4};"},
		{"8.7", "sm_120a", "mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e2m1.f32.ue8m0 {f0, f1, f2, f3}, {r0, r1, r2, r3}, {r4, r5}, {f0, f1, f2, f3}, {r6}, {0, 0}, {r7}, {0, 0};",
			"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e2m1.f32.ue8m0 {f0, f1, f2, f3}, {r0, r1, r2, r3}, {r4, r5}, {f0, f1, f2, f3}, r6, {0, 0}, r7, {0, 0};"},
		{"8.7", "sm_120a", "mma.sync.aligned.kind::f8f6f4.sp::ordered_metadata.m16n8k64.row.col.f32.e4m3.e5m2.f32 {f0, f1, f2, f3}, {r0, r1, r2, r3}, {r4, r5, r6, r7}, {f4, f5, f6, f7}, r8, 0x0;",
			"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e5m2.f32 {f0, f1, f2, f3}, {r0, r1, r2, r3}, {r4, r5, r6, r7}, {f4, f5, f6, f7}, r8, 0x0;"},
		{"7.0", "sm_80", "@p1 ld.global.b32 { r1 }, [ d1 + 0 ];", "@p1 ld.global.b32 r1, [d1];"},
		{"7.0", "sm_80", "@p1 st.global.b32 [ d1 + 0 ], { r1 };", "@p1 st.global.b32 [d1], r1;"},
		{"7.0", "sm_80", "st.global.u8 [d1], {r1};", "st.global.u8 [d1], r1;"},
		{"7.4", "sm_80", "ld.global.L1::evict_last.L2::cache_hint.b64 {d2}, [d1], d3;", "ld.global.L1::evict_last.L2::cache_hint.b64 d2, [d1], d3;"},
		{"7.0", "sm_80", "add.rm.sat.ftz.f32 f1, f2, f3;", "add.rm.ftz.sat.f32 f1, f2, f3;"},
	} {
		got, err := spelled(t, c.version, c.target, c.written)
		if err != nil {
			t.Errorf("%s: %v", c.written, err)
			continue
		}
		want, err := spelled(t, c.version, c.target, c.manual)
		if err != nil {
			t.Fatalf("%s: %v", c.manual, err)
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant that of %s:\n%s", c.written, got, c.manual, want)
		}
		// The listing leaves out the operation of a matrix instruction, so the test compares that,
		// too.
		if a, b := chosen(c.written, 4), chosen(c.manual, 4); b.row.Cost == costMatrix && (a == nil || a.row != b.row || !slices.Equal(a.mods, b.mods)) {
			t.Errorf("%s is not %s", c.written, c.manual)
		}
	}
	for _, c := range []struct{ target, instr string }{
		{"sm_120a", "mma.sync.aligned.kind::f8f6f4.m16n8k32.col.row.f32.e2m1.e3m2.f32 {f0, f1, f2, f3}, {r0, r1, r2, r3}, {r4, r5}, {f4, f5, f6, f7};"},
		{"sm_80", "ld.global.v2.b32 {r1}, [d1];"},
		{"sm_80", "ld.global.b32 {r1, r2}, [d1];"},
		{"sm_80", "st.global.b32 [d1], {f1, r1};"},
		{"sm_80", "st.global.b32 [d1], {h1};"},
		{"sm_80", "fma.rn.f32 f1, f2, 1, f3;"},
	} {
		if _, err := spelled(t, "8.7", c.target, c.instr); err == nil {
			t.Errorf("%s is accepted", c.instr)
		}
	}
}

// TestCorrections: an opcode that is wrong in one modifier is corrected.
func TestCorrections(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ instr, want string }{
		{"mul.s32 r1, r2, r3;", "did you mean mul.lo.s32 or mul.hi.s32 or mul.wide.s32 or mul.f32?"},
		{"mma.sync.m16n8k16.row.col.f32.bf16.bf16.f32 {f0, f1, f2, f3}, {r0, r1, r2, r3}, {r4, r5}, {f4, f5, f6, f7};", "did you mean mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32?"},
		{"atom.global.cas.u32 r1, [d1], r2, r3;", "did you mean atom.global.cas.b32 or atom.global.cas.b16 or atom.global.cas.b64 or atom.global.cas.b128?"},
		{"ex2.rn.f32 f1, f2;", "did you mean ex2.approx.f32?"},
		{"ldmatrix.sync.aligned.m8n8.x4.shared.b32 {r1, r2, r3, r4}, [r5];", "did you mean ldmatrix.sync.aligned.m8n8.x4.shared.b16?"},
		{"and.u32 r1, r2, r3;", "did you mean and.b32 or and.pred or and.b16 or and.b64?"},
		// Two mistakes: the forms.
		{"setp.sync.x f1, f2;", "the nearest forms are: "},
	} {
		_, err := spelled(t, "8.7", "sm_90", c.instr)
		if l, ok := err.(diag.List); !ok || len(l) == 0 || !strings.HasPrefix(l[0].Remedy, c.want) {
			t.Errorf("%s: %v, want %s", c.instr, err, c.want)
		}
	}
	// Every proposed opcode exists.
	for _, parts := range [][]string{{"ld", "global", "v3", "f32"}, {"cvt", "rn", "s32", "f32"}, {"wgmma", "mma_async", "sync", "m64n8k16", "f32", "f16", "f16"}, {"tcgen05", "ld", "aligned", "16x64b", "x1", "b32"}} {
		ops := instructions().corrected(parts)
		if len(ops) == 0 {
			t.Errorf("%v: no correction", parts)
		}
		for _, op := range ops {
			if instructions().lookup(strings.Split(op, "."), 2) == nil {
				t.Errorf("%v: %s is proposed, and no instruction", parts, op)
			}
		}
	}
	long := append([]string{"ld"}, slices.Repeat([]string{"global"}, 10000)...)
	if ops := instructions().corrected(long); ops != nil {
		t.Errorf("a long opcode has corrections: %v", ops)
	}
}

// TestOptix checks that programs of OptiX are refused by name, and not as misspelled.
func TestOptix(t *testing.T) {
	t.Parallel()
	_, errs := Parse("o.ptx", ".version 7.0\n.target sm_60\n.address_size 64\n.visible .entry __raygen__k()\n{\n\t.reg .b32 %r1;\n\tcall (%r1), _optix_get_launch_index_x, ();\n\tret;\n}\n")
	if errs.ExitCode() != 3 || !strings.Contains(errs[0].Error(), "_optix_get_launch_index_x is a function of OptiX") {
		t.Errorf("%v, exit code %d", errs, errs.ExitCode())
	}
}
