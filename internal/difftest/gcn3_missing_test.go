package difftest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// This file is the counterpart of ptxMissing in GCN3. Here lanes do not exit; they are inactive. A
// register that is the same in all active lanes when it is written may differ later, when other
// lanes are active.

// gcnSmallNumbers are templates of operations that compute small numbers from small numbers. v is a
// register to write, R one to read; v2 and y2 are the same registers again. U is a scalar to read,
// s one to write. m is a pair for a mask, M one to read, or vcc. A and B are pairs for addresses,
// with halves.
var gcnSmallNumbers = []string{
	"v_mov_b32 {v}, {v8/v9/v0/v1}", "v_mov_b32 {v}, v8", "v_mov_b32 {v}, {U}", "v_mov_b32 {v}, {U}", "v_mov_b32 {v}, {c}", "v_mov_b32 {v}, {R}", "v_mbcnt_lo_u32_b32 {v}, -1, 0",
	"v_add_u32 {v}, vcc, {R}, {R}\nv_and_b32 {v2}, 63, {v2}", "v_add_u32 {v}, vcc, {c}, {R}", "v_add_u32 {v}, vcc, {U}, {R}", "v_mad_u32_u24 {v}, v8, {c}, v9", "v_mad_u32_u24 {v}, v8, {U}, {R}", "v_mul_lo_u32 {v}, v8, {U}", "v_mul_u32_u24 {v}, {c}, v8\nv_and_b32 {v2}, 63, {v2}", "v_mul_lo_u32 v14, v8, {U}\nv_add_u32 {v}, vcc, v14, {R}",
	"v_lshlrev_b32 {v}, {1/2}, v8", "v_lshrrev_b32 {v}, {1/2}, {R}", "v_and_b32 {v}, {7/15/31/63}, {R}", "v_and_b32 {v}, {7/15/31}, {R}", "v_min_u32 {v}, {31/63}, {R}", "v_max_u32 {v}, {c}, {R}", "v_xor_b32 {v}, {1/4/16}, {R}", "v_or_b32 {v}, {c}, {R}", "v_bfe_u32 {v}, {R}, {0/1}, {3/4}", "v_sub_u32 {v}, vcc, 63, {R}\nv_and_b32 {v2}, 63, {v2}", "v_med3_u32 {v}, {R}, {R}, {31/63}",
	"v_cndmask_b32 {v}, {R}, {R}, vcc", "v_cndmask_b32_e64 {v}, {R}, {c}, {M}", "v_cndmask_b32_e64 {v}, {R}, {R}, {M}", "v_cndmask_b32_e64 {v}, {c}, {c}, {M}", "v_addc_u32 {v}, vcc, 0, {R}, vcc", "v_bcnt_u32_b32 {v}, {R}, 0", "v_ffbl_b32 v14, {R}\nv_and_b32 {v}, 31, v14",
	// Half-words, bytes and floats in between.
	"v_add_u16 {v}, {c}, {R}", "v_and_b32_sdwa {v}, {R}, {R} dst_sel:{BYTE_0/WORD_0} dst_unused:UNUSED_PAD src0_sel:{BYTE_0/WORD_0} src1_sel:BYTE_0", "v_mov_b32_sdwa {v}, {R} dst_sel:BYTE_0 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0", "v_cvt_f32_u32 v14, {R}\nv_mad_f32 v14, v14, {0.5/1.0/v14}, 1.0\nv_cvt_u32_f32 v14, v14\nv_and_b32 {v}, 63, v14", "v_cvt_f16_u16 v14, {R}\nv_add_f16 v14, 1.0, v14\nv_cvt_u16_f16 v14, v14\nv_and_b32 {v}, 63, v14",
	// Exchanges between lanes.
	"v_mov_b32_dpp {v}, {R} {quad_perm:[1,0,3,2]/row_shr:1/row_shl:3/wave_shr:1/row_bcast:15/row_mirror} row_mask:0xf bank_mask:0xf", "v_add_u32_dpp v14, vcc, {R}, {R} {quad_perm:[0,0,2,2]/row_ror:4/row_shr:1} row_mask:{0xf/0xa} bank_mask:0xf bound_ctrl:0\nv_and_b32 {v}, 63, v14", "v_lshlrev_b32 v14, 2, {R}\nds_bpermute_b32 {v}, v14, {R}{w}\nv_and_b32 {v2}, 63, {v2}", "ds_swizzle_b32 {v}, {R} offset:{0x401f/0x041f/0x80b1}{w}\nv_and_b32 {v2}, 63, {v2}", "v_readfirstlane_b32 {s}, {R}", "v_readfirstlane_b32 {s}, {R}", "v_readlane_b32 {s}, {R}, {l}", "v_writelane_b32 {v}, {c}, {l}", "v_writelane_b32 {v}, {U}, {0/1/31/63}",
	// Masks, many of which are the same for all lanes.
	"v_cmp_{lt/ge/eq/ne}_u32 {m}, {c}, {R}", "v_cmp_{lt/ge/eq/ne}_u32 vcc, {c}, {R}", "v_cmp_{lt/ge/ne}_u32 vcc, {U}, {R}", "v_cmp_{lt/eq}_u32 {m}, {c}, v8", "v_cmp_{lt/ge}_u32 {m}, {R}, {R}", "s_{and/or/xor/andn2}_b64 {m}, {M}, {M}", "s_{mov/not}_b64 {m}, {M}", "v_cmp_{lt/ne}_u16 vcc, {c}, {R}",
	"s_{add_u32/min_u32/and_b32/xor_b32} {s}, {U}, {U}\ns_and_b32 {s2}, {s2}, 31", "s_bcnt1_i32_b64 {s}, {M}\ns_and_b32 {s2}, {s2}, 31", "s_ff1_i32_b64 {s}, exec\ns_and_b32 {s2}, {s2}, 31", "s_cselect_b32 {s}, {U}, {c}", "s_cmp_{lt_u32/eq_u32/lg_u32} {U}, {c}",
	// Addresses.
	"v_mov_b32 {Al}, s20\nv_mov_b32 {Ah}, s21", "v_mov_b32 {Al}, {Bl}\nv_mov_b32 {Ah}, {Bh}", "v_add_u32 {Al}, vcc, {4/64}, {Bl}\nv_addc_u32 {Ah}, vcc, 0, {Bh}, vcc", "v_cndmask_b32_e64 {Al}, {Bl}, {Al}, {M}\nv_cndmask_b32_e64 {Ah}, {Bh}, {Ah}, {M2}", "v_lshlrev_b32 v14, 2, {R}\nv_mov_b32 {Ah}, s21\nv_add_u32 {Al}, vcc, s20, v14\nv_addc_u32 {Ah}, vcc, 0, {Ah}, vcc", "v_lshlrev_b32 v14, {2/4}, {R}\nv_add_u32 {Al}, vcc, {Bl}, v14\nv_addc_u32 {Ah}, vcc, 0, {Bh}, vcc", "v_mov_b32 v12, {R}\nv_mov_b32 v13, 0\nv_lshlrev_b64 v[12:13], 2, v[12:13]\nv_mov_b32 {Ah}, s21\nv_add_u32 {Al}, vcc, s20, v12\nv_addc_u32 {Ah}, vcc, {Ah}, v13, vcc",
	"s_lshl_b32 s26, {U}, {2/3/6}\ns_add_u32 s28, s20, s26\ns_addc_u32 s29, s21, 0\nv_mov_b32 {Al}, s28\nv_mov_b32 {Ah}, s29",
	// Operations that the interpreter executes.
	"v_cvt_f32_u32 v14, {R}\nv_cubeid_f32 v14, v14, {v14/1.0}, 2.0\nv_cvt_u32_f32 {v}, v14", "v_cvt_f32_u32 v14, {R}\nv_div_scale_f32 v14, vcc, v14, v14, 1.0\nv_cvt_u32_f32 v14, v14\nv_and_b32 {v}, 31, v14", "v_mul_lo_u32 v14, {R}, {big}\nv_cos_f32 v14, v14\nv_cvt_u32_f32 {v}, v14",
}

// gcnSmallLoads are templates of loads that give small numbers, and of stores to the block's own
// memory.
var gcnSmallLoads = []string{
	"flat_load_dword {v}, {A}{w}\nv_and_b32 {v2}, 31, {v2}", "flat_load_dword {v}, {A}{w}\nv_and_b32 {v2}, 31, {v2}", "flat_load_ubyte v14, {A}{w}\nv_and_b32 {v}, 15, v14", "flat_load_dwordx2 v[12:13], {A}{w}\nv_and_b32 {v}, 31, v13", "v_lshlrev_b32 v14, 2, {R}\nv_add_u32 v12, vcc, {Al}, v14\nv_addc_u32 v13, vcc, 0, {Ah}, vcc\nflat_load_dword {v}, v[12:13]{w}\nv_and_b32 {v2}, 31, {v2}", "v_add_u32 v14, vcc, {R}, v9\nv_lshlrev_b32 v14, 2, v14\nv_mov_b32 v13, s21\nv_add_u32 v12, vcc, s20, v14\nv_addc_u32 v13, vcc, 0, v13, vcc\nflat_load_dword {v}, v[12:13]{w}\nv_and_b32 {v2}, 31, {v2}",
	"v_lshlrev_b32 v14, {2/3}, {R}\nbuffer_load_dword {v}, v14, s[32:35], 0 offen{w}\nv_and_b32 {v2}, 31, {v2}", "s_lshl_b32 s26, {U}, 2\ns_load_dword {s}, s[20:21], s26{w}\ns_and_b32 {s2}, {s2}, 31", "s_lshl_b32 s26, {U}, 2\nbuffer_load_dword {v}, off, s[32:35], s26{w}\nv_and_b32 {v2}, 31, {v2}",
	"v_lshlrev_b32 v14, 2, {R}\nds_read_b32 {v}, v14{w}\nv_and_b32 {v2}, 31, {v2}", "v_lshlrev_b32 v14, {2/3}, {R}\nds_write_b32 v14, {R}{w}", "v_lshlrev_b32 v14, 2, {R}\nds_add_u32 v14, {R}{w}", "v_lshlrev_b32 v14, 3, {R}\nds_read_b64 v[12:13], v14{w}\nv_and_b32 {v}, 31, v12", "ds_bpermute_b32 {v}, {R}, {R}{w}\nv_and_b32 {v2}, 31, {v2}",
	"{own}flat_store_dword v[12:13], {R}", "{own}flat_store_byte v[12:13], {R}", "{own}flat_atomic_{add/umax/swap} v14, v[12:13], {R} glc{w}\nv_and_b32 {v}, 31, v14", "{own}flat_atomic_{add/umin} v[12:13], {R}", "{own}flat_load_dword {v}, v[12:13]{w}\nv_and_b32 {v2}, 31, {v2}",
}

// gcnSmallExec are templates that make lanes inactive, or active again.
var gcnSmallExec = []string{
	"s_and_b64 exec, exec, {M}", "s_andn2_b64 exec, exec, {M}", "s_lshl_b64 exec, exec, {1/4}", "s_mov_b64 exec, {M}", "s_mov_b64 exec, -1", "s_mov_b64 exec, -1", "s_wqm_b64 exec, exec", "s_bitset0_b32 exec_lo, {0/1/16}", "v_cmpx_{lt/ne}_u32 vcc, {c}, {R}", "s_{and/or/andn2}_saveexec_b64 {m}, {M}", "s_mov_b32 exec_lo, {0/0xfffffffe/0xffff0000/-1}", "s_not_b64 exec, exec",
}

// gcnMissing makes these programs.
type gcnMissing struct {
	gcnWriter
	last map[string]string // the last register for each kind of operand
	kind int               // the values in the current statement: 0 the same everywhere, 1 the same in a row, 2 any values
}

func makeGCNMissing(seed uint64) (made, error) {
	w := &gcnMissing{gcnWriter: gcnWriter{writer: writer{Rand: rand.New(rand.NewPCG(seed, 0x6f6666))}}, last: map[string]string{}}
	w.operand = w.small
	p := &textProgram{seed: seed, grid: uint32(1 + w.IntN(2)), mode: 0xc0 | roomy, build: buildGCN}
	p.wide, p.high = pickOne(w.Rand, uint32(16), 16, 8, 4, 32, 64, 10), pickOne(w.Rand, uint32(4), 2, 4, 8, 1)
	p.block = p.wide * p.high
	w.line("v_mbcnt_lo_u32_b32 v1, -1, 0\nv_mbcnt_hi_u32_b32 v1, -1, v1")
	for i := range 8 {
		w.fill(fmt.Sprintf("s_mov_b32 s%d, {c}", i))
	}
	w.line("s_load_dword s2, s[20:21], %d\ns_waitcnt lgkmcnt(0)\ns_and_b32 s2, s2, 7", 4*w.IntN(64))
	for i := range 4 {
		w.fill(fmt.Sprintf("v_cmp_{lt/ge/eq/ne}_u32 s[%d:%d], {1/4/8/16}, {v1/v8/v9/v0}", 8+2*i, 9+2*i))
	}
	for i := 2; i < 8; i++ {
		w.fill(fmt.Sprintf("v_{mov_b32 v%d,/and_b32 v%d, 31,} {v8/v9/v1/s2/s24}", i, i))
	}
	w.line("v_mov_b32 v0, v9\nv_mov_b32 v10, s20\nv_mov_b32 v11, s21\nv_mov_b32 v18, s20\nv_mov_b32 v19, s21")
	w.fewer()
	w.left = 8 + w.IntN(30)
	for w.left > 0 {
		w.statement()
	}
	w.line("s_waitcnt vmcnt(0) & lgkmcnt(0)\ns_mov_b64 s[38:39], exec")
	w.everybody()
	w.line("v_subrev_u32 v10, vcc, s20, v10\nv_subrev_u32 v11, vcc, s20, v18")
	w.line("flat_store_dwordx4 v[16:17], v[0:3]")
	for i := 4; i < gcnRegs; i += 4 {
		w.line("v_mov_b32 v14, %d\nv_add_u32 v12, vcc, v14, v16\nv_addc_u32 v13, vcc, 0, v17, vcc\nflat_store_dwordx4 v[12:13], v[%d:%d]", 4*i, i, i+3)
	}
	w.line("v_mov_b32 v0, s0\nv_mov_b32 v1, s3\nv_mov_b32 v2, s38\nv_mov_b32 v3, s39\nv_mov_b32 v14, 48\nv_add_u32 v12, vcc, v14, v16\nv_addc_u32 v13, vcc, 0, v17, vcc\nflat_store_dwordx4 v[12:13], v[0:3]")
	p.lines = w.lines
	return p.made(".s")
}

// small returns an operand of a kind.
func (w *gcnMissing) small(kind string) string {
	var s string
	switch kind {
	case "v2", "s2", "M2":
		return w.last[kind[:1]]
	case "v":
		s = fmt.Sprint("v", [3]int{2, 4, 6}[w.kind]+w.IntN(2))
	case "R":
		s = fmt.Sprint("v", pickOne(w.Rand, 2+w.IntN(2+2*w.kind), 2+w.IntN(2+2*w.kind), [3]int{2, 8, 9}[w.kind], [3]int{3, 8, 0}[w.kind]))
	case "s":
		s = fmt.Sprint("s", w.IntN(8))
	case "U":
		return pickOne(w.Rand, "s2", "s24", fmt.Sprint("s", w.IntN(8)))
	case "c":
		return pickOne(w.Rand, "1", "2", "3", "4", "5", "8", "16", "31")
	case "l":
		return pickOne(w.Rand, "0", "1", "16", "31", "32", "63", "s2")
	case "big":
		return "s21"
	case "m":
		return fmt.Sprintf("s[%d:%d]", 8+2*w.kind, 9+2*w.kind)
	case "M":
		n := 8 + 2*w.IntN(4)
		s = pickOne(w.Rand, "vcc", fmt.Sprintf("s[%d:%d]", n, n+1), fmt.Sprintf("s[%d:%d]", n, n+1))
	case "A", "B":
		return pickOne(w.Rand, "v[10:11]", "v[18:19]")
	case "w":
		return "\ns_waitcnt vmcnt(0) & lgkmcnt(0)"
	case "own":
		return fmt.Sprintf("v_and_b32 v14, 0x7f, %s\nv_lshlrev_b32 v14, 2, v14\nv_mov_b32 v13, s23\nv_add_u32 v12, vcc, s22, v14\nv_addc_u32 v13, vcc, 0, v13, vcc\n", w.small("R"))
	default:
		return w.reg(kind)
	}
	w.last[kind] = s
	return s
}

// some writes a template; all address halves in it belong to one pair each.
func (w *gcnMissing) some(t string) {
	w.kind = pickOne(w.Rand, 0, 1, 1, 2, 2)
	for _, p := range []string{"A", "B"} {
		n := pickOne(w.Rand, 10, 18)
		t = strings.NewReplacer("{"+p+"l}", fmt.Sprint("v", n), "{"+p+"h}", fmt.Sprint("v", n+1)).Replace(t)
	}
	w.fill(t)
}

func (w *gcnMissing) statement() {
	n := 27
	if w.depth > 2 || w.left <= 0 {
		n = 19
	}
	switch k := w.IntN(n); {
	case k < 12:
		w.some(w.pure(gcnSmallNumbers))
	case k < 17:
		w.some(gcnSmallLoads[w.IntN(len(gcnSmallLoads))])
	case k == 17:
		w.some(gcnSmallExec[w.IntN(len(gcnSmallExec))])
	case k == 18:
		if w.depth == 0 && w.IntN(3) == 0 {
			w.line("s_barrier")
		}
	case k < 23: // a conditional with a lane mask
		end, at := w.label(), 44+2*w.depth
		w.fill("v_cmp_{lt/ge/ne/eq}_u32 vcc, {1/4/8/s2}, {v8/v9/v1/v5/v6}")
		w.fill(fmt.Sprintf("s_{and/andn2/and}_saveexec_b64 s[%d:%d], {vcc/vcc/s[8:9]}", at, at+1))
		if w.IntN(2) == 0 {
			w.line("s_cbranch_execz %s", end)
		}
		w.inner(4, w.statement)
		w.line("%s:", end)
		if w.IntN(2) == 0 { // the remaining lanes
			w.line("s_xor_b64 exec, exec, s[%d:%d]", at, at+1)
			w.inner(3, w.statement)
		}
		w.line("s_or_b64 exec, exec, s[%d:%d]", at, at+1)
	case k < 25: // a branch of all lanes
		end := w.label()
		w.fill("s_cmp_{lt/eq/ge}_u32 {s24/s2/s3}, {1/2/4}\n" + gcnConds + end)
		w.inner(4, w.statement)
		w.line("%s:", end)
	default: // a loop that lanes leave one after another
		top, at := w.label(), 44+2*w.depth
		w.line("s_mov_b64 s[%d:%d], exec\n%s:", at, at+1, top)
		w.inner(4, w.statement)
		if w.IntN(2) == 0 {
			w.fill("v_cmp_{lt/ne}_u32 vcc, s30, {v5/v6/v9/v1}\ns_and_b64 exec, exec, vcc")
		}
		w.back(top)
		w.line("s_mov_b64 exec, s[%d:%d]", at, at+1)
	}
}
