	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	mandelbrot
	.globl	mandelbrot
	.p2align	8
	.type	mandelbrot,@function
mandelbrot:
	s_lshl_b32 s2, s6, 8
	v_or_b32_e32 v0, s2, v0
	v_and_b32_e32 v1, 0x3ff, v0
	s_load_dwordx2 s[0:1], s[4:5], 0x8
	v_cvt_f32_u32_e32 v1, v1
	s_bfe_u32 s3, s6, 0x160002
	v_cvt_f32_u32_e32 v2, s3
	s_mov_b32 s2, 0x3b400000
	v_mov_b32_e32 v3, 0xc00ccccd
	v_fma_f32 v1, v1, s2, v3
	v_mov_b32_e32 v3, 0xbfc00000
	s_waitcnt lgkmcnt(0)
	v_fma_f32 v2, v2, s1, v3
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v3, 0
	s_mov_b64 s[2:3], 0
	s_mov_b32 s1, 0
	v_mov_b32_e32 v5, 0
	s_branch .LBB0_2
.LBB0_1:
	s_or_b64 exec, exec, s[6:7]
	v_mul_f32_e32 v6, v5, v5
	v_mul_f32_e32 v7, v4, v4
	s_add_i32 s1, s1, 1
	v_add_f32_e32 v8, v7, v6
	s_cmp_ge_u32 s1, s0
	v_cmp_ngt_f32_e32 vcc, 4.0, v8
	s_cselect_b64 s[6:7], -1, 0
	s_or_b64 s[6:7], vcc, s[6:7]
	v_mul_f32_e32 v4, v4, v5
	v_sub_f32_e32 v5, v6, v7
	s_and_b64 s[6:7], exec, s[6:7]
	v_fma_f32 v4, v4, 2.0, v2
	v_add_f32_e32 v5, v1, v5
	s_or_b64 s[2:3], s[6:7], s[2:3]
	v_mov_b32_e32 v6, s1
	s_andn2_b64 exec, exec, s[2:3]
	s_cbranch_execz .LBB0_4
.LBB0_2:
	v_cmp_gt_f32_e32 vcc, 0, v4
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .LBB0_1
	v_mul_lo_u32 v3, v3, 3
	v_add_u32_e32 v3, vcc, 1, v3
	v_xor_b32_e32 v3, s1, v3
	;;#ASMSTART
	;;#ASMEND
	s_branch .LBB0_1
.LBB0_4:
	s_or_b64 exec, exec, s[2:3]
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_xor_b32_e32 v2, v3, v6
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v3, s1
	v_add_u32_e32 v0, vcc, s0, v0
	v_addc_u32_e32 v1, vcc, v3, v1, vcc
	flat_store_dword v[0:1], v2
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel mandelbrot
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
		.amdhsa_next_free_sgpr 8
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
	.size	mandelbrot, .Lfunc_end0-mandelbrot

	.set mandelbrot.num_vgpr, 9
	.set mandelbrot.num_agpr, 0
	.set mandelbrot.numbered_sgpr, 8
	.set mandelbrot.num_named_barrier, 0
	.set mandelbrot.private_seg_size, 0
	.set mandelbrot.uses_vcc, 1
	.set mandelbrot.uses_flat_scratch, 0
	.set mandelbrot.has_dyn_sized_stack, 0
	.set mandelbrot.has_recursion, 0
	.set mandelbrot.has_indirect_call, 0
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
      - .offset:         12
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 256
    .name:           mandelbrot
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         mandelbrot.kd
    .uniform_work_group_size: 1
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
