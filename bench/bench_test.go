// Package bench measures Crosslane: nanoseconds per wave instruction (32 lanes of
// PTX, 64 of GCN3) on one worker, lane instructions per second, scaling over
// workers, the front ends, and memory. Run it with
//
//	go test -bench . ./bench
//
// docs/performance.md records figures and the machine that made them. These are
// benchmarks, never timed tests.
package bench

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"example.org/crosslane"
)

// unrolled is how many copies of an instruction a loop's body holds, so that the
// loop's own three instructions do not show.
const unrolled = 96

// trips is how often the loop runs in one launch.
const trips = 400

// ptxKernel makes a kernel that runs body, unrolled times, in a loop. $i counts the
// copies. It keeps %r0-%r7, %f0-%f7 (f32) and %rd0 alive by storing them.
func ptxKernel(setup, body string) string {
	var b strings.Builder
	b.WriteString(`.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 .ptr .global .align 4 out, .param .u32 n)
{
	.reg .b32 %r<32>;
	.reg .f32 %f<32>;
	.reg .b64 %rd<16>;
	.reg .pred %p<16>;
	.shared .align 4 .b8 sm[8192];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mad.lo.s32 %r3, %r1, %r2, %r0;
	add.s32 %r4, %r3, 7;
	mul.lo.s32 %r5, %r3, 13;
	xor.b32 %r6, %r3, 0x5555;
	add.s32 %r7, %r3, 99;
	cvt.rn.f32.u32 %f0, %r0;
	mul.f32 %f1, %f0, 0f3F000000;
	add.f32 %f2, %f0, 0f3F800000;
	mov.f32 %f3, 0f3F7FF000;
	mov.f32 %f4, 0f3A000000;
	ld.param.u64 %rd0, [out];
	mul.wide.u32 %rd1, %r3, 4;
	add.s64 %rd2, %rd0, %rd1;
	ld.param.u32 %r30, [n];
	mov.u32 %r31, 0;
	shl.b32 %r29, %r0, 2;
	mov.u32 %r28, sm;
	add.u32 %r29, %r29, %r28;
	setp.lt.u32 %p1, %r0, 4096;
	setp.lt.u32 %p2, %r0, 13;
`)
	b.WriteString(setup)
	b.WriteString("\nLOOP:\n")
	for i := range unrolled {
		b.WriteString("\t" + strings.ReplaceAll(body, "$i", fmt.Sprint(i)) + "\n")
	}
	b.WriteString(`	add.u32 %r31, %r31, 1;
	setp.lt.u32 %p0, %r31, %r30;
	@%p0 bra LOOP;
	xor.b32 %r4, %r4, %r5;
	add.f32 %f0, %f0, %f1;
	st.global.u32 [%rd2], %r4;
	ret;
}
`)
	return b.String()
}

func load(b *testing.B, src, file string, isa crosslane.ISA) *crosslane.Kernel {
	b.Helper()
	m, err := crosslane.Load([]byte(src), file, isa)
	if err != nil {
		b.Fatal(err)
	}
	k, err := m.Kernel("")
	if err != nil {
		b.Fatal(err)
	}
	return k
}

// measure runs a kernel and reports per wave instruction.
func measure(b *testing.B, k *crosslane.Kernel, l crosslane.Launch) {
	b.Helper()
	measurePer(b, k, l, 1)
}

// measurePer reports per n wave instructions.
func measurePer(b *testing.B, k *crosslane.Kernel, l crosslane.Launch, n float64) {
	b.Helper()
	if l.Workers == 0 {
		l.Workers = 1
	}
	if _, err := k.Run(context.Background(), l); err != nil { // translate outside the measurement
		b.Fatal(err)
	}
	var waves, lanes uint64
	cpu := cpuTime()
	for b.Loop() {
		r, err := k.Run(context.Background(), l)
		if err != nil {
			b.Fatal(err)
		}
		waves += r.Stats.WarpInstructions
		lanes += r.Stats.LaneInstructions
	}
	s := b.Elapsed().Seconds()
	b.ReportMetric(n*s*1e9/float64(waves), "ns/wave-instr")
	if cpu := cpuTime() - cpu; cpu > 0 {
		b.ReportMetric(n*float64(cpu)/float64(waves), "cpu-ns/wave-instr")
	}
	b.ReportMetric(float64(lanes)/s/1e6, "Mlane-instr/s")
}

// doubles puts f64 numbers into %rd4 and %rd5.
const doubles = "cvt.f64.f32 %rd4, %f0; cvt.f64.f32 %rd5, %f2;"

// BenchmarkPTX measures one instruction each, 32 lanes, one worker.
func BenchmarkPTX(b *testing.B) {
	for _, c := range []struct{ name, setup, body string }{
		{"add.s32", "", "add.s32 %r4, %r4, %r5;"},
		{"xor.b32", "", "xor.b32 %r4, %r4, %r5;"},
		{"mul.lo.s32", "", "mul.lo.s32 %r4, %r4, %r5;"},
		{"mad.lo.s32", "", "mad.lo.s32 %r4, %r4, %r5, %r6;"},
		{"shl.b32", "", "shl.b32 %r5, %r4, 3;"},
		{"shf.l.wrap.b32", "", "shf.l.wrap.b32 %r4, %r4, %r5, %r6;"},
		{"setp.lt.s32", "", "setp.lt.s32 %p3, %r4, %r5;"},
		{"selp.b32", "", "selp.b32 %r4, %r4, %r5, %p2;"},
		{"min.s32", "", "min.s32 %r4, %r4, %r5;"},
		{"add.f32", "", "add.f32 %f5, %f0, %f1;"},
		{"mul.f32", "", "mul.f32 %f5, %f0, %f1;"},
		{"fma.rn.f32", "", "fma.rn.f32 %f5, %f0, %f3, %f4;"},
		{"fma.rn.f32 dependent", "", "fma.rn.f32 %f0, %f0, %f3, %f4;"},
		{"max.f32", "", "max.f32 %f5, %f0, %f1;"},
		{"cvt.rn.f32.u32", "", "cvt.rn.f32.u32 %f5, %r4;"},
		{"setp.lt.f32", "", "setp.lt.f32 %p3, %f0, %f1;"},
		{"add.s64", "", "add.s64 %rd1, %rd1, %rd0;"},
		{"mul.wide.u32", "", "mul.wide.u32 %rd3, %r4, %r5;"},
		{"and.b64", "", "and.b64 %rd3, %rd1, %rd0;"},
		{"shr.s64", "", "shr.s64 %rd3, %rd1, 5;"},
		{"mul.lo.s64", "", "mul.lo.s64 %rd3, %rd1, %rd0;"},
		{"setp.lt.s64", "", "setp.lt.s64 %p3, %rd1, %rd0;"},
		{"selp.b64", "", "selp.b64 %rd3, %rd1, %rd0, %p2;"},
		{"add.f64", doubles, "add.f64 %rd3, %rd4, %rd5;"},
		{"fma.rn.f64", doubles, "fma.rn.f64 %rd3, %rd4, %rd5, %rd5;"},
		{"div.rn.f64", doubles, "div.rn.f64 %rd3, %rd4, %rd5;"},
		{"max.f64", doubles, "max.f64 %rd3, %rd4, %rd5;"},
		{"setp.lt.f64", doubles, "setp.lt.f64 %p3, %rd4, %rd5;"},
		{"cvt.f64.f32", "", "cvt.f64.f32 %rd3, %f0;"},
		{"cvt.rzi.s32.f32", "", "cvt.rzi.s32.f32 %r8, %f0;"},
		{"add.f16x2", "", "add.f16x2 %r8, %r4, %r5;"},
		{"fma.rn.f16x2", "", "fma.rn.f16x2 %r8, %r4, %r5, %r6;"},
		{"fma.rn.bf16x2", "", "fma.rn.bf16x2 %r8, %r4, %r5, %r6;"},
		{"add.bf16x2", "", "add.bf16x2 %r8, %r4, %r5;"},
		{"prmt.b32", "", "prmt.b32 %r8, %r4, %r5, 0x5410;"},
		{"cvt.rn.f16x2.f32", "", "cvt.rn.f16x2.f32 %r8, %f0, %f1;"},
		{"cvt.rn.satfinite.e4m3x2.f32", "", "{ .reg .b16 h; cvt.rn.satfinite.e4m3x2.f32 h, %f0, %f1; }"},
		{"lop3.b32", "", "lop3.b32 %r8, %r4, %r5, %r6, 0x96;"},
		{"rcp.approx.f32", "", "rcp.approx.f32 %f5, %f0;"},
		{"div.approx.f32", "", "div.approx.f32 %f5, %f0, %f1;"},
		{"ex2.approx.f32", "", "ex2.approx.f32 %f5, %f1;"},
		{"lg2.approx.f32", "", "lg2.approx.f32 %f5, %f1;"},
		{"sin.approx.f32", "", "sin.approx.f32 %f5, %f1;"},
		{"guarded all lanes", "", "@%p1 add.s32 %r4, %r4, %r5;"},
		{"guarded 13 lanes", "", "@%p2 add.s32 %r4, %r4, %r5;"},
		{"guarded 13 lanes fma.rn.f32", "", "@%p2 fma.rn.f32 %f5, %f0, %f3, %f4;"},
		{"shfl.sync.bfly.b32", "", "shfl.sync.bfly.b32 %r4, %r4, 16, 31, -1;"},
		{"shfl.sync.up.b32 with predicate", "", "shfl.sync.up.b32 %r4|%p3, %r4, 1, 0, -1;"},
		{"shfl.sync.idx.b32 registers", "mov.u32 %r8, 5; mov.u32 %r9, 31; mov.u32 %r10, -1;", "shfl.sync.idx.b32 %r4, %r4, %r8, %r9, %r10;"},
		{"shfl.sync.idx.b32 varying", "and.b32 %r8, %r5, 31; mov.u32 %r10, -1;", "shfl.sync.idx.b32 %r4, %r4, %r8, 31, %r10;"},
		{"vote.sync.ballot.b32", "", "vote.sync.ballot.b32 %r4, %p2, -1;"},
		{"redux.sync.add.s32", "mov.u32 %r10, -1;", "redux.sync.add.s32 %r4, %r4, %r10;"},
		{"match.any.sync.b32", "mov.u32 %r10, -1; and.b32 %r11, %r4, 7;", "match.any.sync.b32 %r4, %r11, %r10;"},
		{"mma.m16n8k16.f32.f16", "mov.u32 %r4, 0x3c003c00; mov.u32 %r5, %r4; mov.u32 %r6, %r4; mov.u32 %r7, %r4;", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f4,%f5,%f6,%f7}, {%r4,%r5,%r6,%r7}, {%r5,%r6}, {%f4,%f5,%f6,%f7};"},
		{"mma.m16n8k16.f32.bf16", "mov.u32 %r4, 0x3f803f80; mov.u32 %r5, %r4; mov.u32 %r6, %r4; mov.u32 %r7, %r4;", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f4,%f5,%f6,%f7}, {%r4,%r5,%r6,%r7}, {%r5,%r6}, {%f4,%f5,%f6,%f7};"},
		{"mma.m16n8k8.f32.tf32", "mov.u32 %r4, 0x3f800000; mov.u32 %r5, %r4; mov.u32 %r6, %r4; mov.u32 %r7, %r4;", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f4,%f5,%f6,%f7}, {%r4,%r5,%r6,%r7}, {%r5,%r6}, {%f4,%f5,%f6,%f7};"},
		{"mma.m16n8k32.s32.s8", "", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r8,%r9,%r10,%r11}, {%r4,%r5,%r6,%r7}, {%r5,%r6}, {%r8,%r9,%r10,%r11};"},
		{"mma.m8n8k4.f64", doubles, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%rd6,%rd7}, {%rd4}, {%rd5}, {%rd6,%rd7};"},
		{"ldmatrix.x4", "and.b32 %r8, %r29, -16;", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r9,%r10,%r11,%r12}, [%r8];"},
		{"movmatrix", "", "movmatrix.sync.aligned.m8n8.trans.b16 %r8, %r4;"},
		{"ld.shared.u32", "", "ld.shared.u32 %r4, [%r29];"},
		{"st.shared.u32", "", "st.shared.u32 [%r29], %r4;"},
		{"ld.global.u32 coalesced", "", "ld.global.u32 %r4, [%rd2];"},
		{"st.global.u32 coalesced", "", "st.global.u32 [%rd2], %r4;"},
		{"divergent", "", "@%p2 bra T$i; add.s32 %r4, %r4, %r5; bra.uni E$i; T$i: add.s32 %r4, %r4, %r6; E$i:"},
		{"divergent blocks of 8", "", "@%p2 bra T$i; " + strings.Repeat("add.s32 %r4, %r4, %r5; ", 8) + "bra.uni E$i; T$i: " + strings.Repeat("xor.b32 %r4, %r4, %r6; ", 8) + "E$i:"},
	} {
		b.Run(c.name, func(b *testing.B) {
			src := ptxKernel(c.setup, c.body)
			out := make([]uint32, 32)
			measure(b, load(b, src, "bench.ptx", crosslane.PTX), crosslane.Launch{Block: crosslane.Dim3{X: 32},
				Args: []crosslane.Arg{crosslane.Slice("out", out), crosslane.Int(trips)}})
		})
	}
}

// BenchmarkWorkers runs independent blocks on one, two and more workers. Divide the
// times for the speed-up.
func BenchmarkWorkers(b *testing.B) {
	src := ptxKernel("", "mad.lo.s32 %r4, %r4, %r5, %r6;")
	k := load(b, src, "bench.ptx", crosslane.PTX)
	for _, n := range []int{1, 2} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			out := make([]uint32, 64*64)
			measure(b, k, crosslane.Launch{Grid: crosslane.Dim3{X: 64}, Block: crosslane.Dim3{X: 64}, Workers: n,
				Args: []crosslane.Arg{crosslane.Slice("out", out), crosslane.Int(200)}})
		})
	}
}

// BenchmarkLoad64K parses, checks and lifts a kernel file of 64 KB.
func BenchmarkLoad64K(b *testing.B) {
	body := "{ .reg .pred p; .reg .b32 t; shfl.sync.up.b32 t|p, %r4, 1, 0, -1; @p add.s32 %r4, %r4, t; } mad.lo.s32 %r5, %r4, %r6, 17; setp.lt.s32 %p3, %r5, 0; @%p3 bra L$i; st.global.u32 [%rd2+4], %r5; L$i: fma.rn.f32 %f5, %f0, 0f3F000000, %f4; // comment"
	src := ptxKernel("", body)
	for len(src) < 64<<10 {
		i := strings.Index(src, "\tadd.u32 %r31")
		more := strings.ReplaceAll(body, "$i", fmt.Sprint("x", len(src)))
		src = src[:i] + "\t" + more + "\n" + src[i:]
	}
	b.SetBytes(int64(len(src)))
	out := make([]uint32, 64)
	cpu := cpuTime()
	for b.Loop() {
		m, err := crosslane.Load([]byte(src), "bench.ptx", crosslane.PTX)
		if err != nil {
			b.Fatal(err)
		}
		k, err := m.Kernel("")
		if err != nil {
			b.Fatal(err)
		}
		// A launch of one wave and one trip lifts and compiles the kernel.
		if _, err := k.Run(context.Background(), crosslane.Launch{Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{crosslane.Slice("out", out), crosslane.Int(1)}}); err != nil {
			b.Fatal(err)
		}
	}
	if cpu := cpuTime() - cpu; cpu > 0 {
		b.ReportMetric(float64(cpu)/1e6/float64(b.N), "cpu-ms/op")
	}
}

// BenchmarkMemory reports how much the heap grows for a launch beyond the buffers,
// per byte of the guest's own registers and shared memory.
func BenchmarkMemory(b *testing.B) {
	k := load(b, ptxKernel("", "add.s32 %r4, %r4, %r5;"), "bench.ptx", crosslane.PTX)
	out := make([]uint32, 256*1024)
	l := crosslane.Launch{Grid: crosslane.Dim3{X: 256}, Block: crosslane.Dim3{X: 1024}, Workers: 2,
		Args: []crosslane.Arg{crosslane.Slice("out", out), crosslane.Int(1)}}
	var most uint64
	for b.Loop() {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := k.Run(context.Background(), l); err != nil {
			b.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		most = max(most, after.TotalAlloc-before.TotalAlloc)
	}
	// 32 b32 + 32 f32 + 16 b64 registers and 16 predicates of 2 x 1024 lanes, and
	// 2 x 8 KB of shared memory.
	guest := uint64(2*1024*(32*4+32*4+16*8) + 2*32*16*8 + 2*8192)
	b.ReportMetric(float64(most), "B-allocated")
	b.ReportMetric(float64(most)/float64(guest), "x-guest")
}
