package api_test

import (
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// TestNativeFaults has accesses that are outside, or not aligned, next to accesses about which the
// code has facts that do not apply to them.
func TestNativeFaults(t *testing.T) {
	t.Parallel()
	const head = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .pred %p<4>;
	.reg .b32 %r<16>;
	.reg .b64 %rd<8>;
	.shared .align 16 .b8 tile[4096];
	ld.param.u64 %rd2, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd5, %r1, 4;
	add.u64 %rd2, %rd2, %rd5;
	mov.u32 %r3, tile;
	shl.b32 %r4, %r1, 2;
	add.u32 %r5, %r3, %r4;
	st.shared.u32 [%r5], %r1;
	mov.u64 %rd6, tile;
	cvta.shared.u64 %rd7, %rd6;
	add.u64 %rd7, %rd7, %rd5;
	shl.b32 %r6, %r1, 4;
	add.u32 %r6, %r3, %r6;
`
	// An address in shared memory moves on. From the fifth round on it is one of global memory, too.
	loop := func(generic, global string) string {
		return "L:\n" + generic + "\nsetp.lt.u32 %p1, %r8, 4;\n@%p1 bra S;\n" + global + `
S:
	add.u64 %rd7, %rd7, 4;
	add.u32 %r8, %r8, 1;
	setp.lt.u32 %p2, %r8, 8;
	@%p2 bra L;
`
	}
	for _, c := range []struct{ name, code, want string }{
		{"load where a generic load was inside", loop("ld.u32 %r7, [%rd7];", "ld.global.u32 %r7, [%rd7+4];"), "out-of-bounds"},
		{"store where a generic store was inside", loop("st.u32 [%rd7], %r8;", "st.global.u32 [%rd7+4], %r8;"), "out-of-bounds"},
		{"ldmatrix", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r7, %r8}, [%r6+8];\n", "misaligned"},
		{"stmatrix", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r6+8], {%r1};\n", "misaligned"},
		{"aligned ldmatrix", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r7, %r8}, [%r6+16];\n", ""},
		{"generic loads alone", loop("ld.u32 %r7, [%rd7];", "ld.u32 %r7, [%rd7+4];"), ""},
	} {
		m, err := crosslane.Load([]byte(head+c.code+"st.global.u32 [%rd2], %r7;\nret;\n}\n"), "k", crosslane.PTX)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		var first string
		for _, how := range []crosslane.Launch{{Engine: "interp"}, {Engine: "jit", Native: crosslane.NativeAVX2}, {Engine: "jit", Native: crosslane.NativeAVX512}} {
			how.Grid, how.Block = crosslane.Dim3{X: 1}, crosslane.Dim3{X: 32}
			how.Args = []crosslane.Arg{crosslane.NewBuffer("out", crosslane.U32, 32)}
			_, err := k.Run(t.Context(), how)
			got, said := "", ""
			if err != nil {
				got, said = diag.Of(err)[0].Code, err.Error()
			}
			if got == "bad-engine" {
				continue // not on this processor
			}
			if got != c.want {
				t.Errorf("%s: %s %s: ends with %q, want %q", c.name, how.Engine, how.Native, got, c.want)
			}
			if how.Engine == "interp" {
				first = said
			} else if said != first {
				t.Errorf("%s: %s: says %q, want %q", c.name, how.Native, said, first)
			}
		}
	}
}
