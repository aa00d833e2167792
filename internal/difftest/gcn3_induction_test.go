package difftest

import (
	"fmt"
	"strings"
)

// This file makes loops in the form that compilers emit for GCN3. The induction pointer of a lane
// is in a pair of vector registers, or that of all lanes in scalars; lanes leave one after another.

// gcnMoves are templates that advance the address in {P}, {P1}, and gcnAt templates that use it.
var gcnMoves = []string{
	"v_add_u32 {P}, vcc, {4/8/16/64}, {P}\nv_addc_u32 {P1}, vcc, 0, {P1}, vcc", "v_add_u32 {P}, vcc, {4/8/16/64}, {P}\nv_addc_u32 {P1}, vcc, 0, {P1}, vcc", "v_add_u32 {P}, vcc, s3, {P}\nv_addc_u32 {P1}, vcc, 0, {P1}, vcc", "v_subrev_u32 {P}, vcc, {4/16}, {P}\nv_subbrev_u32 {P1}, vcc, 0, {P1}, vcc", "v_add_u32 {P}, vcc, -4, {P}\nv_addc_u32 {P1}, vcc, -1, {P1}, vcc",
	"v_and_b32 v14, {28/12/60}, {y}\nv_add_u32 {P}, vcc, {P}, v14\nv_addc_u32 {P1}, vcc, 0, {P1}, vcc", "v_mov_b32 v14, 0\nv_add_u32_e64 {P}, s[36:37], s3, {P}\nv_addc_u32_e64 {P1}, s[36:37], v14, {P1}, s[36:37]", "v_add_u32 v14, vcc, 4, {P}\nv_addc_u32 {P1}, vcc, 0, {P1}, vcc\nv_mov_b32 {P}, v14", "v_add_u32 {P}, vcc, 4, {P}", "v_mov_b32 v14, s3\nv_mov_b32 v12, {P}\nv_mov_b32 v13, {P1}\nv_add_u32 {P}, vcc, v12, v14\nv_addc_u32 {P1}, vcc, 0, v13, vcc",
	"v_add_u32 {P}, vcc, 4, {P}\nv_add_u32_e64 {v}, s[36:37], {u}, {y}\nv_addc_u32 {P1}, vcc, 0, {P1}, vcc", "v_cmp_{lt/ge}_u32 vcc, {n}, {y}\ns_mov_b64 s[36:37], exec\ns_and_b64 exec, exec, vcc\nv_add_u32 {P}, vcc, 4, {P}\nv_addc_u32 {P1}, vcc, 0, {P1}, vcc\ns_mov_b64 exec, s[36:37]",
}

var gcnAt = []string{
	"flat_load_dword {v}, {Q}", "flat_load_dword {v}, {Q}", "flat_load_dword {v}, {Q}", "flat_load_dwordx2 {V}, {Q}", "flat_load_dwordx4 v[4:7], {Q}", "flat_load_{ubyte/sbyte/ushort} {v}, {Q}", "flat_load_dword {v}, {Q}\nv_add_u32 v12, vcc, {4/16/64}, {P}\nv_addc_u32 v13, vcc, 0, {P1}, vcc\nflat_load_dword {v}, v[12:13]", "v_and_b32 v14, {28/0x7c}, {y}\nv_add_u32 v12, vcc, {P}, v14\nv_addc_u32 v13, vcc, 0, {P1}, vcc\nflat_load_dword {v}, v[12:13]", "v_subrev_u32 {v}, vcc, s20, {P}", "v_sub_u32 {v}, vcc, {P}, v18", "v_lshrrev_b64 {V}, 3, {Q}", "v_mov_b32 {v}, {P1}", "v_cmp_{lt/eq}_u64 vcc, {Q}, v[18:19]",
}

// gcnMore are templates of further operations in compiled loops.
var gcnMore = []string{
	"v_or_b32 {v}, s0, {y}", "v_mad_i64_i32 {V}, vcc, {y}, {c}, {W}", "v_cmp_{lt/ge/eq}_{u32/i32}_e64 s[10:11], {y}, {y}\nv_cndmask_b32_e64 {v}, {y}, {y}, s[10:11]", "v_cndmask_b32 {v}, 0, {y}, vcc", "v_add_u32_e64 {v}, s[10:11], {u}, {y}\nv_addc_u32_e64 {v}, s[10:11], {y}, {y}, s[10:11]", "v_mad_u32_u24 {v}, v0, {c}, {y}", "v_mul_lo_u32 {v}, s3, {y}", "v_bfi_b32 {v}, {y}, {y}, {y}",
	"v_lshlrev_b32 v22, 2, v15", "ds_read_b32 {v}, v22 offset:{o4}\nv_add_u32 v22, vcc, {4/16/64}, v22", "ds_write_b32 v22, {y}\ns_barrier\nds_read2_b32 {V}, v22 offset1:{1/16/32}", "ds_read2st64_b32 {V}, v22 offset1:1", "v_readlane_b32 s3, {y}, 5\ns_and_b32 s3, s3, 28", "v_readfirstlane_b32 s8, {P}\nv_readfirstlane_b32 s9, {P1}\ns_load_dword {s}, s[8:9], 0",
	"s_add_u32 s40, s40, {4/16/64}\ns_addc_u32 s41, s41, 0", "s_load_dword {s}, s[40:41], {0/4/16}", "v_lshlrev_b32 v14, 2, v15\nv_mov_b32 v13, s41\nv_add_u32 v12, vcc, s40, v14\nv_addc_u32 v13, vcc, 0, v13, vcc\nflat_load_dword {v}, v[12:13]", "v_mov_b32 v12, s40\nv_mov_b32 v13, s41\nflat_load_dword {v}, v[12:13]", "v_add_u32 v14, vcc, s26, v15\nv_mov_b32 v12, v14\nv_mov_b32 v13, 0\nv_lshlrev_b64 v[12:13], 2, v[12:13]\nv_mov_b32 v14, s21\nv_add_u32 v12, vcc, s20, v12\nv_addc_u32 v13, vcc, v14, v13, vcc\nflat_load_dword {v}, v[12:13]",
}

// gcnPrivate are templates of accesses to private memory. Code that is not optimised keeps all
// values there: numbers and addresses in the first bytes, and arrays after them.
var gcnPrivate = []string{
	"buffer_store_dword {y}, off, s[52:55], 0 offset:{0/4/8/12}", "buffer_store_dword {y}, off, s[52:55], 0 offset:{0/4/8/12}", "buffer_load_dword {v}, off, s[52:55], 0 offset:{0/4/8/12}", "buffer_load_dword {v}, off, s[52:55], 0 offset:{0/4/8/12}", "buffer_load_{ubyte/sbyte/ushort} {v}, off, s[52:55], 0 offset:{0/4/8/14}", "buffer_store_{byte/short} {y}, off, s[52:55], 0 offset:{0/4/6}",
	"v_mov_b32 v14, {u}\nbuffer_store_dword v14, off, s[52:55], 0 offset:{0/4/8}", "v_mov_b32 v14, {0/7}\nbuffer_store_dword v14, off, s[52:55], 0 offset:{0/4/8}", "buffer_store_dword {P}, off, s[52:55], 0 offset:16\nbuffer_store_dword {P1}, off, s[52:55], 0 offset:20", "buffer_load_dword {P}, off, s[52:55], 0 offset:16\nbuffer_load_dword {P1}, off, s[52:55], 0 offset:20", "buffer_store_dword {P}, off, s[52:55], 0 offset:16\nbuffer_store_dword {P1}, off, s[52:55], 0 offset:20\nbuffer_load_dword v12, off, s[52:55], 0 offset:16\nbuffer_load_dword v13, off, s[52:55], 0 offset:20\ns_waitcnt vmcnt(0)\nflat_load_dword {v}, v[12:13]",
	"v_and_b32 v14, {28/12}, {y}\nbuffer_store_dword {y}, v14, s[52:55], 0 offen offset:32", "v_and_b32 v14, {28/12}, {y}\nbuffer_load_dword {v}, v14, s[52:55], 0 offen offset:32", "v_and_b32 v14, 31, {y}\nbuffer_load_{ubyte/sbyte} {v}, v14, s[52:55], 0 offen offset:32", "v_and_b32 v14, 3, {y}\nv_lshlrev_b32 v14, 2, v14\nbuffer_load_dword {v}, v14, s[52:55], 0 offen",
	"buffer_load_dword v14, off, s[52:55], 0 offset:4\ns_waitcnt vmcnt(0)\nv_add_u32 v14, vcc, {1/4}, v14\nbuffer_store_dword v14, off, s[52:55], 0 offset:4",
}

// moving writes a template about the address in a pair of registers.
func (w *gcnIndexWriter) moving(t string, pair int) {
	w.fill(strings.NewReplacer("{P}", fmt.Sprint("v", pair), "{P1}", fmt.Sprint("v", pair+1), "{Q}", fmt.Sprintf("v[%d:%d]", pair, pair+1)).Replace(t))
}

// own emits an access to private memory.
func (w *gcnIndexWriter) own(pair int) {
	t := gcnPrivate[w.IntN(len(gcnPrivate))]
	if w.pair == "" && strings.Contains(t, "{P}") {
		t = gcnPrivate[0]
	}
	w.moving(t+"\ns_waitcnt vmcnt(0)", pair)
}

// walk emits a loop in which addresses advance, and further accesses after it.
func (w *gcnIndexWriter) walk() {
	left, depth := w.left, w.depth
	w.pair = "20"
	pair := 18 + 2*w.IntN(2)
	at := func(t string) { w.moving(t, pair) }
	w.fill(gcnSmall[w.IntN(len(gcnSmall))])
	set := gcnScaled[w.IntN(len(gcnScaled))]
	if w.IntN(2) == 0 { // into the pair itself
		set = strings.NewReplacer("v[12:13]", "{Q}", "v12", "{P}", "v13", "{P1}").Replace(set)
	} else {
		set += "\nv_mov_b32 {P}, v12\nv_mov_b32 {P1}, v13"
	}
	at(set)
	top, end := w.label(), w.label()
	mask := fmt.Sprintf("s[%d:%d]", 42+2*min(depth, 3), 43+2*min(depth, 3))
	kind := w.IntN(4)
	switch kind {
	case 0:
		w.line("s_mov_b64 %s, 0", mask)
	case 1:
		w.line("s_mov_b32 s26, 0")
	}
	w.line("%s:", top)
	w.depth++
	for range 1 + w.IntN(4) {
		switch k := w.IntN(8); {
		case k < 3:
			at(gcnAt[w.IntN(len(gcnAt))] + "\ns_waitcnt vmcnt(0) & lgkmcnt(0)")
		case k < 5:
			at(gcnMore[w.IntN(len(gcnMore))] + "\ns_waitcnt vmcnt(0) & lgkmcnt(0)")
		case k == 5 && w.private:
			w.own(pair)
		case k < 6:
			at(gcnMoves[w.IntN(len(gcnMoves))])
		default:
			w.step()
		}
	}
	w.depth--
	at(gcnMoves[w.IntN(len(gcnMoves))])
	const fuel = "s_sub_u32 s30, s30, 1\ns_cmp_gt_i32 s30, 0\ns_cbranch_scc0 "
	switch kind {
	case 0: // lanes leave one after another
		w.fill("v_add_u32 {v}, vcc, {4/1}, {y}\nv_cmp_{le/gt/eq}_{u32/i32} vcc, {n}, {y}")
		w.line("s_or_b64 %[1]s, vcc, %[1]s\ns_andn2_b64 exec, exec, %[1]s\n"+fuel+"%[3]s\ns_cbranch_execnz %[2]s\n%[3]s:\ns_or_b64 exec, exec, %[1]s", mask, top, end)
	case 1:
		w.line("s_add_u32 s26, s26, 1\n"+fuel+"%[2]s\ns_cmp_lt_u32 s26, %[3]d\ns_cbranch_scc1 %[1]s\n%[2]s:", top, end, 2+w.IntN(5))
	default:
		w.back(top)
	}
	if w.IntN(2) == 0 {
		at(gcnAt[w.IntN(len(gcnAt))] + "\ns_waitcnt vmcnt(0) & lgkmcnt(0)")
	}
	w.left = left - 3
}
