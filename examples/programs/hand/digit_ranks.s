// The second byte of each key counted in LDS, with the rank that each key got in its
// work-group (ds_add_rtn_u32), and the counts added to those of all work-groups.
//
// digit_ranks(uint *keys, uint *ranks, uint *counts, uint bytes)
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text

// A descriptor of a buffer of BYTES bytes at s[\at:\at+1]: no stride, dwords.
.macro buffer at, bytes
  s_and_b32 s[\at+1], s[\at+1], 0xffff
  s_mov_b32 s[\at+2], \bytes
  s_mov_b32 s[\at+3], 0x27000
.endm

.globl digit_ranks
.p2align 8
.type digit_ranks,@function
digit_ranks:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[12:13], s[0:1], 0x10
  s_load_dword s16, s[0:1], 0x18
  s_mov_b32 m0, -1
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v2, 0
  ds_write2st64_b32 v1, v2, v2 offset1:1
  ds_write2st64_b32 v1, v2, v2 offset0:2 offset1:3
  v_mov_b32 v3, 2
  v_mov_b32 v4, 1
  s_lshl_b32 s2, s2, 8
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_mov_b32 s8, s6
  s_mov_b32 s9, s7
  buffer 4, s16
  buffer 8, s16
  buffer 12, 0x400
  buffer_load_dword v5, v1, s[4:7], s2 offen
  s_waitcnt vmcnt(0)
  v_lshlrev_b32_sdwa v6, v3, v5 dst_sel:DWORD src0_sel:DWORD src1_sel:BYTE_1
  ds_add_rtn_u32 v7, v6, v4
  s_waitcnt lgkmcnt(0)
  buffer_store_dword v7, v1, s[8:11], s2 offen
  s_barrier
  ds_read2st64_b32 v[8:9], v1 offset1:1
  ds_read2st64_b32 v[10:11], v1 offset0:2 offset1:3
  s_waitcnt lgkmcnt(1)
  buffer_atomic_add v8, v1, s[12:15], 0 offen
  buffer_atomic_add v9, v1, s[12:15], 0 offen offset:256
  s_waitcnt lgkmcnt(0)
  buffer_atomic_add v10, v1, s[12:15], 0 offen offset:512
  buffer_atomic_add v11, v1, s[12:15], 0 offen offset:768
  s_endpgm
.Ldigit_ranks_end:
  .size digit_ranks, .Ldigit_ranks_end-digit_ranks

.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel digit_ranks
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size 1024
  .amdhsa_next_free_vgpr 12
  .amdhsa_next_free_sgpr 20
.end_amdhsa_kernel
