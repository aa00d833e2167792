	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	matmul
	.globl	matmul
	.p2align	8
	.type	matmul,@function
matmul:
	s_load_dwordx4 s[8:11], s[4:5], 0x0
	s_load_dwordx2 s[0:1], s[4:5], 0x10
	s_load_dword s2, s[4:5], 0x18
	s_lshl_b32 s5, s7, 2
	v_add_u32_e32 v1, vcc, s5, v1
	v_mov_b32_e32 v2, 0
	s_waitcnt lgkmcnt(0)
	v_mul_lo_u32 v1, s2, v1
	s_lshl_b32 s4, s6, 6
	v_add_u32_e32 v3, vcc, s4, v0
	v_lshlrev_b64 v[5:6], 2, v[1:2]
	v_mov_b32_e32 v4, v2
	v_mov_b32_e32 v0, s9
	v_add_u32_e32 v5, vcc, s8, v5
	v_lshlrev_b64 v[7:8], 2, v[3:4]
	s_mov_b32 s3, 0
	v_addc_u32_e32 v6, vcc, v0, v6, vcc
	v_mov_b32_e32 v0, s11
	v_add_u32_e32 v7, vcc, s10, v7
	s_max_u32 s4, s2, 1
	s_lshl_b64 s[2:3], s[2:3], 2
	v_addc_u32_e32 v8, vcc, v0, v8, vcc
	v_mov_b32_e32 v0, s3
.LBB0_1:
	flat_load_dword v4, v[5:6]
	flat_load_dword v9, v[7:8]
	v_add_u32_e32 v5, vcc, 4, v5
	v_addc_u32_e32 v6, vcc, 0, v6, vcc
	v_add_u32_e32 v7, vcc, s2, v7
	s_add_i32 s4, s4, -1
	v_addc_u32_e32 v8, vcc, v8, v0, vcc
	s_cmp_lg_u32 s4, 0
	s_waitcnt vmcnt(0)
	v_fma_f32 v2, v4, v9, v2
	s_cbranch_scc1 .LBB0_1
	v_add_u32_e32 v0, vcc, v1, v3
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_mov_b32_e32 v3, s1
	v_add_u32_e32 v0, vcc, s0, v0
	v_addc_u32_e32 v1, vcc, v3, v1, vcc
	flat_store_dword v[0:1], v2
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel matmul
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 1
		.amdhsa_next_free_vgpr 10
		.amdhsa_next_free_sgpr 12
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end0:
	.size	matmul, .Lfunc_end0-matmul

	.set matmul.num_vgpr, 10
	.set matmul.num_agpr, 0
	.set matmul.numbered_sgpr, 12
	.set matmul.num_named_barrier, 0
	.set matmul.private_seg_size, 0
	.set matmul.uses_vcc, 1
	.set matmul.uses_flat_scratch, 0
	.set matmul.has_dyn_sized_stack, 0
	.set matmul.has_recursion, 0
	.set matmul.has_indirect_call, 0
	.protected	matmul4
	.globl	matmul4
	.p2align	8
	.type	matmul4,@function
matmul4:
	s_load_dwordx4 s[8:11], s[4:5], 0x0
	s_load_dwordx2 s[0:1], s[4:5], 0x10
	s_load_dword s2, s[4:5], 0x18
	s_lshl_b32 s5, s7, 2
	v_add_u32_e32 v1, vcc, s5, v1
	v_mov_b32_e32 v2, 0
	s_waitcnt lgkmcnt(0)
	v_mul_lo_u32 v1, s2, v1
	s_lshl_b32 s4, s6, 6
	v_add_u32_e32 v3, vcc, s4, v0
	v_lshlrev_b64 v[5:6], 2, v[1:2]
	v_mov_b32_e32 v4, v2
	v_mov_b32_e32 v0, s9
	v_add_u32_e32 v5, vcc, s8, v5
	v_lshlrev_b64 v[7:8], 2, v[3:4]
	s_mov_b32 s3, 0
	v_addc_u32_e32 v6, vcc, v0, v6, vcc
	v_mov_b32_e32 v0, s11
	v_add_u32_e32 v7, vcc, s10, v7
	s_lshl_b64 s[4:5], s[2:3], 2
	v_addc_u32_e32 v8, vcc, v0, v8, vcc
	v_mov_b32_e32 v0, s5
.LBB1_1:
	v_add_u32_e32 v13, vcc, s4, v7
	v_addc_u32_e32 v14, vcc, v8, v0, vcc
	flat_load_dwordx4 v[9:12], v[5:6]
	flat_load_dword v4, v[7:8]
	flat_load_dword v15, v[13:14]
	v_add_u32_e32 v7, vcc, s4, v13
	v_addc_u32_e32 v8, vcc, v14, v0, vcc
	v_add_u32_e32 v13, vcc, s4, v7
	v_addc_u32_e32 v14, vcc, v8, v0, vcc
	flat_load_dword v16, v[7:8]
	flat_load_dword v17, v[13:14]
	v_add_u32_e32 v5, vcc, 16, v5
	v_addc_u32_e32 v6, vcc, 0, v6, vcc
	s_add_i32 s3, s3, 4
	v_add_u32_e32 v7, vcc, s4, v13
	s_cmp_lt_u32 s3, s2
	v_addc_u32_e32 v8, vcc, v14, v0, vcc
	s_waitcnt vmcnt(3)
	v_fma_f32 v2, v9, v4, v2
	s_waitcnt vmcnt(2)
	v_fma_f32 v2, v10, v15, v2
	s_waitcnt vmcnt(1)
	v_fma_f32 v2, v11, v16, v2
	s_waitcnt vmcnt(0)
	v_fma_f32 v2, v12, v17, v2
	s_cbranch_scc1 .LBB1_1
	v_add_u32_e32 v0, vcc, v1, v3
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_mov_b32_e32 v3, s1
	v_add_u32_e32 v0, vcc, s0, v0
	v_addc_u32_e32 v1, vcc, v3, v1, vcc
	flat_store_dword v[0:1], v2
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel matmul4
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 1
		.amdhsa_next_free_vgpr 18
		.amdhsa_next_free_sgpr 12
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end1:
	.size	matmul4, .Lfunc_end1-matmul4

	.set matmul4.num_vgpr, 18
	.set matmul4.num_agpr, 0
	.set matmul4.numbered_sgpr, 12
	.set matmul4.num_named_barrier, 0
	.set matmul4.private_seg_size, 0
	.set matmul4.uses_vcc, 1
	.set matmul4.uses_flat_scratch, 0
	.set matmul4.has_dyn_sized_stack, 0
	.set matmul4.has_recursion, 0
	.set matmul4.has_indirect_call, 0
	.protected	matmul_tiled
	.globl	matmul_tiled
	.p2align	8
	.type	matmul_tiled,@function
matmul_tiled:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[8:9], s[4:5], 0x10
	s_load_dword s10, s[4:5], 0x18
	s_lshl_b32 s5, s7, 4
	v_add_u32_e32 v2, vcc, s5, v1
	s_lshl_b32 s4, s6, 4
	s_waitcnt lgkmcnt(0)
	v_mul_lo_u32 v2, s10, v2
	v_add_u32_e32 v4, vcc, s4, v0
	s_cmp_eq_u32 s10, 0
	s_mov_b32 s5, 0
	s_cbranch_scc1 .LBB2_3
	v_mul_lo_u32 v8, s10, v1
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v3, s3
	v_lshlrev_b32_e32 v10, 2, v0
	v_lshlrev_b64 v[5:6], 2, v[8:9]
	s_lshl_b32 s4, s10, 4
	v_add_u32_e32 v7, vcc, s2, v5
	v_mov_b32_e32 v5, v9
	v_addc_u32_e32 v3, vcc, v3, v6, vcc
	v_lshlrev_b64 v[5:6], 2, v[4:5]
	v_lshlrev_b32_e32 v0, 6, v1
	v_add_u32_e32 v5, vcc, v7, v5
	v_addc_u32_e32 v6, vcc, v3, v6, vcc
	v_mov_b32_e32 v3, v9
	v_lshlrev_b64 v[7:8], 2, v[2:3]
	v_mov_b32_e32 v3, s1
	v_add_u32_e32 v7, vcc, s0, v7
	v_addc_u32_e32 v3, vcc, v3, v8, vcc
	v_add_u32_e32 v7, vcc, v7, v10
	s_lshl_b64 s[0:1], s[4:5], 2
	v_addc_u32_e32 v8, vcc, 0, v3, vcc
	v_add_u32_e32 v1, vcc, v0, v10
	v_or_b32_e32 v3, 0x400, v10
	v_mov_b32_e32 v10, s1
	s_mov_b32 m0, -1
.LBB2_2:
	flat_load_dword v11, v[7:8]
	flat_load_dword v12, v[5:6]
	v_add_u32_e32 v7, vcc, 64, v7
	v_addc_u32_e32 v8, vcc, 0, v8, vcc
	s_add_i32 s5, s5, 16
	v_add_u32_e32 v5, vcc, s0, v5
	v_addc_u32_e32 v6, vcc, v6, v10, vcc
	s_cmp_ge_u32 s5, s10
	s_waitcnt vmcnt(0)
	ds_write2st64_b32 v1, v11, v12 offset1:4
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2_b32 v[19:20], v3 offset1:16
	ds_read_b128 v[11:14], v0
	ds_read_b128 v[15:18], v0 offset:16
	s_waitcnt lgkmcnt(1)
	v_fma_f32 v9, v11, v19, v9
	v_fma_f32 v9, v12, v20, v9
	ds_read2_b32 v[11:12], v3 offset0:32 offset1:48
	s_waitcnt lgkmcnt(0)
	v_fma_f32 v9, v13, v11, v9
	v_fma_f32 v9, v14, v12, v9
	ds_read2_b32 v[11:12], v3 offset0:64 offset1:80
	ds_read2_b32 v[13:14], v3 offset0:96 offset1:112
	ds_read2_b32 v[19:20], v3 offset0:128 offset1:144
	s_waitcnt lgkmcnt(2)
	v_fma_f32 v9, v15, v11, v9
	v_fma_f32 v9, v16, v12, v9
	s_waitcnt lgkmcnt(1)
	v_fma_f32 v9, v17, v13, v9
	v_fma_f32 v9, v18, v14, v9
	ds_read_b128 v[11:14], v0 offset:32
	ds_read_b128 v[15:18], v0 offset:48
	s_waitcnt lgkmcnt(1)
	v_fma_f32 v9, v11, v19, v9
	v_fma_f32 v9, v12, v20, v9
	ds_read2_b32 v[11:12], v3 offset0:160 offset1:176
	s_waitcnt lgkmcnt(0)
	v_fma_f32 v9, v13, v11, v9
	v_fma_f32 v9, v14, v12, v9
	ds_read2_b32 v[11:12], v3 offset0:192 offset1:208
	ds_read2_b32 v[13:14], v3 offset0:224 offset1:240
	s_waitcnt lgkmcnt(1)
	v_fma_f32 v9, v15, v11, v9
	v_fma_f32 v9, v16, v12, v9
	s_waitcnt lgkmcnt(0)
	v_fma_f32 v9, v17, v13, v9
	v_fma_f32 v9, v18, v14, v9
	s_barrier
	s_cbranch_scc0 .LBB2_2
	s_branch .LBB2_4
.LBB2_3:
	v_mov_b32_e32 v9, 0
.LBB2_4:
	v_add_u32_e32 v0, vcc, v2, v4
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_mov_b32_e32 v2, s9
	v_add_u32_e32 v0, vcc, s8, v0
	v_addc_u32_e32 v1, vcc, v2, v1, vcc
	flat_store_dword v[0:1], v9
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel matmul_tiled
		.amdhsa_group_segment_fixed_size 2048
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 1
		.amdhsa_next_free_vgpr 21
		.amdhsa_next_free_sgpr 11
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end2:
	.size	matmul_tiled, .Lfunc_end2-matmul_tiled

	.set matmul_tiled.num_vgpr, 21
	.set matmul_tiled.num_agpr, 0
	.set matmul_tiled.numbered_sgpr, 11
	.set matmul_tiled.num_named_barrier, 0
	.set matmul_tiled.private_seg_size, 0
	.set matmul_tiled.uses_vcc, 1
	.set matmul_tiled.uses_flat_scratch, 0
	.set matmul_tiled.has_dyn_sized_stack, 0
	.set matmul_tiled.has_recursion, 0
	.set matmul_tiled.has_indirect_call, 0
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
	.text
	.type	__hip_cuid_,@object
	.section	.bss,"aw",@nobits
	.globl	__hip_cuid_
__hip_cuid_:
	.byte	0
	.size	__hip_cuid_, 1

	.ident	"Debian clang version 22.1.8 (1~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym __hip_cuid_
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .offset:         24
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 28
    .max_flat_workgroup_size: 256
    .name:           matmul
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         matmul.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     10
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .offset:         24
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 28
    .max_flat_workgroup_size: 256
    .name:           matmul4
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         matmul4.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     18
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .offset:         24
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 2048
    .kernarg_segment_align: 8
    .kernarg_segment_size: 28
    .max_flat_workgroup_size: 256
    .name:           matmul_tiled
    .private_segment_fixed_size: 0
    .sgpr_count:     13
    .sgpr_spill_count: 0
    .symbol:         matmul_tiled.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     21
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
