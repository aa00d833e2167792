; seed 7000453890 grid 1 block 128 mode 1682
s_nop 7
s_or_saveexec_b64 s[8:9], vcc
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
s_addc_u32 s6, s10, 3
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
L1:
s_cbranch_vccz L15
s_sub_u32 s30, s30, 1
s_cmp_gt_i32 s30, 0
s_cbranch_scc1 L1
L15:
s_mul_i32 s36, s36, s37
s_add_u32 s36, s36, s6
v_mov_b32 v13, s36
flat_store_dwordx2 v[16:17], v[12:13]
