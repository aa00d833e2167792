/* Graphs: captures, and the nodes whose parameters are those of the driver API. */

HIP(hipStreamBeginCapture)(void *stream, int mode) { ENTER(); RETURN(CU(cuStreamBeginCapture_v2)(stream, (uint32_t)mode)); }
HIP(hipStreamEndCapture)(void *stream, void **graph) { ENTER(); RETURN(CU(cuStreamEndCapture)(stream, graph)); }
HIP(hipStreamIsCapturing)(void *stream, int *out) { ENTER(); RETURN(CU(cuStreamIsCapturing)(stream, out)); }
HIP(hipStreamGetCaptureInfo)(void *stream, int *out, void *id) { ENTER(); RETURN(CU(cuStreamGetCaptureInfo)(stream, out, id)); }
HIP(hipStreamBeginCapture_spt)(void *stream, int mode) { return hipStreamBeginCapture(PER_THREAD(stream), mode); }
HIP(hipStreamEndCapture_spt)(void *stream, void **graph) { return hipStreamEndCapture(PER_THREAD(stream), graph); }
HIP(hipStreamIsCapturing_spt)(void *stream, int *out) { return hipStreamIsCapturing(PER_THREAD(stream), out); }
HIP(hipThreadExchangeStreamCaptureMode)(int *mode) { ENTER(); RETURN(CU(cuThreadExchangeStreamCaptureMode)(mode)); }

HIP(hipStreamGetCaptureInfo_v2)(void *stream, int *out, void *id, void **graph, void *nodes, size_t *n)
{
	ENTER();
	RETURN(CU(cuStreamGetCaptureInfo_v2)(stream, out, id, graph, nodes, n));
}

HIP(hipGraphCreate)(void **out, uint32_t flags) { ENTER(); RETURN(CU(cuGraphCreate)(out, flags)); }
HIP(hipGraphDestroy)(void *graph) { ENTER(); RETURN(CU(cuGraphDestroy)(graph)); }
HIP(hipGraphClone)(void **out, void *graph) { ENTER(); RETURN(CU(cuGraphClone)(out, graph)); }

HIP(hipGraphInstantiate)(void **out, void *graph, void **node, char *log, size_t n)
{
	ENTER();
	if (node)
		*node = NULL;
	if (log && n)
		*log = 0;
	RETURN(CU(cuGraphInstantiateWithFlags)(out, graph, 0));
}

HIP(hipGraphInstantiateWithFlags)(void **out, void *graph, unsigned long long flags) { ENTER(); RETURN(CU(cuGraphInstantiateWithFlags)(out, graph, flags)); }
HIP(hipGraphExecDestroy)(void *x) { ENTER(); RETURN(CU(cuGraphExecDestroy)(x)); }
HIP(hipGraphLaunch)(void *x, void *stream) { ENTER(); RETURN(CU(cuGraphLaunch)(x, stream)); }
HIP(hipGraphLaunch_spt)(void *x, void *stream) { return hipGraphLaunch(x, PER_THREAD(stream)); }
HIP(hipGraphUpload)(void *x, void *stream) { ENTER(); RETURN(CU(cuGraphUpload)(x, stream)); }
HIP(hipGraphGetNodes)(void *graph, void *nodes, size_t *n) { ENTER(); RETURN(CU(cuGraphGetNodes)(graph, nodes, n)); }
HIP(hipGraphGetRootNodes)(void *graph, void *nodes, size_t *n) { ENTER(); RETURN(CU(cuGraphGetRootNodes)(graph, nodes, n)); }
HIP(hipGraphGetEdges)(void *graph, void *from, void *to, size_t *n) { ENTER(); RETURN(CU(cuGraphGetEdges)(graph, from, to, n)); }
HIP(hipGraphNodeGetType)(void *node, uint32_t *kind) { ENTER(); RETURN(CU(cuGraphNodeGetType)(node, kind)); }
HIP(hipGraphNodeGetDependencies)(void *node, void *nodes, size_t *n) { ENTER(); RETURN(CU(cuGraphNodeGetDependencies)(node, nodes, n)); }
HIP(hipGraphNodeGetDependentNodes)(void *node, void *nodes, size_t *n) { ENTER(); RETURN(CU(cuGraphNodeGetDependentNodes)(node, nodes, n)); }
HIP(hipGraphNodeFindInClone)(void **out, void *node, void *graph) { ENTER(); RETURN(CU(cuGraphNodeFindInClone)(out, node, graph)); }
HIP(hipGraphDestroyNode)(void *node) { ENTER(); RETURN(CU(cuGraphDestroyNode)(node)); }
HIP(hipGraphAddDependencies)(void *graph, const void *from, const void *to, size_t n) { ENTER(); RETURN(CU(cuGraphAddDependencies)(graph, (void *)from, (void *)to, n)); }
HIP(hipGraphRemoveDependencies)(void *graph, const void *from, const void *to, size_t n) { ENTER(); RETURN(CU(cuGraphRemoveDependencies)(graph, (void *)from, (void *)to, n)); }
HIP(hipGraphAddEmptyNode)(void **out, void *graph, const void *after, size_t n) { ENTER(); RETURN(CU(cuGraphAddEmptyNode)(out, graph, (void *)after, n)); }
HIP(hipGraphAddChildGraphNode)(void **out, void *graph, const void *after, size_t n, void *child) { ENTER(); RETURN(CU(cuGraphAddChildGraphNode)(out, graph, (void *)after, n, child)); }
HIP(hipGraphChildGraphNodeGetGraph)(void *node, void **graph) { ENTER(); RETURN(CU(cuGraphChildGraphNodeGetGraph)(node, graph)); }
HIP(hipGraphAddEventRecordNode)(void **out, void *graph, const void *after, size_t n, void *event) { ENTER(); RETURN(CU(cuGraphAddEventRecordNode)(out, graph, (void *)after, n, event)); }
HIP(hipGraphAddEventWaitNode)(void **out, void *graph, const void *after, size_t n, void *event) { ENTER(); RETURN(CU(cuGraphAddEventWaitNode)(out, graph, (void *)after, n, event)); }
HIP(hipGraphAddHostNode)(void **out, void *graph, const void *after, size_t n, const void *p) { ENTER(); RETURN(CU(cuGraphAddHostNode)(out, graph, (void *)after, n, (void *)p)); }
HIP(hipGraphDebugDotPrint)(void *graph, const char *file, uint32_t flags) { ENTER(); RETURN(CU(cuGraphDebugDotPrint)(graph, (void *)file, flags)); }

/* ---- kernels ---- */

struct kernel_5 { struct dim3 block; void **extra; void *stub; struct dim3 grid; void **params; uint32_t shared; }; /* hipKernelNodeParams */
struct driver_kernel { void *f; uint32_t grid[3], block[3], shared; void *params, *extra; }; /* CUDA_KERNEL_NODE_PARAMS, its first ABI */

static int driver_kernel(const struct kernel_5 *k, struct driver_kernel *out)
{
	int e;
	if (!k)
		return hipErrorInvalidValue;
	if ((e = function_of(k->stub, &out->f)))
		return e;
	if (k->extra)
		UNSUPPORTED("the kernel's arguments are a list of options: give kernelParams");
	out->grid[0] = k->grid.x, out->grid[1] = k->grid.y, out->grid[2] = k->grid.z;
	out->block[0] = k->block.x, out->block[1] = k->block.y, out->block[2] = k->block.z;
	out->shared = k->shared, out->params = k->params, out->extra = NULL;
	return hipSuccess;
}

HIP(hipGraphAddKernelNode)(void **out, void *graph, const void *after, size_t n, const struct kernel_5 *p)
{
	struct driver_kernel k;
	int e;
	ENTER();
	if ((e = driver_kernel(p, &k)))
		return done(e);
	RETURN(CU(cuGraphAddKernelNode)(out, graph, (void *)after, n, &k));
}

HIP(hipGraphKernelNodeSetParams)(void *node, const struct kernel_5 *p)
{
	struct driver_kernel k;
	int e;
	ENTER();
	if ((e = driver_kernel(p, &k)))
		return done(e);
	RETURN(CU(cuGraphKernelNodeSetParams)(node, &k));
}

HIP(hipGraphExecKernelNodeSetParams)(void *x, void *node, const struct kernel_5 *p)
{
	struct driver_kernel k;
	int e;
	ENTER();
	if ((e = driver_kernel(p, &k)))
		return done(e);
	RETURN(CU(cuGraphExecKernelNodeSetParams)(x, node, &k));
}
