; seed 3355 grid 1 block 1 mode 192
s_load_dwordx8 s[0:7], s[20:21], 40
s_waitcnt vmcnt(0) & lgkmcnt(0)
v_mbcnt_lo_u32_b32 v1, -1, 0
v_mbcnt_hi_u32_b32 v1, -1, v1
s_nop 7
s_not_b32 s1, -2.0
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_cbranch_scc0 L3
L3:
