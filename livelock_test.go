package crosslane_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/test/kit"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/short"
)

// Loops that look at memory. Those of the first kind come to an end, though for long nothing
// changes: they must. Those of the second never do: the run reports it at once, on every engine and
// in every order.
var loops = []struct {
	name   string
	grid   int
	block  int
	body   string
	endsIn string // "": it ends; else a part of the message
	target string
	long   bool // tens of millions of instructions: some minutes under the race detector
}{
	{name: "gives up after a number of rounds", body: "L: ld.volatile.global.u32 %r2, [%p0];\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra E;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %q2, %r3, 40000;\n@%q2 bra L;\nE:"},
	{name: "counts down by another register", body: "mov.u32 %r3, 20000;\nL: ld.acquire.gpu.global.u32 %r2, [%p0];\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra E;\nshl.b32 %r4, %r3, 2;\nsub.u32 %r4, %r4, 4;\nshr.u32 %r3, %r4, 2;\nsetp.ne.u32 %q2, %r3, 0;\n@%q2 bra L;\nE:"},
	{name: "a clock", body: "mov.u32 %r5, %clock;\nL: ld.volatile.global.u32 %r2, [%p0];\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra E;\nmov.u32 %r6, %clock;\nsub.u32 %r6, %r6, %r5;\nsetp.lt.u32 %q2, %r6, 300000;\n@%q2 bra L;\nE:"},
	{name: "a clock of 64 bits, whose upper half decides", body: "L: ld.volatile.global.u32 %r2, [%p0];\nmov.u64 %rd1, %clock64;\nshr.u64 %rd1, %rd1, 18;\nsetp.eq.u64 %q2, %rd1, 0;\n@%q2 bra L;"},
	{name: "backoff that grows", body: "mov.u32 %r3, 1;\nL: ld.relaxed.gpu.global.u32 %r2, [%p0];\nnanosleep.u32 %r3;\nadd.u32 %r3, %r3, 7;\nsetp.lt.u32 %q2, %r3, 70000;\n@%q2 bra L;"},
	{name: "a counter in shared memory", block: 32, body: "setp.ne.u32 %q1, %id, 0;\n@%q1 bra E;\nst.shared.u32 [sm], %id;\nL: ld.volatile.global.u32 %r2, [%p0];\nld.shared.u32 %r3, [sm];\nadd.u32 %r3, %r3, 1;\nst.shared.u32 [sm], %r3;\nsetp.lt.u32 %q2, %r3, 20000;\n@%q2 bra L;\nE:"},
	{name: "a counter in private memory", body: ".local .b32 n;\nst.local.u32 [n], 0;\nL: ld.volatile.global.u32 %r2, [%p0];\nld.local.u32 %r3, [n];\nadd.u32 %r3, %r3, 1;\nst.local.u32 [n], %r3;\nsetp.lt.u32 %q2, %r3, 20000;\n@%q2 bra L;\nE:"},
	{name: "an atomic counter", body: "L: atom.global.add.u32 %r2, [%p0], 1;\nsetp.lt.u32 %q2, %r2, 60000;\n@%q2 bra L;"},
	{name: "rounds with a barrier", block: 96, body: "L: bar.sync 0;\nld.volatile.global.u32 %r2, [%p0];\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %q2, %r3, 20000;\n@%q2 bra L;"},
	{name: "rounds counted by a barrier's reduction", block: 64, body: "mov.u32 %r5, 0;\nL: ld.volatile.global.u32 %r2, [%p0];\nsetp.gt.u32 %q1, %id, %r5;\nbarrier.red.popc.u32 %r4, 0, %q1;\nadd.u32 %r5, %r5, 1;\nsetp.ne.u32 %q2, %r4, 0;\n@%q2 bra L;"},
	{name: "rounds counted by a shuffle", block: 32, body: "mov.u32 %r3, %lane;\nL: ld.volatile.global.u32 %r2, [%p0];\nshfl.sync.up.b32 %r3, %r3, 1, 0, -1;\nsetp.eq.u32 %q1, %r3, 0;\nvote.sync.all.pred %q2, %q1, -1;\n@!%q2 bra L;"},
	{name: "one of several addresses after the other", body: "L: and.b32 %r4, %r3, 15;\nmul.wide.u32 %rd1, %r4, 4;\nadd.s64 %rd1, %rd1, %p0;\nld.volatile.global.u32 %r2, [%rd1];\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %q2, %r3, 50000;\n@%q2 bra L;"},
	{name: "a lock between lanes", block: 64, body: "L: atom.global.cas.b32 %r2, [%p0], 0, 1;\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra L;\nld.volatile.global.u32 %r3, [%p0+4];\nadd.u32 %r3, %r3, 1;\nst.volatile.global.u32 [%p0+4], %r3;\nmembar.gl;\natom.global.exch.b32 %r2, [%p0], 0;"},
	{name: "a barrier of the grid", grid: 40, block: 64, body: "bar.sync 0;\nsetp.ne.u32 %q1, %id, 0;\n@%q1 bra W;\natom.global.add.u32 %r2, [%p0], 1;\nL: ld.acquire.gpu.global.u32 %r3, [%p0];\nsetp.lt.u32 %q2, %r3, %nb;\n@%q2 bra L;\nW: bar.sync 0;"},
	{name: "blocks that wait for the one before", grid: 70, block: 32, body: "mul.wide.u32 %rd1, %bid, 4;\nadd.s64 %rd1, %rd1, %p0;\nsetp.eq.u32 %q1, %bid, 0;\n@%q1 bra P;\nL: ld.acquire.gpu.global.u32 %r2, [%rd1+-4];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;\nP: add.u32 %r2, %r2, 1;\nst.release.gpu.global.u32 [%rd1], %r2;"},
	{name: "the last warp stores what the first waits for", block: 128, body: "setp.ge.u32 %q1, %id, 96;\n@%q1 bra S;\nL: ld.volatile.shared.u32 %r2, [sm];\nsetp.ne.u32 %q2, %r2, 77;\n@%q2 bra L;\nbra E;\nS: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %q3, %r3, 3000;\n@%q3 bra S;\nmov.u32 %r4, 77;\nst.volatile.shared.u32 [sm], %r4;\nE:"},
	{name: "an mbarrier whose arrivals come late", block: 64, target: "sm_90", body: "setp.ne.u32 %q1, %id, 0;\n@%q1 bra I;\nmbarrier.init.shared.b64 [sm], 32;\nI: bar.sync 0;\nsetp.ge.u32 %q1, %id, 32;\n@%q1 bra S;\nL: mbarrier.try_wait.parity.shared.b64 %q2, [sm], 0;\n@!%q2 bra L;\nbra E;\nS: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %q3, %r3, 3000;\n@%q3 bra S;\nmbarrier.arrive.shared.b64 %rd1, [sm];\nE:"},
	{name: "two warps hand a token to each other", block: 64, body: "shr.u32 %r1, %id, 5;\nL: ld.volatile.shared.u32 %r2, [sm];\nand.b32 %r3, %r2, 1;\nsetp.ne.u32 %q1, %r3, %r1;\nsetp.ge.u32 %q3, %r2, 400;\n@%q3 bra E;\n@%q1 bra L;\nadd.u32 %r4, %r2, 1;\nbar.warp.sync -1;\nst.volatile.shared.u32 [sm], %r4;\nbra L;\nE:"},
	{name: "a timer", body: "mov.u64 %rd1, %globaltimer;\nL: ld.volatile.global.u32 %r2, [%p0];\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra E;\nmov.u64 %rd2, %globaltimer;\nsub.u64 %rd2, %rd2, %rd1;\nsetp.lt.u64 %q2, %rd2, 300000;\n@%q2 bra L;\nE:"},
	{name: "a clock that a shuffle brings, whose upper bits decide", block: 32, body: "L: ld.volatile.global.u32 %r2, [%p0];\nmov.u32 %r6, %clock;\nshfl.sync.idx.b32 %r7, %r6, 0, 31, -1;\nshr.u32 %r7, %r7, 18;\nsetp.eq.u32 %q2, %r7, 0;\n@%q2 bra L;"},
	{name: "a clock in private memory, whose upper bits decide", body: ".local .b32 n;\nL: ld.volatile.global.u32 %r2, [%p0];\nmov.u32 %r6, %clock;\nshr.u32 %r6, %r6, 18;\nst.local.u32 [n], %r6;\nld.local.u32 %r7, [n];\nsetp.eq.u32 %q2, %r7, 0;\n@%q2 bra L;"},
	{name: "rounds counted by matrix products", block: 32, body: ".reg .f32 %f<4>;\nmov.b32 %r1, 0x3f800000;\nmov.b32 %f0, 0;\nmov.b32 %f1, 0;\nmov.b32 %f2, 0;\nmov.b32 %f3, 0;\nL: ld.volatile.global.u32 %r2, [%p0];\nmma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%f0, %f1, %f2, %f3};\nsetp.lt.f32 %q2, %f3, 0f48000000;\n@%q2 bra L;"},
	{name: "rounds counted by transpositions", block: 32, body: "shl.b32 %r3, 1, %lane;\nmov.u32 %r5, 0;\nL: ld.volatile.global.u32 %r2, [%p0];\nmovmatrix.sync.aligned.m8n8.trans.b16 %r4, %r3;\nadd.u32 %r3, %r4, 1;\nadd.u32 %r5, %r5, %r4;\nshr.u32 %r6, %r5, 31;\nsetp.eq.u32 %q2, %r6, 0;\nvote.sync.all.pred %q2, %q2, -1;\n@%q2 bra L;"},
	{name: "rounds counted where another lane shuffles", block: 32, body: "mov.u32 %r3, 0;\nmov.u32 %r4, 0;\nsetp.ne.u32 %q1, %lane, 0;\nL: ld.volatile.global.u32 %r2, [%p0];\n@%q1 bra O;\nadd.u32 %r3, %r3, 1;\nshr.u32 %r5, %r3, 13;\nshfl.sync.idx.b32 %r6, %r5, 0, 31, -1;\nbra J;\nO: shfl.sync.idx.b32 %r4, %r4, 0, 31, -1;\nJ: setp.eq.u32 %q2, %r4, 0;\nvote.sync.all.pred %q2, %q2, -1;\n@%q2 bra L;"},

	{name: "a flag that nobody sets", endsIn: "at buf0[0], which holds 0", body: "L: ld.volatile.global.u32 %r2, [%p0];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;"},
	{name: "in many blocks", grid: 30, block: 96, endsIn: "so it is in 2 more waves of the block and 29 more blocks", body: "L: ld.acquire.gpu.global.u32 %r2, [%p0];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;"},
	{name: "a round counter that decides nothing", endsIn: "at buf0[0], which holds 0", body: "L: add.u32 %r5, %r5, 1;\nld.volatile.global.u32 %r2, [%p0];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;\nst.global.u32 [%p0+4], %r5;"},
	{name: "plain loads", endsIn: "at buf0[1], which holds 0", body: "L: ld.global.u32 %r2, [%p0+4];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;"},
	{name: "plain loads of shared memory", endsIn: "at offset 8 of sm in shared memory, which holds 0", body: "L: ld.shared.u32 %r2, [sm+8];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;"},
	{name: "backoff that grows to a limit", endsIn: "at buf0[0]", body: "mov.u32 %r3, 8;\nL: ld.volatile.global.u32 %r2, [%p0];\nnanosleep.u32 %r3;\nadd.u32 %r3, %r3, %r3;\nmin.u32 %r3, %r3, 256;\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;"},
	{name: "the address in private memory", endsIn: "at buf0[0]", body: ".local .b64 a;\nst.local.u64 [a], %p0;\nL: ld.local.u64 %rd1, [a];\nst.local.u64 [a], %rd1;\nld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;"},
	{name: "a vote of the warp", block: 32, endsIn: "at buf0[0]", body: "L: ld.volatile.global.u32 %r2, [%p0];\nsetp.ne.u32 %q2, %r2, 0;\nvote.sync.any.pred %q3, %q2, -1;\n@!%q3 bra L;"},
	{name: "one thread looks, and tells its block", block: 96, endsIn: "at buf0[0]", body: "L: setp.ne.u32 %q1, %id, 0;\n@%q1 bra W;\nld.acquire.gpu.global.u32 %r2, [%p0];\nst.shared.u32 [sm], %r2;\nW: bar.sync 0;\nld.shared.u32 %r3, [sm];\nbar.sync 0;\nsetp.eq.u32 %q2, %r3, 0;\n@%q2 bra L;"},
	{name: "two warps that wait for each other", block: 64, endsIn: "at sm in shared memory, which holds 0", body: "shr.u32 %r1, %id, 5;\nsetp.ne.u32 %q1, %r1, 0;\n@%q1 bra B;\nL: ld.volatile.shared.u32 %r2, [sm];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;\nmov.u32 %r3, 1;\nst.volatile.shared.u32 [sm+4], %r3;\nbra E;\nB: ld.volatile.shared.u32 %r2, [sm+4];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra B;\nmov.u32 %r3, 1;\nst.volatile.shared.u32 [sm], %r3;\nE:"},
	{name: "a lane, while others of the warp wait for it", block: 32, endsIn: "lane 0 of wave 0 looks again and again", body: "setp.ne.u32 %q1, %id, 0;\n@%q1 bra W;\nL: ld.volatile.global.u32 %r2, [%p0];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;\nW: bar.warp.sync -1;\nmov.u32 %r3, 1;\nst.volatile.global.u32 [%p0], %r3;"},
	{name: "a warp, while others wait at a barrier", block: 96, endsIn: "lanes 0-31 of wave 1 look again and again", body: "shr.u32 %r1, %id, 5;\nsetp.ne.u32 %q1, %r1, 1;\n@%q1 bra W;\nL: ld.volatile.shared.u32 %r2, [sm];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;\nW: bar.sync 0;\nmov.u32 %r3, 1;\nst.volatile.shared.u32 [sm], %r3;"},
	{name: "a lock that is never given back", block: 64, grid: 3, endsIn: "again and again at buf0[0], which holds 1, and leave", body: "setp.ne.u32 %q1, %id, 0;\n@%q1 bra E;\nL: atom.global.exch.b32 %r2, [%p0], 1;\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra L;\nE:"},
	{name: "an mbarrier that is asked for the phase before", block: 32, target: "sm_90", endsIn: "wait for the end of phase 0 of the mbarrier object sm in shared memory, which is in phase 0: 3 arrivals are missing, and 128 bytes", body: "setp.ne.u32 %q1, %id, 0;\n@%q1 bra I;\nmbarrier.init.shared.b64 [sm], 3;\nmbarrier.expect_tx.relaxed.cta.shared::cta.b64 [sm], 128;\nI: bar.sync 0;\nL: mbarrier.test_wait.parity.shared.b64 %q2, [sm], 0;\n@!%q2 bra L;"},
	{name: "the same store in each round", endsIn: "at buf0[0]", body: "mov.u32 %r4, 5;\nL: st.shared.u32 [sm], %r4;\nld.volatile.global.u32 %r2, [%p0];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;"},
	{name: "a clock that decides nothing", endsIn: "at buf0[0]", body: "L: mov.u32 %r6, %clock;\nld.volatile.global.u32 %r2, [%p0];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;\nst.global.u32 [%p0+4], %r6;"},
	{name: "a clock whose readings are summed", endsIn: "at buf0[0]", body: "mov.u64 %rd2, 0;\nL: mov.u64 %rd1, %clock64;\nadd.u64 %rd2, %rd2, %rd1;\nmov.u32 %r6, %clock_hi;\nld.volatile.global.u32 %r2, [%p0];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;\nst.global.u64 [%p0+8], %rd2;"},
	{name: "a timer that says how long to sleep", endsIn: "at buf0[0]", body: "L: mov.u64 %rd1, %globaltimer;\ncvt.u32.u64 %r6, %rd1;\nand.b32 %r6, %r6, 15;\nnanosleep.u32 %r6;\nld.volatile.global.u32 %r2, [%p0];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;"},
	{name: "matrix products that decide nothing", block: 32, endsIn: "at buf0[0]", body: ".reg .f32 %f<4>;\nmov.b32 %r1, 0x3f800000;\nL: ld.volatile.global.u32 %r2, [%p0];\nmma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%f0, %f1, %f2, %f3};\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;\nst.global.f32 [%p0+4], %f0;"},
	{name: "a matrix product of what does not change", block: 32, endsIn: "at buf0[0]", body: ".reg .f32 %f<8>;\nmov.b32 %r1, 0x3f800000;\nL: ld.volatile.global.u32 %r2, [%p0];\nmma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, {%r1, %r1, %r1, %r1}, {%r1, %r2}, {%f4, %f5, %f6, %f7};\nsetp.lt.f32 %q2, %f0, 0f41000000;\n@%q2 bra L;"},
	{name: "tiles that are loaded", block: 32, endsIn: "at buf0[0]", body: "mov.u32 %r1, sm;\nL: ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r1];\nwmma.load.a.sync.aligned.row.m8n32k16.shared.u8 {%r4}, [%r1], 16;\nld.volatile.global.u32 %r2, [%p0];\nor.b32 %r2, %r2, %r3;\nor.b32 %r2, %r2, %r4;\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;"},
	{name: "a shuffle that decides nothing", block: 32, endsIn: "at buf0[0]", body: "mov.u32 %r4, %lane;\nL: shfl.sync.bfly.b32 %r4, %r4, 1, 31, -1;\nadd.u32 %r4, %r4, 1;\nld.volatile.global.u32 %r2, [%p0];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;\nst.global.u32 [%p0+4], %r4;"},
	{name: "an elected lane looks for all", block: 64, target: "sm_90", endsIn: "lane 0 of wave 0 looks again and again at buf0[0]", body: "L: elect.sync %r5|%q1, -1;\n@%q1 ld.acquire.gpu.global.u32 %r2, [%p0];\nshfl.sync.idx.b32 %r3, %r2, 0, 31, -1;\nredux.sync.add.u32 %r3, %r3, -1;\nmatch.any.sync.b32 %r4, %r3, -1;\nsetp.eq.u32 %q2, %r3, 0;\n@%q2 bra L;"},
	{name: "a reduction at the barrier of a block of one warp", block: 32, endsIn: "at buf0[0]", body: "L: ld.volatile.global.u32 %r2, [%p0];\nsetp.eq.u32 %q1, %r2, 0;\nbarrier.red.and.pred %q2, 0, %q1;\n@%q2 bra L;"},
	{name: "below sm_70", target: "sm_60", block: 64, endsIn: "at buf0[0]", body: "setp.ne.u32 %q1, %id, 40;\n@%q1 bra E;\nL: ld.volatile.global.u32 %r2, [%p0];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;\nE: bar.sync 0;"},
	{name: "sides of a branch in the loop", long: true, block: 32, endsIn: "at buf0[", body: "and.b32 %r1, %id, 1;\nsetp.ne.u32 %q1, %r1, 0;\nL: @%q1 bra O;\nld.volatile.global.u32 %r2, [%p0];\nbra J;\nO: ld.volatile.global.u32 %r2, [%p0+4];\nJ: setp.eq.u32 %q2, %r2, 0;\n@%q2 bra L;"},
}

func TestLoopsThatLook(t *testing.T) {
	for i, c := range loops {
		if !short.Every(i, 3) || c.long && testing.Short() {
			continue
		}
		target := c.target
		if target == "" {
			target = "sm_80"
		}
		src := kit.Kernel(target, 1, c.body)
		if target == "sm_60" {
			src = strings.Replace(src, ".version 8.0", ".version 6.0", 1)
		}
		first := ""
		for _, engine := range crosslane.Engines() {
			for _, s := range []crosslane.Schedule{"", crosslane.Reversed, "random:3"} {
				for _, workers := range []int{1, 3} {
					if workers > 1 && (s != "" || c.grid < 2) {
						continue
					}
					l := crosslane.Launch{Grid: crosslane.Dim3{X: uint32(max(c.grid, 1))}, Block: crosslane.Dim3{X: uint32(max(c.block, 1))}, Engine: engine, Schedule: s, Workers: workers}
					k := kit.Load(t, src, &l, make([]uint32, 128))
					run := k.Run
					if testing.Short() { // the wait takes its time
						l.Timeout = 2 * time.Minute
						run = func(ctx context.Context, l crosslane.Launch) (*crosslane.Result, error) {
							return crosslane.RunStuckAfter(ctx, k, l, 1<<14)
						}
					}
					_, err := run(context.Background(), l)
					list := diag.Of(err)
					switch {
					case c.endsIn == "" && err != nil:
						t.Errorf("%s, %s, %q, %d workers: %v", c.name, engine, s, workers, err)
					case c.endsIn == "":
					case len(list) != 1 || list[0].Code != "livelock" || list[0].Class != diag.Fault || s == "" && !strings.Contains(list[0].Message, c.endsIn):
						t.Errorf("%s, %s, %q, %d workers: got %v, want %q", c.name, engine, s, workers, err, c.endsIn)
					case s == "" && first != "" && first != err.Error():
						t.Errorf("%s: %s tells of something else: %v", c.name, engine, err)
					case s == "":
						first = err.Error()
					}
				}
			}
		}
	}
}

// Check reports a loop that never ends as a run does.
func TestCheckOfLoopsThatLook(t *testing.T) {
	for i, c := range loops {
		if !short.Every(i, 6) {
			continue
		}
		if c.target == "sm_60" || c.endsIn != "" && !slices.Contains([]string{"a flag that nobody sets", "a vote of the warp", "one thread looks, and tells its block", "the address in private memory", "an mbarrier that is asked for the phase before"}, c.name) {
			continue
		}
		target := c.target
		if target == "" {
			target = "sm_80"
		}
		m, err := crosslane.Load([]byte(kit.Kernel(target, 1, c.body)), "k.ptx", crosslane.PTX)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("")
		if err != nil {
			t.Fatal(err)
		}
		_, err = k.Check(t.Context(), crosslane.Launch{Grid: crosslane.Dim3{X: uint32(max(c.grid, 1))}, Block: crosslane.Dim3{X: uint32(max(c.block, 1))}, Args: []crosslane.Arg{crosslane.Slice("buf0", make([]uint32, 128))}})
		switch list := diag.Of(err); {
		case c.endsIn == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.endsIn != "" && (len(list) != 1 || list[0].Code != "livelock" || !strings.Contains(list[0].Message, c.endsIn)):
			t.Errorf("%s: got %v, want %q", c.name, err, c.endsIn)
		}
	}
}

// Memory that changes and changes back may be seen in between, in another order: that is no
// livelock.
func TestPulseIsNoLivelock(t *testing.T) {
	src := kit.Kernel("sm_80", 1, "shr.u32 %r1, %id, 5;\nsetp.ne.u32 %q1, %r1, 0;\n@%q1 bra B;\nL: ld.volatile.shared.u32 %r2, [sm];\nsetp.ne.u32 %q2, %r2, 1;\n@%q2 bra L;\nmov.u32 %r3, 1;\nst.volatile.shared.u32 [sm+4], %r3;\nbra E;\n"+
		"B: mov.u32 %r3, 1;\nmov.u32 %r4, 0;\nM: st.volatile.shared.u32 [sm], %r3;\nst.volatile.shared.u32 [sm], %r4;\nld.volatile.shared.u32 %r2, [sm+4];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra M;\nE:")
	_, err := kit.Launch(t, src, crosslane.Launch{Block: crosslane.Dim3{X: 64}, Timeout: 300 * time.Millisecond}, make([]uint32, 1))
	if list := diag.Of(err); len(list) != 1 || list[0].Code != "timeout" {
		t.Errorf("got %v", err)
	}
}
