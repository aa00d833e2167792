// Pixels of four bytes laid over others: SDWA picks the bytes and puts each result in its
// place without a shift or a mask.
//
// blend(uint *over, uint *under, uint *out, uint bytes)
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text

// A descriptor of a buffer of BYTES bytes at s[\at:\at+1]: no stride, dwords.
.macro buffer at, bytes
  s_and_b32 s[\at+1], s[\at+1], 0xffff
  s_mov_b32 s[\at+2], \bytes
  s_mov_b32 s[\at+3], 0x27000
.endm

// One byte: (over * alpha + under * (255 - alpha)) >> 8, alpha the last byte of over.
.macro channel k
  v_mul_u32_u24_sdwa v4, v1, v1 dst_sel:DWORD src0_sel:BYTE_\k src1_sel:BYTE_3
  v_mul_u32_u24_sdwa v5, v2, v3 dst_sel:DWORD src0_sel:BYTE_\k src1_sel:DWORD
  v_add_u32 v4, vcc, v4, v5
  v_lshrrev_b32_sdwa v6, v8, v4 dst_sel:BYTE_\k dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
.endm

.globl blend
.p2align 8
.type blend,@function
blend:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[12:13], s[0:1], 0x10
  s_load_dword s3, s[0:1], 0x18
  s_lshl_b32 s2, s2, 8
  v_lshlrev_b32 v7, 2, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s8, s6
  s_mov_b32 s9, s7
  buffer 4, s3
  buffer 8, s3
  buffer 12, s3
  buffer_load_dword v1, v7, s[4:7], s2 offen
  buffer_load_dword v2, v7, s[8:11], s2 offen
  v_mov_b32 v8, 8
  v_mov_b32 v9, 0xff
  v_mov_b32 v6, 0
  s_waitcnt vmcnt(1)
  v_sub_u32_sdwa v3, vcc, v9, v1 dst_sel:DWORD src0_sel:DWORD src1_sel:BYTE_3
  s_waitcnt vmcnt(0)
  .irp k, 0, 1, 2, 3
    channel \k
  .endr
  buffer_store_dword v6, v7, s[12:15], s2 offen
  s_endpgm
.Lblend_end:
  .size blend, .Lblend_end-blend

.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel blend
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 10
  .amdhsa_next_free_sgpr 20
.end_amdhsa_kernel
