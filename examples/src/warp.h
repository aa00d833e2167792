// Names for CUDA C++ compiled by clang alone: no CUDA toolkit, no libraries.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define KERNEL extern "C" __global__ void

typedef unsigned int u32;
typedef unsigned long long u64;

#define ALL_LANES 0xffffffffu

__device__ static inline u32 tid() { return __nvvm_read_ptx_sreg_tid_x(); }
__device__ static inline u32 lane_id() { return __nvvm_read_ptx_sreg_laneid(); }
__device__ static inline u32 block_size() { return __nvvm_read_ptx_sreg_ntid_x(); }
__device__ static inline u32 global_id() {
  return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}

// clang's builtins return the data of a shuffle only; the range predicate needs a
// few lines of PTX. IN_RANGE is 1 when the computed source lane was in range.
#define SHUFFLE_WITH_RANGE(MODE)                                                     \
  __device__ static inline int shfl_##MODE(u32 mask, int a, u32 b, u32 c, int &in_range) { \
    int d, p;                                                                         \
    asm volatile("{\n\t.reg .pred inr;\n\t"                                            \
                 "shfl.sync." #MODE ".b32 %0|inr, %2, %3, %4, %5;\n\t"                 \
                 "selp.b32 %1, 1, 0, inr;\n\t}"                                        \
                 : "=r"(d), "=r"(p) : "r"(a), "r"(b), "r"(c), "r"(mask));              \
    in_range = p;                                                                     \
    return d;                                                                         \
  }
SHUFFLE_WITH_RANGE(up)
SHUFFLE_WITH_RANGE(down)
SHUFFLE_WITH_RANGE(bfly)
SHUFFLE_WITH_RANGE(idx)
