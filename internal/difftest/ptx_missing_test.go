package difftest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A value that all lanes of a wave, or of a row of the block, have in common is kept once, and the
// code may read it from one lane, for example from the first one, even if that lane is absent.
// These programs compute small numbers from indices, rows and values that are the same everywhere,
// and use them as addresses without a reduction. Before and between these operations, lanes exit or
// are inactive for a while, above all the first ones.

// missing reports whether the program of a seed is of this kind.
func missing(seed uint64) bool { return seed/16%3 == 1 && seed/128%4 == 1 }

// ptxSmallNumbers are templates of operations that compute small numbers from small numbers.
var ptxSmallNumbers = []string{
	"mov.u32 {r}, %tid.x;", "mov.u32 {r}, %tid.y;", "mov.u32 {r}, %tid.y;", "mov.u32 {r}, {U};", "mov.u32 {r}, %laneid;", "mov.u32 {r}, {c};", "mov.u32 {r}, {R};",
	"add.u32 {r}, {R}, {R};", "add.u32 {r}, {R}, {c};", "add.u32 {r}, {R}, {U};", "mad.lo.u32 {r}, %tid.y, {U}, {R};", "mad.lo.u32 {r}, %tid.y, {c}, %tid.x;", "mad.lo.u32 {r}, %tid.y, {c}, {U};", "mul.lo.u32 {r}, %tid.y, {U};", "mul.lo.u32 {r}, %tid.y, {c};", "mad.lo.u32 {r}, {U}, {c}, {R};",
	"shl.b32 {r}, %tid.y, {1/2/3};", "shr.u32 {r}, {R}, {1/2};", "and.b32 {r}, {R}, {7/15/31/63};", "min.u32 {r}, {R}, {U};", "min.u32 {r}, {R}, {31/63};", "max.u32 {r}, {R}, {c};", "xor.b32 {r}, {R}, {1/4/16};", "or.b32 {r}, {R}, {c};", "{rem/div}.u32 {r}, {R}, {3/4/16/%k0};",
	"min.u32 %a0, {R}, 127;\nsub.u32 {r}, 127, %a0;", "bfe.u32 {r}, {R}, {0/1}, {3/4};", "prmt.b32 %a0, {R}, {R}, {0x4040/0x3210};\nand.b32 {r}, %a0, 63;", "{popc/clz}.b32 {r}, {R};",
	"add.u32 {r}, {R}, %tid.x;", "mad.lo.u32 {r}, {R}, {c}, %tid.x;",
	// Half-words, bytes and numbers of 64 bits in between.
	"cvt.u16.u32 {h}, {R};", "cvt.u32.u16 {r}, {H};", "add.u16 {h}, {H}, {c};", "and.b16 {h}, {H}, 31;", "selp.b16 {h}, {c}, {c}, {P};", "selp.b16 {h}, {H}, {c}, {P};", "mov.b16 {h}, {c};",
	"cvt.u64.u32 %b0, {R};\nadd.u64 %b0, %b0, {c};\ncvt.u32.u64 {r}, %b0;", "cvt.rn.f32.u32 %a0, {R};\nfma.rn.f32 %a0, %a0, {0f3F000000/0f3F800000/%a0}, 0f3F800000;\ncvt.rzi.u32.f32 %a0, %a0;\nand.b32 {r}, %a0, 63;", "cvt.u8.u32 %a0, {R};\nand.b32 {r}, %a0, 31;",
	// Exchanges between lanes.
	"activemask.b32 %mask;\nshfl.sync.{bfly/down/up/idx}.b32 {r}, {S}, {1/4/16/31}, 31, %mask;", "activemask.b32 %mask;\nvote.sync.ballot.b32 %a0, {P}, %mask;\npopc.b32 {r}, %a0;", "activemask.b32 %mask;\nvote.sync.{any/all/uni}.pred {p}, {P}, %mask;", "activemask.b32 %mask;\npopc.b32 {r}, %mask;", "activemask.b32 %mask;\nmatch.any.sync.b32 %a0, {S}, %mask;\npopc.b32 {r}, %a0;", "activemask.b32 %mask;\nredux.sync.{min/max}.u32 {r}, {S}, %mask;",
	// Predicates, many of which are the same everywhere.
	"setp.{lt/ge/eq/ne}.u32 {p}, {R}, {c};", "setp.{lt/ge/eq/ne}.u32 {p}, {U}, {c};", "setp.{lt/ge/eq/ne}.u32 {p}, {U}, {c};", "setp.{lt/ge/ne}.u32 {p}, {R}, {R};", "setp.{lt/eq}.u32 {p}, %tid.y, {c};", "{and/or/xor}.pred {p}, {P}, {P};", "not.pred {p}, {P};", "setp.{lt/ne}.u16 {p}, {H}, {c};",
	"selp.b32 {r}, {R}, {R}, {P};", "selp.b32 {r}, {R}, {c}, {P};", "selp.b32 {r}, {c}, {U}, {P};",
	// Addresses.
	"mad.wide.u32 {d}, {R}, {4/16/64}, {D};", "add.u32 %a0, {R}, %tid.x;\nmad.wide.u32 {d}, %a0, 4, %in;", "add.u32 %a0, {R}, %tid.x;\nmad.wide.u32 {d}, %a0, 4, {D};", "mad.wide.u32 {d}, %tid.x, 4, {D};",
	"mad.wide.u32 {d}, {R}, 4, %in;", "mul.wide.u32 %b0, {R}, 4;\nadd.s64 {d}, %in, %b0;", "shl.b32 %a0, {R}, 2;\ncvt.u64.u32 %b0, %a0;\nadd.s64 {d}, %in, %b0;", "cvt.u64.u32 %b0, {R};\nshl.b64 %b0, %b0, 2;\nadd.s64 {d}, %b0, %in;", "mad.wide.u32 {d}, {U}, {4/8/64}, {D};", "mad.wide.u32 {d}, %tid.y, {4/64}, {D};", "add.s64 {d}, {D}, {4/64};", "selp.b64 {d}, {D}, {D}, {P};", "mov.u64 {d}, {D};", "mov.u64 {d}, %in;", "min.u64 {d}, {D}, {D};",
}

// ptxSmallCalled are similar templates of operations that the interpreter executes, always or for
// some arguments, and of operations that waves execute together.
var ptxSmallCalled = []string{
	"fns.b32 %a0, {0x7f3/0x10111/0xffffffff}, 0, {1/2/3};\nand.b32 {r}, %a0, 31;", "and.b32 %a0, {R}, 7;\nfns.b32 %a0, {0x7f3/0xff0f}, 0, %a0;\nand.b32 {r}, %a0, 31;", "mul.lo.u32 %a0, {R}, 0x2aaaaaab;\ncos.approx.f32 %a0, %a0;\ncvt.rzi.u32.f32 {r}, %a0;", "vadd.u32.u32.u32 %a0, {S}, {c};\nand.b32 {r}, %a0, 63;",
	"activemask.b32 %mask;\nvote.sync.{any/all}.pred {p}, {P}, %mask;", "activemask.b32 %mask;\nredux.sync.{min/max}.u32 {r}, {S}, %mask;",
}

// ptxSmallLoads are templates of loads that give small numbers, and of stores to the lane's own
// memory.
var ptxSmallLoads = []string{
	"mad.wide.u32 %b0, %tid.x, 4, %d1;\nld.global.u32 {r}, [%b0];\nand.b32 {r2}, {r2}, 31;", "mad.wide.u32 %b0, %tid.x, 4, %d1;\nld.global.u32 {r}, [%b0];\nand.b32 {r2}, {r2}, 31;", "mad.lo.u32 %a0, %r2, {c}, %tid.x;\nmad.wide.u32 %b0, %a0, 4, {D};\nld.global.u32 {r}, [%b0];\nand.b32 {r2}, {r2}, 31;", "add.u32 %a0, %r3, %tid.x;\nmad.wide.u32 %b0, %a0, 4, %in;\nld.global.u32 {r}, [%b0];\nand.b32 {r2}, {r2}, 31;", "mad.wide.u32 %b0, {%r0/%r2/%k0}, 4, {D};\nld.global.u32 {r}, [%b0];\nand.b32 {r2}, {r2}, 31;",
	"ld.global.u32 {r}, [{D}];\nand.b32 {r2}, {r2}, 31;", "ld.global.u32 {r}, [{D}];\nand.b32 {r2}, {r2}, 31;", "ld.global.u32 {r}, [{D}+64];\nbfe.u32 {r2}, {r2}, 3, 5;", "ld.global.u8 %a0, [{D}];\nand.b32 {r}, %a0, 15;", "ld.global.u16 {h}, [{D}+2];\nand.b16 {h2}, {h2}, 31;", "ld.global.u64 %b0, [%in+64];\ncvt.u32.u64 %a0, %b0;\nand.b32 {r}, %a0, 31;",
	"mad.wide.u32 %b0, {R}, 4, %in;\nld.global.u32 {r}, [%b0];\nand.b32 {r2}, {r2}, 31;", "mad.wide.u32 %b0, {R}, 4, {D};\nld.global.u32 {r}, [%b0];\nand.b32 {r2}, {r2}, 31;", "mad.wide.u32 %b0, {R}, 4, %in;\n@{P} ld.global.u32 {r}, [%b0];\nmin.u32 {r2}, {r2}, 31;",
	"mov.u32 %a0, {S};\nsetp.lt.u32 %p5, %a0, 1024;\nmad.wide.u32 %b0, %a0, 4, %in;\n@%p5 ld.global.u32 {r}, [%b0];\nand.b32 {r2}, {r2}, 31;",
	"and.b32 %a0, {R}, 31;\nshl.b32 %a0, %a0, 2;\nadd.u32 %a0, %a0, %sh;\nld.shared.u32 {r}, [%a0];\nand.b32 {r2}, {r2}, 31;", "and.b32 %a0, {R}, 63;\nmad.lo.u32 %a0, %a0, 4, %sh;\n{!}st.shared.u32 [%a0], {S};", "and.b32 %a0, {R}, 127;\nmad.wide.u32 %b0, %a0, 4, %own;\n{!}st.global.u32 [%b0], {S};", "and.b32 %a0, {R}, 127;\nmad.wide.u32 %b0, %a0, 4, %own;\n{!}red.global.add.u32 [%b0], {S};", "and.b32 %a0, {R}, 127;\nmad.wide.u32 %b0, %a0, 4, %own;\natom.global.{add.u32/max.u32/exch.b32} %a0, [%b0], {S};\nand.b32 {r}, %a0, 31;",
	"st.global.u32 [%out+{n4}], {S};", "st.global.u16 [%out+{n4}], {H};", "{!}st.global.u32 [%out+{n4}], {S};",
}

// ptxMissing makes these programs.
type ptxMissing struct {
	ptxWriter
	last map[string]string // the last register for each kind of operand
	kind int               // the values in the current statement: see one
}

func makePTXMissing(seed uint64) (made, error) {
	w := &ptxMissing{ptxWriter: ptxWriter{writer: writer{Rand: rand.New(rand.NewPCG(seed, 0x6c616e65))}}, last: map[string]string{}, kind: 2}
	w.ptxWriter.operand = w.small
	p := &textProgram{seed: seed, grid: uint32(1 + w.IntN(2)), build: buildPTX}
	p.wide, p.high = pickOne(w.Rand, uint32(16), 16, 8, 4, 32, 10, 5, 64), pickOne(w.Rand, uint32(4), 2, 4, 8, 3, 1)
	if p.wide >= 32 {
		p.high = min(p.high, 3)
	}
	p.block = p.wide * p.high * pickOne(w.Rand, uint32(1), 1, 1, 2)
	w.fill("ld.param.u32 %k0, [n];\nand.b32 %k0, %k0, 7;\nadd.u32 %k0, %k0, 1;\nmov.u32 %k1, {%ntid.y/%ctaid.x/%k0};")
	for range 10 {
		w.operation()
	}
	w.line("mov.u64 %%d0, %%in;\nmov.u64 %%d1, %%in;\nmad.wide.u32 %%d2, %%k0, 64, %%in;\nadd.s64 %%d3, %%in, 1024;")
	end := w.fewer()
	w.left = 8 + w.IntN(30)
	for w.left > 0 {
		w.statement()
	}
	w.line("%s:", end)
	for i := range 6 {
		w.line("st.global.u32 [%%out+%d], %%r%d;", 4*i, i)
	}
	w.fill("ld.global.u32 %a0, [{D}];\nst.global.u32 [%out+32], %a0;\nsub.u64 %b0, {D}, %in;\nst.global.u64 [%out+40], %b0;\nst.global.u16 [%out+48], {H};\nselp.u32 %a0, 1, 0, {P};\nst.global.u8 [%out+52], %a0;")
	p.lines = w.lines
	return p.made(".ptx")
}

// small returns an operand of a kind.
func (w *ptxMissing) small(kind string) string {
	kind, again := strings.CutSuffix(kind, "2")
	if again {
		return w.last[kind]
	}
	var s string
	switch kind {
	case "r", "p", "h", "d":
		s = w.one(kind, true)
	case "S", "P", "H", "D":
		s = w.one(strings.ToLower(strings.Replace(kind, "S", "r", 1)), false)
	case "R":
		s = pickOne(w.Rand, w.one("r", false), w.one("r", false), w.one("r", false), []string{"%k0", "%tid.y", "%tid.x"}[w.kind], []string{"%k1", "%tid.y", "%tid.y"}[w.kind])
	case "U":
		s = pickOne(w.Rand, "%k0", "%k0", "%k1", "%ctaid.x")
	case "c":
		s = pickOne(w.Rand, "1", "2", "3", "4", "5", "8", "16", "31")
	default:
		return w.reg(kind)
	}
	w.last[kind] = s
	return s
}

// one returns a register. The first few registers hold values that are the same everywhere, the
// next ones values that are the same in a row. A statement reads registers of its own group and of
// the groups before it, and writes registers of its own group.
func (w *ptxMissing) one(name string, written bool) string {
	most := map[string][3]int{"r": {2, 4, 6}, "p": {2, 3, 4}, "h": {2, 3, 4}, "d": {1, 2, 4}}[name]
	first := 0
	if written && w.kind > 0 {
		first = most[w.kind-1]
	}
	return fmt.Sprintf("%%%s%d", name, first+w.IntN(most[w.kind]-first))
}

// operation writes an operation, sometimes under a guard.
func (w *ptxMissing) operation() {
	w.kind = pickOne(w.Rand, 0, 1, 1, 2, 2)
	defer func() { w.kind = 2 }()
	t := w.pure(ptxSmallNumbers)
	if w.IntN(6) == 0 {
		t = pickOne(w.Rand, ptxSmallCalled...)
	}
	if w.IntN(4) == 0 && !strings.Contains(t, "\n") {
		t = pickOne(w.Rand, "@", "@!") + w.one("p", false) + " " + t
	}
	w.fill(t)
}

func (w *ptxMissing) statement() {
	n := 24
	if w.depth > 2 || w.left <= 0 {
		n = 18
	}
	switch k := w.IntN(n); {
	case k < 13:
		w.operation()
	case k < 17:
		w.fill(ptxSmallLoads[w.IntN(len(ptxSmallLoads))])
	case k == 17:
		if w.depth == 0 {
			w.kind = pickOne(w.Rand, 0, 1, 2)
			w.fill(pickOne(w.Rand, "bar.sync 0;", "bar.red.{and/or}.pred {p}, 0, {P};", "bar.red.popc.u32 {r}, 0, {P};", "@{P} exit;"))
			w.kind = 2
		}
	case k < 22:
		els, end := w.label(), w.label()
		w.fill(pickOne(w.Rand, "", "setp.{lt/ge}.u32 {p}, {%tid.x/%laneid}, {1/4/8};\n", "and.b32 %a0, %tid.x, {1/3/7};\nsetp.{eq/ne}.u32 {p}, %a0, 0;\n") + pickOne(w.Rand, "@", "@!") + "{P} bra " + els + ";")
		w.inner(4, w.statement)
		if w.IntN(2) == 0 {
			w.line("bra %s;\n%s:", end, els)
			w.inner(4, w.statement)
			w.line("%s:", end)
		} else {
			w.line("%s:", els)
		}
	default:
		top, i := w.label(), w.depth
		w.line("mov.u32 %%i%d, %s;\n%s:", i, pickOne(w.Rand, "0", "0", "1", "%tid.y"), top)
		w.inner(4, w.statement)
		if w.IntN(2) == 0 {
			w.fill(strings.ReplaceAll("mad.wide.u32 %b0, I, {4/8}, {D};\nld.global.u32 {r}, [%b0];\nand.b32 {r2}, {r2}, 31;", "I", []string{"%i0", "%i1", "%i2", "%i3"}[i]))
		}
		w.line("add.u32 %%i%d, %%i%d, 1;\nsetp.lt.u32 %%p4, %%i%d, %d;\n@%%p4 bra %s;", i, i, i, 2+w.IntN(3), top)
	}
}
