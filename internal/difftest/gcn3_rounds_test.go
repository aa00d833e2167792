package difftest

import (
	"fmt"
	"math/bits"
	"strings"
)

// This file makes short loops around accesses, in GCN3: see the same loops in PTX.

// A gcnPlace is the place of the accesses in a loop.
type gcnPlace struct {
	at    int    // the register with the address, or the first register of the pair
	index string // the register with the index
	base  string // the scalars with the base address, for flat addresses only; "": none
	kind  string // the form of the accesses: flat, ds, buffer
	scale int    // the factor of the index, to which a lane's address is aligned
	move  int    // bytes by which the address moves in each round
	start int    // bytes after the base
	write bool
	edge  bool   // it reaches the end of memory
	make  string // the template that computes the address
}

// gcnRoundIndex are templates of indices {X}, and gcnRoundRows those for blocks with rows of lanes.
var gcnRoundIndex = []string{
	"v_mov_b32 {X}, v35", "v_mov_b32 {X}, v35", "v_mov_b32 {X}, v35", "v_mov_b32 {X}, v15", "v_sub_u32 {X}, vcc, 63, v35", "s_lshr_b32 s66, s24, 8\nv_add_u32 {X}, vcc, s66, v35", "v_and_b32 v36, {1/3/7}, v35\nv_sub_u32 {X}, vcc, v35, v36\nv_lshlrev_b32 {X}, 1, {X}\nv_add_u32 {X}, vcc, v36, {X}", "v_xor_b32 {X}, {1/4/8/32/63}, v35", "v_lshrrev_b32 {X}, {1/2/3}, v35", "v_and_b32 {X}, {7/28/31}, v35",
	"v_lshlrev_b32 v36, 2, v35\nv_mov_b32 v13, s21\nv_add_u32 v12, vcc, s20, v36\nv_addc_u32 v13, vcc, 0, v13, vcc\nflat_load_dword {X}, v[12:13]\ns_waitcnt vmcnt(0) & lgkmcnt(0)\nv_and_b32 {X}, {31/63/0x7f}, {X}", "v_and_b32 {X}, {31/60/15}, {y}", "v_and_b32 {X}, {31/60/15}, {y}", "s_and_b32 s66, {u}, 31\nv_mov_b32 {X}, s66", "v_lshrrev_b32 {X}, 26, {y}",
}

var gcnRoundRows = []string{
	"v_mul_lo_u32 {X}, {4/8/12}, v8\nv_add_u32 {X}, vcc, {X}, v9", "v_mad_u32_u24 {X}, v8, {4/8/12}, v9", "s_and_b32 s66, s2, {12/8}\nv_mul_lo_u32 {X}, s66, v8\nv_add_u32 {X}, vcc, v9, {X}", "s_and_b32 s66, s2, {12/8}\nv_mad_u32_u24 {X}, v8, s66, v9", "v_mov_b32 {X}, v8", "v_mul_lo_u32 {X}, s2, v8\nv_add_u32 {X}, vcc, {X}, v9\nv_and_b32 {X}, 0x7f, {X}",
}

// gcnRoundEnds are the templates of indices up to 63.
var gcnRoundEnds = []string{"v_mov_b32 {X}, v35", "v_mov_b32 {X}, v35", "v_sub_u32 {X}, vcc, 63, v35", "v_xor_b32 {X}, {1/4/8/32/63}, v35", "s_lshr_b32 s66, s24, 8\nv_add_u32 {X}, vcc, s66, v35", "v_min_u32 {X}, 63, {y}"}

// gcnRoundMake are templates of addresses {Q} at indices {X} times {E} after the base in {a} and
// {b}.
var gcnRoundMake = []string{
	"v_lshlrev_b32 v14, {L}, {X}\nv_mov_b32 {A1}, {b}\nv_add_u32 {A}, vcc, {a}, v14\nv_addc_u32 {A1}, vcc, 0, {A1}, vcc", "v_mul_u32_u24 v14, {E}, {X}\nv_mov_b32 {A1}, {b}\nv_add_u32 {A}, vcc, {a}, v14\nv_addc_u32 {A1}, vcc, 0, {A1}, vcc", "v_mov_b32 v12, {X}\nv_ashrrev_i32 v13, 31, v12\nv_lshlrev_b64 v[12:13], {L}, v[12:13]\nv_mov_b32 v14, {b}\nv_add_u32 {A}, vcc, {a}, v12\nv_addc_u32 {A1}, vcc, v14, v13, vcc",
	"v_mov_b32 v12, {X}\nv_mov_b32 v13, 0\nv_lshlrev_b64 v[12:13], {L}, v[12:13]\nv_mov_b32 v14, {b}\nv_add_u32 {A}, vcc, {a}, v12\nv_addc_u32 {A1}, vcc, v13, v14, vcc", "v_mul_lo_u32 v12, {X}, {E}\nv_ashrrev_i32 v13, 31, v12\nv_mov_b32 v14, {b}\nv_add_u32 {A}, vcc, {a}, v12\nv_addc_u32 {A1}, vcc, v14, v13, vcc", "v_lshlrev_b32 v14, {L}, {X}\nv_mov_b32 {A1}, {b}\nv_add_u32_e64 {A}, s[64:65], {a}, v14\nv_addc_u32_e64 {A1}, s[64:65], 0, {A1}, s[64:65]",
}

// gcnRoundUses are templates of accesses for flat addresses, LDS and buffers, by the alignment in
// bytes that they need. The first list has loads, the second one instructions that write.
var gcnRoundUses = map[string]map[int][2][]string{
	"flat": {
		1: {{"flat_load_{ubyte/sbyte} {T}, {Q}"}, {"flat_store_byte {Q}, {y}"}},
		2: {{"flat_load_{ushort/sshort} {T}, {Q}"}, {"flat_store_short {Q}, {y}"}},
		4: {{"flat_load_dword {T}, {Q}", "flat_load_dword {T}, {Q}", "flat_load_dword {v}, {Q}", "flat_load_{ubyte/sbyte/ushort} {T}, {Q}", "v_add_u32 v12, vcc, {4/16}, {A}\nv_addc_u32 v13, vcc, 0, {A1}, vcc\nflat_load_dword {v}, v[12:13]", "flat_load_dwordx2 {V}, {Q}"},
			{"flat_store_dword {Q}, {y}", "flat_store_dword {Q}, {y}", "flat_store_byte {Q}, {y}", "flat_atomic_{add/umax/swap/xor/smin} {T}, {Q}, {y} glc", "flat_atomic_{add/or/umin} {Q}, {y}", "flat_atomic_cmpswap {T}, {Q}, {W} glc", "flat_store_dword {Q}, {y}\ns_waitcnt vmcnt(0)\nflat_load_dword {T}, {Q}"}},
		8:  {{"flat_load_dwordx2 {V}, {Q}", "flat_load_dwordx2 {V}, {Q}", "flat_load_dwordx3 v[4:6], {Q}"}, {"flat_store_dwordx2 {Q}, {W}", "flat_atomic_{add_x2/umax_x2} {Q}, {W}", "flat_store_dwordx3 {Q}, v[4:6]"}},
		16: {{"flat_load_dwordx4 v[4:7], {Q}"}, {"flat_store_dwordx4 {Q}, v[4:7]"}},
	},
	"ds": {
		1: {{"ds_read_{u8/i8} {T}, {A} offset:{O}"}, {"ds_write_b8 {A}, {y} offset:{O}"}},
		2: {{"ds_read_{u16/i16} {T}, {A} offset:{O}"}, {"ds_write_b16 {A}, {y}"}},
		4: {{"ds_read_b32 {T}, {A} offset:{O}", "ds_read_b32 {v}, {A}", "ds_read2_b32 {V}, {A} offset0:{0/1} offset1:{1/2/16}", "ds_read2st64_b32 {V}, {A} offset1:1"},
			{"ds_write_b32 {A}, {y} offset:{O}", "ds_write_b32 {A}, {y}", "ds_write2_b32 {A}, {y}, {y} offset0:{0/2} offset1:{1/16}", "ds_{add_u32/max_u32/xor_b32} {A}, {y}", "ds_{add/min/max}_rtn_u32 {T}, {A}, {y}", "ds_wrxchg_rtn_b32 {T}, {A}, {y}", "ds_cmpst_rtn_b32 {T}, {A}, {y}, {y}"}},
		8: {{"ds_read_b64 {V}, {A} offset:{O}", "ds_read_b64 {V}, {A}"}, {"ds_write_b64 {A}, {W}", "ds_write_b64 {A}, {W} offset:{O}"}},
	},
	"buffer": {
		1: {{"buffer_load_{ubyte/sbyte} {T}, {A}, s[32:35], 0 offen offset:{O}"}},
		2: {{"buffer_load_{ushort/sshort} {T}, {A}, s[32:35], 0 offen"}},
		4: {{"buffer_load_dword {T}, {A}, s[32:35], 0 offen offset:{O}", "buffer_load_dword {v}, {A}, s[32:35], 0 offen"}},
		8: {{"buffer_load_dwordx2 {V}, {A}, s[32:35], 0 offen"}},
	},
}

// gcnFloats are templates of float operations, and of changes of their rounding.
var gcnFloats = []string{
	"v_{add/sub/mul}_f32 {v}, {y}, {y}", "v_{fma/mad}_f32 {v}, {y}, {y}, {y}", "v_cvt_f32_f64 {v}, {W}", "v_cvt_f64_{f32/i32} {V}, {y}", "v_{add/mul}_f64 {V}, {W}, {W}", "v_fma_f64 {V}, {W}, {W}, {W}", "v_cvt_f16_f32 {v}, {y}", "v_cvt_f32_{u32/i32} {v}, {y}", "v_{sqrt/rcp}_f32 {v}, {y}",
	"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, {4/2}), {0/5/10/15/1/6}", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, {4/2}), {0/5/10/15/1/6}", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), {0x0/0xf0/0xc0/0xf5/0x3f}", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s60",
}

// gcnGuards are templates of masks in vcc that change with the round, which s60 counts.
var gcnGuards = []string{
	"v_cmp_{lt/ge}_u32 vcc, {8/13/31/62}, v35", "s_mul_i32 s66, s60, {3/11/16}\nv_cmp_{lt/ge}_u32 vcc, s66, v35", "v_and_b32 v36, 1, v35\nv_cmp_{eq/ne}_u32 vcc, s60, v36", "v_cmp_ne_u32 vcc, s60, v35", "v_lshrrev_b32 v36, s60, {y}\nv_and_b32 v36, 1, v36\nv_cmp_{eq/ne}_u32 vcc, 1, v36", "v_mov_b32 v36, s60\nv_cmp_{lt/ne}_u32 vcc, {1/0/2}, v36",
}

// around returns an operand that depends on the current place.
func (w *gcnIndexWriter) around(kind string) (string, bool) {
	x := w.here
	switch kind {
	case "A":
		return fmt.Sprint("v", x.at), true
	case "A1":
		return fmt.Sprint("v", x.at+1), true
	case "Q":
		return fmt.Sprintf("v[%d:%d]", x.at, x.at+1), true
	case "X":
		return x.index, true
	case "E":
		return fmt.Sprint(x.scale), true
	case "L":
		return fmt.Sprint(bits.Len(uint(x.scale)) - 1), true
	case "T":
		return fmt.Sprint("v", 33+w.IntN(2)), true
	case "O":
		return fmt.Sprint(pickOne(w.Rand, 0, 1, 2) * (x.scale & -x.scale)), true
	case "a": // 70, 72, 74
		return fmt.Sprint("s", 46+x.at), true
	case "b":
		return fmt.Sprint("s", 47+x.at), true
	case "a:b":
		return fmt.Sprintf("s[%d:%d]", 46+x.at, 47+x.at), true
	}
	return "", false
}

// place chooses a place, and computes its index.
func (w *gcnIndexWriter) place(i, rounds int, edge bool) *gcnPlace {
	x := &gcnPlace{at: 24 + 2*i, index: fmt.Sprint("v", 30+i), kind: "flat", start: 512 + 16*w.IntN(16), scale: pickOne(w.Rand, 4, 4, 4, 8, 16, 1, 2, 12)}
	w.here = x
	x.make = gcnRoundMake[w.IntN(len(gcnRoundMake))]
	end := textInBytes
	switch k := w.IntN(12); {
	case k < 4 || k < 8 && edge && w.grid > 1: // the next block's memory follows that of a block
		x.base = "20"
	case k < 8:
		x.base, x.write, end = "22", true, textRoomBytes
	case k < 11:
		x.kind, x.write, x.start, end = "ds", true, 384+16*w.IntN(8), gcnLDS
		x.scale = min(x.scale, 8)
		x.make = pickOne(w.Rand, "v_lshlrev_b32 {A}, {L}, {X}", "v_mul_u32_u24 {A}, {E}, {X}", "v_mul_lo_u32 {A}, {X}, {E}")
	default:
		x.kind, x.make = "buffer", "v_mul_u32_u24 {A}, {E}, {X}"
		x.scale = min(x.scale, 8)
	}
	switch {
	case edge:
		w.fill(gcnRoundEnds[w.IntN(len(gcnRoundEnds))])
	case w.rows && w.IntN(2) == 0:
		x.scale = min(x.scale, 4)
		w.fill(gcnRoundRows[w.IntN(len(gcnRoundRows))])
	default:
		w.fill(gcnRoundIndex[w.IntN(len(gcnRoundIndex))])
	}
	align := x.scale & -x.scale
	x.move = align * pickOne(w.Rand, 1, 1, 2, 4, -1, -2, 0)
	if align >= 4 && w.IntN(4) == 0 {
		x.move = pickOne(w.Rand, 32, -32, 16, 48)
	}
	if edge { // one of the rounds is at the end, or the rounds end there
		if x.edge = true; max(x.move, -x.move) != align {
			x.move = pickOne(w.Rand, align, align, -align)
		}
		before := align * w.IntN(rounds+1) // the rounds before this one are inside, and one more
		if x.start = end - 63*x.scale - align - before; x.move < 0 {
			x.start = before
		}
	}
	if x.base != "" {
		low := map[string]string{"20": "s20, s21", "22": "s22, s23"}[x.base]
		from, high, _ := strings.Cut(low, ", ")
		w.fill(fmt.Sprintf("s_add_u32 {a}, %s, %d\ns_addc_u32 {b}, %s, 0", from, max(x.start, 0), high))
	}
	return x
}

// set computes the address of a place.
func (w *gcnIndexWriter) set(x *gcnPlace) {
	w.here = x
	if x.base != "" {
		w.fill(x.make)
		return
	}
	w.fill(fmt.Sprintf("%s\nv_add_u32 {A}, vcc, %d, {A}", x.make, x.start))
}

// goOn moves the address of a place, at the end of a round.
func (w *gcnIndexWriter) goOn(x *gcnPlace) {
	w.here = x
	const carry = "\nv_addc_u32 {A1}, vcc, 0, {A1}, vcc"
	hidden := fmt.Sprintf("s_lshr_b32 s66, s24, 8\ns_add_u32 s66, s66, %d\n", max(x.move, 0))
	var l []string
	switch {
	case x.base == "":
		l = []string{fmt.Sprintf("v_add_u32 {A}, vcc, %d, {A}", x.move), hidden + "v_add_u32 {A}, vcc, s66, {A}"}
	case x.move < 0:
		l = []string{fmt.Sprintf("v_subrev_u32 {A}, vcc, %d, {A}\nv_subbrev_u32 {A1}, vcc, 0, {A1}, vcc", -x.move), fmt.Sprintf("v_add_u32 {A}, vcc, %d, {A}\nv_addc_u32 {A1}, vcc, -1, {A1}, vcc", x.move)}
	default:
		l = []string{fmt.Sprintf("v_add_u32 {A}, vcc, %d, {A}", x.move) + carry, fmt.Sprintf("v_add_u32 {A}, vcc, %d, {A}", x.move) + carry, hidden + "v_add_u32 {A}, vcc, s66, {A}" + carry, fmt.Sprintf("v_and_b32 v14, %d, {y}\nv_add_u32 {A}, vcc, {A}, v14", 3*(x.scale&-x.scale)) + carry}
	}
	w.fill(pickOne(w.Rand, l...))
}

// stray emits a step by which one lane, or all of them, leave their memory or become misaligned, in
// one round.
func (w *gcnIndexWriter) stray(x *gcnPlace, rounds int) {
	w.here = x
	if w.IntN(2) == 0 {
		t := fmt.Sprintf("s_cmp_eq_u32 s60, %d\ns_cselect_b32 s66, {1/2/4/1/2/0x1000}, 0\nv_add_u32 {A}, vcc, s66, {A}", w.IntN(rounds))
		if x.base != "" {
			t += "\nv_addc_u32 {A1}, vcc, 0, {A1}, vcc"
		}
		w.fill(t)
		return
	}
	t := "v_add_u32 {A}, vcc, {1/2/0x4000/0x80000000/-4096}, {A}"
	if x.base != "" {
		t = "v_add_u32 {A1}, vcc, {1/-1}, {A1}"
		if w.IntN(2) == 0 {
			t = "v_add_u32 {A}, vcc, {1/2/0x4000}, {A}\nv_addc_u32 {A1}, vcc, 0, {A1}, vcc"
		}
	}
	w.fill(fmt.Sprintf("s_mov_b64 s[64:65], exec\nv_mov_b32 v36, s60\nv_cmp_eq_u32 vcc, %d, v36\ns_and_b64 exec, exec, vcc\nv_cmp_eq_u32 vcc, {n}, v35\ns_and_b64 exec, exec, vcc\n%s\ns_mov_b64 exec, s[64:65]", w.IntN(rounds), t))
}

// use emits an access at a place, by all lanes or by some.
func (w *gcnIndexWriter) use(x *gcnPlace) {
	w.here = x
	align := x.scale & -x.scale
	for align > 1 && !x.edge && w.IntN(3) == 0 {
		align /= 2
	}
	uses := gcnRoundUses[x.kind][align]
	l := uses[0]
	if x.write && w.IntN(2) == 0 {
		l = uses[1]
	}
	const wait = "\ns_waitcnt vmcnt(0) & lgkmcnt(0)"
	t := l[w.IntN(len(l))]
	if strings.Contains(t, "{T}") {
		t = strings.ReplaceAll(t, "{T}", fmt.Sprint("v", 33+w.IntN(2)))
		defer w.fill(pickOne(w.Rand, "v_xor_b32 {v}, v33, {y}", "v_add_u32 {v}, vcc, v34, {y}", "v_mad_u32_u24 {v}, {y}, 3, v33", "v_add_u32 {v}, vcc, v33, {y}"))
	}
	guard := gcnGuards[w.IntN(len(gcnGuards))]
	switch k := w.IntN(8); {
	case k < 4:
		w.fill(t + wait)
	case k < 6:
		w.fill("s_mov_b64 s[64:65], exec\n" + guard + "\ns_and_b64 exec, exec, vcc\n" + t + wait + "\ns_mov_b64 exec, s[64:65]")
	case k == 6:
		l := w.label()
		w.fill(guard + "\ns_and_saveexec_b64 s[64:65], vcc\ns_cbranch_execz " + l + "\n" + t + wait + "\n" + l + ":\ns_mov_b64 exec, s[64:65]")
	default: // the address of an inactive lane may be anywhere
		if x.kind != "flat" || strings.Contains(t, "v12") {
			w.fill(t + wait)
			return
		}
		t = strings.ReplaceAll(t, "{Q}", "v[12:13]")
		w.fill("s_mov_b64 s[64:65], exec\nv_mov_b32 v12, {A}\nv_mov_b32 v13, {A1}\n" + guard + "\ns_andn2_b64 exec, exec, vcc\nv_mov_b32 v13, {0/-1/1}\ns_and_b64 exec, s[64:65], vcc\n" + t + wait + "\ns_mov_b64 exec, s[64:65]")
	}
}

// rounds emits a loop around accesses.
func (w *gcnIndexWriter) rounds() {
	left := w.left
	rounds := 2 + w.IntN(5)
	edge, stray := w.IntN(5) == 0, w.IntN(4) == 0
	w.line("v_mbcnt_lo_u32_b32 v35, -1, 0\nv_mbcnt_hi_u32_b32 v35, -1, v35")
	var places []*gcnPlace
	for i := range 1 + w.IntN(3) {
		places = append(places, w.place(i, rounds, edge && i == 0))
		if i == 0 && w.IntN(3) == 0 { // the address is computed in another basic block than the index
			l := w.label()
			w.fill(pickOne(w.Rand, "s_barrier", gcnConds+l+"\nv_add_u32 {v}, vcc, {y}, {y}\n"+l+":"))
		}
	}
	again := setOnce(&w.writer, places, w.set)
	top, out := w.label(), w.label()
	leave := w.IntN(4) == 0
	if leave {
		w.fill("s_mov_b64 s[68:69], 0\nv_and_b32 v37, 3, {y}\nv_add_u32 v37, vcc, 1, v37")
	}
	w.line("s_mov_b32 s60, 0")
	w.line("%s:", top)
	w.depth += 2
	setAgain(places, again, w.set)
	if stray {
		w.stray(places[0], rounds)
	}
	for range 1 + w.IntN(4) {
		switch k := w.IntN(12); {
		case k < 8:
			w.use(places[w.IntN(len(places))])
		case k == 8:
			for range 1 + w.IntN(4) {
				w.fill(gcnFloats[w.IntN(len(gcnFloats))])
			}
		case k == 9 && w.IntN(3) == 0:
			w.fill("s_barrier")
		case k == 9: // at another place, and in private memory
			w.here = nil
			if w.private && w.IntN(2) == 0 {
				w.own(18)
			} else {
				w.access()
			}
		case k == 10 && places[0].base != "":
			w.here = places[0]
			w.fill("s_load_dword s66, {a:b}, {0/4}\ns_waitcnt lgkmcnt(0)\nv_add_u32 {v}, vcc, s66, {y}")
		default:
			w.fill(gcnIndex[w.IntN(len(gcnIndex))])
		}
	}
	w.depth -= 2
	for i, x := range places {
		w.here = x
		switch {
		case again[i] && x.base != "" && w.IntN(3) == 0 && x.move > 0:
			w.fill(fmt.Sprintf("s_add_u32 {a}, {a}, %d\ns_addc_u32 {b}, {b}, 0", x.move))
		case again[i]:
			w.fill(pickOne(w.Rand, "v_add_u32 {X}, vcc, {1/2/3}, {X}", "v_xor_b32 {X}, {1/2/16}, {X}", "v_mad_u32_u24 {X}, {X}, 5, {1/3}\nv_and_b32 {X}, {31/63}, {X}", "v_subrev_u32 {X}, vcc, 1, {X}", "v_and_b32 {X}, {31/60}, {y}"))
		case w.IntN(6) > 0:
			w.goOn(x)
		}
	}
	if leave { // lanes leave one after another
		w.line("v_cmp_eq_u32 vcc, s60, v37\ns_or_b64 s[68:69], vcc, s[68:69]\ns_andn2_b64 exec, exec, s[68:69]\ns_cbranch_execz %[2]s\ns_add_u32 s60, s60, 1\ns_cmp_lt_u32 s60, %[3]d\ns_cbranch_scc1 %[1]s\n%[2]s:\ns_or_b64 exec, exec, s[68:69]", top, out, rounds)
	} else {
		w.line("s_add_u32 s60, s60, 1\ns_cmp_lt_u32 s60, %d\ns_cbranch_scc1 %s", rounds, top)
	}
	w.here = nil
	w.left = left
}

// tileWords returns the texts for tiles.
func (w *gcnIndexWriter) tileWords() *tileWords {
	return &tileWords{
		begin: []string{
			"v_lshlrev_b32 v24, 2, v15\nds_write_b32 v24, {y}\ns_waitcnt lgkmcnt(0)",
			"v_and_b32 v26, {7/31/60}, v15\nv_lshlrev_b32 v26, {2/3}, v26",
			"v_mov_b32 v29, s21\nv_add_u32 v28, vcc, s20, v24\nv_addc_u32 v29, vcc, 0, v29, vcc\ns_mov_b32 s60, 0",
		},
		store:   "flat_load_dword v33, v[28:29]\ns_waitcnt vmcnt(0)\nds_write_b32 v24, v33\nv_add_u32 v28, vcc, {4/64/128}, v28\nv_addc_u32 v29, vcc, 0, v29, vcc\ns_waitcnt lgkmcnt(0)",
		barrier: "s_barrier",
		zero:    "s_mov_b32 s61, 0",
		load: func() string {
			return pickOne(w.Rand, "ds_read_b32 v33, v26 offset:{o4}\ns_waitcnt lgkmcnt(0)\nv_mad_u32_u24 {v}, {y}, 3, v33", "v_mov_b32 v36, {0/64}\nds_read2_b32 {V}, v36 offset1:{1/16}\ns_waitcnt lgkmcnt(0)", "ds_read_b32 v34, v24 offset:{o4}\ns_waitcnt lgkmcnt(0)\nv_xor_b32 {v}, v34, {y}", "ds_read_b32 v33, v24\ns_waitcnt lgkmcnt(0)\nv_fma_f32 {v}, {y}, v33, {y}", gcnFloats[w.IntN(len(gcnFloats))], "v_add_u32 {v}, vcc, s61, {y}", "flat_load_dword v34, v[28:29]\ns_waitcnt vmcnt(0) & lgkmcnt(0)\nv_add_u32 {v}, vcc, v34, {y}")
		},
		move:  "v_add_u32 v26, vcc, {4/32/0}, v26",
		again: [2]string{"s_add_u32 s60, s60, 1\ns_cmp_lt_u32 s60, %d\ns_cbranch_scc1 %s", "s_add_u32 s61, s61, 1\ns_cmp_lt_u32 s61, %d\ns_cbranch_scc1 %s"},
	}
}

// sums emits a loop that rounds floats; its waves could begin together.
func (w *gcnIndexWriter) sums() {
	left := w.left
	w.fill("v_lshlrev_b32 v24, 2, v15\nv_mov_b32 v29, s21\nv_add_u32 v28, vcc, s20, v24\nv_addc_u32 v29, vcc, 0, v29, vcc\ns_mov_b32 s60, 0")
	top := w.label()
	w.line("%s:", top)
	for range 2 + w.IntN(4) {
		w.fill(pickOne(w.Rand, gcnFloats[w.IntN(len(gcnFloats))], gcnFloats[w.IntN(len(gcnFloats))], "flat_load_dword {v}, v[28:29]\ns_waitcnt vmcnt(0) & lgkmcnt(0)", "v_cvt_f32_u32 {v}, v15"))
	}
	w.fill("v_add_u32 v28, vcc, {4/128}, v28\nv_addc_u32 v29, vcc, 0, v29, vcc")
	w.line("s_add_u32 s60, s60, 1\ns_cmp_lt_u32 s60, %d\ns_cbranch_scc1 %s", 2+w.IntN(4), top)
	w.left = left
}

// accesses emits loops around accesses, by all lanes or by some.
func (w *gcnIndexWriter) accesses() {
	some := func(end string) string {
		return "v_cmp_{lt/ge/ne}_{u32/i32} vcc, {n}, {y}\ns_and_saveexec_b64 s[56:57], vcc\ns_cbranch_execz " + end
	}
	w.loops(some, "%s:\ns_or_b64 exec, exec, s[56:57]", w.rounds, func() { w.tiles(w.tileWords()) }, w.sums)
}
