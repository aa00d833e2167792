#include "portable.h"

// Stream compaction, order kept within a block: the positive values of a block go
// to consecutive places. A lane's place is its rank among the lanes that keep
// theirs: popc(ballot & lanemask_lt) on PTX, v_mbcnt_lo/hi on GCN3.
// counts[block] is how many each block kept, at out[block * 256].
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void compact(__global const int *in, __global int *out, __global uint *counts, uint n) {
  __local uint kept[256 / WAVE];
  uint t = local_x(), wave = t / WAVE, i = group_x() * 256 + t;
  int v = i < n ? in[i] : 0;
  lanemask m = wave_ballot(v > 0);
  if (t % WAVE == 0) kept[wave] = wave_count(m);
  block_barrier();
  uint before = 0, all = 0;
#pragma unroll
  for (uint w = 0; w < 256 / WAVE; w++) {
    if (w < wave) before += kept[w];
    all += kept[w];
  }
  if (v > 0) out[group_x() * 256 + before + wave_rank(m)] = v;
  if (t == 0) counts[group_x()] = all;
}

// The same with one global counter: the order of the waves is not defined, so
// only the multiset of the results is.
__kernel void compact_unordered(__global const int *in, __global int *out, __global uint *counter, uint n) {
  uint i = global_x();
  int v = i < n ? in[i] : 0;
  lanemask m = wave_ballot(v > 0);
  __local uint base[1024 / WAVE];
  uint wave = local_x() / WAVE;
  if (local_x() % WAVE == 0) base[wave] = atomic_add_device(counter, wave_count(m));
  block_barrier();
  if (v > 0) out[base[wave] + wave_rank(m)] = v;
}
