// Two streams, ordered by an event; pinned memory; copies that do not wait; a function of the host; a graph from a capture.
#include "check.h"

__global__ void add(int *data, int v, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		data[i] += v;
}

static void called(hipStream_t, hipError_t e, void *data) { *static_cast<int *>(data) = e == hipSuccess ? 42 : -1; }

int main()
{
	const int n = 1024;
	const size_t bytes = n * sizeof(int);
	int *h, *d, seen = 0;
	CHECK(hipHostMalloc(reinterpret_cast<void **>(&h), bytes, hipHostMallocDefault));
	CHECK(hipMalloc(&d, bytes));
	for (int i = 0; i < n; i++)
		h[i] = i;
	hipStream_t a, b;
	hipEvent_t begin, ready, end;
	CHECK(hipStreamCreate(&a));
	CHECK(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
	CHECK(hipEventCreate(&begin));
	CHECK(hipEventCreateWithFlags(&ready, hipEventDisableTiming));
	CHECK(hipEventCreate(&end));
	CHECK(hipEventRecord(begin, a));
	CHECK(hipMemcpyAsync(d, h, bytes, hipMemcpyHostToDevice, a));
	add<<<n / 256, 256, 0, a>>>(d, 10, n);
	CHECK(hipEventRecord(ready, a));
	CHECK(hipStreamWaitEvent(b, ready, 0));
	add<<<n / 256, 256, 0, b>>>(d, 100, n);
	CHECK(hipMemcpyAsync(h, d, bytes, hipMemcpyDeviceToHost, b));
	CHECK(hipStreamAddCallback(b, called, &seen, 0));
	CHECK(hipStreamSynchronize(b));
	CHECK(hipEventRecord(end, a));
	CHECK(hipEventSynchronize(end));
	EXPECT(hipStreamQuery(b) == hipSuccess && seen == 42);
	float ms = -1;
	CHECK(hipEventElapsedTime(&ms, begin, end));
	EXPECT(ms >= 0);
	for (int i = 0; i < n; i++)
		EXPECT(h[i] == i + 110);

	hipGraph_t graph;
	hipGraphExec_t exec;
	CHECK(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
	add<<<n / 256, 256, 0, a>>>(d, 1, n);
	add<<<n / 256, 256, 0, a>>>(d, 2, n);
	CHECK(hipStreamEndCapture(a, &graph));
	CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
	for (int i = 0; i < 3; i++)
		CHECK(hipGraphLaunch(exec, a));
	CHECK(hipStreamSynchronize(a));
	CHECK(hipMemcpy(h, d, bytes, hipMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		EXPECT(h[i] == i + 119);
	CHECK(hipGraphExecDestroy(exec));
	CHECK(hipGraphDestroy(graph));
	CHECK(hipEventDestroy(begin));
	CHECK(hipEventDestroy(ready));
	CHECK(hipEventDestroy(end));
	CHECK(hipStreamDestroy(a));
	CHECK(hipStreamDestroy(b));
	CHECK(hipFree(d));
	CHECK(hipHostFree(h));
	std::puts("streams: right");
}
