	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	transpose               ; -- Begin function transpose
	.globl	transpose
	.p2align	8
	.type	transpose,@function
transpose:                              ; @transpose
; %bb.0:
	s_load_dwordx4 s[8:11], s[4:5], 0x0
	s_load_dwordx2 s[2:3], s[4:5], 0x10
	s_lshl_b32 s6, s6, 5
	s_lshl_b32 s7, s7, 5
	v_or_b32_e32 v3, s6, v0
	v_or_b32_e32 v4, s7, v1
	v_lshlrev_b32_e32 v2, 2, v0
	s_movk_i32 s0, 0x84
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_u32_e32 vcc, s2, v3
	v_mad_u32_u24 v2, v1, s0, v2
	v_cmp_gt_u32_e64 s[0:1], s3, v4
	s_and_b64 s[0:1], vcc, s[0:1]
	s_mov_b32 m0, -1
	s_and_saveexec_b64 s[4:5], s[0:1]
	s_cbranch_execz .LBB0_2
; %bb.1:
	v_mul_lo_u32 v5, v4, s2
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, s9
	v_add_u32_e64 v5, s[0:1], v5, v3
	v_lshlrev_b64 v[5:6], 2, v[5:6]
	v_add_u32_e64 v5, s[0:1], s8, v5
	v_addc_u32_e64 v6, s[0:1], v7, v6, s[0:1]
	flat_load_dword v5, v[5:6]
	s_waitcnt vmcnt(0)
	ds_write_b32 v2, v5
.LBB0_2:
	s_or_b64 exec, exec, s[4:5]
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_9
; %bb.3:
	v_add_u32_e32 v5, vcc, 8, v4
	v_cmp_gt_u32_e32 vcc, s3, v5
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB0_5
; %bb.4:
	v_mul_lo_u32 v5, v5, s2
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, s9
	v_add_u32_e32 v5, vcc, v5, v3
	v_lshlrev_b64 v[5:6], 2, v[5:6]
	v_add_u32_e32 v5, vcc, s8, v5
	v_addc_u32_e32 v6, vcc, v7, v6, vcc
	flat_load_dword v5, v[5:6]
	s_waitcnt vmcnt(0)
	ds_write_b32 v2, v5 offset:1056
.LBB0_5:
	s_or_b64 exec, exec, s[4:5]
	v_add_u32_e32 v5, vcc, 16, v4
	v_cmp_gt_u32_e32 vcc, s3, v5
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB0_7
; %bb.6:
	v_mul_lo_u32 v5, v5, s2
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, s9
	v_add_u32_e32 v5, vcc, v5, v3
	v_lshlrev_b64 v[5:6], 2, v[5:6]
	v_add_u32_e32 v5, vcc, s8, v5
	v_addc_u32_e32 v6, vcc, v7, v6, vcc
	flat_load_dword v5, v[5:6]
	s_waitcnt vmcnt(0)
	ds_write_b32 v2, v5 offset:2112
.LBB0_7:
	s_or_b64 exec, exec, s[4:5]
	v_add_u32_e32 v4, vcc, 24, v4
	v_cmp_gt_u32_e32 vcc, s3, v4
	s_and_b64 exec, exec, vcc
	s_cbranch_execz .LBB0_9
; %bb.8:
	v_mul_lo_u32 v5, v4, s2
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v6, s9
	v_add_u32_e32 v3, vcc, v5, v3
	v_lshlrev_b64 v[3:4], 2, v[3:4]
	v_add_u32_e32 v3, vcc, s8, v3
	v_addc_u32_e32 v4, vcc, v6, v4, vcc
	flat_load_dword v3, v[3:4]
	s_waitcnt vmcnt(0)
	ds_write_b32 v2, v3 offset:3168
.LBB0_9:
	s_or_b64 exec, exec, s[0:1]
	v_add_u32_e32 v2, vcc, s7, v0
	v_add_u32_e32 v3, vcc, s6, v1
	v_lshlrev_b32_e32 v1, 2, v1
	s_movk_i32 s0, 0x84
	v_cmp_gt_u32_e32 vcc, s3, v2
	v_mad_u32_u24 v0, v0, s0, v1
	v_cmp_gt_u32_e64 s[0:1], s2, v3
	s_and_b64 s[0:1], vcc, s[0:1]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[0:1]
	s_cbranch_execz .LBB0_11
; %bb.10:
	v_mul_lo_u32 v1, v3, s3
	ds_read_b32 v6, v0
	v_mov_b32_e32 v5, 0
	v_add_u32_e64 v4, s[0:1], v1, v2
	v_lshlrev_b64 v[4:5], 2, v[4:5]
	v_mov_b32_e32 v1, s11
	v_add_u32_e64 v4, s[0:1], s10, v4
	v_addc_u32_e64 v5, s[0:1], v1, v5, s[0:1]
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[4:5], v6
.LBB0_11:
	s_or_b64 exec, exec, s[4:5]
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_18
; %bb.12:
	v_add_u32_e32 v1, vcc, 8, v3
	v_cmp_gt_u32_e32 vcc, s2, v1
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_14
; %bb.13:
	v_mul_lo_u32 v1, v1, s3
	ds_read_b32 v6, v0 offset:32
	v_mov_b32_e32 v5, 0
	v_add_u32_e32 v4, vcc, v1, v2
	v_lshlrev_b64 v[4:5], 2, v[4:5]
	v_mov_b32_e32 v1, s11
	v_add_u32_e32 v4, vcc, s10, v4
	v_addc_u32_e32 v5, vcc, v1, v5, vcc
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[4:5], v6
.LBB0_14:
	s_or_b64 exec, exec, s[0:1]
	v_add_u32_e32 v1, vcc, 16, v3
	v_cmp_gt_u32_e32 vcc, s2, v1
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_16
; %bb.15:
	v_mul_lo_u32 v1, v1, s3
	ds_read_b32 v6, v0 offset:64
	v_mov_b32_e32 v5, 0
	v_add_u32_e32 v4, vcc, v1, v2
	v_lshlrev_b64 v[4:5], 2, v[4:5]
	v_mov_b32_e32 v1, s11
	v_add_u32_e32 v4, vcc, s10, v4
	v_addc_u32_e32 v5, vcc, v1, v5, vcc
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[4:5], v6
.LBB0_16:
	s_or_b64 exec, exec, s[0:1]
	v_add_u32_e32 v1, vcc, 24, v3
	v_cmp_gt_u32_e32 vcc, s2, v1
	s_and_b64 exec, exec, vcc
	s_cbranch_execz .LBB0_18
; %bb.17:
	v_mul_lo_u32 v3, v1, s3
	ds_read_b32 v4, v0 offset:96
	v_mov_b32_e32 v1, 0
	v_add_u32_e32 v0, vcc, v3, v2
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_mov_b32_e32 v2, s11
	v_add_u32_e32 v0, vcc, s10, v0
	v_addc_u32_e32 v1, vcc, v2, v1, vcc
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[0:1], v4
.LBB0_18:
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
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 12
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 0
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
                                        ; -- End function
	.set transpose.num_vgpr, 8
	.set transpose.num_agpr, 0
	.set transpose.numbered_sgpr, 12
	.set transpose.num_named_barrier, 0
	.set transpose.private_seg_size, 0
	.set transpose.uses_vcc, 1
	.set transpose.uses_flat_scratch, 0
	.set transpose.has_dyn_sized_stack, 0
	.set transpose.has_recursion, 0
	.set transpose.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 752
; TotalNumSgprs: 14
; NumVgprs: 8
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 4224 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 1
; NumSGPRsForWavesPerEU: 14
; NumVGPRsForWavesPerEU: 8
; Occupancy: 10
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 6
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 1
	.text
	.protected	__clang_ocl_kern_imp_transpose ; -- Begin function __clang_ocl_kern_imp_transpose
	.globl	__clang_ocl_kern_imp_transpose
	.p2align	2
	.type	__clang_ocl_kern_imp_transpose,@function
__clang_ocl_kern_imp_transpose:         ; @__clang_ocl_kern_imp_transpose
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_and_b32_e32 v6, 0x3ff, v31
	v_bfe_u32 v7, v31, 10, 10
	s_lshl_b32 s8, s12, 5
	s_lshl_b32 s9, s13, 5
	v_or_b32_e32 v8, s8, v6
	v_or_b32_e32 v9, s9, v7
	s_mov_b64 s[4:5], 0xc8
	v_cmp_lt_u32_e32 vcc, v8, v4
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	v_cmp_lt_u32_e64 s[4:5], v9, v5
	s_and_b64 s[4:5], vcc, s[4:5]
	s_mov_b32 m0, -1
	s_waitcnt lgkmcnt(0)
	s_trap 2
	s_and_saveexec_b64 s[6:7], s[4:5]
	s_cbranch_execz .LBB1_2
; %bb.1:
	v_mul_lo_u32 v10, v9, v4
	v_mov_b32_e32 v11, 0
	v_add_u32_e64 v10, s[4:5], v10, v8
	v_lshlrev_b64 v[10:11], 2, v[10:11]
	v_add_u32_e64 v10, s[4:5], v0, v10
	v_addc_u32_e64 v11, s[4:5], v1, v11, s[4:5]
	flat_load_dword v10, v[10:11]
	s_waitcnt vmcnt(0)
	ds_write_b32 v0, v10
.LBB1_2:
	s_or_b64 exec, exec, s[6:7]
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_9
; %bb.3:
	v_add_u32_e32 v10, vcc, 8, v9
	v_cmp_lt_u32_e32 vcc, v10, v5
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .LBB1_5
; %bb.4:
	v_mul_lo_u32 v10, v10, v4
	v_mov_b32_e32 v11, 0
	v_add_u32_e32 v10, vcc, v10, v8
	v_lshlrev_b64 v[10:11], 2, v[10:11]
	v_add_u32_e32 v10, vcc, v0, v10
	v_addc_u32_e32 v11, vcc, v1, v11, vcc
	flat_load_dword v10, v[10:11]
	s_waitcnt vmcnt(0)
	ds_write_b32 v0, v10 offset:1056
.LBB1_5:
	s_or_b64 exec, exec, s[6:7]
	v_add_u32_e32 v10, vcc, 16, v9
	v_cmp_lt_u32_e32 vcc, v10, v5
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .LBB1_7
; %bb.6:
	v_mul_lo_u32 v10, v10, v4
	v_mov_b32_e32 v11, 0
	v_add_u32_e32 v10, vcc, v10, v8
	v_lshlrev_b64 v[10:11], 2, v[10:11]
	v_add_u32_e32 v10, vcc, v0, v10
	v_addc_u32_e32 v11, vcc, v1, v11, vcc
	flat_load_dword v10, v[10:11]
	s_waitcnt vmcnt(0)
	ds_write_b32 v0, v10 offset:2112
.LBB1_7:
	s_or_b64 exec, exec, s[6:7]
	v_add_u32_e32 v9, vcc, 24, v9
	v_cmp_lt_u32_e32 vcc, v9, v5
	s_and_b64 exec, exec, vcc
	s_cbranch_execz .LBB1_9
; %bb.8:
	v_mul_lo_u32 v10, v9, v4
	v_mov_b32_e32 v9, 0
	v_add_u32_e32 v8, vcc, v10, v8
	v_lshlrev_b64 v[8:9], 2, v[8:9]
	v_add_u32_e32 v0, vcc, v0, v8
	v_addc_u32_e32 v1, vcc, v1, v9, vcc
	flat_load_dword v0, v[0:1]
	s_waitcnt vmcnt(0)
	ds_write_b32 v0, v0 offset:3168
.LBB1_9:
	s_or_b64 exec, exec, s[4:5]
	v_add_u32_e32 v0, vcc, s9, v6
	v_add_u32_e32 v1, vcc, s8, v7
	s_mov_b64 s[4:5], 0xc8
	v_cmp_lt_u32_e32 vcc, v0, v5
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	v_cmp_lt_u32_e64 s[4:5], v1, v4
	s_and_b64 s[4:5], vcc, s[4:5]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_trap 2
	s_and_saveexec_b64 s[6:7], s[4:5]
	s_cbranch_execz .LBB1_11
; %bb.10:
	v_mul_lo_u32 v6, v1, v5
	ds_read_b32 v8, v0
	v_mov_b32_e32 v7, 0
	v_add_u32_e64 v6, s[4:5], v6, v0
	v_lshlrev_b64 v[6:7], 2, v[6:7]
	v_add_u32_e64 v6, s[4:5], v2, v6
	v_addc_u32_e64 v7, s[4:5], v3, v7, s[4:5]
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[6:7], v8
.LBB1_11:
	s_or_b64 exec, exec, s[6:7]
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_18
; %bb.12:
	v_add_u32_e32 v6, vcc, 8, v1
	v_cmp_lt_u32_e32 vcc, v6, v4
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .LBB1_14
; %bb.13:
	v_mul_lo_u32 v6, v6, v5
	ds_read_b32 v8, v0 offset:32
	v_mov_b32_e32 v7, 0
	v_add_u32_e32 v6, vcc, v6, v0
	v_lshlrev_b64 v[6:7], 2, v[6:7]
	v_add_u32_e32 v6, vcc, v2, v6
	v_addc_u32_e32 v7, vcc, v3, v7, vcc
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[6:7], v8
.LBB1_14:
	s_or_b64 exec, exec, s[6:7]
	v_add_u32_e32 v6, vcc, 16, v1
	v_cmp_lt_u32_e32 vcc, v6, v4
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .LBB1_16
; %bb.15:
	v_mul_lo_u32 v6, v6, v5
	ds_read_b32 v8, v0 offset:64
	v_mov_b32_e32 v7, 0
	v_add_u32_e32 v6, vcc, v6, v0
	v_lshlrev_b64 v[6:7], 2, v[6:7]
	v_add_u32_e32 v6, vcc, v2, v6
	v_addc_u32_e32 v7, vcc, v3, v7, vcc
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[6:7], v8
.LBB1_16:
	s_or_b64 exec, exec, s[6:7]
	v_add_u32_e32 v1, vcc, 24, v1
	v_cmp_lt_u32_e32 vcc, v1, v4
	s_and_b64 exec, exec, vcc
	s_cbranch_execz .LBB1_18
; %bb.17:
	v_mul_lo_u32 v4, v1, v5
	ds_read_b32 v5, v0 offset:96
	v_mov_b32_e32 v1, 0
	v_add_u32_e32 v0, vcc, v4, v0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_add_u32_e32 v0, vcc, v2, v0
	v_addc_u32_e32 v1, vcc, v3, v1, vcc
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[0:1], v5
.LBB1_18:
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_transpose, .Lfunc_end1-__clang_ocl_kern_imp_transpose
                                        ; -- End function
	.set __clang_ocl_kern_imp_transpose.num_vgpr, 32
	.set __clang_ocl_kern_imp_transpose.num_agpr, 0
	.set __clang_ocl_kern_imp_transpose.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_transpose.num_named_barrier, 0
	.set __clang_ocl_kern_imp_transpose.private_seg_size, 0
	.set __clang_ocl_kern_imp_transpose.uses_vcc, 1
	.set __clang_ocl_kern_imp_transpose.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_transpose.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_transpose.has_recursion, 0
	.set __clang_ocl_kern_imp_transpose.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 740
; TotalNumSgprs: 34
; NumVgprs: 32
; ScratchSize: 0
; MemoryBound: 0
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 32
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 32
	.set amdgpu.max_num_named_barrier, 0
	.section	.AMDGPU.csdata,"",@progbits
	.ident	"Debian clang version 22.1.8 (1~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .is_const:       true
        .offset:         0
        .size:           8
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .type_name:      uint
        .value_kind:     by_value
      - .offset:         20
        .size:           4
        .type_name:      uint
        .value_kind:     by_value
    .group_segment_fixed_size: 4224
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           transpose
    .private_segment_fixed_size: 0
    .reqd_workgroup_size:
      - 32
      - 8
      - 1
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         transpose.kd
    .uses_dynamic_stack: false
    .vgpr_count:     8
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
