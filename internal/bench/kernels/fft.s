	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	fft
	.globl	fft
	.p2align	8
	.type	fft,@function
fft:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[4:5], s[4:5], 0x10
	s_lshl_b32 s6, s6, 9
	v_or_b32_e32 v3, s6, v0
	v_mov_b32_e32 v4, 0
	v_lshlrev_b64 v[1:2], 3, v[3:4]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v5, s1
	v_add_u32_e32 v7, vcc, s0, v1
	v_or_b32_e32 v3, 0x100, v3
	v_addc_u32_e32 v8, vcc, v5, v2, vcc
	v_lshlrev_b64 v[5:6], 3, v[3:4]
	v_mov_b32_e32 v3, s1
	v_add_u32_e32 v9, vcc, s0, v5
	v_addc_u32_e32 v10, vcc, v3, v6, vcc
	flat_load_dwordx2 v[7:8], v[7:8]
	flat_load_dwordx2 v[9:10], v[9:10]
	v_bfrev_b32_e32 v3, v0
	v_or_b32_e32 v11, 0x100, v0
	v_lshrrev_b32_e32 v3, 20, v3
	v_bfrev_b32_e32 v11, v11
	s_mov_b32 m0, -1
	s_movk_i32 s0, 0x100
	s_mov_b32 s1, 1
	v_lshrrev_b32_e32 v11, 20, v11
	s_waitcnt vmcnt(1)
	ds_write_b64 v3, v[7:8]
	s_waitcnt vmcnt(0)
	ds_write_b64 v11, v[9:10]
	v_mov_b32_e32 v7, s5
.LBB0_1:
	s_add_i32 s5, s1, -1
	v_and_b32_e32 v10, s5, v0
	v_mul_u32_u24_e32 v3, s0, v10
	v_lshlrev_b64 v[8:9], 3, v[3:4]
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v8, vcc, s4, v8
	v_addc_u32_e32 v9, vcc, v7, v9, vcc
	s_barrier
	flat_load_dwordx2 v[8:9], v[8:9]
	v_sub_u32_e32 v3, vcc, v0, v10
	v_lshlrev_b32_e32 v10, 3, v10
	v_lshlrev_b32_e32 v3, 4, v3
	s_lshl_b32 s5, s1, 3
	v_add_u32_e32 v3, vcc, v3, v10
	v_add_u32_e32 v14, vcc, s5, v3
	ds_read_b64 v[10:11], v3
	ds_read_b64 v[12:13], v14
	s_lshl_b32 s1, s1, 1
	s_lshr_b32 s0, s0, 1
	s_cmp_eq_u32 s0, 0
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mul_f32_e32 v15, v12, v8
	v_mul_f32_e32 v16, v13, v9
	v_mul_f32_e32 v9, v12, v9
	v_mul_f32_e32 v8, v13, v8
	v_sub_f32_e32 v12, v15, v16
	v_add_f32_e32 v13, v8, v9
	v_add_f32_e32 v8, v10, v12
	v_add_f32_e32 v9, v11, v13
	v_sub_f32_e32 v10, v10, v12
	v_sub_f32_e32 v11, v11, v13
	ds_write_b64 v3, v[8:9]
	ds_write_b64 v14, v[10:11]
	s_cbranch_scc0 .LBB0_1
	v_lshlrev_b32_e32 v0, 3, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2st64_b64 v[7:10], v0 offset1:4
	v_mov_b32_e32 v3, s3
	v_add_u32_e32 v0, vcc, s2, v1
	v_addc_u32_e32 v1, vcc, v3, v2, vcc
	s_waitcnt lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[7:8]
	v_mov_b32_e32 v1, s3
	v_add_u32_e32 v0, vcc, s2, v5
	v_addc_u32_e32 v1, vcc, v1, v6, vcc
	flat_store_dwordx2 v[0:1], v[9:10]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel fft
		.amdhsa_group_segment_fixed_size 4096
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
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 17
		.amdhsa_next_free_sgpr 7
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
	.size	fft, .Lfunc_end0-fft

	.set fft.num_vgpr, 17
	.set fft.num_agpr, 0
	.set fft.numbered_sgpr, 7
	.set fft.num_named_barrier, 0
	.set fft.private_seg_size, 0
	.set fft.uses_vcc, 1
	.set fft.uses_flat_scratch, 0
	.set fft.has_dyn_sized_stack, 0
	.set fft.has_recursion, 0
	.set fft.has_indirect_call, 0
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
    .group_segment_fixed_size: 4096
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 256
    .name:           fft
    .private_segment_fixed_size: 0
    .sgpr_count:     9
    .sgpr_spill_count: 0
    .symbol:         fft.kd
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
