// expect: nothing: the wait has a time limit
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v2, s8
  v_mov_b32 v3, s9
  s_memtime s[4:5]
  s_waitcnt lgkmcnt(0)
wait:
  s_memtime s[6:7]
  flat_load_dword v4, v[2:3] glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_cmp_ne_u32 vcc, 0, v4
  s_cbranch_vccnz end
  s_sub_u32 s10, s6, s4
  s_subb_u32 s11, s7, s5
  s_cmp_lt_u32 s10, 0x8000
  s_cbranch_scc1 wait
end:
  s_endpgm
.Lend:
  .size k, .Lend-k

.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 8
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 12
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
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 12
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - { .name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
...
.end_amdgpu_metadata
