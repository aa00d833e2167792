/* Crosslane: a small header in place of one of CUDA. */
#ifndef CROSSLANE_CUDA_FP16_H
#define CROSSLANE_CUDA_FP16_H

/* Numbers of 16 bits: IEEE 754 binary16. Kernels of sm_53 and later compute with PTX of f16, the host with float. */

#include "cuda_runtime.h"
#include "crosslane_rounding.h"

#define CROSSLANE_T __half
#define CROSSLANE_T2 __half2
#define CROSSLANE_N half
#define CROSSLANE_N2 half2
#define CROSSLANE_P 10
#define CROSSLANE_E 5
#define CROSSLANE_INF 0x7c00
#define CROSSLANE_ONE 0x3c00

CROSSLANE_HD float crosslane_half_widen(unsigned short h)
{
#if defined(__CUDA_ARCH__)
	float f;
	asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
	return f;
#else
	unsigned int sign = (h & 0x8000u) << 16, e = h >> 10 & 31, m = h & 1023;
	if (e == 0) { /* a multiple of 2^-24 */
		float f = (float)m * 0x1p-24f;
		return sign ? -f : f;
	}
	if (e == 31)
		return __builtin_bit_cast(float, m ? 0x7fffffff : sign | 0x7f800000);
	return __builtin_bit_cast(float, sign | (e + 112) << 23 | m << 13);
#endif
}
CROSSLANE_HD unsigned short crosslane_half_narrow(float v)
{
#if defined(__CUDA_ARCH__)
	unsigned short h;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(v));
	return h;
#else
	return crosslane_narrow<10, 5>(v, 0);
#endif
}
CROSSLANE_HD unsigned short crosslane_half_narrow_double(double v)
{
#if defined(__CUDA_ARCH__)
	unsigned short h;
	asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h) : "d"(v));
	return h;
#else
	return crosslane_narrow<10, 5>(v, 0);
#endif
}

/* An operation of one and of two numbers: by PTX from the architecture on, else by float. */
#define CROSSLANE_HALF_OP(name, arch, ptx, expression) \
	CROSSLANE_HD unsigned short crosslane_half_##name##_soft(unsigned short x, unsigned short y) { float a = crosslane_half_widen(x), b = crosslane_half_widen(y); return crosslane_half_narrow(expression); } \
	CROSSLANE_HALF_OP_##arch(name, ptx)
#define CROSSLANE_HALF_HARD(name, ptx) \
	CROSSLANE_HD unsigned short crosslane_half_##name(unsigned short a, unsigned short b) { unsigned short r; asm(ptx ".f16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b)); return r; } \
	CROSSLANE_HD unsigned int crosslane_half2_##name(unsigned int a, unsigned int b) { unsigned int r; asm(ptx ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
#define CROSSLANE_HALF_SOFT(name, ptx) \
	CROSSLANE_HD unsigned short crosslane_half_##name(unsigned short a, unsigned short b) { return crosslane_half_##name##_soft(a, b); } \
	CROSSLANE_HD unsigned int crosslane_half2_##name(unsigned int a, unsigned int b) { return crosslane_half_##name##_soft((unsigned short)a, (unsigned short)b) | (unsigned int)crosslane_half_##name##_soft((unsigned short)(a >> 16), (unsigned short)(b >> 16)) << 16; }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
#define CROSSLANE_HALF_OP_53 CROSSLANE_HALF_HARD
#else
#define CROSSLANE_HALF_OP_53 CROSSLANE_HALF_SOFT
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define CROSSLANE_HALF_OP_80 CROSSLANE_HALF_HARD
#else
#define CROSSLANE_HALF_OP_80 CROSSLANE_HALF_SOFT
#endif
/* The larger and the smaller number; +0 is larger than -0. One NaN of two is left out, or is the result. */
CROSSLANE_HD float crosslane_max(float a, float b) { return a != a ? b : b != b ? a : a > b || (a == b && !__builtin_signbit(a)) ? a : b; }
CROSSLANE_HD float crosslane_min(float a, float b) { return a != a ? b : b != b ? a : a < b || (a == b && __builtin_signbit(a)) ? a : b; }
CROSSLANE_HALF_OP(add, 53, "add", a + b)
CROSSLANE_HALF_OP(sub, 53, "sub", a - b)
CROSSLANE_HALF_OP(mul, 53, "mul", a * b)
CROSSLANE_HALF_OP(max, 80, "max", crosslane_max(a, b))
CROSSLANE_HALF_OP(min, 80, "min", crosslane_min(a, b))
CROSSLANE_HALF_OP(max_nan, 80, "max.NaN", a != a ? a : b != b ? b : crosslane_max(a, b))
CROSSLANE_HALF_OP(min_nan, 80, "min.NaN", a != a ? a : b != b ? b : crosslane_min(a, b))
#undef CROSSLANE_HALF_OP
#undef CROSSLANE_HALF_OP_53
#undef CROSSLANE_HALF_OP_80
#undef CROSSLANE_HALF_HARD
#undef CROSSLANE_HALF_SOFT
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 530
CROSSLANE_D unsigned short crosslane_half_fma(unsigned short a, unsigned short b, unsigned short c) { unsigned short r; asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a), "h"(b), "h"(c)); return r; }
CROSSLANE_D unsigned int crosslane_half2_fma(unsigned int a, unsigned int b, unsigned int c) { unsigned int r; asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }
#else
/* The product is exact in double, and the sum is of at most 64 bits that matter; float would round twice. */
CROSSLANE_D unsigned short crosslane_half_fma(unsigned short a, unsigned short b, unsigned short c) { return crosslane_half_narrow_double(fma((double)crosslane_half_widen(a), (double)crosslane_half_widen(b), (double)crosslane_half_widen(c))); }
CROSSLANE_D unsigned int crosslane_half2_fma(unsigned int a, unsigned int b, unsigned int c) { return crosslane_half_fma((unsigned short)a, (unsigned short)b, (unsigned short)c) | (unsigned int)crosslane_half_fma((unsigned short)(a >> 16), (unsigned short)(b >> 16), (unsigned short)(c >> 16)) << 16; }
#endif

#include "crosslane_float16.h"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
CROSSLANE_D __half htanh_approx(__half a) { __half r; asm("tanh.approx.f16 %0, %1;" : "=h"(r.__x) : "h"(a.__x)); return r; }
CROSSLANE_D __half2 h2tanh_approx(__half2 a) { unsigned int r; asm("tanh.approx.f16x2 %0, %1;" : "=r"(r) : "r"(crosslane_bits(a))); return crosslane_half2_of(r); }
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
CROSSLANE_D __half2 atomicAdd(__half2 *p, __half2 v) { unsigned int old; asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(crosslane_bits(v)) : "memory"); return crosslane_half2_of(old); }
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
CROSSLANE_D __half atomicAdd(__half *p, __half v) { __half old; asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old.__x) : "l"(p), "h"(v.__x) : "memory"); return old; }
#endif

#endif
