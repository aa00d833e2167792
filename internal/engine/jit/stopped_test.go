package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/sim"
)

// spinApart is a kernel whose lanes spin for ever, in three loops.
const spinApart = `.version 8.1
.target sm_90
.address_size 64
.visible .entry spin()
{
	.reg .pred %p, %q;
	.reg .b32 %r<6>;
	mov.u32 %r1, %tid.x;
	rem.u32 %r2, %r1, 3;
	setp.eq.u32 %p, %r2, 1;
	setp.eq.u32 %q, %r2, 2;
	@%p bra two;
	@%q bra three;
one:
	add.u32 %r3, %r3, 1;
	bra one;
two:
	add.u32 %r4, %r4, 1;
	add.u32 %r4, %r4, 1;
	bra two;
three:
	add.u32 %r5, %r5, 1;
	add.u32 %r5, %r5, 1;
	add.u32 %r5, %r5, 1;
	bra three;
}
`

// TestStoppedAt: the place where a run is stopped does not depend on the engine.
func TestStoppedAt(t *testing.T) {
	t.Parallel()
	for limit := uint64(1000); limit < 200_000; limit += 17_000 {
		agree(t, fmt.Sprint("a limit of ", limit), func(e sim.Engine) string {
			l := &sim.Launch{Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: sim.NewMemory(), Limits: sim.Limits{Limit: limit}}
			return ended(t, e, lift(t, spinApart, "spin"), l)
		})
	}
}
