#include "device.h"

// Bytes counted: each warp in its own part of shared memory, then added up.
KERNEL histogram_bytes(const u8 *in, u32 *bins, u32 n) {
  __shared__ u32 part[4][64];
  u32 t = tid(), w = t / 32;
  for (u32 i = t; i < 4 * 64; i += bsize()) ((u32 *)part)[i] = 0;
  sync();
  for (u32 i = gid(); i < n; i += grid() * bsize()) atomic_add(&part[w][in[i] / 4], 1u);
  sync();
  if (t < 64) {
    u32 sum = part[0][t] + part[1][t] + part[2][t] + part[3][t];
    if (sum) atomic_add(&bins[t], sum);
  }
}

// Straight to memory, bins of a float range; what is outside goes to the ends.
KERNEL histogram_range(const float *in, u32 *bins, u32 count, float low, float width, u32 n) {
  u32 i = gid();
  if (i >= n) return;
  int b = (int)((in[i] - low) / width);
  b = b < 0 ? 0 : b >= (int)count ? (int)count - 1 : b;
  atomic_add(&bins[b], 1u);
}

// Weighted, with 64-bit sums.
KERNEL histogram_weighted(const u32 *bin, const u32 *weight, u64 *sums, u32 n) {
  u32 i = gid();
  if (i < n) atomic_add(&sums[bin[i] % 16], (u64)weight[i]);
}
