; seed 1252 grid 1 block 1 mode 192
s_nop 7
v_cmp_eq_f64 vcc, v[2:3], v[10:11]
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
s_barrier
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
L5:
s_cbranch_vccz L13
s_sub_u32 s30, s30, 1
s_cmp_gt_i32 s30, 0
s_cbranch_scc1 L5
L13:
s_nop 7
s_bcnt0_i32_b32 s4, exec_lo
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
