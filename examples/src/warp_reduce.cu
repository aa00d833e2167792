#include "warp.h"

// One warp per block; every lane ends with the sum, because lane XOR d is symmetric.
KERNEL reduce_bfly(const float *in, float *out) {
  u32 i = global_id();
  float v = in[i];
#pragma unroll
  for (int d = 16; d > 0; d /= 2) v += __nvvm_shfl_sync_bfly_f32(ALL_LANES, v, d, 31);
  out[i] = v;
}

// Only lane 0 ends with the sum: lanes near the top run out of partners and keep
// adding their own value.
KERNEL reduce_down(const int *in, int *out) {
  u32 i = global_id();
  int v = in[i];
  for (int d = 16; d > 0; d /= 2) v += __nvvm_shfl_sync_down_i32(ALL_LANES, v, d, 31);
  if (lane_id() == 0) out[i / 32] = v;
}

// Four independent sub-warps of eight lanes, selected by the segment mask 0x18.
KERNEL reduce_segments(const int *in, int *out) {
  u32 i = global_id();
  int v = in[i];
#pragma unroll
  for (int d = 4; d > 0; d /= 2) {
    int other = __nvvm_shfl_sync_bfly_i32(ALL_LANES, v, d, 0x181f);
    v = v > other ? v : other;
  }
  out[i] = v;
}

// Eight results per warp, one instruction each.
KERNEL reduce_redux(const int *in, int *out) {
  u32 i = global_id();
  int v = in[i];
  int *o = out + i / 32 * 8;
  int add = __nvvm_redux_sync_add(v, ALL_LANES);
  int smin = __nvvm_redux_sync_min(v, ALL_LANES);
  int smax = __nvvm_redux_sync_max(v, ALL_LANES);
  u32 umin = __nvvm_redux_sync_umin(v, ALL_LANES);
  u32 umax = __nvvm_redux_sync_umax(v, ALL_LANES);
  int band = __nvvm_redux_sync_and(v, ALL_LANES);
  int bor = __nvvm_redux_sync_or(v, ALL_LANES);
  int bxor = __nvvm_redux_sync_xor(v, ALL_LANES);
  if (lane_id() == 0) {
    o[0] = add; o[1] = smin; o[2] = smax; o[3] = umin;
    o[4] = umax; o[5] = band; o[6] = bor; o[7] = bxor;
  }
}

// Two halves of the warp in different branches, each with a mask that names
// exactly the lanes that are there.
KERNEL reduce_halves(const int *in, int *out) {
  u32 lane = lane_id();
  int v = in[lane];
  if (lane < 16)
    v = __nvvm_redux_sync_add(v, 0x0000ffffu);
  else
    v = __nvvm_redux_sync_max(v, 0xffff0000u) * 3;
  out[lane] = v;
}
