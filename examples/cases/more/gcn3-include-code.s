// expect: s4 is read before s_load has returned, in the included file: check and run name that file and line, fix changes
// neither file and says so. What is missing in this file fix mends.
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text
.globl tail
.p2align 8
.type tail,@function
tail:
  s_load_dword s6, s[0:1], 0x0
  s_add_u32 s7, s6, 1
  s_load_dwordx2 s[4:5], s[0:1], 0x0
.include "gcn3-include-code.inc"
.rodata
.p2align 6
.amdhsa_kernel tail
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 8
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
