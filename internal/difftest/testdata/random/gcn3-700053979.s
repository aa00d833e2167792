; seed 700053979 grid 1 block 128 mode 1216
s_nop 7
s_cselect_b64 vcc, s[2:3], 5
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
v_and_b32 v14, 0x1f8, v7
s_nop 7
v_mov_b32 v13, s23
s_nop 7
v_add_u32 v12, vcc, s22, v14
s_nop 7
v_addc_u32 v13, vcc, 0, v13, vcc
s_nop 7
flat_atomic_smax v[12:13], v9
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
s_and_b32 m0, 1, 3
s_nop 7
v_movrels_b32 v1, v5
s_nop 7
s_mov_b32 m0, -1
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
s_nop 7
s_mov_b64 s[44:45], s[22:23]
s_nop 7
s_and_b32 s45, s45, 0xffff
s_nop 7
s_or_b32 s45, s45, 0x40000
s_nop 7
s_movk_i32 s46, 128
s_nop 7
s_mov_b32 s47, 0x23fac
s_nop 7
v_and_b32 v14, 0x1fc, v15
s_nop 7
buffer_load_dword v1, v14, s[44:47], 0 idxen offset:52
s_nop 7
s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
