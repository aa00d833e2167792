package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
)

// gridSyncText has the calls that numba makes for cuda.cg.this_grid().sync(), as LLVM writes them.
// Each thread stores a value, waits for the grid, and reads the value of a thread of the next block;
// then the threads do the same with the values that they have read. SYNC stands for the second and third
// call of cudaCGSynchronize.
const gridSyncText = `.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 func_retval0) cudaCGGetIntrinsicHandle(.param .b32 cudaCGGetIntrinsicHandle_param_0);
.extern .func (.param .b32 func_retval0) cudaCGSynchronize(.param .b64 cudaCGSynchronize_param_0, .param .b32 cudaCGSynchronize_param_1);
.global .u32 base = 7;
.visible .entry k(.param .u64 a0, .param .u64 a1, .param .u64 a2)
{
	.reg .b32 %r<20>;
	.reg .b64 %rd<20>;
	ld.param.u64 %rd1, [a0];
	ld.param.u64 %rd2, [a1];
	ld.param.u64 %rd3, [a2];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r4, %r1, %r2, %r3;
	mov.u32 %r5, %nctaid.x;
	mul.lo.u32 %r6, %r2, %r5;
	add.u32 %r7, %r4, %r2;
	rem.u32 %r7, %r7, %r6;
	mul.wide.u32 %rd4, %r4, 4;
	mul.wide.u32 %rd5, %r7, 4;
	add.u64 %rd6, %rd1, %rd4;
	add.u64 %rd7, %rd1, %rd5;
	add.u64 %rd8, %rd2, %rd4;
	add.u64 %rd9, %rd3, %rd4;
	{
	.param .b32 param0;
	st.param.b32 [param0], 1;
	.param .b64 retval0;
	call.uni (retval0), cudaCGGetIntrinsicHandle, (param0);
	ld.param.b64 %rd10, [retval0];
	}
	ld.global.u32 %r11, [base];
	mad.lo.u32 %r8, %r4, 3, %r11;
	st.global.u32 [%rd6], %r8;
SYNC
	ld.global.u32 %r9, [%rd7];
SYNC
	st.global.u32 [%rd6], %r9;
SYNC
	ld.global.u32 %r10, [%rd7];
	st.global.u32 [%rd8], %r10;
	st.global.u32 [%rd9], %r15;
	ret;
}
`

const gridSyncCall = `	{
	.param .b64 param0;
	st.param.b64 [param0], %rd10;
	.param .b32 param1;
	st.param.b32 [param1], 0;
	.param .b32 retval0;
	call.uni (retval0), cudaCGSynchronize, (param0, param1);
	ld.param.b32 %r15, [retval0];
	}
`

// gridSync loads gridSyncText with a replacement for SYNC, and makes a launch of 5 blocks of 48 threads.
// The launch sets a variable, too: its value comes before the workspace of the grid.
func gridSync(t *testing.T, sync string) (k *crosslane.Kernel, l crosslane.Launch, out, codes []uint32) {
	t.Helper()
	return gridSyncScope(t, 1, sync)
}

// gridSyncScope is gridSync with another scope than that of the grid, 1.
func gridSyncScope(t *testing.T, scope int, sync string) (*crosslane.Kernel, crosslane.Launch, []uint32, []uint32) {
	t.Helper()
	text := strings.Replace(gridSyncText, "[param0], 1;", fmt.Sprintf("[param0], %d;", scope), 1)
	m, err := crosslane.Load([]byte(strings.ReplaceAll(text, "SYNC\n", sync)), "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	const n = 5 * 48
	data, out, codes := make([]uint32, n), make([]uint32, n), make([]uint32, n)
	for i := range codes {
		codes[i] = 99
	}
	l := crosslane.Launch{Grid: crosslane.Dim3{X: 5}, Block: crosslane.Dim3{X: 48}, Cooperative: true, Timeout: 20 * time.Second}
	l.Symbols = []crosslane.Symbol{{Name: "base", Value: crosslane.Slice("base", []uint32{1}), Set: true}}
	l.Args = []crosslane.Arg{crosslane.Slice("data", data), crosslane.Slice("out", out), crosslane.Slice("codes", codes)}
	return k, l, out, codes
}

// findings returns the findings as text.
func findings(res *crosslane.Result) string {
	var codes []string
	for _, d := range res.Findings {
		codes = append(codes, fmt.Sprint(d))
	}
	return strings.Join(codes, "\n")
}

// TestGridSync runs and checks the exchange on every engine, with several workers and schedules.
func TestGridSync(t *testing.T) {
	t.Parallel()
	for _, engine := range crosslane.Engines() {
		for _, schedule := range []crosslane.Schedule{crosslane.LowestPC, crosslane.Reversed, crosslane.RandomSchedule(3)} {
			for _, workers := range []int{1, 3} {
				for _, check := range []bool{false, true} {
					name := fmt.Sprintf("%s, %s, %d workers, check %v", engine, schedule, workers, check)
					k, l, out, codes := gridSync(t, gridSyncCall)
					l.Engine, l.Schedule, l.Workers = engine, schedule, workers
					run := k.Run
					if check {
						run = k.Check
					}
					res, err := run(context.Background(), l)
					if err != nil || len(res.Findings) > 0 {
						t.Fatalf("%s: %v %v", name, err, res)
					}
					for i, v := range out {
						// Each of the two exchanges moves a value by one block of 48 threads.
						if want := uint32((i+96)%240*3 + 1); v != want || codes[i] != 0 {
							t.Fatalf("%s: thread %d has %d, want %d; the call returns %d", name, i, v, want, codes[i])
						}
					}
				}
			}
		}
	}
}

// TestGridSyncMissing checks that the same kernel without the calls is reported as a race.
func TestGridSyncMissing(t *testing.T) {
	t.Parallel()
	for _, engine := range crosslane.Engines() {
		k, l, _, _ := gridSync(t, "\tmov.u32 %r15, 0;\n\tbar.sync 0;\n")
		l.Engine = engine
		res, err := k.Check(context.Background(), l)
		if err != nil || !strings.Contains(findings(res), "race") {
			t.Errorf("%s: %v %v", engine, err, res)
		}
	}
}

// TestGridSyncStatic checks that the barriers of the call are no finding on any path.
func TestGridSyncStatic(t *testing.T) {
	t.Parallel()
	k, _, _, _ := gridSync(t, gridSyncCall)
	report, err := k.CheckStatic()
	if err != nil || len(report.Findings) > 0 {
		t.Errorf("%v %v", report, err)
	}
}

// TestGridSyncHandles checks the handles of scopes, the result for a handle that is not the grid's, and the
// fault in a launch that is not cooperative.
func TestGridSyncHandles(t *testing.T) {
	t.Parallel()
	for _, engine := range crosslane.Engines() {
		k, l, _, codes := gridSync(t, strings.Replace(gridSyncCall, "st.param.b64 [param0], %rd10;", "st.param.b64 [param0], 0;", 1))
		l.Engine = engine
		if _, err := k.Run(context.Background(), l); err != nil || codes[0] != 400 || codes[239] != 400 {
			t.Errorf("%s: handle 0: %v, results %d and %d", engine, err, codes[0], codes[239])
		}
		// Without the handle there is no fault: a kernel can test it. %r15 is the handle of scope 1, then of
		// scope 2 (several grids).
		for scope, cooperative := range []bool{1: false, 2: true} {
			if scope == 0 {
				continue
			}
			k, l, _, codes = gridSyncScope(t, scope, "\tcvt.u32.u64 %r15, %rd10;\n")
			l.Engine, l.Cooperative = engine, cooperative
			if _, err := k.Run(context.Background(), l); err != nil || codes[0] != 0 || codes[239] != 0 {
				t.Errorf("%s: scope %d has the handles %d and %d, want 0; %v", engine, scope, codes[0], codes[239], err)
			}
		}
		k, l, _, _ = gridSync(t, gridSyncCall)
		l.Engine, l.Cooperative = engine, false
		_, err := k.Run(context.Background(), l)
		if err == nil || !strings.Contains(err.Error(), "not-cooperative") || !strings.Contains(err.Error(), "the launch is not cooperative") {
			t.Errorf("%s: not cooperative: %v", engine, err)
		}
	}
}
