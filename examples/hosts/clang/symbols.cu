// Variables of the device: constant memory, a counter, an array with a value, and their addresses.
#include "check.h"

__constant__ int weights[4];
__device__ unsigned counter;
__device__ int table[3] = {10, 20, 30};

__global__ void count(int *out)
{
	out[threadIdx.x] = weights[threadIdx.x % 4] + table[threadIdx.x % 3];
	atomicInc(&counter, 1000);
}

int main()
{
	int host[4] = {1, 2, 3, 4}, out[64], *dout;
	unsigned n;
	size_t size;
	void *address;
	OK(cudaMemcpyToSymbol(weights, host, sizeof host));
	OK(cudaMalloc(&dout, sizeof out));
	count<<<1, 64>>>(dout);
	OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 64; i++)
		EXPECT(out[i] == host[i % 4] + 10 * (i % 3 + 1));
	OK(cudaMemcpyFromSymbol(&n, counter, sizeof n));
	EXPECT(n == 64);
	OK(cudaGetSymbolSize(&size, table));
	EXPECT(size == 12);
	OK(cudaGetSymbolAddress(&address, table));
	int last;
	OK(cudaMemcpy(&last, (char *)address + 8, sizeof last, cudaMemcpyDeviceToHost));
	EXPECT(last == 30);
	int one = 99;
	OK(cudaMemcpyToSymbol(weights, &one, sizeof one, 4));
	count<<<1, 64>>>(dout);
	OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
	EXPECT(out[1] == 99 + 20 && out[0] == 1 + 10);
	OK(cudaFree(dout));
	std::puts("right");
}
