package bench

import (
	"strings"
	"testing"

	"crosslane"
)

// gcn3Kernel makes a kernel that runs body, unrolled times, in a loop.
func gcn3Kernel(setup, body string) string {
	return `.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  s_load_dword s2, s[4:5], 0x8
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v3, s1
  v_add_u32 v2, vcc, s0, v1
  v_addc_u32 v3, vcc, 0, v3, vcc
  v_add_u32 v4, vcc, 7, v0
  v_mov_b32 v5, 13
  v_cvt_f32_u32 v6, v0
  v_mov_b32 v7, 0.5
  v_mov_b32 v8, v0
  s_mov_b32 m0, -1
` + setup + `
LOOP:
` + strings.Repeat("  "+body+"\n", unrolled) + `  s_sub_u32 s2, s2, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 LOOP
  s_mov_b64 exec, -1
  s_waitcnt vmcnt(0) lgkmcnt(0)
  flat_store_dword v[2:3], v4
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size 4096
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
`
}

// BenchmarkGCN3 measures one instruction each, 64 lanes, one worker.
func BenchmarkGCN3(b *testing.B) {
	for _, c := range []struct{ name, setup, body string }{
		{"v_add_u32", "", "v_add_u32 v4, vcc, v4, v5"},
		{"v_xor_b32", "", "v_xor_b32 v4, v4, v5"},
		{"v_mul_lo_u32", "", "v_mul_lo_u32 v4, v4, v5"},
		{"v_perm_b32", "", "v_perm_b32 v4, v4, v5, v8"},
		{"v_add_f32", "", "v_add_f32 v9, v6, v7"},
		{"v_mac_f32", "", "v_mac_f32 v9, v6, v7"},
		{"v_fma_f32", "", "v_fma_f32 v9, v6, v7, v6"},
		{"v_cndmask_b32", "", "v_cndmask_b32 v4, v4, v5, vcc"},
		{"v_cmp_lt_i32", "", "v_cmp_lt_i32 vcc, v4, v5"},
		{"v_xor_b32 with an SGPR", "", "v_xor_b32 v4, s0, v4"},
		{"v_xor_b32 under half of EXEC", "  s_mov_b32 exec_lo, 0x0f0f0f0f", "v_xor_b32 v4, v4, v5"},
		{"s_add_u32", "", "s_add_u32 s8, s8, s2"},
		{"v_mov_b32 dpp row_shr:1", "", "v_mov_b32 v4, v5 row_shr:1"},
		{"v_add_f32 dpp row_bcast:15", "", "v_add_f32 v9, v6, v7 row_bcast:15 row_mask:0xa"},
		{"ds_bpermute_b32", "", "ds_bpermute_b32 v4, v1, v5"},
		{"ds_swizzle_b32", "", "ds_swizzle_b32 v4, v5 offset:swizzle(SWAP,16)"},
		{"v_readlane_b32", "", "v_readlane_b32 s8, v4, 3"},
		{"ds_read_b32", "", "ds_read_b32 v4, v1"},
		{"ds_write_b32", "", "ds_write_b32 v1, v4"},
		{"flat_load_dword coalesced", "", "flat_load_dword v4, v[2:3]"},
		{"flat_store_dword coalesced", "", "flat_store_dword v[2:3], v4"},
	} {
		b.Run(c.name, func(b *testing.B) {
			out := make([]uint32, 64)
			measure(b, load(b, gcn3Kernel(c.setup, c.body), "bench.s", crosslane.GCN3), crosslane.Launch{Block: crosslane.Dim3{X: 64},
				Args: []crosslane.Arg{crosslane.Slice("out", out), crosslane.Typed(crosslane.U32, trips)}})
		})
	}
}
