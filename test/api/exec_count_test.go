package api_test

import (
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// Instructions of lanes are counted by EXEC as it is when they run, however it was written, on
// every engine.
func TestLaneCountsUnderExec(t *testing.T) {
	t.Parallel()
	frame := `.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
BODY
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 32
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
`
	for _, c := range []struct {
		body string
		want uint64
	}{
		// Each writer of EXEC counts for the lanes from before it.
		{"s_mov_b64 exec, 0x1f\nv_mov_b32 v1, 1\nv_mov_b32 v1, 2", 64 + 5 + 5 + 5},
		{"s_mov_b64 s[2:3], 0x1f\ns_mov_b64 exec, s[2:3]\nv_mov_b32 v1, 1", 64 + 64 + 5 + 5},
		{"s_mov_b32 exec_lo, 0x1f\nv_mov_b32 v1, 1", 64 + 37 + 37},
		{"s_mov_b32 exec_hi, 0\nv_mov_b32 v1, 1\ns_mov_b32 exec_hi, 1", 64 + 32 + 32 + 33},
		{"v_cmp_gt_u32 vcc, 7, v0\ns_and_saveexec_b64 s[2:3], vcc\nv_mov_b32 v1, 1\ns_or_b64 exec, exec, s[2:3]", 64 + 64 + 7 + 7 + 64},
		{"v_cmpx_gt_u32 vcc, 7, v0\nv_mov_b32 v1, 1", 64 + 7 + 7},
	} {
		m, err := crosslane.Load([]byte(strings.Replace(frame, "BODY", c.body, 1)), "k.s", crosslane.GCN3)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("")
		if err != nil {
			t.Fatal(err)
		}
		for _, native := range []crosslane.Native{"", crosslane.NativeAVX2, crosslane.NativeAVX512} {
			l := crosslane.Launch{Block: crosslane.Dim3{X: 64}, Engine: "interp"}
			if native != "" {
				l.Engine, l.Native = "jit", native
			}
			r, err := k.Run(t.Context(), l)
			if err != nil && native != "" && diag.Of(err)[0].Code == "bad-engine" {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Stats.LaneInstructions != c.want {
				t.Errorf("%s: %s %s counts %d instructions of lanes, want %d", strings.ReplaceAll(c.body, "\n", "; "), l.Engine, native, r.Stats.LaneInstructions, c.want)
			}
		}
	}
}
