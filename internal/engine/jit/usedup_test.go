package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/sim"
)

// usedUp is a kernel whose first wave comes to the second barrier last, close to the end of
// its time slice, and takes a number some time later. The other wave then waits for numbers
// that later blocks take.
const usedUp = `.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 count, .param .u32 n, .param .u32 rest)
{
	.reg .pred %p, %q;
	.reg .b32 %r<16>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [count];
	ld.param.u32 %r1, [n];
	ld.param.u32 %r2, [rest];
	mov.u32 %r4, %tid.x;
	mov.u32 %r7, %ctaid.x;
	mov.u32 %r8, %ntid.x;
	mad.lo.u32 %r9, %r7, %r8, %r4;
	mul.wide.u32 %rd3, %r9, 4;
	add.u64 %rd1, %rd1, %rd3;
	shr.u32 %r5, %r4, 5;
	setp.lt.u32 %q, %r7, 2;
	@%q bra work;
	bar.sync 0;
	setp.ne.u32 %q, %r5, 0;
	mov.u32 %r12, 0;
	@%q bra skip;
again:
	add.u32 %r12, %r12, 1;
	setp.lt.u32 %p, %r12, %r1;
	@%p bra again;
	mov.u32 %r12, 0;
skip:
	bar.sync 0;
	@%q bra poll;
	mov.u32 %r12, 0;
more:
	add.u32 %r12, %r12, 1;
	setp.lt.u32 %p, %r12, 100;
	@%p bra more;
	atom.global.add.u32 %r10, [%rd2], 1;
	st.global.u32 [%rd1], %r10;
	ret;
poll:
	ld.volatile.global.u32 %r10, [%rd2];
	setp.lt.u32 %p, %r10, %r2;
	@%p bra poll;
	ret;
work:
	atom.global.add.u32 %r10, [%rd2], 1;
	st.global.u32 [%rd1], %r10;
	bar.sync 0;
	bar.sync 0;
	ret;
}
`

// TestSliceUsedUp: a wave has about used up its time slice when it opens a barrier in machine code, and
// another wave then waits for other blocks.
func TestSliceUsedUp(t *testing.T) {
	t.Parallel()
	const block = 64
	for n := uint32(4085); n < 4105; n++ {
		repeats(t, fmt.Sprint(n, " rounds"), func(e sim.Engine) string {
			how, counts, out := tickets(t, e, usedUp, 8, block, 0, n, 2*block+1)
			if how != fine {
				t.Errorf("%d rounds: the launch ends with %s", n, how)
			}
			return fmt.Sprintf("%v %x", counts, out)
		})
	}
}
