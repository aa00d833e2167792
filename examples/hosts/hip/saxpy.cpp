// y = a x + y, and what the program can ask about the device.
#include "check.h"

#include <cstring>
#include <vector>

__global__ void saxpy(float a, const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * x[i] + y[i];
}

int main()
{
	const int n = 1000;
	std::vector<float> x(n), y(n, 1);
	for (int i = 0; i < n; i++)
		x[i] = i;
	float *dx, *dy;
	CHECK(hipMalloc(&dx, n * sizeof(float)));
	CHECK(hipMalloc(&dy, n * sizeof(float)));
	CHECK(hipMemcpy(dx, x.data(), n * sizeof(float), hipMemcpyHostToDevice));
	CHECK(hipMemcpy(dy, y.data(), n * sizeof(float), hipMemcpyHostToDevice));
	saxpy<<<(n + 255) / 256, 256>>>(2, dx, dy, n);
	CHECK(hipGetLastError());
	CHECK(hipMemcpy(y.data(), dy, n * sizeof(float), hipMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		EXPECT(y[i] == 2.0f * i + 1);
	CHECK(hipFree(dx));
	CHECK(hipFree(dy));

	int device, count, warp;
	hipDeviceProp_t p;
	CHECK(hipGetDevice(&device));
	CHECK(hipGetDeviceCount(&count));
	EXPECT(device == 0 && count == 1);
	CHECK(hipGetDeviceProperties(&p, device));
	CHECK(hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, device));
	EXPECT(warp == p.warpSize && p.maxThreadsPerBlock >= 256 && p.multiProcessorCount > 0);
	EXPECT(!std::strncmp(p.gcnArchName, "gfx", 3) && p.totalGlobalMem > 0 && p.sharedMemPerBlock >= 32768);
	int blocks;
	CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, saxpy, 256, 0));
	EXPECT(blocks > 0);
	hipFuncAttributes f;
	CHECK(hipFuncGetAttributes(&f, reinterpret_cast<const void *>(saxpy)));
	EXPECT(f.maxThreadsPerBlock >= 256 && f.sharedSizeBytes == 0);
	std::puts("saxpy: right");
}
