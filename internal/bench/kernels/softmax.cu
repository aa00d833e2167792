#include "gpu.h"

// Rows of 1024, one a warp, 32 values a lane; blocks of 256.
KERNEL softmax(const float *in, float *out) {
  u32 row = bid() * 8 + tid() / 32, lane = tid() % 32;
  in += row * 1024 + lane;
  out += row * 1024 + lane;
  float m = in[0];
  ROLLED for (u32 i = 32; i < 1024; i += 32) m = __builtin_fmaxf(m, in[i]);
#pragma unroll
  for (u32 d = 16; d; d /= 2) m = __builtin_fmaxf(m, __nvvm_shfl_sync_bfly_f32(0xffffffffu, m, d, 31));
  float sum = 0;
  ROLLED for (u32 i = 0; i < 1024; i += 32) {
    float e = ex2_fast((in[i] - m) * 1.44269504f);
    out[i] = e;
    sum += e;
  }
#pragma unroll
  for (u32 d = 16; d; d /= 2) sum += __nvvm_shfl_sync_bfly_f32(0xffffffffu, sum, d, 31);
  float scale = 1.0f / sum;
  ROLLED for (u32 i = 0; i < 1024; i += 32) out[i] *= scale;
}
