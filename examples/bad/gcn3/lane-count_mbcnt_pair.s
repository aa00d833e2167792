// The number of a lane, of a wave in its workgroup, and a ballot of 64 lanes in a pair of
// registers: all three are made for 64.
// check: --target gfx1100
// check: --target sm_80
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  v_lshrrev_b32 v5, 6, v0 // want lane-count
  v_and_b32 v6, 63, v0 // want lane-count
  v_mbcnt_lo_u32_b32 v1, -1, 0
  v_mbcnt_hi_u32_b32 v1, -1, v1 // want lane-count
  v_cmp_lt_u32 vcc, v1, v0 // want lane-count
  s_bcnt1_i32_b64 s4, vcc
  s_and_saveexec_b64 s[6:7], vcc
  v_mov_b32 v2, s4
  s_mov_b64 exec, s[6:7]
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 24
.end_amdhsa_kernel
