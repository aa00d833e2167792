	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	arithmetic              ; -- Begin function arithmetic
	.globl	arithmetic
	.p2align	8
	.type	arithmetic,@function
arithmetic:                             ; @arithmetic
; %bb.0:
	s_load_dword s7, s[4:5], 0x24
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[4:5], s[4:5], 0x10
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s7, s7, 0xffff
	s_mul_i32 s6, s6, s7
	v_add_u32_e32 v0, vcc, s6, v0
	v_lshlrev_b64 v[2:3], 2, v[0:1]
	v_mov_b32_e32 v5, s3
	v_add_u32_e32 v4, vcc, s2, v2
	v_addc_u32_e32 v5, vcc, v5, v3, vcc
	flat_load_dword v11, v[4:5]
	v_mov_b32_e32 v4, s1
	v_add_u32_e32 v2, vcc, s0, v2
	v_addc_u32_e32 v3, vcc, v4, v3, vcc
	flat_load_dword v12, v[2:3]
	v_lshlrev_b32_e32 v0, 3, v0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_mov_b32_e32 v2, s5
	v_add_u32_e32 v0, vcc, s4, v0
	v_addc_u32_e32 v1, vcc, v2, v1, vcc
	v_add_u32_e32 v4, vcc, 8, v0
	v_addc_u32_e32 v5, vcc, 0, v1, vcc
	v_add_u32_e32 v6, vcc, 24, v0
	v_addc_u32_e32 v7, vcc, 0, v1, vcc
	s_mov_b32 s3, 0x92492493
	s_mov_b32 s2, 0xcccccccd
	s_waitcnt vmcnt(1)
	v_cvt_f32_u32_e32 v2, v11
	v_sub_u32_e32 v10, vcc, 0, v11
	v_rcp_iflag_f32_e32 v3, v2
	s_waitcnt vmcnt(0)
	v_min_u32_e32 v15, v11, v12
	v_mad_u64_u32 v[8:9], s[0:1], v11, v12, 0
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v13, v3
	flat_store_dwordx2 v[0:1], v[8:9]
	v_mul_hi_i32 v14, v12, s3
	v_mul_hi_i32 v2, v11, v12
	v_mul_lo_u32 v16, v10, v13
	v_max_u32_e32 v10, v11, v12
	v_sub_u32_e32 v10, vcc, v10, v15
	v_mul_hi_u32 v15, v13, v16
	v_add_u32_e32 v1, vcc, v14, v12
	v_mul_hi_u32 v3, v12, s2
	v_add_u32_e32 v0, vcc, v13, v15
	v_mul_hi_u32 v0, v12, v0
	v_lshrrev_b32_e32 v8, 31, v1
	v_ashrrev_i32_e32 v1, 2, v1
	v_lshrrev_b32_e32 v3, 3, v3
	v_mul_lo_u32 v9, v0, v11
	v_add_u32_e32 v13, vcc, 1, v0
	v_sub_u32_e32 v9, vcc, v12, v9
	v_cmp_ge_u32_e32 vcc, v9, v11
	v_cndmask_b32_e32 v0, v0, v13, vcc
	v_sub_u32_e64 v13, s[0:1], v9, v11
	v_cndmask_b32_e32 v9, v9, v13, vcc
	v_add_u32_e32 v13, vcc, 1, v0
	v_cmp_ge_u32_e32 vcc, v9, v11
	v_cndmask_b32_e32 v0, v0, v13, vcc
	v_mul_lo_u32 v11, v0, v11
	v_add_u32_e32 v9, vcc, v1, v8
	v_sub_u32_e32 v1, vcc, v12, v11
	flat_store_dwordx4 v[4:5], v[0:3]
	flat_store_dwordx2 v[6:7], v[9:10]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel arithmetic
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
		.amdhsa_next_free_vgpr 17
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
	.size	arithmetic, .Lfunc_end0-arithmetic
                                        ; -- End function
	.set arithmetic.num_vgpr, 17
	.set arithmetic.num_agpr, 0
	.set arithmetic.numbered_sgpr, 8
	.set arithmetic.num_named_barrier, 0
	.set arithmetic.private_seg_size, 0
	.set arithmetic.uses_vcc, 1
	.set arithmetic.uses_flat_scratch, 0
	.set arithmetic.has_dyn_sized_stack, 0
	.set arithmetic.has_recursion, 0
	.set arithmetic.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 364
; TotalNumSgprs: 10
; NumVgprs: 17
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 4
; NumSGPRsForWavesPerEU: 10
; NumVGPRsForWavesPerEU: 17
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
	.protected	__clang_ocl_kern_imp_arithmetic ; -- Begin function __clang_ocl_kern_imp_arithmetic
	.globl	__clang_ocl_kern_imp_arithmetic
	.p2align	2
	.type	__clang_ocl_kern_imp_arithmetic,@function
__clang_ocl_kern_imp_arithmetic:        ; @__clang_ocl_kern_imp_arithmetic
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_load_dword s4, s[8:9], 0xc
	v_and_b32_e32 v6, 0x3ff, v31
	v_mov_b32_e32 v7, 0
	s_mov_b32 s7, 0x92492493
	s_mov_b32 s6, 0xcccccccd
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s4, 0xffff
	s_mul_i32 s12, s12, s4
	v_add_u32_e32 v6, vcc, s12, v6
	v_lshlrev_b64 v[8:9], 2, v[6:7]
	v_lshlrev_b32_e32 v6, 3, v6
	v_add_u32_e32 v2, vcc, v2, v8
	v_addc_u32_e32 v3, vcc, v3, v9, vcc
	flat_load_dword v11, v[2:3]
	v_add_u32_e32 v0, vcc, v0, v8
	v_addc_u32_e32 v1, vcc, v1, v9, vcc
	flat_load_dword v12, v[0:1]
	v_lshlrev_b64 v[0:1], 2, v[6:7]
	v_add_u32_e32 v0, vcc, v4, v0
	v_addc_u32_e32 v1, vcc, v5, v1, vcc
	v_add_u32_e32 v4, vcc, 8, v0
	v_addc_u32_e32 v5, vcc, 0, v1, vcc
	v_add_u32_e32 v6, vcc, 24, v0
	v_addc_u32_e32 v7, vcc, 0, v1, vcc
	s_waitcnt vmcnt(1)
	v_cvt_f32_u32_e32 v2, v11
	v_sub_u32_e32 v10, vcc, 0, v11
	v_rcp_iflag_f32_e32 v3, v2
	s_waitcnt vmcnt(0)
	v_min_u32_e32 v15, v11, v12
	v_mad_u64_u32 v[8:9], s[4:5], v11, v12, 0
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v13, v3
	flat_store_dwordx2 v[0:1], v[8:9]
	v_mul_hi_i32 v14, v12, s7
	v_mul_hi_i32 v2, v11, v12
	v_mul_lo_u32 v16, v10, v13
	v_max_u32_e32 v10, v11, v12
	v_sub_u32_e32 v10, vcc, v10, v15
	v_mul_hi_u32 v15, v13, v16
	v_add_u32_e32 v1, vcc, v14, v12
	v_mul_hi_u32 v3, v12, s6
	v_add_u32_e32 v0, vcc, v13, v15
	v_mul_hi_u32 v0, v12, v0
	v_lshrrev_b32_e32 v8, 31, v1
	v_ashrrev_i32_e32 v1, 2, v1
	v_lshrrev_b32_e32 v3, 3, v3
	v_mul_lo_u32 v9, v0, v11
	v_add_u32_e32 v13, vcc, 1, v0
	v_sub_u32_e32 v9, vcc, v12, v9
	v_cmp_ge_u32_e32 vcc, v9, v11
	v_cndmask_b32_e32 v0, v0, v13, vcc
	v_sub_u32_e64 v13, s[4:5], v9, v11
	v_cndmask_b32_e32 v9, v9, v13, vcc
	v_add_u32_e32 v13, vcc, 1, v0
	v_cmp_ge_u32_e32 vcc, v9, v11
	v_cndmask_b32_e32 v0, v0, v13, vcc
	v_mul_lo_u32 v11, v0, v11
	v_add_u32_e32 v9, vcc, v1, v8
	v_sub_u32_e32 v1, vcc, v12, v11
	flat_store_dwordx4 v[4:5], v[0:3]
	flat_store_dwordx2 v[6:7], v[9:10]
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_arithmetic, .Lfunc_end1-__clang_ocl_kern_imp_arithmetic
                                        ; -- End function
	.set __clang_ocl_kern_imp_arithmetic.num_vgpr, 32
	.set __clang_ocl_kern_imp_arithmetic.num_agpr, 0
	.set __clang_ocl_kern_imp_arithmetic.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_arithmetic.num_named_barrier, 0
	.set __clang_ocl_kern_imp_arithmetic.private_seg_size, 0
	.set __clang_ocl_kern_imp_arithmetic.uses_vcc, 1
	.set __clang_ocl_kern_imp_arithmetic.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_arithmetic.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_arithmetic.has_recursion, 0
	.set __clang_ocl_kern_imp_arithmetic.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 352
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
        .is_const:       true
        .offset:         8
        .size:           8
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .type_name:      'uint*'
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
    .name:           arithmetic
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         arithmetic.kd
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
