// A sum by shuffles: lanes of a warp, then the warps of a block, then an atomic addition. Devices since sm_80 add the values
// of a warp by one instruction.
#include "check.h"

__device__ int sumOfWarp(int v)
{
#if __CUDA_ARCH__ >= 800
	return __reduce_add_sync(~0u, v);
#else
	for (int d = 16; d > 0; d /= 2)
		v += __shfl_xor_sync(~0u, v, d);
	return v;
#endif
}

__global__ void sum(const int *in, int n, int *out)
{
	__shared__ int part[32];
	int v = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		v += in[i];
	for (int d = 16; d > 0; d /= 2)
		v += __shfl_down_sync(~0u, v, d);
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = v;
	__syncthreads();
	if (threadIdx.x < 32) {
		v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
		v = sumOfWarp(v);
		if (threadIdx.x == 0)
			atomicAdd(out, v);
	}
}

int main()
{
	const int n = 20000;
	std::vector<int> h(n);
	long long want = 0;
	for (int i = 0; i < n; i++)
		want += h[i] = (i * 37) % 101 - 50;
	Buffer<int> in(h), out(1);
	OK(cudaMemset(out, 0, 4));
	sum<<<8, 256>>>(in, n, out);
	WANT(out.get()[0], want);
	return finish();
}
