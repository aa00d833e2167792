#include "gpu.h"

// Rounds until |z| > 2, at most limit, and an if in the loop that lanes part at: how often y
// was negative, mixed. A row has 1024 points, a block 256 of them; rows are dy apart.
KERNEL SIZE(256) mandelbrot(u32 *out, u32 limit, float dy) {
  u32 id = bid() * 256 + tid();
  float cx = fma((float)(id & 1023), 3.0f / 1024, -2.2f), cy = fma((float)(id >> 10), dy, -1.5f);
  float x = 0, y = 0, m;
  u32 i = 0, mixed = 0;
  ROLLED do {
    float x2 = x * x, y2 = y * y;
    m = x2 + y2;
    if (y < 0) {
      mixed = (mixed * 3 + 1) ^ i;
#if !defined(__AMDGCN__)
      asm volatile("" : "+r"(mixed)); // stays a branch
#else
      asm volatile("" : "+v"(mixed));
#endif
    }
    float t = x * y;
    y = fma(t, 2.0f, cy);
    x = (x2 - y2) + cx;
    i++;
  } while (m < 4.0f && i < limit);
  out[id] = i ^ mixed;
}
