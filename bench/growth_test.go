package bench

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// BenchmarkGrowth shows how the cost of a launch grows with the lanes of a block, with the
// blocks, and with the code: "first" is the first run of a kernel of so many instructions, the
// others run what has run before.
func BenchmarkGrowth(b *testing.B) {
	// run skips if the engine is not here.
	run := func(b *testing.B, k *crosslane.Kernel, l crosslane.Launch) *crosslane.Result {
		b.Helper()
		r, err := k.Run(context.Background(), l)
		if err != nil && diag.Of(err)[0].Code == "bad-engine" {
			b.Skip(err)
		}
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	for _, engine := range []string{"interp", "jit"} {
		steady := func(name string, lanes, blocks uint32) {
			b.Run(engine+"/"+name, func(b *testing.B) {
				k := load(b, ptxKernel("", "mad.lo.s32 %r4, %r4, %r5, %r6;"), "bench.ptx", crosslane.PTX)
				l := crosslane.Launch{Grid: crosslane.Dim3{X: blocks}, Block: crosslane.Dim3{X: lanes}, Workers: 1, Engine: engine,
					Args: []crosslane.Arg{crosslane.Slice("out", make([]uint32, lanes*blocks)), crosslane.Int(8)}}
				run(b, k, l)
				var warps uint64
				for b.Loop() {
					warps += run(b, k, l).Stats.WarpInstructions
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(warps), "ns/wave-instr")
			})
		}
		for _, lanes := range []uint32{1, 16, 32, 33, 64, 256, 1024} {
			steady(fmt.Sprint("lanes/", lanes), lanes, 16)
		}
		for _, blocks := range []uint32{1, 16, 256, 4096} {
			steady(fmt.Sprint("blocks/", blocks), 64, blocks)
		}
		for _, n := range []int{10, 100, 1000, 10000} {
			b.Run(fmt.Sprintf("%s/first/%d", engine, n), func(b *testing.B) {
				body := strings.Repeat("fma.rn.f32 %f0, %f0, %f3, %f4; xor.b32 %r4, %r4, %r5;\n", n/2)
				src := ".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<8>;\n.reg .f32 %f<8>;\n.reg .b64 %rd<4>;\n" +
					"mov.u32 %r4, %tid.x;\nmov.u32 %r5, 13;\ncvt.rn.f32.u32 %f0, %r4;\nmov.f32 %f3, 0f3F7FF000;\nmov.f32 %f4, 0f3A000000;\n" + body +
					"mov.b32 %r5, %f0;\nxor.b32 %r4, %r4, %r5;\nld.param.u64 %rd0, [out];\nst.global.u32 [%rd0], %r4;\nret;\n}\n"
				l := crosslane.Launch{Block: crosslane.Dim3{X: 1}, Workers: 1, Engine: engine, Args: []crosslane.Arg{crosslane.Slice("out", make([]uint32, 1))}}
				for b.Loop() {
					b.StopTimer()
					k := load(b, src, "bench.ptx", crosslane.PTX)
					b.StartTimer()
					run(b, k, l)
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/instr")
			})
		}
	}
}
