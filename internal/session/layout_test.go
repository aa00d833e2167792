package session_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/provenance"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/verdict"
)

// windowsText stores the generic addresses of a shared and of a private variable.
const windowsText = `.version 8.0
.target sm_80
.address_size %d
.visible .entry window(.param .u%[1]d out)
{
    .shared .align 16 .b8 s[16];
    .local .align 16 .b8 mine[16];
    .reg .b%[1]d %%d<6>;
    ld.param.u%[1]d %%d1, [out];
    mov.u%[1]d %%d2, s;
    cvta.shared.u%[1]d %%d2, %%d2;
    st.global.u%[1]d [%%d1], %%d2;
    mov.u%[1]d %%d3, mine;
    cvta.local.u%[1]d %%d3, %%d3;
    st.global.u%[1]d [%%d1+8], %%d3;
    ret;
}
`

// copiesText hands structures to a function that calls itself: they are copied by generic addresses.
const copiesText = `.version 8.0
.target sm_80
.address_size 64
.func (.param .align 8 .b8 r[320]) twice(.param .align 8 .b8 a[320], .param .u32 n)
{
    .reg .b32 %r<6>;
    .reg .pred %p;
    .param .align 8 .b8 b[320];
    .param .align 8 .b8 q[320];
    .param .u32 m;
    ld.param.u32 %r1, [n];
    setp.eq.u32 %p, %r1, 0;
    @%p bra done;
    sub.u32 %r1, %r1, 1;
    st.param.u32 [m], %r1;
    ld.param.u32 %r2, [a+316];
    add.u32 %r2, %r2, 7;
    st.param.u32 [b+316], %r2;
    call (q), twice, (b, m);
    ld.param.u32 %r2, [q+316];
    st.param.u32 [r+316], %r2;
    ret;
done:
    ld.param.u32 %r2, [a+316];
    st.param.u32 [r+316], %r2;
    ret;
}
.visible .entry copies(.param .u64 out)
{
    .reg .b32 %r<6>;
    .reg .b64 %d<6>;
    .param .align 8 .b8 b[320];
    .param .align 8 .b8 c[320];
    .param .u32 m;
    mov.u32 %r1, %tid.x;
    st.param.u32 [b+316], %r1;
    st.param.u32 [m], 3;
    call (c), twice, (b, m);
    ld.param.u32 %r2, [c+316];
    ld.param.u64 %d1, [out];
    mul.wide.u32 %d2, %r1, 4;
    add.u64 %d1, %d1, %d2;
    st.global.u32 [%d1], %r2;
    ret;
}
`

func windowsAt(t *testing.T, k *session.Kernel, s api.Schedule) (shared, local uint64) {
	t.Helper()
	out := api.NewBuffer("out", api.U64, 2)
	if _, err := k.Run(context.Background(), api.Launch{Schedule: s, Args: []api.Arg{out}}); err != nil {
		t.Error(err)
	}
	return binary.LittleEndian.Uint64(out.Data), binary.LittleEndian.Uint64(out.Data[8:])
}

func kernelOf(t *testing.T, text, name string) *session.Kernel {
	t.Helper()
	m, err := session.Load([]byte(text), "k.ptx", api.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// A seed has one layout of the windows of generic addresses, also for launches side by side;
// all other schedules have the ordinary one, and so have addresses of 32 bits.
func TestLayoutOfSeeds(t *testing.T) {
	t.Parallel()
	k := kernelOf(t, fmt.Sprintf(windowsText, 64), "window")
	for _, s := range []api.Schedule{"", api.LowestPC, api.Reversed} {
		if shared, local := windowsAt(t, k, s); shared != ir.SharedPTX || local != ir.LocalPTX {
			t.Errorf("schedule %q: shared memory is at %#x, private memory at %#x", s, shared, local)
		}
	}
	var wg sync.WaitGroup
	for i := range uint64(40) {
		wg.Go(func() {
			w := ir.RandomWindows(i % 5)
			if shared, local := windowsAt(t, k, api.RandomSchedule(i%5)); shared != w.Shared() || local != w.Local() || shared == ir.SharedPTX {
				t.Errorf("seed %d: shared memory is at %#x, private memory at %#x", i%5, shared, local)
			}
		})
	}
	wg.Wait()
	narrow := kernelOf(t, fmt.Sprintf(windowsText, 32), "window")
	want, local := windowsAt(t, narrow, "")
	for i := range uint64(5) {
		if s, l := windowsAt(t, narrow, api.RandomSchedule(i)); s != want || l != local {
			t.Errorf("seed %d: 32-bit addresses %#x and %#x, want %#x and %#x", i, s, l, want, local)
		}
	}
}

// Further runs of a check in other orders keep the layout: addresses that a kernel stores are no
// differences.
func TestLayoutOfChecks(t *testing.T) {
	t.Parallel()
	k := kernelOf(t, fmt.Sprintf(windowsText, 64), "window")
	for _, s := range []api.Schedule{"", api.RandomSchedule(1), api.RandomSchedule(2)} {
		out := api.NewBuffer("out", api.U64, 2)
		res, err := verdict.Check(context.Background(), k, api.Launch{Schedule: s, Args: []api.Arg{out}})
		if err != nil || len(res.Findings) > 0 {
			t.Errorf("schedule %q: %v, %v", s, err, res.Findings)
		}
		want := ir.LocalPTX
		if s != "" {
			w := ir.RandomWindows(uint64(s[len(s)-1] - '0'))
			want = w.Local()
		}
		if got := binary.LittleEndian.Uint64(out.Data[8:]); got != want {
			t.Errorf("schedule %q: check runs it with private memory at %#x, want %#x", s, got, want)
		}
		clear(out.Data)
		p, err := provenance.Why(context.Background(), k, api.Launch{Schedule: s, Args: []api.Arg{out}}, api.WhyOptions{Buffer: "out", Index: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := binary.LittleEndian.Uint64(out.Data[8:]); got != want || len(p.Nodes) == 0 {
			t.Errorf("schedule %q: why runs it with private memory at %#x, want %#x", s, got, want)
		}
	}
}

// Structures that are copied by generic addresses arrive in every layout.
func TestLayoutOfCalls(t *testing.T) {
	t.Parallel()
	k := kernelOf(t, copiesText, "copies")
	if p, err := k.Prepare(false); err != nil || !p.PTX.Windowed {
		t.Fatal("the code does not depend on windows", err)
	}
	var want []byte
	for i := range 32 {
		want = binary.LittleEndian.AppendUint32(want, uint32(i+3*7))
	}
	for _, s := range []api.Schedule{"", api.Reversed, api.RandomSchedule(1), api.RandomSchedule(2), api.RandomSchedule(1 << 63)} {
		out := api.NewBuffer("out", api.U32, 32)
		if _, err := k.Run(context.Background(), api.Launch{Schedule: s, Block: api.Dim3{X: 32}, Args: []api.Arg{out}}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(out.Data, want) {
			t.Errorf("schedule %q: %v", s, out.Data)
		}
	}
}
