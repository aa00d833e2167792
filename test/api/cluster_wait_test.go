package api_test

import (
	"strings"
	"testing"

	"example.org/crosslane/test/kit"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// Lanes that wait at the barrier of the cluster for lanes that wait for them are a deadlock, which
// is reported at once, with both sides; those that have exited are not waited for.
func TestClusterWaits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		want       []string // parts of the message; nil: it ends
	}{
		{"barrier", `
	setp.lt.u32 %q1, %id, 16;
	@%q1 bra L1;
	bar.sync 0;
	bra L2;
L1:
	barrier.cluster.arrive;
	barrier.cluster.wait;
L2:
`, []string{"bar.sync: deadlock: lanes 16-31 of wave 0 wait at barrier 0: lanes 0-15 of wave 0 missing", "barrier.cluster.wait: lanes 0-15 of wave 0 wait for lanes 16-31 of wave 0, lanes 0-31 of wave 1, lanes 0-31 of wave 2 to arrive"}},
		{"waves apart", `
	setp.ge.u32 %q1, %id, 64;
	@%q1 bra L1;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	ret;
L1:
	bar.sync 0;
`, []string{"bar.sync: deadlock: lanes 0-31 of wave 2 wait at barrier 0", "barrier.cluster.wait: lanes 0-31 of wave 0 wait for lanes 0-31 of wave 2 to arrive", "barrier.cluster.wait: lanes 0-31 of wave 1 wait for lanes 0-31 of wave 2 to arrive"}},
		{"mask", `
	and.b32 %r1, %id, 31;
	setp.eq.u32 %q1, %r1, 3;
	barrier.cluster.arrive;
	@%q1 shfl.sync.idx.b32 %r2, %id, 0, 31, 0xffffffff;
	barrier.cluster.wait;
	barrier.cluster.arrive;
	barrier.cluster.wait;
`, []string{"shfl.sync.idx.b32: deadlock: lane 3 of wave 0 waits for lanes 0-2, 4-31", "lanes 0-2, 4-31 of wave 0 wait for lane 3 of wave 0, lane 3 of wave 1, lane 3 of wave 2 to arrive"}},
		{"guard", `
	setp.lt.u32 %q1, %id, 16;
	barrier.cluster.arrive;
	@%q1 barrier.cluster.wait;
	barrier.cluster.wait;
`, nil},
		{"exit", `
	setp.lt.u32 %q1, %id, 70;
	@!%q1 exit;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	bar.sync 0;
`, nil},
	} {
		for _, engine := range []string{"interp", "jit"} {
			_, err := kit.Launch(t, kit.Kernel("sm_90", 0, c.body), crosslane.Launch{Grid: crosslane.Dim3{X: 2}, Block: crosslane.Dim3{X: 96}, Engine: engine})
			switch list := diag.Of(err); {
			case engine == "jit" && len(list) > 0 && list[0].Code == "bad-engine": // there is no machine code here
			case c.want == nil:
				if err != nil {
					t.Errorf("%s, %s: %v", c.name, engine, err)
				}
			default:
				got := report(list)
				for _, w := range c.want {
					if !strings.Contains(got, w) {
						t.Errorf("%s, %s: got %s\nwant %s", c.name, engine, got, w)
					}
				}
			}
		}
	}
}
