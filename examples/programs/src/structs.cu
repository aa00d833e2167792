#include "device.h"

// Structures by value: as kernel parameters, to functions and back.
struct Small { u8 tag; s16 offset; u32 count; };
struct alignas(16) Matrix { float m[3][4]; double scale; };
struct Mixed { s8 c; u64 wide; float f[3]; Small inner; };
struct Vec { float x, y, z; };

NOINLINE Vec apply(Matrix m, Vec v) {
  Vec r;
  r.x = m.m[0][0] * v.x + m.m[0][1] * v.y + m.m[0][2] * v.z + m.m[0][3];
  r.y = m.m[1][0] * v.x + m.m[1][1] * v.y + m.m[1][2] * v.z + m.m[1][3];
  r.z = m.m[2][0] * v.x + m.m[2][1] * v.y + m.m[2][2] * v.z + m.m[2][3];
  return r;
}
KERNEL affine(Matrix m, const Vec *in, Vec *out, u32 n) {
  u32 i = gid();
  if (i >= n) return;
  Vec v = apply(m, in[i]);
  v.x = (float)(v.x * m.scale);
  out[i] = v;
}

NOINLINE Mixed change(Mixed s, u32 by) {
  s.c += by;
  s.wide = s.wide << by | s.inner.tag;
  s.f[by % 3] *= 2;  // an index that only the run knows, into a parameter
  s.inner.offset -= by;
  s.inner.count ^= 0x80000000u >> by;
  return s;
}
KERNEL mixed(Mixed s, Small t, u64 *out) {
  u32 i = tid();
  s.inner = t;
  Mixed r = change(change(s, i), 1);
  u64 *o = out + i * 6;
  o[0] = r.c;
  o[1] = r.wide;
  o[2] = __builtin_bit_cast(u32, r.f[0]) | (u64)__builtin_bit_cast(u32, r.f[1]) << 32;
  o[3] = __builtin_bit_cast(u32, r.f[2]);
  o[4] = r.inner.tag | (u64)(u16)r.inner.offset << 16;
  o[5] = r.inner.count;
}

// A large structure, of which each thread reads a part by index.
struct Table { u16 v[100]; };
KERNEL indexed(Table t, u32 *out) {
  u32 s = 0;
  ROLLED for (u32 i = tid(); i < 100; i += 7) s = s * 5 + t.v[i];
  out[tid()] = s;
}
