#include "gpu.h"

// y = A * x, A in compressed rows, one row a thread; blocks of 256.
KERNEL SIZE(256) spmv(const u32 *start, const u32 *column, const float *value, const float *x, float *y) {
  u32 row = bid() * 256 + tid(), to = start[row + 1];
  float sum = 0;
  ROLLED for (u32 i = start[row]; i < to; i++) sum = fma(value[i], x[column[i]], sum);
  y[row] = sum;
}
