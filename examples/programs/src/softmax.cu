#include "device.h"

#define LOG2E 1.442695041f
FN float exp_of(float x) { return fast_exp2(x * LOG2E); }

// A row a block: maximum, sum of exponentials, quotient.
KERNEL softmax_block(const float *in, float *out, u32 n) {
  __shared__ float part[64];
  u32 t = tid();
  const float *row = in + bid() * n;
  float top = -1e30f;
  for (u32 i = t; i < n; i += 64) top = __builtin_fmaxf(top, row[i]);
  part[t] = top;
  sync();
  for (u32 d = 32; d > 0; d /= 2) {
    if (t < d) part[t] = __builtin_fmaxf(part[t], part[t + d]);
    sync();
  }
  top = part[0];
  sync();
  float sum = 0;
  for (u32 i = t; i < n; i += 64) sum += exp_of(row[i] - top);
  part[t] = sum;
  sync();
  for (u32 d = 32; d > 0; d /= 2) {
    if (t < d) part[t] += part[t + d];
    sync();
  }
  for (u32 i = t; i < n; i += 64) out[bid() * n + i] = exp_of(row[i] - top) / part[0];
}

// A row a warp in one pass: the sum is rescaled when the maximum grows.
KERNEL softmax_online(const float *in, float *out, u32 n) {
  u32 row = gid() / 32, l = lane();
  float top = -__builtin_inff(), sum = 0;
  ROLLED for (u32 i = l; i < n; i += 32) {
    float v = in[row * n + i];
    float next = __builtin_fmaxf(top, v);
    sum = sum * exp_of(top - next) + exp_of(v - next);
    top = next;
  }
#pragma unroll
  for (u32 d = 16; d > 0; d /= 2) {
    float top2 = shfl_xor(top, d), sum2 = shfl_xor(sum, d);
    float next = __builtin_fmaxf(top, top2);
    sum = sum * exp_of(top - next) + sum2 * exp_of(top2 - next);
    top = next;
  }
  for (u32 i = l; i < n; i += 32) out[row * n + i] = exp_of(in[row * n + i] - top) * fast_rcp(sum);
}

// log(sum(exp(x))) of each row.
KERNEL log_sum_exp(const float *in, float *out, u32 n) {
  const float *row = in + gid() * n;
  float top = row[0], sum = 0;
  for (u32 i = 1; i < n; i++) top = __builtin_fmaxf(top, row[i]);
  for (u32 i = 0; i < n; i++) sum += exp_of(row[i] - top);
  out[gid()] = top + fast_log2(sum) * 0.693147181f;
}
