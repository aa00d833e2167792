// A product of matrices in tiles of shared memory, once of a fixed size and once of a size that the launch gives.
#include "check.h"

#include <vector>

constexpr int T = 16;

__global__ void matmul(const float *a, const float *b, float *c, int n)
{
	__shared__ float ta[T][T], tb[T][T];
	int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
	float v = 0;
	for (int t = 0; t < n; t += T) {
		ta[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];
		tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];
		__syncthreads();
		for (int k = 0; k < T; k++)
			v += ta[threadIdx.y][k] * tb[k][threadIdx.x];
		__syncthreads();
	}
	c[y * n + x] = v;
}

__global__ void reverse(int *data)
{
	extern __shared__ int tile[];
	tile[threadIdx.x] = data[blockIdx.x * blockDim.x + threadIdx.x];
	__syncthreads();
	data[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

int main()
{
	const int n = 64;
	std::vector<float> a(n * n), b(n * n), c(n * n);
	for (int i = 0; i < n * n; i++)
		a[i] = i % 13 - 6, b[i] = i % 7 - 3; // small integers: the sums are exact
	float *da, *db, *dc;
	const size_t bytes = n * n * sizeof(float);
	CHECK(hipMalloc(&da, bytes));
	CHECK(hipMalloc(&db, bytes));
	CHECK(hipMalloc(&dc, bytes));
	CHECK(hipMemcpy(da, a.data(), bytes, hipMemcpyHostToDevice));
	CHECK(hipMemcpy(db, b.data(), bytes, hipMemcpyHostToDevice));
	matmul<<<dim3(n / T, n / T), dim3(T, T)>>>(da, db, dc, n);
	CHECK(hipMemcpy(c.data(), dc, bytes, hipMemcpyDeviceToHost));
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++) {
			float want = 0;
			for (int k = 0; k < n; k++)
				want += a[y * n + k] * b[k * n + x];
			EXPECT(c[y * n + x] == want);
		}
	CHECK(hipFree(da));
	CHECK(hipFree(db));
	CHECK(hipFree(dc));

	const int m = 512, block = 128;
	int h[m], *d;
	for (int i = 0; i < m; i++)
		h[i] = i;
	CHECK(hipMalloc(&d, sizeof h));
	CHECK(hipMemcpy(d, h, sizeof h, hipMemcpyHostToDevice));
	reverse<<<m / block, block, block * sizeof(int)>>>(d);
	CHECK(hipMemcpy(h, d, sizeof h, hipMemcpyDeviceToHost));
	for (int i = 0; i < m; i++)
		EXPECT(h[i] == i / block * block + block - 1 - i % block);
	CHECK(hipFree(d));
	std::puts("matmul: right");
}
