package difftest

import (
	"fmt"
	"strings"

	"example.org/crosslane/internal/engine/enginetest/randprog"
)

// GCN3 holds a 64-bit number in two registers, and compilers emit the same few sequences for every
// operation on these numbers. The JIT has special code for these sequences: see package randprog's
// idioms.

// gcnIdioms are these sequences, with semicolons between instructions. Small letters are vector
// registers. Capital letters are pairs of vector registers, with halves, for example {Pl} and {Ph}.
// All other braces have the same meaning as in the remaining templates.
var gcnIdioms = []string{
	"v_cmp_{lt/ge}_{u32/i32} vcc, {Pl}, {Ql}; v_cndmask_b32 {Rl}, {Ql}, {Pl}, vcc; v_cndmask_b32 {Rh}, {Qh}, {Ph}, vcc; v_lshlrev_b64 {P}, 1, {P}; v_lshrrev_b64 {Q}, 3, {Q}; v_lshlrev_b64 {S}, {l}, {R}",
	"v_cmp_{lt/gt/neq}_f64 vcc, {P}, {Q}; v_add_f64 {S}, {P}, {Q}; v_cndmask_b32 {Rl}, {Ql}, {Pl}, vcc; v_cndmask_b32 {Rh}, {Qh}, {Ph}, vcc; v_mul_f64 {P}, {R}, {S}",
	"v_add_u32 {Rl}, vcc, {Pl}, {Ql}; v_addc_u32 {Rh}, vcc, {Ph}, {Qh}, vcc; v_lshlrev_b64 {S}, 2, {R}; v_add_u32 {Rl}, vcc, 8, {Rl}; v_addc_u32 {Rh}, vcc, 0, {Rh}, vcc; v_lshrrev_b64 {P}, 5, {R}",
	"v_sub_u32 {Rl}, vcc, {Pl}, {Ql}; v_subb_u32 {Rh}, vcc, {Ph}, {Qh}, vcc; v_ashrrev_i64 {S}, 4, {R}; v_cmp_{lt/eq/ge}_{u64/i64} vcc, {R}, {S}; v_cndmask_b32 {Pl}, {Sl}, {Rl}, vcc; v_cndmask_b32 {Ph}, {Sh}, {Rh}, vcc",
	"v_mad_u64_u32 {P}, vcc, {a}, {b}, {Q}; v_mad_i64_i32 {R}, vcc, {a}, {Pl}, {P}; v_lshlrev_b64 {Q}, 1, {R}; v_mov_b32 {a}, {Qh}",
	"v_mov_b32 {Rl}, {Pl}; v_mov_b32 {Rh}, {Ph}; v_fma_f64 {Q}, {R}, {P}, {R}; v_add_f64 {P}, {Q}, {n64}; v_max_f64 {R}, {P}, {Q}; v_cvt_f32_f64 {a}, {R}",
	"v_cvt_f64_f32 {P}, {a}; v_mul_f64 {Q}, {P}, {P}; v_fma_f64 {R}, {Q}, {P}, {Q}; v_cvt_i32_f64 {b}, {R}; v_cvt_f64_i32 {P}, {b}; v_add_f64 {S}, {R}, -{P}",
	"v_add_f16 {a}, {b}, {c}; v_mul_f16 {d}, {a}, {b}; v_mov_b32 {b}, {d}; v_cvt_f32_f16 {c}, {d}; v_fma_f16 {a}, {d}, {b}, {a}; v_cvt_f16_f32 {d}, {c}; v_max_f16 {c}, {a}, {d}",
	"v_and_b32 {a}, 0xff, {b}; v_lshlrev_b32 {c}, 8, {a}; v_or_b32 {d}, {c}, {a}; v_bfe_u32 {e}, {d}, 4, 8; v_alignbit_b32 {f}, {d}, {b}, 16; v_lshrrev_b32 {a}, 16, {f}; v_or_b32 {b}, {e}, {a}",
	"v_mul_f32 {a}, {b}, {c}; v_add_f32 {d}, {a}, {e}; v_mac_f32 {d}, {a}, {b}; v_xor_b32 {e}, 0x80000000, {d}; v_mad_f32 {f}, {e}, {a}, {d}; v_min_f32 {b}, {f}, {d}; v_and_b32 {a}, 0x7fffffff, {b}",
	"v_cmp_{lt/gt}_{f32/u32} vcc, {a}, {b}; v_cndmask_b32 {c}, {a}, {b}, vcc; v_cmp_{lt/gt}_{f32/i32} {S2}, {c}, {d}; v_cndmask_b32 {e}, {c}, {d}, {S2}; v_sub_u32 {f}, vcc, {e}, {c}; v_max_i32 {a}, {f}, {e}",
	"v_mul_lo_u32 {a}, {b}, {c}; v_mul_hi_u32 {d}, {b}, {c}; v_add_u32 {Pl}, vcc, {a}, {e}; v_addc_u32 {Ph}, vcc, 0, {d}, vcc; v_lshrrev_b64 {Q}, 7, {P}",
	"v_mov_b32 {b}, {a} row_shr:1 row_mask:0xf bank_mask:0xf; v_{add_f32/xor_b32} {a}, {a}, {b}; v_add_f32 {a}, {a}, {a} row_shr:2 row_mask:0xf bank_mask:0xf; v_add_f32 {a}, {a}, {a} row_bcast:15 row_mask:0xa bank_mask:0xf; v_add_f32 {c}, {a}, {a} quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
	"ds_swizzle_b32 {b}, {a} offset:0x401f{wait}; v_add_f32 {a}, {a}, {b}; ds_swizzle_b32 {b}, {a} offset:0x201f{wait}; v_add_f32 {a}, {a}, {b}; ds_swizzle_b32 {b}, {a} offset:0x041f{wait}; v_add_f32 {c}, {a}, {b}; v_readlane_b32 s{l8}, {c}, 5",
	"v_and_b32 {a}, 0x7c, {b}; {Pin}; flat_load_dword {c}, {P}{wait}; v_xor_b32 {d}, 0x44, {a}; {Qind}; flat_load_dword {e}, {Q}{wait}; v_cmp_lt_u32 vcc, {b}, {c}; v_cndmask_b32 {Rl}, {Ql}, {Pl}, vcc; v_cndmask_b32 {Rh}, {Qh}, {Ph}, vcc; flat_load_dword {f}, {R}{wait}; v_lshlrev_b64 {S}, 1, {R}",
	"v_and_b32 {a}, 0xfc, {b}; {Pin}; flat_load_dwordx2 {Q}, {P}{wait}; v_add_u32 {Rl}, vcc, 4, {Pl}; v_addc_u32 {Rh}, vcc, 0, {Ph}, vcc; flat_load_dword {c}, {R}{wait}; v_add_f64 {S}, {Q}, {Q}; v_add_u32 {Pl}, vcc, 8, {Pl}; flat_load_dword {d}, {P}{wait}; v_xor_b32 {a}, {c}, {d}",
}

// idiom writes one or two sequences, interleaved, and changes of their registers in between.
func (w *gcnWriter) idiom() {
	var runs [][]string
	for range 1 + w.IntN(2) {
		t := gcnIdioms[w.IntN(len(gcnIdioms))]
		for k, add := range map[string]string{"{Pin}": "{a}", "{Qind}": "{d}"} {
			p := k[:2]
			t = strings.ReplaceAll(t, k, "v_mov_b32 "+p+"h}, s21; v_add_u32 "+p+"l}, vcc, s20, "+add+"; v_addc_u32 "+p+"h}, vcc, 0, "+p+"h}, vcc")
		}
		singles, pairs := w.Perm(gcnRegs), w.Perm(gcnRegs/2)
		var replace []string
		for i, name := range []string{"a", "b", "c", "d", "e", "f"} {
			replace = append(replace, "{"+name+"}", fmt.Sprint("v", singles[i]))
		}
		for i, name := range []string{"P", "Q", "R", "S"} {
			n := 2 * pairs[i]
			replace = append(replace, "{"+name+"}", fmt.Sprintf("v[%d:%d]", n, n+1), "{"+name+"l}", fmt.Sprint("v", n), "{"+name+"h}", fmt.Sprint("v", n+1))
		}
		n := 2 * w.IntN(4)
		replace = append(replace, "{S2}", fmt.Sprintf("s[%d:%d]", n, n+1), "{n64}", "1.0", "{l8}", fmt.Sprint(w.IntN(8)), "{wait}", "\ns_waitcnt vmcnt(0) & lgkmcnt(0)")
		runs = append(runs, strings.Split(strings.NewReplacer(replace...).Replace(t), "; "))
	}
	randprog.Mix(w.Rand, runs, func(line string) {
		switch w.IntN(12) {
		case 0, 1:
			w.waited(pickOne(w.Rand, "v_xor_b32 {v}, {x}, {y}", "v_mov_b32 {v}, {x}", "v_add_f32 {v}, {x}, {y}", "v_add_u32 {v}, vcc, {x}, {y}", "v_lshlrev_b64 {V}, {l}, {V}"))
		case 2:
			w.waited("v_cmp_{lt/ge/ne}_{u32/i32} {c}, {y}, {y}")
		case 3:
			if t := w.pure(gcnPure); !w.rows || w.uneven || !strings.HasPrefix(t, "s_setreg") { // see statement
				w.waited(t)
			}
		}
		w.waited(line)
	})
}
