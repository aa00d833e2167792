/* Memory and addresses that the host manages apart: cuMemAddressReserve, cuMemCreate, cuMemMap. The server keeps the
   tables and checks the calls. Both sides map the bytes of created memory at its addresses; the host cannot touch them there. */

enum { GRANULARITY = 2 << 20, PIN = 1, AT_DEVICE = 1 };

struct memory_properties { uint32_t type, handles; int32_t at_type, at_id; void *security; unsigned char compression, direct; uint16_t usage; unsigned char reserved[4]; }; /* CUmemAllocationProp */

static struct created { uint64_t number; int handles; struct memory_properties properties; struct created *next; } *created;

static struct created *find_created(uint64_t number) /* under the lock */
{
	struct created *c;
	for (c = created; c && c->number != number; c = c->next)
		;
	return c;
}

/* end_created forgets memory that has no handle and no mapping; under the lock. */
static void end_created(uint64_t number)
{
	struct created **at_c, *c = find_created(number);
	if (!c || c->handles > 0)
		return;
	for (size_t i = 0; i < block_count; i++)
		if (blocks[i].memory == number)
			return;
	for (at_c = &created; *at_c != c; at_c = &(*at_c)->next)
		;
	*at_c = c->next;
	free(c);
}

static int refuse_memory(const char *call, const char *what)
{
	fprintf(stderr, "crosslane: %s: %s not supported: it returns 801 (CUDA_ERROR_NOT_SUPPORTED)\n", call, what);
	return NOT_SUPPORTED;
}

/* properties_of checks the properties of memory, and returns a status. */
static int properties_of(const char *call, const struct memory_properties *q)
{
	if (!q || q->type != PIN || q->at_type < 1 || q->at_type > 4)
		return INVALID_VALUE;
	if (q->at_type != AT_DEVICE)
		return refuse_memory(call, "memory of the host with mapped addresses is");
	if (q->at_id != 0)
		return INVALID_DEVICE;
	if (q->handles)
		return refuse_memory(call, "memory that can be exported is");
	if (q->compression || q->usage)
		return refuse_memory(call, "compressed memory, and memory of arrays, are");
	return SUCCESS;
}

int EXPORT(cuMemGetAllocationGranularity)(void *out, void *properties, uint32_t option)
{
	int e;
	INITIALIZED();
	if (!out || option > 1)
		return INVALID_VALUE;
	if ((e = properties_of("cuMemGetAllocationGranularity", properties)))
		return e;
	*(uint64_t *)out = GRANULARITY;
	return SUCCESS;
}

int EXPORT(cuMemAddressReserve)(void *out, uint64_t n, uint64_t align, uint64_t address, uint64_t flags)
{
	int e;
	(void)address; /* a wish */
	INITIALIZED();
	if (!out || flags)
		return refuse(INVALID_VALUE, "no place for the address, or flags that are not 0");
	note_callers();
	BEGIN(RESERVE);
	put64(n), put64(align);
	if (!(e = transact()))
		*(uint64_t *)out = get64();
	END(e);
}

int EXPORT(cuMemAddressFree)(uint64_t p, uint64_t n)
{
	INITIALIZED();
	note_callers();
	BEGIN(UNRESERVE);
	put64(p), put64(n);
	END(transact());
}

int EXPORT(cuMemCreate)(void *out, uint64_t n, void *properties, uint64_t flags)
{
	struct created *c;
	int e;
	INITIALIZED();
	if (!out || flags)
		return refuse(INVALID_VALUE, "no place for the handle, or flags that are not 0");
	if ((e = properties_of("cuMemCreate", properties)))
		return e == NOT_SUPPORTED ? e : refuse(e, "the properties are not those of memory of this device");
	if (!(c = calloc(1, sizeof *c)))
		return OUT_OF_MEMORY;
	note_callers();
	BEGIN(CREATE);
	put64(n);
	if ((e = transact())) {
		free(c);
		END(e);
	}
	*(uint64_t *)out = c->number = get64();
	c->properties = *(struct memory_properties *)properties;
	c->handles = 1, c->next = created, created = c;
	END(SUCCESS);
}

int EXPORT(cuMemRelease)(uint64_t handle)
{
	struct created *c;
	int e;
	INITIALIZED();
	note_callers();
	BEGIN(RELEASE);
	put64(handle);
	if (!(e = transact()) && (c = find_created(handle))) {
		c->handles--;
		end_created(handle);
	}
	END(e);
}

int EXPORT(cuMemRetainAllocationHandle)(void *out, void *p)
{
	struct created *c;
	uint64_t number;
	int e;
	INITIALIZED();
	if (!out)
		return INVALID_VALUE;
	note_callers();
	BEGIN(RETAIN);
	put64((uint64_t)p);
	if (!(e = transact())) {
		*(uint64_t *)out = number = get64();
		if ((c = find_created(number)))
			c->handles++;
	}
	END(e);
}

int EXPORT(cuMemGetAllocationPropertiesFromHandle)(void *out, uint64_t handle)
{
	struct created *c;
	INITIALIZED();
	if (!out)
		return INVALID_VALUE;
	pthread_mutex_lock(&lock);
	if (!(c = find_created(handle)) || c->handles == 0)
		END_REFUSED(INVALID_VALUE, "the handle is none of memory, or one that was released");
	*(struct memory_properties *)out = c->properties;
	END(SUCCESS);
}

/* shows maps the bytes at an address of the shared memory at another one, where copies use them. */
static int shows(uint64_t p, uint64_t n, uint64_t from)
{
	return mmap(alias + (p - BASE), n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, memory_file, (off_t)(from - BASE)) == MAP_FAILED ? OUT_OF_MEMORY : SUCCESS;
}

int EXPORT(cuMemMap)(uint64_t p, uint64_t n, uint64_t offset, uint64_t handle, uint64_t flags)
{
	struct block *b;
	int e;
	INITIALIZED();
	if (flags)
		return refuse(INVALID_VALUE, "flags that are not 0");
	note_callers();
	BEGIN(MAP);
	put64(p), put64(n), put64(offset), put64(handle);
	if ((e = transact()))
		END(e);
	if ((e = shows(p, n, get64())) || (e = add_block(p, n, DEVICE_MEMORY, NULL))) {
		callers();
		start(UNMAP);
		put64(p), put64(n);
		post();
		shows(p, n, p);
		END(e);
	}
	if ((b = find_block(p)))
		b->memory = handle;
	END(SUCCESS);
}

int EXPORT(cuMemUnmap)(uint64_t p, uint64_t n)
{
	struct block *b;
	uint64_t at_p, size, memory;
	int e;
	INITIALIZED();
	note_callers();
	BEGIN(UNMAP);
	put64(p), put64(n);
	if ((e = transact()))
		END(e);
	shows(p, n, p);
	for (at_p = p; at_p - p < n && (b = find_block(at_p)) && b->memory; at_p += size) {
		size = b->size, memory = b->memory;
		remove_block(b);
		end_created(memory);
	}
	END(SUCCESS);
}

struct rights { int32_t type, id; uint32_t flags; }; /* CUmemAccessDesc */

int EXPORT(cuMemSetAccess)(uint64_t p, uint64_t n, void *list, uint64_t count)
{
	const struct rights *r = list;
	int e = SUCCESS;
	INITIALIZED();
	if (!r || count == 0)
		return refuse(INVALID_VALUE, "no rights are given");
	for (uint64_t i = 0; i < count; i++) {
		if (r[i].type != AT_DEVICE && r[i].type >= 2 && r[i].type <= 4)
			return refuse_memory("cuMemSetAccess", "rights of the host to mapped addresses are");
		if (r[i].type != AT_DEVICE || r[i].id != 0)
			return refuse(INVALID_DEVICE, "the rights are those of another device");
	}
	note_callers();
	for (uint64_t i = 0; !e && i < count; i++) {
		BEGIN(RIGHTS);
		put64(p), put64(n), put32(r[i].flags);
		e = transact();
		for (size_t k = 0; !e && k < block_count; k++)
			if (blocks[k].memory && blocks[k].base >= p && blocks[k].base - p < n)
				blocks[k].rights = r[i].flags;
		pthread_mutex_unlock(&lock);
	}
	return e;
}

int EXPORT(cuMemGetAccess)(void *out, void *place, uint64_t p)
{
	const int32_t *l = place;
	struct block *b;
	INITIALIZED();
	if (!out || !l || l[0] < 1 || l[0] > 4)
		return INVALID_VALUE;
	if (l[0] == AT_DEVICE && l[1] != 0)
		return INVALID_DEVICE;
	pthread_mutex_lock(&lock);
	if (!(b = find_block(p)) || !b->memory)
		END_REFUSED(INVALID_VALUE, "no memory is mapped at the address");
	*(uint64_t *)out = l[0] == AT_DEVICE ? b->rights : 0; /* the host has none */
	END(SUCCESS);
}

/* forget_created forgets all memory; under the lock. */
static void forget_created(void)
{
	struct created *c;
	for (size_t i = 0; i < block_count; i++)
		if (blocks[i].memory)
			shows(blocks[i].base, blocks[i].size, blocks[i].base);
	while ((c = created)) {
		created = c->next;
		free(c);
	}
}
