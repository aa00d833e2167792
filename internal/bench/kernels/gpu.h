// Names for CUDA C++ and HIP compiled by clang alone, without a toolkit.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define KERNEL extern "C" __global__ void
#define SIZE(N) __attribute__((amdgpu_flat_work_group_size(N, N)))
#define FN __device__ static inline __attribute__((always_inline))
#define ROLLED _Pragma("clang loop unroll(disable)")

typedef unsigned char u8;
typedef unsigned short u16;
typedef int s32;
typedef unsigned int u32;
typedef unsigned long long u64;

#if defined(__AMDGCN__)
FN u32 tid() { return __builtin_amdgcn_workitem_id_x(); }
FN u32 tid_y() { return __builtin_amdgcn_workitem_id_y(); }
FN u32 bid() { return __builtin_amdgcn_workgroup_id_x(); }
FN u32 bid_y() { return __builtin_amdgcn_workgroup_id_y(); }
FN void sync() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
FN float rsqrt_fast(float x) { return __builtin_amdgcn_rsqf(x); }
#else
FN u32 tid() { return __nvvm_read_ptx_sreg_tid_x(); }
FN u32 tid_y() { return __nvvm_read_ptx_sreg_tid_y(); }
FN u32 bid() { return __nvvm_read_ptx_sreg_ctaid_x(); }
FN u32 bid_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
FN void sync() { __nvvm_bar_sync(0); }
FN float rsqrt_fast(float x) { return __nvvm_rsqrt_approx_f(x); }
FN float ex2_fast(float x) { return __nvvm_ex2_approx_f(x); }
#endif
FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
FN void atomic_add(u32 *p, u32 v) { __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
