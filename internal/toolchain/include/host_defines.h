/* Crosslane: a small header in place of one of CUDA. */

#ifndef CROSSLANE_HOST_DEFINES_H
#define CROSSLANE_HOST_DEFINES_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__ __attribute__((grid_constant))
#define __cluster_dims__(...) __attribute__((cluster_dims(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __managed__ __managed__is_unknown_to_clang_use_cudaMallocManaged__
#define CUDARTAPI
#define CUDART_CB
#define CUDARTAPI_CDECL

#endif
