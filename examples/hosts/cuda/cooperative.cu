// Cooperative groups: all blocks of a grid wait for each other; a tile of a warp adds up.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void shift(int *a, int *b, int n, int rounds, int *sum)
{
	cg::grid_group grid = cg::this_grid();
	for (int r = 0; r < rounds; r++) {
		for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size())
			b[(i + 1) % n] = a[i] + 1;
		grid.sync();
		int *t = a;
		a = b, b = t;
	}
	auto tile = cg::tiled_partition<32>(cg::this_thread_block());
	int v = cg::reduce(tile, (int)tile.thread_rank(), cg::plus<int>());
	if (grid.thread_rank() == 0)
		*sum = v;
}

int main()
{
	int n = 1000, rounds = 6, device_can = 0;
	OK(cudaDeviceGetAttribute(&device_can, cudaDevAttrCooperativeLaunch, 0));
	WANT(device_can, 1);
	std::vector<int> h(n);
	for (int i = 0; i < n; i++)
		h[i] = i;
	Buffer<int> a(h), b(n), sum(1);
	void *args[] = { &a.p, &b.p, &n, &rounds, &sum.p };
	OK(cudaLaunchCooperativeKernel((void *)shift, dim3(8), dim3(64), args));
	std::vector<int> got = a.get();
	for (int i = 0; i < n; i++)
		WANT(got[i], (i - rounds + n) % n + rounds);
	WANT(sum.get()[0], 31 * 16);
	return finish();
}
