	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.protected	sha256
	.globl	sha256
	.p2align	8
	.type	sha256,@function
sha256:
	s_load_dword s7, s[4:5], 0x10
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s7, 0
	s_cbranch_scc1 .LBB0_3
	v_lshlrev_b32_e32 v33, 2, v0
	v_or_b32_e32 v1, 0x3c00, v33
	v_mov_b32_e32 v2, s1
	v_add_u32_e32 v1, vcc, s0, v1
	v_addc_u32_e32 v2, vcc, 0, v2, vcc
	v_mov_b32_e32 v4, s1
	v_add_u32_e32 v3, vcc, s0, v33
	v_addc_u32_e32 v4, vcc, 0, v4, vcc
	s_movk_i32 s4, 0x400
	v_add_u32_e32 v5, vcc, s4, v3
	v_addc_u32_e32 v6, vcc, 0, v4, vcc
	s_movk_i32 s4, 0x800
	v_add_u32_e32 v7, vcc, s4, v3
	v_addc_u32_e32 v8, vcc, 0, v4, vcc
	v_or_b32_e32 v9, 0xc00, v33
	v_mov_b32_e32 v10, s1
	v_add_u32_e32 v9, vcc, s0, v9
	v_addc_u32_e32 v10, vcc, 0, v10, vcc
	s_movk_i32 s4, 0x1000
	v_add_u32_e32 v11, vcc, s4, v3
	v_addc_u32_e32 v12, vcc, 0, v4, vcc
	s_movk_i32 s4, 0x1400
	v_add_u32_e32 v17, vcc, s4, v3
	v_addc_u32_e32 v18, vcc, 0, v4, vcc
	s_movk_i32 s4, 0x1800
	v_add_u32_e32 v19, vcc, s4, v3
	v_addc_u32_e32 v20, vcc, 0, v4, vcc
	s_movk_i32 s4, 0x2000
	v_add_u32_e32 v21, vcc, s4, v3
	v_addc_u32_e32 v22, vcc, 0, v4, vcc
	s_movk_i32 s4, 0x2400
	v_add_u32_e32 v23, vcc, s4, v3
	v_addc_u32_e32 v24, vcc, 0, v4, vcc
	s_movk_i32 s4, 0x2800
	v_add_u32_e32 v25, vcc, s4, v3
	v_addc_u32_e32 v26, vcc, 0, v4, vcc
	s_movk_i32 s4, 0x3000
	v_add_u32_e32 v27, vcc, s4, v3
	v_addc_u32_e32 v28, vcc, 0, v4, vcc
	s_movk_i32 s4, 0x3400
	v_add_u32_e32 v29, vcc, s4, v3
	v_addc_u32_e32 v30, vcc, 0, v4, vcc
	s_movk_i32 s4, 0x3800
	v_add_u32_e32 v31, vcc, s4, v3
	v_addc_u32_e32 v32, vcc, 0, v4, vcc
	flat_load_dword v34, v[1:2]
	flat_load_dword v14, v[3:4]
	flat_load_dword v15, v[5:6]
	flat_load_dword v16, v[7:8]
	flat_load_dword v13, v[9:10]
	flat_load_dword v12, v[11:12]
	flat_load_dword v11, v[17:18]
	flat_load_dword v10, v[19:20]
	v_or_b32_e32 v1, 0x1c00, v33
	v_mov_b32_e32 v2, s1
	v_add_u32_e32 v1, vcc, s0, v1
	v_addc_u32_e32 v2, vcc, 0, v2, vcc
	v_or_b32_e32 v3, 0x2c00, v33
	v_mov_b32_e32 v5, s1
	v_add_u32_e32 v4, vcc, s0, v3
	v_addc_u32_e32 v5, vcc, 0, v5, vcc
	flat_load_dword v9, v[1:2]
	flat_load_dword v1, v[21:22]
	flat_load_dword v2, v[23:24]
	flat_load_dword v3, v[25:26]
	flat_load_dword v4, v[4:5]
	flat_load_dword v5, v[27:28]
	flat_load_dword v6, v[29:30]
	flat_load_dword v7, v[31:32]
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, K@rel32@lo+4
	s_addc_u32 s1, s1, K@rel32@hi+12
	s_load_dwordx16 s[8:23], s[0:1], 0x0
	s_lshl_b32 s0, s6, 8
	v_or_b32_e32 v8, s0, v0
	s_mov_b32 s1, 0x8909ae5
	s_waitcnt lgkmcnt(0)
	s_add_i32 s0, s8, 0xb0edbdd0
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, K@rel32@lo+68
	s_addc_u32 s5, s5, K@rel32@hi+76
	s_getpc_b64 s[24:25]
	s_add_u32 s24, s24, K@rel32@lo+132
	s_addc_u32 s25, s25, K@rel32@hi+140
	s_getpc_b64 s[26:27]
	s_add_u32 s26, s26, K@rel32@lo+196
	s_addc_u32 s27, s27, K@rel32@hi+204
	s_load_dwordx16 s[36:51], s[4:5], 0x0
	s_load_dwordx16 s[52:67], s[24:25], 0x0
	s_load_dwordx16 s[68:83], s[26:27], 0x0
	s_mov_b32 s4, 0x9b05688c
	s_mov_b32 s5, 0x5bf2cd1d
	s_mov_b32 s8, 0x49857fb0
	s_mov_b32 s24, 0x510e527f
	s_mov_b32 s25, 0x6a09e667
	s_mov_b32 s26, 0x566d1711
	s_mov_b32 s27, 0xbb1838e6
	s_waitcnt vmcnt(14)
	v_xor_b32_e32 v8, v34, v8
.LBB0_2:
	v_add_u32_e32 v17, vcc, s0, v14
	v_add_u32_e32 v18, vcc, 0xa54ff53a, v17
	v_alignbit_b32 v19, v18, v18, 6
	v_alignbit_b32 v20, v18, v18, 11
	v_xor_b32_e32 v19, v19, v20
	v_alignbit_b32 v20, v18, v18, 25
	v_xor_b32_e32 v19, v19, v20
	v_and_b32_e32 v20, 0xca0b3af3, v18
	v_add_u32_e32 v17, vcc, s1, v17
	v_xor_b32_e32 v20, 0x9b05688c, v20
	v_add_u32_e32 v19, vcc, v19, v20
	v_alignbit_b32 v20, v17, v17, 2
	v_alignbit_b32 v21, v17, v17, 13
	v_xor_b32_e32 v20, v20, v21
	v_alignbit_b32 v21, v17, v17, 22
	v_add_u32_e32 v19, vcc, s9, v19
	v_xor_b32_e32 v20, v20, v21
	v_and_b32_e32 v21, 0xd16e48e2, v17
	s_waitcnt vmcnt(13)
	v_add_u32_e32 v19, vcc, v19, v15
	v_add_u32_e32 v20, vcc, v20, v21
	v_add_u32_e32 v20, vcc, v19, v20
	v_add_u32_e32 v19, vcc, s5, v19
	v_alignbit_b32 v21, v19, v19, 6
	v_alignbit_b32 v22, v19, v19, 11
	v_xor_b32_e32 v21, v21, v22
	v_alignbit_b32 v22, v19, v19, 25
	v_add_u32_e32 v20, vcc, s8, v20
	v_xor_b32_e32 v21, v21, v22
	v_bfi_b32 v22, v19, v18, s24
	v_add_u32_e32 v21, vcc, v21, v22
	v_alignbit_b32 v22, v20, v20, 2
	v_alignbit_b32 v23, v20, v20, 13
	v_xor_b32_e32 v22, v22, v23
	v_alignbit_b32 v23, v20, v20, 22
	v_xor_b32_e32 v22, v22, v23
	v_xor_b32_e32 v23, 0x6a09e667, v17
	v_add_u32_e32 v21, vcc, s10, v21
	v_bfi_b32 v23, v23, v20, s25
	s_waitcnt vmcnt(12)
	v_add_u32_e32 v21, vcc, v21, v16
	v_add_u32_e32 v22, vcc, v23, v22
	v_add_u32_e32 v22, vcc, v21, v22
	v_add_u32_e32 v21, vcc, s26, v21
	v_alignbit_b32 v23, v21, v21, 6
	v_alignbit_b32 v24, v21, v21, 11
	v_xor_b32_e32 v23, v23, v24
	v_alignbit_b32 v24, v21, v21, 25
	v_add_u32_e32 v22, vcc, s4, v22
	v_xor_b32_e32 v23, v23, v24
	v_bfi_b32 v24, v21, v19, v18
	v_add_u32_e32 v23, vcc, v23, v24
	v_alignbit_b32 v24, v22, v22, 2
	v_alignbit_b32 v25, v22, v22, 13
	v_xor_b32_e32 v24, v24, v25
	v_alignbit_b32 v25, v22, v22, 22
	v_xor_b32_e32 v24, v24, v25
	v_xor_b32_e32 v25, v20, v17
	v_add_u32_e32 v23, vcc, s11, v23
	v_bfi_b32 v25, v25, v22, v17
	s_waitcnt vmcnt(11)
	v_add_u32_e32 v23, vcc, v23, v13
	v_add_u32_e32 v24, vcc, v25, v24
	v_add_u32_e32 v24, vcc, v23, v24
	v_add_u32_e32 v23, vcc, s27, v23
	v_alignbit_b32 v25, v23, v23, 6
	v_alignbit_b32 v26, v23, v23, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v23, v23, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v24, vcc, s24, v24
	v_add_u32_e32 v18, vcc, v18, v25
	v_bfi_b32 v25, v23, v21, v19
	v_add_u32_e32 v18, vcc, v18, v25
	v_alignbit_b32 v25, v24, v24, 2
	v_alignbit_b32 v26, v24, v24, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v24, v24, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v22, v20
	v_add_u32_e32 v18, vcc, s12, v18
	v_bfi_b32 v26, v26, v24, v20
	s_waitcnt vmcnt(10)
	v_add_u32_e32 v18, vcc, v18, v12
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v17, vcc, v18, v17
	v_add_u32_e32 v18, vcc, v25, v18
	v_alignbit_b32 v25, v17, v17, 6
	v_alignbit_b32 v26, v17, v17, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v17, v17, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v19, vcc, v19, v25
	v_bfi_b32 v25, v17, v23, v21
	v_add_u32_e32 v19, vcc, v19, v25
	v_alignbit_b32 v25, v18, v18, 2
	v_alignbit_b32 v26, v18, v18, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v18, v18, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v24, v22
	v_add_u32_e32 v19, vcc, s13, v19
	v_bfi_b32 v26, v26, v18, v22
	s_waitcnt vmcnt(9)
	v_add_u32_e32 v19, vcc, v19, v11
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v20, vcc, v19, v20
	v_add_u32_e32 v19, vcc, v25, v19
	v_alignbit_b32 v25, v20, v20, 6
	v_alignbit_b32 v26, v20, v20, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v20, v20, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v21, vcc, v21, v25
	v_bfi_b32 v25, v20, v17, v23
	v_add_u32_e32 v21, vcc, v21, v25
	v_alignbit_b32 v25, v19, v19, 2
	v_alignbit_b32 v26, v19, v19, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v19, v19, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v18, v24
	v_add_u32_e32 v21, vcc, s14, v21
	v_bfi_b32 v26, v26, v19, v24
	s_waitcnt vmcnt(8)
	v_add_u32_e32 v21, vcc, v21, v10
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v22, vcc, v21, v22
	v_add_u32_e32 v21, vcc, v25, v21
	v_alignbit_b32 v25, v22, v22, 6
	v_alignbit_b32 v26, v22, v22, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v22, v22, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v23, vcc, v23, v25
	v_bfi_b32 v25, v22, v20, v17
	v_add_u32_e32 v23, vcc, v23, v25
	v_alignbit_b32 v25, v21, v21, 2
	v_alignbit_b32 v26, v21, v21, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v21, v21, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v19, v18
	v_add_u32_e32 v23, vcc, s15, v23
	v_bfi_b32 v26, v26, v21, v18
	s_waitcnt vmcnt(7)
	v_add_u32_e32 v23, vcc, v23, v9
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v24, vcc, v23, v24
	v_add_u32_e32 v23, vcc, v25, v23
	v_alignbit_b32 v25, v24, v24, 6
	v_alignbit_b32 v26, v24, v24, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v24, v24, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v17, vcc, v17, v25
	v_bfi_b32 v25, v24, v22, v20
	v_add_u32_e32 v17, vcc, v17, v25
	v_alignbit_b32 v25, v23, v23, 2
	v_alignbit_b32 v26, v23, v23, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v23, v23, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v21, v19
	v_add_u32_e32 v17, vcc, s16, v17
	v_bfi_b32 v26, v26, v23, v19
	s_waitcnt vmcnt(6)
	v_add_u32_e32 v17, vcc, v17, v1
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v18, vcc, v17, v18
	v_add_u32_e32 v17, vcc, v25, v17
	v_alignbit_b32 v25, v18, v18, 6
	v_alignbit_b32 v26, v18, v18, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v18, v18, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v20, vcc, v20, v25
	v_bfi_b32 v25, v18, v24, v22
	v_add_u32_e32 v20, vcc, v20, v25
	v_alignbit_b32 v25, v17, v17, 2
	v_alignbit_b32 v26, v17, v17, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v17, v17, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v23, v21
	v_add_u32_e32 v20, vcc, s17, v20
	v_bfi_b32 v26, v26, v17, v21
	s_waitcnt vmcnt(5)
	v_add_u32_e32 v20, vcc, v20, v2
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v19, vcc, v20, v19
	v_add_u32_e32 v20, vcc, v25, v20
	v_alignbit_b32 v25, v19, v19, 6
	v_alignbit_b32 v26, v19, v19, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v19, v19, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v22, vcc, v22, v25
	v_bfi_b32 v25, v19, v18, v24
	v_add_u32_e32 v22, vcc, v22, v25
	v_alignbit_b32 v25, v20, v20, 2
	v_alignbit_b32 v26, v20, v20, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v20, v20, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v17, v23
	v_add_u32_e32 v22, vcc, s18, v22
	v_bfi_b32 v26, v26, v20, v23
	s_waitcnt vmcnt(4)
	v_add_u32_e32 v22, vcc, v22, v3
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v21, vcc, v22, v21
	v_add_u32_e32 v22, vcc, v25, v22
	v_alignbit_b32 v25, v21, v21, 6
	v_alignbit_b32 v26, v21, v21, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v21, v21, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v24, vcc, v24, v25
	v_bfi_b32 v25, v21, v19, v18
	v_add_u32_e32 v24, vcc, v24, v25
	v_alignbit_b32 v25, v22, v22, 2
	v_alignbit_b32 v26, v22, v22, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v22, v22, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v20, v17
	v_add_u32_e32 v24, vcc, s19, v24
	v_bfi_b32 v26, v26, v22, v17
	s_waitcnt vmcnt(3)
	v_add_u32_e32 v24, vcc, v24, v4
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v23, vcc, v24, v23
	v_add_u32_e32 v24, vcc, v25, v24
	v_alignbit_b32 v25, v23, v23, 6
	v_alignbit_b32 v26, v23, v23, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v23, v23, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v18, vcc, v18, v25
	v_bfi_b32 v25, v23, v21, v19
	v_add_u32_e32 v18, vcc, v18, v25
	v_alignbit_b32 v25, v24, v24, 2
	v_alignbit_b32 v26, v24, v24, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v24, v24, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v22, v20
	v_add_u32_e32 v18, vcc, s20, v18
	v_bfi_b32 v26, v26, v24, v20
	s_waitcnt vmcnt(2)
	v_add_u32_e32 v18, vcc, v18, v5
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v17, vcc, v18, v17
	v_add_u32_e32 v18, vcc, v25, v18
	v_alignbit_b32 v25, v17, v17, 6
	v_alignbit_b32 v26, v17, v17, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v17, v17, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v19, vcc, v19, v25
	v_bfi_b32 v25, v17, v23, v21
	v_add_u32_e32 v19, vcc, v19, v25
	v_alignbit_b32 v25, v18, v18, 2
	v_alignbit_b32 v26, v18, v18, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v18, v18, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v24, v22
	v_add_u32_e32 v19, vcc, s21, v19
	v_bfi_b32 v26, v26, v18, v22
	s_waitcnt vmcnt(1)
	v_add_u32_e32 v19, vcc, v19, v6
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v20, vcc, v19, v20
	v_add_u32_e32 v19, vcc, v25, v19
	v_alignbit_b32 v25, v20, v20, 6
	v_alignbit_b32 v26, v20, v20, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v20, v20, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v21, vcc, v21, v25
	v_bfi_b32 v25, v20, v17, v23
	v_add_u32_e32 v21, vcc, v21, v25
	v_alignbit_b32 v25, v19, v19, 2
	v_alignbit_b32 v26, v19, v19, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v19, v19, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v18, v24
	v_add_u32_e32 v21, vcc, s22, v21
	v_bfi_b32 v26, v26, v19, v24
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v21, vcc, v21, v7
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v22, vcc, v21, v22
	v_add_u32_e32 v21, vcc, v25, v21
	v_alignbit_b32 v25, v22, v22, 6
	v_alignbit_b32 v26, v22, v22, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v22, v22, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v23, vcc, v23, v25
	v_bfi_b32 v25, v22, v20, v17
	v_add_u32_e32 v23, vcc, v23, v25
	v_alignbit_b32 v25, v21, v21, 2
	v_alignbit_b32 v26, v21, v21, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v21, v21, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v19, v18
	v_bfi_b32 v26, v26, v21, v18
	v_add_u32_e32 v23, vcc, s23, v23
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v23, vcc, v23, v8
	v_add_u32_e32 v24, vcc, v23, v24
	v_add_u32_e32 v23, vcc, v25, v23
	v_alignbit_b32 v25, v15, v15, 7
	v_alignbit_b32 v26, v15, v15, 18
	v_xor_b32_e32 v25, v25, v26
	v_lshrrev_b32_e32 v26, 3, v15
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v7, v7, 17
	v_alignbit_b32 v27, v7, v7, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v7
	v_add_u32_e32 v14, vcc, v2, v14
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v14, vcc, v14, v25
	v_add_u32_e32 v14, vcc, v14, v26
	v_alignbit_b32 v25, v24, v24, 6
	v_alignbit_b32 v26, v24, v24, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v24, v24, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v17, vcc, v17, v25
	v_bfi_b32 v25, v24, v22, v20
	v_add_u32_e32 v17, vcc, v17, v25
	v_alignbit_b32 v25, v23, v23, 2
	v_alignbit_b32 v26, v23, v23, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v23, v23, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v21, v19
	v_bfi_b32 v26, v26, v23, v19
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v17, vcc, s36, v17
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v17, vcc, v17, v14
	v_add_u32_e32 v18, vcc, v17, v18
	v_add_u32_e32 v17, vcc, v25, v17
	v_alignbit_b32 v25, v16, v16, 7
	v_alignbit_b32 v26, v16, v16, 18
	v_xor_b32_e32 v25, v25, v26
	v_lshrrev_b32_e32 v26, 3, v16
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v8, v8, 17
	v_alignbit_b32 v27, v8, v8, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v8
	v_add_u32_e32 v15, vcc, v3, v15
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v15, vcc, v15, v25
	v_add_u32_e32 v15, vcc, v15, v26
	v_alignbit_b32 v25, v18, v18, 6
	v_alignbit_b32 v26, v18, v18, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v18, v18, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v20, vcc, v20, v25
	v_bfi_b32 v25, v18, v24, v22
	v_add_u32_e32 v20, vcc, v20, v25
	v_alignbit_b32 v25, v17, v17, 2
	v_alignbit_b32 v26, v17, v17, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v17, v17, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v23, v21
	v_bfi_b32 v26, v26, v17, v21
	v_add_u32_e32 v20, vcc, s37, v20
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v20, vcc, v20, v15
	v_add_u32_e32 v19, vcc, v20, v19
	v_add_u32_e32 v20, vcc, v25, v20
	v_alignbit_b32 v25, v13, v13, 7
	v_alignbit_b32 v26, v13, v13, 18
	v_xor_b32_e32 v25, v25, v26
	v_lshrrev_b32_e32 v26, 3, v13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v14, v14, 17
	v_alignbit_b32 v27, v14, v14, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v14
	v_add_u32_e32 v16, vcc, v4, v16
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v16, vcc, v16, v25
	v_add_u32_e32 v16, vcc, v16, v26
	v_alignbit_b32 v25, v19, v19, 6
	v_alignbit_b32 v26, v19, v19, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v19, v19, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v22, vcc, v22, v25
	v_bfi_b32 v25, v19, v18, v24
	v_add_u32_e32 v22, vcc, v22, v25
	v_alignbit_b32 v25, v20, v20, 2
	v_alignbit_b32 v26, v20, v20, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v20, v20, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v17, v23
	v_bfi_b32 v26, v26, v20, v23
	v_add_u32_e32 v22, vcc, s38, v22
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v22, vcc, v22, v16
	v_add_u32_e32 v21, vcc, v22, v21
	v_add_u32_e32 v22, vcc, v25, v22
	v_alignbit_b32 v25, v12, v12, 7
	v_alignbit_b32 v26, v12, v12, 18
	v_xor_b32_e32 v25, v25, v26
	v_lshrrev_b32_e32 v26, 3, v12
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v15, v15, 17
	v_alignbit_b32 v27, v15, v15, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v15
	v_add_u32_e32 v13, vcc, v5, v13
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v13, vcc, v13, v25
	v_add_u32_e32 v13, vcc, v13, v26
	v_alignbit_b32 v25, v21, v21, 6
	v_alignbit_b32 v26, v21, v21, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v21, v21, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v24, vcc, v24, v25
	v_bfi_b32 v25, v21, v19, v18
	v_add_u32_e32 v24, vcc, v24, v25
	v_alignbit_b32 v25, v22, v22, 2
	v_alignbit_b32 v26, v22, v22, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v22, v22, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v20, v17
	v_bfi_b32 v26, v26, v22, v17
	v_add_u32_e32 v24, vcc, s39, v24
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v24, vcc, v24, v13
	v_add_u32_e32 v23, vcc, v24, v23
	v_add_u32_e32 v24, vcc, v25, v24
	v_alignbit_b32 v25, v11, v11, 7
	v_alignbit_b32 v26, v11, v11, 18
	v_xor_b32_e32 v25, v25, v26
	v_lshrrev_b32_e32 v26, 3, v11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v16, v16, 17
	v_alignbit_b32 v27, v16, v16, 19
	v_xor_b32_e32 v26, v26, v27
	v_lshrrev_b32_e32 v27, 10, v16
	v_add_u32_e32 v12, vcc, v6, v12
	v_xor_b32_e32 v26, v26, v27
	v_add_u32_e32 v12, vcc, v12, v25
	v_add_u32_e32 v12, vcc, v12, v26
	v_alignbit_b32 v25, v23, v23, 6
	v_alignbit_b32 v26, v23, v23, 11
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v23, v23, 25
	v_xor_b32_e32 v25, v25, v26
	v_add_u32_e32 v18, vcc, v18, v25
	v_bfi_b32 v25, v23, v21, v19
	v_add_u32_e32 v18, vcc, v18, v25
	v_alignbit_b32 v25, v24, v24, 2
	v_alignbit_b32 v26, v24, v24, 13
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v24, v24, 22
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v22, v20
	v_bfi_b32 v26, v26, v24, v20
	v_add_u32_e32 v18, vcc, s40, v18
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v18, vcc, v18, v12
	v_add_u32_e32 v26, vcc, v18, v17
	v_add_u32_e32 v18, vcc, v25, v18
	v_alignbit_b32 v17, v10, v10, 7
	v_alignbit_b32 v25, v10, v10, 18
	v_xor_b32_e32 v17, v17, v25
	v_lshrrev_b32_e32 v25, 3, v10
	v_xor_b32_e32 v17, v17, v25
	v_alignbit_b32 v25, v13, v13, 17
	v_alignbit_b32 v27, v13, v13, 19
	v_xor_b32_e32 v25, v25, v27
	v_lshrrev_b32_e32 v27, 10, v13
	v_add_u32_e32 v11, vcc, v7, v11
	v_xor_b32_e32 v25, v25, v27
	v_add_u32_e32 v11, vcc, v11, v17
	v_add_u32_e32 v11, vcc, v11, v25
	v_alignbit_b32 v17, v26, v26, 6
	v_alignbit_b32 v25, v26, v26, 11
	v_xor_b32_e32 v17, v17, v25
	v_alignbit_b32 v25, v26, v26, 25
	v_xor_b32_e32 v17, v17, v25
	v_add_u32_e32 v17, vcc, v19, v17
	v_bfi_b32 v19, v26, v23, v21
	v_add_u32_e32 v17, vcc, v17, v19
	v_alignbit_b32 v19, v18, v18, 2
	v_alignbit_b32 v25, v18, v18, 13
	v_xor_b32_e32 v19, v19, v25
	v_alignbit_b32 v25, v18, v18, 22
	v_xor_b32_e32 v19, v19, v25
	v_xor_b32_e32 v25, v24, v22
	v_bfi_b32 v25, v25, v18, v22
	v_add_u32_e32 v17, vcc, s41, v17
	v_add_u32_e32 v19, vcc, v25, v19
	v_add_u32_e32 v17, vcc, v17, v11
	v_add_u32_e32 v20, vcc, v17, v20
	v_add_u32_e32 v19, vcc, v19, v17
	v_alignbit_b32 v17, v9, v9, 7
	v_alignbit_b32 v25, v9, v9, 18
	v_xor_b32_e32 v17, v17, v25
	v_lshrrev_b32_e32 v25, 3, v9
	v_xor_b32_e32 v17, v17, v25
	v_alignbit_b32 v25, v12, v12, 17
	v_alignbit_b32 v27, v12, v12, 19
	v_xor_b32_e32 v25, v25, v27
	v_lshrrev_b32_e32 v27, 10, v12
	v_add_u32_e32 v10, vcc, v8, v10
	v_xor_b32_e32 v25, v25, v27
	v_add_u32_e32 v10, vcc, v10, v17
	v_add_u32_e32 v10, vcc, v10, v25
	v_alignbit_b32 v17, v20, v20, 6
	v_alignbit_b32 v25, v20, v20, 11
	v_xor_b32_e32 v17, v17, v25
	v_alignbit_b32 v25, v20, v20, 25
	v_xor_b32_e32 v17, v17, v25
	v_add_u32_e32 v17, vcc, v21, v17
	v_bfi_b32 v21, v20, v26, v23
	v_add_u32_e32 v17, vcc, v17, v21
	v_alignbit_b32 v21, v19, v19, 2
	v_alignbit_b32 v25, v19, v19, 13
	v_xor_b32_e32 v21, v21, v25
	v_alignbit_b32 v25, v19, v19, 22
	v_xor_b32_e32 v21, v21, v25
	v_xor_b32_e32 v25, v18, v24
	v_bfi_b32 v25, v25, v19, v24
	v_add_u32_e32 v17, vcc, s42, v17
	v_add_u32_e32 v21, vcc, v25, v21
	v_add_u32_e32 v17, vcc, v17, v10
	v_add_u32_e32 v22, vcc, v17, v22
	v_add_u32_e32 v21, vcc, v21, v17
	v_alignbit_b32 v17, v1, v1, 7
	v_alignbit_b32 v25, v1, v1, 18
	v_xor_b32_e32 v17, v17, v25
	v_lshrrev_b32_e32 v25, 3, v1
	v_xor_b32_e32 v17, v17, v25
	v_alignbit_b32 v25, v11, v11, 17
	v_alignbit_b32 v27, v11, v11, 19
	v_xor_b32_e32 v25, v25, v27
	v_lshrrev_b32_e32 v27, 10, v11
	v_add_u32_e32 v9, vcc, v14, v9
	v_xor_b32_e32 v25, v25, v27
	v_add_u32_e32 v9, vcc, v9, v17
	v_add_u32_e32 v9, vcc, v9, v25
	v_alignbit_b32 v17, v22, v22, 6
	v_alignbit_b32 v25, v22, v22, 11
	v_xor_b32_e32 v17, v17, v25
	v_alignbit_b32 v25, v22, v22, 25
	v_xor_b32_e32 v17, v17, v25
	v_add_u32_e32 v17, vcc, v23, v17
	v_bfi_b32 v23, v22, v20, v26
	v_add_u32_e32 v17, vcc, v17, v23
	v_alignbit_b32 v23, v21, v21, 2
	v_alignbit_b32 v25, v21, v21, 13
	v_xor_b32_e32 v23, v23, v25
	v_alignbit_b32 v25, v21, v21, 22
	v_xor_b32_e32 v23, v23, v25
	v_xor_b32_e32 v25, v19, v18
	v_bfi_b32 v25, v25, v21, v18
	v_add_u32_e32 v17, vcc, s43, v17
	v_add_u32_e32 v23, vcc, v25, v23
	v_add_u32_e32 v17, vcc, v17, v9
	v_add_u32_e32 v24, vcc, v17, v24
	v_add_u32_e32 v23, vcc, v23, v17
	v_alignbit_b32 v17, v2, v2, 7
	v_alignbit_b32 v25, v2, v2, 18
	v_xor_b32_e32 v17, v17, v25
	v_lshrrev_b32_e32 v25, 3, v2
	v_xor_b32_e32 v17, v17, v25
	v_alignbit_b32 v25, v10, v10, 17
	v_alignbit_b32 v27, v10, v10, 19
	v_xor_b32_e32 v25, v25, v27
	v_lshrrev_b32_e32 v27, 10, v10
	v_xor_b32_e32 v25, v25, v27
	v_add_u32_e32 v27, vcc, v15, v1
	v_add_u32_e32 v17, vcc, v27, v17
	v_add_u32_e32 v17, vcc, v17, v25
	v_alignbit_b32 v25, v24, v24, 6
	v_alignbit_b32 v27, v24, v24, 11
	v_xor_b32_e32 v25, v25, v27
	v_alignbit_b32 v27, v24, v24, 25
	v_xor_b32_e32 v25, v25, v27
	v_add_u32_e32 v25, vcc, v26, v25
	v_bfi_b32 v26, v24, v22, v20
	v_add_u32_e32 v25, vcc, v25, v26
	v_alignbit_b32 v26, v23, v23, 2
	v_alignbit_b32 v27, v23, v23, 13
	v_xor_b32_e32 v26, v26, v27
	v_alignbit_b32 v27, v23, v23, 22
	v_xor_b32_e32 v26, v26, v27
	v_xor_b32_e32 v27, v21, v19
	v_bfi_b32 v27, v27, v23, v19
	v_add_u32_e32 v25, vcc, s44, v25
	v_add_u32_e32 v26, vcc, v27, v26
	v_add_u32_e32 v25, vcc, v25, v17
	v_add_u32_e32 v27, vcc, v25, v18
	v_add_u32_e32 v25, vcc, v26, v25
	v_alignbit_b32 v18, v3, v3, 7
	v_alignbit_b32 v26, v3, v3, 18
	v_xor_b32_e32 v18, v18, v26
	v_lshrrev_b32_e32 v26, 3, v3
	v_xor_b32_e32 v18, v18, v26
	v_alignbit_b32 v26, v9, v9, 17
	v_alignbit_b32 v28, v9, v9, 19
	v_xor_b32_e32 v26, v26, v28
	v_lshrrev_b32_e32 v28, 10, v9
	v_xor_b32_e32 v26, v26, v28
	v_add_u32_e32 v28, vcc, v16, v2
	v_add_u32_e32 v18, vcc, v28, v18
	v_add_u32_e32 v18, vcc, v18, v26
	v_alignbit_b32 v26, v27, v27, 6
	v_alignbit_b32 v28, v27, v27, 11
	v_xor_b32_e32 v26, v26, v28
	v_alignbit_b32 v28, v27, v27, 25
	v_xor_b32_e32 v26, v26, v28
	v_add_u32_e32 v20, vcc, v20, v26
	v_bfi_b32 v26, v27, v24, v22
	v_add_u32_e32 v20, vcc, v20, v26
	v_alignbit_b32 v26, v25, v25, 2
	v_alignbit_b32 v28, v25, v25, 13
	v_xor_b32_e32 v26, v26, v28
	v_alignbit_b32 v28, v25, v25, 22
	v_xor_b32_e32 v26, v26, v28
	v_xor_b32_e32 v28, v23, v21
	v_bfi_b32 v28, v28, v25, v21
	v_add_u32_e32 v20, vcc, s45, v20
	v_add_u32_e32 v26, vcc, v28, v26
	v_add_u32_e32 v20, vcc, v20, v18
	v_add_u32_e32 v28, vcc, v20, v19
	v_add_u32_e32 v26, vcc, v26, v20
	v_alignbit_b32 v19, v4, v4, 7
	v_alignbit_b32 v20, v4, v4, 18
	v_xor_b32_e32 v19, v19, v20
	v_lshrrev_b32_e32 v20, 3, v4
	v_xor_b32_e32 v19, v19, v20
	v_alignbit_b32 v20, v17, v17, 17
	v_alignbit_b32 v29, v17, v17, 19
	v_xor_b32_e32 v20, v20, v29
	v_lshrrev_b32_e32 v29, 10, v17
	v_xor_b32_e32 v20, v20, v29
	v_add_u32_e32 v29, vcc, v13, v3
	v_add_u32_e32 v19, vcc, v29, v19
	v_add_u32_e32 v19, vcc, v19, v20
	v_alignbit_b32 v20, v28, v28, 6
	v_alignbit_b32 v29, v28, v28, 11
	v_xor_b32_e32 v20, v20, v29
	v_alignbit_b32 v29, v28, v28, 25
	v_xor_b32_e32 v20, v20, v29
	v_add_u32_e32 v20, vcc, v22, v20
	v_bfi_b32 v22, v28, v27, v24
	v_add_u32_e32 v20, vcc, v20, v22
	v_alignbit_b32 v22, v26, v26, 2
	v_alignbit_b32 v29, v26, v26, 13
	v_xor_b32_e32 v22, v22, v29
	v_alignbit_b32 v29, v26, v26, 22
	v_xor_b32_e32 v22, v22, v29
	v_xor_b32_e32 v29, v25, v23
	v_bfi_b32 v29, v29, v26, v23
	v_add_u32_e32 v20, vcc, s46, v20
	v_add_u32_e32 v22, vcc, v29, v22
	v_add_u32_e32 v20, vcc, v20, v19
	v_add_u32_e32 v29, vcc, v20, v21
	v_add_u32_e32 v30, vcc, v22, v20
	v_alignbit_b32 v20, v5, v5, 7
	v_alignbit_b32 v21, v5, v5, 18
	v_xor_b32_e32 v20, v20, v21
	v_lshrrev_b32_e32 v21, 3, v5
	v_xor_b32_e32 v20, v20, v21
	v_alignbit_b32 v21, v18, v18, 17
	v_alignbit_b32 v22, v18, v18, 19
	v_xor_b32_e32 v21, v21, v22
	v_lshrrev_b32_e32 v22, 10, v18
	v_xor_b32_e32 v21, v21, v22
	v_add_u32_e32 v22, vcc, v12, v4
	v_add_u32_e32 v20, vcc, v22, v20
	v_add_u32_e32 v20, vcc, v20, v21
	v_alignbit_b32 v21, v29, v29, 6
	v_alignbit_b32 v22, v29, v29, 11
	v_xor_b32_e32 v21, v21, v22
	v_alignbit_b32 v22, v29, v29, 25
	v_xor_b32_e32 v21, v21, v22
	v_add_u32_e32 v21, vcc, v24, v21
	v_bfi_b32 v22, v29, v28, v27
	v_add_u32_e32 v21, vcc, v21, v22
	v_alignbit_b32 v22, v30, v30, 2
	v_alignbit_b32 v24, v30, v30, 13
	v_xor_b32_e32 v22, v22, v24
	v_alignbit_b32 v24, v30, v30, 22
	v_xor_b32_e32 v22, v22, v24
	v_xor_b32_e32 v24, v26, v25
	v_bfi_b32 v24, v24, v30, v25
	v_add_u32_e32 v21, vcc, s47, v21
	v_add_u32_e32 v22, vcc, v24, v22
	v_add_u32_e32 v21, vcc, v21, v20
	v_add_u32_e32 v31, vcc, v21, v23
	v_add_u32_e32 v32, vcc, v22, v21
	v_alignbit_b32 v21, v6, v6, 7
	v_alignbit_b32 v22, v6, v6, 18
	v_xor_b32_e32 v21, v21, v22
	v_lshrrev_b32_e32 v22, 3, v6
	v_xor_b32_e32 v21, v21, v22
	v_alignbit_b32 v22, v19, v19, 17
	v_alignbit_b32 v23, v19, v19, 19
	v_xor_b32_e32 v22, v22, v23
	v_lshrrev_b32_e32 v23, 10, v19
	v_xor_b32_e32 v22, v22, v23
	v_add_u32_e32 v23, vcc, v11, v5
	v_add_u32_e32 v21, vcc, v23, v21
	v_add_u32_e32 v21, vcc, v21, v22
	v_alignbit_b32 v22, v31, v31, 6
	v_alignbit_b32 v23, v31, v31, 11
	v_xor_b32_e32 v22, v22, v23
	v_alignbit_b32 v23, v31, v31, 25
	v_xor_b32_e32 v22, v22, v23
	v_add_u32_e32 v22, vcc, v27, v22
	v_bfi_b32 v23, v31, v29, v28
	v_add_u32_e32 v22, vcc, v22, v23
	v_alignbit_b32 v23, v32, v32, 2
	v_alignbit_b32 v24, v32, v32, 13
	v_xor_b32_e32 v23, v23, v24
	v_alignbit_b32 v24, v32, v32, 22
	v_xor_b32_e32 v23, v23, v24
	v_xor_b32_e32 v24, v30, v26
	v_bfi_b32 v24, v24, v32, v26
	v_add_u32_e32 v22, vcc, s48, v22
	v_add_u32_e32 v23, vcc, v24, v23
	v_add_u32_e32 v22, vcc, v22, v21
	v_add_u32_e32 v25, vcc, v22, v25
	v_add_u32_e32 v27, vcc, v23, v22
	v_alignbit_b32 v22, v7, v7, 7
	v_alignbit_b32 v23, v7, v7, 18
	v_xor_b32_e32 v22, v22, v23
	v_lshrrev_b32_e32 v23, 3, v7
	v_xor_b32_e32 v22, v22, v23
	v_alignbit_b32 v23, v20, v20, 17
	v_alignbit_b32 v24, v20, v20, 19
	v_xor_b32_e32 v23, v23, v24
	v_lshrrev_b32_e32 v24, 10, v20
	v_xor_b32_e32 v23, v23, v24
	v_add_u32_e32 v24, vcc, v10, v6
	v_add_u32_e32 v22, vcc, v24, v22
	v_add_u32_e32 v22, vcc, v22, v23
	v_alignbit_b32 v23, v25, v25, 6
	v_alignbit_b32 v24, v25, v25, 11
	v_xor_b32_e32 v23, v23, v24
	v_alignbit_b32 v24, v25, v25, 25
	v_xor_b32_e32 v23, v23, v24
	v_add_u32_e32 v23, vcc, v28, v23
	v_bfi_b32 v24, v25, v31, v29
	v_add_u32_e32 v23, vcc, v23, v24
	v_alignbit_b32 v24, v27, v27, 2
	v_alignbit_b32 v28, v27, v27, 13
	v_xor_b32_e32 v24, v24, v28
	v_alignbit_b32 v28, v27, v27, 22
	v_xor_b32_e32 v24, v24, v28
	v_xor_b32_e32 v28, v32, v30
	v_bfi_b32 v28, v28, v27, v30
	v_add_u32_e32 v23, vcc, s49, v23
	v_add_u32_e32 v24, vcc, v28, v24
	v_add_u32_e32 v23, vcc, v23, v22
	v_add_u32_e32 v26, vcc, v23, v26
	v_add_u32_e32 v28, vcc, v24, v23
	v_alignbit_b32 v23, v8, v8, 7
	v_alignbit_b32 v24, v8, v8, 18
	v_xor_b32_e32 v23, v23, v24
	v_lshrrev_b32_e32 v24, 3, v8
	v_xor_b32_e32 v23, v23, v24
	v_alignbit_b32 v24, v21, v21, 17
	v_alignbit_b32 v33, v21, v21, 19
	v_xor_b32_e32 v24, v24, v33
	v_lshrrev_b32_e32 v33, 10, v21
	v_xor_b32_e32 v24, v24, v33
	v_add_u32_e32 v33, vcc, v9, v7
	v_add_u32_e32 v23, vcc, v33, v23
	v_add_u32_e32 v23, vcc, v23, v24
	v_alignbit_b32 v24, v26, v26, 6
	v_alignbit_b32 v33, v26, v26, 11
	v_xor_b32_e32 v24, v24, v33
	v_alignbit_b32 v33, v26, v26, 25
	v_xor_b32_e32 v24, v24, v33
	v_add_u32_e32 v24, vcc, v29, v24
	v_bfi_b32 v29, v26, v25, v31
	v_add_u32_e32 v24, vcc, v24, v29
	v_alignbit_b32 v29, v28, v28, 2
	v_alignbit_b32 v33, v28, v28, 13
	v_xor_b32_e32 v29, v29, v33
	v_alignbit_b32 v33, v28, v28, 22
	v_xor_b32_e32 v29, v29, v33
	v_xor_b32_e32 v33, v27, v32
	v_bfi_b32 v33, v33, v28, v32
	v_add_u32_e32 v24, vcc, s50, v24
	v_add_u32_e32 v29, vcc, v33, v29
	v_add_u32_e32 v24, vcc, v24, v23
	v_add_u32_e32 v30, vcc, v24, v30
	v_add_u32_e32 v29, vcc, v29, v24
	v_alignbit_b32 v24, v14, v14, 7
	v_alignbit_b32 v33, v14, v14, 18
	v_xor_b32_e32 v24, v24, v33
	v_lshrrev_b32_e32 v33, 3, v14
	v_xor_b32_e32 v24, v24, v33
	v_alignbit_b32 v33, v22, v22, 17
	v_alignbit_b32 v34, v22, v22, 19
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 10, v22
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v34, vcc, v17, v8
	v_add_u32_e32 v24, vcc, v34, v24
	v_add_u32_e32 v24, vcc, v24, v33
	v_alignbit_b32 v33, v30, v30, 6
	v_alignbit_b32 v34, v30, v30, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v30, v30, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v31, vcc, v31, v33
	v_bfi_b32 v33, v30, v26, v25
	v_add_u32_e32 v31, vcc, v31, v33
	v_alignbit_b32 v33, v29, v29, 2
	v_alignbit_b32 v34, v29, v29, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v29, v29, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v28, v27
	v_bfi_b32 v34, v34, v29, v27
	v_add_u32_e32 v31, vcc, s51, v31
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v31, vcc, v31, v24
	v_add_u32_e32 v32, vcc, v31, v32
	v_add_u32_e32 v31, vcc, v33, v31
	v_alignbit_b32 v33, v15, v15, 7
	v_alignbit_b32 v34, v15, v15, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v15
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v23, v23, 17
	v_alignbit_b32 v35, v23, v23, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v23
	v_add_u32_e32 v14, vcc, v18, v14
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v14, vcc, v14, v33
	v_add_u32_e32 v14, vcc, v14, v34
	v_alignbit_b32 v33, v32, v32, 6
	v_alignbit_b32 v34, v32, v32, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v32, v32, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v25, vcc, v25, v33
	v_bfi_b32 v33, v32, v30, v26
	v_add_u32_e32 v25, vcc, v25, v33
	v_alignbit_b32 v33, v31, v31, 2
	v_alignbit_b32 v34, v31, v31, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v31, v31, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v29, v28
	v_bfi_b32 v34, v34, v31, v28
	v_add_u32_e32 v25, vcc, s52, v25
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v25, vcc, v25, v14
	v_add_u32_e32 v27, vcc, v25, v27
	v_add_u32_e32 v25, vcc, v33, v25
	v_alignbit_b32 v33, v16, v16, 7
	v_alignbit_b32 v34, v16, v16, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v16
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v24, v24, 17
	v_alignbit_b32 v35, v24, v24, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v24
	v_add_u32_e32 v15, vcc, v19, v15
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v15, vcc, v15, v33
	v_add_u32_e32 v15, vcc, v15, v34
	v_alignbit_b32 v33, v27, v27, 6
	v_alignbit_b32 v34, v27, v27, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v27, v27, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v26, vcc, v26, v33
	v_bfi_b32 v33, v27, v32, v30
	v_add_u32_e32 v26, vcc, v26, v33
	v_alignbit_b32 v33, v25, v25, 2
	v_alignbit_b32 v34, v25, v25, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v25, v25, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v31, v29
	v_bfi_b32 v34, v34, v25, v29
	v_add_u32_e32 v26, vcc, s53, v26
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v26, vcc, v26, v15
	v_add_u32_e32 v28, vcc, v26, v28
	v_add_u32_e32 v26, vcc, v33, v26
	v_alignbit_b32 v33, v13, v13, 7
	v_alignbit_b32 v34, v13, v13, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v14, v14, 17
	v_alignbit_b32 v35, v14, v14, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v14
	v_add_u32_e32 v16, vcc, v20, v16
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v16, vcc, v16, v33
	v_add_u32_e32 v16, vcc, v16, v34
	v_alignbit_b32 v33, v28, v28, 6
	v_alignbit_b32 v34, v28, v28, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v28, v28, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v30, vcc, v30, v33
	v_bfi_b32 v33, v28, v27, v32
	v_add_u32_e32 v30, vcc, v30, v33
	v_alignbit_b32 v33, v26, v26, 2
	v_alignbit_b32 v34, v26, v26, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v26, v26, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v25, v31
	v_bfi_b32 v34, v34, v26, v31
	v_add_u32_e32 v30, vcc, s54, v30
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v30, vcc, v30, v16
	v_add_u32_e32 v29, vcc, v30, v29
	v_add_u32_e32 v30, vcc, v33, v30
	v_alignbit_b32 v33, v12, v12, 7
	v_alignbit_b32 v34, v12, v12, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v12
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v15, v15, 17
	v_alignbit_b32 v35, v15, v15, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v15
	v_add_u32_e32 v13, vcc, v21, v13
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v13, vcc, v13, v33
	v_add_u32_e32 v13, vcc, v13, v34
	v_alignbit_b32 v33, v29, v29, 6
	v_alignbit_b32 v34, v29, v29, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v29, v29, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v32, vcc, v32, v33
	v_bfi_b32 v33, v29, v28, v27
	v_add_u32_e32 v32, vcc, v32, v33
	v_alignbit_b32 v33, v30, v30, 2
	v_alignbit_b32 v34, v30, v30, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v30, v30, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v26, v25
	v_bfi_b32 v34, v34, v30, v25
	v_add_u32_e32 v32, vcc, s55, v32
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v32, vcc, v32, v13
	v_add_u32_e32 v31, vcc, v32, v31
	v_add_u32_e32 v32, vcc, v33, v32
	v_alignbit_b32 v33, v11, v11, 7
	v_alignbit_b32 v34, v11, v11, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v16, v16, 17
	v_alignbit_b32 v35, v16, v16, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v16
	v_add_u32_e32 v12, vcc, v22, v12
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v12, vcc, v12, v33
	v_add_u32_e32 v12, vcc, v12, v34
	v_alignbit_b32 v33, v31, v31, 6
	v_alignbit_b32 v34, v31, v31, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v31, v31, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v27, vcc, v27, v33
	v_bfi_b32 v33, v31, v29, v28
	v_add_u32_e32 v27, vcc, v27, v33
	v_alignbit_b32 v33, v32, v32, 2
	v_alignbit_b32 v34, v32, v32, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v32, v32, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v30, v26
	v_bfi_b32 v34, v34, v32, v26
	v_add_u32_e32 v27, vcc, s56, v27
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v27, vcc, v27, v12
	v_add_u32_e32 v25, vcc, v27, v25
	v_add_u32_e32 v27, vcc, v33, v27
	v_alignbit_b32 v33, v10, v10, 7
	v_alignbit_b32 v34, v10, v10, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v10
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v13, v13, 17
	v_alignbit_b32 v35, v13, v13, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v13
	v_add_u32_e32 v11, vcc, v23, v11
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v11, vcc, v11, v33
	v_add_u32_e32 v11, vcc, v11, v34
	v_alignbit_b32 v33, v25, v25, 6
	v_alignbit_b32 v34, v25, v25, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v25, v25, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v28, vcc, v28, v33
	v_bfi_b32 v33, v25, v31, v29
	v_add_u32_e32 v28, vcc, v28, v33
	v_alignbit_b32 v33, v27, v27, 2
	v_alignbit_b32 v34, v27, v27, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v27, v27, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v32, v30
	v_bfi_b32 v34, v34, v27, v30
	v_add_u32_e32 v28, vcc, s57, v28
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v28, vcc, v28, v11
	v_add_u32_e32 v26, vcc, v28, v26
	v_add_u32_e32 v28, vcc, v33, v28
	v_alignbit_b32 v33, v9, v9, 7
	v_alignbit_b32 v34, v9, v9, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v9
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v12, v12, 17
	v_alignbit_b32 v35, v12, v12, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v12
	v_add_u32_e32 v10, vcc, v24, v10
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v10, vcc, v10, v33
	v_add_u32_e32 v10, vcc, v10, v34
	v_alignbit_b32 v33, v26, v26, 6
	v_alignbit_b32 v34, v26, v26, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v26, v26, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v29, vcc, v29, v33
	v_bfi_b32 v33, v26, v25, v31
	v_add_u32_e32 v29, vcc, v29, v33
	v_alignbit_b32 v33, v28, v28, 2
	v_alignbit_b32 v34, v28, v28, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v28, v28, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v27, v32
	v_bfi_b32 v34, v34, v28, v32
	v_add_u32_e32 v29, vcc, s58, v29
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v29, vcc, v29, v10
	v_add_u32_e32 v30, vcc, v29, v30
	v_add_u32_e32 v29, vcc, v33, v29
	v_alignbit_b32 v33, v17, v17, 7
	v_alignbit_b32 v34, v17, v17, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v17
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v11, v11, 17
	v_alignbit_b32 v35, v11, v11, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v11
	v_add_u32_e32 v9, vcc, v14, v9
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v9, vcc, v9, v33
	v_add_u32_e32 v9, vcc, v9, v34
	v_alignbit_b32 v33, v30, v30, 6
	v_alignbit_b32 v34, v30, v30, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v30, v30, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v31, vcc, v31, v33
	v_bfi_b32 v33, v30, v26, v25
	v_add_u32_e32 v31, vcc, v31, v33
	v_alignbit_b32 v33, v29, v29, 2
	v_alignbit_b32 v34, v29, v29, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v29, v29, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v28, v27
	v_bfi_b32 v34, v34, v29, v27
	v_add_u32_e32 v31, vcc, s59, v31
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v31, vcc, v31, v9
	v_add_u32_e32 v32, vcc, v31, v32
	v_add_u32_e32 v31, vcc, v33, v31
	v_alignbit_b32 v33, v18, v18, 7
	v_alignbit_b32 v34, v18, v18, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v18
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v10, v10, 17
	v_alignbit_b32 v35, v10, v10, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v10
	v_add_u32_e32 v17, vcc, v15, v17
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v17, vcc, v17, v33
	v_add_u32_e32 v17, vcc, v17, v34
	v_alignbit_b32 v33, v32, v32, 6
	v_alignbit_b32 v34, v32, v32, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v32, v32, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v25, vcc, v25, v33
	v_bfi_b32 v33, v32, v30, v26
	v_add_u32_e32 v25, vcc, v25, v33
	v_alignbit_b32 v33, v31, v31, 2
	v_alignbit_b32 v34, v31, v31, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v31, v31, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v29, v28
	v_bfi_b32 v34, v34, v31, v28
	v_add_u32_e32 v25, vcc, s60, v25
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v25, vcc, v25, v17
	v_add_u32_e32 v27, vcc, v25, v27
	v_add_u32_e32 v25, vcc, v33, v25
	v_alignbit_b32 v33, v19, v19, 7
	v_alignbit_b32 v34, v19, v19, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v19
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v9, v9, 17
	v_alignbit_b32 v35, v9, v9, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v9
	v_add_u32_e32 v18, vcc, v16, v18
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v18, vcc, v18, v33
	v_add_u32_e32 v18, vcc, v18, v34
	v_alignbit_b32 v33, v27, v27, 6
	v_alignbit_b32 v34, v27, v27, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v27, v27, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v26, vcc, v26, v33
	v_bfi_b32 v33, v27, v32, v30
	v_add_u32_e32 v26, vcc, v26, v33
	v_alignbit_b32 v33, v25, v25, 2
	v_alignbit_b32 v34, v25, v25, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v25, v25, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v31, v29
	v_bfi_b32 v34, v34, v25, v29
	v_add_u32_e32 v26, vcc, s61, v26
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v26, vcc, v26, v18
	v_add_u32_e32 v28, vcc, v26, v28
	v_add_u32_e32 v26, vcc, v33, v26
	v_alignbit_b32 v33, v20, v20, 7
	v_alignbit_b32 v34, v20, v20, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v20
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v17, v17, 17
	v_alignbit_b32 v35, v17, v17, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v17
	v_add_u32_e32 v19, vcc, v13, v19
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v19, vcc, v19, v33
	v_add_u32_e32 v19, vcc, v19, v34
	v_alignbit_b32 v33, v28, v28, 6
	v_alignbit_b32 v34, v28, v28, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v28, v28, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v30, vcc, v30, v33
	v_bfi_b32 v33, v28, v27, v32
	v_add_u32_e32 v30, vcc, v30, v33
	v_alignbit_b32 v33, v26, v26, 2
	v_alignbit_b32 v34, v26, v26, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v26, v26, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v25, v31
	v_bfi_b32 v34, v34, v26, v31
	v_add_u32_e32 v30, vcc, s62, v30
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v30, vcc, v30, v19
	v_add_u32_e32 v29, vcc, v30, v29
	v_add_u32_e32 v30, vcc, v33, v30
	v_alignbit_b32 v33, v21, v21, 7
	v_alignbit_b32 v34, v21, v21, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v21
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v18, v18, 17
	v_alignbit_b32 v35, v18, v18, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v18
	v_add_u32_e32 v20, vcc, v12, v20
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v20, vcc, v20, v33
	v_add_u32_e32 v20, vcc, v20, v34
	v_alignbit_b32 v33, v29, v29, 6
	v_alignbit_b32 v34, v29, v29, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v29, v29, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v32, vcc, v32, v33
	v_bfi_b32 v33, v29, v28, v27
	v_add_u32_e32 v32, vcc, v32, v33
	v_alignbit_b32 v33, v30, v30, 2
	v_alignbit_b32 v34, v30, v30, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v30, v30, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v26, v25
	v_bfi_b32 v34, v34, v30, v25
	v_add_u32_e32 v32, vcc, s63, v32
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v32, vcc, v32, v20
	v_add_u32_e32 v31, vcc, v32, v31
	v_add_u32_e32 v32, vcc, v33, v32
	v_alignbit_b32 v33, v22, v22, 7
	v_alignbit_b32 v34, v22, v22, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v22
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v19, v19, 17
	v_alignbit_b32 v35, v19, v19, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v19
	v_add_u32_e32 v21, vcc, v11, v21
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v21, vcc, v21, v33
	v_add_u32_e32 v21, vcc, v21, v34
	v_alignbit_b32 v33, v31, v31, 6
	v_alignbit_b32 v34, v31, v31, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v31, v31, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v27, vcc, v27, v33
	v_bfi_b32 v33, v31, v29, v28
	v_add_u32_e32 v27, vcc, v27, v33
	v_alignbit_b32 v33, v32, v32, 2
	v_alignbit_b32 v34, v32, v32, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v32, v32, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v30, v26
	v_bfi_b32 v34, v34, v32, v26
	v_add_u32_e32 v27, vcc, s64, v27
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v27, vcc, v27, v21
	v_add_u32_e32 v25, vcc, v27, v25
	v_add_u32_e32 v27, vcc, v33, v27
	v_alignbit_b32 v33, v23, v23, 7
	v_alignbit_b32 v34, v23, v23, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v23
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v20, v20, 17
	v_alignbit_b32 v35, v20, v20, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v20
	v_add_u32_e32 v22, vcc, v10, v22
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v22, vcc, v22, v33
	v_add_u32_e32 v22, vcc, v22, v34
	v_alignbit_b32 v33, v25, v25, 6
	v_alignbit_b32 v34, v25, v25, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v25, v25, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v28, vcc, v28, v33
	v_bfi_b32 v33, v25, v31, v29
	v_add_u32_e32 v28, vcc, v28, v33
	v_alignbit_b32 v33, v27, v27, 2
	v_alignbit_b32 v34, v27, v27, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v27, v27, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v32, v30
	v_bfi_b32 v34, v34, v27, v30
	v_add_u32_e32 v28, vcc, s65, v28
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v28, vcc, v28, v22
	v_add_u32_e32 v26, vcc, v28, v26
	v_add_u32_e32 v28, vcc, v33, v28
	v_alignbit_b32 v33, v24, v24, 7
	v_alignbit_b32 v34, v24, v24, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v24
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v21, v21, 17
	v_alignbit_b32 v35, v21, v21, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v21
	v_add_u32_e32 v23, vcc, v9, v23
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v23, vcc, v23, v33
	v_add_u32_e32 v23, vcc, v23, v34
	v_alignbit_b32 v33, v26, v26, 6
	v_alignbit_b32 v34, v26, v26, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v26, v26, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v29, vcc, v29, v33
	v_bfi_b32 v33, v26, v25, v31
	v_add_u32_e32 v29, vcc, v29, v33
	v_alignbit_b32 v33, v28, v28, 2
	v_alignbit_b32 v34, v28, v28, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v28, v28, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v27, v32
	v_bfi_b32 v34, v34, v28, v32
	v_add_u32_e32 v29, vcc, s66, v29
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v29, vcc, v29, v23
	v_add_u32_e32 v30, vcc, v29, v30
	v_add_u32_e32 v29, vcc, v33, v29
	v_alignbit_b32 v33, v14, v14, 7
	v_alignbit_b32 v34, v14, v14, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v14
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v22, v22, 17
	v_alignbit_b32 v35, v22, v22, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v22
	v_add_u32_e32 v24, vcc, v17, v24
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v24, vcc, v24, v33
	v_add_u32_e32 v24, vcc, v24, v34
	v_alignbit_b32 v33, v30, v30, 6
	v_alignbit_b32 v34, v30, v30, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v30, v30, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v31, vcc, v31, v33
	v_bfi_b32 v33, v30, v26, v25
	v_add_u32_e32 v31, vcc, v31, v33
	v_alignbit_b32 v33, v29, v29, 2
	v_alignbit_b32 v34, v29, v29, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v29, v29, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v28, v27
	v_bfi_b32 v34, v34, v29, v27
	v_add_u32_e32 v31, vcc, s67, v31
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v31, vcc, v31, v24
	v_add_u32_e32 v32, vcc, v31, v32
	v_add_u32_e32 v31, vcc, v33, v31
	v_alignbit_b32 v33, v15, v15, 7
	v_alignbit_b32 v34, v15, v15, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v15
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v23, v23, 17
	v_alignbit_b32 v35, v23, v23, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v23
	v_add_u32_e32 v14, vcc, v18, v14
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v14, vcc, v14, v33
	v_add_u32_e32 v14, vcc, v14, v34
	v_alignbit_b32 v33, v32, v32, 6
	v_alignbit_b32 v34, v32, v32, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v32, v32, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v25, vcc, v25, v33
	v_bfi_b32 v33, v32, v30, v26
	v_add_u32_e32 v25, vcc, v25, v33
	v_alignbit_b32 v33, v31, v31, 2
	v_alignbit_b32 v34, v31, v31, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v31, v31, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v29, v28
	v_bfi_b32 v34, v34, v31, v28
	v_add_u32_e32 v25, vcc, s68, v25
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v25, vcc, v25, v14
	v_add_u32_e32 v27, vcc, v25, v27
	v_add_u32_e32 v25, vcc, v33, v25
	v_alignbit_b32 v33, v16, v16, 7
	v_alignbit_b32 v34, v16, v16, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v16
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v24, v24, 17
	v_alignbit_b32 v35, v24, v24, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v24
	v_add_u32_e32 v15, vcc, v19, v15
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v15, vcc, v15, v33
	v_add_u32_e32 v15, vcc, v15, v34
	v_alignbit_b32 v33, v27, v27, 6
	v_alignbit_b32 v34, v27, v27, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v27, v27, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v26, vcc, v26, v33
	v_bfi_b32 v33, v27, v32, v30
	v_add_u32_e32 v26, vcc, v26, v33
	v_alignbit_b32 v33, v25, v25, 2
	v_alignbit_b32 v34, v25, v25, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v25, v25, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v31, v29
	v_bfi_b32 v34, v34, v25, v29
	v_add_u32_e32 v26, vcc, s69, v26
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v26, vcc, v26, v15
	v_add_u32_e32 v28, vcc, v26, v28
	v_add_u32_e32 v26, vcc, v33, v26
	v_alignbit_b32 v33, v13, v13, 7
	v_alignbit_b32 v34, v13, v13, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v14, v14, 17
	v_alignbit_b32 v35, v14, v14, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v14
	v_add_u32_e32 v16, vcc, v20, v16
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v16, vcc, v16, v33
	v_add_u32_e32 v16, vcc, v16, v34
	v_alignbit_b32 v33, v28, v28, 6
	v_alignbit_b32 v34, v28, v28, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v28, v28, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v30, vcc, v30, v33
	v_bfi_b32 v33, v28, v27, v32
	v_add_u32_e32 v30, vcc, v30, v33
	v_alignbit_b32 v33, v26, v26, 2
	v_alignbit_b32 v34, v26, v26, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v26, v26, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v25, v31
	v_bfi_b32 v34, v34, v26, v31
	v_add_u32_e32 v30, vcc, s70, v30
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v30, vcc, v30, v16
	v_add_u32_e32 v29, vcc, v30, v29
	v_add_u32_e32 v30, vcc, v33, v30
	v_alignbit_b32 v33, v12, v12, 7
	v_alignbit_b32 v34, v12, v12, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v12
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v15, v15, 17
	v_alignbit_b32 v35, v15, v15, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v15
	v_add_u32_e32 v13, vcc, v21, v13
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v13, vcc, v13, v33
	v_add_u32_e32 v13, vcc, v13, v34
	v_alignbit_b32 v33, v29, v29, 6
	v_alignbit_b32 v34, v29, v29, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v29, v29, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v32, vcc, v32, v33
	v_bfi_b32 v33, v29, v28, v27
	v_add_u32_e32 v32, vcc, v32, v33
	v_alignbit_b32 v33, v30, v30, 2
	v_alignbit_b32 v34, v30, v30, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v30, v30, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v26, v25
	v_bfi_b32 v34, v34, v30, v25
	v_add_u32_e32 v32, vcc, s71, v32
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v32, vcc, v32, v13
	v_add_u32_e32 v31, vcc, v32, v31
	v_add_u32_e32 v32, vcc, v33, v32
	v_alignbit_b32 v33, v11, v11, 7
	v_alignbit_b32 v34, v11, v11, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v16, v16, 17
	v_alignbit_b32 v35, v16, v16, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v16
	v_add_u32_e32 v12, vcc, v22, v12
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v12, vcc, v12, v33
	v_add_u32_e32 v12, vcc, v12, v34
	v_alignbit_b32 v33, v31, v31, 6
	v_alignbit_b32 v34, v31, v31, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v31, v31, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v27, vcc, v27, v33
	v_bfi_b32 v33, v31, v29, v28
	v_add_u32_e32 v27, vcc, v27, v33
	v_alignbit_b32 v33, v32, v32, 2
	v_alignbit_b32 v34, v32, v32, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v32, v32, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v30, v26
	v_bfi_b32 v34, v34, v32, v26
	v_add_u32_e32 v27, vcc, s72, v27
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v27, vcc, v27, v12
	v_add_u32_e32 v25, vcc, v27, v25
	v_add_u32_e32 v27, vcc, v33, v27
	v_alignbit_b32 v33, v10, v10, 7
	v_alignbit_b32 v34, v10, v10, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v10
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v13, v13, 17
	v_alignbit_b32 v35, v13, v13, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v13
	v_add_u32_e32 v11, vcc, v23, v11
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v11, vcc, v11, v33
	v_add_u32_e32 v11, vcc, v11, v34
	v_alignbit_b32 v33, v25, v25, 6
	v_alignbit_b32 v34, v25, v25, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v25, v25, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v28, vcc, v28, v33
	v_bfi_b32 v33, v25, v31, v29
	v_add_u32_e32 v28, vcc, v28, v33
	v_alignbit_b32 v33, v27, v27, 2
	v_alignbit_b32 v34, v27, v27, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v27, v27, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v32, v30
	v_bfi_b32 v34, v34, v27, v30
	v_add_u32_e32 v28, vcc, s73, v28
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v28, vcc, v28, v11
	v_add_u32_e32 v26, vcc, v28, v26
	v_add_u32_e32 v28, vcc, v33, v28
	v_alignbit_b32 v33, v9, v9, 7
	v_alignbit_b32 v34, v9, v9, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v9
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v12, v12, 17
	v_alignbit_b32 v35, v12, v12, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v12
	v_add_u32_e32 v10, vcc, v24, v10
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v10, vcc, v10, v33
	v_add_u32_e32 v10, vcc, v10, v34
	v_alignbit_b32 v33, v26, v26, 6
	v_alignbit_b32 v34, v26, v26, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v26, v26, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v29, vcc, v29, v33
	v_bfi_b32 v33, v26, v25, v31
	v_add_u32_e32 v29, vcc, v29, v33
	v_alignbit_b32 v33, v28, v28, 2
	v_alignbit_b32 v34, v28, v28, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v28, v28, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v27, v32
	v_bfi_b32 v34, v34, v28, v32
	v_add_u32_e32 v29, vcc, s74, v29
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v29, vcc, v29, v10
	v_add_u32_e32 v30, vcc, v29, v30
	v_add_u32_e32 v29, vcc, v33, v29
	v_alignbit_b32 v33, v17, v17, 7
	v_alignbit_b32 v34, v17, v17, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v17
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v11, v11, 17
	v_alignbit_b32 v35, v11, v11, 19
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v11
	v_add_u32_e32 v9, vcc, v14, v9
	v_xor_b32_e32 v34, v34, v35
	v_add_u32_e32 v9, vcc, v9, v33
	v_add_u32_e32 v9, vcc, v9, v34
	v_alignbit_b32 v33, v30, v30, 6
	v_alignbit_b32 v34, v30, v30, 11
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v30, v30, 25
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v31, vcc, v31, v33
	v_bfi_b32 v33, v30, v26, v25
	v_add_u32_e32 v31, vcc, v31, v33
	v_alignbit_b32 v33, v29, v29, 2
	v_alignbit_b32 v34, v29, v29, 13
	v_xor_b32_e32 v33, v33, v34
	v_alignbit_b32 v34, v29, v29, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v34, v28, v27
	v_bfi_b32 v34, v34, v29, v27
	v_add_u32_e32 v31, vcc, s75, v31
	v_add_u32_e32 v33, vcc, v34, v33
	v_add_u32_e32 v31, vcc, v31, v9
	v_add_u32_e32 v32, vcc, v31, v32
	v_add_u32_e32 v31, vcc, v33, v31
	v_alignbit_b32 v33, v18, v18, 7
	v_alignbit_b32 v34, v18, v18, 18
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 3, v18
	v_xor_b32_e32 v33, v33, v34
	v_add_u32_e32 v15, vcc, v15, v17
	v_add_u32_e32 v15, vcc, v15, v33
	v_alignbit_b32 v17, v32, v32, 6
	v_alignbit_b32 v33, v32, v32, 11
	v_xor_b32_e32 v17, v17, v33
	v_alignbit_b32 v33, v32, v32, 25
	v_xor_b32_e32 v17, v17, v33
	v_add_u32_e32 v17, vcc, v25, v17
	v_bfi_b32 v25, v32, v30, v26
	v_alignbit_b32 v34, v10, v10, 17
	v_alignbit_b32 v35, v10, v10, 19
	v_add_u32_e32 v17, vcc, v17, v25
	v_alignbit_b32 v25, v31, v31, 2
	v_alignbit_b32 v33, v31, v31, 13
	v_xor_b32_e32 v34, v34, v35
	v_lshrrev_b32_e32 v35, 10, v10
	v_xor_b32_e32 v25, v25, v33
	v_alignbit_b32 v33, v31, v31, 22
	v_xor_b32_e32 v34, v34, v35
	v_xor_b32_e32 v25, v25, v33
	v_xor_b32_e32 v33, v29, v28
	v_add_u32_e32 v15, vcc, v15, v34
	v_bfi_b32 v33, v33, v31, v28
	v_add_u32_e32 v17, vcc, s76, v17
	v_add_u32_e32 v25, vcc, v33, v25
	v_add_u32_e32 v17, vcc, v17, v15
	v_add_u32_e32 v27, vcc, v17, v27
	v_add_u32_e32 v17, vcc, v25, v17
	v_alignbit_b32 v25, v19, v19, 7
	v_alignbit_b32 v33, v19, v19, 18
	v_xor_b32_e32 v25, v25, v33
	v_lshrrev_b32_e32 v33, 3, v19
	v_xor_b32_e32 v25, v25, v33
	v_add_u32_e32 v16, vcc, v16, v18
	v_add_u32_e32 v16, vcc, v16, v25
	v_alignbit_b32 v18, v27, v27, 6
	v_alignbit_b32 v25, v27, v27, 11
	v_xor_b32_e32 v18, v18, v25
	v_alignbit_b32 v25, v27, v27, 25
	v_xor_b32_e32 v18, v18, v25
	v_add_u32_e32 v18, vcc, v26, v18
	v_bfi_b32 v25, v27, v32, v30
	v_alignbit_b32 v33, v9, v9, 17
	v_alignbit_b32 v34, v9, v9, 19
	v_add_u32_e32 v18, vcc, v18, v25
	v_alignbit_b32 v25, v17, v17, 2
	v_alignbit_b32 v26, v17, v17, 13
	v_xor_b32_e32 v33, v33, v34
	v_lshrrev_b32_e32 v34, 10, v9
	v_xor_b32_e32 v25, v25, v26
	v_alignbit_b32 v26, v17, v17, 22
	v_xor_b32_e32 v33, v33, v34
	v_xor_b32_e32 v25, v25, v26
	v_xor_b32_e32 v26, v31, v29
	v_add_u32_e32 v16, vcc, v16, v33
	v_bfi_b32 v26, v26, v17, v29
	v_add_u32_e32 v18, vcc, s77, v18
	v_add_u32_e32 v25, vcc, v26, v25
	v_add_u32_e32 v18, vcc, v18, v16
	v_add_u32_e32 v26, vcc, v18, v28
	v_add_u32_e32 v18, vcc, v25, v18
	v_alignbit_b32 v25, v20, v20, 7
	v_alignbit_b32 v28, v20, v20, 18
	v_xor_b32_e32 v25, v25, v28
	v_lshrrev_b32_e32 v28, 3, v20
	v_xor_b32_e32 v25, v25, v28
	v_add_u32_e32 v13, vcc, v13, v19
	v_add_u32_e32 v13, vcc, v13, v25
	v_alignbit_b32 v19, v26, v26, 6
	v_alignbit_b32 v25, v26, v26, 11
	v_alignbit_b32 v28, v15, v15, 17
	v_alignbit_b32 v33, v15, v15, 19
	v_xor_b32_e32 v19, v19, v25
	v_alignbit_b32 v25, v26, v26, 25
	v_xor_b32_e32 v28, v28, v33
	v_lshrrev_b32_e32 v33, 10, v15
	v_xor_b32_e32 v19, v19, v25
	v_xor_b32_e32 v28, v28, v33
	v_add_u32_e32 v19, vcc, v30, v19
	v_bfi_b32 v25, v26, v27, v32
	v_add_u32_e32 v13, vcc, v13, v28
	v_add_u32_e32 v19, vcc, v19, v25
	v_alignbit_b32 v25, v18, v18, 2
	v_alignbit_b32 v28, v18, v18, 13
	v_xor_b32_e32 v25, v25, v28
	v_alignbit_b32 v28, v18, v18, 22
	v_xor_b32_e32 v25, v25, v28
	v_xor_b32_e32 v28, v17, v31
	v_bfi_b32 v28, v28, v18, v31
	v_add_u32_e32 v19, vcc, s78, v19
	v_add_u32_e32 v25, vcc, v28, v25
	v_add_u32_e32 v19, vcc, v19, v13
	v_add_u32_e32 v28, vcc, v19, v29
	v_add_u32_e32 v19, vcc, v25, v19
	v_alignbit_b32 v25, v21, v21, 7
	v_alignbit_b32 v29, v21, v21, 18
	v_xor_b32_e32 v25, v25, v29
	v_lshrrev_b32_e32 v29, 3, v21
	v_xor_b32_e32 v25, v25, v29
	v_alignbit_b32 v29, v16, v16, 17
	v_alignbit_b32 v30, v16, v16, 19
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v16, 10, v16
	v_add_u32_e32 v12, vcc, v12, v20
	v_xor_b32_e32 v16, v29, v16
	v_add_u32_e32 v12, vcc, v12, v25
	v_add_u32_e32 v12, vcc, v12, v16
	v_alignbit_b32 v16, v28, v28, 6
	v_alignbit_b32 v20, v28, v28, 11
	v_xor_b32_e32 v16, v16, v20
	v_alignbit_b32 v20, v28, v28, 25
	v_xor_b32_e32 v16, v16, v20
	v_add_u32_e32 v16, vcc, v32, v16
	v_bfi_b32 v20, v28, v26, v27
	v_add_u32_e32 v16, vcc, v16, v20
	v_alignbit_b32 v20, v19, v19, 2
	v_alignbit_b32 v25, v19, v19, 13
	v_xor_b32_e32 v20, v20, v25
	v_alignbit_b32 v25, v19, v19, 22
	v_xor_b32_e32 v20, v20, v25
	v_xor_b32_e32 v25, v18, v17
	v_bfi_b32 v25, v25, v19, v17
	v_add_u32_e32 v16, vcc, s79, v16
	v_add_u32_e32 v20, vcc, v25, v20
	v_add_u32_e32 v16, vcc, v16, v12
	v_add_u32_e32 v25, vcc, v16, v31
	v_add_u32_e32 v16, vcc, v20, v16
	v_alignbit_b32 v20, v22, v22, 7
	v_alignbit_b32 v29, v22, v22, 18
	v_xor_b32_e32 v20, v20, v29
	v_lshrrev_b32_e32 v29, 3, v22
	v_xor_b32_e32 v20, v20, v29
	v_alignbit_b32 v29, v13, v13, 17
	v_alignbit_b32 v30, v13, v13, 19
	v_xor_b32_e32 v29, v29, v30
	v_lshrrev_b32_e32 v13, 10, v13
	v_add_u32_e32 v11, vcc, v11, v21
	v_xor_b32_e32 v13, v29, v13
	v_add_u32_e32 v11, vcc, v11, v20
	v_add_u32_e32 v11, vcc, v11, v13
	v_alignbit_b32 v13, v25, v25, 6
	v_alignbit_b32 v20, v25, v25, 11
	v_xor_b32_e32 v13, v13, v20
	v_alignbit_b32 v20, v25, v25, 25
	v_xor_b32_e32 v13, v13, v20
	v_add_u32_e32 v13, vcc, v27, v13
	v_bfi_b32 v20, v25, v28, v26
	v_add_u32_e32 v13, vcc, v13, v20
	v_alignbit_b32 v20, v16, v16, 2
	v_alignbit_b32 v21, v16, v16, 13
	v_xor_b32_e32 v20, v20, v21
	v_alignbit_b32 v21, v16, v16, 22
	v_xor_b32_e32 v20, v20, v21
	v_xor_b32_e32 v21, v19, v18
	v_bfi_b32 v21, v21, v16, v18
	v_add_u32_e32 v13, vcc, s80, v13
	v_add_u32_e32 v20, vcc, v21, v20
	v_add_u32_e32 v13, vcc, v13, v11
	v_add_u32_e32 v17, vcc, v13, v17
	v_add_u32_e32 v13, vcc, v20, v13
	v_alignbit_b32 v20, v23, v23, 7
	v_alignbit_b32 v21, v23, v23, 18
	v_xor_b32_e32 v20, v20, v21
	v_lshrrev_b32_e32 v21, 3, v23
	v_xor_b32_e32 v20, v20, v21
	v_alignbit_b32 v21, v12, v12, 17
	v_alignbit_b32 v27, v12, v12, 19
	v_xor_b32_e32 v21, v21, v27
	v_lshrrev_b32_e32 v12, 10, v12
	v_add_u32_e32 v10, vcc, v10, v22
	v_xor_b32_e32 v12, v21, v12
	v_add_u32_e32 v10, vcc, v10, v20
	v_add_u32_e32 v10, vcc, v10, v12
	v_alignbit_b32 v12, v17, v17, 6
	v_alignbit_b32 v20, v17, v17, 11
	v_xor_b32_e32 v12, v12, v20
	v_alignbit_b32 v20, v17, v17, 25
	v_xor_b32_e32 v12, v12, v20
	v_add_u32_e32 v12, vcc, v26, v12
	v_bfi_b32 v20, v17, v25, v28
	v_add_u32_e32 v12, vcc, v12, v20
	v_alignbit_b32 v20, v13, v13, 2
	v_alignbit_b32 v21, v13, v13, 13
	v_xor_b32_e32 v20, v20, v21
	v_alignbit_b32 v21, v13, v13, 22
	v_xor_b32_e32 v20, v20, v21
	v_xor_b32_e32 v21, v16, v19
	v_add_u32_e32 v12, vcc, s81, v12
	v_bfi_b32 v21, v21, v13, v19
	v_add_u32_e32 v12, vcc, v12, v10
	v_add_u32_e32 v20, vcc, v21, v20
	v_add_u32_e32 v18, vcc, v12, v18
	v_add_u32_e32 v12, vcc, v20, v12
	v_alignbit_b32 v20, v24, v24, 7
	v_alignbit_b32 v21, v24, v24, 18
	v_xor_b32_e32 v20, v20, v21
	v_lshrrev_b32_e32 v21, 3, v24
	v_add_u32_e32 v9, vcc, v9, v23
	v_xor_b32_e32 v20, v20, v21
	v_add_u32_e32 v9, vcc, v9, v20
	v_alignbit_b32 v20, v11, v11, 17
	v_alignbit_b32 v21, v11, v11, 19
	v_xor_b32_e32 v20, v20, v21
	v_lshrrev_b32_e32 v11, 10, v11
	v_xor_b32_e32 v11, v20, v11
	v_add_u32_e32 v9, vcc, v9, v11
	v_alignbit_b32 v11, v18, v18, 6
	v_alignbit_b32 v20, v18, v18, 11
	v_xor_b32_e32 v11, v11, v20
	v_alignbit_b32 v20, v18, v18, 25
	v_xor_b32_e32 v11, v11, v20
	v_add_u32_e32 v11, vcc, v28, v11
	v_bfi_b32 v20, v18, v17, v25
	v_add_u32_e32 v11, vcc, v11, v20
	v_add_u32_e32 v11, vcc, s82, v11
	v_add_u32_e32 v9, vcc, v11, v9
	v_alignbit_b32 v11, v12, v12, 2
	v_alignbit_b32 v20, v12, v12, 13
	v_xor_b32_e32 v11, v11, v20
	v_alignbit_b32 v20, v12, v12, 22
	v_xor_b32_e32 v11, v11, v20
	v_xor_b32_e32 v20, v13, v16
	v_bfi_b32 v20, v20, v12, v16
	v_add_u32_e32 v11, vcc, v20, v11
	v_add_u32_e32 v19, vcc, v9, v19
	v_add_u32_e32 v9, vcc, v11, v9
	v_add_u32_e32 v11, vcc, v15, v24
	v_alignbit_b32 v15, v14, v14, 7
	v_alignbit_b32 v20, v14, v14, 18
	v_xor_b32_e32 v15, v15, v20
	v_lshrrev_b32_e32 v14, 3, v14
	v_xor_b32_e32 v14, v15, v14
	v_add_u32_e32 v11, vcc, v11, v14
	v_alignbit_b32 v14, v10, v10, 17
	v_alignbit_b32 v15, v10, v10, 19
	v_xor_b32_e32 v14, v14, v15
	v_lshrrev_b32_e32 v10, 10, v10
	v_xor_b32_e32 v10, v14, v10
	v_add_u32_e32 v10, vcc, v11, v10
	v_alignbit_b32 v11, v19, v19, 6
	v_alignbit_b32 v14, v19, v19, 11
	v_xor_b32_e32 v11, v11, v14
	v_alignbit_b32 v14, v19, v19, 25
	v_xor_b32_e32 v11, v11, v14
	v_add_u32_e32 v11, vcc, v25, v11
	v_bfi_b32 v14, v19, v18, v17
	v_add_u32_e32 v11, vcc, v11, v14
	v_add_u32_e32 v11, vcc, s83, v11
	v_add_u32_e32 v10, vcc, v11, v10
	v_alignbit_b32 v11, v9, v9, 2
	v_alignbit_b32 v14, v9, v9, 13
	v_xor_b32_e32 v11, v11, v14
	v_alignbit_b32 v14, v9, v9, 22
	v_xor_b32_e32 v11, v11, v14
	v_xor_b32_e32 v14, v12, v13
	v_bfi_b32 v14, v14, v9, v13
	v_add_u32_e32 v11, vcc, v14, v11
	v_add_u32_e32 v20, vcc, v10, v16
	v_add_u32_e32 v10, vcc, v11, v10
	s_add_i32 s7, s7, -1
	v_add_u32_e32 v14, vcc, 0x6a09e667, v10
	v_add_u32_e32 v15, vcc, 0xbb67ae85, v9
	v_add_u32_e32 v16, vcc, 0x3c6ef372, v12
	v_add_u32_e32 v13, vcc, 0xa54ff53a, v13
	v_add_u32_e32 v12, vcc, 0x510e527f, v20
	v_add_u32_e32 v11, vcc, 0x9b05688c, v19
	v_add_u32_e32 v10, vcc, 0x1f83d9ab, v18
	s_cmp_lg_u32 s7, 0
	v_add_u32_e32 v9, vcc, 0x5be0cd19, v17
	s_cbranch_scc1 .LBB0_2
	s_branch .LBB0_4
.LBB0_3:
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v14, 0
.LBB0_4:
	s_lshl_b32 s0, s6, 11
	v_or_b32_e32 v0, s0, v0
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[2:3], 2, v[0:1]
	v_mov_b32_e32 v4, s3
	v_add_u32_e32 v2, vcc, s2, v2
	v_addc_u32_e32 v3, vcc, v4, v3, vcc
	flat_store_dword v[2:3], v14
	v_or_b32_e32 v2, 0x100, v0
	v_mov_b32_e32 v3, v1
	v_lshlrev_b64 v[2:3], 2, v[2:3]
	v_add_u32_e32 v2, vcc, s2, v2
	v_addc_u32_e32 v3, vcc, v4, v3, vcc
	flat_store_dword v[2:3], v15
	v_or_b32_e32 v2, 0x200, v0
	v_mov_b32_e32 v3, v1
	v_lshlrev_b64 v[2:3], 2, v[2:3]
	v_add_u32_e32 v2, vcc, s2, v2
	v_addc_u32_e32 v3, vcc, v4, v3, vcc
	flat_store_dword v[2:3], v16
	v_or_b32_e32 v2, 0x300, v0
	v_mov_b32_e32 v3, v1
	v_lshlrev_b64 v[2:3], 2, v[2:3]
	v_add_u32_e32 v2, vcc, s2, v2
	v_addc_u32_e32 v3, vcc, v4, v3, vcc
	flat_store_dword v[2:3], v13
	v_or_b32_e32 v2, 0x400, v0
	v_mov_b32_e32 v3, v1
	v_lshlrev_b64 v[2:3], 2, v[2:3]
	v_add_u32_e32 v2, vcc, s2, v2
	v_addc_u32_e32 v3, vcc, v4, v3, vcc
	flat_store_dword v[2:3], v12
	v_or_b32_e32 v2, 0x500, v0
	v_mov_b32_e32 v3, v1
	v_lshlrev_b64 v[2:3], 2, v[2:3]
	v_add_u32_e32 v2, vcc, s2, v2
	v_addc_u32_e32 v3, vcc, v4, v3, vcc
	flat_store_dword v[2:3], v11
	v_or_b32_e32 v2, 0x600, v0
	v_mov_b32_e32 v3, v1
	v_lshlrev_b64 v[2:3], 2, v[2:3]
	v_or_b32_e32 v0, 0x700, v0
	v_add_u32_e32 v2, vcc, s2, v2
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_addc_u32_e32 v3, vcc, v4, v3, vcc
	flat_store_dword v[2:3], v10
	v_mov_b32_e32 v2, s3
	v_add_u32_e32 v0, vcc, s2, v0
	v_addc_u32_e32 v1, vcc, v2, v1, vcc
	flat_store_dword v[0:1], v9
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel sha256
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
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
		.amdhsa_next_free_vgpr 36
		.amdhsa_next_free_sgpr 84
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
	.size	sha256, .Lfunc_end0-sha256

	.set sha256.num_vgpr, 36
	.set sha256.num_agpr, 0
	.set sha256.numbered_sgpr, 84
	.set sha256.num_named_barrier, 0
	.set sha256.private_seg_size, 0
	.set sha256.uses_vcc, 1
	.set sha256.uses_flat_scratch, 0
	.set sha256.has_dyn_sized_stack, 0
	.set sha256.has_recursion, 0
	.set sha256.has_indirect_call, 0
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
	.text
	.protected	K
	.type	K,@object
	.section	.rodata,"a",@progbits
	.globl	K
	.p2align	4, 0x0
K:
	.long	1116352408
	.long	1899447441
	.long	3049323471
	.long	3921009573
	.long	961987163
	.long	1508970993
	.long	2453635748
	.long	2870763221
	.long	3624381080
	.long	310598401
	.long	607225278
	.long	1426881987
	.long	1925078388
	.long	2162078206
	.long	2614888103
	.long	3248222580
	.long	3835390401
	.long	4022224774
	.long	264347078
	.long	604807628
	.long	770255983
	.long	1249150122
	.long	1555081692
	.long	1996064986
	.long	2554220882
	.long	2821834349
	.long	2952996808
	.long	3210313671
	.long	3336571891
	.long	3584528711
	.long	113926993
	.long	338241895
	.long	666307205
	.long	773529912
	.long	1294757372
	.long	1396182291
	.long	1695183700
	.long	1986661051
	.long	2177026350
	.long	2456956037
	.long	2730485921
	.long	2820302411
	.long	3259730800
	.long	3345764771
	.long	3516065817
	.long	3600352804
	.long	4094571909
	.long	275423344
	.long	430227734
	.long	506948616
	.long	659060556
	.long	883997877
	.long	958139571
	.long	1322822218
	.long	1537002063
	.long	1747873779
	.long	1955562222
	.long	2024104815
	.long	2227730452
	.long	2361852424
	.long	2428436474
	.long	2756734187
	.long	3204031479
	.long	3329325298
	.size	K, 256

	.type	__hip_cuid_,@object
	.section	.bss,"aw",@nobits
	.globl	__hip_cuid_
__hip_cuid_:
	.byte	0
	.size	__hip_cuid_, 1

	.ident	"Debian clang version 22.1.8 (1~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym K
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
      - .offset:         16
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 256
    .name:           sha256
    .private_segment_fixed_size: 0
    .sgpr_count:     86
    .sgpr_spill_count: 0
    .symbol:         sha256.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     36
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
