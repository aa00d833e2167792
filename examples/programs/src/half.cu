#include "device.h"

// Half precision: _Float16 where arithmetic is the target's or is promoted, and
// bfloat16 through conversions.
typedef _Float16 h16;
typedef h16 h16x2 __attribute__((ext_vector_type(2)));

KERNEL axpy_f16(h16 a, const h16 *x, h16 *y, u32 n) {
  u32 i = gid();
  if (i < n) y[i] = a * x[i] + y[i];
}

// Pairs, with a comparison and a choice; products and sums are rounded each.
KERNEL leaky_f16x2(const h16x2 *in, h16x2 *out, h16x2 slope, h16x2 bias) {
  h16x2 v = in[gid()] + bias;
  h16x2 s = v * slope;
  h16x2 r = {v.x > (h16)0 ? v.x : s.x, v.y > (h16)0 ? v.y : s.y};
  out[gid()] = r;
}

// Sums in float of products of halves.
KERNEL dot_f16(const h16 *a, const h16 *b, float *out, u32 n) {
  float s = 0;
  ROLLED for (u32 i = gid(); i < n; i += 32) s += (float)a[i] * (float)b[i];
  for (int d = 16; d > 0; d /= 2) s += shfl_xor(s, d);
  if (lane() == 0) *out = s;
}

KERNEL convert_f16(const float *in, h16 *out, const h16 *from, double *wide, int *whole) {
  u32 i = gid();
  out[i] = (h16)in[i];
  wide[i] = (double)from[i];
  whole[i] = (int)from[i];
}

FN float of_bf16(u16 h) { return __builtin_bit_cast(float, (u32)h << 16); }
FN u16 to_bf16(float f) {  // to nearest even; no NaN comes here
  u32 b = __builtin_bit_cast(u32, f);
  return (b + 0x7fff + (b >> 16 & 1)) >> 16;
}
KERNEL scale_bf16(const u16 *x, const u16 *y, u16 *out, float a) {
  u32 i = gid();
  out[i] = to_bf16(of_bf16(x[i]) * a + of_bf16(y[i]));
}
