package difftest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"example.org/crosslane/internal/engine/enginetest/randprog"
)

// This file makes programs in GCN3 that compute indices: see package randprog.

// gcnIndex are templates of operations on indices: v is a vector register to write, y one to read;
// V and W are pairs; s is a scalar to write, u one to read; C is a number at an edge, c a step, M a
// mask, n a number of bits.
var gcnIndex = []string{
	"v_{add/sub/subrev}_u32 {v}, vcc, {C}, {y}", "v_{add/sub/subrev}_u32 {v}, vcc, {u}, {y}", "v_{add/sub}_u32 {v}, vcc, {y}, {y}", "v_add_u32 {v}, vcc, {c}, {y}", "v_mul_lo_u32 {v}, {y}, {c}", "v_mul_lo_u32 {v}, {y}, {u}", "v_mul_u32_u24 {v}, {c}, {y}", "v_mul_i32_i24 {v}, {c}, {y}", "v_mad_u32_u24 {v}, {y}, {c}, {y}", "v_mul_hi_u32 {v}, {y}, {u}",
	"v_lshlrev_b32 {v}, {2/3/4/1}, {y}", "v_{lshrrev_b32/ashrrev_i32} {v}, {n}, {y}", "v_ashrrev_i32 {v}, 31, {y}", "v_and_b32 {v}, {M}, {y}", "v_and_b32 {v}, {M}, {y}", "v_{or_b32/xor_b32} {v}, {c}, {y}", "v_xor_b32 {v}, {C}, {y}", "v_{min_u32/max_u32/min_i32/max_i32} {v}, {C}, {y}", "v_bfe_{u32/i32} {v}, {y}, {n}, {n}", "v_mov_b32 {v}, {y}", "v_mov_b32 {v}, {u}", "v_mov_b32 {v}, v15", "v_mbcnt_lo_u32_b32 {v}, -1, 0\nv_mbcnt_hi_u32_b32 {v2}, -1, {v2}",
	"v_cmp_{lt/ge/eq/ne}_{u32/i32} vcc, {C}, {y}", "v_cmp_{lt/ge/eq}_u32 vcc, {n}, {y}", "v_cmp_{lt/ge/u}_f32 vcc, {y}, {y}", "v_cmp_{lt/neq}_f32 vcc, {u}, {y}", "v_{add/max}_f32 {v}, {y}, {y}", "v_cndmask_b32 {v}, {y}, {y}, vcc", "v_addc_u32 {v}, vcc, {y}, {y}, vcc", "v_addc_u32 {v}, vcc, 0, {y}, vcc",
	"v_mov_b32 v12, {y}\nv_mov_b32 v13, 0\nv_lshlrev_b64 {V}, {2/3}, v[12:13]", "v_mov_b32 v12, {y}\nv_ashrrev_i32 v13, 31, v12\nv_lshlrev_b64 {V}, {1/2/3}, v[12:13]", "v_{lshlrev_b64/lshrrev_b64/ashrrev_i64} {V}, {n}, {W}", "v_mad_u64_u32 {V}, vcc, {y}, {c}, {W}", "v_cmp_{lt/eq}_{u64/i64} vcc, {W}, {W}",
	"v_mov_b32 v13, {u}\nv_add_u32 v12, vcc, {u}, {y}\nv_addc_u32 v13, vcc, 0, v13, vcc\nv_lshrrev_b64 {V}, 1, v[12:13]", "v_mov_b32 v14, 0\nv_add_u32 v12, vcc, {C}, {y}\nv_addc_u32 v13, vcc, v14, {y}, vcc\nv_mov_b32 {v}, v13", "v_add_u32 v14, vcc, s0, {y}\nv_subrev_u32 {v}, vcc, s0, v14", "v_mov_b32_dpp {v}, {y} {quad_perm:[1,0,3,2]/row_shr:1/wave_shr:1/row_bcast:15} row_mask:0xf bank_mask:0xf", "ds_bpermute_b32 {v}, {y}, {y}\ns_waitcnt lgkmcnt(0)", "v_readfirstlane_b32 {s}, {y}", "v_readlane_b32 {s}, {y}, {n}",
	"s_{add_u32/sub_u32/and_b32/xor_b32/mul_i32/lshl_b32/min_u32} {s}, {u}, {n}", "s_add_u32 {s}, {u}, {C}", "s_add_u32 s4, {u}, {C}\ns_addc_u32 s5, {u}, 0", "s_cmp_{lt/ge/eq/lg}_{i32/u32} {u}, {C}",
}

// gcnSmall are templates that put a number below 128 into v14.
var gcnSmall = []string{
	"v_mov_b32 v14, v15", "v_mov_b32 v14, v15", "v_and_b32 v14, {63/31/7/28/0x7f}, {y}", "v_min_u32 v14, {63/31}, {y}", "v_lshrrev_b32 v14, {25/27/28}, {y}", "v_bfe_u32 v14, {y}, {n}, {5/3}", "v_lshrrev_b32 v14, {1/2/3}, v15", "v_sub_u32 v14, vcc, 0x7f, v15", "v_xor_b32 v14, {1/16/63}, v15", "v_add_u32 v14, vcc, s0, v15\nv_subrev_u32 v14, vcc, s0, v14", "v_and_b32 v14, {u}, v15", "v_mov_b32 v14, {7/31}", "v_and_b32 v14, 31, v9", "v_mul_lo_u32 v14, s3, v8\nv_add_u32 v14, vcc, v14, v9", "v_mul_lo_u32 v14, v8, s3\nv_add_u32 v14, vcc, v9, v14", "v_mad_u32_u24 v14, v8, s3, v9", "v_mul_lo_u32 v14, v8, s2\nv_add_u32 v14, vcc, v9, v14\nv_and_b32 v14, 0x7f, v14", "v_and_b32 v14, 31, v8", "v_and_b32 v14, 31, v8\nv_mad_u32_u24 v14, v14, {2/1}, v9", "v_and_b32 v13, 7, v15\nv_lshrrev_b32 v14, 3, v15\nv_mad_u32_u24 v14, v14, 4, v13",
}

// gcnScaled are templates that compute an address in v[12:13] from a small number and the base in
// {a} and {b}.
var gcnScaled = []string{
	"v_lshlrev_b32 v14, 2, v14\nv_mov_b32 v13, {b}\nv_add_u32 v12, vcc, {a}, v14\nv_addc_u32 v13, vcc, 0, v13, vcc", "v_mul_u32_u24 v14, {k}, v14\nv_mov_b32 v13, {b}\nv_add_u32 v12, vcc, {a}, v14\nv_addc_u32 v13, vcc, 0, v13, vcc", "v_mov_b32 v12, v14\nv_ashrrev_i32 v13, 31, v12\nv_lshlrev_b64 v[12:13], 2, v[12:13]\nv_mov_b32 v14, {b}\nv_add_u32 v12, vcc, {a}, v12\nv_addc_u32 v13, vcc, v14, v13, vcc",
	"v_mov_b32 v12, v14\nv_mov_b32 v13, 0\nv_lshlrev_b64 v[12:13], 2, v[12:13]\nv_mov_b32 v14, {b}\nv_add_u32 v12, vcc, {a}, v12\nv_addc_u32 v13, vcc, v13, v14, vcc", "v_mul_lo_u32 v12, v14, {k}\nv_ashrrev_i32 v13, 31, v12\nv_mov_b32 v14, {b}\nv_add_u32 v12, vcc, {a}, v12\nv_addc_u32 v13, vcc, v14, v13, vcc",
	"v_lshlrev_b32 v14, 2, v14\nv_add_u32 v14, vcc, s0, v14\nv_mov_b32 v13, {b}\nv_add_u32 v12, vcc, {a}, v14\nv_addc_u32 v13, vcc, 0, v13, vcc\nv_subrev_u32 v12, vcc, s0, v12\nv_subbrev_u32 v13, vcc, 0, v13, vcc",
}

// gcnBetween are templates of code between the computation of an address and its use. They change
// the operands of the address.
var gcnBetween = []string{
	"v_mov_b32 v14, {y}", "v_add_u32 v14, vcc, {c}, v14", "v_add_u32_e64 v14, s[36:37], s0, v14", "s_add_u32 s40, s40, 4\ns_addc_u32 s41, s41, 0", "s_mov_b64 s[40:41], s[20:21]", "v_cmp_{lt/ge}_u32 vcc, {n}, {y}\ns_and_b64 exec, exec, vcc", "v_cmp_{lt/ge}_u32 vcc, {n}, {y}\ns_and_saveexec_b64 s[36:37], vcc\nv_mov_b32 v14, {y}\ns_mov_b64 exec, s[36:37]",
	"v_mov_b32 v14, v12", "v_mov_b32 {v}, v13", "v_add_u32 v14, vcc, 4, v12\nv_addc_u32 {v}, vcc, 0, v13, vcc", "v_lshrrev_b64 {V}, 2, v[12:13]",
}

var gcnUses = [2][]string{
	{"flat_load_dword {v}, v[12:13]", "flat_load_dword {v}, v[12:13]", "flat_load_dwordx2 {V}, v[12:13]", "flat_load_{ubyte/sbyte/ushort} {v}, v[12:13]", "v_add_u32 v12, vcc, {4/8/16}, v12\nv_addc_u32 v13, vcc, 0, v13, vcc\nflat_load_dword {v}, v[12:13]"},
	{"flat_store_dword v[12:13], {y}", "flat_load_dword {v}, v[12:13]", "flat_store_byte v[12:13], {y}", "flat_atomic_add {v}, v[12:13], {y} glc", "flat_atomic_umax v[12:13], {y}", "flat_store_dword v[12:13], {y}\ns_waitcnt vmcnt(0) & lgkmcnt(0)\nflat_load_dword {v}, v[12:13]"},
}

// gcnNarrow are templates of accesses at a small number, in LDS and in a buffer.
var gcnNarrow = []string{
	"v_lshlrev_b32 v14, {2/3}, v14\nds_write_b32 v14, {y} offset:{o4}", "v_lshlrev_b32 v14, {2/3}, v14\nds_read_b32 {v}, v14 offset:{o4}", "v_mul_u32_u24 v14, {4/8/12}, v14\nds_write_b32 v14, {y}\ns_waitcnt lgkmcnt(0)\nds_read_b32 {v}, v14 offset:{o4}", "v_lshlrev_b32 v14, 3, v14\nds_write_b64 v14, {W}", "v_lshlrev_b32 v14, 3, v14\nds_read_b64 {V}, v14", "v_lshlrev_b32 v14, 2, v14\nds_read2_b32 {V}, v14 offset0:{l} offset1:{l}", "v_lshlrev_b32 v14, 2, v14\nds_add_u32 v14, {y}", "v_lshlrev_b32 v14, 2, v14\nds_add_rtn_u32 {v}, v14, {y}",
	// These are near the end of LDS.
	"v_and_b32 v14, {1/1/3}, v14\nv_mul_u32_u24 v14, {4/8/12/16}, v14\nds_read_b32 {v}, v14 offset:{2000/2032/2036/2040/2044}", "v_and_b32 v14, {1/3}, v15\nv_mul_u32_u24 v14, {4/8/8/12}, v14\nds_read_b32 {v}, v14 offset:{2036/2040/2044}", "v_and_b32 v14, {1/3}, v14\nv_mul_u32_u24 v14, {8/16/24}, v14\nds_read_b64 {V}, v14 offset:{2000/2024/2032/2040}", "v_and_b32 v14, {1/3}, v14\nv_mul_u32_u24 v14, {4/8/12}, v14\nds_write_b32 v14, {y} offset:{2000/2032/2040/2044}",
	"v_lshlrev_b32 v14, {2/3/4}, v14\nbuffer_load_dword {v}, v14, s[32:35], 0 offen offset:{o4}", "v_mul_u32_u24 v14, {4/12/20}, v14\nbuffer_load_dwordx2 {V}, v14, s[32:35], 0 offen",
}

// A gcnIndexWriter makes these programs.
type gcnIndexWriter struct {
	gcnWriter
	pair    string // the scalars that are the base of the current address
	private bool   // lanes have private memory
	rows    bool
	grid    uint32
	here    *gcnPlace // the place of the accesses in a loop: see rounds
}

func makeGCNIndex(seed uint64) (made, error) {
	w := &gcnIndexWriter{gcnWriter: gcnWriter{writer: writer{Rand: rand.New(rand.NewPCG(seed, 0x696778))}}}
	w.operand = w.index
	p := &textProgram{seed: seed, grid: uint32(1 + w.IntN(3)), block: pickOne(w.Rand, uint32(64), 64, 128, 40, 65, 100), mode: 0xc0, build: buildGCN}
	if w.IntN(3) == 0 {
		p.block = pickOne(w.Rand, uint32(64), 64, 128)
		p.wide = pickOne(w.Rand, uint32(4), 8, 16, 16, 32)
		p.high = p.block / p.wide
	}
	if w.private = w.IntN(4) == 0; w.private {
		p.mode |= private
	}
	w.rows, w.grid = p.wide > 0, p.grid
	w.start()
	w.fewer()
	w.left = 3 + w.IntN(14)
	switch w.IntN(6) {
	case 0, 1:
		w.left = w.IntN(6)
		p.mode |= roomy
		w.accesses()
	case 2, 3:
		w.walk()
	}
	for w.left > 0 {
		w.step()
	}
	w.results()
	p.lines = w.lines
	return p.made(".s")
}

// start initialises some registers.
func (w *gcnIndexWriter) start() {
	w.line("v_mbcnt_lo_u32_b32 v1, -1, 0\nv_mbcnt_hi_u32_b32 v1, -1, v1")
	w.fill("{v_mov_b32 v2, v0/v_lshrrev_b32 v2, 3, v0/v_and_b32 v2, 7, v0/v_mul_u32_u24 v2, 12, v0}")
	w.fill("s_{add_u32/xor_b32/mul_i32} s0, s24, {C}")
	w.fill("s_mov_b32 s1, {24/3/0x1000}")
	w.line("s_load_dword s2, s[20:21], %d\ns_waitcnt lgkmcnt(0)\ns_and_b32 s3, s2, %d", 4*w.IntN(64), pickOne(w.Rand, 3, 60, 12))
	w.fill("v_cmp_{lt/ge}_u32 vcc, {n}, v1")
	w.line("s_mov_b64 s[40:41], s[20:21]")
	w.left = 0
}

// results stores some of the vector registers of all lanes, even of absent lanes.
func (w *gcnIndexWriter) results() {
	w.line("s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)\ns_mov_b64 s[38:39], exec")
	w.everybody()
	if w.IntN(4) == 0 {
		w.line("v_subrev_u32 v8, vcc, s20, v%d\nv_mov_b32 v9, v%d", 18+2*w.IntN(2), 19+2*w.IntN(2))
	}
	for i := 0; i < gcnRegs; i += 4 {
		if w.IntN(3) > 0 {
			w.line("v_mov_b32 v14, %d\nv_add_u32 v12, s[36:37], v14, v16\nv_addc_u32 v13, s[36:37], 0, v17, s[36:37]\nflat_store_dwordx4 v[12:13], v[%d:%d]", 4*i, i, i+3)
		}
	}
	if w.IntN(3) == 0 {
		w.line("v_mov_b32 v12, s%d\nv_mov_b32 v13, s%d\nflat_store_dwordx2 v[16:17], v[12:13]", w.IntN(8), 38+w.IntN(2))
	}
}

// index returns an operand of a kind.
func (w *gcnIndexWriter) index(kind string) string {
	if w.here != nil {
		if s, ok := w.around(kind); ok {
			return s
		}
	}
	switch kind {
	case "v":
		return fmt.Sprint("v", 1+w.IntN(7))
	case "v2":
		return "v8"
	case "y":
		return fmt.Sprint("v", pickOne(w.Rand, w.IntN(8), w.IntN(8), w.IntN(3), 8, 9))
	case "V":
		return pickOne(w.Rand, "v[4:5]", "v[6:7]", "v[10:11]")
	case "W":
		return pickOne(w.Rand, "v[4:5]", "v[6:7]", "v[10:11]", "v[10:11]")
	case "s":
		return fmt.Sprint("s", 2+w.IntN(6))
	case "u":
		return fmt.Sprint("s", pickOne(w.Rand, 0, 0, 1, 3, w.IntN(8)))
	case "C":
		return fmt.Sprintf("%#x", randprog.Nasty(w.Rand))
	case "c", "k":
		return pickOne(w.Rand, "4", "8", "12", "16", "4")
	case "M":
		return pickOne(w.Rand, "28", "0x1ff", "0xffc", "7", "31", "0x1fc", "3", "-4", "0xffff", "24", "60")
	case "n":
		return pickOne(w.Rand, "1", "2", "3", "4", "5", "8", "16", "29", "31")
	case "a":
		return "s" + w.pair
	case "b":
		return map[string]string{"20": "s21", "22": "s23", "40": "s41"}[w.pair]
	}
	return w.reg(kind)
}

// at computes an address in the input, or in the block's own memory, in v[12:13].
func (w *gcnIndexWriter) at(own int) {
	w.pair = []string{pickOne(w.Rand, "20", "20", "40"), "22"}[own]
	left := w.left
	index := pickOne(w.Rand, "v14", "v14", fmt.Sprint("v", 1+w.IntN(7))) // an index in a register that other statements read stays live
	fill := func(t string) { w.fill(strings.ReplaceAll(t, "v14", index)) }
	fill(gcnSmall[w.IntN(len(gcnSmall))])
	t := gcnScaled[w.IntN(len(gcnScaled))]
	if own > 0 {
		t = gcnScaled[2*w.IntN(2)] // times 4
	}
	fill(t)
	if w.IntN(3) == 0 {
		fill(gcnBetween[w.IntN(len(gcnBetween))])
	}
	w.left = left
}

func (w *gcnIndexWriter) access() {
	const wait = "\ns_waitcnt vmcnt(0) & lgkmcnt(0)"
	switch k := w.IntN(16); {
	case k < 6:
		w.at(0)
		w.fill(gcnUses[0][w.IntN(len(gcnUses[0]))] + wait)
	case k < 9:
		w.at(1)
		w.fill(gcnUses[1][w.IntN(len(gcnUses[1]))] + wait)
	case k < 15:
		left := w.left
		w.fill(gcnSmall[w.IntN(len(gcnSmall))])
		w.fill(gcnNarrow[w.IntN(len(gcnNarrow))] + wait)
		w.left = left - 1
	default:
		w.fill("v_and_b32 v14, {0xffc/0x7fc/28}, {y}\nv_mov_b32 v13, s21\nv_add_u32 v12, vcc, s20, v14\nv_addc_u32 v13, vcc, 0, v13, vcc\nflat_load_dword {v}, v[12:13]" + wait)
	}
}

func (w *gcnIndexWriter) some() {
	w.inner(3, w.step)
}

func (w *gcnIndexWriter) step() {
	n := 29
	if w.depth > 1 || w.left <= 0 {
		n = 20
	}
	switch k := w.IntN(n); {
	case k < 13:
		w.fill(w.pure(gcnIndex))
	case k < 16 && w.private:
		w.own(18)
	case k < 19:
		w.access()
	case k == 19:
		w.fill(pickOne(w.Rand, "s_barrier", "s_mov_b64 exec, -1", "v_cmpx_{lt/ge}_u32 vcc, {n}, {y}", "s_and_b64 exec, exec, vcc"))
	case k < 21:
		els := w.label()
		w.fill(gcnConds + els)
		w.some()
		w.line("%s:", els)
	case k < 25: // a conditional with a lane mask
		end, at := w.label(), 12+2*min(w.depth, 2)
		w.fill("v_cmp_{lt/ge/ne}_{u32/i32} vcc, {n}, {y}")
		w.fill(fmt.Sprintf("s_{and/andn2}_saveexec_b64 s[%d:%d], vcc\ns_cbranch_execz %s", at, at+1, end))
		w.some()
		w.line("%s:", end)
		w.fill(fmt.Sprintf("s_{or/xor}_b64 exec, exec, s[%d:%d]", at, at+1))
	case k < 26:
		w.walk()
	default:
		top := w.label()
		w.line("%s:", top)
		w.some()
		if w.IntN(2) == 0 {
			r := w.index("v")
			w.fill("v_add_u32 " + r + ", vcc, {c}, " + r)
		}
		w.back(top)
	}
}
