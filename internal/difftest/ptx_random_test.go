package difftest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/ptx"
)

const ptxOut = 96 // bytes of results for each lane

// ptxPure are templates of instructions without effects. r, d, h and p are registers to write, of
// 32, 64 and 16 bits, and predicates. R, D, H and P are operands to read of the same types. F and G
// are floats of 32 and 64 bits; n and m are small numbers; N is an operand that can be a bit
// position.
var ptxPure = []string{
	"add.{u32/s32} {r}, {R}, {R};", "sub.u32 {r}, {R}, {R};", "mul.lo.u32 {r}, {R}, {R};", "mul.hi.{u32/s32} {r}, {R}, {R};", "mad.lo.s32 {r}, {R}, {R}, {R};", "mad.hi.u32 {r}, {R}, {R}, {R};",
	"mul24.lo.{u32/s32} {r}, {R}, {R};", "sad.{u32/s32} {r}, {R}, {R}, {R};", "div.{u32/s32} {r}, {R}, {R};", "rem.{u32/s32} {r}, {R}, {R};", "abs.s32 {r}, {r};", "neg.s32 {r}, {r};",
	"min.{u32/s32} {r}, {R}, {R};", "max.{u32/s32} {r}, {R}, {R};", "add.sat.s32 {r}, {R}, {R};",
	"add.cc.u32 {r}, {R}, {R};\naddc.cc.u32 {r}, {R}, {R};\naddc.u32 {r}, {R}, {R};", "sub.cc.u32 {r}, {R}, {R};\nsubc.u32 {r}, {R}, {R};", "mad.lo.cc.u32 {r}, {R}, {R}, {R};\nmadc.hi.u32 {r}, {R}, {R}, {R};",
	"{and/or/xor}.b32 {r}, {R}, {R};", "not.b32 {r}, {R};", "cnot.b32 {r}, {R};", "lop3.b32 {r}, {R}, {R}, {R}, {m};", "{shl.b32/shr.u32/shr.s32} {r}, {R}, {R};", "{shl.b32/shr.u32/shr.s32} {r}, {R}, {n};",
	"shf.{l/r}.{wrap/clamp}.b32 {r}, {R}, {R}, {R};", "popc.b32 {r}, {R};", "clz.b32 {r}, {R};", "brev.b32 {r}, {R};", "bfind.{u32/s32} {r}, {R};", "bfind.shiftamt.u32 {r}, {R};", "fns.b32 {r}, {r}, {n}, {n};",
	"bfe.{u32/s32} {r}, {R}, {n}, {n};", "bfe.u32 {r}, {R}, {N}, {N};", "bfi.b32 {r}, {R}, {R}, {n}, {n};", "prmt.b32 {r}, {R}, {R}, {R};", "prmt.b32.{f4e/b4e/rc8/ecl/ecr/rc16} {r}, {R}, {R}, {R};",
	"dp4a.{u32/s32}.{u32/s32} {r}, {R}, {R}, {R};", "dp2a.{lo/hi}.u32.s32 {r}, {R}, {R}, {R};", "bmsk.{clamp/wrap}.b32 {r}, {R}, {R};", "szext.{clamp/wrap}.{u32/s32} {r}, {R}, {R};",
	"slct.u32.s32 {r}, {R}, {R}, {R};", "slct.f32.f32 {r}, {F}, {F}, {F};", "selp.b32 {r}, {R}, {R}, {p};", "selp.b64 {d}, {D}, {D}, {p};", "mov.b32 {r}, {R};", "mov.b64 {d}, {D};", "mov.b16 {h}, {h};", "mov.b64 {d}, <{r}, {r}>;", "mov.b32 {r}, <{h}, {h}>;",
	"mov.b64 <{w}, {x}>, {d};", "{add/sub}.u64 {d}, {D}, {D};", "mul.lo.u64 {d}, {D}, {D};", "mul.hi.{u64/s64} {d}, {D}, {D};", "mul.wide.{u32/s32} {d}, {R}, {R};", "mad.wide.{u32/s32} {d}, {R}, {R}, {D};", "{and/or/xor}.b64 {d}, {D}, {D};",
	"{shl.b64/shr.u64/shr.s64} {d}, {D}, {R};", "div.{u64/s64} {d}, {D}, {D};", "{min/max}.{u64/s64} {d}, {D}, {D};", "popc.b64 {r}, {D};", "bfe.{u64/s64} {d}, {D}, {n}, {n};",
	"add.u16 {h}, {H}, {H};", "mul.lo.u16 {h}, {H}, {H};", "{min/max}.{u16/s16} {h}, {H}, {H};", "{shl.b16/shr.u16/shr.s16} {h}, {H}, {R};", "xor.b16 {h}, {H}, {H};", "mad.wide.u16 {r}, {H}, {H}, {R};",
	"{add/sub/mul}{/.rn/.rz/.rm/.rp}{/.ftz}{/.sat}.f32 {r}, {F}, {F};", "fma.{rn/rz/rm/rp}{/.ftz}{/.sat}.f32 {r}, {F}, {F}, {F};", "{min/max}{/.ftz}{/.NaN}{/.xorsign.abs}.f32 {r}, {F}, {F};", "{abs/neg}{/.ftz}.f32 {r}, {F};",
	"div.{rn/rz/rm/rp}{/.ftz}.f32 {r}, {F}, {F};", "{sqrt/rcp}.{rn/rz/rm/rp}{/.ftz}.f32 {r}, {F};", "{rcp/sqrt/rsqrt/ex2/lg2/sin/cos}.approx{/.ftz}.f32 {r}, {F};", "tanh.approx.f32 {r}, {F};", "copysign.f32 {r}, {F}, {F};",
	"{add/sub/mul}{/.rn/.rz/.rm/.rp}.f64 {d}, {G}, {G};", "fma.{rn/rz/rm/rp}.f64 {d}, {G}, {G}, {G};", "{min/max}.f64 {d}, {G}, {G};", "div.{rn/rz/rm/rp}.f64 {d}, {G}, {G};", "sqrt.{rn/rz}.f64 {d}, {G};",
	"{add/sub/mul}{/.ftz}{/.sat}.f16 {h}, {h}, {h};", "fma.rn{/.ftz}{/.sat/.relu}.f16 {h}, {h}, {h}, {h};", "{add/mul}{/.ftz}.f16x2 {r}, {r}, {r};", "fma.rn.f16x2 {r}, {r}, {r}, {r};", "fma.rn.bf16x2 {r}, {r}, {r}, {r};", "{min/max}{/.NaN}.f16 {h}, {h}, {h};", "ex2.approx.f16 {h}, {h};",
	"setp.{lt/le/gt/ge/eq/ne}.{u32/s32} {p}, {R}, {R};", "setp.{lt/le/gt/ge/eq/ne/ltu/equ/num/nan}{/.ftz}.f32 {p}, {F}, {F};", "setp.{lt/ge/eq/neu}.f64 {p}, {G}, {G};", "setp.{lt/ge/eq}.{u64/s64} {p}, {D}, {D};", "setp.{lt/gt/eq}.{u16/s16} {p}, {H}, {H};", "setp.{lt/eq}.f16 {p}, {h}, {h};",
	"setp.lt.{and/or/xor}.u32 {p}|{q}, {R}, {R}, {!p};", "set.{lt/eq}.u32.{u32/s32} {r}, {R}, {R};", "set.gt.f32.f32 {r}, {F}, {F};", "{and/or/xor}.pred {p}, {p}, {p};", "not.pred {p}, {p};", "testp.{finite/normal/subnormal/infinite/notanumber}.f32 {p}, {F};",
	"cvt.rn.f32.{s32/u32} {r}, {r};", "cvt.{rzi/rni/rmi/rpi}{/.ftz}.{s32/u32}.f32 {r}, {F};", "cvt.{rzi/rni}.{s64/u64}.f32 {d}, {F};", "cvt.{rn/rz/rm/rp}.f32.f64 {r}, {G};", "cvt.f64.f32 {d}, {F};", "cvt.{rn/rz}.f64.s64 {d}, {d};", "cvt.rzi.{s32/u32}.f64 {r}, {G};",
	"cvt.{rn/rz}.f16.f32 {h}, {F};", "cvt.f32.f16 {r}, {h};", "cvt.rn.bf16.f32 {h}, {F};", "cvt.rn.f16x2.f32 {r}, {F}, {F};", "cvt.{rni/rzi/rmi/rpi}.f32.f32 {r}, {F};", "cvt.{u64.u32/s64.s32} {d}, {r};", "cvt.u32.u64 {r}, {d};", "cvt.{u16.u32/s16.s32} {h}, {r};", "cvt.{s32.s16/u32.u16} {r}, {h};", "cvt.sat.{u8/s8}.s32 {h}, {r};", "cvt.{s32.s8/u32.u8} {r}, {r};",
	"vadd.s32.u32.s32.sat {r}, {r}.b1, {r}.h0;", "vabsdiff4.u32.u32.u32.add {r}, {r}, {r}, {r};", "activemask.b32 {r};", "mov.u32 {r}, %laneid;", "mov.u32 {r}, %tid.x;", "mov.u32 {r}, %ctaid.x;", "mov.u32 {r}, %lanemask_{lt/ge/eq};", "mov.u32 {r}, %clock;",
}

// ptxMemory are templates of accesses. a, A and b are registers for addresses, which the lines
// before compute.
var ptxMemory = []string{
	"and.b32 %a0, {R}, 4088;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %in;\nld.global{/.ca/.nc}.{u32/b32/s32/f32} {r}, [%b0];",
	"and.b32 %a0, {R}, 4080;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %in;\nld.global.v2.u32 <{w}, {x}>, [%b0];",
	"and.b32 %a0, {R}, 4080;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %in;\nld.global.v4.u32 <{w}, {x}, {y}, {z}>, [%b0];",
	"and.b32 %a0, {R}, 4080;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %in;\nld{/.global}.u64 {d}, [%b0+8];",
	"and.b32 %a0, {R}, 4093;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %in;\nld.global.{u8/s8} {r}, [%b0+2];",
	"and.b32 %a0, {R}, 4092;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %in;\nld.global.{u16/s16} {h}, [%b0+2];",
	"mul.wide.u32 %b0, %lane, {4/8/12/16};\nadd.u64 %b0, %b0, %in;\nld.global.u32 {r}, [%b0+{n4}];", "ld.global.u32 {r}, [%in+{n4}];", "ld.global.v2.u64 <{e}, {f}>, [%in+{n16}];",
	"and.b32 %a0, {R}, 508;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %own;\n{!}st.global.u32 [%b0], {R};", "and.b32 %a0, {R}, 504;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %own;\n{!}st.u64 [%b0], {D};",
	"and.b32 %a0, {R}, 511;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %own;\n{!}st.global.u8 [%b0], {r};", "and.b32 %a0, {R}, 508;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %own;\n{!}ld.global.u32 {r}, [%b0];",
	"shl.b32 %a0, %lane, 3;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %own;\n{!}st.global.v2.u32 [%b0], <{r}, {r}>;",
	"and.b32 %a0, {R}, 1020;\nadd.u32 %a0, %a0, %sh;\n{!}st.shared.u32 [%a0], {R};", "and.b32 %a0, {R}, 1020;\nadd.u32 %a0, %a0, %sh;\n{!}ld.shared.u32 {r}, [%a0];", "shl.b32 %a0, %lane, {2/3/4};\nadd.u32 %a0, %a0, %sh;\n{!}st.shared.u32 [%a0], {R};\nld.shared.u32 {r}, [%a0];",
	"and.b32 %a0, {R}, 1016;\nadd.u32 %a0, %a0, %sh;\nst.shared.u64 [%a0], {D};\nld.shared.u64 {d}, [%a0];", "and.b32 %a0, {R}, 1008;\nadd.u32 %a0, %a0, %sh;\nld.shared.v4.f32 <{w}, {x}, {y}, {z}>, [%a0];", "and.b32 %a0, {R}, 1022;\nadd.u32 %a0, %a0, %sh;\nst.shared.u16 [%a0], {h};\nld.shared.s8 {r}, [%a0];",
	"cvt.u64.u32 %b0, %sh;\ncvta.shared.u64 %b0, %b0;\nld.u32 {r}, [%b0+{n4}];\nst.u32 [%b0+{n4}], {r};",
	"mov.u32 %a0, lm;\n{!}st.local.u32 [%a0+{l4}], {R};", "mov.u32 %a0, lm;\n{!}ld.local.u32 {r}, [%a0+{l4}];", "and.b32 %a1, {R}, 28;\nmov.u32 %a0, lm;\nadd.u32 %a0, %a0, %a1;\nst.local.u32 [%a0], {R};\nld.local.u32 {r}, [%a0];",
	"ld.param.u32 {r}, [n];", "ld.param.u64 {d}, [x];", "ld.param.f32 {r}, [n+4];",
	"and.b32 %a0, {R}, 508;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %own;\n{!}atom.global.{add.u32/min.s32/max.u32/and.b32/or.b32/xor.b32/exch.b32/inc.u32/dec.u32/add.f32} {r}, [%b0], {R0};",
	"and.b32 %a0, {R}, 504;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %own;\n{!}atom.{add.u64/min.s64/max.u64/exch.b64} {d}, [%b0], {D};", "and.b32 %a0, {R}, 28;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %own;\natom.global.cas.b32 {r}, [%b0], {R}, {R};",
	"and.b32 %a0, {R}, 60;\nadd.u32 %a0, %a0, %sh;\n{!}atom.shared.{add.u32/min.s32/max.u32/and.b32/xor.b32/exch.b32/inc.u32} {r}, [%a0], {R};", "red.shared.add.u32 [%sh+{n4}], {R};",
	"{!}red.global.add.u32 [%acc], {R};", "{!}red.global.{xor.b32/xor.b32} [%acc+4], {R};", "{!}red.global.max.{s32/s32} [%acc+8], {R};", "{!}red.global.min.u32 [%acc+12], {R};", "red.global.add.u64 [%acc+16], {D};", "membar.{cta/gl};",
}

// ptxAcross are templates of operations across lanes. Their members are the active lanes, in %mask.
var ptxAcross = []string{
	"shfl.sync.{bfly/down/up/idx}.b32 {r}, {R0}, {n}, {31/31/31/0/0x181f/0x1c1f}, %mask;", "shfl.sync.{bfly/down/up/idx}.b32 {r}|{p}, {R0}, {R}, {31/0x1c1f}, %mask;", "shfl.sync.idx.b32 {r}, {R0}, {n}, {R}, %mask;",
	"vote.sync.{all/any/uni}.pred {p}, {!p}, %mask;", "vote.sync.ballot.b32 {r}, {!p}, %mask;", "match.any.sync.b32 {r}, {R0}, %mask;", "match.all.sync.b32 {r}|{p}, {R0}, %mask;", "match.any.sync.b64 {r}, {d}, %mask;",
	"redux.sync.{add.s32/min.u32/max.s32/and.b32/or.b32/xor.b32} {r}, {R0}, %mask;", "bar.warp.sync %mask;", "elect.sync _|{p}, %mask;",
}

// ptxCluster is a template of the barrier of a cluster, which is one block here. Lanes wait at it
// one by one, repeatedly; lanes that have exited count as arrived.
const ptxCluster = "{!}barrier.cluster.arrive{/.release/.relaxed};\n{!}barrier.cluster.wait{/.acquire};"

// A ptxWriter makes programs in PTX.
type ptxWriter struct {
	writer
	free  []string
	short bool // see the constant short
	rows  bool // instructions also come from the forms of the table
	// If idioms is set, half of the operations are in sequences: see idiom.
	idioms bool
	// target is an index in ptxTargets.
	target int
}

func makePTX(seed uint64) (made, error) {
	if indexed(seed) {
		return makePTXIndex(seed)
	}
	if together(seed) {
		return makePTXTogether(seed)
	}
	if missing(seed) {
		return makePTXMissing(seed)
	}
	w := &ptxWriter{writer: writer{Rand: rand.New(rand.NewPCG(seed, 0x707478))}}
	w.operand = w.reg
	p := &textProgram{seed: seed, grid: uint32(1 + w.IntN(3)), block: pickOne(w.Rand, uint32(32), 32, 32, 64, 33, 20, 7, 70), build: buildPTX}
	for range w.IntN(3) {
		w.free = append(w.free, w.label())
	}
	w.idioms = idiomatic(seed)
	if w.short = w.IntN(4) > 0; w.short {
		p.mode |= short
	}
	if w.rows = w.IntN(2) == 0; w.rows {
		w.target = w.IntN(len(ptxTargets))
		p.mode |= uint32(w.target) << targetBits
	}
	w.begin()
	if w.rows {
		w.line("mov.u32 %%a0, %%tid.x;\nsetp.eq.u32 %%p5, %%a0, 0;\n@%%p5 mbarrier.init.shared.b64 [mb], %d;\nbar.sync 0;", pickOne(w.Rand, 1, 1, 32, 1000))
	}
	if w.idioms {
		w.prefill()
	}
	end := w.fewer()
	first := len(w.lines)
	w.left = 5 + w.IntN(35)
	for w.left > 0 {
		w.statement()
	}
	last := len(w.lines)
	w.line("%s:", end)
	w.end()
	p.lines = w.lines
	for _, l := range w.free {
		at := first + w.IntN(last+1-first)
		p.lines = append(p.lines[:at:at], append([]string{l + ":"}, p.lines[at:]...)...)
	}
	return p.made(".ptx")
}

// begin initialises the registers.
func (w *ptxWriter) begin() {
	for i := range 8 {
		switch w.IntN(4) {
		case 0:
			w.line("mov.u32 %%r%d, %s;", i, pickOne(w.Rand, "%tid.x", "%laneid", "%ctaid.x", "7", "0x3f800000"))
		case 1: // 0
		default:
			if !w.short {
				w.line("ld.global.u32 %%r%d, [%%b0+%d];", i, 4*i)
			}
		}
		if i < 4 {
			if !w.short {
				w.line("ld.global.u64 %%d%d, [%%b0+%d];", i, 32+8*i)
				w.line("ld.global.u16 %%h%d, [%%b0+%d];", i, 64+2*i)
			}
			w.line("setp.lt.u32 %%p%d, %s, %d;", i, pickOne(w.Rand, "%lane", "%lane", "%lane", "%ctaid.x"), w.IntN(33))
		}
	}
	if w.short { // loads are a large part of the machine code; these three loads feed all registers
		for i := range 2 {
			w.line("ld.global.u64 %%d%d, [%%c8+%d];", i, 8*w.IntN(400))
			w.line("mov.b64 {%%r%d, %%a1}, %%d%d;\nmov.b32 {%%h%d, %%h%d}, %%a1;", 2*i+w.IntN(2), i, 2*i, 2*i+1)
		}
		w.line("ld.global.u32 %%r%d, [%%c4+%d];\nmov.b64 %%d2, {%%r%d, %%r%d};", 4+w.IntN(4), 4*w.IntN(900), w.IntN(8), w.IntN(8))
	}
}

// fewer makes some lanes leave in some programs, for good or to a label, before the other
// statements. A value that one lane of a wave or of a row provides for the rest must then not come
// from the first lane.
func (w *ptxWriter) fewer() (end string) {
	if end = w.label(); w.IntN(4) == 0 {
		w.fill(pickOne(w.Rand, "setp.{lt/ge}.u32 %p5, %lane, {1/4/8/16/31};", "and.b32 %a0, %tid.x, {1/3/7/15};\nsetp.{lt/ne/ge}.u32 %p5, %a0, {1/2/5};", "mov.u32 %a0, {%tid.x/%tid.y};\nsetp.{lt/eq/ge}.u32 %p5, %a0, {1/2/8/32};"))
		w.fill("@%p5 {exit/ret/bra " + end + "};")
	}
	return end
}

// sum stores one word that combines all registers.
func (w *ptxWriter) sum() {
	w.line("mov.u32 %%a0, %%r0;")
	add := func(format string, i int) {
		w.line(format+"\nmad.lo.u32 %%a0, %%a0, 0x9e3779b1, %%a1;", i)
	}
	for i := 1; i < 8; i++ {
		add("mov.u32 %%a1, %%r%d;", i)
	}
	for i := range 4 {
		add("cvt.u32.u64 %%a1, %%d%d;", i)
		add("mov.b64 {%%a2, %%a1}, %%d%d;", i)
		add("cvt.u32.u16 %%a1, %%h%d;", i)
		add("selp.u32 %%a1, 1, 0, %%p%d;", i)
	}
	w.line("st.global.u32 [%%out], %%a0;")
}

// end stores the registers.
func (w *ptxWriter) end() {
	if w.short {
		w.sum()
		return
	}
	for i := range 8 {
		w.line("st.global.u32 [%%out+%d], %%r%d;", 4*i, i)
	}
	for i := range 4 {
		w.line("st.global.u64 [%%out+%d], %%d%d;", 32+8*i, i)
		w.line("st.global.u16 [%%out+%d], %%h%d;", 64+2*i, i)
		w.line("selp.u32 %%a0, 1, 0, %%p%d;\nst.global.u8 [%%out+%d], %%a0;", i, 72+i)
	}
}

// reg returns an operand of a kind.
func (w *ptxWriter) reg(kind string) string {
	one := func(name string, n int) string { return fmt.Sprintf("%%%s%d", name, w.IntN(n)) }
	konst := func(t ir.Type, register string) string {
		if w.IntN(4) > 0 {
			return register
		}
		return fmt.Sprintf("%#x", enginetest.RandomValue(w.Rand, t))
	}
	switch kind {
	case "r", "R0":
		return one("r", 8)
	case "R":
		if w.IntN(12) == 0 {
			return pickOne(w.Rand, "%tid.x", "%laneid", "%ctaid.x", "%ntid.x")
		}
		return konst(ir.B32, one("r", 8))
	case "N": // constants are 0 to 255
		if w.IntN(4) > 0 {
			return w.reg("r")
		}
		return w.reg("m")
	case "w", "x", "y", "z": // four different operands
		return fmt.Sprintf("%%r%d", 2*strings.Index("wxyz", kind)+w.IntN(2))
	case "F":
		if w.IntN(4) > 0 {
			return one("r", 8)
		}
		return fmt.Sprintf("0f%08X", enginetest.RandomValue(w.Rand, ir.B32))
	case "d":
		return one("d", 4)
	case "e", "f":
		return fmt.Sprintf("%%d%d", 2*strings.Index("ef", kind)+w.IntN(2))
	case "D":
		return konst(ir.B64, one("d", 4))
	case "G":
		if w.IntN(4) > 0 {
			return one("d", 4)
		}
		return fmt.Sprintf("0d%016X", enginetest.RandomValue(w.Rand, ir.B64))
	case "h":
		return one("h", 4)
	case "H":
		return konst(ir.B16, one("h", 4))
	case "p":
		return one("p", 4)
	case "q":
		return "%p5"
	case "!p":
		return pickOne(w.Rand, "", "!") + one("p", 4)
	case "!":
		if w.IntN(3) > 0 {
			return ""
		}
		return "@" + pickOne(w.Rand, "", "!") + one("p", 4) + " "
	case "n":
		return fmt.Sprint(w.IntN(34))
	case "m":
		return fmt.Sprint(w.IntN(256))
	case "n4":
		return fmt.Sprint(4 * w.IntN(16))
	case "n16":
		return fmt.Sprint(16 * w.IntN(16))
	case "l4":
		return fmt.Sprint(4 * w.IntN(8))
	}
	panic("difftest: no operand " + kind)
}

func (w *ptxWriter) body() {
	w.inner(4, w.statement)
}

// back branches to a label before it while there is fuel.
func (w *ptxWriter) back(l, p string) {
	cond := "setp.gt.s32 %p4, %fuel, 0;"
	if p != "" {
		cond = "setp.gt.and.s32 %p4, %fuel, 0, " + p + ";"
	}
	w.line("sub.s32 %%fuel, %%fuel, 1;\n%s\n@%%p4 bra %s;", cond, l)
}

func (w *ptxWriter) statement() {
	n := 42
	if w.depth > 3 || w.left <= 0 {
		n = 28
	}
	if w.IntN(400) == 0 { // mostly a fault
		w.fill("cvt.u64.u32 %b0, {R};\nadd.u64 %b0, %b0, %{in/own};\n{!}{ld/ld.global}.u32 {r}, [%b0];")
		return
	}
	switch k := w.IntN(n); {
	case k < 15 && w.idioms && w.IntN(2) == 0:
		if w.IntN(3) == 0 {
			w.loaded()
			return
		}
		w.idiom()
	case k < 15:
		if w.rows && w.IntN(2) == 0 {
			w.row()
			return
		}
		t := w.pure(ptxPure)
		if w.IntN(4) == 0 && !strings.Contains(t, "|") {
			t = "@{!p} " + t
		}
		w.fill(t)
	case k < 21:
		if w.rows && w.IntN(4) == 0 {
			w.fill(pickOne(w.Rand, pickOne(w.Rand, ptxAsync...), pickOne(w.Rand, ptxAsync...), pickOne(w.Rand, ptxRare...)))
			return
		}
		w.fill(ptxMemory[w.IntN(len(ptxMemory))])
	case k < 25:
		w.line("activemask.b32 %%mask;")
		w.fill(ptxAcross[w.IntN(len(ptxAcross))])
	case k == 25:
		w.fill("setp.{lt/ge/eq/ne}.u32 {p}, %lane, {n};")
	case k == 26:
		w.fill("setp.{lt/ge/eq/ne}.u32 {p}, {r}, {R};")
	case k == 27:
		switch w.IntN(4) {
		case 0:
			w.fill("@{!p} {exit/ret};")
		case 1:
			w.fill(pickOne(w.Rand, "bar.sync 0;", "bar.sync 0;", "barrier.sync {0/1};", ptxCluster))
		case 2:
			w.fill(pickOne(w.Rand, "bar.red.popc.u32 {r}, 0, {!p};", "{bar/barrier}.red.{and/or}.pred {p}, 0, {!p};"))
		default:
			w.fill("call ({r}), {twice/deep}, ({r}, {r});")
		}
	case k < 32:
		els, end := w.label(), w.label()
		w.fill("@{!p} bra " + els + ";")
		w.body()
		if w.IntN(2) == 0 {
			w.line("bra %s;", end)
			w.line("%s:", els)
			w.body()
		} else {
			w.line("%s:", els)
		}
		w.line("%s:", end)
	case k < 36:
		top, end := w.label(), w.label()
		w.line("%s:", top)
		w.body()
		if w.IntN(2) == 0 {
			w.fill("@{!p} bra " + end + ";")
			w.body()
		}
		w.back(top, pickOne(w.Rand, "", "%p0", "!%p1", "%p2", "%p3"))
		w.line("%s:", end)
	case k == 36: // a loop with a fixed number of rounds
		top := w.label()
		if w.depth > 2 {
			return
		}
		w.line("mov.u32 %%i%d, 0;", w.depth)
		w.line("%s:", top)
		d := w.depth
		w.body()
		w.line("add.u32 %%i%d, %%i%d, 1;", d, d)
		w.line("setp.lt.u32 %%p4, %%i%d, %d;", d, 2+w.IntN(3))
		w.back(top, "%p4")
	case k == 37:
		end := w.label()
		cases := []string{w.label(), w.label(), w.label()}
		w.fill("rem.u32 %a0, {R}, 3;")
		w.line("ts%s: .branchtargets %s;", end, strings.Join(cases, ", "))
		w.fill("{!}brx.idx %a0, ts" + end + ";")
		for _, l := range cases {
			w.line("%s:", l)
			w.body()
			if w.IntN(3) > 0 {
				w.line("bra %s;", end)
			}
		}
		w.line("%s:", end)
	default:
		if len(w.free) > 0 {
			// The branch goes forward or back; the direction is known only when the label has its
			// place.
			w.back(w.free[w.IntN(len(w.free))], pickOne(w.Rand, "%p0", "%p1", "!%p2", "!%p3"))
		}
	}
}

// buildPTX makes the launch of a program.
func buildPTX(p *textProgram) (*randprog.Case, string, error) {
	var b strings.Builder
	b.WriteString(ptxTargets[p.mode>>targetBits%uint32(len(ptxTargets))] + `.address_size 64
.func (.reg .b32 res) twice(.reg .b32 x, .reg .b32 y)
{
	.reg .pred p;
	add.u32 res, x, x;
	setp.lt.s32 p, x, y;
	@p ret;
	xor.b32 res, res, y;
	ret;
}
.func (.reg .b32 res) deep(.reg .b32 x, .reg .b32 y)
{
	.reg .pred p;
	.reg .b32 n, t;
	and.b32 n, x, 3;
	setp.eq.u32 p, n, 0;
	mov.u32 res, y;
	@p ret;
	sub.u32 n, n, 1;
	mad.lo.u32 t, y, 5, n;
	call (res), deep, (n, t);
	add.u32 res, res, x;
	ret;
}
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 own, .param .u64 acc, .param .u64 x, .param .u64 n)
{
` + ptxRegisters + `	ld.param.u64 %in, [in];
	ld.param.u64 %out, [out];
	ld.param.u64 %own, [own];
	ld.param.u64 %acc, [acc];
	mov.u32 %lane, %laneid;
	mov.u32 %sh, sm;
	mov.u32 %a0, %ctaid.x;
`)
	fmt.Fprintf(&b, "\tmul.wide.u32 %%b0, %%a0, %d;\n\tadd.u64 %%own, %%own, %%b0;\n", p.own())
	r := rand.New(rand.NewPCG(p.seed, 0x66756c))
	shape, err := p.shape()
	if err != nil {
		return nil, "", err
	}
	place := "mov.u32 %a1, %tid.x;"
	if p.wide > 0 {
		place = fmt.Sprintf("mad.lo.u32 %%a1, %%tid.z, %d, %%tid.y;\n\tmad.lo.u32 %%a1, %%a1, %d, %%tid.x;", shape[1], shape[0])
	}
	fmt.Fprintf(&b, "\tmov.u32 %%fuel, %d;\n\t%s\n\tmad.lo.u32 %%a0, %%a0, %d, %%a1;\n\tmul.wide.u32 %%b0, %%a0, %d;\n\tadd.u64 %%out, %%out, %%b0;\n\tmul.wide.u32 %%b0, %%a1, 32;\n\tand.b64 %%b0, %%b0, 0x7ff;\n\tadd.u64 %%b0, %%b0, %%in;\n",
		1+r.IntN(10), place, p.lanesOfBlock(32), p.result(ptxOut))
	if p.mode&short != 0 {
		b.WriteString("\tmul.wide.u32 %b1, %a1, 4;\n\tadd.u64 %c4, %in, %b1;\n\tmul.wide.u32 %b1, %a1, 8;\n\tadd.u64 %c8, %in, %b1;\n")
	}
	for _, l := range p.lines {
		if !strings.HasSuffix(l, ":") {
			b.WriteByte('\t')
		}
		b.WriteString(l + "\n")
	}
	b.WriteString("\tret;\n}\n")
	text := b.String()
	m, errs := ptx.Parse("k.ptx", text)
	if err := errs.Err(); err != nil {
		return nil, text, err
	}
	m.Version = ptx.Version{} // the programs read special registers at any place, as scratch code may
	k, err := ptx.Lift(m, "k")
	if err != nil {
		return nil, text, err
	}
	k.Func.FoldConstants()
	k.Func.Converge()
	buffers := p.buffers(32, p.result(ptxOut))
	scalars := buffers[0].Data[:16]
	return &randprog.Case{Func: k.Func, Grid: [3]uint32{p.grid, 1, 1}, Block: shape, Buffers: buffers, Params: func(addrs []uint64) []byte {
		var param []byte
		for _, a := range addrs {
			param = binary.LittleEndian.AppendUint64(param, a)
		}
		return append(param, scalars...)
	}}, text, nil
}
