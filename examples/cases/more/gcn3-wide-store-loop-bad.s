// expect: wait-states: the instruction that overwrites is the head of a loop (adversarial: the first store has its data)
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_mov_b32 s6, -1
  s_mov_b32 s7, 0x00027000
  s_mov_b32 s8, 0
  v_lshlrev_b32 v1, 4, v0
  v_mov_b32 v4, v0
  v_mov_b32 v5, 1
  v_mov_b32 v6, 2
  v_mov_b32 v7, 3
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s9, 2
  v_mov_b32 v5, 40
  buffer_store_dwordx4 v[4:7], v1, s[4:7], 0 offen
loop:
  v_add_u32 v5, vcc, 1, v5
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 loop
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size 0
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
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 54
    .vgpr_count: 48
    .max_flat_workgroup_size: 64
    .args:
      - { .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global, .name: out }
...
.end_amdgpu_metadata
