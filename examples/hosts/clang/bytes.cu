// Numbers of 8 bits. e4m3 and e5m2: all of them to half, and all numbers of half to them. e8m0: all of them to bfloat16, and all
// numbers of bfloat16 to them. The host knows them by their fields.
#include "check.h"
#include <cmath>
#include <cuda_fp8.h>
#include <initializer_list>

struct formats {
	unsigned short half[2], bfloat;
	unsigned char byte[2][2], power[2][2]; // by kind or by rounding (towards zero, up); without and with saturation
};

__host__ __device__ void convert(unsigned short h, formats *f)
{
	__half_raw raw;
	raw.x = h;
	for (int kind = 0; kind < 2; kind++) {
		__nv_fp8_interpretation_t k = kind == 0 ? __NV_E4M3 : __NV_E5M2;
		f->half[kind] = __nv_cvt_fp8_to_halfraw((unsigned char)h, k).x;
		f->byte[kind][0] = __nv_cvt_halfraw_to_fp8(raw, __NV_NOSAT, k);
		f->byte[kind][1] = kind == 0 ? __nv_fp8_e4m3(__half(raw)).__x : __nv_fp8_e5m2(__half(raw)).__x;
	}
	__nv_bfloat16_raw bfloat;
	bfloat.x = h;
	f->bfloat = __nv_cvt_e8m0_to_bf16raw((unsigned char)h).x;
	for (int saturate = 0; saturate < 2; saturate++) {
		f->power[0][saturate] = __nv_cvt_bfloat16raw_to_e8m0(bfloat, saturate ? __NV_SATFINITE : __NV_NOSAT, cudaRoundZero);
		f->power[1][saturate] = __nv_cvt_float_to_e8m0(__bfloat162float(__nv_bfloat16(bfloat)), saturate ? __NV_SATFINITE : __NV_NOSAT, cudaRoundPosInf);
	}
}

__global__ void all(formats *f)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
	convert((unsigned short)i, f + i);
}

static double value(int b, int fraction, int bias)
{
	int e = b >> fraction, m = b & ((1 << fraction) - 1);
	return e ? std::ldexp(m + (1 << fraction), e - bias - fraction) : std::ldexp(m, 1 - bias - fraction);
}

static double of_half(unsigned short h)
{
	int b = h & 0x7fff;
	double v = b > 0x7c00 ? NAN : b == 0x7c00 ? INFINITY : value(b, 10, 15);
	return h & 0x8000 ? -v : v;
}

static double of_byte(int b, int kind)
{
	int m = b & 0x7f;
	double v = kind == 0 ? m == 0x7f ? NAN : value(m, 3, 7) : m > 0x7c ? NAN : m == 0x7c ? INFINITY : value(m, 2, 15);
	return b & 0x80 ? -v : v;
}

// nearest is the byte for v. What is above the middle after the largest number (with an odd fraction: at it, too) is too large.
static int nearest(double v, int kind, bool saturate)
{
	if (v != v)
		return 0x7f;
	int largest = kind == 0 ? 0x7e : 0x7b, best = 0;
	double a = std::fabs(v), limit = kind == 0 ? 464 : 61440; // the middle; 448 is even, 57344 odd
	if (kind == 0 ? a > limit : a >= limit)
		best = saturate ? largest : largest + 1;
	else
		for (int b = 1; b <= largest; b++) {
			double was = std::fabs(a - of_byte(best, kind)), is = std::fabs(a - of_byte(b, kind));
			if (is < was || (is == was && b % 2 == 0))
				best = b;
		}
	return best | (std::signbit(v) ? 0x80 : 0);
}

static double of_bfloat(unsigned short h)
{
	int b = h & 0x7fff;
	return b > 0x7f80 ? NAN : b == 0x7f80 ? INFINITY : value(b, 7, 127);
}

// power is the byte for a number that is not negative: the largest power of two below, or the smallest one above.
static int power(double v, bool up, bool saturate)
{
	if (v != v)
		return 0xff;
	int b = 0;
	while (b < 255 && (up ? std::ldexp(1, b - 127) < v : std::ldexp(1, b - 126) <= v))
		b++;
	bool large = up || v > std::ldexp(1.5, 127) * 2; // towards zero, only infinity is too large
	return b == 255 && (saturate || !large) ? 0xfe : b;
}

int main()
{
	const int n = 65536;
	formats *f, host;
	OK(cudaMallocManaged(&f, n * sizeof *f));
	all<<<n / 256, 256>>>(f);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++) {
		convert(i, &host);
		for (const formats *g : {f + i, &host})
			for (int kind = 0; kind < 2; kind++) {
				double is = of_half(g->half[kind]), want = of_byte(i & 0xff, kind);
				EXPECT(want != want ? is != is : is == want && std::signbit(is) == std::signbit(want));
				for (int saturate = 0; saturate < 2; saturate++)
					EXPECT(g->byte[kind][saturate] == nearest(of_half(i), kind, saturate));
				for (int saturate = 0; saturate < 2; saturate++)
					EXPECT(g->power[kind][saturate] == power(of_bfloat(i), kind == 1, saturate));
			}
		for (const formats *g : {f + i, &host}) {
			double is = of_bfloat(g->bfloat);
			EXPECT((i & 0xff) == 0xff ? is != is : is == std::ldexp(1, (i & 0xff) - 127));
		}
	}
	EXPECT((float)__nv_fp8_e4m3(1000.0f) == 448 && (float)__nv_fp8_e5m2(-1e9) == -57344 && (float)__nv_fp8_e4m3(3) == 3);
	EXPECT((float)__nv_fp8_e8m0(-3.0f) == 4 && (double)__nv_fp8_e8m0(1e300) == std::ldexp(1, 127) && (double)__nv_fp8_e8m0(5e-324) == std::ldexp(1, -127));
	EXPECT((double)__nv_fp8_e8m0(1 + 1e-15) == 2 && __nv_cvt_double_to_e8m0(1e300, __NV_NOSAT, cudaRoundZero) == 0xfe && __nv_cvt_double_to_e8m0(1e300, __NV_NOSAT, cudaRoundPosInf) == 0xff);
	std::puts("right");
}
