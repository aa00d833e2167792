#include "portable.h"

// Sum by swizzle within 32 lanes (XOR 16, 8, 4, 2, 1), then the two halves by
// v_readlane: every lane has the total.
__kernel void reduce_swizzle(__global const int *in, __global int *out) {
  uint i = global_x();
  int v = in[i];
  v += __builtin_amdgcn_ds_swizzle(v, 0x401f);
  v += __builtin_amdgcn_ds_swizzle(v, 0x201f);
  v += __builtin_amdgcn_ds_swizzle(v, 0x101f);
  v += __builtin_amdgcn_ds_swizzle(v, 0x081f);
  v += __builtin_amdgcn_ds_swizzle(v, 0x041f);
  out[i] = __builtin_amdgcn_readlane(v, 0) + __builtin_amdgcn_readlane(v, 32);
}

// Sum by ds_bpermute, which reaches all 64 lanes.
__kernel void reduce_bpermute(__global const float *in, __global float *out) {
  uint i = global_x();
  float v = in[i];
  int lane = local_x() % 64;
#pragma unroll
  for (int d = 32; d > 0; d /= 2)
    v += __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute((lane ^ d) * 4, __builtin_bit_cast(int, v)));
  out[i] = v;
}

// Scalars out of vectors and back: readfirstlane under a divergent branch,
// readlane with a computed lane, writelane, mbcnt, ballot.
__kernel void lane_scalars(__global const int *in, __global int *out, uint pick) {
  uint lane = local_x();
  int v = in[lane];
  out[0 * 64 + lane] = __builtin_amdgcn_readlane(v, pick & 63);
  int w = -5, scalar = __builtin_amdgcn_readfirstlane(v);
  __asm__ volatile("v_writelane_b32 %0, %1, 9" : "+v"(w) : "s"(scalar)); // no builtin for this one
  out[1 * 64 + lane] = w;
  out[2 * 64 + lane] = __builtin_amdgcn_mbcnt_hi(-1, __builtin_amdgcn_mbcnt_lo(-1, 0));
  ulong odd = __builtin_amdgcn_ballot_w64(v & 1);
  out[3 * 64 + lane] = wave_rank(odd);
  out[4 * 64 + lane] = (int)(odd >> 32) ^ (int)odd;
  int first = 0;
  if (v > 40) first = __builtin_amdgcn_readfirstlane(v);
  out[5 * 64 + lane] = first;
}
