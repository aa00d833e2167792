#include "gpu.h"

// A matrix of words with n columns, by tiles of 32 by 32 in shared memory; blocks of 32 by 8.
// Rows of the result have m words.
KERNEL SIZE(256) transpose(const u32 *in, u32 *out, u32 n, u32 m) {
  __shared__ u32 tile[32][33];
  u32 x = tid(), y = tid_y(), col = bid() * 32, row = bid_y() * 32;
#pragma unroll
  for (u32 j = 0; j < 32; j += 8) tile[y + j][x] = in[(row + y + j) * n + col + x];
  sync();
#pragma unroll
  for (u32 j = 0; j < 32; j += 8) out[(col + y + j) * m + row + x] = tile[x][y + j];
}
