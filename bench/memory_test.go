package bench

import (
	"strings"
	"testing"

	"example.org/crosslane"
)

// BenchmarkPTXMemory measures loads, stores, atomics on distinct addresses, copies
// and barriers in shared memory: one instruction each, or the sequence named, 32
// lanes, on one worker and, for atomics in global memory, also on several, which
// need atomic instructions of the host.
func BenchmarkPTXMemory(b *testing.B) {
	// %rd3 and %r27 address 16 bytes for each lane, %rd4 the generic address of shared
	// memory.
	const setup = `mul.wide.u32 %rd3, %r0, 16; add.s64 %rd3, %rd0, %rd3; shl.b32 %r27, %r0, 4; add.u32 %r27, %r27, %r28;
	cvt.u64.u32 %rd4, %r29; cvta.shared.u64 %rd4, %rd4; cvt.u64.u32 %rd5, %r0; mov.u64 %rd6, %rd5; shl.b32 %r26, %r0, 3; add.u32 %r26, %r26, %r28;
	mul.wide.u32 %rd7, %r0, 8; add.s64 %rd7, %rd0, %rd7; mov.u32 %r25, sm; add.u32 %r25, %r25, 4096; setp.eq.u32 %p4, %r0, 0; @%p4 mbarrier.init.shared.b64 [%r25], 32;
	.reg .b16 %h<4>; mov.b16 %h1, 1; mov.b32 %r24, 0x3c003c00;`
	for _, c := range []struct{ name, body string }{
		{"ld.shared.u32", "ld.shared.u32 %r4, [%r29];"},
		{"ld.shared.u32 by lane", "ld.shared.u32 %r4, [%r27];"},
		{"ld.shared.b64", "ld.shared.b64 %rd5, [%r26];"},
		{"st.shared.b64", "st.shared.b64 [%r26], %rd5;"},
		{"ld.shared.v4.u32", "ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r27];"},
		{"st.shared.v4.u32", "st.shared.v4.u32 [%r27], {%r4, %r5, %r6, %r7};"},
		{"ld.global.b64 coalesced", "ld.global.b64 %rd5, [%rd7];"},
		{"st.global.b64 coalesced", "st.global.b64 [%rd7], %rd5;"},
		{"ld.global.v4.u32", "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd3];"},
		{"st.global.v2.b64", "st.global.v2.b64 [%rd3], {%rd5, %rd6};"},
		{"ld.u32 generic shared", "ld.u32 %r4, [%rd4];"},
		{"atom.shared.add.u32", "atom.shared.add.u32 %r4, [%r29], %r5;"},
		{"red.shared.add.u32", "red.shared.add.u32 [%r29], %r5;"},
		{"atom.shared.max.s32", "atom.shared.max.s32 %r4, [%r29], %r5;"},
		{"atom.shared.cas.b32", "atom.shared.cas.b32 %r4, [%r29], %r5, %r6;"},
		{"atom.shared.add.f32", "atom.shared.add.f32 %f5, [%r29], %f0;"},
		{"atom.shared.add.u64", "atom.shared.add.u64 %rd5, [%r26], %rd6;"},
		{"atom.add.u32 generic shared", "atom.add.u32 %r4, [%rd4], %r5;"},
		{"atom.global.add.u32", "atom.global.add.u32 %r4, [%rd2], %r5;"},
		{"red.global.add.u32", "red.global.add.u32 [%rd2], %r5;"},
		{"atom.global.add.f32", "atom.global.add.f32 %f5, [%rd2], %f0;"},
		{"atom.global.max.u64", "atom.global.max.u64 %rd5, [%rd7], %rd6;"},
		{"red.global.add.noftz.f16x2", "red.global.add.noftz.f16x2 [%rd2], %r24;"},
		{"cp.async.ca 4", "cp.async.ca.shared.global [%r29], [%rd2], 4;"},
		{"cp.async.cg 16", "cp.async.cg.shared.global [%r27], [%rd3], 16;"},
		{"mbarrier round trip (arrive, test_wait)", "mbarrier.arrive.shared.b64 %rd5, [%r25]; mbarrier.test_wait.shared.b64 %p3, [%r25], %rd5;"},
	} {
		b.Run(c.name, func(b *testing.B) { measureMemory(b, setup, c.body, 1) })
		if strings.Contains(c.name, ".global.") && !strings.HasPrefix(c.name, "ld") && !strings.HasPrefix(c.name, "st") {
			b.Run(c.name+", several workers", func(b *testing.B) { measureMemory(b, setup, c.body, 2) })
		}
	}
}

func measureMemory(b *testing.B, setup, body string, workers int) {
	out := make([]uint32, 1024)
	measure(b, load(b, ptxKernel(setup, body), "bench.ptx", crosslane.PTX), crosslane.Launch{Grid: crosslane.Dim3{X: uint32(workers)}, Block: crosslane.Dim3{X: 32}, Workers: workers,
		Args: []crosslane.Arg{crosslane.Slice("out", out), crosslane.Int(trips)}})
}
