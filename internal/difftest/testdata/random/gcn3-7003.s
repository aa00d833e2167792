; seed 7003 grid 1 block 1 mode 853
s_load_dwordx8 s[0:7], s[20:21], 24
s_waitcnt vmcnt(0) & lgkmcnt(0)
s_cbranch_execz L5
L5:
s_nop 7
s_mov_b64 s[0:1], exec
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
s_barrier
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
v_mov_b32 v18, s0
v_add_u32 v12, s[36:37], 48, v16
v_addc_u32 v13, s[36:37], 0, v17, s[36:37]
flat_store_dword v[12:13], v18
