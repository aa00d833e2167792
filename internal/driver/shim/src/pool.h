/* Memory pools. A pool counts what is allocated from it; the memory is the device's. Memory of the host and managed memory
   have pools, too. Freed memory above the threshold of a pool goes back at once. */

enum { POOL_MAGIC = 0x504f4f4c, POOL_GRAIN = 2 << 20 };

struct pool {
	uint32_t magic;
	uint32_t type; /* 1: pinned to its location; 2: managed */
	struct { int32_t type, id; } at_location; /* 1: the device; 2 to 4: the host */
	uint64_t limit;                           /* bytes; 0: no limit */
	int32_t reuse[3];
	uint64_t threshold, reserved, reserved_high, used, used_high;
	uint32_t access;
	int doomed; /* destroyed; it ends with its last allocation */
	struct pool *next;
};

static struct pool default_pools[3] = { /* of the device, of the host, of managed memory */
	{ .magic = POOL_MAGIC, .type = 1, .at_location = { 1, 0 }, .reuse = { 1, 1, 1 }, .access = 3 },
	{ .magic = POOL_MAGIC, .type = 1, .at_location = { 2, 0 }, .reuse = { 1, 1, 1 }, .access = 3 },
	{ .magic = POOL_MAGIC, .type = 2, .at_location = { 0, 0 }, .reuse = { 1, 1, 1 }, .access = 3 },
};
static struct pool *present_pools[3] = { &default_pools[0], &default_pools[1], &default_pools[2] };
static struct pool *pools; /* that the host has made */

static struct pool *find_pool(void *p) /* under the lock */
{
	struct pool *x;
	for (int i = 0; i < 3; i++)
		if (p == &default_pools[i])
			return p;
	for (x = pools; x && (x != p || x->doomed); x = x->next)
		;
	return x;
}

static void end_pool(struct pool *p)
{
	struct pool **at_p;
	for (at_p = &pools; *at_p != p; at_p = &(*at_p)->next)
		;
	*at_p = p->next;
	free(p);
}

static uint64_t grains(uint64_t n) { return (n + POOL_GRAIN - 1) / POOL_GRAIN * POOL_GRAIN; }

/* trim gives back what is reserved and not used above a number of bytes. */
static void trim(struct pool *p, uint64_t keep)
{
	uint64_t least = grains(p->used);
	if (keep < least)
		keep = least;
	if (p->reserved > keep)
		p->reserved = grains(keep);
}

static void end_sharing(uint64_t p);

/* block_freed is called under the lock when a block is freed: its pool counts it, and its pages are the process's again. */
static void block_freed(const struct block *b)
{
	struct pool *p = b->pool;
	end_sharing(b->base);
	if (!p)
		return;
	p->used -= b->size;
	trim(p, p->threshold);
	if (p->doomed && p->used == 0)
		end_pool(p);
}

static void clear_pools(void)
{
	for (int i = 0; i < 3; i++)
		default_pools[i].used = default_pools[i].reserved = 0, present_pools[i] = &default_pools[i];
	for (struct pool *p = pools; p; p = p->next)
		p->used = p->reserved = 0;
}

static int allocate_from(void *out, uint64_t n, void *pool, void *stream)
{
	struct pool *p;
	struct block *b;
	uint64_t address;
	enum kind kind;
	int e;

	if (!out || n == 0)
		return INVALID_VALUE;
	CAPTURE(stream, capture_allocation(q, out, n));
	pthread_mutex_lock(&lock);
	p = find_pool(pool);
	if (!p)
		END_REFUSED(INVALID_VALUE, NO_POOL);
	if (p->limit && n > p->limit - (p->used < p->limit ? p->used : p->limit))
		END(OUT_OF_MEMORY);
	kind = p->type == 2 ? MANAGED : p->at_location.type == 1 ? DEVICE_MEMORY : PINNED;
	pthread_mutex_unlock(&lock);
	if ((e = allocate(&address, n, kind, kind == DEVICE_MEMORY, stream)))
		return e;
	*(uint64_t *)out = address;
	pthread_mutex_lock(&lock);
	if ((b = find_block(address)) && (p = find_pool(pool))) {
		b->pool = p;
		p->used += n;
		if (p->used > p->used_high)
			p->used_high = p->used;
		if (p->used > p->reserved)
			p->reserved = grains(p->used);
		if (p->reserved > p->reserved_high)
			p->reserved_high = p->reserved;
	}
	END(SUCCESS);
}

int EXPORT(cuMemAllocFromPoolAsync)(void *out, uint64_t n, void *pool, void *stream) { WITH_CONTEXT(); STREAM(stream); return allocate_from(out, n, pool, stream); }
int EXPORT(cuMemAllocAsync)(void *out, uint64_t n, void *stream) { return EXPORT(cuMemAllocFromPoolAsync)(out, n, present_pools[0], stream); }

/* ---- handles ---- */

struct pool_properties { uint32_t type, handles; int32_t at_type, at_id; void *security; uint64_t limit; uint16_t usage; unsigned char reserved[54]; }; /* CUmemPoolProps */

/* post_object tells the server of a pool, for its list of leaks; under the lock. */
static void post_object(int call, const struct pool *p)
{
	callers();
	start(call);
	put_bytes("pool of memory", 14), put64((uint64_t)p);
	post();
}

int EXPORT(cuMemPoolCreate)(void *out, void *properties)
{
	const struct pool_properties *q = properties;
	struct pool *p;
	INITIALIZED();
	if (!out || !q || q->type < 1 || q->type > 2 || (q->type == 1 && (q->at_type < 1 || q->at_type > 4)))
		return INVALID_VALUE;
	if (q->at_type == 1 && q->at_id != 0)
		return INVALID_DEVICE;
	if (q->handles || q->usage) {
		fprintf(stderr, "crosslane: cuMemPoolCreate: a pool that can be exported or decompresses is not supported: it returns 801 (CUDA_ERROR_NOT_SUPPORTED)\n");
		return NOT_SUPPORTED;
	}
	if (!(p = calloc(1, sizeof *p)))
		return OUT_OF_MEMORY;
	*p = default_pools[0];
	p->type = q->type, p->at_location.type = q->at_type, p->at_location.id = q->at_id, p->limit = q->limit;
	p->threshold = p->used = p->used_high = p->reserved = p->reserved_high = 0;
	note_callers();
	pthread_mutex_lock(&lock);
	p->next = pools, pools = p;
	*(void **)out = p;
	post_object(MADE, p);
	END(SUCCESS);
}

int EXPORT(cuMemPoolDestroy)(void *pool)
{
	struct pool *p;
	INITIALIZED();
	pthread_mutex_lock(&lock);
	p = find_pool(pool);
	if (!p)
		END_REFUSED(INVALID_VALUE, NO_POOL);
	if (p >= default_pools && p < default_pools + 3)
		END_REFUSED(INVALID_VALUE, "a default pool cannot be destroyed");
	for (int i = 0; i < 3; i++)
		if (present_pools[i] == p)
			present_pools[i] = &default_pools[i];
	p->doomed = 1;
	post_object(ENDED, p);
	if (p->used == 0)
		end_pool(p);
	END(SUCCESS);
}

/* pool_kind returns which of the three pools holds memory of a type at a location, or -1. */
static int pool_kind(uint32_t type, const int32_t *l)
{
	if (type == 2)
		return 2;
	if (type != 1 || !l || l[0] < 1 || l[0] > 4 || (l[0] == 1 && l[1] != 0))
		return -1;
	return l[0] == 1 ? 0 : 1;
}

static int get_pool(void *out, int kind, int original)
{
	INITIALIZED();
	if (!out || kind < 0)
		return INVALID_VALUE;
	pthread_mutex_lock(&lock);
	*(void **)out = original ? &default_pools[kind] : present_pools[kind];
	END(SUCCESS);
}

static int set_pool(int kind, void *pool)
{
	struct pool *p;
	int32_t l[2];
	INITIALIZED();
	pthread_mutex_lock(&lock);
	if (kind < 0)
		END(INVALID_VALUE);
	if (!(p = find_pool(pool)))
		END_REFUSED(INVALID_VALUE, NO_POOL);
	l[0] = p->at_location.type, l[1] = p->at_location.id;
	if (pool_kind(p->type, l) != kind)
		END(INVALID_VALUE);
	present_pools[kind] = p;
	END(SUCCESS);
}

int EXPORT(cuDeviceGetDefaultMemPool)(void *out, int32_t device) { DEVICE(device); return get_pool(out, 0, 1); }
int EXPORT(cuDeviceGetMemPool)(void *out, int32_t device) { DEVICE(device); return get_pool(out, 0, 0); }
int EXPORT(cuDeviceSetMemPool)(int32_t device, void *pool) { DEVICE(device); return set_pool(0, pool); }
int EXPORT(cuMemGetDefaultMemPool)(void *out, void *l, uint32_t type) { return get_pool(out, pool_kind(type, l), 1); }
int EXPORT(cuMemGetMemPool)(void *out, void *l, uint32_t type) { return get_pool(out, pool_kind(type, l), 0); }
int EXPORT(cuMemSetMemPool)(void *l, uint32_t type, void *pool) { return set_pool(pool_kind(type, l), pool); }

/* ---- attributes ---- */

int EXPORT(cuMemPoolGetAttribute)(void *pool, uint32_t n, void *value)
{
	struct pool *p;
	INITIALIZED();
	pthread_mutex_lock(&lock);
	if (!value)
		END(INVALID_VALUE);
	if (!(p = find_pool(pool)))
		END_REFUSED(INVALID_VALUE, NO_POOL);
	switch (n) {
	case 1: case 2: case 3: *(int32_t *)value = p->reuse[n - 1]; break;
	case 4: *(uint64_t *)value = p->threshold; break;
	case 5: *(uint64_t *)value = p->reserved; break;
	case 6: *(uint64_t *)value = p->reserved_high; break;
	case 7: *(uint64_t *)value = p->used; break;
	case 8: *(uint64_t *)value = p->used_high; break;
	case 9: *(int32_t *)value = (int32_t)p->type; break;
	case 10: *(int32_t *)value = 0; break; /* it cannot be exported */
	case 11: *(int32_t *)value = p->at_location.id; break;
	case 12: *(int32_t *)value = p->at_location.type; break;
	case 13: *(uint64_t *)value = p->limit; break;
	case 14: *(int32_t *)value = 0; break;
	default: END(INVALID_VALUE);
	}
	END(SUCCESS);
}

int EXPORT(cuMemPoolSetAttribute)(void *pool, uint32_t n, void *value)
{
	struct pool *p;
	INITIALIZED();
	pthread_mutex_lock(&lock);
	if (!value)
		END(INVALID_VALUE);
	if (!(p = find_pool(pool)))
		END_REFUSED(INVALID_VALUE, NO_POOL);
	switch (n) {
	case 1: case 2: case 3: p->reuse[n - 1] = *(int32_t *)value; END(SUCCESS);
	case 4: p->threshold = *(uint64_t *)value; trim(p, p->threshold); END(SUCCESS);
	case 6: case 8:
		if (*(uint64_t *)value != 0)
			END(INVALID_VALUE); /* a high mark can be set to what is there only, by 0 */
		*(n == 6 ? &p->reserved_high : &p->used_high) = n == 6 ? p->reserved : p->used;
		END(SUCCESS);
	}
	END(INVALID_VALUE);
}

int EXPORT(cuMemPoolTrimTo)(void *pool, uint64_t keep)
{
	struct pool *p;
	INITIALIZED();
	pthread_mutex_lock(&lock);
	if ((p = find_pool(pool)))
		trim(p, keep);
	if (!p)
		END_REFUSED(INVALID_VALUE, NO_POOL);
	END(SUCCESS);
}

int EXPORT(cuMemPoolSetAccess)(void *pool, void *list, uint64_t n)
{
	const struct { int32_t type, id; uint32_t flags; } *d = list;
	struct pool *p;
	INITIALIZED();
	pthread_mutex_lock(&lock);
	if (!(p = find_pool(pool)) || (n && !d))
		END(INVALID_VALUE);
	for (uint64_t i = 0; i < n; i++) {
		if (d[i].type == 1 && d[i].id != 0)
			END(INVALID_DEVICE);
		if (d[i].type != 1 || (d[i].flags != 0 && d[i].flags != 1 && d[i].flags != 3) || (p->at_location.type == 1 && d[i].flags != 3))
			END(INVALID_VALUE); /* the device of a pool keeps its access */
	}
	for (uint64_t i = 0; i < n; i++)
		p->access = d[i].flags;
	END(SUCCESS);
}

int EXPORT(cuMemPoolGetAccess)(void *out, void *pool, void *at_location)
{
	const int32_t *l = at_location;
	struct pool *p;
	INITIALIZED();
	pthread_mutex_lock(&lock);
	if (!out || !l || !(p = find_pool(pool)) || (l[0] == 1 && l[1] != 0))
		END(INVALID_VALUE);
	*(uint32_t *)out = l[0] == 1 ? p->access : p->at_location.type == 1 ? 0 : 3;
	END(SUCCESS);
}
