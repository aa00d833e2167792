// Thrust: a sort, a reduction and a transformation.
#include "check.h"
#include <algorithm>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

struct Square { __host__ __device__ int operator()(int v) const { return v * v; } };

int main()
{
	const int n = 5000;
	std::vector<int> h(n);
	for (int i = 0; i < n; i++)
		h[i] = (i * 7919) % 1000 - 500;
	thrust::device_vector<int> d(h.begin(), h.end());
	thrust::sort(d.begin(), d.end());
	std::sort(h.begin(), h.end());
	long long sum = 0;
	for (int i = 0; i < n; i++)
		sum += h[i];
	WANT(thrust::reduce(d.begin(), d.end(), 0LL), sum);
	thrust::transform(d.begin(), d.end(), d.begin(), Square());
	std::vector<int> got(n);
	thrust::copy(d.begin(), d.end(), got.begin());
	for (int i = 0; i < n; i++)
		WANT(got[i], h[i] * h[i]);
	return finish();
}
