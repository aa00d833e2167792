package difftest

import (
	"fmt"
	"strings"

	"example.org/crosslane/internal/engine/enginetest/randprog"
)

// Compilers emit the same few sequences for a kernel's index, its loops over arrays, tiles in
// shared memory, and sums over a warp. The JIT has special code for these sequences: see package
// randprog's idioms.

// ptxIdioms are these sequences. Letters from a to f are registers of 32 bits, P to S of 64 bits, s
// and t of 16 bits; u and v are predicates. A and B are registers for addresses, i and j for
// counters, k and g for addresses in 32 bits; only the sequence writes these. L and M are labels.
// All other braces have the same meaning as in the remaining templates.
var ptxIdioms = []string{
	// Indices, and loops over arrays.
	"mov.u32 {i}, %ctaid.x; mov.u32 {a}, %ntid.x; mov.u32 {j}, %tid.x; mad.lo.s32 {i}, {i}, {a}, {j}; and.b32 {i}, {i}, 255; mul.wide.{u32/s32} {A}, {i}, 4; add.s64 {A}, {A}, %in; ld.global{/.nc}.f32 {b}, [{A}]; ld.global.f32 {c}, [{A}+4]; fma.rn.f32 {d}, {b}, {c}, {d}; mul.wide.s32 {P}, {i}, 4; add.s64 {B}, {P}, %in; ld.global.u32 {e}, [{B}+8]",
	"mov.u32 {i}, 0; and.b32 {k}, %lane, {3/7/31}; mul.wide.u32 {A}, {k}, {4/8/16}; add.s64 {A}, {A}, %in; {L}:; ld.global.f32 {a}, [{A}]; ld.global.f32 {b}, [{A}+{4/8/64}]; fma.rn.f32 {c}, {a}, {b}, {c}; add.s64 {A}, {A}, {4/8/128/256}; add.s32 {i}, {i}, 1; setp.lt.u32 {u}, {i}, {2/4/7};\n@{u} bra {L}; mov.u32 {d}, {c}",
	"mov.u32 {i}, {6/9/4}; mov.u64 {A}, %in; mul.wide.u32 {B}, %lane, 4; add.s64 {B}, {B}, %in; {L}:; ld.global.u32 {a}, [{A}]; ld.global.u32 {b}, [{B}]; mad.lo.s32 {c}, {a}, {b}, {c}; add.s64 {A}, {A}, 4; add.s64 {B}, {B}, 128; add.s32 {i}, {i}, -1; setp.gt.s32 {u}, {i}, {0/1};\n@{u} bra {L}; xor.b32 {d}, {c}, {a}",
	"and.b32 {j}, {a}, 7; mov.u32 {i}, 0; {L}:; setp.ge.u32 {u}, {i}, {j};\n@{u} bra {M}; shl.b32 {k}, {i}, 2; cvt.u64.u32 {A}, {k}; add.s64 {A}, {A}, %own; ld.global.u32 {b}, [{A}]; add.s32 {c}, {c}, {b}; {/@{v} }st.global.u32 [{A}], {c}; add.s32 {i}, {i}, 1; bra {L}; {M}:; xor.b32 {d}, {c}, {i}",
	"and.b32 {k}, {a}, 0xf8; cvt.u64.u32 {A}, {k}; add.s64 {A}, {A}, %in; ld.global.{u32/b32} {a}, [{A}]; ld.global.u32 {b}, [{A}+4]; ld.global.u32 {c}, [{A}+8]; ld.global.u32 {d}, [{A}+12]; add.u32 {e}, {a}, {b}; add.u32 {f}, {c}, {d}; xor.b32 {e}, {e}, {f}",
	"and.b32 {k}, {a}, 0x1f0; cvt.u64.u32 {A}, {k}; add.s64 {A}, {A}, %in; ld.global.v4.f32 <{a}, {b}, {c}, {d}>, [{A}]; mul.f32 {a}, {a}, {b}; fma.rn.f32 {e}, {c}, {d}, {a}; ld.global.v2.f64 <{P}, {Q}>, [{A}+16]; fma.rn.f64 {R}, {P}, {Q}, {R}; mov.b64 <{e}, {f}>, {R}",
	"mul.wide.u32 {A}, %lane, {4/8/16}; add.s64 {A}, {A}, %own; and.b64 {A}, {A}, -4; ld.global.u32 {a}, [{A}]; shl.b32 {b}, {a}, 1; st.global.u32 [{A}], {b}; {/@{u} }ld.global.u32 {c}, [{A}]; add.u32 {d}, {c}, {a}; st.global.u32 [{A}], {d}; ld.global.u32 {e}, [{A}]",
	"and.b32 {i}, {a}, 15; and.b32 {j}, {b}, 7; mad.lo.s32 {k}, {i}, 8, {j}; cvt.s64.s32 {P}, {k}; shl.b64 {Q}, {P}, 2; add.s64 {A}, %own, {Q}; and.b64 {A}, {A}, -4; st.global.f32 [{A}], {c}; add.s32 {k}, {k}, 1; mul.wide.s32 {B}, {k}, 4; add.s64 {B}, {B}, %own; ld.global.f32 {d}, [{B}]; ld.global.f32 {e}, [{A}]",
	"and.b32 {k}, {a}, 0x7c; cvt.u64.u32 {A}, {k}; xor.b32 {k}, {k}, 0x44; cvt.u64.u32 {B}, {k}; setp.lt.{u32/s32} {u}, {b}, {c}; selp.b64 {A}, {A}, {B}, {u}; add.s64 {A}, {A}, %in; ld.global.u32 {d}, [{A}]; selp.b32 {e}, {d}, {b}, {u}; selp.b32 {f}, {e}, {d}, {v}",
	// Shared memory.
	"shl.b32 {k}, %lane, 2; add.u32 {k}, %sh, {k}; st.shared.{f32/u32} [{k}], {a}; {bar}; ld.shared.f32 {b}, [{k}+{4/64/0/128}]; add.f32 {c}, {a}, {b}; {bar}; st.shared.f32 [{k}], {c}; {bar}; ld.shared.f32 {d}, [%sh{/+4/+124}]",
	"and.b32 {i}, %lane, 7; shr.u32 {j}, %lane, 3; mad.lo.u32 {k}, {i}, {9/8/16}, {j}; shl.b32 {k}, {k}, 2; add.u32 {k}, {k}, %sh; st.shared.u32 [{k}], {a}; {bar}; mad.lo.u32 {k}, {j}, {9/8/16}, {i}; shl.b32 {k}, {k}, 2; add.u32 {k}, {k}, %sh; ld.shared.u32 {b}, [{k}]; xor.b32 {c}, {b}, {a}",
	"mov.u32 {i}, {16/8/4}; shl.b32 {k}, %lane, 2; add.u32 {k}, {k}, %sh; st.shared.u32 [{k}], {a}; {bar}; {L}:; setp.lt.u32 {u}, %lane, {i}; shl.b32 {g}, {i}, 2; add.u32 {g}, {g}, {k}; @{u} ld.shared.u32 {b}, [{g}]; @{u} ld.shared.u32 {c}, [{k}]; @{u} add.u32 {c}, {c}, {b}; @{u} st.shared.u32 [{k}], {c}; {bar}; shr.u32 {i}, {i}, 1; setp.ne.u32 {v}, {i}, 0;\n@{v} bra {L}; ld.shared.u32 {d}, [%sh]",
	"and.b32 {k}, {a}, 0x1f0; add.u32 {k}, {k}, %sh; st.shared.v4.u32 [{k}], <{a}, {b}, {c}, {d}>; ld.shared.v2.u64 <{P}, {Q}>, [{k}]; add.u64 {R}, {P}, {Q}; st.shared.u64 [{k}+8], {R}; ld.shared.u32 {e}, [{k}+12]; ld.shared.u16 {s}, [{k}+6]; ld.shared.u8 {f}, [{k}+5]",
	"shl.b32 {k}, %lane, 1; add.u32 {k}, {k}, %sh; st.shared.b16 [{k}], {s}; {bar}; ld.shared.b16 {t}, [{k}+2]; add.f16 {s}, {s}, {t}; mov.b32 {a}, <{s}, {t}>; fma.rn.f16x2 {b}, {a}, {a}, {a}; mov.b32 <{s}, {t}>, {b}; st.shared.b16 [{k}], {t}",
	"and.b32 {k}, {a}, 0x3c; add.u32 {k}, {k}, %sh; {atom.shared.add.u32 {b}, /atom.shared.exch.b32 {b}, /atom.shared.max.u32 {b}, /red.shared.add.u32 /red.shared.xor.b32 }[{k}], {c}; {bar}; ld.shared.u32 {d}, [{k}]; red.global.add.u32 [%acc], {d}; st.shared.u32 [{k}], 0",
	"mov.u32 {i}, 0; and.b32 {k}, %lane, 15; shl.b32 {k}, {k}, 2; add.u32 {k}, {k}, %sh; mov.u32 {g}, %sh; {L}:; ld.shared.f32 {a}, [{k}]; ld.shared.f32 {b}, [{g}]; fma.rn.f32 {c}, {a}, {b}, {c}; ld.shared.f32 {d}, [{k}+64]; ld.shared.f32 {e}, [{g}+4]; fma.rn.f32 {c}, {d}, {e}, {c}; add.u32 {k}, {k}, 128; add.u32 {g}, {g}, 8; add.s32 {i}, {i}, 2; setp.lt.s32 {u}, {i}, {4/8};\n@{u} bra {L}; mov.u32 {f}, {c}",
	"mov.u32 {k}, lm; st.local.u32 [{k}], {a}; st.local.u32 [{k}+4], {b}; and.b32 {i}, {c}, 4; add.u32 {k}, {k}, {i}; ld.local.u32 {d}, [{k}]; st.local.u32 [{k}], {c}; mov.u32 {k}, lm; ld.local.u64 {P}, [{k}]; ld.local.v2.u32 <{e}, {f}>, [{k}]",
	// Across lanes.
	"activemask.b32 %mask; shfl.sync.{bfly/down}.b32 {b}, {a}, 16, 31, %mask; add.{f32/u32} {a}, {a}, {b}; shfl.sync.bfly.b32 {b}, {a}, 8, 31, %mask; add.f32 {a}, {a}, {b}; shfl.sync.bfly.b32 {b}, {a}, 4, 31, %mask; max.f32 {a}, {a}, {b}; shfl.sync.bfly.b32 {b}, {a}, 2, 31, %mask; add.f32 {c}, {a}, {b}; shfl.sync.idx.b32 {d}, {c}, {0/5/31}, 31, %mask",
	"activemask.b32 %mask; shfl.sync.up.b32 {b}|{u}, {a}, 1, 0, %mask; @{u} add.u32 {a}, {a}, {b}; shfl.sync.up.b32 {b}|{u}, {a}, 2, 0, %mask; @{u} add.u32 {a}, {a}, {b}; shfl.sync.up.b32 {b}|{v}, {a}, 4, 0, %mask; selp.b32 {b}, {b}, 0, {v}; add.u32 {a}, {a}, {b}; sub.u32 {c}, {a}, {b}; setp.eq.u32 {u}, %lane, {0/31/7}; @{u} red.global.add.u32 [%acc], {a}",
	"mov.b64 <{a}, {b}>, {P}; activemask.b32 %mask; shfl.sync.{bfly/down}.b32 {c}, {a}, {1/2/16}, 31, %mask; shfl.sync.bfly.b32 {d}, {b}, {1/2/16}, 31, %mask; mov.b64 {Q}, <{c}, {d}>; add.f64 {P}, {P}, {Q}; min.u64 {R}, {P}, {Q}; mov.b64 <{e}, {f}>, {R}",
	"setp.{lt/gt/eq}.{u32/s32} {u}, {a}, {b}; activemask.b32 %mask; vote.sync.ballot.b32 {c}, {/!}{u}, %mask; mov.u32 {d}, %lanemask_{lt/ge/le}; and.b32 {d}, {d}, {c}; popc.b32 {e}, {d}; popc.b32 {f}, {c}; brev.b32 {a}, {c}; bfind.shiftamt.u32 {b}, {a}; and.b32 {k}, {e}, 31; shl.b32 {k}, {k}, 2; add.u32 {k}, {k}, %sh; @{u} st.shared.u32 [{k}], {f}; setp.eq.u32 {v}, {d}, 0; @{v} red.global.add.u32 [%acc], {f}",
	"activemask.b32 %mask; and.b32 {b}, {a}, {3/7/1}; match.any.sync.b32 {c}, {b}, %mask; popc.b32 {d}, {c}; mov.u32 {e}, %lanemask_lt; and.b32 {e}, {e}, {c}; setp.eq.u32 {u}, {e}, 0; shl.b32 {k}, {b}, 2; add.u32 {k}, {k}, %sh; @{u} atom.shared.add.u32 {f}, [{k}], {d}; vote.sync.any.pred {v}, {u}, %mask; selp.u32 {a}, {d}, {f}, {v}",
	"activemask.b32 %mask; redux.sync.{add.u32/max.s32/or.b32} {b}, {a}, %mask; sub.u32 {c}, {b}, {a}; setp.lt.{u32/s32} {u}, {c}, {b}; @{u} bra {L}; add.u32 {d}, {c}, 1; shfl.sync.idx.b32 {e}, {d}, %lane, 31, 0xffffffff; {L}:; xor.b32 {f}, {b}, {c}",
	// Numbers of 64 bits, carries and rotations.
	"add.cc.u32 {a}, {a}, {c}; addc.cc.u32 {b}, {b}, {d}; addc.u32 {e}, {e}, 0; mov.b64 {P}, <{a}, {b}>; shr.u64 {Q}, {P}, {1/5/32/33}; cvt.u32.u64 {f}, {Q}; add.u64 {R}, {P}, {Q}; mov.b64 <{a}, {b}>, {R}",
	"mul.lo.u32 {a}, {c}, {d}; mul.hi.u32 {b}, {c}, {d}; mad.lo.cc.u32 {e}, {c}, {d}, {e}; madc.hi.u32 {f}, {c}, {d}, {f}; mov.b64 {P}, <{e}, {f}>; mul.wide.u32 {Q}, {c}, {d}; sub.u64 {R}, {P}, {Q}; cvt.u32.u64 {a}, {R}; shr.u64 {R}, {R}, 32; cvt.u32.u64 {b}, {R}",
	"shf.l.wrap.b32 {a}, {b}, {b}, {7/13/16/24}; shf.r.wrap.b32 {c}, {b}, {b}, {2/19/8}; xor.b32 {a}, {a}, {c}; shr.u32 {c}, {b}, 3; lop3.b32 {d}, {a}, {c}, {b}, {0x96/0xe8/0xca/0xd8}; add.u32 {e}, {d}, {a}; lop3.b32 {f}, {e}, {d}, {c}, {0xe8/0x1e/0x2d}; prmt.b32 {b}, {f}, {e}, {0x0123/0x5410/0x7632/0x3276}",
	"mul.hi.u32 {a}, {b}, {0xcccccccd/0xaaaaaaab/0x24924925}; shr.u32 {a}, {a}, {3/1/2}; mul.lo.u32 {c}, {a}, {10/3/7}; sub.u32 {d}, {b}, {c}; mad.lo.s32 {e}, {d}, 12, {a}; and.b32 {f}, {e}, 0x3c; shl.b32 {a}, {f}, 2; add.u32 {a}, {a}, {d}",
	"cvt.{u64.u32/s64.s32} {P}, {a}; shl.b64 {Q}, {P}, {2/3/32}; or.b64 {R}, {Q}, {P}; add.s64 {S}, {R}, {16/-4/1}; setp.{lt/gt}.{u64/s64} {u}, {S}, {Q}; selp.b64 {P}, {S}, {R}, {u}; cvt.u32.u64 {b}, {P}; mov.b64 <{c}, {d}>, {P}; min.{u64/s64} {Q}, {P}, {R}",
	"cvt.f64.f32 {P}, {a}; mul.f64 {Q}, {P}, {P}; fma.rn.f64 {R}, {Q}, {P}, {Q}; cvt.rn.f32.f64 {b}, {R}; setp.{lt/geu}.f64 {u}, {R}, {Q}; @{u} neg.f64 {R}, {R}; add.f64 {S}, {R}, {P}; mov.b64 <{c}, {d}>, {S}; and.b32 {d}, {d}, 0x7fffffff; mov.b64 {P}, <{c}, {d}>; sqrt.rn.f64 {Q}, {P}",
	// Half-words and bytes.
	"mov.b32 <{s}, {t}>, {a}; cvt.f32.f16 {b}, {s}; cvt.f32.f16 {c}, {t}; fma.rn.f32 {d}, {b}, {c}, {d}; cvt.rn.f16.f32 {s}, {d}; add.f16 {t}, {s}, {t}; mov.b32 {e}, <{s}, {t}>; {fma.rn/fma.rn.ftz/fma.rn.relu}.f16x2 {f}, {e}, {a}, {e}",
	"bfe.u32 {a}, {b}, 8, 8; bfe.s32 {c}, {b}, {16/24/5}, 8; shl.b32 {d}, {a}, 24; or.b32 {d}, {d}, {c}; bfi.b32 {e}, {a}, {d}, {0/8/12}, 8; prmt.b32 {f}, {e}, {a}, {0x4440/0x0012/0x8880}; cvt.u16.u32 {s}, {f}; cvt.s32.s16 {a}, {s}; cvt.u32.u8 {b}, {a}",
	"and.b32 {k}, {a}, 0xff; cvt.u64.u32 {A}, {k}; add.s64 {A}, {A}, %in; ld.global.u8 {b}, [{A}]; ld.global.s8 {c}, [{A}+1]; shl.b32 {b}, {b}, 8; or.b32 {d}, {b}, {c}; cvt.rn.f32.s32 {e}, {d}; mul.f32 {e}, {e}, 0f3B808081; cvt.rzi.{u32/s32}.f32 {f}, {e}; cvt.sat.u8.s32 {s}, {f}",
	// Floats.
	"ex2.approx{/.ftz}.f32 {a}, {b}; add.f32 {c}, {a}, 0f3F800000; rcp.{rn/approx}.f32 {d}, {c}; fma.rn.f32 {e}, {d}, {a}, {d}; min.f32 {e}, {e}, 0f3F800000; max.f32 {f}, {e}, {d}; abs.f32 {a}, {f}; neg.f32 {b}, {a}",
	"sub.f32 {a}, {b}, {c}; mul.f32 {d}, {a}, {a}; fma.rn.f32 {d}, {e}, {e}, {d}; setp.{gt/leu/lt}.f32 {u}, {d}, 0f40800000; @{u} mov.f32 {e}, {a}; @!{u} fma.rn.f32 {e}, {a}, {d}, {e}; selp.f32 {f}, {d}, {e}, {u}; div.{rn/approx/full}.f32 {b}, {f}, {d}; sqrt.{rn/approx}.f32 {c}, {d}",
	"fma.rn.f32 {a}, {b}, 0f3BBB989D, 0f3F000000; cvt.sat.f32.f32 {a}, {a}; fma.rm.f32 {c}, {a}, 0f437C0000, 0f4B400001; add.f32 {d}, {c}, 0fCB40007F; neg.f32 {d}, {d}; fma.rn.f32 {e}, {b}, 0f3FB8AA3B, {d}; ex2.approx.ftz.f32 {e}, {e}; shl.b32 {f}, {c}, 23; mul.f32 {a}, {f}, {e}; mov.b32 {b}, {a}",
	// Choices and branches.
	"setp.{lt/ge}.{u32/s32} {u}, {a}, {b}; setp.{eq/ne}.{and/or/xor}.u32 {v}, {c}, {d}, {u}; selp.b32 {e}, {a}, {b}, {v}; @{v} sub.u32 {e}, {e}, {a}; @!{u} mov.u32 {f}, {e}; and.pred {u}, {u}, {v}; @{u} add.u32 {f}, {f}, 1; selp.u32 {a}, 1, 0, {u}",
	"setp.lt.{u32/s32/f32} {u}, {a}, {b}; @{u} bra {L}; add.u32 {c}, {a}, {b}; shl.b32 {d}, {c}, 2; bra {M}; {L}:; sub.u32 {c}, {a}, {b}; mul.lo.u32 {d}, {c}, 3; {M}:; xor.b32 {e}, {c}, {d}; min.{u32/s32} {f}, {e}, {a}",
	"mov.u32 {i}, 0; {L}:; fma.rn.f32 {a}, {b}, {b}, {c}; mul.f32 {d}, {a}, {a}; setp.gt.f32 {u}, {d}, 0f40800000; @{u} bra {M}; mov.f32 {b}, {a}; add.u32 {i}, {i}, 1; setp.lt.u32 {v}, {i}, {3/6/11};\n@{v} bra {L}; {M}:; mov.u32 {e}, {i}",
	"setp.ge.u32 {u}, %lane, {5/17/31}; @{u} {exit/ret}; add.u32 {a}, {a}, 1; activemask.b32 %mask; shfl.sync.idx.b32 {b}, {a}, {3/9}, 31, %mask; vote.sync.any.pred {v}, {v}, %mask; selp.u32 {c}, {a}, {b}, {v}",
	"min.s32 {a}, {b}, {c}; max.s32 {a}, {a}, {d}; sub.s32 {e}, {a}, {b}; abs.s32 {e}, {e}; setp.lt.s32 {u}, {e}, {f}; selp.s32 {f}, {e}, {f}, {u}; @{u} mov.u32 {b}, {e}; mov.u32 {e}, {a}; clz.b32 {c}, {f}; shl.b32 {d}, {f}, {c}",
}

// idiom writes one or two sequences, interleaved, and changes of their registers in between.
func (w *ptxWriter) idiom() {
	var runs [][]string
	for n := range 1 + w.IntN(2) {
		var replace []string
		names := func(format string, of int, letters string) {
			for i, k := range w.Perm(of)[:len(letters)] {
				replace = append(replace, "{"+letters[i:i+1]+"}", fmt.Sprintf(format, k))
			}
		}
		names("%%r%d", 8, "abcdef")
		names("%%d%d", 4, "PQRS")
		names("%%h%d", 4, "st")
		names("%%p%d", 4, "uv")
		for name, register := range map[string]string{"A": "q", "B": "s", "i": "x", "j": "y", "k": "t", "g": "n"} {
			replace = append(replace, "{"+name+"}", fmt.Sprintf("%%%s%d", register, n))
		}
		replace = append(replace, "{L}", w.label(), "{M}", w.label(), "{bar}", pickOne(w.Rand, "bar.sync 0", "membar.cta", "bar.warp.sync 0xffffffff", "membar.cta"))
		t := ptxIdioms[w.IntN(len(ptxIdioms))]
		for n > 0 && strings.Contains(t, ":;") { // two loops that begin inside each other may never end
			t = ptxIdioms[w.IntN(len(ptxIdioms))]
		}
		runs = append(runs, strings.Split(strings.NewReplacer(replace...).Replace(t), "; "))
	}
	randprog.Mix(w.Rand, runs, func(line string) {
		switch w.IntN(12) {
		case 0, 1:
			w.fill(pickOne(w.Rand, "xor.b32 {r}, {R}, {R};", "mov.b32 {r}, {R};", "add.f32 {r}, {F}, {F};", "@{!p} mov.b32 {r}, {R};", "{!}add.u64 {d}, {D}, {D};", "mov.b16 {h}, {h};", "{!}shl.b64 {d}, {d}, {n};"))
		case 2:
			w.fill("setp.{lt/ge/ne}.{u32/s32} {p}, {r}, {R};")
		case 3:
			w.fill(w.pure(ptxPure))
		case 4:
			if w.IntN(4) == 0 {
				w.fill(ptxMemory[w.IntN(len(ptxMemory))])
			}
		}
		if !strings.HasSuffix(line, ":") {
			line += ";"
		}
		if w.IntN(16) == 0 && !strings.Contains(line, "%x") && !strings.Contains(line, "%y") && !strings.Contains(line, "bra") && !strings.ContainsAny(line, "@:|") { // counters count in all lanes
			line = "@{!p} " + line
		}
		w.fill(line)
	})
}
