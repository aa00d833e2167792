// Addition with carry, as every address computation of gfx803 has it: gfx9 gave the name
// v_add_u32 to the one without carry, and refuses this text.
// check: --target gfx900
// check: --target gfx90a
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  v_add_u32 v2, vcc, s2, v2 // want not-on-target
  v_addc_u32 v3, vcc, 0, v3, vcc // want not-on-target
  s_nop 0
  v_add_u32_dpp v4, vcc, v2, v3 row_shl:1 // want not-on-target
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 24
.end_amdhsa_kernel
