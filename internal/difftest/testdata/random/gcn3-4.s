; seed 4 grid 3 block 32 mode 192
v_and_b32 v14, 0x3ff, v11
ds_read_u8 v3, v14
v_add_u32 v12, s[36:37], 0, v16
v_addc_u32 v13, s[36:37], 0, v17, s[36:37]
flat_store_dword v[12:13], v0
v_add_u32 v12, s[36:37], 12, v16
v_addc_u32 v13, s[36:37], 0, v17, s[36:37]
flat_store_dword v[12:13], v3
