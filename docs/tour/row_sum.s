// The sum of a wavefront, as one writes it from memory: two wait states are missing after
// some of the steps, and the load is not waited for.
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text
.globl row_sum
.p2align 8
.type row_sum,@function
row_sum:
  s_load_dwordx2 s[0:1], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v3, s1
  v_add_u32 v2, vcc, s0, v1
  v_addc_u32 v3, vcc, 0, v3, vcc
  flat_load_dword v1, v[2:3]
  v_add_f32 v1, v1, v1 row_shr:1 bound_ctrl:0
  s_nop 0
  v_add_f32 v1, v1, v1 row_shr:2 bound_ctrl:0
  s_nop 1
  v_add_f32 v1, v1, v1 row_bcast:15 row_mask:0xa
  v_add_f32 v1, v1, v1 row_bcast:31 row_mask:0xc
  flat_store_dword v[2:3], v1
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel row_sum
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
