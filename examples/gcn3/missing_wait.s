// out[i] = a[i] + b[i], with an s_waitcnt that waits for one of the two loads only: the
// sum may read v5 before b[i] is there. One finding; with --adversarial the old value of
// v5, -1, shows in out.
//
// missing_wait(global const int *a, global const int *b, global int *out)
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text
.globl missing_wait
.p2align 8
.type missing_wait,@function
missing_wait:
  s_load_dwordx4 s[0:3], s[4:5], 0x0
  s_load_dwordx2 s[8:9], s[4:5], 0x10
  s_lshl_b32 s6, s6, 8                   // 64 work-items of 4 bytes each
  v_lshlrev_b32 v0, 2, v0
  v_add_u32 v0, vcc, s6, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v2, s1
  v_add_u32 v1, vcc, s0, v0
  v_addc_u32 v2, vcc, 0, v2, vcc
  v_mov_b32 v4, s3
  v_add_u32 v3, vcc, s2, v0
  v_addc_u32 v4, vcc, 0, v4, vcc
  v_mov_b32 v7, s9
  v_add_u32 v6, vcc, s8, v0
  v_addc_u32 v7, vcc, 0, v7, vcc
  v_mov_b32 v5, -1
  flat_load_dword v8, v[1:2]
  flat_load_dword v5, v[3:4]
  s_waitcnt vmcnt(1)                     // vmcnt(0) is needed
  v_add_u32 v8, vcc, v8, v5
  flat_store_dword v[6:7], v8
  s_endpgm
.Lend:
  .size missing_wait, .Lend-missing_wait

.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel missing_wait
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_kernarg_size 24
  .amdhsa_next_free_vgpr 9
  .amdhsa_next_free_sgpr 10
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx803
amdhsa.kernels:
  - .name: missing_wait
    .symbol: missing_wait.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 12
    .vgpr_count: 9
    .max_flat_workgroup_size: 64
    .args:
      - { .name: a, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: b, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: out, .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global }
...
.end_amdgpu_metadata
