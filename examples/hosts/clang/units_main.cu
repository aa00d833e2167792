// With units_lib.cu a program of two units, which -fgpu-rdc links: a kernel calls a function and reads a variable of the
// other unit.
#include "check.h"

extern __device__ int scale(int);
extern __device__ int table[4];
int other();

__global__ void use(int *p) { p[threadIdx.x] = scale(threadIdx.x) + table[threadIdx.x % 4]; }

int main()
{
	int *p, h[32];
	OK(cudaMalloc(&p, sizeof h));
	use<<<1, 32>>>(p);
	OK(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++)
		EXPECT(h[i] == 3 * i + 10 * (i % 4));
	OK(cudaFree(p));
	EXPECT(other() == 21);
	std::puts("right");
}
