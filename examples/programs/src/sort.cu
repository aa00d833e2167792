#include "device.h"

// Bitonic sort of 256 keys in shared memory.
KERNEL bitonic_block(float *keys) {
  __shared__ float k[256];
  u32 t = tid();
  k[t] = keys[gid()];
  ROLLED for (u32 size = 2; size <= 256; size *= 2)
    for (u32 d = size / 2; d > 0; d /= 2) {
      sync();
      u32 other = t ^ d;
      if (other > t) {
        bool up = (t & size) == 0;
        float a = k[t], b = k[other];
        if ((a > b) == up) {
          k[t] = b;
          k[other] = a;
        }
      }
    }
  sync();
  keys[gid()] = k[t];
}

// One step of a bitonic sort of the whole array: the host launches the steps.
KERNEL bitonic_step(u64 *keys, u32 size, u32 d) {
  u32 t = gid(), other = t ^ d;
  if (other <= t) return;
  u64 a = keys[t], b = keys[other];
  if ((a > b) == ((t & size) == 0)) {
    keys[t] = b;
    keys[other] = a;
  }
}

// Bitonic sort of the 32 keys of a warp by shuffles.
KERNEL bitonic_warp(int *keys) {
  int v = keys[gid()];
  u32 l = lane();
#pragma unroll
  for (u32 size = 2; size <= 32; size *= 2)
#pragma unroll
    for (u32 d = size / 2; d > 0; d /= 2) {
      int other = shfl_xor(v, d);
      bool up = (l & size) == 0, low = (l & d) == 0;
      v = up == low ? smaller(v, other) : larger(v, other);
    }
  keys[gid()] = v;
}

// Radix sort of keys with values, four bits at a time, stable: counts by digit and
// thread, a scan of them, then a scatter. One block, four keys a thread.
KERNEL radix_block(const u32 *keys, const u32 *values, u32 *keys_out, u32 *values_out) {
  __shared__ u32 k[2][256], v[2][256];
  __shared__ u32 count[16 * 64 + 1];
  u32 t = tid();
  for (u32 i = t; i < 256; i += 64) {
    k[0][i] = keys[i];
    v[0][i] = values[i];
  }
  u32 from = 0;
  ROLLED for (u32 shift = 0; shift < 32; shift += 4, from ^= 1) {
    ROLLED for (u32 d = 0; d < 16; d++) count[d * 64 + t] = 0;
    sync();
    for (u32 i = 0; i < 4; i++) count[(k[from][4 * t + i] >> shift & 15) * 64 + t]++;
    sync();
    // An exclusive scan of 1024 counts: 16 a thread, then across threads.
    u32 sum = 0;
    ROLLED for (u32 i = 0; i < 16; i++) sum += count[16 * t + i];
    __shared__ u32 sums[64];
    sums[t] = sum;
    sync();
    u32 before = 0;
    ROLLED for (u32 i = 0; i < t; i++) before += sums[i];
    ROLLED for (u32 i = 0; i < 16; i++) {
      u32 c = count[16 * t + i];
      count[16 * t + i] = before;
      before += c;
    }
    sync();
    for (u32 i = 0; i < 4; i++) {
      u32 key = k[from][4 * t + i];
      u32 to = count[(key >> shift & 15) * 64 + t]++;
      k[from ^ 1][to] = key;
      v[from ^ 1][to] = v[from][4 * t + i];
    }
    sync();
  }
  for (u32 i = t; i < 256; i += 64) {
    keys_out[i] = k[from][i];
    values_out[i] = v[from][i];
  }
}
