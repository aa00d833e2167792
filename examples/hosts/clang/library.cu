// A library with a managed variable, and with memory of malloc in its kernel: it is opened and closed by a program.
#include "check.h"

__managed__ int count = 10;

__global__ void add(int *p)
{
	int *one = (int *)malloc(sizeof *one);
	*one = 1;
	count += *one;
	*p = count;
	free(one);
}

extern "C" int bump()
{
	int *p;
	OK(cudaMallocManaged(&p, sizeof *p));
	add<<<1, 1>>>(p);
	OK(cudaDeviceSynchronize());
	const int n = *p == count ? count : -1;
	OK(cudaFree(p));
	return n;
}
