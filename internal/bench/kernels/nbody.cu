#include "gpu.h"

// Accelerations of n bodies (x, y, z, mass) by all of them; those of a tile of 256 in shared
// memory. Blocks of 256.
struct alignas(16) body { float x, y, z, m; };

KERNEL SIZE(256) nbody(const body *bodies, body *out, u32 n) {
  __shared__ body tile[256];
  u32 t = tid(), id = bid() * 256 + t;
  body p = bodies[id % n];
  float ax = 0, ay = 0, az = 0;
  ROLLED for (u32 k = 0; k < n; k += 256) {
    tile[t] = bodies[k + t];
    sync();
#pragma clang loop unroll_count(4)
    for (u32 j = 0; j < 256; j++) {
      body q = tile[j];
      float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
      float r = fma(dx, dx, fma(dy, dy, fma(dz, dz, 0.0625f)));
      float inv = rsqrt_fast(r), w = q.m * inv * inv * inv;
      ax = fma(dx, w, ax);
      ay = fma(dy, w, ay);
      az = fma(dz, w, az);
    }
    sync();
  }
  out[id] = {ax, ay, az, p.m};
}
