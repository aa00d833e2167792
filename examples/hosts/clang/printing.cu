// printf and assert in a kernel.
#include "check.h"
#include <cassert>

__global__ void say(int n, double x)
{
	assert(n == 3);
	if (threadIdx.x == 1)
		printf("block %d of %u: %d %.2f %s %c %lld\n", blockIdx.x, gridDim.x, n, x, "text", 'z', -1234567890123ll);
}

int main()
{
	say<<<1, 32>>>(3, 2.5);
	OK(cudaDeviceSynchronize());
	std::puts("right");
}
