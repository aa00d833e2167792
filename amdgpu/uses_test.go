package amdgpu

import (
	"regexp"
	"testing"
)

// TestUses compares the implicit reads and writes of each row with a second transcription of the
// manual by the names of the instructions.
func TestUses(t *testing.T) {
	t.Parallel()
	rules := []struct {
		s             Special
		reads, writes string
	}{
		{SCC, `^s_(addc|subb)_u32$|^s_cselect_|^s_cmovk?_|^s_cbranch_scc`,
			`^s_(add|sub)_[ui]32$|^s_(addc|subb)_u32$|^s_(min|max)_|^s_(and|or|xor|andn2|orn2|nand|nor|xnor)_|^s_(lshl|lshr|ashr)_|^s_bfe_|^s_absdiff_|^s_cmp_|^s_cmpk_|^s_bitcmp|^s_addk_|^s_not_|^s_wqm_|^s_bcnt|^s_quadmask_|^s_abs_`},
		{VCC, `^v_div_fmas_|^s_cbranch_vcc`, `^$`},
		{EXEC, `_saveexec_|^s_cbranch_(exec|[gi]_fork)|^(v|ds|flat|buffer|tbuffer|image)_|^exp$`, `^v_cmpx_|_saveexec_|^s_cbranch_([gi]_fork|join)`},
		{M0, `^[sv]_movrel|^ds_|^flat_|^s_sendmsg|^v_interp_|_lds_dword$|^s_ttracedata$|^s_set_gpr_idx_(on|idx|mode)$`, `^s_set_gpr_idx_(on|idx|mode)$`},
		{FlatScratch, `^flat_`, `^$`},
		{PC, `^s_getpc_|^s_swappc_`, `^s_(branch|cbranch_|setpc_|swappc_|rfe_|trap)`},
	}
	// The names do not show these exceptions: instructions on lanes that EXEC does not select,
	// instructions on no lane at all, and DS instructions that M0 does not bound, because they do
	// not access LDS.
	except := map[Special]string{
		EXEC: `^v_(readlane|writelane)_|^v_nop$|^v_clrexcp$|^buffer_wbinvl1|^ds_nop$|^ds_gws_sema_(v|p|release_all)$`,
		M0:   `^ds_(permute|bpermute|swizzle|nop)`,
	}
	compiled := map[string]*regexp.Regexp{}
	matches := func(expr, name string) bool {
		if compiled[expr] == nil {
			compiled[expr] = regexp.MustCompile(expr)
		}
		return compiled[expr].MatchString(name)
	}
	for _, r := range Rows() {
		reads, writes := r.Uses()
		for _, k := range rules {
			x := except[k.s]
			wantR := matches(k.reads, r.Name) && (x == "" || !matches(x, r.Name))
			wantW := matches(k.writes, r.Name)
			if got := reads&k.s != 0; got != wantR {
				t.Errorf("%s: reads %s %v, want %v", r.Name, implicitName(k.s), got, wantR)
			}
			if got := writes&k.s != 0; got != wantW {
				t.Errorf("%s: writes %s %v, want %v", r.Name, implicitName(k.s), got, wantW)
			}
		}
		// MODE affects every float operation of the vector ALU that computes.
		float := false
		for _, s := range r.Operands {
			float = float || s.Type.IsFloat()
		}
		if r.Sem != nil && reads&Mode != 0 && IsVALU(r) && !float {
			t.Errorf("%s reads mode, but has no float", r.Name)
		}
	}
}

func implicitName(s Special) string {
	for _, n := range specialNames() {
		if n.s == s {
			return n.name
		}
	}
	return "?"
}
