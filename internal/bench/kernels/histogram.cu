#include "gpu.h"

// 256 bins of bytes, four a word. Blocks of 256; a thread counts 16 words that are 256 apart.
KERNEL SIZE(256) histogram_shared(const u32 *in, u32 *bins) {
  __shared__ u32 mine[256];
  u32 t = tid();
  mine[t] = 0;
  sync();
  in += bid() * 4096 + t;
  ROLLED for (u32 i = 0; i < 16; i++) {
    u32 v = in[i * 256];
    for (u32 j = 0; j < 32; j += 8) __scoped_atomic_fetch_add(&mine[v >> j & 255], 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  }
  sync();
  atomic_add(&bins[t], mine[t]);
}

// The same at once in global memory.
KERNEL SIZE(256) histogram_global(const u32 *in, u32 *bins) {
  in += bid() * 4096 + tid();
  ROLLED for (u32 i = 0; i < 16; i++) {
    u32 v = in[i * 256];
    for (u32 j = 0; j < 32; j += 8) atomic_add(&bins[v >> j & 255], 1u);
  }
}
