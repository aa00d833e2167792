// What device.h needs of PTX.
#pragma once

#define ALL 0xffffffffu

FN u32 tid() { return __nvvm_read_ptx_sreg_tid_x(); }
FN u32 tidy() { return __nvvm_read_ptx_sreg_tid_y(); }
FN u32 bid() { return __nvvm_read_ptx_sreg_ctaid_x(); }
FN u32 bidy() { return __nvvm_read_ptx_sreg_ctaid_y(); }
FN u32 bsize() { return __nvvm_read_ptx_sreg_ntid_x(); }
FN u32 bsizey() { return __nvvm_read_ptx_sreg_ntid_y(); }
FN u32 grid() { return __nvvm_read_ptx_sreg_nctaid_x(); }
FN u32 lane() { return __nvvm_read_ptx_sreg_laneid(); }
FN u32 gid() { return bid() * bsize() + tid(); }

FN void sync() { __syncthreads(); }
FN u32 ballot(bool p) { return __nvvm_vote_ballot_sync(ALL, p); }
FN u32 lanes_below() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
FN u32 popc(u32 x) { return __builtin_popcount(x); }
FN int ffs0(u32 x) { return __builtin_ctz(x); }

FN int shfl(int v, int from) { return __nvvm_shfl_sync_idx_i32(ALL, v, from, 31); }
FN int shfl_up(int v, int d) { return __nvvm_shfl_sync_up_i32(ALL, v, d, 0); }
FN int shfl_down(int v, int d) { return __nvvm_shfl_sync_down_i32(ALL, v, d, 31); }
FN int shfl_xor(int v, int d) { return __nvvm_shfl_sync_bfly_i32(ALL, v, d, 31); }
FN float shfl_xor(float v, int d) { return __nvvm_shfl_sync_bfly_f32(ALL, v, d, 31); }
FN float shfl_down(float v, int d) { return __nvvm_shfl_sync_down_f32(ALL, v, d, 31); }

FN u32 atomic_add(u32 *p, u32 v) { return __nvvm_atom_add_gen_i((int *)p, v); }
FN int atomic_add(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
FN u64 atomic_add(u64 *p, u64 v) { return __nvvm_atom_add_gen_ll((s64 *)p, v); }
FN float atomic_add(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
FN u32 atomic_cas(u32 *p, u32 old, u32 v) { return __nvvm_atom_cas_gen_i((int *)p, old, v); }
FN u64 atomic_cas(u64 *p, u64 old, u64 v) { return __nvvm_atom_cas_gen_ll((s64 *)p, old, v); }
FN u32 atomic_exch(u32 *p, u32 v) { return __nvvm_atom_xchg_gen_i((int *)p, v); }
FN int atomic_min(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
FN int atomic_max(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
FN u32 atomic_min(u32 *p, u32 v) { return __nvvm_atom_min_gen_ui(p, v); }
FN u32 atomic_or(u32 *p, u32 v) { return __nvvm_atom_or_gen_i((int *)p, v); }
FN void fence_block() { __nvvm_membar_cta(); }
FN void fence_device() { __nvvm_membar_gl(); }

FN float root(float x) { return __nvvm_sqrt_rn_f(x); }
FN double root(double x) { return __nvvm_sqrt_rn_d(x); }

FN u32 active_lanes() { return __nvvm_activemask(); }
FN bool any(bool p) { return __nvvm_vote_any_sync(ALL, p); }
#if __CUDA_ARCH__ >= 700
FN u32 match_any(u32 key) { return __nvvm_match_any_sync_i32(ALL, key); }
#endif

// A shuffle among the lanes of a mask, and one that stays in groups of a power of two.
FN int shfl_among(u32 lanes, int v, int from) { return __nvvm_shfl_sync_idx_i32(lanes, v, from, 31); }
FN int shfl_xor_within(int v, u32 d, u32 size) { return __nvvm_shfl_sync_bfly_i32(ALL, v, d, (32 - size) << 8 | 31); }

// What the target computes fast and almost right.
FN float fast_exp2(float x) { return __nvvm_ex2_approx_f(x); }
FN float fast_log2(float x) { return __nvvm_lg2_approx_f(x); }
FN float fast_sin(float x) { return __nvvm_sin_approx_f(x); }
FN float fast_cos(float x) { return __nvvm_cos_approx_f(x); }
FN float fast_rcp(float x) { return __nvvm_rcp_approx_ftz_f(x); }
FN float fast_rsqrt(float x) { return __nvvm_rsqrt_approx_f(x); }

// Bytes of b:a, chosen by the four lowest hexadecimal digits of select.
FN u32 permute_bytes(u32 a, u32 b, u32 select) { return __nvvm_prmt(a, b, select); }
