#include "device.h"

// Nine points in two dimensions, a tile with a border of one, edges mirrored.
__constant__ float weights[9] = {0.0625f, 0.125f, 0.0625f, 0.125f, 0.25f, 0.125f, 0.0625f, 0.125f, 0.0625f};
FN int inside(int i, int n) { return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i; }

KERNEL stencil2d(const float *in, float *out, int w, int h) {
  __shared__ float tile[10][18];
  int x0 = bid() * 16, y0 = bidy() * 8, id = tidy() * 16 + tid();
  for (int i = id; i < 180; i += 128) {
    int x = inside(x0 + i % 18 - 1, w), y = inside(y0 + i / 18 - 1, h);
    tile[i / 18][i % 18] = x < w && y < h && x >= 0 && y >= 0 ? in[y * w + x] : 0;
  }
  sync();
  int x = x0 + tid(), y = y0 + tidy();
  if (x >= w || y >= h) return;
  float s = 0;
  for (int i = 0; i < 9; i++) s += weights[i] * tile[tidy() + i / 3][tid() + i % 3];
  out[y * w + x] = s;
}

// Seven points in three dimensions, marching in z with registers.
KERNEL stencil3d(const double *in, double *out, u32 n) {
  u32 x = tid(), y = tidy();
  if (x >= n || y >= n) return;
  u32 at = y * n + x, plane = n * n;
  double below = 0, here = in[at];
  ROLLED for (u32 z = 0; z < n; z++, at += plane) {
    double above = z + 1 < n ? in[at + plane] : 0;
    double s = below + above;
    s += x > 0 ? in[at - 1] : 0;
    s += x + 1 < n ? in[at + 1] : 0;
    s += y > 0 ? in[at - n] : 0;
    s += y + 1 < n ? in[at + n] : 0;
    out[at] = fma(-6.0, here, s);
    below = here;
    here = above;
  }
}

// Conway's life, 32 cells a word, one word a lane: neighbours by shuffles, sums by
// bitwise adders. The world is a torus of 32 x 32.
KERNEL life(const u32 *in, u32 *out, u32 generations) {
  u32 v = in[gid()];
  ROLLED for (u32 g = 0; g < generations; g++) {
    u32 up = shfl(v, (lane() + 31) & 31), down = shfl(v, (lane() + 1) & 31);
    u32 s0 = 0, s1 = 0, s2 = 0;
    u32 n[8] = {up, down, up << 1 | up >> 31, up >> 1 | up << 31, down << 1 | down >> 31, down >> 1 | down << 31, v << 1 | v >> 31, v >> 1 | v << 31};
    for (int i = 0; i < 8; i++) {
      u32 c = s0 & n[i];
      s0 ^= n[i];
      s2 |= s1 & c;
      s1 ^= c;
    }
    v = s1 & ~s2 & (s0 | v);
  }
  out[gid()] = v;
}
