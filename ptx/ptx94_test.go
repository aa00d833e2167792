package ptx

import (
	"fmt"
	"strings"
	"testing"
)

// body94 is a kernel of PTX 9.4 for a target that has all of it.
func body94(decls, code string) string {
	return strings.Replace(body(decls, code), head, ".version 9.4\n.target sm_107a\n.address_size 64\n", 1)
}

// TestBulk94: masks of 32 bits, copies without the bytes at their ends, f32 sums that keep
// subnormal numbers (PTX 9.4: 9.7.10.28.4.1 and 9.7.10.28.4.2).
func TestBulk94(t *testing.T) {
	t.Parallel()
	const decl = `.global .align 16 .b32 src[8] = {11, 22, 33, 44, 55, 66, 77, 88}; .global .align 16 .b32 odd[6] = {1, 2, 3, 4, 5, 6}; .global .align 16 .b32 dst[8] = {100, 101, 102, 103, 104, 105, 106, 107};`
	// Thread 0 copies 32 bytes to s, which holds 900, 901 …
	const frame = `
	.shared .align 16 .b32 s[8];
	.shared .align 8 .b64 bar;
	mov.u64 %%rd9, s;
	mov.b64 %%rd11, 0;
	mul.wide.u32 %%rd7, %%r1, 4;
	add.s64 %%rd8, %%rd9, %%rd7;
	add.u32 %%r3, %%r1, 900;
	st.shared.u32 [%%rd8], %%r3;
	setp.eq.u32 %%p1, %%r1, 0;
	@%%p1 mbarrier.init.shared.b64 [bar], 1;
	bar.sync 0;
	@!%%p1 bra wait;
	%s
wait:
	%s
	%s`
	const expect = "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32;\n\t"
	const try = "mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n\t@!%p2 bra wait;"
	const shared = "ld.shared.u32 %r9, [%rd8];"
	const global = "mov.u64 %rd8, dst; add.s64 %rd8, %rd8, %rd7; ld.global.u32 %r9, [%rd8];"
	copied := func(i int) uint32 { return uint32(11 * (i + 1)) }
	for _, c := range []struct {
		code, wait, load string
		want             func(i int) uint32
	}{
		{expect + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b [%rd9], [src], 32, [bar], 1;", try, shared, copied},
		{expect + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::16b [%rd9], [src], 32, [bar], 1;", try, shared, copied},
		{"mbarrier.arrive.release.cluster.shared::cluster.multicast::cluster::32b.b64 _, [bar], 1, 1;", try, shared, func(i int) uint32 { return uint32(900 + i) }},
		{"mbarrier.arrive_drop.relaxed.cluster.shared::cluster.multicast::cluster::32b.b64 _, [bar], 1;", try, shared, func(i int) uint32 { return uint32(900 + i) }},
		{"mbarrier.arrive.shared.b64 _, [bar]; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.mbarrier::report::disabled.multicast::cluster::32b.L2::cache_hint [%rd9], [src], 32, [bar], 0, %rd11;", try, shared, func(i int) uint32 { return uint32(900 + i) }},
		{expect + "cp.async.bulk.relaxed.cta.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b.b128 [%rd9], [src], 32, [bar], 1;", try, shared, copied},
		{expect + "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::disabled [%rd9], [src], 32, [bar];", try, shared, copied},
		// The last 8 bytes lie outside of odd; the first 4 are left out, too.
		{expect + "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%rd9], [odd], 32, 4, 8, [bar];", try, shared, func(i int) uint32 {
			if i >= 1 && i < 6 {
				return uint32(i + 1)
			}
			return uint32(900 + i)
		}},
		{"mov.u32 %r4, 15;\n\t" + expect + "cp.async.bulk.relaxed.cta.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint.ignore_oob.b128 [%rd9], [src], 16, %r4, %r4, [bar], %rd11; mbarrier.complete_tx.shared.b64 [bar], 16;", try, shared, func(i int) uint32 { return uint32(900 + i) }},
		// 100 and 900 as bits of f32 are subnormal numbers.
		{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f32 [dst], [%rd9], 32;", "bar.sync 0;", global, func(i int) uint32 { return uint32(1000 + 2*i) }},
		{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [dst], [%rd9], 32;", "bar.sync 0;", global, func(i int) uint32 { return uint32(1000 + 2*i) }},
		{"mov.b32 %r4, 1000; atom.global.add.noftz.f32 %r5, [dst], %r4; red.add.noftz.f32 [dst+4], %r5;", "bar.sync 0;", global, func(i int) uint32 {
			return [8]uint32{1100, 201, 102, 103, 104, 105, 106, 107}[i]
		}},
		{"mov.b32 %r4, 1000; atom.global.v2.f32.add.noftz {%r5, %r6}, [dst], {%r4, %r4}; red.global.add.noftz.v2.f32 [dst+8], {%r5, %r6};", "bar.sync 0;", global, func(i int) uint32 {
			return [8]uint32{1100, 1101, 202, 204, 104, 105, 106, 107}[i]
		}},
		// Hints, and loads of memory that does not change.
		{"prefetch.global.L1::32B.valid_addr [dst]; applypriority.async.bulk.global.bulk_group.L2::evict_normal [dst], 128; cp.async.bulk.prefetch.L2.global.L2::evict_last [dst], 32;", "bar.sync 0;",
			"mov.u64 %rd8, dst; add.s64 %rd8, %rd8, %rd7; ld.global.u32.proxy::readonly %r9, [%rd8];", func(i int) uint32 { return uint32(100 + i) }},
	} {
		got := launchKernel(t, body94(decl, fmt.Sprintf(frame, c.code, c.wait, c.load)), "k", 8, 8, 0)
		for i := range got {
			if got[i] != c.want(i) {
				t.Errorf("%s\nword %d is %d, want %d", c.code, i, got[i], c.want(i))
				break
			}
		}
	}
	// Without .ignore_oob the same copy is a fault; a mask names blocks that do not exist.
	for code, want := range map[string]string{
		"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%rd9], [odd], 32, [bar];":                                      "out-of-bounds",
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b [%rd9], [src], 32, [bar], 0x10001;": "no-such-rank",
		"mbarrier.expect_tx.relaxed.cta.shared::cluster.multicast::cluster::32b.b64 [bar], 512, 0x3;":                                  "no-such-rank",
		"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%rd9], [odd], 24, 0, 0, [bar];":                     "bad-immediate",
		"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%rd9], [odd], 32, 16, 0, [bar];":                    "bad-immediate",
		"mbarrier.arrive.shared::cluster.multicast::cluster::32b.b64 %rd12, [bar], 1;":                                                 "bad-operand",
		"mbarrier.test_wait.shared.b64 %p2|%p3, [bar], %rd12;":                                                                         "modifier",
	} {
		src := body94(decl, fmt.Sprintf(frame, code, "", shared))
		m, errs := Parse("k.ptx", src)
		if errs.Err() == nil {
			if _, err := Lift(m, "k"); err != nil {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v, want %s", code, err, want)
				}
				continue
			}
		} else {
			t.Errorf("%s: %v", code, errs)
			continue
		}
		if d := faultOf(t, src, 8); d == nil || !strings.Contains(d.Error(), want) {
			t.Errorf("%s: %v, want %s", code, d, want)
		}
	}
}

// TestMbarrier94: operations on the objects of all blocks that a mask names, reports and
// layouts (PTX 9.7.14.16; PTX 9.4: 9.7.15.16).
func TestMbarrier94(t *testing.T) {
	t.Parallel()
	// Thread 0 works on an object of 4 arrivals; the results are bits of word 0.
	const frame = `
	.reg .b8 %%q<4>;
	.shared .align 8 .b64 bar;
	mov.u32 %%r9, 0;
	mov.u32 %%r8, 1;
	mbarrier.init.layout::v0.shared.b64 [bar], 4;
	%s
	selp.u32 %%r3, 1, 0, %%p2;
	selp.u32 %%r4, 2, 0, %%p3;
	or.b32 %%r9, %%r3, %%r4;`
	const cast = ".shared::cluster.multicast::cluster::32b.b64"
	for _, c := range []struct {
		code string
		want uint32 // 1: the phase is over; 2: the value of p3
	}{
		{"mbarrier.arrive" + cast + " _, [bar], 3, 1; mbarrier.arrive" + cast + " _, [bar], 1; setp.eq.u32 %p3, %r8, 0; mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;", 1},
		{"mbarrier.arrive" + cast + " _, [bar], 3, 1; mbarrier.arrive" + cast + " _, [bar], %r9; setp.eq.u32 %p3, %r8, 0; mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;", 0},
		{"mbarrier.arrive.expect_tx.relaxed.cluster" + cast + " _, [bar], 16, 1; mbarrier.arrive.shared.b64 _, [bar], 3; setp.eq.u32 %p3, %r8, 0; mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;", 0},
		{"mbarrier.expect_tx.relaxed.cta" + cast + " [bar], 16, 1; mbarrier.arrive.shared.b64 _, [bar], 4; mbarrier.test_wait.parity.shared.b64 %p3, [bar], 0; mbarrier.complete_tx.relaxed.cta" + cast + " [bar], 16, 1; mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;", 1},
		// After 1 and 3 have dropped out, no thread is left to arrive in the next phase.
		{"mbarrier.arrive_drop" + cast + " _, [bar], 1; mbarrier.arrive_drop" + cast + " _, [bar], 2, 1; mbarrier.arrive_drop.expect_tx" + cast + " _, [bar], 0, 1; setp.eq.u32 %p3, %r8, 0; mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;", 1},
		{"mbarrier.check_layout.layout::v0.shared.b64 %p2, [bar]; mbarrier.check_layout.layout::v1.shared::cta.b64 %p3, [bar];", 1},
		// Reports of these objects are zero.
		{"setp.eq.u32 %p3, %r8, 1; mbarrier.arrive.shared.b64 %rd5, [bar], 4; mbarrier.test_wait.phase_type::primary.shared.b64 %p2|%p3, [bar], %rd5;", 1},
		{"mov.b32 %r5, 255; cvt.u8.u32 %q1, %r5; mbarrier.arrive.shared.b64 %rd5, [bar], 4; mbarrier.try_wait.phase_type::primary.shared.b64 %p2|%p4, %q1, [bar], %rd5; cvt.u32.u8 %r5, %q1; setp.ne.u32 %p3, %r5, 0;", 1},
		{"mov.b32 %r5, 255; cvt.u8.u32 %q1, %r5; mbarrier.arrive.shared.b64 %rd5, [bar]; mbarrier.test_wait.phase_type::primary.shared.b64 %p2|%p4, %q1, [bar], %rd5; mbarrier.arrive.shared.b64 %rd5, [bar]; mbarrier.test_wait.phase_type::primary.relaxed.cta.shared.b64 %p2|%p4, %q1, [bar], %rd5; cvt.u32.u8 %r5, %q1; setp.ne.u32 %p3, %r5, 0;", 0},
		{"mbarrier.arrive.shared.b64 %rd5, [bar], 4; setp.eq.u32 %p3, %r8, 1; mbarrier.test_wait.parity.phase_type::primary.shared.b64 %p2|%p3, %q1, [bar], 0;", 1},
		{"mbarrier.arrive.shared.b64 %rd5, [bar], 4; setp.eq.u32 %p3, %r8, 1; mbarrier.try_wait.parity.phase_type::primary.shared.b64 %p2|%p3, %q1, [bar], 0, 1000;", 1},
		{"mbarrier.arrive.shared.b64 %rd5, [bar], 4; setp.eq.u32 %p3, %r8, 1; mbarrier.try_wait.parity.phase_type::primary.shared.b64 %p2|%p3, [bar], 1, 1000;", 0},
	} {
		if got := launchKernel(t, body94("", fmt.Sprintf(frame, c.code)), "k", 1, 1, 0); got[0] != c.want {
			t.Errorf("%s\ngives %d, want %d", c.code, got[0], c.want)
		}
	}
}
