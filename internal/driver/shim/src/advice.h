/* Advice about managed memory, and prefetches. They change nothing here; what was advised last can be asked for. Advice
   holds for a whole allocation. */

enum { LOCATION_NONE = 0, LOCATION_DEVICE = 1, LOCATION_HOST = 2, HOST_ORDINAL = -1, NO_ORDINAL = -2 };

struct location { int32_t type, id; };

struct advice { /* of the allocation with this number */
	uint64_t block;
	int read_mostly, by_device, by_host;
	struct location preferred, prefetched;
	struct advice *next;
};

static struct advice *advices;

/* advice_of returns the advice of an allocation, under the lock; create makes it. */
static struct advice *advice_of(struct block *b, int create)
{
	struct advice *a;
	for (a = advices; a && a->block != b->id; a = a->next)
		;
	if (!a && create && (a = calloc(1, sizeof *a)))
		a->block = b->id, a->next = advices, advices = a;
	return a;
}

/* managed_block returns the managed allocation that holds a range, under the lock, or NULL. */
static struct block *managed_block(uint64_t p, uint64_t n)
{
	struct block *b = find_block(p);
	return b && b->kind == MANAGED && n > 0 && n <= b->size - (p - b->base) ? b : NULL;
}

static int valid_location(struct location l) { return (l.type == LOCATION_DEVICE && l.id == 0) || (l.type >= LOCATION_HOST && l.type <= 4); }

/* from_ordinal makes a location of the number of a device; -1 is the host. */
static struct location from_ordinal(int32_t device)
{
	return device == HOST_ORDINAL ? (struct location){ LOCATION_HOST, 0 } : (struct location){ LOCATION_DEVICE, device };
}

static int32_t to_ordinal(struct location l) { return l.type == LOCATION_NONE ? NO_ORDINAL : l.type == LOCATION_DEVICE ? l.id : HOST_ORDINAL; }

static int advise(uint64_t p, uint64_t n, uint32_t what, struct location l)
{
	struct block *b;
	struct advice *a;
	WITH_CONTEXT();
	if (what < 1 || what > 6)
		return INVALID_VALUE;
	if ((what == 3 || what >= 5) && !valid_location(l))
		return INVALID_DEVICE;
	pthread_mutex_lock(&lock);
	if (!(b = managed_block(p, n)))
		END(INVALID_VALUE);
	if (!(a = advice_of(b, 1)))
		END(OUT_OF_MEMORY);
	switch (what) {
	case 1: case 2: a->read_mostly = what == 1; break;
	case 3: a->preferred = l; break;
	case 4: a->preferred.type = LOCATION_NONE; break;
	default: *(l.type == LOCATION_DEVICE ? &a->by_device : &a->by_host) = what == 5;
	}
	END(SUCCESS);
}

static int prefetch(uint64_t p, uint64_t n, struct location l, void *stream)
{
	struct block *b;
	struct advice *a;
	WITH_CONTEXT();
	STREAM(stream);
	if (!valid_location(l))
		return INVALID_DEVICE;
	pthread_mutex_lock(&lock);
	if (!(b = managed_block(p, n)))
		END(INVALID_VALUE);
	if (!(a = advice_of(b, 1)))
		END(OUT_OF_MEMORY);
	a->prefetched = l;
	END(SUCCESS);
}

int EXPORT(cuMemAdvise)(uint64_t p, uint64_t n, uint32_t what, int32_t device) { return advise(p, n, what, from_ordinal(device)); }
int EXPORT(cuMemAdvise_v2)(uint64_t p, uint64_t n, uint32_t what, struct crosslane_struct8 l) { return advise(p, n, what, (struct location){ (int32_t)l.word[0], (int32_t)l.word[1] }); }
int EXPORT(cuMemPrefetchAsync)(uint64_t p, uint64_t n, int32_t device, void *stream) { return prefetch(p, n, from_ordinal(device), stream); }
int EXPORT(cuMemPrefetchAsync_v2)(uint64_t p, uint64_t n, struct crosslane_struct8 l, uint32_t flags, void *stream) { return flags ? INVALID_VALUE : prefetch(p, n, (struct location){ (int32_t)l.word[0], (int32_t)l.word[1] }, stream); }

static int range_attribute(void *out, uint64_t size, uint32_t n, struct advice *a)
{
	static const struct advice none;
	int32_t *v = out;
	if (!a)
		a = (struct advice *)&none;
	if (!out || size == 0 || size % 4 || (n != 3 && size != 4))
		return INVALID_VALUE;
	switch (n) {
	case 1: *v = a->read_mostly; return SUCCESS;
	case 2: *v = to_ordinal(a->preferred); return SUCCESS;
	case 3: /* a list that ends with no ordinals */
		for (uint64_t i = 0; i < size / 4; i++)
			v[i] = NO_ORDINAL;
		if (a->by_host)
			*v++ = HOST_ORDINAL;
		if (a->by_device && v < (int32_t *)out + size / 4)
			*v = 0;
		return SUCCESS;
	case 4: *v = to_ordinal(a->prefetched); return SUCCESS;
	case 5: *v = a->preferred.type; return SUCCESS;
	case 6: *v = a->preferred.id; return SUCCESS;
	case 7: *v = a->prefetched.type; return SUCCESS;
	case 8: *v = a->prefetched.id; return SUCCESS;
	}
	return INVALID_VALUE;
}

int EXPORT(cuMemRangeGetAttribute)(void *out, uint64_t size, uint32_t n, uint64_t p, uint64_t count)
{
	struct block *b;
	WITH_CONTEXT();
	pthread_mutex_lock(&lock);
	b = managed_block(p, count);
	END(b ? range_attribute(out, size, n, advice_of(b, 0)) : INVALID_VALUE);
}

int EXPORT(cuMemRangeGetAttributes)(void *out, void *sizes, void *list, uint64_t n, uint64_t p, uint64_t count)
{
	int e = SUCCESS;
	if (!out || !sizes || !list || n == 0)
		return INVALID_VALUE;
	for (uint64_t i = 0; i < n && !e; i++)
		e = EXPORT(cuMemRangeGetAttribute)(((void **)out)[i], ((uint64_t *)sizes)[i], ((uint32_t *)list)[i], p, count);
	return e;
}

/* location_of returns the location of range i: indices has the first range of each location. */
static const struct location *location_of(const struct location *list, const uint64_t *indices, uint64_t n, uint64_t i)
{
	const struct location *l = NULL;
	for (uint64_t k = 0; k < n && indices[k] <= i; k++)
		l = &list[k];
	return l;
}

static int prefetch_list(uint64_t *p, uint64_t *sizes, uint64_t n, struct location *list, uint64_t *indices, uint64_t locations, uint64_t flags, void *stream)
{
	int e = SUCCESS;
	if (!p || !sizes || n == 0 || !list || !indices || locations == 0 || indices[0] != 0 || flags)
		return INVALID_VALUE;
	for (uint64_t i = 0; i < n && !e; i++)
		e = prefetch(p[i], sizes[i], *location_of(list, indices, locations, i), stream);
	return e;
}

int EXPORT(cuMemPrefetchBatchAsync)(void *p, void *sizes, uint64_t n, void *list, void *indices, uint64_t locations, uint64_t flags, void *stream)
{
	return prefetch_list(p, sizes, n, list, indices, locations, flags, stream);
}

/* What is discarded keeps its bytes here: a program may not rely on any. */
int EXPORT(cuMemDiscardBatchAsync)(void *p, void *sizes, uint64_t n, uint64_t flags, void *stream)
{
	uint64_t *start_p = p, *size = sizes;
	struct block *b = NULL;
	WITH_CONTEXT();
	STREAM(stream);
	if (!p || !sizes || n == 0 || flags)
		return INVALID_VALUE;
	pthread_mutex_lock(&lock);
	for (uint64_t i = 0; i < n; i++)
		if (!(b = managed_block(start_p[i], size[i])))
			break;
	END(b ? SUCCESS : INVALID_VALUE);
}

int EXPORT(cuMemDiscardAndPrefetchBatchAsync)(void *p, void *sizes, uint64_t n, void *list, void *indices, uint64_t locations, uint64_t flags, void *stream)
{
	int e = EXPORT(cuMemDiscardBatchAsync)(p, sizes, n, flags, stream);
	return e ? e : prefetch_list(p, sizes, n, list, indices, locations, flags, stream);
}
