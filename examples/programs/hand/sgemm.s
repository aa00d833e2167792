// c = a b for a stored by columns: tiles of 64 x 64 by four waves, 4 x 4 elements a lane.
// Two buffers in LDS: while one is multiplied, loads from memory for the other are under
// way; operands from LDS are read one step ahead of their use.
//
// sgemm(float *a, float *b, float *c, uint m, uint n, uint k), k a multiple of 8
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text

// A descriptor of a buffer of BYTES bytes at s[\at:\at+1]: no stride, dwords.
.macro buffer at, bytes
  s_and_b32 s[\at+1], s[\at+1], 0xffff
  s_mov_b32 s[\at+2], \bytes
  s_mov_b32 s[\at+3], 0x27000
.endm

.macro operands k
  ds_read_b128 v[16+4*(\k&1):19+4*(\k&1)], v5 offset:256*\k
  ds_read_b128 v[24+4*(\k&1):27+4*(\k&1)], v6 offset:2048+256*\k
.endm
.macro products k
  .irp r, 0, 1, 2, 3
    .irp c, 0, 1, 2, 3
      v_mac_f32 v[32+4*\r+\c], v[16+4*(\k&1)+\r], v[24+4*(\k&1)+\c]
    .endr
  .endr
.endm

.globl sgemm
.p2align 8
.type sgemm,@function
sgemm:
  s_load_dwordx4 s[4:7], s[0:1], 0x0     // a, b
  s_load_dwordx4 s[20:23], s[0:1], 0x10  // c, m, n
  s_load_dword s24, s[0:1], 0x20         // k
  s_mov_b32 m0, -1
  v_lshlrev_b32 v4, 3, v0                // where the lane writes: 8 bytes each
  v_lshrrev_b32 v1, 4, v0
  v_lshlrev_b32 v5, 4, v1                // its rows
  v_and_b32 v6, 15, v0
  v_lshlrev_b32 v6, 4, v6                // its columns
  v_lshrrev_b32 v2, 5, v0
  v_and_b32 v3, 31, v0
  v_lshlrev_b32 v3, 3, v3
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s8, s6
  s_mov_b32 s9, s7
  s_lshl_b32 s25, s22, 2                 // bytes of a row of a
  s_lshl_b32 s26, s23, 2                 // of b and c
  s_mul_i32 s27, s25, s24
  s_mul_i32 s28, s26, s24
  s_mul_i32 s29, s26, s22
  buffer 4, s27
  buffer 8, s28
  s_mov_b32 s12, s20
  s_mov_b32 s13, s21
  buffer 12, s29
  v_mul_lo_u32 v1, v2, s25
  v_add_u32 v1, vcc, v1, v3              // in a
  v_mul_lo_u32 v2, v2, s26
  v_add_u32 v2, vcc, v2, v3              // in b
  s_lshl_b32 s16, s3, 8
  s_lshl_b32 s17, s2, 8
  s_lshl_b32 s25, s25, 3                 // eight rows further
  s_lshl_b32 s30, s26, 3
  buffer_load_dwordx2 v[8:9], v1, s[4:7], s16 offen
  buffer_load_dwordx2 v[10:11], v2, s[8:11], s17 offen
  .irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    v_mov_b32 v[32+\r], 0
  .endr
  s_waitcnt vmcnt(1)
  ds_write_b64 v4, v[8:9]
  s_waitcnt vmcnt(0)
  ds_write_b64 v4, v[10:11] offset:2048
.Lsgemm_tile:
  s_sub_u32 s24, s24, 8
  s_add_u32 s16, s16, s25
  s_add_u32 s17, s17, s30
  // Behind the last tile there is nothing: the loads are out of range and give zeros.
  buffer_load_dwordx2 v[8:9], v1, s[4:7], s16 offen
  buffer_load_dwordx2 v[10:11], v2, s[8:11], s17 offen
  s_waitcnt lgkmcnt(0)
  s_barrier
  operands 0
  .irp k, 0, 1, 2, 3, 4, 5, 6
    operands (\k+1)
    s_waitcnt lgkmcnt(2)
    products \k
  .endr
  s_waitcnt lgkmcnt(0)
  products 7
  v_xor_b32 v4, 0x1000, v4               // the other buffer
  v_xor_b32 v5, 0x1000, v5
  v_xor_b32 v6, 0x1000, v6
  s_waitcnt vmcnt(1)
  ds_write_b64 v4, v[8:9]
  s_waitcnt vmcnt(0)
  ds_write_b64 v4, v[10:11] offset:2048
  s_cmp_lg_u32 s24, 0
  s_cbranch_scc1 .Lsgemm_tile
  v_lshrrev_b32 v1, 4, v0
  v_lshlrev_b32 v1, 2, v1
  s_lshl_b32 s3, s3, 6
  v_add_u32 v1, vcc, s3, v1
  v_mul_lo_u32 v1, v1, s26
  v_and_b32 v2, 15, v0
  v_lshlrev_b32 v2, 4, v2
  v_add_u32 v1, vcc, v1, v2
  s_lshl_b32 s2, s2, 8
  .irp r, 0, 1, 2, 3
    buffer_store_dwordx4 v[32+4*\r:35+4*\r], v1, s[12:15], s2 offen
    v_add_u32 v1, vcc, s26, v1
  .endr
  s_endpgm
.Lsgemm_end:
  .size sgemm, .Lsgemm_end-sgemm

.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel sgemm
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_y 1
  .amdhsa_group_segment_fixed_size 8192
  .amdhsa_next_free_vgpr 48
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
