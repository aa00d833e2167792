// CUB and Thrust of CCCL, whose headers are not Crosslane's: scans, sums and sorts of the whole device, against the host.
#include "check.h"
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <vector>

const int n = 10000;

int main()
{
	int *in, *out, *total;
	OK(cudaMallocManaged(&in, n * sizeof *in));
	OK(cudaMallocManaged(&out, n * sizeof *out));
	OK(cudaMallocManaged(&total, sizeof *total));
	unsigned int seed = 1;
	for (int i = 0; i < n; i++)
		in[i] = (int)(seed = seed * 1664525 + 1013904223) >> 16;
	void *work;
	size_t scan = 0, sum = 0, sort = 0;
	OK(cub::DeviceScan::InclusiveSum(nullptr, scan, in, out, n));
	OK(cub::DeviceReduce::Sum(nullptr, sum, in, total, n));
	OK(cub::DeviceRadixSort::SortKeys(nullptr, sort, in, out, n));
	OK(cudaMalloc(&work, std::max({scan, sum, sort})));

	OK(cub::DeviceScan::InclusiveSum(work, scan, in, out, n));
	OK(cub::DeviceReduce::Sum(work, sum, in, total, n));
	OK(cudaDeviceSynchronize());
	int so_far = 0;
	for (int i = 0; i < n; i++) {
		so_far += in[i];
		EXPECT(out[i] == so_far);
	}
	EXPECT(*total == so_far);

	OK(cub::DeviceRadixSort::SortKeys(work, sort, in, out, n));
	OK(cudaDeviceSynchronize());
	std::vector<int> sorted(in, in + n);
	std::sort(sorted.begin(), sorted.end());
	EXPECT(std::equal(sorted.begin(), sorted.end(), out));

	thrust::device_vector<int> v(in, in + n);
	thrust::sort(v.begin(), v.end(), thrust::greater<int>());
	std::vector<int> back(n);
	thrust::copy(v.begin(), v.end(), back.begin());
	EXPECT(std::equal(sorted.rbegin(), sorted.rend(), back.begin()));
	std::puts("right");
}
