package jit

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/sim"
)

// clusterStuck is a kernel in which lanes wait at three places for lanes of another wave,
// which wait for them.
const clusterStuck = `.version 8.1
.target sm_90
.address_size 64
.visible .entry stuck()
{
	.reg .pred %p;
	.reg .b32 %r<4>;
	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p, %r1, 32;
	@%p bra other;
	setp.lt.u32 %p, %r1, 10;
	@%p bra la;
	setp.lt.u32 %p, %r1, 20;
	@%p bra lb;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	bra end;
lb:
	barrier.cluster.arrive;
	barrier.cluster.wait;
	bra end;
la:
	barrier.cluster.arrive;
	barrier.cluster.wait;
	bra end;
other:
	barrier.sync 0;
end:
	ret;
}
`

// TestClusterStuck: the report of lanes in a deadlock is in the order of the code, on every
// engine.
func TestClusterStuck(t *testing.T) {
	t.Parallel()
	agree(t, "lanes at three places", func(e sim.Engine) string {
		f := lift(t, clusterStuck, "stuck")
		p, err := e.Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		l := &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: sim.NewMemory(), Func: f, Program: p, Workers: 1}
		_, _, err = sim.Run(context.Background(), l)
		var list diag.List
		errors.As(err, &list)
		s := fmt.Sprintln(err)
		for _, d := range list {
			for _, r := range d.Related {
				s += fmt.Sprintln(r.Pos, r.Message)
			}
		}
		return s
	})
}
