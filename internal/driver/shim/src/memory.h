/* Memory: allocations, copies, fills, and what a pointer is. */

static size_t block_index(uint64_t p) /* of the first block that begins after p */
{
	size_t low = 0, high = block_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (blocks[middle].base > p)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static struct block *find_block(uint64_t p)
{
	size_t i = block_index(p);
	if (i == 0 || p - blocks[i - 1].base >= blocks[i - 1].size)
		return NULL;
	return &blocks[i - 1];
}

static int add_block(uint64_t base, uint64_t size, enum kind kind, struct module *m)
{
	size_t i = block_index(base);
	if (block_count == block_room) {
		size_t room = block_room * 2 + 64;
		struct block *grown = realloc(blocks, room * sizeof *blocks);
		if (!grown)
			return OUT_OF_MEMORY;
		blocks = grown, block_room = room;
	}
	memmove(blocks + i + 1, blocks + i, (block_count - i) * sizeof *blocks);
	blocks[i] = (struct block){ .base = base, .size = size, .kind = kind, .id = ++block_ids, .context = m ? m->context : current(), .module = m };
	block_count++;
	return SUCCESS;
}

static void remove_block(struct block *b)
{
	size_t i = (size_t)(b - blocks);
	memmove(blocks + i, blocks + i + 1, (block_count - i - 1) * sizeof *blocks);
	block_count--;
}

static int in_arena(uint64_t p, uint64_t n) { return p >= BASE && p - BASE < SIZE && n <= SIZE - (p - BASE); }

/* open_to_host lets the host touch memory of the device, or no longer. Each range that it may touch is a mapping of its
   own, and the system has a limit for their number. */
static void opened(uint64_t p, uint64_t n, int open);

static int open_to_host(uint64_t p, uint64_t n, int open)
{
	if (!in_arena(p, n))
		return SUCCESS; /* a variable of the program, see placed.h */
	opened(p, n, open);
	return mprotect((void *)p, (n + 4095) & ~4095ull, open ? PROT_READ | PROT_WRITE : PROT_NONE) ? OUT_OF_MEMORY : SUCCESS;
}

static uint64_t stream_id(void *stream);
static struct registration *find_registration(uint64_t p);

#include "placed.h"

#include "guard.h"

static void block_freed(const struct block *b);

static int allocate(uint64_t *out, uint64_t n, enum kind kind, int in_stream, void *stream)
{
	int e;
	if (!out || n == 0)
		return refuse(INVALID_VALUE, "an allocation of 0 bytes, or no place for the address");
	if (!in_stream)
		UNSAFE(0);
	note_callers();
	BEGIN(ALLOC);
	put64(n);
	put64(in_stream ? (stream_id(stream) ? stream_id(stream) : 1) : 0);
	put32(kind != DEVICE_MEMORY);
	if (!(e = transact())) {
		uint64_t p = get64();
		if (kind != DEVICE_MEMORY)
			e = open_to_host(p, n, 1);
		if (e || (e = add_block(p, n, kind, NULL))) {
			callers();
			start(FREE);
			put64(p), put64(0), put32(0);
			post();
			END(e);
		}
		*out = p;
		managed_memory |= kind == MANAGED;
	}
	END(e);
}

static int release(uint64_t p, int in_stream, void *stream)
{
	struct block *b;
	int e, done;
	INITIALIZED();
	if (p == 0)
		return SUCCESS;
	if (in_stream)
		CAPTURE(stream, capture_free(q, p));
	else
		UNSAFE(0);
	e = free_graph_memory(p, &done);
	if (done)
		return e;
	note_callers();
	BEGIN(FREE);
	put64(p);
	put64(in_stream ? stream_id(stream) : 0);
	put32((uint32_t)in_stream);
	e = transact();
	b = find_block(p);
	if (!e && b && b->base == p) {
		if (b->kind != DEVICE_MEMORY)
			open_to_host(p, b->size, 0);
		block_freed(b);
		remove_block(b);
	}
	END(e);
}

/* drop_blocks frees the memory that a context leaves; under the lock. */
static void drop_blocks(struct context *c)
{
	size_t kept = 0;
	for (size_t i = 0; i < block_count; i++) {
		struct block *b = &blocks[i];
		if (b->context != c || b->module || b->memory) {
			blocks[kept++] = *b;
			continue;
		}
		post_number(DROP, b->base);
		if (b->kind != DEVICE_MEMORY)
			open_to_host(b->base, b->size, 0);
		block_freed(b);
	}
	block_count = kept;
}

/* forget_blocks forgets the variables of a module; under the lock. */
static void forget_blocks(struct module *m)
{
	size_t kept = 0;
	for (size_t i = 0; i < block_count; i++) {
		if (blocks[i].module != m)
			blocks[kept++] = blocks[i];
		else if (blocks[i].kind != DEVICE_MEMORY)
			open_to_host(blocks[i].base, blocks[i].size, 0);
	}
	block_count = kept;
}

int EXPORT(cuMemAlloc_v2)(void *out, uint64_t n) { WITH_CONTEXT(); return allocate(out, n, DEVICE_MEMORY, 0, NULL); }

int EXPORT(cuMemAllocManaged)(void *out, uint64_t n, uint32_t flags)
{
	struct block *b;
	int e;
	WITH_CONTEXT();
	if (flags != 1 && flags != 2)
		return INVALID_VALUE;
	if (!(e = allocate(out, n, MANAGED, 0, NULL)) && flags == 2) {
		pthread_mutex_lock(&lock);
		if ((b = find_block(*(uint64_t *)out)))
			b->attached = 1; /* to the host */
		pthread_mutex_unlock(&lock);
	}
	return e;
}

int EXPORT(cuMemAllocHost_v2)(void *out, uint64_t n) { WITH_CONTEXT(); return allocate(out, n, PINNED, 0, NULL); }
int EXPORT(cuMemHostAlloc)(void *out, uint64_t n, uint32_t flags) { WITH_CONTEXT(); if (flags & ~7u) return INVALID_VALUE; return allocate(out, n, PINNED, 0, NULL); }

static int release_by(uint64_t p, int host)
{
	int e;
	INITIALIZED();
	note_callers();
	return (e = freed_by(p, host)) ? e : release(p, 0, NULL);
}

int EXPORT(cuMemFree_v2)(uint64_t p) { return release_by(p, 0); }
int EXPORT(cuMemFreeAsync)(uint64_t p, void *stream) { return release(p, 1, stream); }
int EXPORT(cuMemFreeHost)(void *p) { return release_by((uint64_t)p, 1); }

int EXPORT(cuMemAllocPitch_v2)(void *out, void *pitch, uint64_t width, uint64_t height, uint32_t element)
{
	uint64_t step = (width + 511) & ~511ull;
	WITH_CONTEXT();
	if (!pitch || (element != 4 && element != 8 && element != 16) || height == 0 || step < width || step > (1ull << 46) / height)
		return INVALID_VALUE;
	*(uint64_t *)pitch = step;
	return allocate(out, step * height, DEVICE_MEMORY, 0, NULL);
}

int EXPORT(cuMemGetInfo_v2)(void *free_bytes, void *total)
{
	int e;
	WITH_CONTEXT();
	BEGIN(MEMORY);
	if (!(e = transact())) {
		uint64_t used = get64(), limit = get64();
		if (free_bytes)
			*(uint64_t *)free_bytes = limit - used;
		if (total)
			*(uint64_t *)total = limit;
	}
	END(e);
}

int EXPORT(cuMemGetAddressRange_v2)(void *base, void *size, uint64_t p)
{
	struct block *b;
	ASKS_WITH_CONTEXT();
	pthread_mutex_lock(&lock);
	b = find_block(p);
	if (b && base)
		*(uint64_t *)base = b->base;
	if (b && size)
		*(uint64_t *)size = b->size;
	END(b ? SUCCESS : NOT_FOUND);
}

static struct registration *find_registration(uint64_t p);
static int registered_attribute(void *out, int attribute, uint64_t p, const struct registration *r);
static uint64_t registered_pointer(uint64_t p, const struct registration *r);
static uint32_t registered_flags(const struct registration *r);

int EXPORT(cuMemHostGetDevicePointer_v2)(void *out, void *p, uint32_t flags)
{
	struct block *b;
	WITH_CONTEXT();
	if (!out || flags)
		return INVALID_VALUE;
	pthread_mutex_lock(&lock);
	if (find_registration((uint64_t)p)) {
		*(uint64_t *)out = registered_pointer((uint64_t)p, find_registration((uint64_t)p));
		END(SUCCESS);
	}
	b = find_block((uint64_t)p);
	*(uint64_t *)out = (uint64_t)p;
	if (!b || b->kind == DEVICE_MEMORY)
		END_REFUSED(INVALID_VALUE, "the address is not one of pinned, registered or managed memory");
	END(SUCCESS);
}

int EXPORT(cuMemHostGetFlags)(void *out, void *p)
{
	struct block *b;
	ASKS_WITH_CONTEXT();
	pthread_mutex_lock(&lock);
	if (out && find_registration((uint64_t)p)) {
		*(uint32_t *)out = registered_flags(find_registration((uint64_t)p));
		END(SUCCESS);
	}
	b = find_block((uint64_t)p);
	if (b && out)
		*(uint32_t *)out = 2;
	END(b && b->kind == PINNED ? SUCCESS : INVALID_VALUE);
}

/* pointer_attribute writes one attribute. b is NULL for memory that is not the device's. */
static int pointer_attribute(void *out, int attribute, uint64_t p, struct block *b)
{
	if (find_registration(p))
		return registered_attribute(out, attribute, p, find_registration(p));
	switch (attribute) {
	case 1: *(void **)out = b ? (b->context ? b->context : &primary) : NULL; return SUCCESS;
	case 2: *(uint32_t *)out = !b ? 0 : b->kind == PINNED ? 1 : 2; return SUCCESS;
	case 3: *(uint64_t *)out = b ? p : 0; return SUCCESS;
	case 4: *(uint64_t *)out = b && b->kind != DEVICE_MEMORY ? p : 0; return b && b->kind == DEVICE_MEMORY ? INVALID_VALUE : SUCCESS;
	case 6: *(uint8_t *)out = 0; return SUCCESS;
	case 7: *(uint64_t *)out = b ? b->id : 0; return SUCCESS;
	case 8: *(uint8_t *)out = b && b->kind == MANAGED; return SUCCESS;
	case 9: *(int32_t *)out = b ? 0 : -2; return SUCCESS;
	case 10: *(uint8_t *)out = 0; return SUCCESS;
	case 11: *(uint64_t *)out = b ? b->base : 0; return SUCCESS;
	case 12: *(uint64_t *)out = b ? b->size : 0; return SUCCESS;
	case 13: *(uint8_t *)out = b != NULL; return SUCCESS;
	case 14: *(uint32_t *)out = 0; return SUCCESS;
	case 15: case 16: *(uint64_t *)out = 0; return SUCCESS;
	case 17: *(void **)out = b ? b->pool : NULL; return SUCCESS;
	}
	return INVALID_VALUE;
}

int EXPORT(cuPointerGetAttribute)(void *out, uint32_t attribute, uint64_t p)
{
	struct block *b;
	int e;
	ASKS_WITH_CONTEXT();
	if (!out)
		return INVALID_VALUE;
	pthread_mutex_lock(&lock);
	b = find_block(p);
	e = b || find_registration(p) ? pointer_attribute(out, attribute, p, b) : INVALID_VALUE;
	END(e);
}

int EXPORT(cuPointerGetAttributes)(uint32_t n, void *list, void *out, uint64_t p)
{
	ASKS_WITH_CONTEXT();
	if (!list || !out)
		return INVALID_VALUE;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < n; i++)
		pointer_attribute(((void **)out)[i], ((int32_t *)list)[i], p, find_block(p));
	END(SUCCESS);
}

int EXPORT(cuPointerSetAttribute)(void *value, uint32_t attribute, uint64_t p) { (void)value, (void)attribute, (void)p; WITH_CONTEXT(); return SUCCESS; }

/* ---- copies ---- */

static __thread int waits; /* the host waits for the stream of the next copies */

/* A copy from pageable memory waits for the stream first, and may go on after its call has returned ("API synchronization
   behavior" of the CUDA driver API). */

/* to_device copies bytes of the host; from_device copies bytes of the device to the host. The server checks the range
   and has carried out everything before when it answers; then the bytes are copied through the second mapping. Memory
   outside the shared memory, such as constants, is copied by messages. */
static int to_device(uint64_t p, const void *from, uint64_t n, void *stream)
{
	void *use;
	uint64_t id;
	int e, pinned;
	if (n == 0)
		return SUCCESS;
	if (!from)
		return refuse(INVALID_VALUE, "the address of the host is NULL");
	STREAM(stream);
	CAPTURE(stream, capture_copy(q, p, 0, (uint64_t)from, 1, n));
	if ((e = host_side((uint64_t)from, n, 0, &use, &pinned)))
		return e;
	BEGIN(in_arena(p, n) ? WRITE_SHARED : WRITE);
	then_wait = !waits ? 0 : pinned ? 1 : 2;
	id = stream_id(stream);
	put64(id), put64(p);
	if (in_arena(p, n)) {
		put64(n);
		if (!(e = transact())) {
			memcpy(alias + (p - BASE), use, n);
			if (!waits)
				watch_copy(COPY_READS, (uint64_t)from, n, id);
		}
		END(e);
	}
	if (n > 64 << 20)
		END(INVALID_VALUE);
	put_bytes(use, n);
	END(transact());
}

static int from_device(void *to, uint64_t p, uint64_t n, void *stream)
{
	void *use;
	uint64_t id;
	int e, pinned;
	if (n == 0)
		return SUCCESS;
	if (!to)
		return refuse(INVALID_VALUE, "the address of the host is NULL");
	STREAM(stream);
	CAPTURE(stream, capture_copy(q, (uint64_t)to, 1, p, 0, n));
	if ((e = host_side((uint64_t)to, n, 1, &use, &pinned)))
		return e;
	BEGIN(in_arena(p, n) ? READ_SHARED : READ);
	then_wait = waits || !pinned; /* a copy to pageable memory returns when it is done */
	id = stream_id(stream);
	put64(id), put64(p), put64(n);
	if (!(e = transact())) {
		if (in_arena(p, n)) {
			memcpy(use, alias + (p - BASE), n);
		} else {
			uint32_t got;
			const char *data = get_bytes(&got);
			memcpy(use, data, got);
		}
		if (!waits)
			watch_copy(COPY_WRITES, (uint64_t)to, n, id);
	}
	END(e);
}

static int on_device(uint64_t to, uint64_t from, uint64_t n, void *stream)
{
	uint64_t id;
	int e;
	if (n == 0)
		return SUCCESS;
	STREAM(stream);
	CAPTURE(stream, capture_copy(q, to, 0, from, 0, n));
	BEGIN(COPY);
	then_wait = waits;
	id = stream_id(stream);
	put64(id), put64(to), put64(from), put64(n);
	if (!(e = transact()) && !waits) { /* the addresses may be those of pinned or managed memory */
		watch_copy(COPY_READS, from, n, id);
		watch_copy(COPY_WRITES, to, n, id);
	}
	END(e);
}

/* wait makes the host wait for a stream. */
static int wait_stream(void *stream)
{
	WHILE_CAPTURING(wait_in_capture(stream));
	BEGIN(STREAM_WAIT);
	put64(stream_id(stream));
	END(transact());
}

/* known reports whether an address is one of the device: of an allocation, or of a module's variable. Constants have low
   addresses, as the memory of some programs has. */
static int known(uint64_t p)
{
	int found;
	if (in_arena(p, 1))
		return 1;
	pthread_mutex_lock(&lock);
	found = find_block(p) != NULL;
	pthread_mutex_unlock(&lock);
	return found;
}

/* any copies between addresses whose kind decides the direction. */
static int any(uint64_t to, uint64_t from, uint64_t n, void *stream)
{
	int d = known(to), s = known(from);
	CAPTURE(stream, capture_copy(q, to, -1, from, -1, n));
	if (d && s)
		return on_device(to, from, n, stream);
	if (d)
		return to_device(to, (void *)from, n, stream);
	if (s)
		return from_device((void *)to, from, n, stream);
	memcpy((void *)to, (void *)from, n);
	return SUCCESS;
}

/* SYNC copies, and the host waits for the default stream: the call that copies says so. */
#define SYNC(copy) do { int e_; WITH_CONTEXT(); UNSAFE(1); note_callers(); waits = 1; e_ = (copy); waits = 0; return e_; } while (0)
#define ASYNC(copy) do { WITH_CONTEXT(); note_callers(); return (copy); } while (0)

int EXPORT(cuMemcpyHtoD_v2)(uint64_t to, void *from, uint64_t n) { SYNC(to_device(to, from, n, NULL)); }
int EXPORT(cuMemcpyDtoH_v2)(void *to, uint64_t from, uint64_t n) { SYNC(from_device(to, from, n, NULL)); }
int EXPORT(cuMemcpyDtoD_v2)(uint64_t to, uint64_t from, uint64_t n) { ASYNC(on_device(to, from, n, NULL)); }
int EXPORT(cuMemcpy)(uint64_t to, uint64_t from, uint64_t n) { SYNC(any(to, from, n, NULL)); }
int EXPORT(cuMemcpyHtoDAsync_v2)(uint64_t to, void *from, uint64_t n, void *s) { ASYNC(to_device(to, from, n, s)); }
int EXPORT(cuMemcpyDtoHAsync_v2)(void *to, uint64_t from, uint64_t n, void *s) { ASYNC(from_device(to, from, n, s)); }
int EXPORT(cuMemcpyDtoDAsync_v2)(uint64_t to, uint64_t from, uint64_t n, void *s) { ASYNC(on_device(to, from, n, s)); }
int EXPORT(cuMemcpyAsync)(uint64_t to, uint64_t from, uint64_t n, void *s) { ASYNC(any(to, from, n, s)); }

struct copy2d { /* CUDA_MEMCPY2D */
	uint64_t src_x, src_y; uint32_t src_type; const void *src_host; uint64_t src_device; void *src_array; uint64_t src_pitch;
	uint64_t dst_x, dst_y; uint32_t dst_type; void *dst_host; uint64_t dst_device; void *dst_array; uint64_t dst_pitch;
	uint64_t width, height;
};

static int copy_2d(const struct copy2d *c, void *stream)
{
	uint64_t from, to, from_step, to_step, y;
	int e;
	struct copy2d flat;
	if (!c)
		return INVALID_VALUE;
	if (c->src_type == 3 || c->dst_type == 3) { /* an array is memory of the device */
		flat = *c;
		if (c->src_type == 3) {
			if ((e = array_side(c->src_array, &flat.src_device, &flat.src_pitch, NULL)))
				return e;
			flat.src_type = 2;
		}
		if (c->dst_type == 3) {
			if ((e = array_side(c->dst_array, &flat.dst_device, &flat.dst_pitch, NULL)))
				return e;
			flat.dst_type = 2;
		}
		return copy_2d(&flat, stream);
	}
	CAPTURE(stream, capture_copy_2d(q, c));
	from = (c->src_type == 1 ? (uint64_t)c->src_host : c->src_device);
	to = (c->dst_type == 1 ? (uint64_t)c->dst_host : c->dst_device);
	from_step = c->src_pitch ? c->src_pitch : c->width;
	to_step = c->dst_pitch ? c->dst_pitch : c->width;
	if (from_step < c->width || to_step < c->width)
		return INVALID_VALUE;
	from += c->src_y * from_step + c->src_x;
	to += c->dst_y * to_step + c->dst_x;
	for (y = 0; y < c->height; y++)
		if ((e = any(to + y * to_step, from + y * from_step, c->width, stream)))
			return e;
	return SUCCESS;
}

int EXPORT(cuMemcpy2D_v2)(void *c) { SYNC(copy_2d(c, NULL)); }
int EXPORT(cuMemcpy2DUnaligned_v2)(void *c) { SYNC(copy_2d(c, NULL)); }
int EXPORT(cuMemcpy2DAsync_v2)(void *c, void *s) { ASYNC(copy_2d(c, s)); }

/* ---- fills ---- */

static int fill(uint64_t p, const void *pattern, uint32_t size, uint64_t n, void *stream)
{
	if (n == 0)
		return SUCCESS;
	STREAM(stream);
	CAPTURE(stream, capture_fill(q, p, 0, pattern, size, n, 1));
	BEGIN(SET);
	put64(stream_id(stream)), put64(p), put_bytes(pattern, size), put64(n);
	END(transact());
}

static int fill_2d(uint64_t p, uint64_t pitch, const void *pattern, uint32_t size, uint64_t width, uint64_t height, void *stream)
{
	int e;
	CAPTURE(stream, capture_fill(q, p, pitch, pattern, size, width, height));
	for (uint64_t y = 0; y < height; y++)
		if ((e = fill(p + y * pitch, pattern, size, width, stream)))
			return e;
	return SUCCESS;
}

int EXPORT(cuMemsetD8_v2)(uint64_t p, uint8_t v, uint64_t n) { ASYNC(fill(p, &v, 1, n, NULL)); }
int EXPORT(cuMemsetD16_v2)(uint64_t p, uint16_t v, uint64_t n) { ASYNC(fill(p, &v, 2, n, NULL)); }
int EXPORT(cuMemsetD32_v2)(uint64_t p, uint32_t v, uint64_t n) { ASYNC(fill(p, &v, 4, n, NULL)); }
int EXPORT(cuMemsetD8Async)(uint64_t p, uint8_t v, uint64_t n, void *s) { ASYNC(fill(p, &v, 1, n, s)); }
int EXPORT(cuMemsetD16Async)(uint64_t p, uint16_t v, uint64_t n, void *s) { ASYNC(fill(p, &v, 2, n, s)); }
int EXPORT(cuMemsetD32Async)(uint64_t p, uint32_t v, uint64_t n, void *s) { ASYNC(fill(p, &v, 4, n, s)); }
int EXPORT(cuMemsetD2D8_v2)(uint64_t p, uint64_t pitch, uint8_t v, uint64_t w, uint64_t h) { ASYNC(fill_2d(p, pitch, &v, 1, w, h, NULL)); }
int EXPORT(cuMemsetD2D16_v2)(uint64_t p, uint64_t pitch, uint16_t v, uint64_t w, uint64_t h) { ASYNC(fill_2d(p, pitch, &v, 2, w, h, NULL)); }
int EXPORT(cuMemsetD2D32_v2)(uint64_t p, uint64_t pitch, uint32_t v, uint64_t w, uint64_t h) { ASYNC(fill_2d(p, pitch, &v, 4, w, h, NULL)); }
