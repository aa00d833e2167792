	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	spmv
	.globl	spmv
	.p2align	8
	.type	spmv,@function
spmv:
	s_load_dwordx8 s[8:15], s[4:5], 0x0
	s_lshl_b32 s0, s6, 8
	v_or_b32_e32 v0, s0, v0
	v_add_u32_e32 v1, vcc, 1, v0
	v_mov_b32_e32 v2, 0
	v_lshlrev_b64 v[3:4], 2, v[1:2]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v1, s9
	v_add_u32_e32 v3, vcc, s8, v3
	v_addc_u32_e32 v4, vcc, v1, v4, vcc
	v_mov_b32_e32 v1, v2
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_mov_b32_e32 v6, s9
	v_add_u32_e32 v5, vcc, s8, v0
	v_addc_u32_e32 v6, vcc, v6, v1, vcc
	flat_load_dword v10, v[3:4]
	flat_load_dword v3, v[5:6]
	s_load_dwordx2 s[0:1], s[4:5], 0x20
	s_waitcnt vmcnt(0)
	v_cmp_lt_u32_e32 vcc, v3, v10
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB0_4
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v4, v5
	v_lshlrev_b64 v[8:9], 2, v[3:4]
	v_mov_b32_e32 v2, s13
	v_add_u32_e32 v6, vcc, s12, v8
	v_addc_u32_e32 v7, vcc, v2, v9, vcc
	v_mov_b32_e32 v2, s11
	v_add_u32_e32 v8, vcc, s10, v8
	v_addc_u32_e32 v9, vcc, v2, v9, vcc
	s_mov_b64 s[4:5], 0
	v_mov_b32_e32 v11, s15
	v_mov_b32_e32 v2, 0
.LBB0_2:
	flat_load_dword v4, v[8:9]
	flat_load_dword v14, v[6:7]
	s_waitcnt vmcnt(1)
	v_lshlrev_b64 v[12:13], 2, v[4:5]
	v_add_u32_e32 v12, vcc, s14, v12
	v_addc_u32_e32 v13, vcc, v11, v13, vcc
	flat_load_dword v4, v[12:13]
	v_add_u32_e32 v3, vcc, 1, v3
	v_add_u32_e32 v6, vcc, 4, v6
	v_addc_u32_e32 v7, vcc, 0, v7, vcc
	v_add_u32_e32 v8, vcc, 4, v8
	v_addc_u32_e32 v9, vcc, 0, v9, vcc
	v_cmp_ge_u32_e32 vcc, v3, v10
	s_or_b64 s[4:5], vcc, s[4:5]
	s_waitcnt vmcnt(0)
	v_fma_f32 v2, v14, v4, v2
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB0_2
	s_or_b64 exec, exec, s[4:5]
.LBB0_4:
	s_or_b64 exec, exec, s[2:3]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v3, s1
	v_add_u32_e32 v0, vcc, s0, v0
	v_addc_u32_e32 v1, vcc, v3, v1, vcc
	flat_store_dword v[0:1], v2
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel spmv
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 40
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
		.amdhsa_next_free_vgpr 15
		.amdhsa_next_free_sgpr 16
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
	.size	spmv, .Lfunc_end0-spmv

	.set spmv.num_vgpr, 15
	.set spmv.num_agpr, 0
	.set spmv.numbered_sgpr, 16
	.set spmv.num_named_barrier, 0
	.set spmv.private_seg_size, 0
	.set spmv.uses_vcc, 1
	.set spmv.uses_flat_scratch, 0
	.set spmv.has_dyn_sized_stack, 0
	.set spmv.has_recursion, 0
	.set spmv.has_indirect_call, 0
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
      - .address_space:  global
        .offset:         24
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         32
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 40
    .max_flat_workgroup_size: 256
    .name:           spmv
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         spmv.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     15
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
