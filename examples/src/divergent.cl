#include "portable.h"

// The number of steps to 1 differs from lane to lane; a wave runs until its last
// lane is done.
__kernel void collatz(__global const uint *in, __global uint *steps, uint n) {
  uint i = global_x();
  if (i >= n) return;
  ulong v = in[i];
  uint k = 0;
  while (v > 1) {
    v = (v & 1) ? 3 * v + 1 : v >> 1;
    k++;
  }
  steps[i] = k;
}

// Escape times on a 2D grid. No contraction: each product and each sum is rounded
// once, so that the trip counts are the same wherever it runs.
__kernel void mandelbrot(__global uint *out, uint width, uint height, float x0, float y0, float step, uint limit) {
#pragma clang fp contract(off)
  uint px = global_x(), py = global_y();
  if (px >= width || py >= height) return;
  float cx = x0 + (float)px * step, cy = y0 + (float)py * step;
  float x = 0, y = 0;
  uint k = 0;
  for (; k < limit; k++) {
    float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f) break;
    y = 2.0f * (x * y) + cy;
    x = (xx - yy) + cx;
  }
  out[py * width + px] = k;
}

// Nested divergence with an early exit: a different loop in each branch.
__kernel void branches(__global const int *in, __global int *out) {
  uint i = global_x(), r = 0;
  int v = in[i];
  if (v < 0) {
    out[i] = -1;
    return;
  }
  if (v & 1) {
    for (int k = v; k > 0; k -= 3) r += (k & 2) ? k : -k;
  } else if (v % 4 == 0) {
    do { r = r * 5 + v; v >>= 1; } while (v);
  } else {
    r = v ^ 0x55;
  }
  out[i] = r;
}
