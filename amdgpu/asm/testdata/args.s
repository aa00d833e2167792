	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 6
	.text
	.protected	many                    ; -- Begin function many
	.globl	many
	.p2align	8
	.type	many,@function
many:                                   ; @many
; %bb.0:
	s_load_dwordx4 s[0:3], s[4:5], 0x30
	s_load_dwordx4 s[8:11], s[4:5], 0x1c
	s_load_dwordx4 s[12:15], s[4:5], 0x0
	s_load_dwordx2 s[4:5], s[4:5], 0x40
	v_and_b32_e32 v0, 15, v0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s0
	s_sext_i32_i8 s0, s8
	v_lshlrev_b32_e32 v0, 2, v0
	v_mov_b32_e32 v4, s0
	s_mov_b32 m0, -1
	ds_write_b32 v0, v4
	v_lshlrev_b32_e32 v0, 2, v1
	v_add_u32_e32 v0, vcc, s14, v0
	v_mov_b32_e32 v1, s15
	s_and_b32 s0, s0, 3
	ds_write_b32 v0, v1
	v_mov_b32_e32 v1, s14
	s_lshl_b32 s14, s0, 2
	v_mov_b32_e32 v3, s1
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, primes@rel32@lo+4
	s_addc_u32 s1, s1, primes@rel32@hi+12
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, counter@rel32@lo+4
	s_addc_u32 s7, s7, counter@rel32@hi+12
	v_mov_b32_e32 v0, 0
	s_bfe_i64 s[10:11], s[8:9], 0x80000
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v0, v0 offset:12
	s_lshl_b64 s[10:11], s[10:11], 2
	ds_read_b32 v1, v1 offset:8
	s_add_u32 s10, s12, s10
	v_cvt_i32_f32_e32 v4, s9
	s_addc_u32 s11, s13, s11
	s_load_dword s8, s[10:11], 0x0
	s_load_dword s0, s[0:1], s14
	s_load_dword s1, s[2:3], 0x4
	s_load_dword s2, s[6:7], 0x0
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v0, vcc, v0, v4
	v_cvt_i32_f32_e32 v5, s8
	v_add_u32_e32 v0, vcc, v0, v1
	v_add_u32_e32 v0, vcc, s0, v0
	v_add_u32_e32 v0, vcc, s1, v0
	v_add_u32_e32 v0, vcc, s2, v0
	v_add_u32_e32 v0, vcc, v0, v5
	flat_store_dword v[2:3], v0
	s_waitcnt vmcnt(0)
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, where@rel32@lo+4
	s_addc_u32 s1, s1, where@rel32@hi+12
	s_load_dwordx2 s[0:1], s[0:1], 0x0
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v1, s5
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v3, s1
	v_mov_b32_e32 v2, s0
	flat_store_dwordx2 v[0:1], v[2:3]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel many
		.amdhsa_group_segment_fixed_size 64
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 72
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
		.amdhsa_system_vgpr_workitem_id 1
		.amdhsa_next_free_vgpr 29
		.amdhsa_next_free_sgpr 63
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
	.size	many, .Lfunc_end0-many
                                        ; -- End function
	.set many.num_vgpr, 6
	.set many.num_agpr, 0
	.set many.numbered_sgpr, 16
	.set many.num_named_barrier, 0
	.set many.private_seg_size, 0
	.set many.uses_vcc, 1
	.set many.uses_flat_scratch, 0
	.set many.has_dyn_sized_stack, 0
	.set many.has_recursion, 0
	.set many.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 332
; TotalNumSgprs: 18
; NumVgprs: 6
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 64 bytes/workgroup (compile time only)
; SGPRBlocks: 8
; VGPRBlocks: 7
; NumSGPRsForWavesPerEU: 65
; NumVGPRsForWavesPerEU: 29
; Occupancy: 8
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 6
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 1
	.text
	.protected	__clang_ocl_kern_imp_many ; -- Begin function __clang_ocl_kern_imp_many
	.globl	__clang_ocl_kern_imp_many
	.p2align	2
	.type	__clang_ocl_kern_imp_many,@function
__clang_ocl_kern_imp_many:              ; @__clang_ocl_kern_imp_many
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_lshrrev_b32_e32 v5, 8, v31
	v_and_b32_e32 v5, 0xffc, v5
	s_mov_b64 s[4:5], 0xc8
	s_mov_b32 m0, -1
	v_add_u32_e32 v5, vcc, v2, v5
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	s_waitcnt lgkmcnt(0)
	s_trap 2
	ds_write_b32 v0, v7
	ds_write_b32 v5, v3
	v_and_b32_e32 v3, 3, v7
	v_lshlrev_b32_e32 v3, 2, v3
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, primes@rel32@lo+4
	s_addc_u32 s5, s5, primes@rel32@hi+12
	v_mov_b32_e32 v6, s5
	v_add_u32_e32 v5, vcc, s4, v3
	v_mov_b32_e32 v4, v8
	v_addc_u32_e32 v6, vcc, 0, v6, vcc
	v_ashrrev_i32_e32 v8, 31, v7
	s_waitcnt lgkmcnt(0)
	s_barrier
	flat_load_dword v3, v[5:6]
	v_add_u32_e32 v5, vcc, 4, v14
	v_lshlrev_b64 v[7:8], 2, v[7:8]
	v_addc_u32_e32 v6, vcc, 0, v15, vcc
	v_add_u32_e32 v0, vcc, v0, v7
	v_addc_u32_e32 v1, vcc, v1, v8, vcc
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, counter@rel32@lo+4
	s_addc_u32 s5, s5, counter@rel32@hi+12
	flat_load_dword v7, v[0:1]
	flat_load_dword v5, v[5:6]
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v1, s5
	flat_load_dword v0, v[0:1]
	v_cvt_i32_f32_e32 v4, v4
	ds_read_b32 v2, v2 offset:8
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, where@rel32@lo+4
	s_addc_u32 s5, s5, where@rel32@hi+12
	s_waitcnt vmcnt(0)
	ds_read_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v1, vcc, v1, v4
	v_add_u32_e32 v1, vcc, v1, v2
	v_cvt_i32_f32_e32 v2, v7
	v_add_u32_e32 v1, vcc, v1, v3
	v_add_u32_e32 v1, vcc, v1, v5
	v_add_u32_e32 v0, vcc, v1, v0
	v_add_u32_e32 v0, vcc, v0, v2
	flat_store_dword v[12:13], v0
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v1, s5
	flat_load_dwordx2 v[0:1], v[0:1]
	s_waitcnt vmcnt(0)
	flat_store_dwordx2 v[16:17], v[0:1]
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_many, .Lfunc_end1-__clang_ocl_kern_imp_many
                                        ; -- End function
	.set __clang_ocl_kern_imp_many.num_vgpr, 32
	.set __clang_ocl_kern_imp_many.num_agpr, 0
	.set __clang_ocl_kern_imp_many.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_many.num_named_barrier, 0
	.set __clang_ocl_kern_imp_many.private_seg_size, 0
	.set __clang_ocl_kern_imp_many.uses_vcc, 1
	.set __clang_ocl_kern_imp_many.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_many.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_many.has_recursion, 0
	.set __clang_ocl_kern_imp_many.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 328
; TotalNumSgprs: 34
; NumVgprs: 32
; ScratchSize: 0
; MemoryBound: 0
	.text
	.protected	scratch                 ; -- Begin function scratch
	.globl	scratch
	.p2align	8
	.type	scratch,@function
scratch:                                ; @scratch
; %bb.0:
	s_load_dword s8, s[4:5], 0x8
	s_load_dwordx2 s[4:5], s[4:5], 0x0
	s_add_u32 s0, s0, s7
	s_addc_u32 s1, s1, 0
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s8, 1
	s_cbranch_scc1 .LBB2_3
; %bb.1:
	s_mov_b32 s9, 0
	s_mov_b32 s10, s8
	s_mov_b64 s[6:7], s[4:5]
.LBB2_2:                                ; =>This Inner Loop Header: Depth=1
	s_load_dword s11, s[6:7], 0x0
	s_add_u32 s6, s6, 4
	v_mov_b32_e32 v0, s9
	s_addc_u32 s7, s7, 0
	s_add_i32 s9, s9, 4
	s_add_i32 s10, s10, -1
	s_cmp_lg_u32 s10, 0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v1, s11
	buffer_store_dword v1, v0, s[0:3], 0 offen
	s_waitcnt vmcnt(0)
	s_cbranch_scc1 .LBB2_2
.LBB2_3:
	s_lshl_b32 s6, s8, 2
	v_mov_b32_e32 v0, s6
	buffer_load_dword v2, v0, s[0:3], 0 offen glc
	s_waitcnt vmcnt(0)
	s_add_u32 s4, s4, 4
	s_addc_u32 s5, s5, 0
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v1, s5
	flat_store_dword v[0:1], v2
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel scratch
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 164
		.amdhsa_kernarg_size 12
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 3
		.amdhsa_next_free_sgpr 12
		.amdhsa_reserve_vcc 0
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
	.size	scratch, .Lfunc_end2-scratch
                                        ; -- End function
	.set scratch.num_vgpr, 3
	.set scratch.num_agpr, 0
	.set scratch.numbered_sgpr, 12
	.set scratch.num_named_barrier, 0
	.set scratch.private_seg_size, 164
	.set scratch.uses_vcc, 0
	.set scratch.uses_flat_scratch, 0
	.set scratch.has_dyn_sized_stack, 0
	.set scratch.has_recursion, 0
	.set scratch.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 152
; TotalNumSgprs: 12
; NumVgprs: 3
; ScratchSize: 164
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 0
; NumSGPRsForWavesPerEU: 12
; NumVGPRsForWavesPerEU: 3
; Occupancy: 10
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 1
; COMPUTE_PGM_RSRC2:USER_SGPR: 6
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.text
	.protected	__clang_ocl_kern_imp_scratch ; -- Begin function __clang_ocl_kern_imp_scratch
	.globl	__clang_ocl_kern_imp_scratch
	.p2align	2
	.type	__clang_ocl_kern_imp_scratch,@function
__clang_ocl_kern_imp_scratch:           ; @__clang_ocl_kern_imp_scratch
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_cmp_lt_i32_e32 vcc, 0, v2
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB3_3
; %bb.1:
	v_mov_b32_e32 v4, v1
	s_lshr_b32 s8, s32, 6
	s_mov_b64 s[6:7], 0
	v_mov_b32_e32 v3, v0
	v_mov_b32_e32 v5, v2
.LBB3_2:                                ; =>This Inner Loop Header: Depth=1
	flat_load_dword v6, v[3:4]
	v_add_u32_e32 v5, vcc, -1, v5
	v_add_u32_e32 v3, vcc, 4, v3
	v_addc_u32_e32 v4, vcc, 0, v4, vcc
	v_mov_b32_e32 v7, s8
	s_add_i32 s8, s8, 4
	v_cmp_eq_u32_e32 vcc, 0, v5
	s_or_b64 s[6:7], vcc, s[6:7]
	s_waitcnt vmcnt(0)
	buffer_store_dword v6, v7, s[0:3], 0 offen
	s_waitcnt vmcnt(0)
	s_andn2_b64 exec, exec, s[6:7]
	s_cbranch_execnz .LBB3_2
.LBB3_3:
	s_or_b64 exec, exec, s[4:5]
	v_lshlrev_b32_e32 v2, 2, v2
	v_lshrrev_b32_e64 v3, 6, s32
	v_add_u32_e32 v2, vcc, v2, v3
	buffer_load_dword v2, v2, s[0:3], 0 offen glc
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v0, vcc, 4, v0
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_store_dword v[0:1], v2
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end3:
	.size	__clang_ocl_kern_imp_scratch, .Lfunc_end3-__clang_ocl_kern_imp_scratch
                                        ; -- End function
	.set __clang_ocl_kern_imp_scratch.num_vgpr, 8
	.set __clang_ocl_kern_imp_scratch.num_agpr, 0
	.set __clang_ocl_kern_imp_scratch.numbered_sgpr, 33
	.set __clang_ocl_kern_imp_scratch.num_named_barrier, 0
	.set __clang_ocl_kern_imp_scratch.private_seg_size, 164
	.set __clang_ocl_kern_imp_scratch.uses_vcc, 1
	.set __clang_ocl_kern_imp_scratch.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_scratch.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_scratch.has_recursion, 0
	.set __clang_ocl_kern_imp_scratch.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 152
; TotalNumSgprs: 35
; NumVgprs: 8
; ScratchSize: 164
; MemoryBound: 0
	.text
	.protected	hidden                  ; -- Begin function hidden
	.globl	hidden
	.p2align	8
	.type	hidden,@function
hidden:                                 ; @hidden
; %bb.0:
	s_load_dword s2, s[4:5], 0x14
	s_load_dword s3, s[4:5], 0x8
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	v_add_u32_e32 v1, vcc, s7, v2
	s_waitcnt lgkmcnt(0)
	s_and_b32 s2, s2, 0xffff
	s_add_i32 s3, s3, s2
	v_mov_b32_e32 v3, s1
	v_mov_b32_e32 v0, s3
	v_mov_b32_e32 v2, s0
	flat_store_dwordx2 v[2:3], v[0:1]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel hidden
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 264
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
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 4
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
.Lfunc_end4:
	.size	hidden, .Lfunc_end4-hidden
                                        ; -- End function
	.set hidden.num_vgpr, 4
	.set hidden.num_agpr, 0
	.set hidden.numbered_sgpr, 8
	.set hidden.num_named_barrier, 0
	.set hidden.private_seg_size, 0
	.set hidden.uses_vcc, 1
	.set hidden.uses_flat_scratch, 0
	.set hidden.has_dyn_sized_stack, 0
	.set hidden.has_recursion, 0
	.set hidden.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 68
; TotalNumSgprs: 10
; NumVgprs: 4
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 0
; NumSGPRsForWavesPerEU: 10
; NumVGPRsForWavesPerEU: 4
; Occupancy: 10
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 6
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 1
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 2
	.text
	.protected	__clang_ocl_kern_imp_hidden ; -- Begin function __clang_ocl_kern_imp_hidden
	.globl	__clang_ocl_kern_imp_hidden
	.p2align	2
	.type	__clang_ocl_kern_imp_hidden,@function
__clang_ocl_kern_imp_hidden:            ; @__clang_ocl_kern_imp_hidden
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_load_dword s4, s[8:9], 0xc
	s_load_dword s5, s[8:9], 0x0
	v_bfe_u32 v2, v31, 20, 10
	v_add_u32_e32 v3, vcc, s14, v2
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s4, 0xffff
	s_add_i32 s5, s5, s4
	v_mov_b32_e32 v2, s5
	flat_store_dwordx2 v[0:1], v[2:3]
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end5:
	.size	__clang_ocl_kern_imp_hidden, .Lfunc_end5-__clang_ocl_kern_imp_hidden
                                        ; -- End function
	.set __clang_ocl_kern_imp_hidden.num_vgpr, 32
	.set __clang_ocl_kern_imp_hidden.num_agpr, 0
	.set __clang_ocl_kern_imp_hidden.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_hidden.num_named_barrier, 0
	.set __clang_ocl_kern_imp_hidden.private_seg_size, 0
	.set __clang_ocl_kern_imp_hidden.uses_vcc, 1
	.set __clang_ocl_kern_imp_hidden.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_hidden.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_hidden.has_recursion, 0
	.set __clang_ocl_kern_imp_hidden.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 68
; TotalNumSgprs: 34
; NumVgprs: 32
; ScratchSize: 0
; MemoryBound: 0
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 32
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 33
	.set amdgpu.max_num_named_barrier, 0
	.section	.AMDGPU.csdata,"",@progbits
	.hidden	primes                          ; @primes
	.type	primes,@object
	.section	.rodata,"a",@progbits
	.globl	primes
	.p2align	2, 0x0
primes:
	.long	2                               ; 0x2
	.long	3                               ; 0x3
	.long	5                               ; 0x5
	.long	7                               ; 0x7
	.size	primes, 16

	.hidden	counter                         ; @counter
	.type	counter,@object
	.data
	.globl	counter
	.p2align	2, 0x0
counter:
	.long	7                               ; 0x7
	.size	counter, 4

	.hidden	where                           ; @where
	.type	where,@object
	.globl	where
	.p2align	3, 0x0
where:
	.quad	counter
	.size	where, 8

	.ident	"Debian clang version 22.1.8 (1~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym counter
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .actual_access:  read_only
        .address_space:  global
        .is_const:       true
        .is_restrict:    true
        .offset:         0
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  local
        .offset:         8
        .pointee_align:  4
        .size:           4
        .type_name:      'int*'
        .value_kind:     dynamic_shared_pointer
      - .offset:         12
        .size:           16
        .type_name:      struct pair
        .value_kind:     by_value
      - .offset:         28
        .size:           1
        .type_name:      char
        .value_kind:     by_value
      - .offset:         32
        .size:           16
        .type_name:      f4
        .value_kind:     by_value
      - .address_space:  global
        .is_volatile:    true
        .offset:         48
        .size:           8
        .type_name:      'int*'
        .value_kind:     global_buffer
      - .address_space:  constant
        .is_const:       true
        .offset:         56
        .size:           8
        .type_name:      'int*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         64
        .size:           8
        .type_name:      '__global int **'
        .value_kind:     global_buffer
    .group_segment_fixed_size: 64
    .kernarg_segment_align: 16
    .kernarg_segment_size: 72
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 128
    .name:           many
    .private_segment_fixed_size: 0
    .reqd_workgroup_size:
      - 64
      - 2
      - 1
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         many.kd
    .uses_dynamic_stack: false
    .vgpr_count:     6
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .type_name:      'int*'
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .type_name:      int
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 12
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           scratch
    .private_segment_fixed_size: 164
    .sgpr_count:     12
    .sgpr_spill_count: 0
    .symbol:         scratch.kd
    .uses_dynamic_stack: false
    .vec_type_hint:  float4
    .vgpr_count:     3
    .vgpr_spill_count: 0
    .wavefront_size: 64
    .workgroup_size_hint:
      - 8
      - 1
      - 1
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .type_name:      'int*'
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         12
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         20
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         22
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         24
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         26
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         28
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         30
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         48
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         72
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         200
        .size:           4
        .value_kind:     hidden_private_base
      - .offset:         204
        .size:           4
        .value_kind:     hidden_shared_base
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 264
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           hidden
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         hidden.kd
    .uses_dynamic_stack: false
    .vgpr_count:     4
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
