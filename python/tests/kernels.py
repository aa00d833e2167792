"""Kernels that the tests launch. Each stands beside the correct or faulty twin that it is compared with."""

HEAD = """.version 8.0
.target sm_80
.address_size 64
"""

# p[i] *= scale for i < n; every lane of one block.
SCALE = (
    HEAD
    + """.visible .const .align 4 .u32 scale = 3;
.visible .global .align 4 .u32 counter = 5;
.visible .entry mul(.param .u64 p, .param .u32 n)
{
	.reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %q;
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	setp.ge.u32 %q, %r2, %r1;
	@%q ret;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r3, [%rd1];
	ld.const.u32 %r4, [scale];
	mul.lo.u32 %r3, %r3, %r4;
	st.global.u32 [%rd1], %r3;
	ret;
}
"""
)

# out[i] = x of every type that a parameter may have, from one lane.
NUMBERS = (
    HEAD
    + """.visible .entry numbers(.param .u64 out, .param .s8 a, .param .u16 b, .param .s32 c, .param .u64 d, .param .f32 e, .param .f64 f, .param .b32 g, .param .align 4 .b8 h[12])
{
	.reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .b16 %h<3>; .reg .f32 %f<2>; .reg .f64 %d<2>;
	ld.param.u64 %rd1, [out];
	ld.param.s8 %r1, [a];
	st.global.s32 [%rd1], %r1;
	ld.param.u16 %h1, [b];
	st.global.u16 [%rd1+4], %h1;
	ld.param.s32 %r2, [c];
	st.global.s32 [%rd1+8], %r2;
	ld.param.u64 %rd2, [d];
	st.global.u64 [%rd1+16], %rd2;
	ld.param.f32 %f1, [e];
	st.global.f32 [%rd1+24], %f1;
	ld.param.f64 %d1, [f];
	st.global.f64 [%rd1+32], %d1;
	ld.param.b32 %r3, [g];
	st.global.b32 [%rd1+40], %r3;
	ld.param.b32 %r4, [h+8];
	st.global.b32 [%rd1+44], %r4;
	ret;
}
"""
)

GREET = (
    HEAD
    + """.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .b8 hello[4] = {104, 105, 10, 0};
.visible .entry greet()
{
	.reg .b32 %r<2>; .reg .b64 %rd<3>;
	.param .b64 f; .param .b64 a; .param .b32 r;
	mov.u64 %rd1, hello;
	cvta.global.u64 %rd1, %rd1;
	mov.u64 %rd2, 0;
	st.param.b64 [f], %rd1;
	st.param.b64 [a], %rd2;
	call (r), vprintf, (f, a);
	ret;
}
"""
)

# Lane 0 of each of two warps writes shared memory, and all lanes read it: without the barrier that is a race.
_EXCHANGE = (
    HEAD
    + """.visible .entry exchange(.param .u64 out)
{
	.reg .b32 %r<5>; .reg .b64 %rd<4>;
	.shared .align 4 .b8 s[256];
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 2;
	mov.u32 %r3, s;
	add.u32 %r2, %r3, %r2;
	st.shared.u32 [%r2], %r1;
	BARRIER
	mov.u32 %r4, 63;
	sub.u32 %r4, %r4, %r1;
	shl.b32 %r4, %r4, 2;
	add.u32 %r4, %r3, %r4;
	ld.shared.u32 %r4, [%r4];
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r4;
	ret;
}
"""
)
EXCHANGE = _EXCHANGE.replace("BARRIER", "bar.sync 0;")
EXCHANGE_RACES = _EXCHANGE.replace("BARRIER", "")
