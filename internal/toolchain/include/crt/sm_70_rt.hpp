/* Crosslane: a small header in place of one of CUDA. */
#ifndef CROSSLANE_SM_70_RT_HPP
#define CROSSLANE_SM_70_RT_HPP

/* match for the types that programs use; clang's headers have the forms of 32 and 64 bits. */
#define CROSSLANE_MATCH(T, width, U) \
	static __inline__ __attribute__((always_inline)) __device__ unsigned int __match_any_sync(unsigned int mask, T v) { return __match##width##_any_sync(mask, __builtin_bit_cast(U, v)); } \
	static __inline__ __attribute__((always_inline)) __device__ unsigned int __match_all_sync(unsigned int mask, T v, int *pred) { return __match##width##_all_sync(mask, __builtin_bit_cast(U, v), pred); }
CROSSLANE_MATCH(int, 32, unsigned int)
CROSSLANE_MATCH(unsigned int, 32, unsigned int)
CROSSLANE_MATCH(float, 32, unsigned int)
CROSSLANE_MATCH(long, 64, unsigned long long)
CROSSLANE_MATCH(unsigned long, 64, unsigned long long)
CROSSLANE_MATCH(long long, 64, unsigned long long)
CROSSLANE_MATCH(unsigned long long, 64, unsigned long long)
CROSSLANE_MATCH(double, 64, unsigned long long)
#undef CROSSLANE_MATCH

static __inline__ __device__ void __nanosleep(unsigned int ns) { __nvvm_nanosleep(ns); }

#endif
