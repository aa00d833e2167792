package difftest

import (
	"fmt"
	"math/bits"
	"strings"
)

// This file makes short loops around accesses, in PTX. The first access runs in Go, which records
// the memory for the machine code. Only in later rounds, in other waves and in other blocks does
// the machine code itself access memory. Therefore mistakes show in loops with addresses that
// advance, with lanes that change, and that reach the end of memory.

// A ptxPlace is the place of the accesses in a loop.
type ptxPlace struct {
	at, index string // the address, and the index that it is computed from in every round; "": the address itself advances
	base      string
	space     string // the state space, as in the text of an access
	scale     int    // the factor of the index, to which a lane's address is aligned
	move      int    // bytes by which the address advances
	start     int    // bytes after the base
	write     bool
	edge      bool   // it reaches the end of memory
	make      string // the template that computes the address
}

// ptxRoundIndex are templates of indices below 128, {X}.
var ptxRoundIndex = []string{
	"mov.u32 {X}, %laneid;", "mov.u32 {X}, %laneid;", "mov.u32 {X}, %laneid;", "and.b32 {X}, %tid.x, 31;", "mov.u32 {X}, %tid.x;", "sub.u32 {X}, 31, %laneid;", "shr.u32 %a1, %ctaid.x, 8;\nadd.u32 {X}, %laneid, %a1;",
	"and.b32 %a1, %laneid, {1/3/7};\nsub.u32 {X}, %laneid, %a1;\nmad.lo.u32 {X}, {X}, 2, %a1;", "xor.b32 {X}, %laneid, {1/4/8/31/16};", "shr.u32 {X}, %laneid, {1/2/3};", "and.b32 {X}, %laneid, {7/28/24};", "and.b32 %a1, %laneid, 7;\nshr.u32 {X}, %laneid, 3;\nmad.lo.u32 {X}, %a1, 4, {X};",
	"mad.wide.u32 %b0, %laneid, 4, %in;\nld.global.u32 {X}, [%b0+{n4}];\nand.b32 {X}, {X}, {31/127/28};", "and.b32 {X}, {R}, {31/15/28};", "and.b32 {X}, {U}, 15;", "and.b32 {X}, %r2, 31;", "rem.u32 {X}, {R}, 31;",
}

// ptxRoundRows are templates of indices for blocks with rows of lanes. The distance of rows is a
// constant in the code, or a value of the launch.
var ptxRoundRows = []string{
	"mad.lo.u32 {X}, %tid.y, {4/8/16/%ntid.x}, %tid.x;", "mad.lo.u32 {X}, %tid.y, {8/%ntid.x}, %tid.x;", "mad.lo.u32 {X}, %tid.y, %ntid.x, %tid.x;\nand.b32 {X}, {X}, 31;", "mov.u32 {X}, %tid.y;", "mad.lo.u32 {X}, %tid.x, {4/8}, %tid.y;",
	"and.b32 %a1, %r7, {12/28/4/8};\nmad.lo.u32 {X}, %tid.y, %a1, %tid.x;", "and.b32 %a1, %r7, {12/28/16};\nmad.lo.u32 {X}, %tid.y, %a1, %tid.x;", "ld.global.u32 %a1, [%in+{n4}];\nand.b32 %a1, %a1, 28;\nmad.lo.u32 {X}, %tid.y, %a1, %tid.x;", "ld.global.u32 %a1, [%in+{n4}];\nand.b32 %a1, %a1, 28;\nmul.lo.u32 {X}, %tid.y, %a1;\nadd.u32 {X}, {X}, %tid.x;",
}

// ptxRoundEnds are the templates of indices up to 31.
var ptxRoundEnds = []string{"mov.u32 {X}, %laneid;", "mov.u32 {X}, %laneid;", "sub.u32 {X}, 31, %laneid;", "xor.b32 {X}, %laneid, {1/4/8/31/16};", "shr.u32 %a1, %ctaid.x, 8;\nadd.u32 {X}, %laneid, %a1;", "min.u32 {X}, {R}, 31;"}

// ptxRoundMake are templates of addresses {A} at indices {X} times {E} after {B}.
var ptxRoundMake = []string{
	"mad.wide.{u32/s32} {A}, {X}, {E}, {B};", "mad.wide.{u32/s32} {A}, {X}, {E}, {B};", "mul.wide.{u32/s32} {A}, {X}, {E};\nadd.u64 {A}, {B}, {A};", "cvt.{u64.u32/s64.s32} {A}, {X};\nmad.lo.u64 {A}, {A}, {E}, {B};", "cvt.{u64.u32/s64.s32} {A}, {X};\nshl.b64 {A}, {A}, {L};\nadd.u64 {A}, {B}, {A};",
	"shl.b32 %a1, {X}, {L};\ncvt.{u64.u32/s64.s32} {A}, %a1;\nadd.u64 {A}, {A}, {B};", "mov.b64 {A}, <{X}, 0>;\nmul.lo.u64 {A}, {A}, {E};\nadd.u64 {A}, {A}, {B};", "mul.lo.u32 %a2, {X}, {E};\nmov.b64 <%a0, %a1>, {B};\nadd.cc.u32 %a0, %a0, %a2;\naddc.u32 %a1, %a1, 0;\nmov.b64 {A}, <%a0, %a1>;", "mad.lo.u32 %a1, {X}, {E}, {V};\ncvt.u64.u32 {A}, %a1;\ncvt.u64.u32 %b1, {V};\nsub.u64 {A}, {A}, %b1;\nadd.u64 {A}, {A}, {B};",
}

// ptxRoundShared are the same templates for addresses of 32 bits.
var ptxRoundShared = []string{"mad.lo.u32 {A}, {X}, {E}, {B};", "mul.lo.u32 {A}, {X}, {E};\nadd.u32 {A}, {A}, {B};", "shl.b32 {A}, {X}, {L};\nadd.u32 {A}, {A}, {B};"}

// ptxRoundUses are templates of accesses at {A}, by the alignment in bytes that they need. The
// first list has loads, the second one instructions that write. {T} is the destination of the load.
var ptxRoundUses = map[int][2][]string{
	1: {{"{G}ld{Z}.{u8/s8} {T}, [{A}+{O}];", "{G}ld{Z}.{u8/s8} {r}, [{A}];"}, {"{G}st{Z}.u8 [{A}+{O}], {S};"}},
	2: {{"{G}ld{Z}.{u16/s16} {h}, [{A}+{O}];\ncvt.{u32.u16/s32.s16} {T}, {h};", "{G}ld{Z}.{u16/s16} {T}, [{A}];"}, {"{G}st{Z}.u16 [{A}+{O}], {h};", "{G}st{Z}.u16 [{A}], {S};"}},
	4: {{"{G}ld{Z}.u32 {T}, [{A}+{O}];", "{G}ld{Z}.u32 {T}, [{A}];", "{G}ld{Z}.u32 {r}, [{A}];", "ld{Z}.u32 {T}, [{A}];\nld{Z}.u32 {r}, [{A}+{O}];", "{G}ld{Z}.{u8/s8/u16/s16} {T}, [{A}+{O}];"},
		{"{G}st{Z}.u32 [{A}+{O}], {R};", "{G}st{Z}.u32 [{A}], {R};", "{G}st{Z}.{u8/u16} [{A}], {S};", "{G}atom{Z}.{add.u32/max.u32/exch.b32/xor.b32/min.s32} {T}, [{A}], {S};", "{G}red{Z}.{add.u32/or.b32/max.u32} [{A}], {S};", "{G}atom{Z}.cas.b32 {T}, [{A}], {S}, {S};", "{G}st{Z}.u32 [{A}], {S};\nld{Z}.u32 {T}, [{A}];"}},
	8:  {{"{G}ld{Z}.u64 {d}, [{A}+{O}];", "{G}ld{Z}.v2.u32 <{w}, {x}>, [{A}+{O}];", "ld{Z}.v2.u32 <{w}, {x}>, [{A}];", "ld{Z}.v4.{u8/s8} <{w}, {x}, {y}, {z}>, [{A}];", "ld{Z}.v2.{u8/u16} <{w}, {x}>, [{A}];"}, {"{G}st{Z}.u64 [{A}+{O}], {D};", "{G}st{Z}.v2.u32 [{A}], <{R}, {R}>;", "{G}atom{Z}.{add.u64/max.u64/exch.b64} {d}, [{A}], {D};"}},
	16: {{"{G}ld{Z}.v4.u32 <{w}, {x}, {y}, {z}>, [{A}];", "ld{Z}.v4.u32 <{w}, {x}, {y}, {z}>, [{A}+{O}];", "{G}ld{Z}.v2.u64 <%d0, %d1>, [{A}];"}, {"{G}st{Z}.v4.u32 [{A}], <{R}, {R}, {S}, {S}>;", "{G}st{Z}.v2.u64 [{A}], <{D}, {D}>;"}},
}

// ptxFloats are templates of floats that are rounded in all ways.
var ptxFloats = []string{
	"{add/sub/mul}{.rz/.rm/.rp/.rn}.f32 {r}, {S}, {S};", "cvt.{rz/rm/rp/rn}.f32.f64 {r}, {D};", "cvt.f64.f32 {d}, {S};", "fma.{rz/rm/rp/rn}.f32 {r}, {S}, {S}, {S};", "{add/mul}.{rz/rm/rp/rn}.f64 {d}, {D}, {D};", "div.{rz/rm/rp/rn}.f32 {r}, {S}, {S};", "cvt.{rn/rz/rm/rp}.f32.{u32/s32} {r}, {S};", "cvt.{rn/rz}.f32.u64 {r}, {D};", "sqrt.{rm/rp}.f32 {r}, {S};", "cvt.{rz/rn}.f64.s64 {d}, {D};", "fma.{rz/rm/rp/rn}.f64 {d}, {D}, {D}, {D};",
}

// ptxGuards are templates of predicates %p5 that change from round to round.
var ptxGuards = []string{
	"setp.lt.u32 %p5, %laneid, {8/13/31};", "mul.lo.u32 %a1, %n0, {3/8/11};\nsetp.{lt/ge}.u32 %p5, %laneid, %a1;", "and.b32 %a1, %n0, 1;\nand.b32 %a2, %laneid, 1;\nsetp.{eq/ne}.u32 %p5, %a1, %a2;", "setp.{ne/eq}.u32 %p5, %n0, {0/1/2};", "setp.ne.u32 %p5, %laneid, %n0;", "shr.u32 %a1, {R}, %n0;\nand.b32 %a1, %a1, 1;\nsetp.{eq/ne}.u32 %p5, %a1, 0;",
}

// around returns an operand that depends on the current place.
func (w *ptxIndexWriter) around(kind string) (string, bool) {
	x := w.here
	switch kind {
	case "A":
		return x.at, true
	case "X":
		return x.index, true
	case "B":
		return x.base, true
	case "E":
		return fmt.Sprint(x.scale), true
	case "L":
		return fmt.Sprint(bits.Len(uint(x.scale)) - 1), true
	case "Z":
		return x.space, true
	case "T":
		return fmt.Sprintf("%%t%d", w.IntN(2)), true
	case "O":
		return fmt.Sprint(pickOne(w.Rand, 0, 0, 1, 2, -1) * min(x.scale&-x.scale, 16)), true
	case "G":
		return pickOne(w.Rand, "", "", w.guard, w.guard), true
	}
	return "", false
}

// place chooses a place, and computes its index.
func (w *ptxIndexWriter) place(i, rounds int, edge bool) *ptxPlace {
	x := &ptxPlace{at: fmt.Sprintf("%%q%d", i), index: fmt.Sprintf("%%x%d", i), start: 512 + 16*w.IntN(16), scale: pickOne(w.Rand, 4, 4, 4, 8, 16, 1, 2, 12)}
	w.here = x
	end := textRoomBytes
	x.make = ptxRoundMake[w.IntN(len(ptxRoundMake))]
	switch k := w.IntN(12); {
	case k < 5 || k < 9 && edge && w.grid > 1: // the next block's memory follows that of a block
		x.base, x.space = "%in", pickOne(w.Rand, ".global", ".global", "")
		end = textInBytes
	case k < 9:
		x.base, x.space, x.write = "%own", pickOne(w.Rand, ".global", ".global", ""), true
	default:
		x.space, x.write, x.start, end = ".shared", true, 192+16*w.IntN(8), 1024
		x.scale = min(x.scale, 4)
		switch k {
		case 9: // generic
			x.base, x.space = fmt.Sprintf("%%s%d", i), ""
			w.fill("mov.u64 {B}, sm;\ncvta.shared.u64 {B}, {B};")
		default:
			x.base, x.at, x.make = "%sh", fmt.Sprintf("%%y%d", i), ptxRoundShared[w.IntN(len(ptxRoundShared))]
		}
	}
	if x.base == "%in" && w.IntN(2) == 0 || x.base == "%own" && w.IntN(2) == 0 { // a place whose address may itself advance
		from := x.base
		x.base = fmt.Sprintf("%%s%d", i)
		w.line("mov.u64 %s, %s;", x.base, from)
	}
	align := x.scale & -x.scale
	x.move = align * pickOne(w.Rand, 1, 1, 2, 4, -1, -2, 0)
	if align >= 4 && w.IntN(4) == 0 {
		x.move = pickOne(w.Rand, 32, -32, 16, 48)
	}
	switch {
	case !edge && w.rows && w.IntN(2) == 0:
		w.fill(ptxRoundRows[w.IntN(len(ptxRoundRows))])
	case !edge:
		w.fill(ptxRoundIndex[w.IntN(len(ptxRoundIndex))])
	default: // one of the rounds is at the end, or the rounds end there
		w.fill(ptxRoundEnds[w.IntN(len(ptxRoundEnds))])
		if x.edge = true; max(x.move, -x.move) != align {
			x.move = pickOne(w.Rand, align, align, -align)
		}
		before := align * w.IntN(rounds+1) // the rounds before this one are inside, and one more
		if x.start = end - 31*x.scale - align - before; x.move < 0 {
			x.start = before
		}
	}
	return x
}

// set computes the address of a place.
func (w *ptxIndexWriter) set(x *ptxPlace) {
	w.here = x
	w.fill(fmt.Sprintf("%s\nadd.%s {A}, {A}, %d;", x.make, x.width(), x.start))
}

// width returns the type of the address.
func (x *ptxPlace) width() string {
	if strings.HasPrefix(x.at, "%y") {
		return "u32"
	}
	return "u64"
}

// goOn advances the address of a place, or its index, at the end of a round.
func (w *ptxIndexWriter) goOn(x *ptxPlace) {
	w.here = x
	if x.width() == "u32" {
		w.fill(pickOne(w.Rand, fmt.Sprintf("add.u32 {A}, {A}, %d;", x.move), fmt.Sprintf("add.u32 {A}, {A}, %d;", x.move), fmt.Sprintf("shr.u32 %%a1, %%ctaid.x, 8;\nadd.u32 %%a1, %%a1, %d;\nadd.u32 {A}, {A}, %%a1;", x.move)))
		return
	}
	constant := fmt.Sprintf("add.s64 {A}, {A}, %d;", x.move)
	hidden := fmt.Sprintf("shr.u32 %%a1, %%ctaid.x, 8;\nadd.s32 %%a1, %%a1, %d;\nmad.wide.s32 {A}, %%a1, 1, {A};", x.move)
	uniform := fmt.Sprintf("cvt.u64.u32 %%b1, %%ctaid.x;\nshr.u64 %%b1, %%b1, 8;\nadd.s64 %%b1, %%b1, %d;\nadd.s64 {A}, {A}, %%b1;", x.move)
	apart := fmt.Sprintf("and.b32 %%a1, {R}, %d;\nmad.wide.u32 {A}, %%a1, 1, {A};", 3*(x.scale&-x.scale))
	w.fill(pickOne(w.Rand, constant, constant, hidden, uniform, uniform, apart))
}

// stray emits a step by which one lane, or all of them, leave their memory or become misaligned, in
// one round.
func (w *ptxIndexWriter) stray(x *ptxPlace, rounds int) {
	w.here = x
	by := map[string]string{"u32": "{1/2/2/2/0x1000/0x80000000}", "u64": "{1/2/2/2/1/0x4000/0x100000000/0x80000000/-4096/-0x100000000}"}[x.width()]
	t := fmt.Sprintf("setp.eq.u32 %%p3, %%n0, %d;\n", w.IntN(rounds))
	if w.IntN(2) == 0 {
		w.fill(t + "setp.eq.and.u32 %p3, %laneid, {n}, %p3;\n@%p3 add." + x.width() + " {A}, {A}, " + by + ";")
		return
	}
	w.fill(t + "selp.u32 %a1, {1/2/2/1/2/4/-2/0x1000}, 0, %p3;\n" + map[string]string{"u32": "add.u32 {A}, {A}, %a1;", "u64": "mad.wide.{s32/u32} {A}, %a1, 1, {A};"}[x.width()])
}

// use emits an access at a place.
func (w *ptxIndexWriter) use(x *ptxPlace) {
	w.here = x
	align := x.scale & -x.scale
	for align > 1 && !x.edge && w.IntN(3) == 0 {
		align /= 2
	}
	uses := ptxRoundUses[align][0]
	if x.write && w.IntN(2) == 0 {
		uses = ptxRoundUses[align][1]
	}
	t := uses[w.IntN(len(uses))]
	wild := ""
	if w.guard != "" && x.width() == "u64" && w.IntN(5) == 0 {
		// The address of an inactive lane may be anywhere.
		wild = "selp.b64 %b2, {A}, {0/-1/0x123456789/%in}, %p5;\n"
		if strings.Contains(w.guard, "!") {
			wild = "selp.b64 %b2, {0/-1/0x123456789/%in}, {A}, %p5;\n"
		}
		t = strings.ReplaceAll(strings.ReplaceAll(t, "[{A}", "[%b2"), "{G}", w.guard)
		if !strings.HasPrefix(t, "@") || strings.Contains(t, "\nld") {
			return // other lanes are active, too
		}
	}
	if strings.Contains(t, "{T}") {
		t = strings.ReplaceAll(t, "{T}", fmt.Sprintf("%%t%d", w.IntN(2))) + pickOne(w.Rand, "\nmad.lo.u32 {r}, {S}, 3, %t0;", "\nxor.b32 {r}, {S}, %t1;", "\nadd.u32 {r}, {S}, %t0;", "")
	}
	w.fill(wild + t)
}

// rounds emits a loop around accesses.
func (w *ptxIndexWriter) rounds() {
	left := w.left
	rounds := 2 + w.IntN(5)
	edge, stray := w.IntN(5) == 0, w.IntN(4) == 0
	w.guard = pickOne(w.Rand, "", "@%p5 ", "@!%p5 ")
	var places []*ptxPlace
	for i := range 1 + w.IntN(3) {
		places = append(places, w.place(i, rounds, edge && i == 0))
		if i == 0 && w.IntN(3) == 0 { // the address is computed in another basic block than the index
			w.fill(pickOne(w.Rand, "bar.sync 0;", "@{!p} bra "+w.label()+";\nadd.u32 {r}, {S}, {R};\n"+fmt.Sprintf("L%d:", w.labels)))
		}
	}
	again := setOnce(&w.writer, places, w.set)
	top := w.label()
	w.line("mov.u32 %%n0, 0;")
	w.line("%s:", top)
	w.depth += 2
	setAgain(places, again, w.set)
	if w.guard != "" {
		w.fill(ptxGuards[w.IntN(len(ptxGuards))])
	}
	if stray {
		w.stray(places[0], rounds)
	}
	for range 1 + w.IntN(4) {
		switch k := w.IntN(12); {
		case k < 8:
			w.use(places[w.IntN(len(places))])
		case k == 8:
			for range 1 + w.IntN(3) {
				w.fill(ptxFloats[w.IntN(len(ptxFloats))])
			}
		case k == 9 && w.IntN(3) == 0:
			w.fill("bar.sync 0;")
		case k == 9: // at another place, and in private memory
			w.access()
		default:
			w.fill(ptxIndex[w.IntN(len(ptxIndex))])
		}
	}
	w.depth -= 2
	for i, x := range places {
		w.here = x
		switch {
		case again[i] && x.width() == "u64" && x.base != "%own" && x.base != "%in" && w.IntN(2) == 0:
			w.fill(fmt.Sprintf("add.s64 {B}, {B}, %d;", x.move))
		case again[i]:
			w.fill(pickOne(w.Rand, "add.u32 {X}, {X}, {1/2/3};", "xor.b32 {X}, {X}, {1/2/16};", "mad.lo.u32 {X}, {X}, 5, {1/3};\nand.b32 {X}, {X}, {31/63};", "mad.wide.u32 %b0, {X}, 4, %in;\nld.global.u32 {X}, [%b0];\nand.b32 {X}, {X}, {31/63};", "sub.u32 {X}, {X}, 1;"))
		case w.IntN(6) > 0:
			w.goOn(x)
		}
	}
	limit := fmt.Sprint(rounds)
	if w.IntN(4) == 0 { // lanes leave one after another
		w.fill("and.b32 %n1, {R}, 3;\nadd.u32 %n1, %n1, " + limit + ";")
		limit = "%n1"
	}
	w.line("add.u32 %%n0, %%n0, 1;\nsetp.lt.u32 %%p4, %%n0, %s;\n@%%p4 bra %s;", limit, top)
	w.left = left
}

// tileWords returns the texts for tiles.
func (w *ptxIndexWriter) tileWords() *tileWords {
	return &tileWords{
		begin: []string{
			"shl.b32 %y0, %tid.x, 2;\nmad.lo.u32 %y0, %tid.y, {32/16/64}, %y0;\nand.b32 %y0, %y0, 508;\nadd.u32 %y0, %y0, %sh;\nst.shared.u32 [%y0], {R};",
			"{mov.u32 %y1, %sh;/shl.b32 %y1, %tid.y, 5;/and.b32 %y1, %tid.x, 7;/shl.b32 %y1, %laneid, 2;/and.b32 %y1, %r6, 28;}",
			"and.b32 %y1, %y1, 508;\nadd.u32 %y1, %y1, %sh;\nmad.wide.u32 %q0, %laneid, 4, %in;\nmov.u32 %n0, 0;",
		},
		store:   "ld.global.u32 %t0, [%q0];\nst.shared.u32 [%y0], %t0;\nadd.u64 %q0, %q0, {4/64/128};",
		barrier: "bar.sync 0;",
		zero:    "mov.u32 %n1, 0;",
		load: func() string {
			return pickOne(w.Rand, "ld.shared.u32 %t0, [%y1+{n4}];\nmad.lo.u32 {r}, {S}, 3, %t0;", "ld.shared.u32 %t1, [%sh+{n4}];\nadd.u32 {r}, {S}, %t1;", "ld.shared.v4.u32 <{w}, {x}, {y}, {z}>, [%sh+{n16}];", "ld.shared.u32 %t0, [%y0];\nfma.{rn/rz}.f32 {r}, {S}, %t0, {S};", ptxFloats[w.IntN(len(ptxFloats))], "add.u32 {r}, {S}, %n1;", "ld.global.u32 %t1, [%q0+{n4}];\nxor.b32 {r}, {S}, %t1;")
		},
		move:  "add.u32 %y1, %y1, {4/32/0};",
		again: [2]string{"add.u32 %%n0, %%n0, 1;\nsetp.lt.u32 %%p4, %%n0, %d;\n@%%p4 bra %s;", "add.u32 %%n1, %%n1, 1;\nsetp.lt.u32 %%p4, %%n1, %d;\n@%%p4 bra %s;"},
	}
}

// sums emits a loop that rounds floats; its waves could begin together.
func (w *ptxIndexWriter) sums() {
	left := w.left
	top := w.label()
	w.fill("mad.wide.u32 %q0, {%laneid/%tid.x}, {4/8}, %in;\nadd.u64 %q0, %q0, {64/512};")
	for range w.IntN(3) {
		w.fill(ptxFloats[w.IntN(len(ptxFloats))])
	}
	w.line("mov.u32 %%n0, 0;")
	w.line("%s:", top)
	for range 2 + w.IntN(4) {
		w.fill(pickOne(w.Rand, ptxFloats[w.IntN(len(ptxFloats))], ptxFloats[w.IntN(len(ptxFloats))], "ld.global.f32 {r}, [%q0+{n4}];", "cvt.f64.f32 {d}, {S};", "cvt.rn.f32.u32 {r}, %laneid;"))
	}
	w.fill("add.u64 %q0, %q0, {4/128};")
	w.line("add.u32 %%n0, %%n0, 1;\nsetp.lt.u32 %%p4, %%n0, %d;\n@%%p4 bra %s;", 2+w.IntN(4), top)
	w.left = left
}

// accesses emits loops around accesses, by all lanes or by some.
func (w *ptxIndexWriter) accesses() {
	w.loops(func(end string) string { return "@{!p} bra " + end + ";" }, "%s:", w.rounds, func() { w.tiles(w.tileWords()) }, w.sums)
}
