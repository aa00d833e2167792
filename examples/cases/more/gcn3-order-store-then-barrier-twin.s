// expect: clean: the barrier is reached when the store is done
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v5, s5
  v_add_u32 v4, vcc, s4, v1
  v_addc_u32 v5, vcc, 0, v5, vcc
  flat_store_dword v[4:5], v0
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_barrier
  flat_load_dword v6, v[4:5]
  s_waitcnt vmcnt(0) lgkmcnt(0)
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
    .max_flat_workgroup_size: 256
    .args:
      - { .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global, .name: out }
...
.end_amdgpu_metadata
