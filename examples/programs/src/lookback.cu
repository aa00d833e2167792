#include "device.h"

// Decoupled look-back: one pass over the data; each block looks back over the
// blocks before it until it finds one that knows its whole prefix. Blocks take
// their numbers in the order in which they start, so that whoever is waited for
// has started.
enum { EMPTY, SUM, PREFIX };

__device__ u32 next_part;

KERNEL scan_lookback(const u32 *in, u32 *out, u64 *state, u32 n) {
  __shared__ u32 buf[64], part, before;
  u32 t = tid();
  if (t == 0) part = atomic_add(&next_part, 1u);
  sync();
  u32 i = part * 64 + t;
  buf[t] = i < n ? in[i] : 0;
  sync();
  for (u32 d = 1; d < 64; d *= 2) {
    u32 v = t >= d ? buf[t - d] : 0;
    sync();
    buf[t] += v;
    sync();
  }
  if (t == 0) {
    u32 total = buf[63], sum = 0;
    volatile u64 *s = state;
    s[part] = (u64)(part ? SUM : PREFIX) << 32 | total;
    for (int p = (int)part - 1; p >= 0;) {
      u64 v = s[p];
      if (v >> 32 == EMPTY) continue;
      sum += (u32)v;
      if (v >> 32 == PREFIX) break;
      p--;
    }
    before = sum;
    if (part) s[part] = (u64)PREFIX << 32 | (u32)(sum + total);
  }
  sync();
  if (i < n) out[i] = before + buf[t];
}
