// An assertion that fails in a kernel: the error stays.
// finds: assert
#include "check.h"
#undef NDEBUG
#include <cassert>

__global__ void test(int *p, int limit) { assert(p[threadIdx.x] < limit); }

int main()
{
	std::vector<int> h = { 1, 2, 3, 4 };
	Buffer<int> p(h);
	test<<<1, 4>>>(p, 5);
	OK(cudaDeviceSynchronize());
	test<<<1, 4>>>(p, 4);
	WANT(cudaDeviceSynchronize(), cudaErrorAssert);
	WANT(cudaDeviceSynchronize(), cudaErrorAssert);
	void *q;
	WANT(cudaMalloc(&q, 16), cudaErrorAssert);
	WANT(cudaGetLastError(), cudaErrorAssert);
	return finish();
}
