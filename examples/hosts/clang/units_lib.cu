// The second unit of units_main.cu, with a kernel of its own.
#include "check.h"

__device__ int table[4] = {0, 10, 20, 30};
__device__ int scale(int x) { return 3 * x; }

__managed__ int both = 5;
int *address() { return &both; }
__global__ void add(int n) { both += n; }

__global__ void seven(int *p) { *p = scale(7); }

int other()
{
	int *p, h;
	OK(cudaMalloc(&p, sizeof h));
	seven<<<1, 1>>>(p);
	OK(cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost));
	OK(cudaFree(p));
	return h;
}
