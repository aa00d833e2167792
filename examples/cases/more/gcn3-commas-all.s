// expect: the same with every comma: no note
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text
.globl commas
.p2align 8
.type commas,@function
commas:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  v_cvt_f32_u32 v2, v0
  v_mov_b32 v3, 0x40600000
  v_mad_f32 v4, 1.0, v2, -v3
  v_add_f32 v4, |v4|, 1.0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v6, s5
  v_add_u32 v5, vcc, s4, v1
  v_addc_u32 v6, vcc, 0, v6, vcc
  flat_store_dword v[5:6], v4
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel commas
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 8
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
