#include "portable.h"

// 64 bins: counted in shared memory by each block, then added to the global bins.
__kernel void histogram(__global const uint *in, __global uint *bins, uint n) {
  __local uint local_bins[64];
  for (uint i = local_x(); i < 64; i += size_x()) local_bins[i] = 0;
  block_barrier();
  uint i = global_x();
  if (i < n) atomic_add_local(&local_bins[in[i] >> 26], 1u);
  block_barrier();
  for (uint i = local_x(); i < 64; i += size_x())
    if (local_bins[i] != 0) atomic_add_device(&bins[i], local_bins[i]);
}

// The smallest and the greatest value, signed and unsigned: out[0..3] start as
// the identities INT_MAX, INT_MIN, UINT_MAX, 0.
__kernel void extremes(__global const int *in, __global int *out, uint n) {
  uint i = global_x();
  if (i >= n) return;
  int v = in[i];
  atomic_min_device(&out[0], v);
  atomic_max_device(&out[1], v);
  atomic_min_device((__global uint *)&out[2], (uint)v);
  atomic_max_device((__global uint *)&out[3], (uint)v);
}

// Replaces c by 3c + 1 once for each value that falls on the counter, which no
// atomic instruction does: every lane retries its compare-and-swap until it is in.
__kernel void cas_update(__global const uint *in, __global uint *counts, uint n) {
  uint i = global_x();
  if (i >= n) return;
  __global uint *p = &counts[in[i] & 7];
  uint seen = __scoped_atomic_load_n(p, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  while (!__scoped_atomic_compare_exchange_n(p, &seen, seen * 3 + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                             __MEMORY_SCOPE_DEVICE)) {}
}
