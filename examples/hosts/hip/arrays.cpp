// Arrays of one to three dimensions, and copies of them.
#include "check.h"

#include <vector>

int main()
{
	const size_t width = 50, height = 20;
	std::vector<float> a(width * height), b(width * height, -1);
	for (size_t i = 0; i < a.size(); i++)
		a[i] = 0.5f * static_cast<float>(i);
	hipChannelFormatDesc desc = hipCreateChannelDesc<float>();
	hipArray_t array;
	CHECK(hipMallocArray(&array, &desc, width, height, hipArrayDefault));
	hipChannelFormatDesc again;
	CHECK(hipGetChannelDesc(&again, array));
	EXPECT(again.x == 32 && again.y == 0 && again.f == hipChannelFormatKindFloat);

	// Rectangles.
	const size_t row = width * sizeof(float);
	CHECK(hipMemcpy2DToArray(array, 0, 0, a.data(), row, row, height, hipMemcpyHostToDevice));
	CHECK(hipMemcpy2DFromArray(b.data(), row, array, 0, 0, row, height, hipMemcpyDeviceToHost));
	EXPECT(a == b);
	float *linear;
	CHECK(hipMalloc(reinterpret_cast<void **>(&linear), 6 * sizeof(float)));
	CHECK(hipMemcpy2DFromArray(linear, 3 * sizeof(float), array, 7 * sizeof(float), 4, 3 * sizeof(float), 2, hipMemcpyDeviceToDevice));
	float six[6];
	CHECK(hipMemcpy(six, linear, sizeof six, hipMemcpyDeviceToHost));
	for (size_t i = 0; i < 6; i++)
		EXPECT(six[i] == a[(4 + i / 3) * width + 7 + i % 3]);
	hipStream_t stream;
	CHECK(hipStreamCreate(&stream));
	const float two[2] = {-2, -3};
	CHECK(hipMemcpy2DToArrayAsync(array, row - sizeof two, height - 1, two, sizeof two, sizeof two, 1, hipMemcpyHostToDevice, stream));
	CHECK(hipStreamSynchronize(stream));
	CHECK(hipStreamDestroy(stream));

	// Bytes that follow one another, from row to row.
	std::vector<float> line(2 * width + 3);
	CHECK(hipMemcpyFromArray(line.data(), array, 5 * sizeof(float), height - 3, line.size() * sizeof(float), hipMemcpyDeviceToHost));
	for (size_t i = 0; i < line.size(); i++)
		EXPECT(line[i] == a[(height - 3) * width + 5 + i]);
	CHECK(hipMemcpyAtoH(six, array, row * (height - 1) % row, sizeof six));
	for (size_t i = 0; i < 6; i++)
		EXPECT(six[i] == a[i]);
	CHECK(hipMemcpyToArray(array, row - sizeof(float), 2, two, sizeof two, hipMemcpyHostToDevice));
	CHECK(hipMemcpy2DFromArray(b.data(), row, array, 0, 0, row, height, hipMemcpyDeviceToHost));
	a[3 * width - 1] = a[height * width - 2] = -2, a[3 * width] = a[height * width - 1] = -3;
	EXPECT(a == b);

	// An array of one dimension with four channels, by the driver's functions.
	HIP_ARRAY_DESCRIPTOR d = {};
	d.Width = 9, d.Height = 0, d.Format = HIP_AD_FORMAT_UNSIGNED_INT16, d.NumChannels = 4;
	hipArray *small;
	CHECK(hipArrayCreate(&small, &d));
	unsigned short in[36], out[36] = {};
	for (unsigned short i = 0; i < 36; i++)
		in[i] = static_cast<unsigned short>(i * 1821);
	CHECK(hipMemcpyHtoA(small, 0, in, sizeof in));
	CHECK(hipMemcpyAtoH(out, small, 0, sizeof out));
	for (size_t i = 0; i < 36; i++)
		EXPECT(in[i] == out[i]);
	CHECK(hipMemcpyAtoH(out, small, 64, 8));
	EXPECT(out[3] == in[35]);

	// Mistakes.
	EXPECT(hipMemcpyAtoH(out, small, 65, 8) == hipErrorInvalidValue);
	EXPECT(hipMemcpy2DToArray(array, 4, 0, a.data(), row, row, 1, hipMemcpyHostToDevice) == hipErrorInvalidValue);
	EXPECT(hipMemcpy2DToArray(array, 0, 1, a.data(), row, row, height, hipMemcpyHostToDevice) == hipErrorInvalidValue);
	EXPECT(hipMemcpy2DToArray(array, 0, 0, a.data(), row, row, 1, hipMemcpyDeviceToHost) == hipErrorInvalidMemcpyDirection);
	EXPECT(hipFreeArray(nullptr) == hipErrorInvalidValue);
	CHECK(hipArrayDestroy(small));
	EXPECT(hipArrayDestroy(small) == hipErrorInvalidHandle);
	CHECK(hipFreeArray(array));
	EXPECT(hipMemcpyAtoH(out, array, 0, 8) == hipErrorInvalidHandle);
	desc.y = 8;
	EXPECT(hipMallocArray(&array, &desc, 4, 4, hipArrayDefault) == hipErrorInvalidValue);
	desc.y = 0;
	EXPECT(hipMalloc3DArray(&array, &desc, make_hipExtent(4, 4, 4), hipArrayLayered) == hipErrorNotSupported);

	// Three dimensions, by the parameters of the runtime API and of the driver API.
	const size_t layers = 5, columns = 10, lines = 4;
	CHECK(hipMalloc3DArray(&array, &desc, make_hipExtent(columns, lines, layers), hipArrayDefault));
	hipMemcpy3DParms whole = {};
	whole.srcPtr = make_hipPitchedPtr(a.data(), columns * sizeof(float), columns, lines);
	whole.dstArray = array, whole.extent = make_hipExtent(columns, lines, layers), whole.kind = hipMemcpyHostToDevice;
	CHECK(hipMemcpy3D(&whole));
	float part[2][2][3] = {};
	HIP_MEMCPY3D box = {};
	box.srcMemoryType = hipMemoryTypeArray, box.srcArray = array, box.srcXInBytes = 6 * sizeof(float), box.srcY = 1, box.srcZ = 3;
	box.dstMemoryType = hipMemoryTypeHost, box.dstHost = part, box.dstPitch = sizeof part[0][0], box.dstHeight = 2;
	box.WidthInBytes = sizeof part[0][0], box.Height = 2, box.Depth = 2;
	CHECK(hipDrvMemcpy3D(&box));
	for (size_t i = 0; i < 12; i++)
		EXPECT(part[i / 6][i / 3 % 2][i % 3] == a[((3 + i / 6) * lines + 1 + i / 3 % 2) * columns + 6 + i % 3]);
	box.srcZ = 4;
	EXPECT(hipDrvMemcpy3D(&box) == hipErrorInvalidValue);
	hip_Memcpy2D plane = {};
	plane.srcMemoryType = hipMemoryTypeArray, plane.srcArray = array, plane.srcY = 1;
	plane.dstMemoryType = hipMemoryTypeDevice, plane.dstDevice = reinterpret_cast<hipDeviceptr_t>(linear), plane.dstPitch = 2 * sizeof(float);
	plane.WidthInBytes = 2 * sizeof(float), plane.Height = 3;
	CHECK(hipMemcpyParam2D(&plane));
	CHECK(hipMemcpy(six, linear, sizeof six, hipMemcpyDeviceToHost));
	for (size_t i = 0; i < 6; i++)
		EXPECT(six[i] == a[(1 + i / 2) * columns + i % 2]);
	CHECK(hipFreeArray(array));
	CHECK(hipFree(linear));
	std::puts("arrays: right");
}
