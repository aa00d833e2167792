#include "device.h"

// f64: a linear system by elimination with pivots, a warp a system of eight.
KERNEL solve(const double *a, const double *b, double *x) {
  const int n = 8;
  double m[n][n + 1];
  ROLLED for (int r = 0; r < n; r++) {
    ROLLED for (int c = 0; c < n; c++) m[r][c] = a[(gid() * n + r) * n + c];
    m[r][n] = b[gid() * n + r];
  }
  ROLLED for (int k = 0; k < n; k++) {
    int p = k;
    ROLLED for (int r = k + 1; r < n; r++)
      if (__builtin_fabs(m[r][k]) > __builtin_fabs(m[p][k])) p = r;
    ROLLED for (int c = k; c <= n; c++) {
      double t = m[k][c];
      m[k][c] = m[p][c];
      m[p][c] = t;
    }
    ROLLED for (int r = k + 1; r < n; r++) {
      double f = m[r][k] / m[k][k];
      ROLLED for (int c = k; c <= n; c++) m[r][c] = fma(-f, m[k][c], m[r][c]);
    }
  }
  ROLLED for (int r = n - 1; r >= 0; r--) {
    double s = m[r][n];
    ROLLED for (int c = r + 1; c < n; c++) s -= m[r][c] * x[gid() * n + c];
    x[gid() * n + r] = s / m[r][r];
  }
}

// Sums that lose nothing: Kahan and Neumaier.
KERNEL kahan(const float *in, float *out, u32 n) {
  float s = 0, c = 0;
  ROLLED for (u32 i = 0; i < n; i++) {
    float v = in[gid() * n + i], t = s + v;
    c += __builtin_fabsf(s) >= __builtin_fabsf(v) ? (s - t) + v : (v - t) + s;
    s = t;
  }
  out[gid()] = s + c;
}

// Square roots and cube roots by Newton, integrals by Simpson, all to the last bit.
KERNEL newton(const double *in, double *out) {
  double v = in[gid()], x = v > 1 ? v : 1;
  ROLLED for (int i = 0; i < 60; i++) x = (2 * x + v / (x * x)) / 3;
  out[4 * gid()] = x;
  out[4 * gid() + 1] = root(v);
  const int n = 16;
  double h = v / n, s = 0;
  ROLLED for (int i = 0; i <= n; i++) {
    double t = i * h, f = t / (1 + t * t);
    s += i == 0 || i == n ? f : i & 1 ? 4 * f : 2 * f;
  }
  out[4 * gid() + 2] = s * h / 3;
  out[4 * gid() + 3] = __builtin_floor(v) + __builtin_ceil(-v * 0.5) + __builtin_trunc(v * 3) + __builtin_rint(v * 2.5);
}

// An atomic sum of f64 by compare and swap, which every target has.
KERNEL add_f64(const double *in, u64 *sum) {
  double v = in[gid()];
  u64 old = *(volatile u64 *)sum, seen;
  do {
    seen = old;
    old = atomic_cas(sum, seen, __builtin_bit_cast(u64, __builtin_bit_cast(double, seen) + v));
  } while (old != seen);
}

KERNEL convert_f64(const double *in, s64 *a, u32 *b, float *c, s16 *d) {
  u32 i = gid();
  a[i] = (s64)in[i];
  b[i] = (u32)__builtin_fabs(in[i]);
  c[i] = (float)in[i];
  d[i] = (s16)(s32)(in[i] / 65536);
}
