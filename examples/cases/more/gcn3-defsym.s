// expect: with --defsym value=N out[0] = N; without it the symbol is missing, and without -I the file
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl define
.p2align 8
.type define,@function
define:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v0, value
.include "gcn3-include-right.inc"
.rodata
.p2align 6
.amdhsa_kernel define
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 8
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
