// A sum by shuffles in each warp, by shared memory in a block, and by an atomic operation over all blocks.
#include "check.h"

template <class T> __device__ T warpSum(T v)
{
	for (int distance = 16; distance > 0; distance >>= 1)
		v += __shfl_down_sync(0xffffffff, v, distance);
	return v;
}

template <class T> __global__ void sum(const T *in, T *out, int n)
{
	__shared__ T part[32];
	int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
	T v = warpSum(i < n ? in[i] : T(0));
	if (lane == 0)
		part[warp] = v;
	__syncthreads();
	if (warp == 0) {
		v = warpSum(lane < blockDim.x / warpSize ? part[lane] : T(0));
		if (lane == 0)
			atomicAdd(out, v);
	}
}

template <class T> void run()
{
	const int n = 5000;
	static T in[n];
	T want = 0, got, *din, *dout;
	for (int i = 0; i < n; i++)
		want += in[i] = T(i * 7 % 31);
	OK(cudaMalloc(&din, sizeof in));
	OK(cudaMalloc(&dout, sizeof(T)));
	OK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
	OK(cudaMemset(dout, 0, sizeof(T)));
	sum<<<(n + 127) / 128, 128>>>(din, dout, n);
	OK(cudaMemcpy(&got, dout, sizeof got, cudaMemcpyDeviceToHost));
	EXPECT(got == want);
	OK(cudaFree(din));
	OK(cudaFree(dout));
}

int main()
{
	run<int>();
	run<unsigned long long>();
	run<float>(); // sums of integers below 2^24: exact
	run<double>();
	std::puts("right");
}
