// A graph that is made of nodes: a fill, a copy, kernels, a function of the host; parameters are changed afterwards.
#include "check.h"

__constant__ int factor;
__global__ void scale(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = p[threadIdx.x] * factor + (int)threadIdx.x; }

static void CUDART_CB note(void *data) { ++*(int *)data; }

int main()
{
	const int n = 48;
	int noted = 0, size = n, three = 3, out[n];
	Buffer<int> p(n);
	cudaGraph_t g;
	cudaGraphNode_t fill, symbol, run, copy, host;
	OK(cudaGraphCreate(&g, 0));
	cudaMemsetParams f = {};
	f.dst = p.p, f.value = 5, f.elementSize = 4, f.width = n, f.height = 1;
	OK(cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &f));
	OK(cudaGraphAddMemcpyNodeToSymbol(&symbol, g, nullptr, 0, factor, &three, 4, 0, cudaMemcpyHostToDevice));
	void *args[] = { &p.p, &size };
	cudaKernelNodeParams k = {};
	k.func = (void *)scale, k.gridDim = dim3(1), k.blockDim = dim3(64), k.kernelParams = args;
	cudaGraphNode_t before[] = { fill, symbol };
	OK(cudaGraphAddKernelNode(&run, g, before, 2, &k));
	OK(cudaGraphAddMemcpyNode1D(&copy, g, &run, 1, out, p, sizeof out, cudaMemcpyDeviceToHost));
	cudaHostNodeParams h = { note, &noted };
	OK(cudaGraphAddHostNode(&host, g, &copy, 1, &h));
	cudaKernelNodeParams got = {};
	OK(cudaGraphKernelNodeGetParams(run, &got));
	WANT((void *)got.func == (void *)scale, true);
	WANT(got.blockDim.x, 64);
	cudaGraphNodeType type;
	OK(cudaGraphNodeGetType(copy, &type));
	WANT(type, cudaGraphNodeTypeMemcpy);
	cudaMemcpy3DParms c = {};
	OK(cudaGraphMemcpyNodeGetParams(copy, &c));
	WANT(c.extent.width, sizeof out);
	WANT(c.kind, cudaMemcpyDeviceToHost);
	cudaGraphExec_t x;
	OK(cudaGraphInstantiate(&x, g, 0));
	OK(cudaGraphLaunch(x, 0));
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++)
		WANT(out[i], 15 + i);
	size = 10;
	f.value = 7;
	OK(cudaGraphExecMemsetNodeSetParams(x, fill, &f));
	OK(cudaGraphExecKernelNodeSetParams(x, run, &k));
	OK(cudaGraphLaunch(x, 0));
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++)
		WANT(out[i], i < 10 ? 21 + i : 7);
	WANT(noted, 2);
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(g));
	return finish();
}
