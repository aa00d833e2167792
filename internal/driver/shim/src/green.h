/* Green contexts: contexts for some of the multiprocessors of a device. The partition changes no result: kernels run one
   after another here. Its rules are those of CUDA: sizes, alignment, what can be split. */

enum { SM_RESOURCE = 1, INVALID_RESOURCE_TYPE = 914, INVALID_RESOURCE_CONFIGURATION = 915, RESOURCE_MAGIC = 0x534d5352, DESC_MAGIC = 0x44455343 };

struct resource { /* CUdevResource */
	uint32_t type;
	uint32_t magic, first, split, rest[20]; /* the first multiprocessor; whether it comes from a split */
	uint32_t count, least, align, flags, more[6];
	struct resource *next;
};

struct description { uint32_t magic; struct resource sm; };
struct green { struct context *context; struct resource sm; struct green *next; };

static struct green *greens; /* under the lock */

/* The smallest partition and the multiple that its size has to be, by compute capability. */
static uint32_t least_partition(void) { return attributes[75] >= 9 ? 8 : attributes[75] == 8 ? 4 : attributes[75] == 7 ? 2 : 1; }
static uint32_t partition_step(void) { return attributes[75] >= 9 ? 8 : attributes[75] >= 7 ? 2 : 1; }

static struct resource resource_of(uint32_t first, uint32_t count, uint32_t split)
{
	return (struct resource){ .type = SM_RESOURCE, .magic = RESOURCE_MAGIC, .first = first, .split = split, .count = count, .least = least_partition(), .align = partition_step() };
}

static struct green *find_green(void *p)
{
	struct green *g;
	pthread_mutex_lock(&lock);
	for (g = greens; g && g != p; g = g->next)
		;
	pthread_mutex_unlock(&lock);
	return g;
}

static struct green *green_of(const struct context *c)
{
	struct green *g;
	pthread_mutex_lock(&lock);
	for (g = greens; g && g->context != c; g = g->next)
		;
	pthread_mutex_unlock(&lock);
	return g;
}

#define GREEN(g, p) struct green *g; INITIALIZED(); if (!(g = find_green(p))) return refuse(INVALID_CONTEXT, "the handle is no green context, or one that was destroyed")

static int get_resource(const struct green *g, struct resource *out, uint32_t type)
{
	if (!out)
		return INVALID_VALUE;
	if (type != SM_RESOURCE)
		return refuse(INVALID_RESOURCE_TYPE, "only multiprocessors are a resource here");
	*out = g ? resource_of(g->sm.first, g->sm.count, 0) : resource_of(0, (uint32_t)attributes[16], 0);
	return SUCCESS;
}

int EXPORT(cuDeviceGetDevResource)(int32_t device, void *out, uint32_t type) { DEVICE(device); return get_resource(NULL, out, type); }
int EXPORT(cuGreenCtxGetDevResource)(void *p, void *out, uint32_t type) { GREEN(g, p); return get_resource(g, out, type); }
int EXPORT(cuCtxGetDevResource)(void *c, void *out, uint32_t type) { INITIALIZED(); if (!valid(c)) return refuse(INVALID_CONTEXT, NO_CONTEXT); return get_resource(green_of(c), out, type); }

int EXPORT(cuDevSmResourceSplitByCount)(void *result, void *groups, void *input, void *remainder, uint32_t flags, uint32_t least)
{
	const struct resource *in = input;
	struct resource *out = result;
	uint32_t size, step, count;
	INITIALIZED();
	if (!groups || !in || in->magic != RESOURCE_MAGIC || flags & ~3u || least > in->count)
		return refuse(INVALID_VALUE, "the resource is none of a device or a context, or it has fewer multiprocessors");
	if (in->type != SM_RESOURCE)
		return INVALID_RESOURCE_TYPE;
	if (in->split)
		return refuse(INVALID_RESOURCE_CONFIGURATION, "the result of a split is split again before a green context has it");
	step = flags & 1 ? (attributes[75] >= 7 ? 2 : 1) : partition_step();
	size = least > (flags & 1 ? step : least_partition()) ? least : flags & 1 ? step : least_partition();
	size = (size + step - 1) / step * step;
	count = in->count / size;
	if (out && *(uint32_t *)groups < count)
		count = *(uint32_t *)groups;
	if (count == 0)
		return refuse(INVALID_RESOURCE_CONFIGURATION, "no partition of that size fits");
	*(uint32_t *)groups = count;
	for (uint32_t i = 0; out && i < count; i++)
		out[i] = resource_of(in->first + i * size, size, 1);
	if (remainder)
		*(struct resource *)remainder = resource_of(in->first + count * size, in->count - count * size, 1);
	return SUCCESS;
}

/* A description joins resources of one split. */
int EXPORT(cuDevResourceGenerateDesc)(void *out, void *list, uint32_t n)
{
	const struct resource *r = list;
	struct description *d;
	uint32_t first, count = 0;
	INITIALIZED();
	if (!out || !r || n == 0)
		return INVALID_VALUE;
	first = r[0].first;
	for (uint32_t i = 0; i < n; i++) {
		if (r[i].magic != RESOURCE_MAGIC || r[i].type != SM_RESOURCE || r[i].count == 0)
			return refuse(INVALID_RESOURCE_TYPE, "a resource is empty, or none of multiprocessors");
		for (uint32_t k = 0; k < i; k++)
			if (r[i].first < r[k].first + r[k].count && r[k].first < r[i].first + r[i].count)
				return refuse(INVALID_RESOURCE_CONFIGURATION, "two resources share multiprocessors");
		count += r[i].count;
		if (r[i].first < first)
			first = r[i].first;
	}
	if (!(d = calloc(1, sizeof *d)))
		return OUT_OF_MEMORY;
	d->magic = DESC_MAGIC, d->sm = resource_of(first, count, 0);
	*(void **)out = d; /* the API has no call that ends it */
	return SUCCESS;
}

int EXPORT(cuGreenCtxCreate)(void *out, void *description, int32_t device, uint32_t flags)
{
	const struct description *d = description;
	struct green *g;
	void *c;
	int e;
	DEVICE(device);
	if (!out || !d || d->magic != DESC_MAGIC || flags & ~1u)
		return INVALID_VALUE;
	if (!(g = calloc(1, sizeof *g)))
		return OUT_OF_MEMORY;
	if ((e = EXPORT(cuCtxCreate_v2)(&c, 0, device))) {
		free(g);
		return e;
	}
	EXPORT(cuCtxPopCurrent_v2)(NULL); /* it is not made current */
	g->context = c, g->sm = d->sm;
	pthread_mutex_lock(&lock);
	primary.references++;
	g->next = greens, greens = g;
	*(void **)out = g;
	END(SUCCESS);
}

int EXPORT(cuGreenCtxDestroy)(void *p)
{
	struct green **at_g;
	struct context *c;
	GREEN(g, p);
	pthread_mutex_lock(&lock);
	for (at_g = &greens; *at_g != g; at_g = &(*at_g)->next)
		;
	*at_g = g->next;
	if (primary.references > 0)
		primary.references--;
	pthread_mutex_unlock(&lock);
	c = g->context;
	free(g);
	return EXPORT(cuCtxDestroy_v2)(c);
}

int EXPORT(cuCtxFromGreenCtx)(void *out, void *p) { GREEN(g, p); if (!out) return INVALID_VALUE; *(void **)out = g->context; return SUCCESS; }
int EXPORT(cuGreenCtxGetId)(void *p, void *out) { GREEN(g, p); if (!out) return INVALID_VALUE; *(uint64_t *)out = (uint64_t)g->context; return SUCCESS; }

int EXPORT(cuGreenCtxStreamCreate)(void *out, void *p, uint32_t flags, int32_t priority)
{
	int e;
	GREEN(g, p);
	if (!out || flags != 1)
		return refuse(INVALID_VALUE, "a stream of a green context is non-blocking (CU_STREAM_NON_BLOCKING)");
	if ((e = push(g->context)))
		return e;
	e = EXPORT(cuStreamCreateWithPriority)(out, flags, priority);
	EXPORT(cuCtxPopCurrent_v2)(NULL);
	return e;
}

/* stream_of returns the stream number i of a context, or NULL. */
static void *stream_of(const struct context *c, int i)
{
	struct stream *s;
	pthread_mutex_lock(&lock);
	for (s = streams; s && (s->context != c || i-- > 0); s = s->next)
		;
	pthread_mutex_unlock(&lock);
	return s;
}

/* cuGreenCtxRecordEvent records what all streams of a context have to do. */
int EXPORT(cuGreenCtxRecordEvent)(void *p, void *event)
{
	void *meeting = NULL, *s, *v = NULL;
	int e;
	GREEN(g, p);
	if ((e = push(&primary)))
		return e;
	if (!(e = EXPORT(cuStreamCreate)(&meeting, 1)) && !(e = EXPORT(cuEventCreate)(&v, 2))) {
		for (int i = 0; !e && (s = stream_of(g->context, i)); i++)
			if (!(e = EXPORT(cuEventRecord)(v, s)))
				e = EXPORT(cuStreamWaitEvent)(meeting, v, 0);
		e = e ? e : EXPORT(cuEventRecord)(event, meeting);
	}
	if (v)
		EXPORT(cuEventDestroy_v2)(v);
	if (meeting)
		EXPORT(cuStreamDestroy_v2)(meeting);
	EXPORT(cuCtxPopCurrent_v2)(NULL);
	return e;
}

/* cuGreenCtxWaitEvent lets all streams of a context wait for an event. */
int EXPORT(cuGreenCtxWaitEvent)(void *p, void *event)
{
	void *s;
	int e;
	GREEN(g, p);
	if ((e = push(g->context)))
		return e;
	for (int i = 0; !e && (s = stream_of(g->context, i)); i++)
		e = EXPORT(cuStreamWaitEvent)(s, event, 0);
	EXPORT(cuCtxPopCurrent_v2)(NULL);
	return e;
}

int EXPORT(cuStreamGetGreenCtx)(void *stream, void *out)
{
	void *c = NULL;
	int e = EXPORT(cuStreamGetCtx)(stream, &c);
	if (e || !out)
		return e ? e : INVALID_VALUE;
	*(void **)out = green_of(c);
	return SUCCESS;
}

int EXPORT(cuStreamGetDevResource)(void *stream, void *out, uint32_t type)
{
	void *c = NULL;
	int e = EXPORT(cuStreamGetCtx)(stream, &c);
	return e ? e : get_resource(green_of(c), out, type);
}

int EXPORT(cuStreamGetDevResource_ptsz)(void *s, void *out, uint32_t type) { return EXPORT(cuStreamGetDevResource)(OWN(s), out, type); }
