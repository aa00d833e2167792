// Variables of the device: constants, arrays, addresses, parts of them.
// finds: refused-call
#include "check.h"

__constant__ float weights[8];
__device__ int counters[4] = { 10, 20, 30, 40 };
namespace inner { static __device__ double pair[2]; }

__global__ void use(float *out)
{
	out[threadIdx.x] = weights[threadIdx.x % 8] * 2;
	atomicAdd(&counters[threadIdx.x % 4], 1);
	if (threadIdx.x == 0)
		inner::pair[1] = inner::pair[0] + 0.5;
}

int main()
{
	float w[8];
	int c[4], *address;
	double pair[2] = { 2.25, 0 };
	size_t size = 0;
	for (int i = 0; i < 8; i++)
		w[i] = i + 0.5f;
	OK(cudaMemcpyToSymbol(weights, w, sizeof w));
	w[7] = 100;
	OK(cudaMemcpyToSymbol(weights, w + 7, sizeof(float), 7 * sizeof(float)));
	OK(cudaMemcpyToSymbol(inner::pair, pair, sizeof pair));
	Buffer<float> out(64);
	use<<<1, 64>>>(out);
	std::vector<float> got = out.get();
	for (int i = 0; i < 64; i++)
		WANT(got[i] * 2, w[i % 8] * 4);
	OK(cudaMemcpyFromSymbol(c, counters, sizeof c));
	for (int i = 0; i < 4; i++)
		WANT(c[i], 10 * (i + 1) + 16);
	OK(cudaGetSymbolAddress((void **)&address, counters));
	OK(cudaGetSymbolSize(&size, counters));
	WANT(size, sizeof c);
	OK(cudaMemcpy(c, address + 2, 4, cudaMemcpyDeviceToHost));
	WANT(c[0], 46);
	OK(cudaMemcpyFromSymbol(pair, inner::pair, sizeof pair));
	WANT(pair[1] * 4, 11);
	WANT(cudaMemcpyToSymbol(weights, w, sizeof w, 4), cudaErrorInvalidValue);
	cudaGetLastError();
	return finish();
}
