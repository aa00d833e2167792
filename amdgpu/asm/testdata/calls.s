	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.hidden	pick                            ; -- Begin function pick
	.globl	pick
	.p2align	2
	.type	pick,@function
pick:                                   ; @pick
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v3, v1
	v_and_b32_e32 v1, 7, v0
	v_lshlrev_b32_e32 v1, 2, v1
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, table@rel32@lo+4
	s_addc_u32 s5, s5, table@rel32@hi+12
	v_mov_b32_e32 v5, s5
	v_add_u32_e32 v4, vcc, s4, v1
	v_addc_u32_e32 v5, vcc, 0, v5, vcc
	flat_load_dword v1, v[4:5]
	v_and_b32_e32 v4, 3, v0
	v_add_u32_e32 v5, vcc, 1, v0
	v_lshlrev_b32_e32 v4, 2, v4
	v_and_b32_e32 v5, 3, v5
	v_lshrrev_b32_e64 v7, 6, s32
	s_lshr_b32 s4, s32, 6
	v_add_u32_e32 v6, vcc, v4, v7
	v_lshlrev_b32_e32 v4, 2, v5
	v_add_u32_e32 v4, vcc, s4, v4
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, shared_counter@rel32@lo+4
	s_addc_u32 s5, s5, shared_counter@rel32@hi+12
	s_waitcnt vmcnt(0)
	buffer_store_dword v1, v6, s[0:3], 0 offen
	s_waitcnt vmcnt(0)
	buffer_load_dword v7, v4, s[0:3], 0 offen glc
	s_waitcnt vmcnt(0)
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_mov_b32_e32 v4, s4
	v_add_u32_e32 v0, vcc, v3, v0
	v_addc_u32_e32 v1, vcc, v2, v1, vcc
	v_mov_b32_e32 v5, s5
	flat_store_dword v[0:1], v7
	buffer_load_dword v0, v6, s[0:3], 0 offen glc
	s_waitcnt vmcnt(0)
	flat_load_dword v1, v[4:5]
	s_waitcnt vmcnt(0)
	v_cvt_f32_i32_e32 v1, v1
	v_add_f32_e32 v0, v0, v1
	s_setpc_b64 s[30:31]
.Lfunc_end0:
	.size	pick, .Lfunc_end0-pick
                                        ; -- End function
	.set pick.num_vgpr, 8
	.set pick.num_agpr, 0
	.set pick.numbered_sgpr, 33
	.set pick.num_named_barrier, 0
	.set pick.private_seg_size, 20
	.set pick.uses_vcc, 1
	.set pick.uses_flat_scratch, 0
	.set pick.has_dyn_sized_stack, 0
	.set pick.has_recursion, 0
	.set pick.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 216
; TotalNumSgprs: 35
; NumVgprs: 8
; ScratchSize: 20
; MemoryBound: 0
	.text
	.hidden	twice                           ; -- Begin function twice
	.globl	twice
	.p2align	2
	.type	twice,@function
twice:                                  ; @twice
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s8, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v11, off, s[0:3], s33 ; 4-byte Folded Spill
	s_mov_b64 exec, s[4:5]
	s_addk_i32 s32, 0x400
	v_writelane_b32 v11, s30, 0
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, pick@rel32@lo+4
	s_addc_u32 s7, s7, pick@rel32@hi+12
	v_writelane_b32 v11, s31, 1
	v_mov_b32_e32 v8, v1
	v_mov_b32_e32 v9, v0
	s_swappc_b64 s[30:31], s[6:7]
	v_mov_b32_e32 v10, v0
	v_add_u32_e32 v0, vcc, 1, v9
	v_mov_b32_e32 v1, v8
	s_swappc_b64 s[30:31], s[6:7]
	v_add_f32_e32 v0, v10, v0
	v_readlane_b32 s31, v11, 1
	v_readlane_b32 s30, v11, 0
	s_mov_b32 s32, s33
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v11, off, s[0:3], s33 ; 4-byte Folded Reload
	s_mov_b64 exec, s[4:5]
	s_mov_b32 s33, s8
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.size	twice, .Lfunc_end1-twice
                                        ; -- End function
	.set twice.num_vgpr, max(12, pick.num_vgpr)
	.set twice.num_agpr, max(0, pick.num_agpr)
	.set twice.numbered_sgpr, max(34, pick.numbered_sgpr)
	.set twice.num_named_barrier, max(0, pick.num_named_barrier)
	.set twice.private_seg_size, 16+max(pick.private_seg_size)
	.set twice.uses_vcc, or(1, pick.uses_vcc)
	.set twice.uses_flat_scratch, or(0, pick.uses_flat_scratch)
	.set twice.has_dyn_sized_stack, or(0, pick.has_dyn_sized_stack)
	.set twice.has_recursion, or(0, pick.has_recursion)
	.set twice.has_indirect_call, or(0, pick.has_indirect_call)
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 148
; TotalNumSgprs: 36
; NumVgprs: 12
; ScratchSize: 36
; MemoryBound: 0
	.text
	.protected	calls                   ; -- Begin function calls
	.globl	calls
	.p2align	8
	.type	calls,@function
calls:                                  ; @calls
; %bb.0:
	s_load_dword s6, s[4:5], 0x8
	s_add_u32 s0, s0, s7
	s_addc_u32 s1, s1, 0
	s_mov_b32 s32, 0
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc, s6, v0
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .LBB2_2
; %bb.1:
	s_load_dwordx2 s[4:5], s[4:5], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, twice@rel32@lo+4
	s_addc_u32 s7, s7, twice@rel32@hi+12
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s5
	v_add_u32_e32 v12, vcc, s4, v1
	v_mov_b32_e32 v1, s4
	v_addc_u32_e32 v13, vcc, 0, v2, vcc
	s_swappc_b64 s[30:31], s[6:7]
	flat_store_dword v[12:13], v0
.LBB2_2:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel calls
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 36
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
		.amdhsa_next_free_vgpr 14
		.amdhsa_next_free_sgpr 34
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
	.size	calls, .Lfunc_end2-calls
                                        ; -- End function
	.set calls.num_vgpr, max(14, twice.num_vgpr)
	.set calls.num_agpr, max(0, twice.num_agpr)
	.set calls.numbered_sgpr, max(33, twice.numbered_sgpr)
	.set calls.num_named_barrier, max(0, twice.num_named_barrier)
	.set calls.private_seg_size, 0+max(twice.private_seg_size)
	.set calls.uses_vcc, or(1, twice.uses_vcc)
	.set calls.uses_flat_scratch, or(0, twice.uses_flat_scratch)
	.set calls.has_dyn_sized_stack, or(0, twice.has_dyn_sized_stack)
	.set calls.has_recursion, or(0, twice.has_recursion)
	.set calls.has_indirect_call, or(0, twice.has_indirect_call)
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 104
; TotalNumSgprs: 36
; NumVgprs: 14
; ScratchSize: 36
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 4
; VGPRBlocks: 3
; NumSGPRsForWavesPerEU: 36
; NumVGPRsForWavesPerEU: 14
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
	.protected	__clang_ocl_kern_imp_calls ; -- Begin function __clang_ocl_kern_imp_calls
	.globl	__clang_ocl_kern_imp_calls
	.p2align	2
	.type	__clang_ocl_kern_imp_calls,@function
__clang_ocl_kern_imp_calls:             ; @__clang_ocl_kern_imp_calls
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s9, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v14, off, s[0:3], s33 ; 4-byte Folded Spill
	s_mov_b64 exec, s[4:5]
	v_mov_b32_e32 v3, v1
	v_mov_b32_e32 v1, v0
	v_and_b32_e32 v0, 0x3ff, v31
	v_writelane_b32 v14, s30, 0
	v_cmp_lt_i32_e32 vcc, v0, v2
	s_addk_i32 s32, 0x400
	v_writelane_b32 v14, s31, 1
	s_and_saveexec_b64 s[10:11], vcc
	s_cbranch_execz .LBB3_2
; %bb.1:
	v_lshlrev_b32_e32 v2, 2, v0
	v_add_u32_e32 v12, vcc, v1, v2
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, twice@rel32@lo+4
	s_addc_u32 s5, s5, twice@rel32@hi+12
	v_mov_b32_e32 v2, v3
	v_addc_u32_e32 v13, vcc, 0, v3, vcc
	s_swappc_b64 s[30:31], s[4:5]
	flat_store_dword v[12:13], v0
.LBB3_2:
	s_or_b64 exec, exec, s[10:11]
	v_readlane_b32 s31, v14, 1
	v_readlane_b32 s30, v14, 0
	s_mov_b32 s32, s33
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v14, off, s[0:3], s33 ; 4-byte Folded Reload
	s_mov_b64 exec, s[4:5]
	s_mov_b32 s33, s9
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end3:
	.size	__clang_ocl_kern_imp_calls, .Lfunc_end3-__clang_ocl_kern_imp_calls
                                        ; -- End function
	.set __clang_ocl_kern_imp_calls.num_vgpr, max(32, twice.num_vgpr)
	.set __clang_ocl_kern_imp_calls.num_agpr, max(0, twice.num_agpr)
	.set __clang_ocl_kern_imp_calls.numbered_sgpr, max(34, twice.numbered_sgpr)
	.set __clang_ocl_kern_imp_calls.num_named_barrier, max(0, twice.num_named_barrier)
	.set __clang_ocl_kern_imp_calls.private_seg_size, 16+max(twice.private_seg_size)
	.set __clang_ocl_kern_imp_calls.uses_vcc, or(1, twice.uses_vcc)
	.set __clang_ocl_kern_imp_calls.uses_flat_scratch, or(0, twice.uses_flat_scratch)
	.set __clang_ocl_kern_imp_calls.has_dyn_sized_stack, or(0, twice.has_dyn_sized_stack)
	.set __clang_ocl_kern_imp_calls.has_recursion, or(0, twice.has_recursion)
	.set __clang_ocl_kern_imp_calls.has_indirect_call, or(0, twice.has_indirect_call)
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 176
; TotalNumSgprs: 36
; NumVgprs: 32
; ScratchSize: 52
; MemoryBound: 0
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 32
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 34
	.set amdgpu.max_num_named_barrier, 0
	.section	.AMDGPU.csdata,"",@progbits
	.hidden	table                           ; @table
	.type	table,@object
	.section	.rodata,"a",@progbits
	.globl	table
	.p2align	2, 0x0
table:
	.long	0x3f000000                      ; float 0.5
	.long	0x3fc00000                      ; float 1.5
	.long	0x40200000                      ; float 2.5
	.long	0x40600000                      ; float 3.5
	.long	0x40900000                      ; float 4.5
	.long	0x40b00000                      ; float 5.5
	.long	0x40d00000                      ; float 6.5
	.long	0x40f00000                      ; float 7.5
	.size	table, 32

	.hidden	shared_counter                  ; @shared_counter
	.type	shared_counter,@object
	.data
	.globl	shared_counter
	.p2align	2, 0x0
shared_counter:
	.long	3                               ; 0x3
	.size	shared_counter, 4

	.ident	"Debian clang version 22.1.8 (1~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .type_name:      'float*'
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
    .name:           calls
    .private_segment_fixed_size: 36
    .sgpr_count:     36
    .sgpr_spill_count: 0
    .symbol:         calls.kd
    .uses_dynamic_stack: false
    .vgpr_count:     14
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
