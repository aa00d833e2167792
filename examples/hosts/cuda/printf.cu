// printf in kernels comes out in the order of the program's own output.
// prints: before|lane 0 of 2.50 text|lane 1 of 2.50 text|after|0 wrong
#include "check.h"

__global__ void say(double v, const char *unused) { printf("lane %d of %.2f %s\n", threadIdx.x, v, "text"); }

int main()
{
	std::printf("before\n");
	say<<<1, 2>>>(2.5, nullptr);
	OK(cudaDeviceSynchronize());
	std::printf("after\n");
	return finish();
}
