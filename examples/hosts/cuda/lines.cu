// nvcc: -lineinfo
// A matrix product with tiles in shared memory, with lines for findings.
#include "check.h"

__global__ void product(const float *a, const float *b, float *c, int n)
{
	__shared__ float ta[16][16], tb[16][16];
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
	float sum = 0;
	for (int t = 0; t < n; t += 16) {
		ta[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];
		tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];
		__syncthreads();
		for (int k = 0; k < 16; k++)
			sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
		__syncthreads();
	}
	c[y * n + x] = sum;
}

int main()
{
	const int n = 48;
	std::vector<float> a(n * n), b(n * n);
	for (int i = 0; i < n * n; i++)
		a[i] = i % 7 - 3, b[i] = i % 5 - 2;
	Buffer<float> da(a), db(b), dc(n * n);
	product<<<dim3(3, 3), dim3(16, 16)>>>(da, db, dc, n);
	std::vector<float> c = dc.get();
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++) {
			float sum = 0;
			for (int k = 0; k < n; k++)
				sum += a[y * n + k] * b[k * n + x];
			WANT(c[y * n + x], sum);
		}
	return finish();
}
