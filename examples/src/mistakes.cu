#include "warp.h"

// Kernels that are wrong on purpose. What they compute is undefined; what should
// be said about them is not.

// The classic: a reduction under a branch. The mask is right, but lane t adds the
// value of lane t + d even where that lane is not in the mask.
KERNEL partial_reduce(const int *in, int *out, u32 n) {
  u32 t = tid();
  u32 mask = __nvvm_vote_ballot_sync(ALL_LANES, t < n);
  if (t >= n) return;
  int v = in[t];
  for (int d = 16; d > 0; d /= 2) v += __nvvm_shfl_sync_down_i32(mask, v, d, 31);
  if (t == 0) out[0] = v;
}

// Lane 31 executes a shuffle whose mask does not name it.
KERNEL not_in_mask(const int *in, int *out) {
  u32 t = tid();
  out[t] = __nvvm_shfl_sync_idx_i32(0x7fffffffu, in[t], 0, 31);
}

// Each half waits for all 32 lanes, at shuffles of different kinds: they never
// meet.
KERNEL never_meet(const int *in, int *out) {
  u32 t = tid();
  int v = in[t];
  if (t < 16)
    v = __nvvm_shfl_sync_bfly_i32(ALL_LANES, v, 1, 31);
  else
    v = __nvvm_shfl_sync_down_i32(ALL_LANES, v, 1, 31);
  out[t] = v;
}

// Past the end of the buffer by one element.
KERNEL off_by_one(const int *in, int *out) {
  u32 i = global_id();
  out[i] = in[i + 1] - in[i];
}
