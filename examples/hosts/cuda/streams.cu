// Two streams with pinned memory, ordered by an event; a function of the host.
#include "check.h"

__global__ void add(int *p, int n, int v)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] += v;
}

static void CUDART_CB note(void *data) { *(int *)data = 42; }

int main()
{
	const int n = 3000;
	int *pinned, noted = 0;
	cudaStream_t a, b;
	cudaEvent_t filled;
	OK(cudaMallocHost(&pinned, n * sizeof(int)));
	OK(cudaStreamCreate(&a));
	OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	OK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
	Buffer<int> p(n);
	for (int i = 0; i < n; i++)
		pinned[i] = i;
	OK(cudaMemcpyAsync(p, pinned, n * sizeof(int), cudaMemcpyHostToDevice, a));
	add<<<(n + 127) / 128, 128, 0, a>>>(p, n, 5);
	OK(cudaEventRecord(filled, a));
	OK(cudaStreamWaitEvent(b, filled, 0));
	add<<<(n + 127) / 128, 128, 0, b>>>(p, n, 7);
	OK(cudaMemcpyAsync(pinned, p, n * sizeof(int), cudaMemcpyDeviceToHost, b));
	OK(cudaLaunchHostFunc(b, note, &noted));
	OK(cudaStreamSynchronize(b));
	WANT(noted, 42);
	WANT(cudaStreamQuery(b), cudaSuccess);
	for (int i = 0; i < n; i++)
		WANT(pinned[i], i + 12);
	cudaPointerAttributes at;
	OK(cudaPointerGetAttributes(&at, pinned));
	WANT(at.type, cudaMemoryTypeHost);
	OK(cudaPointerGetAttributes(&at, p.p));
	WANT(at.type, cudaMemoryTypeDevice);
	WANT((size_t)at.devicePointer, (size_t)p.p);
	OK(cudaPointerGetAttributes(&at, &noted));
	WANT(at.type, cudaMemoryTypeUnregistered);
	OK(cudaEventDestroy(filled));
	OK(cudaStreamDestroy(a));
	OK(cudaStreamDestroy(b));
	OK(cudaFreeHost(pinned));
	return finish();
}
