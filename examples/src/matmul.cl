#include "portable.h"

// C = A x B for row-major f32 matrices, a 16 x 16 tile of each in shared memory.
// n, m, k are multiples of 16. Every element is a chain of fused multiply-adds in
// order of k.
__attribute__((reqd_work_group_size(16, 16, 1)))
__kernel void matmul(__global const float *a, __global const float *b, __global float *c, uint n, uint m, uint k) {
  __local float ta[16][16], tb[16][16];
  uint lx = local_x(), ly = local_y();
  uint col = group_x() * 16 + lx, row = group_y() * 16 + ly;
  float sum = 0;
  for (uint t = 0; t < k; t += 16) {
    ta[ly][lx] = a[row * k + t + lx];
    tb[ly][lx] = b[(t + ly) * m + col];
    block_barrier();
#pragma unroll
    for (uint j = 0; j < 16; j++) sum = __builtin_fmaf(ta[ly][j], tb[j][lx], sum);
    block_barrier();
  }
  if (row < n) c[row * m + col] = sum;
}
