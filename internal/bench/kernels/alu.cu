#include "gpu.h"

// Twenty dependent operations of integers and floats a round; blocks of 256.
KERNEL SIZE(256) alu(u32 *out, u32 rounds) {
  u32 id = bid() * 256 + tid(), s = id * 2654435761u + 12345u;
  float f = (float)(id & 1023u);
  ROLLED for (u32 i = 0; i < rounds; i++) {
    u32 t = s * 1664525u + 1013904223u;
    t ^= t >> 16;
    s = (s + t) ^ i;
    float h = fma(f, 0.5f, 0.25f);
    f = (h + f) * 0.375f;
    u32 u = t << 7 | s >> 25;
    s = (s ^ u) + t;
    float q = (float)(s & 0xffffu) * (1.0f / 65536);
    f += q;
    f = f < 1.5f ? f : 1.5f;
    s += f < 1.0f ? t : s;
  }
  out[id] = s ^ __builtin_bit_cast(u32, f);
}
