#include "device.h"

// Prefix sums of a block of 128 threads.
#define N 128

// Hillis and Steele: two buffers, log2(N) steps, every thread adds in each.
KERNEL hillis_steele(const int *in, int *out) {
  __shared__ int buf[2][N];
  u32 t = tid(), from = 0;
  buf[0][t] = in[gid()];
  sync();
  ROLLED for (u32 d = 1; d < N; d *= 2) {
    u32 to = from ^ 1;
    buf[to][t] = buf[from][t] + (t >= d ? buf[from][t - d] : 0);
    from = to;
    sync();
  }
  out[gid()] = buf[from][t];
}

// Blelloch: up the tree, then down; exclusive, two elements a thread, addresses
// padded against bank conflicts.
#define PAD(i) ((i) + ((i) >> 5))
KERNEL blelloch(const float *in, float *out) {
  __shared__ float tree[2 * N + 8];
  u32 t = tid(), base = bid() * 2 * N;
  tree[PAD(t)] = in[base + t];
  tree[PAD(t + N)] = in[base + t + N];
  u32 step = 1;
  ROLLED for (u32 d = N; d > 0; d /= 2, step *= 2) {
    sync();
    if (t < d) tree[PAD(step * (2 * t + 2) - 1)] += tree[PAD(step * (2 * t + 1) - 1)];
  }
  if (t == 0) tree[PAD(2 * N - 1)] = 0;
  ROLLED for (u32 d = 1; d <= N; d *= 2) {
    step /= 2;
    sync();
    if (t < d) {
      u32 a = PAD(step * (2 * t + 1) - 1), b = PAD(step * (2 * t + 2) - 1);
      float left = tree[a];
      tree[a] = tree[b];
      tree[b] += left;
    }
  }
  sync();
  out[base + t] = tree[PAD(t)];
  out[base + t + N] = tree[PAD(t + N)];
}

// Warps, then the warps' totals; each thread has four elements.
KERNEL warp_block(const u32 *in, u32 *out) {
  __shared__ u32 totals[N / 32];
  u32 t = tid(), w = t / 32, sum = 0, v[4];
  for (int i = 0; i < 4; i++) {
    sum += in[gid() * 4 + i];
    v[i] = sum;
  }
  u32 scan = sum;
#pragma unroll
  for (u32 d = 1; d < 32; d *= 2) {
    u32 below = shfl_up(scan, d);
    if (lane() >= d) scan += below;
  }
  if (lane() == 31) totals[w] = scan;
  sync();
  u32 before = scan - sum;
  for (u32 i = 0; i < w; i++) before += totals[i];
  for (int i = 0; i < 4; i++) out[gid() * 4 + i] = before + v[i];
}
