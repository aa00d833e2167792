#include "gpu.h"

// C = A * B, f32, stored by rows, n columns. A thread makes one element; blocks of 64 by 4
// elements.
template <int U> FN void product(const float *a, const float *b, float *c, u32 n) {
  u32 col = bid() * 64 + tid(), row = bid_y() * 4 + tid_y();
  const float *pa = a + row * n, *pb = b + col;
  float sum = 0;
  u32 k = 0;
  ROLLED do {
#pragma unroll
    for (int u = 0; u < U; u++) {
      sum = fma(pa[u], *pb, sum);
      pb += n;
    }
    pa += U;
    k += U;
  } while (k < n);
  c[row * n + col] = sum;
}

KERNEL SIZE(256) matmul(const float *a, const float *b, float *c, u32 n) { product<1>(a, b, c, n); }
KERNEL SIZE(256) matmul4(const float *a, const float *b, float *c, u32 n) { product<4>(a, b, c, n); }

// The same with tiles of 16 by 16 in shared memory; blocks of 16 by 16.
KERNEL SIZE(256) matmul_tiled(const float *a, const float *b, float *c, u32 n) {
  __shared__ float ta[16][16], tb[16][16];
  u32 x = tid(), y = tid_y(), col = bid() * 16 + x, row = bid_y() * 16 + y;
  const float *pa = a + row * n + x, *pb = b + y * n + col;
  float sum = 0;
  ROLLED for (u32 k = 0; k < n; k += 16) {
    ta[y][x] = *pa;
    tb[y][x] = *pb;
    pa += 16;
    pb += 16 * n;
    sync();
#pragma unroll
    for (int j = 0; j < 16; j++) sum = fma(ta[y][j], tb[j][x], sum);
    sync();
  }
  c[row * n + col] = sum;
}
