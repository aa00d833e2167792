; seed 217 grid 1 block 1 mode 884
v_lshlrev_b32 v14, 4, v15
v_mov_b32 v13, s21
v_add_u32 v12, vcc, s20, v14
v_addc_u32 v13, vcc, 0, v13, vcc
flat_load_dwordx4 v[4:7], v[12:13]
s_waitcnt vmcnt(0) & lgkmcnt(0)
s_nop 7
v_cndmask_b32_e64 v11, v5, v7, vcc
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
v_writelane_b32 v11, 17, 17
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
v_add_u32 v12, s[36:37], 44, v16
v_addc_u32 v13, s[36:37], 0, v17, s[36:37]
flat_store_dword v[12:13], v11
