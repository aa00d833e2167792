package difftest

import (
	"testing"

	"example.org/crosslane"
)

// TestSteps checks values in equal steps from lane to lane that come from operations on narrow
// types. Guards that are the same in all lanes protect them, and the first lanes may be inactive.
// The values are used as indices, as values, or both.
func TestSteps(t *testing.T) {
	t.Parallel()
	const (
		index = "mul.wide.u32 %rd5, %r3, 4;\nadd.u64 %rd5, %rd5, %rd0;\nst.global.u32 [%rd5+2048], %r0;\n"
		value = "st.global.u32 [%rd1], %r3;\n"
		early = "setp.lt.u32 %p4, %r0, 5;\n@%p4 bra end;\n"
		never = "activemask.b32 %r8;\nsetp.eq.u32 %p3, %r8, 5;\n"
		begin = "add.u32 %r3, %r0, 100;\nand.b32 %r5, %r0, 31;\ncvt.u16.u32 %rs1, %r5;\n"
	)
	for _, what := range []string{index, value, index + value} {
		for _, start := range []string{"", early} {
			for _, op := range []string{"cvt.u32.u16 %r3, %rs1;", "mul.wide.u16 %r3, %rs1, 1;", "mad.wide.u16 %r3, %rs1, 1, %r0;", "mov.b32 %r3, {%rs1, 0};", "add.f32 %f1, 0f00000001, 0f00000000;\nmov.b32 %r3, %f1;", "ld.local.u32 %r3, [loc];"} {
				for _, guard := range []string{"", "@%p3 ", "@!%p3 "} {
					body := "st.local.u32 [loc], %r0;\n" + start + never + begin + guard + op + "\n" + what + "end:\n"
					ending(t, ptxKernel("", ".reg .b16 %rs<5>; .reg .f32 %f<3>; .local .b32 loc;", body), crosslane.PTX, crosslane.Launch{Grid: crosslane.Dim3{X: 2}, Block: crosslane.Dim3{X: 32}})
				}
			}
		}
	}
}
