#include "portable.h"

// One partial dot product per block of 256: each thread strides over the input,
// then a tree in shared memory.
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void dot_partial(__global const float *a, __global const float *b, __global float *partial, uint n, uint stride) {
  __local float sums[256];
  uint t = local_x();
  float s = 0;
  for (uint i = group_x() * 256 + t; i < n; i += stride) s = __builtin_fmaf(a[i], b[i], s);
  sums[t] = s;
  block_barrier();
  for (uint d = 128; d > 0; d /= 2) {
    if (t < d) sums[t] += sums[t + d];
    block_barrier();
  }
  if (t == 0) partial[group_x()] = sums[0];
}

__kernel void dot_int(__global const int *a, __global const int *b, __global ulong *sum, uint n) {
  uint i = global_x();
  if (i < n) {
    long p = (long)a[i] * b[i];
    atomic_add_device(sum, (ulong)p);
  }
}
