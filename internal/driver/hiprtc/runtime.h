/* What HIP declares for kernels that are compiled while a program runs. A wave has 64 lanes. */
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __managed__ __attribute__((managed))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define NULL __null
#define warpSize 64

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;

#define DEVICE static __device__ __forceinline__

/* ---- where a thread is: the number of blocks is in the arguments that the runtime owes a kernel ---- */

#define OWED(type, at) (((const type __attribute__((address_space(4))) *)__builtin_amdgcn_implicitarg_ptr())[at])
#define COORDINATES(name, value) \
	struct name { \
		__declspec(property(get = get_x)) unsigned x; \
		__declspec(property(get = get_y)) unsigned y; \
		__declspec(property(get = get_z)) unsigned z; \
		static __device__ __forceinline__ unsigned get_x() { return value(x, 0); } \
		static __device__ __forceinline__ unsigned get_y() { return value(y, 1); } \
		static __device__ __forceinline__ unsigned get_z() { return value(z, 2); } \
	};
#define CROSSLANE_THREAD(c, i) __builtin_amdgcn_workitem_id_##c()
#define CROSSLANE_BLOCK(c, i) __builtin_amdgcn_workgroup_id_##c()
#define CROSSLANE_THREADS(c, i) OWED(unsigned short, 6 + i)
#define CROSSLANE_BLOCKS(c, i) OWED(unsigned, i)

COORDINATES(__crosslane_thread, CROSSLANE_THREAD)
COORDINATES(__crosslane_block, CROSSLANE_BLOCK)
COORDINATES(__crosslane_threads, CROSSLANE_THREADS)
COORDINATES(__crosslane_blocks, CROSSLANE_BLOCKS)

extern const __device__ __attribute__((weak)) __crosslane_thread threadIdx;
extern const __device__ __attribute__((weak)) __crosslane_block blockIdx;
extern const __device__ __attribute__((weak)) __crosslane_threads blockDim;
extern const __device__ __attribute__((weak)) __crosslane_blocks gridDim;

struct dim3 {
	uint32_t x, y, z;
	constexpr __host__ __device__ dim3(uint32_t x = 1, uint32_t y = 1, uint32_t z = 1) : x(x), y(y), z(z) {}
};

/* ---- vectors ---- */

#define VECTORS(name, type, align2, align4) \
	struct name##1 { type x; }; \
	struct alignas(align2) name##2 { type x, y; }; \
	struct name##3 { type x, y, z; }; \
	struct alignas(align4) name##4 { type x, y, z, w; }; \
	DEVICE name##1 make_##name##1(type x) { return { x }; } \
	DEVICE name##2 make_##name##2(type x, type y) { return { x, y }; } \
	DEVICE name##3 make_##name##3(type x, type y, type z) { return { x, y, z }; } \
	DEVICE name##4 make_##name##4(type x, type y, type z, type w) { return { x, y, z, w }; }

VECTORS(char, signed char, 2, 4)
VECTORS(uchar, unsigned char, 2, 4)
VECTORS(short, short, 4, 8)
VECTORS(ushort, unsigned short, 4, 8)
VECTORS(int, int, 8, 16)
VECTORS(uint, unsigned, 8, 16)
VECTORS(long, long, 16, 16)
VECTORS(ulong, unsigned long, 16, 16)
VECTORS(longlong, long long, 16, 16)
VECTORS(ulonglong, unsigned long long, 16, 16)
VECTORS(float, float, 8, 16)
VECTORS(double, double, 16, 16)

/* ---- barriers and fences ---- */

DEVICE void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
DEVICE void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

DEVICE void __syncthreads()
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/* ---- lanes ---- */

DEVICE unsigned __lane_id() { return __builtin_amdgcn_mbcnt_hi(-1, __builtin_amdgcn_mbcnt_lo(-1, 0)); }
DEVICE unsigned long long __ballot(int p) { return __builtin_amdgcn_uicmp((unsigned)p, 0u, 33); }
DEVICE unsigned long long __activemask() { return __ballot(1); }
DEVICE int __any(int p) { return __ballot(p) != 0; }
DEVICE int __all(int p) { return __ballot(p) == __activemask(); }

/* __crosslane_lane moves a value of 4 or 8 bytes from a lane. */
template <typename T> DEVICE T __crosslane_lane(T v, int from)
{
	static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves 4 or 8 bytes");
	int words[sizeof(T) / 4];
	__builtin_memcpy(words, &v, sizeof v);
	for (unsigned i = 0; i < sizeof(T) / 4; i++)
		words[i] = __builtin_amdgcn_ds_bpermute(from << 2, words[i]);
	__builtin_memcpy(&v, words, sizeof v);
	return v;
}

/* A lane whose source is outside its part of width lanes keeps its own value. */
template <typename T> DEVICE T __shfl(T v, int from, int width = warpSize)
{
	return __crosslane_lane(v, (from & (width - 1)) + (int)(__lane_id() & ~(width - 1)));
}
template <typename T> DEVICE T __shfl_up(T v, unsigned n, int width = warpSize)
{
	int own = __lane_id(), from = own - (int)n;
	return __crosslane_lane(v, from < (own & ~(width - 1)) ? own : from);
}
template <typename T> DEVICE T __shfl_down(T v, unsigned n, int width = warpSize)
{
	int own = __lane_id(), from = own + (int)n;
	return __crosslane_lane(v, (int)((own & (width - 1)) + n) >= width ? own : from);
}
template <typename T> DEVICE T __shfl_xor(T v, int mask, int width = warpSize)
{
	int own = __lane_id(), from = own ^ mask;
	return __crosslane_lane(v, from >= ((own + width) & ~(width - 1)) ? own : from);
}

/* ---- atomic operations ---- */

#define ATOMIC(name, type, call) DEVICE type name(type *p, type v) { return call(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
#define INTEGERS(name, call) ATOMIC(name, int, call) ATOMIC(name, unsigned, call) ATOMIC(name, unsigned long, call) ATOMIC(name, unsigned long long, call)

INTEGERS(atomicAdd, __hip_atomic_fetch_add)
INTEGERS(atomicAnd, __hip_atomic_fetch_and)
INTEGERS(atomicOr, __hip_atomic_fetch_or)
INTEGERS(atomicXor, __hip_atomic_fetch_xor)
INTEGERS(atomicMin, __hip_atomic_fetch_min)
INTEGERS(atomicMax, __hip_atomic_fetch_max)
INTEGERS(atomicExch, __hip_atomic_exchange)
ATOMIC(atomicAdd, float, __hip_atomic_fetch_add)
ATOMIC(atomicAdd, double, __hip_atomic_fetch_add)
ATOMIC(atomicExch, float, __hip_atomic_exchange)
DEVICE int atomicSub(int *p, int v) { return atomicAdd(p, -v); }
DEVICE unsigned atomicSub(unsigned *p, unsigned v) { return atomicAdd(p, -v); }

#define CAS(type) \
	DEVICE type atomicCAS(type *p, type old, type v) \
	{ \
		__hip_atomic_compare_exchange_strong(p, &old, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); \
		return old; \
	}
CAS(int)
CAS(unsigned)
CAS(unsigned long)
CAS(unsigned long long)

/* ---- integers ---- */

DEVICE int __popc(unsigned v) { return __builtin_popcount(v); }
DEVICE int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
DEVICE int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
DEVICE int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
DEVICE int __ffs(unsigned v) { return __builtin_ffs((int)v); }
DEVICE int __ffsll(unsigned long long v) { return __builtin_ffsll((long long)v); }
DEVICE unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
DEVICE unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
DEVICE int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
DEVICE unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
DEVICE int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
DEVICE unsigned __float_as_uint(float v) { return __builtin_bit_cast(unsigned, v); }
DEVICE float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
DEVICE float __uint_as_float(unsigned v) { return __builtin_bit_cast(float, v); }
DEVICE long long __double_as_longlong(double v) { return __builtin_bit_cast(long long, v); }
DEVICE double __longlong_as_double(long long v) { return __builtin_bit_cast(double, v); }

#ifdef CROSSLANE_DEVICE_LIBRARIES

/* ---- the mathematics library: clang's header, whose functions are in the device libraries ---- */

#include <__clang_hip_runtime_wrapper.h>

#else

/* ---- what clang compiles by itself ---- */

#define SAME(name) DEVICE float name##f(float v) { return __builtin_##name##f(v); } DEVICE double name(double v) { return __builtin_##name(v); }
SAME(sqrt)
SAME(fabs)
SAME(floor)
SAME(ceil)
SAME(trunc)
SAME(rint)
SAME(round)
DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
DEVICE double fmin(double a, double b) { return __builtin_fmin(a, b); }
DEVICE double fmax(double a, double b) { return __builtin_fmax(a, b); }

/* The rest needs the device libraries: sin, cos, exp, log, pow and their kin are not declared. */

#define EXTREMES(type) \
	DEVICE type min(type a, type b) { return b < a ? b : a; } \
	DEVICE type max(type a, type b) { return a < b ? b : a; }
EXTREMES(int)
EXTREMES(unsigned)
EXTREMES(long)
EXTREMES(unsigned long)
EXTREMES(long long)
EXTREMES(unsigned long long)
EXTREMES(float)
EXTREMES(double)

#endif

#undef DEVICE
#undef OWED
