package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/sim"
)

// looking is a kernel whose lanes look at a counter before they count themselves. Each lane
// of the first wave looks as often as its number says, plus the initial value.
const looking = `.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 count, .param .u32 first)
{
	.reg .pred %p;
	.reg .b32 %r<13>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [count];
	ld.param.u32 %r1, [first];
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %ctaid.x;
	mov.u32 %r4, %ntid.x;
	mad.lo.u32 %r5, %r3, %r4, %r2;
	mul.wide.u32 %rd3, %r5, 4;
	add.u64 %rd1, %rd1, %rd3;
	setp.lt.u32 %p, %r2, 32;
	mad.lo.u32 %r7, %r2, 3, %r1;
	selp.u32 %r7, %r7, 0, %p;
	mov.u32 %r6, 0;
round:
	mov.u32 %r8, 0;
look:
	ld.volatile.global.u32 %r9, [%rd2];
	mad.lo.u32 %r10, %r10, 31, %r9;
	add.u32 %r8, %r8, 1;
	setp.le.u32 %p, %r8, %r7;
	@%p bra look;
	atom.global.add.u32 %r9, [%rd2], 1;
	mad.lo.u32 %r10, %r10, 31, %r9;
	nanosleep.u32 20;
	add.u32 %r6, %r6, 1;
	setp.lt.u32 %p, %r6, 5;
	@%p bra round;
	st.global.u32 [%rd1], %r10;
	ret;
}
`

// TestLooks: lanes that diverge while they only look at memory wait, and other waves have
// their turn, also if the lanes diverge in machine code.
func TestLooks(t *testing.T) {
	t.Parallel()
	for first := range uint32(7) {
		repeats(t, fmt.Sprint(first, " looks"), func(e sim.Engine) string {
			how, counts, out := tickets(t, e, looking, 9, 96, 0, first)
			if how != fine {
				t.Errorf("%d looks: the launch ends with %s", first, how)
			}
			return fmt.Sprintf("%v %x", counts, out)
		})
	}
}
