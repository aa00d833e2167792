// correct: the same descriptor with data format 4 is a buffer: out[i] = 9. The first descriptor has word 3 = 0x20000
	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.text
	.p2align 8
	.globl nullfmt
	.type nullfmt,@function
nullfmt:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	v_lshlrev_b32 v1, 2, v0
	v_mov_b32 v3, 9
	s_waitcnt lgkmcnt(0)
	s_mov_b32 s8, s4
	s_and_b32 s9, s5, 0xffff
	s_movk_i32 s10, 0x100
	s_mov_b32 s11, 0x20000
	s_nop 4
	buffer_store_dword v3, v1, s[8:11], 0 offen
	s_waitcnt vmcnt(0)
	buffer_load_dword v2, v1, s[8:11], 0 offen
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32 v5, s5
	v_add_u32 v4, vcc, s4, v1
	v_addc_u32 v5, vcc, 0, v5, vcc
	flat_store_dword v[4:5], v2
	s_endpgm
	.rodata
	.p2align 6
	.amdhsa_kernel nullfmt
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 16
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: nullfmt
    .symbol: nullfmt.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 18
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - { .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global, .name: out }
...
	.end_amdgpu_metadata
