// Numbers of 16 bits, half and bfloat16: all of them are converted, negated, rounded and combined. The host knows them by their
// fields alone, and rounds by a search among them. Kernels compute with PTX, the host with what the headers have for it.
#include "check.h"
#include <cmath>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned short bits;
typedef __float128 exact;

template <class T> struct format;
template <> struct format<__half> { static const int fraction = 10, bias = 15, inf = 0x7c00; };
template <> struct format<__nv_bfloat16> { static const int fraction = 7, bias = 127, inf = 0x7f80; };

static bool is_nan(bits b, int inf) { return (b & 0x7fff) > inf; }

template <class T> double value_of(bits b)
{
	typedef format<T> F;
	int e = (b & 0x7fff) >> F::fraction, m = b & ((1 << F::fraction) - 1);
	double v = is_nan(b, F::inf) ? NAN : (b & 0x7fff) == F::inf ? INFINITY : e ? std::ldexp(m + (1 << F::fraction), e - F::bias - F::fraction) : std::ldexp(m, 1 - F::bias - F::fraction);
	return b & 0x8000 ? -v : v;
}

// rounded is the number for an exact value. mode: 0 to nearest even, 1 to zero, 2 down, 3 up. rest is what v leaves out, for mode 0.
template <class T> bits rounded(exact v, bool minus_zero = false, int mode = 0, exact rest = 0)
{
	typedef format<T> F;
	if (v != v)
		return 0x7fff;
	bits sign = v < 0 || (v == 0 && minus_zero) ? 0x8000 : 0;
	exact a = v < 0 ? -v : v;
	int low = 0, high = F::inf; // the largest number that is not above a
	while (low < high) {
		int middle = (low + high + 1) / 2;
		if (middle == F::inf ? a > 1e300 : (exact)value_of<T>(middle) <= a)
			low = middle;
		else
			high = middle - 1;
	}
	if (low == F::inf)
		return sign | F::inf;
	exact below = value_of<T>(low), above = low + 1 == F::inf ? 2 * (exact)value_of<T>(low) - value_of<T>(low - 1) : (exact)value_of<T>(low + 1);
	rest = v < 0 ? -rest : rest;
	bool up = mode == 0 ? a - below > above - a || (a - below == above - a && (rest > 0 || (!(rest < 0) && low % 2))) : mode == 1 ? false : (mode == 2) == (sign != 0) && a > below;
	return sign | (low + up);
}

// What kernels compute of every number.
template <class T> struct answers {
	float wide;
	bits back, negated, absolute, floor, ceil, trunc, rint, root, reciprocal, functions[10], pair_of_sines;
	int i_rn, i_rz, i_rd, i_ru;
	long long ll;
	unsigned long long ull;
	short s;
	unsigned char c;
	int inf;
	bool nan;
};

__host__ __device__ bits raw(__half h) { return __half_as_ushort(h); }
__host__ __device__ bits raw(__nv_bfloat16 h) { return __bfloat16_as_ushort(h); }
template <class T> __host__ __device__ T cooked(bits b);
template <> __host__ __device__ __half cooked<__half>(bits b) { return __ushort_as_half(b); }
template <> __host__ __device__ __nv_bfloat16 cooked<__nv_bfloat16>(bits b) { return __ushort_as_bfloat16(b); }

#define CONVERSIONS(T, name) \
	__host__ __device__ float wide(T h) { return __##name##2float(h); } \
	__host__ __device__ T narrow(float f, T *, int mode) { return mode == 0 ? __float2##name##_rn(f) : mode == 1 ? __float2##name##_rz(f) : mode == 2 ? __float2##name##_rd(f) : __float2##name##_ru(f); } \
	__host__ __device__ T of_int(int v, T *, int mode) { return mode == 0 ? __int2##name##_rn(v) : mode == 1 ? __int2##name##_rz(v) : mode == 2 ? __int2##name##_rd(v) : __int2##name##_ru(v); } \
	__host__ __device__ T of_ull(unsigned long long v, T *) { return __ull2##name##_rn(v); } \
	template <class A> __host__ __device__ void integers(T h, A *a) \
	{ \
		a->i_rn = __##name##2int_rn(h), a->i_rz = __##name##2int_rz(h), a->i_rd = __##name##2int_rd(h), a->i_ru = __##name##2int_ru(h); \
		a->ll = __##name##2ll_rz(h), a->ull = __##name##2ull_rn(h), a->s = __##name##2short_rd(h), a->c = __##name##2uchar_rz(h); \
	}
CONVERSIONS(__half, half)
CONVERSIONS(__nv_bfloat16, bfloat16)

template <class T> __host__ __device__ void simple(bits b, answers<T> *a)
{
	T h = cooked<T>(b);
	a->wide = wide(h), a->back = raw(narrow(wide(h), (T *)0, 0));
	a->negated = raw(-h), a->absolute = raw(__habs(h));
	integers(h, a);
	a->inf = __hisinf(h), a->nan = __hisnan(h);
}

__host__ __device__ __half2 pair(__half a, __half b) { return __halves2half2(a, b); }
__host__ __device__ __nv_bfloat162 pair(__nv_bfloat16 a, __nv_bfloat16 b) { return __halves2bfloat162(a, b); }

template <class T> __global__ void each(answers<T> *out)
{
	bits b = blockIdx.x * blockDim.x + threadIdx.x;
	answers<T> *a = out + b;
	T h = cooked<T>(b);
	simple<T>(b, a);
	a->floor = raw(hfloor(h)), a->ceil = raw(hceil(h)), a->trunc = raw(htrunc(h)), a->rint = raw(hrint(h));
	a->root = raw(hsqrt(h)), a->reciprocal = raw(hrcp(h));
	const T list[] = {hrsqrt(h), hexp(h), hexp2(h), hexp10(h), hlog(h), hlog2(h), hlog10(h), hsin(h), hcos(h), htanh(h)};
	for (int i = 0; i < 10; i++)
		a->functions[i] = raw(list[i]);
	a->pair_of_sines = raw(h2sin(pair(list[4], h)).y);
}

static long long clamped(double v, double low, double high) { return v <= low ? (long long)low : v >= high ? (long long)high : (long long)v; }

template <class T> void check_simple(bits b, const answers<T> &a)
{
	typedef format<T> F;
	double v = value_of<T>(b);
	bool nan = v != v;
	EXPECT(nan ? a.wide != a.wide : a.wide == v && std::signbit(a.wide) == std::signbit(v));
	EXPECT(a.back == (nan ? 0x7fff : b));
	EXPECT(a.negated == (nan ? 0x7fff : b ^ 0x8000) && a.absolute == (nan ? 0x7fff : b & 0x7fff));
	EXPECT(a.i_rn == (nan ? 0 : clamped(std::nearbyint(v), -0x1p31, 0x1p31 - 1)) && a.i_rz == (nan ? 0 : clamped(std::trunc(v), -0x1p31, 0x1p31 - 1)));
	EXPECT(a.i_rd == (nan ? 0 : clamped(std::floor(v), -0x1p31, 0x1p31 - 1)) && a.i_ru == (nan ? 0 : clamped(std::ceil(v), -0x1p31, 0x1p31 - 1)));
	EXPECT(a.s == (nan ? 0 : clamped(std::floor(v), -32768, 32767)) && a.c == (nan ? 0 : clamped(std::trunc(v), 0, 255)));
	EXPECT(a.ll == (nan || v < -0x1p63 ? -1 - 0x7fffffffffffffff : v >= 0x1p63 ? 0x7fffffffffffffff : (long long)v));
	EXPECT(a.ull == (nan ? 1ull << 63 : v >= 0x1p64 ? ~0ull : v < 0 ? 0 : (unsigned long long)std::nearbyint(v)));
	EXPECT(a.inf == (std::isinf(v) ? v > 0 ? 1 : -1 : 0) && a.nan == nan);
}

// From numbers of 32 and 64 bits.
template <class T> struct narrowed { bits f[4], i[4], u; };
template <class T> __host__ __device__ void narrowings(float f, int i, unsigned long long u, narrowed<T> *n)
{
	for (int mode = 0; mode < 4; mode++)
		n->f[mode] = raw(narrow(f, (T *)0, mode)), n->i[mode] = raw(of_int(i, (T *)0, mode));
	n->u = raw(of_ull(u, (T *)0));
}
template <class T> __global__ void narrow_all(const float *f, const int *i, const unsigned long long *u, narrowed<T> *out)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x;
	narrowings<T>(f[at], i[at], u[at], out + at);
}

// Two operands and three: one number and pairs.
struct two { bits sum, difference, product, quotient, larger, smaller, larger_nan, smaller_nan, fused, relu, saturated; bool lt, ge, ne, equ, gtu; unsigned int sums, products, fuseds; };
template <class T> __host__ __device__ void combine(T a, T b, two *r)
{
	r->sum = raw(a + b), r->difference = raw(a - b), r->product = raw(a * b), r->quotient = raw(a / b);
	r->larger = raw(__hmax(a, b)), r->smaller = raw(__hmin(a, b)), r->larger_nan = raw(__hmax_nan(a, b)), r->smaller_nan = raw(__hmin_nan(a, b));
	r->saturated = raw(__hadd_sat(a, b));
	r->lt = a < b, r->ge = __hge(a, b), r->ne = __hne(a, b), r->equ = __hequ(a, b), r->gtu = __hgtu(a, b);
}
template <class P> __host__ __device__ unsigned int both(P p) { return raw(p.x) | (unsigned int)raw(p.y) << 16; }

template <class T> __global__ void combine_all(const bits *others, two *out)
{
	bits i = blockIdx.x * blockDim.x + threadIdx.x;
	T a = cooked<T>(i), b = cooked<T>(others[i]), c = cooked<T>(others[(i + 1) & 0xffff]);
	two *r = out + i;
	combine(a, b, r);
	r->fused = raw(__hfma(a, b, c)), r->relu = raw(__hfma_relu(a, b, c));
	r->sums = both(pair(a, b) + pair(b, c)), r->products = both(__hmul2(pair(a, b), pair(b, c))), r->fuseds = both(__hfma2(pair(a, b), pair(b, c), pair(c, a)));
}

static bool minus(bits b) { return b >> 15; }
template <class T> bits sum_of(bits a, bits b) { return rounded<T>((exact)value_of<T>(a) + value_of<T>(b), minus(a) && minus(b)); }
template <class T> bits product_of(bits a, bits b) { return rounded<T>((exact)value_of<T>(a) * value_of<T>(b), minus(a) != minus(b)); }

// A sum may have more than 113 digits.
template <class T> bits fused_of(bits a, bits b, bits c)
{
	exact p = (exact)value_of<T>(a) * value_of<T>(b), q = value_of<T>(c), s = p + q;
	exact rest = (p - (s - (s - p))) + (q - (s - p));
	return rounded<T>(s, (minus(a) != minus(b)) && minus(c), 0, rest);
}

template <class T> bits larger_of(bits a, bits b, bool larger)
{
	double p = value_of<T>(a), q = value_of<T>(b);
	if (p != p && q != q)
		return 0x7fff;
	if (p != p || q != q)
		return p != p ? b : a;
	if (p == q)
		return larger == minus(a) ? b : a;
	return (p > q) == larger ? a : b;
}

template <class T> void check_two(bits a, bits b, const two &r)
{
	double p = value_of<T>(a), q = value_of<T>(b);
	bool nan = p != p || q != q;
	EXPECT(r.sum == sum_of<T>(a, b) && r.difference == sum_of<T>(a, b ^ 0x8000) && r.product == product_of<T>(a, b));
	EXPECT(r.quotient == rounded<T>((exact)p / q, minus(a) != minus(b)));
	EXPECT(r.larger == larger_of<T>(a, b, true) && r.smaller == larger_of<T>(a, b, false));
	EXPECT(r.larger_nan == (nan ? 0x7fff : r.larger) && r.smaller_nan == (nan ? 0x7fff : r.smaller));
	double s = value_of<T>(r.sum);
	EXPECT(value_of<T>(r.saturated) == (s > 0 ? std::fmin(s, 1) : 0));
	EXPECT(r.lt == (p < q) && r.ge == (p >= q) && r.ne == (!nan && p != q) && r.equ == (nan || p == q) && r.gtu == (nan || p > q));
}

// bfloat16 has no instruction of its own below sm_80, and float rounds fma a first time.
static bool rounded_twice;

template <class T> void test()
{
	typedef format<T> F;
	const int n = 65536;
	answers<T> *out, host;
	OK(cudaMallocManaged(&out, n * sizeof *out));
	each<T><<<n / 256, 256>>>(out);
	OK(cudaDeviceSynchronize());
	for (int b = 0; b < n; b++) {
		const answers<T> &a = out[b];
		double v = value_of<T>(b);
		check_simple<T>(b, a);
		simple<T>(b, &host);
		check_simple<T>(b, host);
		if (v == v) {
			EXPECT(a.floor == rounded<T>(std::floor(v), b >> 15) && a.ceil == rounded<T>(std::ceil(v), b >> 15));
			EXPECT(a.trunc == rounded<T>(std::trunc(v), b >> 15) && a.rint == rounded<T>(std::nearbyint(v), b >> 15));
		}
		// The functions of the host have an error of about 2^-53, and 1 / sqrt of 2^-52.
		const double list[] = {1 / std::sqrt(v), std::exp(v), std::exp2(v), std::pow(10, v), std::log(v), std::log2(v), std::log10(v), std::sin(v), std::cos(v), std::tanh(v)};
		for (int i = 0; i < 10; i++)
			EXPECT(a.functions[i] == rounded<T>(list[i], std::signbit(list[i])));
		EXPECT(a.pair_of_sines == a.functions[7]);
		EXPECT(a.root == rounded<T>(std::sqrt(v), b >> 15) && a.reciprocal == rounded<T>(1 / v, b >> 15));
	}

	// The middle between each two numbers and what is next to it, and integers of all sizes.
	float *f;
	int *i;
	unsigned long long *u;
	narrowed<T> *small, s;
	OK(cudaMallocManaged(&f, 4 * n * sizeof *f));
	OK(cudaMallocManaged(&i, 4 * n * sizeof *i));
	OK(cudaMallocManaged(&u, 4 * n * sizeof *u));
	OK(cudaMallocManaged(&small, 4 * n * sizeof *small));
	unsigned long long random = 1;
	for (int k = 0; k < 4 * n; k++) {
		bits b = k / 4;
		double v = value_of<T>(b), next = value_of<T>((b & 0x7fff) == F::inf ? b : b + 1);
		float middle = (b & 0x7fff) == F::inf - 1 ? v * (1 + std::ldexp(1, -2 - F::fraction)) : std::isinf(v) || v != v ? v : v + (next - v) / 2;
		f[k] = k % 4 == 0 ? middle : k % 4 == 1 ? std::nextafter(middle, 0.0f) : k % 4 == 2 ? std::nextafter(middle, 2 * middle) : std::ldexp(middle, -3);
		random = random * 6364136223846793005 + 1442695040888963407;
		u[k] = k % 4 == 0 ? (unsigned long long)(std::isfinite(v) ? std::fabs(std::fmin(std::fmax(v, -1e18), 1e18)) : 0) + (k % 3 - 1) : random >> (k % 64);
		i[k] = (int)u[k];
	}
	narrow_all<T><<<4 * n / 256, 256>>>(f, i, u, small);
	OK(cudaDeviceSynchronize());
	for (int k = 0; k < 4 * n; k++) {
		narrowings<T>(f[k], i[k], u[k], &s);
		EXPECT(std::memcmp(&s, &small[k], sizeof s) == 0);
		for (int mode = 0; mode < 4; mode++)
			EXPECT(s.f[mode] == rounded<T>(f[k], std::signbit(f[k]), mode) && s.i[mode] == rounded<T>(i[k], false, mode));
		EXPECT(s.u == rounded<T>(u[k]));
	}

	// Each number with another one: of its size, or of any.
	bits *others;
	two *pairs, t;
	OK(cudaMallocManaged(&others, n * sizeof *others));
	OK(cudaMallocManaged(&pairs, n * sizeof *pairs));
	for (int turn = 0; turn < 3; turn++) {
		for (int b = 0; b < n; b++) {
			random = random * 6364136223846793005 + 1442695040888963407;
			others[b] = turn == 0 ? b ^ (random >> 40 & (1 << F::fraction)) ^ (random >> 63 << 15) ^ (random >> 50 & 7) : random >> 30;
		}
		combine_all<T><<<n / 256, 256>>>(others, pairs);
		OK(cudaDeviceSynchronize());
		for (int k = 0; k < n; k++) {
			bits a = k, b = others[a], c = others[(a + 1) & 0xffff];
			const two &r = pairs[a];
			check_two<T>(a, b, r);
			combine(cooked<T>(a), cooked<T>(b), &t);
			check_two<T>(a, b, t);
			EXPECT(r.sums == (sum_of<T>(a, b) | (unsigned int)sum_of<T>(b, c) << 16) && r.products == (product_of<T>(a, b) | (unsigned int)product_of<T>(b, c) << 16));
			bits fused = fused_of<T>(a, b, c);
			if (rounded_twice && F::fraction == 7)
				continue;
			EXPECT(r.fused == fused && r.relu == (is_nan(fused, F::inf) ? 0x7fff : minus(fused) ? 0 : fused));
			EXPECT(r.fuseds == (fused_of<T>(a, b, c) | (unsigned int)fused_of<T>(b, c, a) << 16));
		}
	}
}

int main()
{
	cudaDeviceProp device;
	OK(cudaGetDeviceProperties(&device, 0));
	rounded_twice = device.major < 8;
	test<__half>();
	test<__nv_bfloat16>();
	std::puts("right");
}
