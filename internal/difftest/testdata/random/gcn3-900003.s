; seed 900003 grid 1 block 128 mode 192
v_lshlrev_b32 v14, 4, v15
v_mov_b32 v13, s21
v_add_u32 v12, vcc, s20, v14
v_addc_u32 v13, vcc, 0, v13, vcc
flat_load_dwordx4 v[4:7], v[12:13]
s_waitcnt vmcnt(0) & lgkmcnt(0)
v_and_b32 v14, 0x1fc, v4
ds_read2_b32 v[8:9], v14 offset0:36 offset1:45
v_and_b32 v14, 0xff0, v15
v_mov_b32 v13, s21
v_add_u32 v12, vcc, s20, v14
v_addc_u32 v13, vcc, 0, v13, vcc
flat_load_dwordx4 v[8:11], v[12:13]
