// Copies of two and three dimensions, fills, and what the API answers to mistakes.
#include "check.h"

#include <vector>

int main()
{
	const size_t width = 100, height = 30;
	std::vector<unsigned char> a(width * height), b(width * height);
	for (size_t i = 0; i < a.size(); i++)
		a[i] = static_cast<unsigned char>(i * 7);
	void *d;
	size_t pitch;
	CHECK(hipMallocPitch(&d, &pitch, width, height));
	EXPECT(pitch >= width);
	CHECK(hipMemset2D(d, pitch, 9, width, height));
	CHECK(hipMemcpy2D(d, pitch, a.data(), width, width, height / 2, hipMemcpyHostToDevice));
	CHECK(hipMemcpy2D(b.data(), width, d, pitch, width, height, hipMemcpyDeviceToHost));
	for (size_t i = 0; i < a.size(); i++)
		EXPECT(b[i] == (i < width * (height / 2) ? a[i] : 9));
	CHECK(hipFree(d));

	hipPitchedPtr p;
	hipExtent n = make_hipExtent(20, 10, 5);
	CHECK(hipMalloc3D(&p, n));
	CHECK(hipMemset3D(p, 3, n));
	std::vector<unsigned char> cube(20 * 10 * 5), back(20 * 10 * 5);
	for (size_t i = 0; i < cube.size(); i++)
		cube[i] = static_cast<unsigned char>(i);
	hipMemcpy3DParms c = {};
	c.srcPtr = make_hipPitchedPtr(cube.data(), 20, 20, 10);
	c.dstPtr = p;
	c.extent = make_hipExtent(20, 10, 4); // the last layer stays
	c.kind = hipMemcpyHostToDevice;
	CHECK(hipMemcpy3D(&c));
	c = {};
	c.srcPtr = p;
	c.dstPtr = make_hipPitchedPtr(back.data(), 20, 20, 10);
	c.extent = n;
	c.kind = hipMemcpyDeviceToHost;
	CHECK(hipMemcpy3D(&c));
	for (size_t i = 0; i < cube.size(); i++)
		EXPECT(back[i] == (i < 20 * 10 * 4 ? cube[i] : 3));
	CHECK(hipFree(p.ptr));

	EXPECT(hipMemcpy(nullptr, a.data(), 4, hipMemcpyHostToDevice) == hipErrorInvalidValue);
	EXPECT(hipGetLastError() == hipErrorInvalidValue);
	EXPECT(hipGetLastError() == hipSuccess);
	EXPECT(hipSetDevice(1) == hipErrorInvalidDevice);
	EXPECT(hipStreamDestroy(reinterpret_cast<hipStream_t>(0x1234)) == hipErrorInvalidHandle);
	EXPECT(hipGetSymbolAddress(&d, a.data()) == hipErrorInvalidSymbol);
	std::puts("copies: right");
}
