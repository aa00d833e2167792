// expect: what is no operand stays an error, comma or not: a word that is no modifier, an operand behind a modifier, two commas
  v_add_f32 v0, v1, v2 clammp
  v_mad_f32 v0, v1 clamp v2, v3
  v_add_f32 v0, v1,, v2
  v_add_f32 v0, v1 v2 v3
  s_add_u32 s0 1 -2
