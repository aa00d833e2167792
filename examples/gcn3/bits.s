	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	bits                    ; -- Begin function bits
	.globl	bits
	.p2align	8
	.type	bits,@function
bits:                                   ; @bits
; %bb.0:
	s_load_dword s0, s[4:5], 0x2c
	s_load_dwordx8 s[8:15], s[4:5], 0x0
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s0, s0, 0xffff
	s_mul_i32 s6, s6, s0
	v_add_u32_e32 v0, vcc, s6, v0
	v_lshlrev_b64 v[2:3], 2, v[0:1]
	v_mov_b32_e32 v5, s9
	v_add_u32_e32 v4, vcc, s8, v2
	v_addc_u32_e32 v5, vcc, v5, v3, vcc
	flat_load_dword v5, v[4:5]
	v_mov_b32_e32 v4, s11
	v_add_u32_e32 v6, vcc, s10, v2
	v_addc_u32_e32 v7, vcc, v4, v3, vcc
	flat_load_dword v4, v[6:7]
	v_mov_b32_e32 v6, s13
	v_add_u32_e32 v2, vcc, s12, v2
	v_addc_u32_e32 v3, vcc, v6, v3, vcc
	flat_load_dword v2, v[2:3]
	v_mul_lo_u32 v0, v0, 12
	v_mov_b32_e32 v3, s15
	s_mov_b32 s0, 0x10203
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_add_u32_e32 v6, vcc, s14, v0
	v_addc_u32_e32 v7, vcc, v3, v1, vcc
	v_add_u32_e32 v8, vcc, 16, v6
	v_addc_u32_e32 v9, vcc, 0, v7, vcc
	v_add_u32_e32 v10, vcc, 24, v6
	v_addc_u32_e32 v11, vcc, 0, v7, vcc
	v_add_u32_e32 v12, vcc, 40, v6
	v_addc_u32_e32 v13, vcc, 0, v7, vcc
	s_waitcnt vmcnt(2)
	v_alignbit_b32 v3, v5, v5, 7
	s_waitcnt vmcnt(1)
	v_alignbit_b32 v0, v4, v5, 1
	v_lshrrev_b32_e32 v16, 1, v4
	s_waitcnt vmcnt(0)
	v_not_b32_e32 v17, v2
	v_sub_u32_e32 v18, vcc, 0, v2
	v_alignbit_b32 v1, v4, v5, v2
	v_lshlrev_b64 v[14:15], v2, v[4:5]
	v_alignbit_b32 v0, v16, v0, v17
	v_alignbit_b32 v2, v5, v5, v18
	flat_store_dwordx4 v[6:7], v[0:3]
	v_bfe_u32 v6, v5, 5, 11
	v_bcnt_u32_b32 v0, v5, 0
	v_or_b32_e32 v1, 1, v4
	v_bfrev_b32_e32 v2, v5
	v_perm_b32 v3, 0, v5, s0
	v_bfe_i32 v7, v5, 17, 12
	v_lshrrev_b64 v[4:5], v18, v[4:5]
	v_ffbh_u32_e32 v1, v1
	flat_store_dwordx4 v[10:11], v[0:3]
	s_nop 0
	v_or_b32_e32 v1, v15, v5
	v_or_b32_e32 v0, v14, v4
	flat_store_dwordx2 v[8:9], v[0:1]
	flat_store_dwordx2 v[12:13], v[6:7]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel bits
		.amdhsa_group_segment_fixed_size 0
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
		.amdhsa_next_free_vgpr 19
		.amdhsa_next_free_sgpr 16
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
	.size	bits, .Lfunc_end0-bits
                                        ; -- End function
	.set bits.num_vgpr, 19
	.set bits.num_agpr, 0
	.set bits.numbered_sgpr, 16
	.set bits.num_named_barrier, 0
	.set bits.private_seg_size, 0
	.set bits.uses_vcc, 1
	.set bits.uses_flat_scratch, 0
	.set bits.has_dyn_sized_stack, 0
	.set bits.has_recursion, 0
	.set bits.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 340
; TotalNumSgprs: 18
; NumVgprs: 19
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 2
; VGPRBlocks: 4
; NumSGPRsForWavesPerEU: 18
; NumVGPRsForWavesPerEU: 19
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
	.protected	__clang_ocl_kern_imp_bits ; -- Begin function __clang_ocl_kern_imp_bits
	.globl	__clang_ocl_kern_imp_bits
	.p2align	2
	.type	__clang_ocl_kern_imp_bits,@function
__clang_ocl_kern_imp_bits:              ; @__clang_ocl_kern_imp_bits
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_load_dword s4, s[8:9], 0xc
	v_and_b32_e32 v8, 0x3ff, v31
	v_mov_b32_e32 v9, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s4, 0xffff
	s_mul_i32 s12, s12, s4
	v_add_u32_e32 v8, vcc, s12, v8
	v_lshlrev_b64 v[10:11], 2, v[8:9]
	v_mul_lo_u32 v8, v8, 12
	v_add_u32_e32 v0, vcc, v0, v10
	v_addc_u32_e32 v1, vcc, v1, v11, vcc
	flat_load_dword v13, v[0:1]
	v_add_u32_e32 v0, vcc, v2, v10
	v_addc_u32_e32 v1, vcc, v3, v11, vcc
	flat_load_dword v12, v[0:1]
	v_add_u32_e32 v0, vcc, v4, v10
	v_addc_u32_e32 v1, vcc, v5, v11, vcc
	flat_load_dword v2, v[0:1]
	v_lshlrev_b64 v[0:1], 2, v[8:9]
	s_mov_b32 s4, 0x10203
	v_add_u32_e32 v4, vcc, v6, v0
	v_addc_u32_e32 v5, vcc, v7, v1, vcc
	v_add_u32_e32 v6, vcc, 16, v4
	v_addc_u32_e32 v7, vcc, 0, v5, vcc
	v_add_u32_e32 v8, vcc, 24, v4
	v_addc_u32_e32 v9, vcc, 0, v5, vcc
	v_add_u32_e32 v10, vcc, 40, v4
	v_addc_u32_e32 v11, vcc, 0, v5, vcc
	s_waitcnt vmcnt(2)
	v_alignbit_b32 v3, v13, v13, 7
	s_waitcnt vmcnt(1)
	v_alignbit_b32 v0, v12, v13, 1
	v_lshrrev_b32_e32 v16, 1, v12
	s_waitcnt vmcnt(0)
	v_not_b32_e32 v17, v2
	v_sub_u32_e32 v18, vcc, 0, v2
	v_alignbit_b32 v1, v12, v13, v2
	v_lshlrev_b64 v[14:15], v2, v[12:13]
	v_alignbit_b32 v0, v16, v0, v17
	v_alignbit_b32 v2, v13, v13, v18
	flat_store_dwordx4 v[4:5], v[0:3]
	v_bfe_u32 v4, v13, 5, 11
	v_bcnt_u32_b32 v0, v13, 0
	v_or_b32_e32 v1, 1, v12
	v_bfrev_b32_e32 v2, v13
	v_perm_b32 v3, 0, v13, s4
	v_bfe_i32 v5, v13, 17, 12
	v_lshrrev_b64 v[12:13], v18, v[12:13]
	v_ffbh_u32_e32 v1, v1
	flat_store_dwordx4 v[8:9], v[0:3]
	s_nop 0
	v_or_b32_e32 v1, v15, v13
	v_or_b32_e32 v0, v14, v12
	flat_store_dwordx2 v[6:7], v[0:1]
	flat_store_dwordx2 v[10:11], v[4:5]
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_bits, .Lfunc_end1-__clang_ocl_kern_imp_bits
                                        ; -- End function
	.set __clang_ocl_kern_imp_bits.num_vgpr, 32
	.set __clang_ocl_kern_imp_bits.num_agpr, 0
	.set __clang_ocl_kern_imp_bits.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_bits.num_named_barrier, 0
	.set __clang_ocl_kern_imp_bits.private_seg_size, 0
	.set __clang_ocl_kern_imp_bits.uses_vcc, 1
	.set __clang_ocl_kern_imp_bits.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_bits.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_bits.has_recursion, 0
	.set __clang_ocl_kern_imp_bits.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 332
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
        .is_const:       true
        .offset:         16
        .size:           8
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         24
        .size:           8
        .type_name:      'uint*'
        .value_kind:     global_buffer
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 288
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           bits
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         bits.kd
    .uses_dynamic_stack: false
    .vgpr_count:     19
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
