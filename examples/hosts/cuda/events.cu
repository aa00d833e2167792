// finds: bad-handle
// Events: they are recorded, asked, waited for and compared.
#include "check.h"

__global__ void count(int *p) { atomicAdd(p, 1); }

int main()
{
	Buffer<int> p(1);
	cudaEvent_t from, to;
	float ms = -1;
	OK(cudaMemset(p, 0, 4));
	OK(cudaEventCreate(&from));
	OK(cudaEventCreate(&to));
	WANT(cudaEventElapsedTime(&ms, from, to), cudaErrorInvalidResourceHandle);
	WANT(cudaGetLastError(), cudaErrorInvalidResourceHandle);
	OK(cudaEventRecord(from));
	for (int i = 0; i < 10; i++)
		count<<<4, 32>>>(p);
	OK(cudaEventRecord(to));
	OK(cudaEventSynchronize(to));
	WANT(cudaEventQuery(to), cudaSuccess);
	OK(cudaEventElapsedTime(&ms, from, to));
	WANT(ms >= 0, true);
	WANT(p.get()[0], 10 * 4 * 32);
	OK(cudaEventDestroy(from));
	OK(cudaEventDestroy(to));
	return finish();
}
