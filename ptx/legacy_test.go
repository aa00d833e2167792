package ptx

import "testing"

// TestLegacyKernel runs code in the style of the compilers of 2008: parameters in the body, 16-bit
// special registers, 16-bit multiplication of thread numbers, set, constant banks, several results,
// bra without .uni, exit.
func TestLegacyKernel(t *testing.T) {
	t.Parallel()
	const src = `	.version 1.3
	.target sm_11, map_f64_to_f32
	// compiled with be.exe
	.const[0] .s32 weights[4] = {10, 20, 30, 40};
	.reg .u32 %scratch;
	.func (.reg .u32 %lo, .reg .u32 %hi) divmod (.reg .u32 %a, .reg .u32 %b)
	{
	.reg .u32 %t;
	div.u32 %hi, %a, %b;
	mul.lo.u32 %t, %hi, %b;
	sub.u32 %lo, %a, %t;
	ret;
	}
	.entry old
	{
	.param .u32 __cudaparm_out;
	.param .u16 __cudaparm_scale;
	.reg .u16 %rh<6>;
	.reg .u32 %r<16>;
	.reg .pred %p<3>;
	.loc	14	10	0
$LBB1_old:
	mov.u16 	%rh1, %ctaid.x;
	mov.u16 	%rh2, %ntid.x;
	mul.wide.u16 	%r1, %rh1, %rh2;
	cvt.u32.u16 	%r2, %tid.x;
	add.u32 	%r3, %r2, %r1;
	ld.param.u16 	%rh3, [__cudaparm_scale];
	cvt.u32.u16 	%r4, %rh3;
	mul24.lo.u32 	%r5, %r3, %r4;
	and.b32 	%r6, %r3, 3;
	mul.lo.u32 	%r6, %r6, 4;
	mov.u32 	%r7, weights;
	add.u32 	%r7, %r7, %r6;
	ld.const[0].s32 	%r8, [%r7+0];
	add.s32 	%r5, %r5, %r8;
	call (%r9, %r10), divmod, (%r5, 7);
	set.gt.u32.u32 	%r11, %r2, 15;
	neg.s32 	%r12, %r11;
	setp.ne.u32 	%p1, %r12, 0;
	@%p1 bra 	$Lt_0_5634;
	add.u32 	%r9, %r9, 100;
$Lt_0_5634:
	mad24.lo.u32 	%r13, %r10, 1000, %r9;
	ld.param.u32 	%r14, [__cudaparm_out];
	mul.lo.u32 	%r15, %r3, 4;
	add.u32 	%r14, %r14, %r15;
	st.global.u32 	[%r14+0], %r13;
	exit;
	} // old
`
	weights := [4]uint32{10, 20, 30, 40}
	for i, got := range launchKernel(t, src, "old", 32, 32, 9) {
		x := uint32(i)*9 + weights[i%4]
		want := x/7*1000 + x%7
		if i <= 15 {
			want += 100
		}
		if got != want {
			t.Errorf("thread %d: %d, want %d", i, got, want)
		}
	}
}
