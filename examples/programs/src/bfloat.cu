#include "device.h"

// __bf16 as the compiler has it: conversions and arithmetic of the target.
KERNEL gelu_bf16(const __bf16 *in, __bf16 *out, __bf16 scale) {
  u32 i = gid();
  float x = (float)in[i];
  float poly = x * (0.5f + x * (0.25f - x * x * 0.02f));
  out[i] = (__bf16)poly * scale + in[i];
}

KERNEL sum_bf16(const __bf16 *in, __bf16 *out, u32 n) {
  __bf16 s = 0;
  ROLLED for (u32 i = 0; i < n; i++) s = s + in[gid() * n + i];
  out[gid()] = s;
}
