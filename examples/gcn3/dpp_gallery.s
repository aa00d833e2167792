	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	dpp_gallery             ; -- Begin function dpp_gallery
	.globl	dpp_gallery
	.p2align	8
	.type	dpp_gallery,@function
dpp_gallery:                            ; @dpp_gallery
; %bb.0:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	v_lshlrev_b32_e32 v2, 2, v0
	s_movk_i32 s4, 0x300
	s_movk_i32 s5, 0x400
	v_mov_b32_e32 v10, -1
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v1, s1
	v_add_u32_e32 v0, vcc, s0, v2
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_load_dword v12, v[0:1]
	v_mov_b32_e32 v1, s3
	v_add_u32_e32 v0, vcc, s2, v2
	s_movk_i32 s0, 0x100
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	v_add_u32_e32 v2, vcc, s0, v0
	s_movk_i32 s1, 0x200
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	v_add_u32_e32 v4, vcc, s1, v0
	v_addc_u32_e32 v5, vcc, 0, v1, vcc
	v_add_u32_e32 v6, vcc, s4, v0
	v_addc_u32_e32 v7, vcc, 0, v1, vcc
	v_add_u32_e32 v8, vcc, s5, v0
	s_movk_i32 s6, 0x500
	v_addc_u32_e32 v9, vcc, 0, v1, vcc
	v_mov_b32_e32 v11, -1
	s_movk_i32 s7, 0x600
	s_movk_i32 s8, 0x700
	s_movk_i32 s9, 0x800
	s_movk_i32 s10, 0x900
	v_mov_b32_e32 v14, -1
	v_mov_b32_e32 v15, -1
	v_mov_b32_e32 v16, -1
	v_mov_b32_e32 v17, -1
	v_mov_b32_e32 v18, -1
	s_movk_i32 s0, 0xa00
	v_mov_b32_e32 v19, -1
	v_mov_b32_e32 v13, -1
	s_waitcnt vmcnt(0)
	v_mov_b32_dpp v10, v12 quad_perm:[1,2,3,0] row_mask:0xf bank_mask:0xf
	flat_store_dword v[2:3], v10
	v_add_u32_e32 v2, vcc, s6, v0
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	v_mov_b32_dpp v11, v12 row_shl:1 row_mask:0xf bank_mask:0xf
	flat_store_dword v[4:5], v11
	v_add_u32_e32 v4, vcc, s7, v0
	v_addc_u32_e32 v5, vcc, 0, v1, vcc
	v_mov_b32_dpp v10, v12 row_shl:15 row_mask:0xf bank_mask:0xf bound_ctrl:1
	flat_store_dword v[6:7], v10
	v_add_u32_e32 v6, vcc, s8, v0
	v_addc_u32_e32 v7, vcc, 0, v1, vcc
	v_mov_b32_dpp v10, v12 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
	flat_store_dword v[8:9], v10
	v_add_u32_e32 v8, vcc, s9, v0
	v_addc_u32_e32 v9, vcc, 0, v1, vcc
	v_add_u32_e32 v10, vcc, s10, v0
	v_addc_u32_e32 v11, vcc, 0, v1, vcc
	v_mov_b32_dpp v14, v12 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v15, v12 row_shr:3 row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v16, v12 row_ror:5 row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v17, v12 wave_shl:1 row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v18, v12 wave_rol:1 row_mask:0xf bank_mask:0xf
	flat_store_dword v[0:1], v14
	v_mov_b32_dpp v14, v12 wave_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
	flat_store_dword v[2:3], v15
	flat_store_dword v[4:5], v16
	flat_store_dword v[6:7], v17
	flat_store_dword v[8:9], v18
	flat_store_dword v[10:11], v14
	v_add_u32_e32 v2, vcc, s0, v0
	v_mov_b32_dpp v19, v12 wave_ror:1 row_mask:0xf bank_mask:0xf
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	s_movk_i32 s0, 0xb00
	flat_store_dword v[2:3], v19
	v_mov_b32_e32 v4, -1
	v_add_u32_e32 v2, vcc, s0, v0
	s_nop 0
	v_mov_b32_dpp v4, v12 row_mirror row_mask:0xf bank_mask:0xf
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	s_movk_i32 s0, 0xc00
	flat_store_dword v[2:3], v4
	v_mov_b32_e32 v4, -1
	v_add_u32_e32 v2, vcc, s0, v0
	s_nop 0
	v_mov_b32_dpp v4, v12 row_half_mirror row_mask:0xf bank_mask:0xf
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	s_movk_i32 s0, 0xd00
	flat_store_dword v[2:3], v4
	v_mov_b32_e32 v4, -1
	v_add_u32_e32 v2, vcc, s0, v0
	s_nop 0
	v_mov_b32_dpp v4, v12 row_bcast:15 row_mask:0xa bank_mask:0xf
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	s_movk_i32 s0, 0xe00
	flat_store_dword v[2:3], v4
	v_mov_b32_e32 v4, -1
	v_add_u32_e32 v2, vcc, s0, v0
	s_nop 0
	v_mov_b32_dpp v4, v12 row_bcast:31 row_mask:0xc bank_mask:0xf
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	s_movk_i32 s0, 0xf00
	flat_store_dword v[2:3], v4
	v_add_u32_e32 v2, vcc, s0, v0
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	v_mov_b32_e32 v4, -1
	v_add_u32_e32 v0, vcc, 0x1000, v0
	s_nop 0
	v_mov_b32_dpp v4, v12 row_bcast:15 row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v13, v12 row_ror:4 row_mask:0x5 bank_mask:0x7
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_store_dword v[2:3], v4
	flat_store_dword v[0:1], v13
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel dpp_gallery
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
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
	.size	dpp_gallery, .Lfunc_end0-dpp_gallery
                                        ; -- End function
	.set dpp_gallery.num_vgpr, 20
	.set dpp_gallery.num_agpr, 0
	.set dpp_gallery.numbered_sgpr, 11
	.set dpp_gallery.num_named_barrier, 0
	.set dpp_gallery.private_seg_size, 0
	.set dpp_gallery.uses_vcc, 1
	.set dpp_gallery.uses_flat_scratch, 0
	.set dpp_gallery.has_dyn_sized_stack, 0
	.set dpp_gallery.has_recursion, 0
	.set dpp_gallery.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 596
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
	.protected	__clang_ocl_kern_imp_dpp_gallery ; -- Begin function __clang_ocl_kern_imp_dpp_gallery
	.globl	__clang_ocl_kern_imp_dpp_gallery
	.p2align	2
	.type	__clang_ocl_kern_imp_dpp_gallery,@function
__clang_ocl_kern_imp_dpp_gallery:       ; @__clang_ocl_kern_imp_dpp_gallery
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_and_b32_e32 v4, 0x3ff, v31
	v_lshlrev_b32_e32 v4, 2, v4
	v_add_u32_e32 v0, vcc, v0, v4
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_load_dword v12, v[0:1]
	v_add_u32_e32 v0, vcc, v2, v4
	s_movk_i32 s4, 0x100
	v_addc_u32_e32 v1, vcc, 0, v3, vcc
	v_add_u32_e32 v2, vcc, s4, v0
	s_movk_i32 s5, 0x200
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	v_add_u32_e32 v4, vcc, s5, v0
	s_movk_i32 s6, 0x300
	v_addc_u32_e32 v5, vcc, 0, v1, vcc
	v_add_u32_e32 v6, vcc, s6, v0
	s_movk_i32 s7, 0x400
	v_addc_u32_e32 v7, vcc, 0, v1, vcc
	v_mov_b32_e32 v10, -1
	v_add_u32_e32 v8, vcc, s7, v0
	s_movk_i32 s8, 0x500
	v_addc_u32_e32 v9, vcc, 0, v1, vcc
	s_movk_i32 s9, 0x600
	v_mov_b32_e32 v15, -1
	s_movk_i32 s10, 0x700
	s_movk_i32 s11, 0x800
	v_mov_b32_e32 v14, -1
	v_mov_b32_e32 v16, -1
	v_mov_b32_e32 v17, -1
	v_mov_b32_e32 v18, -1
	v_mov_b32_e32 v19, -1
	s_movk_i32 s12, 0x900
	s_movk_i32 s4, 0xa00
	v_mov_b32_e32 v13, -1
	s_waitcnt vmcnt(0)
	v_mov_b32_dpp v10, v12 quad_perm:[1,2,3,0] row_mask:0xf bank_mask:0xf
	flat_store_dword v[2:3], v10
	v_add_u32_e32 v2, vcc, s8, v0
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	v_add_u32_e32 v10, vcc, s9, v0
	v_addc_u32_e32 v11, vcc, 0, v1, vcc
	v_mov_b32_dpp v15, v12 row_shl:1 row_mask:0xf bank_mask:0xf
	flat_store_dword v[4:5], v15
	v_add_u32_e32 v4, vcc, s10, v0
	v_addc_u32_e32 v5, vcc, 0, v1, vcc
	v_mov_b32_dpp v15, v12 row_shl:15 row_mask:0xf bank_mask:0xf bound_ctrl:1
	flat_store_dword v[6:7], v15
	v_add_u32_e32 v6, vcc, s11, v0
	v_addc_u32_e32 v7, vcc, 0, v1, vcc
	v_mov_b32_dpp v15, v12 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_mov_b32_dpp v14, v12 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v16, v12 row_shr:3 row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v17, v12 row_ror:5 row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v18, v12 wave_shl:1 row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v19, v12 wave_rol:1 row_mask:0xf bank_mask:0xf
	flat_store_dword v[8:9], v15
	flat_store_dword v[2:3], v16
	flat_store_dword v[10:11], v17
	flat_store_dword v[4:5], v18
	flat_store_dword v[6:7], v19
	v_add_u32_e32 v2, vcc, s12, v0
	flat_store_dword v[0:1], v14
	v_mov_b32_dpp v14, v12 wave_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	flat_store_dword v[2:3], v14
	v_mov_b32_e32 v4, -1
	v_add_u32_e32 v2, vcc, s4, v0
	s_nop 0
	v_mov_b32_dpp v4, v12 wave_ror:1 row_mask:0xf bank_mask:0xf
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	s_movk_i32 s4, 0xb00
	flat_store_dword v[2:3], v4
	v_mov_b32_e32 v4, -1
	v_add_u32_e32 v2, vcc, s4, v0
	s_nop 0
	v_mov_b32_dpp v4, v12 row_mirror row_mask:0xf bank_mask:0xf
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	s_movk_i32 s4, 0xc00
	flat_store_dword v[2:3], v4
	v_mov_b32_e32 v4, -1
	v_add_u32_e32 v2, vcc, s4, v0
	s_nop 0
	v_mov_b32_dpp v4, v12 row_half_mirror row_mask:0xf bank_mask:0xf
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	s_movk_i32 s4, 0xd00
	flat_store_dword v[2:3], v4
	v_mov_b32_e32 v4, -1
	v_add_u32_e32 v2, vcc, s4, v0
	s_nop 0
	v_mov_b32_dpp v4, v12 row_bcast:15 row_mask:0xa bank_mask:0xf
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	s_movk_i32 s4, 0xe00
	flat_store_dword v[2:3], v4
	v_mov_b32_e32 v4, -1
	v_add_u32_e32 v2, vcc, s4, v0
	s_nop 0
	v_mov_b32_dpp v4, v12 row_bcast:31 row_mask:0xc bank_mask:0xf
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	s_movk_i32 s4, 0xf00
	flat_store_dword v[2:3], v4
	v_add_u32_e32 v2, vcc, s4, v0
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	v_mov_b32_e32 v4, -1
	v_add_u32_e32 v0, vcc, 0x1000, v0
	s_nop 0
	v_mov_b32_dpp v4, v12 row_bcast:15 row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v13, v12 row_ror:4 row_mask:0x5 bank_mask:0x7
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_store_dword v[2:3], v4
	flat_store_dword v[0:1], v13
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_dpp_gallery, .Lfunc_end1-__clang_ocl_kern_imp_dpp_gallery
                                        ; -- End function
	.set __clang_ocl_kern_imp_dpp_gallery.num_vgpr, 32
	.set __clang_ocl_kern_imp_dpp_gallery.num_agpr, 0
	.set __clang_ocl_kern_imp_dpp_gallery.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_dpp_gallery.num_named_barrier, 0
	.set __clang_ocl_kern_imp_dpp_gallery.private_seg_size, 0
	.set __clang_ocl_kern_imp_dpp_gallery.uses_vcc, 1
	.set __clang_ocl_kern_imp_dpp_gallery.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_dpp_gallery.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_dpp_gallery.has_recursion, 0
	.set __clang_ocl_kern_imp_dpp_gallery.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 596
; TotalNumSgprs: 34
; NumVgprs: 32
; ScratchSize: 0
; MemoryBound: 0
	.text
	.protected	dpp_inactive            ; -- Begin function dpp_inactive
	.globl	dpp_inactive
	.p2align	8
	.type	dpp_inactive,@function
dpp_inactive:                           ; @dpp_inactive
; %bb.0:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	v_lshlrev_b32_e32 v3, 2, v0
	v_mov_b32_e32 v8, -7
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s1
	v_add_u32_e32 v1, vcc, s0, v3
	v_addc_u32_e32 v2, vcc, 0, v2, vcc
	flat_load_dword v7, v[1:2]
	v_mov_b32_e32 v1, s3
	v_add_u32_e32 v3, vcc, s2, v3
	v_addc_u32_e32 v4, vcc, 0, v1, vcc
	v_add_u32_e32 v1, vcc, 0x200, v3
	v_addc_u32_e32 v2, vcc, 0, v4, vcc
	v_add_u32_e32 v5, vcc, 0x100, v3
	v_addc_u32_e32 v6, vcc, 0, v4, vcc
	flat_store_dword v[1:2], v8
	flat_store_dword v[5:6], v8
	flat_store_dword v[3:4], v8
	s_movk_i32 s0, 0xaaab
	v_mov_b32_e32 v8, 0x5555
	v_mad_u16 v0, v0, s0, v8
	s_movk_i32 s0, 0x5554
	v_cmp_lt_u16_e32 vcc, s0, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB2_2
; %bb.1:
	v_mov_b32_e32 v8, -1
	v_mov_b32_e32 v0, -1
	s_waitcnt vmcnt(3)
	v_mov_b32_dpp v8, v7 row_shr:1 row_mask:0xf bank_mask:0xf
	flat_store_dword v[3:4], v8
	v_mov_b32_dpp v3, v7 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_mov_b32_dpp v0, v7 wave_ror:1 row_mask:0xf bank_mask:0xf
	flat_store_dword v[5:6], v3
	flat_store_dword v[1:2], v0
.LBB2_2:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel dpp_inactive
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
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
	.size	dpp_inactive, .Lfunc_end2-dpp_inactive
                                        ; -- End function
	.set dpp_inactive.num_vgpr, 9
	.set dpp_inactive.num_agpr, 0
	.set dpp_inactive.numbered_sgpr, 6
	.set dpp_inactive.num_named_barrier, 0
	.set dpp_inactive.private_seg_size, 0
	.set dpp_inactive.uses_vcc, 1
	.set dpp_inactive.uses_flat_scratch, 0
	.set dpp_inactive.has_dyn_sized_stack, 0
	.set dpp_inactive.has_recursion, 0
	.set dpp_inactive.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 200
; TotalNumSgprs: 8
; NumVgprs: 9
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 0
; VGPRBlocks: 2
; NumSGPRsForWavesPerEU: 8
; NumVGPRsForWavesPerEU: 9
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
	.protected	__clang_ocl_kern_imp_dpp_inactive ; -- Begin function __clang_ocl_kern_imp_dpp_inactive
	.globl	__clang_ocl_kern_imp_dpp_inactive
	.p2align	2
	.type	__clang_ocl_kern_imp_dpp_inactive,@function
__clang_ocl_kern_imp_dpp_inactive:      ; @__clang_ocl_kern_imp_dpp_inactive
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_and_b32_e32 v7, 0x3ff, v31
	v_lshlrev_b32_e32 v4, 2, v7
	v_add_u32_e32 v0, vcc, v0, v4
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_load_dword v6, v[0:1]
	v_add_u32_e32 v0, vcc, v2, v4
	v_addc_u32_e32 v1, vcc, 0, v3, vcc
	s_movk_i32 s4, 0x200
	v_add_u32_e32 v2, vcc, s4, v0
	v_addc_u32_e32 v3, vcc, 0, v1, vcc
	v_add_u32_e32 v4, vcc, 0x100, v0
	v_mov_b32_e32 v8, -7
	v_addc_u32_e32 v5, vcc, 0, v1, vcc
	flat_store_dword v[2:3], v8
	flat_store_dword v[4:5], v8
	flat_store_dword v[0:1], v8
	s_movk_i32 s4, 0xaaab
	v_mov_b32_e32 v8, 0x5555
	v_mad_u16 v7, v7, s4, v8
	s_movk_i32 s4, 0x5554
	v_cmp_lt_u16_e32 vcc, s4, v7
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB3_2
; %bb.1:
	v_mov_b32_e32 v8, -1
	v_mov_b32_e32 v7, -1
	s_waitcnt vmcnt(3)
	v_mov_b32_dpp v8, v6 row_shr:1 row_mask:0xf bank_mask:0xf
	flat_store_dword v[0:1], v8
	v_mov_b32_dpp v0, v6 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_mov_b32_dpp v7, v6 wave_ror:1 row_mask:0xf bank_mask:0xf
	flat_store_dword v[4:5], v0
	flat_store_dword v[2:3], v7
.LBB3_2:
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end3:
	.size	__clang_ocl_kern_imp_dpp_inactive, .Lfunc_end3-__clang_ocl_kern_imp_dpp_inactive
                                        ; -- End function
	.set __clang_ocl_kern_imp_dpp_inactive.num_vgpr, 32
	.set __clang_ocl_kern_imp_dpp_inactive.num_agpr, 0
	.set __clang_ocl_kern_imp_dpp_inactive.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_dpp_inactive.num_named_barrier, 0
	.set __clang_ocl_kern_imp_dpp_inactive.private_seg_size, 0
	.set __clang_ocl_kern_imp_dpp_inactive.uses_vcc, 1
	.set __clang_ocl_kern_imp_dpp_inactive.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_dpp_inactive.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_dpp_inactive.has_recursion, 0
	.set __clang_ocl_kern_imp_dpp_inactive.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 200
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           dpp_gallery
    .private_segment_fixed_size: 0
    .sgpr_count:     13
    .sgpr_spill_count: 0
    .symbol:         dpp_gallery.kd
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
        .offset:         8
        .size:           8
        .type_name:      'int*'
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           dpp_inactive
    .private_segment_fixed_size: 0
    .sgpr_count:     8
    .sgpr_spill_count: 0
    .symbol:         dpp_inactive.kd
    .uses_dynamic_stack: false
    .vgpr_count:     9
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
