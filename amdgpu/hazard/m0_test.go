package hazard

import (
	"fmt"
	"strings"
	"testing"
)

// TestM0 checks the report about paths on which M0 has not been written before a DS instruction
// that M0 limits.
func TestM0(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		// No instruction writes M0: the kernel relies on its initial value.
		{"ds_write_b32 v1, v0", "warning 1"},
		{"ds_read_b32 v1, v0\nds_read_b32 v2, v0", "warning 1"},
		{"ds_add_u32 v1, v0 gds", "warning 1"},
		// M0 is written too late.
		{"ds_write_b32 v1, v0\ns_mov_b32 m0, -1", "error 1"},
		{"ds_add_u32 v1, v0 gds\ns_mov_b32 m0, -1\nds_add_u32 v1, v0 gds", "error 1"},
		{"s_mov_b32 m0, -1\nds_write_b32 v1, v0", ""},
		{"s_movk_i32 m0, 0x100\nds_write_b32 v1, v0", ""},
		{"ds_bpermute_b32 v1, v0, v0\nds_permute_b32 v1, v0, v0\nds_swizzle_b32 v1, v0 offset:0x41f\nds_nop", ""},
		// M0 is written on one side of a branch.
		{"s_cbranch_scc0 l\ns_mov_b32 m0, -1\nl:\nds_write_b32 v1, v0", "warning 4"},
		{"s_cbranch_scc0 l\ns_mov_b32 m0, -1\nl:\ns_mov_b32 m0, -1\nds_write_b32 v1, v0", ""},
		{"s_cbranch_scc0 l\nds_write_b32 v1, v0\nl:\ns_mov_b32 m0, -1\nds_write_b32 v1, v0", "error 2"},
		// M0 is written after the first iteration of a loop.
		{"l:\nds_write_b32 v1, v0\ns_mov_b32 m0, -1\ns_cbranch_scc0 l", "warning 2"},
		// Both kinds of report.
		{"ds_write_b32 v1, v0\ns_cbranch_scc0 l\ns_mov_b32 m0, -1\nl:\nds_write_b32 v1, v0", "error 1 warning 5"},
		// The instruction is in a called function.
		{"s_getpc_b64 s[2:3]\ns_add_u32 s2, s2, f-4-k\ns_addc_u32 s3, s3, 0\ns_swappc_b64 s[30:31], s[2:3]\ns_endpgm\nf:\nds_write_b32 v1, v0\ns_setpc_b64 s[30:31]", "warning 7"},
		{"s_mov_b32 m0, -1\ns_getpc_b64 s[2:3]\ns_add_u32 s2, s2, f-8-k\ns_addc_u32 s3, s3, 0\ns_swappc_b64 s[30:31], s[2:3]\ns_endpgm\nf:\nds_write_b32 v1, v0\ns_setpc_b64 s[30:31]", ""},
	} {
		code := withLabels(t, "k:\n"+c.text+"\ns_endpgm\n")
		var l []string
		for _, d := range CheckOther(code) {
			if d.Code != CodeM0 || d.Remedy == "" || d.Section == "" {
				t.Errorf("%v", d)
			}
			l = append(l, fmt.Sprint(d.Severity, " ", d.Pos.Line-1)) // the label takes one line
		}
		if got := strings.Join(l, " "); got != c.want {
			t.Errorf("%s\nfound %q, expected %q", c.text, got, c.want)
		}
		r, err := CheckStatic(code)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Other) != len(l) {
			t.Errorf("%s\n--static finds %d", c.text, len(r.Other))
		}
	}
}
