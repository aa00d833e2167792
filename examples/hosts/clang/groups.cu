// Cooperative groups: tiles of a warp, active lanes, the block, and the whole grid.
#include "check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void tiles(int *out)
{
	auto block = cg::this_thread_block();
	auto tile = cg::tiled_partition<8>(block);
	int v = block.thread_rank();
	for (int d = tile.size() / 2; d > 0; d /= 2)
		v += tile.shfl_xor(v, d);
	int active = 0;
	if (block.thread_rank() % 3 == 0)
		active = cg::coalesced_threads().size();
	out[block.thread_rank()] = v * 100 + active + (tile.ballot(tile.thread_rank() > 5) == 0xc0);
}

__global__ void neighbours(int *p, int *q)
{
	auto grid = cg::this_grid();
	int i = grid.thread_rank(), n = grid.size();
	p[i] = i * i;
	grid.sync();
	q[i] = p[(i + 1) % n] + p[(i + n - 1) % n];
}

int main()
{
	const int n = 256;
	int h[n], *p, *q;
	OK(cudaMalloc(&p, sizeof h));
	OK(cudaMalloc(&q, sizeof h));
	tiles<<<1, 64>>>(p);
	OK(cudaMemcpy(h, p, 64 * sizeof *h, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 64; i++) {
		int first = i / 8 * 8, members = 0;
		for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++)
			members += k % 3 == 0;
		EXPECT(h[i] == (8 * first + 28) * 100 + (i % 3 == 0 ? members : 0) + 1);
	}
	void *args[] = {&p, &q};
	OK(cudaLaunchCooperativeKernel(neighbours, dim3(4), dim3(64), args));
	OK(cudaMemcpy(h, q, sizeof h, cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++) {
		int a = (i + 1) % n, b = (i + n - 1) % n;
		EXPECT(h[i] == a * a + b * b);
	}
	OK(cudaFree(p));
	OK(cudaFree(q));
	std::puts("right");
}
