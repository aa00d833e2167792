#include "device.h"

FN float warp_sum(float v) {
  for (int d = 16; d > 0; d /= 2) v += shfl_xor(v, d);
  return v;
}

// A row of 32 x 4 elements a warp, vectors of four.
struct alignas(16) four { float v[4]; };
KERNEL layernorm(const four *in, const four *gamma, const four *beta, four *out) {
  u32 l = lane();
  four a = in[gid()];
  float mean = warp_sum(a.v[0] + a.v[1] + (a.v[2] + a.v[3])) / 128.0f;
  float sq = 0;
  for (int i = 0; i < 4; i++) {
    a.v[i] -= mean;
    sq = fma(a.v[i], a.v[i], sq);
  }
  float scale = 1.0f / root(warp_sum(sq) / 128.0f + 1e-5f);
  for (int i = 0; i < 4; i++) a.v[i] = fma(a.v[i] * scale, gamma[l].v[i], beta[l].v[i]);
  out[gid()] = a;
}

// Root mean square, Welford's variance in one pass, by thread.
KERNEL welford(const float *in, float *mean, double *var, u32 n) {
  const float *row = in + gid() * n;
  double m = 0, s = 0;
  ROLLED for (u32 i = 0; i < n; i++) {
    double d = row[i] - m;
    m += d / (double)(i + 1);
    s += d * (row[i] - m);
  }
  mean[gid()] = (float)m;
  var[gid()] = s / (double)n;
}
