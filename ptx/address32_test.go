package ptx

import "testing"

// TestGenericAddressesOf32Bits checks that generic addresses in a module of 32-bit addresses also
// reach shared memory, private memory and parameters, and that they convert back from the generic
// space (PTX 9.7.9.20, 9.7.9.21).
func TestGenericAddressesOf32Bits(t *testing.T) {
	t.Parallel()
	const src = `.version 3.2
.target sm_30
.address_size 32
.visible .entry k(.param .u32 out)
{
	.reg .u32 %r<20>; .reg .pred %p<8>;
	.local .align 8 .b8 l[64];
	.shared .align 8 .b8 s[64];
	ld.param.u32 %r0, [out];
	mov.u32 %r9, 0;
	// Private memory through a generic address, by variable and by register.
	mov.u32 %r1, l; cvta.local.u32 %r1, %r1;
	cvta.local.u32 %r2, l;
	setp.ne.u32 %p0, %r1, %r2; @%p0 add.u32 %r9, %r9, 1;
	st.u32 [%r1+4], 77; ld.local.u32 %r3, [l+4];
	setp.ne.u32 %p0, %r3, 77; @%p0 add.u32 %r9, %r9, 2;
	cvta.to.local.u32 %r4, %r2; ld.local.u32 %r3, [%r4+4];
	setp.ne.u32 %p0, %r3, 77; @%p0 add.u32 %r9, %r9, 4;
	// Shared memory.
	cvta.shared.u32 %r5, s; st.v2.u32 [%r5+8], {5, 6}; ld.shared.u32 %r3, [s+12];
	setp.ne.u32 %p0, %r3, 6; @%p0 add.u32 %r9, %r9, 8;
	atom.add.u32 %r3, [%r5+12], 4; ld.u32 %r3, [%r5+12];
	setp.ne.u32 %p0, %r3, 134; @%p0 add.u32 %r9, %r9, 16;
	// Which space is which.
	isspacep.local %p1, %r1; isspacep.shared %p2, %r1; isspacep.local %p3, %r5; isspacep.shared %p4, %r5;
	and.pred %p5, %p1, %p4; or.pred %p6, %p2, %p3; not.pred %p5, %p5; or.pred %p5, %p5, %p6;
	@%p5 add.u32 %r9, %r9, 32;
	isspacep.shared %p1, %r0; isspacep.local %p2, %r0; or.pred %p1, %p1, %p2;
	@%p1 add.u32 %r9, %r9, 64;
	add.u32 %r9, %r9, 1000;
	mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; add.u32 %r0, %r0, %r1;
	st.global.u32 [%r0], %r9;
	exit;
}`
	for i, v := range launchKernel(t, src, "k", 32, 32) {
		if v != 1000 {
			t.Errorf("lane %d: wrong in %#x", i, v-1000)
		}
	}
}
