// A matrix product in tiles of shared memory. With -DFORGET_BARRIER a barrier is missing: exec --check reports the race.
#include "check.h"

const int Tile = 16, N = 48;

__global__ void product(const float *a, const float *b, float *c)
{
	__shared__ float as[Tile][Tile], bs[Tile][Tile];
	int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * Tile + y, col = blockIdx.x * Tile + x;
	float sum = 0;
	for (int t = 0; t < N; t += Tile) {
		as[y][x] = a[row * N + t + x];
		bs[y][x] = b[(t + y) * N + col];
		__syncthreads();
		for (int k = 0; k < Tile; k++)
			sum += as[y][k] * bs[k][x];
#ifndef FORGET_BARRIER
		__syncthreads();
#endif
	}
	c[row * N + col] = sum;
}

int main()
{
	static float a[N * N], b[N * N], c[N * N];
	for (int i = 0; i < N * N; i++)
		a[i] = i % 7, b[i] = i % 5;
	float *da, *db, *dc;
	OK(cudaMalloc(&da, sizeof a));
	OK(cudaMalloc(&db, sizeof b));
	OK(cudaMalloc(&dc, sizeof c));
	OK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
	product<<<dim3(N / Tile, N / Tile), dim3(Tile, Tile)>>>(da, db, dc);
	OK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
#ifndef FORGET_BARRIER
	for (int row = 0; row < N; row++)
		for (int col = 0; col < N; col++) {
			int want = 0;
			for (int k = 0; k < N; k++)
				want += (row * N + k) % 7 * ((k * N + col) % 5);
			EXPECT(c[row * N + col] == want); // integers: exact
		}
#endif
	OK(cudaFree(da));
	OK(cudaFree(db));
	OK(cudaFree(dc));
	std::puts("right");
}
