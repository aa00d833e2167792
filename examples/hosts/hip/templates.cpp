// Templates of kernels, structures by value, and 64-bit arithmetic.
#include "check.h"

#include <vector>

template <typename T> struct Affine {
	T scale, offset;
	__host__ __device__ T operator()(T x) const { return scale * x + offset; }
};

template <typename T, typename F> __global__ void map(const T *in, T *out, int n, F f)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = f(in[i]);
}

template <typename T> static void run(T scale, T offset)
{
	const int n = 300;
	std::vector<T> in(n), out(n);
	for (int i = 0; i < n; i++)
		in[i] = static_cast<T>(i - 150);
	T *a, *b;
	CHECK(hipMalloc(&a, n * sizeof(T)));
	CHECK(hipMalloc(&b, n * sizeof(T)));
	CHECK(hipMemcpy(a, in.data(), n * sizeof(T), hipMemcpyHostToDevice));
	Affine<T> f{ scale, offset };
	map<<<(n + 63) / 64, 64>>>(a, b, n, f);
	CHECK(hipMemcpy(out.data(), b, n * sizeof(T), hipMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		EXPECT(out[i] == f(in[i]));
	CHECK(hipFree(a));
	CHECK(hipFree(b));
}

int main()
{
	run<float>(2, 0.5f);
	run<double>(3, -0.25);
	run<int>(-7, 11);
	run<long long>(1ll << 33, 5);
	run<unsigned char>(3, 200);
	std::puts("templates: right");
}
