#include "gpu.h"

// Horner's rule in f16, pairs where the instruction set has them; blocks of 256.
typedef _Float16 half2 __attribute__((ext_vector_type(2)));

KERNEL SIZE(256) f16(half2 *out, u32 rounds) {
  u32 id = bid() * 256 + tid();
  half2 x = {(_Float16)(float)(id & 511) * (_Float16)0x1p-10f, (_Float16)(float)(id & 255) * (_Float16)0x1p-9f}, y = x;
  ROLLED for (u32 r = 0; r < rounds; r++) {
    half2 p = y * (half2)0.125f16;
#pragma unroll
    for (int i = 0; i < 8; i++) p = __builtin_elementwise_fma(p, x, (half2)0.25f16);
    y = p + x;
  }
  out[id] = y;
}
