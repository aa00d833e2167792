package amdgpu

import (
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

// TestPortability checks the reports for other chips: a chip of the same vendor line lacks the
// features that the newer manuals leave out. If the target has waves of 64 lanes, there is no
// report about 64 lanes.
func TestPortability(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, target, want string }{
		{"v_mov_b32_dpp v1, v2 row_bcast:15 row_mask:0xf bank_mask:0xf", "gfx90a", ""},
		{"v_mov_b32_dpp v1, v2 row_bcast:15 row_mask:0xf bank_mask:0xf", "gfx1010", "not-on-target error: v_mov_b32_dpp: gfx1010 has no row_bcast:15"},
		{"v_mov_b32_dpp v1, v2 wave_ror:1 row_mask:0xf bank_mask:0xf", "gfx1201", "not-on-target error: v_mov_b32_dpp: gfx1201 has no wave_ror:1"},
		{"v_mov_b32_dpp v1, v2 row_ror:3 row_mask:0xf bank_mask:0xf", "gfx1200", ""},
		{"v_add_u32 v1, vcc, v2, v3", "gfx906", "not-on-target error: v_add_u32_e32: gfx906 has it by another name, v_add_co_u32"},
		{"v_addc_u32 v1, vcc, v2, v3, vcc", "gfx1030", "not-on-target error: v_addc_u32_e32: gfx1030 has it by another name, v_add_co_ci_u32|lane-count note: v_addc_u32_e32 keeps a mask of 64 lanes in a pair of registers"},
		{"v_mov_b32_sdwa v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD", "gfx1030", ""},
		{"v_mov_b32_sdwa v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD", "gfx1100", "not-on-target error: v_mov_b32_sdwa: gfx1100 does not have it in this form"},
		{"ds_add_u32 v1, v2 gds", "gfx90a", "not-on-target error: ds_add_u32: gfx90a has no gds"},
		{"flat_load_dword v1, v[2:3] glc slc", "gfx942", "not-on-target error: flat_load_dword: gfx942 has no glc, slc"},
		{"flat_load_dword v1, v[2:3]", "gfx942", ""},
		{"v_readlane_b32 s4, v1, 31", "sm", ""},
		{"v_readlane_b32 s4, v1, 32", "sm", "lane-count note: v_readlane_b32: lane 32 is not there in a wave of 32 lanes"},
		{"v_readlane_b32 s4, v1, 32", "gfx908", ""},
		{"v_writelane_b32 v1, 40, 3", "sm", ""},
		{"v_lshrrev_b32 v1, 6, v0", "sm", "lane-count note: v_lshrrev_b32_e32: with 6 it divides work-items into waves of 64 lanes"},
		{"v_lshrrev_b32 v1, 6, v2", "sm", ""},
		{"v_mov_b32 v0, v3; v_lshrrev_b32 v1, 6, v0", "sm", ""},
		{"v_lshrrev_b32 v1, 5, v0", "sm", ""},
		{"v_and_b32 v1, 63, v0", "sm", "lane-count note: v_and_b32_e32: with 63 it divides work-items into waves of 64 lanes"},
		{"v_add_f32_dpp v1, v2, v3 row_shr:1 row_mask:0x3 bank_mask:0xf", "sm", ""},
		{"v_add_f32_dpp v1, v2, v3 row_shr:1 row_mask:0x7 bank_mask:0xf", "sm", "lane-count note: v_add_f32_dpp: row_mask:0x7 names row 2, and 32 lanes have rows 0 and 1 alone"},
		{"s_and_b64 s[4:5], s[6:7], s[8:9]", "sm", ""},
		{"v_cmp_lt_u32_e64 s[6:7], v1, v2; s_bcnt1_i32_b64 s4, s[6:7]", "sm", "lane-count note: v_cmp_lt_u32_e64 and 1 more instructions keep masks of 64 lanes in pairs of registers"},
		{"s_mov_b64 exec, -1", "gfx803", ""},
		{"s_mov_b64 exec, -1", "gfx1100", "lane-count note: s_mov_b64 keeps a mask of 64 lanes in a pair of registers"},
	} {
		code := assembleText(t, strings.ReplaceAll(c.text, "; ", "\n")+"\ns_endpgm")
		r, err := Portability(Code{Bytes: code, File: "k"}, c.target)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range r.Findings {
			got = append(got, d.Code+" "+d.Severity.String()+": "+d.Message)
			if d.Remedy == "" || d.Section == "" {
				t.Errorf("%s: no remedy or section: %+v", c.text, d)
			}
		}
		if g := strings.Join(got, "|"); g != c.want {
			t.Errorf("%s to %s:\n got %q\nwant %q", c.text, c.target, g, c.want)
		}
	}
	if _, err := Portability(Code{Bytes: []byte{0, 0, 0x81, 0xbf}}, "gfx601"); diag.Of(err).ExitCode() != 2 {
		t.Errorf("gfx601: %v", err)
	}
}
