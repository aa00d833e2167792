#include "device.h"

// Gravity, all pairs: bodies go through shared memory a tile at a time.
struct alignas(16) Body { float x, y, z, m; };

KERNEL nbody(const Body *bodies, Body *force, u32 n, float eps) {
  __shared__ Body tile[64];
  u32 i = gid(), t = tid();
  Body me = bodies[i];
  float ax = 0, ay = 0, az = 0;
  ROLLED for (u32 base = 0; base < n; base += bsize()) {
    tile[t] = bodies[base + t];
    sync();
    ROLLED for (u32 j = 0; j < bsize(); j++) {
      Body b = tile[j];
      float dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;
      float r = fast_rsqrt(fma(dx, dx, fma(dy, dy, fma(dz, dz, eps))));
      float s = b.m * r * r * r;
      ax = fma(dx, s, ax); ay = fma(dy, s, ay); az = fma(dz, s, az);
    }
    sync();
  }
  force[i] = {ax, ay, az, 0};
}

// One step of leapfrog with true division and square root: the same bits everywhere.
KERNEL nbody_exact(Body *bodies, const Body *v, u32 n, float dt) {
  __shared__ Body all[32];
  u32 t = tid();
  Body me = bodies[t];
  all[t] = me;
  sync();
  float ax = 0, ay = 0, az = 0;
  ROLLED for (u32 j = 0; j < n; j++) {
    if (j == t) continue;
    float dx = all[j].x - me.x, dy = all[j].y - me.y, dz = all[j].z - me.z;
    float d2 = dx * dx + dy * dy + dz * dz;
    float s = all[j].m / (d2 * root(d2));
    ax += dx * s; ay += dy * s; az += dz * s;
  }
  me.x += (v[t].x + ax * dt) * dt;
  me.y += (v[t].y + ay * dt) * dt;
  me.z += (v[t].z + az * dt) * dt;
  bodies[t] = me;
}
