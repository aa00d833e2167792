// dpp_scan.s with one v_nop in each of the four places where two are needed, the
// way the article prints it: on hardware the DPP read may see the old value of v1.
// Four findings: 1 of 2 wait states.
//
// dpp_scan_hazard(global const float *in, global float *out)
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text
.globl dpp_scan_hazard
.p2align 8
.type dpp_scan_hazard,@function
dpp_scan_hazard:
  s_load_dwordx4 s[0:3], s[4:5], 0x0
  s_lshl_b32 s6, s6, 8                   // 64 work-items of 4 bytes each
  v_lshlrev_b32 v2, 2, v0
  v_add_u32 v2, vcc, s6, v2
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v4, s1
  v_add_u32 v3, vcc, s0, v2
  v_addc_u32 v4, vcc, 0, v4, vcc
  flat_load_dword v0, v[3:4]
  v_mov_b32 v6, s3
  v_add_u32 v5, vcc, s2, v2
  v_addc_u32 v6, vcc, 0, v6, vcc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_add_f32 v1, v0, v0 row_shr:1 bound_ctrl:0           // Instruction 1
  v_add_f32 v1, v0, v1 row_shr:2 bound_ctrl:0           // Instruction 2
  v_add_f32 v1, v0, v1 row_shr:3 bound_ctrl:0           // Instruction 3
  v_nop
  v_add_f32 v1, v1, v1 row_shr:4 bank_mask:0xe          // Instruction 4
  v_nop
  v_add_f32 v1, v1, v1 row_shr:8 bank_mask:0xc          // Instruction 5
  v_nop
  v_add_f32 v1, v1, v1 row_bcast:15 row_mask:0xa        // Instruction 6
  v_nop
  v_add_f32 v1, v1, v1 row_bcast:31 row_mask:0xc        // Instruction 7
  flat_store_dword v[5:6], v1
  s_endpgm
.Lend:
  .size dpp_scan_hazard, .Lend-dpp_scan_hazard

.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel dpp_scan_hazard
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_kernarg_size 16
  .amdhsa_next_free_vgpr 7
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx803
amdhsa.kernels:
  - .name: dpp_scan_hazard
    .symbol: dpp_scan_hazard.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 10
    .vgpr_count: 7
    .max_flat_workgroup_size: 64
    .args:
      - { .name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }
...
.end_amdgpu_metadata
