#include "warp.h"

// Every mode for one width (a power of two, 1 to 32), with the range predicate.
// c packs the clamp value in bits 4:0 and the segment mask in bits 12:8.
// out: 8 rows of 32: data and predicate of up, down, bfly, idx.
KERNEL shfl_gallery(const int *in, int *out, u32 b, u32 width) {
  u32 t = tid();
  int v = in[t], p;
  u32 seg = (32 - width) << 8;
  out[0 * 32 + t] = shfl_up(ALL_LANES, v, b, seg, p);
  out[1 * 32 + t] = p;
  out[2 * 32 + t] = shfl_down(ALL_LANES, v, b, seg | 31, p);
  out[3 * 32 + t] = p;
  out[4 * 32 + t] = shfl_bfly(ALL_LANES, v, b, seg | 31, p);
  out[5 * 32 + t] = p;
  out[6 * 32 + t] = shfl_idx(ALL_LANES, v, b, seg | 31, p);
  out[7 * 32 + t] = p;
}

// The source lane differs from lane to lane, and so do c and the offset: nothing
// in the instruction asks for them to be uniform.
KERNEL shfl_per_lane(const int *in, const u32 *b, const u32 *c, int *out) {
  u32 t = tid();
  int v = in[t], p;
  out[0 * 32 + t] = shfl_idx(ALL_LANES, v, b[t], c[t], p);
  out[1 * 32 + t] = p;
  out[2 * 32 + t] = shfl_up(ALL_LANES, v, b[t], c[t], p);
  out[3 * 32 + t] = p;
}

// The forms a compiler writes: immediate operands, no predicate, f32 data.
KERNEL shfl_immediate(const float *in, float *out) {
  u32 t = tid();
  float v = in[t];
  out[0 * 32 + t] = __nvvm_shfl_sync_up_f32(ALL_LANES, v, 1, 0);
  out[1 * 32 + t] = __nvvm_shfl_sync_down_f32(ALL_LANES, v, 1, 31);
  out[2 * 32 + t] = __nvvm_shfl_sync_bfly_f32(ALL_LANES, v, 1, 31);
  out[3 * 32 + t] = __nvvm_shfl_sync_idx_f32(ALL_LANES, v, 5, 31);
  out[4 * 32 + t] = __nvvm_shfl_sync_idx_f32(ALL_LANES, v, t * 7, 31);
}

// 64-bit values travel as two 32-bit halves; each segment of 8 is reversed.
KERNEL shfl_64(const u64 *in, u64 *out) {
  u32 t = tid();
  u64 v = in[t];
  u32 lo = __nvvm_shfl_sync_bfly_i32(ALL_LANES, (u32)v, 7, 0x1f);
  u32 hi = __nvvm_shfl_sync_bfly_i32(ALL_LANES, (u32)(v >> 32), 7, 0x1f);
  out[t] = (u64)hi << 32 | lo;
}
