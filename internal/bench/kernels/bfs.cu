#include "gpu.h"

// Distances in a graph of 1024 nodes from node bid, level by level; blocks of 256.
KERNEL SIZE(256) bfs(const u32 *start, const u32 *to, u32 *level) {
  __shared__ u32 dist[1024], more;
  u32 t = tid();
  for (u32 i = t; i < 1024; i += 256) dist[i] = i == (bid() & 1023) ? 0 : ~0u;
  ROLLED for (u32 l = 0;; l++) {
    sync();
    if (t == 0) more = 0;
    sync();
    ROLLED for (u32 v = t; v < 1024; v += 256) {
      if (dist[v] != l) continue;
      ROLLED for (u32 e = start[v]; e < start[v + 1]; e++) {
        u32 w = to[e];
        if (dist[w] == ~0u) {
          dist[w] = l + 1;
          more = 1;
        }
      }
    }
    sync();
    if (!more) break;
  }
  for (u32 i = t; i < 1024; i += 256) level[bid() * 1024 + i] = dist[i];
}
