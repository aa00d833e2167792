	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	f64
	.globl	f64
	.p2align	8
	.type	f64,@function
f64:
	s_lshl_b32 s0, s6, 8
	v_or_b32_e32 v0, s0, v0
	v_and_b32_e32 v1, 0xfff, v0
	v_cvt_f64_u32_e32 v[1:2], v1
	s_load_dword s30, s[4:5], 0x8
	v_ldexp_f64 v[2:3], v[1:2], -12
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s30, 0
	s_cbranch_scc1 .LBB0_3
	s_mov_b32 s0, 0
	v_mov_b32_e32 v4, 0
	s_mov_b32 s2, 0
	s_mov_b32 s6, 0
	s_mov_b32 s8, 0
	s_mov_b32 s10, 0
	s_mov_b32 s12, 0
	s_mov_b32 s14, 0
	s_mov_b32 s16, 0
	s_mov_b32 s18, 0
	s_mov_b32 s20, 0
	s_mov_b32 s22, 0
	s_mov_b32 s24, 0
	s_mov_b32 s26, 0
	s_mov_b32 s28, 0
	s_mov_b32 s1, 0x3ef00000
	v_mov_b32_e32 v5, 0.5
	s_mov_b32 s3, 0x3f100000
	s_mov_b32 s7, 0x3f200000
	s_mov_b32 s9, 0x3f300000
	s_mov_b32 s11, 0x3f400000
	s_mov_b32 s13, 0x3f500000
	s_mov_b32 s15, 0x3f600000
	s_mov_b32 s17, 0x3f700000
	s_mov_b32 s19, 1.0
	s_mov_b32 s21, 0x3f900000
	s_mov_b32 s23, 0x3fa00000
	s_mov_b32 s25, 0x3fb00000
	s_mov_b32 s27, 0x3fc00000
	s_mov_b32 s29, 0x3fd00000
.LBB0_2:
	v_fma_f64 v[6:7], v[2:3], s[0:1], v[4:5]
	s_add_i32 s30, s30, -1
	s_cmp_lg_u32 s30, 0
	v_fma_f64 v[6:7], v[6:7], v[2:3], s[2:3]
	v_fma_f64 v[6:7], v[6:7], v[2:3], s[6:7]
	v_fma_f64 v[6:7], v[6:7], v[2:3], s[8:9]
	v_fma_f64 v[6:7], v[6:7], v[2:3], s[10:11]
	v_fma_f64 v[6:7], v[6:7], v[2:3], s[12:13]
	v_fma_f64 v[6:7], v[6:7], v[2:3], s[14:15]
	v_fma_f64 v[6:7], v[6:7], v[2:3], s[16:17]
	v_fma_f64 v[6:7], v[6:7], v[2:3], s[18:19]
	v_fma_f64 v[6:7], v[6:7], v[2:3], s[20:21]
	v_fma_f64 v[6:7], v[6:7], v[2:3], s[22:23]
	v_fma_f64 v[6:7], v[6:7], v[2:3], s[24:25]
	v_fma_f64 v[6:7], v[6:7], v[2:3], s[26:27]
	v_fma_f64 v[6:7], v[6:7], v[2:3], s[28:29]
	v_fma_f64 v[6:7], v[6:7], v[2:3], 0.5
	v_fma_f64 v[6:7], v[6:7], v[2:3], 1.0
	v_add_f64 v[1:2], v[2:3], s[24:25]
	v_cmp_lt_f64_e32 vcc, v[6:7], v[1:2]
	v_cndmask_b32_e32 v2, v2, v7, vcc
	v_cndmask_b32_e32 v1, v1, v6, vcc
	v_cvt_i32_f64_e32 v3, v[1:2]
	v_cvt_f64_i32_e32 v[6:7], v3
	v_add_f64 v[2:3], v[1:2], -v[6:7]
	s_cbranch_scc1 .LBB0_2
.LBB0_3:
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 3, v[0:1]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v4, s1
	v_add_u32_e32 v0, vcc, s0, v0
	v_addc_u32_e32 v1, vcc, v4, v1, vcc
	flat_store_dwordx2 v[0:1], v[2:3]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel f64
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
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 31
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
	.size	f64, .Lfunc_end0-f64

	.set f64.num_vgpr, 8
	.set f64.num_agpr, 0
	.set f64.numbered_sgpr, 31
	.set f64.num_named_barrier, 0
	.set f64.private_seg_size, 0
	.set f64.uses_vcc, 1
	.set f64.uses_flat_scratch, 0
	.set f64.has_dyn_sized_stack, 0
	.set f64.has_recursion, 0
	.set f64.has_indirect_call, 0
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
    .name:           f64
    .private_segment_fixed_size: 0
    .sgpr_count:     33
    .sgpr_spill_count: 0
    .symbol:         f64.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     8
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
