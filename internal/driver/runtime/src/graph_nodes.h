/* Nodes of graphs. The parameters of kernels name a function of the program, those of copies a kind: both are turned into
   what the driver wants. Other parameters have the same members in both APIs. */

#define NEEDS void **node, void *graph, void *const *needs, size_t n

static void *current_context(void)
{
	void *c = NULL;
	cuCtxGetCurrent(&c);
	return c;
}

/* ---- kernels ---- */

/* driver_kernel makes CUDA_KERNEL_NODE_PARAMS: the kernel takes the place of the function. */
static int driver_kernel(const struct kernel_node *p, struct kernel_node *out)
{
	int e = enter();
	if (e || !p)
		return e ? e : INVALID_VALUE;
	*out = *p;
	if ((e = kernel_of(p->func, &out->func)))
		return no_kernel(e);
	return fits(p->grid, p->block) ? SUCCESS : too_large(p->grid, p->block);
}

API int cudaGraphAddKernelNode(NEEDS, const struct kernel_node *p) { struct kernel_node k; int e = driver_kernel(p, &k); return fail(e ? e : cuGraphAddKernelNode(node, graph, (void *)needs, n, &k)); }
API int cudaGraphKernelNodeSetParams(void *node, const struct kernel_node *p) { struct kernel_node k; int e = driver_kernel(p, &k); return fail(e ? e : cuGraphKernelNodeSetParams(node, &k)); }
API int cudaGraphExecKernelNodeSetParams(void *exec, void *node, const struct kernel_node *p) { struct kernel_node k; int e = driver_kernel(p, &k); return fail(e ? e : cuGraphExecKernelNodeSetParams(exec, node, &k)); }

API int cudaGraphKernelNodeGetParams(void *node, struct kernel_node *p)
{
	int e;
	WANT(p);
	ENTER();
	if (!(e = cuGraphKernelNodeGetParams(node, p)))
		p->func = host_of(p->func);
	return fail(e);
}

API int cudaGraphKernelNodeGetAttribute(void *node, uint32_t id, void *value) { CALL(cuGraphKernelNodeGetAttribute(node, id, value)); }
API int cudaGraphKernelNodeSetAttribute(void *node, uint32_t id, const void *value) { CALL(cuGraphKernelNodeSetAttribute(node, id, (void *)value)); }
#if CUDART_MAJOR >= 13
API int cudaGraphKernelNodeCopyAttributes(void *to, void *from) { CALL(cuGraphKernelNodeCopyAttributes(to, from)); }
#else
API int cudaGraphKernelNodeCopyAttributes(void *from, void *to) { CALL(cuGraphKernelNodeCopyAttributes(to, from)); }
#endif

/* ---- copies ---- */

static int driver_copy(const struct copy3d *p, struct driver_copy3d *out)
{
	int e = enter();
	return e ? e : p ? to_driver(p, out) : INVALID_VALUE;
}

/* driver_line is driver_copy for n bytes. */
static int driver_line(void *to, const void *from, size_t n, uint32_t kind, struct driver_copy3d *out)
{
	struct copy3d c = { .src = { (void *)from, n, n, 1 }, .dst = { to, n, n, 1 }, .extent = { n, 1, 1 }, .kind = kind };
	return driver_copy(&c, out);
}

API int cudaGraphAddMemcpyNode(NEEDS, const struct copy3d *p) { struct driver_copy3d c; int e = driver_copy(p, &c); return fail(e ? e : cuGraphAddMemcpyNode(node, graph, (void *)needs, n, &c, current_context())); }
API int cudaGraphMemcpyNodeSetParams(void *node, const struct copy3d *p) { struct driver_copy3d c; int e = driver_copy(p, &c); return fail(e ? e : cuGraphMemcpyNodeSetParams(node, &c)); }
API int cudaGraphExecMemcpyNodeSetParams(void *exec, void *node, const struct copy3d *p) { struct driver_copy3d c; int e = driver_copy(p, &c); return fail(e ? e : cuGraphExecMemcpyNodeSetParams(exec, node, &c, current_context())); }
API int cudaGraphMemcpyNodeGetParams(void *node, struct copy3d *p) { struct driver_copy3d c; int e; WANT(p); ENTER(); if (!(e = cuGraphMemcpyNodeGetParams(node, &c))) from_driver(&c, p); return fail(e); }

static int add_line(NEEDS, void *to, const void *from, size_t bytes, uint32_t kind) { struct driver_copy3d c; int e = driver_line(to, from, bytes, kind, &c); return fail(e ? e : cuGraphAddMemcpyNode(node, graph, (void *)needs, n, &c, current_context())); }
static int set_line(void *node, void *to, const void *from, size_t bytes, uint32_t kind) { struct driver_copy3d c; int e = driver_line(to, from, bytes, kind, &c); return fail(e ? e : cuGraphMemcpyNodeSetParams(node, &c)); }
static int set_exec_line(void *exec, void *node, void *to, const void *from, size_t bytes, uint32_t kind) { struct driver_copy3d c; int e = driver_line(to, from, bytes, kind, &c); return fail(e ? e : cuGraphExecMemcpyNodeSetParams(exec, node, &c, current_context())); }

API int cudaGraphAddMemcpyNode1D(NEEDS, void *to, const void *from, size_t bytes, uint32_t kind) { return add_line(node, graph, needs, n, to, from, bytes, kind); }
API int cudaGraphMemcpyNodeSetParams1D(void *node, void *to, const void *from, size_t bytes, uint32_t kind) { return set_line(node, to, from, bytes, kind); }
API int cudaGraphExecMemcpyNodeSetParams1D(void *exec, void *node, void *to, const void *from, size_t bytes, uint32_t kind) { return set_exec_line(exec, node, to, from, bytes, kind); }

#define VARIABLE(p, symbol, bytes, offset) void *p = NULL; do { int e_ = in_variable(symbol, bytes, offset, 1, &p); if (e_) return e_; } while (0)

API int cudaGraphAddMemcpyNodeToSymbol(NEEDS, const void *symbol, const void *from, size_t bytes, size_t offset, uint32_t kind) { VARIABLE(p, symbol, bytes, offset); return add_line(node, graph, needs, n, p, from, bytes, kind); }
API int cudaGraphAddMemcpyNodeFromSymbol(NEEDS, void *to, const void *symbol, size_t bytes, size_t offset, uint32_t kind) { VARIABLE(p, symbol, bytes, offset); return add_line(node, graph, needs, n, to, p, bytes, kind); }
API int cudaGraphMemcpyNodeSetParamsToSymbol(void *node, const void *symbol, const void *from, size_t bytes, size_t offset, uint32_t kind) { VARIABLE(p, symbol, bytes, offset); return set_line(node, p, from, bytes, kind); }
API int cudaGraphMemcpyNodeSetParamsFromSymbol(void *node, void *to, const void *symbol, size_t bytes, size_t offset, uint32_t kind) { VARIABLE(p, symbol, bytes, offset); return set_line(node, to, p, bytes, kind); }
API int cudaGraphExecMemcpyNodeSetParamsToSymbol(void *exec, void *node, const void *symbol, const void *from, size_t bytes, size_t offset, uint32_t kind) { VARIABLE(p, symbol, bytes, offset); return set_exec_line(exec, node, p, from, bytes, kind); }
API int cudaGraphExecMemcpyNodeSetParamsFromSymbol(void *exec, void *node, void *to, const void *symbol, size_t bytes, size_t offset, uint32_t kind) { VARIABLE(p, symbol, bytes, offset); return set_exec_line(exec, node, to, p, bytes, kind); }

/* ---- fills, functions of the host, inner graphs, events, memory ---- */

API int cudaGraphAddMemsetNode(NEEDS, const struct memset_node *p) { CALL(cuGraphAddMemsetNode(node, graph, (void *)needs, n, (void *)p, current_context())); }
API int cudaGraphMemsetNodeGetParams(void *node, struct memset_node *p) { CALL(cuGraphMemsetNodeGetParams(node, p)); }
API int cudaGraphMemsetNodeSetParams(void *node, const struct memset_node *p) { CALL(cuGraphMemsetNodeSetParams(node, (void *)p)); }
API int cudaGraphExecMemsetNodeSetParams(void *exec, void *node, const struct memset_node *p) { CALL(cuGraphExecMemsetNodeSetParams(exec, node, (void *)p, current_context())); }
API int cudaGraphAddHostNode(NEEDS, const void *p) { CALL(cuGraphAddHostNode(node, graph, (void *)needs, n, (void *)p)); }
API int cudaGraphHostNodeGetParams(void *node, void *p) { CALL(cuGraphHostNodeGetParams(node, p)); }
API int cudaGraphHostNodeSetParams(void *node, const void *p) { CALL(cuGraphHostNodeSetParams(node, (void *)p)); }
API int cudaGraphExecHostNodeSetParams(void *exec, void *node, const void *p) { CALL(cuGraphExecHostNodeSetParams(exec, node, (void *)p)); }
API int cudaGraphAddChildGraphNode(NEEDS, void *child) { CALL(cuGraphAddChildGraphNode(node, graph, (void *)needs, n, child)); }
API int cudaGraphChildGraphNodeGetGraph(void *node, void **graph) { CALL(cuGraphChildGraphNodeGetGraph(node, graph)); }
API int cudaGraphExecChildGraphNodeSetParams(void *exec, void *node, void *child) { CALL(cuGraphExecChildGraphNodeSetParams(exec, node, child)); }
API int cudaGraphAddEmptyNode(NEEDS) { CALL(cuGraphAddEmptyNode(node, graph, (void *)needs, n)); }
API int cudaGraphAddEventRecordNode(NEEDS, void *event) { CALL(cuGraphAddEventRecordNode(node, graph, (void *)needs, n, event)); }
API int cudaGraphEventRecordNodeGetEvent(void *node, void **event) { CALL(cuGraphEventRecordNodeGetEvent(node, event)); }
API int cudaGraphEventRecordNodeSetEvent(void *node, void *event) { CALL(cuGraphEventRecordNodeSetEvent(node, event)); }
API int cudaGraphExecEventRecordNodeSetEvent(void *exec, void *node, void *event) { CALL(cuGraphExecEventRecordNodeSetEvent(exec, node, event)); }
API int cudaGraphAddEventWaitNode(NEEDS, void *event) { CALL(cuGraphAddEventWaitNode(node, graph, (void *)needs, n, event)); }
API int cudaGraphEventWaitNodeGetEvent(void *node, void **event) { CALL(cuGraphEventWaitNodeGetEvent(node, event)); }
API int cudaGraphEventWaitNodeSetEvent(void *node, void *event) { CALL(cuGraphEventWaitNodeSetEvent(node, event)); }
API int cudaGraphExecEventWaitNodeSetEvent(void *exec, void *node, void *event) { CALL(cuGraphExecEventWaitNodeSetEvent(exec, node, event)); }
API int cudaGraphAddMemAllocNode(NEEDS, void *p) { CALL(cuGraphAddMemAllocNode(node, graph, (void *)needs, n, p)); }
API int cudaGraphMemAllocNodeGetParams(void *node, void *p) { CALL(cuGraphMemAllocNodeGetParams(node, p)); }
API int cudaGraphAddMemFreeNode(NEEDS, void *p) { CALL(cuGraphAddMemFreeNode(node, graph, (void *)needs, n, (uint64_t)p)); }
API int cudaGraphMemFreeNodeGetParams(void *node, void *p) { CALL(cuGraphMemFreeNodeGetParams(node, p)); }

/* ---- nodes of any type ---- */

#if CUDART_MAJOR >= 12
API int cudaGraphConditionalHandleCreate(uint64_t *out, void *graph, uint32_t value, uint32_t flags) { CALL(cuGraphConditionalHandleCreate(out, graph, NULL, value, flags)); }
#endif
#if CUDART_MAJOR >= 13
API int cudaGraphConditionalHandleCreate_v2(uint64_t *out, void *graph, void *context, uint32_t value, uint32_t flags) { CALL(cuGraphConditionalHandleCreate(out, graph, context, value, flags)); }
#endif

#if CUDART_MAJOR >= 12
enum { KERNEL_NODE, COPY_NODE, FILL_NODE };

/* driver_node makes CUgraphNodeParams: 256 bytes, with the parameters of the type at 16. A copy has flags, a number, a
   context and then its parameters. */
static int driver_node(const struct any_node *p, struct any_node *out)
{
	int e = enter();
	if (e || !p)
		return e ? e : INVALID_VALUE;
	*out = *p;
	if (p->type == KERNEL_NODE) {
		struct kernel_node k;
		memcpy(&k, p->value, sizeof k);
		if ((e = driver_kernel(&k, &k)))
			return e;
		memset(out->value, 0, sizeof out->value);
		memcpy(out->value, &k, sizeof k);
	} else if (p->type == COPY_NODE) {
		struct copy3d c;
		struct driver_copy3d d;
		void *context = current_context();
		memcpy(&c, p->value + 2, sizeof c);
		if ((e = driver_copy(&c, &d)))
			return e;
		memcpy(out->value + 1, &context, sizeof context);
		memcpy(out->value + 2, &d, sizeof d);
	} else if (p->type == FILL_NODE && CUDART_MAJOR == 12) {
		void *context = current_context();
		memcpy(out->value + 5, &context, sizeof context);
	}
	return SUCCESS;
}

static int add_node(NEEDS, const void *edges, struct any_node *p)
{
	struct any_node d;
	int e = driver_node(p, &d);
	if (!e && !(e = cuGraphAddNode_v2(node, graph, (void *)needs, (void *)edges, n, &d)) && p->type > FILL_NODE)
		*p = d; /* what the node was given, such as the address of memory */
	return fail(e);
}

#if CUDART_MAJOR == 12
API int cudaGraphAddNode(NEEDS, struct any_node *p) { return add_node(node, graph, needs, n, NULL, p); }
#endif
API int V2(cudaGraphAddNode)(void **node, void *graph, void *const *needs, const void *edges, size_t n, struct any_node *p) { return add_node(node, graph, needs, n, edges, p); }
API int cudaGraphNodeSetParams(void *node, struct any_node *p) { struct any_node d; int e = driver_node(p, &d); return fail(e ? e : cuGraphNodeSetParams(node, &d)); }
API int cudaGraphExecNodeSetParams(void *exec, void *node, struct any_node *p) { struct any_node d; int e = driver_node(p, &d); return fail(e ? e : cuGraphExecNodeSetParams(exec, node, &d)); }
#endif
