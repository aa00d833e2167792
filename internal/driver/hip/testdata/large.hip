/* A program with code for two devices, of which one has 72 MiB. */
#include "mini.h"

#ifdef __gfx900__
__device__ __attribute__((used)) char large[72 << 20] = { 1 };
#endif

__global__ void set(int *p) { *p = 41; }

int main(void)
{
	int *p, v = 0;
	CHECK(hipMalloc(&p, 4));
	set<<<1, 1>>>(p);
	CHECK(hipGetLastError());
	CHECK(hipMemcpy(&v, p, 4, hipMemcpyDeviceToHost));
	EXPECT(v == 41);
	CHECK(hipFree(p));
	puts("right");
	return 0;
}
