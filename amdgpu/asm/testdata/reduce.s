// Written by hand: no metadata, old spellings, few .amdhsa fields.
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl reduce
.p2align 8
.type reduce,@function
reduce:
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v3, s1
  v_add_u32 v2, vcc, s0, v1
  v_addc_u32 v3, vcc, 0, v3, vcc
  flat_load_dword v1, v[2:3]
  s_waitcnt vmcnt(0)
  v_add_f32 v1, v1, v1 row_shr:1 bound_ctrl:0
  s_nop 1
  v_add_f32 v1, v1, v1 row_bcast:15 row_mask:0xa
  flat_store_dword v[2:3], v1
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel reduce
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 11
.end_amdhsa_kernel
