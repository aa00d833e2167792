// Names for CUDA C++ compiled by clang alone: no CUDA toolkit, no libraries.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define KERNEL extern "C" __global__ void
#define FN __device__ static inline
#define NOINLINE __device__ __attribute__((noinline))
#define ROLLED _Pragma("clang loop unroll(disable)")

typedef signed char s8;
typedef unsigned char u8;
typedef short s16;
typedef unsigned short u16;
typedef int s32;
typedef unsigned int u32;
typedef long long s64;
typedef unsigned long long u64;

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

FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
FN float root(float x) { return __nvvm_sqrt_rn_f(x); }
FN double root(double x) { return __nvvm_sqrt_rn_d(x); }

template <typename T> FN T smaller(T a, T b) { return b < a ? b : a; }
template <typename T> FN T larger(T a, T b) { return a < b ? b : a; }
