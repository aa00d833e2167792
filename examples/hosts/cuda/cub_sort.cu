// CUB: a radix sort of keys with values.
#include "check.h"
#include <algorithm>
#include <cub/cub.cuh>

int main()
{
	const int n = 6000;
	std::vector<unsigned> keys(n), values(n), order(n);
	for (int i = 0; i < n; i++)
		keys[i] = i * 2654435761u >> 7, values[i] = order[i] = i;
	std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
	Buffer<unsigned> k(keys), v(values), sk(n), sv(n);
	size_t bytes = 0;
	OK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, k.p, sk.p, v.p, sv.p, n));
	Buffer<char> room(bytes);
	OK(cub::DeviceRadixSort::SortPairs(room.p, bytes, k.p, sk.p, v.p, sv.p, n));
	std::vector<unsigned> got = sk.get(), from = sv.get();
	for (int i = 0; i < n; i++) {
		WANT(got[i], keys[order[i]]);
		WANT(from[i], order[i]);
	}
	return finish();
}
