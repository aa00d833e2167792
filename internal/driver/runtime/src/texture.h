/* Arrays, textures and surfaces. Widths and first coordinates of arrays count elements here, and bytes in the driver's functions. */

struct driver_array { uint64_t width, height, depth; uint32_t format, channels, flags; }; /* CUDA_ARRAY3D_DESCRIPTOR */

struct texels { /* cudaResourceDesc */
	uint32_t type, pad;
	union {
		void *array;
		struct { void *p; struct channel format; size_t bytes; } linear;
		struct { void *p; struct channel format; size_t width, height, pitch; } pitch;
		int32_t reserved[32];
	} u;
	uint32_t flags, pad2;
};

struct driver_texels { /* CUDA_RESOURCE_DESC */
	uint32_t type, pad;
	union {
		void *array;
		struct { uint64_t at; uint32_t format, channels; uint64_t bytes; } linear;
		struct { uint64_t at; uint32_t format, channels; uint64_t width, height, pitch; } pitch;
		int32_t reserved[32];
	} u;
	uint32_t flags, pad2;
};

struct sampling { /* cudaTextureDesc */
	uint32_t address[3], filter, read;
	int32_t srgb;
	float border[4];
	int32_t normalized;
	uint32_t anisotropy, mip_filter;
	float bias, min, max;
	int32_t exact_trilinear, seamless;
};

struct driver_sampling { /* CUDA_TEXTURE_DESC */
	uint32_t address[3], filter, flags, anisotropy, mip_filter;
	float bias, min, max, border[4];
	int32_t reserved[12];
};

/* format_of returns the driver's format of a channel, and the number of channels; 0: there is none. */
static uint32_t format_of(const struct channel *c, uint32_t *channels)
{
	int32_t bits[4] = { c->x, c->y, c->z, c->w };
	uint32_t n = 0;
	while (n < 4 && bits[n] == c->x && c->x > 0)
		n++;
	for (uint32_t i = n; i < 4; i++)
		if (bits[i])
			return 0;
	*channels = n;
	switch (c->kind << 8 | (uint32_t)c->x) {
	case 0x008: return 8;
	case 0x010: return 9;
	case 0x020: return 10;
	case 0x108: return 1;
	case 0x110: return 2;
	case 0x120: return 3;
	case 0x210: return 0x10;
	case 0x220: return 0x20;
	}
	return 0;
}

static struct channel channel_of(const struct driver_array *d)
{
	int32_t bits = d->format == 1 || d->format == 8 ? 8 : d->format == 2 || d->format == 9 || d->format == 0x10 ? 16 : 32;
	return (struct channel){ bits, d->channels > 1 ? bits : 0, d->channels > 2 ? bits : 0, d->channels > 3 ? bits : 0, d->format >= 0x10 ? 2 : d->format < 8 };
}

static int describe_array(struct driver_array *d, const struct channel *c, struct extent e, uint32_t flags)
{
	*d = (struct driver_array){ e.width, e.height, e.depth, 0, 0, flags };
	return (d->format = format_of(c, &d->channels)) ? SUCCESS : refused(20, "no array has this format of channels"); /* cudaErrorInvalidChannelDescriptor */
}

API int cudaMallocArray(void **out, const struct channel *c, size_t width, size_t height, uint32_t flags)
{
	struct driver_array d;
	int e;
	WANT(out && c);
	ENTER();
	return (e = describe_array(&d, c, (struct extent){ width, height, 0 }, flags)) ? e : fail(cuArray3DCreate_v2(out, &d));
}

API int cudaMalloc3DArray(void **out, const struct channel *c, struct extent size, uint32_t flags)
{
	struct driver_array d;
	int e;
	WANT(out && c);
	ENTER();
	return (e = describe_array(&d, c, size, flags)) ? e : fail(cuArray3DCreate_v2(out, &d));
}

API int cudaMallocMipmappedArray(void **out, const struct channel *c, struct extent size, uint32_t levels, uint32_t flags)
{
	struct driver_array d;
	int e;
	WANT(out && c);
	ENTER();
	return (e = describe_array(&d, c, size, flags)) ? e : fail(cuMipmappedArrayCreate(out, &d, levels));
}

API int cudaFreeArray(void *a) { ENTER(); return a ? fail(cuArrayDestroy(a)) : SUCCESS; }
API int cudaFreeMipmappedArray(void *a) { ENTER(); return a ? fail(cuMipmappedArrayDestroy(a)) : SUCCESS; }
API int cudaGetMipmappedArrayLevel(void **out, const void *a, uint32_t level) { WANT(out); CALL(cuMipmappedArrayGetLevel(out, (void *)a, level)); }

API int cudaArrayGetInfo(struct channel *c, struct extent *size, uint32_t *flags, void *a)
{
	struct driver_array d;
	int e;
	ENTER();
	if ((e = cuArray3DGetDescriptor_v2(&d, a)))
		return fail(e);
	if (c)
		*c = channel_of(&d);
	if (size)
		*size = (struct extent){ d.width, d.height, d.depth };
	if (flags)
		*flags = d.flags;
	return SUCCESS;
}
API int cudaGetChannelDesc(struct channel *c, const void *a) { WANT(c); return cudaArrayGetInfo(c, NULL, NULL, (void *)a); }

/* array_element returns the bytes of an element of an array. */
static int array_element(const void *a, size_t *bytes)
{
	struct driver_array d;
	int e = cuArray3DGetDescriptor_v2(&d, (void *)a);
	if (!e)
		*bytes = d.channels * (size_t)channel_of(&d).x / 8;
	return e;
}

/* ---- copies. Offsets and widths are in bytes. ---- */

static int copy_array(void *to_array, void *to, const void *from_array, const void *from, size_t x, size_t y, size_t pitch, size_t width, size_t height, uint32_t kind, int wait, void *s)
{
	struct driver_copy2d c = { .width = width, .height = height };
	ENTER();
	if (kind > BY_ADDRESS)
		return no_direction(kind);
	if (width > pitch)
		return refused(INVALID_PITCH, "a line has %zu bytes, and the pitch is %zu: the line does not fit", width, pitch);
	if (to_array) {
		c.dst_type = 3, c.dst_array = to_array, c.dst_x = x, c.dst_y = y;
		c.src_type = source_type(kind), c.src_host = from, c.src_device = (uint64_t)from, c.src_pitch = pitch;
	} else {
		c.src_type = 3, c.src_array = (void *)from_array, c.src_x = x, c.src_y = y;
		c.dst_type = target_type(kind), c.dst_host = to, c.dst_device = (uint64_t)to, c.dst_pitch = pitch;
	}
	if (width == 0 || height == 0)
		return SUCCESS;
	return fail(!wait ? cuMemcpy2DAsync_v2(&c, s) : cuMemcpy2D_v2(&c));
}

API int cudaMemcpy2DToArray(void *to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, uint32_t kind) { WANT(to); return copy_array(to, NULL, NULL, from, x, y, pitch, width, height, kind, 1, NULL); }
API int cudaMemcpy2DToArrayAsync(void *to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, uint32_t kind, void *s) { WANT(to); return copy_array(to, NULL, NULL, from, x, y, pitch, width, height, kind, 0, s); }
API int cudaMemcpy2DFromArray(void *to, size_t pitch, const void *from, size_t x, size_t y, size_t width, size_t height, uint32_t kind) { WANT(from); return copy_array(NULL, to, from, NULL, x, y, pitch, width, height, kind, 1, NULL); }
API int cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, const void *from, size_t x, size_t y, size_t width, size_t height, uint32_t kind, void *s) { WANT(from); return copy_array(NULL, to, from, NULL, x, y, pitch, width, height, kind, 0, s); }

/* ---- objects ---- */

static int driver_texels(struct driver_texels *out, const struct texels *r)
{
	const struct channel *c = r->type == 2 ? &r->u.linear.format : &r->u.pitch.format;
	memset(out, 0, sizeof *out);
	out->type = r->type;
	switch (r->type) {
	case 0:
	case 1:
		out->u.array = r->u.array;
		return SUCCESS;
	case 2:
		out->u.linear.at = (uint64_t)r->u.linear.p, out->u.linear.bytes = r->u.linear.bytes;
		return (out->u.linear.format = format_of(c, &out->u.linear.channels)) ? SUCCESS : refused(20, "no texture has this format of channels");
	case 3:
		out->u.pitch.at = (uint64_t)r->u.pitch.p, out->u.pitch.width = r->u.pitch.width, out->u.pitch.height = r->u.pitch.height, out->u.pitch.pitch = r->u.pitch.pitch;
		return (out->u.pitch.format = format_of(c, &out->u.pitch.channels)) ? SUCCESS : refused(20, "no texture has this format of channels");
	}
	return refused(INVALID_VALUE, "the type of the resource is outside 0 to 3");
}

API int cudaCreateTextureObject(uint64_t *out, const struct texels *r, const struct sampling *s, const void *view)
{
	struct driver_texels texels;
	struct driver_sampling to = { 0 };
	int e;
	WANT(out && r && s);
	ENTER();
	if ((e = driver_texels(&texels, r)))
		return e;
	memcpy(to.address, s->address, sizeof to.address), memcpy(to.border, s->border, sizeof to.border);
	to.filter = s->filter, to.mip_filter = s->mip_filter, to.anisotropy = s->anisotropy, to.bias = s->bias, to.min = s->min, to.max = s->max;
	to.flags = (s->read == 0) | (uint32_t)(s->normalized != 0) << 1 | (uint32_t)(s->srgb != 0) << 4;
	return fail(cuTexObjectCreate(out, &texels, &to, (void *)view));
}
API int cudaDestroyTextureObject(uint64_t t) { CALL(cuTexObjectDestroy(t)); }

API int cudaCreateSurfaceObject(uint64_t *out, const struct texels *r)
{
	struct driver_texels texels;
	int e;
	WANT(out && r);
	ENTER();
	return (e = driver_texels(&texels, r)) ? e : fail(cuSurfObjectCreate(out, &texels));
}
API int cudaDestroySurfaceObject(uint64_t s) { CALL(cuSurfObjectDestroy(s)); }
