package ptx

import (
	"context"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/sim"
)

// faultOf runs a kernel of one block that stores at out[tid], and returns the fault.
func faultOf(t *testing.T, src string, lanes int) *diag.Diagnostic {
	t.Helper()
	m, errs := Parse("k.ptx", src)
	if errs.Err() != nil {
		t.Fatal(errs)
	}
	k, err := Lift(m, "k")
	if err != nil {
		t.Fatal(err)
	}
	mem := sim.NewMemory()
	l := &sim.Launch{Func: k.Func, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(lanes), 1, 1}, Memory: mem, Workers: 1, Limits: sim.Limits{Timeout: 5 * time.Second}}
	out := mem.Add("out", make([]byte, 4*lanes))
	_, size := k.Entry.ParamLayout()
	l.Param = make([]byte, size+8)[:size]
	for i := range 8 {
		l.Param[i] = byte(out.Base >> (8 * i))
	}
	for _, g := range k.Globals {
		add := mem.Add
		if g.ReadOnly {
			add = mem.AddConstant
		}
		l.Values = append(l.Values, add(g.Name, make([]byte, g.Size)).Base)
	}
	recordRun(t, k)
	if l.Program, err = (interp.Engine{}).Compile(k.Func); err != nil {
		t.Fatal(err)
	}
	_, _, err = sim.Run(context.Background(), l)
	if err == nil {
		return nil
	}
	return diag.Of(err)[0]
}

// TestMbarrierFaults checks that an operation that is certain to be undefined in the manual is a
// fault, and that the fault names the error and the lane.
func TestMbarrierFaults(t *testing.T) {
	t.Parallel()
	const decl = ".shared .align 8 .b64 bar[2]; .global .align 8 .b64 g;"
	const one = "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 4; bar.sync 0;"
	for _, c := range []struct{ code, want string }{
		{"mbarrier.arrive.shared.b64 %rd5, [bar];", "bad-mbarrier: lanes 0-7 of wave 0 fail: the address holds no mbarrier object"},
		{"mov.u32 %r3, 0; mbarrier.init.shared.b64 [bar], %r3;", "bad-mbarrier: lanes 0-7 of wave 0 fail: the count of mbarrier.init is outside 1 to 1048575"},
		{"mov.u32 %r3, 0x100000; mbarrier.init.shared.b64 [bar], %r3;", "bad-mbarrier: lanes 0-7 of wave 0 fail: the count"},
		{one + "mbarrier.arrive.shared.b64 %rd5, [bar], 5;", "bad-mbarrier: lanes 0-7 of wave 0 fail: more arrivals than the phase"},
		{one + "mbarrier.expect_tx.shared.b64 [bar], 1; mbarrier.arrive.shared.b64 %rd5, [bar];", "bad-mbarrier: lanes 0-7 of wave 0 fail: more arrivals"},
		{one + "mbarrier.arrive_drop.shared.b64 %rd5, [bar];", "bad-mbarrier: lanes 0-7 of wave 0 fail: more arrivals"},
		{one + "mbarrier.expect_tx.shared.b64 [bar], 1000000;", "bad-mbarrier: lanes 0-7 of wave 0 fail: the tx-count"},
		{one + "mbarrier.arrive.noComplete.shared.b64 %rd5, [bar], 1;", "bad-mbarrier: lanes 0-7 of wave 0 fail: an arrival with .noComplete completes"},
		{one + "@%p1 mbarrier.inval.shared.b64 [bar]; bar.sync 0; mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;", "bad-mbarrier: lanes 0-7 of wave 0 fail: the address holds no mbarrier object"},
		{one + "cp.async.mbarrier.arrive.shared.b64 [bar+8];", "bad-mbarrier: lanes 0-7 of wave 0 fail: the address holds no mbarrier object"},
		{"mov.u64 %rd5, g; mbarrier.init.b64 [%rd5], 1;", "wrong-space: lane 0 of wave 0 in block (0,0,0) writes 8 bytes at generic address"},
		{"mov.u64 %rd5, g; mbarrier.test_wait.parity.b64 %p2, [%rd5], 1;", "wrong-space: lane 0 of wave 0 in block (0,0,0) reads 8 bytes at generic address"},
		{"mov.u64 %rd5, g; mbarrier.arrive.b64 _, [%rd5];", "wrong-space: lane 0 of wave 0 in block (0,0,0) updates 8 bytes at generic address"},
		{"mbarrier.init.shared.b64 [bar+4], 1;", "misaligned: lane 0"},
		{"mbarrier.init.shared.b64 [bar+16], 1;", "out-of-bounds: lane 0"},
	} {
		d := faultOf(t, body(decl, c.code), 8)
		if d == nil {
			t.Errorf("%s: no fault, want %s", c.code, c.want)
			continue
		}
		code, text, _ := strings.Cut(c.want, ": ")
		if got := d.Code + ": " + d.Message; d.Code != code || !strings.Contains(got, ": "+text) {
			t.Errorf("%s: %s\nwant %s", c.code, got, c.want)
		}
	}
}

// TestMbarrierPhases: threads of several warps meet at an object over many phases,
// by state and by parity, with counts, with threads that drop out, and with bytes
// that arrive.
func TestMbarrierPhases(t *testing.T) {
	t.Parallel()
	// Rounds of: write own slot, arrive, wait, read the neighbour's slot.
	const rounds = `
	.shared .align 8 .b64 bar;
	.shared .align 4 .b32 slot[200];
	setp.eq.u32 %p1, %r1, 0;
	mov.u32 %r2, %ntid.x;
	INIT
	bar.sync 0;
	mov.u32 %r9, 0;
	mov.u32 %r3, 0;
	mov.u32 %r10, slot;
	mad.lo.u32 %r4, %r1, 4, %r10;
	add.u32 %r5, %r1, 1;
	rem.u32 %r5, %r5, %r2;
	mad.lo.u32 %r5, %r5, 4, %r10;
round:
	mad.lo.u32 %r6, %r3, 1000, %r1;
	st.shared.u32 [%r4], %r6;
	ARRIVE
wait1:
	WAIT1
	@!%p2 bra wait1;
	ld.shared.u32 %r7, [%r5];
	add.u32 %r9, %r9, %r7;
	ARRIVE
wait2:
	WAIT2
	@!%p2 bra wait2;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p3, %r3, 5;
	@%p3 bra round;`
	for _, c := range []struct{ name, init, arrive, wait1, wait2 string }{
		{"state", "@%p1 mbarrier.init.shared.b64 [bar], %r2;", "mbarrier.arrive.shared.b64 %rd5, [bar];", "mbarrier.test_wait.shared.b64 %p2, [bar], %rd5;", "mbarrier.try_wait.acquire.cta.shared::cta.b64 %p2, [bar], %rd5, 100;"},
		{"parity", "@%p1 mbarrier.init.shared.b64 [bar], %r2;", "mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];", "mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;", "mbarrier.try_wait.parity.shared.b64 %p2, [bar], 1, 1000;"},
		{"count", "shl.b32 %r8, %r2, 1; @%p1 mbarrier.init.shared.b64 [bar], %r8;", "mbarrier.arrive.shared::cta.b64 %rd5, [bar], 2;", "mbarrier.test_wait.shared.b64 %p2, [bar], %rd5;", "mbarrier.test_wait.acquire.cluster.shared.b64 %p2, [bar], %rd5;"},
		{"bytes", "@%p1 mbarrier.init.shared.b64 [bar], %r2;", "mbarrier.arrive.expect_tx.shared.b64 %rd5, [bar], 16; mbarrier.complete_tx.shared.b64 [bar], 16;", "mbarrier.try_wait.shared.b64 %p2, [bar], %rd5;", "mbarrier.try_wait.shared.b64 %p2, [bar], %rd5;"},
		{"copies", "shl.b32 %r8, %r2, 1; @%p1 mbarrier.init.shared.b64 [bar], %r8;", "cp.async.mbarrier.arrive.shared.b64 [bar]; cp.async.mbarrier.arrive.noinc.shared.b64 [bar]; mbarrier.arrive.shared.b64 %rd5, [bar];", "mbarrier.try_wait.shared.b64 %p2, [bar], %rd5;", "mbarrier.try_wait.shared.b64 %p2, [bar], %rd5;"},
		{"generic", "cvta.shared.u64 %rd6, bar; @%p1 mbarrier.init.b64 [%rd6], %r2;", "mbarrier.arrive.b64 %rd5, [%rd6];", "mbarrier.try_wait.b64 %p2, [%rd6], %rd5;", "mbarrier.try_wait.b64 %p2, [%rd6], %rd5;"},
	} {
		code := strings.Replace(rounds, "INIT", c.init, 1)
		code = strings.ReplaceAll(code, "ARRIVE", c.arrive)
		code = strings.Replace(strings.Replace(code, "WAIT1", c.wait1, 1), "WAIT2", c.wait2, 1)
		const n = 100
		got := launchKernel(t, body("", code), "k", n, n, 0)
		for i := range got {
			if want := uint32(10000 + 5*((i+1)%n)); got[i] != want {
				t.Errorf("%s: thread %d got %d, want %d", c.name, i, got[i], want)
				break
			}
		}
	}
	// Half of the threads drop out after the first phase; the remaining threads continue. The
	// pending count in a state is the count before the arrival.
	got := launchKernel(t, body("", `
	.shared .align 8 .b64 bar;
	setp.eq.u32 %p1, %r1, 0;
	mov.u32 %r9, 7;
	@%p1 mbarrier.init.shared.b64 [bar], 40;
	bar.sync 0;
	setp.ge.u32 %p1, %r1, 20;
	@%p1 mbarrier.arrive_drop.shared.b64 _, [bar];
	@%p1 bra done;
	mbarrier.arrive.shared.b64 %rd5, [bar];
w1:	mbarrier.test_wait.shared.b64 %p2, [bar], %rd5;
	@!%p2 bra w1;
	setp.eq.u32 %p3, %r1, 19;
	@!%p3 mbarrier.arrive.noComplete.shared.b64 %rd5, [bar], 1;
	@!%p3 mbarrier.pending_count.b64 %r9, %rd5;
	@%p3 mbarrier.arrive.shared.b64 %rd5, [bar];
w2:	mbarrier.test_wait.shared.b64 %p2, [bar], %rd5;
	@!%p2 bra w2;
done:`), "k", 40, 40, 0)
	for i := range got {
		want := uint32(20 - i) // lanes arrive in order
		if i >= 19 {
			want = 7
		}
		if got[i] != want {
			t.Errorf("drop: thread %d got %d, want %d", i, got[i], want)
		}
	}
}

// TestCluster runs a cluster of one block. The barrier of the cluster opens after all threads have
// arrived, and it does not wait for threads that have exited.
func TestCluster(t *testing.T) {
	t.Parallel()
	const n = 80
	got := launchKernel(t, body("", `
	.shared .align 4 .b32 slot[200];
	.shared .align 4 .b32 far[4];
	mov.u32 %r10, slot;
	mapa.shared::cluster.u32 %r11, slot, 0;
	mad.lo.u32 %r4, %r1, 4, %r11;
	add.u32 %r5, %r1, 1;
	rem.u32 %r5, %r5, 70;
	mad.lo.u32 %r5, %r5, 4, %r10;
	mov.u32 %r9, 0;
	setp.ge.u32 %p1, %r1, 70;
	@%p1 bra done; // these threads exit without arriving
	mov.u32 %r3, 0;
round:
	mad.lo.u32 %r6, %r3, 1000, %r1;
	st.shared::cluster.u32 [%r4], %r6;
	barrier.cluster.arrive.release;
	add.u32 %r9, %r9, 1;
	setp.ge.u32 %p2, %r1, 1000;
	@!%p2 barrier.cluster.wait.acquire;
	ld.shared.u32 %r7, [%r5];
	add.u32 %r9, %r9, %r7;
	barrier.cluster.arrive.relaxed.aligned;
	barrier.cluster.wait.aligned;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p3, %r3, 5;
	@%p3 bra round;
	getctarank.shared::cluster.u32 %r7, far+4;
	add.u32 %r9, %r9, %r7;
	cvta.shared.u64 %rd5, far;
	mapa.u64 %rd6, %rd5, %r7;
	sub.s64 %rd5, %rd6, %rd5;
	cvt.u32.u64 %r7, %rd5;
	add.u32 %r9, %r9, %r7;
done:`), "k", n, n, 0)
	for i := range got {
		want := uint32(10005 + 5*((i+1)%70))
		if i >= 70 {
			want = 0
		}
		if got[i] != want {
			t.Errorf("thread %d got %d, want %d", i, got[i], want)
		}
	}
	d := faultOf(t, body("", ".shared .b32 x; mapa.shared::cluster.u32 %r2, x, %r1;"), 8)
	if d == nil || d.Code != "no-such-rank" || !strings.Contains(d.Message, "lanes 1-7 of wave 0") {
		t.Errorf("mapa to ranks that there are not: %v", d)
	}
}

// TestCancel checks that a request to cancel a cluster fails, and that the mbarrier object reports
// the failure.
func TestCancel(t *testing.T) {
	t.Parallel()
	got := launchKernel(t, body100("", `
	.shared .align 16 .b32 answer[4];
	.shared .align 8 .b64 bar;
	.reg .b128 %q<2>;
	setp.eq.u32 %p1, %r1, 0;
	mov.u32 %r2, 77;
	st.shared.u32 [answer+4], %r2;
	@%p1 mbarrier.init.shared.b64 [bar], 1;
	bar.sync 0;
	@!%p1 bra wait;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;
	clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [bar];
wait:
	mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
	@!%p2 bra wait;
	ld.shared.b128 %q1, [answer];
	setp.eq.u32 %p3, %r1, %r1;
	clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q1;
	mov.u32 %r3, 1; mov.u32 %r4, 2;
	clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r3, _, _, _}, %q1;
	clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r4, %q1;
	ld.shared.u32 %r9, [answer+4];
	selp.u32 %r5, 100, 5, %p3;
	add.u32 %r9, %r9, %r5; add.u32 %r9, %r9, %r3; add.u32 %r9, %r9, %r4;`), "k", 4, 4, 0)
	for i := range got {
		if got[i] != 5 {
			t.Errorf("thread %d: got %d, want 5", i, got[i])
		}
	}
}
