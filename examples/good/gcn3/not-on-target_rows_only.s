// A reduction in rows by DPP, over rows by ds_swizzle and v_readlane, without carries: all
// of it is there on every newer chip.
// check: --target gfx900
// check: --target gfx90a
// check: --target gfx1030
// check: --target gfx1100
// check: --target gfx1200
// rules: not-on-target
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  v_add_f32 v1, v1, v1 row_shr:1
  s_nop 1
  v_add_f32 v1, v1, v1 row_mirror
  ds_swizzle_b32 v2, v1 offset:swizzle(SWAP,16)
  s_waitcnt lgkmcnt(0)
  v_add_f32 v1, v1, v2
  v_readlane_b32 s4, v1, 0
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 24
.end_amdhsa_kernel
