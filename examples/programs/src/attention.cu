#include "device.h"

// softmax(q k' / sqrt(D)) v for one head: keys and values go through shared memory,
// a tile at a time; each thread keeps one query, its maximum and its sum.
#define D 16
#define TILE 32
KERNEL attention(const float *q, const float *k, const float *v, float *out, u32 n, u32 causal) {
  __shared__ float tk[TILE][D], tv[TILE][D];
  u32 t = tid(), row = gid();
  float mine[D], acc[D];
  for (u32 i = 0; i < D; i++) {
    mine[i] = q[row * D + i] * 0.25f;
    acc[i] = 0;
  }
  float top = -1e30f, sum = 0;
  ROLLED for (u32 base = 0; base < n; base += TILE) {
    for (u32 i = t; i < TILE * D; i += bsize()) {
      tk[i / D][i % D] = k[base * D + i];
      tv[i / D][i % D] = v[base * D + i];
    }
    sync();
    ROLLED for (u32 j = 0; j < TILE; j++) {
      if (causal && base + j > row) break;
      float s = 0;
#pragma unroll 4
      for (u32 i = 0; i < D; i++) s = fma(mine[i], tk[j][i], s);
      float next = __builtin_fmaxf(top, s);
      float old = fast_exp2((top - next) * 1.442695041f), p = fast_exp2((s - next) * 1.442695041f);
      sum = fma(sum, old, p);
#pragma unroll 4
      for (u32 i = 0; i < D; i++) acc[i] = fma(acc[i], old, p * tv[j][i]);
      top = next;
    }
    sync();
  }
  for (u32 i = 0; i < D; i++) out[row * D + i] = acc[i] / sum;
}
