// rocPRIM's scan, sort and reduction on the device, compared with the host's.
#include "check.h"

#include <rocprim/rocprim.hpp>

#include <algorithm>
#include <vector>

int main()
{
	const size_t n = 3000;
	std::vector<int> in(n), out(n), want(n);
	int total = 0;
	for (size_t i = 0; i < n; i++) {
		in[i] = (int)(i * 7919 % 1013) - 500;
		want[i] = total += in[i];
	}
	int *din, *dout, *dsum, sum = 0;
	CHECK(hipMalloc(&din, n * sizeof(int)));
	CHECK(hipMalloc(&dout, n * sizeof(int)));
	CHECK(hipMalloc(&dsum, sizeof(int)));
	CHECK(hipMemcpy(din, in.data(), n * sizeof(int), hipMemcpyHostToDevice));
	void *room = nullptr;
	size_t bytes = 0;
	CHECK(rocprim::reduce(nullptr, bytes, din, dsum, n, rocprim::plus<int>()));
	CHECK(hipMalloc(&room, bytes));
	CHECK(rocprim::reduce(room, bytes, din, dsum, n, rocprim::plus<int>()));
	CHECK(hipMemcpy(&sum, dsum, sizeof sum, hipMemcpyDeviceToHost));
	EXPECT(sum == total);
	CHECK(hipFree(room));
	CHECK(rocprim::inclusive_scan(nullptr, bytes, din, dout, n, rocprim::plus<int>()));
	CHECK(hipMalloc(&room, bytes));
	CHECK(rocprim::inclusive_scan(room, bytes, din, dout, n, rocprim::plus<int>()));
	CHECK(hipMemcpy(out.data(), dout, n * sizeof(int), hipMemcpyDeviceToHost));
	EXPECT(out == want);
	CHECK(hipFree(room));
	CHECK(rocprim::radix_sort_keys(nullptr, bytes, din, dout, n));
	CHECK(hipMalloc(&room, bytes));
	CHECK(rocprim::radix_sort_keys(room, bytes, din, dout, n));
	CHECK(hipMemcpy(out.data(), dout, n * sizeof(int), hipMemcpyDeviceToHost));
	want = in;
	std::sort(want.begin(), want.end());
	EXPECT(out == want);
	CHECK(hipFree(room));
	CHECK(hipFree(din));
	CHECK(hipFree(dout));
	CHECK(hipFree(dsum));
	std::puts("rocprim: right");
}
