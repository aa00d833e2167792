	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	wave_scan               ; -- Begin function wave_scan
	.globl	wave_scan
	.p2align	8
	.type	wave_scan,@function
wave_scan:                              ; @wave_scan
; %bb.0:
	s_load_dword s7, s[4:5], 0x24
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	v_mov_b32_e32 v2, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s7, s7, 0xffff
	s_mul_i32 s6, s6, s7
	v_add_u32_e32 v1, vcc, s6, v0
	v_lshlrev_b64 v[2:3], 2, v[1:2]
	v_mov_b32_e32 v5, s1
	v_add_u32_e32 v4, vcc, s0, v2
	v_addc_u32_e32 v5, vcc, v5, v3, vcc
	flat_load_dword v4, v[4:5]
	v_mov_b32_e32 v5, s3
	v_add_u32_e32 v2, vcc, s2, v2
	v_addc_u32_e32 v3, vcc, v5, v3, vcc
	v_and_b32_e32 v0, 63, v0
	s_waitcnt vmcnt(0)
	v_add_u32_dpp v5, vcc, v4, v4 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_nop 1
	v_add_u32_dpp v5, vcc, v4, v5 row_shr:2 row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_nop 1
	v_add_u32_dpp v4, vcc, v4, v5 row_shr:3 row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_nop 1
	v_add_u32_dpp v4, vcc, v4, v4 row_shr:4 row_mask:0xf bank_mask:0xe
	s_nop 1
	v_add_u32_dpp v4, vcc, v4, v4 row_shr:8 row_mask:0xf bank_mask:0xc
	s_nop 1
	v_add_u32_dpp v4, vcc, v4, v4 row_bcast:15 row_mask:0xa bank_mask:0xf
	s_nop 1
	v_add_u32_dpp v4, vcc, v4, v4 row_bcast:31 row_mask:0xc bank_mask:0xf
	v_readlane_b32 s0, v4, 63
	v_cmp_eq_u32_e32 vcc, 0, v0
	flat_store_dword v[2:3], v4
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB0_2
; %bb.1:
	s_load_dwordx2 s[2:3], s[4:5], 0x10
	v_lshrrev_b32_e32 v0, 4, v1
	v_and_b32_e32 v0, 0xffffffc, v0
	v_mov_b32_e32 v2, s0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v1, s3
	v_add_u32_e32 v0, vcc, s2, v0
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_store_dword v[0:1], v2
.LBB0_2:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel wave_scan
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 280
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
		.amdhsa_next_free_vgpr 6
		.amdhsa_next_free_sgpr 8
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
	.size	wave_scan, .Lfunc_end0-wave_scan
                                        ; -- End function
	.set wave_scan.num_vgpr, 6
	.set wave_scan.num_agpr, 0
	.set wave_scan.numbered_sgpr, 8
	.set wave_scan.num_named_barrier, 0
	.set wave_scan.private_seg_size, 0
	.set wave_scan.uses_vcc, 1
	.set wave_scan.uses_flat_scratch, 0
	.set wave_scan.has_dyn_sized_stack, 0
	.set wave_scan.has_recursion, 0
	.set wave_scan.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 248
; TotalNumSgprs: 10
; NumVgprs: 6
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 1
; NumSGPRsForWavesPerEU: 10
; NumVGPRsForWavesPerEU: 6
; Occupancy: 10
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 6
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.text
	.protected	__clang_ocl_kern_imp_wave_scan ; -- Begin function __clang_ocl_kern_imp_wave_scan
	.globl	__clang_ocl_kern_imp_wave_scan
	.p2align	2
	.type	__clang_ocl_kern_imp_wave_scan,@function
__clang_ocl_kern_imp_wave_scan:         ; @__clang_ocl_kern_imp_wave_scan
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_load_dword s4, s[8:9], 0xc
	v_and_b32_e32 v6, 0x3ff, v31
	v_mov_b32_e32 v7, 0
	v_and_b32_e32 v10, 63, v31
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s4, 0xffff
	s_mul_i32 s12, s12, s4
	v_add_u32_e32 v6, vcc, s12, v6
	v_lshlrev_b64 v[7:8], 2, v[6:7]
	v_add_u32_e32 v0, vcc, v0, v7
	v_addc_u32_e32 v1, vcc, v1, v8, vcc
	flat_load_dword v9, v[0:1]
	v_add_u32_e32 v0, vcc, v2, v7
	v_addc_u32_e32 v1, vcc, v3, v8, vcc
	s_waitcnt vmcnt(0)
	v_add_u32_dpp v2, vcc, v9, v9 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_nop 1
	v_add_u32_dpp v2, vcc, v9, v2 row_shr:2 row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_nop 1
	v_add_u32_dpp v2, vcc, v9, v2 row_shr:3 row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_nop 1
	v_add_u32_dpp v2, vcc, v2, v2 row_shr:4 row_mask:0xf bank_mask:0xe
	s_nop 1
	v_add_u32_dpp v2, vcc, v2, v2 row_shr:8 row_mask:0xf bank_mask:0xc
	s_nop 1
	v_add_u32_dpp v2, vcc, v2, v2 row_bcast:15 row_mask:0xa bank_mask:0xf
	s_nop 1
	v_add_u32_dpp v2, vcc, v2, v2 row_bcast:31 row_mask:0xc bank_mask:0xf
	v_readlane_b32 s6, v2, 63
	v_cmp_eq_u32_e32 vcc, 0, v10
	flat_store_dword v[0:1], v2
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_2
; %bb.1:
	v_lshrrev_b32_e32 v0, 4, v6
	v_and_b32_e32 v0, 0xffffffc, v0
	v_add_u32_e32 v0, vcc, v4, v0
	v_addc_u32_e32 v1, vcc, 0, v5, vcc
	v_mov_b32_e32 v2, s6
	flat_store_dword v[0:1], v2
.LBB1_2:
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_wave_scan, .Lfunc_end1-__clang_ocl_kern_imp_wave_scan
                                        ; -- End function
	.set __clang_ocl_kern_imp_wave_scan.num_vgpr, 32
	.set __clang_ocl_kern_imp_wave_scan.num_agpr, 0
	.set __clang_ocl_kern_imp_wave_scan.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_wave_scan.num_named_barrier, 0
	.set __clang_ocl_kern_imp_wave_scan.private_seg_size, 0
	.set __clang_ocl_kern_imp_wave_scan.uses_vcc, 1
	.set __clang_ocl_kern_imp_wave_scan.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_wave_scan.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_wave_scan.has_recursion, 0
	.set __clang_ocl_kern_imp_wave_scan.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 236
; TotalNumSgprs: 34
; NumVgprs: 32
; ScratchSize: 0
; MemoryBound: 0
	.text
	.protected	block_scan              ; -- Begin function block_scan
	.globl	block_scan
	.p2align	8
	.type	block_scan,@function
block_scan:                             ; @block_scan
; %bb.0:
	s_load_dword s0, s[4:5], 0x24
	s_load_dwordx4 s[8:11], s[4:5], 0x0
	s_load_dword s1, s[4:5], 0x10
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s0, 0xffff
	s_mul_i32 s6, s6, s4
	v_add_u32_e32 v1, vcc, s6, v0
	v_cmp_gt_u32_e64 s[0:1], s1, v1
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_cbranch_execz .LBB2_2
; %bb.1:
	v_mov_b32_e32 v2, 0
	v_lshlrev_b64 v[2:3], 2, v[1:2]
	v_mov_b32_e32 v4, s9
	v_add_u32_e32 v2, vcc, s8, v2
	v_addc_u32_e32 v3, vcc, v4, v3, vcc
	flat_load_dword v3, v[2:3]
.LBB2_2:
	s_or_b64 exec, exec, s[2:3]
	s_waitcnt vmcnt(0)
	v_add_u32_dpp v4, vcc, v3, v3 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_add_i32 s4, s4, -1
	s_nop 0
	v_add_u32_dpp v4, vcc, v3, v4 row_shr:2 row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_cmp_eq_u32_e64 s[2:3], s4, v0
	s_nop 0
	v_add_u32_dpp v3, vcc, v3, v4 row_shr:3 row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_and_b32_e32 v4, 63, v0
	s_nop 0
	v_add_u32_dpp v3, vcc, v3, v3 row_shr:4 row_mask:0xf bank_mask:0xe
	v_lshrrev_b32_e32 v2, 6, v0
	s_nop 0
	v_add_u32_dpp v3, vcc, v3, v3 row_shr:8 row_mask:0xf bank_mask:0xc
	s_mov_b32 m0, -1
	s_nop 0
	v_add_u32_dpp v3, vcc, v3, v3 row_bcast:15 row_mask:0xa bank_mask:0xf
	s_nop 1
	v_add_u32_dpp v3, vcc, v3, v3 row_bcast:31 row_mask:0xc bank_mask:0xf
	v_cmp_eq_u32_e32 vcc, 63, v4
	s_or_b64 s[4:5], vcc, s[2:3]
	s_and_saveexec_b64 s[2:3], s[4:5]
; %bb.3:
	v_lshlrev_b32_e32 v4, 2, v2
	ds_write_b32 v4, v3
; %bb.4:
	s_or_b64 exec, exec, s[2:3]
	v_cmp_ne_u32_e32 vcc, 0, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB2_14
; %bb.5:
	s_movk_i32 s4, 0x1ff
	v_cmp_lt_u32_e32 vcc, s4, v0
	s_mov_b64 s[6:7], -1
	v_mov_b32_e32 v4, 0
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB2_9
; %bb.6:
	v_and_b32_e32 v0, 8, v2
	s_mov_b32 s8, 0
	s_mov_b64 s[6:7], 0
	s_mov_b32 s9, 0
.LBB2_7:                                ; =>This Inner Loop Header: Depth=1
	v_mov_b32_e32 v4, s8
	ds_read2_b32 v[5:6], v4 offset1:1
	ds_read2_b32 v[7:8], v4 offset0:2 offset1:3
	ds_read2_b32 v[9:10], v4 offset0:4 offset1:5
	ds_read2_b32 v[11:12], v4 offset0:6 offset1:7
	s_add_i32 s9, s9, 8
	s_add_i32 s8, s8, 32
	v_cmp_eq_u32_e32 vcc, s9, v0
	s_or_b64 s[6:7], vcc, s[6:7]
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v11, vcc, v12, v11
	v_add_u32_e32 v10, vcc, v11, v10
	v_add_u32_e32 v9, vcc, v10, v9
	v_add_u32_e32 v8, vcc, v9, v8
	v_add_u32_e32 v7, vcc, v8, v7
	v_add_u32_e32 v6, vcc, v7, v6
	v_add_u32_e32 v5, vcc, v6, v5
	v_mov_b32_e32 v4, s9
	v_add_u32_e32 v3, vcc, v5, v3
	s_andn2_b64 exec, exec, s[6:7]
	s_cbranch_execnz .LBB2_7
; %bb.8:
	s_or_b64 exec, exec, s[6:7]
	v_cmp_ne_u32_e32 vcc, 0, v2
	s_orn2_b64 s[6:7], vcc, exec
.LBB2_9:
	s_or_b64 exec, exec, s[4:5]
	s_and_saveexec_b64 s[4:5], s[6:7]
	s_xor_b64 s[4:5], exec, s[4:5]
	s_cbranch_execz .LBB2_13
; %bb.10:
	v_lshlrev_b32_e32 v0, 2, v4
	s_mov_b64 s[6:7], 0
.LBB2_11:                               ; =>This Inner Loop Header: Depth=1
	ds_read_b32 v4, v0
	v_add_u32_e32 v0, vcc, 4, v0
	v_add_u32_e32 v2, vcc, -1, v2
	v_cmp_eq_u32_e32 vcc, 0, v2
	s_or_b64 s[6:7], vcc, s[6:7]
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v3, vcc, v4, v3
	s_andn2_b64 exec, exec, s[6:7]
	s_cbranch_execnz .LBB2_11
; %bb.12:
	s_or_b64 exec, exec, s[6:7]
.LBB2_13:
	s_or_b64 exec, exec, s[4:5]
.LBB2_14:
	s_or_b64 exec, exec, s[2:3]
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_cbranch_execz .LBB2_16
; %bb.15:
	v_mov_b32_e32 v2, 0
	v_lshlrev_b64 v[0:1], 2, v[1:2]
	v_mov_b32_e32 v2, s11
	v_add_u32_e32 v0, vcc, s10, v0
	v_addc_u32_e32 v1, vcc, v2, v1, vcc
	flat_store_dword v[0:1], v3
.LBB2_16:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel block_scan
		.amdhsa_group_segment_fixed_size 16
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 280
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
		.amdhsa_next_free_vgpr 13
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
.Lfunc_end2:
	.size	block_scan, .Lfunc_end2-block_scan
                                        ; -- End function
	.set block_scan.num_vgpr, 13
	.set block_scan.num_agpr, 0
	.set block_scan.numbered_sgpr, 12
	.set block_scan.num_named_barrier, 0
	.set block_scan.private_seg_size, 0
	.set block_scan.uses_vcc, 1
	.set block_scan.uses_flat_scratch, 0
	.set block_scan.has_dyn_sized_stack, 0
	.set block_scan.has_recursion, 0
	.set block_scan.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 528
; TotalNumSgprs: 14
; NumVgprs: 13
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 16 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 3
; NumSGPRsForWavesPerEU: 14
; NumVGPRsForWavesPerEU: 13
; Occupancy: 10
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 6
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.text
	.protected	__clang_ocl_kern_imp_block_scan ; -- Begin function __clang_ocl_kern_imp_block_scan
	.globl	__clang_ocl_kern_imp_block_scan
	.p2align	2
	.type	__clang_ocl_kern_imp_block_scan,@function
__clang_ocl_kern_imp_block_scan:        ; @__clang_ocl_kern_imp_block_scan
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_load_dword s4, s[8:9], 0xc
	v_and_b32_e32 v7, 0x3ff, v31
	v_mov_b32_e32 v6, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s8, s4, 0xffff
	s_mul_i32 s12, s12, s8
	v_add_u32_e32 v5, vcc, s12, v7
	v_cmp_lt_u32_e64 s[4:5], v5, v4
	s_and_saveexec_b64 s[6:7], s[4:5]
	s_cbranch_execz .LBB3_2
; %bb.1:
	v_mov_b32_e32 v6, 0
	v_lshlrev_b64 v[8:9], 2, v[5:6]
	v_add_u32_e32 v0, vcc, v0, v8
	v_addc_u32_e32 v1, vcc, v1, v9, vcc
	flat_load_dword v6, v[0:1]
.LBB3_2:
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt vmcnt(0)
	v_add_u32_dpp v0, vcc, v6, v6 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_and_b32_e32 v1, 63, v7
	s_nop 0
	v_add_u32_dpp v0, vcc, v6, v0 row_shr:2 row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_add_i32 s8, s8, -1
	s_nop 0
	v_add_u32_dpp v0, vcc, v6, v0 row_shr:3 row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_cmp_eq_u32_e64 s[6:7], s8, v7
	s_nop 0
	v_add_u32_dpp v0, vcc, v0, v0 row_shr:4 row_mask:0xf bank_mask:0xe
	v_lshrrev_b32_e32 v4, 6, v7
	s_nop 0
	v_add_u32_dpp v0, vcc, v0, v0 row_shr:8 row_mask:0xf bank_mask:0xc
	s_mov_b32 m0, -1
	s_nop 0
	v_add_u32_dpp v0, vcc, v0, v0 row_bcast:15 row_mask:0xa bank_mask:0xf
	s_nop 1
	v_add_u32_dpp v0, vcc, v0, v0 row_bcast:31 row_mask:0xc bank_mask:0xf
	v_cmp_eq_u32_e32 vcc, 63, v1
	s_or_b64 s[8:9], vcc, s[6:7]
	s_and_saveexec_b64 s[6:7], s[8:9]
	s_cbranch_execz .LBB3_4
; %bb.3:
	s_mov_b64 s[8:9], 0xc8
	s_load_dwordx2 s[0:1], s[8:9], 0x0
	s_waitcnt lgkmcnt(0)
	s_trap 2
	ds_write_b32 v0, v0
.LBB3_4:
	s_or_b64 exec, exec, s[6:7]
	v_cmp_ne_u32_e32 vcc, 0, v4
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .LBB3_14
; %bb.5:
	s_movk_i32 s8, 0x1ff
	v_bfe_u32 v1, v7, 6, 3
	v_cmp_lt_u32_e32 vcc, s8, v7
	s_mov_b64 s[10:11], -1
	s_and_saveexec_b64 s[8:9], vcc
	s_cbranch_execz .LBB3_9
; %bb.6:
	s_mov_b64 s[10:11], 0xc8
	s_load_dwordx2 s[0:1], s[10:11], 0x0
	v_and_b32_e32 v4, 8, v4
	s_mov_b32 s12, 0
	s_mov_b64 s[10:11], 0
	s_waitcnt lgkmcnt(0)
	s_trap 2
                                        ; implicit-def: $sgpr13
.LBB3_7:                                ; =>This Inner Loop Header: Depth=1
	v_mov_b32_e32 v12, s13
	ds_read2_b32 v[6:7], v12 offset1:1
	ds_read2_b32 v[8:9], v12 offset0:2 offset1:3
	ds_read2_b32 v[10:11], v12 offset0:6 offset1:7
	ds_read2_b32 v[12:13], v12 offset0:4 offset1:5
	s_add_i32 s12, s12, 8
	s_add_i32 s13, s13, 32
	v_cmp_eq_u32_e32 vcc, s12, v4
	s_or_b64 s[10:11], vcc, s[10:11]
	s_waitcnt lgkmcnt(1)
	v_add_u32_e32 v10, vcc, v11, v10
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v10, vcc, v10, v13
	v_add_u32_e32 v10, vcc, v10, v12
	v_add_u32_e32 v9, vcc, v10, v9
	v_add_u32_e32 v8, vcc, v9, v8
	v_add_u32_e32 v7, vcc, v8, v7
	v_add_u32_e32 v6, vcc, v7, v6
	v_add_u32_e32 v0, vcc, v6, v0
	s_andn2_b64 exec, exec, s[10:11]
	s_cbranch_execnz .LBB3_7
; %bb.8:
	s_or_b64 exec, exec, s[10:11]
	v_cmp_ne_u32_e32 vcc, 0, v1
	s_orn2_b64 s[10:11], vcc, exec
.LBB3_9:
	s_or_b64 exec, exec, s[8:9]
	s_and_saveexec_b64 s[8:9], s[10:11]
	s_xor_b64 s[8:9], exec, s[8:9]
	s_cbranch_execz .LBB3_13
; %bb.10:
	s_mov_b64 s[10:11], 0xc8
	s_load_dwordx2 s[0:1], s[10:11], 0x0
	s_mov_b64 s[10:11], 0
	s_waitcnt lgkmcnt(0)
	s_trap 2
                                        ; implicit-def: $vgpr4
.LBB3_11:                               ; =>This Inner Loop Header: Depth=1
	ds_read_b32 v6, v4
	v_add_u32_e32 v4, vcc, 4, v4
	v_add_u32_e32 v1, vcc, -1, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_or_b64 s[10:11], vcc, s[10:11]
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v0, vcc, v6, v0
	s_andn2_b64 exec, exec, s[10:11]
	s_cbranch_execnz .LBB3_11
; %bb.12:
	s_or_b64 exec, exec, s[10:11]
.LBB3_13:
	s_or_b64 exec, exec, s[8:9]
.LBB3_14:
	s_or_b64 exec, exec, s[6:7]
	s_and_saveexec_b64 s[6:7], s[4:5]
	s_cbranch_execz .LBB3_16
; %bb.15:
	v_mov_b32_e32 v6, 0
	v_lshlrev_b64 v[4:5], 2, v[5:6]
	v_add_u32_e32 v1, vcc, v2, v4
	v_addc_u32_e32 v2, vcc, v3, v5, vcc
	flat_store_dword v[1:2], v0
.LBB3_16:
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end3:
	.size	__clang_ocl_kern_imp_block_scan, .Lfunc_end3-__clang_ocl_kern_imp_block_scan
                                        ; -- End function
	.set __clang_ocl_kern_imp_block_scan.num_vgpr, 32
	.set __clang_ocl_kern_imp_block_scan.num_agpr, 0
	.set __clang_ocl_kern_imp_block_scan.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_block_scan.num_named_barrier, 0
	.set __clang_ocl_kern_imp_block_scan.private_seg_size, 0
	.set __clang_ocl_kern_imp_block_scan.uses_vcc, 1
	.set __clang_ocl_kern_imp_block_scan.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_block_scan.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_block_scan.has_recursion, 0
	.set __clang_ocl_kern_imp_block_scan.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 592
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
        .type_name:      'int*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .type_name:      'int*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .type_name:      'int*'
        .value_kind:     global_buffer
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         28
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         32
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         36
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         38
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         40
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         42
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         44
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         46
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         80
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         88
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         216
        .size:           4
        .value_kind:     hidden_private_base
      - .offset:         220
        .size:           4
        .value_kind:     hidden_shared_base
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 280
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           wave_scan
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         wave_scan.kd
    .uses_dynamic_stack: false
    .vgpr_count:     6
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .args:
      - .address_space:  global
        .is_const:       true
        .offset:         0
        .size:           8
        .type_name:      'int*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .type_name:      'int*'
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .type_name:      uint
        .value_kind:     by_value
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         28
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         32
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         36
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         38
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         40
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         42
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         44
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         46
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         80
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         88
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         216
        .size:           4
        .value_kind:     hidden_private_base
      - .offset:         220
        .size:           4
        .value_kind:     hidden_shared_base
    .group_segment_fixed_size: 16
    .kernarg_segment_align: 8
    .kernarg_segment_size: 280
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           block_scan
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         block_scan.kd
    .uses_dynamic_stack: false
    .vgpr_count:     13
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
