package crosslane_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"crosslane"
	"crosslane/diag"
)

// Lanes that wait at the barrier of the cluster for lanes that wait for them are a deadlock, which
// is reported at once, with both sides; those that have exited are not waited for.
func TestClusterWaits(t *testing.T) {
	t.Parallel()
	const head = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{
	.reg .pred %p<3>;
	.reg .b32 %r<4>;
	mov.u32 %r0, %tid.x;
`
	for _, c := range []struct {
		name, body string
		want       []string // parts of the message; nil: it ends
	}{
		{"barrier", `
	setp.lt.u32 %p0, %r0, 16;
	@%p0 bra L1;
	bar.sync 0;
	bra L2;
L1:
	barrier.cluster.arrive;
	barrier.cluster.wait;
L2:
	ret;
}`, []string{"bar.sync: deadlock: lanes 16-31 of wave 0 wait at barrier 0: lanes 0-15 of wave 0 missing", "barrier.cluster.wait: lanes 0-15 of wave 0 wait for lanes 16-31 of wave 0, lanes 0-31 of wave 1, lanes 0-31 of wave 2 to arrive"}},
		{"waves apart", `
	setp.ge.u32 %p0, %r0, 64;
	@%p0 bra L1;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	ret;
L1:
	bar.sync 0;
	ret;
}`, []string{"bar.sync: deadlock: lanes 0-31 of wave 2 wait at barrier 0", "barrier.cluster.wait: lanes 0-31 of wave 0 wait for lanes 0-31 of wave 2 to arrive", "barrier.cluster.wait: lanes 0-31 of wave 1 wait for lanes 0-31 of wave 2 to arrive"}},
		{"mask", `
	and.b32 %r1, %r0, 31;
	setp.eq.u32 %p0, %r1, 3;
	barrier.cluster.arrive;
	@%p0 shfl.sync.idx.b32 %r2, %r0, 0, 31, 0xffffffff;
	barrier.cluster.wait;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	ret;
}`, []string{"shfl.sync.idx.b32: deadlock: lane 3 of wave 0 waits for lanes 0-2, 4-31", "lanes 0-2, 4-31 of wave 0 wait for lane 3 of wave 0, lane 3 of wave 1, lane 3 of wave 2 to arrive"}},
		{"guard", `
	setp.lt.u32 %p0, %r0, 16;
	barrier.cluster.arrive;
	@%p0 barrier.cluster.wait;
	barrier.cluster.wait;
	ret;
}`, nil},
		{"exit", `
	setp.lt.u32 %p0, %r0, 70;
	@!%p0 exit;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	bar.sync 0;
	ret;
}`, nil},
	} {
		for _, engine := range []string{"interp", "jit"} {
			m, err := crosslane.Load([]byte(head+c.body), "k.ptx", crosslane.PTX)
			if err != nil {
				t.Fatal(err)
			}
			k, err := m.Kernel("k")
			if err != nil {
				t.Fatal(err)
			}
			_, err = k.Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 2}, Block: crosslane.Dim3{X: 96}, Engine: engine, Timeout: 20 * time.Second})
			switch list := diag.Of(err); {
			case engine == "jit" && len(list) > 0 && list[0].Code == "bad-engine": // there is no machine code here
			case c.want == nil:
				if err != nil {
					t.Errorf("%s, %s: %v", c.name, engine, err)
				}
			default:
				var text strings.Builder
				for _, d := range list {
					text.WriteString(d.Error())
					for _, r := range d.Related {
						text.WriteString("\n" + r.Message)
					}
				}
				for _, w := range c.want {
					if !strings.Contains(text.String(), w) {
						t.Errorf("%s, %s: got %s\nwant %s", c.name, engine, text.String(), w)
					}
				}
			}
		}
	}
}
