#include "portable.h"

// out[x][y] = in[y][x] through a tile in shared memory: rows are read and written
// whole. The 33rd column keeps the columns of the tile in different banks.
// Blocks are 32 x 8; each thread moves four words. Any width and height.
__attribute__((reqd_work_group_size(32, 8, 1)))
__kernel void transpose(__global const uint *in, __global uint *out, uint width, uint height) {
  __local uint tile[32][33];
  uint lx = local_x(), ly = local_y();
  uint x = group_x() * 32 + lx, y = group_y() * 32 + ly;
#pragma unroll
  for (uint k = 0; k < 32; k += 8)
    if (x < width && y + k < height) tile[ly + k][lx] = in[(y + k) * width + x];
  block_barrier();
  x = group_y() * 32 + lx;
  y = group_x() * 32 + ly;
#pragma unroll
  for (uint k = 0; k < 32; k += 8)
    if (x < height && y + k < width) out[(y + k) * height + x] = tile[lx][ly + k];
}
