// A scan turned exclusive by a shift over the whole wavefront: gfx10 and later shift in
// rows alone, which is why rocWMMA has another path for gfx11 (rocWMMA pull request 95).
// check: --target gfx1030,gfx1200
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  v_mov_b32 v2, 0
  s_nop 1
  v_mov_b32 v2, v1 wave_shr:1 // want not-on-target
  s_nop 1
  v_mov_b32 v3, v2 wave_rol:1 // want not-on-target
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 24
.end_amdhsa_kernel
