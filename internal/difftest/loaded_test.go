package difftest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A value that is loaded and used once becomes a memory operand in machine code. An instruction
// accepts a memory operand in some positions only, and these change if the result is in the
// register of an operand. The statements of this file load the operands of an operation directly
// before it, from memory that is not checked.

var (
	ptxSource = regexp.MustCompile(`%[rdh][0-7]\b`)
	gcnSource = regexp.MustCompile(`v\[\d+:\d+\]|\bv\d+\b`)
)

// ptxInPlace and gcnInPlace are templates of operations that have several forms in machine code.
var ptxInPlace = []string{
	"fma.rn.f32 {r}, {r}, {r}, {r};", "fma.rn.f32 {r}, {r}, {r}, {r};", "fma.{rn/rz/rm/rp}{/.ftz}{/.sat}.f32 {r}, {F}, {F}, {F};", "fma.{rn/rz}.f64 {d}, {d}, {d}, {d};", "fma.rn.{f16x2/bf16x2} {r}, {r}, {r}, {r};", "fma.rn.f16 {h}, {h}, {h}, {h};",
	"{add/sub/mul/min/max}.f32 {r}, {r}, {r};", "{add/sub/mul/min/max}.f64 {d}, {d}, {d};", "{add/sub/mul.lo}.s32 {r}, {r}, {r};", "{add/sub}.s64 {d}, {d}, {d};", "mad.lo.s32 {r}, {r}, {r}, {r};", "mad.wide.u32 {d}, {r}, {r}, {d};",
	"lop3.b32 {r}, {r}, {r}, {r}, {m};", "{and/or/xor}.b32 {r}, {r}, {r};", "{shl.b32/shr.u32/shr.s32} {r}, {r}, {r};", "shf.{l/r}.{wrap/clamp}.b32 {r}, {r}, {r}, {r};", "prmt.b32 {r}, {r}, {r}, {r};", "bfi.b32 {r}, {r}, {r}, {n}, {n};", "{min/max}.{u32/s32} {r}, {r}, {r};",
	"selp.b32 {r}, {r}, {r}, {p};", "slct.u32.s32 {r}, {r}, {r}, {r};", "setp.{lt/ge/eq}.{u32/s32/f32} {p}, {r}, {r};", "setp.lt.{f64/u64} {p}, {d}, {d};", "sad.{u32/s32} {r}, {r}, {r}, {r};", "cvt.f64.f32 {d}, {r};", "cvt.u64.u32 {d}, {r};", "cvt.rn.f32.s32 {r}, {r};", "cvt.f32.f16 {r}, {h};",
}

var gcnInPlace = []string{
	"v_fma_f32 {v}, {y}, {y}, {y}", "v_fma_f32 {v}, {n}, {n}, {n}", "v_mad_f32 {v}, {y}, {y}, {y}", "v_mad_f32 {v}, {n}, {n}, {n}", "v_mac_f32 {v}, {y}, {y}", "v_fma_f64 {V}, {W}, {W}, {W}", "v_{fma/mad}_f16 {v}, {y}, {y}, {y}",
	"v_{add/sub/subrev/mul/min/max}_f32 {v}, {y}, {y}", "v_{add/mul/max}_f64 {V}, {W}, {W}", "v_{add/sub/subrev}_u32 {v}, vcc, {y}, {y}", "v_addc_u32 {v}, vcc, {y}, {y}, vcc", "v_{mul_lo_u32/mul_hi_u32} {v}, {y}, {y}", "v_mad_u32_u24 {v}, {y}, {y}, {y}", "v_mad_u64_u32 {V}, vcc, {y}, {y}, {W}",
	"v_{and_b32/or_b32/xor_b32/lshlrev_b32/lshrrev_b32/ashrrev_i32} {v}, {y}, {y}", "v_{bfi_b32/alignbit_b32/perm_b32/bfe_u32/med3_i32/med3_f32/sad_u32} {v}, {y}, {y}, {y}", "v_cndmask_b32 {v}, {y}, {y}, vcc", "v_cmp_{lt/ge/eq}_{f32/u32/i32} vcc, {y}, {y}", "v_cmp_lt_{f64/u64} vcc, {W}, {W}", "v_lshlrev_b64 {V}, {y}, {W}", "v_cvt_f64_f32 {V}, {y}", "v_cvt_f32_f16 {v}, {y}",
}

// operands returns the places of an instruction's operands that match re, after the first one,
// which is the result.
func operands(text string, re *regexp.Regexp) [][]int {
	comma := strings.IndexByte(text, ',')
	if comma < 0 || strings.Contains(text, "\n") {
		return nil
	}
	return slices.DeleteFunc(re.FindAllStringIndex(text, -1), func(at []int) bool { return at[0] < comma })
}

// inPlace sometimes replaces the result by one of the operands of the same size.
func (w *writer) inPlace(text string, re *regexp.Regexp) string {
	to := re.FindStringIndex(text)
	list := operands(text, re)
	if len(list) == 0 || to == nil || w.IntN(2) == 0 {
		return text
	}
	at := list[w.IntN(len(list))]
	result := text[to[0]:to[1]]
	if to[1] > strings.IndexByte(text, ',') || at[1]-at[0] != len(result) || text[at[0]:at[0]+2] != result[:2] {
		return text
	}
	return text[:at[0]] + result + text[at[1]:]
}

// filled returns a template as fill writes it, without adding it to the program.
func (w *writer) filled(template string) string {
	w.fill(template)
	text := w.lines[len(w.lines)-1]
	w.lines = w.lines[:len(w.lines)-1]
	return text
}

// neighbour returns the shift of a lane number with which lanes load adjacent elements into a kind
// of register.
func neighbour(kind byte) string {
	return map[byte]string{'r': "2", 'd': "3", 'h': "1"}[kind]
}

// prefill puts registers into the memory from which loaded loads.
func (w *ptxWriter) prefill() {
	w.line("shl.b32 %%a1, %%lane, 5;\nadd.u32 %%a1, %%a1, %%sh;\nst.shared.v4.u32 [%%a1], {%%r0, %%r3, %%r5, %%r7};\nst.shared.v2.u64 [%%a1+16], {%%d0, %%d2};")
}

// loaded writes an operation, and loads one or two of its operands before it.
func (w *ptxWriter) loaded() {
	templates := ptxInPlace
	if w.IntN(4) == 0 {
		templates = ptxPure
	}
	text := w.inPlace(w.filled(templates[w.IntN(len(templates))]), ptxSource)
	if list := operands(text, ptxSource); len(list) > 0 {
		from := pickOne(w.Rand, "%sh", "%a1", "%a1", "%a1", "%a2")
		switch from {
		case "%a1":
			w.fill("shl.b32 %a1, %lane, " + pickOne(w.Rand, neighbour(text[list[0][0]+1]), neighbour(text[list[0][0]+1]), "2", "3", "4") + ";\nadd.u32 %a1, %a1, %sh;")
		case "%a2":
			w.fill("xor.b32 %a2, %lane, {3/5/12};\nshl.b32 %a2, %a2, 3;\nadd.u32 %a2, %sh, %a2;")
		}
		for k := range 1 + w.IntN(2) {
			at := list[w.IntN(len(list))]
			r := text[at[0]:at[1]]
			t, by := map[byte]string{'r': "{u32/b32/f32/s32}", 'd': "{u64/b64/f64}", 'h': "b16"}[r[1]], map[byte]int{'r': 4, 'd': 8, 'h': 2}[r[1]]
			to := fmt.Sprintf("%%%c%d", r[1], 8+k)
			if w.IntN(8) == 0 {
				w.fill(fmt.Sprintf("ld.global.%s %s, [%%%s+%d];", t, to, pickOne(w.Rand, "in", "in", "own"), by*w.IntN(16)))
			} else {
				w.fill(fmt.Sprintf("ld.shared.%s %s, [%s+%d];", t, to, from, by*w.IntN(16)))
			}
			text = text[:at[0]] + to + text[at[1]:]
			if list = operands(text, ptxSource); len(list) == 0 {
				break
			}
			if w.IntN(6) == 0 {
				w.fill(pickOne(w.Rand, "xor.b32 {r}, {R}, {R};", "st.shared.u32 ["+from+"+{n4}], {R};", "mov.b32 {r}, {R};", "{!}add.f32 {r}, {F}, {F};"))
			}
		}
	}
	if w.IntN(4) == 0 && !strings.Contains(text, "|") && !strings.Contains(text, "\n") {
		text = w.filled("@{!p} ") + text
	}
	w.line("%s", text)
}

// prefill puts registers into the memory from which loaded loads.
func (w *gcnWriter) prefill() {
	w.line("v_lshlrev_b32 v14, 4, v15\nds_write_b64 v14, v[4:5]\nds_write_b64 v14, v[8:9] offset:8\ns_waitcnt lgkmcnt(0)")
}

// loaded writes an operation, and loads one or two of its operands before it.
func (w *gcnWriter) loaded() {
	templates := gcnInPlace
	if w.IntN(4) == 0 {
		templates = gcnPure
	}
	text := w.filled(templates[w.IntN(len(templates))])
	if !strings.HasPrefix(text, "v_") || strings.Contains(text, "lane") || strings.Contains(text, "cmpx") {
		w.waited(text)
		return
	}
	text = w.inPlace(text, gcnSource)
	w.waited(pickOne(w.Rand, "v_mov_b32 v14, {o4}", "v_lshlrev_b32 v14, 2, v15", "v_lshlrev_b32 v14, 2, v15", "v_lshlrev_b32 v14, 2, v15", "v_lshlrev_b32 v14, 3, v15", "v_and_b32 v14, 63, v15\nv_lshlrev_b32 v14, {2/3/4}, v14"))
	for k := range 1 + w.IntN(2) {
		list := operands(text, gcnSource)
		if len(list) == 0 {
			break
		}
		at := list[w.IntN(len(list))]
		r := text[at[0]:at[1]]
		op, to := "ds_read_b32", fmt.Sprint("v", 12+k)
		if strings.HasPrefix(r, "v[") {
			op, to = "ds_read_b64", "v[12:13]"
		}
		w.waited(op + " " + to + ", v14 offset:{o8x8}")
		if text = text[:at[0]] + to + text[at[1]:]; op == "ds_read_b64" {
			break
		}
		if w.IntN(6) == 0 {
			w.waited(pickOne(w.Rand, "v_xor_b32 {v}, {x}, {y}", "ds_write_b32 v14, {y} offset:{o4}", "v_mov_b32 {v}, {x}", "v_add_f32 {v}, {x}, {y}"))
		}
	}
	w.waited(text)
}
