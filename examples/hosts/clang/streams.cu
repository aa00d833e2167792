// Streams, events, a captured graph, a callback, dynamic shared memory, and the attributes of kernels and devices.
#include "check.h"

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }

__global__ void mirror(int *p)
{
	extern __shared__ int s[];
	s[threadIdx.x] = p[threadIdx.x];
	__syncthreads();
	p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

static void called(void *data) { ++*(int *)data; }

int main()
{
	cudaDeviceProp properties;
	int devices, warp, calls = 0;
	OK(cudaGetDeviceCount(&devices));
	OK(cudaGetDeviceProperties(&properties, 0));
	OK(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0));
	EXPECT(devices == 1 && warp == 32 && properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024 && properties.major >= 8 && properties.totalGlobalMem > 1 << 20);

	cudaStream_t a, b;
	cudaEvent_t ready;
	OK(cudaStreamCreate(&a));
	OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	OK(cudaEventCreate(&ready));
	int *p, h[64];
	OK(cudaMallocAsync(&p, sizeof h, a));
	OK(cudaMemsetAsync(p, 0, sizeof h, a));
	add<<<1, 64, 0, a>>>(p, 5);
	OK(cudaEventRecord(ready, a));
	OK(cudaStreamWaitEvent(b, ready));
	add<<<1, 64, 0, b>>>(p, 6);
	OK(cudaLaunchHostFunc(b, called, &calls));
	OK(cudaMemcpyAsync(h, p, sizeof h, cudaMemcpyDeviceToHost, b));
	OK(cudaStreamSynchronize(b));
	EXPECT(h[0] == 11 && h[63] == 11 && calls == 1);

	cudaGraph_t graph;
	cudaGraphExec_t exec;
	OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	add<<<1, 64, 0, a>>>(p, 1);
	add<<<1, 64, 0, a>>>(p, 2);
	OK(cudaStreamEndCapture(a, &graph));
	OK(cudaGraphInstantiate(&exec, graph));
	for (int i = 0; i < 3; i++)
		OK(cudaGraphLaunch(exec, a));
	for (int i = 0; i < 64; i++)
		h[i] = i;
	OK(cudaStreamSynchronize(a));
	OK(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
	EXPECT(h[5] == 20);

	for (int i = 0; i < 64; i++)
		h[i] = i;
	OK(cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice));
	cudaFuncAttributes attributes;
	OK(cudaFuncGetAttributes(&attributes, mirror));
	EXPECT(attributes.maxThreadsPerBlock == 1024 && attributes.sharedSizeBytes == 0);
	OK(cudaFuncSetAttribute(mirror, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
	cudaLaunchConfig_t config = {};
	config.gridDim = 1, config.blockDim = 64, config.dynamicSmemBytes = 60 << 10, config.stream = a;
	OK(cudaLaunchKernelEx(&config, mirror, p));
	OK(cudaStreamSynchronize(a));
	OK(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 64; i++)
		EXPECT(h[i] == 63 - i);

	EXPECT(cudaMalloc(&p, ~size_t(0)) == cudaErrorMemoryAllocation);
	EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation && cudaGetLastError() == cudaSuccess);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaEventDestroy(ready));
	OK(cudaStreamDestroy(a));
	OK(cudaStreamDestroy(b));
	std::puts("right");
}
