// nvcc: -default-stream per-thread
// Each thread of the host has a default stream of its own.
#include "check.h"
#include <thread>

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }

static void work(int number, int *sum)
{
	Buffer<int> p(64);
	OK(cudaMemset(p, 0, 256));
	for (int i = 0; i < 10; i++)
		add<<<1, 64>>>(p, number);
	OK(cudaStreamSynchronize(0));
	std::vector<int> got = p.get();
	*sum = 0;
	for (int v : got)
		*sum += v;
}

int main()
{
	int sums[4];
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back(work, i + 1, &sums[i]);
	for (auto &t : threads)
		t.join();
	for (int i = 0; i < 4; i++)
		WANT(sums[i], 640 * (i + 1));
	return finish();
}
