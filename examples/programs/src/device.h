// Names for CUDA C++ and HIP compiled by clang alone: no toolkit, no libraries. A warp has
// 32 threads: on GCN3 each half of a wave of 64 is one.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define KERNEL extern "C" __global__ void
// Clang 22 for gfx803 makes pointers to private memory generic in kernels only, if the code
// object's version is not 4: functions load the aperture from where nothing is. Without
// optimisation every function does so.
#if defined(__AMDGCN__)
#define INLINE __attribute__((always_inline))
#else
#define INLINE
#endif
#define FN __device__ static inline INLINE
#if defined(__AMDGCN__) && !defined(__OPTIMIZE__) && CODE_OBJECT > 4
#define NOINLINE FN
#else
#define NOINLINE __device__ __attribute__((noinline))
#endif
#define ROLLED _Pragma("clang loop unroll(disable)")

typedef signed char s8;
typedef unsigned char u8;
typedef short s16;
typedef unsigned short u16;
typedef int s32;
typedef unsigned int u32;
typedef long long s64;
typedef unsigned long long u64;

#if defined(__AMDGCN__)
#include "device_gcn3.h"
#else
#include "device_ptx.h"
#endif

FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <typename T> FN T smaller(T a, T b) { return b < a ? b : a; }
template <typename T> FN T larger(T a, T b) { return a < b ? b : a; }
