// expect: out[i] = 7, 2, -3: symbols defined above take modifiers, symbols defined below take their literal
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.set minus7, 0xc0e00000
.set three, 0x40400000
.text
.globl symbols
.p2align 8
.type symbols,@function
symbols:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_ceil_f32 v0, |minus7|
  v_ceil_f32 v1, later
  v_ceil_f32 v2, neg(three)
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v4, s4
  v_mov_b32 v5, s5
  flat_store_dwordx3 v[4:5], v[0:2]
  s_endpgm
later = 0x40000000
.rodata
.p2align 6
.amdhsa_kernel symbols
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 8
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
