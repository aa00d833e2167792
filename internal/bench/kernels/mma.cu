#include "gpu.h"

// Products of 16 by 16 and 16 by 8 matrices of f16, summed in f32, one chain a warp; blocks of
// 256. The elements are few sixteenths, others for each warp, so that every sum is exact.
KERNEL mma(float *out, u32 rounds) {
  u32 l = bid() * 256 + tid();
  u32 a = 0x3c003c00u + (l & 1) * 0x400 + (l >> 5 & 7) * 0x40; // 1 or 2 and sixteenths of it, and 1
  u32 b = 0x3c004000u;                                         // 2 and 1
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  ROLLED for (u32 i = 0; i < rounds; i++)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%5,%4}, {%5,%6}, {%0,%1,%2,%3};"
                 : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a), "r"(b), "r"(a));
  out[l * 4] = c0;
  out[l * 4 + 1] = c1;
  out[l * 4 + 2] = c2;
  out[l * 4 + 3] = c3;
}
