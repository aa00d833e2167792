#include "gpu.h"

// a = b + 3 c, one element a thread; blocks of 256.
KERNEL SIZE(256) triad(float *a, const float *b, const float *c) {
  u32 i = bid() * 256 + tid();
  a[i] = fma(c[i], 3.0f, b[i]);
}
