	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	permute_gallery         ; -- Begin function permute_gallery
	.globl	permute_gallery
	.p2align	8
	.type	permute_gallery,@function
permute_gallery:                        ; @permute_gallery
; %bb.0:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[4:5], s[4:5], 0x10
	v_lshlrev_b32_e32 v2, 2, v0
	s_movk_i32 s6, 0x400
	s_movk_i32 s7, 0x500
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v1, s1
	v_add_u32_e32 v0, vcc, s0, v2
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_load_dword v17, v[0:1]
	v_mov_b32_e32 v1, s3
	v_add_u32_e32 v0, vcc, s2, v2
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_load_dword v18, v[0:1]
	v_mov_b32_e32 v1, s5
	v_add_u32_e32 v0, vcc, s4, v2
	s_movk_i32 s0, 0x100
	s_movk_i32 s1, 0x800
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	v_add_u32_e32 v2, vcc, s1, v0
	v_add_u32_e64 v3, s[0:1], s0, v0
	s_movk_i32 s2, 0x200
	v_addc_u32_e64 v4, s[0:1], 0, v1, s[0:1]
	v_add_u32_e64 v5, s[0:1], s2, v0
	v_addc_u32_e64 v6, s[0:1], 0, v1, s[0:1]
	s_movk_i32 s3, 0x300
	v_add_u32_e64 v7, s[0:1], s3, v0
	v_addc_u32_e64 v8, s[0:1], 0, v1, s[0:1]
	v_add_u32_e64 v9, s[0:1], s6, v0
	v_addc_u32_e64 v10, s[0:1], 0, v1, s[0:1]
	v_add_u32_e64 v11, s[0:1], s7, v0
	s_movk_i32 s8, 0x600
	s_movk_i32 s10, 0x900
	v_addc_u32_e64 v12, s[0:1], 0, v1, s[0:1]
	v_add_u32_e64 v13, s[0:1], s8, v0
	s_movk_i32 s9, 0x700
	v_addc_u32_e64 v14, s[0:1], 0, v1, s[0:1]
	s_waitcnt vmcnt(0)
	ds_bpermute_b32 v19, v18, v17 offset:16
	ds_bpermute_b32 v15, v18, v17
	s_waitcnt lgkmcnt(1)
	flat_store_dword v[5:6], v19
	ds_swizzle_b32 v6, v17 offset:swizzle(QUAD_PERM,2,1,3,3)
	ds_swizzle_b32 v19, v17 offset:swizzle(QUAD_PERM,3,2,1,0)
	s_waitcnt lgkmcnt(2)
	flat_store_dword v[3:4], v15
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	s_waitcnt lgkmcnt(1)
	flat_store_dword v[7:8], v6
	ds_permute_b32 v7, v18, v17
	v_add_u32_e32 v4, vcc, s10, v0
	v_addc_u32_e32 v5, vcc, 0, v1, vcc
	v_add_u32_e64 v15, s[0:1], s9, v0
	v_add_u32_e32 v6, vcc, 0xa00, v0
	ds_swizzle_b32 v8, v17 offset:swizzle(SWAP,1)
	s_waitcnt lgkmcnt(2)
	flat_store_dword v[9:10], v19
	ds_swizzle_b32 v9, v17 offset:swizzle(SWAP,16)
	ds_swizzle_b32 v10, v17 offset:swizzle(REVERSE,32)
	ds_swizzle_b32 v18, v17 offset:swizzle(REVERSE,8)
	s_waitcnt lgkmcnt(4)
	flat_store_dword v[0:1], v7
	ds_swizzle_b32 v0, v17 offset:swizzle(BROADCAST,8,3)
	ds_swizzle_b32 v17, v17 offset:swizzle(BITMASK_PERM,"01pi0")
	v_addc_u32_e32 v7, vcc, 0, v1, vcc
	v_addc_u32_e64 v16, s[0:1], 0, v1, s[0:1]
	s_waitcnt lgkmcnt(5)
	flat_store_dword v[11:12], v8
	s_waitcnt lgkmcnt(4)
	flat_store_dword v[13:14], v9
	s_waitcnt lgkmcnt(3)
	flat_store_dword v[15:16], v10
	s_waitcnt lgkmcnt(2)
	flat_store_dword v[2:3], v18
	s_waitcnt lgkmcnt(1)
	flat_store_dword v[4:5], v0
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[6:7], v17
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel permute_gallery
		.amdhsa_group_segment_fixed_size 0
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
		.amdhsa_next_free_vgpr 20
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
	.size	permute_gallery, .Lfunc_end0-permute_gallery
                                        ; -- End function
	.set permute_gallery.num_vgpr, 20
	.set permute_gallery.num_agpr, 0
	.set permute_gallery.numbered_sgpr, 11
	.set permute_gallery.num_named_barrier, 0
	.set permute_gallery.private_seg_size, 0
	.set permute_gallery.uses_vcc, 1
	.set permute_gallery.uses_flat_scratch, 0
	.set permute_gallery.has_dyn_sized_stack, 0
	.set permute_gallery.has_recursion, 0
	.set permute_gallery.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 480
; TotalNumSgprs: 13
; NumVgprs: 20
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 4
; NumSGPRsForWavesPerEU: 13
; NumVGPRsForWavesPerEU: 20
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
	.protected	__clang_ocl_kern_imp_permute_gallery ; -- Begin function __clang_ocl_kern_imp_permute_gallery
	.globl	__clang_ocl_kern_imp_permute_gallery
	.p2align	2
	.type	__clang_ocl_kern_imp_permute_gallery,@function
__clang_ocl_kern_imp_permute_gallery:   ; @__clang_ocl_kern_imp_permute_gallery
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_and_b32_e32 v6, 0x3ff, v31
	v_lshlrev_b32_e32 v6, 2, v6
	v_add_u32_e32 v0, vcc, v0, v6
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_load_dword v16, v[0:1]
	v_add_u32_e32 v0, vcc, v2, v6
	v_addc_u32_e32 v1, vcc, 0, v3, vcc
	flat_load_dword v17, v[0:1]
	v_add_u32_e32 v0, vcc, v4, v6
	s_movk_i32 s4, 0x100
	v_addc_u32_e32 v1, vcc, 0, v5, vcc
	v_add_u32_e32 v2, vcc, s4, v0
	s_movk_i32 s5, 0x200
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	v_add_u32_e32 v4, vcc, s5, v0
	s_movk_i32 s6, 0x300
	v_addc_u32_e32 v5, vcc, 0, v1, vcc
	v_add_u32_e32 v6, vcc, s6, v0
	s_movk_i32 s7, 0x400
	v_addc_u32_e32 v7, vcc, 0, v1, vcc
	v_add_u32_e32 v8, vcc, s7, v0
	s_movk_i32 s8, 0x500
	v_addc_u32_e32 v9, vcc, 0, v1, vcc
	v_add_u32_e32 v10, vcc, s8, v0
	s_movk_i32 s9, 0x600
	v_addc_u32_e32 v11, vcc, 0, v1, vcc
	v_add_u32_e32 v12, vcc, s9, v0
	s_movk_i32 s10, 0x700
	v_addc_u32_e32 v13, vcc, 0, v1, vcc
	v_add_u32_e32 v14, vcc, s10, v0
	s_movk_i32 s11, 0x800
	v_addc_u32_e32 v15, vcc, 0, v1, vcc
	s_movk_i32 s12, 0x900
	s_waitcnt vmcnt(0)
	ds_bpermute_b32 v18, v17, v16
	ds_bpermute_b32 v19, v17, v16 offset:16
	ds_permute_b32 v17, v17, v16
	s_waitcnt lgkmcnt(2)
	flat_store_dword v[2:3], v18
	ds_swizzle_b32 v18, v16 offset:swizzle(QUAD_PERM,2,1,3,3)
	s_waitcnt lgkmcnt(2)
	flat_store_dword v[4:5], v19
	ds_swizzle_b32 v19, v16 offset:swizzle(QUAD_PERM,3,2,1,0)
	v_add_u32_e32 v2, vcc, s11, v0
	s_waitcnt lgkmcnt(1)
	flat_store_dword v[6:7], v18
	ds_swizzle_b32 v6, v16 offset:swizzle(SWAP,1)
	ds_swizzle_b32 v7, v16 offset:swizzle(SWAP,16)
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	ds_swizzle_b32 v18, v16 offset:swizzle(REVERSE,32)
	v_add_u32_e32 v4, vcc, s12, v0
	s_waitcnt lgkmcnt(3)
	flat_store_dword v[8:9], v19
	ds_swizzle_b32 v8, v16 offset:swizzle(REVERSE,8)
	v_addc_u32_e32 v5, vcc, 0, v1, vcc
	ds_swizzle_b32 v9, v16 offset:swizzle(BROADCAST,8,3)
	flat_store_dword v[0:1], v17
	s_waitcnt lgkmcnt(4)
	flat_store_dword v[10:11], v6
	s_waitcnt lgkmcnt(3)
	flat_store_dword v[12:13], v7
	s_waitcnt lgkmcnt(2)
	flat_store_dword v[14:15], v18
	s_waitcnt lgkmcnt(1)
	flat_store_dword v[2:3], v8
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[4:5], v9
	ds_swizzle_b32 v2, v16 offset:swizzle(BITMASK_PERM,"01pi0")
	v_add_u32_e32 v0, vcc, 0xa00, v0
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[0:1], v2
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_permute_gallery, .Lfunc_end1-__clang_ocl_kern_imp_permute_gallery
                                        ; -- End function
	.set __clang_ocl_kern_imp_permute_gallery.num_vgpr, 32
	.set __clang_ocl_kern_imp_permute_gallery.num_agpr, 0
	.set __clang_ocl_kern_imp_permute_gallery.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_permute_gallery.num_named_barrier, 0
	.set __clang_ocl_kern_imp_permute_gallery.private_seg_size, 0
	.set __clang_ocl_kern_imp_permute_gallery.uses_vcc, 1
	.set __clang_ocl_kern_imp_permute_gallery.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_permute_gallery.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_permute_gallery.has_recursion, 0
	.set __clang_ocl_kern_imp_permute_gallery.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 404
; TotalNumSgprs: 34
; NumVgprs: 32
; ScratchSize: 0
; MemoryBound: 0
	.text
	.protected	permute_inactive        ; -- Begin function permute_inactive
	.globl	permute_inactive
	.p2align	8
	.type	permute_inactive,@function
permute_inactive:                       ; @permute_inactive
; %bb.0:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[4:5], s[4:5], 0x10
	v_lshlrev_b32_e32 v3, 2, v0
	v_mov_b32_e32 v9, -1
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s1
	v_add_u32_e32 v1, vcc, s0, v3
	v_addc_u32_e32 v2, vcc, 0, v2, vcc
	flat_load_dword v7, v[1:2]
	v_mov_b32_e32 v2, s3
	v_add_u32_e32 v1, vcc, s2, v3
	v_addc_u32_e32 v2, vcc, 0, v2, vcc
	flat_load_dword v8, v[1:2]
	v_mov_b32_e32 v2, s5
	v_add_u32_e32 v1, vcc, s4, v3
	v_addc_u32_e32 v2, vcc, 0, v2, vcc
	s_movk_i32 s0, 0x200
	v_add_u32_e32 v3, vcc, s0, v1
	v_addc_u32_e32 v4, vcc, 0, v2, vcc
	v_add_u32_e32 v5, vcc, 0x100, v1
	v_addc_u32_e32 v6, vcc, 0, v2, vcc
	flat_store_dword v[3:4], v9
	flat_store_dword v[5:6], v9
	flat_store_dword v[1:2], v9
	s_movk_i32 s0, 0xcccd
	v_mov_b32_e32 v9, 0x6666
	v_mad_u16 v0, v0, s0, v9
	s_movk_i32 s0, 0x3332
	v_cmp_lt_u16_e32 vcc, s0, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB2_2
; %bb.1:
	s_waitcnt vmcnt(3)
	ds_permute_b32 v0, v8, v7
	ds_bpermute_b32 v8, v8, v7
	ds_swizzle_b32 v7, v7 offset:swizzle(SWAP,2)
	s_waitcnt lgkmcnt(2)
	flat_store_dword v[1:2], v0
	s_waitcnt lgkmcnt(1)
	flat_store_dword v[5:6], v8
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[3:4], v7
.LBB2_2:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel permute_inactive
		.amdhsa_group_segment_fixed_size 0
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
		.amdhsa_next_free_vgpr 10
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
.Lfunc_end2:
	.size	permute_inactive, .Lfunc_end2-permute_inactive
                                        ; -- End function
	.set permute_inactive.num_vgpr, 10
	.set permute_inactive.num_agpr, 0
	.set permute_inactive.numbered_sgpr, 6
	.set permute_inactive.num_named_barrier, 0
	.set permute_inactive.private_seg_size, 0
	.set permute_inactive.uses_vcc, 1
	.set permute_inactive.uses_flat_scratch, 0
	.set permute_inactive.has_dyn_sized_stack, 0
	.set permute_inactive.has_recursion, 0
	.set permute_inactive.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 232
; TotalNumSgprs: 8
; NumVgprs: 10
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 0
; VGPRBlocks: 2
; NumSGPRsForWavesPerEU: 8
; NumVGPRsForWavesPerEU: 10
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
	.protected	__clang_ocl_kern_imp_permute_inactive ; -- Begin function __clang_ocl_kern_imp_permute_inactive
	.globl	__clang_ocl_kern_imp_permute_inactive
	.p2align	2
	.type	__clang_ocl_kern_imp_permute_inactive,@function
__clang_ocl_kern_imp_permute_inactive:  ; @__clang_ocl_kern_imp_permute_inactive
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_and_b32_e32 v8, 0x3ff, v31
	v_lshlrev_b32_e32 v9, 2, v8
	v_add_u32_e32 v0, vcc, v0, v9
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_load_dword v6, v[0:1]
	v_add_u32_e32 v0, vcc, v2, v9
	v_addc_u32_e32 v1, vcc, 0, v3, vcc
	flat_load_dword v7, v[0:1]
	v_add_u32_e32 v0, vcc, v4, v9
	v_addc_u32_e32 v1, vcc, 0, v5, vcc
	s_movk_i32 s4, 0x200
	v_add_u32_e32 v2, vcc, s4, v0
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	v_add_u32_e32 v4, vcc, 0x100, v0
	v_mov_b32_e32 v9, -1
	v_addc_u32_e32 v5, vcc, 0, v1, vcc
	flat_store_dword v[2:3], v9
	flat_store_dword v[4:5], v9
	flat_store_dword v[0:1], v9
	s_movk_i32 s4, 0xcccd
	v_mov_b32_e32 v9, 0x6666
	v_mad_u16 v8, v8, s4, v9
	s_movk_i32 s4, 0x3332
	v_cmp_lt_u16_e32 vcc, s4, v8
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB3_2
; %bb.1:
	s_waitcnt vmcnt(3)
	ds_permute_b32 v8, v7, v6
	ds_bpermute_b32 v7, v7, v6
	ds_swizzle_b32 v6, v6 offset:swizzle(SWAP,2)
	s_waitcnt lgkmcnt(2)
	flat_store_dword v[0:1], v8
	s_waitcnt lgkmcnt(1)
	flat_store_dword v[4:5], v7
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[2:3], v6
.LBB3_2:
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end3:
	.size	__clang_ocl_kern_imp_permute_inactive, .Lfunc_end3-__clang_ocl_kern_imp_permute_inactive
                                        ; -- End function
	.set __clang_ocl_kern_imp_permute_inactive.num_vgpr, 32
	.set __clang_ocl_kern_imp_permute_inactive.num_agpr, 0
	.set __clang_ocl_kern_imp_permute_inactive.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_permute_inactive.num_named_barrier, 0
	.set __clang_ocl_kern_imp_permute_inactive.private_seg_size, 0
	.set __clang_ocl_kern_imp_permute_inactive.uses_vcc, 1
	.set __clang_ocl_kern_imp_permute_inactive.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_permute_inactive.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_permute_inactive.has_recursion, 0
	.set __clang_ocl_kern_imp_permute_inactive.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 220
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
        .is_const:       true
        .offset:         8
        .size:           8
        .type_name:      'int*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .type_name:      'int*'
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           permute_gallery
    .private_segment_fixed_size: 0
    .sgpr_count:     13
    .sgpr_spill_count: 0
    .symbol:         permute_gallery.kd
    .uses_dynamic_stack: false
    .vgpr_count:     20
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
        .is_const:       true
        .offset:         8
        .size:           8
        .type_name:      'int*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .type_name:      'int*'
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           permute_inactive
    .private_segment_fixed_size: 0
    .sgpr_count:     8
    .sgpr_spill_count: 0
    .symbol:         permute_inactive.kd
    .uses_dynamic_stack: false
    .vgpr_count:     10
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
