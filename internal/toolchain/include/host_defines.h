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
/* A managed variable of the host begins with a page, in a section of its own: the runtime library of Crosslane puts the memory of
   the device there. While clang reads these headers for the host, it defines __CUDA_ARCH__ as 9999. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 9999
#define CROSSLANE_FOR_HOST
#define __managed__ __attribute__((device, aligned(4096), section("crosslane_managed")))
#else
#define __managed__ __attribute__((device))
#endif
#define CUDARTAPI
#define CUDART_CB
#define CUDARTAPI_CDECL

#endif
