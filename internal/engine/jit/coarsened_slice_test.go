package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/sim"
)

// passTurn is a kernel whose waves change visible memory before a barrier, and only compute
// up to the next one. After that, a wave of one block waits for the numbers of later blocks.
const passTurn = `.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 count, .param .u32 which, .param .u32 want)
{
	.reg .pred %p;
	.reg .b32 %r<16>;
	.reg .f32 %f<3>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [count];
	ld.param.u32 %r1, [which];
	ld.param.u32 %r2, [want];
	mov.u32 %r4, %tid.x;
	mov.u32 %r7, %ctaid.x;
	mov.u32 %r8, %ntid.x;
	mad.lo.u32 %r9, %r7, %r8, %r4;
	mul.wide.u32 %rd3, %r9, 4;
	add.u64 %rd1, %rd1, %rd3;
	shr.u32 %r5, %r4, 5;
	cvt.rn.f32.u32 %f1, %r4;
	mov.f32 %f2, 0f3F800000;
	st.global.u32 [%rd1], %r4;
	bar.sync 0;
	mov.u32 %r12, 0;
again:
	fma.rn.f32 %f2, %f2, %f1, %f1;
	fma.rn.f32 %f1, %f1, 0f3F000000, %f2;
	add.u32 %r12, %r12, 1;
	setp.lt.u32 %p, %r12, 10;
	@%p bra again;
	bar.sync 0;
	setp.ne.u32 %p, %r7, 5;
	@%p bra end;
	setp.ne.u32 %p, %r5, %r1;
	@%p bra end;
poll:
	ld.volatile.global.u32 %r10, [%rd2];
	setp.lt.u32 %p, %r10, %r2;
	@%p bra poll;
end:
	setp.eq.u32 %p, %r7, 5;
	@%p bra last;
	atom.global.add.u32 %r10, [%rd2], 1;
last:
	st.global.f32 [%rd1], %f2;
	ret;
}
`

// TestSliceOfCoarsened ends the time slice of a wave at the end of a coarsened body after a
// barrier. The wave then waits for another block, although it has changed memory before the barrier.
func TestSliceOfCoarsened(t *testing.T) {
	t.Parallel()
	for _, block := range []uint32{32, 64, 96, 128, 256} {
		for which := range block / 32 {
			settles(t, fmt.Sprint("blocks of ", block, ", wave ", which), func(e sim.Engine) (string, sim.Stats) {
				how, counts, out := tickets(t, e, passTurn, 8, block, 0, which, 5*block+1)
				return fmt.Sprintf("%s %x", how, out), counts
			})
		}
	}
}
