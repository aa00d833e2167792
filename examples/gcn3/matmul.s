	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	matmul                  ; -- Begin function matmul
	.globl	matmul
	.p2align	8
	.type	matmul,@function
matmul:                                 ; @matmul
; %bb.0:
	s_load_dwordx4 s[0:3], s[4:5], 0x18
	s_load_dwordx4 s[8:11], s[4:5], 0x0
	s_load_dwordx2 s[4:5], s[4:5], 0x10
	s_waitcnt lgkmcnt(0)
	s_lshl_b32 s3, s6, 4
	s_lshl_b32 s6, s7, 4
	v_or_b32_e32 v5, s6, v1
	s_cmp_eq_u32 s2, 0
	s_mov_b32 s6, 0
	s_cbranch_scc1 .LBB0_3
; %bb.1:
	v_lshlrev_b32_e32 v6, 6, v1
	v_mul_lo_u32 v1, v1, s1
	v_mul_lo_u32 v2, s2, v5
	v_lshlrev_b32_e32 v3, 2, v0
	v_or_b32_e32 v7, v6, v3
	v_add_u32_e32 v1, vcc, v0, v1
	v_or_b32_e32 v8, 0x400, v3
	v_add_u32_e32 v1, vcc, s3, v1
	s_lshl_b32 s7, s1, 4
	v_add_u32_e32 v9, vcc, v0, v2
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v10, s9
	v_mov_b32_e32 v11, s11
	v_mov_b32_e32 v12, 0
	s_mov_b32 m0, -1
.LBB0_2:                                ; =>This Inner Loop Header: Depth=1
	v_add_u32_e32 v3, vcc, s6, v9
	v_lshlrev_b64 v[13:14], 2, v[3:4]
	v_mov_b32_e32 v2, v4
	v_lshlrev_b64 v[2:3], 2, v[1:2]
	v_add_u32_e32 v13, vcc, s8, v13
	v_addc_u32_e32 v14, vcc, v10, v14, vcc
	v_add_u32_e32 v2, vcc, s10, v2
	v_addc_u32_e32 v3, vcc, v11, v3, vcc
	flat_load_dword v13, v[13:14]
	flat_load_dword v2, v[2:3]
	s_add_i32 s6, s6, 16
	v_add_u32_e32 v1, vcc, s7, v1
	s_cmp_ge_u32 s6, s2
	s_waitcnt vmcnt(0)
	ds_write2st64_b32 v7, v13, v2 offset1:4
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2_b32 v[2:3], v8 offset1:16
	ds_read2_b32 v[13:14], v6 offset1:1
	ds_read2_b32 v[15:16], v6 offset0:2 offset1:3
	ds_read2_b32 v[17:18], v6 offset0:4 offset1:5
	ds_read2_b32 v[19:20], v6 offset0:6 offset1:7
	s_waitcnt lgkmcnt(3)
	v_fma_f32 v2, v13, v2, v12
	v_fma_f32 v12, v14, v3, v2
	ds_read2_b32 v[2:3], v8 offset0:32 offset1:48
	s_waitcnt lgkmcnt(0)
	v_fma_f32 v2, v15, v2, v12
	v_fma_f32 v14, v16, v3, v2
	ds_read2_b32 v[2:3], v8 offset0:64 offset1:80
	ds_read2_b32 v[12:13], v8 offset0:96 offset1:112
	s_waitcnt lgkmcnt(1)
	v_fma_f32 v2, v17, v2, v14
	v_fma_f32 v16, v18, v3, v2
	ds_read2_b32 v[2:3], v6 offset0:8 offset1:9
	ds_read2_b32 v[14:15], v8 offset0:128 offset1:144
	s_waitcnt lgkmcnt(2)
	v_fma_f32 v12, v19, v12, v16
	v_fma_f32 v20, v20, v13, v12
	ds_read2_b32 v[12:13], v6 offset0:10 offset1:11
	ds_read2_b32 v[16:17], v6 offset0:12 offset1:13
	ds_read2_b32 v[18:19], v6 offset0:14 offset1:15
	s_waitcnt lgkmcnt(3)
	v_fma_f32 v2, v2, v14, v20
	v_fma_f32 v14, v3, v15, v2
	ds_read2_b32 v[2:3], v8 offset0:160 offset1:176
	s_waitcnt lgkmcnt(0)
	v_fma_f32 v2, v12, v2, v14
	v_fma_f32 v14, v13, v3, v2
	ds_read2_b32 v[2:3], v8 offset0:192 offset1:208
	ds_read2_b32 v[12:13], v8 offset0:224 offset1:240
	s_waitcnt lgkmcnt(1)
	v_fma_f32 v2, v16, v2, v14
	v_fma_f32 v2, v17, v3, v2
	s_waitcnt lgkmcnt(0)
	v_fma_f32 v2, v18, v12, v2
	v_fma_f32 v12, v19, v13, v2
	s_barrier
	s_cbranch_scc0 .LBB0_2
	s_branch .LBB0_4
.LBB0_3:
	v_mov_b32_e32 v12, 0
.LBB0_4:
	v_cmp_gt_u32_e32 vcc, s0, v5
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .LBB0_6
; %bb.5:
	v_mul_lo_u32 v1, s1, v5
	v_add_u32_e32 v0, vcc, s3, v0
	v_mov_b32_e32 v2, s5
	v_add_u32_e32 v0, vcc, v1, v0
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_add_u32_e32 v0, vcc, s4, v0
	v_addc_u32_e32 v1, vcc, v2, v1, vcc
	flat_store_dword v[0:1], v12
.LBB0_6:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel matmul
		.amdhsa_group_segment_fixed_size 2048
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 36
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
		.amdhsa_next_free_vgpr 21
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
	.size	matmul, .Lfunc_end0-matmul
                                        ; -- End function
	.set matmul.num_vgpr, 21
	.set matmul.num_agpr, 0
	.set matmul.numbered_sgpr, 12
	.set matmul.num_named_barrier, 0
	.set matmul.private_seg_size, 0
	.set matmul.uses_vcc, 1
	.set matmul.uses_flat_scratch, 0
	.set matmul.has_dyn_sized_stack, 0
	.set matmul.has_recursion, 0
	.set matmul.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 580
; TotalNumSgprs: 14
; NumVgprs: 21
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 2048 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 5
; NumSGPRsForWavesPerEU: 14
; NumVGPRsForWavesPerEU: 21
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
	.protected	__clang_ocl_kern_imp_matmul ; -- Begin function __clang_ocl_kern_imp_matmul
	.globl	__clang_ocl_kern_imp_matmul
	.p2align	2
	.type	__clang_ocl_kern_imp_matmul,@function
__clang_ocl_kern_imp_matmul:            ; @__clang_ocl_kern_imp_matmul
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_bfe_u32 v9, v31, 10, 10
	s_lshl_b32 s4, s13, 4
	v_and_b32_e32 v12, 0x3ff, v31
	s_lshl_b32 s8, s12, 4
	v_or_b32_e32 v13, s4, v9
	s_mov_b32 s9, 0
	v_cmp_ne_u32_e32 vcc, 0, v8
	v_mov_b32_e32 v16, 0
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_4
; %bb.1:
	v_mul_lo_u32 v9, v9, v7
	v_mul_lo_u32 v10, v8, v13
	s_mov_b64 s[6:7], 0xc8
	s_load_dwordx2 s[0:1], s[6:7], 0x0
	v_add_u32_e32 v9, vcc, v12, v9
	v_add_u32_e32 v9, vcc, s8, v9
	v_lshlrev_b32_e32 v14, 4, v7
	v_add_u32_e32 v15, vcc, v12, v10
	v_mov_b32_e32 v11, 0
	s_mov_b64 s[6:7], 0
	v_mov_b32_e32 v16, 0
	s_mov_b32 m0, -1
	s_waitcnt lgkmcnt(0)
	s_trap 2
.LBB1_2:                                ; =>This Inner Loop Header: Depth=1
	v_add_u32_e32 v10, vcc, s9, v15
	v_lshlrev_b64 v[17:18], 2, v[10:11]
	s_add_i32 s9, s9, 16
	v_add_u32_e32 v17, vcc, v0, v17
	v_addc_u32_e32 v18, vcc, v1, v18, vcc
	flat_load_dword v10, v[17:18]
	s_waitcnt vmcnt(0)
	ds_write_b32 v0, v10
	v_mov_b32_e32 v10, v11
	v_lshlrev_b64 v[17:18], 2, v[9:10]
	v_add_u32_e32 v17, vcc, v2, v17
	v_addc_u32_e32 v18, vcc, v3, v18, vcc
	flat_load_dword v10, v[17:18]
	v_add_u32_e32 v9, vcc, v9, v14
	v_cmp_ge_u32_e32 vcc, s9, v8
	s_or_b64 s[6:7], vcc, s[6:7]
	s_waitcnt vmcnt(0)
	ds_write_b32 v0, v10
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2_b32 v[17:18], v0 offset1:1
	ds_read2_b32 v[19:20], v0 offset1:16
	s_waitcnt lgkmcnt(0)
	v_fma_f32 v10, v17, v19, v16
	v_fma_f32 v10, v18, v20, v10
	ds_read2_b32 v[16:17], v0 offset0:2 offset1:3
	ds_read2_b32 v[18:19], v0 offset0:32 offset1:48
	s_waitcnt lgkmcnt(0)
	v_fma_f32 v10, v16, v18, v10
	v_fma_f32 v10, v17, v19, v10
	ds_read2_b32 v[16:17], v0 offset0:4 offset1:5
	ds_read2_b32 v[18:19], v0 offset0:64 offset1:80
	s_waitcnt lgkmcnt(0)
	v_fma_f32 v10, v16, v18, v10
	v_fma_f32 v10, v17, v19, v10
	ds_read2_b32 v[16:17], v0 offset0:6 offset1:7
	ds_read2_b32 v[18:19], v0 offset0:96 offset1:112
	s_waitcnt lgkmcnt(0)
	v_fma_f32 v10, v16, v18, v10
	v_fma_f32 v10, v17, v19, v10
	ds_read2_b32 v[16:17], v0 offset0:8 offset1:9
	ds_read2_b32 v[18:19], v0 offset0:128 offset1:144
	s_waitcnt lgkmcnt(0)
	v_fma_f32 v10, v16, v18, v10
	v_fma_f32 v10, v17, v19, v10
	ds_read2_b32 v[16:17], v0 offset0:10 offset1:11
	ds_read2_b32 v[18:19], v0 offset0:160 offset1:176
	s_waitcnt lgkmcnt(0)
	v_fma_f32 v10, v16, v18, v10
	v_fma_f32 v10, v17, v19, v10
	ds_read2_b32 v[16:17], v0 offset0:12 offset1:13
	ds_read2_b32 v[18:19], v0 offset0:192 offset1:208
	s_waitcnt lgkmcnt(0)
	v_fma_f32 v10, v16, v18, v10
	v_fma_f32 v10, v17, v19, v10
	ds_read2_b32 v[16:17], v0 offset0:14 offset1:15
	ds_read2_b32 v[18:19], v0 offset0:224 offset1:240
	s_waitcnt lgkmcnt(0)
	v_fma_f32 v10, v16, v18, v10
	v_fma_f32 v16, v17, v19, v10
	s_barrier
	s_andn2_b64 exec, exec, s[6:7]
	s_cbranch_execnz .LBB1_2
; %bb.3:
	s_or_b64 exec, exec, s[6:7]
.LBB1_4:
	s_or_b64 exec, exec, s[4:5]
	v_cmp_lt_u32_e32 vcc, v13, v6
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_6
; %bb.5:
	v_mul_lo_u32 v0, v7, v13
	v_add_u32_e32 v1, vcc, s8, v12
	v_add_u32_e32 v0, vcc, v0, v1
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_add_u32_e32 v0, vcc, v4, v0
	v_addc_u32_e32 v1, vcc, v5, v1, vcc
	flat_store_dword v[0:1], v16
.LBB1_6:
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_matmul, .Lfunc_end1-__clang_ocl_kern_imp_matmul
                                        ; -- End function
	.set __clang_ocl_kern_imp_matmul.num_vgpr, 32
	.set __clang_ocl_kern_imp_matmul.num_agpr, 0
	.set __clang_ocl_kern_imp_matmul.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_matmul.num_named_barrier, 0
	.set __clang_ocl_kern_imp_matmul.private_seg_size, 0
	.set __clang_ocl_kern_imp_matmul.uses_vcc, 1
	.set __clang_ocl_kern_imp_matmul.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_matmul.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_matmul.has_recursion, 0
	.set __clang_ocl_kern_imp_matmul.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 604
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
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .offset:         8
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .offset:         24
        .size:           4
        .type_name:      uint
        .value_kind:     by_value
      - .offset:         28
        .size:           4
        .type_name:      uint
        .value_kind:     by_value
      - .offset:         32
        .size:           4
        .type_name:      uint
        .value_kind:     by_value
    .group_segment_fixed_size: 2048
    .kernarg_segment_align: 8
    .kernarg_segment_size: 36
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           matmul
    .private_segment_fixed_size: 0
    .reqd_workgroup_size:
      - 16
      - 16
      - 1
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         matmul.kd
    .uses_dynamic_stack: false
    .vgpr_count:     21
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
