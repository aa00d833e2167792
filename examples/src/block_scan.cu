#include "warp.h"

// Inclusive sum within a warp: each step adds the value d lanes below, where
// there is one (the range predicate says so).
__device__ static inline int warp_scan(int v) {
#pragma unroll
  for (u32 d = 1; d < 32; d *= 2) {
    int have, below = shfl_up(ALL_LANES, v, d, 0, have);
    if (have) v += below;
  }
  return v;
}

// Inclusive prefix sum of each block, for blocks of up to 1024 threads.
KERNEL block_scan(const int *in, int *out, int n) {
  __shared__ int totals[32];
  u32 t = tid(), lane = t % 32, warp = t / 32, warps = (block_size() + 31) / 32;
  int i = global_id();
  int sum = warp_scan(i < n ? in[i] : 0);
  if (lane == 31 || t == block_size() - 1) totals[warp] = sum;
  __nvvm_bar_sync(0);
  if (warp == 0) {
    int s = warp_scan(lane < warps ? totals[lane] : 0);
    if (lane < warps) totals[lane] = s;
  }
  __nvvm_bar_sync(0);
  if (warp > 0) sum += totals[warp - 1];
  if (i < n) out[i] = sum;
}
