// y = a x + y, eight elements a lane, loads two steps ahead of their use. Stores count
// with vmcnt, too, in order: the waits are for what is older.
//
// stream(float *x, float *y, uint bytes, float a), a wave a work-group
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text

// A descriptor of a buffer of BYTES bytes at s[\at:\at+1]: no stride, dwords.
.macro buffer at, bytes
  s_and_b32 s[\at+1], s[\at+1], 0xffff
  s_mov_b32 s[\at+2], \bytes
  s_mov_b32 s[\at+3], 0x27000
.endm

.macro fetch k
  buffer_load_dword v[4+2*(\k&3)], v1, s[4:7], s3 offen offset:256*\k
  buffer_load_dword v[5+2*(\k&3)], v1, s[8:11], s3 offen offset:256*\k
.endm
.macro step k, wait
  .if \k < 6
    fetch (\k+2)
  .endif
  s_waitcnt vmcnt(\wait)
  v_mac_f32 v[5+2*(\k&3)], s13, v[4+2*(\k&3)]
  buffer_store_dword v[5+2*(\k&3)], v1, s[8:11], s3 offen offset:256*\k
.endm

.globl stream
.p2align 8
.type stream,@function
stream:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_load_dwordx2 s[8:9], s[0:1], 0x8
  s_load_dwordx2 s[12:13], s[0:1], 0x10
  s_lshl_b32 s3, s2, 11                  // 64 lanes, 8 elements of 4 bytes
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  buffer 4, s12
  buffer 8, s12
  fetch 0
  fetch 1
  step 0, 4
  step 1, 5
  step 2, 6
  step 3, 6
  step 4, 6
  step 5, 6
  step 6, 4
  step 7, 2
  s_endpgm
.Lstream_end:
  .size stream, .Lstream_end-stream

.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel stream
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 12
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
