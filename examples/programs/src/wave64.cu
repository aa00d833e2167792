#include "device.h"

// What the 64 lanes of a wave do together, by the instructions that GCN3 has for it.

// The value that a DPP control brings; lanes that get none keep what they have.
template <int CONTROL, int ROWS> FN int dpp(int old, int v) {
  return __builtin_amdgcn_update_dpp(old, v, CONTROL, ROWS, 0xf, false);
}
enum { SHR = 0x110, WAVE_SHR1 = 0x138, ROW_MIRROR = 0x140, BCAST15 = 0x142, BCAST31 = 0x143 };

template <typename F> FN int scan(int v, int none, F f) {
  v = f(v, dpp<SHR | 1, 0xf>(none, v));
  v = f(v, dpp<SHR | 2, 0xf>(none, v));
  v = f(v, dpp<SHR | 4, 0xf>(none, v));
  v = f(v, dpp<SHR | 8, 0xf>(none, v));
  v = f(v, dpp<BCAST15, 0xa>(none, v));
  return f(v, dpp<BCAST31, 0xc>(none, v));
}

KERNEL scans(const int *in, int *sums, int *before, int *most, int *total) {
  u32 i = gid();
  int v = in[i], s = scan(v, 0, [](int a, int b) INLINE { return a + b; });
  sums[i] = s;
  before[i] = dpp<WAVE_SHR1, 0xf>(0, s);
  most[i] = scan(v, 0x80000000, [](int a, int b) INLINE { return a < b ? b : a; });
  total[i] = __builtin_amdgcn_readlane(s, 63);
}

// Bitonic sort of the 64 keys of a wave, exchanges by ds_bpermute.
KERNEL sort64(u32 *keys) {
  u32 l = wave_lane(), v = keys[gid()];
#pragma unroll
  for (u32 size = 2; size <= 64; size *= 2)
#pragma unroll
    for (u32 d = size / 2; d > 0; d /= 2) {
      u32 other = __builtin_amdgcn_ds_bpermute((l ^ d) * 4, v);
      v = ((l & size) == 0) == ((l & d) == 0) ? smaller(v, other) : larger(v, other);
    }
  keys[gid()] = v;
}

// Ballots of 64 bits: what is positive is kept in order, the rest goes behind it; places
// by v_mbcnt, the exchange by ds_permute.
KERNEL partition(const int *in, int *out, u64 *masks) {
  int v = in[gid()];
  u64 keep = __builtin_amdgcn_ballot_w64(v > 0);
  u32 rank = __builtin_amdgcn_mbcnt_hi(keep >> 32, __builtin_amdgcn_mbcnt_lo(keep, 0));
  u32 to = v > 0 ? rank : (u32)__builtin_popcountll(keep) + wave_lane() - rank;
  out[gid()] = __builtin_amdgcn_ds_permute(to * 4, v);
  if (wave_lane() == 0) masks[gid() / 64] = keep;
}

// Lanes that leave a loop one by one; those that are left vote, and the first of them speaks.
KERNEL countdown(const u32 *in, u32 *left, u32 *speaker) {
  u32 n = in[gid()], alive = 0, first = 0;
  ROLLED for (u32 i = 0; i < n; i++) {
    u64 there = __builtin_amdgcn_ballot_w64(true);
    alive += __builtin_popcountll(there);
    first = first * 3 + __builtin_amdgcn_readfirstlane(wave_lane());
  }
  left[gid()] = alive;
  speaker[gid()] = first;
}

// 64 x 64 bits: rows in, columns out, by 64 ballots.
KERNEL transpose64(const u64 *in, u64 *out) {
  u64 row = in[gid()], column = 0;
  ROLLED for (u32 i = 0; i < 64; i++) {
    u64 bits = __builtin_amdgcn_ballot_w64(row >> i & 1);
    if (wave_lane() == i) column = bits;
  }
  out[gid()] = column;
}

// Swizzles within quads and rows, and a sum of absolute differences of bytes.
KERNEL neighbours(const u32 *in, u32 *out) {
  u32 v = in[gid()];
  u32 mirror = __builtin_amdgcn_update_dpp(0, v, ROW_MIRROR, 0xf, 0xf, true);
  u32 quad = __builtin_amdgcn_ds_swizzle(v, 0x8000 | 0x1b);  // 3 2 1 0
  u32 swap = __builtin_amdgcn_ds_swizzle(v, 0x401f);         // the other 16 of 32 lanes
  out[4 * gid()] = mirror;
  out[4 * gid() + 1] = quad;
  out[4 * gid() + 2] = swap;
  out[4 * gid() + 3] = __builtin_amdgcn_sad_u8(v, quad, swap & 0xff);
}
