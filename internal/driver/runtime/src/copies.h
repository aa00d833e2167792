/* Copies and fills. The kind of a copy says where its two addresses are: 0 host to host, 1 host to device, 2 device to host,
   3 device to device, 4 the addresses say it. Arrays are not supported. */

enum { HOST_TO_HOST, TO_DEVICE, TO_HOST, ON_DEVICE, BY_ADDRESS };

/* on_host reports whether the host can use an address. */
static int on_host(const void *p)
{
	uint32_t type = 0;
	uint8_t managed = 0;
	int32_t list[] = { 2, 8 };
	void *values[] = { &type, &managed };
	return cuPointerGetAttributes(2, list, values, (uint64_t)p) || type != 2 || managed;
}

/* no_direction and not_on_host return the errors of a copy with a wrong kind. */
static int no_direction(uint32_t kind) { return refused(INVALID_DIRECTION, "the kind of the copy is %u, which is none of cudaMemcpyKind", kind); }
static int not_on_host(void) { return refused(INVALID_VALUE, "the kind of the copy is cudaMemcpyHostToHost, and an address is one of the device"); }

static int copy_async(void *to, const void *from, size_t n, uint32_t kind, void *s)
{
	ENTER();
	switch (kind) {
	case HOST_TO_HOST:
		if (n && !(on_host(to) && on_host(from)))
			return not_on_host();
		return fail(n ? cuMemcpyAsync((uint64_t)to, (uint64_t)from, n, s) : SUCCESS);
	case TO_DEVICE: return fail(cuMemcpyHtoDAsync_v2((uint64_t)to, (void *)from, n, s));
	case TO_HOST: return fail(cuMemcpyDtoHAsync_v2(to, (uint64_t)from, n, s));
	case ON_DEVICE: return fail(cuMemcpyDtoDAsync_v2((uint64_t)to, (uint64_t)from, n, s));
	case BY_ADDRESS: return fail(cuMemcpyAsync((uint64_t)to, (uint64_t)from, n, s));
	}
	return no_direction(kind);
}

/* copy waits as the API says: for a copy on the device it does not. own: in the stream of the thread. */
static int copy(void *to, const void *from, size_t n, uint32_t kind, int own)
{
	ENTER();
	switch (kind) {
	case HOST_TO_HOST:
		if (n && !(on_host(to) && on_host(from)))
			return not_on_host();
		return fail(n == 0 ? SUCCESS : own ? cuMemcpy_ptds((uint64_t)to, (uint64_t)from, n) : cuMemcpy((uint64_t)to, (uint64_t)from, n));
	case TO_DEVICE: return fail(own ? cuMemcpyHtoD_v2_ptds((uint64_t)to, (void *)from, n) : cuMemcpyHtoD_v2((uint64_t)to, (void *)from, n));
	case TO_HOST: return fail(own ? cuMemcpyDtoH_v2_ptds(to, (uint64_t)from, n) : cuMemcpyDtoH_v2(to, (uint64_t)from, n));
	case ON_DEVICE: return fail(own ? cuMemcpyDtoD_v2_ptds((uint64_t)to, (uint64_t)from, n) : cuMemcpyDtoD_v2((uint64_t)to, (uint64_t)from, n));
	case BY_ADDRESS: return fail(own ? cuMemcpy_ptds((uint64_t)to, (uint64_t)from, n) : cuMemcpy((uint64_t)to, (uint64_t)from, n));
	}
	return no_direction(kind);
}

API int cudaMemcpy(void *to, const void *from, size_t n, uint32_t kind) { return copy(to, from, n, kind, 0); }
API int cudaMemcpy_ptds(void *to, const void *from, size_t n, uint32_t kind) { return copy(to, from, n, kind, 1); }
API int cudaMemcpyAsync(void *to, const void *from, size_t n, uint32_t kind, void *s) { return copy_async(to, from, n, kind, s); }
API int cudaMemcpyAsync_ptsz(void *to, const void *from, size_t n, uint32_t kind, void *s) { return copy_async(to, from, n, kind, OWN(s)); }

API int cudaMemcpyPeer(void *to, int32_t to_device, const void *from, int32_t from_device, size_t n) { DEVICE(to_device); DEVICE(from_device); return copy(to, from, n, ON_DEVICE, 0); }
API int cudaMemcpyPeerAsync(void *to, int32_t to_device, const void *from, int32_t from_device, size_t n, void *s) { DEVICE(to_device); DEVICE(from_device); return copy_async(to, from, n, ON_DEVICE, s); }

/* ---- variables ---- */

/* in_variable finds n bytes of a variable. fits reports whether the kind of the copy is one for that. */
static int in_variable(const void *symbol, size_t n, size_t offset, int fits, void **p)
{
	uint64_t address = 0;
	size_t size = 0;
	ENTER();
	if (!fits)
		return refused(INVALID_DIRECTION, "the kind of the copy does not fit: a variable is memory of the device");
	int e = variable_of(symbol, &address, &size);
	if (e)
		return no_variable(e);
	if (offset > size || n > size - offset)
		return refused(INVALID_VALUE, "the copy has %zu bytes from byte %zu on, and the variable has %zu", n, offset, size);
	*p = (char *)address + offset;
	return SUCCESS;
}

#define TO_VARIABLE(p) void *p = NULL; do { int e_ = in_variable(symbol, n, offset, kind == TO_DEVICE || kind == ON_DEVICE || kind == BY_ADDRESS, &p); if (e_) return e_; } while (0)
#define FROM_VARIABLE(p) void *p = NULL; do { int e_ = in_variable(symbol, n, offset, kind == TO_HOST || kind == ON_DEVICE || kind == BY_ADDRESS, &p); if (e_) return e_; } while (0)

API int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t n, size_t offset, uint32_t kind) { TO_VARIABLE(p); return copy(p, from, n, kind, 0); }
API int cudaMemcpyToSymbol_ptds(const void *symbol, const void *from, size_t n, size_t offset, uint32_t kind) { TO_VARIABLE(p); return copy(p, from, n, kind, 1); }
API int cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t n, size_t offset, uint32_t kind, void *s) { TO_VARIABLE(p); return copy_async(p, from, n, kind, s); }
API int cudaMemcpyToSymbolAsync_ptsz(const void *symbol, const void *from, size_t n, size_t offset, uint32_t kind, void *s) { TO_VARIABLE(p); return copy_async(p, from, n, kind, OWN(s)); }
API int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t n, size_t offset, uint32_t kind) { FROM_VARIABLE(p); return copy(to, p, n, kind, 0); }
API int cudaMemcpyFromSymbol_ptds(void *to, const void *symbol, size_t n, size_t offset, uint32_t kind) { FROM_VARIABLE(p); return copy(to, p, n, kind, 1); }
API int cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t n, size_t offset, uint32_t kind, void *s) { FROM_VARIABLE(p); return copy_async(to, p, n, kind, s); }
API int cudaMemcpyFromSymbolAsync_ptsz(void *to, const void *symbol, size_t n, size_t offset, uint32_t kind, void *s) { FROM_VARIABLE(p); return copy_async(to, p, n, kind, OWN(s)); }

/* ---- two and three dimensions ---- */

enum { HOST_MEMORY = 1, DEVICE_MEMORY = 2, UNIFIED_MEMORY = 4 };

static uint32_t source_type(uint32_t kind) { return kind == BY_ADDRESS ? UNIFIED_MEMORY : kind == HOST_TO_HOST || kind == TO_DEVICE ? HOST_MEMORY : DEVICE_MEMORY; }
static uint32_t target_type(uint32_t kind) { return kind == BY_ADDRESS ? UNIFIED_MEMORY : kind == HOST_TO_HOST || kind == TO_HOST ? HOST_MEMORY : DEVICE_MEMORY; }

/* copy_2d waits for the copy, in the default stream or in that of the thread, or puts it into the stream s. */
static int copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, uint32_t kind, int wait, void *s)
{
	struct driver_copy2d c = {
		.src_type = source_type(kind), .src_host = from, .src_device = (uint64_t)from, .src_pitch = from_pitch,
		.dst_type = target_type(kind), .dst_host = to, .dst_device = (uint64_t)to, .dst_pitch = to_pitch, .width = width, .height = height,
	};
	ENTER();
	if (kind > BY_ADDRESS)
		return no_direction(kind);
	if (width > to_pitch || width > from_pitch)
		return refused(INVALID_PITCH, "a line has %zu bytes, and the pitches are %zu and %zu: the line does not fit", width, to_pitch, from_pitch);
	if (width == 0 || height == 0)
		return SUCCESS;
	return fail(!wait ? cuMemcpy2DAsync_v2(&c, s) : s ? cuMemcpy2D_v2_ptds(&c) : cuMemcpy2DUnaligned_v2(&c));
}

API int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, uint32_t kind) { return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, 1, NULL); }
API int cudaMemcpy2D_ptds(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, uint32_t kind) { return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, 1, OWN_STREAM); }
API int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, uint32_t kind, void *s) { return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, 0, s); }
API int cudaMemcpy2DAsync_ptsz(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, uint32_t kind, void *s) { return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, 0, OWN(s)); }

static int array_element(const void *a, size_t *bytes);

/* to_driver makes the parameters of the driver's copy in three dimensions. */
static int to_driver(const struct copy3d *c, struct driver_copy3d *out)
{
	size_t element = 1;
	int e;
	if (c->kind > BY_ADDRESS)
		return INVALID_DIRECTION;
	*out = (struct driver_copy3d){
		.src_x = c->src_pos.x, .src_y = c->src_pos.y, .src_z = c->src_pos.z, .src_type = source_type(c->kind), .src_host = c->src.p,
		.src_device = (uint64_t)c->src.p, .src_pitch = c->src.pitch, .src_height = c->src.ysize,
		.dst_x = c->dst_pos.x, .dst_y = c->dst_pos.y, .dst_z = c->dst_pos.z, .dst_type = target_type(c->kind), .dst_host = c->dst.p,
		.dst_device = (uint64_t)c->dst.p, .dst_pitch = c->dst.pitch, .dst_height = c->dst.ysize,
		.width = c->extent.width, .height = c->extent.height, .depth = c->extent.depth,
	};
	/* With an array, the width and the positions in it count elements. */
	if (c->src_array) {
		if ((e = array_element(c->src_array, &element)))
			return e;
		out->src_type = 3, out->src_array = c->src_array, out->src_x *= element;
	}
	if (c->dst_array) {
		if ((e = array_element(c->dst_array, &element)))
			return e;
		out->dst_type = 3, out->dst_array = c->dst_array, out->dst_x *= element;
	}
	out->width *= element;
	return SUCCESS;
}

/* from_driver is the reverse of to_driver. */
static void from_driver(const struct driver_copy3d *c, struct copy3d *out)
{
	uint32_t from = c->src_type, to = c->dst_type;
	memset(out, 0, sizeof *out);
	out->src_pos = (struct pos){ c->src_x, c->src_y, c->src_z };
	out->src = (struct pitched){ from == HOST_MEMORY ? (void *)c->src_host : (void *)c->src_device, c->src_pitch, c->width, c->src_height };
	out->dst_pos = (struct pos){ c->dst_x, c->dst_y, c->dst_z };
	out->dst = (struct pitched){ to == HOST_MEMORY ? c->dst_host : (void *)c->dst_device, c->dst_pitch, c->width, c->dst_height };
	out->extent = (struct extent){ c->width, c->height, c->depth };
	out->kind = from == UNIFIED_MEMORY || to == UNIFIED_MEMORY ? BY_ADDRESS : from == HOST_MEMORY ? (to == HOST_MEMORY ? HOST_TO_HOST : TO_DEVICE) : to == HOST_MEMORY ? TO_HOST : ON_DEVICE;
}

static int copy_3d(const struct copy3d *c, int wait, void *s)
{
	struct driver_copy3d d;
	int e;
	WANT(c);
	ENTER();
	if ((e = to_driver(c, &d)))
		return fail(e);
	if (!d.width || !d.height || !d.depth)
		return SUCCESS;
	return fail(!wait ? cuMemcpy3DAsync_v2(&d, s) : s ? cuMemcpy3D_v2_ptds(&d) : cuMemcpy3D_v2(&d));
}

API int cudaMemcpy3D(const struct copy3d *c) { return copy_3d(c, 1, NULL); }
API int cudaMemcpy3D_ptds(const struct copy3d *c) { return copy_3d(c, 1, OWN_STREAM); }
API int cudaMemcpy3DAsync(const struct copy3d *c, void *s) { return copy_3d(c, 0, s); }
API int cudaMemcpy3DAsync_ptsz(const struct copy3d *c, void *s) { return copy_3d(c, 0, OWN(s)); }

static int copy_3d_peer(const struct peer3d *p, int wait, void *s)
{
	struct copy3d c;
	WANT(p);
	DEVICE(p->src_device);
	DEVICE(p->dst_device);
	c = (struct copy3d){ p->src_array, p->src_pos, p->src, p->dst_array, p->dst_pos, p->dst, p->extent, ON_DEVICE };
	return copy_3d(&c, wait, s);
}

API int cudaMemcpy3DPeer(const struct peer3d *p) { return copy_3d_peer(p, 1, NULL); }
API int cudaMemcpy3DPeer_ptds(const struct peer3d *p) { return copy_3d_peer(p, 1, OWN_STREAM); }
API int cudaMemcpy3DPeerAsync(const struct peer3d *p, void *s) { return copy_3d_peer(p, 0, s); }
API int cudaMemcpy3DPeerAsync_ptsz(const struct peer3d *p, void *s) { return copy_3d_peer(p, 0, OWN(s)); }

/* ---- several ranges ---- */

#if CUDART_MAJOR == 12
API int cudaMemcpyBatchAsync(void **to, void **from, size_t *sizes, size_t n, void *list, size_t *indices, size_t count, size_t *failed, void *s) { CALL(cuMemcpyBatchAsync(to, from, sizes, n, list, indices, count, failed, s)); }
API int cudaMemcpyBatchAsync_ptsz(void **to, void **from, size_t *sizes, size_t n, void *list, size_t *indices, size_t count, size_t *failed, void *s) { CALL(cuMemcpyBatchAsync(to, from, sizes, n, list, indices, count, failed, OWN(s))); }
#elif CUDART_MAJOR == 13
API int cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes, size_t n, void *list, size_t *indices, size_t count, void *s) { CALL(cuMemcpyBatchAsync_v2((void *)to, (void *)from, (void *)sizes, n, list, indices, count, s)); }
API int cudaMemcpyBatchAsync_ptsz(void *const *to, const void *const *from, const size_t *sizes, size_t n, void *list, size_t *indices, size_t count, void *s) { CALL(cuMemcpyBatchAsync_v2((void *)to, (void *)from, (void *)sizes, n, list, indices, count, OWN(s))); }
API int cudaMemcpyWithAttributesAsync(void *to, const void *from, size_t n, void *attributes, void *s) { CALL(cuMemcpyWithAttributesAsync((uint64_t)to, (uint64_t)from, n, attributes, s)); }
API int cudaMemcpyWithAttributesAsync_ptsz(void *to, const void *from, size_t n, void *attributes, void *s) { CALL(cuMemcpyWithAttributesAsync((uint64_t)to, (uint64_t)from, n, attributes, OWN(s))); }
#endif

/* ---- fills: bytes ---- */

API int cudaMemset(void *p, int32_t v, size_t n) { CALL(cuMemsetD8_v2((uint64_t)p, (uint8_t)v, n)); }
API int cudaMemset_ptds(void *p, int32_t v, size_t n) { CALL(cuMemsetD8Async((uint64_t)p, (uint8_t)v, n, OWN_STREAM)); }
API int cudaMemsetAsync(void *p, int32_t v, size_t n, void *s) { CALL(cuMemsetD8Async((uint64_t)p, (uint8_t)v, n, s)); }
API int cudaMemsetAsync_ptsz(void *p, int32_t v, size_t n, void *s) { CALL(cuMemsetD8Async((uint64_t)p, (uint8_t)v, n, OWN(s))); }

static int fill_2d(void *p, size_t pitch, int32_t v, size_t width, size_t height, void *s)
{
	ENTER();
	if (height > 1 && width > pitch)
		return refused(INVALID_PITCH, "a line has %zu bytes, and the pitch is %zu: the line does not fit", width, pitch);
	return fail(width && height ? cuMemsetD2D8Async((uint64_t)p, pitch, (uint8_t)v, width, height, s) : SUCCESS);
}

API int cudaMemset2D(void *p, size_t pitch, int32_t v, size_t width, size_t height) { return fill_2d(p, pitch, v, width, height, NULL); }
API int cudaMemset2D_ptds(void *p, size_t pitch, int32_t v, size_t width, size_t height) { return fill_2d(p, pitch, v, width, height, OWN_STREAM); }
API int cudaMemset2DAsync(void *p, size_t pitch, int32_t v, size_t width, size_t height, void *s) { return fill_2d(p, pitch, v, width, height, s); }
API int cudaMemset2DAsync_ptsz(void *p, size_t pitch, int32_t v, size_t width, size_t height, void *s) { return fill_2d(p, pitch, v, width, height, OWN(s)); }

static int fill_3d(struct pitched p, int32_t v, struct extent e, void *s)
{
	int error = SUCCESS;
	for (size_t z = 0; z < e.depth && !error; z++)
		error = fill_2d((char *)p.p + z * p.pitch * p.ysize, p.pitch, v, e.width, e.height, s);
	return error;
}

API int cudaMemset3D(struct pitched p, int32_t v, struct extent e) { return fill_3d(p, v, e, NULL); }
API int cudaMemset3D_ptds(struct pitched p, int32_t v, struct extent e) { return fill_3d(p, v, e, OWN_STREAM); }
API int cudaMemset3DAsync(struct pitched p, int32_t v, struct extent e, void *s) { return fill_3d(p, v, e, s); }
API int cudaMemset3DAsync_ptsz(struct pitched p, int32_t v, struct extent e, void *s) { return fill_3d(p, v, e, OWN(s)); }
