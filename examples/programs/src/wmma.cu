#include "device.h"

// Matrix products by warp: 16 x 16 x 16 halves, sums in float or in half.
KERNEL wmma_f32(const int *a, const int *b, float *c, u32 n, u32 k) {
  u32 row = bidy() * 16, col = bid() * 16;
  int fa[8], fb[8];
  float acc[8];
#pragma unroll
  for (int i = 0; i < 8; i++) acc[i] = 0;
  ROLLED for (u32 i = 0; i < k; i += 16) {
    __hmma_m16n16k16_ld_a(fa, a + (row * k + i) / 2, k, 0);
    __hmma_m16n16k16_ld_b(fb, b + (i * n + col) / 2, n, 0);
    __hmma_m16n16k16_mma_f32f32(acc, fa, fb, acc, 0, 0);
  }
  __hmma_m16n16k16_st_c_f32(c + row * n + col, acc, n, 0);
}

// The second matrix by columns, the sum begun with what is there.
KERNEL wmma_f16(const int *a, const int *b, int *c) {
  int fa[8], fb[8], fc[4];
  __hmma_m16n16k16_ld_a(fa, a, 16, 0);
  __hmma_m16n16k16_ld_b(fb, b, 16, 1);
  __hmma_m16n16k16_ld_c_f16(fc, c, 16, 0);
  __hmma_m16n16k16_mma_f16f16(fc, fa, fb, fc, 1, 0);
  __hmma_m16n16k16_st_c_f16(c, fc, 16, 0);
}
