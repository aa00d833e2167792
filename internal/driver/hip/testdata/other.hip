/* A program for another device: the launch has an error, and the program ends as it likes. */
#include "mini.h"

__global__ void set(int *p) { *p = 1; }

int main(void)
{
	int *p;
	CHECK(hipMalloc(&p, 4));
	set<<<1, 1>>>(p);
	hipError_t e = hipGetLastError();
	printf("%d %s\n", e, hipGetErrorName(e));
	CHECK(hipFree(p));
	return 0;
}
