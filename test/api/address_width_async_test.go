package api_test

import (
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/difftest"
)

// Addresses of 32 bits that wrap, in the instructions that one lane executes for a block, or a
// warp together: fragments, mbarrier objects and asynchronous copies.

// widthBlock is an access of word 8 of shared memory: by lane 0 alone, or by the warp. OFF is the offset of
// %r5 from there, FAR that of word 128; %r6 is word 0. The model changes the words and returns %r10 of lane 0.
type widthBlock struct {
	name, code string
	warp       bool
	model      func(m []uint32) uint32
	outside    bool // the form is a single access of OFF, which has to fault outside
}

// A phase that completes if all that is expected of it came.
const (
	widthPhase = `mbarrier.init.shared.b64 [%r6+512], 1; mbarrier.arrive.expect_tx.shared.b64 %rd3, [%r6+512], 64;
`
	widthWait = `
WAIT: mbarrier.try_wait.shared.b64 %p1, [%r6+512], %rd3; @!%p1 bra WAIT;
	st.shared.v2.u32 [%r6+512], {5, 6};`
)

// written puts the final state of widthWait's object into m.
func written(m []uint32) { m[128], m[129] = 5, 6 }

var widthBlocks = []widthBlock{
	{"wmma.load", "wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 {%r10, %r11, %r12, %r13}, [%r5+OFF], 16; wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%r6+96], {%r10, %r11, %r12, %r13}, 16; mov.u32 %r10, 0;", true,
		func(m []uint32) uint32 { copy(m[24:], append([]uint32{}, m[8:8+128]...)); return 0 }, true},
	{"wmma.load.col", "mov.u32 %r14, 16; wmma.load.c.sync.aligned.col.m16n16k16.shared.f16 {%r10, %r11, %r12, %r13}, [%r5+OFF], %r14; wmma.store.d.sync.aligned.col.m16n16k16.shared.f16 [%r6+96], {%r10, %r11, %r12, %r13}, 16; mov.u32 %r10, 0;", true,
		func(m []uint32) uint32 { copy(m[24:], append([]uint32{}, m[8:8+128]...)); return 0 }, true},
	{"wmma.store", "wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 {%r10, %r11, %r12, %r13}, [%r6+96], 16; wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%r5+OFF], {%r10, %r11, %r12, %r13}, 16; mov.u32 %r10, 0;", true,
		func(m []uint32) uint32 { copy(m[8:], append([]uint32{}, m[24:24+128]...)); return 0 }, true},
	{"wmma.load.b1", "wmma.load.a.sync.aligned.row.m8n8k128.shared.b1 {%r10}, [%r5+OFF], 128; bar.warp.sync -1; st.shared.u32 [%r15], %r10; mov.u32 %r10, 0;", true,
		// One register each, of 32 words in a row: which lane has which is not asked.
		func(m []uint32) uint32 { copy(m[64:], append([]uint32{}, m[8:8+32]...)); return 0 }, true},
	{"mbarrier", `mbarrier.init.shared.b64 [%r5+OFF], 2; mbarrier.arrive.shared.b64 %rd3, [%r5+OFF];
	mbarrier.test_wait.shared.b64 %p1, [%r5+OFF], %rd3; selp.u32 %r10, 1, 0, %p1;
	mbarrier.expect_tx.relaxed.cta.shared.b64 [%r5+OFF], 16; mbarrier.arrive.shared.b64 %rd4, [%r6+32];
	mbarrier.test_wait.shared.b64 %p1, [%r6+32], %rd3; selp.u32 %r11, 2, 0, %p1; or.b32 %r10, %r10, %r11;
	mbarrier.complete_tx.relaxed.cta.shared.b64 [%r5+OFF], 16;
	mbarrier.test_wait.parity.shared.b64 %p1, [%r5+OFF], 0; selp.u32 %r11, 4, 0, %p1; or.b32 %r10, %r10, %r11;
	mbarrier.try_wait.shared.b64 %p1, [%r6+32], %rd3; selp.u32 %r11, 8, 0, %p1; or.b32 %r10, %r10, %r11;
	mbarrier.inval.shared.b64 [%r5+OFF]; st.shared.v2.u32 [%r6+32], {5, 6};`, false,
		func(m []uint32) uint32 { m[8], m[9] = 5, 6; return 4 + 8 }, false},
	{"mbarrier.arrive_drop", `mbarrier.init.shared.b64 [%r6+32], 2; mbarrier.arrive_drop.shared.b64 %rd3, [%r5+OFF]; mbarrier.arrive.shared.b64 %rd4, [%r6+32];
	mbarrier.test_wait.shared.b64 %p1, [%r5+OFF], %rd3; selp.u32 %r10, 1, 0, %p1; st.shared.v2.u32 [%r6+32], {5, 6};`, false,
		func(m []uint32) uint32 { m[8], m[9] = 5, 6; return 1 }, false},
	{"mbarrier.init", "mbarrier.init.shared.b64 [%r5+OFF], 1; st.shared.v2.u32 [%r6+32], {5, 6};", false,
		func(m []uint32) uint32 { m[8], m[9] = 5, 6; return 0 }, true},
	{"mbarrier.arrive", "mbarrier.init.shared.b64 [%r6+32], 1; mbarrier.arrive.shared.b64 %rd3, [%r5+OFF]; mbarrier.test_wait.shared.b64 %p1, [%r6+32], %rd3; selp.u32 %r10, 1, 0, %p1; st.shared.v2.u32 [%r6+32], {5, 6};", false,
		func(m []uint32) uint32 { m[8], m[9] = 5, 6; return 1 }, true},
	{"mbarrier.test_wait", "mbarrier.init.shared.b64 [%r6+32], 1; mbarrier.arrive.shared.b64 %rd3, [%r6+32]; mbarrier.test_wait.shared.b64 %p1, [%r5+OFF], %rd3; selp.u32 %r10, 1, 0, %p1; st.shared.v2.u32 [%r6+32], {5, 6};", false,
		func(m []uint32) uint32 { m[8], m[9] = 5, 6; return 1 }, true},
	{"cp.async.mbarrier.arrive", "mbarrier.init.shared.b64 [%r6+32], 2; mbarrier.arrive.shared.b64 %rd3, [%r6+32]; cp.async.mbarrier.arrive.noinc.shared.b64 [%r5+OFF]; mbarrier.test_wait.shared.b64 %p1, [%r6+32], %rd3; selp.u32 %r10, 1, 0, %p1; st.shared.v2.u32 [%r6+32], {5, 6};", false,
		func(m []uint32) uint32 { m[8], m[9] = 5, 6; return 1 }, true},
	{"bulk to shared", widthPhase + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5+OFF], [%rd1+4096], 64, [%r6+512];" + widthWait, false,
		func(m []uint32) uint32 {
			for i := range uint32(16) {
				m[8+i] = i * 20 % 128
			}
			written(m)
			return 0
		}, true},
	{"bulk, mbarrier", widthPhase + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5+OFF], [%rd1+4096], 64, [%r5+FAR];" + widthWait, false,
		func(m []uint32) uint32 {
			for i := range uint32(16) {
				m[8+i] = i * 20 % 128
			}
			written(m)
			return 0
		}, false},
	{"bulk to global", "cp.async.bulk.global.shared::cta.bulk_group [%rd1+4096], [%r5+OFF], 64; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ld.global.u32 %r10, [%rd1+4104];", false,
		func(m []uint32) uint32 { return m[10] }, true},
	{"bulk between blocks", widthPhase + "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r5+OFF], [%r6+128], 64, [%r6+512];" + widthWait, false,
		func(m []uint32) uint32 { copy(m[8:], append([]uint32{}, m[32:32+16]...)); written(m); return 0 }, true},
	{"bulk from a block", widthPhase + "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r6+128], [%r5+OFF], 64, [%r6+512];" + widthWait, false,
		func(m []uint32) uint32 { copy(m[32:], append([]uint32{}, m[8:8+16]...)); written(m); return 0 }, true},
	{"bulk reduction", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1+4096], [%r5+OFF], 64; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ld.global.u32 %r10, [%rd1+4104];", false,
		func(m []uint32) uint32 { return m[10] + 40 }, true},
	{"bulk reduction to shared", widthPhase + "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r5+OFF], [%r6+128], 64, [%r6+512];" + widthWait, false,
		func(m []uint32) uint32 {
			for i := range 16 {
				m[8+i] += m[32+i]
			}
			written(m)
			return 0
		}, true},
	{"st.async", strings.Replace(widthPhase, "64;", "4;", 1) + "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5+OFF], 77, [%r6+512];" + widthWait, false,
		func(m []uint32) uint32 { m[8] = 77; written(m); return 0 }, true},
	{"red.async", strings.Replace(widthPhase, "64;", "4;", 1) + "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r5+OFF], 77, [%r6+512];" + widthWait, false,
		func(m []uint32) uint32 { m[8] += 77; written(m); return 0 }, true},
	{"st.bulk", "st.bulk.weak.shared::cta [%r5+OFF], 64, 0;", false,
		func(m []uint32) uint32 { clear(m[8 : 8+16]); return 0 }, true},
	{"atom.b128", "mov.b64 %rd3, 7; mov.b64 %rd4, 9; mov.b128 %q1, {%rd3, %rd4}; atom.shared.exch.b128 %q2, [%r5+OFF], %q1; mov.b128 {%rd3, %rd4}, %q2; cvt.u32.u64 %r10, %rd4;", false,
		func(m []uint32) uint32 { old := m[10]; m[8], m[9], m[10], m[11] = 7, 0, 9, 0; return old }, true},
	{"ld.v8", "ld.shared.v2.b64 {%rd3, %rd4}, [%r5+OFF]; mov.b64 {%r11, %r10}, %rd4;", false,
		func(m []uint32) uint32 { return m[11] }, true},
}

// kernel has %r5 = the address at that a form accesses with bias below it.
func (f *widthBlock) kernel(at, bias uint32) string {
	code := strings.NewReplacer("OFF", fmt.Sprint(int32(bias)), "FAR", fmt.Sprint(int64(int32(bias))+480)).Replace(f.code)
	if !f.warp {
		code = "setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE;\n\t" + code + "\nDONE:"
	}
	return `.version 8.6
.target sm_100
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .pred %p<2>; .reg .b32 %r<20>; .reg .b64 %rd<8>; .reg .b128 %q<3>;
	.shared .align 16 .b8 s[640];
	ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
	mov.u32 %r6, s; mov.u32 %r2, %r1; mov.u32 %r10, 0; shl.b32 %r15, %r1, 2; add.u32 %r15, %r15, %r6; add.u32 %r15, %r15, 256;
INIT:
	mul.lo.u32 %r7, %r2, 7; add.u32 %r7, %r7, 1; shl.b32 %r8, %r2, 2; add.u32 %r8, %r8, %r6; st.shared.u32 [%r8], %r7;
	add.u32 %r2, %r2, 32; setp.lt.u32 %p1, %r2, 160; @%p1 bra INIT;
	bar.sync 0;
	add.u32 %r5, %r6, ` + fmt.Sprintf("%#x", at-bias) + `;
	` + code + `
	bar.sync 0;
	shl.b32 %r4, %r1, 2; cvt.u64.u32 %rd2, %r4; add.u64 %rd2, %rd2, %rd1;
	st.global.u32 [%rd2], %r10;
	mov.u32 %r2, %r1;
COPY:
	shl.b32 %r8, %r2, 2; add.u32 %r9, %r8, %r6; ld.shared.u32 %r7, [%r9];
	cvt.u64.u32 %rd2, %r8; add.u64 %rd2, %rd2, %rd1; st.global.u32 [%rd2+128], %r7;
	add.u32 %r2, %r2, 32; setp.lt.u32 %p1, %r2, 160; @%p1 bra COPY;
	ret;
}
`
}

func TestAddressesOf32BitsWrapForBlocks(t *testing.T) {
	t.Parallel()
	for i := range widthBlocks {
		f := &widthBlocks[i]
		for _, bias := range []uint32{48, 0x10000, 0x80000000, 0x7fffff80} {
			want := make([]uint32, 32+widthWords)
			for i := range widthWords {
				want[32+i] = uint32(i)*7 + 1
			}
			want[0] = f.model(want[32:])
			onEveryEngine(t, fmt.Sprintf("%s, %#x", f.name, bias), f.kernel(32, bias), 4096+128, widthFill, want)
		}
	}
}

// The same forms outside of shared memory, behind its end and before its start, where a sum of
// 64 bits would lie elsewhere.
func TestAddressesOf32BitsOutside(t *testing.T) {
	t.Parallel()
	for i := range widthBlocks {
		f := &widthBlocks[i]
		if !f.outside {
			continue
		}
		for _, at := range []uint32{640, 0xfffffff0, 0x80000000} {
			for _, bias := range []uint32{0, 0x10000, 0x80000000} {
				m, err := crosslane.Load([]byte(f.kernel(at, bias)), "k", crosslane.PTX)
				if err != nil {
					t.Fatalf("%s: %v", f.name, err)
				}
				k, err := m.Kernel("k")
				if err != nil {
					t.Fatal(err)
				}
				for _, how := range difftest.Choices() {
					if how.Workers > 1 {
						continue
					}
					out := crosslane.NewBuffer("out", crosslane.U8, 4096+128)
					how.Grid, how.Block, how.Args = crosslane.Dim3{X: 1}, crosslane.Dim3{X: 32}, []crosslane.Arg{out}
					_, err := k.Run(t.Context(), how)
					if err == nil || !strings.Contains(err.Error(), "[out-of-bounds]") {
						t.Fatalf("%s at %#x, bias %#x, %s %s: %v, want out-of-bounds", f.name, at, bias, how.Engine, how.Native, err)
					}
				}
			}
		}
	}
}
