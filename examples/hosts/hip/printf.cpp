// printf of a kernel: the wave asks the host, and waits for the answer.
#include "check.h"

__global__ void hello(int n)
{
	printf("lane %d of %d: %s %.2f\n", (int)threadIdx.x, n, "text", threadIdx.x * 0.5);
}

int main()
{
	hello<<<1, 3>>>(3);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	std::puts("printf: right");
}
