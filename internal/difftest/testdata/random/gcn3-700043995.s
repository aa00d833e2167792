; seed 700043995 grid 1 block 64 mode 1456
v_and_b32 v14, 0x1f8, v15
v_mov_b32 v13, s23
v_add_u32 v12, vcc, s22, v14
v_addc_u32 v13, vcc, 0, v13, vcc
flat_store_byte v[12:13], v5
s_mov_b64 vcc, vcc
