// A filter of seven taps: weights by s_buffer_load, and the descriptor's bounds give the
// zeros around the signal. Each product waits for its own load.
//
// taps(float *in, float *weights, float *out, uint bytes), a wave a work-group
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text

// A descriptor of a buffer of BYTES bytes at s[\at:\at+1]: no stride, dwords.
.macro buffer at, bytes
  s_and_b32 s[\at+1], s[\at+1], 0xffff
  s_mov_b32 s[\at+2], \bytes
  s_mov_b32 s[\at+3], 0x27000
.endm

.globl taps
.p2align 8
.type taps,@function
taps:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[12:13], s[0:1], 0x10
  s_load_dword s3, s[0:1], 0x18
  s_lshl_b32 s2, s2, 8
  v_lshlrev_b32 v1, 2, v0
  v_add_u32 v1, vcc, s2, v1
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s8, s6
  s_mov_b32 s9, s7
  buffer 4, s3
  buffer 8, 28
  buffer 12, s3
  s_buffer_load_dwordx8 s[16:23], s[8:11], 0x0
  .irp j, 0, 1, 2, 3, 4, 5, 6
    v_add_u32 v2, vcc, 4*\j-12, v1
    buffer_load_dword v[4+\j], v2, s[4:7], 0 offen
  .endr
  v_mov_b32 v3, 0
  s_waitcnt lgkmcnt(0)
  .irp j, 0, 1, 2, 3, 4, 5, 6
    s_waitcnt vmcnt(6-\j)
    v_mac_f32 v3, s[16+\j], v[4+\j]
  .endr
  buffer_store_dword v3, v1, s[12:15], 0 offen
  s_endpgm
.Ltaps_end:
  .size taps, .Ltaps_end-taps

.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel taps
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 12
  .amdhsa_next_free_sgpr 24
.end_amdhsa_kernel
