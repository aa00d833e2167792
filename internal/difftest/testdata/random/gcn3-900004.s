; seed 900004 grid 2 block 128 mode 192
s_load_dwordx4 s[0:3], s[20:21], 0x40
s_waitcnt lgkmcnt(0)
s_and_b32 s0, s0, 0xf
s_sub_u32 s0, s0, 0x50
v_add_u32 v4, vcc, s0, v0
v_mov_b32 v13, s3
s_nop 7
v_add_u32 v12, vcc, s2, v4
v_addc_u32 v13, vcc, 0, v13, vcc
v_lshrrev_b64 v[6:7], 4, v[12:13]
v_xor_b32 v10, v6, v7
v_add_u32 v12, vcc, 0, v16
v_addc_u32 v13, vcc, 0, v17, vcc
flat_store_dword v[12:13], v10
