/* Crosslane: conversions between numbers of 16 bits and others, bit by bit, for cuda_fp16.h and cuda_bf16.h. */
#ifndef CROSSLANE_ROUNDING_H
#define CROSSLANE_ROUNDING_H

#define CROSSLANE_HD static __inline__ __attribute__((always_inline, unused)) __host__ __device__
#define CROSSLANE_D static __inline__ __attribute__((always_inline, unused)) __device__

/* A number of P bits of fraction and E of exponent. mode: 0 to nearest even, 1 to zero, 2 down, 3 up. */
template <int P, int E> static __inline__ __attribute__((unused)) __host__ __device__ unsigned short crosslane_narrow(double d, int mode)
{
	unsigned long long b = __builtin_bit_cast(unsigned long long, d), m = b & ((1ull << 52) - 1);
	const unsigned int negative = (unsigned int)(b >> 63), sign = negative << 15, inf = ((1u << E) - 1) << P;
	const int bias = (1 << (E - 1)) - 1;
	int e = (int)(b >> 52 & 0x7ff) - 1023;
	if (e == 1024)
		return (unsigned short)(m ? 0x7fff : sign | inf);
	if (e == -1023)
		e++;
	else
		m |= 1ull << 52;
	int drop = 52 - P;
	if (e < 1 - bias)
		drop = e < -bias - P ? 54 : drop + 1 - bias - e;
	const unsigned long long rest = m & ((1ull << drop) - 1), half = 1ull << (drop - 1);
	unsigned int q = (unsigned int)(m >> drop);
	q += mode == 0 ? rest > half || (rest == half && (q & 1)) : mode == 1 ? 0 : mode == 2 ? negative && rest : !negative && rest;
	if (e >= 1 - bias)
		q += (unsigned int)(e + bias - 1) << P;
	if (q >= inf)
		q = mode == 0 || (mode == 2 && negative) || (mode == 3 && !negative) ? inf : inf - 1;
	return (unsigned short)(sign | q);
}

/* The same of an integer. What does not fit into a double only matters as other than zero. */
template <int P, int E> static __inline__ __attribute__((unused)) __host__ __device__ unsigned short crosslane_narrow_int(bool negative, unsigned long long v, int mode)
{
	if (v >> 53)
		v = (v & ~0x7ffull) | ((v & 0x7ff) != 0 ? 0x800 : 0);
	return crosslane_narrow<P, E>(negative ? -(double)v : (double)v, mode);
}

/* To an integer, with the nearest one for what is outside. NaN: 0, or the highest bit of 64. */
template <int Bits, int Signed> static __inline__ __attribute__((unused)) __host__ __device__ long long crosslane_to_int(float v, int mode)
{
	if (v != v)
		return Bits == 64 ? (long long)(1ull << 63) : 0;
	const float limit = Signed ? (float)(1ull << (Bits - 1)) : 2 * (float)(1ull << (Bits - 1));
	float w = mode == 0 ? __builtin_rintf(v) : mode == 1 ? __builtin_truncf(v) : mode == 2 ? __builtin_floorf(v) : __builtin_ceilf(v);
	if (w >= limit)
		return Signed ? (long long)((1ull << (Bits - 1)) - 1) : (long long)(~0ull >> (64 - Bits));
	if (w < (Signed ? -limit : 0))
		return Signed ? (long long)(~0ull << (Bits - 1)) : 0;
	return Signed ? (long long)w : (long long)(unsigned long long)w;
}

CROSSLANE_HD float crosslane_quotient(float a, float b)
{
#ifdef __CUDA_ARCH__
	return __fdiv_rn(a, b);
#else
	return a / b;
#endif
}

#endif
