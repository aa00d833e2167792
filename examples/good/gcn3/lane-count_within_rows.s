// Lanes exchange within rows and quads, and work-items are numbered in tiles of 16: right
// for 32 and for 64 lanes.
// check: --target gfx1030
// check: --target sm_90
// rules: lane-count
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  v_and_b32 v5, 15, v0
  v_mbcnt_lo_u32_b32 v2, -1, 0
  v_mov_b32 v3, v0 quad_perm:[1,0,3,2]
  s_nop 1
  v_add_f32 v4, v3, v3 row_ror:4
  v_readlane_b32 s4, v4, 31
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 24
.end_amdhsa_kernel
