; seed 5556 grid 1 block 32 mode 192
s_load_dwordx4 s[8:11], s[20:21], 136
s_waitcnt vmcnt(0) & lgkmcnt(0)
s_nop 7
s_and_saveexec_b64 vcc, s[10:11]
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
v_subbrev_u32 v10, vcc, v7, v11, vcc
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
v_add_u32 v12, s[36:37], 40, v16
v_addc_u32 v13, s[36:37], 0, v17, s[36:37]
flat_store_dword v[12:13], v10
