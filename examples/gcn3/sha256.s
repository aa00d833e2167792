	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	sha256                  ; -- Begin function sha256
	.globl	sha256
	.p2align	8
	.type	sha256,@function
sha256:                                 ; @sha256
; %bb.0:
	s_load_dword s0, s[4:5], 0x24
	s_load_dword s1, s[4:5], 0x10
	s_waitcnt lgkmcnt(0)
	s_and_b32 s0, s0, 0xffff
	s_mul_i32 s6, s6, s0
	v_add_u32_e32 v2, vcc, s6, v0
	v_cmp_gt_u32_e32 vcc, s1, v2
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_2
; %bb.1:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	v_lshlrev_b32_e32 v0, 4, v2
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[3:4], 2, v[0:1]
	s_mov_b32 s4, 0x67381d5d
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v0, s1
	v_add_u32_e32 v11, vcc, s0, v3
	v_addc_u32_e32 v12, vcc, v0, v4, vcc
	v_add_u32_e32 v7, vcc, 16, v11
	v_addc_u32_e32 v8, vcc, 0, v12, vcc
	v_add_u32_e32 v13, vcc, 32, v11
	v_addc_u32_e32 v14, vcc, 0, v12, vcc
	flat_load_dwordx4 v[3:6], v[11:12]
	flat_load_dwordx4 v[7:10], v[7:8]
	v_add_u32_e32 v11, vcc, 48, v11
	flat_load_dwordx4 v[18:21], v[13:14]
	v_addc_u32_e32 v12, vcc, 0, v12, vcc
	flat_load_dwordx4 v[22:25], v[11:12]
	s_mov_b32 s0, 0x10203
	s_mov_b32 s1, 0x98c7e2a2
	s_mov_b32 s5, 0xfc08884d
	s_mov_b32 s6, 0xcd2a11ae
	s_mov_b32 s7, 0xb2d5ee51
	s_mov_b32 s8, 0xbabcc441
	s_waitcnt vmcnt(3)
	v_perm_b32 v13, 0, v3, s0
	s_waitcnt vmcnt(2)
	v_perm_b32 v11, 0, v9, s0
	v_perm_b32 v15, 0, v5, s0
	v_perm_b32 v16, 0, v6, s0
	s_waitcnt vmcnt(1)
	v_perm_b32 v9, 0, v18, s0
	v_add_u32_e32 v18, vcc, s1, v13
	v_perm_b32 v12, 0, v8, s0
	v_perm_b32 v8, 0, v19, s0
	v_perm_b32 v6, 0, v21, s0
	s_waitcnt vmcnt(0)
	v_perm_b32 v5, 0, v22, s0
	v_sub_u32_e32 v19, vcc, s4, v13
	v_alignbit_b32 v21, v18, v18, 6
	v_alignbit_b32 v22, v18, v18, 11
	v_perm_b32 v14, 0, v4, s0
	v_perm_b32 v17, 0, v7, s0
	v_perm_b32 v7, 0, v20, s0
	v_perm_b32 v4, 0, v23, s0
	v_add_u32_e32 v20, vcc, s5, v13
	v_and_b32_e32 v19, 0x9b05688c, v19
	v_and_b32_e32 v23, 0x510e527f, v18
	v_alignbit_b32 v26, v18, v18, 25
	v_xor_b32_e32 v21, v21, v22
	v_perm_b32 v3, 0, v24, s0
	v_perm_b32 v0, 0, v25, s0
	v_alignbit_b32 v24, v20, v20, 2
	v_alignbit_b32 v25, v20, v20, 13
	v_or_b32_e32 v19, v19, v23
	v_xor_b32_e32 v21, v21, v26
	v_alignbit_b32 v22, v20, v20, 22
	v_xor_b32_e32 v24, v24, v25
	v_add_u32_e32 v19, vcc, v21, v19
	v_and_b32_e32 v23, 0xd16e48e2, v20
	v_xor_b32_e32 v22, v24, v22
	v_add_u32_e32 v19, vcc, v19, v14
	v_add_u32_e32 v21, vcc, v22, v23
	v_add_u32_e32 v22, vcc, s6, v19
	v_add_u32_e32 v21, vcc, v19, v21
	v_sub_u32_e32 v19, vcc, s7, v19
	v_alignbit_b32 v23, v22, v22, 6
	v_alignbit_b32 v24, v22, v22, 11
	v_and_b32_e32 v19, 0x510e527f, v19
	v_and_b32_e32 v26, v18, v22
	v_xor_b32_e32 v23, v23, v24
	v_alignbit_b32 v24, v22, v22, 25
	v_add_u32_e32 v21, vcc, s8, v21
	v_or_b32_e32 v19, v19, v26
	v_alignbit_b32 v26, v21, v21, 2
	v_xor_b32_e32 v23, v23, v24
	v_alignbit_b32 v24, v21, v21, 13
	v_xor_b32_e32 v25, 0x6a09e667, v20
	v_xor_b32_e32 v24, v26, v24
	v_alignbit_b32 v26, v21, v21, 22
	v_and_b32_e32 v25, v21, v25
	v_add_u32_e32 v19, vcc, v23, v19
	v_xor_b32_e32 v23, v24, v26
	v_and_b32_e32 v24, 0x6a09e667, v20
	v_perm_b32 v10, 0, v10, s0
	v_xor_b32_e32 v24, v25, v24
	v_add_u32_e32 v19, vcc, v19, v15
	s_mov_b32 s0, 0xc2e12e0
	v_add_u32_e32 v23, vcc, v23, v24
	v_add_u32_e32 v24, vcc, s0, v19
	v_alignbit_b32 v25, v24, v24, 6
	v_alignbit_b32 v26, v24, v24, 11
	s_mov_b32 s0, 0xf3d1ed1f
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v24, v24, 25
	v_add_u32_e32 v23, vcc, v19, v23
	v_sub_u32_e32 v19, vcc, s0, v19
	v_xor_b32_e32 v25, v25, v26
	v_and_b32_e32 v19, v18, v19
	v_and_b32_e32 v26, v22, v24
	s_mov_b32 s0, 0x50c6645b
	v_or_b32_e32 v19, v19, v26
	v_add_u32_e32 v23, vcc, s0, v23
	v_add_u32_e32 v19, vcc, v25, v19
	v_alignbit_b32 v25, v23, v23, 2
	v_alignbit_b32 v26, v23, v23, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v23, v23, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v20, v21
	v_and_b32_e32 v26, v23, v26
	v_and_b32_e32 v27, v20, v21
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v19, vcc, v19, v16
	s_mov_b32 s0, 0xa4ce148b
	v_add_u32_e32 v25, vcc, v25, v26
	v_add_u32_e32 v26, vcc, s0, v19
	v_alignbit_b32 v27, v26, v26, 6
	v_alignbit_b32 v28, v26, v26, 11
	v_xor_b32_e32 v27, v27, v28
	v_alignbit_b32 v28, v26, v26, 25
	s_mov_b32 s0, 0x5b31eb74
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v25, vcc, v19, v25
	v_sub_u32_e32 v19, vcc, s0, v19
	v_add_u32_e32 v18, vcc, v18, v27
	v_and_b32_e32 v19, v22, v19
	v_and_b32_e32 v27, v24, v26
	v_or_b32_e32 v19, v19, v27
	s_mov_b32 s0, 0x3ac42e24
	v_add_u32_e32 v18, vcc, v18, v19
	v_add_u32_e32 v19, vcc, s0, v25
	v_alignbit_b32 v25, v19, v19, 2
	v_alignbit_b32 v27, v19, v19, 13
	v_xor_b32_e32 v25, v25, v27
	v_alignbit_b32 v27, v19, v19, 22
	v_xor_b32_e32 v25, v25, v27
	v_xor_b32_e32 v27, v21, v23
	v_and_b32_e32 v27, v19, v27
	v_and_b32_e32 v28, v21, v23
	v_add_u32_e32 v18, vcc, v18, v17
	s_mov_b32 s0, 0x3956c25b
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v18, vcc, s0, v18
	v_add_u32_e32 v25, vcc, v25, v27
	v_add_u32_e32 v20, vcc, v18, v20
	v_add_u32_e32 v18, vcc, v25, v18
	v_alignbit_b32 v25, v20, v20, 6
	v_alignbit_b32 v27, v20, v20, 11
	v_xor_b32_e32 v25, v25, v27
	v_alignbit_b32 v27, v20, v20, 25
	v_xor_b32_e32 v25, v25, v27
	v_add_u32_e32 v22, vcc, v22, v25
	v_bfi_b32 v25, v20, v26, v24
	v_add_u32_e32 v22, vcc, v22, v25
	v_alignbit_b32 v25, v18, v18, 2
	v_alignbit_b32 v27, v18, v18, 13
	v_xor_b32_e32 v25, v25, v27
	v_alignbit_b32 v27, v18, v18, 22
	v_xor_b32_e32 v25, v25, v27
	v_xor_b32_e32 v27, v23, v19
	v_and_b32_e32 v27, v18, v27
	v_and_b32_e32 v28, v23, v19
	v_add_u32_e32 v22, vcc, v22, v12
	s_mov_b32 s0, 0x59f111f1
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v22, vcc, s0, v22
	v_add_u32_e32 v25, vcc, v25, v27
	v_add_u32_e32 v21, vcc, v22, v21
	v_add_u32_e32 v22, vcc, v25, v22
	v_alignbit_b32 v25, v21, v21, 6
	v_alignbit_b32 v27, v21, v21, 11
	v_xor_b32_e32 v25, v25, v27
	v_alignbit_b32 v27, v21, v21, 25
	v_xor_b32_e32 v25, v25, v27
	v_add_u32_e32 v24, vcc, v24, v25
	v_bfi_b32 v25, v21, v20, v26
	v_add_u32_e32 v24, vcc, v24, v25
	v_alignbit_b32 v25, v22, v22, 2
	v_alignbit_b32 v27, v22, v22, 13
	v_xor_b32_e32 v25, v25, v27
	v_alignbit_b32 v27, v22, v22, 22
	v_xor_b32_e32 v25, v25, v27
	v_xor_b32_e32 v27, v19, v18
	v_and_b32_e32 v27, v22, v27
	v_and_b32_e32 v28, v19, v18
	v_add_u32_e32 v24, vcc, v24, v11
	s_mov_b32 s0, 0x923f82a4
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v24, vcc, s0, v24
	v_add_u32_e32 v25, vcc, v25, v27
	v_add_u32_e32 v23, vcc, v24, v23
	v_add_u32_e32 v24, vcc, v25, v24
	v_alignbit_b32 v25, v23, v23, 6
	v_alignbit_b32 v27, v23, v23, 11
	v_xor_b32_e32 v25, v25, v27
	v_alignbit_b32 v27, v23, v23, 25
	v_xor_b32_e32 v25, v25, v27
	v_add_u32_e32 v25, vcc, v26, v25
	v_bfi_b32 v26, v23, v21, v20
	v_add_u32_e32 v25, vcc, v25, v26
	v_alignbit_b32 v26, v24, v24, 2
	v_alignbit_b32 v27, v24, v24, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v24, v24, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v18, v22
	v_and_b32_e32 v27, v24, v27
	v_and_b32_e32 v28, v18, v22
	v_add_u32_e32 v25, vcc, v25, v10
	s_mov_b32 s0, 0xab1c5ed5
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v25, vcc, s0, v25
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v19, vcc, v25, v19
	v_add_u32_e32 v25, vcc, v26, v25
	v_alignbit_b32 v26, v19, v19, 6
	v_alignbit_b32 v27, v19, v19, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v19, v19, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v20, vcc, v20, v26
	v_bfi_b32 v26, v19, v23, v21
	v_add_u32_e32 v20, vcc, v20, v26
	v_alignbit_b32 v26, v25, v25, 2
	v_alignbit_b32 v27, v25, v25, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v25, v25, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v22, v24
	v_and_b32_e32 v27, v25, v27
	v_and_b32_e32 v28, v22, v24
	v_add_u32_e32 v20, vcc, v20, v9
	s_mov_b32 s0, 0xd807aa98
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v20, vcc, s0, v20
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v18, vcc, v20, v18
	v_add_u32_e32 v20, vcc, v26, v20
	v_alignbit_b32 v26, v18, v18, 6
	v_alignbit_b32 v27, v18, v18, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v18, v18, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v21, vcc, v21, v26
	v_bfi_b32 v26, v18, v19, v23
	v_add_u32_e32 v21, vcc, v21, v26
	v_alignbit_b32 v26, v20, v20, 2
	v_alignbit_b32 v27, v20, v20, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v20, v20, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v24, v25
	v_and_b32_e32 v27, v20, v27
	v_and_b32_e32 v28, v24, v25
	v_add_u32_e32 v21, vcc, v21, v8
	s_mov_b32 s0, 0x12835b01
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v21, vcc, s0, v21
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v22, vcc, v21, v22
	v_add_u32_e32 v21, vcc, v26, v21
	v_alignbit_b32 v26, v22, v22, 6
	v_alignbit_b32 v27, v22, v22, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v22, v22, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v23, vcc, v23, v26
	v_bfi_b32 v26, v22, v18, v19
	v_add_u32_e32 v23, vcc, v23, v26
	v_alignbit_b32 v26, v21, v21, 2
	v_alignbit_b32 v27, v21, v21, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v21, v21, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v25, v20
	v_and_b32_e32 v27, v21, v27
	v_and_b32_e32 v28, v25, v20
	v_add_u32_e32 v23, vcc, v23, v7
	s_mov_b32 s0, 0x243185be
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v23, vcc, s0, v23
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v24, vcc, v23, v24
	v_add_u32_e32 v23, vcc, v26, v23
	v_alignbit_b32 v26, v24, v24, 6
	v_alignbit_b32 v27, v24, v24, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v24, v24, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v19, vcc, v19, v26
	v_bfi_b32 v26, v24, v22, v18
	v_add_u32_e32 v19, vcc, v19, v26
	v_alignbit_b32 v26, v23, v23, 2
	v_alignbit_b32 v27, v23, v23, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v23, v23, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v20, v21
	v_and_b32_e32 v27, v23, v27
	v_and_b32_e32 v28, v20, v21
	v_add_u32_e32 v19, vcc, v19, v6
	s_mov_b32 s0, 0x550c7dc3
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v19, vcc, s0, v19
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v25, vcc, v19, v25
	v_add_u32_e32 v19, vcc, v26, v19
	v_alignbit_b32 v26, v25, v25, 6
	v_alignbit_b32 v27, v25, v25, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v25, v25, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v18, vcc, v18, v26
	v_bfi_b32 v26, v25, v24, v22
	v_add_u32_e32 v18, vcc, v18, v26
	v_alignbit_b32 v26, v19, v19, 2
	v_alignbit_b32 v27, v19, v19, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v19, v19, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v21, v23
	v_and_b32_e32 v27, v19, v27
	v_and_b32_e32 v28, v21, v23
	v_add_u32_e32 v18, vcc, v18, v5
	s_mov_b32 s0, 0x72be5d74
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v18, vcc, s0, v18
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v20, vcc, v18, v20
	v_add_u32_e32 v18, vcc, v26, v18
	v_alignbit_b32 v26, v20, v20, 6
	v_alignbit_b32 v27, v20, v20, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v20, v20, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v22, vcc, v22, v26
	v_bfi_b32 v26, v20, v25, v24
	v_add_u32_e32 v22, vcc, v22, v26
	v_alignbit_b32 v26, v18, v18, 2
	v_alignbit_b32 v27, v18, v18, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v18, v18, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v23, v19
	v_and_b32_e32 v27, v18, v27
	v_and_b32_e32 v28, v23, v19
	v_add_u32_e32 v22, vcc, v22, v4
	s_mov_b32 s0, 0x80deb1fe
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v22, vcc, s0, v22
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v21, vcc, v22, v21
	v_add_u32_e32 v22, vcc, v26, v22
	v_alignbit_b32 v26, v21, v21, 6
	v_alignbit_b32 v27, v21, v21, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v21, v21, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v24, vcc, v24, v26
	v_bfi_b32 v26, v21, v20, v25
	v_add_u32_e32 v24, vcc, v24, v26
	v_alignbit_b32 v26, v22, v22, 2
	v_alignbit_b32 v27, v22, v22, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v22, v22, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v19, v18
	v_and_b32_e32 v27, v22, v27
	v_and_b32_e32 v28, v19, v18
	v_add_u32_e32 v24, vcc, v24, v3
	s_mov_b32 s0, 0x9bdc06a7
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v24, vcc, s0, v24
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v23, vcc, v24, v23
	v_add_u32_e32 v24, vcc, v26, v24
	v_alignbit_b32 v26, v23, v23, 6
	v_alignbit_b32 v27, v23, v23, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v23, v23, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v25, vcc, v25, v26
	v_bfi_b32 v26, v23, v21, v20
	v_add_u32_e32 v25, vcc, v25, v26
	v_alignbit_b32 v26, v24, v24, 2
	v_alignbit_b32 v27, v24, v24, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v24, v24, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v18, v22
	v_and_b32_e32 v27, v24, v27
	v_and_b32_e32 v28, v18, v22
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v25, vcc, v25, v0
	s_mov_b32 s0, 0xc19bf174
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v25, vcc, s0, v25
	v_add_u32_e32 v19, vcc, v25, v19
	v_add_u32_e32 v25, vcc, v26, v25
	v_alignbit_b32 v26, v3, v3, 17
	v_alignbit_b32 v27, v3, v3, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v3
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v14, v14, 7
	v_alignbit_b32 v28, v14, v14, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v14
	v_add_u32_e32 v13, vcc, v8, v13
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v13, vcc, v13, v26
	v_add_u32_e32 v13, vcc, v13, v27
	v_alignbit_b32 v26, v19, v19, 6
	v_alignbit_b32 v27, v19, v19, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v19, v19, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v20, vcc, v20, v26
	v_bfi_b32 v26, v19, v23, v21
	v_add_u32_e32 v20, vcc, v20, v26
	v_alignbit_b32 v26, v25, v25, 2
	v_alignbit_b32 v27, v25, v25, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v25, v25, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v22, v24
	v_and_b32_e32 v27, v25, v27
	v_and_b32_e32 v28, v22, v24
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v20, vcc, v20, v13
	s_mov_b32 s0, 0xe49b69c1
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v20, vcc, s0, v20
	v_add_u32_e32 v18, vcc, v20, v18
	v_add_u32_e32 v20, vcc, v26, v20
	v_alignbit_b32 v26, v0, v0, 17
	v_alignbit_b32 v27, v0, v0, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v0
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v15, v15, 7
	v_alignbit_b32 v28, v15, v15, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v15
	v_add_u32_e32 v14, vcc, v7, v14
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v14, vcc, v14, v26
	v_add_u32_e32 v14, vcc, v14, v27
	v_alignbit_b32 v26, v18, v18, 6
	v_alignbit_b32 v27, v18, v18, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v18, v18, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v21, vcc, v21, v26
	v_bfi_b32 v26, v18, v19, v23
	v_add_u32_e32 v21, vcc, v21, v26
	v_alignbit_b32 v26, v20, v20, 2
	v_alignbit_b32 v27, v20, v20, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v20, v20, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v24, v25
	v_and_b32_e32 v27, v20, v27
	v_and_b32_e32 v28, v24, v25
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v21, vcc, v21, v14
	s_mov_b32 s0, 0xefbe4786
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v21, vcc, s0, v21
	v_add_u32_e32 v22, vcc, v21, v22
	v_add_u32_e32 v21, vcc, v26, v21
	v_alignbit_b32 v26, v13, v13, 17
	v_alignbit_b32 v27, v13, v13, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v16, v16, 7
	v_alignbit_b32 v28, v16, v16, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v16
	v_add_u32_e32 v15, vcc, v6, v15
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v15, vcc, v15, v26
	v_add_u32_e32 v15, vcc, v15, v27
	v_alignbit_b32 v26, v22, v22, 6
	v_alignbit_b32 v27, v22, v22, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v22, v22, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v23, vcc, v23, v26
	v_bfi_b32 v26, v22, v18, v19
	v_add_u32_e32 v23, vcc, v23, v26
	v_alignbit_b32 v26, v21, v21, 2
	v_alignbit_b32 v27, v21, v21, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v21, v21, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v25, v20
	v_and_b32_e32 v27, v21, v27
	v_and_b32_e32 v28, v25, v20
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v23, vcc, v23, v15
	s_mov_b32 s0, 0xfc19dc6
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v23, vcc, s0, v23
	v_add_u32_e32 v24, vcc, v23, v24
	v_add_u32_e32 v23, vcc, v26, v23
	v_alignbit_b32 v26, v14, v14, 17
	v_alignbit_b32 v27, v14, v14, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v14
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v17, v17, 7
	v_alignbit_b32 v28, v17, v17, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v17
	v_add_u32_e32 v16, vcc, v5, v16
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v16, vcc, v16, v26
	v_add_u32_e32 v16, vcc, v16, v27
	v_alignbit_b32 v26, v24, v24, 6
	v_alignbit_b32 v27, v24, v24, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v24, v24, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v19, vcc, v19, v26
	v_bfi_b32 v26, v24, v22, v18
	v_add_u32_e32 v19, vcc, v19, v26
	v_alignbit_b32 v26, v23, v23, 2
	v_alignbit_b32 v27, v23, v23, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v23, v23, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v20, v21
	v_and_b32_e32 v27, v23, v27
	v_and_b32_e32 v28, v20, v21
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v19, vcc, v19, v16
	s_mov_b32 s0, 0x240ca1cc
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v19, vcc, s0, v19
	v_add_u32_e32 v25, vcc, v19, v25
	v_add_u32_e32 v19, vcc, v26, v19
	v_alignbit_b32 v26, v15, v15, 17
	v_alignbit_b32 v27, v15, v15, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v15
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v12, v12, 7
	v_alignbit_b32 v28, v12, v12, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v12
	v_add_u32_e32 v17, vcc, v4, v17
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v17, vcc, v17, v26
	v_add_u32_e32 v17, vcc, v17, v27
	v_alignbit_b32 v26, v25, v25, 6
	v_alignbit_b32 v27, v25, v25, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v25, v25, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v18, vcc, v18, v26
	v_bfi_b32 v26, v25, v24, v22
	v_add_u32_e32 v18, vcc, v18, v26
	v_alignbit_b32 v26, v19, v19, 2
	v_alignbit_b32 v27, v19, v19, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v19, v19, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v21, v23
	v_and_b32_e32 v27, v19, v27
	v_and_b32_e32 v28, v21, v23
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v18, vcc, v18, v17
	s_mov_b32 s0, 0x2de92c6f
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v18, vcc, s0, v18
	v_add_u32_e32 v20, vcc, v18, v20
	v_add_u32_e32 v18, vcc, v26, v18
	v_alignbit_b32 v26, v16, v16, 17
	v_alignbit_b32 v27, v16, v16, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v16
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v11, v11, 7
	v_alignbit_b32 v28, v11, v11, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v11
	v_add_u32_e32 v12, vcc, v3, v12
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v12, vcc, v12, v26
	v_add_u32_e32 v12, vcc, v12, v27
	v_alignbit_b32 v26, v20, v20, 6
	v_alignbit_b32 v27, v20, v20, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v20, v20, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v22, vcc, v22, v26
	v_bfi_b32 v26, v20, v25, v24
	v_add_u32_e32 v22, vcc, v22, v26
	v_alignbit_b32 v26, v18, v18, 2
	v_alignbit_b32 v27, v18, v18, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v18, v18, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v23, v19
	v_and_b32_e32 v27, v18, v27
	v_and_b32_e32 v28, v23, v19
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v22, vcc, v22, v12
	s_mov_b32 s0, 0x4a7484aa
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v22, vcc, s0, v22
	v_add_u32_e32 v21, vcc, v22, v21
	v_add_u32_e32 v22, vcc, v26, v22
	v_alignbit_b32 v26, v17, v17, 17
	v_alignbit_b32 v27, v17, v17, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v17
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v10, v10, 7
	v_alignbit_b32 v28, v10, v10, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v10
	v_add_u32_e32 v11, vcc, v0, v11
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v11, vcc, v11, v26
	v_add_u32_e32 v11, vcc, v11, v27
	v_alignbit_b32 v26, v21, v21, 6
	v_alignbit_b32 v27, v21, v21, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v21, v21, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v24, vcc, v24, v26
	v_bfi_b32 v26, v21, v20, v25
	v_add_u32_e32 v24, vcc, v24, v26
	v_alignbit_b32 v26, v22, v22, 2
	v_alignbit_b32 v27, v22, v22, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v22, v22, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v19, v18
	v_and_b32_e32 v27, v22, v27
	v_and_b32_e32 v28, v19, v18
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v24, vcc, v24, v11
	s_mov_b32 s0, 0x5cb0a9dc
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v24, vcc, s0, v24
	v_add_u32_e32 v23, vcc, v24, v23
	v_add_u32_e32 v24, vcc, v26, v24
	v_alignbit_b32 v26, v12, v12, 17
	v_alignbit_b32 v27, v12, v12, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v12
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v9, v9, 7
	v_alignbit_b32 v28, v9, v9, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v9
	v_add_u32_e32 v10, vcc, v13, v10
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v10, vcc, v10, v26
	v_add_u32_e32 v10, vcc, v10, v27
	v_alignbit_b32 v26, v23, v23, 6
	v_alignbit_b32 v27, v23, v23, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v23, v23, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v25, vcc, v25, v26
	v_bfi_b32 v26, v23, v21, v20
	v_add_u32_e32 v25, vcc, v25, v26
	v_alignbit_b32 v26, v24, v24, 2
	v_alignbit_b32 v27, v24, v24, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v24, v24, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v18, v22
	v_and_b32_e32 v27, v24, v27
	v_and_b32_e32 v28, v18, v22
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v25, vcc, v25, v10
	s_mov_b32 s0, 0x76f988da
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v25, vcc, s0, v25
	v_add_u32_e32 v19, vcc, v25, v19
	v_add_u32_e32 v25, vcc, v26, v25
	v_alignbit_b32 v26, v11, v11, 17
	v_alignbit_b32 v27, v11, v11, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v8, v8, 7
	v_alignbit_b32 v28, v8, v8, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v8
	v_add_u32_e32 v9, vcc, v14, v9
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v9, vcc, v9, v26
	v_add_u32_e32 v9, vcc, v9, v27
	v_alignbit_b32 v26, v19, v19, 6
	v_alignbit_b32 v27, v19, v19, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v19, v19, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v20, vcc, v20, v26
	v_bfi_b32 v26, v19, v23, v21
	v_add_u32_e32 v20, vcc, v20, v26
	v_alignbit_b32 v26, v25, v25, 2
	v_alignbit_b32 v27, v25, v25, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v25, v25, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v22, v24
	v_and_b32_e32 v27, v25, v27
	v_and_b32_e32 v28, v22, v24
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v20, vcc, v20, v9
	s_mov_b32 s0, 0x983e5152
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v20, vcc, s0, v20
	v_add_u32_e32 v18, vcc, v20, v18
	v_add_u32_e32 v20, vcc, v26, v20
	v_alignbit_b32 v26, v10, v10, 17
	v_alignbit_b32 v27, v10, v10, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v10
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v7, v7, 7
	v_alignbit_b32 v28, v7, v7, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v7
	v_add_u32_e32 v8, vcc, v15, v8
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v8, vcc, v8, v26
	v_add_u32_e32 v8, vcc, v8, v27
	v_alignbit_b32 v26, v18, v18, 6
	v_alignbit_b32 v27, v18, v18, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v18, v18, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v21, vcc, v21, v26
	v_bfi_b32 v26, v18, v19, v23
	v_add_u32_e32 v21, vcc, v21, v26
	v_alignbit_b32 v26, v20, v20, 2
	v_alignbit_b32 v27, v20, v20, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v20, v20, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v24, v25
	v_and_b32_e32 v27, v20, v27
	v_and_b32_e32 v28, v24, v25
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v21, vcc, v21, v8
	s_mov_b32 s0, 0xa831c66d
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v21, vcc, s0, v21
	v_add_u32_e32 v22, vcc, v21, v22
	v_add_u32_e32 v21, vcc, v26, v21
	v_alignbit_b32 v26, v9, v9, 17
	v_alignbit_b32 v27, v9, v9, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v9
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v6, v6, 7
	v_alignbit_b32 v28, v6, v6, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v6
	v_add_u32_e32 v7, vcc, v16, v7
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v7, vcc, v7, v26
	v_add_u32_e32 v7, vcc, v7, v27
	v_alignbit_b32 v26, v22, v22, 6
	v_alignbit_b32 v27, v22, v22, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v22, v22, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v23, vcc, v23, v26
	v_bfi_b32 v26, v22, v18, v19
	v_add_u32_e32 v23, vcc, v23, v26
	v_alignbit_b32 v26, v21, v21, 2
	v_alignbit_b32 v27, v21, v21, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v21, v21, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v25, v20
	v_and_b32_e32 v27, v21, v27
	v_and_b32_e32 v28, v25, v20
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v23, vcc, v23, v7
	s_mov_b32 s0, 0xb00327c8
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v23, vcc, s0, v23
	v_add_u32_e32 v24, vcc, v23, v24
	v_add_u32_e32 v23, vcc, v26, v23
	v_alignbit_b32 v26, v8, v8, 17
	v_alignbit_b32 v27, v8, v8, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v8
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v5, v5, 7
	v_alignbit_b32 v28, v5, v5, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v5
	v_add_u32_e32 v6, vcc, v17, v6
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v6, vcc, v6, v26
	v_add_u32_e32 v6, vcc, v6, v27
	v_alignbit_b32 v26, v24, v24, 6
	v_alignbit_b32 v27, v24, v24, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v24, v24, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v19, vcc, v19, v26
	v_bfi_b32 v26, v24, v22, v18
	v_add_u32_e32 v19, vcc, v19, v26
	v_alignbit_b32 v26, v23, v23, 2
	v_alignbit_b32 v27, v23, v23, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v23, v23, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v20, v21
	v_and_b32_e32 v27, v23, v27
	v_and_b32_e32 v28, v20, v21
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v19, vcc, v19, v6
	s_mov_b32 s0, 0xbf597fc7
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v19, vcc, s0, v19
	v_add_u32_e32 v25, vcc, v19, v25
	v_add_u32_e32 v19, vcc, v26, v19
	v_alignbit_b32 v26, v7, v7, 17
	v_alignbit_b32 v27, v7, v7, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v7
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v4, v4, 7
	v_alignbit_b32 v28, v4, v4, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v4
	v_add_u32_e32 v5, vcc, v12, v5
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v5, vcc, v5, v26
	v_add_u32_e32 v5, vcc, v5, v27
	v_alignbit_b32 v26, v25, v25, 6
	v_alignbit_b32 v27, v25, v25, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v25, v25, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v18, vcc, v18, v26
	v_bfi_b32 v26, v25, v24, v22
	v_add_u32_e32 v18, vcc, v18, v26
	v_alignbit_b32 v26, v19, v19, 2
	v_alignbit_b32 v27, v19, v19, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v19, v19, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v21, v23
	v_and_b32_e32 v27, v19, v27
	v_and_b32_e32 v28, v21, v23
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v18, vcc, v18, v5
	s_mov_b32 s0, 0xc6e00bf3
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v18, vcc, s0, v18
	v_add_u32_e32 v20, vcc, v18, v20
	v_add_u32_e32 v18, vcc, v26, v18
	v_alignbit_b32 v26, v6, v6, 17
	v_alignbit_b32 v27, v6, v6, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v6
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v3, v3, 7
	v_alignbit_b32 v28, v3, v3, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v3
	v_add_u32_e32 v4, vcc, v11, v4
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v4, vcc, v4, v26
	v_add_u32_e32 v4, vcc, v4, v27
	v_alignbit_b32 v26, v20, v20, 6
	v_alignbit_b32 v27, v20, v20, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v20, v20, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v22, vcc, v22, v26
	v_bfi_b32 v26, v20, v25, v24
	v_add_u32_e32 v22, vcc, v22, v26
	v_alignbit_b32 v26, v18, v18, 2
	v_alignbit_b32 v27, v18, v18, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v18, v18, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v23, v19
	v_and_b32_e32 v27, v18, v27
	v_and_b32_e32 v28, v23, v19
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v22, vcc, v22, v4
	s_mov_b32 s0, 0xd5a79147
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v22, vcc, s0, v22
	v_add_u32_e32 v21, vcc, v22, v21
	v_add_u32_e32 v22, vcc, v26, v22
	v_alignbit_b32 v26, v5, v5, 17
	v_alignbit_b32 v27, v5, v5, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v5
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v0, v0, 7
	v_alignbit_b32 v28, v0, v0, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v0
	v_add_u32_e32 v3, vcc, v10, v3
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v3, vcc, v3, v26
	v_add_u32_e32 v3, vcc, v3, v27
	v_alignbit_b32 v26, v21, v21, 6
	v_alignbit_b32 v27, v21, v21, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v21, v21, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v24, vcc, v24, v26
	v_bfi_b32 v26, v21, v20, v25
	v_add_u32_e32 v24, vcc, v24, v26
	v_alignbit_b32 v26, v22, v22, 2
	v_alignbit_b32 v27, v22, v22, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v22, v22, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v19, v18
	v_and_b32_e32 v27, v22, v27
	v_and_b32_e32 v28, v19, v18
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v24, vcc, v24, v3
	s_mov_b32 s0, 0x6ca6351
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v24, vcc, s0, v24
	v_add_u32_e32 v23, vcc, v24, v23
	v_add_u32_e32 v24, vcc, v26, v24
	v_alignbit_b32 v26, v4, v4, 17
	v_alignbit_b32 v27, v4, v4, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v4
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v13, v13, 7
	v_alignbit_b32 v28, v13, v13, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v13
	v_add_u32_e32 v0, vcc, v9, v0
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v0, vcc, v0, v26
	v_add_u32_e32 v0, vcc, v0, v27
	v_alignbit_b32 v26, v23, v23, 6
	v_alignbit_b32 v27, v23, v23, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v23, v23, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v25, vcc, v25, v26
	v_bfi_b32 v26, v23, v21, v20
	v_add_u32_e32 v25, vcc, v25, v26
	v_alignbit_b32 v26, v24, v24, 2
	v_alignbit_b32 v27, v24, v24, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v24, v24, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v18, v22
	v_and_b32_e32 v27, v24, v27
	v_and_b32_e32 v28, v18, v22
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v25, vcc, v25, v0
	s_mov_b32 s0, 0x14292967
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v25, vcc, s0, v25
	v_add_u32_e32 v19, vcc, v25, v19
	v_add_u32_e32 v25, vcc, v26, v25
	v_alignbit_b32 v26, v3, v3, 17
	v_alignbit_b32 v27, v3, v3, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v3
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v14, v14, 7
	v_alignbit_b32 v28, v14, v14, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v14
	v_add_u32_e32 v13, vcc, v8, v13
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v13, vcc, v13, v26
	v_add_u32_e32 v13, vcc, v13, v27
	v_alignbit_b32 v26, v19, v19, 6
	v_alignbit_b32 v27, v19, v19, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v19, v19, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v20, vcc, v20, v26
	v_bfi_b32 v26, v19, v23, v21
	v_add_u32_e32 v20, vcc, v20, v26
	v_alignbit_b32 v26, v25, v25, 2
	v_alignbit_b32 v27, v25, v25, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v25, v25, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v22, v24
	v_and_b32_e32 v27, v25, v27
	v_and_b32_e32 v28, v22, v24
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v20, vcc, v20, v13
	s_mov_b32 s0, 0x27b70a85
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v20, vcc, s0, v20
	v_add_u32_e32 v18, vcc, v20, v18
	v_add_u32_e32 v20, vcc, v26, v20
	v_alignbit_b32 v26, v0, v0, 17
	v_alignbit_b32 v27, v0, v0, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v0
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v15, v15, 7
	v_alignbit_b32 v28, v15, v15, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v15
	v_add_u32_e32 v14, vcc, v7, v14
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v14, vcc, v14, v26
	v_add_u32_e32 v14, vcc, v14, v27
	v_alignbit_b32 v26, v18, v18, 6
	v_alignbit_b32 v27, v18, v18, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v18, v18, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v21, vcc, v21, v26
	v_bfi_b32 v26, v18, v19, v23
	v_add_u32_e32 v21, vcc, v21, v26
	v_alignbit_b32 v26, v20, v20, 2
	v_alignbit_b32 v27, v20, v20, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v20, v20, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v24, v25
	v_and_b32_e32 v27, v20, v27
	v_and_b32_e32 v28, v24, v25
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v21, vcc, v21, v14
	s_mov_b32 s0, 0x2e1b2138
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v21, vcc, s0, v21
	v_add_u32_e32 v22, vcc, v21, v22
	v_add_u32_e32 v21, vcc, v26, v21
	v_alignbit_b32 v26, v13, v13, 17
	v_alignbit_b32 v27, v13, v13, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v16, v16, 7
	v_alignbit_b32 v28, v16, v16, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v16
	v_add_u32_e32 v15, vcc, v6, v15
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v15, vcc, v15, v26
	v_add_u32_e32 v15, vcc, v15, v27
	v_alignbit_b32 v26, v22, v22, 6
	v_alignbit_b32 v27, v22, v22, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v22, v22, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v23, vcc, v23, v26
	v_bfi_b32 v26, v22, v18, v19
	v_add_u32_e32 v23, vcc, v23, v26
	v_alignbit_b32 v26, v21, v21, 2
	v_alignbit_b32 v27, v21, v21, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v21, v21, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v25, v20
	v_and_b32_e32 v27, v21, v27
	v_and_b32_e32 v28, v25, v20
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v23, vcc, v23, v15
	s_mov_b32 s0, 0x4d2c6dfc
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v23, vcc, s0, v23
	v_add_u32_e32 v24, vcc, v23, v24
	v_add_u32_e32 v23, vcc, v26, v23
	v_alignbit_b32 v26, v14, v14, 17
	v_alignbit_b32 v27, v14, v14, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v14
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v17, v17, 7
	v_alignbit_b32 v28, v17, v17, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v17
	v_add_u32_e32 v16, vcc, v5, v16
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v16, vcc, v16, v26
	v_add_u32_e32 v16, vcc, v16, v27
	v_alignbit_b32 v26, v24, v24, 6
	v_alignbit_b32 v27, v24, v24, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v24, v24, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v19, vcc, v19, v26
	v_bfi_b32 v26, v24, v22, v18
	v_add_u32_e32 v19, vcc, v19, v26
	v_alignbit_b32 v26, v23, v23, 2
	v_alignbit_b32 v27, v23, v23, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v23, v23, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v20, v21
	v_and_b32_e32 v27, v23, v27
	v_and_b32_e32 v28, v20, v21
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v19, vcc, v19, v16
	s_mov_b32 s0, 0x53380d13
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v19, vcc, s0, v19
	v_add_u32_e32 v25, vcc, v19, v25
	v_add_u32_e32 v19, vcc, v26, v19
	v_alignbit_b32 v26, v15, v15, 17
	v_alignbit_b32 v27, v15, v15, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v15
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v12, v12, 7
	v_alignbit_b32 v28, v12, v12, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v12
	v_add_u32_e32 v17, vcc, v4, v17
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v17, vcc, v17, v26
	v_add_u32_e32 v17, vcc, v17, v27
	v_alignbit_b32 v26, v25, v25, 6
	v_alignbit_b32 v27, v25, v25, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v25, v25, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v18, vcc, v18, v26
	v_bfi_b32 v26, v25, v24, v22
	v_add_u32_e32 v18, vcc, v18, v26
	v_alignbit_b32 v26, v19, v19, 2
	v_alignbit_b32 v27, v19, v19, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v19, v19, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v21, v23
	v_and_b32_e32 v27, v19, v27
	v_and_b32_e32 v28, v21, v23
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v18, vcc, v18, v17
	s_mov_b32 s0, 0x650a7354
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v18, vcc, s0, v18
	v_add_u32_e32 v20, vcc, v18, v20
	v_add_u32_e32 v18, vcc, v26, v18
	v_alignbit_b32 v26, v16, v16, 17
	v_alignbit_b32 v27, v16, v16, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v16
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v11, v11, 7
	v_alignbit_b32 v28, v11, v11, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v11
	v_add_u32_e32 v12, vcc, v3, v12
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v12, vcc, v12, v26
	v_add_u32_e32 v12, vcc, v12, v27
	v_alignbit_b32 v26, v20, v20, 6
	v_alignbit_b32 v27, v20, v20, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v20, v20, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v22, vcc, v22, v26
	v_bfi_b32 v26, v20, v25, v24
	v_add_u32_e32 v22, vcc, v22, v26
	v_alignbit_b32 v26, v18, v18, 2
	v_alignbit_b32 v27, v18, v18, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v18, v18, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v23, v19
	v_and_b32_e32 v27, v18, v27
	v_and_b32_e32 v28, v23, v19
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v22, vcc, v22, v12
	s_mov_b32 s0, 0x766a0abb
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v22, vcc, s0, v22
	v_add_u32_e32 v21, vcc, v22, v21
	v_add_u32_e32 v22, vcc, v26, v22
	v_alignbit_b32 v26, v17, v17, 17
	v_alignbit_b32 v27, v17, v17, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v17
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v10, v10, 7
	v_alignbit_b32 v28, v10, v10, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v10
	v_add_u32_e32 v11, vcc, v0, v11
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v11, vcc, v11, v26
	v_add_u32_e32 v11, vcc, v11, v27
	v_alignbit_b32 v26, v21, v21, 6
	v_alignbit_b32 v27, v21, v21, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v21, v21, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v24, vcc, v24, v26
	v_bfi_b32 v26, v21, v20, v25
	v_add_u32_e32 v24, vcc, v24, v26
	v_alignbit_b32 v26, v22, v22, 2
	v_alignbit_b32 v27, v22, v22, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v22, v22, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v19, v18
	v_and_b32_e32 v27, v22, v27
	v_and_b32_e32 v28, v19, v18
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v24, vcc, v24, v11
	s_mov_b32 s0, 0x81c2c92e
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v24, vcc, s0, v24
	v_add_u32_e32 v23, vcc, v24, v23
	v_add_u32_e32 v24, vcc, v26, v24
	v_alignbit_b32 v26, v12, v12, 17
	v_alignbit_b32 v27, v12, v12, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v12
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v9, v9, 7
	v_alignbit_b32 v28, v9, v9, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v9
	v_add_u32_e32 v10, vcc, v13, v10
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v10, vcc, v10, v26
	v_add_u32_e32 v10, vcc, v10, v27
	v_alignbit_b32 v26, v23, v23, 6
	v_alignbit_b32 v27, v23, v23, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v23, v23, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v25, vcc, v25, v26
	v_bfi_b32 v26, v23, v21, v20
	v_add_u32_e32 v25, vcc, v25, v26
	v_alignbit_b32 v26, v24, v24, 2
	v_alignbit_b32 v27, v24, v24, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v24, v24, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v18, v22
	v_and_b32_e32 v27, v24, v27
	v_and_b32_e32 v28, v18, v22
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v25, vcc, v25, v10
	s_mov_b32 s0, 0x92722c85
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v25, vcc, s0, v25
	v_add_u32_e32 v19, vcc, v25, v19
	v_add_u32_e32 v25, vcc, v26, v25
	v_alignbit_b32 v26, v11, v11, 17
	v_alignbit_b32 v27, v11, v11, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v8, v8, 7
	v_alignbit_b32 v28, v8, v8, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v8
	v_add_u32_e32 v9, vcc, v14, v9
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v9, vcc, v9, v26
	v_add_u32_e32 v9, vcc, v9, v27
	v_alignbit_b32 v26, v19, v19, 6
	v_alignbit_b32 v27, v19, v19, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v19, v19, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v20, vcc, v20, v26
	v_bfi_b32 v26, v19, v23, v21
	v_add_u32_e32 v20, vcc, v20, v26
	v_alignbit_b32 v26, v25, v25, 2
	v_alignbit_b32 v27, v25, v25, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v25, v25, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v22, v24
	v_and_b32_e32 v27, v25, v27
	v_and_b32_e32 v28, v22, v24
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v20, vcc, v20, v9
	s_mov_b32 s0, 0xa2bfe8a1
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v20, vcc, s0, v20
	v_add_u32_e32 v18, vcc, v20, v18
	v_add_u32_e32 v20, vcc, v26, v20
	v_alignbit_b32 v26, v10, v10, 17
	v_alignbit_b32 v27, v10, v10, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v10
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v7, v7, 7
	v_alignbit_b32 v28, v7, v7, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v7
	v_add_u32_e32 v8, vcc, v15, v8
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v8, vcc, v8, v26
	v_add_u32_e32 v8, vcc, v8, v27
	v_alignbit_b32 v26, v18, v18, 6
	v_alignbit_b32 v27, v18, v18, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v18, v18, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v21, vcc, v21, v26
	v_bfi_b32 v26, v18, v19, v23
	v_add_u32_e32 v21, vcc, v21, v26
	v_alignbit_b32 v26, v20, v20, 2
	v_alignbit_b32 v27, v20, v20, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v20, v20, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v24, v25
	v_and_b32_e32 v27, v20, v27
	v_and_b32_e32 v28, v24, v25
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v21, vcc, v21, v8
	s_mov_b32 s0, 0xa81a664b
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v21, vcc, s0, v21
	v_add_u32_e32 v22, vcc, v21, v22
	v_add_u32_e32 v21, vcc, v26, v21
	v_alignbit_b32 v26, v9, v9, 17
	v_alignbit_b32 v27, v9, v9, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v9
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v6, v6, 7
	v_alignbit_b32 v28, v6, v6, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v6
	v_add_u32_e32 v7, vcc, v16, v7
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v7, vcc, v7, v26
	v_add_u32_e32 v7, vcc, v7, v27
	v_alignbit_b32 v26, v22, v22, 6
	v_alignbit_b32 v27, v22, v22, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v22, v22, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v23, vcc, v23, v26
	v_bfi_b32 v26, v22, v18, v19
	v_add_u32_e32 v23, vcc, v23, v26
	v_alignbit_b32 v26, v21, v21, 2
	v_alignbit_b32 v27, v21, v21, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v21, v21, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v25, v20
	v_and_b32_e32 v27, v21, v27
	v_and_b32_e32 v28, v25, v20
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v23, vcc, v23, v7
	s_mov_b32 s0, 0xc24b8b70
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v23, vcc, s0, v23
	v_add_u32_e32 v24, vcc, v23, v24
	v_add_u32_e32 v23, vcc, v26, v23
	v_alignbit_b32 v26, v8, v8, 17
	v_alignbit_b32 v27, v8, v8, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v8
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v5, v5, 7
	v_alignbit_b32 v28, v5, v5, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v5
	v_add_u32_e32 v6, vcc, v17, v6
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v6, vcc, v6, v26
	v_add_u32_e32 v6, vcc, v6, v27
	v_alignbit_b32 v26, v24, v24, 6
	v_alignbit_b32 v27, v24, v24, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v24, v24, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v19, vcc, v19, v26
	v_bfi_b32 v26, v24, v22, v18
	v_add_u32_e32 v19, vcc, v19, v26
	v_alignbit_b32 v26, v23, v23, 2
	v_alignbit_b32 v27, v23, v23, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v23, v23, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v20, v21
	v_and_b32_e32 v27, v23, v27
	v_and_b32_e32 v28, v20, v21
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v19, vcc, v19, v6
	s_mov_b32 s0, 0xc76c51a3
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v19, vcc, s0, v19
	v_add_u32_e32 v25, vcc, v19, v25
	v_add_u32_e32 v19, vcc, v26, v19
	v_alignbit_b32 v26, v7, v7, 17
	v_alignbit_b32 v27, v7, v7, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v7
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v4, v4, 7
	v_alignbit_b32 v28, v4, v4, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v4
	v_add_u32_e32 v5, vcc, v12, v5
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v5, vcc, v5, v26
	v_add_u32_e32 v5, vcc, v5, v27
	v_alignbit_b32 v26, v25, v25, 6
	v_alignbit_b32 v27, v25, v25, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v25, v25, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v18, vcc, v18, v26
	v_bfi_b32 v26, v25, v24, v22
	v_add_u32_e32 v18, vcc, v18, v26
	v_alignbit_b32 v26, v19, v19, 2
	v_alignbit_b32 v27, v19, v19, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v19, v19, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v21, v23
	v_and_b32_e32 v27, v19, v27
	v_and_b32_e32 v28, v21, v23
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v18, vcc, v18, v5
	s_mov_b32 s0, 0xd192e819
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v18, vcc, s0, v18
	v_add_u32_e32 v20, vcc, v18, v20
	v_add_u32_e32 v18, vcc, v26, v18
	v_alignbit_b32 v26, v6, v6, 17
	v_alignbit_b32 v27, v6, v6, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v6
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v3, v3, 7
	v_alignbit_b32 v28, v3, v3, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v3
	v_add_u32_e32 v4, vcc, v11, v4
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v4, vcc, v4, v26
	v_add_u32_e32 v4, vcc, v4, v27
	v_alignbit_b32 v26, v20, v20, 6
	v_alignbit_b32 v27, v20, v20, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v20, v20, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v22, vcc, v22, v26
	v_bfi_b32 v26, v20, v25, v24
	v_add_u32_e32 v22, vcc, v22, v26
	v_alignbit_b32 v26, v18, v18, 2
	v_alignbit_b32 v27, v18, v18, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v18, v18, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v23, v19
	v_and_b32_e32 v27, v18, v27
	v_and_b32_e32 v28, v23, v19
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v22, vcc, v22, v4
	s_mov_b32 s0, 0xd6990624
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v22, vcc, s0, v22
	v_add_u32_e32 v21, vcc, v22, v21
	v_add_u32_e32 v22, vcc, v26, v22
	v_alignbit_b32 v26, v5, v5, 17
	v_alignbit_b32 v27, v5, v5, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v5
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v0, v0, 7
	v_alignbit_b32 v28, v0, v0, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v0
	v_add_u32_e32 v3, vcc, v10, v3
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v3, vcc, v3, v26
	v_add_u32_e32 v3, vcc, v3, v27
	v_alignbit_b32 v26, v21, v21, 6
	v_alignbit_b32 v27, v21, v21, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v21, v21, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v24, vcc, v24, v26
	v_bfi_b32 v26, v21, v20, v25
	v_add_u32_e32 v24, vcc, v24, v26
	v_alignbit_b32 v26, v22, v22, 2
	v_alignbit_b32 v27, v22, v22, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v22, v22, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v19, v18
	v_and_b32_e32 v27, v22, v27
	v_and_b32_e32 v28, v19, v18
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v24, vcc, v24, v3
	s_mov_b32 s0, 0xf40e3585
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v24, vcc, s0, v24
	v_add_u32_e32 v23, vcc, v24, v23
	v_add_u32_e32 v24, vcc, v26, v24
	v_alignbit_b32 v26, v4, v4, 17
	v_alignbit_b32 v27, v4, v4, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v4
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v13, v13, 7
	v_alignbit_b32 v28, v13, v13, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v13
	v_add_u32_e32 v0, vcc, v9, v0
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v0, vcc, v0, v26
	v_add_u32_e32 v0, vcc, v0, v27
	v_alignbit_b32 v26, v23, v23, 6
	v_alignbit_b32 v27, v23, v23, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v23, v23, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v25, vcc, v25, v26
	v_bfi_b32 v26, v23, v21, v20
	v_add_u32_e32 v25, vcc, v25, v26
	v_alignbit_b32 v26, v24, v24, 2
	v_alignbit_b32 v27, v24, v24, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v24, v24, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v18, v22
	v_and_b32_e32 v27, v24, v27
	v_and_b32_e32 v28, v18, v22
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v25, vcc, v25, v0
	s_mov_b32 s0, 0x106aa070
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v25, vcc, s0, v25
	v_add_u32_e32 v19, vcc, v25, v19
	v_add_u32_e32 v25, vcc, v26, v25
	v_alignbit_b32 v26, v3, v3, 17
	v_alignbit_b32 v27, v3, v3, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v3
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v14, v14, 7
	v_alignbit_b32 v28, v14, v14, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v14
	v_add_u32_e32 v13, vcc, v8, v13
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v13, vcc, v13, v26
	v_add_u32_e32 v13, vcc, v13, v27
	v_alignbit_b32 v26, v19, v19, 6
	v_alignbit_b32 v27, v19, v19, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v19, v19, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v20, vcc, v20, v26
	v_bfi_b32 v26, v19, v23, v21
	v_add_u32_e32 v20, vcc, v20, v26
	v_alignbit_b32 v26, v25, v25, 2
	v_alignbit_b32 v27, v25, v25, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v25, v25, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v22, v24
	v_and_b32_e32 v27, v25, v27
	v_and_b32_e32 v28, v22, v24
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v20, vcc, v20, v13
	s_mov_b32 s0, 0x19a4c116
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v20, vcc, s0, v20
	v_add_u32_e32 v18, vcc, v20, v18
	v_add_u32_e32 v20, vcc, v26, v20
	v_alignbit_b32 v26, v0, v0, 17
	v_alignbit_b32 v27, v0, v0, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v0
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v15, v15, 7
	v_alignbit_b32 v28, v15, v15, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v15
	v_add_u32_e32 v14, vcc, v7, v14
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v14, vcc, v14, v26
	v_add_u32_e32 v14, vcc, v14, v27
	v_alignbit_b32 v26, v18, v18, 6
	v_alignbit_b32 v27, v18, v18, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v18, v18, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v21, vcc, v21, v26
	v_bfi_b32 v26, v18, v19, v23
	v_add_u32_e32 v21, vcc, v21, v26
	v_alignbit_b32 v26, v20, v20, 2
	v_alignbit_b32 v27, v20, v20, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v20, v20, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v24, v25
	v_and_b32_e32 v27, v20, v27
	v_and_b32_e32 v28, v24, v25
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v21, vcc, v21, v14
	s_mov_b32 s0, 0x1e376c08
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v21, vcc, s0, v21
	v_add_u32_e32 v22, vcc, v21, v22
	v_add_u32_e32 v21, vcc, v26, v21
	v_alignbit_b32 v26, v13, v13, 17
	v_alignbit_b32 v27, v13, v13, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v16, v16, 7
	v_alignbit_b32 v28, v16, v16, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v16
	v_add_u32_e32 v15, vcc, v6, v15
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v15, vcc, v15, v26
	v_add_u32_e32 v15, vcc, v15, v27
	v_alignbit_b32 v26, v22, v22, 6
	v_alignbit_b32 v27, v22, v22, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v22, v22, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v23, vcc, v23, v26
	v_bfi_b32 v26, v22, v18, v19
	v_add_u32_e32 v23, vcc, v23, v26
	v_alignbit_b32 v26, v21, v21, 2
	v_alignbit_b32 v27, v21, v21, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v21, v21, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v25, v20
	v_and_b32_e32 v27, v21, v27
	v_and_b32_e32 v28, v25, v20
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v23, vcc, v23, v15
	s_mov_b32 s0, 0x2748774c
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v23, vcc, s0, v23
	v_add_u32_e32 v24, vcc, v23, v24
	v_add_u32_e32 v23, vcc, v26, v23
	v_alignbit_b32 v26, v14, v14, 17
	v_alignbit_b32 v27, v14, v14, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v14
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v17, v17, 7
	v_alignbit_b32 v28, v17, v17, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v17
	v_add_u32_e32 v16, vcc, v5, v16
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v16, vcc, v16, v26
	v_add_u32_e32 v16, vcc, v16, v27
	v_alignbit_b32 v26, v24, v24, 6
	v_alignbit_b32 v27, v24, v24, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v24, v24, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v19, vcc, v19, v26
	v_bfi_b32 v26, v24, v22, v18
	v_add_u32_e32 v19, vcc, v19, v26
	v_alignbit_b32 v26, v23, v23, 2
	v_alignbit_b32 v27, v23, v23, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v23, v23, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v20, v21
	v_and_b32_e32 v27, v23, v27
	v_and_b32_e32 v28, v20, v21
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v19, vcc, v19, v16
	s_mov_b32 s0, 0x34b0bcb5
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v19, vcc, s0, v19
	v_add_u32_e32 v25, vcc, v19, v25
	v_add_u32_e32 v19, vcc, v26, v19
	v_alignbit_b32 v26, v15, v15, 17
	v_alignbit_b32 v27, v15, v15, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v15
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v12, v12, 7
	v_alignbit_b32 v28, v12, v12, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v12
	v_add_u32_e32 v17, vcc, v4, v17
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v17, vcc, v17, v26
	v_add_u32_e32 v17, vcc, v17, v27
	v_alignbit_b32 v26, v25, v25, 6
	v_alignbit_b32 v27, v25, v25, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v25, v25, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v18, vcc, v18, v26
	v_bfi_b32 v26, v25, v24, v22
	v_add_u32_e32 v18, vcc, v18, v26
	v_alignbit_b32 v26, v19, v19, 2
	v_alignbit_b32 v27, v19, v19, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v19, v19, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v21, v23
	v_and_b32_e32 v27, v19, v27
	v_and_b32_e32 v28, v21, v23
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v18, vcc, v18, v17
	s_mov_b32 s0, 0x391c0cb3
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v18, vcc, s0, v18
	v_add_u32_e32 v20, vcc, v18, v20
	v_add_u32_e32 v18, vcc, v26, v18
	v_alignbit_b32 v26, v16, v16, 17
	v_alignbit_b32 v27, v16, v16, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v16
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v11, v11, 7
	v_alignbit_b32 v28, v11, v11, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v11
	v_add_u32_e32 v12, vcc, v3, v12
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v12, vcc, v12, v26
	v_add_u32_e32 v12, vcc, v12, v27
	v_alignbit_b32 v26, v20, v20, 6
	v_alignbit_b32 v27, v20, v20, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v20, v20, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v22, vcc, v22, v26
	v_bfi_b32 v26, v20, v25, v24
	v_add_u32_e32 v22, vcc, v22, v26
	v_alignbit_b32 v26, v18, v18, 2
	v_alignbit_b32 v27, v18, v18, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v18, v18, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v23, v19
	v_and_b32_e32 v27, v18, v27
	v_and_b32_e32 v28, v23, v19
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v22, vcc, v22, v12
	s_mov_b32 s0, 0x4ed8aa4a
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v22, vcc, s0, v22
	v_add_u32_e32 v21, vcc, v22, v21
	v_add_u32_e32 v22, vcc, v26, v22
	v_alignbit_b32 v26, v17, v17, 17
	v_alignbit_b32 v27, v17, v17, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v17
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v10, v10, 7
	v_alignbit_b32 v28, v10, v10, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v10
	v_add_u32_e32 v11, vcc, v0, v11
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v11, vcc, v11, v26
	v_add_u32_e32 v11, vcc, v11, v27
	v_alignbit_b32 v26, v21, v21, 6
	v_alignbit_b32 v27, v21, v21, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v21, v21, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v24, vcc, v24, v26
	v_bfi_b32 v26, v21, v20, v25
	v_add_u32_e32 v24, vcc, v24, v26
	v_alignbit_b32 v26, v22, v22, 2
	v_alignbit_b32 v27, v22, v22, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v22, v22, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v19, v18
	v_and_b32_e32 v27, v22, v27
	v_and_b32_e32 v28, v19, v18
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v24, vcc, v24, v11
	s_mov_b32 s0, 0x5b9cca4f
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v24, vcc, s0, v24
	v_add_u32_e32 v23, vcc, v24, v23
	v_add_u32_e32 v24, vcc, v26, v24
	v_alignbit_b32 v26, v12, v12, 17
	v_alignbit_b32 v27, v12, v12, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v12
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v9, v9, 7
	v_alignbit_b32 v28, v9, v9, 18
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v9
	v_add_u32_e32 v10, vcc, v13, v10
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v10, vcc, v10, v26
	v_add_u32_e32 v10, vcc, v10, v27
	v_alignbit_b32 v26, v23, v23, 6
	v_alignbit_b32 v27, v23, v23, 11
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v23, v23, 25
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v25, vcc, v25, v26
	v_bfi_b32 v26, v23, v21, v20
	v_add_u32_e32 v25, vcc, v25, v26
	v_alignbit_b32 v26, v24, v24, 2
	v_alignbit_b32 v27, v24, v24, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v24, v24, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v18, v22
	v_and_b32_e32 v27, v24, v27
	v_and_b32_e32 v28, v18, v22
	v_xor_b32_e32 v27, v27, v28
	v_add_u32_e32 v25, vcc, v25, v10
	s_mov_b32 s0, 0x682e6ff3
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v25, vcc, s0, v25
	v_add_u32_e32 v19, vcc, v25, v19
	v_add_u32_e32 v25, vcc, v26, v25
	v_alignbit_b32 v26, v11, v11, 17
	v_alignbit_b32 v27, v11, v11, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v11
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v9, vcc, v14, v9
	v_add_u32_e32 v9, vcc, v9, v26
	v_alignbit_b32 v14, v19, v19, 6
	v_alignbit_b32 v26, v19, v19, 11
	v_xor_b32_e32 v14, v14, v26
	v_alignbit_b32 v26, v19, v19, 25
	v_xor_b32_e32 v14, v14, v26
	v_add_u32_e32 v14, vcc, v20, v14
	v_bfi_b32 v20, v19, v23, v21
	v_alignbit_b32 v27, v8, v8, 7
	v_alignbit_b32 v28, v8, v8, 18
	v_add_u32_e32 v14, vcc, v14, v20
	v_alignbit_b32 v20, v25, v25, 2
	v_alignbit_b32 v26, v25, v25, 13
	v_xor_b32_e32 v27, v27, v28
	v_lshrrev_b32_e32 v28, 3, v8
	v_xor_b32_e32 v20, v20, v26
	v_alignbit_b32 v26, v25, v25, 22
	v_xor_b32_e32 v27, v27, v28
	v_xor_b32_e32 v20, v20, v26
	v_xor_b32_e32 v26, v22, v24
	v_add_u32_e32 v9, vcc, v9, v27
	v_and_b32_e32 v26, v25, v26
	v_and_b32_e32 v27, v22, v24
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v14, vcc, v14, v9
	s_mov_b32 s0, 0x748f82ee
	v_add_u32_e32 v20, vcc, v20, v26
	v_add_u32_e32 v14, vcc, s0, v14
	v_add_u32_e32 v18, vcc, v14, v18
	v_add_u32_e32 v14, vcc, v20, v14
	v_alignbit_b32 v20, v10, v10, 17
	v_alignbit_b32 v26, v10, v10, 19
	v_xor_b32_e32 v20, v20, v26
	v_lshrrev_b32_e32 v26, 10, v10
	v_xor_b32_e32 v20, v20, v26
	v_add_u32_e32 v8, vcc, v15, v8
	v_add_u32_e32 v8, vcc, v8, v20
	v_alignbit_b32 v15, v18, v18, 6
	v_alignbit_b32 v20, v18, v18, 11
	v_xor_b32_e32 v15, v15, v20
	v_alignbit_b32 v20, v18, v18, 25
	v_xor_b32_e32 v15, v15, v20
	v_add_u32_e32 v15, vcc, v21, v15
	v_bfi_b32 v20, v18, v19, v23
	v_alignbit_b32 v26, v7, v7, 7
	v_alignbit_b32 v27, v7, v7, 18
	v_add_u32_e32 v15, vcc, v15, v20
	v_alignbit_b32 v20, v14, v14, 2
	v_alignbit_b32 v21, v14, v14, 13
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 3, v7
	v_xor_b32_e32 v20, v20, v21
	v_alignbit_b32 v21, v14, v14, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v20, v20, v21
	v_xor_b32_e32 v21, v24, v25
	v_add_u32_e32 v8, vcc, v8, v26
	v_and_b32_e32 v21, v14, v21
	v_and_b32_e32 v26, v24, v25
	v_xor_b32_e32 v21, v21, v26
	v_add_u32_e32 v15, vcc, v15, v8
	s_mov_b32 s0, 0x78a5636f
	v_add_u32_e32 v20, vcc, v20, v21
	v_add_u32_e32 v15, vcc, s0, v15
	v_add_u32_e32 v21, vcc, v15, v22
	v_add_u32_e32 v15, vcc, v20, v15
	v_alignbit_b32 v20, v9, v9, 17
	v_alignbit_b32 v22, v9, v9, 19
	v_xor_b32_e32 v20, v20, v22
	v_lshrrev_b32_e32 v22, 10, v9
	v_xor_b32_e32 v20, v20, v22
	v_add_u32_e32 v7, vcc, v16, v7
	v_add_u32_e32 v7, vcc, v7, v20
	v_alignbit_b32 v16, v21, v21, 6
	v_alignbit_b32 v20, v21, v21, 11
	v_alignbit_b32 v22, v6, v6, 7
	v_alignbit_b32 v26, v6, v6, 18
	v_xor_b32_e32 v16, v16, v20
	v_alignbit_b32 v20, v21, v21, 25
	v_xor_b32_e32 v22, v22, v26
	v_lshrrev_b32_e32 v26, 3, v6
	v_xor_b32_e32 v16, v16, v20
	v_xor_b32_e32 v22, v22, v26
	v_add_u32_e32 v16, vcc, v23, v16
	v_bfi_b32 v20, v21, v18, v19
	v_add_u32_e32 v7, vcc, v7, v22
	v_add_u32_e32 v16, vcc, v16, v20
	v_alignbit_b32 v20, v15, v15, 2
	v_alignbit_b32 v22, v15, v15, 13
	v_xor_b32_e32 v20, v20, v22
	v_alignbit_b32 v22, v15, v15, 22
	v_xor_b32_e32 v20, v20, v22
	v_xor_b32_e32 v22, v25, v14
	v_and_b32_e32 v22, v15, v22
	v_and_b32_e32 v23, v25, v14
	v_xor_b32_e32 v22, v22, v23
	v_add_u32_e32 v16, vcc, v16, v7
	s_mov_b32 s0, 0x84c87814
	v_add_u32_e32 v20, vcc, v20, v22
	v_add_u32_e32 v16, vcc, s0, v16
	v_add_u32_e32 v22, vcc, v16, v24
	v_add_u32_e32 v16, vcc, v20, v16
	v_alignbit_b32 v20, v8, v8, 17
	v_alignbit_b32 v23, v8, v8, 19
	v_xor_b32_e32 v20, v20, v23
	v_lshrrev_b32_e32 v8, 10, v8
	v_xor_b32_e32 v8, v20, v8
	v_add_u32_e32 v6, vcc, v17, v6
	v_add_u32_e32 v6, vcc, v6, v8
	v_alignbit_b32 v8, v22, v22, 6
	v_alignbit_b32 v17, v22, v22, 11
	v_xor_b32_e32 v8, v8, v17
	v_alignbit_b32 v17, v22, v22, 25
	v_xor_b32_e32 v8, v8, v17
	v_add_u32_e32 v8, vcc, v19, v8
	v_bfi_b32 v17, v22, v21, v18
	v_alignbit_b32 v20, v5, v5, 7
	v_alignbit_b32 v23, v5, v5, 18
	v_add_u32_e32 v8, vcc, v8, v17
	v_alignbit_b32 v17, v16, v16, 2
	v_alignbit_b32 v19, v16, v16, 13
	v_xor_b32_e32 v20, v20, v23
	v_lshrrev_b32_e32 v23, 3, v5
	v_xor_b32_e32 v17, v17, v19
	v_alignbit_b32 v19, v16, v16, 22
	v_xor_b32_e32 v20, v20, v23
	v_xor_b32_e32 v17, v17, v19
	v_xor_b32_e32 v19, v14, v15
	v_add_u32_e32 v6, vcc, v6, v20
	v_and_b32_e32 v19, v16, v19
	v_and_b32_e32 v20, v14, v15
	v_xor_b32_e32 v19, v19, v20
	v_add_u32_e32 v8, vcc, v8, v6
	s_mov_b32 s0, 0x8cc70208
	v_add_u32_e32 v17, vcc, v17, v19
	v_add_u32_e32 v8, vcc, s0, v8
	v_add_u32_e32 v19, vcc, v8, v25
	v_add_u32_e32 v8, vcc, v17, v8
	v_alignbit_b32 v17, v7, v7, 17
	v_alignbit_b32 v20, v7, v7, 19
	v_xor_b32_e32 v17, v17, v20
	v_lshrrev_b32_e32 v7, 10, v7
	v_xor_b32_e32 v7, v17, v7
	v_add_u32_e32 v5, vcc, v12, v5
	v_add_u32_e32 v5, vcc, v5, v7
	v_alignbit_b32 v7, v19, v19, 6
	v_alignbit_b32 v12, v19, v19, 11
	v_alignbit_b32 v17, v4, v4, 7
	v_alignbit_b32 v20, v4, v4, 18
	v_xor_b32_e32 v7, v7, v12
	v_alignbit_b32 v12, v19, v19, 25
	v_xor_b32_e32 v17, v17, v20
	v_lshrrev_b32_e32 v20, 3, v4
	v_xor_b32_e32 v7, v7, v12
	v_xor_b32_e32 v17, v17, v20
	v_add_u32_e32 v7, vcc, v18, v7
	v_bfi_b32 v12, v19, v22, v21
	v_add_u32_e32 v5, vcc, v5, v17
	v_add_u32_e32 v7, vcc, v7, v12
	v_alignbit_b32 v12, v8, v8, 2
	v_alignbit_b32 v17, v8, v8, 13
	v_xor_b32_e32 v12, v12, v17
	v_alignbit_b32 v17, v8, v8, 22
	v_xor_b32_e32 v12, v12, v17
	v_xor_b32_e32 v17, v15, v16
	v_and_b32_e32 v17, v8, v17
	v_and_b32_e32 v18, v15, v16
	v_xor_b32_e32 v17, v17, v18
	v_add_u32_e32 v7, vcc, v7, v5
	s_mov_b32 s0, 0x90befffa
	v_add_u32_e32 v12, vcc, v12, v17
	v_add_u32_e32 v7, vcc, s0, v7
	v_add_u32_e32 v14, vcc, v7, v14
	v_add_u32_e32 v7, vcc, v12, v7
	v_alignbit_b32 v12, v6, v6, 17
	v_alignbit_b32 v17, v6, v6, 19
	v_xor_b32_e32 v12, v12, v17
	v_lshrrev_b32_e32 v6, 10, v6
	v_xor_b32_e32 v6, v12, v6
	v_add_u32_e32 v4, vcc, v11, v4
	v_add_u32_e32 v4, vcc, v4, v6
	v_alignbit_b32 v6, v14, v14, 6
	v_alignbit_b32 v11, v14, v14, 11
	v_alignbit_b32 v12, v3, v3, 7
	v_alignbit_b32 v17, v3, v3, 18
	v_xor_b32_e32 v6, v6, v11
	v_alignbit_b32 v11, v14, v14, 25
	v_xor_b32_e32 v12, v12, v17
	v_lshrrev_b32_e32 v17, 3, v3
	v_xor_b32_e32 v6, v6, v11
	v_xor_b32_e32 v12, v12, v17
	v_add_u32_e32 v6, vcc, v21, v6
	v_bfi_b32 v11, v14, v19, v22
	v_add_u32_e32 v4, vcc, v4, v12
	v_add_u32_e32 v6, vcc, v6, v11
	v_alignbit_b32 v11, v7, v7, 2
	v_alignbit_b32 v12, v7, v7, 13
	v_xor_b32_e32 v11, v11, v12
	v_alignbit_b32 v12, v7, v7, 22
	v_xor_b32_e32 v11, v11, v12
	v_xor_b32_e32 v12, v16, v8
	v_and_b32_e32 v12, v7, v12
	v_and_b32_e32 v17, v16, v8
	v_xor_b32_e32 v12, v12, v17
	v_add_u32_e32 v6, vcc, v6, v4
	s_mov_b32 s0, 0xa4506ceb
	v_add_u32_e32 v11, vcc, v11, v12
	v_add_u32_e32 v6, vcc, s0, v6
	v_add_u32_e32 v12, vcc, v6, v15
	v_add_u32_e32 v6, vcc, v11, v6
	v_add_u32_e32 v3, vcc, v10, v3
	v_alignbit_b32 v10, v5, v5, 17
	v_alignbit_b32 v11, v5, v5, 19
	v_xor_b32_e32 v10, v10, v11
	v_lshrrev_b32_e32 v5, 10, v5
	v_xor_b32_e32 v5, v10, v5
	v_add_u32_e32 v3, vcc, v3, v5
	v_alignbit_b32 v5, v0, v0, 7
	v_alignbit_b32 v10, v0, v0, 18
	v_xor_b32_e32 v5, v5, v10
	v_lshrrev_b32_e32 v10, 3, v0
	v_xor_b32_e32 v5, v5, v10
	v_add_u32_e32 v3, vcc, v3, v5
	v_alignbit_b32 v5, v12, v12, 6
	v_alignbit_b32 v10, v12, v12, 11
	v_xor_b32_e32 v5, v5, v10
	v_alignbit_b32 v10, v12, v12, 25
	v_xor_b32_e32 v5, v5, v10
	v_add_u32_e32 v5, vcc, v22, v5
	v_bfi_b32 v10, v12, v14, v19
	v_add_u32_e32 v5, vcc, v5, v10
	v_add_u32_e32 v3, vcc, v5, v3
	v_alignbit_b32 v5, v6, v6, 2
	v_alignbit_b32 v10, v6, v6, 13
	v_xor_b32_e32 v5, v5, v10
	v_alignbit_b32 v10, v6, v6, 22
	v_xor_b32_e32 v5, v5, v10
	v_xor_b32_e32 v10, v8, v7
	v_and_b32_e32 v10, v6, v10
	v_and_b32_e32 v11, v8, v7
	v_xor_b32_e32 v10, v10, v11
	s_mov_b32 s0, 0xbef9a3f7
	v_add_u32_e32 v3, vcc, s0, v3
	v_add_u32_e32 v5, vcc, v5, v10
	v_add_u32_e32 v10, vcc, v3, v16
	v_add_u32_e32 v3, vcc, v5, v3
	v_add_u32_e32 v0, vcc, v9, v0
	v_alignbit_b32 v5, v4, v4, 17
	v_alignbit_b32 v9, v4, v4, 19
	v_xor_b32_e32 v5, v5, v9
	v_lshrrev_b32_e32 v4, 10, v4
	v_xor_b32_e32 v4, v5, v4
	v_add_u32_e32 v0, vcc, v0, v4
	v_alignbit_b32 v4, v13, v13, 7
	v_alignbit_b32 v5, v13, v13, 18
	v_xor_b32_e32 v4, v4, v5
	v_lshrrev_b32_e32 v5, 3, v13
	v_xor_b32_e32 v4, v4, v5
	v_add_u32_e32 v0, vcc, v0, v4
	v_alignbit_b32 v4, v10, v10, 6
	v_alignbit_b32 v5, v10, v10, 11
	v_xor_b32_e32 v4, v4, v5
	v_alignbit_b32 v5, v10, v10, 25
	v_xor_b32_e32 v4, v4, v5
	v_add_u32_e32 v4, vcc, v19, v4
	v_bfi_b32 v5, v10, v12, v14
	v_add_u32_e32 v4, vcc, v4, v5
	v_add_u32_e32 v0, vcc, v4, v0
	v_alignbit_b32 v4, v3, v3, 2
	v_alignbit_b32 v5, v3, v3, 13
	v_xor_b32_e32 v4, v4, v5
	v_alignbit_b32 v5, v3, v3, 22
	v_xor_b32_e32 v4, v4, v5
	v_xor_b32_e32 v5, v7, v6
	v_and_b32_e32 v5, v3, v5
	v_and_b32_e32 v9, v7, v6
	s_mov_b32 s0, 0xc67178f2
	v_xor_b32_e32 v5, v5, v9
	v_add_u32_e32 v0, vcc, s0, v0
	v_add_u32_e32 v4, vcc, v4, v5
	v_add_u32_e32 v8, vcc, v0, v8
	v_add_u32_e32 v9, vcc, v4, v0
	v_lshlrev_b32_e32 v0, 3, v2
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_mov_b32_e32 v2, s3
	v_add_u32_e32 v4, vcc, s2, v0
	v_addc_u32_e32 v5, vcc, v2, v1, vcc
	v_add_u32_e32 v0, vcc, 0x6a09e667, v9
	v_add_u32_e32 v1, vcc, 0xbb67ae85, v3
	v_add_u32_e32 v2, vcc, 0x3c6ef372, v6
	v_add_u32_e32 v3, vcc, 0xa54ff53a, v7
	flat_store_dwordx4 v[4:5], v[0:3]
	s_nop 0
	v_add_u32_e32 v0, vcc, 0x510e527f, v8
	v_add_u32_e32 v4, vcc, 16, v4
	v_addc_u32_e32 v5, vcc, 0, v5, vcc
	v_add_u32_e32 v1, vcc, 0x9b05688c, v10
	v_add_u32_e32 v2, vcc, 0x1f83d9ab, v12
	v_add_u32_e32 v3, vcc, 0x5be0cd19, v14
	flat_store_dwordx4 v[4:5], v[0:3]
.LBB0_2:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel sha256
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
		.amdhsa_next_free_vgpr 29
		.amdhsa_next_free_sgpr 9
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
	.size	sha256, .Lfunc_end0-sha256
                                        ; -- End function
	.set sha256.num_vgpr, 29
	.set sha256.num_agpr, 0
	.set sha256.numbered_sgpr, 9
	.set sha256.num_named_barrier, 0
	.set sha256.private_seg_size, 0
	.set sha256.uses_vcc, 1
	.set sha256.uses_flat_scratch, 0
	.set sha256.has_dyn_sized_stack, 0
	.set sha256.has_recursion, 0
	.set sha256.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 11604
; TotalNumSgprs: 11
; NumVgprs: 29
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 7
; NumSGPRsForWavesPerEU: 11
; NumVGPRsForWavesPerEU: 29
; Occupancy: 8
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 6
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.text
	.protected	__clang_ocl_kern_imp_sha256 ; -- Begin function __clang_ocl_kern_imp_sha256
	.globl	__clang_ocl_kern_imp_sha256
	.p2align	2
	.type	__clang_ocl_kern_imp_sha256,@function
__clang_ocl_kern_imp_sha256:            ; @__clang_ocl_kern_imp_sha256
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_load_dword s4, s[8:9], 0xc
	v_and_b32_e32 v5, 0x3ff, v31
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s4, 0xffff
	s_mul_i32 s12, s12, s4
	v_add_u32_e32 v6, vcc, s12, v5
	v_cmp_lt_u32_e32 vcc, v6, v4
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_2
; %bb.1:
	v_lshlrev_b32_e32 v4, 4, v6
	v_mov_b32_e32 v5, 0
	v_lshlrev_b64 v[7:8], 2, v[4:5]
	s_mov_b32 s6, 0x10203
	v_add_u32_e32 v0, vcc, v0, v7
	v_addc_u32_e32 v1, vcc, v1, v8, vcc
	v_add_u32_e32 v11, vcc, 16, v0
	v_addc_u32_e32 v12, vcc, 0, v1, vcc
	v_add_u32_e32 v15, vcc, 32, v0
	v_addc_u32_e32 v16, vcc, 0, v1, vcc
	flat_load_dwordx4 v[7:10], v[0:1]
	flat_load_dwordx4 v[11:14], v[11:12]
	v_add_u32_e32 v0, vcc, 48, v0
	flat_load_dwordx4 v[20:23], v[15:16]
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_load_dwordx4 v[24:27], v[0:1]
	s_mov_b32 s7, 0x98c7e2a2
	s_mov_b32 s8, 0x67381d5d
	s_mov_b32 s9, 0xfc08884d
	s_mov_b32 s10, 0xcd2a11ae
	s_mov_b32 s11, 0xb2d5ee51
	s_mov_b32 s12, 0xbabcc441
	s_waitcnt vmcnt(3)
	v_perm_b32 v15, 0, v7, s6
	s_waitcnt vmcnt(2)
	v_perm_b32 v18, 0, v11, s6
	v_perm_b32 v19, 0, v12, s6
	v_perm_b32 v12, 0, v14, s6
	s_waitcnt vmcnt(1)
	v_perm_b32 v11, 0, v20, s6
	v_add_u32_e32 v14, vcc, s7, v15
	v_sub_u32_e32 v20, vcc, s8, v15
	v_perm_b32 v16, 0, v8, s6
	v_perm_b32 v28, 0, v9, s6
	v_perm_b32 v9, 0, v22, s6
	v_perm_b32 v8, 0, v23, s6
	s_waitcnt vmcnt(0)
	v_perm_b32 v7, 0, v24, s6
	v_alignbit_b32 v22, v14, v14, 6
	v_alignbit_b32 v23, v14, v14, 11
	v_and_b32_e32 v20, 0x9b05688c, v20
	v_and_b32_e32 v24, 0x510e527f, v14
	v_perm_b32 v17, 0, v10, s6
	v_perm_b32 v10, 0, v21, s6
	v_add_u32_e32 v21, vcc, s9, v15
	v_xor_b32_e32 v22, v22, v23
	v_or_b32_e32 v20, v20, v24
	v_alignbit_b32 v24, v14, v14, 25
	v_perm_b32 v4, 0, v25, s6
	v_alignbit_b32 v25, v21, v21, 2
	v_alignbit_b32 v23, v21, v21, 13
	v_xor_b32_e32 v22, v22, v24
	v_xor_b32_e32 v23, v25, v23
	v_alignbit_b32 v25, v21, v21, 22
	v_add_u32_e32 v20, vcc, v22, v20
	v_and_b32_e32 v24, 0xd16e48e2, v21
	v_xor_b32_e32 v23, v23, v25
	v_add_u32_e32 v20, vcc, v20, v16
	v_add_u32_e32 v22, vcc, v23, v24
	v_add_u32_e32 v23, vcc, s10, v20
	v_add_u32_e32 v22, vcc, v20, v22
	v_sub_u32_e32 v20, vcc, s11, v20
	v_alignbit_b32 v24, v23, v23, 6
	v_alignbit_b32 v25, v23, v23, 11
	v_and_b32_e32 v20, 0x510e527f, v20
	v_xor_b32_e32 v24, v24, v25
	v_and_b32_e32 v25, v14, v23
	v_or_b32_e32 v20, v20, v25
	v_alignbit_b32 v25, v23, v23, 25
	v_add_u32_e32 v22, vcc, s12, v22
	v_perm_b32 v1, 0, v26, s6
	v_xor_b32_e32 v24, v24, v25
	v_alignbit_b32 v25, v22, v22, 2
	v_alignbit_b32 v26, v22, v22, 13
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v20, vcc, v24, v20
	v_alignbit_b32 v24, v22, v22, 22
	v_xor_b32_e32 v24, v25, v24
	v_xor_b32_e32 v25, 0x6a09e667, v21
	v_and_b32_e32 v25, v22, v25
	v_and_b32_e32 v26, 0x6a09e667, v21
	v_perm_b32 v13, 0, v13, s6
	v_perm_b32 v0, 0, v27, s6
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v20, vcc, v20, v28
	s_mov_b32 s6, 0xc2e12e0
	v_add_u32_e32 v24, vcc, v24, v25
	v_add_u32_e32 v25, vcc, s6, v20
	v_alignbit_b32 v26, v25, v25, 6
	v_alignbit_b32 v27, v25, v25, 11
	s_mov_b32 s6, 0xf3d1ed1f
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v25, v25, 25
	v_add_u32_e32 v24, vcc, v20, v24
	v_sub_u32_e32 v20, vcc, s6, v20
	v_xor_b32_e32 v26, v26, v27
	v_and_b32_e32 v20, v14, v20
	v_and_b32_e32 v27, v23, v25
	s_mov_b32 s6, 0x50c6645b
	v_or_b32_e32 v20, v20, v27
	v_add_u32_e32 v24, vcc, s6, v24
	v_add_u32_e32 v20, vcc, v26, v20
	v_alignbit_b32 v26, v24, v24, 2
	v_alignbit_b32 v27, v24, v24, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v24, v24, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v21, v22
	v_and_b32_e32 v27, v24, v27
	v_and_b32_e32 v29, v21, v22
	v_xor_b32_e32 v27, v27, v29
	v_add_u32_e32 v20, vcc, v20, v17
	s_mov_b32 s6, 0xa4ce148b
	v_add_u32_e32 v26, vcc, v26, v27
	v_add_u32_e32 v27, vcc, s6, v20
	v_alignbit_b32 v29, v27, v27, 6
	v_alignbit_b32 v30, v27, v27, 11
	v_xor_b32_e32 v29, v29, v30
	v_alignbit_b32 v30, v27, v27, 25
	s_mov_b32 s6, 0x5b31eb74
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v26, vcc, v20, v26
	v_sub_u32_e32 v20, vcc, s6, v20
	v_add_u32_e32 v14, vcc, v14, v29
	v_and_b32_e32 v20, v23, v20
	v_and_b32_e32 v29, v25, v27
	v_or_b32_e32 v20, v20, v29
	s_mov_b32 s6, 0x3ac42e24
	v_add_u32_e32 v14, vcc, v14, v20
	v_add_u32_e32 v20, vcc, s6, v26
	v_alignbit_b32 v26, v20, v20, 2
	v_alignbit_b32 v29, v20, v20, 13
	v_xor_b32_e32 v26, v26, v29
	v_alignbit_b32 v29, v20, v20, 22
	v_xor_b32_e32 v26, v26, v29
	v_xor_b32_e32 v29, v22, v24
	v_and_b32_e32 v29, v20, v29
	v_and_b32_e32 v30, v22, v24
	v_add_u32_e32 v14, vcc, v14, v18
	s_mov_b32 s6, 0x3956c25b
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v14, vcc, s6, v14
	v_add_u32_e32 v26, vcc, v26, v29
	v_add_u32_e32 v21, vcc, v14, v21
	v_add_u32_e32 v14, vcc, v26, v14
	v_alignbit_b32 v26, v21, v21, 6
	v_alignbit_b32 v29, v21, v21, 11
	v_xor_b32_e32 v26, v26, v29
	v_alignbit_b32 v29, v21, v21, 25
	v_xor_b32_e32 v26, v26, v29
	v_add_u32_e32 v23, vcc, v23, v26
	v_bfi_b32 v26, v21, v27, v25
	v_add_u32_e32 v23, vcc, v23, v26
	v_alignbit_b32 v26, v14, v14, 2
	v_alignbit_b32 v29, v14, v14, 13
	v_xor_b32_e32 v26, v26, v29
	v_alignbit_b32 v29, v14, v14, 22
	v_xor_b32_e32 v26, v26, v29
	v_xor_b32_e32 v29, v24, v20
	v_and_b32_e32 v29, v14, v29
	v_and_b32_e32 v30, v24, v20
	v_add_u32_e32 v23, vcc, v23, v19
	s_mov_b32 s6, 0x59f111f1
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v23, vcc, s6, v23
	v_add_u32_e32 v26, vcc, v26, v29
	v_add_u32_e32 v22, vcc, v23, v22
	v_add_u32_e32 v23, vcc, v26, v23
	v_alignbit_b32 v26, v22, v22, 6
	v_alignbit_b32 v29, v22, v22, 11
	v_xor_b32_e32 v26, v26, v29
	v_alignbit_b32 v29, v22, v22, 25
	v_xor_b32_e32 v26, v26, v29
	v_add_u32_e32 v25, vcc, v25, v26
	v_bfi_b32 v26, v22, v21, v27
	v_add_u32_e32 v25, vcc, v25, v26
	v_alignbit_b32 v26, v23, v23, 2
	v_alignbit_b32 v29, v23, v23, 13
	v_xor_b32_e32 v26, v26, v29
	v_alignbit_b32 v29, v23, v23, 22
	v_xor_b32_e32 v26, v26, v29
	v_xor_b32_e32 v29, v20, v14
	v_and_b32_e32 v29, v23, v29
	v_and_b32_e32 v30, v20, v14
	v_add_u32_e32 v25, vcc, v25, v13
	s_mov_b32 s6, 0x923f82a4
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v25, vcc, s6, v25
	v_add_u32_e32 v26, vcc, v26, v29
	v_add_u32_e32 v24, vcc, v25, v24
	v_add_u32_e32 v25, vcc, v26, v25
	v_alignbit_b32 v26, v24, v24, 6
	v_alignbit_b32 v29, v24, v24, 11
	v_xor_b32_e32 v26, v26, v29
	v_alignbit_b32 v29, v24, v24, 25
	v_xor_b32_e32 v26, v26, v29
	v_add_u32_e32 v26, vcc, v27, v26
	v_bfi_b32 v27, v24, v22, v21
	v_add_u32_e32 v26, vcc, v26, v27
	v_alignbit_b32 v27, v25, v25, 2
	v_alignbit_b32 v29, v25, v25, 13
	v_xor_b32_e32 v27, v27, v29
	v_alignbit_b32 v29, v25, v25, 22
	v_xor_b32_e32 v27, v27, v29
	v_xor_b32_e32 v29, v14, v23
	v_and_b32_e32 v29, v25, v29
	v_and_b32_e32 v30, v14, v23
	v_add_u32_e32 v26, vcc, v26, v12
	s_mov_b32 s6, 0xab1c5ed5
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v26, vcc, s6, v26
	v_add_u32_e32 v27, vcc, v27, v29
	v_add_u32_e32 v20, vcc, v26, v20
	v_add_u32_e32 v26, vcc, v27, v26
	v_alignbit_b32 v27, v20, v20, 6
	v_alignbit_b32 v29, v20, v20, 11
	v_xor_b32_e32 v27, v27, v29
	v_alignbit_b32 v29, v20, v20, 25
	v_xor_b32_e32 v27, v27, v29
	v_add_u32_e32 v21, vcc, v21, v27
	v_bfi_b32 v27, v20, v24, v22
	v_add_u32_e32 v21, vcc, v21, v27
	v_alignbit_b32 v27, v26, v26, 2
	v_alignbit_b32 v29, v26, v26, 13
	v_xor_b32_e32 v27, v27, v29
	v_alignbit_b32 v29, v26, v26, 22
	v_xor_b32_e32 v27, v27, v29
	v_xor_b32_e32 v29, v23, v25
	v_and_b32_e32 v29, v26, v29
	v_and_b32_e32 v30, v23, v25
	v_add_u32_e32 v21, vcc, v21, v11
	s_mov_b32 s6, 0xd807aa98
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v21, vcc, s6, v21
	v_add_u32_e32 v27, vcc, v27, v29
	v_add_u32_e32 v14, vcc, v21, v14
	v_add_u32_e32 v21, vcc, v27, v21
	v_alignbit_b32 v27, v14, v14, 6
	v_alignbit_b32 v29, v14, v14, 11
	v_xor_b32_e32 v27, v27, v29
	v_alignbit_b32 v29, v14, v14, 25
	v_xor_b32_e32 v27, v27, v29
	v_add_u32_e32 v22, vcc, v22, v27
	v_bfi_b32 v27, v14, v20, v24
	v_add_u32_e32 v22, vcc, v22, v27
	v_alignbit_b32 v27, v21, v21, 2
	v_alignbit_b32 v29, v21, v21, 13
	v_xor_b32_e32 v27, v27, v29
	v_alignbit_b32 v29, v21, v21, 22
	v_xor_b32_e32 v27, v27, v29
	v_xor_b32_e32 v29, v25, v26
	v_and_b32_e32 v29, v21, v29
	v_and_b32_e32 v30, v25, v26
	v_add_u32_e32 v22, vcc, v22, v10
	s_mov_b32 s6, 0x12835b01
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v22, vcc, s6, v22
	v_add_u32_e32 v27, vcc, v27, v29
	v_add_u32_e32 v23, vcc, v22, v23
	v_add_u32_e32 v22, vcc, v27, v22
	v_alignbit_b32 v27, v23, v23, 6
	v_alignbit_b32 v29, v23, v23, 11
	v_xor_b32_e32 v27, v27, v29
	v_alignbit_b32 v29, v23, v23, 25
	v_xor_b32_e32 v27, v27, v29
	v_add_u32_e32 v24, vcc, v24, v27
	v_bfi_b32 v27, v23, v14, v20
	v_add_u32_e32 v24, vcc, v24, v27
	v_alignbit_b32 v27, v22, v22, 2
	v_alignbit_b32 v29, v22, v22, 13
	v_xor_b32_e32 v27, v27, v29
	v_alignbit_b32 v29, v22, v22, 22
	v_xor_b32_e32 v27, v27, v29
	v_xor_b32_e32 v29, v26, v21
	v_and_b32_e32 v29, v22, v29
	v_and_b32_e32 v30, v26, v21
	v_add_u32_e32 v24, vcc, v24, v9
	s_mov_b32 s6, 0x243185be
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v24, vcc, s6, v24
	v_add_u32_e32 v27, vcc, v27, v29
	v_add_u32_e32 v25, vcc, v24, v25
	v_add_u32_e32 v24, vcc, v27, v24
	v_alignbit_b32 v27, v25, v25, 6
	v_alignbit_b32 v29, v25, v25, 11
	v_xor_b32_e32 v27, v27, v29
	v_alignbit_b32 v29, v25, v25, 25
	v_xor_b32_e32 v27, v27, v29
	v_add_u32_e32 v20, vcc, v20, v27
	v_bfi_b32 v27, v25, v23, v14
	v_add_u32_e32 v20, vcc, v20, v27
	v_alignbit_b32 v27, v24, v24, 2
	v_alignbit_b32 v29, v24, v24, 13
	v_xor_b32_e32 v27, v27, v29
	v_alignbit_b32 v29, v24, v24, 22
	v_xor_b32_e32 v27, v27, v29
	v_xor_b32_e32 v29, v21, v22
	v_and_b32_e32 v29, v24, v29
	v_and_b32_e32 v30, v21, v22
	v_add_u32_e32 v20, vcc, v20, v8
	s_mov_b32 s6, 0x550c7dc3
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v20, vcc, s6, v20
	v_add_u32_e32 v27, vcc, v27, v29
	v_add_u32_e32 v26, vcc, v20, v26
	v_add_u32_e32 v20, vcc, v27, v20
	v_alignbit_b32 v27, v26, v26, 6
	v_alignbit_b32 v29, v26, v26, 11
	v_xor_b32_e32 v27, v27, v29
	v_alignbit_b32 v29, v26, v26, 25
	v_xor_b32_e32 v27, v27, v29
	v_add_u32_e32 v14, vcc, v14, v27
	v_bfi_b32 v27, v26, v25, v23
	v_add_u32_e32 v14, vcc, v14, v27
	v_alignbit_b32 v27, v20, v20, 2
	v_alignbit_b32 v29, v20, v20, 13
	v_xor_b32_e32 v27, v27, v29
	v_alignbit_b32 v29, v20, v20, 22
	v_xor_b32_e32 v27, v27, v29
	v_xor_b32_e32 v29, v22, v24
	v_and_b32_e32 v29, v20, v29
	v_and_b32_e32 v30, v22, v24
	v_add_u32_e32 v14, vcc, v14, v7
	s_mov_b32 s6, 0x72be5d74
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v14, vcc, s6, v14
	v_add_u32_e32 v27, vcc, v27, v29
	v_add_u32_e32 v21, vcc, v14, v21
	v_add_u32_e32 v27, vcc, v27, v14
	v_alignbit_b32 v14, v21, v21, 6
	v_alignbit_b32 v29, v21, v21, 11
	v_xor_b32_e32 v14, v14, v29
	v_alignbit_b32 v29, v21, v21, 25
	v_xor_b32_e32 v14, v14, v29
	v_add_u32_e32 v14, vcc, v23, v14
	v_bfi_b32 v23, v21, v26, v25
	v_add_u32_e32 v14, vcc, v14, v23
	v_alignbit_b32 v23, v27, v27, 2
	v_alignbit_b32 v29, v27, v27, 13
	v_xor_b32_e32 v23, v23, v29
	v_alignbit_b32 v29, v27, v27, 22
	v_xor_b32_e32 v23, v23, v29
	v_xor_b32_e32 v29, v24, v20
	v_and_b32_e32 v29, v27, v29
	v_and_b32_e32 v30, v24, v20
	v_add_u32_e32 v14, vcc, v14, v4
	s_mov_b32 s6, 0x80deb1fe
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v14, vcc, s6, v14
	v_add_u32_e32 v23, vcc, v23, v29
	v_add_u32_e32 v22, vcc, v14, v22
	v_add_u32_e32 v23, vcc, v23, v14
	v_alignbit_b32 v14, v22, v22, 6
	v_alignbit_b32 v29, v22, v22, 11
	v_xor_b32_e32 v14, v14, v29
	v_alignbit_b32 v29, v22, v22, 25
	v_xor_b32_e32 v14, v14, v29
	v_add_u32_e32 v14, vcc, v25, v14
	v_bfi_b32 v25, v22, v21, v26
	v_add_u32_e32 v14, vcc, v14, v25
	v_alignbit_b32 v25, v23, v23, 2
	v_alignbit_b32 v29, v23, v23, 13
	v_xor_b32_e32 v25, v25, v29
	v_alignbit_b32 v29, v23, v23, 22
	v_xor_b32_e32 v25, v25, v29
	v_xor_b32_e32 v29, v20, v27
	v_and_b32_e32 v29, v23, v29
	v_and_b32_e32 v30, v20, v27
	v_add_u32_e32 v14, vcc, v14, v1
	s_mov_b32 s6, 0x9bdc06a7
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v14, vcc, s6, v14
	v_add_u32_e32 v25, vcc, v25, v29
	v_add_u32_e32 v24, vcc, v14, v24
	v_add_u32_e32 v25, vcc, v25, v14
	v_alignbit_b32 v14, v24, v24, 6
	v_alignbit_b32 v29, v24, v24, 11
	v_xor_b32_e32 v14, v14, v29
	v_alignbit_b32 v29, v24, v24, 25
	v_xor_b32_e32 v14, v14, v29
	v_add_u32_e32 v14, vcc, v26, v14
	v_bfi_b32 v26, v24, v22, v21
	v_add_u32_e32 v14, vcc, v14, v26
	v_alignbit_b32 v26, v25, v25, 2
	v_alignbit_b32 v29, v25, v25, 13
	v_xor_b32_e32 v26, v26, v29
	v_alignbit_b32 v29, v25, v25, 22
	v_xor_b32_e32 v26, v26, v29
	v_xor_b32_e32 v29, v27, v23
	v_and_b32_e32 v29, v25, v29
	v_and_b32_e32 v30, v27, v23
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v14, vcc, v14, v0
	s_mov_b32 s6, 0xc19bf174
	v_add_u32_e32 v26, vcc, v26, v29
	v_add_u32_e32 v14, vcc, s6, v14
	v_add_u32_e32 v20, vcc, v14, v20
	v_add_u32_e32 v26, vcc, v26, v14
	v_alignbit_b32 v14, v1, v1, 17
	v_alignbit_b32 v29, v1, v1, 19
	v_xor_b32_e32 v14, v14, v29
	v_lshrrev_b32_e32 v29, 10, v1
	v_xor_b32_e32 v14, v14, v29
	v_alignbit_b32 v29, v16, v16, 7
	v_alignbit_b32 v30, v16, v16, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v16
	v_add_u32_e32 v15, vcc, v10, v15
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v14, vcc, v15, v14
	v_add_u32_e32 v14, vcc, v14, v29
	v_alignbit_b32 v15, v20, v20, 6
	v_alignbit_b32 v29, v20, v20, 11
	v_xor_b32_e32 v15, v15, v29
	v_alignbit_b32 v29, v20, v20, 25
	v_xor_b32_e32 v15, v15, v29
	v_add_u32_e32 v15, vcc, v21, v15
	v_bfi_b32 v21, v20, v24, v22
	v_add_u32_e32 v15, vcc, v15, v21
	v_alignbit_b32 v21, v26, v26, 2
	v_alignbit_b32 v29, v26, v26, 13
	v_xor_b32_e32 v21, v21, v29
	v_alignbit_b32 v29, v26, v26, 22
	v_xor_b32_e32 v21, v21, v29
	v_xor_b32_e32 v29, v23, v25
	v_and_b32_e32 v29, v26, v29
	v_and_b32_e32 v30, v23, v25
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v15, vcc, v15, v14
	s_mov_b32 s6, 0xe49b69c1
	v_add_u32_e32 v21, vcc, v21, v29
	v_add_u32_e32 v15, vcc, s6, v15
	v_add_u32_e32 v27, vcc, v15, v27
	v_add_u32_e32 v21, vcc, v21, v15
	v_alignbit_b32 v15, v0, v0, 17
	v_alignbit_b32 v29, v0, v0, 19
	v_xor_b32_e32 v15, v15, v29
	v_lshrrev_b32_e32 v29, 10, v0
	v_xor_b32_e32 v15, v15, v29
	v_alignbit_b32 v29, v28, v28, 7
	v_alignbit_b32 v30, v28, v28, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v28
	v_add_u32_e32 v16, vcc, v9, v16
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v15, vcc, v16, v15
	v_add_u32_e32 v15, vcc, v15, v29
	v_alignbit_b32 v16, v27, v27, 6
	v_alignbit_b32 v29, v27, v27, 11
	v_xor_b32_e32 v16, v16, v29
	v_alignbit_b32 v29, v27, v27, 25
	v_xor_b32_e32 v16, v16, v29
	v_add_u32_e32 v16, vcc, v22, v16
	v_bfi_b32 v22, v27, v20, v24
	v_add_u32_e32 v16, vcc, v16, v22
	v_alignbit_b32 v22, v21, v21, 2
	v_alignbit_b32 v29, v21, v21, 13
	v_xor_b32_e32 v22, v22, v29
	v_alignbit_b32 v29, v21, v21, 22
	v_xor_b32_e32 v22, v22, v29
	v_xor_b32_e32 v29, v25, v26
	v_and_b32_e32 v29, v21, v29
	v_and_b32_e32 v30, v25, v26
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v16, vcc, v16, v15
	s_mov_b32 s6, 0xefbe4786
	v_add_u32_e32 v22, vcc, v22, v29
	v_add_u32_e32 v16, vcc, s6, v16
	v_add_u32_e32 v23, vcc, v16, v23
	v_add_u32_e32 v22, vcc, v22, v16
	v_alignbit_b32 v16, v14, v14, 17
	v_alignbit_b32 v29, v14, v14, 19
	v_xor_b32_e32 v16, v16, v29
	v_lshrrev_b32_e32 v29, 10, v14
	v_xor_b32_e32 v16, v16, v29
	v_alignbit_b32 v29, v17, v17, 7
	v_alignbit_b32 v30, v17, v17, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v17
	v_add_u32_e32 v28, vcc, v8, v28
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v16, vcc, v28, v16
	v_add_u32_e32 v16, vcc, v16, v29
	v_alignbit_b32 v28, v23, v23, 6
	v_alignbit_b32 v29, v23, v23, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v23, v23, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v24, vcc, v24, v28
	v_bfi_b32 v28, v23, v27, v20
	v_add_u32_e32 v24, vcc, v24, v28
	v_alignbit_b32 v28, v22, v22, 2
	v_alignbit_b32 v29, v22, v22, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v22, v22, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v26, v21
	v_and_b32_e32 v29, v22, v29
	v_and_b32_e32 v30, v26, v21
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v24, vcc, v24, v16
	s_mov_b32 s6, 0xfc19dc6
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v24, vcc, s6, v24
	v_add_u32_e32 v25, vcc, v24, v25
	v_add_u32_e32 v24, vcc, v28, v24
	v_alignbit_b32 v28, v15, v15, 17
	v_alignbit_b32 v29, v15, v15, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v15
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v18, v18, 7
	v_alignbit_b32 v30, v18, v18, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v18
	v_add_u32_e32 v17, vcc, v7, v17
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v17, vcc, v17, v28
	v_add_u32_e32 v17, vcc, v17, v29
	v_alignbit_b32 v28, v25, v25, 6
	v_alignbit_b32 v29, v25, v25, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v25, v25, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v20, vcc, v20, v28
	v_bfi_b32 v28, v25, v23, v27
	v_add_u32_e32 v20, vcc, v20, v28
	v_alignbit_b32 v28, v24, v24, 2
	v_alignbit_b32 v29, v24, v24, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v24, v24, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v21, v22
	v_and_b32_e32 v29, v24, v29
	v_and_b32_e32 v30, v21, v22
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v20, vcc, v20, v17
	s_mov_b32 s6, 0x240ca1cc
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v20, vcc, s6, v20
	v_add_u32_e32 v26, vcc, v20, v26
	v_add_u32_e32 v20, vcc, v28, v20
	v_alignbit_b32 v28, v16, v16, 17
	v_alignbit_b32 v29, v16, v16, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v16
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v19, v19, 7
	v_alignbit_b32 v30, v19, v19, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v19
	v_add_u32_e32 v18, vcc, v4, v18
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v18, vcc, v18, v28
	v_add_u32_e32 v18, vcc, v18, v29
	v_alignbit_b32 v28, v26, v26, 6
	v_alignbit_b32 v29, v26, v26, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v26, v26, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v27, vcc, v27, v28
	v_bfi_b32 v28, v26, v25, v23
	v_add_u32_e32 v27, vcc, v27, v28
	v_alignbit_b32 v28, v20, v20, 2
	v_alignbit_b32 v29, v20, v20, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v20, v20, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v22, v24
	v_and_b32_e32 v29, v20, v29
	v_and_b32_e32 v30, v22, v24
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v27, vcc, v27, v18
	s_mov_b32 s6, 0x2de92c6f
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v27, vcc, s6, v27
	v_add_u32_e32 v21, vcc, v27, v21
	v_add_u32_e32 v27, vcc, v28, v27
	v_alignbit_b32 v28, v17, v17, 17
	v_alignbit_b32 v29, v17, v17, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v17
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v13, v13, 7
	v_alignbit_b32 v30, v13, v13, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v13
	v_add_u32_e32 v19, vcc, v1, v19
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v19, vcc, v19, v28
	v_add_u32_e32 v19, vcc, v19, v29
	v_alignbit_b32 v28, v21, v21, 6
	v_alignbit_b32 v29, v21, v21, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v21, v21, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v23, vcc, v23, v28
	v_bfi_b32 v28, v21, v26, v25
	v_add_u32_e32 v23, vcc, v23, v28
	v_alignbit_b32 v28, v27, v27, 2
	v_alignbit_b32 v29, v27, v27, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v27, v27, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v24, v20
	v_and_b32_e32 v29, v27, v29
	v_and_b32_e32 v30, v24, v20
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v23, vcc, v23, v19
	s_mov_b32 s6, 0x4a7484aa
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v23, vcc, s6, v23
	v_add_u32_e32 v22, vcc, v23, v22
	v_add_u32_e32 v23, vcc, v28, v23
	v_alignbit_b32 v28, v18, v18, 17
	v_alignbit_b32 v29, v18, v18, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v18
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v12, v12, 7
	v_alignbit_b32 v30, v12, v12, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v12
	v_add_u32_e32 v13, vcc, v0, v13
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v13, vcc, v13, v28
	v_add_u32_e32 v13, vcc, v13, v29
	v_alignbit_b32 v28, v22, v22, 6
	v_alignbit_b32 v29, v22, v22, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v22, v22, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v25, vcc, v25, v28
	v_bfi_b32 v28, v22, v21, v26
	v_add_u32_e32 v25, vcc, v25, v28
	v_alignbit_b32 v28, v23, v23, 2
	v_alignbit_b32 v29, v23, v23, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v23, v23, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v20, v27
	v_and_b32_e32 v29, v23, v29
	v_and_b32_e32 v30, v20, v27
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v25, vcc, v25, v13
	s_mov_b32 s6, 0x5cb0a9dc
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v25, vcc, s6, v25
	v_add_u32_e32 v24, vcc, v25, v24
	v_add_u32_e32 v25, vcc, v28, v25
	v_alignbit_b32 v28, v19, v19, 17
	v_alignbit_b32 v29, v19, v19, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v19
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v11, v11, 7
	v_alignbit_b32 v30, v11, v11, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v11
	v_add_u32_e32 v12, vcc, v14, v12
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v12, vcc, v12, v28
	v_add_u32_e32 v12, vcc, v12, v29
	v_alignbit_b32 v28, v24, v24, 6
	v_alignbit_b32 v29, v24, v24, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v24, v24, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v26, vcc, v26, v28
	v_bfi_b32 v28, v24, v22, v21
	v_add_u32_e32 v26, vcc, v26, v28
	v_alignbit_b32 v28, v25, v25, 2
	v_alignbit_b32 v29, v25, v25, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v25, v25, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v27, v23
	v_and_b32_e32 v29, v25, v29
	v_and_b32_e32 v30, v27, v23
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v26, vcc, v26, v12
	s_mov_b32 s6, 0x76f988da
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v26, vcc, s6, v26
	v_add_u32_e32 v20, vcc, v26, v20
	v_add_u32_e32 v26, vcc, v28, v26
	v_alignbit_b32 v28, v13, v13, 17
	v_alignbit_b32 v29, v13, v13, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v10, v10, 7
	v_alignbit_b32 v30, v10, v10, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v10
	v_add_u32_e32 v11, vcc, v15, v11
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v11, vcc, v11, v28
	v_add_u32_e32 v11, vcc, v11, v29
	v_alignbit_b32 v28, v20, v20, 6
	v_alignbit_b32 v29, v20, v20, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v20, v20, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v21, vcc, v21, v28
	v_bfi_b32 v28, v20, v24, v22
	v_add_u32_e32 v21, vcc, v21, v28
	v_alignbit_b32 v28, v26, v26, 2
	v_alignbit_b32 v29, v26, v26, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v26, v26, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v23, v25
	v_and_b32_e32 v29, v26, v29
	v_and_b32_e32 v30, v23, v25
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v21, vcc, v21, v11
	s_mov_b32 s6, 0x983e5152
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v21, vcc, s6, v21
	v_add_u32_e32 v27, vcc, v21, v27
	v_add_u32_e32 v21, vcc, v28, v21
	v_alignbit_b32 v28, v12, v12, 17
	v_alignbit_b32 v29, v12, v12, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v12
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v9, v9, 7
	v_alignbit_b32 v30, v9, v9, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v9
	v_add_u32_e32 v10, vcc, v16, v10
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v10, vcc, v10, v28
	v_add_u32_e32 v10, vcc, v10, v29
	v_alignbit_b32 v28, v27, v27, 6
	v_alignbit_b32 v29, v27, v27, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v27, v27, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v22, vcc, v22, v28
	v_bfi_b32 v28, v27, v20, v24
	v_add_u32_e32 v22, vcc, v22, v28
	v_alignbit_b32 v28, v21, v21, 2
	v_alignbit_b32 v29, v21, v21, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v21, v21, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v25, v26
	v_and_b32_e32 v29, v21, v29
	v_and_b32_e32 v30, v25, v26
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v22, vcc, v22, v10
	s_mov_b32 s6, 0xa831c66d
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v22, vcc, s6, v22
	v_add_u32_e32 v23, vcc, v22, v23
	v_add_u32_e32 v22, vcc, v28, v22
	v_alignbit_b32 v28, v11, v11, 17
	v_alignbit_b32 v29, v11, v11, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v8, v8, 7
	v_alignbit_b32 v30, v8, v8, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v8
	v_add_u32_e32 v9, vcc, v17, v9
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v9, vcc, v9, v28
	v_add_u32_e32 v9, vcc, v9, v29
	v_alignbit_b32 v28, v23, v23, 6
	v_alignbit_b32 v29, v23, v23, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v23, v23, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v24, vcc, v24, v28
	v_bfi_b32 v28, v23, v27, v20
	v_add_u32_e32 v24, vcc, v24, v28
	v_alignbit_b32 v28, v22, v22, 2
	v_alignbit_b32 v29, v22, v22, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v22, v22, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v26, v21
	v_and_b32_e32 v29, v22, v29
	v_and_b32_e32 v30, v26, v21
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v24, vcc, v24, v9
	s_mov_b32 s6, 0xb00327c8
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v24, vcc, s6, v24
	v_add_u32_e32 v25, vcc, v24, v25
	v_add_u32_e32 v24, vcc, v28, v24
	v_alignbit_b32 v28, v10, v10, 17
	v_alignbit_b32 v29, v10, v10, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v10
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v7, v7, 7
	v_alignbit_b32 v30, v7, v7, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v7
	v_add_u32_e32 v8, vcc, v18, v8
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v8, vcc, v8, v28
	v_add_u32_e32 v8, vcc, v8, v29
	v_alignbit_b32 v28, v25, v25, 6
	v_alignbit_b32 v29, v25, v25, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v25, v25, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v20, vcc, v20, v28
	v_bfi_b32 v28, v25, v23, v27
	v_add_u32_e32 v20, vcc, v20, v28
	v_alignbit_b32 v28, v24, v24, 2
	v_alignbit_b32 v29, v24, v24, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v24, v24, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v21, v22
	v_and_b32_e32 v29, v24, v29
	v_and_b32_e32 v30, v21, v22
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v20, vcc, v20, v8
	s_mov_b32 s6, 0xbf597fc7
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v20, vcc, s6, v20
	v_add_u32_e32 v26, vcc, v20, v26
	v_add_u32_e32 v20, vcc, v28, v20
	v_alignbit_b32 v28, v9, v9, 17
	v_alignbit_b32 v29, v9, v9, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v9
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v4, v4, 7
	v_alignbit_b32 v30, v4, v4, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v4
	v_add_u32_e32 v7, vcc, v19, v7
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v7, vcc, v7, v28
	v_add_u32_e32 v7, vcc, v7, v29
	v_alignbit_b32 v28, v26, v26, 6
	v_alignbit_b32 v29, v26, v26, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v26, v26, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v27, vcc, v27, v28
	v_bfi_b32 v28, v26, v25, v23
	v_add_u32_e32 v27, vcc, v27, v28
	v_alignbit_b32 v28, v20, v20, 2
	v_alignbit_b32 v29, v20, v20, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v20, v20, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v22, v24
	v_and_b32_e32 v29, v20, v29
	v_and_b32_e32 v30, v22, v24
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v27, vcc, v27, v7
	s_mov_b32 s6, 0xc6e00bf3
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v27, vcc, s6, v27
	v_add_u32_e32 v21, vcc, v27, v21
	v_add_u32_e32 v27, vcc, v28, v27
	v_alignbit_b32 v28, v8, v8, 17
	v_alignbit_b32 v29, v8, v8, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v8
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v1, v1, 7
	v_alignbit_b32 v30, v1, v1, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v1
	v_add_u32_e32 v4, vcc, v13, v4
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v4, vcc, v4, v28
	v_add_u32_e32 v4, vcc, v4, v29
	v_alignbit_b32 v28, v21, v21, 6
	v_alignbit_b32 v29, v21, v21, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v21, v21, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v23, vcc, v23, v28
	v_bfi_b32 v28, v21, v26, v25
	v_add_u32_e32 v23, vcc, v23, v28
	v_alignbit_b32 v28, v27, v27, 2
	v_alignbit_b32 v29, v27, v27, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v27, v27, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v24, v20
	v_and_b32_e32 v29, v27, v29
	v_and_b32_e32 v30, v24, v20
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v23, vcc, v23, v4
	s_mov_b32 s6, 0xd5a79147
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v23, vcc, s6, v23
	v_add_u32_e32 v22, vcc, v23, v22
	v_add_u32_e32 v23, vcc, v28, v23
	v_alignbit_b32 v28, v7, v7, 17
	v_alignbit_b32 v29, v7, v7, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v7
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v0, v0, 7
	v_alignbit_b32 v30, v0, v0, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v0
	v_add_u32_e32 v1, vcc, v12, v1
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v1, vcc, v1, v28
	v_add_u32_e32 v1, vcc, v1, v29
	v_alignbit_b32 v28, v22, v22, 6
	v_alignbit_b32 v29, v22, v22, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v22, v22, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v25, vcc, v25, v28
	v_bfi_b32 v28, v22, v21, v26
	v_add_u32_e32 v25, vcc, v25, v28
	v_alignbit_b32 v28, v23, v23, 2
	v_alignbit_b32 v29, v23, v23, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v23, v23, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v20, v27
	v_and_b32_e32 v29, v23, v29
	v_and_b32_e32 v30, v20, v27
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v25, vcc, v25, v1
	s_mov_b32 s6, 0x6ca6351
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v25, vcc, s6, v25
	v_add_u32_e32 v24, vcc, v25, v24
	v_add_u32_e32 v25, vcc, v28, v25
	v_alignbit_b32 v28, v4, v4, 17
	v_alignbit_b32 v29, v4, v4, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v4
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v14, v14, 7
	v_alignbit_b32 v30, v14, v14, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v14
	v_add_u32_e32 v0, vcc, v11, v0
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v0, vcc, v0, v28
	v_add_u32_e32 v0, vcc, v0, v29
	v_alignbit_b32 v28, v24, v24, 6
	v_alignbit_b32 v29, v24, v24, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v24, v24, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v26, vcc, v26, v28
	v_bfi_b32 v28, v24, v22, v21
	v_add_u32_e32 v26, vcc, v26, v28
	v_alignbit_b32 v28, v25, v25, 2
	v_alignbit_b32 v29, v25, v25, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v25, v25, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v27, v23
	v_and_b32_e32 v29, v25, v29
	v_and_b32_e32 v30, v27, v23
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v26, vcc, v26, v0
	s_mov_b32 s6, 0x14292967
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v26, vcc, s6, v26
	v_add_u32_e32 v20, vcc, v26, v20
	v_add_u32_e32 v26, vcc, v28, v26
	v_alignbit_b32 v28, v1, v1, 17
	v_alignbit_b32 v29, v1, v1, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v1
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v15, v15, 7
	v_alignbit_b32 v30, v15, v15, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v15
	v_add_u32_e32 v14, vcc, v10, v14
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v14, vcc, v14, v28
	v_add_u32_e32 v14, vcc, v14, v29
	v_alignbit_b32 v28, v20, v20, 6
	v_alignbit_b32 v29, v20, v20, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v20, v20, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v21, vcc, v21, v28
	v_bfi_b32 v28, v20, v24, v22
	v_add_u32_e32 v21, vcc, v21, v28
	v_alignbit_b32 v28, v26, v26, 2
	v_alignbit_b32 v29, v26, v26, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v26, v26, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v23, v25
	v_and_b32_e32 v29, v26, v29
	v_and_b32_e32 v30, v23, v25
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v21, vcc, v21, v14
	s_mov_b32 s6, 0x27b70a85
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v21, vcc, s6, v21
	v_add_u32_e32 v27, vcc, v21, v27
	v_add_u32_e32 v21, vcc, v28, v21
	v_alignbit_b32 v28, v0, v0, 17
	v_alignbit_b32 v29, v0, v0, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v0
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v16, v16, 7
	v_alignbit_b32 v30, v16, v16, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v16
	v_add_u32_e32 v15, vcc, v9, v15
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v15, vcc, v15, v28
	v_add_u32_e32 v15, vcc, v15, v29
	v_alignbit_b32 v28, v27, v27, 6
	v_alignbit_b32 v29, v27, v27, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v27, v27, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v22, vcc, v22, v28
	v_bfi_b32 v28, v27, v20, v24
	v_add_u32_e32 v22, vcc, v22, v28
	v_alignbit_b32 v28, v21, v21, 2
	v_alignbit_b32 v29, v21, v21, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v21, v21, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v25, v26
	v_and_b32_e32 v29, v21, v29
	v_and_b32_e32 v30, v25, v26
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v22, vcc, v22, v15
	s_mov_b32 s6, 0x2e1b2138
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v22, vcc, s6, v22
	v_add_u32_e32 v23, vcc, v22, v23
	v_add_u32_e32 v22, vcc, v28, v22
	v_alignbit_b32 v28, v14, v14, 17
	v_alignbit_b32 v29, v14, v14, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v14
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v17, v17, 7
	v_alignbit_b32 v30, v17, v17, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v17
	v_add_u32_e32 v16, vcc, v8, v16
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v16, vcc, v16, v28
	v_add_u32_e32 v16, vcc, v16, v29
	v_alignbit_b32 v28, v23, v23, 6
	v_alignbit_b32 v29, v23, v23, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v23, v23, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v24, vcc, v24, v28
	v_bfi_b32 v28, v23, v27, v20
	v_add_u32_e32 v24, vcc, v24, v28
	v_alignbit_b32 v28, v22, v22, 2
	v_alignbit_b32 v29, v22, v22, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v22, v22, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v26, v21
	v_and_b32_e32 v29, v22, v29
	v_and_b32_e32 v30, v26, v21
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v24, vcc, v24, v16
	s_mov_b32 s6, 0x4d2c6dfc
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v24, vcc, s6, v24
	v_add_u32_e32 v25, vcc, v24, v25
	v_add_u32_e32 v24, vcc, v28, v24
	v_alignbit_b32 v28, v15, v15, 17
	v_alignbit_b32 v29, v15, v15, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v15
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v18, v18, 7
	v_alignbit_b32 v30, v18, v18, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v18
	v_add_u32_e32 v17, vcc, v7, v17
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v17, vcc, v17, v28
	v_add_u32_e32 v17, vcc, v17, v29
	v_alignbit_b32 v28, v25, v25, 6
	v_alignbit_b32 v29, v25, v25, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v25, v25, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v20, vcc, v20, v28
	v_bfi_b32 v28, v25, v23, v27
	v_add_u32_e32 v20, vcc, v20, v28
	v_alignbit_b32 v28, v24, v24, 2
	v_alignbit_b32 v29, v24, v24, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v24, v24, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v21, v22
	v_and_b32_e32 v29, v24, v29
	v_and_b32_e32 v30, v21, v22
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v20, vcc, v20, v17
	s_mov_b32 s6, 0x53380d13
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v20, vcc, s6, v20
	v_add_u32_e32 v26, vcc, v20, v26
	v_add_u32_e32 v20, vcc, v28, v20
	v_alignbit_b32 v28, v16, v16, 17
	v_alignbit_b32 v29, v16, v16, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v16
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v19, v19, 7
	v_alignbit_b32 v30, v19, v19, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v19
	v_add_u32_e32 v18, vcc, v4, v18
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v18, vcc, v18, v28
	v_add_u32_e32 v18, vcc, v18, v29
	v_alignbit_b32 v28, v26, v26, 6
	v_alignbit_b32 v29, v26, v26, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v26, v26, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v27, vcc, v27, v28
	v_bfi_b32 v28, v26, v25, v23
	v_add_u32_e32 v27, vcc, v27, v28
	v_alignbit_b32 v28, v20, v20, 2
	v_alignbit_b32 v29, v20, v20, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v20, v20, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v22, v24
	v_and_b32_e32 v29, v20, v29
	v_and_b32_e32 v30, v22, v24
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v27, vcc, v27, v18
	s_mov_b32 s6, 0x650a7354
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v27, vcc, s6, v27
	v_add_u32_e32 v21, vcc, v27, v21
	v_add_u32_e32 v27, vcc, v28, v27
	v_alignbit_b32 v28, v17, v17, 17
	v_alignbit_b32 v29, v17, v17, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v17
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v13, v13, 7
	v_alignbit_b32 v30, v13, v13, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v13
	v_add_u32_e32 v19, vcc, v1, v19
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v19, vcc, v19, v28
	v_add_u32_e32 v19, vcc, v19, v29
	v_alignbit_b32 v28, v21, v21, 6
	v_alignbit_b32 v29, v21, v21, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v21, v21, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v23, vcc, v23, v28
	v_bfi_b32 v28, v21, v26, v25
	v_add_u32_e32 v23, vcc, v23, v28
	v_alignbit_b32 v28, v27, v27, 2
	v_alignbit_b32 v29, v27, v27, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v27, v27, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v24, v20
	v_and_b32_e32 v29, v27, v29
	v_and_b32_e32 v30, v24, v20
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v23, vcc, v23, v19
	s_mov_b32 s6, 0x766a0abb
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v23, vcc, s6, v23
	v_add_u32_e32 v22, vcc, v23, v22
	v_add_u32_e32 v23, vcc, v28, v23
	v_alignbit_b32 v28, v18, v18, 17
	v_alignbit_b32 v29, v18, v18, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v18
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v12, v12, 7
	v_alignbit_b32 v30, v12, v12, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v12
	v_add_u32_e32 v13, vcc, v0, v13
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v13, vcc, v13, v28
	v_add_u32_e32 v13, vcc, v13, v29
	v_alignbit_b32 v28, v22, v22, 6
	v_alignbit_b32 v29, v22, v22, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v22, v22, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v25, vcc, v25, v28
	v_bfi_b32 v28, v22, v21, v26
	v_add_u32_e32 v25, vcc, v25, v28
	v_alignbit_b32 v28, v23, v23, 2
	v_alignbit_b32 v29, v23, v23, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v23, v23, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v20, v27
	v_and_b32_e32 v29, v23, v29
	v_and_b32_e32 v30, v20, v27
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v25, vcc, v25, v13
	s_mov_b32 s6, 0x81c2c92e
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v25, vcc, s6, v25
	v_add_u32_e32 v24, vcc, v25, v24
	v_add_u32_e32 v25, vcc, v28, v25
	v_alignbit_b32 v28, v19, v19, 17
	v_alignbit_b32 v29, v19, v19, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v19
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v11, v11, 7
	v_alignbit_b32 v30, v11, v11, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v11
	v_add_u32_e32 v12, vcc, v14, v12
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v12, vcc, v12, v28
	v_add_u32_e32 v12, vcc, v12, v29
	v_alignbit_b32 v28, v24, v24, 6
	v_alignbit_b32 v29, v24, v24, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v24, v24, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v26, vcc, v26, v28
	v_bfi_b32 v28, v24, v22, v21
	v_add_u32_e32 v26, vcc, v26, v28
	v_alignbit_b32 v28, v25, v25, 2
	v_alignbit_b32 v29, v25, v25, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v25, v25, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v27, v23
	v_and_b32_e32 v29, v25, v29
	v_and_b32_e32 v30, v27, v23
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v26, vcc, v26, v12
	s_mov_b32 s6, 0x92722c85
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v26, vcc, s6, v26
	v_add_u32_e32 v20, vcc, v26, v20
	v_add_u32_e32 v26, vcc, v28, v26
	v_alignbit_b32 v28, v13, v13, 17
	v_alignbit_b32 v29, v13, v13, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v10, v10, 7
	v_alignbit_b32 v30, v10, v10, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v10
	v_add_u32_e32 v11, vcc, v15, v11
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v11, vcc, v11, v28
	v_add_u32_e32 v11, vcc, v11, v29
	v_alignbit_b32 v28, v20, v20, 6
	v_alignbit_b32 v29, v20, v20, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v20, v20, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v21, vcc, v21, v28
	v_bfi_b32 v28, v20, v24, v22
	v_add_u32_e32 v21, vcc, v21, v28
	v_alignbit_b32 v28, v26, v26, 2
	v_alignbit_b32 v29, v26, v26, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v26, v26, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v23, v25
	v_and_b32_e32 v29, v26, v29
	v_and_b32_e32 v30, v23, v25
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v21, vcc, v21, v11
	s_mov_b32 s6, 0xa2bfe8a1
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v21, vcc, s6, v21
	v_add_u32_e32 v27, vcc, v21, v27
	v_add_u32_e32 v21, vcc, v28, v21
	v_alignbit_b32 v28, v12, v12, 17
	v_alignbit_b32 v29, v12, v12, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v12
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v9, v9, 7
	v_alignbit_b32 v30, v9, v9, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v9
	v_add_u32_e32 v10, vcc, v16, v10
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v10, vcc, v10, v28
	v_add_u32_e32 v10, vcc, v10, v29
	v_alignbit_b32 v28, v27, v27, 6
	v_alignbit_b32 v29, v27, v27, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v27, v27, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v22, vcc, v22, v28
	v_bfi_b32 v28, v27, v20, v24
	v_add_u32_e32 v22, vcc, v22, v28
	v_alignbit_b32 v28, v21, v21, 2
	v_alignbit_b32 v29, v21, v21, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v21, v21, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v25, v26
	v_and_b32_e32 v29, v21, v29
	v_and_b32_e32 v30, v25, v26
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v22, vcc, v22, v10
	s_mov_b32 s6, 0xa81a664b
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v22, vcc, s6, v22
	v_add_u32_e32 v23, vcc, v22, v23
	v_add_u32_e32 v22, vcc, v28, v22
	v_alignbit_b32 v28, v11, v11, 17
	v_alignbit_b32 v29, v11, v11, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v8, v8, 7
	v_alignbit_b32 v30, v8, v8, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v8
	v_add_u32_e32 v9, vcc, v17, v9
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v9, vcc, v9, v28
	v_add_u32_e32 v9, vcc, v9, v29
	v_alignbit_b32 v28, v23, v23, 6
	v_alignbit_b32 v29, v23, v23, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v23, v23, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v24, vcc, v24, v28
	v_bfi_b32 v28, v23, v27, v20
	v_add_u32_e32 v24, vcc, v24, v28
	v_alignbit_b32 v28, v22, v22, 2
	v_alignbit_b32 v29, v22, v22, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v22, v22, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v26, v21
	v_and_b32_e32 v29, v22, v29
	v_and_b32_e32 v30, v26, v21
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v24, vcc, v24, v9
	s_mov_b32 s6, 0xc24b8b70
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v24, vcc, s6, v24
	v_add_u32_e32 v25, vcc, v24, v25
	v_add_u32_e32 v24, vcc, v28, v24
	v_alignbit_b32 v28, v10, v10, 17
	v_alignbit_b32 v29, v10, v10, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v10
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v7, v7, 7
	v_alignbit_b32 v30, v7, v7, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v7
	v_add_u32_e32 v8, vcc, v18, v8
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v8, vcc, v8, v28
	v_add_u32_e32 v8, vcc, v8, v29
	v_alignbit_b32 v28, v25, v25, 6
	v_alignbit_b32 v29, v25, v25, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v25, v25, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v20, vcc, v20, v28
	v_bfi_b32 v28, v25, v23, v27
	v_add_u32_e32 v20, vcc, v20, v28
	v_alignbit_b32 v28, v24, v24, 2
	v_alignbit_b32 v29, v24, v24, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v24, v24, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v21, v22
	v_and_b32_e32 v29, v24, v29
	v_and_b32_e32 v30, v21, v22
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v20, vcc, v20, v8
	s_mov_b32 s6, 0xc76c51a3
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v20, vcc, s6, v20
	v_add_u32_e32 v26, vcc, v20, v26
	v_add_u32_e32 v20, vcc, v28, v20
	v_alignbit_b32 v28, v9, v9, 17
	v_alignbit_b32 v29, v9, v9, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v9
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v4, v4, 7
	v_alignbit_b32 v30, v4, v4, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v4
	v_add_u32_e32 v7, vcc, v19, v7
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v7, vcc, v7, v28
	v_add_u32_e32 v7, vcc, v7, v29
	v_alignbit_b32 v28, v26, v26, 6
	v_alignbit_b32 v29, v26, v26, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v26, v26, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v27, vcc, v27, v28
	v_bfi_b32 v28, v26, v25, v23
	v_add_u32_e32 v27, vcc, v27, v28
	v_alignbit_b32 v28, v20, v20, 2
	v_alignbit_b32 v29, v20, v20, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v20, v20, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v22, v24
	v_and_b32_e32 v29, v20, v29
	v_and_b32_e32 v30, v22, v24
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v27, vcc, v27, v7
	s_mov_b32 s6, 0xd192e819
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v27, vcc, s6, v27
	v_add_u32_e32 v21, vcc, v27, v21
	v_add_u32_e32 v27, vcc, v28, v27
	v_alignbit_b32 v28, v8, v8, 17
	v_alignbit_b32 v29, v8, v8, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v8
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v1, v1, 7
	v_alignbit_b32 v30, v1, v1, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v1
	v_add_u32_e32 v4, vcc, v13, v4
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v4, vcc, v4, v28
	v_add_u32_e32 v4, vcc, v4, v29
	v_alignbit_b32 v28, v21, v21, 6
	v_alignbit_b32 v29, v21, v21, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v21, v21, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v23, vcc, v23, v28
	v_bfi_b32 v28, v21, v26, v25
	v_add_u32_e32 v23, vcc, v23, v28
	v_alignbit_b32 v28, v27, v27, 2
	v_alignbit_b32 v29, v27, v27, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v27, v27, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v24, v20
	v_and_b32_e32 v29, v27, v29
	v_and_b32_e32 v30, v24, v20
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v23, vcc, v23, v4
	s_mov_b32 s6, 0xd6990624
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v23, vcc, s6, v23
	v_add_u32_e32 v22, vcc, v23, v22
	v_add_u32_e32 v23, vcc, v28, v23
	v_alignbit_b32 v28, v7, v7, 17
	v_alignbit_b32 v29, v7, v7, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v7
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v0, v0, 7
	v_alignbit_b32 v30, v0, v0, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v0
	v_add_u32_e32 v1, vcc, v12, v1
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v1, vcc, v1, v28
	v_add_u32_e32 v1, vcc, v1, v29
	v_alignbit_b32 v28, v22, v22, 6
	v_alignbit_b32 v29, v22, v22, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v22, v22, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v25, vcc, v25, v28
	v_bfi_b32 v28, v22, v21, v26
	v_add_u32_e32 v25, vcc, v25, v28
	v_alignbit_b32 v28, v23, v23, 2
	v_alignbit_b32 v29, v23, v23, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v23, v23, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v20, v27
	v_and_b32_e32 v29, v23, v29
	v_and_b32_e32 v30, v20, v27
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v25, vcc, v25, v1
	s_mov_b32 s6, 0xf40e3585
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v25, vcc, s6, v25
	v_add_u32_e32 v24, vcc, v25, v24
	v_add_u32_e32 v25, vcc, v28, v25
	v_alignbit_b32 v28, v4, v4, 17
	v_alignbit_b32 v29, v4, v4, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v4
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v14, v14, 7
	v_alignbit_b32 v30, v14, v14, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v14
	v_add_u32_e32 v0, vcc, v11, v0
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v0, vcc, v0, v28
	v_add_u32_e32 v0, vcc, v0, v29
	v_alignbit_b32 v28, v24, v24, 6
	v_alignbit_b32 v29, v24, v24, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v24, v24, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v26, vcc, v26, v28
	v_bfi_b32 v28, v24, v22, v21
	v_add_u32_e32 v26, vcc, v26, v28
	v_alignbit_b32 v28, v25, v25, 2
	v_alignbit_b32 v29, v25, v25, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v25, v25, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v27, v23
	v_and_b32_e32 v29, v25, v29
	v_and_b32_e32 v30, v27, v23
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v26, vcc, v26, v0
	s_mov_b32 s6, 0x106aa070
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v26, vcc, s6, v26
	v_add_u32_e32 v20, vcc, v26, v20
	v_add_u32_e32 v26, vcc, v28, v26
	v_alignbit_b32 v28, v1, v1, 17
	v_alignbit_b32 v29, v1, v1, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v1
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v15, v15, 7
	v_alignbit_b32 v30, v15, v15, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v15
	v_add_u32_e32 v14, vcc, v10, v14
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v14, vcc, v14, v28
	v_add_u32_e32 v14, vcc, v14, v29
	v_alignbit_b32 v28, v20, v20, 6
	v_alignbit_b32 v29, v20, v20, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v20, v20, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v21, vcc, v21, v28
	v_bfi_b32 v28, v20, v24, v22
	v_add_u32_e32 v21, vcc, v21, v28
	v_alignbit_b32 v28, v26, v26, 2
	v_alignbit_b32 v29, v26, v26, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v26, v26, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v23, v25
	v_and_b32_e32 v29, v26, v29
	v_and_b32_e32 v30, v23, v25
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v21, vcc, v21, v14
	s_mov_b32 s6, 0x19a4c116
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v21, vcc, s6, v21
	v_add_u32_e32 v27, vcc, v21, v27
	v_add_u32_e32 v21, vcc, v28, v21
	v_alignbit_b32 v28, v0, v0, 17
	v_alignbit_b32 v29, v0, v0, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v0
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v16, v16, 7
	v_alignbit_b32 v30, v16, v16, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v16
	v_add_u32_e32 v15, vcc, v9, v15
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v15, vcc, v15, v28
	v_add_u32_e32 v15, vcc, v15, v29
	v_alignbit_b32 v28, v27, v27, 6
	v_alignbit_b32 v29, v27, v27, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v27, v27, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v22, vcc, v22, v28
	v_bfi_b32 v28, v27, v20, v24
	v_add_u32_e32 v22, vcc, v22, v28
	v_alignbit_b32 v28, v21, v21, 2
	v_alignbit_b32 v29, v21, v21, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v21, v21, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v25, v26
	v_and_b32_e32 v29, v21, v29
	v_and_b32_e32 v30, v25, v26
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v22, vcc, v22, v15
	s_mov_b32 s6, 0x1e376c08
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v22, vcc, s6, v22
	v_add_u32_e32 v23, vcc, v22, v23
	v_add_u32_e32 v22, vcc, v28, v22
	v_alignbit_b32 v28, v14, v14, 17
	v_alignbit_b32 v29, v14, v14, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v14
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v17, v17, 7
	v_alignbit_b32 v30, v17, v17, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v17
	v_add_u32_e32 v16, vcc, v8, v16
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v16, vcc, v16, v28
	v_add_u32_e32 v16, vcc, v16, v29
	v_alignbit_b32 v28, v23, v23, 6
	v_alignbit_b32 v29, v23, v23, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v23, v23, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v24, vcc, v24, v28
	v_bfi_b32 v28, v23, v27, v20
	v_add_u32_e32 v24, vcc, v24, v28
	v_alignbit_b32 v28, v22, v22, 2
	v_alignbit_b32 v29, v22, v22, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v22, v22, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v26, v21
	v_and_b32_e32 v29, v22, v29
	v_and_b32_e32 v30, v26, v21
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v24, vcc, v24, v16
	s_mov_b32 s6, 0x2748774c
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v24, vcc, s6, v24
	v_add_u32_e32 v25, vcc, v24, v25
	v_add_u32_e32 v24, vcc, v28, v24
	v_alignbit_b32 v28, v15, v15, 17
	v_alignbit_b32 v29, v15, v15, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v15
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v18, v18, 7
	v_alignbit_b32 v30, v18, v18, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v18
	v_add_u32_e32 v17, vcc, v7, v17
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v17, vcc, v17, v28
	v_add_u32_e32 v17, vcc, v17, v29
	v_alignbit_b32 v28, v25, v25, 6
	v_alignbit_b32 v29, v25, v25, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v25, v25, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v20, vcc, v20, v28
	v_bfi_b32 v28, v25, v23, v27
	v_add_u32_e32 v20, vcc, v20, v28
	v_alignbit_b32 v28, v24, v24, 2
	v_alignbit_b32 v29, v24, v24, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v24, v24, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v21, v22
	v_and_b32_e32 v29, v24, v29
	v_and_b32_e32 v30, v21, v22
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v20, vcc, v20, v17
	s_mov_b32 s6, 0x34b0bcb5
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v20, vcc, s6, v20
	v_add_u32_e32 v26, vcc, v20, v26
	v_add_u32_e32 v20, vcc, v28, v20
	v_alignbit_b32 v28, v16, v16, 17
	v_alignbit_b32 v29, v16, v16, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v16
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v19, v19, 7
	v_alignbit_b32 v30, v19, v19, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v19
	v_add_u32_e32 v18, vcc, v4, v18
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v18, vcc, v18, v28
	v_add_u32_e32 v18, vcc, v18, v29
	v_alignbit_b32 v28, v26, v26, 6
	v_alignbit_b32 v29, v26, v26, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v26, v26, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v27, vcc, v27, v28
	v_bfi_b32 v28, v26, v25, v23
	v_add_u32_e32 v27, vcc, v27, v28
	v_alignbit_b32 v28, v20, v20, 2
	v_alignbit_b32 v29, v20, v20, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v20, v20, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v22, v24
	v_and_b32_e32 v29, v20, v29
	v_and_b32_e32 v30, v22, v24
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v27, vcc, v27, v18
	s_mov_b32 s6, 0x391c0cb3
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v27, vcc, s6, v27
	v_add_u32_e32 v21, vcc, v27, v21
	v_add_u32_e32 v27, vcc, v28, v27
	v_alignbit_b32 v28, v17, v17, 17
	v_alignbit_b32 v29, v17, v17, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v17
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v13, v13, 7
	v_alignbit_b32 v30, v13, v13, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v13
	v_add_u32_e32 v19, vcc, v1, v19
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v19, vcc, v19, v28
	v_add_u32_e32 v19, vcc, v19, v29
	v_alignbit_b32 v28, v21, v21, 6
	v_alignbit_b32 v29, v21, v21, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v21, v21, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v23, vcc, v23, v28
	v_bfi_b32 v28, v21, v26, v25
	v_add_u32_e32 v23, vcc, v23, v28
	v_alignbit_b32 v28, v27, v27, 2
	v_alignbit_b32 v29, v27, v27, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v27, v27, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v24, v20
	v_and_b32_e32 v29, v27, v29
	v_and_b32_e32 v30, v24, v20
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v23, vcc, v23, v19
	s_mov_b32 s6, 0x4ed8aa4a
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v23, vcc, s6, v23
	v_add_u32_e32 v22, vcc, v23, v22
	v_add_u32_e32 v23, vcc, v28, v23
	v_alignbit_b32 v28, v18, v18, 17
	v_alignbit_b32 v29, v18, v18, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v18
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v12, v12, 7
	v_alignbit_b32 v30, v12, v12, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v12
	v_add_u32_e32 v13, vcc, v0, v13
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v13, vcc, v13, v28
	v_add_u32_e32 v13, vcc, v13, v29
	v_alignbit_b32 v28, v22, v22, 6
	v_alignbit_b32 v29, v22, v22, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v22, v22, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v25, vcc, v25, v28
	v_bfi_b32 v28, v22, v21, v26
	v_add_u32_e32 v25, vcc, v25, v28
	v_alignbit_b32 v28, v23, v23, 2
	v_alignbit_b32 v29, v23, v23, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v23, v23, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v20, v27
	v_and_b32_e32 v29, v23, v29
	v_and_b32_e32 v30, v20, v27
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v25, vcc, v25, v13
	s_mov_b32 s6, 0x5b9cca4f
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v25, vcc, s6, v25
	v_add_u32_e32 v24, vcc, v25, v24
	v_add_u32_e32 v25, vcc, v28, v25
	v_alignbit_b32 v28, v19, v19, 17
	v_alignbit_b32 v29, v19, v19, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v19
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v11, v11, 7
	v_alignbit_b32 v30, v11, v11, 18
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v11
	v_add_u32_e32 v12, vcc, v14, v12
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v12, vcc, v12, v28
	v_add_u32_e32 v12, vcc, v12, v29
	v_alignbit_b32 v28, v24, v24, 6
	v_alignbit_b32 v29, v24, v24, 11
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v24, v24, 25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v26, vcc, v26, v28
	v_bfi_b32 v28, v24, v22, v21
	v_add_u32_e32 v26, vcc, v26, v28
	v_alignbit_b32 v28, v25, v25, 2
	v_alignbit_b32 v29, v25, v25, 13
	v_xor_b32_e32 v28, v28, v29
	v_alignbit_b32 v29, v25, v25, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v29, v27, v23
	v_and_b32_e32 v29, v25, v29
	v_and_b32_e32 v30, v27, v23
	v_xor_b32_e32 v29, v29, v30
	v_add_u32_e32 v26, vcc, v26, v12
	s_mov_b32 s6, 0x682e6ff3
	v_add_u32_e32 v28, vcc, v28, v29
	v_add_u32_e32 v26, vcc, s6, v26
	v_add_u32_e32 v20, vcc, v26, v20
	v_add_u32_e32 v26, vcc, v28, v26
	v_alignbit_b32 v28, v13, v13, 17
	v_alignbit_b32 v29, v13, v13, 19
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 10, v13
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v11, vcc, v15, v11
	v_add_u32_e32 v11, vcc, v11, v28
	v_alignbit_b32 v15, v20, v20, 6
	v_alignbit_b32 v28, v20, v20, 11
	v_xor_b32_e32 v15, v15, v28
	v_alignbit_b32 v28, v20, v20, 25
	v_xor_b32_e32 v15, v15, v28
	v_add_u32_e32 v15, vcc, v21, v15
	v_bfi_b32 v21, v20, v24, v22
	v_alignbit_b32 v29, v10, v10, 7
	v_alignbit_b32 v30, v10, v10, 18
	v_add_u32_e32 v15, vcc, v15, v21
	v_alignbit_b32 v21, v26, v26, 2
	v_alignbit_b32 v28, v26, v26, 13
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v30, 3, v10
	v_xor_b32_e32 v21, v21, v28
	v_alignbit_b32 v28, v26, v26, 22
	v_xor_b32_e32 v29, v29, v30
	v_xor_b32_e32 v21, v21, v28
	v_xor_b32_e32 v28, v23, v25
	v_add_u32_e32 v11, vcc, v11, v29
	v_and_b32_e32 v28, v26, v28
	v_and_b32_e32 v29, v23, v25
	v_xor_b32_e32 v28, v28, v29
	v_add_u32_e32 v15, vcc, v15, v11
	s_mov_b32 s6, 0x748f82ee
	v_add_u32_e32 v21, vcc, v21, v28
	v_add_u32_e32 v15, vcc, s6, v15
	v_add_u32_e32 v27, vcc, v15, v27
	v_add_u32_e32 v15, vcc, v21, v15
	v_alignbit_b32 v21, v12, v12, 17
	v_alignbit_b32 v28, v12, v12, 19
	v_xor_b32_e32 v21, v21, v28
	v_lshrrev_b32_e32 v28, 10, v12
	v_xor_b32_e32 v21, v21, v28
	v_add_u32_e32 v10, vcc, v16, v10
	v_add_u32_e32 v10, vcc, v10, v21
	v_alignbit_b32 v16, v27, v27, 6
	v_alignbit_b32 v21, v27, v27, 11
	v_xor_b32_e32 v16, v16, v21
	v_alignbit_b32 v21, v27, v27, 25
	v_xor_b32_e32 v16, v16, v21
	v_add_u32_e32 v16, vcc, v22, v16
	v_bfi_b32 v21, v27, v20, v24
	v_alignbit_b32 v28, v9, v9, 7
	v_alignbit_b32 v29, v9, v9, 18
	v_add_u32_e32 v16, vcc, v16, v21
	v_alignbit_b32 v21, v15, v15, 2
	v_alignbit_b32 v22, v15, v15, 13
	v_xor_b32_e32 v28, v28, v29
	v_lshrrev_b32_e32 v29, 3, v9
	v_xor_b32_e32 v21, v21, v22
	v_alignbit_b32 v22, v15, v15, 22
	v_xor_b32_e32 v28, v28, v29
	v_xor_b32_e32 v21, v21, v22
	v_xor_b32_e32 v22, v25, v26
	v_add_u32_e32 v10, vcc, v10, v28
	v_and_b32_e32 v22, v15, v22
	v_and_b32_e32 v28, v25, v26
	v_xor_b32_e32 v22, v22, v28
	v_add_u32_e32 v16, vcc, v16, v10
	s_mov_b32 s6, 0x78a5636f
	v_add_u32_e32 v21, vcc, v21, v22
	v_add_u32_e32 v16, vcc, s6, v16
	v_add_u32_e32 v22, vcc, v16, v23
	v_add_u32_e32 v16, vcc, v21, v16
	v_alignbit_b32 v21, v11, v11, 17
	v_alignbit_b32 v23, v11, v11, 19
	v_xor_b32_e32 v21, v21, v23
	v_lshrrev_b32_e32 v23, 10, v11
	v_xor_b32_e32 v21, v21, v23
	v_add_u32_e32 v9, vcc, v17, v9
	v_add_u32_e32 v9, vcc, v9, v21
	v_alignbit_b32 v17, v22, v22, 6
	v_alignbit_b32 v21, v22, v22, 11
	v_alignbit_b32 v23, v8, v8, 7
	v_alignbit_b32 v28, v8, v8, 18
	v_xor_b32_e32 v17, v17, v21
	v_alignbit_b32 v21, v22, v22, 25
	v_xor_b32_e32 v23, v23, v28
	v_lshrrev_b32_e32 v28, 3, v8
	v_xor_b32_e32 v17, v17, v21
	v_xor_b32_e32 v23, v23, v28
	v_add_u32_e32 v17, vcc, v24, v17
	v_bfi_b32 v21, v22, v27, v20
	v_add_u32_e32 v9, vcc, v9, v23
	v_add_u32_e32 v17, vcc, v17, v21
	v_alignbit_b32 v21, v16, v16, 2
	v_alignbit_b32 v23, v16, v16, 13
	v_xor_b32_e32 v21, v21, v23
	v_alignbit_b32 v23, v16, v16, 22
	v_xor_b32_e32 v21, v21, v23
	v_xor_b32_e32 v23, v26, v15
	v_and_b32_e32 v23, v16, v23
	v_and_b32_e32 v24, v26, v15
	v_xor_b32_e32 v23, v23, v24
	v_add_u32_e32 v17, vcc, v17, v9
	s_mov_b32 s6, 0x84c87814
	v_add_u32_e32 v21, vcc, v21, v23
	v_add_u32_e32 v17, vcc, s6, v17
	v_add_u32_e32 v23, vcc, v17, v25
	v_add_u32_e32 v17, vcc, v21, v17
	v_alignbit_b32 v21, v10, v10, 17
	v_alignbit_b32 v24, v10, v10, 19
	v_xor_b32_e32 v21, v21, v24
	v_lshrrev_b32_e32 v10, 10, v10
	v_xor_b32_e32 v10, v21, v10
	v_add_u32_e32 v8, vcc, v18, v8
	v_add_u32_e32 v8, vcc, v8, v10
	v_alignbit_b32 v10, v23, v23, 6
	v_alignbit_b32 v18, v23, v23, 11
	v_xor_b32_e32 v10, v10, v18
	v_alignbit_b32 v18, v23, v23, 25
	v_xor_b32_e32 v10, v10, v18
	v_add_u32_e32 v10, vcc, v20, v10
	v_bfi_b32 v18, v23, v22, v27
	v_alignbit_b32 v21, v7, v7, 7
	v_alignbit_b32 v24, v7, v7, 18
	v_add_u32_e32 v10, vcc, v10, v18
	v_alignbit_b32 v18, v17, v17, 2
	v_alignbit_b32 v20, v17, v17, 13
	v_xor_b32_e32 v21, v21, v24
	v_lshrrev_b32_e32 v24, 3, v7
	v_xor_b32_e32 v18, v18, v20
	v_alignbit_b32 v20, v17, v17, 22
	v_xor_b32_e32 v21, v21, v24
	v_xor_b32_e32 v18, v18, v20
	v_xor_b32_e32 v20, v15, v16
	v_add_u32_e32 v8, vcc, v8, v21
	v_and_b32_e32 v20, v17, v20
	v_and_b32_e32 v21, v15, v16
	v_xor_b32_e32 v20, v20, v21
	v_add_u32_e32 v10, vcc, v10, v8
	s_mov_b32 s6, 0x8cc70208
	v_add_u32_e32 v18, vcc, v18, v20
	v_add_u32_e32 v10, vcc, s6, v10
	v_add_u32_e32 v20, vcc, v10, v26
	v_add_u32_e32 v10, vcc, v18, v10
	v_alignbit_b32 v18, v9, v9, 17
	v_alignbit_b32 v21, v9, v9, 19
	v_xor_b32_e32 v18, v18, v21
	v_lshrrev_b32_e32 v9, 10, v9
	v_xor_b32_e32 v9, v18, v9
	v_alignbit_b32 v18, v4, v4, 7
	v_alignbit_b32 v21, v4, v4, 18
	v_xor_b32_e32 v18, v18, v21
	v_lshrrev_b32_e32 v21, 3, v4
	v_add_u32_e32 v7, vcc, v19, v7
	v_xor_b32_e32 v18, v18, v21
	v_add_u32_e32 v7, vcc, v7, v9
	v_add_u32_e32 v7, vcc, v7, v18
	v_alignbit_b32 v9, v20, v20, 6
	v_alignbit_b32 v18, v20, v20, 11
	v_xor_b32_e32 v9, v9, v18
	v_alignbit_b32 v18, v20, v20, 25
	v_xor_b32_e32 v9, v9, v18
	v_add_u32_e32 v9, vcc, v27, v9
	v_bfi_b32 v18, v20, v23, v22
	v_add_u32_e32 v9, vcc, v9, v18
	v_alignbit_b32 v18, v10, v10, 2
	v_alignbit_b32 v19, v10, v10, 13
	v_xor_b32_e32 v18, v18, v19
	v_alignbit_b32 v19, v10, v10, 22
	v_xor_b32_e32 v18, v18, v19
	v_xor_b32_e32 v19, v16, v17
	v_and_b32_e32 v19, v10, v19
	v_and_b32_e32 v21, v16, v17
	v_xor_b32_e32 v19, v19, v21
	v_add_u32_e32 v9, vcc, v9, v7
	s_mov_b32 s6, 0x90befffa
	v_add_u32_e32 v18, vcc, v18, v19
	v_add_u32_e32 v9, vcc, s6, v9
	v_add_u32_e32 v15, vcc, v9, v15
	v_add_u32_e32 v9, vcc, v18, v9
	v_alignbit_b32 v18, v8, v8, 17
	v_alignbit_b32 v19, v8, v8, 19
	v_xor_b32_e32 v18, v18, v19
	v_lshrrev_b32_e32 v8, 10, v8
	v_xor_b32_e32 v8, v18, v8
	v_add_u32_e32 v4, vcc, v13, v4
	v_add_u32_e32 v4, vcc, v4, v8
	v_alignbit_b32 v8, v15, v15, 6
	v_alignbit_b32 v13, v15, v15, 11
	v_alignbit_b32 v18, v1, v1, 7
	v_alignbit_b32 v19, v1, v1, 18
	v_xor_b32_e32 v8, v8, v13
	v_alignbit_b32 v13, v15, v15, 25
	v_xor_b32_e32 v18, v18, v19
	v_lshrrev_b32_e32 v19, 3, v1
	v_xor_b32_e32 v8, v8, v13
	v_xor_b32_e32 v18, v18, v19
	v_add_u32_e32 v8, vcc, v22, v8
	v_bfi_b32 v13, v15, v20, v23
	v_add_u32_e32 v4, vcc, v4, v18
	v_add_u32_e32 v8, vcc, v8, v13
	v_alignbit_b32 v13, v9, v9, 2
	v_alignbit_b32 v18, v9, v9, 13
	v_xor_b32_e32 v13, v13, v18
	v_alignbit_b32 v18, v9, v9, 22
	v_xor_b32_e32 v13, v13, v18
	v_xor_b32_e32 v18, v17, v10
	v_and_b32_e32 v18, v9, v18
	v_and_b32_e32 v19, v17, v10
	v_xor_b32_e32 v18, v18, v19
	v_add_u32_e32 v8, vcc, v8, v4
	s_mov_b32 s6, 0xa4506ceb
	v_add_u32_e32 v13, vcc, v13, v18
	v_add_u32_e32 v8, vcc, s6, v8
	v_add_u32_e32 v16, vcc, v8, v16
	v_add_u32_e32 v8, vcc, v13, v8
	v_add_u32_e32 v1, vcc, v12, v1
	v_alignbit_b32 v12, v7, v7, 17
	v_alignbit_b32 v13, v7, v7, 19
	v_xor_b32_e32 v12, v12, v13
	v_lshrrev_b32_e32 v7, 10, v7
	v_xor_b32_e32 v7, v12, v7
	v_add_u32_e32 v1, vcc, v1, v7
	v_alignbit_b32 v7, v0, v0, 7
	v_alignbit_b32 v12, v0, v0, 18
	v_xor_b32_e32 v7, v7, v12
	v_lshrrev_b32_e32 v12, 3, v0
	v_xor_b32_e32 v7, v7, v12
	v_add_u32_e32 v1, vcc, v1, v7
	v_alignbit_b32 v7, v16, v16, 6
	v_alignbit_b32 v12, v16, v16, 11
	v_xor_b32_e32 v7, v7, v12
	v_alignbit_b32 v12, v16, v16, 25
	v_xor_b32_e32 v7, v7, v12
	v_add_u32_e32 v7, vcc, v23, v7
	v_bfi_b32 v12, v16, v15, v20
	v_add_u32_e32 v7, vcc, v7, v12
	v_add_u32_e32 v1, vcc, v7, v1
	v_alignbit_b32 v7, v8, v8, 2
	v_alignbit_b32 v12, v8, v8, 13
	v_xor_b32_e32 v7, v7, v12
	v_alignbit_b32 v12, v8, v8, 22
	v_xor_b32_e32 v7, v7, v12
	v_xor_b32_e32 v12, v10, v9
	v_and_b32_e32 v12, v8, v12
	v_and_b32_e32 v13, v10, v9
	v_xor_b32_e32 v12, v12, v13
	s_mov_b32 s6, 0xbef9a3f7
	v_add_u32_e32 v7, vcc, v7, v12
	v_add_u32_e32 v1, vcc, s6, v1
	v_add_u32_e32 v12, vcc, v1, v17
	v_add_u32_e32 v7, vcc, v7, v1
	v_add_u32_e32 v0, vcc, v11, v0
	v_alignbit_b32 v1, v4, v4, 17
	v_alignbit_b32 v11, v4, v4, 19
	v_xor_b32_e32 v1, v1, v11
	v_lshrrev_b32_e32 v4, 10, v4
	v_xor_b32_e32 v1, v1, v4
	v_add_u32_e32 v0, vcc, v0, v1
	v_alignbit_b32 v1, v14, v14, 7
	v_alignbit_b32 v4, v14, v14, 18
	v_xor_b32_e32 v1, v1, v4
	v_lshrrev_b32_e32 v4, 3, v14
	v_xor_b32_e32 v1, v1, v4
	v_add_u32_e32 v0, vcc, v0, v1
	v_alignbit_b32 v1, v12, v12, 6
	v_alignbit_b32 v4, v12, v12, 11
	v_xor_b32_e32 v1, v1, v4
	v_alignbit_b32 v4, v12, v12, 25
	v_xor_b32_e32 v1, v1, v4
	v_add_u32_e32 v1, vcc, v20, v1
	v_bfi_b32 v4, v12, v16, v15
	v_add_u32_e32 v1, vcc, v1, v4
	v_add_u32_e32 v0, vcc, v1, v0
	v_alignbit_b32 v1, v7, v7, 2
	v_alignbit_b32 v4, v7, v7, 13
	v_xor_b32_e32 v1, v1, v4
	v_alignbit_b32 v4, v7, v7, 22
	v_xor_b32_e32 v1, v1, v4
	v_xor_b32_e32 v4, v9, v8
	v_and_b32_e32 v4, v7, v4
	v_and_b32_e32 v11, v9, v8
	s_mov_b32 s6, 0xc67178f2
	v_xor_b32_e32 v4, v4, v11
	v_add_u32_e32 v0, vcc, s6, v0
	v_add_u32_e32 v1, vcc, v1, v4
	v_lshlrev_b32_e32 v4, 3, v6
	v_add_u32_e32 v10, vcc, v0, v10
	v_add_u32_e32 v11, vcc, v1, v0
	v_lshlrev_b64 v[0:1], 2, v[4:5]
	v_add_u32_e32 v4, vcc, v2, v0
	v_addc_u32_e32 v5, vcc, v3, v1, vcc
	v_add_u32_e32 v0, vcc, 0x6a09e667, v11
	v_add_u32_e32 v1, vcc, 0xbb67ae85, v7
	v_add_u32_e32 v2, vcc, 0x3c6ef372, v8
	v_add_u32_e32 v3, vcc, 0xa54ff53a, v9
	flat_store_dwordx4 v[4:5], v[0:3]
	s_nop 0
	v_add_u32_e32 v0, vcc, 0x510e527f, v10
	v_add_u32_e32 v4, vcc, 16, v4
	v_addc_u32_e32 v5, vcc, 0, v5, vcc
	v_add_u32_e32 v1, vcc, 0x9b05688c, v12
	v_add_u32_e32 v2, vcc, 0x1f83d9ab, v16
	v_add_u32_e32 v3, vcc, 0x5be0cd19, v15
	flat_store_dwordx4 v[4:5], v[0:3]
.LBB1_2:
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_sha256, .Lfunc_end1-__clang_ocl_kern_imp_sha256
                                        ; -- End function
	.set __clang_ocl_kern_imp_sha256.num_vgpr, 32
	.set __clang_ocl_kern_imp_sha256.num_agpr, 0
	.set __clang_ocl_kern_imp_sha256.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_sha256.num_named_barrier, 0
	.set __clang_ocl_kern_imp_sha256.private_seg_size, 0
	.set __clang_ocl_kern_imp_sha256.uses_vcc, 1
	.set __clang_ocl_kern_imp_sha256.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_sha256.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_sha256.has_recursion, 0
	.set __clang_ocl_kern_imp_sha256.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 11596
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
	.hidden	K                               ; @K
	.type	K,@object
	.section	.rodata,"a",@progbits
	.globl	K
	.p2align	2, 0x0
K:
	.long	1116352408                      ; 0x428a2f98
	.long	1899447441                      ; 0x71374491
	.long	3049323471                      ; 0xb5c0fbcf
	.long	3921009573                      ; 0xe9b5dba5
	.long	961987163                       ; 0x3956c25b
	.long	1508970993                      ; 0x59f111f1
	.long	2453635748                      ; 0x923f82a4
	.long	2870763221                      ; 0xab1c5ed5
	.long	3624381080                      ; 0xd807aa98
	.long	310598401                       ; 0x12835b01
	.long	607225278                       ; 0x243185be
	.long	1426881987                      ; 0x550c7dc3
	.long	1925078388                      ; 0x72be5d74
	.long	2162078206                      ; 0x80deb1fe
	.long	2614888103                      ; 0x9bdc06a7
	.long	3248222580                      ; 0xc19bf174
	.long	3835390401                      ; 0xe49b69c1
	.long	4022224774                      ; 0xefbe4786
	.long	264347078                       ; 0xfc19dc6
	.long	604807628                       ; 0x240ca1cc
	.long	770255983                       ; 0x2de92c6f
	.long	1249150122                      ; 0x4a7484aa
	.long	1555081692                      ; 0x5cb0a9dc
	.long	1996064986                      ; 0x76f988da
	.long	2554220882                      ; 0x983e5152
	.long	2821834349                      ; 0xa831c66d
	.long	2952996808                      ; 0xb00327c8
	.long	3210313671                      ; 0xbf597fc7
	.long	3336571891                      ; 0xc6e00bf3
	.long	3584528711                      ; 0xd5a79147
	.long	113926993                       ; 0x6ca6351
	.long	338241895                       ; 0x14292967
	.long	666307205                       ; 0x27b70a85
	.long	773529912                       ; 0x2e1b2138
	.long	1294757372                      ; 0x4d2c6dfc
	.long	1396182291                      ; 0x53380d13
	.long	1695183700                      ; 0x650a7354
	.long	1986661051                      ; 0x766a0abb
	.long	2177026350                      ; 0x81c2c92e
	.long	2456956037                      ; 0x92722c85
	.long	2730485921                      ; 0xa2bfe8a1
	.long	2820302411                      ; 0xa81a664b
	.long	3259730800                      ; 0xc24b8b70
	.long	3345764771                      ; 0xc76c51a3
	.long	3516065817                      ; 0xd192e819
	.long	3600352804                      ; 0xd6990624
	.long	4094571909                      ; 0xf40e3585
	.long	275423344                       ; 0x106aa070
	.long	430227734                       ; 0x19a4c116
	.long	506948616                       ; 0x1e376c08
	.long	659060556                       ; 0x2748774c
	.long	883997877                       ; 0x34b0bcb5
	.long	958139571                       ; 0x391c0cb3
	.long	1322822218                      ; 0x4ed8aa4a
	.long	1537002063                      ; 0x5b9cca4f
	.long	1747873779                      ; 0x682e6ff3
	.long	1955562222                      ; 0x748f82ee
	.long	2024104815                      ; 0x78a5636f
	.long	2227730452                      ; 0x84c87814
	.long	2361852424                      ; 0x8cc70208
	.long	2428436474                      ; 0x90befffa
	.long	2756734187                      ; 0xa4506ceb
	.long	3204031479                      ; 0xbef9a3f7
	.long	3329325298                      ; 0xc67178f2
	.size	K, 256

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
        .offset:         8
        .size:           8
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .type_name:      uint
        .value_kind:     by_value
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
    .name:           sha256
    .private_segment_fixed_size: 0
    .sgpr_count:     11
    .sgpr_spill_count: 0
    .symbol:         sha256.kd
    .uses_dynamic_stack: false
    .vgpr_count:     29
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
