; seed 61000003467 grid 3 block 1 mode 1325
s_mov_b64 s[44:45], s[22:23]
s_movk_i32 s46, 128
s_mov_b32 s47, 0x63fac
tbuffer_load_format_xyzw v[1:4], v14, s[44:47], 8 dfmt:12, nfmt:3 offen offset:88 glc
v_and_b32 v14, 0x1f8, v3
ds_read_b64 v[10:11], v14
s_and_b32 m0, s4, 2
