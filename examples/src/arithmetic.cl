#include "portable.h"

// Products and quotients, 32 and 64 bits wide. y is never 0.
__kernel void arithmetic(__global const uint *a, __global const uint *b, __global uint *out) {
  uint i = global_x(), x = a[i], y = b[i];
  __global uint *o = out + 8 * i;
  ulong p = (ulong)x * y;
  o[0] = (uint)p;
  o[1] = (uint)(p >> 32);
  o[2] = x / y;
  o[3] = x % y;
  o[4] = (uint)((long)(int)x * (int)y >> 32);
  o[5] = x / 10;
  o[6] = (uint)((int)x / 7);
  o[7] = x > y ? x - y : y - x;
}
