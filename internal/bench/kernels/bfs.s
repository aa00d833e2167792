	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	bfs
	.globl	bfs
	.p2align	8
	.type	bfs,@function
bfs:
	v_lshlrev_b32_e32 v7, 2, v0
	s_and_b32 s2, s6, 0x3ff
	s_mov_b64 s[0:1], 0
	s_movk_i32 s3, 0x2ff
	v_mov_b32_e32 v1, v7
	v_mov_b32_e32 v2, v0
	s_mov_b32 m0, -1
.LBB0_1:
	v_cmp_ne_u32_e32 vcc, s2, v2
	v_cndmask_b32_e64 v3, 0, -1, vcc
	ds_write_b32 v1, v3
	v_add_u32_e32 v3, vcc, 0x100, v2
	v_add_u32_e32 v1, vcc, 0x400, v1
	v_cmp_lt_u32_e32 vcc, s3, v2
	s_or_b64 s[0:1], vcc, s[0:1]
	v_mov_b32_e32 v2, v3
	s_andn2_b64 exec, exec, s[0:1]
	s_cbranch_execnz .LBB0_1
	s_or_b64 exec, exec, s[0:1]
	s_load_dwordx4 s[8:11], s[4:5], 0x0
	s_load_dwordx2 s[2:3], s[4:5], 0x10
	s_mov_b32 s18, 0
	v_cmp_eq_u32_e64 s[0:1], 0, v0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v8, 1
	s_movk_i32 s7, 0x2ff
	s_branch .LBB0_4
.LBB0_3:
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v1, v2 offset:4096
	s_mov_b32 s18, s19
	s_waitcnt lgkmcnt(0)
	v_cmp_ne_u32_e32 vcc, 0, v1
	s_cbranch_vccz .LBB0_14
.LBB0_4:
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[0:1]
	ds_write_b32 v2, v2 offset:4096
	s_or_b64 exec, exec, s[4:5]
	s_add_i32 s19, s18, 1
	s_mov_b64 s[4:5], 0
	v_mov_b32_e32 v1, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_branch .LBB0_8
.LBB0_7:
	s_or_b64 exec, exec, s[12:13]
	v_add_u32_e32 v3, vcc, 0x100, v1
	v_cmp_lt_u32_e32 vcc, s7, v1
	s_or_b64 s[4:5], vcc, s[4:5]
	v_mov_b32_e32 v1, v3
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB0_3
.LBB0_8:
	v_lshlrev_b32_e32 v3, 2, v1
	ds_read_b32 v3, v3
	s_waitcnt lgkmcnt(0)
	v_cmp_eq_u32_e32 vcc, s18, v3
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB0_7
	v_lshlrev_b64 v[3:4], 2, v[1:2]
	v_mov_b32_e32 v5, s9
	v_add_u32_e32 v3, vcc, s8, v3
	v_addc_u32_e32 v4, vcc, v5, v4, vcc
	flat_load_dwordx2 v[3:4], v[3:4]
	s_waitcnt vmcnt(0)
	v_cmp_lt_u32_e32 vcc, v3, v4
	s_and_b64 exec, exec, vcc
	s_cbranch_execz .LBB0_7
	v_mov_b32_e32 v5, v3
	v_mov_b32_e32 v6, v2
	v_lshlrev_b64 v[5:6], 2, v[5:6]
	v_mov_b32_e32 v9, s11
	v_add_u32_e32 v5, vcc, s10, v5
	v_addc_u32_e32 v6, vcc, v9, v6, vcc
	s_mov_b64 s[14:15], 0
	s_branch .LBB0_12
.LBB0_11:
	s_or_b64 exec, exec, s[16:17]
	v_add_u32_e32 v3, vcc, 1, v3
	v_cmp_ge_u32_e32 vcc, v3, v4
	s_or_b64 s[14:15], vcc, s[14:15]
	v_add_u32_e32 v5, vcc, 4, v5
	v_addc_u32_e32 v6, vcc, 0, v6, vcc
	s_andn2_b64 exec, exec, s[14:15]
	s_cbranch_execz .LBB0_7
.LBB0_12:
	flat_load_dword v9, v[5:6]
	s_waitcnt vmcnt(0)
	v_lshlrev_b32_e32 v9, 2, v9
	ds_read_b32 v10, v9
	s_waitcnt lgkmcnt(0)
	v_cmp_eq_u32_e32 vcc, -1, v10
	s_and_saveexec_b64 s[16:17], vcc
	s_cbranch_execz .LBB0_11
	v_mov_b32_e32 v10, s19
	ds_write_b32 v9, v10
	ds_write_b32 v2, v8 offset:4096
	s_branch .LBB0_11
.LBB0_14:
	s_lshl_b32 s0, s6, 10
	v_or_b32_e32 v2, 0xffffff00, v0
	v_or_b32_e32 v0, s0, v0
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_mov_b32_e32 v3, s3
	v_add_u32_e32 v0, vcc, s2, v0
	v_addc_u32_e32 v1, vcc, v3, v1, vcc
	s_mov_b64 s[0:1], 0
	s_movk_i32 s2, 0x2ff
.LBB0_15:
	ds_read_b32 v3, v7
	v_add_u32_e32 v2, vcc, 0x100, v2
	v_add_u32_e32 v7, vcc, 0x400, v7
	v_cmp_lt_u32_e32 vcc, s2, v2
	s_or_b64 s[0:1], vcc, s[0:1]
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[0:1], v3
	v_add_u32_e32 v0, vcc, 0x400, v0
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	s_andn2_b64 exec, exec, s[0:1]
	s_cbranch_execnz .LBB0_15
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel bfs
		.amdhsa_group_segment_fixed_size 4100
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
		.amdhsa_next_free_vgpr 11
		.amdhsa_next_free_sgpr 20
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
	.size	bfs, .Lfunc_end0-bfs

	.set bfs.num_vgpr, 11
	.set bfs.num_agpr, 0
	.set bfs.numbered_sgpr, 20
	.set bfs.num_named_barrier, 0
	.set bfs.private_seg_size, 0
	.set bfs.uses_vcc, 1
	.set bfs.uses_flat_scratch, 0
	.set bfs.has_dyn_sized_stack, 0
	.set bfs.has_recursion, 0
	.set bfs.has_indirect_call, 0
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
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 4100
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 256
    .name:           bfs
    .private_segment_fixed_size: 0
    .sgpr_count:     22
    .sgpr_spill_count: 0
    .symbol:         bfs.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     11
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
