package jit

import (
	"fmt"
	"testing"

	"crosslane/internal/engine/interp"
	"crosslane/internal/ir"
	"crosslane/internal/sim"
	"crosslane/ptx"
)

// lift makes the function of a kernel in PTX, for waves whose fragments meet where they can.
func lift(t testing.TB, text, name string) *ir.Func {
	t.Helper()
	m, list := ptx.Parse(t.Name()+".ptx", text)
	if list != nil {
		t.Fatal(list)
	}
	l, err := ptx.Lift(m, name)
	if err != nil {
		t.Fatal(err)
	}
	l.Func.Converge()
	return l.Func
}

// spinDone is a kernel whose lanes exit while others of their wave still spin for a lock.
// Behind the loop, which lanes leave one by one, they exchange words with an atomic that is
// selected in another way where all lanes of a wave are known to be there.
const spinDone = `.version 8.1
.target sm_90
.address_size 64
.visible .entry spin(.param .u64 locks, .param .u64 sums, .param .u32 n)
{
	.reg .pred %p;
	.reg .b32 %r<12>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [locks];
	ld.param.u64 %rd2, [sums];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r5, %r2, %r3, %r4;
	mul.lo.u32 %r6, %r5, 7;
	rem.u32 %r7, %r6, %r1;
	mul.wide.u32 %rd3, %r7, 4;
	add.s64 %rd4, %rd1, %rd3;
	add.s64 %rd5, %rd2, %rd3;
SPIN:
	atom.global.exch.b32 %r8, [%rd4], 1;
	setp.ne.b32 %p, %r8, 0;
	@%p bra SPIN;
	ld.volatile.global.b32 %r9, [%rd5];
	mad.lo.u32 %r10, %r9, 3, %r5;
	atom.global.exch.b32 %r11, [%rd4], 0;
	nanosleep.u32 1;
	nanosleep.u32 1;
	st.volatile.global.b32 [%rd5], %r10;
	ret;
}
`

// TestLateSpin takes over a launch, at every turn of it, of which lanes have exited while
// others spin: those that were to come last may be the first to end, and code that counts
// on nobody being gone must not be entered.
func TestLateSpin(t *testing.T) {
	t.Parallel()
	run := func(e sim.Engine) string {
		f := lift(t, spinDone, "spin")
		mem := sim.NewMemory()
		locks, sums := mem.Add("locks", make([]byte, 20)), mem.Add("sums", make([]byte, 20))
		param := make([]byte, 20)
		put := func(at int, x uint64, n int) {
			for i := range n {
				param[at+i] = byte(x >> (8 * i))
			}
		}
		put(0, locks.Base, 8)
		put(8, sums.Base, 8)
		put(16, 5, 4)
		end := ended(t, e, f, &sim.Launch{Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{96, 1, 1}, Memory: mem, Param: param})
		return fmt.Sprintln(end, locks.Data, sums.Data)
	}
	want := run(interp.Engine{Portable: true})
	for tier := range tierEngines(t) {
		for after := int64(1); after < 1000; after++ {
			e, err := New(Options{Mode: Mode{Tier: tier, After: after}})
			if err != nil {
				t.Fatal(err)
			}
			if got := run(e); got != want {
				t.Fatalf("%s, after %d:\ngot  %s\nwant %s", tier, after, got, want)
			}
		}
	}
}
