// expect: an error: the names of LLVM before 6 are for files of code object version 2
  .text
  .p2align 8
old:
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v3, s3
  v_add_i32_e32 v2, vcc, s2, v1
  v_addc_u32_e32 v3, vcc, 0, v3, vcc
  flat_store_dword v[2:3], v0
  s_endpgm
