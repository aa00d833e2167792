#include "portable.h"

// Shifts of two words, rotates and bit counting, the same source for both ISAs.
// Twelve words per thread.
__kernel void bits(__global const uint *a, __global const uint *b, __global const uint *n, __global uint *out) {
  uint i = global_x(), x = a[i], y = b[i], s = n[i];
  __global uint *o = out + 12 * i;
  o[0] = __builtin_elementwise_fshl(y, x, s);
  o[1] = __builtin_elementwise_fshr(y, x, s);
  o[2] = __builtin_rotateleft32(x, s);
  o[3] = __builtin_rotateright32(x, 7);
  ulong q = __builtin_rotateleft64((ulong)x << 32 | y, s & 63);
  o[4] = (uint)q;
  o[5] = (uint)(q >> 32);
  o[6] = __builtin_popcount(x);
  o[7] = __builtin_clz(y | 1);
  o[8] = __builtin_bitreverse32(x);
  o[9] = __builtin_bswap32(x);
  o[10] = (x >> 5) & 0x7ff;
  o[11] = (uint)((int)(x << 3) >> 20);
}
