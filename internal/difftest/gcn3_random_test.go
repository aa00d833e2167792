package difftest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/amdgpu/hazard"
	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/ir"
)

const (
	gcnOut     = 128 // bytes of results for each lane
	gcnLDS     = 2048
	gcnScratch = 64 // bytes of private memory for each lane
	gcnRegs    = 12 // v0 to v11 and s0 to s11 belong to the program
)

// gcnPure are templates of instructions without effects on memory. v and V are vector registers and
// pairs to write; x is any vector source, y a vector register; s and S are scalar registers and
// pairs; t and T are scalar sources; c is a pair for a mask, or vcc.
var gcnPure = []string{
	"v_{add/sub/subrev/mul/min/max/mac}_f32 {v}, {x}, {y}", "v_{mul_i32_i24/mul_u32_u24/mul_hi_i32_i24/min_i32/max_i32/min_u32/max_u32/and_b32/or_b32/xor_b32/lshlrev_b32/lshrrev_b32/ashrrev_i32} {v}, {x}, {y}",
	"v_{add/sub/subrev/mul/mac/min/max}_f16 {v}, {h}, {y}", "v_{add_u16/sub_u16/mul_lo_u16/lshlrev_b16/lshrrev_b16/ashrrev_i16/max_u16/min_i16} {v}, {h}, {y}", "v_ldexp_f16 {v}, {h}, {y}",
	"v_{add/sub/subrev}_u32 {v}, vcc, {x}, {y}", "v_{addc/subb/subbrev}_u32 {v}, vcc, {y}, {y}, vcc", "v_add_u32_e64 {v}, {c}, {y}, {y}", "v_cndmask_b32 {v}, {y}, {y}, vcc", "v_cndmask_b32_e64 {v}, {y}, {y}, {c}",
	"v_mov_b32 {v}, {x}", "v_{not_b32/bfrev_b32/ffbh_u32/ffbl_b32/ffbh_i32} {v}, {x}", "v_cvt_{f32_i32/f32_u32/u32_f32/i32_f32/f16_f32/f32_f16/rpi_i32_f32/flr_i32_f32/off_f32_i4/f32_ubyte0/f32_ubyte3} {v}, {h}",
	"v_{fract/trunc/ceil/rndne/floor/exp/log/rcp/rsq/sqrt/sin/cos/frexp_mant}_f32 {v}, {x}", "v_frexp_exp_i32_f32 {v}, {x}", "v_{rcp/sqrt/rsq/exp/log/fract/rndne/trunc}_f16 {v}, {h}", "v_cvt_{u16_f16/i16_f16/f16_u16/f16_i16} {v}, {h}",
	"v_cvt_f64_{f32/i32/u32} {V}, {x}", "v_cvt_{f32/i32/u32}_f64 {v}, {W}", "v_{rcp/sqrt/fract/trunc/rndne/floor}_f64 {V}, {W}",
	"v_{mad/fma}_f32 {v}, {n}, {n}, {n}{clamp}", "v_{add/mul/max}_f32_e64 {v}, {n}, {n}{clamp}", "v_{med3/min3/max3}_f32 {v}, {n}, {n}, {n}", "v_{med3/min3/max3}_{i32/u32} {v}, {y}, {y}, {y}", "v_{mad_i32_i24/mad_u32_u24/sad_u32/sad_u8/msad_u8/lerp_u8/bfe_u32/bfe_i32/bfi_b32/alignbit_b32/alignbyte_b32/perm_b32} {v}, {y}, {y}, {y}",
	"v_{mul_lo_u32/mul_hi_u32/mul_hi_i32/bfm_b32/bcnt_u32_b32/mbcnt_lo_u32_b32/mbcnt_hi_u32_b32/ldexp_f32/cvt_pkrtz_f16_f32/cvt_pk_u16_u32/cvt_pknorm_i16_f32} {v}, {y}, {y}", "v_{mad/fma}_f16 {v}, {n}, {n}, {n}", "v_div_fixup_f32 {v}, {y}, {y}, {y}", "v_cvt_pk_u8_f32 {v}, {y}, {y}, {y}",
	"v_{add/mul/min/max}_f64 {V}, {W}, {W}", "v_fma_f64 {V}, {W}, {W}, {W}", "v_{lshlrev_b64/lshrrev_b64/ashrrev_i64} {V}, {y}, {W}", "v_mad_u64_u32 {V}, {c}, {y}, {y}, {W}", "v_ldexp_f64 {V}, {W}, {y}",
	"v_cmp_{lt/le/gt/ge/eq/lg/u/nlt/neq}_f32 vcc, {x}, {y}", "v_cmp_{lt/le/gt/ge/eq/ne}_{i32/u32} vcc, {x}, {y}", "v_cmp_{lt/eq/ge}_{f16/u16/i16} vcc, {h}, {y}", "v_cmp_{lt/eq/ge}_{f32/u32/i32}_e64 {c}, {y}, {y}", "v_cmp_{lt/eq/ge}_{f64/u64/i64} vcc, {W}, {W}", "v_cmp_class_f32 vcc, {x}, {y}",
	"v_cmpx_{lt/ge/ne}_{u32/i32} vcc, {x}, {y}", "v_cmpx_{lt/ge}_f32 vcc, {x}, {y}",
	"v_{add_f32/mul_f32/and_b32/max_u32/add_f16}_dpp {v}, {y}, {y} {dpp}", "v_mov_b32_dpp {v}, {y} {dpp}", "v_mov_b32_dpp {v}, {y} {dpp}",
	"v_{add_u16/mul_lo_u16/and_b32/add_f16/max_u32/add_f32}_sdwa {v}, {y}, {y} {sdwa}", "v_mov_b32_sdwa {v}, {y} dst_sel:{sel} dst_unused:{unused} src0_sel:{sel}", "v_cmp_lt_u32_sdwa vcc, {y}, {y} src0_sel:{sel} src1_sel:{sel}",
	"s_{add_u32/addc_u32/sub_u32/subb_u32/add_i32/sub_i32/min_i32/max_u32/and_b32/or_b32/xor_b32/andn2_b32/nand_b32/lshl_b32/lshr_b32/ashr_i32/bfe_u32/bfe_i32/bfm_b32/mul_i32/absdiff_i32/cselect_b32} {s}, {t}, {u}",
	"s_{and/or/xor/andn2/orn2/nor/xnor}_b64 {S}, {T}, {T}", "s_{lshl_b64/lshr_b64/ashr_i64/bfe_u64} {S}, {T}, {u}", "s_cselect_b64 {S}, {T}, {T}", "s_{mov/not/wqm/brev}_b64 {S}, {T}", "s_{mov/not/brev/cmov}_b32 {s}, {t}", "s_{bcnt1_i32/bcnt0_i32/ff1_i32/flbit_i32}_b32 {s}, {t}", "s_{bcnt1_i32/ff1_i32/flbit_i32}_b64 {s}, {T}", "s_{abs_i32/sext_i32_i8/sext_i32_i16} {s}, {u}", "s_bitset{0/1}_b32 {s}, {t}",
	"s_cmp_{lt/le/gt/ge/eq/lg}_{i32/u32} {t}, {u}", "s_bitcmp{0/1}_b32 {t}, {u}", "s_cmp_eq_u64 {T}, {T}", "s_movk_i32 {s}, {k}", "s_addk_i32 {s}, {k}", "s_mulk_i32 {s}, {k}", "s_cmovk_i32 {s}, {k}", "s_cmpk_lt_i32 {s}, {k}",
	"s_{and/or/andn2/xor}_saveexec_b64 {S}, {T}", "s_mov_b64 exec, {T}", "s_mov_b64 exec, -1", "s_mov_b64 exec, -1", "s_mov_b64 {S}, exec", "s_or_b64 exec, exec, {T}", "s_and_b64 exec, exec, {T}", "s_mov_b64 vcc, {T}",
	"v_readlane_b32 {s}, {y}, {u}", "v_readlane_b32 {s}, {y}, {l}", "v_readfirstlane_b32 {s}, {y}", "v_writelane_b32 {v}, {u}, {l}", "ds_swizzle_b32 {v}, {y} offset:{o16}", "ds_{permute/bpermute}_b32 {v}, {y}, {y}",
	"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), {o8}", "s_getreg_b32 {s}, hwreg(HW_REG_MODE, 0, 10)", "s_barrier", "s_memtime {S}",
}

// gcnMemory are templates of accesses; v12 to v15 hold addresses.
var gcnMemory = []string{
	"v_and_b32 v14, 0x3fc, {y}\nds_read_b32 {v}, v14 offset:{o4}", "v_and_b32 v14, 0x3fc, {y}\nds_write_b32 v14, {y} offset:{o4}", "v_and_b32 v14, 0x3f8, {y}\nds_write_b64 v14, {W} offset:{o8x8}\nds_read_b64 {V}, v14", "v_and_b32 v14, 0x3ff, {y}\nds_read_{u8/i8} {v}, v14", "v_and_b32 v14, 0x3fe, {y}\nds_read_{u16/i16} {v}, v14", "v_and_b32 v14, 0x3ff, {y}\nds_write_b8 v14, {y}",
	"v_and_b32 v14, 0x1fc, {y}\nds_read2_b32 {V}, v14 offset0:{l} offset1:{l}", "v_and_b32 v14, 0x1fc, {y}\nds_write2_b32 v14, {y}, {y} offset0:3 offset1:{l}", "v_and_b32 v14, 0x1f8, {y}\nds_read2st64_b32 {V}, v14 offset1:1",
	"v_and_b32 v14, 0x7c, {y}\nds_{add_u32/sub_u32/min_i32/max_u32/and_b32/or_b32/xor_b32/inc_u32} v14, {y}", "v_and_b32 v14, 0x7c, {y}\nds_{add/min/max/inc/dec}_rtn_u32 {v}, v14, {y}", "v_and_b32 v14, 0x7c, {y}\nds_wrxchg_rtn_b32 {v}, v14, {y}", "v_and_b32 v14, 0x7c, {y}\nds_cmpst_rtn_b32 {v}, v14, {y}, {y}",
	"v_lshlrev_b32 v14, 2, v15\nds_write_b32 v14, {y}", "v_lshlrev_b32 v14, 2, v15\nds_read_b32 {v}, v14 offset:{o4}",
	"{in}flat_load_dword {v}, v[12:13]", "{in}flat_load_{ubyte/sbyte/ushort/sshort} {v}, v[12:13]", "{in}flat_load_dwordx2 {V}, v[12:13]", "{in}flat_load_dwordx4 v[{q}], v[12:13]",
	"{own}flat_store_dword v[12:13], {y}", "{own}flat_store_dwordx2 v[12:13], {W}", "{own}flat_store_byte v[12:13], {y}", "{own}flat_load_dword {v}, v[12:13]", "{own}flat_atomic_{add/smin/umax/and/or/xor/swap/inc/dec} {v}, v[12:13], {y} glc", "{own}flat_atomic_{add/smax/or} v[12:13], {y}",
	"s_load_dword {s}, s[20:21], {o4}", "s_load_dwordx2 {S}, s[20:21], {o4}", "s_load_dwordx4 s[{q4}], s[20:21], {o4}", "s_and_b32 s26, {u}, 0xffc\ns_load_dword {s}, s[20:21], s26",
	"v_and_b32 v14, 0x3fc, {y}\nbuffer_load_dword {v}, v14, s[32:35], 0 offen offset:{o4}", "v_and_b32 v14, 0x3f, {y}\nbuffer_load_ubyte {v}, v14, s[32:35], 0 offen", "v_and_b32 v14, 0xff8, {y}\nbuffer_load_dwordx2 {V}, v14, s[32:35], 0 offen offset:16", "buffer_load_dword {v}, off, s[32:35], 0 offset:{o4}",
	"v_mov_b32 v12, s28\nv_mov_b32 v13, s29\nflat_atomic_{add/add} v[12:13], {y}", "v_mov_b32 v12, s28\nv_or_b32 v12, 8, v12\nv_mov_b32 v13, s29\nflat_atomic_{add_x2/add_x2} v[12:13], {W}", // separate places: a 4-byte sum has no carry into the 8-byte one
}

// A gcnWriter makes programs in GCN3 assembly.
type gcnWriter struct {
	writer
	free   []string
	clean  bool // the program has all required waits
	short  bool // see the constant short
	off    bool // see everybody
	rows   bool // instructions also come from the rows of the table
	idioms bool // half of the operations are in sequences: see idiom
	// uneven programs flush denormals in operands only, or in results only.
	uneven bool
}

func makeGCN(seed uint64) (made, error) {
	if indexed(seed) {
		return makeGCNIndex(seed)
	}
	if together(seed) {
		return makeGCNTogether(seed)
	}
	if missing(seed) {
		return makeGCNMissing(seed)
	}
	w := &gcnWriter{writer: writer{Rand: rand.New(rand.NewPCG(seed, 0x67636e33))}}
	w.operand = w.reg
	p := &textProgram{seed: seed, grid: uint32(1 + w.IntN(3)), block: pickOne(w.Rand, uint32(64), 64, 64, 128, 40, 65, 1), mode: uint32(w.IntN(1024)), build: buildGCN}
	if w.IntN(2) == 0 {
		p.mode = 0xc0 // f32 denormals are flushed, rounding to nearest
	}
	w.clean = w.IntN(4) > 0
	w.rows = w.IntN(2) == 0
	w.uneven, w.idioms = p.mode != 0xc0, idiomatic(seed)
	if w.short = w.IntN(4) > 0; w.short {
		p.mode |= short
	}
	if seed/16%4 == 2 { // among the programs that run unchanged, and in steps
		p.mode |= late
	}
	for range w.IntN(3) {
		w.free = append(w.free, w.label())
	}
	w.begin()
	if w.idioms {
		w.prefill()
	}
	w.fewer()
	first := len(w.lines)
	w.left = 5 + w.IntN(35)
	for w.left > 0 {
		w.statement()
	}
	last := len(w.lines)
	w.end()
	p.lines = w.lines
	for _, l := range w.free {
		at := first + w.IntN(last+1-first)
		p.lines = append(p.lines[:at:at], append([]string{l + ":"}, p.lines[at:]...)...)
	}
	return p.made(".s")
}

// begin initialises the registers.
func (w *gcnWriter) begin() {
	const wait = "\ns_waitcnt vmcnt(0) & lgkmcnt(0)"
	address := "v_lshlrev_b32 v14, 4, v15\nv_mov_b32 v13, s21\nv_add_u32 v12, vcc, s20, v14\nv_addc_u32 v13, vcc, 0, v13, vcc\n"
	if w.short {
		for i := 4; i < 12; i += 4 {
			w.line("v_add_u32 v12, vcc, %d, v18\nv_addc_u32 v13, vcc, 0, v19, vcc\nflat_load_dwordx2 v[%d:%d], v[12:13]"+wait, 8*w.IntN(350), i, i+1)
			w.line("v_xor_b32 v%d, v%d, v0\nv_alignbit_b32 v%d, v%d, v%d, %d", i+2, i, i+3, i, i+1, w.IntN(32))
		}
	} else {
		w.line("%s", address+"flat_load_dwordx4 v[4:7], v[12:13]"+wait)
		w.line("%s", address+"v_add_u32 v12, vcc, 0x800, v12\nv_addc_u32 v13, vcc, 0, v13, vcc\nflat_load_dwordx4 v[8:11], v[12:13]"+wait)
	}
	w.line("s_load_dwordx8 s[0:7], s[20:21], %d%s", 4*w.IntN(64), wait)
	w.line("s_load_dwordx4 s[8:11], s[20:21], %d%s", 4*w.IntN(64), wait)
	w.line("v_mbcnt_lo_u32_b32 v1, -1, 0\nv_mbcnt_hi_u32_b32 v1, -1, v1")
	w.line("v_cvt_f32_u32 v2, v0")
	w.line("v_cmp_lt_u32 vcc, v0, v4\ns_nop 7")
}

// end stores the registers.
func (w *gcnWriter) end() {
	// All lanes store, even absent ones. Each has a separate place, because waves may arrive in any
	// order.
	w.line("s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)\ns_nop 7\ns_mov_b64 s[38:39], exec")
	w.everybody()
	if w.short {
		w.sum()
		return
	}
	store := func(i, reg int) string { // stores registers reg to reg+3 as the results i to i+3
		return fmt.Sprintf("v_mov_b32 v14, %d\nv_add_u32 v12, s[36:37], v14, v16\nv_addc_u32 v13, s[36:37], 0, v17, s[36:37]\nflat_store_dwordx4 v[12:13], v[%d:%d]", 4*i, reg, reg+3)
	}
	for i := 0; i < gcnRegs; i += 4 {
		w.line("%s", store(i, i))
	}
	scalars := gcnScalars()
	for i := 0; i < len(scalars); i += 4 {
		for k, s := range scalars[i : i+4] {
			w.line("v_mov_b32 v%d, %s", k, s)
		}
		w.line("%s", store(gcnRegs+i, 0))
	}
}

// fewer makes some lanes inactive in some programs, before the other statements. A value that one
// lane provides for the rest must then not come from the first lane.
func (w *gcnWriter) fewer() {
	if w.IntN(4) > 0 {
		return
	}
	w.off = w.IntN(3) > 0
	w.fill(pickOne(w.Rand, "v_cmp_{lt/ge/ne}_u32 vcc, {1/4/16/31/47}, v1\ns_nop 7\ns_and_b64 exec, exec, vcc", "s_lshl_b64 s[36:37], exec, {1/4/33}\ns_and_b64 exec, exec, s[36:37]", "s_mov_b32 s36, {0xfffffff0/0xfff0fff0/0xfffe/0}\ns_and_b32 {exec_lo/exec_hi}, exec_lo, s36", "v_and_b32 v12, {1/3/7/15}, v1\nv_cmp_ne_u32 vcc, 0, v12\ns_nop 7\ns_and_b64 exec, exec, vcc"))
	w.line("s_nop 7")
}

// everybody makes all lanes active, unless fewer has made some inactive at the start. In that case
// the values of the inactive lanes do not matter.
func (w *gcnWriter) everybody() {
	if !w.off {
		w.line("s_mov_b64 exec, -1\ns_nop 7")
	}
}

// gcnScalars returns the scalar registers of a program at its end.
func gcnScalars() []string {
	return []string{"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "vcc_lo", "vcc_hi", "s38", "s39"}
}

// sum stores two words of each lane: one combines all vector registers, the other all scalar
// registers.
func (w *gcnWriter) sum() {
	w.line("s_mov_b32 s37, 0x9e3779b1\ns_mov_b32 s36, s0")
	for _, s := range gcnScalars()[1:] {
		w.line("s_mul_i32 s36, s36, s37\ns_add_u32 s36, s36, %s", s)
	}
	w.line("v_mov_b32 v12, v0")
	for i := 1; i < gcnRegs; i++ {
		w.line("v_mul_lo_u32 v12, v12, s37\nv_xor_b32 v12, v12, v%d", i)
	}
	w.line("v_mov_b32 v13, s36\nflat_store_dwordx2 v[16:17], v[12:13]")
}

// reg returns an operand of a kind.
func (w *gcnWriter) reg(kind string) string {
	n := w.IntN(gcnRegs)
	inline := func() string {
		return pickOne(w.Rand, "0", "1", "-1", "64", "-16", "0.5", "1.0", "-2.0", "4.0", fmt.Sprintf("%#x", enginetest.RandomValue(w.Rand, ir.B32)))
	}
	pair := func(file string) string { return fmt.Sprintf("%s[%d:%d]", file, n&^1, n|1) }
	switch kind {
	case "v", "y":
		return fmt.Sprint("v", n)
	case "x":
		switch w.IntN(6) {
		case 0:
			return inline()
		case 1:
			return fmt.Sprint("s", n)
		}
		return fmt.Sprint("v", n)
	case "h": // same as x, with 16 bits
		return pickOne(w.Rand, fmt.Sprint("v", n), fmt.Sprint("v", n), fmt.Sprint("s", n), fmt.Sprintf("%#x", enginetest.RandomValue(w.Rand, ir.B16)))
	case "n":
		r := fmt.Sprint("v", n)
		return pickOne(w.Rand, r, r, "-"+r, "|"+r+"|", "-|"+r+"|")
	case "clamp":
		return pickOne(w.Rand, "", "", " clamp", " mul:2", " div:2", " mul:4 clamp")
	case "V", "W":
		return fmt.Sprintf("v[%d:%d]", n&^1, n|1)
	case "q":
		return fmt.Sprintf("%d:%d", n&^3, n|3)
	case "q4":
		return pickOne(w.Rand, "0:3", "4:7", "8:11")
	case "s":
		return fmt.Sprint("s", n)
	case "S":
		return pickOne(w.Rand, pair("s"), pair("s"), pair("s"), "vcc")
	case "c":
		return pickOne(w.Rand, pair("s"), "vcc")
	case "t":
		if w.IntN(3) == 0 {
			return inline()
		}
		return pickOne(w.Rand, fmt.Sprint("s", n), fmt.Sprint("s", n), "vcc_lo", "exec_lo", "exec_hi")
	case "u": // not a second literal
		return pickOne(w.Rand, fmt.Sprint("s", n), "3", "-1", "17", "vcc_hi")
	case "T":
		return pickOne(w.Rand, pair("s"), pair("s"), "vcc", "exec", "-1", "5")
	case "k":
		return fmt.Sprint(w.IntN(1<<16) - 1<<15)
	case "l":
		return fmt.Sprint(w.IntN(64))
	case "o4":
		return fmt.Sprint(4 * w.IntN(32))
	case "o8x8":
		return fmt.Sprint(8 * w.IntN(16))
	case "o8":
		return fmt.Sprintf("%#x", w.IntN(256))
	case "o16":
		return fmt.Sprintf("%#x", w.IntN(1<<16))
	case "dpp":
		ctrl := pickOne(w.Rand, fmt.Sprintf("quad_perm:[%d,%d,%d,%d]", w.IntN(4), w.IntN(4), w.IntN(4), w.IntN(4)), fmt.Sprintf("row_shl:%d", 1+w.IntN(15)), fmt.Sprintf("row_shr:%d", 1+w.IntN(15)), fmt.Sprintf("row_ror:%d", 1+w.IntN(15)),
			"wave_shl:1", "wave_rol:1", "wave_shr:1", "wave_ror:1", "row_mirror", "row_half_mirror", "row_bcast:15", "row_bcast:31")
		return fmt.Sprintf("%s row_mask:%#x bank_mask:%#x%s", ctrl, pickOne(w.Rand, 15, 15, w.IntN(16)), pickOne(w.Rand, 15, 15, w.IntN(16)), pickOne(w.Rand, "", " bound_ctrl:0"))
	case "sel":
		return pickOne(w.Rand, "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD")
	case "unused":
		return pickOne(w.Rand, "UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")
	case "sdwa":
		return fmt.Sprintf("dst_sel:%s dst_unused:%s src0_sel:%s src1_sel:%s", w.reg("sel"), w.reg("unused"), w.reg("sel"), w.reg("sel"))
	case "in", "own": // an address in a buffer, in v[12:13]
		s, mask := 20, 0xff0
		if kind == "own" {
			s, mask = 22, 0x1f8
		}
		return fmt.Sprintf("v_and_b32 v14, %#x, %s\nv_mov_b32 v13, s%d\nv_add_u32 v12, vcc, s%d, v14\nv_addc_u32 v13, vcc, 0, v13, vcc\n", mask, pickOne(w.Rand, "v14", "v15", "v0", fmt.Sprint("v", n)), s+1, s)
	}
	panic("difftest: no operand " + kind)
}

func (w *gcnWriter) body() {
	w.inner(4, w.statement)
}

// waited writes a template like fill, with the required waits before and after.
func (w *gcnWriter) waited(t string) {
	w.fill(t)
	if w.clean {
		last := &w.lines[len(w.lines)-1]
		*last = "s_nop 7\n" + strings.ReplaceAll(*last, "\n", "\ns_nop 7\n") + "\ns_nop 7\ns_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)"
	}
}

const gcnConds = "s_cbranch_{scc0/scc1/vccz/vccnz/execz/execnz/scc1/scc0} "

// back branches to a label before it while there is fuel.
func (w *gcnWriter) back(l string) {
	skip := w.label()
	w.fill(gcnConds + skip + "\ns_sub_u32 s30, s30, 1\ns_cmp_gt_i32 s30, 0\ns_cbranch_scc1 " + l + "\n" + skip + ":")
}

func (w *gcnWriter) statement() {
	n := 36
	if w.depth > 3 || w.left <= 0 {
		n = 24
	}
	switch k := w.IntN(n); {
	case k < 18 && w.idioms && w.IntN(2) == 0:
		if w.IntN(3) == 0 {
			w.loaded()
			return
		}
		w.idiom()
	case k < 18:
		if w.rows && w.IntN(2) == 0 {
			w.row()
			return
		}
		t := w.pure(gcnPure)
		if w.rows && !w.uneven && strings.HasPrefix(t, "s_setreg") {
			return // the rows for LDS do not support the MODE at that point
		}
		w.waited(t)
	case k < 24:
		w.waited(gcnMemory[w.IntN(len(gcnMemory))])
	case k < 28:
		els, end := w.label(), w.label()
		w.fill(gcnConds + els)
		w.body()
		if w.IntN(2) == 0 {
			w.line("s_branch %s", end)
			w.line("%s:", els)
			w.body()
		} else {
			w.line("%s:", els)
		}
		w.line("%s:", end)
	case k < 31:
		top := w.label()
		w.line("%s:", top)
		w.body()
		w.back(top)
	case k < 34: // a conditional with a lane mask, in the form of compilers
		end := w.label()
		at := w.IntN(3) * 2
		w.waited("v_cmp_{lt/ge/ne}_{u32/i32} vcc, {x}, {y}")
		w.waited(fmt.Sprintf("s_{and/andn2}_saveexec_b64 s[%d:%d], vcc", 12+at, 13+at))
		w.line("s_cbranch_execz %s", end)
		w.body()
		w.line("%s:", end)
		w.waited(fmt.Sprintf("s_{or/xor}_b64 exec, exec, s[%d:%d]", 12+at, 13+at))
	case k == 34:
		if w.IntN(8) == 0 {
			end := w.label()
			w.fill(gcnConds + end + "\ns_endpgm\n" + end + ":")
		}
	default:
		if len(w.free) > 0 {
			w.back(w.free[w.IntN(len(w.free))])
		}
	}
}

// buildGCN makes the launch of a program.
func buildGCN(p *textProgram) (*randprog.Case, string, error) {
	r := rand.New(rand.NewPCG(p.seed, 0x66756c))
	var b strings.Builder
	first := ""
	if p.mode&short != 0 {
		first = "v_lshlrev_b32 v18, 3, v15\nv_mov_b32 v19, s21\nv_add_u32 v18, vcc, s20, v18\nv_addc_u32 v19, vcc, 0, v19, vcc\n"
	}
	block, err := p.shape()
	if err != nil {
		return nil, "", err
	}
	row := ""
	if p.wide > 0 {
		row = fmt.Sprintf("v_mov_b32 v8, v1\nv_mov_b32 v9, v0\nv_mul_u32_u24 v14, %d, v1\nv_add_u32 v0, vcc, v14, v0\n", p.wide)
	}
	all := "s_mov_b64 s[38:39], exec\ns_mov_b64 exec, -1\n" // absent lanes have results, too
	again := "s_mov_b64 exec, s[38:39]\n"
	if p.mode&whole != 0 {
		all, again = "", ""
	}
	fmt.Fprintf(&b, `s_mov_b32 m0, -1
s_movk_i32 s30, %d
s_mov_b64 s[32:33], s[20:21]
s_and_b32 s33, s33, 0xffff
s_movk_i32 s34, %d
s_mov_b32 s35, 0x00027000
s_mul_i32 s25, s24, %d
s_add_u32 s22, s22, s25
s_addc_u32 s23, s23, 0
s_mul_i32 s25, s24, %d
%sv_readfirstlane_b32 s36, v0
s_add_u32 s25, s25, s36
%sv_mbcnt_lo_u32_b32 v14, -1, 0
v_mbcnt_hi_u32_b32 v14, -1, v14
v_add_u32 v14, vcc, s25, v14
v_mul_u32_u24 v14, %d, v14
v_mov_b32 v17, s19
v_add_u32 v16, vcc, s18, v14
v_addc_u32 v17, vcc, 0, v17, vcc
%sv_and_b32 v15, 0x7f, v0
%s`, 1+r.IntN(10), textInBytes, p.own(), p.lanesOfBlock(64), row, all, p.result(gcnOut), again, first)
	for _, l := range p.lines {
		b.WriteString(l + "\n")
	}
	b.WriteString("s_endpgm\n")
	text := b.String()
	insts, errs := asm.AssembleInsts(text, "k.s")
	if err := errs.Err(); err != nil {
		return nil, text, err
	}
	var code []byte
	for i := range insts {
		code = append(code, insts[i].Bytes...)
	}
	m := p.mode
	scalar := func(reg uint16, value uint64) amdgpu.ABIInput {
		return amdgpu.ABIInput{Kind: ir.LaunchValue, Imm: value, Reg: reg, Dwords: 2}
	}
	inputs := []amdgpu.ABIInput{{Kind: ir.ThreadIDX, VGPR: true}, {Kind: ir.BlockIDX, Reg: 24, Dwords: 1}, {Kind: ir.ActiveMask0, Reg: amdgpu.RegEXEC, Dwords: 2},
		scalar(20, 0), scalar(18, 1), scalar(22, 2), scalar(28, 3)}
	if row != "" {
		inputs = append(inputs, amdgpu.ABIInput{Kind: ir.ThreadIDY, Reg: 1, VGPR: true})
	}
	scratch := uint32(0)
	if m&private != 0 {
		scratch = gcnScratch
		abi := amdgpu.ABI{PrivateSegmentBuffer: true, Scratch: scratch}
		for _, in := range abi.Inputs()[:2] {
			in.Reg += 52
			inputs = append(inputs, in)
		}
	}
	f, err := amdgpu.Lift(amdgpu.Code{Bytes: code, File: "k.s"}, amdgpu.LiftOptions{Track: hazard.Track, Name: "k", LDSSize: gcnLDS, MinVGPRs: 20, Scratch: scratch,
		Mode:   amdgpu.FloatMode{Round32: uint8(m & 3), Round16_64: uint8(m >> 2 & 3), Denorm32: amdgpu.Denorm(m >> 4 & 3), Denorm16_64: amdgpu.Denorm(m >> 6 & 3), NoDX10Clamp: m>>8&1 != 0, NoIEEE: m>>9&1 != 0},
		Inputs: inputs, Late: m&late != 0})
	if err != nil {
		return nil, text, err
	}
	f.Converge()
	return &randprog.Case{Func: f, Grid: [3]uint32{p.grid, 1, 1}, Block: block, Buffers: p.buffers(64, p.result(gcnOut)), Values: nil}, text, nil
}
