/* Crosslane: a small header in place of one of CUDA. */
#ifndef CROSSLANE_DEVICE_ATOMIC_FUNCTIONS_H
#define CROSSLANE_DEVICE_ATOMIC_FUNCTIONS_H

/* Atomic operations, in the scope of the device; those that end in _block and _system have these scopes. clang's headers
   have a function for each type. */
#define CROSSLANE_ATOMIC static __inline__ __attribute__((always_inline)) __device__
#define CROSSLANE_ATOMICS(suffix) \
	CROSSLANE_ATOMIC int atomicAdd##suffix(int *p, int v) { return __iAtomicAdd##suffix(p, v); } \
	CROSSLANE_ATOMIC unsigned int atomicAdd##suffix(unsigned int *p, unsigned int v) { return __uAtomicAdd##suffix(p, v); } \
	CROSSLANE_ATOMIC unsigned long long atomicAdd##suffix(unsigned long long *p, unsigned long long v) { return __ullAtomicAdd##suffix(p, v); } \
	CROSSLANE_ATOMIC float atomicAdd##suffix(float *p, float v) { return __fAtomicAdd##suffix(p, v); } \
	CROSSLANE_ATOMIC double atomicAdd##suffix(double *p, double v) { return __dAtomicAdd##suffix(p, v); } \
	CROSSLANE_ATOMIC int atomicExch##suffix(int *p, int v) { return __iAtomicExch##suffix(p, v); } \
	CROSSLANE_ATOMIC unsigned int atomicExch##suffix(unsigned int *p, unsigned int v) { return __uAtomicExch##suffix(p, v); } \
	CROSSLANE_ATOMIC unsigned long long atomicExch##suffix(unsigned long long *p, unsigned long long v) { return __ullAtomicExch##suffix(p, v); } \
	CROSSLANE_ATOMIC float atomicExch##suffix(float *p, float v) { return __fAtomicExch##suffix(p, v); } \
	CROSSLANE_ATOMIC int atomicMin##suffix(int *p, int v) { return __iAtomicMin##suffix(p, v); } \
	CROSSLANE_ATOMIC unsigned int atomicMin##suffix(unsigned int *p, unsigned int v) { return __uAtomicMin##suffix(p, v); } \
	CROSSLANE_ATOMIC long long atomicMin##suffix(long long *p, long long v) { return __illAtomicMin##suffix(p, v); } \
	CROSSLANE_ATOMIC unsigned long long atomicMin##suffix(unsigned long long *p, unsigned long long v) { return __ullAtomicMin##suffix(p, v); } \
	CROSSLANE_ATOMIC int atomicMax##suffix(int *p, int v) { return __iAtomicMax##suffix(p, v); } \
	CROSSLANE_ATOMIC unsigned int atomicMax##suffix(unsigned int *p, unsigned int v) { return __uAtomicMax##suffix(p, v); } \
	CROSSLANE_ATOMIC long long atomicMax##suffix(long long *p, long long v) { return __illAtomicMax##suffix(p, v); } \
	CROSSLANE_ATOMIC unsigned long long atomicMax##suffix(unsigned long long *p, unsigned long long v) { return __ullAtomicMax##suffix(p, v); } \
	CROSSLANE_ATOMIC int atomicAnd##suffix(int *p, int v) { return __iAtomicAnd##suffix(p, v); } \
	CROSSLANE_ATOMIC unsigned int atomicAnd##suffix(unsigned int *p, unsigned int v) { return __uAtomicAnd##suffix(p, v); } \
	CROSSLANE_ATOMIC long long atomicAnd##suffix(long long *p, long long v) { return __llAtomicAnd##suffix(p, v); } \
	CROSSLANE_ATOMIC unsigned long long atomicAnd##suffix(unsigned long long *p, unsigned long long v) { return __ullAtomicAnd##suffix(p, v); } \
	CROSSLANE_ATOMIC int atomicOr##suffix(int *p, int v) { return __iAtomicOr##suffix(p, v); } \
	CROSSLANE_ATOMIC unsigned int atomicOr##suffix(unsigned int *p, unsigned int v) { return __uAtomicOr##suffix(p, v); } \
	CROSSLANE_ATOMIC long long atomicOr##suffix(long long *p, long long v) { return __llAtomicOr##suffix(p, v); } \
	CROSSLANE_ATOMIC unsigned long long atomicOr##suffix(unsigned long long *p, unsigned long long v) { return __ullAtomicOr##suffix(p, v); } \
	CROSSLANE_ATOMIC int atomicXor##suffix(int *p, int v) { return __iAtomicXor##suffix(p, v); } \
	CROSSLANE_ATOMIC unsigned int atomicXor##suffix(unsigned int *p, unsigned int v) { return __uAtomicXor##suffix(p, v); } \
	CROSSLANE_ATOMIC long long atomicXor##suffix(long long *p, long long v) { return __llAtomicXor##suffix(p, v); } \
	CROSSLANE_ATOMIC unsigned long long atomicXor##suffix(unsigned long long *p, unsigned long long v) { return __ullAtomicXor##suffix(p, v); } \
	CROSSLANE_ATOMIC unsigned int atomicInc##suffix(unsigned int *p, unsigned int v) { return __uAtomicInc##suffix(p, v); } \
	CROSSLANE_ATOMIC unsigned int atomicDec##suffix(unsigned int *p, unsigned int v) { return __uAtomicDec##suffix(p, v); } \
	CROSSLANE_ATOMIC int atomicSub##suffix(int *p, int v) { return __iAtomicAdd##suffix(p, (int)(0u - (unsigned int)v)); } \
	CROSSLANE_ATOMIC unsigned int atomicSub##suffix(unsigned int *p, unsigned int v) { return __uAtomicAdd##suffix(p, 0u - v); }

CROSSLANE_ATOMICS()
CROSSLANE_ATOMICS(_block)
CROSSLANE_ATOMICS(_system)

/* Compare and swap, as nvcc compiles it: clang's own function also orders other accesses, which would hide missing fences. */
#define CROSSLANE_CAS(suffix, T, scope, bits, constraint) \
	CROSSLANE_ATOMIC T atomicCAS##suffix(T *p, T old, T v) \
	{ \
		T found; \
		asm volatile("atom" scope ".cas.b" bits " %0, [%1], %2, %3;" : "=" constraint(found) : "l"(p), constraint(old), constraint(v) : "memory"); \
		return found; \
	}
#define CROSSLANE_CAS_ALL(suffix, scope) \
	CROSSLANE_CAS(suffix, int, scope, "32", "r") \
	CROSSLANE_CAS(suffix, unsigned int, scope, "32", "r") \
	CROSSLANE_CAS(suffix, unsigned long long, scope, "64", "l")
CROSSLANE_CAS_ALL(, "")
CROSSLANE_CAS_ALL(_block, ".cta")
CROSSLANE_CAS_ALL(_system, ".sys")
CROSSLANE_CAS(, unsigned short, "", "16", "h")
#undef CROSSLANE_CAS_ALL
#undef CROSSLANE_CAS

#undef CROSSLANE_ATOMICS
#undef CROSSLANE_ATOMIC

#endif
