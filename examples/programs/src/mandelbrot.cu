#include "device.h"

// Escape times, in both precisions; warps of the second kernel stop together.
template <typename T> FN u32 escape(T cx, T cy, u32 limit) {
  T x = 0, y = 0;
  u32 n = 0;
  ROLLED while (n < limit) {
    T xx = x * x, yy = y * y;
    if (xx + yy > 4) break;
    y = 2 * x * y + cy;
    x = xx - yy + cx;
    n++;
  }
  return n;
}

KERNEL mandelbrot_f32(u32 *out, u32 width, u32 height, float x0, float y0, float dx, float dy, u32 limit) {
  u32 i = bid() * bsize() + tid(), j = bidy() * bsizey() + tidy();
  if (i >= width || j >= height) return;
  out[j * width + i] = escape<float>(x0 + i * dx, y0 + j * dy, limit);
}

KERNEL mandelbrot_f64(u16 *out, u32 width, double x0, double y0, double step, u32 limit) {
  u32 i = gid() % width, j = gid() / width;
  double cx = x0 + i * step, cy = y0 + j * step, x = 0, y = 0;
  u32 n = 0, last = 0;
  ROLLED for (; n < limit; n++) {
    bool in = fma(x, x, y * y) <= 4;
    if (!any(in)) break;
    if (in) {
      double t = fma(x, x, -(y * y)) + cx;
      y = fma(2 * x, y, cy);
      x = t;
      last = n + 1;
    }
  }
  out[gid()] = last;
}
