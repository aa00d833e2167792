// nvcc: --extended-lambda
// Templates: kernels of several types, lambdas of the host, a functor.
#include "check.h"

template <class T, int N> __global__ void fill(T *p, T first) { for (int i = threadIdx.x; i < N; i += blockDim.x) p[i] = first + (T)i; }
template <class F> __global__ void apply(int n, F f) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) f(i); }

struct Store { int *p; __device__ void operator()(int i) const { p[i] = i * i; } };

template <class T, int N> static void try_fill(T first)
{
	Buffer<T> p(N);
	fill<T, N><<<1, 32>>>(p, first);
	std::vector<T> got = p.get();
	for (int i = 0; i < N; i++)
		WANT(got[i], first + (T)i);
}

int main()
{
	try_fill<int, 100>(-7);
	try_fill<unsigned char, 30>(200);
	try_fill<double, 50>(1000);
	try_fill<long long, 10>(1LL << 40);
	Buffer<int> p(70);
	apply<<<3, 32>>>(70, Store{ p });
	std::vector<int> got = p.get();
	for (int i = 0; i < 70; i++)
		WANT(got[i], i * i);
	int *q = p, k = 3;
	apply<<<3, 32>>>(70, [=] __device__(int i) { q[i] = k * i; });
	got = p.get();
	for (int i = 0; i < 70; i++)
		WANT(got[i], 3 * i);
	return finish();
}
