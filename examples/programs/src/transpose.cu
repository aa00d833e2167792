#include "device.h"

// Through a padded tile, eight rows of threads; dynamic shared memory.
extern __shared__ double tile[];
KERNEL transpose_f64(const double *in, double *out, u32 width, u32 height) {
  u32 x0 = bid() * 16, y0 = bidy() * 16, x = tid();
  for (u32 y = tidy(); y < 16; y += 8)
    if (x0 + x < width && y0 + y < height) tile[y * 17 + x] = in[(y0 + y) * width + x0 + x];
  sync();
  for (u32 y = tidy(); y < 16; y += 8)
    if (y0 + x < height && x0 + y < width) out[(x0 + y) * height + y0 + x] = tile[x * 17 + y];
}

// 32 x 32 bits by five steps of shuffles.
KERNEL transpose_bits(const u32 *in, u32 *out) {
  u32 v = in[gid()], m = 0xffff, l = lane();
#pragma unroll
  for (u32 d = 16; d > 0; d /= 2, m ^= m << d) {
    u32 o = shfl_xor((int)v, d);
    v = l & d ? (v & ~m) | (o >> d & m) : (v & m) | (o & m) << d;
  }
  out[gid()] = v;
}

// Bytes of four words by permutations.
KERNEL transpose_bytes(const u32 *in, u32 *out) {
  const u32 *p = in + gid() * 4;
  u32 *q = out + gid() * 4;
  for (u32 i = 0; i < 4; i++) {
    u32 sel = i | (4 + i) << 4;
    u32 lo = permute_bytes(p[0], p[1], sel), hi = permute_bytes(p[2], p[3], sel);
    q[i] = permute_bytes(lo, hi, 0x5410);
  }
}
