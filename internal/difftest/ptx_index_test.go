package difftest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"example.org/crosslane/internal/engine/enginetest/randprog"
)

// This file makes programs in PTX that compute indices: see package randprog.

// ptxIndex are templates of operations on indices: r and d are registers to write, R and D
// registers to read; U is the same in all lanes; C is a number at an edge, c a step, M a mask, s a
// shift.
var ptxIndex = []string{
	"add.u32 {r}, {R}, {C};", "add.u32 {r}, {R}, {U};", "add.u32 {r}, {R}, {R};", "add.s32 {r}, {R}, {c};", "sub.u32 {r}, {R}, {U};", "sub.u32 {r}, {U}, {R};", "sub.u32 {r}, {R}, {R};", "neg.s32 {r}, {R};", "not.b32 {r}, {R};",
	"mul.lo.u32 {r}, {R}, {c};", "mul.lo.u32 {r}, {R}, {C};", "mul.lo.u32 {r}, {R}, {U};", "mad.lo.u32 {r}, {R}, {c}, {U};", "mad.lo.s32 {r}, {R}, {C}, {R};", "mad.lo.u32 {r}, {R}, {U}, {R};", "shl.b32 {r}, {R}, {s};", "shl.b32 {r}, {R}, {2/3/4};", "{shr.u32/shr.s32} {r}, {R}, {s};", "mul24.lo.{u32/s32} {r}, {R}, {c};", "mul.hi.{u32/s32} {r}, {R}, {C};",
	"and.b32 {r}, {R}, {M};", "and.b32 {r}, {R}, {M};", "or.b32 {r}, {R}, {c};", "or.b32 {r}, {R}, {U};", "xor.b32 {r}, {R}, {M};", "xor.b32 {r}, {R}, {C};", "{min/max}.{u32/s32} {r}, {R}, {C};", "{min/max}.{u32/s32} {r}, {R}, {U};", "{div/rem}.{u32/s32} {r}, {R}, {4/8/10/16/32};", "bfe.{u32/s32} {r}, {R}, {s}, {s};", "bfi.b32 {r}, {R}, {R}, {s}, {s};",
	"mov.u32 {r}, {R};", "mov.u32 {r}, {%tid.x/%laneid/%tid.x};", "and.b32 {r}, %tid.x, {3/7/15};", "shr.u32 {r}, %tid.x, {2/3/4};", "mov.u32 {r}, {U};", "mov.u32 {r}, {C};", "mad.lo.u32 {r}, %ctaid.x, %ntid.x, %tid.x;",
	"mov.u32 {r}, {%tid.y/%tid.z};", "mad.lo.u32 {r}, %tid.y, {%ntid.x/10/16/20}, %tid.x;", "mad.lo.u32 {r}, %tid.y, {U}, {R};", "mad.lo.u32 {r}, %tid.x, {c}, %tid.y;", "mad.lo.u32 {r}, %tid.z, %ntid.y, %tid.y;", "add.u32 {r}, %tid.y, {C};",
	"selp.b32 {r}, {R}, {R}, {p};", "selp.b32 {r}, {R}, {C}, {p};", "selp.b64 {d}, {D}, {D}, {p};", "setp.{lt/le/gt/ge/eq/ne}.{u32/s32} {p}, {R}, {C};", "setp.{lt/le/gt/ge/eq/ne}.{u32/s32} {p}, {R}, {R};", "setp.{lt/ge/eq}.u32 {p}, {R}, {n};", "setp.{lt/ge/eq}.u32 {p}, {U}, {n};", "setp.{lt/gt/eq}.{u64/s64} {p}, {D}, {D};",
	"setp.{lt/ge/neu/num/nan}.f32 {p}, {S}, {S};", "mov.u32 %a0, {U};\nsetp.{lt/ge/neu}.f32 {p}, {S}, %a0;", "add.f32 {r}, {S}, {S};", "mov.u32 %a0, {U};\nmin.f32 {r}, {S}, %a0;", // the bits of a NaN are not used here
	"cvt.{u64.u32/s64.s32} {d}, {R};", "cvt.{u64.u32/s64.s32} {d}, {R};", "mul.wide.{u32/s32} {d}, {R}, {c};", "mul.wide.{u32/s32} {d}, {R}, {C};", "mad.wide.{u32/s32} {d}, {R}, {c}, {D};", "mad.wide.{u32/s32} {d}, {R}, {U}, {D};", "mov.b64 {d}, <{R}, {R}>;", "mov.b64 {d}, <{R}, {U}>;", "mov.b64 {d}, <{R}, 0>;", "shr.s32 %a0, {S}, 31;\nmov.b64 {d}, <{S}, %a0>;",
	"{add/sub}.u64 {d}, {D}, {D};", "add.u64 {d}, {D}, {c};", "add.u64 {d}, {D}, {C};", "shl.b64 {d}, {D}, {2/3/4/32}; ", "{shr.u64/shr.s64} {d}, {D}, {1/2/31/32};", "and.b64 {d}, {D}, {M};", "mul.lo.u64 {d}, {D}, {c};", "mul.lo.u64 {d}, {D}, {0x80000000/0x9e3779b97f4a7c15/0x100000001/0x4000000000000000};", "mad.lo.u64 {d}, {D}, {0x80000000/0xffffffff80000000/0x100000004/0x7fffffff}, {D};", "shl.b64 {d}, {D}, {31/33/63};", "mov.b64 <{w}, {x}>, {D};", "cvt.u32.u64 {r}, {D};", "{min/max}.{u64/s64} {d}, {D}, {D};",
	"add.cc.u32 %a0, {R}, {U};\naddc.u32 %a1, {R}, 0;\nmov.b64 {d}, <%a0, %a1>;", "sub.cc.u32 %a0, {R}, {C};\nsubc.u32 %a1, {U}, 0;\nmov.b64 {d}, <%a0, %a1>;",
	// Operations that cancel each other; the value in between may wrap around.
	"add.u32 %a0, {R}, {V};\ncvt.u64.u32 %b0, %a0;\ncvt.u64.u32 %b1, {V};\nsub.u64 {d}, %b0, %b1;", "add.u32 {r}, {S}, {V};\nsub.u32 {r}, {S}, {V};", "mad.wide.s32 %b0, {S}, 4, %in;\nsub.u64 {d}, %b0, %in;", "cvt.u16.u32 {h}, {R};\ncvt.{u32.u16/s32.s16} {r}, {h};",
	// Operations that the interpreter executes for the active lanes, at least for some arguments,
	// and results that all lanes receive.
	"fns.b32 {r}, {0x7f3/0xffffffff/0x10101}, {0/3}, {1/2/7};", "and.b32 %a0, {R}, 7;\nfns.b32 {r}, {0x7f3/0xffffffff}, 0, %a0;", "cos.approx.f32 %a0, {S};\ncvt.rzi.s32.f32 {r}, %a0;", "mul.lo.u32 %a0, {R}, 0x2aaaaaab;\ncos.approx.f32 %a0, %a0;\ncvt.rzi.s32.f32 {r}, %a0;", "activemask.b32 %mask;\nvote.sync.{any/all/uni}.pred {p}, {p}, %mask;", "activemask.b32 %mask;\nvote.sync.ballot.b32 {r}, {p}, %mask;\npopc.b32 {r}, {S};", "{popc/clz}.b32 {r}, {R};",
	"cvt.u16.u32 {h}, {U};\nselp.b16 {h}, {h}, {5/7}, {p};\ncvt.u32.u16 {r}, {h};", "selp.b16 {h}, {5/7}, 3, {p};\ncvt.{u32.u16/s32.s16} {r}, {h};",
	"activemask.b32 %mask;\nshfl.sync.{bfly/down/up/idx}.b32 {r}, {S}, {n}, 31, %mask;", "activemask.b32 %mask;\nshfl.sync.idx.b32 {r}, {S}, {0/1/2/31}, 31, %mask;", "activemask.b32 {r};", "call ({r}), {twice/deep}, ({S}, {S});",
}

// ptxSmall are templates that put a number below 32 into %a0: some are small from the start, the
// rest are reduced.
var ptxSmall = []string{
	"mov.u32 %a0, %laneid;", "mov.u32 %a0, %laneid;", "and.b32 %a0, %tid.x, {31/7/15};", "and.b32 %a0, {R}, {31/7/28/15/24};", "min.u32 %a0, {R}, {31/20};", "rem.u32 %a0, {R}, {32/31/10};", "shr.u32 %a0, {R}, {27/28/30};", "bfe.u32 %a0, {R}, {0/2/3}, {5/3};",
	"add.u32 %a0, %lane, {V};\nsub.u32 %a0, %a0, {V};", "shr.u32 %a0, %lane, {1/2/3};", "sub.u32 %a0, 31, %lane;", "xor.b32 %a0, %lane, {1/16/31};", "and.b32 %a1, %lane, 7;\nshr.u32 %a0, %lane, 3;\nmad.lo.u32 %a0, %a1, 4, %a0;", "mov.u32 %a0, %i0;", "and.b32 %a0, {U}, 31;",
	"min.u32 %a0, %tid.y, {31/3};", "and.b32 %a0, %tid.z, 31;", "mad.lo.u32 %a0, %tid.y, {2/3/4/%ntid.x}, %tid.x;\nand.b32 %a0, %a0, {31/15};", "mad.lo.u32 %a0, %tid.x, {2/4}, %tid.y;\nmin.u32 %a0, %a0, 31;", "mad.lo.u32 %a0, {U}, {R}, %tid.x;\nand.b32 %a0, %a0, 31;",
	"and.b32 %a0, {K}, {31/28/15};", "and.b32 %a0, {K}, {31/28/15};", "shr.u32 %a0, {K}, 28;", "min.u32 %a0, {K}, 31;",
}

// ptxScaled are templates that compute an address in %b0 from a small number, up to 1,024 bytes
// after {base}.
var ptxScaled = []string{
	"mad.wide.{u32/s32} %b0, %a0, {c}, {base};", "mul.wide.{u32/s32} %b0, %a0, {c};\nadd.u64 %b0, {base}, %b0;", "shl.b32 %a0, %a0, {2/3/4};\ncvt.{u64.u32/s64.s32} %b0, %a0;\nadd.u64 %b0, %b0, {base};", "cvt.u64.u32 %b0, %a0;\nmad.lo.u64 %b0, %b0, {c}, {base};", "cvt.u64.u32 %b0, %a0;\nshl.b64 %b0, %b0, {2/3/4/5};\nadd.u64 %b0, %b0, {base};",
	"mov.b64 %b0, <%a0, 0>;\nshl.b64 %b0, %b0, 2;\nadd.u64 %b0, %b0, {base};", "mad.lo.u32 %a0, %a0, {c}, {V};\ncvt.{u64.u32/s64.s32} %b0, %a0;\ncvt.{u64.u32/s64.s32} %b1, {V};\nsub.u64 %b0, %b0, %b1;\nadd.u64 %b0, %b0, {base};", "mad.lo.u32 %a0, %a0, {c}, {V};\nsub.u32 %a0, %a0, {V};\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, {base};",
	"mad.wide.u32 %b0, %a0, {c}, {base};\nand.b32 %a1, %tid.x, 7;\nmad.wide.u32 %b0, %a1, 4, %b0;\nsub.u64 %b0, %b0, 0;",
}

// ptxKnown are similar templates with a term that is computed from %k0. The term's value follows
// from facts about %k0.
var ptxKnown = []string{
	"and.b32 %a1, %k0, 3;\nadd.u32 %a1, %a1, {2/3};\ncvt.u64.u32 %b0, %a0;\nshl.b64 %b0, %b0, %a1;\nadd.u64 %b0, %b0, {base};", "and.b32 %a1, %k0, 3;\nadd.u32 %a0, %a0, %a1;\nmad.wide.{u32/s32} %b0, %a0, {c}, {base};", "and.b32 %a1, %k0, 3;\nmad.wide.u32 %b0, %a0, {c}, {base};\nmad.wide.u32 %b0, %a1, 4, %b0;", "and.b32 %a1, %k0, 3;\nor.b32 %a1, %a1, 4;\nmul.lo.u32 %a0, %a0, %a1;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, {base}, %b0;",
}

// ptxUses are templates of accesses at %b0, in the input and in the block's own memory.
var ptxUses = [2][]string{
	{"ld.global.u32 {r}, [%b0+{n4}];", "ld.global.u32 {r}, [%b0];", "ld.global.u32 {r}, [%b0];\nld.global.u32 {r}, [%b0+{n4}];", "ld.global.{u8/s8} {r}, [%b0+{n}];", "ld.global.{u16/s16} {h}, [%b0+2];\ncvt.u32.u16 {r}, {h};", "mad.wide.u32 %b0, %lane, {8/16/32}, %in;\nld{/.global}.{u64/b64} %b1, [%b0];\nadd.u64 {d}, {D}, %b1;", "mad.wide.u32 %b0, %lane, {16/32}, %in;\nld.global.v2.u32 <{w}, {x}>, [%b0];", "mad.wide.u32 %b0, %lane, {16/32}, %in;\nld.global.v4.u32 <{w}, {x}, {y}, {z}>, [%b0];", "ld.global.u32 %a2, [%b0];\nand.b32 %a2, %a2, {508/28/0xffc};\ncvt.u64.u32 %b1, %a2;\nadd.u64 %b1, %b1, %in;\nld.global.u32 {r}, [%b1];", "{!}ld.global.u32 {r}, [%b0];",
		"ld.global.u32 {r}, [%b0+64];\nadd.s64 %b0, %b0, 64;\nld.global.u32 {r}, [%b0+-{4/8/64}];",
		// Lanes with an index that is too large are inactive.
		"mov.u32 %a0, {R};\nsetp.lt.u32 {q}, %a0, {1000/20/333};\nmad.wide.{u32/s32} %b0, %a0, 4, %in;\n@{q} ld.global.u32 {r}, [%b0];", "add.u32 %a0, {R}, {U};\nsetp.lt.u32 {q}, %a0, {1000/20/333};\ncvt.{u64.u32/s64.s32} %b0, %a0;\nshl.b64 %b0, %b0, 2;\nadd.u64 %b0, %in, %b0;\n@{q} ld.global.u32 {r}, [%b0];",
		"ld.global.u32 {r}, [%b0];\nadd.u32 {k}, {S}, {R};", "selp.b64 %b0, %b0, %in, {p};\nld.global.u32 {r}, [%b0];"},
	{"{!}st.global.u32 [%b0], {R};", "st.global.u32 [%b0], {R};\nld.global.u32 {r}, [%b0];", "st.global.{u8/u16} [%b0], {S};", "ld.global.u32 {r}, [%b0];\nadd.u32 {r}, {S}, {S};\nst.global.u32 [%b0], {S};", "{!}atom.global.{add.u32/max.u32/exch.b32/xor.b32} {r}, [%b0], {S};", "red.global.add.u32 [%b0], {S};", "atom.global.cas.b32 {r}, [%b0], {S}, {S};", "ld.u32 {r}, [%b0];"},
}

// ptxNarrow are templates of accesses at %a0 in shared and private memory.
var ptxNarrow = []string{
	"mad.lo.u32 %a0, %a0, {c}, %sh;\n{!}st.shared.u32 [%a0], {R};", "mad.lo.u32 %a0, %a0, {c}, %sh;\n{!}ld.shared.u32 {r}, [%a0];", "mad.lo.u32 %a0, %a0, {c}, %sh;\nst.shared.u32 [%a0], {R};\nld.shared.u32 {r}, [%a0];", "and.b32 %a0, %a0, 31;\nshl.b32 %a0, %a0, {3/4/5};\nadd.u32 %a0, %a0, %sh;\nst.shared.u64 [%a0], {D};\nld.shared.u64 {d}, [%a0];", "mad.lo.u32 %a0, %a0, {c}, %sh;\natom.shared.{add.u32/max.u32/exch.b32} {r}, [%a0], {S};", "mad.lo.u32 %a0, %a0, {c}, %sh;\ncvt.u64.u32 %b0, %a0;\ncvta.shared.u64 %b0, %b0;\nld.u32 {r}, [%b0];",
	"mov.u64 %b1, sm;\nmad.wide.u32 %b0, %a0, {4/8/16}, %b1;\nst.shared.u32 [%b0], {R};\nld.shared.u32 {r}, [%b0];", "mov.u64 %b1, sm;\nmad.wide.u32 %b0, %a0, {4/8/16}, %b1;\nst.shared.v2.u32 [%b0+8], <{R}, {R}>;\nld.shared.u64 {d}, [%b0+8];", "mov.u64 %b1, sm;\nand.b32 %a1, %tid.y, 7;\nmul.wide.u32 %b0, %a1, {64/32};\nadd.u64 %b1, %b1, %b0;\nmad.wide.u32 %b0, %a0, {4/8}, %b1;\n{!}ld.shared.u32 {r}, [%b0];",
	// These are near the end of shared memory.
	"and.b32 %a0, %a0, {1/1/3};\nmad.lo.u32 %a0, %a0, {c}, %sh;\n{!}ld.shared.u32 {r}, [%a0+{1000/1012/1016/1020/1024/1028}];", "and.b32 %a0, %a0, {1/1/3};\nmad.lo.u32 %a0, %a0, {8/16/24}, %sh;\n{!}ld.shared.{u64/b64} {d}, [%a0+{1000/1008/1016/1024}];", "and.b32 %a0, %a0, {1/3};\nmad.lo.u32 %a0, %a0, {c}, %sh;\nst.shared.u32 [%a0+{1000/1012/1020}], {R};",
	"and.b32 %a0, {%laneid/%tid.x}, {1/1/3/7};\nmad.lo.u32 %a0, %a0, {4/8/8/12/2}, %sh;\n{!}ld.shared.{u32/b32} {r}, [%a0+{1016/1020/1024/1028}];",
	// Private values at one address for all lanes.
	"st.local.u64 [lm+8], {D};\nld.local.u64 %b1, [lm+8];\nadd.u64 {d}, {D}, %b1;", "ld.local.u64 %b1, [lm+{8/16}];\nxor.b64 {d}, {D}, %b1;", "cvt.u64.u32 %b0, {%laneid/%tid.x};\nmul.lo.u64 %b0, %b0, {0x80000000/0x7fffffff/0x9e3779b97f4a7c15/0xffffffff7ffffff0};\nst.local.u64 [lm+{8/16}], %b0;\nld.local.u64 %b1, [lm+{8/16}];\nadd.u64 {d}, {D}, %b1;", "st.local.v2.u32 [lm+8], <{R}, {R}>;\n@{!p} ld.local.u64 {d}, [lm+8];", "st.local.u32 [lm+24], {R};\n{!}ld.local.u32 {r}, [lm+24];",
	"and.b32 %a1, %a0, 28;\nmov.u32 %a0, lm;\nadd.u32 %a0, %a0, %a1;\n{!}st.local.u32 [%a0], {R};", "and.b32 %a1, %a0, 28;\nmov.u32 %a0, lm;\nadd.u32 %a0, %a0, %a1;\n{!}ld.local.u32 {r}, [%a0];", "mov.u32 %a0, lm;\nst.local.u32 [%a0+{l4}], {R};\nld.local.u32 {r}, [%a0+{l4}];",
}

// A ptxIndexWriter makes these programs.
type ptxIndexWriter struct {
	ptxWriter
	moves int       // the number of addresses that loops advance
	here  *ptxPlace // the place of the accesses in a loop: see rounds
	guard string    // the guard of some of them
	grid  uint32
	rows  bool
}

func makePTXIndex(seed uint64) (made, error) {
	w := &ptxIndexWriter{ptxWriter: ptxWriter{writer: writer{Rand: rand.New(rand.NewPCG(seed, 0x696478))}}}
	w.operand = w.index
	p := &textProgram{seed: seed, grid: uint32(1 + w.IntN(3)), block: pickOne(w.Rand, uint32(32), 32, 64, 33, 20, 7, 70, 96), build: buildPTX}
	if w.IntN(3) == 0 { // rows and layers of lanes
		p.wide, p.high = pickOne(w.Rand, uint32(4), 8, 16, 10, 16, 3, 32), pickOne(w.Rand, uint32(1), 2, 4, 3, 8)
		if p.wide == 32 {
			p.high = min(p.high, 4)
		}
		p.block = p.wide * p.high * pickOne(w.Rand, uint32(1), 1, 2, 3)
	}
	loops := w.IntN(3) == 0
	if loops && p.wide == 0 && w.IntN(2) == 0 {
		p.block = pickOne(w.Rand, uint32(64), 64, 96, 128) // several waves
	}
	w.start()
	end := w.fewer()
	if w.left = 3 + w.IntN(16); loops {
		p.mode |= roomy
		w.grid, w.rows = p.grid, p.wide > 0
		w.left = w.IntN(6)
		w.accesses()
	}
	for w.left > 0 {
		w.step()
	}
	w.line("%s:", end)
	w.results()
	p.lines = w.lines
	return p.made(".ptx")
}

// start initialises some registers; r6 and r7 remain the same in all lanes.
func (w *ptxIndexWriter) start() {
	w.fill("mov.u32 %r0, %tid.x;")
	w.fill("{mov.u32 %r1, %laneid;/mad.lo.u32 %r1, %ctaid.x, %ntid.x, %tid.x;/and.b32 %r1, %tid.x, 7;/shr.u32 %r1, %tid.x, 3;/sub.u32 %r1, %ntid.x, %tid.x;}")
	w.fill("mov.u32 %r6, %ctaid.x;\n{add.u32/sub.u32/xor.b32/mul.lo.u32} %r6, %r6, {C};")
	w.fill("{ld.param.u32 %r7, [n];/ld.global.u32 %r7, [%in+16];/mov.u32 %r7, %ctaid.x;/mov.u32 %r7, 3;/add.u32 %r7, %r6, 5;}")
	w.fill("{shl.b32 %k0, %r0, 2;/shl.b32 %k0, %r1, 3;/mul.lo.u32 %k0, %r1, 12;/and.b32 %k0, %r1, 28;/shl.b32 %k0, %tid.y, 2;}\nadd.u32 %k1, {R}, {R};")
	w.fill("setp.{lt/ge/ne/eq}.u32 %p0, %lane, {n};")
	w.fill("{ld.global.u32 %r2, [%b0];/mov.u32 %r2, %tid.x;/mov.u32 %r2, %r6;}\nsetp.{lt/ge}.s32 %p1, %r2, {C};")
}

// results stores some of the registers. A stored value must be in a register in all lanes; the JIT
// may rematerialise the remaining values at their uses.
func (w *ptxIndexWriter) results() {
	for i := range 6 {
		if w.IntN(2) == 0 || w.here != nil {
			w.line("st.global.u32 [%%out+%d], %%r%d;", 4*i, i)
		}
	}
	for i := range 4 {
		if w.IntN(2) == 0 {
			w.line("st.global.u64 [%%out+%d], %%d%d;", 32+8*i, i)
		}
		if w.IntN(8) == 0 {
			w.line("selp.u32 %%a0, 1, 0, %%p%d;\nst.global.u8 [%%out+%d], %%a0;", i, 72+i)
		}
	}
}

// index returns an operand of a kind.
func (w *ptxIndexWriter) index(kind string) string {
	if w.here != nil {
		if s, ok := w.around(kind); ok {
			return s
		}
	}
	switch kind {
	case "r", "S":
		return fmt.Sprint("%r", w.IntN(6))
	case "R":
		return pickOne(w.Rand, fmt.Sprint("%r", w.IntN(6)), fmt.Sprint("%r", w.IntN(6)), "%r0", "%r1", "%tid.x", pickOne(w.Rand, "%laneid", "%laneid", "%tid.y"))
	case "K":
		return fmt.Sprintf("%%k%d", w.IntN(2))
	case "k":
		return "%k1"
	case "w", "x", "y", "z":
		return fmt.Sprint("%r", strings.Index("wxyz", kind))
	case "d", "D":
		return fmt.Sprintf("%%d%d", w.IntN(4))
	case "U":
		return pickOne(w.Rand, "%r6", "%r7", "%r6", "%ctaid.x", "%ntid.x", "%r7")
	case "V": // so that two of them are equal
		return "%r6"
	case "C":
		return fmt.Sprintf("%#x", randprog.Nasty(w.Rand))
	case "c":
		return pickOne(w.Rand, "4", "8", "12", "16", "20", "32", "4", "4")
	case "M":
		return pickOne(w.Rand, "28", "511", "0xffc", "7", "31", "0x1fc", "3", "0xfffffffc", "0xffff", "24", "60")
	case "s":
		return pickOne(w.Rand, "1", "2", "3", "4", "5", "8", "16", "29", "30", "31")
	}
	return w.reg(kind)
}

// at computes an address in %b0.
func (w *ptxIndexWriter) at(base string) {
	w.fill(ptxSmall[w.IntN(len(ptxSmall))])
	w.left++
	t := ptxScaled[w.IntN(len(ptxScaled))]
	if w.IntN(8) == 0 {
		t = ptxKnown[w.IntN(len(ptxKnown))]
	}
	w.fill(strings.ReplaceAll(t, "{base}", base))
	w.left++
}

// access emits an access to memory.
func (w *ptxIndexWriter) access() {
	switch k := w.IntN(16); {
	case k < 7:
		w.at("%in")
		w.fill(ptxUses[0][w.IntN(len(ptxUses[0]))])
	case k < 11: // the block's own memory is smaller
		w.fill(ptxSmall[w.IntN(len(ptxSmall))])
		w.fill("mad.wide.{u32/s32} %b0, %a0, {4/8/12}, %own;")
		w.left += 2
		w.fill(ptxUses[1][w.IntN(len(ptxUses[1]))])
	case k < 15:
		w.fill(ptxSmall[w.IntN(len(ptxSmall))])
		w.fill(ptxNarrow[w.IntN(len(ptxNarrow))])
		w.left++
	default:
		if w.IntN(6) == 0 { // mostly a fault
			w.fill("{mad.wide.u32/mad.wide.s32} %b0, {R}, {c}, %in;\n{!}ld.global.u32 {r}, [%b0];")
			return
		}
		w.fill("cvt.{u64.u32/s64.s32} %b0, {R};\nand.b64 %b0, %b0, {508/28/0xffc/0x7fc};\nadd.u64 %b0, %b0, %in;\nld.global.u32 {r}, [%b0];")
	}
}

// some emits a few statements.
func (w *ptxIndexWriter) some() {
	w.inner(3, w.step)
}

func (w *ptxIndexWriter) step() {
	n := 31
	if w.depth > 1 || w.left <= 0 {
		n = 22
	}
	switch k := w.IntN(n); {
	case k < 15:
		t := w.pure(ptxIndex)
		if w.IntN(8) == 0 && !strings.Contains(t, "\n") && !strings.HasPrefix(t, "call") {
			t = "@{!p} " + t
		}
		w.fill(t)
	case k < 21:
		w.access()
	case k == 21:
		w.fill(pickOne(w.Rand, "@{!p} {exit/ret};", "bar.sync 0;", "bar.sync 0;", "setp.{lt/ge/ne}.u32 {p}, %lane, {n};"))
	case k < 26:
		els, end := w.label(), w.label()
		w.fill("@{!p} bra " + els + ";")
		w.some()
		if w.IntN(3) == 0 {
			w.line("bra %s;", end)
			w.line("%s:", els)
			w.some()
		} else {
			w.line("%s:", els)
		}
		w.line("%s:", end)
	case k == 29:
		w.hold()
	default:
		w.loop()
	}
}

// hold uses a number as an index after a loop that does not change it. The JIT can rematerialise
// the number at its uses. If the code uses only facts about the number, then only an exit to the
// interpreter needs its value.
func (w *ptxIndexWriter) hold() {
	w.fill("{add.u32/mul.lo.u32/xor.b32} {k}, {R}, {R};")
	known := w.IntN(2) == 0
	if known {
		w.fill("{shl.b32 %k0, %tid.x, 2;/shl.b32 %k0, %laneid, 3;/mul.lo.u32 %k0, %tid.y, 12;/shl.b32 %k0, %r1, 2;/shl.b32 %k0, %r0, 4;}")
	}
	if w.IntN(3) == 0 {
		w.fill("bar.sync 0;")
	} else {
		w.loop()
	}
	for range 1 + w.IntN(2) {
		w.fill(pickOne(w.Rand, "and.b32 %a0, %k1, {31/28/15};", "ld.global.u32 %a0, [%in+{n4}];\nxor.b32 %a0, %a0, %k1;\nand.b32 %a0, %a0, 31;", "shr.u32 %a0, {K}, 28;", "add.u32 %a0, {K}, {R};\nand.b32 %a0, %a0, 31;", "mad.wide.u32 %b0, %lane, 8, %in;\nld.global.u32 %a0, [%b0];\nand.b32 %a0, %a0, 31;"))
		t := ptxScaled[w.IntN(len(ptxScaled))]
		if known {
			t = ptxKnown[w.IntN(len(ptxKnown))]
		}
		w.fill(strings.ReplaceAll(t, "{base}", "%in"))
		w.fill(ptxUses[0][w.IntN(len(ptxUses[0]))])
	}
}

// stride emits a loop over elements that are a fixed distance apart, up to a limit.
func (w *ptxIndexWriter) stride() {
	top, d := w.label(), min(w.depth, 3)
	i := fmt.Sprintf("%%i%d", d)
	w.fill(strings.ReplaceAll(pickOne(w.Rand, "mov.u32 I, %tid.x;", "mov.u32 I, %laneid;", "mad.lo.u32 I, %tid.y, %ntid.x, %tid.x;", "shl.b32 I, %tid.x, 2;", "and.b32 I, {R}, 255;"), "I", i))
	w.line("%s:", top)
	w.fill("{mad.wide.u32/mad.wide.s32} %b0, " + i + ", 4, %in;\nld.global.u32 {r}, [%b0];")
	w.some()
	w.fill("add.u32 " + i + ", " + i + ", {32/%ntid.x/4/64/16};")
	w.fill("setp.lt.{u32/s32} %p4, " + i + ", {100/128/200/64/333};")
	w.back(top, "%p4")
}

// loop emits a loop in which an address or a number advances.
func (w *ptxIndexWriter) loop() {
	if w.IntN(5) == 0 {
		w.stride()
		return
	}
	top := w.label()
	ptr := ""
	if w.moves < 2 && w.IntN(2) == 0 {
		w.at("%in")
		w.moves++
		ptr = fmt.Sprintf("%%b%d", 1+w.moves) // %b2, %b3
		w.line("add.u64 %s, %%b0, %d;", ptr, 64*w.IntN(16)+640)
	}
	d := min(w.depth, 3)
	count := w.IntN(2) == 0
	if count {
		w.line("mov.u32 %%i%d, 0;", d)
	}
	w.line("%s:", top)
	if ptr != "" {
		w.fill("ld.global.u32 {r}, [" + ptr + "];")
		if w.IntN(2) == 0 {
			w.fill("ld.global.{u32/u8/s8} {r}, [" + ptr + "+{n4}];")
		}
	}
	w.some()
	if ptr != "" {
		w.fill(pickOne(w.Rand, "add.u64 "+ptr+", "+ptr+", {4/8/16/64};", "sub.u64 "+ptr+", "+ptr+", {4/16/64};", "and.b32 %a1, {U}, 60;\nmad.wide.u32 "+ptr+", %a1, 1, "+ptr+";", "and.b32 %a1, {R}, 12;\nmad.wide.u32 "+ptr+", %a1, 1, "+ptr+";"))
	}
	if count {
		w.line("add.u32 %%i%d, %%i%d, 1;\nsetp.lt.u32 %%p4, %%i%d, %d;", d, d, d, 2+w.IntN(4))
		w.back(top, "%p4")
		return
	}
	w.back(top, pickOne(w.Rand, "", "%p0", "!%p1", "%p1", "%p2"))
}
