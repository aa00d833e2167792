// With units_lib.cu a program of two units, which -fgpu-rdc links: a kernel calls a function and reads a variable of the
// other unit, and the host launches a kernel and has a managed variable of the other unit.
#include "check.h"

extern __device__ int scale(int);
extern __device__ int table[4];
extern __managed__ int both;
__global__ void add(int n);
int other();
int *address();

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
	EXPECT(both == 5 && address() == &both);
	both = 7;
	add<<<1, 1>>>(4);
	OK(cudaDeviceSynchronize());
	EXPECT(both == 11);
	std::puts("right");
}
