	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	nbody
	.globl	nbody
	.p2align	8
	.type	nbody,@function
nbody:
	s_load_dword s7, s[4:5], 0x10
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v9, v11
	v_lshlrev_b32_e32 v12, 4, v0
	v_mov_b32_e32 v5, 0
	s_waitcnt lgkmcnt(0)
	v_cvt_f32_u32_e32 v1, s7
	s_sub_i32 s0, 0, s7
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	v_rcp_iflag_f32_e32 v1, v1
	s_mov_b32 m0, -1
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	v_mul_lo_u32 v2, s0, v1
	s_lshl_b32 s0, s6, 8
	v_or_b32_e32 v8, s0, v0
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	v_mul_hi_u32 v2, v1, v2
	s_mov_b32 s4, 0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v3, s1
	v_add_u32_e32 v1, vcc, v1, v2
	v_mul_hi_u32 v1, v8, v1
	v_mov_b32_e32 v13, s1
	s_mov_b32 s1, 0x3d800000
	v_mul_lo_u32 v1, v1, s7
	v_sub_u32_e32 v1, vcc, v8, v1
	v_subrev_u32_e32 v2, vcc, s7, v1
	v_cmp_le_u32_e32 vcc, s7, v1
	v_cndmask_b32_e32 v1, v1, v2, vcc
	v_subrev_u32_e32 v2, vcc, s7, v1
	v_cmp_le_u32_e32 vcc, s7, v1
	v_cndmask_b32_e32 v10, v1, v2, vcc
	v_lshlrev_b64 v[1:2], 4, v[10:11]
	v_add_u32_e32 v1, vcc, s0, v1
	v_addc_u32_e32 v2, vcc, v3, v2, vcc
	flat_load_dwordx4 v[1:4], v[1:2]
.LBB0_1:
	v_add_u32_e32 v10, vcc, s4, v0
	v_lshlrev_b64 v[14:15], 4, v[10:11]
	s_mov_b32 s5, 0
	v_add_u32_e32 v14, vcc, s0, v14
	v_addc_u32_e32 v15, vcc, v13, v15, vcc
	flat_load_dwordx4 v[14:17], v[14:15]
	s_waitcnt vmcnt(0)
	ds_write_b128 v12, v[14:17]
	s_waitcnt lgkmcnt(0)
	s_barrier
.LBB0_2:
	v_mov_b32_e32 v10, s5
	ds_read_b128 v[14:17], v10
	s_add_i32 s5, s5, 64
	s_cmpk_eq_i32 s5, 0x1000
	s_waitcnt lgkmcnt(0)
	v_sub_f32_e32 v16, v16, v3
	v_sub_f32_e32 v15, v15, v2
	v_fma_f32 v18, v16, v16, s1
	v_sub_f32_e32 v14, v14, v1
	v_fma_f32 v18, v15, v15, v18
	v_fma_f32 v18, v14, v14, v18
	v_rsq_f32_e32 v18, v18
	v_mul_f32_e32 v17, v17, v18
	v_mul_f32_e32 v17, v18, v17
	v_mul_f32_e32 v17, v18, v17
	v_fma_f32 v5, v14, v17, v5
	v_fma_f32 v6, v15, v17, v6
	v_fma_f32 v7, v16, v17, v7
	ds_read_b128 v[14:17], v10 offset:16
	s_waitcnt lgkmcnt(0)
	v_sub_f32_e32 v16, v16, v3
	v_sub_f32_e32 v15, v15, v2
	v_fma_f32 v18, v16, v16, s1
	v_sub_f32_e32 v14, v14, v1
	v_fma_f32 v18, v15, v15, v18
	v_fma_f32 v18, v14, v14, v18
	v_rsq_f32_e32 v18, v18
	v_mul_f32_e32 v17, v17, v18
	v_mul_f32_e32 v17, v18, v17
	v_mul_f32_e32 v17, v18, v17
	v_fma_f32 v5, v14, v17, v5
	v_fma_f32 v6, v15, v17, v6
	v_fma_f32 v7, v16, v17, v7
	ds_read_b128 v[14:17], v10 offset:32
	s_waitcnt lgkmcnt(0)
	v_sub_f32_e32 v16, v16, v3
	v_sub_f32_e32 v15, v15, v2
	v_fma_f32 v18, v16, v16, s1
	v_sub_f32_e32 v14, v14, v1
	v_fma_f32 v18, v15, v15, v18
	v_fma_f32 v18, v14, v14, v18
	v_rsq_f32_e32 v18, v18
	v_mul_f32_e32 v17, v17, v18
	v_mul_f32_e32 v17, v18, v17
	v_mul_f32_e32 v17, v18, v17
	v_fma_f32 v5, v14, v17, v5
	v_fma_f32 v6, v15, v17, v6
	v_fma_f32 v7, v16, v17, v7
	ds_read_b128 v[14:17], v10 offset:48
	s_waitcnt lgkmcnt(0)
	v_sub_f32_e32 v10, v14, v1
	v_sub_f32_e32 v14, v15, v2
	v_sub_f32_e32 v15, v16, v3
	v_fma_f32 v16, v15, v15, s1
	v_fma_f32 v16, v14, v14, v16
	v_fma_f32 v16, v10, v10, v16
	v_rsq_f32_e32 v16, v16
	v_mul_f32_e32 v17, v17, v16
	v_mul_f32_e32 v17, v16, v17
	v_mul_f32_e32 v16, v16, v17
	v_fma_f32 v5, v10, v16, v5
	v_fma_f32 v6, v14, v16, v6
	v_fma_f32 v7, v15, v16, v7
	s_cbranch_scc0 .LBB0_2
	s_addk_i32 s4, 0x100
	s_cmp_ge_u32 s4, s7
	s_barrier
	s_cbranch_scc0 .LBB0_1
	v_lshlrev_b64 v[0:1], 4, v[8:9]
	v_mov_b32_e32 v2, s3
	v_add_u32_e32 v0, vcc, s2, v0
	v_addc_u32_e32 v1, vcc, v2, v1, vcc
	v_mov_b32_e32 v8, v4
	flat_store_dwordx4 v[0:1], v[5:8]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel nbody
		.amdhsa_group_segment_fixed_size 4096
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
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
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 19
		.amdhsa_next_free_sgpr 8
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
	.size	nbody, .Lfunc_end0-nbody

	.set nbody.num_vgpr, 19
	.set nbody.num_agpr, 0
	.set nbody.numbered_sgpr, 8
	.set nbody.num_named_barrier, 0
	.set nbody.private_seg_size, 0
	.set nbody.uses_vcc, 1
	.set nbody.uses_flat_scratch, 0
	.set nbody.has_dyn_sized_stack, 0
	.set nbody.has_recursion, 0
	.set nbody.has_indirect_call, 0
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
      - .offset:         16
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 4096
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 256
    .name:           nbody
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         nbody.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     19
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
