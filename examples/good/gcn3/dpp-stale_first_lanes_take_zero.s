// The first lane of each row takes 0 in place of the value that it kept. Scans of rocPRIM are made so.
// rules: dpp-stale
// check: --static
// check: --grid 1 --block 64 --arg out:s32[64]
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_dwordx2 s[6:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v5, s7
  v_add_u32 v4, vcc, s6, v1
  v_addc_u32 v5, vcc, 0, v5, vcc

  v_lshlrev_b32 v2, 1, v0
  v_add_u32 v3, vcc, v2, v0
  v_mbcnt_lo_u32_b32 v7, -1, 0
  v_mbcnt_hi_u32_b32 v7, -1, v7
  v_mov_b32 v6, v0
  v_and_b32 v8, 15, v7
  v_cmp_ne_u32 vcc, 0, v8
  v_mov_b32_dpp v2, v6 row_shr:1 row_mask:0xf bank_mask:0xf
  v_cndmask_b32 v2, 0, v2, vcc
  v_add_u32 v6, vcc, v6, v2
  flat_store_dword v[4:5], v6
  s_endpgm
.Lend:
  .size k, .Lend-k

.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_group_segment_fixed_size 1024
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_kernarg_size 8
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx803
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 1024
    .args:
      - { .name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
...
.end_amdgpu_metadata
