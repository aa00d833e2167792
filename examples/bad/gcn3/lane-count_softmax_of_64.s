// A sum over a wavefront that counts on 64 lanes: the last step adds lane 31's value to the
// upper half. PyTorch's softmax gave half of the sum on gfx1151, whose waves have 32 lanes,
// while a constant said 64 (issue 186229).
// check: --target gfx1151
// check: --grid 1 --block 64 --arg in:f32[64]=fill:1 --arg out:f32[64]
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
  s_movk_i32 s10, 0x100
  s_mov_b32 s11, 0x00027000
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  buffer_load_dword v6, v1, s[8:11], 0 offen
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_mov_b32 s14, s10
  s_mov_b32 s15, s11
  s_waitcnt vmcnt(0)
  s_nop 1
  v_add_f32 v6, v6, v6 row_ror:8
  s_nop 1
  v_add_f32 v6, v6, v6 row_ror:4
  s_nop 1
  v_add_f32 v6, v6, v6 row_ror:2
  s_nop 1
  v_add_f32 v6, v6, v6 row_ror:1
  s_nop 1
  v_add_f32 v6, v6, v6 row_bcast:15 row_mask:0xa // want not-on-target
  s_nop 1
  v_add_f32 v6, v6, v6 row_bcast:31 row_mask:0xc // want not-on-target lane-count
  v_readlane_b32 s8, v6, 63 // want lane-count
  v_mov_b32 v6, s8
  buffer_store_dword v6, v1, s[12:15], 0 offen
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
