/* Graphs: what a program asks of nodes, changes in them, and changes in graphs that were instantiated. The order of the
   parameters is that of HIP; structures differ from those of the driver API where a function converts them. */

#define NEEDS void **node, void *graph, const void *needs, size_t n

/* ---- kernels ---- */

/* stub_of returns the stub of a kernel that the program registered, or the handle of another one. */
static void *stub_of(void *f)
{
	void *key = NULL;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < BUCKETS && !key; i++)
		for (struct entry *x = entries[i]; x && !key; x = x->next)
			if (x->kind == KERNEL && x->function == f)
				key = (void *)x->key;
	pthread_mutex_unlock(&lock);
	return key ? key : f;
}

HIP(hipGraphKernelNodeGetParams)(void *node, struct kernel_5 *p)
{
	struct driver_kernel k;
	int e;
	ENTER();
	REQUIRE(p);
	if ((e = CU(cuGraphKernelNodeGetParams)(node, &k)))
		RETURN(e);
	*p = (struct kernel_5){ .block = { k.block[0], k.block[1], k.block[2] }, .extra = k.extra, .stub = stub_of(k.f),
		.grid = { k.grid[0], k.grid[1], k.grid[2] }, .params = k.params, .shared = k.shared };
	return done(hipSuccess);
}

HIP(hipGraphKernelNodeGetAttribute)(void *node, uint32_t id, void *value) { ENTER(); RETURN(CU(cuGraphKernelNodeGetAttribute)(node, id, value)); }
HIP(hipGraphKernelNodeSetAttribute)(void *node, uint32_t id, const void *value) { ENTER(); RETURN(CU(cuGraphKernelNodeSetAttribute)(node, id, (void *)value)); }
HIP(hipGraphKernelNodeCopyAttributes)(void *from, void *to) { ENTER(); RETURN(CU(cuGraphKernelNodeCopyAttributes)(to, from)); }

/* ---- copies ---- */

#define COPY(p) struct driver_3d c; int e_; ENTER(); if ((e_ = driver_3d(p, &c))) return done(e_)
#define LINE(to, from, bytes, kind) struct driver_3d c; int e_; ENTER(); if ((e_ = driver_line(to, from, bytes, kind, &c))) return done(e_)
#define VARIABLE(p, key, bytes, offset) uint64_t p; do { int e_; ENTER(); if ((e_ = in_symbol(key, bytes, offset, &p))) return done(e_); } while (0)

/* driver_line is driver_3d for n bytes. */
static int driver_line(void *to, const void *from, size_t n, int kind, struct driver_3d *c)
{
	struct parameters_3d p = { .src = { (void *)from, n, n, 1 }, .dst = { to, n, n, 1 }, .n = { n, 1, 1 }, .kind = kind };
	return driver_3d(&p, c);
}

/* kind_of is the kind of a copy whose sides are of these kinds of the driver. */
static int kind_of(uint32_t from, uint32_t to)
{
	if (from == AT_ADDRESS || to == AT_ADDRESS)
		return BY_ADDRESS;
	return from == AT_HOST ? to == AT_HOST ? HOST_TO_HOST : HOST_TO_DEVICE : to == AT_HOST ? DEVICE_TO_HOST : DEVICE_TO_DEVICE;
}

HIP(hipGraphAddMemcpyNode)(NEEDS, const struct parameters_3d *p) { COPY(p); RETURN(CU(cuGraphAddMemcpyNode)(node, graph, (void *)needs, n, &c, primary)); }
HIP(hipGraphMemcpyNodeSetParams)(void *node, const struct parameters_3d *p) { COPY(p); RETURN(CU(cuGraphMemcpyNodeSetParams)(node, &c)); }
HIP(hipGraphExecMemcpyNodeSetParams)(void *x, void *node, const struct parameters_3d *p) { COPY(p); RETURN(CU(cuGraphExecMemcpyNodeSetParams)(x, node, &c, primary)); }

HIP(hipGraphMemcpyNodeGetParams)(void *node, struct parameters_3d *p)
{
	struct driver_3d c;
	int e;
	ENTER();
	REQUIRE(p);
	if ((e = CU(cuGraphMemcpyNodeGetParams)(node, &c)))
		RETURN(e);
	*p = (struct parameters_3d){ .src_x = c.src_x, .src_y = c.src_y, .src_z = c.src_z, .dst_x = c.dst_x, .dst_y = c.dst_y, .dst_z = c.dst_z,
		.src = { c.src_kind == AT_HOST ? (void *)c.src_host : (void *)c.src_device, c.src_pitch, c.width, c.src_height },
		.dst = { c.dst_kind == AT_HOST ? c.dst_host : (void *)c.dst_device, c.dst_pitch, c.width, c.dst_height },
		.n = { c.width, c.height, c.depth }, .kind = kind_of(c.src_kind, c.dst_kind) };
	return done(hipSuccess);
}

HIP(hipGraphAddMemcpyNode1D)(NEEDS, void *to, const void *from, size_t bytes, int kind) { LINE(to, from, bytes, kind); RETURN(CU(cuGraphAddMemcpyNode)(node, graph, (void *)needs, n, &c, primary)); }
HIP(hipGraphMemcpyNodeSetParams1D)(void *node, void *to, const void *from, size_t bytes, int kind) { LINE(to, from, bytes, kind); RETURN(CU(cuGraphMemcpyNodeSetParams)(node, &c)); }
HIP(hipGraphExecMemcpyNodeSetParams1D)(void *x, void *node, void *to, const void *from, size_t bytes, int kind) { LINE(to, from, bytes, kind); RETURN(CU(cuGraphExecMemcpyNodeSetParams)(x, node, &c, primary)); }

HIP(hipGraphAddMemcpyNodeToSymbol)(NEEDS, const void *key, const void *from, size_t bytes, size_t offset, int kind) { VARIABLE(p, key, bytes, offset); return hipGraphAddMemcpyNode1D(node, graph, needs, n, (void *)p, from, bytes, kind); }
HIP(hipGraphAddMemcpyNodeFromSymbol)(NEEDS, void *to, const void *key, size_t bytes, size_t offset, int kind) { VARIABLE(p, key, bytes, offset); return hipGraphAddMemcpyNode1D(node, graph, needs, n, to, (void *)p, bytes, kind); }
HIP(hipGraphMemcpyNodeSetParamsToSymbol)(void *node, const void *key, const void *from, size_t bytes, size_t offset, int kind) { VARIABLE(p, key, bytes, offset); return hipGraphMemcpyNodeSetParams1D(node, (void *)p, from, bytes, kind); }
HIP(hipGraphMemcpyNodeSetParamsFromSymbol)(void *node, void *to, const void *key, size_t bytes, size_t offset, int kind) { VARIABLE(p, key, bytes, offset); return hipGraphMemcpyNodeSetParams1D(node, to, (void *)p, bytes, kind); }
HIP(hipGraphExecMemcpyNodeSetParamsToSymbol)(void *x, void *node, const void *key, const void *from, size_t bytes, size_t offset, int kind) { VARIABLE(p, key, bytes, offset); return hipGraphExecMemcpyNodeSetParams1D(x, node, (void *)p, from, bytes, kind); }
HIP(hipGraphExecMemcpyNodeSetParamsFromSymbol)(void *x, void *node, void *to, const void *key, size_t bytes, size_t offset, int kind) { VARIABLE(p, key, bytes, offset); return hipGraphExecMemcpyNodeSetParams1D(x, node, to, (void *)p, bytes, kind); }

/* ---- fills ---- */

struct memset_5 { void *p; uint32_t element; size_t height, pitch; uint32_t value; size_t width; }; /* hipMemsetParams */
struct driver_memset { uint64_t p, pitch; uint32_t value, element; uint64_t width, height; }; /* CUDA_MEMSET_NODE_PARAMS */

static struct driver_memset driver_memset(const struct memset_5 *p) { return (struct driver_memset){ (uint64_t)p->p, p->pitch, p->value, p->element, p->width, p->height }; }

#define FILL(q) struct driver_memset m; ENTER(); REQUIRE(q); m = driver_memset(q)

HIP(hipGraphAddMemsetNode)(NEEDS, const struct memset_5 *p) { FILL(p); RETURN(CU(cuGraphAddMemsetNode)(node, graph, (void *)needs, n, &m, primary)); }
HIP(hipGraphMemsetNodeSetParams)(void *node, const struct memset_5 *p) { FILL(p); RETURN(CU(cuGraphMemsetNodeSetParams)(node, &m)); }
HIP(hipGraphExecMemsetNodeSetParams)(void *x, void *node, const struct memset_5 *p) { FILL(p); RETURN(CU(cuGraphExecMemsetNodeSetParams)(x, node, &m, primary)); }

HIP(hipGraphMemsetNodeGetParams)(void *node, struct memset_5 *p)
{
	struct driver_memset m;
	int e;
	ENTER();
	REQUIRE(p);
	if ((e = CU(cuGraphMemsetNodeGetParams)(node, &m)))
		RETURN(e);
	*p = (struct memset_5){ (void *)m.p, m.element, m.height, m.pitch, m.value, m.width };
	return done(hipSuccess);
}

/* ---- functions of the host, inner graphs, events, memory ---- */

HIP(hipGraphHostNodeGetParams)(void *node, void *p) { ENTER(); RETURN(CU(cuGraphHostNodeGetParams)(node, p)); }
HIP(hipGraphHostNodeSetParams)(void *node, const void *p) { ENTER(); RETURN(CU(cuGraphHostNodeSetParams)(node, (void *)p)); }
HIP(hipGraphExecHostNodeSetParams)(void *x, void *node, const void *p) { ENTER(); RETURN(CU(cuGraphExecHostNodeSetParams)(x, node, (void *)p)); }
HIP(hipGraphExecChildGraphNodeSetParams)(void *x, void *node, void *child) { ENTER(); RETURN(CU(cuGraphExecChildGraphNodeSetParams)(x, node, child)); }
HIP(hipGraphEventRecordNodeGetEvent)(void *node, void **event) { ENTER(); RETURN(CU(cuGraphEventRecordNodeGetEvent)(node, event)); }
HIP(hipGraphEventRecordNodeSetEvent)(void *node, void *event) { ENTER(); RETURN(CU(cuGraphEventRecordNodeSetEvent)(node, event)); }
HIP(hipGraphExecEventRecordNodeSetEvent)(void *x, void *node, void *event) { ENTER(); RETURN(CU(cuGraphExecEventRecordNodeSetEvent)(x, node, event)); }
HIP(hipGraphEventWaitNodeGetEvent)(void *node, void **event) { ENTER(); RETURN(CU(cuGraphEventWaitNodeGetEvent)(node, event)); }
HIP(hipGraphEventWaitNodeSetEvent)(void *node, void *event) { ENTER(); RETURN(CU(cuGraphEventWaitNodeSetEvent)(node, event)); }
HIP(hipGraphExecEventWaitNodeSetEvent)(void *x, void *node, void *event) { ENTER(); RETURN(CU(cuGraphExecEventWaitNodeSetEvent)(x, node, event)); }
HIP(hipGraphAddMemAllocNode)(NEEDS, void *p) { ENTER(); RETURN(CU(cuGraphAddMemAllocNode)(node, graph, (void *)needs, n, p)); }
HIP(hipGraphMemAllocNodeGetParams)(void *node, void *p) { ENTER(); RETURN(CU(cuGraphMemAllocNodeGetParams)(node, p)); }
HIP(hipGraphAddMemFreeNode)(NEEDS, void *p) { ENTER(); RETURN(CU(cuGraphAddMemFreeNode)(node, graph, (void *)needs, n, (uint64_t)p)); }
HIP(hipGraphMemFreeNodeGetParams)(void *node, void *p) { ENTER(); RETURN(CU(cuGraphMemFreeNodeGetParams)(node, p)); }
HIP(hipDeviceGetGraphMemAttribute)(int device, int id, void *value) { ENTER(); RETURN(CU(cuDeviceGetGraphMemAttribute)(device, (uint32_t)id, value)); }
HIP(hipDeviceSetGraphMemAttribute)(int device, int id, void *value) { ENTER(); RETURN(CU(cuDeviceSetGraphMemAttribute)(device, (uint32_t)id, value)); }
HIP(hipDeviceGraphMemTrim)(int device) { ENTER(); RETURN(CU(cuDeviceGraphMemTrim)(device)); }

/* ---- graphs as a whole ---- */

HIP(hipGraphExecUpdate)(void *x, void *graph, void **node, uint32_t *result) { ENTER(); RETURN(CU(cuGraphExecUpdate)(x, graph, node, result)); }
HIP(hipGraphExecGetFlags)(void *x, unsigned long long *flags) { ENTER(); RETURN(CU(cuGraphExecGetFlags)(x, (void *)flags)); }
HIP(hipGraphNodeGetEnabled)(void *x, void *node, uint32_t *enabled) { ENTER(); RETURN(CU(cuGraphNodeGetEnabled)(x, node, enabled)); }
HIP(hipGraphNodeSetEnabled)(void *x, void *node, uint32_t enabled) { ENTER(); RETURN(CU(cuGraphNodeSetEnabled)(x, node, enabled)); }

struct instantiate_6 { void *node; uint64_t flags; uint32_t result; void *stream; }; /* hipGraphInstantiateParams */
struct driver_instantiate { uint64_t flags; void *stream, *node; uint32_t result; }; /* CUDA_GRAPH_INSTANTIATE_PARAMS */

HIP(hipGraphInstantiateWithParams)(void **out, void *graph, struct instantiate_6 *p)
{
	struct driver_instantiate d;
	int e;
	ENTER();
	REQUIRE(p);
	d = (struct driver_instantiate){ p->flags, p->stream, NULL, 0 };
	e = CU(cuGraphInstantiateWithParams)(out, graph, &d);
	p->node = d.node, p->result = d.result;
	RETURN(e);
}

HIP(hipStreamUpdateCaptureDependencies)(void *stream, void **nodes, size_t n, uint32_t flags) { ENTER(); RETURN(CU(cuStreamUpdateCaptureDependencies)(stream, (void *)nodes, n, flags)); }
HIP(hipStreamBeginCaptureToGraph)(void *stream, void *graph, const void *needs, const void *edges, size_t n, int mode) { ENTER(); RETURN(CU(cuStreamBeginCaptureToGraph)(stream, graph, (void *)needs, (void *)edges, n, (uint32_t)mode)); }
HIP(hipStreamGetCaptureInfo_spt)(void *stream, int *out, void *id) { return hipStreamGetCaptureInfo(PER_THREAD(stream), out, id); }
HIP(hipStreamGetCaptureInfo_v2_spt)(void *stream, int *out, void *id, void **graph, void *nodes, size_t *n) { return hipStreamGetCaptureInfo_v2(PER_THREAD(stream), out, id, graph, nodes, n); }

HIP(hipUserObjectCreate)(void **out, void *p, void *destroy, uint32_t count, uint32_t flags) { ENTER(); RETURN(CU(cuUserObjectCreate)((void *)out, p, destroy, count, flags)); }
HIP(hipUserObjectRetain)(void *object, uint32_t count) { ENTER(); RETURN(CU(cuUserObjectRetain)(object, count)); }
HIP(hipUserObjectRelease)(void *object, uint32_t count) { ENTER(); RETURN(CU(cuUserObjectRelease)(object, count)); }
HIP(hipGraphRetainUserObject)(void *graph, void *object, uint32_t count, uint32_t flags) { ENTER(); RETURN(CU(cuGraphRetainUserObject)(graph, object, count, flags)); }
HIP(hipGraphReleaseUserObject)(void *graph, void *object, uint32_t count) { ENTER(); RETURN(CU(cuGraphReleaseUserObject)(graph, object, count)); }
