#include "device.h"

// c = a b, tiles of 16 x 16 in shared memory, ragged edges.
#define T 16
KERNEL matmul_tiled(const float *a, const float *b, float *c, u32 m, u32 n, u32 k) {
  __shared__ float ta[T][T], tb[T][T + 1];
  u32 x = tid(), y = tidy(), row = bidy() * T + y, col = bid() * T + x;
  float sum = 0;
  for (u32 k0 = 0; k0 < k; k0 += T) {
    ta[y][x] = row < m && k0 + x < k ? a[row * k + k0 + x] : 0;
    tb[y][x] = k0 + y < k && col < n ? b[(k0 + y) * n + col] : 0;
    sync();
    ROLLED for (u32 i = 0; i < T; i++) sum = fma(ta[y][i], tb[i][x], sum);
    sync();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

// Each thread makes 2 x 2 results from vectors of two.
struct alignas(8) pair { float x, y; };
KERNEL matmul_registers(const float *a, const pair *b, pair *c, u32 n, u32 k) {
  u32 col = gid() % (n / 2), row = gid() / (n / 2) * 2;
  float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
  ROLLED for (u32 i = 0; i < k; i++) {
    pair v = b[i * (n / 2) + col];
    float p = a[row * k + i], q = a[(row + 1) * k + i];
    s00 += p * v.x; s01 += p * v.y;
    s10 += q * v.x; s11 += q * v.y;
  }
  c[row * (n / 2) + col] = {s00, s01};
  c[(row + 1) * (n / 2) + col] = {s10, s11};
}

// Matrix times vector of bytes with 32-bit sums: four products an instruction where
// the target has it.
KERNEL matvec_bytes(const int *a, const int *v, int *out, u32 words) {
  int sum = 0;
  for (u32 i = 0; i < words; i++) {
    int p = a[gid() * words + i], q = v[i];
#if __CUDA_ARCH__ >= 610
    asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(p), "r"(q));
#else
    for (int b = 0; b < 4; b++) sum += (s8)(p >> 8 * b) * (s8)(q >> 8 * b);
#endif
  }
  out[gid()] = sum;
}
