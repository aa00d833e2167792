#include "device.h"

// Sums of a block in the styles that people write.

FN int warp_sum(int v) {
  for (int d = 16; d > 0; d /= 2) v += shfl_xor(v, d);
  return v;
}

// A tree in shared memory, half of the threads dropping out at each step.
KERNEL reduce_shared(const float *in, float *out) {
  __shared__ float part[256];
  u32 t = tid();
  part[t] = in[gid()];
  sync();
  for (u32 d = bsize() / 2; d > 0; d /= 2) {
    if (t < d) part[t] += part[t + d];
    sync();
  }
  if (t == 0) out[bid()] = part[0];
}

// Shuffles within each warp, then one warp over the warps' sums.
KERNEL reduce_shuffle(const int *in, int *out, int n) {
  __shared__ int sums[32];
  u32 t = tid(), warps = bsize() / 32;
  int v = 0;
  for (int i = gid(); i < n; i += grid() * bsize()) v += in[i];
  v = warp_sum(v);
  if (lane() == 0) sums[t / 32] = v;
  sync();
  if (t < 32) {
    v = warp_sum(t < warps ? sums[t] : 0);
    if (t == 0) out[bid()] = v;
  }
}

// One atomic for each warp.
KERNEL reduce_atomic(const int *in, int *out, int n) {
  u32 i = gid();
  int v = warp_sum(i < (u32)n ? in[i] : 0);
  if (lane() == 0) atomic_add(out, v);
}

// Groups of any power of two of threads as objects, as cooperative groups have them.
template <u32 SIZE> struct Tile {
  FN u32 rank() { return tid() % SIZE; }
  template <typename F> FN int reduce(int v, F f) {
#pragma unroll
    for (u32 d = SIZE / 2; d > 0; d /= 2) v = f(v, shfl_xor_within(v, d, SIZE));
    return v;
  }
};
template <u32 SIZE> FN void tiles(const int *in, int *sums, int *tops) {
  Tile<SIZE> tile;
  int v = in[gid()];
  int sum = tile.reduce(v, [](int a, int b) INLINE { return a + b; });
  int top = tile.reduce(v, [](int a, int b) INLINE { return a < b ? b : a; });
  if (tile.rank() == 0) {
    sums[gid() / SIZE] = sum;
    tops[gid() / SIZE] = top;
  }
}
KERNEL reduce_tiles4(const int *in, int *sums, int *tops) { tiles<4>(in, sums, tops); }
KERNEL reduce_tiles16(const int *in, int *sums, int *tops) { tiles<16>(in, sums, tops); }

// Every thread of the grid adds up its part; the last block to finish adds up the
// blocks' sums.
__device__ u32 blocks_done;
KERNEL reduce_last_block(const u32 *in, u64 *part, u64 *out, int n) {
  __shared__ u64 sums[64];
  __shared__ bool last;
  u32 t = tid();
  u64 v = 0;
  for (int i = gid(); i < n; i += grid() * bsize()) v += in[i];
  sums[t] = v;
  sync();
  for (u32 d = bsize() / 2; d > 0; d /= 2) {
    if (t < d) sums[t] += sums[t + d];
    sync();
  }
  if (t == 0) {
    part[bid()] = sums[0];
    fence_device();
    last = atomic_add(&blocks_done, 1u) == grid() - 1;
  }
  sync();
  if (last && t == 0) {
    v = 0;
    for (u32 i = 0; i < grid(); i++) v += ((volatile u64 *)part)[i];
    *out = v;
  }
}
