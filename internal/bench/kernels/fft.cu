#include "gpu.h"

// 512 points a block of 256, decimation in time in shared memory; twiddle factors are given.
struct alignas(8) complex { float re, im; };

KERNEL SIZE(256) fft(const complex *in, complex *out, const complex *w) {
  __shared__ complex v[512];
  u32 t = tid(), base = bid() * 512;
  v[__builtin_bitreverse32(t) >> 23] = in[base + t];
  v[__builtin_bitreverse32(t + 256) >> 23] = in[base + t + 256];
  ROLLED for (u32 half = 1, step = 256; step; half *= 2, step /= 2) {
    sync();
    u32 k = t & (half - 1), a = (t - k) * 2 + k;
    complex x = v[a], y = v[a + half], f = w[k * step];
    complex z = {y.re * f.re - y.im * f.im, y.re * f.im + y.im * f.re};
    v[a] = {x.re + z.re, x.im + z.im};
    v[a + half] = {x.re - z.re, x.im - z.im};
  }
  sync();
  out[base + t] = v[t];
  out[base + t + 256] = v[t + 256];
}
