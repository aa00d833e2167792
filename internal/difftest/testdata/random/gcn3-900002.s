; seed 900002 grid 3 block 128 mode 192
s_load_dwordx4 s[0:3], s[20:21], 0x40
s_waitcnt lgkmcnt(0)
s_and_b32 s0, s0, 0xf
s_sub_u32 s0, s0, 0x100
s_movk_i32 s1, 9
v_mov_b32 v5, 0
v_mov_b32 v10, 0
v_lshlrev_b32 v8, 2, v0
v_mov_b32 v9, 0
v_lshlrev_b64 v[8:9], 1, v[8:9]
v_mov_b32 v13, s21
s_nop 7
v_add_u32 v12, vcc, s20, v8
v_addc_u32 v13, vcc, v13, v9, vcc
L1:
flat_load_dword v11, v[12:13]
s_waitcnt vmcnt(0) & lgkmcnt(0)
v_add_u32 v4, vcc, s0, v0
v_lshlrev_b32 v10, 1, v10
v_xor_b32 v10, v10, v11
v_add_u32 v12, vcc, 8, v12
v_lshlrev_b64 v[6:7], 2, v[4:5]
v_addc_u32 v13, vcc, 0, v13, vcc
v_xor_b32 v10, v10, v6
v_xor_b32 v10, v10, v7
s_add_u32 s0, s0, 24
s_barrier
s_sub_u32 s1, s1, 1
s_cmp_lg_u32 s1, 0
s_cbranch_scc1 L1
v_add_u32 v12, vcc, 0, v16
v_addc_u32 v13, vcc, 0, v17, vcc
flat_store_dword v[12:13], v10
