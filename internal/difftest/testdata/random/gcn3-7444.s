; seed 7444 grid 1 block 1 mode 696
s_load_dwordx4 s[8:11], s[20:21], 148
s_waitcnt vmcnt(0) & lgkmcnt(0)
v_mbcnt_lo_u32_b32 v1, -1, 0
v_mbcnt_hi_u32_b32 v1, -1, v1
s_nop 7
v_readlane_b32 s10, v4, 3
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_branch L3
L3:
