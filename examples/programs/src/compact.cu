#include "device.h"

// What is positive is kept, in order: ballots, a scan of the warps' counts, and the
// blocks' places from a first launch.
KERNEL count_kept(const int *in, u32 *counts, u32 n) {
  u32 i = gid();
  u32 bits = ballot(i < n && in[i] > 0);
  if (lane() == 0 && bits) atomic_add(&counts[bid()], popc(bits));
}
KERNEL place_kept(const int *in, const u32 *counts, int *out, u32 n) {
  __shared__ u32 warps[8];
  u32 i = gid(), t = tid();
  bool keep = i < n && in[i] > 0;
  u32 bits = ballot(keep);
  if (lane() == 0) warps[t / 32] = popc(bits);
  sync();
  u32 at = popc(bits & lanes_below());
  ROLLED for (u32 w = 0; w < t / 32; w++) at += warps[w];
  ROLLED for (u32 b = 0; b < bid(); b++) at += counts[b];
  if (keep) out[at] = in[i];
}

// The same without order: one atomic for the lanes that are there.
KERNEL append_active(const int *in, int *out, u32 *count, u32 n) {
  u32 i = gid();
  if (i >= n || in[i] <= 0) return;
  u32 active = active_lanes(), leader = ffs0(active), base = 0;
  if (lane() == leader) base = atomic_add(count, popc(active));
  base = shfl_among(active, base, leader);
  out[base + popc(active & lanes_below())] = in[i];
}

#if __CUDA_ARCH__ >= 700 || defined(__AMDGCN__)
// Lanes with the same key add together: one atomic for each key of a warp.
KERNEL add_by_key(const int *key, u32 *counts) {
  u32 same = match_any(key[gid()]);
  if ((same & lanes_below()) == 0) atomic_add(&counts[key[gid()]], popc(same));
}
#else
KERNEL add_by_key(const int *key, u32 *counts) {
  int k = key[gid()];
  u32 rest = ALL;
  ROLLED while (rest) {  // the same for all lanes
    int lead = shfl(k, ffs0(rest));
    u32 same = ballot(k == lead);
    if (lane() == 0) atomic_add(&counts[lead], popc(same));
    rest &= ~same;
  }
}
#endif

// Runs of equal elements: their values and lengths, by one block.
KERNEL run_lengths(const u8 *in, u8 *value, u32 *length, u32 *runs, u32 n) {
  __shared__ u32 start[257], heads[8];
  u32 t = tid();
  bool head = t < n && (t == 0 || in[t] != in[t - 1]);
  u32 bits = ballot(head);
  if (lane() == 0) heads[t / 32] = popc(bits);
  sync();
  u32 at = popc(bits & lanes_below()), total = 0;
  for (u32 w = 0; w < bsize() / 32; w++) {
    if (w < t / 32) at += heads[w];
    total += heads[w];
  }
  if (head) {
    start[at] = t;
    value[at] = in[t];
  }
  if (t == 0) {
    start[total] = n;
    *runs = total;
  }
  sync();
  if (t < total) length[t] = start[t + 1] - start[t];
}
