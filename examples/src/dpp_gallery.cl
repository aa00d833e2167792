#include "portable.h"

// Every DPP control, one row of 64 results each. A lane that is not updated
// keeps -1.
__kernel void dpp_gallery(__global const int *src, __global int *out) {
  uint lane = local_x();
  int v = src[lane];
#define ROW(K, CTRL, ROWS, BANKS, ZERO) out[(K) * 64 + lane] = __builtin_amdgcn_update_dpp(-1, v, CTRL, ROWS, BANKS, ZERO)
  ROW(0, 0x1b, 0xf, 0xf, 0);   // quad_perm:[3,2,1,0]
  ROW(1, 0x39, 0xf, 0xf, 0);   // quad_perm:[1,2,3,0]
  ROW(2, 0x101, 0xf, 0xf, 0);  // row_shl:1
  ROW(3, 0x10f, 0xf, 0xf, 1);  // row_shl:15 bound_ctrl:0
  ROW(4, 0x111, 0xf, 0xf, 1);  // row_shr:1 bound_ctrl:0
  ROW(5, 0x113, 0xf, 0xf, 0);  // row_shr:3
  ROW(6, 0x125, 0xf, 0xf, 0);  // row_ror:5
  ROW(7, 0x130, 0xf, 0xf, 0);  // wave_shl:1
  ROW(8, 0x134, 0xf, 0xf, 0);  // wave_rol:1
  ROW(9, 0x138, 0xf, 0xf, 1);  // wave_shr:1 bound_ctrl:0
  ROW(10, 0x13c, 0xf, 0xf, 0); // wave_ror:1
  ROW(11, 0x140, 0xf, 0xf, 0); // row_mirror
  ROW(12, 0x141, 0xf, 0xf, 0); // row_half_mirror
  ROW(13, 0x142, 0xa, 0xf, 0); // row_bcast:15 row_mask:0xa
  ROW(14, 0x143, 0xc, 0xf, 0); // row_bcast:31 row_mask:0xc
  ROW(15, 0x142, 0xf, 0xf, 0); // row_bcast:15: row 0 reads itself
  ROW(16, 0x124, 0x5, 0x7, 0); // row_ror:4 row_mask:0x5 bank_mask:0x7
}

// The same with every third lane switched off: a lane whose source is off is not
// updated, or reads 0 with BOUND_CTRL set.
__kernel void dpp_inactive(__global const int *src, __global int *out) {
  uint lane = local_x();
  int v = src[lane];
  out[lane] = out[64 + lane] = out[128 + lane] = -7;
  if (lane % 3 != 1) {
    ROW(0, 0x111, 0xf, 0xf, 0);
    ROW(1, 0x111, 0xf, 0xf, 1);
    ROW(2, 0x13c, 0xf, 0xf, 0);
  }
}
