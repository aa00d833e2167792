/* Copies in three dimensions, between contexts, of several ranges; fills of two dimensions in a stream. */

struct copy3d { /* CUDA_MEMCPY3D */
	uint64_t src_x, src_y, src_z, src_level; uint32_t src_type; const void *src_host; uint64_t src_device; void *src_array, *src_context; uint64_t src_pitch, src_height;
	uint64_t dst_x, dst_y, dst_z, dst_level; uint32_t dst_type; void *dst_host; uint64_t dst_device; void *dst_array, *dst_context; uint64_t dst_pitch, dst_height;
	uint64_t width, height, depth;
};

/* copy_3d copies layer by layer. */
static int copy_3d(const struct copy3d *c, void *stream)
{
	uint64_t from_layer, to_layer, z;
	struct copy2d two = { 0 };
	int e = SUCCESS;
	struct copy3d flat;
	uint64_t slice;
	if (!c)
		return INVALID_VALUE;
	if (c->src_type == 3 || c->dst_type == 3) { /* an array is memory of the device */
		flat = *c;
		if (c->src_type == 3) {
			if ((e = array_side(c->src_array, &flat.src_device, &flat.src_pitch, &slice)))
				return e;
			flat.src_type = 2, flat.src_height = slice / flat.src_pitch;
		}
		if (c->dst_type == 3) {
			if ((e = array_side(c->dst_array, &flat.dst_device, &flat.dst_pitch, &slice)))
				return e;
			flat.dst_type = 2, flat.dst_height = slice / flat.dst_pitch;
		}
		return copy_3d(&flat, stream);
	}
	CAPTURE(stream, capture_copy_3d(q, c));
	two.src_x = c->src_x, two.src_y = c->src_y, two.src_type = c->src_type, two.src_pitch = c->src_pitch ? c->src_pitch : c->width;
	two.dst_x = c->dst_x, two.dst_y = c->dst_y, two.dst_type = c->dst_type, two.dst_pitch = c->dst_pitch ? c->dst_pitch : c->width;
	two.width = c->width, two.height = c->height;
	from_layer = two.src_pitch * (c->src_height ? c->src_height : c->height);
	to_layer = two.dst_pitch * (c->dst_height ? c->dst_height : c->height);
	for (z = 0; z < c->depth && !e; z++) {
		two.src_host = (const char *)c->src_host + (c->src_z + z) * from_layer, two.src_device = c->src_device + (c->src_z + z) * from_layer;
		two.dst_host = (char *)c->dst_host + (c->dst_z + z) * to_layer, two.dst_device = c->dst_device + (c->dst_z + z) * to_layer;
		e = copy_2d(&two, stream);
	}
	return e;
}

int EXPORT(cuMemcpy3D_v2)(void *c) { SYNC(copy_3d(c, NULL)); }
int EXPORT(cuMemcpy3DAsync_v2)(void *c, void *s) { ASYNC(copy_3d(c, s)); }
int EXPORT(cuMemcpy3DPeer)(void *c) { return EXPORT(cuMemcpy3D_v2)(c); }
int EXPORT(cuMemcpy3DPeerAsync)(void *c, void *s) { return EXPORT(cuMemcpy3DAsync_v2)(c, s); }

static int peers(void *to, void *from) { int e = ready(); return e ? e : valid(to) && valid(from) ? SUCCESS : INVALID_CONTEXT; }
int EXPORT(cuMemcpyPeer)(uint64_t to, void *to_context, uint64_t from, void *from_context, uint64_t n) { int e = peers(to_context, from_context); return e ? e : EXPORT(cuMemcpyDtoD_v2)(to, from, n); }
int EXPORT(cuMemcpyPeerAsync)(uint64_t to, void *to_context, uint64_t from, void *from_context, uint64_t n, void *s) { int e = peers(to_context, from_context); return e ? e : EXPORT(cuMemcpyDtoDAsync_v2)(to, from, n, s); }

/* copy_list copies ranges one after another. The attributes, which say when the host's bytes are read, are not needed:
   they are read at once. *failed becomes the number of the range that cannot be copied. */
static int copy_list(uint64_t *to, uint64_t *from, uint64_t *sizes, uint64_t n, uint64_t *failed, void *stream)
{
	int e;
	if (!to || !from || !sizes || n == 0 || (uint64_t)stream <= 1)
		return INVALID_VALUE; /* not in the default stream */
	for (uint64_t i = 0; i < n; i++)
		if ((e = any(to[i], from[i], sizes[i], stream))) {
			if (failed)
				*failed = i;
			return e;
		}
	return SUCCESS;
}

int EXPORT(cuMemcpyBatchAsync)(void *to, void *from, void *sizes, uint64_t n, void *list, void *indices, uint64_t attributes_count, void *failed, void *s)
{
	(void)list, (void)indices, (void)attributes_count;
	ASYNC(copy_list(to, from, sizes, n, failed, s));
}

int EXPORT(cuMemcpyBatchAsync_v2)(void *to, void *from, void *sizes, uint64_t n, void *list, void *indices, uint64_t attributes_count, void *s)
{
	(void)list, (void)indices, (void)attributes_count;
	ASYNC(copy_list(to, from, sizes, n, NULL, s));
}

int EXPORT(cuMemcpyWithAttributesAsync)(uint64_t to, uint64_t from, uint64_t n, void *list, void *s) { (void)list; return EXPORT(cuMemcpyAsync)(to, from, n, s); }

int EXPORT(cuMemsetD2D8Async)(uint64_t p, uint64_t pitch, uint8_t v, uint64_t w, uint64_t h, void *s) { ASYNC(fill_2d(p, pitch, &v, 1, w, h, s)); }
int EXPORT(cuMemsetD2D16Async)(uint64_t p, uint64_t pitch, uint16_t v, uint64_t w, uint64_t h, void *s) { ASYNC(fill_2d(p, pitch, &v, 2, w, h, s)); }
int EXPORT(cuMemsetD2D32Async)(uint64_t p, uint64_t pitch, uint32_t v, uint64_t w, uint64_t h, void *s) { ASYNC(fill_2d(p, pitch, &v, 4, w, h, s)); }
