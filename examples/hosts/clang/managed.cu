// Memory that the host and the kernels share, and registered memory of the host.
#include "check.h"

__global__ void increment(int *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] += i;
}

int main()
{
	const int n = 300;
	int *p, *pinned, *device;
	OK(cudaMallocManaged(&p, n * sizeof *p));
	for (int i = 0; i < n; i++)
		p[i] = 7;
	increment<<<2, 256>>>(p, n);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++)
		EXPECT(p[i] == 7 + i);
	OK(cudaHostAlloc(&pinned, n * sizeof *p, cudaHostAllocMapped));
	OK(cudaHostGetDevicePointer(&device, pinned, 0));
	for (int i = 0; i < n; i++)
		pinned[i] = -i;
	increment<<<2, 256>>>(device, n);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++)
		EXPECT(pinned[i] == 0);
	cudaPointerAttributes a;
	OK(cudaPointerGetAttributes(&a, p));
	EXPECT(a.type == cudaMemoryTypeManaged);
	OK(cudaFree(p));
	OK(cudaFreeHost(pinned));
	std::puts("right");
}
