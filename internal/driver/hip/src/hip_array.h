/* Arrays, for copies: pitched memory of the device behind a handle. Kernels read arrays by textures and surfaces, which Crosslane
   lacks, so layers, cubes and mipmaps are refused by name. */

struct channels { int32_t x, y, z, w; uint32_t kind; }; /* hipChannelFormatDesc: bits of each channel */
enum { SIGNED_CHANNELS, UNSIGNED_CHANNELS, FLOAT_CHANNELS };

struct array { /* begins as hipArray of HIP 5, whose members programs may read */
	void *data;
	struct channels desc;
	uint32_t type, width, height, depth, format, count;
	uint8_t of_driver_api;
	uint32_t texture_type;
	size_t pitch, element; /* bytes from row to row, and of an element */
	struct array *next;
};

struct array_desc { size_t width, height; uint32_t format, count; };               /* HIP_ARRAY_DESCRIPTOR */
struct array3d_desc { size_t width, height, depth; uint32_t format, count, flags; }; /* HIP_ARRAY3D_DESCRIPTOR */

static const struct { uint32_t format; int32_t bits; uint32_t kind; } formats[] = { /* hipArray_Format */
	{ 0x01, 8, UNSIGNED_CHANNELS }, { 0x02, 16, UNSIGNED_CHANNELS }, { 0x03, 32, UNSIGNED_CHANNELS }, { 0x08, 8, SIGNED_CHANNELS },
	{ 0x09, 16, SIGNED_CHANNELS }, { 0x0a, 32, SIGNED_CHANNELS }, { 0x10, 16, FLOAT_CHANNELS }, { 0x20, 32, FLOAT_CHANNELS },
};

static pthread_mutex_t array_lock = PTHREAD_MUTEX_INITIALIZER;
static struct array *arrays;

/* array_of returns the array of a handle, or NULL. */
static struct array *array_of(const void *handle)
{
	struct array *a;
	pthread_mutex_lock(&array_lock);
	for (a = arrays; a && a != handle; a = a->next)
		;
	pthread_mutex_unlock(&array_lock);
	return a;
}

/* make_array makes an array of a format with 1, 2 or 4 channels; a height of 0 means one dimension, a depth of 0 at most two. */
static int make_array(struct array **out, size_t width, size_t height, size_t depth, uint32_t format, uint32_t count, int of_driver_api)
{
	struct array *a;
	size_t i = 0, rows = (height ? height : 1) * (depth ? depth : 1);
	void *p;
	int e;
	while (i < sizeof formats / sizeof *formats && formats[i].format != format)
		i++;
	if (!out || i == sizeof formats / sizeof *formats || (count != 1 && count != 2 && count != 4) || width == 0 || width > UINT32_MAX || height > UINT32_MAX || depth > UINT32_MAX || (depth && !height))
		return hipErrorInvalidValue;
	if (!(a = calloc(1, sizeof *a)))
		return hipErrorOutOfMemory;
	a->element = (size_t)formats[i].bits / 8 * count;
	if ((e = pitched(&p, &a->pitch, width * a->element, rows))) {
		free(a);
		return status(e);
	}
	a->data = p, a->width = (uint32_t)width, a->height = (uint32_t)height, a->depth = (uint32_t)depth, a->format = format, a->count = count, a->of_driver_api = (uint8_t)of_driver_api;
	a->desc = (struct channels){ formats[i].bits, count > 1 ? formats[i].bits : 0, count > 2 ? formats[i].bits : 0, count > 2 ? formats[i].bits : 0, formats[i].kind };
	pthread_mutex_lock(&array_lock);
	a->next = arrays, arrays = a;
	pthread_mutex_unlock(&array_lock);
	*out = a;
	return hipSuccess;
}

#define COPIES_ONLY(flags) do { \
	if (flags) \
		UNSUPPORTED("arrays are for copies only, and textures and surfaces are missing; pass no flags"); } while (0)

/* malloc_array makes an array of the runtime API. */
static int malloc_array(struct array **out, const struct channels *d, struct extent n)
{
	uint32_t count;
	size_t i = 0;
	if (!d)
		return hipErrorInvalidValue;
	count = d->w ? 4 : d->z ? 3 : d->y ? 2 : 1;
	if ((d->y && d->y != d->x) || (d->z && d->z != d->x) || (d->w && (d->w != d->x || !d->z || !d->y)))
		return hipErrorInvalidValue;
	while (i < sizeof formats / sizeof *formats && (formats[i].bits != d->x || formats[i].kind != d->kind))
		i++;
	return i == sizeof formats / sizeof *formats ? hipErrorInvalidValue : make_array(out, n.width, n.height, n.depth, formats[i].format, count, 0);
}

HIP(hipMallocArray)(struct array **out, const struct channels *d, size_t width, size_t height, uint32_t flags)
{
	ENTER();
	COPIES_ONLY(flags);
	return done(malloc_array(out, d, (struct extent){ width, height, 0 }));
}

HIP(hipMalloc3DArray)(struct array **out, const struct channels *d, struct extent n, uint32_t flags)
{
	ENTER();
	COPIES_ONLY(flags);
	return done(malloc_array(out, d, n));
}

HIP(hipArrayCreate)(struct array **out, const struct array_desc *d) { ENTER(); REQUIRE(d); return done(make_array(out, d->width, d->height, 0, d->format, d->count, 1)); }

HIP(hipArray3DCreate)(struct array **out, const struct array3d_desc *d)
{
	ENTER();
	REQUIRE(d);
	COPIES_ONLY(d->flags);
	return done(make_array(out, d->width, d->height, d->depth, d->format, d->count, 1));
}

static int free_array(struct array *a)
{
	struct array **at;
	int e;
	pthread_mutex_lock(&array_lock);
	for (at = &arrays; *at && *at != a; at = &(*at)->next)
		;
	if (!*at) {
		pthread_mutex_unlock(&array_lock);
		return a ? hipErrorInvalidHandle : hipErrorInvalidValue;
	}
	*at = a->next;
	pthread_mutex_unlock(&array_lock);
	e = status(CU(cuMemFree_v2)((uint64_t)a->data));
	free(a);
	return e;
}

HIP(hipFreeArray)(struct array *a) { ENTER(); return done(free_array(a)); }
HIP(hipArrayDestroy)(struct array *a) { ENTER(); return done(free_array(a)); }

/* ARRAY_OR_RETURN declares the array of a handle. */
#define ARRAY_OR_RETURN(name, handle) \
	const struct array *name = array_of(handle); \
	if (!name) \
		return done((handle) ? hipErrorInvalidHandle : hipErrorInvalidValue)

HIP(hipArrayGetDescriptor)(struct array_desc *out, void *handle)
{
	ENTER();
	REQUIRE(out);
	ARRAY_OR_RETURN(a, handle);
	*out = (struct array_desc){ a->width, a->height, a->format, a->count };
	return done(hipSuccess);
}

HIP(hipArray3DGetDescriptor)(struct array3d_desc *out, void *handle)
{
	ENTER();
	REQUIRE(out);
	ARRAY_OR_RETURN(a, handle);
	*out = (struct array3d_desc){ a->width, a->height, a->depth, a->format, a->count, 0 };
	return done(hipSuccess);
}

HIP(hipArrayGetInfo)(struct channels *desc, struct extent *n, uint32_t *flags, void *handle)
{
	ENTER();
	ARRAY_OR_RETURN(a, handle);
	if (desc)
		*desc = a->desc;
	if (n)
		*n = (struct extent){ a->width, a->height, a->depth };
	if (flags)
		*flags = 0;
	return done(hipSuccess);
}

HIP(hipGetChannelDesc)(struct channels *desc, void *handle)
{
	ENTER();
	REQUIRE(desc);
	ARRAY_OR_RETURN(a, handle);
	*desc = a->desc;
	return done(hipSuccess);
}

/* ---- copies; x counts bytes, y rows ---- */

static size_t row_bytes(const struct array *a) { return a->width * a->element; }
static size_t rows_of(const struct array *a) { return a->height ? a->height : 1; }
static char *in_array(const struct array *a, size_t x, size_t y) { return (char *)a->data + y * a->pitch + x; }

static size_t element_of(const void *handle)
{
	const struct array *a = array_of(handle);
	return a ? a->element : 1; /* in_box refuses the handle */
}

/* outside reports that n things from the first one on are not among count. */
static int outside(uint64_t first, uint64_t n, uint64_t count) { return first > count || n > count - first; }

static int in_box(const void *handle, const struct box *b, uint64_t *device, uint64_t *pitch, uint64_t *height)
{
	const struct array *a = array_of(handle);
	if (!a)
		return handle ? hipErrorInvalidHandle : hipErrorInvalidValue;
	if (outside(b->x, b->width, row_bytes(a)) || outside(b->y, b->height, rows_of(a)) || outside(b->z, b->depth, a->depth ? a->depth : 1))
		return hipErrorInvalidValue;
	*device = (uint64_t)a->data, *pitch = a->pitch, *height = rows_of(a);
	return hipSuccess;
}

/* array_2d copies a rectangle to or from an array. */
static int array_2d(const struct array *a, int to_array, size_t x, size_t y, void *other, size_t pitch, size_t width, size_t height, int kind, int wait, void *stream)
{
	if (width == 0 || height == 0)
		return hipSuccess;
	if (x > row_bytes(a) || width > row_bytes(a) - x || y > rows_of(a) || height > rows_of(a) - y)
		return hipErrorInvalidValue;
	if (to_array ? kind == DEVICE_TO_HOST || kind == HOST_TO_HOST : kind == HOST_TO_DEVICE || kind == HOST_TO_HOST)
		return hipErrorInvalidMemcpyDirection;
	return to_array ? copy_2d(in_array(a, x, y), a->pitch, other, pitch, width, height, kind, wait, stream)
	                : copy_2d(other, pitch, in_array(a, x, y), a->pitch, width, height, kind, wait, stream);
}

/* array_line copies bytes that follow one another, from row to row. */
static int array_line(const struct array *a, int to_array, size_t x, size_t y, char *other, size_t n, int kind, int wait, void *stream)
{
	size_t row = row_bytes(a);
	if (x >= row || y >= rows_of(a) || n > (rows_of(a) - y) * row - x)
		return n ? hipErrorInvalidValue : hipSuccess;
	while (n > 0) {
		size_t height = x || n < row ? 1 : n / row, width = x || n < row ? (n < row - x ? n : row - x) : row;
		int e = array_2d(a, to_array, x, y, other, width, width, height, kind, wait, stream);
		if (e)
			return e;
		other += width * height, n -= width * height, y += height, x = 0;
	}
	return hipSuccess;
}

#define TO_ARRAY(call) do { ENTER(); ARRAY_OR_RETURN(a, to); return done(call); } while (0)
#define FROM_ARRAY(call) do { ENTER(); ARRAY_OR_RETURN(a, from); return done(call); } while (0)

HIP(hipMemcpy2DToArray)(void *to, size_t x, size_t y, void *from, size_t pitch, size_t width, size_t height, int kind) { TO_ARRAY(array_2d(a, 1, x, y, from, pitch, width, height, kind, 1, NULL)); }
HIP(hipMemcpy2DToArray_spt)(void *to, size_t x, size_t y, void *from, size_t pitch, size_t width, size_t height, int kind) { TO_ARRAY(array_2d(a, 1, x, y, from, pitch, width, height, kind, 1, (void *)2)); }
HIP(hipMemcpy2DToArrayAsync)(void *to, size_t x, size_t y, void *from, size_t pitch, size_t width, size_t height, int kind, void *stream) { TO_ARRAY(array_2d(a, 1, x, y, from, pitch, width, height, kind, 0, stream)); }
HIP(hipMemcpy2DToArrayAsync_spt)(void *to, size_t x, size_t y, void *from, size_t pitch, size_t width, size_t height, int kind, void *stream) { TO_ARRAY(array_2d(a, 1, x, y, from, pitch, width, height, kind, 0, PER_THREAD(stream))); }
HIP(hipMemcpy2DFromArray)(void *to, size_t pitch, void *from, size_t x, size_t y, size_t width, size_t height, int kind) { FROM_ARRAY(array_2d(a, 0, x, y, to, pitch, width, height, kind, 1, NULL)); }
HIP(hipMemcpy2DFromArray_spt)(void *to, size_t pitch, void *from, size_t x, size_t y, size_t width, size_t height, int kind) { FROM_ARRAY(array_2d(a, 0, x, y, to, pitch, width, height, kind, 1, (void *)2)); }
HIP(hipMemcpy2DFromArrayAsync)(void *to, size_t pitch, void *from, size_t x, size_t y, size_t width, size_t height, int kind, void *stream) { FROM_ARRAY(array_2d(a, 0, x, y, to, pitch, width, height, kind, 0, stream)); }
HIP(hipMemcpy2DFromArrayAsync_spt)(void *to, size_t pitch, void *from, size_t x, size_t y, size_t width, size_t height, int kind, void *stream) { FROM_ARRAY(array_2d(a, 0, x, y, to, pitch, width, height, kind, 0, PER_THREAD(stream))); }
HIP(hipMemcpyToArray)(void *to, size_t x, size_t y, void *from, size_t n, int kind) { TO_ARRAY(array_line(a, 1, x, y, from, n, kind, 1, NULL)); }
HIP(hipMemcpyFromArray)(void *to, void *from, size_t x, size_t y, size_t n, int kind) { FROM_ARRAY(array_line(a, 0, x, y, to, n, kind, 1, NULL)); }
HIP(hipMemcpyFromArray_spt)(void *to, void *from, size_t x, size_t y, size_t n, int kind) { FROM_ARRAY(array_line(a, 0, x, y, to, n, kind, 1, (void *)2)); }
HIP(hipMemcpyHtoA)(void *to, size_t x, void *from, size_t n) { TO_ARRAY(array_line(a, 1, x, 0, from, n, HOST_TO_DEVICE, 1, NULL)); }
HIP(hipMemcpyHtoAAsync)(void *to, size_t x, void *from, size_t n, void *stream) { TO_ARRAY(array_line(a, 1, x, 0, from, n, HOST_TO_DEVICE, 0, stream)); }
HIP(hipMemcpyDtoA)(void *to, size_t x, void *from, size_t n) { TO_ARRAY(array_line(a, 1, x, 0, from, n, DEVICE_TO_DEVICE, 1, NULL)); }
HIP(hipMemcpyAtoH)(void *to, void *from, size_t x, size_t n) { FROM_ARRAY(array_line(a, 0, x, 0, to, n, DEVICE_TO_HOST, 1, NULL)); }
HIP(hipMemcpyAtoHAsync)(void *to, void *from, size_t x, size_t n, void *stream) { FROM_ARRAY(array_line(a, 0, x, 0, to, n, DEVICE_TO_HOST, 0, stream)); }
HIP(hipMemcpyAtoD)(void *to, void *from, size_t x, size_t n) { FROM_ARRAY(array_line(a, 0, x, 0, to, n, DEVICE_TO_DEVICE, 1, NULL)); }

HIP(hipMemcpy2DArrayToArray)(void *to, size_t x, size_t y, void *from, size_t from_x, size_t from_y, size_t width, size_t height, int kind)
{
	ENTER();
	ARRAY_OR_RETURN(a, to);
	ARRAY_OR_RETURN(b, from);
	REQUIRE(from_x <= row_bytes(b) && width <= row_bytes(b) - from_x && from_y <= rows_of(b) && height <= rows_of(b) - from_y);
	if (kind != DEVICE_TO_DEVICE && kind != BY_ADDRESS)
		return done(hipErrorInvalidMemcpyDirection);
	return done(array_2d(a, 1, x, y, in_array(b, from_x, from_y), b->pitch, width, height, DEVICE_TO_DEVICE, 1, NULL));
}

HIP(hipMemcpyAtoA)(void *to, size_t x, void *from, size_t from_x, size_t n)
{
	ENTER();
	ARRAY_OR_RETURN(a, to);
	ARRAY_OR_RETURN(b, from);
	REQUIRE(!outside(x, n, row_bytes(a)) && !outside(from_x, n, row_bytes(b))); /* arrays of one dimension */
	return done(array_2d(a, 1, x, 0, in_array(b, from_x, 0), n, n, 1, DEVICE_TO_DEVICE, 1, NULL));
}
