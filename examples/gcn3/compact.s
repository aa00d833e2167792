	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	compact                 ; -- Begin function compact
	.globl	compact
	.p2align	8
	.type	compact,@function
compact:                                ; @compact
; %bb.0:
	s_load_dword s8, s[4:5], 0x18
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[4:5], s[4:5], 0x10
	s_lshl_b32 s7, s6, 8
	v_or_b32_e32 v1, s7, v0
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_u32_e32 vcc, s8, v1
	v_mov_b32_e32 v7, 0
	s_and_saveexec_b64 s[8:9], vcc
	s_cbranch_execz .LBB0_2
; %bb.1:
	v_mov_b32_e32 v2, 0
	v_lshlrev_b64 v[1:2], 2, v[1:2]
	v_mov_b32_e32 v3, s1
	v_add_u32_e32 v1, vcc, s0, v1
	v_addc_u32_e32 v2, vcc, v3, v2, vcc
	flat_load_dword v7, v[1:2]
.LBB0_2:
	s_or_b64 exec, exec, s[8:9]
	v_and_b32_e32 v1, 63, v0
	v_lshrrev_b32_e32 v5, 6, v0
	s_waitcnt vmcnt(0)
	v_cmp_lt_i32_e32 vcc, 0, v7
	v_cmp_eq_u32_e64 s[0:1], 0, v1
	s_mov_b32 m0, -1
	s_and_saveexec_b64 s[8:9], s[0:1]
; %bb.3:
	s_bcnt1_i32_b64 s0, vcc
	v_lshlrev_b32_e32 v1, 2, v5
	v_mov_b32_e32 v2, s0
	ds_write_b32 v1, v2
; %bb.4:
	s_or_b64 exec, exec, s[8:9]
	v_mov_b32_e32 v6, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[1:4], v6
	s_and_saveexec_b64 s[8:9], vcc
	s_cbranch_execz .LBB0_6
; %bb.5:
	v_cmp_ne_u32_e64 s[0:1], 0, v5
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e64 v5, 0, v1, s[0:1]
	s_movk_i32 s0, 0x7f
	v_cmp_lt_u32_e64 s[0:1], s0, v0
	v_cndmask_b32_e64 v8, 0, v2, s[0:1]
	v_add_u32_e64 v5, s[0:1], v5, v8
	s_movk_i32 s0, 0xbf
	v_cmp_lt_u32_e64 s[0:1], s0, v0
	v_cndmask_b32_e64 v8, 0, v3, s[0:1]
	s_movk_i32 s10, 0xff
	v_add_u32_e64 v5, s[0:1], v5, v8
	v_cmp_lt_u32_e64 s[0:1], s10, v0
	v_cndmask_b32_e64 v8, 0, v4, s[0:1]
	v_add_u32_e64 v5, s[0:1], v5, v8
	v_mbcnt_lo_u32_b32 v8, vcc_lo, 0
	v_add_u32_e64 v5, s[0:1], s7, v5
	v_mbcnt_hi_u32_b32 v8, vcc_hi, v8
	v_add_u32_e32 v5, vcc, v5, v8
	v_lshlrev_b64 v[5:6], 2, v[5:6]
	v_mov_b32_e32 v8, s3
	v_add_u32_e32 v5, vcc, s2, v5
	v_addc_u32_e32 v6, vcc, v8, v6, vcc
	flat_store_dword v[5:6], v7
.LBB0_6:
	s_or_b64 exec, exec, s[8:9]
	s_mov_b32 s7, 0
	v_cmp_eq_u32_e32 vcc, 0, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_8
; %bb.7:
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v0, vcc, v2, v1
	s_lshl_b64 s[0:1], s[6:7], 2
	v_add_u32_e32 v0, vcc, v0, v3
	s_add_u32 s0, s4, s0
	v_add_u32_e32 v2, vcc, v0, v4
	s_addc_u32 s1, s5, s1
	v_mov_b32_e32 v0, s0
	v_mov_b32_e32 v1, s1
	flat_store_dword v[0:1], v2
.LBB0_8:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel compact
		.amdhsa_group_segment_fixed_size 16
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
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 9
		.amdhsa_next_free_sgpr 11
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
	.size	compact, .Lfunc_end0-compact
                                        ; -- End function
	.set compact.num_vgpr, 9
	.set compact.num_agpr, 0
	.set compact.numbered_sgpr, 11
	.set compact.num_named_barrier, 0
	.set compact.private_seg_size, 0
	.set compact.uses_vcc, 1
	.set compact.uses_flat_scratch, 0
	.set compact.has_dyn_sized_stack, 0
	.set compact.has_recursion, 0
	.set compact.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 400
; TotalNumSgprs: 13
; NumVgprs: 9
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 16 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 2
; NumSGPRsForWavesPerEU: 13
; NumVGPRsForWavesPerEU: 9
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
	.protected	__clang_ocl_kern_imp_compact ; -- Begin function __clang_ocl_kern_imp_compact
	.globl	__clang_ocl_kern_imp_compact
	.p2align	2
	.type	__clang_ocl_kern_imp_compact,@function
__clang_ocl_kern_imp_compact:           ; @__clang_ocl_kern_imp_compact
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_and_b32_e32 v9, 0x3ff, v31
	s_lshl_b32 s8, s12, 8
	v_or_b32_e32 v7, s8, v9
	v_cmp_lt_u32_e32 vcc, v7, v6
	v_mov_b32_e32 v6, 0
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_2
; %bb.1:
	v_mov_b32_e32 v8, 0
	v_lshlrev_b64 v[6:7], 2, v[7:8]
	v_add_u32_e32 v0, vcc, v0, v6
	v_addc_u32_e32 v1, vcc, v1, v7, vcc
	flat_load_dword v6, v[0:1]
.LBB1_2:
	s_or_b64 exec, exec, s[4:5]
	v_and_b32_e32 v0, 63, v9
	s_waitcnt vmcnt(0)
	v_cmp_lt_i32_e32 vcc, 0, v6
	v_cmp_eq_u32_e64 s[4:5], 0, v0
	s_mov_b32 m0, -1
	s_and_saveexec_b64 s[6:7], s[4:5]
	s_cbranch_execz .LBB1_4
; %bb.3:
	s_mov_b64 s[4:5], 0xc8
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	s_bcnt1_i32_b64 s4, vcc
	v_mov_b32_e32 v0, s4
	s_waitcnt lgkmcnt(0)
	s_trap 2
	ds_write_b32 v0, v0
.LBB1_4:
	s_or_b64 exec, exec, s[6:7]
	s_mov_b64 s[4:5], 0xc8
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	s_waitcnt lgkmcnt(0)
	s_trap 2
	ds_read_b64 v[0:1], v0
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .LBB1_6
; %bb.5:
	v_lshrrev_b32_e32 v7, 6, v9
	v_cmp_ne_u32_e64 s[4:5], 0, v7
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e64 v7, 0, v0, s[4:5]
	s_movk_i32 s4, 0x7f
	v_cmp_lt_u32_e64 s[4:5], s4, v9
	v_cndmask_b32_e64 v8, 0, v1, s[4:5]
	v_add_u32_e64 v7, s[4:5], v7, v8
	s_movk_i32 s4, 0xbf
	v_cmp_lt_u32_e64 s[4:5], s4, v9
	v_cndmask_b32_e64 v8, 0, v0, s[4:5]
	s_movk_i32 s9, 0xff
	v_add_u32_e64 v7, s[4:5], v7, v8
	v_cmp_lt_u32_e64 s[4:5], s9, v9
	v_cndmask_b32_e64 v8, 0, v1, s[4:5]
	v_add_u32_e64 v7, s[4:5], v7, v8
	v_mbcnt_lo_u32_b32 v8, vcc_lo, 0
	v_add_u32_e64 v7, s[4:5], s8, v7
	v_mbcnt_hi_u32_b32 v8, vcc_hi, v8
	v_add_u32_e32 v7, vcc, v7, v8
	v_mov_b32_e32 v8, 0
	v_lshlrev_b64 v[7:8], 2, v[7:8]
	v_add_u32_e32 v2, vcc, v2, v7
	v_addc_u32_e32 v3, vcc, v3, v8, vcc
	flat_store_dword v[2:3], v6
.LBB1_6:
	s_or_b64 exec, exec, s[6:7]
	s_mov_b32 s13, 0
	v_cmp_eq_u32_e32 vcc, 0, v9
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_8
; %bb.7:
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v2, vcc, v1, v0
	v_add_u32_e32 v0, vcc, v2, v0
	v_add_u32_e32 v2, vcc, v0, v1
	s_lshl_b64 s[6:7], s[12:13], 2
	v_mov_b32_e32 v1, s7
	v_add_u32_e32 v0, vcc, s6, v4
	v_addc_u32_e32 v1, vcc, v5, v1, vcc
	flat_store_dword v[0:1], v2
.LBB1_8:
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_compact, .Lfunc_end1-__clang_ocl_kern_imp_compact
                                        ; -- End function
	.set __clang_ocl_kern_imp_compact.num_vgpr, 32
	.set __clang_ocl_kern_imp_compact.num_agpr, 0
	.set __clang_ocl_kern_imp_compact.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_compact.num_named_barrier, 0
	.set __clang_ocl_kern_imp_compact.private_seg_size, 0
	.set __clang_ocl_kern_imp_compact.uses_vcc, 1
	.set __clang_ocl_kern_imp_compact.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_compact.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_compact.has_recursion, 0
	.set __clang_ocl_kern_imp_compact.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 428
; TotalNumSgprs: 34
; NumVgprs: 32
; ScratchSize: 0
; MemoryBound: 0
	.text
	.protected	compact_unordered       ; -- Begin function compact_unordered
	.globl	compact_unordered
	.p2align	8
	.type	compact_unordered,@function
compact_unordered:                      ; @compact_unordered
; %bb.0:
	s_load_dword s7, s[4:5], 0x2c
	s_load_dword s8, s[4:5], 0x18
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[4:5], s[4:5], 0x10
	v_mov_b32_e32 v2, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s7, s7, 0xffff
	s_mul_i32 s6, s6, s7
	v_add_u32_e32 v1, vcc, s6, v0
	v_cmp_gt_u32_e32 vcc, s8, v1
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .LBB2_2
; %bb.1:
	v_mov_b32_e32 v2, 0
	v_lshlrev_b64 v[1:2], 2, v[1:2]
	v_mov_b32_e32 v3, s1
	v_add_u32_e32 v1, vcc, s0, v1
	v_addc_u32_e32 v2, vcc, v3, v2, vcc
	flat_load_dword v2, v[1:2]
.LBB2_2:
	s_or_b64 exec, exec, s[6:7]
	v_lshrrev_b32_e32 v1, 6, v0
	v_and_b32_e32 v0, 63, v0
	s_waitcnt vmcnt(0)
	v_cmp_lt_i32_e32 vcc, 0, v2
	v_cmp_eq_u32_e64 s[0:1], 0, v0
	s_mov_b32 m0, -1
	s_and_saveexec_b64 s[6:7], s[0:1]
	s_cbranch_execz .LBB2_6
; %bb.3:
	s_mov_b64 s[10:11], exec
	v_mbcnt_lo_u32_b32 v0, s10, 0
	v_mbcnt_hi_u32_b32 v0, s11, v0
	s_bcnt1_i32_b64 s12, vcc
	v_cmp_eq_u32_e64 s[0:1], 0, v0
                                        ; implicit-def: $vgpr3
	s_and_saveexec_b64 s[8:9], s[0:1]
	s_cbranch_execz .LBB2_5
; %bb.4:
	s_bcnt1_i32_b64 s0, s[10:11]
	s_mul_i32 s0, s12, s0
	v_mov_b32_e32 v3, s4
	v_mov_b32_e32 v4, s5
	v_mov_b32_e32 v5, s0
	flat_atomic_add v3, v[3:4], v5 glc
.LBB2_5:
	s_or_b64 exec, exec, s[8:9]
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s0, v3
	v_mov_b32_e32 v3, s0
	v_lshlrev_b32_e32 v4, 2, v1
	v_mad_u32_u24 v0, s12, v0, v3
	ds_write_b32 v4, v0
.LBB2_6:
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB2_8
; %bb.7:
	v_lshlrev_b32_e32 v0, 2, v1
	ds_read_b32 v0, v0
	v_mbcnt_lo_u32_b32 v3, vcc_lo, 0
	v_mbcnt_hi_u32_b32 v3, vcc_hi, v3
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v0, vcc, v3, v0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_mov_b32_e32 v3, s3
	v_add_u32_e32 v0, vcc, s2, v0
	v_addc_u32_e32 v1, vcc, v3, v1, vcc
	flat_store_dword v[0:1], v2
.LBB2_8:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel compact_unordered
		.amdhsa_group_segment_fixed_size 64
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 288
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
		.amdhsa_next_free_sgpr 13
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
	.size	compact_unordered, .Lfunc_end2-compact_unordered
                                        ; -- End function
	.set compact_unordered.num_vgpr, 6
	.set compact_unordered.num_agpr, 0
	.set compact_unordered.numbered_sgpr, 13
	.set compact_unordered.num_named_barrier, 0
	.set compact_unordered.private_seg_size, 0
	.set compact_unordered.uses_vcc, 1
	.set compact_unordered.uses_flat_scratch, 0
	.set compact_unordered.has_dyn_sized_stack, 0
	.set compact_unordered.has_recursion, 0
	.set compact_unordered.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 336
; TotalNumSgprs: 15
; NumVgprs: 6
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 64 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 1
; NumSGPRsForWavesPerEU: 15
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
	.protected	__clang_ocl_kern_imp_compact_unordered ; -- Begin function __clang_ocl_kern_imp_compact_unordered
	.globl	__clang_ocl_kern_imp_compact_unordered
	.p2align	2
	.type	__clang_ocl_kern_imp_compact_unordered,@function
__clang_ocl_kern_imp_compact_unordered: ; @__clang_ocl_kern_imp_compact_unordered
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_load_dword s4, s[8:9], 0xc
	v_and_b32_e32 v9, 0x3ff, v31
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s4, 0xffff
	s_mul_i32 s12, s12, s4
	v_add_u32_e32 v7, vcc, s12, v9
	v_cmp_lt_u32_e32 vcc, v7, v6
	v_mov_b32_e32 v6, 0
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB3_2
; %bb.1:
	v_mov_b32_e32 v8, 0
	v_lshlrev_b64 v[6:7], 2, v[7:8]
	v_add_u32_e32 v0, vcc, v0, v6
	v_addc_u32_e32 v1, vcc, v1, v7, vcc
	flat_load_dword v6, v[0:1]
.LBB3_2:
	s_or_b64 exec, exec, s[4:5]
	v_and_b32_e32 v0, 63, v9
	s_waitcnt vmcnt(0)
	v_cmp_lt_i32_e32 vcc, 0, v6
	v_cmp_eq_u32_e64 s[4:5], 0, v0
	s_mov_b32 m0, -1
	s_and_saveexec_b64 s[6:7], s[4:5]
	s_cbranch_execz .LBB3_4
; %bb.3:
	s_mov_b64 s[4:5], 0xc8
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	s_bcnt1_i32_b64 s4, vcc
	v_mov_b32_e32 v0, s4
	s_waitcnt lgkmcnt(0)
	s_trap 2
	flat_atomic_add v0, v[4:5], v0 glc
	s_waitcnt vmcnt(0)
	ds_write_b32 v0, v0
.LBB3_4:
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB3_6
; %bb.5:
	s_mov_b64 s[6:7], 0xc8
	s_load_dwordx2 s[0:1], s[6:7], 0x0
	s_waitcnt lgkmcnt(0)
	s_trap 2
	ds_read_b32 v0, v0
	v_mbcnt_lo_u32_b32 v1, vcc_lo, 0
	v_mbcnt_hi_u32_b32 v1, vcc_hi, v1
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v0, vcc, v1, v0
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_add_u32_e32 v0, vcc, v2, v0
	v_addc_u32_e32 v1, vcc, v3, v1, vcc
	flat_store_dword v[0:1], v6
.LBB3_6:
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end3:
	.size	__clang_ocl_kern_imp_compact_unordered, .Lfunc_end3-__clang_ocl_kern_imp_compact_unordered
                                        ; -- End function
	.set __clang_ocl_kern_imp_compact_unordered.num_vgpr, 32
	.set __clang_ocl_kern_imp_compact_unordered.num_agpr, 0
	.set __clang_ocl_kern_imp_compact_unordered.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_compact_unordered.num_named_barrier, 0
	.set __clang_ocl_kern_imp_compact_unordered.private_seg_size, 0
	.set __clang_ocl_kern_imp_compact_unordered.uses_vcc, 1
	.set __clang_ocl_kern_imp_compact_unordered.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_compact_unordered.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_compact_unordered.has_recursion, 0
	.set __clang_ocl_kern_imp_compact_unordered.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 288
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
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .offset:         24
        .size:           4
        .type_name:      uint
        .value_kind:     by_value
    .group_segment_fixed_size: 16
    .kernarg_segment_align: 8
    .kernarg_segment_size: 28
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           compact
    .private_segment_fixed_size: 0
    .reqd_workgroup_size:
      - 256
      - 1
      - 1
    .sgpr_count:     13
    .sgpr_spill_count: 0
    .symbol:         compact.kd
    .uses_dynamic_stack: false
    .vgpr_count:     9
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
      - .address_space:  global
        .offset:         16
        .size:           8
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .offset:         24
        .size:           4
        .type_name:      uint
        .value_kind:     by_value
      - .offset:         32
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         36
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         40
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         44
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         46
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         48
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         50
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         52
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         54
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         80
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         88
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         96
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         224
        .size:           4
        .value_kind:     hidden_private_base
      - .offset:         228
        .size:           4
        .value_kind:     hidden_shared_base
    .group_segment_fixed_size: 64
    .kernarg_segment_align: 8
    .kernarg_segment_size: 288
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           compact_unordered
    .private_segment_fixed_size: 0
    .sgpr_count:     15
    .sgpr_spill_count: 0
    .symbol:         compact_unordered.kd
    .uses_dynamic_stack: false
    .vgpr_count:     6
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
