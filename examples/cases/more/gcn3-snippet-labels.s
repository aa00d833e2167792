// expect: fix inserts a wait behind both labels, though nothing branches to the second one
one:
ds_read_b32 v1, v0
v_mov_b32 v2, v1
s_endpgm
two:
buffer_load_dword v4, v0, s[0:3], 0 offen
v_mov_b32 v5, v4
s_endpgm
