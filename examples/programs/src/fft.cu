#include "device.h"

// 256 points a block, decimation in time; twiddle factors are given.
struct alignas(8) complex { float re, im; };
FN complex operator*(complex a, complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
FN complex operator+(complex a, complex b) { return {a.re + b.re, a.im + b.im}; }
FN complex operator-(complex a, complex b) { return {a.re - b.re, a.im - b.im}; }

KERNEL fft256(const complex *in, complex *out, const complex *w) {
  __shared__ complex v[256];
  u32 t = tid(), base = bid() * 256;
  for (u32 i = t; i < 256; i += 128) v[__builtin_bitreverse32(i) >> 24] = in[base + i];
  ROLLED for (u32 half = 1; half < 256; half *= 2) {
    sync();
    u32 k = t & (half - 1), a = (t - k) * 2 + k;
    complex x = v[a], y = v[a + half] * w[k * (128 / half)];
    v[a] = x + y;
    v[a + half] = x - y;
  }
  sync();
  out[base + t] = v[t];
  out[base + t + 128] = v[t + 128];
}

// 32 points a warp by shuffles, decimation in frequency, sine and cosine computed.
KERNEL fft32(const complex *in, complex *out) {
  u32 l = lane();
  complex v = in[gid()];
#pragma unroll
  for (u32 d = 16; d > 0; d /= 2) {
    complex o = {shfl_xor(v.re, d), shfl_xor(v.im, d)};
    if (l & d) {
      float angle = -3.14159265f * (float)(l & (d - 1)) / (float)d;
      v = (o - v) * complex{fast_cos(angle), fast_sin(angle)};
    } else {
      v = v + o;
    }
  }
  out[gid() - l + (__builtin_bitreverse32(l) >> 27)] = v;
}
