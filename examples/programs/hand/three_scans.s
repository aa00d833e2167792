// Three scans of a wave at once, sum, maximum and minimum: each DPP instruction reads what
// was written three instructions before, so that no wait states are empty.
//
// three_scans(uint *in, uint *sum, int *max, uint *min, uint *last, uint bytes)
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text

// A descriptor of a buffer of BYTES bytes at s[\at:\at+1]: no stride, dwords.
.macro buffer at, bytes
  s_and_b32 s[\at+1], s[\at+1], 0xffff
  s_mov_b32 s[\at+2], \bytes
  s_mov_b32 s[\at+3], 0x27000
.endm

.macro scans control:vararg
  v_add_u32 v2, vcc, v2, v2 \control
  v_max_i32 v3, v3, v3 \control
  v_min_u32 v4, v4, v4 \control
.endm

.globl three_scans
.p2align 8
.type three_scans,@function
three_scans:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_load_dwordx2 s[8:9], s[0:1], 0x8
  s_load_dwordx2 s[12:13], s[0:1], 0x10
  s_load_dwordx2 s[16:17], s[0:1], 0x18
  s_load_dwordx2 s[20:21], s[0:1], 0x20
  s_load_dword s24, s[0:1], 0x28
  v_lshlrev_b32 v1, 2, v0
  s_lshl_b32 s3, s2, 8
  s_waitcnt lgkmcnt(0)
  buffer 4, s24
  buffer 8, s24
  buffer 12, s24
  buffer 16, s24
  buffer_load_dword v2, v1, s[4:7], s3 offen
  s_waitcnt vmcnt(0)
  v_mov_b32 v3, v2
  v_mov_b32 v4, v2
  s_nop 1
  scans row_shr:1
  scans row_shr:2
  scans row_shr:4
  scans row_shr:8
  scans row_bcast:15 row_mask:0xa
  scans row_bcast:31 row_mask:0xc
  buffer_store_dword v2, v1, s[8:11], s3 offen
  buffer_store_dword v3, v1, s[12:15], s3 offen
  buffer_store_dword v4, v1, s[16:19], s3 offen
  // What the last lane has, for the whole wave: through scalars.
  v_readlane_b32 s25, v2, 63
  v_readlane_b32 s26, v3, 63
  v_readlane_b32 s27, v4, 63
  s_add_u32 s25, s25, s26
  s_xor_b32 s25, s25, s27
  s_mov_b32 s22, s24
  s_mov_b32 s23, 0x27000
  v_mov_b32 v5, s25
  s_lshl_b32 s2, s2, 2
  s_mov_b64 exec, 1
  buffer_store_dword v5, off, s[20:23], s2
  s_endpgm
.Lthree_scans_end:
  .size three_scans, .Lthree_scans_end-three_scans

.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel three_scans
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 6
  .amdhsa_next_free_sgpr 28
.end_amdhsa_kernel
