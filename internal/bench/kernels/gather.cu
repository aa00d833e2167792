#include "gpu.h"

// Each lane adds words at random places of a table whose size is mask + 1 words.
KERNEL SIZE(256) gather(u32 *out, const u32 *table, u32 mask, u32 rounds) {
  u32 id = bid() * 256 + tid(), x = id * 2654435761u + 12345u, s = 0;
  ROLLED for (u32 i = 0; i < rounds; i++) {
    x = x * 1664525u + 1013904223u;
    s += table[x >> 7 & mask];
  }
  out[id] = s;
}
