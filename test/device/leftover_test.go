package device_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"example.org/crosslane"
)

// heapKernels use the heap of the device: keep allocates a word in one launch, use reads it in a later one, churn
// allocates, writes and frees.
const heapKernels = `.version 8.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .global .align 8 .u64 kept;
.visible .entry keep()
{
	.reg .b64 %rd<4>;
	.param .b64 a; .param .b64 r;
	st.param.b64 [a], 16;
	call.uni (r), malloc, (a);
	ld.param.b64 %rd1, [r];
	st.global.u64 [kept], %rd1;
	st.u32 [%rd1], 11;
	st.u32 [%rd1+4], 0;
	ret;
}
.visible .entry use(.param .u64 out)
{
	.reg .b64 %rd<4>; .reg .b32 %r<4>;
	ld.param.u64 %rd2, [out];
	ld.global.u64 %rd1, [kept];
	ld.u32 %r1, [%rd1];
	add.u32 %r1, %r1, 1;
	st.u32 [%rd1], %r1;
	st.global.u32 [%rd2], %r1;
	ret;
}
.visible .entry churn(.param .u64 out)
{
	.reg .b64 %rd<4>; .reg .b32 %r<4>;
	.param .b64 a; .param .b64 r;
	ld.param.u64 %rd2, [out];
	st.param.b64 [a], 64;
	call.uni (r), malloc, (a);
	ld.param.b64 %rd1, [r];
	mov.u32 %r1, %tid.x;
	st.u32 [%rd1], %r1;
	st.u32 [%rd1+4], %r1;
	ld.u32 %r2, [%rd1];
	mul.wide.u32 %rd3, %r1, 4;
	add.u64 %rd2, %rd2, %rd3;
	st.global.u32 [%rd2], %r2;
	st.param.b64 [a], %rd1;
	call.uni free, (a);
	ret;
}
.visible .entry drop()
{
	.reg .b64 %rd<2>;
	.param .b64 a;
	ld.global.u64 %rd1, [kept];
	st.param.b64 [a], %rd1;
	call.uni free, (a);
	ret;
}
`

// The heap of the device lives from launch to launch; the repetitions of a check leave nothing there.
func TestHeapLives(t *testing.T) {
	t.Parallel()
	for _, check := range []bool{false, true} {
		h := newHost(t, crosslane.DeviceOptions{Check: check})
		m := load(t, h.Device, heapKernels, "heap.ptx")
		run := func(name string, lanes uint32, args ...crosslane.Arg) {
			t.Helper()
			k, err := m.Kernel(name)
			h.must(err)
			_, err = h.Launch(ctx, k, crosslane.DeviceLaunch{Block: crosslane.Dim3{X: lanes}, Args: args})
			h.must(err)
		}
		p := h.alloc("out", 256)
		run("keep", 1)
		for i := range 3 {
			run("use", 1, p)
			if got := h.words(p, 1)[0]; got != uint32(12+i) {
				t.Errorf("check %t: the word on the heap is %d, want %d", check, got, 12+i)
			}
		}
		for range 3 {
			run("churn", 64, p)
		}
		want := make([]uint32, 64)
		for i := range want {
			want[i] = uint32(i)
		}
		if got := h.words(p, 64); !slices.Equal(got, want) {
			t.Errorf("check %t: %v", check, got)
		}
		run("drop", 1)
		h.must(h.Free(p))
		h.Close()
		h.only()
	}
}

// gridKernel returns a kernel whose blocks meet, with both spellings of the barrier of the grid: each block stores
// block+1 and adds what all have stored.
func gridKernel(t *testing.T, builtin bool) string {
	t.Helper()
	text, err := os.ReadFile("examples/cases/more/cooperative-sum.ptx")
	if err != nil {
		t.Fatal(err)
	}
	if !builtin {
		return string(text)
	}
	return `.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 a);
.extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 a, .param .b32 b);
.visible .entry sum(.param .u64 part, .param .u64 out)
{
	.reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<12>;
	.param .b32 pa; .param .b64 pr; .param .b64 pb; .param .b32 pc; .param .b32 ps;
	ld.param.u64 %rd1, [part];
	ld.param.u64 %rd2, [out];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %nctaid.x;
	mul.wide.u32 %rd3, %r1, 4;
	add.u64 %rd4, %rd1, %rd3;
	add.u64 %rd5, %rd2, %rd3;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra MEET;
	add.u32 %r4, %r1, 1;
	st.global.u32 [%rd4], %r4;
MEET:
	st.param.b32 [pa], 1;
	call.uni (pr), cudaCGGetIntrinsicHandle, (pa);
	ld.param.b64 %rd6, [pr];
	st.param.b64 [pb], %rd6;
	st.param.b32 [pc], 0;
	call.uni (ps), cudaCGSynchronize, (pb, pc);
	@%p1 bra E;
	mov.u32 %r5, 0;
	mov.u32 %r6, 0;
L:
	mul.wide.u32 %rd7, %r6, 4;
	add.u64 %rd7, %rd1, %rd7;
	ld.global.u32 %r7, [%rd7];
	add.u32 %r5, %r5, %r7;
	add.u32 %r6, %r6, 1;
	setp.lt.u32 %p2, %r6, %r3;
	@%p2 bra L;
	st.global.u32 [%rd5], %r5;
E:
	ret;
}
`
}

// Cooperative launches meet in a workspace that is fresh for each launch, in both spellings of the barrier.
func TestCooperativeTwice(t *testing.T) {
	t.Parallel()
	for _, check := range []bool{false, true} {
		for _, builtin := range []bool{false, true} {
			t.Run(fmt.Sprintf("check=%t,builtin=%t", check, builtin), func(t *testing.T) {
				t.Parallel()
				h := newHost(t, crosslane.DeviceOptions{Check: check})
				k, err := load(t, h.Device, gridKernel(t, builtin), "sum.ptx").Kernel("sum")
				h.must(err)
				for _, blocks := range []uint32{5, 5, 3, 7} {
					part, out := h.alloc("part", 4*uint64(blocks)), h.alloc("out", 4*uint64(blocks))
					_, err := h.Launch(ctx, k, crosslane.DeviceLaunch{Grid: crosslane.Dim3{X: blocks}, Block: crosslane.Dim3{X: 64}, Cooperative: true, Args: []crosslane.Arg{part, out}})
					h.must(err)
					if got, want := h.words(out, int(blocks)), repeat(blocks*(blocks+1)/2, int(blocks)); !slices.Equal(got, want) {
						t.Errorf("%d blocks: %v, want %v", blocks, got, want)
					}
					h.must(h.Free(part), h.Free(out))
				}
				h.Close()
				h.only()
			})
		}
	}
}
