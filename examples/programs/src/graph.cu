#include "device.h"

// Breadth first by levels, one launch a level: who finds a vertex first writes its
// level and puts it on the next frontier.
KERNEL bfs_level(const u32 *first, const u32 *edges, int *level, const u32 *frontier, u32 count, u32 *next, u32 *next_count, int depth) {
  for (u32 i = gid(); i < count; i += grid() * bsize()) {
    u32 v = frontier[i];
    for (u32 e = first[v]; e < first[v + 1]; e++) {
      u32 to = edges[e];
      if (atomic_cas((u32 *)&level[to], ~0u, depth) == ~0u) next[atomic_add(next_count, 1u)] = to;
    }
  }
}

// The same in one block with the frontiers in shared memory.
KERNEL bfs_block(const u32 *first, const u32 *edges, int *level, u32 source) {
  __shared__ u32 queue[2][128], size[2];
  u32 t = tid(), from = 0;
  if (t == 0) {
    queue[0][0] = source;
    size[0] = 1;
    level[source] = 0;
  }
  sync();
  ROLLED for (int depth = 1; size[from]; depth++, from ^= 1) {
    if (t == 0) size[from ^ 1] = 0;
    sync();
    ROLLED for (u32 i = t; i < size[from]; i += bsize()) {
      u32 v = queue[from][i];
      ROLLED for (u32 e = first[v]; e < first[v + 1]; e++)
        if (atomic_cas((u32 *)&level[edges[e]], ~0u, depth) == ~0u) queue[from ^ 1][atomic_add(&size[from ^ 1], 1u)] = edges[e];
    }
    sync();
  }
}

// Connected components: trees of parents joined by compare and swap, then flattened.
KERNEL join(const u32 *a, const u32 *b, u32 *parent, u32 edges) {
  u32 i = gid();
  if (i >= edges) return;
  u32 p = a[i], q = b[i];
  for (;;) {
    ROLLED while (((volatile u32 *)parent)[p] != p) p = ((volatile u32 *)parent)[p];
    ROLLED while (((volatile u32 *)parent)[q] != q) q = ((volatile u32 *)parent)[q];
    if (p == q) return;
    if (p < q) {
      u32 s = p;
      p = q;
      q = s;
    }
    if (atomic_cas(&parent[p], p, q) == p) return;
  }
}
KERNEL flatten(u32 *parent, u32 n) {
  u32 i = gid();
  if (i >= n) return;
  u32 p = i;
  ROLLED while (((volatile u32 *)parent)[p] != p) p = ((volatile u32 *)parent)[p];
  ((volatile u32 *)parent)[i] = p;
}

// Sparse matrix times vector, compressed rows: a thread a row, then a warp a row.
KERNEL spmv_thread(const u32 *first, const u32 *col, const float *val, const float *x, float *y, u32 rows) {
  u32 r = gid();
  if (r >= rows) return;
  float s = 0;
  ROLLED for (u32 i = first[r]; i < first[r + 1]; i++) s = fma(val[i], x[col[i]], s);
  y[r] = s;
}
KERNEL spmv_warp(const u32 *first, const u32 *col, const float *val, const float *x, float *y, u32 rows) {
  u32 r = gid() / 32;
  if (r >= rows) return;
  float s = 0;
  ROLLED for (u32 i = first[r] + lane(); i < first[r + 1]; i += 32) s += val[i] * x[col[i]];
  for (int d = 16; d > 0; d /= 2) s += shfl_down(s, d);
  if (lane() == 0) y[r] = s;
}
