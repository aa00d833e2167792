// Row 0 has no row before it whose last lane it could get; lanes keep what the destination
// held, which nothing wrote.
// check: --grid 1 --block 64 --arg in:s32[64]=iota --arg out:s32[64]
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
  v_mov_b32 v3, s5
  v_add_u32 v2, vcc, s4, v1
  v_addc_u32 v3, vcc, 0, v3, vcc
  v_mov_b32 v5, s7
  v_add_u32 v4, vcc, s6, v1
  v_addc_u32 v5, vcc, 0, v5, vcc
  flat_load_dword v6, v[2:3]
  s_waitcnt vmcnt(0) & lgkmcnt(0)

  s_nop 1
  v_mov_b32 v7, v6 row_bcast:15 row_mask:0xa
  v_add_u32 v6, vcc, v6, v7
  flat_store_dword v[4:5], v6 // want poison-store
  s_endpgm
.Lend:
  .size k, .Lend-k

.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_kernarg_size 16
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
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 1024
    .args:
      - { .name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }
...
.end_amdgpu_metadata
