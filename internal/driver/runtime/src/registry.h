/* Fat binaries, kernels and variables of the program.

   The start-up code of each translation unit registers them, before main or when a library is opened. That only notes them.
   A fat binary is loaded when a kernel or a variable of it is first used. It is loaded as a library of the driver, which
   belongs to no context. cudaDeviceReset unloads it; the next use loads it again, so variables have their first values. */

struct wrapper { uint32_t magic, version; const void *data; const void *const *objects; }; /* what __cudaRegisterFatBinary is given */

struct binary {
	const struct wrapper *wrapper;
	void *library; /* NULL: it is not loaded */
	int error;     /* why it cannot be loaded */
	struct symbol *symbols;
	struct binary *next;
};

struct symbol { /* a kernel or a variable; the address in the program stands for it */
	const void *host;
	struct binary *binary;
	const char *name;
	int is_kernel;
	size_t size;         /* of a variable, as it was registered */
	void **managed;      /* of a managed variable: where the program keeps its address */
	void *kernel;        /* its handle; NULL: not asked for yet */
	struct symbol *same; /* in the table, with the same hash */
	struct symbol *next; /* of the binary */
};

enum { BUCKETS = 4096, LOG = 4096 };

int crosslane_unusable(const void *image) __attribute__((weak)); /* of Crosslane's driver library */
int crosslane_place(uint32_t n, const char *const *names, void *const *addresses) __attribute__((weak));

/* What the headers of crosslane toolchain put into a section is managed: the program has the variable itself, and the
   driver library puts the memory of the device there. */
struct section { const char *from, *to; struct section *next; };

static struct section *sections; /* of the program and of its libraries */

static struct symbol *table[BUCKETS];
static struct binary *binaries;

static struct symbol **bucket(const void *host)
{
	uint64_t h = (uint64_t)host * 0x9e3779b97f4a7c15ull;
	return &table[h >> 52];
}

API void **__cudaRegisterFatBinary(void *wrapper)
{
	struct binary *b = calloc(1, sizeof *b);
	if (!b)
		return NULL;
	b->wrapper = wrapper;
	pthread_mutex_lock(&lock);
	b->next = binaries, binaries = b;
	pthread_mutex_unlock(&lock);
	return (void **)b;
}

static void load_managed(void);

API void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; load_managed(); }

static void add_symbol(void **handle, const void *host, const char *name, int is_kernel, size_t size, void **managed)
{
	struct symbol *s = handle ? calloc(1, sizeof *s) : NULL;
	if (!s)
		return;
	s->host = host, s->binary = (struct binary *)handle, s->name = name, s->is_kernel = is_kernel, s->size = size, s->managed = managed;
	pthread_mutex_lock(&lock);
	s->next = s->binary->symbols, s->binary->symbols = s;
	s->same = *bucket(host), *bucket(host) = s;
	pthread_mutex_unlock(&lock);
}

API void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int32_t limit, void *tid, void *bid, void *block, void *grid, void *warp)
{
	(void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
	add_symbol(handle, host, name, 1, 0, NULL);
}

API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int32_t external, size_t size, int32_t constant, int32_t global)
{
	(void)device, (void)external, (void)constant, (void)global;
	add_symbol(handle, host, name, 0, size, NULL);
}

API void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int32_t external, size_t size, int32_t constant, int32_t global)
{
	(void)device, (void)external, (void)constant, (void)global;
	add_symbol(handle, host, name, 0, size, host);
}

/* unload gives the memory of a binary back; under the lock. */
static void unload(struct binary *b)
{
	if (b->library)
		cuLibraryUnload(b->library);
	b->library = NULL, b->error = SUCCESS;
	for (struct symbol *s = b->symbols; s; s = s->next)
		s->kernel = NULL;
}

API void __cudaUnregisterFatBinary(void **handle)
{
	struct binary *b = (struct binary *)handle, **at;
	if (!b)
		return;
	pthread_mutex_lock(&lock);
	for (at = &binaries; *at && *at != b; at = &(*at)->next)
		;
	if (!*at) { /* it was given back before */
		pthread_mutex_unlock(&lock);
		return;
	}
	*at = b->next;
	unload(b);
	while (b->symbols) {
		struct symbol *s = b->symbols, **same = bucket(s->host);
		while (*same != s)
			same = &(*same)->same;
		*same = s->same;
		b->symbols = s->next;
		free(s);
	}
	pthread_mutex_unlock(&lock);
	free(b);
}

/* link_objects links the fat binaries of relocatable code: a wrapper of version 2 has those of the linker's inputs. The
   options are those of the linker's log. */
static int link_objects(struct binary *b, int32_t *options, void **values)
{
	void *linker = NULL, *image = NULL;
	uint64_t size = 0;
	int e = cuLinkCreate_v2(2, options, values, &linker);
	for (const void *const *o = b->wrapper->objects; !e && *o; o++) {
		uint16_t head;
		uint64_t bytes;
		memcpy(&head, (const char *)*o + 6, sizeof head);
		memcpy(&bytes, (const char *)*o + 8, sizeof bytes);
		e = cuLinkAddData_v2(linker, 2, (void *)*o, head + bytes, NULL, 0, NULL, NULL);
	}
	if (!e)
		e = cuLinkComplete(linker, &image, &size);
	if (!e) {
		values[1] = (void *)(size_t)LOG;
		e = cuLibraryLoadData(&b->library, image, options, values, 2, NULL, NULL, 0);
	}
	if (linker)
		cuLinkDestroy(linker);
	return e;
}

/* in_section reports whether a symbol is a managed variable that the program has itself; under the lock. */
static int in_section(const struct symbol *s)
{
	const struct section *x = sections;
	const char *p = s->host;
	while (!s->is_kernel && x && !(p >= x->from && p < x->to))
		x = x->next;
	return !s->is_kernel && x != NULL;
}

/* place_variables names the managed variables of a binary that the program has itself; under the lock. The caller frees the list
   when the binary is loaded. */
static int place_variables(const struct binary *b, void **list)
{
	uint32_t n = 0, i = 0;
	const char **names;
	void **addresses;
	*list = NULL;
	for (const struct symbol *s = b->symbols; s; s = s->next)
		n += (uint32_t)in_section(s);
	if (n == 0)
		return SUCCESS;
	if (!crosslane_place || !(*list = names = malloc(n * (sizeof *names + sizeof *addresses))))
		return NOT_SUPPORTED;
	addresses = (void **)(names + n);
	for (const struct symbol *s = b->symbols; s; s = s->next)
		if (in_section(s))
			names[i] = s->name, addresses[i++] = (void *)s->host;
	return crosslane_place(n, names, addresses) ? SUCCESS : NOT_SUPPORTED;
}

/* load makes a binary ready; under the lock, and with a device. Why it cannot be loaded is said once: by a finding, or on
   standard error. */
static int load(struct binary *b)
{
	static char log[LOG]; /* under the lock */
	int32_t options[] = { 5, 6 }; /* the log of errors and its size */
	void *values[] = { log, (void *)sizeof log };
	const struct wrapper *w = b->wrapper;
	void *list;
	if (b->library || b->error)
		return b->error;
	log[0] = 0;
	if ((b->error = place_variables(b, &list))) {
		free(list);
		fprintf(stderr, "crosslane: the driver library does not know __managed__ variables of clang, or there are more than 4096\n");
		return b->error;
	}
	if (w->version >= 2 && w->objects && *w->objects)
		b->error = link_objects(b, options, values);
	else
		b->error = cuLibraryLoadData(&b->library, (void *)w, options, values, 2, NULL, NULL, 0);
	free(list);
	if (b->error) {
		b->library = NULL;
		if (!(crosslane_unusable && crosslane_unusable(w)) && log[0])
			fprintf(stderr, "crosslane: %s", log);
		return b->error;
	}
	for (struct symbol *s = b->symbols; s; s = s->next) {
		void *p;
		size_t n;
		if (s->managed && !cuLibraryGetManaged(&p, &n, b->library, (void *)s->name))
			*s->managed = p;
	}
	return SUCCESS;
}

/* __cudaInitModule is called before the program touches a managed variable. */
API char __cudaInitModule(void **handle)
{
	struct binary *b = (struct binary *)handle;
	int e = SUCCESS;
	if (!b)
		return 0;
	pthread_mutex_lock(&lock);
	for (struct symbol *s = b->symbols; s; s = s->next)
		if (s->managed) {
			pthread_mutex_unlock(&lock);
			e = enter();
			pthread_mutex_lock(&lock);
			e = e ? e : load(b);
			break;
		}
	pthread_mutex_unlock(&lock);
	fail(e);
	return e == SUCCESS;
}

/* load_managed loads each binary that has managed variables of the program, before the program touches them. */
static void load_managed(void)
{
	struct binary *b;
	struct symbol *s;
	int e = SUCCESS;
	pthread_mutex_lock(&lock);
	do {
		for (b = binaries, s = NULL; b && !s; b = s ? b : b->next)
			for (s = b->library || b->error ? NULL : b->symbols; s && !in_section(s); s = s->next)
				;
		if (s) {
			pthread_mutex_unlock(&lock);
			e = enter();
			pthread_mutex_lock(&lock);
			e = e ? e : load(s->binary);
		}
	} while (s && !e);
	pthread_mutex_unlock(&lock);
	fail(e);
}

/* __cudaCrosslaneManaged is called by the start-up code of a program or a library that the headers of crosslane toolchain have
   given a section for managed variables, and when the library is closed, with an empty section. */
API void __cudaCrosslaneManaged(const char *from, const char *to)
{
	struct section *x, **at;
	pthread_mutex_lock(&lock);
	for (at = &sections; (x = *at) && x->from != from; at = &x->next)
		;
	if (x && from == to) {
		*at = x->next;
		free(x);
	} else if (!x && from < to && (x = malloc(sizeof *x))) {
		x->from = from, x->to = to, x->next = sections, sections = x;
	}
	pthread_mutex_unlock(&lock);
	load_managed();
}

/* find returns what is registered for an address; under the lock. */
static struct symbol *find(const void *host, int is_kernel)
{
	struct symbol *s;
	for (s = *bucket(host); s && (s->host != host || s->is_kernel != is_kernel); s = s->same)
		;
	return s;
}

/* find_variable is find for a variable; a managed one can also be named by its address. */
static struct symbol *find_variable(const void *host)
{
	struct symbol *s = find(host, 0);
	for (struct binary *b = binaries; b && !s; b = b->next)
		for (s = b->symbols; s && !(s->managed && *s->managed == host && b->library); s = s->next)
			;
	return s;
}

/* kernel_of returns the kernel that an address of the program stands for. The handle of a kernel stands for itself. */
static int kernel_of(const void *host, void **kernel)
{
	struct symbol *s;
	char *name;
	int e = SUCCESS;
	*kernel = NULL;
	if (!host)
		return INVALID_DEVICE_FUNCTION;
	pthread_mutex_lock(&lock);
	if ((s = find(host, 1))) {
		if (!s->kernel && !(e = load(s->binary)))
			e = cuLibraryGetKernel(&s->kernel, s->binary->library, (void *)s->name);
		*kernel = s->kernel;
	}
	pthread_mutex_unlock(&lock);
	if (!s && (crosslane_is_function ? crosslane_is_function((void *)host) : !cuKernelGetName(&name, (void *)host))) {
		*kernel = (void *)host;
		return SUCCESS;
	}
	return !s || e == SYMBOL_NOT_FOUND ? INVALID_DEVICE_FUNCTION : e;
}

/* host_of is the reverse of kernel_of. */
static void *host_of(void *kernel)
{
	const void *host = kernel;
	pthread_mutex_lock(&lock);
	for (struct binary *b = binaries; b; b = b->next)
		for (struct symbol *s = b->symbols; s; s = s->next)
			if (s->kernel == kernel && s->is_kernel && kernel)
				host = s->host;
	pthread_mutex_unlock(&lock);
	return (void *)host;
}

/* variable_of returns the address and the size of a variable on the device. */
static int variable_of(const void *host, uint64_t *p, size_t *size)
{
	struct symbol *s;
	int e = INVALID_SYMBOL;
	if (!host)
		return INVALID_SYMBOL;
	pthread_mutex_lock(&lock);
	if ((s = find_variable(host)) && !(e = load(s->binary))) {
		e = s->managed ? cuLibraryGetManaged(p, size, s->binary->library, (void *)s->name)
		               : cuLibraryGetGlobal(p, size, s->binary->library, (void *)s->name);
		e = e == SYMBOL_NOT_FOUND ? INVALID_SYMBOL : e;
	}
	pthread_mutex_unlock(&lock);
	return e;
}

/* no_variable returns the error of variable_of. */
static int no_variable(int e) { return e == INVALID_SYMBOL ? refused(e, "the symbol is no variable of the device that the program has registered") : fail(e); }

API int cudaGetSymbolAddress(void **p, const void *symbol)
{
	uint64_t address = 0;
	size_t size;
	int e;
	WANT(p);
	ENTER();
	if ((e = variable_of(symbol, &address, &size)))
		return no_variable(e);
	*p = (void *)address;
	return SUCCESS;
}

API int cudaGetSymbolSize(size_t *size, const void *symbol)
{
	uint64_t address;
	int e;
	WANT(size);
	ENTER();
	e = variable_of(symbol, &address, size);
	return e ? no_variable(e) : SUCCESS;
}

/* unload_all is for cudaDeviceReset. */
static void unload_all(void)
{
	pthread_mutex_lock(&lock);
	for (struct binary *b = binaries; b; b = b->next)
		unload(b);
	primary = NULL;
	pthread_mutex_unlock(&lock);
}

API void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size) { (void)handle, (void)name, (void)host, (void)size; }
#if CUDART_MAJOR == 11
API void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int32_t dim, int32_t norm, int32_t external) { (void)handle, (void)host, (void)device, (void)name, (void)dim, (void)norm, (void)external; }
API void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int32_t dim, int32_t external) { (void)handle, (void)host, (void)device, (void)name, (void)dim, (void)external; }
#endif
