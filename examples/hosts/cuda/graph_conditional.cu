// Conditional nodes of graphs: IF with ELSE, WHILE and SWITCH, whose values kernels set; also one node within another.
#include "check.h"

static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaGraphNodeParams *params)
{
#if CUDART_VERSION >= 13000
	return cudaGraphAddNode(node, graph, after, nullptr, count, params);
#else
	return cudaGraphAddNode(node, graph, after, count, params);
#endif
}

__global__ void decide(cudaGraphConditionalHandle handle, const int *n) { cudaGraphSetConditional(handle, *n); }

__global__ void step(cudaGraphConditionalHandle handle, int *n, int *rounds)
{
	*n = *n % 2 ? 3 * *n + 1 : *n / 2;
	++*rounds;
	cudaGraphSetConditional(handle, *n != 1);
}

__global__ void put(int *p, int v) { *p = v; }

// A node with a kernel and its two arguments.
template <class... P, class... A> cudaGraphNode_t kernel(cudaGraph_t graph, const cudaGraphNode_t *after, void (*f)(P...), A... args)
{
	return [&](P... values) {
		void *list[] = { &values... };
		cudaGraphNodeParams p = {};
		p.type = cudaGraphNodeTypeKernel;
		p.kernel.func = (void *)f;
		p.kernel.gridDim = dim3(1), p.kernel.blockDim = dim3(1);
		p.kernel.kernelParams = list;
		cudaGraphNode_t node;
		OK(add(&node, graph, after, after ? 1 : 0, &p));
		return node;
	}((P)args...);
}

// The bodies of a conditional node.
static cudaGraph_t *bodies(cudaGraph_t graph, const cudaGraphNode_t *after, cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned size)
{
	cudaGraphNodeParams p = {};
	p.type = cudaGraphNodeTypeConditional;
	p.conditional.handle = handle;
	p.conditional.type = type;
	p.conditional.size = size;
	cudaGraphNode_t node;
	OK(add(&node, graph, after, after ? 1 : 0, &p));
	return p.conditional.phGraph_out;
}

int main()
{
	int *n, *rounds, *out, host[2] = {};
	OK(cudaMalloc(&n, sizeof *n));
	OK(cudaMalloc(&rounds, sizeof *rounds));
	OK(cudaMalloc(&out, 2 * sizeof *out));

	// While *n is not 1; then, by the parity of what is left of the rounds, one of three graphs; and a graph within a graph.
	cudaGraph_t graph;
	cudaGraphExec_t run;
	cudaGraphConditionalHandle loop, choice, test;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphConditionalHandleCreate(&loop, graph, 1, cudaGraphCondAssignDefault));
	OK(cudaGraphConditionalHandleCreate(&choice, graph, 0, 0));
	OK(cudaGraphConditionalHandleCreate(&test, graph, 0, cudaGraphCondAssignDefault));
	cudaGraph_t body = bodies(graph, nullptr, loop, cudaGraphCondTypeWhile, 1)[0];
	kernel(body, nullptr, step, loop, n, rounds);
	cudaGraphNode_t first;
	size_t one = 1;
	OK(cudaGraphGetRootNodes(graph, &first, &one));
	cudaGraphNode_t decided = kernel(graph, &first, decide, choice, n + 0);
	cudaGraph_t *cases = bodies(graph, &decided, choice, cudaGraphCondTypeSwitch, 3);
	kernel(cases[0], nullptr, put, out, 100);
	cudaGraphNode_t set = kernel(cases[1], nullptr, put, out, 200);
	cudaGraphNode_t asked = kernel(cases[1], &set, decide, test, rounds);
	cudaGraph_t *both = bodies(cases[1], &asked, test, cudaGraphCondTypeIf, 2);
	kernel(both[0], nullptr, put, out + 1, 1);
	kernel(both[1], nullptr, put, out + 1, 2);
	kernel(cases[2], nullptr, put, out, 300);
	OK(cudaGraphInstantiate(&run, graph, 0));

	for (int start : { 6, 27, 1 }) {
		int count = 0, v = start;
		do
			v = v % 2 ? 3 * v + 1 : v / 2, count++;
		while (v != 1);
		const int nothing = 0;
		OK(cudaMemcpy(n, &start, sizeof *n, cudaMemcpyDefault));
		OK(cudaMemcpy(rounds, &nothing, sizeof *n, cudaMemcpyDefault));
		OK(cudaGraphLaunch(run, 0));
		OK(cudaDeviceSynchronize());
		OK(cudaMemcpy(host, rounds, sizeof *n, cudaMemcpyDefault));
		WANT(host[0], count);
		OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDefault));
		WANT(host[0], 200); // *n is 1
		WANT(host[1], 1);   // there were rounds
	}
	OK(cudaGraphExecDestroy(run));
	OK(cudaGraphDestroy(graph));
	OK(cudaFree(n));
	OK(cudaFree(rounds));
	OK(cudaFree(out));
	return finish();
}
