// finds: refused-call
// Launches with attributes, more dynamic shared memory, and what can be asked about kernels.
#include "check.h"

__global__ void __launch_bounds__(128) sum(const int *in, int *out)
{
	extern __shared__ int room[];
	for (int i = threadIdx.x; i < 15000; i += blockDim.x)
		room[i] = in[i % 100];
	__syncthreads();
	if (threadIdx.x == 0) {
		int s = 0;
		for (int i = 0; i < 15000; i++)
			s += room[i];
		*out = s;
	}
}

int main()
{
	std::vector<int> h(100);
	int want = 0, blocks = 0, grid = 0, block = 0;
	for (int i = 0; i < 100; i++)
		want += 150 * (h[i] = i);
	Buffer<int> in(h), out(1);
	sum<<<1, 128, 60000>>>(in, out);
	WANT(cudaGetLastError(), cudaErrorInvalidValue);
	OK(cudaFuncSetAttribute(sum, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
	cudaLaunchConfig_t c = {};
	cudaLaunchAttribute a[1] = {};
	a[0].id = cudaLaunchAttributePriority, a[0].val.priority = 0;
	c.gridDim = dim3(1), c.blockDim = dim3(128), c.dynamicSmemBytes = 60000, c.attrs = a, c.numAttrs = 1;
	OK(cudaLaunchKernelEx(&c, sum, (const int *)in.p, out.p));
	WANT(out.get()[0], want);
	cudaFuncAttributes f;
	OK(cudaFuncGetAttributes(&f, sum));
	WANT(f.maxThreadsPerBlock, 128);
	WANT(f.maxDynamicSharedSizeBytes, 60000);
	WANT(f.ptxVersion >= 50, true);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum, 128, 0));
	WANT(blocks >= 1, true);
	OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, sum, 0, 0));
	WANT(block > 0 && block <= 128 && grid > 0, true);
	sum<<<1, 256>>>(in, out);
	WANT(cudaGetLastError() != cudaSuccess, true);
	return finish();
}
