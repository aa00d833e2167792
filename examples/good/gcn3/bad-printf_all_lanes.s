// A record of each work-item of a wavefront.
// check: --grid 1 --block 64
// rules: bad-printf
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_dwordx2 s[0:1], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v0, s0
  v_mov_b32 v1, s1
  v_mov_b32 v2, 8
  flat_atomic_add v3, v[0:1], v2 glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_add_u32 v0, vcc, 8, v0
  v_addc_u32 v1, vcc, 0, v1, vcc
  v_add_u32 v0, vcc, v0, v3
  v_addc_u32 v1, vcc, 0, v1, vcc
  v_mov_b32 v4, 1
  v_mov_b32 v5, 42
  flat_store_dwordx2 v[0:1], v[4:5]
  s_endpgm
.Lend:
  .size k, .Lend-k

.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 8
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 12
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx803
amdhsa.printf: [ '1:1:4:%d' ]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 12
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - { .offset: 0, .size: 8, .value_kind: hidden_printf_buffer }
...
.end_amdgpu_metadata
