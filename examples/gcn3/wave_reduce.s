	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	reduce_swizzle          ; -- Begin function reduce_swizzle
	.globl	reduce_swizzle
	.p2align	8
	.type	reduce_swizzle,@function
reduce_swizzle:                         ; @reduce_swizzle
; %bb.0:
	s_load_dword s7, s[4:5], 0x1c
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s7, 0xffff
	s_mul_i32 s6, s6, s4
	v_add_u32_e32 v0, vcc, s6, v0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_mov_b32_e32 v3, s1
	v_add_u32_e32 v2, vcc, s0, v0
	v_addc_u32_e32 v3, vcc, v3, v1, vcc
	flat_load_dword v2, v[2:3]
	v_mov_b32_e32 v4, s3
	s_waitcnt vmcnt(0)
	ds_swizzle_b32 v3, v2 offset:swizzle(SWAP,16)
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v2, vcc, v3, v2
	ds_swizzle_b32 v3, v2 offset:swizzle(SWAP,8)
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v2, vcc, v2, v3
	ds_swizzle_b32 v3, v2 offset:swizzle(SWAP,4)
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v2, vcc, v2, v3
	ds_swizzle_b32 v3, v2 offset:swizzle(SWAP,2)
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v2, vcc, v2, v3
	ds_swizzle_b32 v3, v2 offset:swizzle(SWAP,1)
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v2, vcc, v2, v3
	v_readlane_b32 s0, v2, 0
	v_readlane_b32 s1, v2, 32
	s_add_i32 s0, s1, s0
	v_add_u32_e32 v0, vcc, s2, v0
	v_addc_u32_e32 v1, vcc, v4, v1, vcc
	v_mov_b32_e32 v2, s0
	flat_store_dword v[0:1], v2
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel reduce_swizzle
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 272
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
		.amdhsa_next_free_vgpr 5
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
	.size	reduce_swizzle, .Lfunc_end0-reduce_swizzle
                                        ; -- End function
	.set reduce_swizzle.num_vgpr, 5
	.set reduce_swizzle.num_agpr, 0
	.set reduce_swizzle.numbered_sgpr, 8
	.set reduce_swizzle.num_named_barrier, 0
	.set reduce_swizzle.private_seg_size, 0
	.set reduce_swizzle.uses_vcc, 1
	.set reduce_swizzle.uses_flat_scratch, 0
	.set reduce_swizzle.has_dyn_sized_stack, 0
	.set reduce_swizzle.has_recursion, 0
	.set reduce_swizzle.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 200
; TotalNumSgprs: 10
; NumVgprs: 5
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 1
; NumSGPRsForWavesPerEU: 10
; NumVGPRsForWavesPerEU: 5
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
	.protected	__clang_ocl_kern_imp_reduce_swizzle ; -- Begin function __clang_ocl_kern_imp_reduce_swizzle
	.globl	__clang_ocl_kern_imp_reduce_swizzle
	.p2align	2
	.type	__clang_ocl_kern_imp_reduce_swizzle,@function
__clang_ocl_kern_imp_reduce_swizzle:    ; @__clang_ocl_kern_imp_reduce_swizzle
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_load_dword s4, s[8:9], 0xc
	v_and_b32_e32 v4, 0x3ff, v31
	v_mov_b32_e32 v5, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s4, 0xffff
	s_mul_i32 s12, s12, s4
	v_add_u32_e32 v4, vcc, s12, v4
	v_lshlrev_b64 v[4:5], 2, v[4:5]
	v_add_u32_e32 v0, vcc, v0, v4
	v_addc_u32_e32 v1, vcc, v1, v5, vcc
	flat_load_dword v0, v[0:1]
	s_waitcnt vmcnt(0)
	ds_swizzle_b32 v1, v0 offset:swizzle(SWAP,16)
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v0, vcc, v1, v0
	ds_swizzle_b32 v1, v0 offset:swizzle(SWAP,8)
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v0, vcc, v0, v1
	ds_swizzle_b32 v1, v0 offset:swizzle(SWAP,4)
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v0, vcc, v0, v1
	ds_swizzle_b32 v1, v0 offset:swizzle(SWAP,2)
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v0, vcc, v0, v1
	ds_swizzle_b32 v1, v0 offset:swizzle(SWAP,1)
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v0, vcc, v0, v1
	v_readlane_b32 s4, v0, 0
	v_readlane_b32 s5, v0, 32
	s_add_i32 s4, s5, s4
	v_add_u32_e32 v0, vcc, v2, v4
	v_addc_u32_e32 v1, vcc, v3, v5, vcc
	v_mov_b32_e32 v2, s4
	flat_store_dword v[0:1], v2
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_reduce_swizzle, .Lfunc_end1-__clang_ocl_kern_imp_reduce_swizzle
                                        ; -- End function
	.set __clang_ocl_kern_imp_reduce_swizzle.num_vgpr, 32
	.set __clang_ocl_kern_imp_reduce_swizzle.num_agpr, 0
	.set __clang_ocl_kern_imp_reduce_swizzle.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_reduce_swizzle.num_named_barrier, 0
	.set __clang_ocl_kern_imp_reduce_swizzle.private_seg_size, 0
	.set __clang_ocl_kern_imp_reduce_swizzle.uses_vcc, 1
	.set __clang_ocl_kern_imp_reduce_swizzle.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_reduce_swizzle.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_reduce_swizzle.has_recursion, 0
	.set __clang_ocl_kern_imp_reduce_swizzle.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 200
; TotalNumSgprs: 34
; NumVgprs: 32
; ScratchSize: 0
; MemoryBound: 0
	.text
	.protected	reduce_bpermute         ; -- Begin function reduce_bpermute
	.globl	reduce_bpermute
	.p2align	8
	.type	reduce_bpermute,@function
reduce_bpermute:                        ; @reduce_bpermute
; %bb.0:
	s_load_dword s7, s[4:5], 0x1c
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	v_mov_b32_e32 v2, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s7, 0xffff
	s_mul_i32 s6, s6, s4
	v_add_u32_e32 v1, vcc, s6, v0
	v_lshlrev_b64 v[1:2], 2, v[1:2]
	v_mov_b32_e32 v4, s1
	v_add_u32_e32 v3, vcc, s0, v1
	v_addc_u32_e32 v4, vcc, v4, v2, vcc
	flat_load_dword v3, v[3:4]
	v_and_b32_e32 v0, 63, v0
	v_lshlrev_b32_e32 v0, 2, v0
	v_xor_b32_e32 v4, 0x80, v0
	v_xor_b32_e32 v5, 64, v0
	s_waitcnt vmcnt(0)
	ds_bpermute_b32 v4, v4, v3
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v3, v3, v4
	ds_bpermute_b32 v4, v5, v3
	v_xor_b32_e32 v5, 32, v0
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v3, v3, v4
	ds_bpermute_b32 v4, v5, v3
	v_xor_b32_e32 v5, 16, v0
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v3, v3, v4
	ds_bpermute_b32 v4, v5, v3
	v_xor_b32_e32 v5, 8, v0
	v_xor_b32_e32 v0, 4, v0
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v3, v3, v4
	ds_bpermute_b32 v4, v5, v3
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v3, v3, v4
	ds_bpermute_b32 v0, v0, v3
	v_mov_b32_e32 v4, s3
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v3, v3, v0
	v_add_u32_e32 v0, vcc, s2, v1
	v_addc_u32_e32 v1, vcc, v4, v2, vcc
	flat_store_dword v[0:1], v3
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel reduce_bpermute
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 272
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
.Lfunc_end2:
	.size	reduce_bpermute, .Lfunc_end2-reduce_bpermute
                                        ; -- End function
	.set reduce_bpermute.num_vgpr, 6
	.set reduce_bpermute.num_agpr, 0
	.set reduce_bpermute.numbered_sgpr, 8
	.set reduce_bpermute.num_named_barrier, 0
	.set reduce_bpermute.private_seg_size, 0
	.set reduce_bpermute.uses_vcc, 1
	.set reduce_bpermute.uses_flat_scratch, 0
	.set reduce_bpermute.has_dyn_sized_stack, 0
	.set reduce_bpermute.has_recursion, 0
	.set reduce_bpermute.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 228
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
	.protected	__clang_ocl_kern_imp_reduce_bpermute ; -- Begin function __clang_ocl_kern_imp_reduce_bpermute
	.globl	__clang_ocl_kern_imp_reduce_bpermute
	.p2align	2
	.type	__clang_ocl_kern_imp_reduce_bpermute,@function
__clang_ocl_kern_imp_reduce_bpermute:   ; @__clang_ocl_kern_imp_reduce_bpermute
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_load_dword s4, s[8:9], 0xc
	v_and_b32_e32 v4, 0x3ff, v31
	v_mov_b32_e32 v5, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s4, 0xffff
	s_mul_i32 s12, s12, s4
	v_add_u32_e32 v4, vcc, s12, v4
	v_lshlrev_b64 v[4:5], 2, v[4:5]
	v_add_u32_e32 v0, vcc, v0, v4
	v_addc_u32_e32 v1, vcc, v1, v5, vcc
	flat_load_dword v0, v[0:1]
	v_lshlrev_b32_e32 v1, 2, v31
	v_and_b32_e32 v1, 0xfc, v1
	v_xor_b32_e32 v6, 0x80, v1
	v_xor_b32_e32 v7, 64, v1
	s_waitcnt vmcnt(0)
	ds_bpermute_b32 v6, v6, v0
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v0, v6
	ds_bpermute_b32 v6, v7, v0
	v_xor_b32_e32 v7, 32, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v0, v6
	ds_bpermute_b32 v6, v7, v0
	v_xor_b32_e32 v7, 16, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v0, v6
	ds_bpermute_b32 v6, v7, v0
	v_xor_b32_e32 v7, 8, v1
	v_xor_b32_e32 v1, 4, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v0, v6
	ds_bpermute_b32 v6, v7, v0
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v0, v6
	ds_bpermute_b32 v1, v1, v0
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v6, v0, v1
	v_add_u32_e32 v0, vcc, v2, v4
	v_addc_u32_e32 v1, vcc, v3, v5, vcc
	flat_store_dword v[0:1], v6
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end3:
	.size	__clang_ocl_kern_imp_reduce_bpermute, .Lfunc_end3-__clang_ocl_kern_imp_reduce_bpermute
                                        ; -- End function
	.set __clang_ocl_kern_imp_reduce_bpermute.num_vgpr, 32
	.set __clang_ocl_kern_imp_reduce_bpermute.num_agpr, 0
	.set __clang_ocl_kern_imp_reduce_bpermute.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_reduce_bpermute.num_named_barrier, 0
	.set __clang_ocl_kern_imp_reduce_bpermute.private_seg_size, 0
	.set __clang_ocl_kern_imp_reduce_bpermute.uses_vcc, 1
	.set __clang_ocl_kern_imp_reduce_bpermute.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_reduce_bpermute.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_reduce_bpermute.has_recursion, 0
	.set __clang_ocl_kern_imp_reduce_bpermute.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 232
; TotalNumSgprs: 34
; NumVgprs: 32
; ScratchSize: 0
; MemoryBound: 0
	.text
	.protected	lane_scalars            ; -- Begin function lane_scalars
	.globl	lane_scalars
	.p2align	8
	.type	lane_scalars,@function
lane_scalars:                           ; @lane_scalars
; %bb.0:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dword s4, s[4:5], 0x10
	v_lshlrev_b32_e32 v4, 2, v0
	s_movk_i32 s5, 0x300
	v_mov_b32_e32 v12, -5
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v1, s1
	v_add_u32_e32 v0, vcc, s0, v4
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_load_dword v3, v[0:1]
	v_mbcnt_lo_u32_b32 v0, -1, 0
	v_mbcnt_hi_u32_b32 v13, -1, v0
	v_mov_b32_e32 v1, s3
	v_add_u32_e32 v0, vcc, s2, v4
	s_movk_i32 s1, 0x200
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	v_add_u32_e32 v4, vcc, s1, v0
	v_addc_u32_e32 v5, vcc, 0, v1, vcc
	s_movk_i32 s0, 0x100
	v_add_u32_e32 v8, vcc, s5, v0
	v_add_u32_e64 v6, s[0:1], s0, v0
	v_addc_u32_e32 v9, vcc, 0, v1, vcc
	v_addc_u32_e64 v7, s[0:1], 0, v1, s[0:1]
	v_add_u32_e32 v10, vcc, 0x400, v0
	v_addc_u32_e32 v11, vcc, 0, v1, vcc
	v_mov_b32_e32 v2, 0
	s_waitcnt vmcnt(0)
	v_readlane_b32 s0, v3, s4
	v_and_b32_e32 v14, 1, v3
	v_mov_b32_e32 v15, s0
	v_cmp_ne_u32_e32 vcc, 0, v14
	v_readfirstlane_b32 s1, v3
	flat_store_dword v[0:1], v15
	;;#ASMSTART
	v_writelane_b32 v12, s1, 9
	;;#ASMEND
	flat_store_dword v[4:5], v13
	v_mbcnt_lo_u32_b32 v4, vcc_lo, 0
	s_xor_b32 s0, vcc_hi, vcc_lo
	v_mbcnt_hi_u32_b32 v4, vcc_hi, v4
	v_cmp_lt_i32_e32 vcc, 40, v3
	flat_store_dword v[6:7], v12
	v_mov_b32_e32 v5, s0
	flat_store_dword v[8:9], v4
	flat_store_dword v[10:11], v5
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB4_2
; %bb.1:
	v_readfirstlane_b32 s2, v3
	v_mov_b32_e32 v2, s2
.LBB4_2:
	s_or_b64 exec, exec, s[0:1]
	v_add_u32_e32 v0, vcc, 0x500, v0
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_store_dword v[0:1], v2
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel lane_scalars
		.amdhsa_group_segment_fixed_size 0
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
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 6
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
	.size	lane_scalars, .Lfunc_end4-lane_scalars
                                        ; -- End function
	.set lane_scalars.num_vgpr, 16
	.set lane_scalars.num_agpr, 0
	.set lane_scalars.numbered_sgpr, 6
	.set lane_scalars.num_named_barrier, 0
	.set lane_scalars.private_seg_size, 0
	.set lane_scalars.uses_vcc, 1
	.set lane_scalars.uses_flat_scratch, 0
	.set lane_scalars.has_dyn_sized_stack, 0
	.set lane_scalars.has_recursion, 0
	.set lane_scalars.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 284
; TotalNumSgprs: 8
; NumVgprs: 16
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 0
; VGPRBlocks: 3
; NumSGPRsForWavesPerEU: 8
; NumVGPRsForWavesPerEU: 16
; Occupancy: 10
; WaveLimiterHint : 1
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 6
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.text
	.protected	__clang_ocl_kern_imp_lane_scalars ; -- Begin function __clang_ocl_kern_imp_lane_scalars
	.globl	__clang_ocl_kern_imp_lane_scalars
	.p2align	2
	.type	__clang_ocl_kern_imp_lane_scalars,@function
__clang_ocl_kern_imp_lane_scalars:      ; @__clang_ocl_kern_imp_lane_scalars
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_and_b32_e32 v5, 0x3ff, v31
	v_lshlrev_b32_e32 v7, 2, v5
	v_add_u32_e32 v0, vcc, v0, v7
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_load_dword v6, v[0:1]
	v_mbcnt_lo_u32_b32 v0, -1, 0
	v_readfirstlane_b32 s7, v4
	v_mbcnt_hi_u32_b32 v4, -1, v0
	v_add_u32_e32 v0, vcc, v2, v7
	s_movk_i32 s4, 0x100
	v_addc_u32_e32 v1, vcc, 0, v3, vcc
	v_add_u32_e32 v2, vcc, s4, v0
	s_movk_i32 s5, 0x200
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	v_add_u32_e32 v7, vcc, s5, v0
	s_movk_i32 s6, 0x300
	v_addc_u32_e32 v8, vcc, 0, v1, vcc
	v_add_u32_e32 v9, vcc, s6, v0
	v_addc_u32_e32 v10, vcc, 0, v1, vcc
	v_add_u32_e32 v11, vcc, 0x400, v0
	v_addc_u32_e32 v12, vcc, 0, v1, vcc
	v_mov_b32_e32 v13, -5
	v_mov_b32_e32 v5, 0
	s_waitcnt vmcnt(0)
	v_readlane_b32 s4, v6, s7
	v_and_b32_e32 v14, 1, v6
	v_mov_b32_e32 v15, s4
	v_cmp_ne_u32_e32 vcc, 0, v14
	v_readfirstlane_b32 s5, v6
	flat_store_dword v[0:1], v15
	;;#ASMSTART
	v_writelane_b32 v13, s5, 9
	;;#ASMEND
	flat_store_dword v[7:8], v4
	v_mbcnt_lo_u32_b32 v4, vcc_lo, 0
	s_xor_b32 s4, vcc_hi, vcc_lo
	flat_store_dword v[2:3], v13
	v_mbcnt_hi_u32_b32 v2, vcc_hi, v4
	v_cmp_lt_i32_e32 vcc, 40, v6
	v_mov_b32_e32 v3, s4
	flat_store_dword v[9:10], v2
	flat_store_dword v[11:12], v3
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB5_2
; %bb.1:
	v_readfirstlane_b32 s6, v6
	v_mov_b32_e32 v5, s6
.LBB5_2:
	s_or_b64 exec, exec, s[4:5]
	v_add_u32_e32 v0, vcc, 0x500, v0
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_store_dword v[0:1], v5
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end5:
	.size	__clang_ocl_kern_imp_lane_scalars, .Lfunc_end5-__clang_ocl_kern_imp_lane_scalars
                                        ; -- End function
	.set __clang_ocl_kern_imp_lane_scalars.num_vgpr, 32
	.set __clang_ocl_kern_imp_lane_scalars.num_agpr, 0
	.set __clang_ocl_kern_imp_lane_scalars.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_lane_scalars.num_named_barrier, 0
	.set __clang_ocl_kern_imp_lane_scalars.private_seg_size, 0
	.set __clang_ocl_kern_imp_lane_scalars.uses_vcc, 1
	.set __clang_ocl_kern_imp_lane_scalars.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_lane_scalars.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_lane_scalars.has_recursion, 0
	.set __clang_ocl_kern_imp_lane_scalars.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 268
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
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         20
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         28
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         30
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         32
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         34
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         36
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         38
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         80
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         208
        .size:           4
        .value_kind:     hidden_private_base
      - .offset:         212
        .size:           4
        .value_kind:     hidden_shared_base
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 272
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           reduce_swizzle
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         reduce_swizzle.kd
    .uses_dynamic_stack: false
    .vgpr_count:     5
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .args:
      - .address_space:  global
        .is_const:       true
        .offset:         0
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         20
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         28
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         30
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         32
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         34
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         36
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         38
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         80
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         208
        .size:           4
        .value_kind:     hidden_private_base
      - .offset:         212
        .size:           4
        .value_kind:     hidden_shared_base
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 272
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           reduce_bpermute
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         reduce_bpermute.kd
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           lane_scalars
    .private_segment_fixed_size: 0
    .sgpr_count:     8
    .sgpr_spill_count: 0
    .symbol:         lane_scalars.kd
    .uses_dynamic_stack: false
    .vgpr_count:     16
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
