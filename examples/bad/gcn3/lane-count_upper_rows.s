// A scan over four rows whose last step fills rows 2 and 3: of a wave of 32 there are rows
// 0 and 1 alone.
// check: --target gfx1030
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  v_readlane_b32 s4, v1, 31
  v_mov_b32 v3, s4
  s_nop 1
  v_add_f32 v1, v3, v1 quad_perm:[0,1,2,3] row_mask:0xc // want lane-count
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 24
.end_amdhsa_kernel
