// row_bcast, wave_shr and glc on a chip that still has them: gfx90a is of the old line,
// though it is newer than gfx1010.
// check: --target gfx90a,gfx906,gfx908
// rules: not-on-target lane-count
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  flat_load_dword v1, v[2:3] glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_add_f32 v1, v1, v1 row_shr:8
  s_nop 1
  v_add_f32 v1, v1, v1 row_bcast:15 row_mask:0xa
  s_nop 1
  v_add_f32 v1, v1, v1 wave_shr:1
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 24
.end_amdhsa_kernel
