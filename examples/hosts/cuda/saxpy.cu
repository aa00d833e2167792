// finds: refused-call
// y = a x + y, and the errors of launches.
#include "check.h"

__global__ void saxpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * x[i] + y[i];
}

int main()
{
	const int n = 5000;
	std::vector<float> x(n), y(n);
	for (int i = 0; i < n; i++)
		x[i] = i, y[i] = 2 * i + 1;
	Buffer<float> dx(x), dy(y);
	saxpy<<<(n + 255) / 256, 256>>>(n, 3, dx, dy);
	OK(cudaGetLastError());
	std::vector<float> got = dy.get();
	for (int i = 0; i < n; i++)
		WANT(got[i], 3 * x[i] + y[i]);
	saxpy<<<0, 256>>>(n, 3, dx, dy);
	WANT(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
	WANT(cudaGetLastError(), cudaErrorInvalidConfiguration);
	saxpy<<<1, 4096>>>(n, 3, dx, dy);
	WANT(cudaGetLastError(), cudaErrorInvalidConfiguration);
	WANT(cudaGetLastError(), cudaSuccess);
	cudaDeviceProp p;
	OK(cudaGetDeviceProperties(&p, 0));
	WANT(p.warpSize, 32);
	WANT(p.maxThreadsPerBlock, 1024);
	WANT(p.totalGlobalMem > 0, true);
	return finish();
}
