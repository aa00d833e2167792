// A graph that a stream captures, with a fork to a second stream; it is launched several times and updated.
#include "check.h"

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }

static cudaGraph_t capture(cudaStream_t s, cudaStream_t other, int *p, int *q, int v)
{
	cudaGraph_t g;
	cudaEvent_t fork, join;
	OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
	OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	add<<<1, 64, 0, s>>>(p, v);
	OK(cudaEventRecord(fork, s));
	OK(cudaStreamWaitEvent(other, fork, 0));
	add<<<1, 64, 0, other>>>(q, 2 * v);
	add<<<1, 64, 0, s>>>(p, v);
	OK(cudaEventRecord(join, other));
	OK(cudaStreamWaitEvent(s, join, 0));
	cudaStreamCaptureStatus status;
	OK(cudaStreamIsCapturing(s, &status));
	WANT(status, cudaStreamCaptureStatusActive);
	OK(cudaStreamEndCapture(s, &g));
	OK(cudaEventDestroy(fork));
	OK(cudaEventDestroy(join));
	return g;
}

int main()
{
	Buffer<int> p(64), q(64);
	cudaStream_t s, other;
	OK(cudaMemset(p, 0, 256));
	OK(cudaMemset(q, 0, 256));
	OK(cudaDeviceSynchronize());
	OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	cudaGraph_t g = capture(s, other, p, q, 1), h = capture(s, other, p, q, 10);
	cudaGraphExec_t x;
	size_t nodes = 0;
	OK(cudaGraphGetNodes(g, nullptr, &nodes));
	WANT(nodes, 3);
	OK(cudaGraphInstantiate(&x, g, 0));
	for (int i = 0; i < 5; i++)
		OK(cudaGraphLaunch(x, s));
	OK(cudaStreamSynchronize(s));
	WANT(p.get()[63], 10);
	WANT(q.get()[63], 10);
	cudaGraphExecUpdateResultInfo result;
	OK(cudaGraphExecUpdate(x, h, &result));
	WANT(result.result, cudaGraphExecUpdateSuccess);
	OK(cudaGraphLaunch(x, s));
	OK(cudaStreamSynchronize(s));
	WANT(p.get()[0], 30);
	WANT(q.get()[0], 30);
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(g));
	OK(cudaGraphDestroy(h));
	return finish();
}
