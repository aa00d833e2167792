// expect: waitcnt: behind 14 more LDS reads the first one may be outstanding
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_mov_b32 m0, -1
  v_lshlrev_b32 v1, 2, v0
  v_add_u32 v2, vcc, 7, v0
  ds_write_b32 v1, v2
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v5, s5
  v_add_u32 v4, vcc, s4, v1
  v_addc_u32 v5, vcc, 0, v5, vcc
  ds_read_b32 v6, v1
  ds_read_b32 v10, v1
  ds_read_b32 v11, v1
  ds_read_b32 v12, v1
  ds_read_b32 v13, v1
  ds_read_b32 v14, v1
  ds_read_b32 v15, v1
  ds_read_b32 v16, v1
  ds_read_b32 v17, v1
  ds_read_b32 v18, v1
  ds_read_b32 v19, v1
  ds_read_b32 v20, v1
  ds_read_b32 v21, v1
  ds_read_b32 v22, v1
  ds_read_b32 v23, v1
  flat_store_dword v[4:5], v6
  s_waitcnt lgkmcnt(0)
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size 256
  .amdhsa_next_free_vgpr 48
  .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 256
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 54
    .vgpr_count: 48
    .max_flat_workgroup_size: 64
    .args:
      - { .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global, .name: out }
...
.end_amdgpu_metadata
