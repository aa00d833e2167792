// CUB: prefix sums and a reduction of the device.
#include "check.h"
#include <cub/cub.cuh>

int main()
{
	const int n = 10000;
	std::vector<int> h(n);
	for (int i = 0; i < n; i++)
		h[i] = i % 17 - 5;
	Buffer<int> in(h), out(n), most(1);
	size_t bytes = 0;
	OK(cub::DeviceScan::InclusiveSum(nullptr, bytes, in.p, out.p, n));
	Buffer<char> room(bytes);
	OK(cub::DeviceScan::InclusiveSum(room.p, bytes, in.p, out.p, n));
	std::vector<int> got = out.get();
	for (int i = 0, s = 0; i < n; i++)
		WANT(got[i], s += h[i]);
	OK(cub::DeviceReduce::Max(nullptr, bytes, in.p, most.p, n));
	Buffer<char> more(bytes);
	OK(cub::DeviceReduce::Max(more.p, bytes, in.p, most.p, n));
	WANT(most.get()[0], 11);
	return finish();
}
