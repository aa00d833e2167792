// The module API: a code object from a file (hipcc --genco), arguments as pointers and as a packed block.
#include "check.h"


extern "C" __global__ void scale(const int *in, int *out, int factor, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = in[i] * factor;
}

extern "C" __device__ int version = 3;

int main(int, char **argv)
{
	const int n = 200;
	int h[n], v = 0;
	hipModule_t module;
	hipFunction_t f;
	CHECK(hipModuleLoad(&module, argv[1]));
	CHECK(hipModuleGetFunction(&f, module, "scale"));
	EXPECT(hipModuleGetFunction(&f, module, "absent") == hipErrorNotFound);
	CHECK(hipModuleGetFunction(&f, module, "scale"));
	hipDeviceptr_t p;
	size_t size;
	CHECK(hipModuleGetGlobal(&p, &size, module, "version"));
	CHECK(hipMemcpyDtoH(&v, p, sizeof v));
	EXPECT(size == sizeof v && v == 3);
	int *in, *out;
	CHECK(hipMalloc(&in, sizeof h));
	CHECK(hipMalloc(&out, sizeof h));
	for (int i = 0; i < n; i++)
		h[i] = i;
	CHECK(hipMemcpy(in, h, sizeof h, hipMemcpyHostToDevice));
	int factor = 5, count = n;
	void *args[] = { &in, &out, &factor, &count };
	CHECK(hipModuleLaunchKernel(f, 4, 1, 1, 64, 1, 1, 0, nullptr, args, nullptr)); // 4 blocks
	CHECK(hipMemcpy(h, out, sizeof h, hipMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		EXPECT(h[i] == 5 * i);
	struct {
		const int *in;
		int *out;
		int factor, n;
	} packed = { in, out, -3, n };
	size_t bytes = sizeof packed;
	void *extra[] = { HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END };
	CHECK(hipModuleLaunchKernel(f, 4, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra));
	CHECK(hipMemcpy(h, out, sizeof h, hipMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		EXPECT(h[i] == -3 * i);
	CHECK(hipModuleUnload(module));
	CHECK(hipFree(in));
	CHECK(hipFree(out));
	std::puts("module: right");
}
