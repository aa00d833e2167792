// A sum by shuffles across a wave, then across the waves of a block. The wave has as many lanes as the device says.
#include "check.h"

#include <vector>

__global__ void sum(const int *in, int *out, int n)
{
	__shared__ int waves[1024 / 32];
	int v = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		v += in[i];
	for (int d = warpSize / 2; d > 0; d /= 2)
		v += __shfl_down(v, d);
	if (threadIdx.x % warpSize == 0)
		waves[threadIdx.x / warpSize] = v;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int w = 1; w < (int)blockDim.x / warpSize; w++)
			v += waves[w];
		out[blockIdx.x] = v;
	}
}

__global__ void vote(const int *in, unsigned long long *ballot, int *any)
{
	int v = in[threadIdx.x];
	unsigned long long b = __ballot(v & 1);
	if (threadIdx.x % warpSize == 0)
		ballot[threadIdx.x / warpSize] = b;
	any[threadIdx.x] = __any(v == 3) * 2 + __all(v >= 0);
}

int main()
{
	const int n = 10000, blocks = 7;
	std::vector<int> in(n);
	long long want = 0;
	for (int i = 0; i < n; i++)
		want += in[i] = i % 1001 - 400;
	int *din, *dout;
	CHECK(hipMalloc(&din, n * sizeof(int)));
	CHECK(hipMalloc(&dout, blocks * sizeof(int)));
	CHECK(hipMemcpy(din, in.data(), n * sizeof(int), hipMemcpyHostToDevice));
	sum<<<blocks, 256>>>(din, dout, n);
	std::vector<int> part(blocks);
	CHECK(hipMemcpy(part.data(), dout, blocks * sizeof(int), hipMemcpyDeviceToHost));
	long long got = 0;
	for (int v : part)
		got += v;
	EXPECT(got == want);

	const int lanes = 128;
	std::vector<int> votes(lanes);
	for (int i = 0; i < lanes; i++)
		votes[i] = i * 7 % 11 * (i < 64 ? 1 : 2);
	CHECK(hipMemcpy(din, votes.data(), lanes * sizeof(int), hipMemcpyHostToDevice));
	unsigned long long *dballot, ballot[2];
	int *dany, any[lanes];
	CHECK(hipMalloc(&dballot, sizeof ballot));
	CHECK(hipMalloc(&dany, sizeof any));
	vote<<<1, lanes>>>(din, dballot, dany);
	CHECK(hipMemcpy(ballot, dballot, sizeof ballot, hipMemcpyDeviceToHost));
	CHECK(hipMemcpy(any, dany, sizeof any, hipMemcpyDeviceToHost));
	for (int i = 0; i < lanes; i++) {
		EXPECT((ballot[i / 64] >> i % 64 & 1) == (unsigned long long)(votes[i] & 1));
		EXPECT(any[i] == (i < 64 ? 3 : 1)); // no even number is 3
	}
	CHECK(hipFree(din));
	CHECK(hipFree(dout));
	CHECK(hipFree(dballot));
	CHECK(hipFree(dany));
	std::puts("reduce: right");
}
