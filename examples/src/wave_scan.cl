#include "portable.h"

#define DPP(V, CTRL, ROWS, BANKS) __builtin_amdgcn_update_dpp(0, (V), CTRL, ROWS, BANKS, 0)

// The seven steps for integers: three shifts of the input within a row, then
// shifts of the partial sums by 4 and 8, then the row broadcasts. The compiler puts in
// the wait states.
inline int scan64(int v) {
  int s = v;
  s += DPP(v, 0x111, 0xf, 0xf); // row_shr:1
  s += DPP(v, 0x112, 0xf, 0xf); // row_shr:2
  s += DPP(v, 0x113, 0xf, 0xf); // row_shr:3
  s += DPP(s, 0x114, 0xf, 0xe); // row_shr:4 bank_mask:0xe
  s += DPP(s, 0x118, 0xf, 0xc); // row_shr:8 bank_mask:0xc
  s += DPP(s, 0x142, 0xa, 0xf); // row_bcast:15 row_mask:0xa
  s += DPP(s, 0x143, 0xc, 0xf); // row_bcast:31 row_mask:0xc
  return s;
}

// Inclusive prefix sum of each wave of 64, and the total of each.
__kernel void wave_scan(__global const int *in, __global int *out, __global int *totals) {
  uint i = global_x();
  int s = scan64(in[i]);
  out[i] = s;
  int total = __builtin_amdgcn_readlane(s, 63);
  if (local_x() % 64 == 0) totals[i / 64] = total;
}

// Inclusive prefix sum of each workgroup of up to 256 (four waves).
__kernel void block_scan(__global const int *in, __global int *out, uint n) {
  __local int totals[4];
  uint t = local_x(), wave = t / 64, i = global_x();
  int s = scan64(i < n ? in[i] : 0);
  if (t % 64 == 63 || t == size_x() - 1) totals[wave] = s;
  block_barrier();
  for (uint w = 0; w < wave; w++) s += totals[w];
  if (i < n) out[i] = s;
}
