/* Memory of the host that kernels may use (cuMemHostRegister). The pages of the range are replaced by pages of the shared
   memory with the same bytes, so the host, kernels and copies see the same bytes at all times. Kernels use another
   address than the host. cuMemHostUnregister replaces the pages by private memory with the bytes that they have then.

   Pages are replaced some at a time. What another thread writes into a page at that very moment may be lost: register and
   unregister memory while other threads do not write it, nor anything else in its first and last page. A child of
   fork shares registered memory with its parent. */

#include <ucontext.h>

enum { ALREADY_REGISTERED = 712, NOT_REGISTERED = 713, CHUNK = 64 << 10 };

struct pages { /* pages of the host that are shared memory now */
	uint64_t first, n; /* address of the host, bytes */
	uint64_t device;   /* address of the first byte for kernels */
	int users;         /* registrations */
	struct pages *next;
};

struct registration {
	uint64_t host, n, device;
	uint32_t flags;
	uint64_t id;
	struct context *context;
	struct pages *pages;
	struct registration *next;
};

static struct pages *host_pages;
static struct registration *registrations;
static pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER; /* taken before the lock */

/* find_registration returns the registration that holds an address, of the host or of the device; under the lock. */
static struct registration *find_registration(uint64_t p)
{
	struct registration *r;
	for (r = registrations; r && p - r->host >= r->n && p - r->device >= r->n; r = r->next)
		;
	return r;
}

static uint64_t registered_offset(uint64_t p, const struct registration *r) { return p - r->host < r->n ? p - r->host : p - r->device; }
static uint64_t registered_pointer(uint64_t p, const struct registration *r) { return r->device + registered_offset(p, r); }
static uint32_t registered_flags(const struct registration *r) { return r->flags | 2; }

static int registered_attribute(void *out, int attribute, uint64_t p, const struct registration *r)
{
	switch (attribute) {
	case 1: *(void **)out = r->context; return SUCCESS;
	case 2: *(uint32_t *)out = 1; return SUCCESS;
	case 3: *(uint64_t *)out = registered_pointer(p, r); return SUCCESS;
	case 4: *(uint64_t *)out = r->host + registered_offset(p, r); return SUCCESS;
	case 7: *(uint64_t *)out = r->id; return SUCCESS;
	case 9: *(int32_t *)out = 0; return SUCCESS;
	case 11: *(uint64_t *)out = r->device; return SUCCESS;
	case 12: *(uint64_t *)out = r->n; return SUCCESS;
	case 13: *(uint8_t *)out = 1; return SUCCESS;
	case 6: case 8: case 10: *(uint8_t *)out = 0; return SUCCESS;
	case 14: *(uint32_t *)out = 0; return SUCCESS;
	case 15: case 16: case 17: *(uint64_t *)out = 0; return SUCCESS;
	}
	return INVALID_VALUE;
}

/* ---- mappings of the process ---- */

struct mapping { uint64_t from, to; int access, usable, shared, stack; };

/* mappings lists the mappings of a range, and returns their number; the caller frees the list. usable says that the pages
   may be replaced: they are private, and no code; shared, that they are pages of the shared memory; stack, that they are
   the stack of the first thread. *complete becomes 0 if some of the range is not mapped, or if there is no memory for the list. */
static int mappings(uint64_t from, uint64_t to, struct mapping **out, int *complete)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	int n = 0, room = 0;
	uint64_t reached = from;

	*out = NULL, *complete = 1;
	while (f && reached < to && fgets(line, sizeof line, f)) {
		unsigned long a, b;
		char mode[8];
		struct mapping m;
		if (sscanf(line, "%lx-%lx %4s", &a, &b, mode) != 3 || b <= from || a >= to)
			continue;
		if (a > reached)
			*complete = 0;
		m.from = a > reached ? a : reached, m.to = b < to ? b : to;
		m.access = (mode[0] == 'r' ? PROT_READ : 0) | (mode[1] == 'w' ? PROT_WRITE : 0);
		m.usable = mode[0] == 'r' && mode[2] != 'x' && mode[3] == 'p';
		m.shared = mode[3] == 's' && strstr(line, "/memfd:crosslane") != NULL;
		m.stack = strstr(line, "[stack]") != NULL;
		reached = m.to;
		if (n == room) {
			struct mapping *grown = realloc(*out, (size_t)(room = room * 2 + 8) * sizeof m);
			if (!grown) {
				*complete = 0;
				break;
			}
			*out = grown;
		}
		(*out)[n++] = m;
	}
	if (reached < to)
		*complete = 0;
	if (f)
		fclose(f);
	return n;
}

/* make_shared replaces pages by pages of the shared memory, at an offset of its file. */
static int make_shared(const struct mapping *m, uint64_t offset)
{
	for (uint64_t at_p = m->from; at_p < m->to; at_p += CHUNK, offset += CHUNK) {
		size_t n = m->to - at_p < CHUNK ? m->to - at_p : CHUNK;
		memcpy(alias + offset, (void *)at_p, n);
		if (mmap((void *)at_p, n, m->access, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, memory_file, (off_t)offset) == MAP_FAILED)
			return OUT_OF_MEMORY;
	}
	return SUCCESS;
}

/* make_private replaces shared pages by private ones with the same bytes. */
static int make_private(const struct mapping *m, uint64_t offset)
{
	for (uint64_t at_p = m->from; at_p < m->to; at_p += CHUNK, offset += CHUNK) {
		size_t n = m->to - at_p < CHUNK ? m->to - at_p : CHUNK;
		void *own = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (own == MAP_FAILED)
			return OUT_OF_MEMORY;
		memcpy(own, alias + offset, n);
		if ((!(m->access & PROT_WRITE) && mprotect(own, n, m->access)) ||
			mremap(own, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)at_p) == MAP_FAILED) {
			munmap(own, n);
			return OUT_OF_MEMORY;
		}
	}
	return SUCCESS;
}

/* The pages are changed on a stack of its own, because that of the caller may be among them. */
static struct { /* under the lock of registrations */
	const struct mapping *list;
	int n, back, e;
	uint64_t first, offset;
	ucontext_t before, inside;
} job;

static void change(void)
{
	for (int i = 0; i < job.n && !job.e; i++) {
		const struct mapping *m = &job.list[i];
		if (!job.back)
			job.e = make_shared(m, job.offset + (m->from - job.first));
		else if (m->shared) /* the host may have unmapped it meanwhile */
			job.e = make_private(m, job.offset + (m->from - job.first));
	}
}

/* grow makes the stack of the first thread larger: it does not grow beyond pages that were replaced. */
static __attribute__((noinline)) void grow(void)
{
	volatile char room[512 << 10];
	for (size_t i = 0; i < sizeof room; i += 4096)
		room[i] = 0;
	(void)room[0];
}

static int change_pages(const struct mapping *list, int n, int back, uint64_t first, uint64_t device)
{
	void *own = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (own == MAP_FAILED)
		return OUT_OF_MEMORY;
	for (int i = 0; i < n; i++)
		if (list[i].stack)
			grow();
	job.list = list, job.n = n, job.back = back, job.e = SUCCESS, job.first = first, job.offset = device - BASE;
	getcontext(&job.inside);
	job.inside.uc_stack.ss_sp = own, job.inside.uc_stack.ss_size = CHUNK, job.inside.uc_link = &job.before;
	makecontext(&job.inside, change, 0);
	swapcontext(&job.before, &job.inside);
	munmap(own, CHUNK);
	return job.e;
}

/* ---- the calls ---- */

/* ask_register makes the allocation on the device: at an address, or in new pages if it is 0. */
static int ask_register(uint64_t address, uint64_t offset, uint64_t n, uint64_t *out)
{
	int e;
	note_callers();
	BEGIN(REGISTER);
	put64(address), put32((uint32_t)offset), put64(n);
	if (!(e = transact()))
		*out = get64();
	END(e);
}

static int register_host(uint64_t p, uint64_t n, uint32_t flags)
{
	uint64_t first = p & ~4095ull, last = (p + n + 4095) & ~4095ull, device;
	struct pages *g;
	struct registration *r;
	struct mapping *list;
	int count, complete, e;

	for (r = registrations; r; r = r->next)
		if (p < r->host + r->n && r->host < p + n)
			return ALREADY_REGISTERED;
	for (g = host_pages; g && !(first < g->first + g->n && g->first < last); g = g->next)
		;
	if (in_arena(p, 1) || (g && (first < g->first || last > g->first + g->n)))
		return ALREADY_REGISTERED; /* a page can be shared memory once */
	if (!(r = calloc(1, sizeof *r)))
		return OUT_OF_MEMORY;
	if (g) {
		if ((e = ask_register(g->device + (p - g->first), 0, n, &device))) {
			free(r);
			return e;
		}
	} else {
		count = mappings(first, last, &list, &complete);
		e = complete ? SUCCESS : INVALID_VALUE;
		for (int i = 0; i < count; i++)
			if (!list[i].usable)
				e = NOT_SUPPORTED;
		if (!e && !(g = calloc(1, sizeof *g)))
			e = OUT_OF_MEMORY;
		if (!e && !(e = ask_register(0, p - first, n, &device)) && (e = change_pages(list, count, 0, first, device - (p - first)))) {
			free(list);
			count = mappings(first, last, &list, &complete);
			change_pages(list, count, 1, first, device - (p - first));
			release(device, 0, NULL);
		}
		free(list);
		if (e) {
			free(g);
			free(r);
			return e;
		}
		g->first = first, g->n = last - first, g->device = device - (p - first), g->next = host_pages, host_pages = g;
	}
	g->users++;
	pthread_mutex_lock(&lock);
	r->host = p, r->n = n, r->device = device, r->flags = flags, r->pages = g, r->context = current();
	add_block(device, n, REGISTERED, NULL);
	r->id = block_ids;
	r->next = registrations, registrations = r;
	END(SUCCESS);
}

int EXPORT(cuMemHostRegister_v2)(void *p, uint64_t n, uint32_t flags)
{
	int e;
	WITH_CONTEXT();
	if (!p || n == 0 || n > SIZE || flags & ~15u)
		return INVALID_VALUE;
	if (flags & 4)
		return NOT_SUPPORTED; /* memory of other devices */
	pthread_mutex_lock(&registering);
	e = register_host((uint64_t)p, n, flags);
	if (e == NOT_SUPPORTED)
		fprintf(stderr, "crosslane: cuMemHostRegister of %p: only private memory without code can be registered; a mapping of a file that is shared cannot\n", p);
	pthread_mutex_unlock(&registering);
	return e;
}

int EXPORT(cuMemHostRegister)(void *p, uint64_t n, uint32_t flags) { return EXPORT(cuMemHostRegister_v2)(p, n, flags); }

static int unregister_host(uint64_t p)
{
	struct registration *r, **at_r;
	struct pages *g, **at_g;
	struct mapping *list;
	int e, count, complete;

	for (at_r = &registrations; (r = *at_r) && r->host != p; at_r = &r->next)
		;
	if (!r)
		return NOT_REGISTERED;
	BEGIN(SYNCHRONIZE); /* kernels may still use it */
	e = transact();
	pthread_mutex_unlock(&lock);
	g = r->pages;
	if (--g->users == 0) {
		count = mappings(g->first, g->first + g->n, &list, &complete); /* what is left of it, if the host has unmapped some */
		change_pages(list, count, 1, g->first, g->device);
		free(list);
		for (at_g = &host_pages; *at_g != g; at_g = &(*at_g)->next)
			;
		*at_g = g->next;
		free(g);
	}
	pthread_mutex_lock(&lock);
	*at_r = r->next;
	pthread_mutex_unlock(&lock);
	p = r->device;
	free(r);
	return e ? (release(p, 0, NULL), e) : release(p, 0, NULL);
}

int EXPORT(cuMemHostUnregister)(void *p)
{
	int e;
	WITH_CONTEXT();
	if (!p)
		return INVALID_VALUE;
	pthread_mutex_lock(&registering);
	e = unregister_host((uint64_t)p);
	pthread_mutex_unlock(&registering);
	return e;
}

/* unregister_all unregisters what was registered in a context, or everything if it is NULL: the pages become private
   before the shared memory behind them is given back. It must not be called under the lock. */
static void unregister_all(struct context *c)
{
	struct registration *r;
	pthread_mutex_lock(&registering);
	for (;;) {
		for (r = registrations; r && c && r->context != c; r = r->next)
			;
		if (!r)
			break;
		unregister_host(r->host);
	}
	pthread_mutex_unlock(&registering);
}
