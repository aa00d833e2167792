#include "warp.h"

// Rows of `out`, one value per lane each.
KERNEL vote(const int *in, u32 *out) {
  u32 t = tid();
  int v = in[t];
  out[0 * 32 + t] = __nvvm_vote_ballot_sync(ALL_LANES, v & 1);
  out[1 * 32 + t] = __nvvm_vote_all_sync(ALL_LANES, v < 100);
  out[2 * 32 + t] = __nvvm_vote_any_sync(ALL_LANES, v == 7);
  out[3 * 32 + t] = __nvvm_vote_uni_sync(ALL_LANES, v > 3);
  out[4 * 32 + t] = __nvvm_vote_all_sync(ALL_LANES, v >= 0);
}

KERNEL match(const int *in, const long long *wide, u32 *out) {
  u32 t = tid();
  int v = in[t], p, q;
  long long w = wide[t];
  out[0 * 32 + t] = __nvvm_match_any_sync_i32(ALL_LANES, v);
  out[1 * 32 + t] = __nvvm_match_any_sync_i64(ALL_LANES, w);
  out[2 * 32 + t] = __nvvm_match_all_sync_i32p(ALL_LANES, v, &p);
  out[3 * 32 + t] = p;
  out[4 * 32 + t] = __nvvm_match_all_sync_i64p(ALL_LANES, w >> 40, &q);
  out[5 * 32 + t] = q;
}

// Divergent: every path names the lanes that take it. The masks come from a
// ballot before the branch, the way activemask() should not be used.
KERNEL divergent(const int *in, u32 *out) {
  u32 t = tid();
  int v = in[t];
  u32 odd = __nvvm_vote_ballot_sync(ALL_LANES, v & 1), seen, votes;
  if (v & 1) {
    seen = __nvvm_activemask();
    votes = __nvvm_vote_ballot_sync(odd, v > 10);
    __nvvm_bar_warp_sync(odd);
  } else {
    seen = __nvvm_activemask() + 1;
    votes = __nvvm_vote_ballot_sync(~odd, v > 20);
    __nvvm_bar_warp_sync(~odd);
  }
  out[0 * 32 + t] = seen;
  out[1 * 32 + t] = votes;
  out[2 * 32 + t] = __nvvm_match_any_sync_i32(ALL_LANES, v & 3);
}
