/* Crosslane: a small header in place of one of CUDA. */
#ifndef CROSSLANE_CUDA_BF16_H
#define CROSSLANE_CUDA_BF16_H

/* Numbers of 16 bits: the upper half of a float. Kernels of sm_90 and later compute with PTX of bf16, those of sm_80 with its
   fma, older ones and the host with float. */

#include "cuda_fp16.h"

#define CROSSLANE_T __nv_bfloat16
#define CROSSLANE_T2 __nv_bfloat162
#define CROSSLANE_N bfloat16
#define CROSSLANE_N2 bfloat162
#define CROSSLANE_P 7
#define CROSSLANE_E 8
#define CROSSLANE_INF 0x7f80
#define CROSSLANE_ONE 0x3f80

CROSSLANE_HD float crosslane_bfloat16_widen(unsigned short h) { return __builtin_bit_cast(float, (unsigned int)h << 16); }
CROSSLANE_HD unsigned short crosslane_bfloat16_narrow(float v)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	unsigned short h;
	asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(v));
	return h;
#else
	return crosslane_narrow<7, 8>(v, 0);
#endif
}
CROSSLANE_HD unsigned short crosslane_bfloat16_narrow_double(double v) { return crosslane_narrow<7, 8>(v, 0); }

#define CROSSLANE_PAIR(name) \
	CROSSLANE_HD unsigned int crosslane_bfloat162_##name(unsigned int a, unsigned int b) { return crosslane_bfloat16_##name((unsigned short)a, (unsigned short)b) | (unsigned int)crosslane_bfloat16_##name((unsigned short)(a >> 16), (unsigned short)(b >> 16)) << 16; }
#define CROSSLANE_SOFT(name, expression) \
	CROSSLANE_HD unsigned short crosslane_bfloat16_##name(unsigned short x, unsigned short y) { float a = crosslane_bfloat16_widen(x), b = crosslane_bfloat16_widen(y); return crosslane_bfloat16_narrow(expression); } \
	CROSSLANE_PAIR(name)
#define CROSSLANE_HARD(name, ptx) \
	CROSSLANE_HD unsigned short crosslane_bfloat16_##name(unsigned short a, unsigned short b) { unsigned short r; asm(ptx ".bf16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b)); return r; } \
	CROSSLANE_HD unsigned int crosslane_bfloat162_##name(unsigned int a, unsigned int b) { unsigned int r; asm(ptx ".bf16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
CROSSLANE_D unsigned short crosslane_bfloat16_fma(unsigned short a, unsigned short b, unsigned short c) { unsigned short r; asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(a), "h"(b), "h"(c)); return r; }
CROSSLANE_D unsigned int crosslane_bfloat162_fma(unsigned int a, unsigned int b, unsigned int c) { unsigned int r; asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }
#else
/* Rounded twice, as by NVIDIA's header for these architectures. */
CROSSLANE_D unsigned short crosslane_bfloat16_fma(unsigned short a, unsigned short b, unsigned short c) { return crosslane_bfloat16_narrow(fmaf(crosslane_bfloat16_widen(a), crosslane_bfloat16_widen(b), crosslane_bfloat16_widen(c))); }
CROSSLANE_D unsigned int crosslane_bfloat162_fma(unsigned int a, unsigned int b, unsigned int c) { return crosslane_bfloat16_fma((unsigned short)a, (unsigned short)b, (unsigned short)c) | (unsigned int)crosslane_bfloat16_fma((unsigned short)(a >> 16), (unsigned short)(b >> 16), (unsigned short)(c >> 16)) << 16; }
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
CROSSLANE_HARD(add, "add")
CROSSLANE_HARD(sub, "sub")
CROSSLANE_HARD(mul, "mul")
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
/* a * 1 + b, b * -1 + a, a * b + -0: each is exact before it is rounded. */
#define CROSSLANE_BY_FMA(name, p, q, r) \
	CROSSLANE_D unsigned short crosslane_bfloat16_##name##_device(unsigned short a, unsigned short b) { const unsigned short one = 0x3f80, minus_one = 0xbf80, minus_zero = 0x8000; (void)one, (void)minus_one, (void)minus_zero; return crosslane_bfloat16_fma(p, q, r); } \
	CROSSLANE_HD unsigned short crosslane_bfloat16_##name(unsigned short a, unsigned short b) { return crosslane_bfloat16_##name##_device(a, b); } \
	CROSSLANE_PAIR(name)
CROSSLANE_BY_FMA(add, a, one, b)
CROSSLANE_BY_FMA(sub, b, minus_one, a)
CROSSLANE_BY_FMA(mul, a, b, minus_zero)
#undef CROSSLANE_BY_FMA
#else
CROSSLANE_SOFT(add, a + b)
CROSSLANE_SOFT(sub, a - b)
CROSSLANE_SOFT(mul, a * b)
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
CROSSLANE_HARD(max, "max")
CROSSLANE_HARD(min, "min")
CROSSLANE_HARD(max_nan, "max.NaN")
CROSSLANE_HARD(min_nan, "min.NaN")
#else
CROSSLANE_SOFT(max, crosslane_max(a, b))
CROSSLANE_SOFT(min, crosslane_min(a, b))
CROSSLANE_SOFT(max_nan, a != a ? a : b != b ? b : crosslane_max(a, b))
CROSSLANE_SOFT(min_nan, a != a ? a : b != b ? b : crosslane_min(a, b))
#endif
#undef CROSSLANE_PAIR
#undef CROSSLANE_SOFT
#undef CROSSLANE_HARD

#include "crosslane_float16.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
CROSSLANE_D __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v) { __nv_bfloat16 old; asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(old.__x) : "l"(p), "h"(v.__x) : "memory"); return old; }
CROSSLANE_D __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v) { unsigned int old; asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(crosslane_bits(v)) : "memory"); return crosslane_bfloat162_of(old); }
#endif

#endif
