package amdgpu

import (
	"strings"

	"example.org/crosslane/diag"
)

// A foreign name is a mnemonic of other GPUs only, with the first GPU that has it and its
// replacement here; "" if no single instruction replaces it.
type foreign struct{ name, gpu, here string }

// earlierNames are the names of gfx8 instructions in LLVM 3.9 to 5, in files of code object version
// 2, with today's operands. They are gfx6's names, until LLVM 6 adopted those of the manual.
var earlierNames = map[string]string{"v_add_i32": "v_add_u32", "v_sub_i32": "v_sub_u32", "v_subrev_i32": "v_subrev_u32"}

// earlier returns the instruction that has the name in a file of that time, nil if there is none.
func (p *parser) earlier(m string) (*Row, Enc, bool) {
	if !p.opt.Earlier {
		return nil, 0, false
	}
	for old, name := range earlierNames {
		suffix, ok := strings.CutPrefix(m, old)
		if !ok {
			continue
		}
		row, enc, forced := p.t.lookUpSuffixed(name + suffix)
		if row != nil {
			p.note(p.pos-len(m), "write "+name+suffix, "%s is what LLVM before 6 called %s", m, name+suffix)
		}
		return row, enc, forced
	}
	return nil, 0, false
}

// foreignNames are names that people write by mistake: renamed instructions, and new ones of gfx9,
// gfx90a, gfx10, gfx11 and gfx12 (AMDGPUAsmGFX9 to AMDGPUAsmGFX12). Never written.
var foreignNames = [...]foreign{
	{"v_add_i32", "gfx6", "v_add_u32"}, {"v_sub_i32", "gfx6", "v_sub_u32"}, {"v_subrev_i32", "gfx6", "v_subrev_u32"},
	{"v_min_legacy_f32", "gfx6", "v_min_f32"}, {"v_max_legacy_f32", "gfx6", "v_max_f32"},
	{"v_lshl_b32", "gfx6", "v_lshlrev_b32, sources exchanged"}, {"v_lshr_b32", "gfx6", "v_lshrrev_b32, sources exchanged"}, {"v_ashr_i32", "gfx6", "v_ashrrev_i32, sources exchanged"},

	{"v_add_co_u32", "gfx9", "v_add_u32"}, {"v_sub_co_u32", "gfx9", "v_sub_u32"}, {"v_subrev_co_u32", "gfx9", "v_subrev_u32"},
	{"v_addc_co_u32", "gfx9", "v_addc_u32"}, {"v_subb_co_u32", "gfx9", "v_subb_u32"}, {"v_subbrev_co_u32", "gfx9", "v_subbrev_u32"},
	{"v_add3_u32", "gfx9", "two v_add_u32"}, {"v_lshl_add_u32", "gfx9", "v_lshlrev_b32 and v_add_u32"}, {"v_add_lshl_u32", "gfx9", "v_add_u32 and v_lshlrev_b32"},
	{"v_lshl_or_b32", "gfx9", "v_lshlrev_b32 and v_or_b32"}, {"v_and_or_b32", "gfx9", "v_and_b32 and v_or_b32"}, {"v_or3_b32", "gfx9", "two v_or_b32"}, {"v_xad_u32", "gfx9", "v_xor_b32 and v_add_u32"},
	{"s_mul_hi_u32", "gfx9", "v_mul_hi_u32"}, {"s_mul_hi_i32", "gfx9", "v_mul_hi_i32"}, {"s_call_b64", "gfx9", "s_getpc_b64 and s_swappc_b64"},
	{"s_lshl1_add_u32", "gfx9", "s_lshl_b32 and s_add_u32"}, {"s_lshl2_add_u32", "gfx9", "s_lshl_b32 and s_add_u32"}, {"s_lshl3_add_u32", "gfx9", "s_lshl_b32 and s_add_u32"},
	{"v_swap_b32", "gfx9", "three v_xor_b32 or v_mov_b32"}, {"v_screen_partition_4se_b32", "gfx9", ""},
	{"v_pk_add_f16", "gfx9", "two v_add_f16"}, {"v_pk_mul_f16", "gfx9", "two v_mul_f16"}, {"v_pk_fma_f16", "gfx9", "two v_fma_f16"},

	{"v_mov_b64", "gfx940", "two v_mov_b32"}, {"v_pk_fma_f32", "gfx90a", "two v_fma_f32"}, {"v_pk_mul_f32", "gfx90a", "two v_mul_f32"}, {"v_pk_add_f32", "gfx90a", "two v_add_f32"},

	{"v_add_nc_u32", "gfx10", "v_add_u32, which writes a carry"}, {"v_sub_nc_u32", "gfx10", "v_sub_u32, which writes a borrow"}, {"v_subrev_nc_u32", "gfx10", "v_subrev_u32, which writes a borrow"},
	{"v_add_co_ci_u32", "gfx10", "v_addc_u32"}, {"v_sub_co_ci_u32", "gfx10", "v_subb_u32"}, {"v_subrev_co_ci_u32", "gfx10", "v_subbrev_u32"},
	{"v_permlane16_b32", "gfx10", "DPP or ds_bpermute_b32"}, {"v_permlanex16_b32", "gfx10", "DPP or ds_bpermute_b32"},
	{"v_cvt_pk_rtz_f16_f32", "gfx11", "v_cvt_pkrtz_f16_f32"}, {"v_fmac_f32", "gfx906", "v_mac_f32, which rounds twice, or v_fma_f32"},
	{"s_waitcnt_vscnt", "gfx10", "s_waitcnt vmcnt(0), which counts stores too"}, {"s_waitcnt_vmcnt", "gfx10", "s_waitcnt vmcnt(0)"}, {"s_waitcnt_expcnt", "gfx10", "s_waitcnt expcnt(0)"}, {"s_waitcnt_lgkmcnt", "gfx10", "s_waitcnt lgkmcnt(0)"},
	{"s_wait_loadcnt", "gfx12", "s_waitcnt vmcnt(0)"}, {"s_wait_storecnt", "gfx12", "s_waitcnt vmcnt(0)"}, {"s_wait_kmcnt", "gfx12", "s_waitcnt lgkmcnt(0)"}, {"s_wait_dscnt", "gfx12", "s_waitcnt lgkmcnt(0)"}, {"s_wait_expcnt", "gfx12", "s_waitcnt expcnt(0)"},
	{"s_barrier_signal", "gfx12", "s_barrier"}, {"s_barrier_wait", "gfx12", "s_barrier"},
	{"s_clause", "gfx10", "nothing: leave it out"}, {"s_delay_alu", "gfx11", "nothing: leave it out"}, {"s_inst_prefetch", "gfx10", "nothing: leave it out"},
}

// foreignFamilies are prefixes of names of other GPUs only.
var foreignFamilies = [...]foreign{
	{"global_", "gfx9", "flat_"}, {"scratch_", "gfx9", "buffer_"},
	{"ds_load_", "gfx11", "ds_read_"}, {"ds_store_", "gfx11", "ds_write_"}, {"ds_loadx", "gfx11", ""},
	{"v_mfma_", "gfx908", ""}, {"v_wmma_", "gfx11", ""}, {"v_dot", "gfx906", ""}, {"v_dual_", "gfx11", ""}, {"v_pk_", "gfx9", ""}, {"v_permlane", "gfx10", "DPP or ds_bpermute_b32"},
	{"s_load_b", "gfx11", "s_load_dword"}, {"s_buffer_load_b", "gfx11", "s_buffer_load_dword"},
	{"flat_load_b", "gfx11", "flat_load_dword"}, {"flat_store_b", "gfx11", "flat_store_dword"},
	{"buffer_load_b", "gfx11", "buffer_load_dword"}, {"buffer_store_b", "gfx11", "buffer_store_dword"},
}

// sizeNames maps the sizes in gfx11's names to those of gfx8.
var sizeNames = map[string]string{"32": "", "64": "x2", "96": "x3", "128": "x4", "256": "x8", "512": "x16"}

// foreignName returns the GPUs that have a mnemonic, and its replacement here.
func (t *Target) foreignName(m string) (gpu, here string) {
	for i := range foreignNames {
		if f := &foreignNames[i]; f.name == m {
			return f.gpu, f.here
		}
	}
	if base, ok := strings.CutSuffix(m, "_b32"); ok && strings.HasPrefix(m, "s_") && strings.Contains(m, "_saveexec") && t.LookUp(base+"_b64") != nil {
		return "gfx10, in waves of 32 lanes", base + "_b64"
	}
	for i := range foreignFamilies {
		f := &foreignFamilies[i]
		rest, ok := strings.CutPrefix(m, f.name)
		if !ok || t.LookUp(m) != nil {
			continue
		}
		here = f.here
		if strings.HasSuffix(here, "dword") {
			size, known := sizeNames[rest]
			if !known {
				return f.gpu, ""
			}
			here += size
		}
		if strings.HasSuffix(here, "_") {
			if here += rest; t.LookUp(here) == nil {
				here = ""
			}
		}
		return f.gpu, here
	}
	return "", ""
}

// foreignModifiers are modifiers of other GPUs only.
var foreignModifiers = map[string]string{
	"row_share": "gfx10", "row_xmask": "gfx10", "dpp8": "gfx10", "fi": "gfx10", "dlc": "gfx10", "row_newbcast": "gfx90a",
	"op_sel": "gfx9", "op_sel_hi": "gfx9", "neg_lo": "gfx9", "neg_hi": "gfx9", "byte_sel": "gfx12", "sc0": "gfx940", "sc1": "gfx940", "nt": "gfx940",
	"dim": "gfx10", "a16": "gfx10", "th": "gfx12", "scope": "gfx12", "nv": "gfx9", "scc": "gfx90a", "swz": "gfx12",
}

// stray explains why a word is neither an operand nor a modifier.
func (p *parser) stray() *synErr {
	p.space()
	e := errorf(p.pos, "%s is neither an operand after a comma nor a modifier of %s", p.word(), p.row.Name).as("bad-modifier")
	id := p.ident()
	if gpu := foreignModifiers[id]; gpu != "" {
		e = errorf(p.pos, "%s has no modifier %s: it came with %s", p.t.Family, id, gpu).as("bad-modifier")
		if strings.HasPrefix(id, "row_") || id == "dpp8" {
			e.remedy = p.t.Family + "'s DPP controls are quad_perm, row_shl, row_shr, row_ror, row_mirror, row_half_mirror, row_bcast and wave_shl, wave_shr, wave_rol, wave_ror"
		}
		return e
	}
	if p.t.IsRegister(id, p.after(len(id))) {
		return e
	}
	if best := diag.Nearest(id, p.modifierNames()); best != "" {
		return e.try("did you mean %s?", best)
	}
	return e
}

// operandFollows reports whether the next word, without a comma before it, is an operand. Otherwise
// it is an unknown modifier.
func (p *parser) operandFollows() bool {
	c, id := p.peek(), p.ident()
	next := p.after(len(id))
	switch {
	case id == "":
		return isDigit(c) || strings.IndexByte("-+~!|[('\"{", c) >= 0
	case p.t.IsRegister(id, next), otherGPU(id), id == "off", next == '(':
		return true
	case len(p.ops) >= len(p.row.Operands), foreignModifiers[id] != "", next == ':':
		return false
	}
	// It is a symbol, unless it looks like a modifier and has no value.
	if diag.Nearest(id, p.modifierNames()) == "" || p.opt.Eval == nil {
		return true
	}
	v, err := p.opt.Eval(id)
	return err == nil && !v.Symbolic
}

// modifierNames returns the modifiers that the row accepts.
func (p *parser) modifierNames() []string {
	var names []string
	for m := range NumMods {
		if m.Name() != "" && p.row.takes(m) {
			names = append(names, m.Name())
		}
	}
	if p.row.takes(ModDPPCtrl) {
		names = append(names, "quad_perm", "row_mirror", "row_half_mirror", "mul", "div")
		for _, r := range dppRanges() {
			names = append(names, r.name)
		}
	}
	return names
}
