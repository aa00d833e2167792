/* Crosslane: what cuda_fp16.h and cuda_bf16.h have in common. They include it with
   CROSSLANE_T (the type), CROSSLANE_T2 (two of them), CROSSLANE_N and CROSSLANE_N2 (the names in functions), CROSSLANE_P and
   CROSSLANE_E (bits of the fraction and of the exponent), and the functions crosslane_* of their operations. */

#define CROSSLANE_CAT_(a, b, c) a##b##c
#define CROSSLANE_CAT(a, b, c) CROSSLANE_CAT_(a, b, c)

typedef struct { unsigned short x; } CROSSLANE_CAT(CROSSLANE_T, _raw, );
typedef struct { unsigned short x, y; } CROSSLANE_CAT(CROSSLANE_T2, _raw, );

CROSSLANE_HD float CROSSLANE_CAT(crosslane_, CROSSLANE_N, _widen)(unsigned short bits);
CROSSLANE_HD unsigned short CROSSLANE_CAT(crosslane_, CROSSLANE_N, _narrow)(float v);
CROSSLANE_HD unsigned short CROSSLANE_CAT(crosslane_, CROSSLANE_N, _narrow_double)(double v);
#define CROSSLANE_WIDEN CROSSLANE_CAT(crosslane_, CROSSLANE_N, _widen)
#define CROSSLANE_NARROW CROSSLANE_CAT(crosslane_, CROSSLANE_N, _narrow)
#define CROSSLANE_NARROW_DOUBLE CROSSLANE_CAT(crosslane_, CROSSLANE_N, _narrow_double)

struct __attribute__((aligned(2))) CROSSLANE_T {
	unsigned short __x;
	CROSSLANE_T() = default;
	__host__ __device__ constexpr CROSSLANE_T(const CROSSLANE_CAT(CROSSLANE_T, _raw, ) &r) : __x(r.x) {}
	__host__ __device__ CROSSLANE_T(float v) : __x(CROSSLANE_NARROW(v)) {}
	__host__ __device__ CROSSLANE_T(double v) : __x(CROSSLANE_NARROW_DOUBLE(v)) {}
#define CROSSLANE_FROM(I) __host__ __device__ CROSSLANE_T(I v) : __x(crosslane_narrow_int<CROSSLANE_P, CROSSLANE_E>(v < 0, v < 0 ? 0 - (unsigned long long)v : (unsigned long long)v, 0)) {}
	CROSSLANE_FROM(short)
	CROSSLANE_FROM(unsigned short)
	CROSSLANE_FROM(int)
	CROSSLANE_FROM(unsigned int)
	CROSSLANE_FROM(long)
	CROSSLANE_FROM(unsigned long)
	CROSSLANE_FROM(long long)
	CROSSLANE_FROM(unsigned long long)
#undef CROSSLANE_FROM
	__host__ __device__ operator CROSSLANE_CAT(CROSSLANE_T, _raw, )() const { return {__x}; }
	__host__ __device__ operator float() const { return CROSSLANE_WIDEN(__x); }
	__host__ __device__ constexpr operator bool() const { return (__x & 0x7fff) != 0; }
#define CROSSLANE_TO(I, bits, s) __host__ __device__ operator I() const { return (I)crosslane_to_int<bits, s>(CROSSLANE_WIDEN(__x), 1); }
	CROSSLANE_TO(char, 8, 1)
	CROSSLANE_TO(signed char, 8, 1)
	CROSSLANE_TO(unsigned char, 8, 0)
	CROSSLANE_TO(short, 16, 1)
	CROSSLANE_TO(unsigned short, 16, 0)
	CROSSLANE_TO(int, 32, 1)
	CROSSLANE_TO(unsigned int, 32, 0)
	CROSSLANE_TO(long, 64, 1)
	CROSSLANE_TO(unsigned long, 64, 0)
	CROSSLANE_TO(long long, 64, 1)
	CROSSLANE_TO(unsigned long long, 64, 0)
#undef CROSSLANE_TO
#define CROSSLANE_ASSIGN(I) __host__ __device__ CROSSLANE_T &operator=(I v) { return *this = CROSSLANE_T(v); }
	CROSSLANE_ASSIGN(float)
	CROSSLANE_ASSIGN(double)
	CROSSLANE_ASSIGN(short)
	CROSSLANE_ASSIGN(unsigned short)
	CROSSLANE_ASSIGN(int)
	CROSSLANE_ASSIGN(unsigned int)
	CROSSLANE_ASSIGN(long long)
	CROSSLANE_ASSIGN(unsigned long long)
#undef CROSSLANE_ASSIGN
	__host__ __device__ CROSSLANE_T &operator=(const CROSSLANE_CAT(CROSSLANE_T, _raw, ) &r) { __x = r.x; return *this; }
};

struct __attribute__((aligned(4))) CROSSLANE_T2 {
	CROSSLANE_T x, y;
	CROSSLANE_T2() = default;
	__host__ __device__ CROSSLANE_T2(const CROSSLANE_T &a, const CROSSLANE_T &b) : x(a), y(b) {}
	__host__ __device__ CROSSLANE_T2(const CROSSLANE_CAT(CROSSLANE_T2, _raw, ) &r) { x.__x = r.x, y.__x = r.y; }
	__host__ __device__ CROSSLANE_T2 &operator=(const CROSSLANE_CAT(CROSSLANE_T2, _raw, ) &r) { x.__x = r.x, y.__x = r.y; return *this; }
	__host__ __device__ operator CROSSLANE_CAT(CROSSLANE_T2, _raw, )() const { return {x.__x, y.__x}; }
};

CROSSLANE_HD CROSSLANE_T CROSSLANE_CAT(crosslane_, CROSSLANE_N, _of)(unsigned short bits) { CROSSLANE_T r; r.__x = bits; return r; }
CROSSLANE_HD CROSSLANE_T2 CROSSLANE_CAT(crosslane_, CROSSLANE_N2, _of)(unsigned int bits) { CROSSLANE_T2 r; r.x.__x = (unsigned short)bits, r.y.__x = (unsigned short)(bits >> 16); return r; }
CROSSLANE_HD unsigned int crosslane_bits(const CROSSLANE_T2 &v) { return v.x.__x | (unsigned int)v.y.__x << 16; }
#define CROSSLANE_OF CROSSLANE_CAT(crosslane_, CROSSLANE_N, _of)
#define CROSSLANE_OF2 CROSSLANE_CAT(crosslane_, CROSSLANE_N2, _of)

/* Conversions. */
CROSSLANE_HD float CROSSLANE_CAT(__, CROSSLANE_N, 2float)(CROSSLANE_T a) { return CROSSLANE_WIDEN(a.__x); }
CROSSLANE_HD CROSSLANE_T CROSSLANE_CAT(__float2, CROSSLANE_N, )(float a) { return CROSSLANE_OF(CROSSLANE_NARROW(a)); }
CROSSLANE_HD CROSSLANE_T CROSSLANE_CAT(__float2, CROSSLANE_N, _rn)(float a) { return CROSSLANE_OF(CROSSLANE_NARROW(a)); }
CROSSLANE_HD CROSSLANE_T CROSSLANE_CAT(__float2, CROSSLANE_N, _rz)(float a) { return CROSSLANE_OF(crosslane_narrow<CROSSLANE_P, CROSSLANE_E>(a, 1)); }
CROSSLANE_HD CROSSLANE_T CROSSLANE_CAT(__float2, CROSSLANE_N, _rd)(float a) { return CROSSLANE_OF(crosslane_narrow<CROSSLANE_P, CROSSLANE_E>(a, 2)); }
CROSSLANE_HD CROSSLANE_T CROSSLANE_CAT(__float2, CROSSLANE_N, _ru)(float a) { return CROSSLANE_OF(crosslane_narrow<CROSSLANE_P, CROSSLANE_E>(a, 3)); }
CROSSLANE_HD CROSSLANE_T CROSSLANE_CAT(__double2, CROSSLANE_N, )(double a) { return CROSSLANE_OF(CROSSLANE_NARROW_DOUBLE(a)); }
#define CROSSLANE_INT_MODE(I, name, bits, s, suffix, mode) \
	CROSSLANE_HD CROSSLANE_T CROSSLANE_CAT(__##name##2, CROSSLANE_N, suffix)(I v) { return CROSSLANE_OF(crosslane_narrow_int<CROSSLANE_P, CROSSLANE_E>(v < 0, v < 0 ? 0 - (unsigned long long)v : (unsigned long long)v, mode)); } \
	CROSSLANE_HD I CROSSLANE_CAT(__, CROSSLANE_N, 2##name##suffix)(CROSSLANE_T h) { return (I)crosslane_to_int<bits, s>(CROSSLANE_WIDEN(h.__x), mode); }
#define CROSSLANE_INT(I, name, bits, s) CROSSLANE_INT_MODE(I, name, bits, s, _rn, 0) CROSSLANE_INT_MODE(I, name, bits, s, _rz, 1) CROSSLANE_INT_MODE(I, name, bits, s, _rd, 2) CROSSLANE_INT_MODE(I, name, bits, s, _ru, 3)
CROSSLANE_INT(short, short, 16, 1)
CROSSLANE_INT(unsigned short, ushort, 16, 0)
CROSSLANE_INT(int, int, 32, 1)
CROSSLANE_INT(unsigned int, uint, 32, 0)
CROSSLANE_INT(long long, ll, 64, 1)
CROSSLANE_INT(unsigned long long, ull, 64, 0)
#undef CROSSLANE_INT
#undef CROSSLANE_INT_MODE
CROSSLANE_HD signed char CROSSLANE_CAT(__, CROSSLANE_N, 2char_rz)(CROSSLANE_T h) { return (signed char)crosslane_to_int<8, 1>(CROSSLANE_WIDEN(h.__x), 1); }
CROSSLANE_HD unsigned char CROSSLANE_CAT(__, CROSSLANE_N, 2uchar_rz)(CROSSLANE_T h) { return (unsigned char)crosslane_to_int<8, 0>(CROSSLANE_WIDEN(h.__x), 1); }
CROSSLANE_HD short CROSSLANE_CAT(__, CROSSLANE_N, _as_short)(CROSSLANE_T h) { return (short)h.__x; }
CROSSLANE_HD unsigned short CROSSLANE_CAT(__, CROSSLANE_N, _as_ushort)(CROSSLANE_T h) { return h.__x; }
CROSSLANE_HD CROSSLANE_T CROSSLANE_CAT(__short_as_, CROSSLANE_N, )(short v) { return CROSSLANE_OF((unsigned short)v); }
CROSSLANE_HD CROSSLANE_T CROSSLANE_CAT(__ushort_as_, CROSSLANE_N, )(unsigned short v) { return CROSSLANE_OF(v); }

/* Pairs. */
CROSSLANE_HD CROSSLANE_T2 CROSSLANE_CAT(make_, CROSSLANE_N2, )(CROSSLANE_T a, CROSSLANE_T b) { return CROSSLANE_T2(a, b); }
CROSSLANE_HD CROSSLANE_T2 CROSSLANE_CAT(__halves2, CROSSLANE_N2, )(CROSSLANE_T a, CROSSLANE_T b) { return CROSSLANE_T2(a, b); }
CROSSLANE_HD CROSSLANE_T2 CROSSLANE_CAT(CROSSLANE_CAT(__, CROSSLANE_N, 2), CROSSLANE_N2, )(CROSSLANE_T a) { return CROSSLANE_T2(a, a); }
CROSSLANE_HD CROSSLANE_T2 CROSSLANE_CAT(__float2, CROSSLANE_N2, _rn)(float a) { return CROSSLANE_T2(CROSSLANE_T(a), CROSSLANE_T(a)); }
CROSSLANE_HD CROSSLANE_T2 CROSSLANE_CAT(__floats2, CROSSLANE_N2, _rn)(float a, float b) { return CROSSLANE_T2(CROSSLANE_T(a), CROSSLANE_T(b)); }
CROSSLANE_HD CROSSLANE_T2 CROSSLANE_CAT(__float22, CROSSLANE_N2, _rn)(float2 a) { return CROSSLANE_T2(CROSSLANE_T(a.x), CROSSLANE_T(a.y)); }
CROSSLANE_HD float2 CROSSLANE_CAT(__, CROSSLANE_N2, 2float2)(CROSSLANE_T2 a) { return make_float2(a.x, a.y); }
CROSSLANE_HD float __low2float(CROSSLANE_T2 a) { return a.x; }
CROSSLANE_HD float __high2float(CROSSLANE_T2 a) { return a.y; }
CROSSLANE_HD CROSSLANE_T CROSSLANE_CAT(__low2, CROSSLANE_N, )(CROSSLANE_T2 a) { return a.x; }
CROSSLANE_HD CROSSLANE_T CROSSLANE_CAT(__high2, CROSSLANE_N, )(CROSSLANE_T2 a) { return a.y; }
CROSSLANE_HD CROSSLANE_T2 CROSSLANE_CAT(__low2, CROSSLANE_N2, )(CROSSLANE_T2 a) { return CROSSLANE_T2(a.x, a.x); }
CROSSLANE_HD CROSSLANE_T2 CROSSLANE_CAT(__high2, CROSSLANE_N2, )(CROSSLANE_T2 a) { return CROSSLANE_T2(a.y, a.y); }
CROSSLANE_HD CROSSLANE_T2 CROSSLANE_CAT(__lows2, CROSSLANE_N2, )(CROSSLANE_T2 a, CROSSLANE_T2 b) { return CROSSLANE_T2(a.x, b.x); }
CROSSLANE_HD CROSSLANE_T2 CROSSLANE_CAT(__highs2, CROSSLANE_N2, )(CROSSLANE_T2 a, CROSSLANE_T2 b) { return CROSSLANE_T2(a.y, b.y); }
CROSSLANE_HD CROSSLANE_T2 __lowhigh2highlow(CROSSLANE_T2 a) { return CROSSLANE_T2(a.y, a.x); }

/* Arithmetic. Sums, differences, products and quotients are rounded once: float has more than twice the digits. */
#define CROSSLANE_BINARY(name, op, emulated) \
	CROSSLANE_HD CROSSLANE_T name(CROSSLANE_T a, CROSSLANE_T b) { return CROSSLANE_OF(CROSSLANE_CAT(crosslane_, CROSSLANE_N, _##op)(a.__x, b.__x)); }
#define CROSSLANE_BINARY2(name, op) \
	CROSSLANE_HD CROSSLANE_T2 name(CROSSLANE_T2 a, CROSSLANE_T2 b) { return CROSSLANE_OF2(CROSSLANE_CAT(crosslane_, CROSSLANE_N2, _##op)(crosslane_bits(a), crosslane_bits(b))); }
#define CROSSLANE_OPERATION(name, op) CROSSLANE_BINARY(name, op, ) CROSSLANE_BINARY2(name##2, op)
CROSSLANE_OPERATION(__hadd, add)
CROSSLANE_OPERATION(__hsub, sub)
CROSSLANE_OPERATION(__hmul, mul)
CROSSLANE_OPERATION(__hmax, max)
CROSSLANE_OPERATION(__hmin, min)
CROSSLANE_BINARY(__hadd_rn, add, )
CROSSLANE_BINARY(__hsub_rn, sub, )
CROSSLANE_BINARY(__hmul_rn, mul, )
CROSSLANE_BINARY2(__hadd2_rn, add)
CROSSLANE_BINARY2(__hsub2_rn, sub)
CROSSLANE_BINARY2(__hmul2_rn, mul)
CROSSLANE_BINARY(__hmax_nan, max_nan, )
CROSSLANE_BINARY(__hmin_nan, min_nan, )
CROSSLANE_BINARY2(__hmax2_nan, max_nan)
CROSSLANE_BINARY2(__hmin2_nan, min_nan)
#undef CROSSLANE_OPERATION
#undef CROSSLANE_BINARY
#undef CROSSLANE_BINARY2
CROSSLANE_HD CROSSLANE_T __hdiv(CROSSLANE_T a, CROSSLANE_T b) { return CROSSLANE_T(crosslane_quotient(a, b)); }
CROSSLANE_HD CROSSLANE_T2 __h2div(CROSSLANE_T2 a, CROSSLANE_T2 b) { return CROSSLANE_T2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }

/* To [0, 1]; NaN becomes 0. */
CROSSLANE_HD CROSSLANE_T CROSSLANE_CAT(crosslane_, CROSSLANE_N, _sat)(CROSSLANE_T a) { float v = a; return v > 0 ? v < 1 ? a : CROSSLANE_T(1.0f) : CROSSLANE_OF(0); }
#define CROSSLANE_SAT CROSSLANE_CAT(crosslane_, CROSSLANE_N, _sat)
CROSSLANE_HD CROSSLANE_T __hadd_sat(CROSSLANE_T a, CROSSLANE_T b) { return CROSSLANE_SAT(__hadd(a, b)); }
CROSSLANE_HD CROSSLANE_T __hsub_sat(CROSSLANE_T a, CROSSLANE_T b) { return CROSSLANE_SAT(__hsub(a, b)); }
CROSSLANE_HD CROSSLANE_T __hmul_sat(CROSSLANE_T a, CROSSLANE_T b) { return CROSSLANE_SAT(__hmul(a, b)); }
CROSSLANE_HD CROSSLANE_T2 __hadd2_sat(CROSSLANE_T2 a, CROSSLANE_T2 b) { return CROSSLANE_T2(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); }
CROSSLANE_HD CROSSLANE_T2 __hsub2_sat(CROSSLANE_T2 a, CROSSLANE_T2 b) { return CROSSLANE_T2(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)); }
CROSSLANE_HD CROSSLANE_T2 __hmul2_sat(CROSSLANE_T2 a, CROSSLANE_T2 b) { return CROSSLANE_T2(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); }
CROSSLANE_D CROSSLANE_T __hfma(CROSSLANE_T a, CROSSLANE_T b, CROSSLANE_T c) { return CROSSLANE_OF(CROSSLANE_CAT(crosslane_, CROSSLANE_N, _fma)(a.__x, b.__x, c.__x)); }
CROSSLANE_D CROSSLANE_T2 __hfma2(CROSSLANE_T2 a, CROSSLANE_T2 b, CROSSLANE_T2 c) { return CROSSLANE_OF2(CROSSLANE_CAT(crosslane_, CROSSLANE_N2, _fma)(crosslane_bits(a), crosslane_bits(b), crosslane_bits(c))); }
CROSSLANE_D CROSSLANE_T __hfma_sat(CROSSLANE_T a, CROSSLANE_T b, CROSSLANE_T c) { return CROSSLANE_SAT(__hfma(a, b, c)); }
CROSSLANE_D CROSSLANE_T2 __hfma2_sat(CROSSLANE_T2 a, CROSSLANE_T2 b, CROSSLANE_T2 c) { return CROSSLANE_T2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); }
/* Negative results become 0, NaN the canonical one. */
CROSSLANE_D CROSSLANE_T __hfma_relu(CROSSLANE_T a, CROSSLANE_T b, CROSSLANE_T c) { return __hmax_nan(__hfma(a, b, c), CROSSLANE_OF(0)); }
CROSSLANE_D CROSSLANE_T2 __hfma2_relu(CROSSLANE_T2 a, CROSSLANE_T2 b, CROSSLANE_T2 c) { return CROSSLANE_T2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); }
CROSSLANE_HD CROSSLANE_T __hneg(CROSSLANE_T a) { return CROSSLANE_OF((a.__x & 0x7fff) > CROSSLANE_INF ? 0x7fff : a.__x ^ 0x8000); }
CROSSLANE_HD CROSSLANE_T __habs(CROSSLANE_T a) { return CROSSLANE_OF((a.__x & 0x7fff) > CROSSLANE_INF ? 0x7fff : a.__x & 0x7fff); }
CROSSLANE_HD CROSSLANE_T2 __hneg2(CROSSLANE_T2 a) { return CROSSLANE_T2(__hneg(a.x), __hneg(a.y)); }
CROSSLANE_HD CROSSLANE_T2 __habs2(CROSSLANE_T2 a) { return CROSSLANE_T2(__habs(a.x), __habs(a.y)); }
/* Complex numbers: a * b + c. */
CROSSLANE_D CROSSLANE_T2 __hcmadd(CROSSLANE_T2 a, CROSSLANE_T2 b, CROSSLANE_T2 c)
{
	return CROSSLANE_T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

/* Comparisons; those with u are true if an operand is NaN. */
#define CROSSLANE_COMPARE(name, expression) \
	CROSSLANE_HD bool __h##name(CROSSLANE_T a, CROSSLANE_T b) { float p = a, q = b; return expression; } \
	CROSSLANE_HD CROSSLANE_T2 __h##name##2(CROSSLANE_T2 a, CROSSLANE_T2 b) { return CROSSLANE_T2(CROSSLANE_OF(__h##name(a.x, b.x) ? CROSSLANE_ONE : 0), CROSSLANE_OF(__h##name(a.y, b.y) ? CROSSLANE_ONE : 0)); } \
	CROSSLANE_HD unsigned int __h##name##2_mask(CROSSLANE_T2 a, CROSSLANE_T2 b) { return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0); } \
	CROSSLANE_HD bool __hb##name##2(CROSSLANE_T2 a, CROSSLANE_T2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
CROSSLANE_COMPARE(eq, p == q)
CROSSLANE_COMPARE(ne, p < q || p > q)
CROSSLANE_COMPARE(lt, p < q)
CROSSLANE_COMPARE(le, p <= q)
CROSSLANE_COMPARE(gt, p > q)
CROSSLANE_COMPARE(ge, p >= q)
CROSSLANE_COMPARE(equ, !(p < q || p > q))
CROSSLANE_COMPARE(neu, !(p == q))
CROSSLANE_COMPARE(ltu, !(p >= q))
CROSSLANE_COMPARE(leu, !(p > q))
CROSSLANE_COMPARE(gtu, !(p <= q))
CROSSLANE_COMPARE(geu, !(p < q))
#undef CROSSLANE_COMPARE
CROSSLANE_HD bool __hisnan(CROSSLANE_T a) { return (a.__x & 0x7fff) > CROSSLANE_INF; }
CROSSLANE_HD CROSSLANE_T2 __hisnan2(CROSSLANE_T2 a) { return CROSSLANE_T2(CROSSLANE_OF(__hisnan(a.x) ? CROSSLANE_ONE : 0), CROSSLANE_OF(__hisnan(a.y) ? CROSSLANE_ONE : 0)); }
CROSSLANE_HD int __hisinf(CROSSLANE_T a) { return a.__x == CROSSLANE_INF ? 1 : a.__x == (CROSSLANE_INF | 0x8000) ? -1 : 0; }

/* Functions, rounded once: that of double has more than enough digits, and no result of a number of 16 bits lies so close to the
   middle between two numbers. A test compares all numbers. NVIDIA's are approximations, and may differ in the last bit, but for
   sqrt, rcp and the four that round. */
#define CROSSLANE_FUNCTION(name, T, expression) \
	CROSSLANE_D CROSSLANE_T h##name(CROSSLANE_T a) { const T v = CROSSLANE_WIDEN(a.__x); return CROSSLANE_T(expression); } \
	CROSSLANE_D CROSSLANE_T2 h2##name(CROSSLANE_T2 a) { return CROSSLANE_T2(h##name(a.x), h##name(a.y)); }
CROSSLANE_FUNCTION(ceil, float, ceilf(v))
CROSSLANE_FUNCTION(floor, float, floorf(v))
CROSSLANE_FUNCTION(trunc, float, truncf(v))
CROSSLANE_FUNCTION(rint, float, rintf(v))
CROSSLANE_FUNCTION(sqrt, float, __fsqrt_rn(v))
CROSSLANE_FUNCTION(rcp, float, __frcp_rn(v))
CROSSLANE_FUNCTION(rsqrt, double, rsqrt(v))
CROSSLANE_FUNCTION(exp, double, exp(v))
CROSSLANE_FUNCTION(exp2, double, exp2(v))
CROSSLANE_FUNCTION(exp10, double, exp10(v))
CROSSLANE_FUNCTION(log, double, log(v))
CROSSLANE_FUNCTION(log2, double, log2(v))
CROSSLANE_FUNCTION(log10, double, log10(v))
CROSSLANE_FUNCTION(sin, double, sin(v))
CROSSLANE_FUNCTION(cos, double, cos(v))
CROSSLANE_FUNCTION(tanh, double, tanh(v))
#undef CROSSLANE_FUNCTION

/* Shuffles. */
#define CROSSLANE_SHUFFLE(name, I) \
	CROSSLANE_D CROSSLANE_T __shfl##name##_sync(unsigned int mask, CROSSLANE_T v, I n, int width = 32) { return CROSSLANE_OF((unsigned short)__shfl##name##_sync(mask, (unsigned int)v.__x, n, width)); } \
	CROSSLANE_D CROSSLANE_T2 __shfl##name##_sync(unsigned int mask, CROSSLANE_T2 v, I n, int width = 32) { return CROSSLANE_OF2(__shfl##name##_sync(mask, crosslane_bits(v), n, width)); }
CROSSLANE_SHUFFLE(, int)
CROSSLANE_SHUFFLE(_up, unsigned int)
CROSSLANE_SHUFFLE(_down, unsigned int)
CROSSLANE_SHUFFLE(_xor, int)
#undef CROSSLANE_SHUFFLE

/* Loads and stores with a cache operator; those of __ldg and of the others of global memory. */
#define CROSSLANE_LOAD(name, op) \
	CROSSLANE_D CROSSLANE_T name(const CROSSLANE_T *p) { unsigned short v; asm(op ".b16 %0, [%1];" : "=h"(v) : "l"(p) : "memory"); return CROSSLANE_OF(v); } \
	CROSSLANE_D CROSSLANE_T2 name(const CROSSLANE_T2 *p) { unsigned int v; asm(op ".b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return CROSSLANE_OF2(v); }
CROSSLANE_LOAD(__ldg, "ld.global.nc")
CROSSLANE_LOAD(__ldca, "ld.global.ca")
CROSSLANE_LOAD(__ldcg, "ld.global.cg")
CROSSLANE_LOAD(__ldcs, "ld.global.cs")
CROSSLANE_LOAD(__ldlu, "ld.global.lu")
CROSSLANE_LOAD(__ldcv, "ld.global.cv")
#undef CROSSLANE_LOAD
#define CROSSLANE_STORE(name, op) \
	CROSSLANE_D void name(CROSSLANE_T *p, CROSSLANE_T v) { asm volatile(op ".b16 [%0], %1;" : : "l"(p), "h"(v.__x) : "memory"); } \
	CROSSLANE_D void name(CROSSLANE_T2 *p, CROSSLANE_T2 v) { asm volatile(op ".b32 [%0], %1;" : : "l"(p), "r"(crosslane_bits(v)) : "memory"); }
CROSSLANE_STORE(__stwb, "st.global.wb")
CROSSLANE_STORE(__stcg, "st.global.cg")
CROSSLANE_STORE(__stcs, "st.global.cs")
CROSSLANE_STORE(__stwt, "st.global.wt")
#undef CROSSLANE_STORE

/* Operators. */
#define CROSSLANE_OPERATOR(op, name) \
	CROSSLANE_HD CROSSLANE_T operator op(const CROSSLANE_T &a, const CROSSLANE_T &b) { return name(a, b); } \
	CROSSLANE_HD CROSSLANE_T &operator op##=(CROSSLANE_T &a, const CROSSLANE_T &b) { return a = name(a, b); }
CROSSLANE_OPERATOR(+, __hadd)
CROSSLANE_OPERATOR(-, __hsub)
CROSSLANE_OPERATOR(*, __hmul)
CROSSLANE_OPERATOR(/, __hdiv)
#undef CROSSLANE_OPERATOR
#define CROSSLANE_OPERATOR(op, name) \
	CROSSLANE_HD CROSSLANE_T2 operator op(const CROSSLANE_T2 &a, const CROSSLANE_T2 &b) { return name(a, b); } \
	CROSSLANE_HD CROSSLANE_T2 &operator op##=(CROSSLANE_T2 &a, const CROSSLANE_T2 &b) { return a = name(a, b); }
CROSSLANE_OPERATOR(+, __hadd2)
CROSSLANE_OPERATOR(-, __hsub2)
CROSSLANE_OPERATOR(*, __hmul2)
CROSSLANE_OPERATOR(/, __h2div)
#undef CROSSLANE_OPERATOR
CROSSLANE_HD CROSSLANE_T operator+(const CROSSLANE_T &a) { return a; }
CROSSLANE_HD CROSSLANE_T operator-(const CROSSLANE_T &a) { return __hneg(a); }
CROSSLANE_HD CROSSLANE_T2 operator+(const CROSSLANE_T2 &a) { return a; }
CROSSLANE_HD CROSSLANE_T2 operator-(const CROSSLANE_T2 &a) { return __hneg2(a); }
CROSSLANE_HD CROSSLANE_T &operator++(CROSSLANE_T &a) { return a = __hadd(a, CROSSLANE_OF(CROSSLANE_ONE)); }
CROSSLANE_HD CROSSLANE_T &operator--(CROSSLANE_T &a) { return a = __hsub(a, CROSSLANE_OF(CROSSLANE_ONE)); }
CROSSLANE_HD CROSSLANE_T operator++(CROSSLANE_T &a, int) { CROSSLANE_T old = a; ++a; return old; }
CROSSLANE_HD CROSSLANE_T operator--(CROSSLANE_T &a, int) { CROSSLANE_T old = a; --a; return old; }
#define CROSSLANE_OPERATOR(op, name) \
	CROSSLANE_HD bool operator op(const CROSSLANE_T &a, const CROSSLANE_T &b) { return __h##name(a, b); } \
	CROSSLANE_HD bool operator op(const CROSSLANE_T2 &a, const CROSSLANE_T2 &b) { return __hb##name##2(a, b); }
CROSSLANE_OPERATOR(==, eq)
CROSSLANE_OPERATOR(!=, neu)
CROSSLANE_OPERATOR(<, lt)
CROSSLANE_OPERATOR(<=, le)
CROSSLANE_OPERATOR(>, gt)
CROSSLANE_OPERATOR(>=, ge)
#undef CROSSLANE_OPERATOR

#undef CROSSLANE_WIDEN
#undef CROSSLANE_NARROW
#undef CROSSLANE_NARROW_DOUBLE
#undef CROSSLANE_OF
#undef CROSSLANE_OF2
#undef CROSSLANE_SAT
#undef CROSSLANE_T
#undef CROSSLANE_T2
#undef CROSSLANE_N
#undef CROSSLANE_N2
#undef CROSSLANE_P
#undef CROSSLANE_E
#undef CROSSLANE_INF
#undef CROSSLANE_ONE
#undef CROSSLANE_CAT
#undef CROSSLANE_CAT_
