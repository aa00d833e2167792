; seed 6187 grid 1 block 1 mode 785
v_lshlrev_b32 v14, 4, v15
v_mov_b32 v13, s21
v_add_u32 v12, vcc, s20, v14
v_addc_u32 v13, vcc, 0, v13, vcc
flat_load_dwordx4 v[4:7], v[12:13]
s_waitcnt vmcnt(0) & lgkmcnt(0)
v_lshlrev_b32 v14, 4, v15
v_mov_b32 v13, s21
v_add_u32 v12, vcc, s20, v14
v_addc_u32 v13, vcc, 0, v13, vcc
v_add_u32 v12, vcc, 0x800, v12
v_addc_u32 v13, vcc, 0, v13, vcc
flat_load_dwordx4 v[8:11], v[12:13]
s_waitcnt vmcnt(0) & lgkmcnt(0)
s_load_dwordx8 s[0:7], s[20:21], 116
s_waitcnt vmcnt(0) & lgkmcnt(0)
s_cbranch_execz L3
s_nop 7
v_cmp_ne_u32 vcc, 64, v0
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
buffer_load_dword v1, off, s[32:35], 0 offset:96
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
s_or_b64 exec, exec, s[12:13]
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
s_barrier
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
L3:
s_nop 7
s_or_b64 exec, exec, s[12:13]
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
v_and_b32 v14, 0x3ff, v2
s_nop 7
ds_read_i8 v3, v14
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
s_andn2_b64 s[4:5], vcc, -1
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
s_barrier
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
v_mov_b32 v18, s4
v_add_u32 v12, s[36:37], 64, v16
v_addc_u32 v13, s[36:37], 0, v17, s[36:37]
flat_store_dword v[12:13], v18
