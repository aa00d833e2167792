// Functions of the mathematics library in kernels, near those of the host's library.
#include "check.h"
#include <cmath>

const int Count = 40;

template <class T> __device__ void all(T x, T y, T *r)
{
	int i = 0;
	r[i++] = sin(x), r[i++] = cos(x), r[i++] = tan(x), r[i++] = exp(x), r[i++] = log(y), r[i++] = sqrt(y), r[i++] = pow(y, x), r[i++] = tanh(x);
	r[i++] = atan2(x, y), r[i++] = cbrt(x), r[i++] = erf(x), r[i++] = hypot(x, y), r[i++] = floor(x), r[i++] = ceil(x), r[i++] = trunc(x), r[i++] = round(x);
	r[i++] = fma(x, y, x), r[i++] = fabs(x), r[i++] = fmod(y, x), r[i++] = fmin(x, y), r[i++] = fmax(x, y), r[i++] = copysign(y, x), r[i++] = rsqrt(y), r[i++] = exp2(x);
	r[i++] = log2(y), r[i++] = log10(y), r[i++] = log1p(y), r[i++] = expm1(x), r[i++] = asinh(x), r[i++] = sinh(x), r[i++] = cosh(x), r[i++] = atan(x);
	r[i++] = rint(x), r[i++] = lgamma(y), r[i++] = tgamma(y), r[i++] = scalbn(x, 3), r[i++] = remainder(y, x), r[i++] = nextafter(x, y), r[i++] = logb(y), r[i++] = std::abs(x);
}

template <class T> __global__ void functions(const T *x, const T *y, T *out) { all(x[threadIdx.x], y[threadIdx.x], out + threadIdx.x * Count); }

template <class T> void host(T x, T y, T *r)
{
	int i = 0;
	r[i++] = std::sin(x), r[i++] = std::cos(x), r[i++] = std::tan(x), r[i++] = std::exp(x), r[i++] = std::log(y), r[i++] = std::sqrt(y), r[i++] = std::pow(y, x), r[i++] = std::tanh(x);
	r[i++] = std::atan2(x, y), r[i++] = std::cbrt(x), r[i++] = std::erf(x), r[i++] = std::hypot(x, y), r[i++] = std::floor(x), r[i++] = std::ceil(x), r[i++] = std::trunc(x), r[i++] = std::round(x);
	r[i++] = std::fma(x, y, x), r[i++] = std::fabs(x), r[i++] = std::fmod(y, x), r[i++] = std::fmin(x, y), r[i++] = std::fmax(x, y), r[i++] = std::copysign(y, x), r[i++] = 1 / std::sqrt(y), r[i++] = std::exp2(x);
	r[i++] = std::log2(y), r[i++] = std::log10(y), r[i++] = std::log1p(y), r[i++] = std::expm1(x), r[i++] = std::asinh(x), r[i++] = std::sinh(x), r[i++] = std::cosh(x), r[i++] = std::atan(x);
	r[i++] = std::rint(x), r[i++] = std::lgamma(y), r[i++] = std::tgamma(y), r[i++] = std::scalbn(x, 3), r[i++] = std::remainder(y, x), r[i++] = std::nextafter(x, y), r[i++] = std::logb(y), r[i++] = std::abs(x);
}

template <class T> void run(double bound)
{
	T x[32], y[32], *dx, *dy, *dout, want[Count];
	static T out[32 * Count];
	for (int i = 0; i < 32; i++)
		x[i] = T(i - 15.7) / 5, y[i] = T(i + 1) / 3;
	OK(cudaMalloc(&dx, sizeof x));
	OK(cudaMalloc(&dy, sizeof y));
	OK(cudaMalloc(&dout, sizeof out));
	OK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice));
	functions<<<1, 32>>>(dx, dy, dout);
	OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++) {
		host(x[i], y[i], want);
		for (int k = 0; k < Count; k++) {
			double difference = std::fabs((double)out[i * Count + k] - want[k]);
			if (!(difference <= bound * (std::fabs(want[k]) + 1))) {
				std::printf("function %d of %g, %g: %.17g, expected %.17g\n", k, (double)x[i], (double)y[i], (double)out[i * Count + k], (double)want[k]);
				std::exit(1);
			}
		}
	}
	OK(cudaFree(dx));
	OK(cudaFree(dy));
	OK(cudaFree(dout));
}

int main()
{
	run<float>(2e-6);
	run<double>(4e-15);
	std::puts("right");
}
