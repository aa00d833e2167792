; seed 4000752724 grid 1 block 128 mode 2240
v_mov_b32 v14, 7
buffer_store_dword v14, off, s[52:55], 0 offset:0
s_waitcnt vmcnt(0)
v_mov_b32 v14, v15
v_lshlrev_b32 v14, 2, v14
ds_read_b32 v3, v14 offset:64
s_waitcnt vmcnt(0) & lgkmcnt(0)
