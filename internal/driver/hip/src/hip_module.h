/* What programs register before main: bundles, kernels, variables. A bundle is loaded when it is first used, so that a
   program without a kernel for the device still starts. Modules that programs load themselves are those of the driver. */

struct bundle { /* of one object file */
	const void *image;
	void *module; /* NULL: not loaded */
	int error;    /* of the load */
	struct bundle *next;
};

struct entry { /* a kernel or a variable */
	const void *key; /* the address in the program */
	char *name;
	struct bundle *bundle;
	enum { KERNEL, VARIABLE, MANAGED, TEXTURE } kind;
	size_t size;
	void *function; /* KERNEL: its handle; NULL: not asked for */
	uint64_t address; /* VARIABLE, MANAGED: on the device; 0: not asked for */
	void **pointer; /* MANAGED: of the program */
	const void *initial;
	struct entry *next; /* with the same hash */
};

enum { BUCKETS = 4096 };

static struct bundle *bundles;
static struct entry *entries[BUCKETS];

static struct entry **bucket(const void *key) { return &entries[((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15ull >> 52]; }

static struct entry *find_entry(const void *key)
{
	struct entry *x = *bucket(key);
	while (x && x->key != key)
		x = x->next;
	return x;
}

static struct entry *add_entry(struct bundle *b, const void *key, const char *name, int kind, size_t size)
{
	struct entry *x = calloc(1, sizeof *x);
	if (!x || !(x->name = strdup(name))) {
		fprintf(stderr, "crosslane: out of memory for what the program registers\n");
		abort();
	}
	x->key = key, x->bundle = b, x->kind = kind, x->size = size;
	pthread_mutex_lock(&lock);
	x->next = *bucket(key), *bucket(key) = x;
	pthread_mutex_unlock(&lock);
	return x;
}

static void place_managed(struct entry *x);

#define HIPF 0x48495046 /* the magic number of a wrapper */

__attribute__((visibility("default"))) void **__hipRegisterFatBinary(const void *wrapper)
{
	struct { uint32_t magic, version; const void *image, *unused; } w;
	struct bundle *b = calloc(1, sizeof *b);
	memcpy(&w, wrapper, sizeof w);
	if (!b || w.magic != HIPF || w.version != 1) {
		fprintf(stderr, "crosslane: __hipRegisterFatBinary: the magic number of the bundle is %#x and its version %u; expected %#x and 1\n", w.magic, w.version, HIPF);
		free(b);
		return NULL;
	}
	b->image = w.image;
	pthread_mutex_lock(&lock);
	b->next = bundles, bundles = b;
	pthread_mutex_unlock(&lock);
	return (void **)b;
}

__attribute__((visibility("default"))) void __hipRegisterFunction(void **b, const void *key, char *stub, const char *name, uint32_t limit, void *tid, void *bid, void *block, void *grid, int *size)
{
	(void)stub, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)size;
	if (b)
		add_entry((struct bundle *)b, key, name, KERNEL, 0);
}

__attribute__((visibility("default"))) void __hipRegisterVar(void **b, void *key, char *stub, char *name, int external, size_t size, int constant, int global)
{
	(void)stub, (void)external, (void)constant, (void)global;
	if (b)
		add_entry((struct bundle *)b, key, name, VARIABLE, size);
}

__attribute__((visibility("default"))) void __hipRegisterManagedVar(void **b, void **pointer, void *initial, const char *name, size_t size, uint32_t align)
{
	struct entry *x;
	(void)align;
	if (!b)
		return;
	x = add_entry((struct bundle *)b, pointer, name, MANAGED, size);
	x->pointer = pointer, x->initial = initial;
	place_managed(x);
}

__attribute__((visibility("default"))) void __hipRegisterTexture(void **b, void *key, char *stub, char *name, int kind, int normalized, int external)
{
	(void)stub, (void)kind, (void)normalized, (void)external;
	if (b)
		add_entry((struct bundle *)b, key, name, TEXTURE, 0);
}

__attribute__((visibility("default"))) void __hipRegisterSurface(void **b, void *key, char *stub, char *name, int kind, int external)
{
	(void)stub, (void)kind, (void)external;
	if (b)
		add_entry((struct bundle *)b, key, name, TEXTURE, 0);
}

/* __hipUnregisterFatBinary runs when the program or a library of it ends. */
__attribute__((visibility("default"))) void __hipUnregisterFatBinary(void **handle)
{
	struct bundle *b = (struct bundle *)handle, **at;
	void *module;
	if (!b)
		return;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct entry **p = &entries[i], *x; (x = *p);) {
			if (x->bundle != b) {
				p = &x->next;
				continue;
			}
			*p = x->next;
			if (x->kind == MANAGED && x->address)
				CU(cuMemFree_v2)(x->address);
			free(x->name);
			free(x);
		}
	for (at = &bundles; *at && *at != b; at = &(*at)->next)
		;
	if (*at)
		*at = b->next;
	module = b->module;
	pthread_mutex_unlock(&lock);
	if (module && !enter("__hipUnregisterFatBinary"))
		CU(cuModuleUnload)(module);
	free(b);
}

/* forget_modules forgets the handles after a reset of the device; under no lock. */
static void forget_modules(void)
{
	pthread_mutex_lock(&lock);
	for (struct bundle *b = bundles; b; b = b->next)
		b->module = NULL, b->error = 0;
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct entry *x = entries[i]; x; x = x->next)
			x->function = NULL, x->address = x->kind == MANAGED ? x->address : 0;
	pthread_mutex_unlock(&lock);
}

/* place_managed gives a managed variable memory, when it is registered: main may use it at once. */
static void place_managed(struct entry *x)
{
	uint64_t p = 0;
	*x->pointer = (void *)x->initial; /* if there is no device */
	if (enter("__hipRegisterManagedVar") || CU(cuMemAllocManaged)(&p, x->size, 1))
		return;
	memcpy((void *)p, x->initial, x->size);
	*x->pointer = (void *)p;
	x->address = p;
}

/* link_managed gives a module the address of a managed variable: the variable of the name holds it. */
static int link_managed(const struct entry *x)
{
	uint64_t at = 0, size = 0;
	int e = CU(cuModuleGetGlobal_v2)(&at, &size, x->bundle->module, x->name);
	return status(e ? e : CU(cuMemcpyHtoD_v2)(at, (void *)&x->address, sizeof x->address));
}

/* own_entry returns the code object for the device of a bundle of more than 64 MiB, which the driver does not take at once
   (AMD's libraries have code for ten devices in a bundle). In all other cases it returns the image as it is: the driver chooses the
   entry, and names what is there. */
static const void *own_entry(const char *image)
{
	uint64_t count, at = 32, end = 0, field[3], found = 0;
	char room[256], want[260];
	size_t length;
	if (memcmp(image, "__CLANG_OFFLOAD_BUNDLE__", 24))
		return image;
	length = (size_t)snprintf(want, sizeof want, "--%s", architecture(room, sizeof room));
	memcpy(&count, image + 24, 8);
	if (count > 4096)
		return image;
	for (uint64_t i = 0; i < count; i++) {
		const char *name = image + at + sizeof field;
		memcpy(field, image + at, sizeof field);
		if (field[2] > 1024)
			return image;
		if (!found && field[1] > 0 && field[2] >= length && !memcmp(name + field[2] - length, want, length))
			found = field[0];
		if (field[0] + field[1] > end)
			end = field[0] + field[1];
		at += sizeof field + field[2];
	}
	return end > 64 << 20 && found ? image + found : image;
}

/* load_bundle loads the code object for the device; under the lock. The driver library prints why that fails. */
static int load_bundle(struct bundle *b)
{
	if (b->module || b->error)
		return b->error;
	b->error = status(CU(cuModuleLoadData)(&b->module, (void *)own_entry(b->image)));
	if (b->error == hipErrorInvalidKernelFile || b->error == hipErrorNotSupported)
		b->error = hipErrorNoBinaryForGpu;
	for (size_t i = 0; !b->error && i < BUCKETS; i++)
		for (struct entry *x = entries[i]; x && !b->error; x = x->next)
			if (x->bundle == b && x->kind == MANAGED)
				b->error = link_managed(x);
	return b->error;
}

/* function_of finds the kernel of a stub. */
static int function_of(const void *stub, void **out)
{
	struct entry *x;
	int e = hipSuccess;
	pthread_mutex_lock(&lock);
	x = find_entry(stub);
	if (!x || x->kind != KERNEL)
		e = hipErrorInvalidDeviceFunction;
	else if (!x->function && !(e = load_bundle(x->bundle)))
		if (CU(cuModuleGetFunction)(&x->function, x->bundle->module, x->name))
			e = hipErrorInvalidDeviceFunction;
	if (!e)
		*out = x->function;
	pthread_mutex_unlock(&lock);
	return e;
}

/* symbol_of finds the memory of a variable. Managed ones are known by the program's pointer. */
static int symbol_of(const void *key, uint64_t *address, size_t *size)
{
	struct entry *x;
	uint64_t n;
	int e = hipSuccess;
	pthread_mutex_lock(&lock);
	x = find_entry(key);
	if (!x || x->kind == KERNEL || x->kind == TEXTURE)
		e = hipErrorInvalidSymbol;
	else if (!x->address && !(e = load_bundle(x->bundle)) && !x->address)
		if (CU(cuModuleGetGlobal_v2)(&x->address, &n, x->bundle->module, x->name))
			e = hipErrorInvalidSymbol;
	if (!e)
		*address = x->address, *size = x->size;
	pthread_mutex_unlock(&lock);
	return e;
}

HIP(hipGetSymbolAddress)(void **out, const void *key)
{
	uint64_t p;
	size_t n;
	int e;
	ENTER();
	REQUIRE(out);
	if (!(e = symbol_of(key, &p, &n)))
		*out = (void *)p;
	return done(e);
}

HIP(hipGetSymbolSize)(size_t *out, const void *key)
{
	uint64_t p;
	ENTER();
	REQUIRE(out);
	return done(symbol_of(key, &p, out));
}

HIP(hipGetFuncBySymbol)(void **out, const void *stub) { ENTER(); REQUIRE(out); return done(function_of(stub, out)); }

/* ---- modules that the program loads ---- */

/* loaded is the result of a load in terms of HIP. */
static int loaded(int e)
{
	e = status(e);
	return e == hipErrorInvalidKernelFile || e == hipErrorNotSupported ? hipErrorNoBinaryForGpu : e;
}

HIP(hipModuleLoadData)(void **out, const void *image) { ENTER(); REQUIRE(out && image); return done(loaded(CU(cuModuleLoadData)(out, (void *)image))); }
HIP(hipModuleLoadFatBinary)(void **out, const void *image) { return hipModuleLoadData(out, image); }
HIP(hipModuleLoad)(void **out, const char *file) { ENTER(); REQUIRE(out && file); return done(loaded(CU(cuModuleLoad)(out, (void *)file))); }

HIP(hipModuleLoadDataEx)(void **out, const void *image, uint32_t n, int *options, void **values)
{
	(void)n, (void)options, (void)values; /* options of compilers: a code object is compiled already */
	return hipModuleLoadData(out, image);
}

HIP(hipModuleUnload)(void *module) { ENTER(); RETURN(CU(cuModuleUnload)(module)); }
HIP(hipModuleGetFunction)(void **out, void *module, const char *name) { ENTER(); REQUIRE(out && name); RETURN(CU(cuModuleGetFunction)(out, module, (void *)name)); }
HIP(hipModuleGetFunctionCount)(uint32_t *out, void *module) { ENTER(); RETURN(CU(cuModuleGetFunctionCount)(out, module)); }
HIP(hipModuleGetGlobal)(void **out, size_t *size, void *module, const char *name) { ENTER(); REQUIRE(name); RETURN(CU(cuModuleGetGlobal_v2)(out, size, module, (void *)name)); }
HIP(hipLibraryUnload)(void *library) { ENTER(); RETURN(CU(cuLibraryUnload)(library)); }
HIP(hipLibraryGetKernel)(void **out, void *library, const char *name) { ENTER(); REQUIRE(out && name); RETURN(CU(cuLibraryGetKernel)(out, library, (void *)name)); }
HIP(hipLibraryGetKernelCount)(uint32_t *out, void *library) { ENTER(); RETURN(CU(cuLibraryGetKernelCount)(out, library)); }

HIP(hipLibraryLoadData)(void **out, const void *image, int *a, void **b, uint32_t c, int *d, void **e, uint32_t f)
{
	(void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
	ENTER();
	REQUIRE(out && image);
	return done(loaded(CU(cuLibraryLoadData)(out, (void *)image, NULL, NULL, 0, NULL, NULL, 0)));
}

HIP(hipLibraryLoadFromFile)(void **out, const char *file, int *a, void **b, uint32_t c, int *d, void **e, uint32_t f)
{
	(void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
	ENTER();
	REQUIRE(out && file);
	return done(loaded(CU(cuLibraryLoadFromFile)(out, (void *)file, NULL, NULL, 0, NULL, NULL, 0)));
}

/* ---- facts of kernels ---- */

HIP(hipFuncGetAttribute)(int *out, int n, void *f) { ENTER(); RETURN(CU(cuFuncGetAttribute)(out, (uint32_t)n, f)); }

HIP(hipFuncGetAttributes)(void *out, const void *stub)
{
	struct { int binary, cache; size_t constants, local; int dynamic, threads, registers, carveout, ptx; size_t shared; } a = { 0 };
	void *f;
	int v, e;
	ENTER();
	REQUIRE(out);
	if ((e = function_of(stub, &f)))
		return done(e);
	if ((e = CU(cuFuncGetAttribute)(&a.threads, 0, f)))
		RETURN(e);
	CU(cuFuncGetAttribute)(&v, 1, f), a.shared = (size_t)v;
	CU(cuFuncGetAttribute)(&v, 2, f), a.constants = (size_t)v;
	CU(cuFuncGetAttribute)(&v, 3, f), a.local = (size_t)v;
	CU(cuFuncGetAttribute)(&a.registers, 4, f);
	CU(cuFuncGetAttribute)(&a.dynamic, 8, f);
	generation(&a.binary, &v, &e);
	a.binary = a.binary * 10 + v, a.ptx = a.binary;
	memcpy(out, &a, sizeof a);
	return done(hipSuccess);
}

HIP(hipFuncSetAttribute)(const void *stub, int n, int value)
{
	void *f;
	int e;
	ENTER();
	if ((e = function_of(stub, &f)))
		return done(e);
	RETURN(CU(cuFuncSetAttribute)(f, (uint32_t)n, value));
}

HIP(hipFuncSetCacheConfig)(const void *stub, int config) { void *f; ENTER(); (void)config; return done(function_of(stub, &f)); }
HIP(hipFuncSetSharedMemConfig)(const void *stub, int config) { return hipFuncSetCacheConfig(stub, config); }
HIP_TEXT(hipKernelNameRef)(void *f) { char *name = NULL; return f && !enter(__func__) && !CU(cuFuncGetName)(&name, f) ? name : NULL; }

HIP_TEXT(hipKernelNameRefByPtr)(const void *stub, void *stream)
{
	void *f;
	(void)stream;
	return enter(__func__) || function_of(stub, &f) ? NULL : hipKernelNameRef(f);
}

HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(int *out, void *f, int lanes, size_t shared, uint32_t flags)
{
	ENTER();
	(void)flags;
	RETURN(CU(cuOccupancyMaxActiveBlocksPerMultiprocessor)(out, f, lanes, shared));
}

HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor)(int *out, void *f, int lanes, size_t shared)
{
	return hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, f, lanes, shared, 0);
}

HIP(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(int *out, const void *stub, int lanes, size_t shared, uint32_t flags)
{
	void *f;
	int e;
	ENTER();
	(void)flags;
	if ((e = function_of(stub, &f)))
		return done(e);
	RETURN(CU(cuOccupancyMaxActiveBlocksPerMultiprocessor)(out, f, lanes, shared));
}

HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor)(int *out, const void *stub, int lanes, size_t shared)
{
	return hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, stub, lanes, shared, 0);
}

HIP(hipModuleOccupancyMaxPotentialBlockSizeWithFlags)(int *grid, int *block, void *f, size_t shared, int limit, uint32_t flags)
{
	ENTER();
	(void)flags;
	RETURN(CU(cuOccupancyMaxPotentialBlockSize)(grid, block, f, NULL, shared, limit));
}

HIP(hipModuleOccupancyMaxPotentialBlockSize)(int *grid, int *block, void *f, size_t shared, int limit)
{
	return hipModuleOccupancyMaxPotentialBlockSizeWithFlags(grid, block, f, shared, limit, 0);
}

HIP(hipOccupancyMaxPotentialBlockSize)(int *grid, int *block, const void *stub, size_t shared, int limit)
{
	void *f;
	int e;
	ENTER();
	if ((e = function_of(stub, &f)))
		return done(e);
	RETURN(CU(cuOccupancyMaxPotentialBlockSize)(grid, block, f, NULL, shared, limit));
}
