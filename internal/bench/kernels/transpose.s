	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	transpose
	.globl	transpose
	.p2align	8
	.type	transpose,@function
transpose:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[4:5], s[4:5], 0x10
	s_lshl_b32 s7, s7, 5
	v_add_u32_e32 v2, vcc, s7, v1
	s_lshl_b32 s6, s6, 5
	s_waitcnt lgkmcnt(0)
	v_mul_lo_u32 v2, v2, s4
	v_add_u32_e32 v3, vcc, s6, v0
	v_mov_b32_e32 v6, s1
	v_add_u32_e32 v2, vcc, v3, v2
	v_mov_b32_e32 v3, 0
	v_lshlrev_b64 v[4:5], 2, v[2:3]
	s_lshl_b32 s4, s4, 3
	v_add_u32_e32 v4, vcc, s0, v4
	v_addc_u32_e32 v5, vcc, v6, v5, vcc
	v_add_u32_e32 v2, vcc, s4, v2
	v_lshlrev_b64 v[6:7], 2, v[2:3]
	v_mov_b32_e32 v8, s1
	v_add_u32_e32 v6, vcc, s0, v6
	v_addc_u32_e32 v7, vcc, v8, v7, vcc
	v_add_u32_e32 v2, vcc, s4, v2
	v_lshlrev_b64 v[8:9], 2, v[2:3]
	v_mov_b32_e32 v10, s1
	v_add_u32_e32 v8, vcc, s0, v8
	v_addc_u32_e32 v9, vcc, v10, v9, vcc
	v_add_u32_e32 v2, vcc, s4, v2
	v_lshlrev_b64 v[10:11], 2, v[2:3]
	v_mov_b32_e32 v2, s1
	v_add_u32_e32 v10, vcc, s0, v10
	v_addc_u32_e32 v11, vcc, v2, v11, vcc
	flat_load_dword v12, v[4:5]
	flat_load_dword v13, v[6:7]
	flat_load_dword v8, v[8:9]
	flat_load_dword v9, v[10:11]
	s_movk_i32 s0, 0x84
	v_lshlrev_b32_e32 v2, 2, v0
	v_lshlrev_b32_e32 v4, 2, v1
	v_mad_u32_u24 v10, v1, s0, v2
	v_add_u32_e32 v1, vcc, s6, v1
	v_mul_lo_u32 v1, v1, s5
	v_mad_u32_u24 v11, v0, s0, v4
	v_add_u32_e32 v0, vcc, s7, v0
	s_lshl_b32 s0, s5, 3
	v_add_u32_e32 v2, vcc, v0, v1
	v_lshlrev_b64 v[0:1], 2, v[2:3]
	v_add_u32_e32 v2, vcc, s0, v2
	v_lshlrev_b64 v[4:5], 2, v[2:3]
	v_add_u32_e32 v2, vcc, s0, v2
	v_mov_b32_e32 v6, s3
	v_add_u32_e32 v0, vcc, s2, v0
	v_addc_u32_e32 v1, vcc, v6, v1, vcc
	v_lshlrev_b64 v[6:7], 2, v[2:3]
	v_add_u32_e32 v2, vcc, s0, v2
	s_mov_b32 m0, -1
	v_mov_b32_e32 v14, s3
	v_add_u32_e32 v4, vcc, s2, v4
	v_addc_u32_e32 v5, vcc, v14, v5, vcc
	v_mov_b32_e32 v15, s3
	v_lshlrev_b64 v[2:3], 2, v[2:3]
	v_add_u32_e32 v6, vcc, s2, v6
	v_addc_u32_e32 v7, vcc, v15, v7, vcc
	v_mov_b32_e32 v16, s3
	v_add_u32_e32 v2, vcc, s2, v2
	v_addc_u32_e32 v3, vcc, v16, v3, vcc
	s_waitcnt vmcnt(3)
	ds_write_b32 v10, v12
	s_waitcnt vmcnt(2)
	ds_write_b32 v10, v13 offset:1056
	s_waitcnt vmcnt(1)
	ds_write_b32 v10, v8 offset:2112
	s_waitcnt vmcnt(0)
	ds_write_b32 v10, v9 offset:3168
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2_b32 v[8:9], v11 offset1:8
	ds_read2_b32 v[10:11], v11 offset0:16 offset1:24
	s_waitcnt lgkmcnt(1)
	flat_store_dword v[0:1], v8
	flat_store_dword v[4:5], v9
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[6:7], v10
	flat_store_dword v[2:3], v11
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel transpose
		.amdhsa_group_segment_fixed_size 4224
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
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
		.amdhsa_next_free_vgpr 17
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
	.size	transpose, .Lfunc_end0-transpose

	.set transpose.num_vgpr, 17
	.set transpose.num_agpr, 0
	.set transpose.numbered_sgpr, 8
	.set transpose.num_named_barrier, 0
	.set transpose.private_seg_size, 0
	.set transpose.uses_vcc, 1
	.set transpose.uses_flat_scratch, 0
	.set transpose.has_dyn_sized_stack, 0
	.set transpose.has_recursion, 0
	.set transpose.has_indirect_call, 0
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
      - .offset:         20
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 4224
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 256
    .name:           transpose
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         transpose.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     17
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
