// SHA-256 of a padded block a lane: rotations by v_alignbit_b32, choices by v_bfi_b32,
// bytes turned by v_perm_b32. Macros rename registers instead of moving them.
//
// sha256_block(uint *blocks, uint *digests, uint count)
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text

// A descriptor of a buffer of BYTES bytes at s[\at:\at+1]: no stride, dwords.
.macro buffer at, bytes
  s_and_b32 s[\at+1], s[\at+1], 0xffff
  s_mov_b32 s[\at+2], \bytes
  s_mov_b32 s[\at+3], 0x27000
.endm

// d = the exclusive or of x rotated right by a and b, and by c, or shifted if \last says so.
.macro sigma d, x, a, b, c, last=rotate
  v_alignbit_b32 v8, \x, \x, \a
  v_alignbit_b32 v9, \x, \x, \b
  .ifc \last, shift
    v_lshrrev_b32 v10, \c, \x
  .else
    v_alignbit_b32 v10, \x, \x, \c
  .endif
  v_xor_b32 v8, v8, v9
  v_xor_b32 \d, v8, v10
.endm
.macro round i, k
  .if \i > 15
    sigma v11, v[32+((\i-15)&15)], 7, 18, 3, shift
    sigma v12, v[32+((\i-2)&15)], 17, 19, 10, shift
    v_add_u32 v[32+(\i&15)], vcc, v[32+(\i&15)], v11
    v_add_u32 v12, vcc, v12, v[32+((\i-7)&15)]
    v_add_u32 v[32+(\i&15)], vcc, v[32+(\i&15)], v12
  .endif
  sigma v11, v[16+((4-\i)&7)], 6, 11, 25
  v_bfi_b32 v12, v[16+((4-\i)&7)], v[16+((5-\i)&7)], v[16+((6-\i)&7)]
  v_add_u32 v[16+((7-\i)&7)], vcc, \k, v[16+((7-\i)&7)]
  v_add_u32 v11, vcc, v11, v12
  v_add_u32 v[16+((7-\i)&7)], vcc, v[16+((7-\i)&7)], v[32+(\i&15)]
  v_add_u32 v[16+((7-\i)&7)], vcc, v[16+((7-\i)&7)], v11
  v_add_u32 v[16+((3-\i)&7)], vcc, v[16+((3-\i)&7)], v[16+((7-\i)&7)]
  sigma v11, v[16+((0-\i)&7)], 2, 13, 22
  v_xor_b32 v12, v[16+((0-\i)&7)], v[16+((1-\i)&7)]
  v_bfi_b32 v12, v12, v[16+((2-\i)&7)], v[16+((0-\i)&7)]
  v_add_u32 v11, vcc, v11, v12
  v_add_u32 v[16+((7-\i)&7)], vcc, v[16+((7-\i)&7)], v11
.endm

.globl sha256_block
.p2align 8
.type sha256_block,@function
sha256_block:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_load_dwordx2 s[8:9], s[0:1], 0x8
  s_load_dword s3, s[0:1], 0x10
  s_lshl_b32 s2, s2, 6
  v_add_u32 v0, vcc, s2, v0
  v_lshlrev_b32 v1, 6, v0
  v_lshlrev_b32 v2, 5, v0
  s_waitcnt lgkmcnt(0)
  s_lshl_b32 s12, s3, 6
  s_lshl_b32 s13, s3, 5
  buffer 4, s12
  buffer 8, s13
  buffer_load_dwordx4 v[32:35], v1, s[4:7], 0 offen
  buffer_load_dwordx4 v[36:39], v1, s[4:7], 0 offen offset:16
  buffer_load_dwordx4 v[40:43], v1, s[4:7], 0 offen offset:32
  buffer_load_dwordx4 v[44:47], v1, s[4:7], 0 offen offset:48
  v_mov_b32 v16, 0x6a09e667
  v_mov_b32 v17, 0xbb67ae85
  v_mov_b32 v18, 0x3c6ef372
  v_mov_b32 v19, 0xa54ff53a
  v_mov_b32 v20, 0x510e527f
  v_mov_b32 v21, 0x9b05688c
  v_mov_b32 v22, 0x1f83d9ab
  v_mov_b32 v23, 0x5be0cd19
  s_mov_b32 s14, 0x00010203
  .irp g, 0, 1, 2, 3
    s_waitcnt vmcnt(3-\g)
    .irp w, 0, 1, 2, 3
      v_perm_b32 v[32+4*\g+\w], v0, v[32+4*\g+\w], s14
    .endr
  .endr
  round 0, 0x428a2f98
  round 1, 0x71374491
  round 2, 0xb5c0fbcf
  round 3, 0xe9b5dba5
  round 4, 0x3956c25b
  round 5, 0x59f111f1
  round 6, 0x923f82a4
  round 7, 0xab1c5ed5
  round 8, 0xd807aa98
  round 9, 0x12835b01
  round 10, 0x243185be
  round 11, 0x550c7dc3
  round 12, 0x72be5d74
  round 13, 0x80deb1fe
  round 14, 0x9bdc06a7
  round 15, 0xc19bf174
  round 16, 0xe49b69c1
  round 17, 0xefbe4786
  round 18, 0x0fc19dc6
  round 19, 0x240ca1cc
  round 20, 0x2de92c6f
  round 21, 0x4a7484aa
  round 22, 0x5cb0a9dc
  round 23, 0x76f988da
  round 24, 0x983e5152
  round 25, 0xa831c66d
  round 26, 0xb00327c8
  round 27, 0xbf597fc7
  round 28, 0xc6e00bf3
  round 29, 0xd5a79147
  round 30, 0x06ca6351
  round 31, 0x14292967
  round 32, 0x27b70a85
  round 33, 0x2e1b2138
  round 34, 0x4d2c6dfc
  round 35, 0x53380d13
  round 36, 0x650a7354
  round 37, 0x766a0abb
  round 38, 0x81c2c92e
  round 39, 0x92722c85
  round 40, 0xa2bfe8a1
  round 41, 0xa81a664b
  round 42, 0xc24b8b70
  round 43, 0xc76c51a3
  round 44, 0xd192e819
  round 45, 0xd6990624
  round 46, 0xf40e3585
  round 47, 0x106aa070
  round 48, 0x19a4c116
  round 49, 0x1e376c08
  round 50, 0x2748774c
  round 51, 0x34b0bcb5
  round 52, 0x391c0cb3
  round 53, 0x4ed8aa4a
  round 54, 0x5b9cca4f
  round 55, 0x682e6ff3
  round 56, 0x748f82ee
  round 57, 0x78a5636f
  round 58, 0x84c87814
  round 59, 0x8cc70208
  round 60, 0x90befffa
  round 61, 0xa4506ceb
  round 62, 0xbef9a3f7
  round 63, 0xc67178f2
  v_add_u32 v16, vcc, 0x6a09e667, v16
  v_add_u32 v17, vcc, 0xbb67ae85, v17
  v_add_u32 v18, vcc, 0x3c6ef372, v18
  v_add_u32 v19, vcc, 0xa54ff53a, v19
  v_add_u32 v20, vcc, 0x510e527f, v20
  v_add_u32 v21, vcc, 0x9b05688c, v21
  v_add_u32 v22, vcc, 0x1f83d9ab, v22
  v_add_u32 v23, vcc, 0x5be0cd19, v23
  buffer_store_dwordx4 v[16:19], v2, s[8:11], 0 offen
  buffer_store_dwordx4 v[20:23], v2, s[8:11], 0 offen offset:16
  s_endpgm
.Lsha256_block_end:
  .size sha256_block, .Lsha256_block_end-sha256_block

.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel sha256_block
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 48
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
