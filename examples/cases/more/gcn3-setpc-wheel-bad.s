// expect: waitcnt: behind the first resumption nothing waits for the load
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v5, s5
  v_add_u32 v4, vcc, s4, v1
  v_addc_u32 v5, vcc, 0, v5, vcc
  flat_load_dword v3, v[4:5]
  s_getpc_b64 s[20:21]
A:
  s_add_u32 s20, s20, one-A
  s_addc_u32 s21, s21, 0
  s_branch hub
one:
  s_nop 0
  v_add_u32 v3, vcc, 1, v3
  s_getpc_b64 s[20:21]
B:
  s_add_u32 s20, s20, two-B
  s_addc_u32 s21, s21, 0
  s_branch hub
two:
  v_add_u32 v3, vcc, 10, v3
  s_getpc_b64 s[20:21]
C:
  s_add_u32 s20, s20, three-C
  s_addc_u32 s21, s21, 0
  s_branch hub
three:
  v_mov_b32 v5, s7
  v_add_u32 v4, vcc, s6, v1
  v_addc_u32 v5, vcc, 0, v5, vcc
  flat_store_dword v[4:5], v3
  s_endpgm
hub:
  s_nop 0
  s_setpc_b64 s[20:21]
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
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 54
    .vgpr_count: 48
    .max_flat_workgroup_size: 64
    .args:
      - { .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global, .name: in }
      - { .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global, .name: out }
...
.end_amdgpu_metadata
