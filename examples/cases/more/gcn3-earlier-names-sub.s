// expect: out[i] = 100 - i - 1, by v_sub_i32 and v_subrev_i32 of LLVM 5
  .text
  .hsa_code_object_version 2,1
  .hsa_code_object_isa 8,0,3,"AMD","AMDGPU"
  .p2align 8
  .amdgpu_hsa_kernel old
old:
  .amd_kernel_code_t
    enable_sgpr_kernarg_segment_ptr = 1
    is_ptr64 = 1
    granulated_workitem_vgpr_count = 1
    user_sgpr_count = 2
    kernarg_segment_byte_size = 8
    wavefront_sgpr_count = 8
    workitem_vgpr_count = 5
  .end_amd_kernel_code_t
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v3, s3
  v_add_i32_e32 v2, vcc, s2, v1
  v_addc_u32_e32 v3, vcc, 0, v3, vcc
  v_sub_i32_e32 v0, vcc, 0x64, v0
  v_subrev_i32_e32 v0, vcc, 1, v0
  flat_store_dword v[2:3], v0
  s_endpgm
