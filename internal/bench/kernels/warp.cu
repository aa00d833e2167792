#include "gpu.h"

// Blocks of 256; every warp has 32 values of its own.
FN float add_xor(float v, u32 d) { return v + __nvvm_shfl_sync_bfly_f32(0xffffffffu, v, d, 31); }

#define ADD_UP(S, D)                                                       \
  asm volatile("{\n\t.reg .pred p;\n\t.reg .f32 t;\n\t"                    \
               "shfl.sync.up.b32 t|p, %0, " #D ", 0, 0xffffffff;\n\t"      \
               "@p add.f32 %0, %0, t;\n\t}" : "+f"(S))

FN float reduce32(float v) {
  v = add_xor(v, 16);
  v = add_xor(v, 8);
  v = add_xor(v, 4);
  v = add_xor(v, 2);
  return add_xor(v, 1);
}

FN float scan32(float s) {
  ADD_UP(s, 1);
  ADD_UP(s, 2);
  ADD_UP(s, 4);
  ADD_UP(s, 8);
  ADD_UP(s, 16);
  return s;
}

// The sum of all 32 and of those up to each, added.
KERNEL reduce_scan(const float *in, float *out) {
  u32 i = bid() * 256 + tid();
  float v = in[i];
  out[i] = reduce32(v) + scan32(v);
}

// In registers alone: each round reduces what the round before left.
KERNEL shfl_reduce(float *out, u32 rounds) {
  u32 i = bid() * 256 + tid();
  float v = (float)(i & 1023);
  ROLLED for (u32 r = 0; r < rounds; r++) v = reduce32(v) * 0.03125f + (float)(i & 3);
  out[i] = v;
}

KERNEL shfl_scan(float *out, u32 rounds) {
  u32 i = bid() * 256 + tid();
  float v = (float)(i & 1023);
  ROLLED for (u32 r = 0; r < rounds; r++) v = scan32(v) * 0.03125f + (float)(i & 3);
  out[i] = v;
}
