/* Arrays, textures and surfaces. An array is memory of the device, line after line; its handle is a structure of this library. A
   texture or surface object is the address of a descriptor in memory of the device, which the server checks. */

enum { DESCRIPTOR_BYTES = 128, DESCRIPTOR_MAGIC = 0x58545243, TEXTURE_KIND = 1, SURFACE_KIND = 3 };
enum { ARRAY_LAYERED = 1, ARRAY_CUBE = 4, ARRAY_FLAGS = 0x3f };
enum { RESOURCE_ARRAY, RESOURCE_MIPMAP, RESOURCE_LINEAR, RESOURCE_PITCH };

struct array2d_descriptor { uint64_t width, height; uint32_t format, channels; };             /* CUDA_ARRAY_DESCRIPTOR */
struct array_descriptor { uint64_t width, height, depth; uint32_t format, channels, flags; }; /* CUDA_ARRAY3D_DESCRIPTOR */

struct array {
	struct array_descriptor d;
	uint64_t at, pitch, slice;
	uint32_t levels; /* of a mipmap; 0: none */
	struct array *of; /* the mipmap that it is a level of */
	struct array *level[32];
};

struct texels { /* CUDA_RESOURCE_DESC */
	uint32_t type, pad;
	union {
		struct array *array;
		struct { uint64_t at; uint32_t format, channels; uint64_t bytes; } linear;
		struct { uint64_t at; uint32_t format, channels; uint64_t width, height, pitch; } pitch;
		int32_t reserved[32];
	} u;
	uint32_t flags, pad2;
};

struct sampling { /* CUDA_TEXTURE_DESC */
	uint32_t address[3], filter, flags, anisotropy, mip_filter;
	float bias, min, max, border[4];
	int32_t reserved[12];
};

/* A texture or surface object of the host. */
struct texture_object { uint64_t at; struct texels r; struct sampling s; int surface; struct texture_object *next; };
static struct texture_object *texture_objects;

/* The formats of channels: as a descriptor numbers them, and their bytes. */
static int channel_format(uint32_t format, uint32_t *bytes)
{
	static const struct { uint8_t format, number, bytes; } list[] = { { 1, 1, 1 }, { 2, 3, 2 }, { 3, 5, 4 }, { 8, 2, 1 }, { 9, 4, 2 }, { 10, 6, 4 }, { 0x10, 7, 2 }, { 0x20, 8, 4 } };
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (list[i].format == format)
			return *bytes = list[i].bytes, list[i].number;
	return 0;
}

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }
static int is_array(const struct array *a) { int ok; pthread_mutex_lock(&lock); ok = is_handle(a, ARRAY_HANDLE); pthread_mutex_unlock(&lock); return ok; }

static uint64_t texel_bytes(const struct array_descriptor *d)
{
	uint32_t bytes = 0;
	return channel_format(d->format, &bytes) ? bytes * d->channels : 0;
}

/* sized sets the pitch and slice of an array, and returns its bytes. */
static uint64_t sized(struct array *a)
{
	a->pitch = a->d.width * texel_bytes(&a->d);
	a->slice = a->pitch * most(a->d.height, 1);
	return a->slice * most(a->d.depth, 1);
}

/* array_refused says why a descriptor describes no array; NULL: it does. */
static const char *array_refused(const struct array_descriptor *d)
{
	int layered = (d->flags & ARRAY_LAYERED) != 0, cube = (d->flags & ARRAY_CUBE) != 0;
	if (!texel_bytes(d) || (d->channels != 1 && d->channels != 2 && d->channels != 4))
		return "the format is not one of integers of 8, 16 or 32 bits, half or float, in 1, 2 or 4 channels";
	if (d->flags & ~(uint32_t)ARRAY_FLAGS)
		return "sparse and deferred arrays are not supported";
	if (d->width == 0 || most(most(d->width, d->height), d->depth) > 1 << 20)
		return "an extent is 0 or greater than 1048576";
	if (d->depth > 0 && d->height == 0 && !layered)
		return "there is a depth and no height";
	if (cube && (d->width != d->height || d->depth % 6 || d->depth == 0 || (!layered && d->depth != 6)))
		return "a cube map has six square layers for each cube";
	if (layered && d->depth == 0)
		return "an array of layers has no layers";
	return NULL;
}

static int new_array(struct array **out, const struct array_descriptor *d, uint32_t levels)
{
	struct array *a, *l;
	uint64_t n = 0, shift;
	uint32_t i, j;
	const char *why;
	int e, layered;
	if (!out || !d)
		return refuse(INVALID_VALUE, "a pointer is NULL");
	if ((why = array_refused(d)))
		return refuse(INVALID_VALUE, why);
	layered = (d->flags & (ARRAY_LAYERED | ARRAY_CUBE)) != 0;
	if (levels > 31 || (levels && most(most(d->width, d->height), layered ? 1 : d->depth) >> (levels - 1) == 0))
		return refuse(INVALID_VALUE, "there are more levels than halvings of the extents");
	if (!(a = calloc(1 + levels, sizeof *a)))
		return OUT_OF_MEMORY;
	a->d = *d, a->levels = levels;
	for (i = 0; i < levels; i++) {
		l = a->level[i] = a + 1 + i;
		l->d = *d, l->of = a, l->at = n, shift = i;
		l->d.width = most(d->width >> shift, 1);
		l->d.height = d->height ? most(d->height >> shift, 1) : 0;
		l->d.depth = d->depth && !layered ? most(d->depth >> shift, 1) : d->depth;
		n = (n + sized(l) + 15) & ~15ull;
	}
	if (!levels)
		n = sized(a);
	if ((e = allocate(&a->at, n, DEVICE_MEMORY, 0, NULL))) {
		free(a);
		return e;
	}
	pthread_mutex_lock(&lock);
	for (i = 0; i <= levels && !e; i++) {
		if (i)
			a[i].at += a->at;
		e = add_handle(a + i, ARRAY_HANDLE);
	}
	for (j = 0; e && j < i; j++)
		remove_handle(a + j);
	pthread_mutex_unlock(&lock);
	if (e) {
		release_by(a->at, 0);
		free(a);
		return e;
	}
	*out = a;
	return SUCCESS;
}

static int destroy_array(struct array *a, int mipmap)
{
	uint32_t i;
	int e;
	if (!is_array(a) || a->of || (a->levels != 0) != mipmap)
		return refuse(INVALID_HANDLE, mipmap ? "the handle is not one of a mipmap" : "the handle is not one of an array, or of a level of a mipmap");
	if ((e = release_by(a->at, 0)))
		return e;
	pthread_mutex_lock(&lock);
	for (i = 0; i <= a->levels; i++)
		remove_handle(a + i);
	pthread_mutex_unlock(&lock);
	free(a);
	return SUCCESS;
}

int EXPORT(cuArray3DCreate_v2)(void *out, void *d) { WITH_CONTEXT(); note_callers(); return new_array(out, d, 0); }
int EXPORT(cuArrayCreate_v2)(void *out, void *in)
{
	const struct array2d_descriptor *two = in;
	struct array_descriptor d = { 0 };
	WITH_CONTEXT();
	note_callers();
	if (!two)
		return refuse(INVALID_VALUE, "the descriptor is NULL");
	d.width = two->width, d.height = two->height, d.format = two->format, d.channels = two->channels;
	return new_array(out, &d, 0);
}
int EXPORT(cuArrayDestroy)(void *a) { WITH_CONTEXT(); note_callers(); return destroy_array(a, 0); }
int EXPORT(cuMipmappedArrayCreate)(void *out, void *d, uint32_t levels) { WITH_CONTEXT(); note_callers(); return new_array(out, d, levels ? levels : 1); }
int EXPORT(cuMipmappedArrayDestroy)(void *a) { WITH_CONTEXT(); note_callers(); return destroy_array(a, 1); }
int EXPORT(cuMipmappedArrayGetLevel)(void *out, void *m, uint32_t level)
{
	struct array *a = m;
	WITH_CONTEXT();
	if (!out || !is_array(a) || !a->levels || level >= a->levels)
		return refuse(INVALID_VALUE, "the mipmap has no such level");
	*(struct array **)out = a->level[level];
	return SUCCESS;
}
int EXPORT(cuArray3DGetDescriptor_v2)(void *out, void *array)
{
	struct array *a = array;
	WITH_CONTEXT();
	if (!out || !is_array(a))
		return refuse(INVALID_HANDLE, "the handle is not one of an array");
	*(struct array_descriptor *)out = a->d;
	return SUCCESS;
}
int EXPORT(cuArrayGetDescriptor_v2)(void *out, void *array)
{
	struct array *a = array;
	WITH_CONTEXT();
	if (!out || !is_array(a))
		return refuse(INVALID_HANDLE, "the handle is not one of an array");
	*(struct array2d_descriptor *)out = (struct array2d_descriptor){ a->d.width, a->d.height, a->d.format, a->d.channels };
	return SUCCESS;
}

/* ---- objects ---- */

/* describe writes the descriptor of a texture or surface. The layout is that of package texture. It says why the resource cannot be one; NULL:
   it can, as far as this library knows. */
static const char *describe(unsigned char *b, const struct texels *r, const struct sampling *s)
{
	static const uint8_t modes[] = { 0, 3, 1, 4 }; /* wrap, clamp, mirror, border */
	uint32_t bytes, format, channels, size[4] = { 1, 1, 1, 0 }, dims = 1, bits = 0;
	uint64_t at, pitch, slice, levels = 0;
	const struct array *a;
	int number, i;
	switch (r->type) {
	case RESOURCE_ARRAY:
	case RESOURCE_MIPMAP:
		a = r->u.array;
		if (!is_array(a) || (a->levels != 0) != (r->type == RESOURCE_MIPMAP))
			return "the resource is not an array or mipmap of this kind";
		at = a->at, pitch = a->pitch, slice = a->slice, levels = a->levels, format = a->d.format, channels = a->d.channels;
		size[0] = (uint32_t)a->d.width;
		if (a->d.height)
			size[1] = (uint32_t)a->d.height, dims = 2;
		if (a->d.flags & (ARRAY_LAYERED | ARRAY_CUBE))
			size[3] = (uint32_t)a->d.depth;
		else if (a->d.depth)
			size[2] = (uint32_t)a->d.depth, dims = 3;
		bits |= (a->d.flags & ARRAY_CUBE) != 0;
		break;
	case RESOURCE_LINEAR:
		at = r->u.linear.at, format = r->u.linear.format, channels = r->u.linear.channels;
		if (!channel_format(format, &bytes) || !channels || !r->u.linear.bytes)
			return "the format of the linear memory is not supported, or it has no bytes";
		pitch = slice = r->u.linear.bytes, size[0] = (uint32_t)(pitch / (bytes * channels)), bits |= 1 << 6;
		break;
	case RESOURCE_PITCH:
		at = r->u.pitch.at, format = r->u.pitch.format, channels = r->u.pitch.channels, dims = 2;
		size[0] = (uint32_t)r->u.pitch.width, size[1] = (uint32_t)r->u.pitch.height, pitch = r->u.pitch.pitch, slice = pitch * size[1];
		break;
	default:
		return "the type of the resource is outside 0 to 3";
	}
	if (!(number = channel_format(format, &bytes)) || !at)
		return "the format is not one of integers of 8, 16 or 32 bits, half or float, or the address is NULL";
	memset(b, 0, DESCRIPTOR_BYTES);
	if (s) {
		for (i = 0; i < 3; i++)
			if (s->address[i] > 3 || s->filter > 1 || s->mip_filter > 1)
				return "a mode of addressing is outside 0 to 3, or a filter is neither 0 nor 1";
			else
				b[50 + i] = modes[s->address[i]];
		bits |= s->filter << 1 | s->mip_filter << 2 | (s->flags & 2) << 2 | (~s->flags & 1) << 4 | (s->flags & 0x10) << 1;
		memcpy(b + 56, &s->bias, 12), memcpy(b + 68, s->border, 16);
	}
	i = DESCRIPTOR_MAGIC;
	memcpy(b, &i, 4);
	b[4] = s ? TEXTURE_KIND : SURFACE_KIND, b[5] = (unsigned char)number, b[6] = (unsigned char)channels, b[7] = (unsigned char)dims;
	memcpy(b + 8, &at, 8), memcpy(b + 16, size, 16), memcpy(b + 32, &pitch, 8), memcpy(b + 40, &slice, 8);
	b[48] = (unsigned char)levels, b[49] = (unsigned char)bits;
	return NULL;
}

/* check_descriptor asks the server whether a descriptor can be used. */
static int check_descriptor(const unsigned char *b)
{
	char reason[256];
	uint32_t n;
	const char *text;
	int e;
	BEGIN(TEXTURE);
	put_bytes(b, DESCRIPTOR_BYTES);
	reason[0] = 0;
	if (!(e = transact())) {
		text = get_bytes(&n);
		snprintf(reason, sizeof reason, "%.*s", (int)n, text);
	}
	pthread_mutex_unlock(&lock);
	return e ? e : reason[0] ? refuse(INVALID_VALUE, reason) : SUCCESS;
}

static int new_object(uint64_t *out, const struct texels *r, const struct sampling *s, const void *view)
{
	unsigned char b[DESCRIPTOR_BYTES];
	struct texture_object *o;
	const char *why;
	int e;
	if (!out || !r)
		return refuse(INVALID_VALUE, "a pointer is NULL");
	if (view && *(const uint32_t *)view != 0)
		return refuse(NOT_SUPPORTED, "views of resources are not supported");
	if ((why = describe(b, r, s)))
		return refuse(INVALID_VALUE, why);
	if ((e = check_descriptor(b)))
		return e;
	if (!(o = calloc(1, sizeof *o)))
		return OUT_OF_MEMORY;
	o->r = *r, o->surface = !s;
	if (s)
		o->s = *s;
	if ((e = allocate(&o->at, DESCRIPTOR_BYTES, DEVICE_MEMORY, 0, NULL)) || (e = to_device(o->at, b, DESCRIPTOR_BYTES, NULL)) || (e = wait_stream(NULL))) {
		free(o);
		return e;
	}
	pthread_mutex_lock(&lock);
	o->next = texture_objects, texture_objects = o;
	pthread_mutex_unlock(&lock);
	*out = o->at;
	return SUCCESS;
}

/* object_of finds an object; take also removes it from the list. */
static struct texture_object *object_of(uint64_t at, int surface, int take)
{
	struct texture_object **p, *o = NULL;
	pthread_mutex_lock(&lock);
	for (p = &texture_objects; *p && ((*p)->at != at || (*p)->surface != surface); p = &(*p)->next)
		;
	if ((o = *p) && take)
		*p = o->next;
	pthread_mutex_unlock(&lock);
	return o;
}

static int end_object(uint64_t at, int surface)
{
	struct texture_object *o = object_of(at, surface, 1);
	if (!o)
		return refuse(INVALID_VALUE, "no such object exists");
	free(o);
	return release_by(at, 0);
}

static int object_resource(struct texels *out, uint64_t at, int surface)
{
	struct texture_object *o = object_of(at, surface, 0);
	if (!out || !o)
		return refuse(INVALID_VALUE, "no such object exists, or a pointer is NULL");
	*out = o->r;
	return SUCCESS;
}

int EXPORT(cuTexObjectCreate)(void *out, void *r, void *s, void *view)
{
	WITH_CONTEXT();
	note_callers();
	return s ? new_object(out, r, s, view) : refuse(INVALID_VALUE, "the description of the texture is NULL");
}
int EXPORT(cuTexObjectDestroy)(uint64_t at) { WITH_CONTEXT(); note_callers(); return end_object(at, 0); }
int EXPORT(cuTexObjectGetResourceDesc)(void *out, uint64_t at) { WITH_CONTEXT(); return object_resource(out, at, 0); }
int EXPORT(cuTexObjectGetTextureDesc)(void *out, uint64_t at)
{
	struct texture_object *o;
	WITH_CONTEXT();
	if (!(o = object_of(at, 0, 0)) || !out)
		return refuse(INVALID_VALUE, "no such object exists, or a pointer is NULL");
	*(struct sampling *)out = o->s;
	return SUCCESS;
}
int EXPORT(cuSurfObjectCreate)(void *out, void *r)
{
	WITH_CONTEXT();
	note_callers();
	return r && ((const struct texels *)r)->type != RESOURCE_ARRAY ? refuse(INVALID_VALUE, "the resource of a surface is an array") : new_object(out, r, NULL, NULL);
}
int EXPORT(cuSurfObjectDestroy)(uint64_t at) { WITH_CONTEXT(); note_callers(); return end_object(at, 1); }
int EXPORT(cuSurfObjectGetResourceDesc)(void *out, uint64_t at) { WITH_CONTEXT(); return object_resource(out, at, 1); }

/* ---- copies ---- */

/* array_side returns where an array is, and the bytes from line to line and from slice to slice. */
static int array_side(void *array, uint64_t *at, uint64_t *pitch, uint64_t *slice)
{
	struct array *a = array;
	if (!is_array(a) || a->levels)
		return refuse(INVALID_HANDLE, "a side of the copy is not an array");
	*at = a->at, *pitch = a->pitch;
	if (slice)
		*slice = a->slice;
	return SUCCESS;
}

/* in_array returns the address of n bytes of an array; 0: they are not all in it. */
static uint64_t in_array(struct array *a, uint64_t off, uint64_t n)
{
	uint64_t all;
	if (!is_array(a) || a->levels)
		return 0;
	all = a->slice * most(a->d.depth, 1);
	return off <= all && n <= all - off ? a->at + off : 0;
}
#define OUTSIDE(p) do { if (!(p)) return refuse(INVALID_VALUE, "the bytes are not all in an array"); } while (0)

int EXPORT(cuMemcpyHtoA_v2)(void *a, uint64_t off, void *from, uint64_t n) { uint64_t p; WITH_CONTEXT(); p = in_array(a, off, n); OUTSIDE(p); return EXPORT(cuMemcpyHtoD_v2)(p, from, n); }
int EXPORT(cuMemcpyAtoH_v2)(void *to, void *a, uint64_t off, uint64_t n) { uint64_t p; WITH_CONTEXT(); p = in_array(a, off, n); OUTSIDE(p); return EXPORT(cuMemcpyDtoH_v2)(to, p, n); }
int EXPORT(cuMemcpyDtoA_v2)(void *a, uint64_t off, uint64_t from, uint64_t n) { uint64_t p; WITH_CONTEXT(); p = in_array(a, off, n); OUTSIDE(p); return EXPORT(cuMemcpyDtoD_v2)(p, from, n); }
int EXPORT(cuMemcpyAtoD_v2)(uint64_t to, void *a, uint64_t off, uint64_t n) { uint64_t p; WITH_CONTEXT(); p = in_array(a, off, n); OUTSIDE(p); return EXPORT(cuMemcpyDtoD_v2)(to, p, n); }
int EXPORT(cuMemcpyHtoAAsync_v2)(void *a, uint64_t off, void *from, uint64_t n, void *s) { uint64_t p; WITH_CONTEXT(); p = in_array(a, off, n); OUTSIDE(p); return EXPORT(cuMemcpyHtoDAsync_v2)(p, from, n, s); }
int EXPORT(cuMemcpyAtoHAsync_v2)(void *to, void *a, uint64_t off, uint64_t n, void *s) { uint64_t p; WITH_CONTEXT(); p = in_array(a, off, n); OUTSIDE(p); return EXPORT(cuMemcpyDtoHAsync_v2)(to, p, n, s); }
