; seed 2537 grid 1 block 1 mode 642
s_nop 7
v_and_b32 v14, 0x7c, v3
s_nop 7
ds_add_u32 v14, v1
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
s_not_b32 s2, exec_hi
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
s_barrier
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
