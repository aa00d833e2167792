package ptx

import (
	"fmt"
	"strings"
	"testing"
)

// body100 is body for the newest version and a target of family 10.
func body100(decls, code string) string {
	return strings.Replace(body(decls, code), head, ".version 9.3\n.target sm_100a\n.address_size 64\n", 1)
}

// TestBulkCopies moves 64 words through shared memory in every direction and with
// every completion mechanism.
func TestBulkCopies(t *testing.T) {
	t.Parallel()
	const decl = `.global .align 16 .b32 src[64]; .global .align 16 .b32 dst[64];`
	// Every thread fills one word of src and of s; thread 0 copies; every thread reads.
	const frame = `
	.shared .align 16 .b32 s[64];
	.shared .align 16 .b32 s2[64];
	.shared .align 8 .b64 bar;
	mov.u64 %%rd5, src;
	mov.u64 %%rd6, dst;
	mov.u64 %%rd9, s;
	mov.u64 %%rd10, s2;
	mov.b64 %%rd11, 0;
	mov.u32 %%r12, 64;
	mov.b16 %%h1, 0xf00f;
	mul.wide.u32 %%rd7, %%r1, 4;
	add.s64 %%rd8, %%rd5, %%rd7;
	mad.lo.u32 %%r2, %%r1, 3, 5;
	st.global.u32 [%%rd8], %%r2;
	add.s64 %%rd8, %%rd6, %%rd7;
	add.u32 %%r3, %%r1, 100;
	st.global.u32 [%%rd8], %%r3;
	add.s64 %%rd8, %%rd9, %%rd7;
	add.u32 %%r3, %%r1, 1000;
	st.shared.u32 [%%rd8], %%r3;
	add.s64 %%rd8, %%rd10, %%rd7;
	add.u32 %%r3, %%r1, 2000;
	st.shared.u32 [%%rd8], %%r3;
	setp.eq.u32 %%p1, %%r1, 0;
	@%%p1 mbarrier.init.shared.b64 [bar], 1;
	bar.sync 0;
	@!%%p1 bra wait;
	%s
wait:
	%s
	add.s64 %%rd8, %s, %%rd7;
	%s.u32 %%r9, [%%rd8];`
	const try = "mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n\t@!%p2 bra wait;"
	const expect = "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n\t"
	src := func(i int) uint32 { return uint32(3*i + 5) }
	for _, c := range []struct {
		code, wait, at, load string
		want                 func(i int) uint32
	}{
		{expect + "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%rd9+16], [%rd5], %r12, [bar];", try, "%rd9", "ld.shared", func(i int) uint32 {
			if i >= 4 && i < 20 {
				return src(i - 4)
			}
			return uint32(1000 + i)
		}},
		{expect + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%rd9], [%rd5+64], 64, [bar], 1, %rd11;", try, "%rd9", "ld.shared", func(i int) uint32 {
			if i < 16 {
				return src(i + 16)
			}
			return uint32(1000 + i)
		}},
		{"mbarrier.arrive.shared.b64 _, [bar];\n\tcp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%rd9], [%rd5+64], 64, [bar], 0;", try, "%rd9", "ld.shared", func(i int) uint32 { return uint32(1000 + i) }},
		{expect + "cp.async.bulk.relaxed.cta.shared::cta.global.mbarrier::complete_tx::bytes.b128 [s], [src], 64, [bar];", try, "%rd9", "ld.shared", func(i int) uint32 {
			if i < 16 {
				return src(i)
			}
			return uint32(1000 + i)
		}},
		{expect + "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%rd9], [%rd10], 64, [bar];", try, "%rd9", "ld.shared", func(i int) uint32 {
			if i < 16 {
				return uint32(2000 + i)
			}
			return uint32(1000 + i)
		}},
		{"cp.async.bulk.global.shared::cta.bulk_group [%rd6+128], [%rd9], 128; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;", "bar.sync 0;", "%rd6", "ld.global", func(i int) uint32 {
			if i >= 32 {
				return uint32(1000 + i - 32)
			}
			return uint32(100 + i)
		}},
		{"cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd6], [%rd9], 256, %h1;", "bar.sync 0;", "%rd6", "ld.global", func(i int) uint32 {
			if i%4 == 0 || i%4 == 3 { // bytes 0 to 3 and 12 to 15 of every 16
				return uint32(1000 + i)
			}
			return uint32(100 + i)
		}},
		{expect + "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%rd9], [%rd10], 64, [bar];", try, "%rd9", "ld.shared", func(i int) uint32 {
			if i < 16 {
				return uint32(3000 + 2*i)
			}
			return uint32(1000 + i)
		}},
		// The same with .relaxed, hints and other operations.
		{expect + "cp.async.bulk.relaxed.cluster.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.b128 [%rd9], [%rd5+64], 64, [bar], 1;", try, "%rd9", "ld.shared", func(i int) uint32 {
			if i < 16 {
				return src(i + 16)
			}
			return uint32(1000 + i)
		}},
		{expect + "cp.async.bulk.relaxed.cluster.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.b128 [%rd9], [%rd10], 64, [bar];", try, "%rd9", "ld.shared", func(i int) uint32 {
			if i < 16 {
				return uint32(2000 + i)
			}
			return uint32(1000 + i)
		}},
		{"cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.b128 [%rd6+128], [%rd9], 128; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;", "bar.sync 0;", "%rd6", "ld.global", func(i int) uint32 {
			if i >= 32 {
				return uint32(1000 + i - 32)
			}
			return uint32(100 + i)
		}},
		{"cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [%rd6], [%rd9], 256, %rd11, %h1;", "bar.sync 0;", "%rd6", "ld.global", func(i int) uint32 {
			if i%4 == 0 || i%4 == 3 {
				return uint32(1000 + i)
			}
			return uint32(100 + i)
		}},
		{"cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.cp_mask.b128 [%rd6], [%rd9], 256, %h1;", "bar.sync 0;", "%rd6", "ld.global", func(i int) uint32 {
			if i%4 == 0 || i%4 == 3 {
				return uint32(1000 + i)
			}
			return uint32(100 + i)
		}},
		{"cp.async.bulk.relaxed.sys.global.shared::cta.bulk_group.L2::cache_hint.cp_mask.b128 [%rd6], [%rd9], 256, %rd11, %h1;", "bar.sync 0;", "%rd6", "ld.global", func(i int) uint32 {
			if i%4 == 0 || i%4 == 3 {
				return uint32(1000 + i)
			}
			return uint32(100 + i)
		}},
		{expect + "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.u32 [%rd9], [%rd10], 64, [bar];", try, "%rd9", "ld.shared", func(i int) uint32 {
			if i < 16 {
				return uint32(2000 + i)
			}
			return uint32(1000 + i)
		}},
		{expect + "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc.u32 [%rd9], [%rd10], 64, [bar];", try, "%rd9", "ld.shared", func(i int) uint32 {
			if i < 16 {
				return uint32(1001 + i)
			}
			return uint32(1000 + i)
		}},
		{expect + "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.and.b32 [%rd9], [%rd10], 64, [bar];", try, "%rd9", "ld.shared", func(i int) uint32 {
			if i < 16 {
				return uint32(1000+i) & uint32(2000+i)
			}
			return uint32(1000 + i)
		}},
		{"cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%rd5], [%rd9], 256;", "bar.sync 0;", "%rd5", "ld.global", func(i int) uint32 { return uint32(1000 + i) }},
		{"cp.reduce.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.xor.b64 [%rd6], [%rd9], 256;", "bar.sync 0;", "%rd6", "ld.global", func(i int) uint32 { return uint32(100+i) ^ uint32(1000+i) }},
		{"cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u32 [%rd6], [%rd9], 256;", "bar.sync 0;", "%rd6", "ld.global", func(i int) uint32 { return uint32(101 + i) }},
		// As halves, 1000+i and 2000+i are subnormal: they add as the integers that they are.
		{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%rd6], [%rd9], 32;", "bar.sync 0;", "%rd6", "ld.global", func(i int) uint32 {
			if i < 8 {
				return uint32(1100 + 2*i)
			}
			return uint32(100 + i)
		}},
		// As f32 they are subnormal, too, and flushed (PTX 9.7.9.26.4.2).
		{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd6], [%rd9], 256;", "bar.sync 0;", "%rd6", "ld.global", func(int) uint32 { return 0 }},
		{"st.bulk.weak.shared::cta [%rd9+8], 16, 0; cvta.shared.u64 %rd12, s; mov.b64 %rd13, 8; st.bulk [%rd12+32], %rd13, 0;", "bar.sync 0;", "%rd9", "ld.shared", func(i int) uint32 {
			if i >= 2 && i < 6 || i == 8 || i == 9 {
				return 0
			}
			return uint32(1000 + i)
		}},
		{"mbarrier.arrive.expect_tx.shared.b64 _, [bar], 28;\n\tst.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%rd9+16], {%r1, %r2, %r1, %r2}, [bar]; cvta.shared.u64 %rd12, s; cvta.shared.u64 %rd13, bar; st.async.mbarrier::complete_tx::bytes.u64 [%rd12], %rd5, [%rd13]; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%rd9+60], %r2, [bar];", try, "%rd9", "ld.shared", func(i int) uint32 {
			switch i {
			case 0, 1: // the address of src
				return uint32([]uint64{0x10100, 2}[i])
			case 4, 6:
				return 0
			case 5, 7:
				return 5
			case 15:
				return 1015 + 5
			}
			return uint32(1000 + i)
		}},
		{"st.async.release.gpu.global.u32 [%rd6], 7; red.async.release.sys.global.add.u32 [%rd6+4], 9; st.async.mmio.release.sys.u16 [%rd6+8], %h1; red.async.mmio.release.sys.add.s32 [%rd6+12], -1;", "bar.sync 0;", "%rd6", "ld.global", func(i int) uint32 {
			if i < 4 {
				return [4]uint32{7, 110, 0xf00f, 102}[i]
			}
			return uint32(100 + i)
		}},
	} {
		got := launchKernel(t, body100(decl, fmt.Sprintf(frame, c.code, c.wait, c.at, c.load)), "k", 64, 64, 0)
		for i := range got {
			if got[i] != c.want(i) && !(strings.Contains(c.code, "st.async.mb") && i < 2) {
				t.Errorf("%s\nword %d is %d, want %d", c.code, i, got[i], c.want(i))
				break
			}
		}
	}
}

// TestBulkFaults checks the faults for wrong sizes, alignments and places of bulk operations, and
// of the operations that touch a cache line.
func TestBulkFaults(t *testing.T) {
	t.Parallel()
	const decl = ".global .align 128 .b32 g[64]; .shared .align 128 .b32 s[64]; .shared .align 8 .b64 bar;"
	const init = "setp.ne.u32 %p1, %r1, 0; @%p1 bra done; mov.u64 %rd5, g; cvta.shared.u64 %rd6, s; cvta.global.u64 %rd7, g; mov.u32 %r5, 24; mov.u32 %r6, 0x10000; mov.b64 %rd8, 12; mbarrier.init.shared.b64 [bar], 1;\n"
	for _, c := range []struct{ code, code2, want string }{
		{"cp.async.bulk.global.shared::cta.bulk_group [%rd5], [s], %r5;", "misaligned", "the size must be a multiple of 16"},
		{"cp.async.bulk.global.shared::cta.bulk_group [%rd5+8], [s], 16;", "misaligned", "writes 16 bytes at global address"},
		{"cp.async.bulk.global.shared::cta.bulk_group [%rd5], [s+8], 16;", "misaligned", "reads 16 bytes at shared address"},
		{"cp.async.bulk.global.shared::cta.bulk_group [%rd5+240], [s], 32;", "out-of-bounds", `the last 16 of these bytes are past the end of "g" (256 bytes)`},
		{"cp.async.bulk.global.shared::cta.bulk_group [%rd5], [s], %r6;", "out-of-bounds", "writes 65536 bytes"},
		{"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s+240], [g], 32, [bar];", "out-of-bounds", "shared memory of the block has"},
		{"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 32, [bar+8];", "out-of-bounds", "updates 8 bytes"},
		{"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 32, [s+64];", "bad-mbarrier", "holds no mbarrier object"},
		{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [g], 32, [bar], 3;", "no-such-rank", "does not exist"},
		{"st.bulk [%rd7], 8, 0;", "wrong-space", "works on shared memory only"},
		{"st.bulk.shared::cta [s], %rd8, 0;", "misaligned", "the size must be a multiple of 8"},
		{"discard.L2 [%rd6], 128;", "wrong-space", "works on global memory only"},
		{"discard.global.L2 [%rd5+64], 128;", "misaligned", "multiple of 128"},
		{"applypriority.global.L2::evict_normal [%rd5+256], 128;", "out-of-bounds", "just past the end"},
		{"fence.proxy.tensormap::generic.acquire.cta [%rd6], 128;", "wrong-space", "works on global memory only"},
		{"st.async.release.gpu.u32 [%rd6], %r1;", "wrong-space", "works on global memory only"},
		{"st.async.mbarrier::complete_tx::bytes.u32 [%rd7], %r1, [%rd6];", "wrong-space", "works on shared memory only"},
		{"atom.v2.f32.add {%f1, %f2}, [%rd6], {%f1, %f2};", "wrong-space", "works on global memory only"},
	} {
		d := faultOf(t, body100(decl, ".reg .f32 %f<3>;"+init+c.code+"\ndone:"), 8)
		if d == nil || d.Code != c.code2 || !strings.Contains(d.Message, c.want) {
			t.Errorf("%s: %v, want %s with %q", c.code, d, c.code2, c.want)
		}
	}
}

// TestFences checks that every fence runs and changes no value.
func TestFences(t *testing.T) {
	t.Parallel()
	got := launchKernel(t, body100(".global .align 128 .b32 g[32];", `
	mov.u64 %rd5, g;
	mov.u32 %r9, 77;
	membar.cta; membar.gl; membar.sys; membar.proxy.alias; membar.proxy.async;
	fence.sc.gpu; fence.acq_rel.cta; fence.cluster.acq_rel; fence.sys; fence.acquire.gpu; fence.release.sys;
	fence.acquire.sync_restrict::shared::cluster.cluster; fence.release.sync_restrict::shared::cta.cluster;
	fence.mbarrier_init.release.cluster; fence.proxy.alias; fence.proxy.async; fence.proxy.async.shared::cta;
	fence.proxy.async.shared::cluster; fence.proxy.async.global; fence.proxy.tensormap::generic.release.gpu;
	fence.proxy.tensormap::generic.acquire.gpu [%rd5], 128;
	fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
	fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
	fence.proxy.generic::fabric.alias.release.sys;
	nanosleep.u32 10; nanosleep.u32 %r1; setmaxnreg.inc.sync.aligned.u32 192; pmevent 3; pmevent.mask 0xff;
	griddepcontrol.launch_dependents; griddepcontrol.wait;
	prefetch.global.L1 [%rd5]; prefetch.L2 [%rd5]; prefetch.global.L2::evict_last [%rd5]; prefetchu.L1 [%rd5]; prefetch.tensormap [%rd5];
	applypriority.global.L2::evict_normal [%rd5], 128; discard.global.L2 [%rd5], 128; discard.L2 [%rd5], 128;
	createpolicy.fractional.L2::evict_last.b64 %rd6; createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd6, 0.5;
	createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %rd6, [%rd5], 0x100000, 0x200000;
	createpolicy.cvt.L2.b64 %rd7, %rd6;
	cp.async.bulk.prefetch.L2.global [%rd5], 128; cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd5], 128, %rd7;
	ld.global.L2::cache_hint.u32 %r2, [%rd5], %rd7;
	add.u32 %r9, %r9, %r2;`), "k", 3, 3, 0)
	for i := range got {
		if got[i] != 77 {
			t.Errorf("thread %d: got %d", i, got[i])
		}
	}
}
