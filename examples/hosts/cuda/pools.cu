// Memory in the order of a stream, from the pool of the device and from one of the program.
#include "check.h"

__global__ void fill(int *p, int n, int v) { for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = v + i; }

int main()
{
	const int n = 500;
	int *p, *q, out[n];
	cudaStream_t s;
	cudaMemPool_t pool;
	OK(cudaStreamCreate(&s));
	cudaMemPoolProps props = {};
	props.allocType = cudaMemAllocationTypePinned, props.location.type = cudaMemLocationTypeDevice, props.location.id = 0;
	OK(cudaMemPoolCreate(&pool, &props));
	OK(cudaMallocAsync(&p, n * 4, s));
	OK(cudaMallocFromPoolAsync(&q, n * 4, pool, s));
	fill<<<1, 64, 0, s>>>(p, n, 5);
	OK(cudaMemcpyAsync(q, p, n * 4, cudaMemcpyDeviceToDevice, s));
	OK(cudaMemcpyAsync(out, q, n * 4, cudaMemcpyDefault, s));
	unsigned long long used = 0;
	OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
	WANT(used >= n * 4, true);
	OK(cudaFreeAsync(p, s));
	OK(cudaFreeAsync(q, s));
	OK(cudaStreamSynchronize(s));
	for (int i = 0; i < n; i++)
		WANT(out[i], 5 + i);
	OK(cudaMemPoolDestroy(pool));
	OK(cudaStreamDestroy(s));
	return finish();
}
