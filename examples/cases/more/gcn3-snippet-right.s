// expect: nothing to insert: the wait is there
v_mov_b32 v2, 1.0
v_add_f32 v1, v0, v2
s_nop 1
v_add_f32_dpp v3, v1, v1 row_shr:1 row_mask:0xf bank_mask:0xf
s_endpgm
