#include "portable.h"

// The DS cross-lane instructions of GCN3, one row of 64 results each. They use the
// LDS hardware but no LDS memory.
__kernel void permute_gallery(__global const int *src, __global const int *index, __global int *out) {
  uint lane = local_x();
  int v = src[lane], byte = index[lane];
#define ROW(K, X) out[(K) * 64 + lane] = (X)
  ROW(0, __builtin_amdgcn_ds_permute(byte, v));
  ROW(1, __builtin_amdgcn_ds_bpermute(byte, v));
  ROW(2, __builtin_amdgcn_ds_bpermute(byte + 16, v));
  ROW(3, __builtin_amdgcn_ds_swizzle(v, 0x80f6));  // QDMode: 2,1,3,3
  ROW(4, __builtin_amdgcn_ds_swizzle(v, 0x801b));  // QDMode: 3,2,1,0
  ROW(5, __builtin_amdgcn_ds_swizzle(v, 0x041f));  // swap neighbours
  ROW(6, __builtin_amdgcn_ds_swizzle(v, 0x401f));  // swap groups of 16
  ROW(7, __builtin_amdgcn_ds_swizzle(v, 0x7c1f));  // reverse 32
  ROW(8, __builtin_amdgcn_ds_swizzle(v, 0x1c1f));  // reverse 8
  ROW(9, __builtin_amdgcn_ds_swizzle(v, 0x0078));  // broadcast lane 3 of 8
  ROW(10, __builtin_amdgcn_ds_swizzle(v, 0x0906)); // bits set, cleared, kept, inverted: 01pi0
}

// Lanes switched off: an inactive source reads as 0, an inactive destination keeps
// what it had, and of several lanes that push to one place the greatest wins.
__kernel void permute_inactive(__global const int *src, __global const int *index, __global int *out) {
  uint lane = local_x();
  int v = src[lane], byte = index[lane];
  out[lane] = out[64 + lane] = out[128 + lane] = -1;
  if (lane % 5 != 2) {
    out[lane] = __builtin_amdgcn_ds_permute(byte, v);
    out[64 + lane] = __builtin_amdgcn_ds_bpermute(byte, v);
    out[128 + lane] = __builtin_amdgcn_ds_swizzle(v, 0x081f);
  }
}
