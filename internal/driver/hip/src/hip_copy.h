/* Copies and fills. The kind of a copy says which side is the device; a wrong one is refused, as the driver API does. */

enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_ADDRESS, WITHOUT_KERNEL = 1024 };

#define KIND(kind) do { \
	if ((kind) == WITHOUT_KERNEL) \
		(kind) = DEVICE_TO_DEVICE; \
	if ((kind) < HOST_TO_HOST || (kind) > BY_ADDRESS) \
		return done(hipErrorInvalidMemcpyDirection); \
	if ((n) == 0) \
		return done(hipSuccess); \
	if (!to || !from) \
		return done(hipErrorInvalidValue); } while (0)

/* copy copies at once. The thread's own stream is 2. */
static int copy(void *to, const void *from, size_t n, int kind)
{
	switch (kind) {
	case HOST_TO_DEVICE: return CU(cuMemcpyHtoD_v2)((uint64_t)to, (void *)from, n);
	case DEVICE_TO_HOST: return CU(cuMemcpyDtoH_v2)(to, (uint64_t)from, n);
	case DEVICE_TO_DEVICE: return CU(cuMemcpyDtoD_v2)((uint64_t)to, (uint64_t)from, n);
	}
	return CU(cuMemcpy)((uint64_t)to, (uint64_t)from, n);
}

static int copy_in_stream(void *to, const void *from, size_t n, int kind, void *stream)
{
	switch (kind) {
	case HOST_TO_DEVICE: return CU(cuMemcpyHtoDAsync_v2)((uint64_t)to, (void *)from, n, stream);
	case DEVICE_TO_HOST: return CU(cuMemcpyDtoHAsync_v2)(to, (uint64_t)from, n, stream);
	case DEVICE_TO_DEVICE: return CU(cuMemcpyDtoDAsync_v2)((uint64_t)to, (uint64_t)from, n, stream);
	}
	return CU(cuMemcpyAsync)((uint64_t)to, (uint64_t)from, n, stream);
}

static int copy_and_wait(void *to, const void *from, size_t n, int kind, void *stream)
{
	int e = copy_in_stream(to, from, n, kind, stream);
	return e ? e : CU(cuStreamSynchronize)(stream);
}

HIP(hipMemcpy)(void *to, const void *from, size_t n, int kind) { ENTER(); KIND(kind); RETURN(copy(to, from, n, kind)); }
HIP(hipMemcpyAsync)(void *to, const void *from, size_t n, int kind, void *stream) { ENTER(); KIND(kind); RETURN(copy_in_stream(to, from, n, kind, stream)); }
HIP(hipMemcpyWithStream)(void *to, const void *from, size_t n, int kind, void *stream) { ENTER(); KIND(kind); RETURN(copy_and_wait(to, from, n, kind, stream)); }
HIP(hipMemcpy_spt)(void *to, const void *from, size_t n, int kind) { ENTER(); KIND(kind); RETURN(copy_and_wait(to, from, n, kind, (void *)2)); }
HIP(hipMemcpyAsync_spt)(void *to, const void *from, size_t n, int kind, void *stream) { return hipMemcpyAsync(to, from, n, kind, PER_THREAD(stream)); }
HIP(hipMemcpyHtoD)(void *to, void *from, size_t n) { return hipMemcpy(to, from, n, HOST_TO_DEVICE); }
HIP(hipMemcpyDtoH)(void *to, void *from, size_t n) { return hipMemcpy(to, from, n, DEVICE_TO_HOST); }
HIP(hipMemcpyDtoD)(void *to, void *from, size_t n) { return hipMemcpy(to, from, n, DEVICE_TO_DEVICE); }
HIP(hipMemcpyHtoDAsync)(void *to, void *from, size_t n, void *stream) { return hipMemcpyAsync(to, from, n, HOST_TO_DEVICE, stream); }
HIP(hipMemcpyDtoHAsync)(void *to, void *from, size_t n, void *stream) { return hipMemcpyAsync(to, from, n, DEVICE_TO_HOST, stream); }
HIP(hipMemcpyDtoDAsync)(void *to, void *from, size_t n, void *stream) { return hipMemcpyAsync(to, from, n, DEVICE_TO_DEVICE, stream); }

HIP(hipMemcpyPeer)(void *to, int a, const void *from, int b, size_t n)
{
	return a || b ? done(hipErrorInvalidDevice) : hipMemcpy(to, from, n, DEVICE_TO_DEVICE);
}

HIP(hipMemcpyPeerAsync)(void *to, int a, const void *from, int b, size_t n, void *stream)
{
	return a || b ? done(hipErrorInvalidDevice) : hipMemcpyAsync(to, from, n, DEVICE_TO_DEVICE, stream);
}

/* ---- variables of the program ---- */

/* in_symbol returns the address of bytes of a variable. */
static int in_symbol(const void *key, size_t n, size_t offset, uint64_t *at)
{
	size_t size;
	int e = symbol_of(key, at, &size);
	if (e)
		return e;
	if (offset > size || n > size - offset)
		return hipErrorInvalidValue;
	*at += offset;
	return hipSuccess;
}

static int to_symbol(const void *key, const void *from, size_t n, size_t offset, int kind, int wait, void *stream)
{
	uint64_t to;
	int e;
	if (kind != HOST_TO_DEVICE && kind != DEVICE_TO_DEVICE && kind != BY_ADDRESS)
		return hipErrorInvalidMemcpyDirection;
	if ((e = in_symbol(key, n, offset, &to)) || n == 0)
		return e;
	return status(!wait ? copy_in_stream((void *)to, from, n, kind, stream) : stream ? copy_and_wait((void *)to, from, n, kind, stream) : copy((void *)to, from, n, kind));
}

static int from_symbol(void *to, const void *key, size_t n, size_t offset, int kind, int wait, void *stream)
{
	uint64_t from;
	int e;
	if (kind != DEVICE_TO_HOST && kind != DEVICE_TO_DEVICE && kind != BY_ADDRESS)
		return hipErrorInvalidMemcpyDirection;
	if ((e = in_symbol(key, n, offset, &from)) || n == 0)
		return e;
	return status(!wait ? copy_in_stream(to, (void *)from, n, kind, stream) : stream ? copy_and_wait(to, (void *)from, n, kind, stream) : copy(to, (void *)from, n, kind));
}

HIP(hipMemcpyToSymbol)(const void *key, const void *from, size_t n, size_t offset, int kind) { ENTER(); return done(to_symbol(key, from, n, offset, kind, 1, NULL)); }
HIP(hipMemcpyToSymbolAsync)(const void *key, const void *from, size_t n, size_t offset, int kind, void *stream) { ENTER(); return done(to_symbol(key, from, n, offset, kind, 0, stream)); }
HIP(hipMemcpyFromSymbol)(void *to, const void *key, size_t n, size_t offset, int kind) { ENTER(); return done(from_symbol(to, key, n, offset, kind, 1, NULL)); }
HIP(hipMemcpyFromSymbolAsync)(void *to, const void *key, size_t n, size_t offset, int kind, void *stream) { ENTER(); return done(from_symbol(to, key, n, offset, kind, 0, stream)); }
HIP(hipMemcpyToSymbol_spt)(const void *key, const void *from, size_t n, size_t offset, int kind) { ENTER(); return done(to_symbol(key, from, n, offset, kind, 1, (void *)2)); }
HIP(hipMemcpyToSymbolAsync_spt)(const void *key, const void *from, size_t n, size_t offset, int kind, void *stream) { return hipMemcpyToSymbolAsync(key, from, n, offset, kind, PER_THREAD(stream)); }
HIP(hipMemcpyFromSymbol_spt)(void *to, const void *key, size_t n, size_t offset, int kind) { ENTER(); return done(from_symbol(to, key, n, offset, kind, 1, (void *)2)); }
HIP(hipMemcpyFromSymbolAsync_spt)(void *to, const void *key, size_t n, size_t offset, int kind, void *stream) { return hipMemcpyFromSymbolAsync(to, key, n, offset, kind, PER_THREAD(stream)); }

/* ---- copies of two and three dimensions ---- */

enum { AT_HOST = 1, AT_DEVICE = 2, AT_ARRAY = 3, AT_ADDRESS = 4 }; /* CUmemorytype */

struct driver_2d { /* CUDA_MEMCPY2D */
	uint64_t src_x, src_y; uint32_t src_kind; const void *src_host; uint64_t src_device; void *src_array; uint64_t src_pitch;
	uint64_t dst_x, dst_y; uint32_t dst_kind; void *dst_host; uint64_t dst_device; void *dst_array; uint64_t dst_pitch;
	uint64_t width, height;
};

struct driver_3d { /* CUDA_MEMCPY3D */
	uint64_t src_x, src_y, src_z, src_level; uint32_t src_kind; const void *src_host; uint64_t src_device; void *src_array, *unused_1; uint64_t src_pitch, src_height;
	uint64_t dst_x, dst_y, dst_z, dst_level; uint32_t dst_kind; void *dst_host; uint64_t dst_device; void *dst_array, *unused_2; uint64_t dst_pitch, dst_height;
	uint64_t width, height, depth;
};

static uint32_t source(int kind) { return kind == HOST_TO_DEVICE ? AT_HOST : kind == DEVICE_TO_HOST || kind == DEVICE_TO_DEVICE ? AT_DEVICE : AT_ADDRESS; }
static uint32_t target(int kind) { return kind == DEVICE_TO_HOST ? AT_HOST : kind == HOST_TO_DEVICE || kind == DEVICE_TO_DEVICE ? AT_DEVICE : AT_ADDRESS; }

static int copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, int kind, int wait, void *stream)
{
	struct driver_2d c = { .src_kind = source(kind), .src_host = from, .src_device = (uint64_t)from, .src_pitch = from_pitch,
		.dst_kind = target(kind), .dst_host = to, .dst_device = (uint64_t)to, .dst_pitch = to_pitch, .width = width, .height = height };
	int e;
	if (kind < HOST_TO_HOST || kind > BY_ADDRESS)
		return hipErrorInvalidMemcpyDirection;
	if (width == 0 || height == 0)
		return hipSuccess;
	if (!to || !from)
		return hipErrorInvalidValue;
	if (width > to_pitch || width > from_pitch)
		return 12; /* hipErrorInvalidPitchValue */
	if (wait && !stream)
		return status(CU(cuMemcpy2D_v2)(&c));
	e = CU(cuMemcpy2DAsync_v2)(&c, stream);
	return status(e || !wait ? e : CU(cuStreamSynchronize)(stream));
}

HIP(hipMemcpy2D)(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, int kind)
{
	ENTER();
	return done(copy_2d(to, to_pitch, from, from_pitch, width, height, kind, 1, NULL));
}

HIP(hipMemcpy2D_spt)(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, int kind)
{
	ENTER();
	return done(copy_2d(to, to_pitch, from, from_pitch, width, height, kind, 1, (void *)2));
}

HIP(hipMemcpy2DAsync)(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, int kind, void *stream)
{
	ENTER();
	return done(copy_2d(to, to_pitch, from, from_pitch, width, height, kind, 0, stream));
}

HIP(hipMemcpy2DAsync_spt)(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, int kind, void *stream)
{
	return hipMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, PER_THREAD(stream));
}

/* driver_kind turns a kind of memory (hipMemoryType) into that of the driver API. */
static uint32_t driver_kind(uint32_t kind)
{
	if (HIP_MAJOR < 6)
		return kind + 1; /* host, device, array, by address */
	return kind == 10 ? AT_ARRAY : kind == 1 || kind == 2 ? kind : AT_ADDRESS;
}

/* A box is one side of a copy in an array: bytes from x on, and n of them, rows and layers likewise. */
struct box { uint64_t x, y, z, width, height, depth; };

/* in_box returns the memory of an array, its pitch and the rows of a layer; the box has to lie in the array. It is in hip_array.h. */
static int in_box(const void *handle, const struct box *b, uint64_t *device, uint64_t *pitch, uint64_t *height);

static size_t element_of(const void *handle);

/* param_2d is the structure hip_Memcpy2D: that of the driver API, with other kinds. */
static int param_2d(const struct driver_2d *p, int wait, void *stream)
{
	struct driver_2d c;
	uint64_t unused;
	int e;
	if (!p)
		return hipErrorInvalidValue;
	c = *p;
	c.src_kind = driver_kind(c.src_kind), c.dst_kind = driver_kind(c.dst_kind);
	if (c.src_kind == AT_ARRAY) {
		c.src_kind = AT_DEVICE;
		if ((e = in_box(c.src_array, &(struct box){ c.src_x, c.src_y, 0, c.width, c.height, 1 }, &c.src_device, &c.src_pitch, &unused)))
			return e;
	}
	if (c.dst_kind == AT_ARRAY) {
		c.dst_kind = AT_DEVICE;
		if ((e = in_box(c.dst_array, &(struct box){ c.dst_x, c.dst_y, 0, c.width, c.height, 1 }, &c.dst_device, &c.dst_pitch, &unused)))
			return e;
	}
	return status(wait ? CU(cuMemcpy2D_v2)(&c) : CU(cuMemcpy2DAsync_v2)(&c, stream));
}

HIP(hipMemcpyParam2D)(const void *p) { ENTER(); return done(param_2d(p, 1, NULL)); }
HIP(hipMemcpyParam2DAsync)(const void *p, void *stream) { ENTER(); return done(param_2d(p, 0, stream)); }
HIP(hipDrvMemcpy2DUnaligned)(const void *p) { return hipMemcpyParam2D(p); }

struct parameters_3d { /* hipMemcpy3DParms */
	void *src_array; size_t src_x, src_y, src_z; struct pitched src;
	void *dst_array; size_t dst_x, dst_y, dst_z; struct pitched dst;
	struct extent n; int kind;
};

/* arrays_of_3d puts the memory of arrays in place of these. */
static int arrays_of_3d(struct driver_3d *c)
{
	int e;
	if (c->src_kind == AT_ARRAY) {
		if ((e = in_box(c->src_array, &(struct box){ c->src_x, c->src_y, c->src_z, c->width, c->height, c->depth }, &c->src_device, &c->src_pitch, &c->src_height)))
			return e;
		c->src_kind = AT_DEVICE, c->src_array = NULL;
	}
	if (c->dst_kind == AT_ARRAY) {
		if ((e = in_box(c->dst_array, &(struct box){ c->dst_x, c->dst_y, c->dst_z, c->width, c->height, c->depth }, &c->dst_device, &c->dst_pitch, &c->dst_height)))
			return e;
		c->dst_kind = AT_DEVICE, c->dst_array = NULL;
	}
	return hipSuccess;
}

/* driver_3d makes the parameters of the driver. */
static int driver_3d(const struct parameters_3d *p, struct driver_3d *c)
{
	if (!p)
		return hipErrorInvalidValue;
	if (p->kind < HOST_TO_HOST || p->kind > BY_ADDRESS)
		return hipErrorInvalidMemcpyDirection;
	*c = (struct driver_3d){ 0 };
	c->src_x = p->src_x, c->src_y = p->src_y, c->src_z = p->src_z, c->src_kind = source(p->kind);
	c->src_host = p->src.p, c->src_device = (uint64_t)p->src.p, c->src_pitch = p->src.pitch, c->src_height = p->src.height;
	c->dst_x = p->dst_x, c->dst_y = p->dst_y, c->dst_z = p->dst_z, c->dst_kind = target(p->kind);
	c->dst_host = p->dst.p, c->dst_device = (uint64_t)p->dst.p, c->dst_pitch = p->dst.pitch, c->dst_height = p->dst.height;
	c->width = p->n.width, c->height = p->n.height, c->depth = p->n.depth;
	if ((p->src_array && p->src.p) || (p->dst_array && p->dst.p))
		return hipErrorInvalidValue;
	if (p->src_array || p->dst_array) { /* the width counts elements of the array, and x of a side that is an array does */
		if (p->src_array && p->dst_array && element_of(p->src_array) != element_of(p->dst_array))
			return hipErrorInvalidValue;
		c->width *= element_of(p->src_array ? p->src_array : p->dst_array);
	}
	if (p->src_array) {
		if (c->src_kind == AT_HOST)
			return hipErrorInvalidMemcpyDirection;
		c->src_kind = AT_ARRAY, c->src_array = p->src_array, c->src_x *= element_of(p->src_array);
	}
	if (p->dst_array) {
		if (c->dst_kind == AT_HOST)
			return hipErrorInvalidMemcpyDirection;
		c->dst_kind = AT_ARRAY, c->dst_array = p->dst_array, c->dst_x *= element_of(p->dst_array);
	}
	return arrays_of_3d(c);
}

static int copy_3d(const struct parameters_3d *p, int wait, void *stream)
{
	struct driver_3d c;
	int e = driver_3d(p, &c);
	if (e)
		return e;
	if (wait && !stream)
		return status(CU(cuMemcpy3D_v2)(&c));
	e = CU(cuMemcpy3DAsync_v2)(&c, stream);
	return status(e || !wait ? e : CU(cuStreamSynchronize)(stream));
}

HIP(hipMemcpy3D)(const void *p) { ENTER(); return done(copy_3d(p, 1, NULL)); }
HIP(hipMemcpy3D_spt)(const void *p) { ENTER(); return done(copy_3d(p, 1, (void *)2)); }
HIP(hipMemcpy3DAsync)(const void *p, void *stream) { ENTER(); return done(copy_3d(p, 0, stream)); }
HIP(hipMemcpy3DAsync_spt)(const void *p, void *stream) { return hipMemcpy3DAsync(p, PER_THREAD(stream)); }

/* ---- fills ---- */

/* fill writes n elements of 1, 2 or 4 bytes. */
static int fill(void *p, uint32_t v, size_t n, int size, int in_stream, void *stream)
{
	uint64_t at = (uint64_t)p;
	if (!p && n > 0)
		return hipErrorInvalidValue;
	switch (size * 2 + (in_stream != 0)) {
	case 2: return status(CU(cuMemsetD8_v2)(at, (uint8_t)v, n));
	case 3: return status(CU(cuMemsetD8Async)(at, (uint8_t)v, n, stream));
	case 4: return status(CU(cuMemsetD16_v2)(at, (uint16_t)v, n));
	case 5: return status(CU(cuMemsetD16Async)(at, (uint16_t)v, n, stream));
	case 8: return status(CU(cuMemsetD32_v2)(at, v, n));
	}
	return status(CU(cuMemsetD32Async)(at, v, n, stream));
}

HIP(hipMemset)(void *p, int v, size_t n) { ENTER(); return done(fill(p, (uint32_t)v, n, 1, 0, NULL)); }
HIP(hipMemsetAsync)(void *p, int v, size_t n, void *stream) { ENTER(); return done(fill(p, (uint32_t)v, n, 1, 1, stream)); }
HIP(hipMemset_spt)(void *p, int v, size_t n) { ENTER(); return done(fill(p, (uint32_t)v, n, 1, 1, (void *)2)); }
HIP(hipMemsetAsync_spt)(void *p, int v, size_t n, void *stream) { return hipMemsetAsync(p, v, n, PER_THREAD(stream)); }
HIP(hipMemsetD8)(void *p, uint8_t v, size_t n) { ENTER(); return done(fill(p, v, n, 1, 0, NULL)); }
HIP(hipMemsetD8Async)(void *p, uint8_t v, size_t n, void *stream) { ENTER(); return done(fill(p, v, n, 1, 1, stream)); }
HIP(hipMemsetD16)(void *p, uint16_t v, size_t n) { ENTER(); return done(fill(p, v, n, 2, 0, NULL)); }
HIP(hipMemsetD16Async)(void *p, uint16_t v, size_t n, void *stream) { ENTER(); return done(fill(p, v, n, 2, 1, stream)); }
HIP(hipMemsetD32)(void *p, int v, size_t n) { ENTER(); return done(fill(p, (uint32_t)v, n, 4, 0, NULL)); }
HIP(hipMemsetD32Async)(void *p, int v, size_t n, void *stream) { ENTER(); return done(fill(p, (uint32_t)v, n, 4, 1, stream)); }

HIP(hipMemset2DAsync)(void *p, size_t pitch, int v, size_t width, size_t height, void *stream)
{
	ENTER();
	RETURN(CU(cuMemsetD2D8Async)((uint64_t)p, pitch, (uint8_t)v, width, height, stream));
}

HIP(hipMemset2D)(void *p, size_t pitch, int v, size_t width, size_t height) { ENTER(); RETURN(CU(cuMemsetD2D8_v2)((uint64_t)p, pitch, (uint8_t)v, width, height)); }
HIP(hipMemset2D_spt)(void *p, size_t pitch, int v, size_t width, size_t height) { return hipMemset2DAsync(p, pitch, v, width, height, (void *)2); }
HIP(hipMemset2DAsync_spt)(void *p, size_t pitch, int v, size_t width, size_t height, void *stream) { return hipMemset2DAsync(p, pitch, v, width, height, PER_THREAD(stream)); }

HIP(hipMemset3DAsync)(struct pitched p, int v, struct extent n, void *stream)
{
	ENTER();
	for (size_t z = 0; z < n.depth; z++) {
		int e = CU(cuMemsetD2D8Async)((uint64_t)p.p + z * p.pitch * p.height, p.pitch, (uint8_t)v, n.width, n.height, stream);
		if (e)
			RETURN(e);
	}
	return done(hipSuccess);
}

HIP(hipMemset3D)(struct pitched p, int v, struct extent n) { return hipMemset3DAsync(p, v, n, NULL); }
HIP(hipMemset3D_spt)(struct pitched p, int v, struct extent n) { return hipMemset3DAsync(p, v, n, (void *)2); }
HIP(hipMemset3DAsync_spt)(struct pitched p, int v, struct extent n, void *stream) { return hipMemset3DAsync(p, v, n, PER_THREAD(stream)); }
