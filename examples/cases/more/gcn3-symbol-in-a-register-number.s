// expect: errors: the numbers of registers, hwreg and offsets have to be known where they stand, also beside a literal
  v_mov_b32 v[later], 0x12345
  s_setreg_imm32_b32 hwreg(later), 5
  s_setreg_imm32_b32 hwreg(3, later, 5), 5
  s_mov_b64 s[0:1], later
  s_add_u32 s0, 0x10000, later
  later = 3
