// Constants and variables of the device, by symbol and by address; managed memory and managed variables.
#include "check.h"

__constant__ int factors[4];
__device__ int counter = 5;
__device__ float table[256];
__managed__ int shared_with_host = 7;

__global__ void use(int *out)
{
	out[threadIdx.x] = factors[threadIdx.x % 4] * (int)threadIdx.x + (int)table[threadIdx.x];
	if (threadIdx.x == 0) {
		counter += 1;
		shared_with_host *= 2;
	}
}

int main()
{
	const int f[4] = { 1, -2, 3, -4 };
	float t[256];
	int *out, c;
	for (int i = 0; i < 256; i++)
		t[i] = 1000 + i;
	EXPECT(shared_with_host == 7);
	shared_with_host = 20;
	CHECK(hipMemcpyToSymbol(HIP_SYMBOL(factors), f, sizeof f));
	void *address;
	size_t size;
	CHECK(hipGetSymbolAddress(&address, HIP_SYMBOL(table)));
	CHECK(hipGetSymbolSize(&size, HIP_SYMBOL(table)));
	EXPECT(size == sizeof t);
	CHECK(hipMemcpy(address, t, size, hipMemcpyHostToDevice));
	CHECK(hipMallocManaged(reinterpret_cast<void **>(&out), 64 * sizeof(int), hipMemAttachGlobal));
	use<<<1, 64>>>(out);
	CHECK(hipDeviceSynchronize());
	for (int i = 0; i < 64; i++)
		EXPECT(out[i] == f[i % 4] * i + 1000 + i);
	CHECK(hipMemcpyFromSymbol(&c, HIP_SYMBOL(counter), sizeof c));
	EXPECT(c == 6 && shared_with_host == 40);
	hipPointerAttribute_t a;
	CHECK(hipPointerGetAttributes(&a, out));
	EXPECT(a.isManaged && a.device == 0 && a.devicePointer == out);
	CHECK(hipFree(out));
	std::puts("symbols: right");
}
