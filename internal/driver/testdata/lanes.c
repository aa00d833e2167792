/* A graph with two kernels that nothing orders: its launches need streams that the program does not see. With an argument the
   program forgets a stream of its own. */
#include "cu.h"

int cuModuleUnload(void *), cuGraphCreate(void **, unsigned), cuGraphDestroy(void *), cuGraphExecDestroy(void *), cuGraphInstantiateWithFlags(void **, void *, uint64_t);
int cuGraphLaunch(void *, void *), cuGraphAddKernelNode_v2(void **, void *, const void *, size_t, const void *);

int main(int argc, char **argv)
{
	struct { void *f; unsigned grid[3], block[3], shared; void **params, **extra; void *kernel, *context; } k = { .grid = { 1, 1, 1 }, .block = { 32, 1, 1 } };
	void *module, *graph, *exec, *node, *s;
	unsigned n = 1;
	ptr p[2];
	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuModuleLoadData(&module, kernels));
	OK(cuModuleGetFunction(&add, module, "add"));
	OK(cuGraphCreate(&graph, 0));
	for (int i = 0; i < 2; i++) {
		unsigned zeros[32] = { 0 };
		void *args[] = { &p[i], &n };
		OK(cuMemAlloc_v2(&p[i], 128));
		OK(cuMemcpyHtoD_v2(p[i], zeros, 128));
		k.f = add, k.params = args;
		OK(cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &k));
	}
	OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cuStreamCreate(&s, 0));
	OK(cuGraphLaunch(exec, s));
	OK(cuStreamSynchronize(s));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	OK(cuMemFree_v2(p[0]));
	OK(cuMemFree_v2(p[1]));
	OK(cuModuleUnload(module));
	if (argc < 2)
		OK(cuStreamDestroy_v2(s));
	return argv[0] ? finish() : 1;
}
