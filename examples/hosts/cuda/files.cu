// nvcc: -rdc=true files_b.cu
// Two files that are linked: a function, a variable and a kernel of the other one.
#include "check.h"

extern __device__ int twice(int v);
extern __constant__ int base[2];
extern __global__ void other(int *p);

__global__ void here(int *p) { p[threadIdx.x] = twice(threadIdx.x) + base[1]; }

int main()
{
	int b[2] = { 1, 100 };
	Buffer<int> p(32);
	OK(cudaMemcpyToSymbol(base, b, sizeof b));
	here<<<1, 32>>>(p);
	std::vector<int> got = p.get();
	for (int i = 0; i < 32; i++)
		WANT(got[i], 2 * i + 100);
	other<<<1, 32>>>(p);
	got = p.get();
	for (int i = 0; i < 32; i++)
		WANT(got[i], 2 * (2 * i + 100) + 1);
	return finish();
}
