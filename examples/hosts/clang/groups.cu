// Cooperative groups: tiles of a warp, active lanes, the block, and the whole grid.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

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

// What reduce gives: of tiles of 4 and of 32 lanes, and of the lanes whose number has a remainder of 1 by 3.
struct reductions { int sum, least, greatest, all, any, odd; double halves; };

template <class Group> __device__ void reduce_all(const Group &g, int v, reductions *r)
{
	r->sum = cg::reduce(g, v, cg::plus<int>()), r->least = cg::reduce(g, v, cg::less<int>()), r->greatest = cg::reduce(g, v, cg::greater<int>());
	r->all = cg::reduce(g, v, cg::bit_and<int>()), r->any = cg::reduce(g, v, cg::bit_or<int>()), r->odd = cg::reduce(g, v, cg::bit_xor<int>());
	r->halves = cg::reduce(g, v * 0.5, cg::plus<double>());
}

__host__ __device__ int number(int i) { return (i * 2654435761u >> 7) % 1000 - 400; }

__global__ void reduce_groups(reductions *of_4, reductions *of_32, reductions *active)
{
	int i = threadIdx.x;
	reduce_all(cg::tiled_partition<4>(cg::this_thread_block()), number(i), of_4 + i);
	reduce_all(cg::tiled_partition<32>(cg::this_thread_block()), number(i), of_32 + i);
	if (i % 3 == 1)
		reduce_all(cg::coalesced_threads(), number(i), active + i);
}

static void expect_reductions(const reductions &r, int from, int to, bool third)
{
	reductions want = {0, 1000, -1000, -1, 0, 0, 0};
	for (int i = from; i < to; i++) {
		int v = number(i);
		if (third && i % 3 != 1)
			continue;
		want.sum += v, want.all &= v, want.any |= v, want.odd ^= v, want.halves += v / 2.0;
		want.least = v < want.least ? v : want.least, want.greatest = v > want.greatest ? v : want.greatest;
	}
	EXPECT(r.sum == want.sum && r.least == want.least && r.greatest == want.greatest);
	EXPECT(r.all == want.all && r.any == want.any && r.odd == want.odd && r.halves == want.halves);
}

int main()
{
	reductions *sums;
	OK(cudaMallocManaged(&sums, 3 * 64 * sizeof *sums));
	reduce_groups<<<1, 64>>>(sums, sums + 64, sums + 128);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 64; i++) {
		expect_reductions(sums[i], i / 4 * 4, i / 4 * 4 + 4, false);
		expect_reductions(sums[64 + i], i / 32 * 32, i / 32 * 32 + 32, false);
		if (i % 3 == 1)
			expect_reductions(sums[128 + i], i / 32 * 32, i / 32 * 32 + 32, true);
	}
	OK(cudaFree(sums));
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
