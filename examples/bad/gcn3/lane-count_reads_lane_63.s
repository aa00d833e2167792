// The sum of a wavefront taken from lane 63 and spread by ds_bpermute: on a wave of 32,
// as on gfx1151, lane 63 is not there (sums of softmax were half, PyTorch issue 186229).
// check: --target gfx1151
// check: --target sm_90
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  v_readlane_b32 s4, v1, 63 // want lane-count
  v_writelane_b32 v2, s4, 40 // want lane-count
  v_mov_b32 v3, 0xfc
  ds_bpermute_b32 v4, v3, v1 // want lane-count
  s_waitcnt lgkmcnt(0)
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 24
.end_amdhsa_kernel
