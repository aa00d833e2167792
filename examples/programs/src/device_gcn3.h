// What device.h needs of GCN3. A wave has 64 lanes; warps are its halves, and what
// crosses lanes stays in them.
#pragma once

#define ALL 0xffffffffu

FN u32 tid() { return __builtin_amdgcn_workitem_id_x(); }
FN u32 tidy() { return __builtin_amdgcn_workitem_id_y(); }
FN u32 bid() { return __builtin_amdgcn_workgroup_id_x(); }
FN u32 bidy() { return __builtin_amdgcn_workgroup_id_y(); }
FN u32 bsize() { return __builtin_amdgcn_workgroup_size_x(); }
FN u32 bsizey() { return __builtin_amdgcn_workgroup_size_y(); }
FN u32 grid() { return __builtin_amdgcn_grid_size_x() / bsize(); }
FN u32 wave_lane() { return __builtin_amdgcn_mbcnt_hi(ALL, __builtin_amdgcn_mbcnt_lo(ALL, 0)); }
FN u32 lane() { return wave_lane() & 31; }
FN u32 gid() { return bid() * bsize() + tid(); }

FN void sync() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
// The part of a mask of the wave that is the lane's own warp.
FN u32 half(u64 wave) { return (u32)(wave >> (wave_lane() & 32)); }
FN u32 ballot(bool p) { return half(__builtin_amdgcn_ballot_w64(p)); }
FN u32 active_lanes() { return ballot(true); }
FN bool any(bool p) { return ballot(p) != 0; }
FN u32 lanes_below() { return (1u << lane()) - 1; }
FN u32 popc(u32 x) { return __builtin_popcount(x); }
FN int ffs0(u32 x) { return __builtin_ctz(x); }

// Lanes with equal keys: one key after the other, for the whole wave.
FN u32 match_any(u32 key) {
  u32 mine = 0;
  for (bool open = true; open;) {
    u32 first = __builtin_amdgcn_readfirstlane(key), same = ballot(key == first);
    if (key == first) {
      mine = same;
      open = false;
    }
  }
  return mine;
}

// A lane outside of the warp gives the lane's own value.
FN int pull(int v, int from) { return __builtin_amdgcn_ds_bpermute(((wave_lane() & 32) + from) * 4, v); }
FN int shfl(int v, int from) { return pull(v, from & 31); }
FN int shfl_up(int v, int d) { return pull(v, (int)lane() < d ? lane() : lane() - d); }
FN int shfl_down(int v, int d) { return pull(v, lane() + d > 31 ? lane() : lane() + d); }
FN int shfl_xor(int v, int d) { return pull(v, lane() ^ d); }
FN float shfl_xor(float v, int d) { return __builtin_bit_cast(float, shfl_xor(__builtin_bit_cast(int, v), d)); }
FN float shfl_down(float v, int d) { return __builtin_bit_cast(float, shfl_down(__builtin_bit_cast(int, v), d)); }
FN int shfl_among(u32 lanes, int v, int from) { return shfl(v, from); }
FN int shfl_xor_within(int v, u32 d, u32 size) { return shfl_xor(v, d); }

#define RMW(OP, p, v) __hip_atomic_##OP(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
FN u32 atomic_add(u32 *p, u32 v) { return RMW(fetch_add, p, v); }
FN int atomic_add(int *p, int v) { return RMW(fetch_add, p, v); }
FN u64 atomic_add(u64 *p, u64 v) { return RMW(fetch_add, p, v); }
FN float atomic_add(float *p, float v) { return RMW(fetch_add, p, v); }
FN u32 atomic_exch(u32 *p, u32 v) { return RMW(exchange, p, v); }
FN int atomic_min(int *p, int v) { return RMW(fetch_min, p, v); }
FN int atomic_max(int *p, int v) { return RMW(fetch_max, p, v); }
FN u32 atomic_min(u32 *p, u32 v) { return RMW(fetch_min, p, v); }
FN u32 atomic_or(u32 *p, u32 v) { return RMW(fetch_or, p, v); }
#undef RMW
#define CAS(p, old, v) \
  (__hip_atomic_compare_exchange_strong(p, &old, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT), old)
FN u32 atomic_cas(u32 *p, u32 old, u32 v) { return CAS(p, old, v); }
FN u64 atomic_cas(u64 *p, u64 old, u64 v) { return CAS(p, old, v); }
#undef CAS
FN void fence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
FN void fence_device() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }

FN float root(float x) { return __builtin_sqrtf(x); }
FN double root(double x) { return __builtin_sqrt(x); }

// What the target computes fast and almost right. Angles are in turns.
FN float fast_exp2(float x) { return __builtin_amdgcn_exp2f(x); }
FN float fast_log2(float x) { return __builtin_amdgcn_logf(x); }
FN float fast_sin(float x) { return __builtin_amdgcn_sinf(x * 0.15915494f); }
FN float fast_cos(float x) { return __builtin_amdgcn_cosf(x * 0.15915494f); }
FN float fast_rcp(float x) { return __builtin_amdgcn_rcpf(x); }
FN float fast_rsqrt(float x) { return __builtin_amdgcn_rsqf(x); }

// Bytes of b:a, chosen by the four lowest hexadecimal digits of select.
FN u32 permute_bytes(u32 a, u32 b, u32 select) {
  u32 bytes = (select & 0xf) | (select & 0xf0) << 4 | (select & 0xf00) << 8 | (select & 0xf000) << 12;
  return __builtin_amdgcn_perm(b, a, bytes);
}
