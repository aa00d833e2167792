// y = a*x + y, with copies in both directions.
#include "check.h"

__global__ void saxpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * x[i] + y[i];
}

int main()
{
	const int n = 1000;
	static float x[n], y[n], out[n];
	for (int i = 0; i < n; i++)
		x[i] = i, y[i] = 1000 - i;
	float *dx, *dy;
	OK(cudaMalloc(&dx, sizeof x));
	OK(cudaMalloc(&dy, sizeof y));
	OK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice));
	saxpy<<<(n + 255) / 256, 256>>>(n, 3.0f, dx, dy);
	OK(cudaGetLastError());
	OK(cudaMemcpy(out, dy, sizeof out, cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		EXPECT(out[i] == 3.0f * i + (1000 - i)); // integers: exact
	OK(cudaFree(dx));
	OK(cudaFree(dy));
	std::puts("right");
}
