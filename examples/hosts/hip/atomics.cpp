// A histogram by atomics in shared and in global memory, a maximum by compare and swap, and a cooperative launch.
#include "check.h"

#include <vector>

__global__ void histogram(const unsigned char *in, int n, unsigned *out)
{
	__shared__ unsigned bins[256];
	bins[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&bins[in[i]], 1u);
	__syncthreads();
	atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

__global__ void greatest(const float *in, int n, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned *word = reinterpret_cast<unsigned *>(out), old = *word, seen;
	while (__uint_as_float(old) < in[i]) {
		seen = atomicCAS(word, old, __float_as_uint(in[i]));
		if (seen == old)
			break;
		old = seen;
	}
}

int main()
{
	const int n = 5000;
	std::vector<unsigned char> in(n);
	std::vector<unsigned> want(256), got(256);
	std::vector<float> values(n);
	for (int i = 0; i < n; i++) {
		in[i] = static_cast<unsigned char>(i * i % 251);
		want[in[i]]++;
		values[i] = static_cast<float>(i * 37 % 4999);
	}
	unsigned char *din;
	unsigned *dout;
	float *dvalues, *dmost, most;
	CHECK(hipMalloc(&din, n));
	CHECK(hipMalloc(&dout, 256 * sizeof(unsigned)));
	CHECK(hipMemset(dout, 0, 256 * sizeof(unsigned)));
	CHECK(hipMemcpy(din, in.data(), n, hipMemcpyHostToDevice));
	histogram<<<4, 256>>>(din, n, dout);
	CHECK(hipMemcpy(got.data(), dout, 256 * sizeof(unsigned), hipMemcpyDeviceToHost));
	EXPECT(got == want);
	CHECK(hipMalloc(&dvalues, n * sizeof(float)));
	CHECK(hipMalloc(&dmost, sizeof(float)));
	CHECK(hipMemsetD32(dmost, 0, 1));
	CHECK(hipMemcpy(dvalues, values.data(), n * sizeof(float), hipMemcpyHostToDevice));
	greatest<<<(n + 255) / 256, 256>>>(dvalues, n, dmost);
	CHECK(hipMemcpy(&most, dmost, sizeof most, hipMemcpyDeviceToHost));
	EXPECT(most == 4998);
	CHECK(hipFree(din));
	CHECK(hipFree(dout));
	CHECK(hipFree(dvalues));
	CHECK(hipFree(dmost));
	std::puts("atomics: right");
}
