// expected: an error: lgkmcnt(3) behind ds_read and two flat loads waits for none of the three, so that v3 has not arrived
	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.text
	.globl k
	.p2align 8
	.type k,@function
k:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_mov_b32 m0, -1
	v_lshlrev_b32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v5, s5
	v_add_u32 v4, vcc, s4, v1
	v_addc_u32 v5, vcc, 0, v5, vcc
	ds_read_b32 v3, v1
	flat_load_dword v6, v[4:5]
	flat_load_dword v7, v[4:5]
	s_waitcnt vmcnt(1) lgkmcnt(3)
	v_add_f32 v3, v3, v6
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_f32 v3, v3, v7
	flat_store_dword v[4:5], v3
	s_endpgm
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 16
	.end_amdhsa_kernel
