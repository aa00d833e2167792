; seed 370 grid 1 block 1 mode 529
s_nop 7
s_andn2_saveexec_b64 vcc, s[4:5]
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
v_cndmask_b32 v1, v3, v7, vcc
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
