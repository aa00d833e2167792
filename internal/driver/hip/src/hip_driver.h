/* Functions of HIP that are those of the driver API: copies by its structure, also in graphs; launches by a configuration; lists of
   values that streams write and wait for; attributes. */

struct box_5 { /* HIP_MEMCPY3D before HIP 6, with numbers of 32 bits */
	uint32_t src_x, src_y, src_z, src_level, src_kind; const void *src_host; uint64_t src_device; void *src_array; uint32_t src_pitch, src_height;
	uint32_t dst_x, dst_y, dst_z, dst_level, dst_kind; void *dst_host; uint64_t dst_device; void *dst_array; uint32_t dst_pitch, dst_height;
	uint32_t width, height, depth;
};

struct box_6 { /* HIP_MEMCPY3D from HIP 6 on */
	uint64_t src_x, src_y, src_z, src_level; uint32_t src_kind; const void *src_host; uint64_t src_device; void *src_array; uint64_t src_pitch, src_height;
	uint64_t dst_x, dst_y, dst_z, dst_level; uint32_t dst_kind; void *dst_host; uint64_t dst_device; void *dst_array; uint64_t dst_pitch, dst_height;
	uint64_t width, height, depth;
};

/* FROM_BOX sets the driver's structure from one of HIP. */
#define FROM_BOX(c, b) (*(c) = (struct driver_3d){ \
	.src_x = (b)->src_x, .src_y = (b)->src_y, .src_z = (b)->src_z, .src_level = (b)->src_level, .src_kind = driver_kind((b)->src_kind), .src_host = (b)->src_host, \
	.src_device = (b)->src_device, .src_array = (b)->src_array, .src_pitch = (b)->src_pitch, .src_height = (b)->src_height, \
	.dst_x = (b)->dst_x, .dst_y = (b)->dst_y, .dst_z = (b)->dst_z, .dst_level = (b)->dst_level, .dst_kind = driver_kind((b)->dst_kind), .dst_host = (b)->dst_host, \
	.dst_device = (b)->dst_device, .dst_array = (b)->dst_array, .dst_pitch = (b)->dst_pitch, .dst_height = (b)->dst_height, \
	.width = (b)->width, .height = (b)->height, .depth = (b)->depth })

static int driver_box(const void *p, struct driver_3d *c)
{
	if (!p)
		return hipErrorInvalidValue;
	if (HIP_MAJOR < 6)
		FROM_BOX(c, (const struct box_5 *)p);
	else
		FROM_BOX(c, (const struct box_6 *)p);
	return arrays_of_3d(c);
}

#define BOX(p) struct driver_3d c; int e_; ENTER(); if ((e_ = driver_box(p, &c))) return done(e_)

HIP(hipDrvMemcpy3D)(const void *p) { BOX(p); RETURN(CU(cuMemcpy3D_v2)(&c)); }
HIP(hipDrvMemcpy3DAsync)(const void *p, void *stream) { BOX(p); RETURN(CU(cuMemcpy3DAsync_v2)(&c, stream)); }

/* hip_kind is the kind of memory in HIP 6 of one of the driver. */
static uint32_t hip_kind(uint32_t kind) { return kind == AT_ADDRESS ? 3 : kind == AT_ARRAY ? 10 : kind; }

HIP(hipDrvGraphAddMemcpyNode)(NEEDS, const void *p, void *context) { (void)context; BOX(p); RETURN(CU(cuGraphAddMemcpyNode)(node, graph, (void *)needs, n, &c, primary)); }
HIP(hipDrvGraphMemcpyNodeSetParams)(void *node, const void *p) { BOX(p); RETURN(CU(cuGraphMemcpyNodeSetParams)(node, &c)); }
HIP(hipDrvGraphExecMemcpyNodeSetParams)(void *x, void *node, const void *p, void *context) { (void)context; BOX(p); RETURN(CU(cuGraphExecMemcpyNodeSetParams)(x, node, &c, primary)); }

/* An array that the node was given is now its memory. Programs of HIP 6 and later have this function. */
HIP(hipDrvGraphMemcpyNodeGetParams)(void *node, struct box_6 *p)
{
	struct driver_3d c;
	int e;
	ENTER();
	REQUIRE(p);
	if ((e = CU(cuGraphMemcpyNodeGetParams)(node, &c)))
		RETURN(e);
	*p = (struct box_6){
		c.src_x, c.src_y, c.src_z, c.src_level, hip_kind(c.src_kind), c.src_host, c.src_device, NULL, c.src_pitch, c.src_height,
		c.dst_x, c.dst_y, c.dst_z, c.dst_level, hip_kind(c.dst_kind), c.dst_host, c.dst_device, NULL, c.dst_pitch, c.dst_height, c.width, c.height, c.depth };
	return done(hipSuccess);
}

HIP(hipDrvGraphAddMemsetNode)(NEEDS, const struct memset_5 *p, void *context) { (void)context; FILL(p); RETURN(CU(cuGraphAddMemsetNode)(node, graph, (void *)needs, n, &m, primary)); }
HIP(hipDrvGraphExecMemsetNodeSetParams)(void *x, void *node, const struct memset_5 *p, void *context) { (void)context; FILL(p); RETURN(CU(cuGraphExecMemsetNodeSetParams)(x, node, &m, primary)); }
HIP(hipDrvGraphAddMemFreeNode)(NEEDS, uint64_t p) { ENTER(); RETURN(CU(cuGraphAddMemFreeNode)(node, graph, (void *)needs, n, p)); }

/* ---- launches ---- */

struct driver_launch { uint32_t grid[3], block[3], shared; void *stream; char *attributes; uint32_t count; }; /* HIP_LAUNCH_CONFIG: that of the driver */

HIP(hipDrvLaunchKernelEx)(const struct driver_launch *c, void *f, void **args, void **extra)
{
	int cooperative = 0;
	ENTER();
	REQUIRE(c && f && (c->count == 0 || c->attributes));
	for (uint32_t i = 0; i < c->count; i++) { /* each has 72 bytes: number, and value from byte 8 on */
		uint32_t id;
		memcpy(&id, c->attributes + 72 * (size_t)i, 4);
		if (id == 2)
			memcpy(&cooperative, c->attributes + 72 * (size_t)i + 8, 4);
	}
	if (cooperative) {
		REQUIRE(!extra);
		RETURN(CU(cuLaunchCooperativeKernel)(f, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared, c->stream, (void *)args));
	}
	RETURN(CU(cuLaunchKernel)(f, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared, c->stream, (void *)args, (void *)extra));
}

/* ---- lists of values: the structure is that of the driver ---- */

HIP(hipStreamBatchMemOp)(void *stream, uint32_t n, void *list, uint32_t flags) { ENTER(); RETURN(CU(cuStreamBatchMemOp_v2)(stream, n, list, flags)); }

/* ---- attributes ---- */

HIP(hipStreamGetAttribute)(void *stream, uint32_t id, void *value) { ENTER(); REQUIRE(value); RETURN(CU(cuStreamGetAttribute)(stream, id, value)); }
HIP(hipStreamSetAttribute)(void *stream, uint32_t id, const void *value) { ENTER(); REQUIRE(value); RETURN(CU(cuStreamSetAttribute)(stream, id, (void *)value)); }
HIP(hipStreamCopyAttributes)(void *to, void *from) { ENTER(); RETURN(CU(cuStreamCopyAttributes)(to, from)); }
HIP(hipCtxGetCacheConfig)(int *out) { ENTER(); RETURN(CU(cuCtxGetCacheConfig)(out)); }
HIP(hipCtxSetCacheConfig)(int config) { ENTER(); RETURN(CU(cuCtxSetCacheConfig)((uint32_t)config)); }

HIP(hipDeviceGetP2PAttribute)(int *out, uint32_t id, int from, int to)
{
	ENTER();
	(void)id;
	REQUIRE(out);
	return done(from || to ? hipErrorInvalidDevice : hipErrorInvalidValue); /* a device is no peer of itself */
}
