package bench

import (
	"testing"
	"time"

	"example.org/crosslane"
)

// screenKernels are kernels of clients, as nvcc writes them but for the names of registers.
const screenKernels = `.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 x, .param .u64 y, .param .u64 z) {
	.reg .b32 %r<8>; .reg .b64 %rd<12>; .reg .f32 %f<4>;
	ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u64 %rd3, [z];
	mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;
	mul.wide.s32 %rd4, %r4, 4; add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4; add.s64 %rd7, %rd3, %rd4;
	ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd6]; add.f32 %f3, %f1, %f2; st.global.f32 [%rd7], %f3;
	ret;
}
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .u64 z) {
	.reg .b32 %r<8>; .reg .b64 %rd<12>; .reg .f32 %f<4>;
	ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];
	mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;
	mul.wide.s32 %rd4, %r4, 4; add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4;
	ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd6]; fma.rn.f32 %f3, %f1, 0f40000000, %f2; st.global.f32 [%rd6], %f3;
	ret;
}
.visible .entry histogram(.param .u64 x, .param .u64 y, .param .u64 z) {
	.reg .b32 %r<12>; .reg .b64 %rd<12>; .reg .pred %p<2>;
	.shared .align 4 .b8 bins[256];
	ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];
	mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;
	mov.u64 %rd3, bins; mul.wide.s32 %rd4, %r3, 4; add.s64 %rd5, %rd3, %rd4;
	setp.lt.u32 %p1, %r3, 64; mov.u32 %r5, 0; @%p1 st.shared.u32 [%rd5], %r5;
	bar.sync 0;
	mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r6, [%rd7];
	mad.lo.s32 %r6, %r4, 7, %r6; shr.u32 %r7, %r4, 3; xor.b32 %r6, %r6, %r7; and.b32 %r6, %r6, 63;
	mul.wide.u32 %rd8, %r6, 4; add.s64 %rd9, %rd3, %rd8; atom.shared.add.u32 %r8, [%rd9], 1;
	bar.sync 0;
	@!%p1 bra E;
	ld.shared.u32 %r9, [%rd5]; add.s64 %rd10, %rd2, %rd4; atom.global.add.u32 %r10, [%rd10], %r9;
E:
	ret;
}
.visible .entry counts(.param .u64 x, .param .u64 y, .param .u64 z) {
	.reg .b32 %r<12>; .reg .b64 %rd<12>;
	ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];
	mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;
	mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r6, [%rd7];
	mad.lo.s32 %r6, %r4, 7, %r6; shr.u32 %r7, %r4, 3; xor.b32 %r6, %r6, %r7; and.b32 %r6, %r6, 63;
	mul.wide.u32 %rd8, %r6, 4; add.s64 %rd9, %rd2, %rd8; red.global.add.u32 [%rd9], 1;
	ret;
}
.visible .entry tiled(.param .u64 x, .param .u64 y, .param .u64 z) {
	.reg .b32 %r<20>; .reg .b64 %rd<12>; .reg .f32 %f<6>; .reg .pred %p<3>;
	.shared .align 4 .b8 a[1024]; .shared .align 4 .b8 b[1024];
	ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u64 %rd3, [z];
	mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y;
	shl.b32 %r5, %r4, 4; add.s32 %r5, %r5, %r2; shl.b32 %r5, %r5, 7; add.s32 %r6, %r5, %r1;
	shl.b32 %r7, %r2, 7; shl.b32 %r8, %r3, 4; add.s32 %r7, %r7, %r8; add.s32 %r7, %r7, %r1;
	shl.b32 %r9, %r2, 6; mov.u32 %r10, a; add.s32 %r11, %r10, %r9; mov.u32 %r12, b; shl.b32 %r13, %r1, 2; add.s32 %r14, %r12, %r13;
	add.s32 %r15, %r11, %r13; add.s32 %r16, %r14, %r9;
	mov.f32 %f5, 0f00000000; mov.u32 %r17, 0;
L:
	mul.wide.u32 %rd4, %r6, 4; add.s64 %rd4, %rd1, %rd4; ld.global.f32 %f1, [%rd4]; st.shared.f32 [%r15], %f1;
	mul.wide.u32 %rd5, %r7, 4; add.s64 %rd5, %rd2, %rd5; ld.global.f32 %f2, [%rd5]; st.shared.f32 [%r16], %f2;
	bar.sync 0;
	mov.u32 %r18, %r11; mov.u32 %r19, %r14;
	mov.u32 %r0, 0;
M:
	ld.shared.f32 %f1, [%r18]; ld.shared.f32 %f2, [%r19]; fma.rn.f32 %f5, %f1, %f2, %f5;
	ld.shared.f32 %f1, [%r18+4]; ld.shared.f32 %f2, [%r19+64]; fma.rn.f32 %f5, %f1, %f2, %f5;
	ld.shared.f32 %f1, [%r18+8]; ld.shared.f32 %f2, [%r19+128]; fma.rn.f32 %f5, %f1, %f2, %f5;
	ld.shared.f32 %f1, [%r18+12]; ld.shared.f32 %f2, [%r19+192]; fma.rn.f32 %f5, %f1, %f2, %f5;
	add.s32 %r18, %r18, 16; add.s32 %r19, %r19, 256; add.s32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 4; @%p1 bra M;
	bar.sync 0;
	add.s32 %r6, %r6, 16; add.s32 %r7, %r7, 2048; add.s32 %r17, %r17, 1; setp.lt.u32 %p2, %r17, 8; @%p2 bra L;
	add.s32 %r5, %r5, %r8; add.s32 %r5, %r5, %r1; mul.wide.u32 %rd6, %r5, 4; add.s64 %rd6, %rd3, %rd6; st.global.f32 [%rd6], %f5;
	ret;
}
.visible .entry rows(.param .u64 x, .param .u64 y, .param .u64 z) {
	.reg .b32 %r<8>; .reg .b64 %rd<12>; .reg .f32 %f<4>; .reg .pred %p<3>;
	ld.param.u64 %rd1, [x]; ld.param.u64 %rd3, [z];
	mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;
	mul.wide.s32 %rd4, %r4, 1024; add.s64 %rd5, %rd1, %rd4; mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd3, %rd6;
	mov.f32 %f3, 0f00000000; mov.u32 %r5, 0;
L:
	ld.global.f32 %f1, [%rd5]; add.f32 %f3, %f1, %f3; ld.global.f32 %f1, [%rd5+4]; add.f32 %f3, %f1, %f3;
	ld.global.f32 %f1, [%rd5+8]; add.f32 %f3, %f1, %f3; ld.global.f32 %f1, [%rd5+12]; add.f32 %f3, %f1, %f3;
	add.s64 %rd5, %rd5, 16; add.s32 %r5, %r5, 4; setp.ne.s32 %p1, %r5, 256; @%p1 bra L;
	st.global.f32 [%rd7], %f3;
	ret;
}
.visible .entry sum(.param .u64 x, .param .u64 y, .param .u64 z) {
	.reg .b32 %r<20>; .reg .b64 %rd<12>; .reg .pred %p<4>;
	.shared .align 4 .b8 s[1024];
	ld.param.u64 %rd1, [x]; ld.param.u64 %rd3, [z];
	mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;
	mul.wide.s32 %rd4, %r4, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r5, [%rd5];
	shl.b32 %r6, %r3, 2; mov.u32 %r7, s; add.s32 %r7, %r7, %r6; st.shared.u32 [%r7], %r5; bar.sync 0;
	mov.u32 %r8, 128;
L:
	setp.ge.u32 %p1, %r3, %r8; @%p1 bra M;
	shl.b32 %r9, %r8, 2; add.s32 %r9, %r9, %r7; ld.shared.u32 %r10, [%r9]; ld.shared.u32 %r11, [%r7]; add.s32 %r10, %r10, %r11; st.shared.u32 [%r7], %r10;
M:
	bar.sync 0;
	shr.u32 %r8, %r8, 1; setp.ne.s32 %p2, %r8, 0; @%p2 bra L;
	setp.ne.s32 %p3, %r3, 0; @%p3 bra E;
	mul.wide.s32 %rd6, %r1, 4; add.s64 %rd7, %rd3, %rd6; ld.shared.u32 %r10, [s]; st.global.u32 [%rd7], %r10;
E:
	ret;
}
`

// BenchmarkScreen is what checks of launches on a device cost whose kernels are screened: the processor time of a
// checked launch by that of a plain one, with one worker.
func BenchmarkScreen(b *testing.B) {
	const n = 128 * 128
	for _, c := range []struct {
		kernel      string
		grid, block crosslane.Dim3
		words       int // of each buffer
	}{
		{"add", crosslane.Dim3{X: n / 128}, crosslane.Dim3{X: 128}, n},
		{"saxpy", crosslane.Dim3{X: n / 128}, crosslane.Dim3{X: 128}, n},
		{"histogram", crosslane.Dim3{X: n / 256}, crosslane.Dim3{X: 256}, n},
		{"counts", crosslane.Dim3{X: n / 256}, crosslane.Dim3{X: 256}, n},
		{"tiled", crosslane.Dim3{X: 8, Y: 8}, crosslane.Dim3{X: 16, Y: 16}, n},
		{"rows", crosslane.Dim3{X: 16}, crosslane.Dim3{X: 256}, 1 << 20},
		{"sum", crosslane.Dim3{X: 1 << 12}, crosslane.Dim3{X: 256}, 1 << 20},
	} {
		b.Run(c.kernel, func(b *testing.B) {
			var spent [2]time.Duration
			var launch [2]func()
			for i := range launch {
				d := must(crosslane.NewDevice("sm_80", crosslane.DeviceOptions{Check: i == 1, Workers: 1}))
				m := must(d.Load(must(crosslane.Load([]byte(screenKernels), "k.ptx", crosslane.PTX))))
				k := must(m.Kernel(c.kernel))
				var args []crosslane.Arg
				for range 3 {
					p := must(d.Alloc("buffer", uint64(4*c.words)))
					if err := d.Write(p, make([]byte, 4*c.words)); err != nil {
						b.Fatal(err)
					}
					args = append(args, crosslane.Int(int64(p)))
				}
				launch[i] = func() {
					res, err := d.DefaultStream().Launch(b.Context(), k, crosslane.DeviceLaunch{Grid: c.grid, Block: c.block, Args: args})
					if err != nil || len(res.Findings) > 0 {
						b.Fatal(err, res)
					}
				}
				for range 20 {
					launch[i]()
				}
			}
			for b.Loop() {
				for i := range launch {
					start := cpuTime()
					launch[i]()
					spent[i] += cpuTime() - start
				}
			}
			b.ReportMetric(float64(spent[1])/float64(spent[0]), "times")
			b.ReportMetric(float64(spent[0].Microseconds())/float64(b.N), "run-µs")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// must returns the result of a call that may not fail here.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
