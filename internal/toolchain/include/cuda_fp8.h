/* Crosslane: a small header in place of one of CUDA. */
#ifndef CROSSLANE_CUDA_FP8_H
#define CROSSLANE_CUDA_FP8_H

/* Numbers of 8 bits: e4m3 (no infinities, one NaN of each sign) and e5m2, to nearest even; and e8m0, the powers of two from
   2^-127 to 2^127 and one NaN, towards zero or up. One at a time. */

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "driver_types.h"

typedef unsigned char __nv_fp8_storage_t;
typedef enum { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

/* With __NV_SATFINITE what is too large becomes the largest number; else NaN in e4m3, and infinity in e5m2. */
CROSSLANE_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(double v, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
	const unsigned char sign = __builtin_signbit(v) ? 0x80 : 0;
	if (v != v)
		return 0x7f;
	if (kind == __NV_E5M2) { /* the format of E bits for exponents, but in the upper bits of 16 */
		unsigned char r = (unsigned char)(crosslane_narrow<2, 5>(v, 0) & 0x7f);
		return sign | (saturate == __NV_SATFINITE && r == 0x7c ? 0x7b : r);
	}
	/* e4m3 is a format whose exponent of infinities holds numbers: one more bit of exponent, with another bias. */
	const double a = sign ? -v : v;
	unsigned char r;
	if (a > 464) /* the middle between 448 and the number that would follow */
		r = saturate == __NV_SATFINITE ? 0x7e : 0x7f;
	else if (a >= 0x1p-6) {
		r = (unsigned char)(crosslane_narrow<3, 5>(a, 0) - (8 << 3));
		if (r > 0x7e)
			r = saturate == __NV_SATFINITE ? 0x7e : 0x7f;
	} else
		r = (unsigned char)(crosslane_narrow<3, 5>(a * 0x1p-8, 0)); /* multiples of 2^-9 */
	return sign | r;
}
CROSSLANE_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(float v, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) { return __nv_cvt_double_to_fp8(v, saturate, kind); }
CROSSLANE_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw v, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) { return __nv_cvt_double_to_fp8(__half2float(__half(v)), saturate, kind); }
CROSSLANE_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw v, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) { return __nv_cvt_double_to_fp8(__bfloat162float(__nv_bfloat16(v)), saturate, kind); }
CROSSLANE_HD __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t v, __nv_fp8_interpretation_t kind)
{
	__half_raw r;
	const unsigned short sign = (unsigned short)((v & 0x80) << 8), rest = v & 0x7f;
	if (kind == __NV_E5M2)
		r.x = rest > 0x7c ? 0x7fff : sign | rest << 8;
	else if (rest == 0x7f)
		r.x = 0x7fff;
	else if (rest >= 8)
		r.x = sign | (unsigned short)((rest << 7) + (8 << 10));
	else
		r.x = sign | __half_as_ushort(__float2half((float)rest * 0x1p-9f));
	return r;
}

/* The sign is dropped. Infinities, and what is rounded up above 2^127, are NaN, or 2^127 with __NV_SATFINITE. The rounding is
   cudaRoundZero or cudaRoundPosInf. */
CROSSLANE_HD __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double v, __nv_saturation_t saturate, enum cudaRoundMode rounding)
{
	unsigned long long bits;
	__builtin_memcpy(&bits, &v, sizeof bits);
	bits &= ~0ull >> 1;
	if (v != v)
		return 0xff;
	const unsigned char most = saturate == __NV_SATFINITE ? 0xfe : 0xff;
	if (bits == 0x7ffull << 52)
		return most;
	int r = (int)(bits >> 52) - 1023 + 127; /* of numbers below the normal ones, too: these are far below 2^-127 */
	if (r < 0)
		return 0;
	if (rounding == cudaRoundPosInf && bits << 12)
		return ++r > 0xfe ? most : (unsigned char)r;
	return r > 0xfe ? 0xfe : (unsigned char)r;
}
CROSSLANE_HD __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float v, __nv_saturation_t saturate, enum cudaRoundMode rounding) { return __nv_cvt_double_to_e8m0(v, saturate, rounding); }
CROSSLANE_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw v, __nv_saturation_t saturate, enum cudaRoundMode rounding) { return __nv_cvt_double_to_e8m0(__bfloat162float(__nv_bfloat16(v)), saturate, rounding); }
CROSSLANE_HD __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t v)
{
	__nv_bfloat16_raw r;
	r.x = v == 0xff ? 0x7fff : v == 0 ? 0x40 : (unsigned short)(v << 7);
	return r;
}

#define CROSSLANE_FP8(T, kind) \
	struct T { \
		__nv_fp8_storage_t __x; \
		T() = default; \
		explicit __host__ __device__ T(float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, kind)) {} \
		explicit __host__ __device__ T(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, kind)) {} \
		explicit __host__ __device__ T(__half v) : __x(__nv_cvt_halfraw_to_fp8(v, __NV_SATFINITE, kind)) {} \
		explicit __host__ __device__ T(__nv_bfloat16 v) : __x(__nv_cvt_bfloat16raw_to_fp8(v, __NV_SATFINITE, kind)) {} \
		explicit __host__ __device__ T(int v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, kind)) {} \
		explicit __host__ __device__ operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, kind)); } \
		explicit __host__ __device__ operator float() const { return __half2float(__half(__nv_cvt_fp8_to_halfraw(__x, kind))); } \
		explicit __host__ __device__ operator double() const { return __half2float(__half(__nv_cvt_fp8_to_halfraw(__x, kind))); } \
		explicit __host__ __device__ operator bool() const { return (__x & 0x7f) != 0; } \
	};
CROSSLANE_FP8(__nv_fp8_e4m3, __NV_E4M3)
CROSSLANE_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef CROSSLANE_FP8

/* Constructors round up, to finite numbers. */
struct __nv_fp8_e8m0 {
	__nv_fp8_storage_t __x;
	__nv_fp8_e8m0() = default;
	explicit __host__ __device__ __nv_fp8_e8m0(float v) : __x(__nv_cvt_float_to_e8m0(v, __NV_SATFINITE, cudaRoundPosInf)) {}
	explicit __host__ __device__ __nv_fp8_e8m0(double v) : __x(__nv_cvt_double_to_e8m0(v, __NV_SATFINITE, cudaRoundPosInf)) {}
	explicit __host__ __device__ __nv_fp8_e8m0(__half v) : __x(__nv_cvt_float_to_e8m0(__half2float(v), __NV_SATFINITE, cudaRoundPosInf)) {}
	explicit __host__ __device__ __nv_fp8_e8m0(__nv_bfloat16 v) : __x(__nv_cvt_bfloat16raw_to_e8m0(v, __NV_SATFINITE, cudaRoundPosInf)) {}
	explicit __host__ __device__ __nv_fp8_e8m0(int v) : __x(__nv_cvt_double_to_e8m0(v, __NV_SATFINITE, cudaRoundPosInf)) {}
	explicit __host__ __device__ operator __nv_bfloat16() const { return __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x)); }
	explicit __host__ __device__ operator float() const { return __bfloat162float(__nv_bfloat16(*this)); }
	explicit __host__ __device__ operator double() const { return __bfloat162float(__nv_bfloat16(*this)); }
	explicit __host__ __device__ operator __half() const { return __float2half((float)*this); }
};

#endif
