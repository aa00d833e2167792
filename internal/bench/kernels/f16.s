	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	f16
	.globl	f16
	.p2align	8
	.type	f16,@function
f16:
	s_lshl_b32 s0, s6, 8
	v_or_b32_e32 v1, s0, v0
	v_and_b32_e32 v2, 0x1ff, v1
	v_cvt_f32_u32_e32 v2, v2
	v_cvt_f32_ubyte0_e32 v0, v0
	s_load_dword s0, s[4:5], 0x8
	v_cvt_f16_f32_e32 v0, v0
	v_cvt_f16_f32_e32 v2, v2
	v_mov_b32_e32 v3, 0x1800
	v_mul_f16_sdwa v0, v0, v3 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
	v_mul_f16_e32 v2, 0x1400, v2
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s0, 0
	v_or_b32_e32 v0, v2, v0
	s_cbranch_scc1 .LBB0_3
	v_lshrrev_b32_e32 v2, 16, v0
	s_movk_i32 s1, 0x3400
	v_mov_b32_e32 v3, v0
	v_mov_b32_e32 v5, 0x3000
.LBB0_2:
	v_mul_f16_e32 v4, 0x3000, v3
	v_mul_f16_sdwa v3, v3, v5 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	v_fma_f16 v3, v3, v2, s1
	v_fma_f16 v4, v4, v0, s1
	v_fma_f16 v3, v3, v2, s1
	v_fma_f16 v4, v4, v0, s1
	v_fma_f16 v3, v3, v2, s1
	v_fma_f16 v4, v4, v0, s1
	v_fma_f16 v3, v3, v2, s1
	v_fma_f16 v4, v4, v0, s1
	v_fma_f16 v3, v3, v2, s1
	v_fma_f16 v4, v4, v0, s1
	v_fma_f16 v3, v3, v2, s1
	v_fma_f16 v4, v4, v0, s1
	v_fma_f16 v3, v3, v2, s1
	v_fma_f16 v4, v4, v0, s1
	v_fma_f16 v3, v3, v2, s1
	v_fma_f16 v4, v4, v0, s1
	v_add_f16_sdwa v3, v2, v3 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
	v_add_f16_e32 v4, v0, v4
	s_add_i32 s0, s0, -1
	s_cmp_eq_u32 s0, 0
	v_or_b32_e32 v3, v4, v3
	s_cbranch_scc0 .LBB0_2
	s_branch .LBB0_4
.LBB0_3:
	v_mov_b32_e32 v3, v0
.LBB0_4:
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	v_mov_b32_e32 v2, 0
	v_lshlrev_b64 v[0:1], 2, v[1:2]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s1
	v_add_u32_e32 v0, vcc, s0, v0
	v_addc_u32_e32 v1, vcc, v2, v1, vcc
	flat_store_dword v[0:1], v3
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel f16
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
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
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 6
		.amdhsa_next_free_sgpr 7
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
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
	.size	f16, .Lfunc_end0-f16

	.set f16.num_vgpr, 6
	.set f16.num_agpr, 0
	.set f16.numbered_sgpr, 7
	.set f16.num_named_barrier, 0
	.set f16.private_seg_size, 0
	.set f16.uses_vcc, 1
	.set f16.uses_flat_scratch, 0
	.set f16.has_dyn_sized_stack, 0
	.set f16.has_recursion, 0
	.set f16.has_indirect_call, 0
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
	.text
	.type	__hip_cuid_,@object
	.section	.bss,"aw",@nobits
	.globl	__hip_cuid_
__hip_cuid_:
	.byte	0
	.size	__hip_cuid_, 1

	.ident	"Debian clang version 22.1.8 (1~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym __hip_cuid_
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 12
    .max_flat_workgroup_size: 256
    .name:           f16
    .private_segment_fixed_size: 0
    .sgpr_count:     9
    .sgpr_spill_count: 0
    .symbol:         f16.kd
    .uniform_work_group_size: 1
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
