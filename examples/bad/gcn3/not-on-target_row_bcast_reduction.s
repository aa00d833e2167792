// The last steps of a reduction over a wavefront with row_bcast, which gfx10 took away:
// rocPRIM and all who build on it failed to compile for gfx1010 (rocPRIM issue 180).
// check: --target gfx1010
// check: --target gfx1100
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  v_add_f32 v1, v1, v1 row_shr:8
  s_nop 1
  v_add_f32 v1, v1, v1 row_bcast:15 row_mask:0xa // want not-on-target
  s_nop 1
  v_add_f32 v1, v1, v1 row_bcast:31 row_mask:0xc // want not-on-target
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 24
.end_amdhsa_kernel
