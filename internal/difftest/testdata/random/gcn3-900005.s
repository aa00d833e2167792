; seed 900005 grid 2 block 128 mode 192
s_load_dwordx4 s[0:3], s[20:21], 0x40
s_waitcnt lgkmcnt(0)
s_min_u32 s0, s0, 0
s_sub_u32 s0, s0, 64
s_min_u32 s1, s1, 0
s_movk_i32 s4, 2
s_add_u32 s2, s20, 0x400
s_sub_u32 s3, s21, 4
s_nop 7
L1:
v_and_b32 v1, 31, v0
v_lshrrev_b32 v2, 5, v0
v_mul_lo_u32 v2, v2, s1
v_add_u32 v2, vcc, v1, v2
v_add_u32 v4, vcc, s0, v2
v_mov_b32 v5, 0
v_lshlrev_b64 v[6:7], 2, v[4:5]
v_mov_b32 v13, s3
v_add_u32 v12, vcc, s2, v6
v_addc_u32 v13, vcc, v13, v7, vcc
flat_load_dword v10, v[12:13]
s_waitcnt vmcnt(0) & lgkmcnt(0)
v_add_u32 v12, vcc, 0, v16
v_addc_u32 v13, vcc, 0, v17, vcc
flat_store_dword v[12:13], v10
s_add_u32 s0, s0, 48
s_sub_u32 s4, s4, 1
s_cmp_lg_u32 s4, 0
s_cbranch_scc1 L1
