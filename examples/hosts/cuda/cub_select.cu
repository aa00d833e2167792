// CUB: selection by a condition, and sums of runs of equal keys.
#include "check.h"
#include <cub/cub.cuh>

struct Odd { __host__ __device__ bool operator()(int v) const { return v & 1; } };

int main()
{
	const int n = 7000;
	std::vector<int> h(n), keys(n), odd, runs, sums;
	for (int i = 0; i < n; i++) {
		h[i] = i * 7 % 23, keys[i] = i / 9 % 4;
		if (h[i] & 1)
			odd.push_back(h[i]);
		if (i == 0 || keys[i] != keys[i - 1])
			runs.push_back(keys[i]), sums.push_back(0);
		sums.back() += h[i];
	}
	Buffer<int> in(h), k(keys), out(n), count(1), uk(n), us(n);
	size_t bytes = 0;
	OK(cub::DeviceSelect::If(nullptr, bytes, in.p, out.p, count.p, n, Odd()));
	Buffer<char> room(bytes);
	OK(cub::DeviceSelect::If(room.p, bytes, in.p, out.p, count.p, n, Odd()));
	WANT(count.get()[0], odd.size());
	std::vector<int> got = out.get();
	for (size_t i = 0; i < odd.size(); i++)
		WANT(got[i], odd[i]);
	OK(cub::DeviceReduce::ReduceByKey(nullptr, bytes, k.p, uk.p, in.p, us.p, count.p, cuda::std::plus<>(), n));
	Buffer<char> more(bytes);
	OK(cub::DeviceReduce::ReduceByKey(more.p, bytes, k.p, uk.p, in.p, us.p, count.p, cuda::std::plus<>(), n));
	WANT(count.get()[0], runs.size());
	std::vector<int> keys_of = uk.get(), sums_of = us.get();
	for (size_t i = 0; i < runs.size(); i++) {
		WANT(keys_of[i], runs[i]);
		WANT(sums_of[i], sums[i]);
	}
	return finish();
}
