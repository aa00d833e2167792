/* Modules, functions, linking and launches. */

/* ---- options of just-in-time compilers ---- */

/* jit_options finds the logs and the limit of registers. The sizes of logs are passed as values in the list of pointers. */
static struct jit jit_options(uint32_t n, void *options, void *values)
{
	struct jit j = { .values = values, .info_at = n, .error_at = n };
	for (uint32_t i = 0; i < n && options && values; i++) {
		void *v = ((void **)values)[i];
		switch (((int32_t *)options)[i]) {
		case 0: j.registers = (uint32_t)(size_t)v; break;
		case 3: j.info = v; break;
		case 4: j.info_size = (uint32_t)(size_t)v, j.info_at = i; break;
		case 5: j.error = v; break;
		case 6: j.error_size = (uint32_t)(size_t)v, j.error_at = i; break;
		}
	}
	return j;
}

/* jit_log writes a text to the log of infos or of errors, and the number of bytes written to its option. */
static void jit_log(struct jit *j, int is_error, const char *text, uint32_t n)
{
	char *log = is_error ? j->error : j->info;
	size_t size = is_error ? j->error_size : j->info_size;
	uint32_t at_option = is_error ? j->error_at : j->info_at;
	if (!log || size == 0)
		return;
	if (n > size - 1)
		n = (uint32_t)size - 1;
	memcpy(log, text, n);
	log[n] = 0;
	if (j->values && (is_error ? j->error_size : j->info_size))
		((size_t *)j->values)[at_option] = n;
}

/* ---- images ---- */

/* mapped_size is how many bytes there are from an address to the end of the segment of a loaded file, or a great number. */
struct segment { const unsigned char *p; size_t left; };

static int in_segment(struct dl_phdr_info *info, size_t size, void *data)
{
	struct segment *s = data;
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const unsigned char *begin = (unsigned char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		if (info->dlpi_phdr[i].p_type == PT_LOAD && s->p >= begin && s->p < begin + info->dlpi_phdr[i].p_filesz)
			s->left = (size_t)(begin + info->dlpi_phdr[i].p_filesz - s->p);
	}
	return s->left > 0 && s->left != (size_t)-1;
}

static size_t mapped_size(const unsigned char *p)
{
	struct segment s = { p, (size_t)-1 };
	dl_iterate_phdr(in_segment, &s);
	return s.left;
}

/* bundle_size is the length of a bundle of code objects (Clang documentation, "Clang Offload Bundler"): 24 bytes of magic,
   the number of entries, and for each its offset, its size, the length of its name, and the name. A compressed bundle has
   its length in its head from version 2 on; one of version 1 ends with its file at the latest. 0: it makes no sense. */
static size_t bundle_size(const unsigned char *p)
{
	size_t most = mapped_size(p), at = 32, end = 32;
	uint64_t count;
	if (!memcmp(p, "CCOB", 4)) {
		uint16_t version;
		uint32_t small;
		uint64_t large;
		memcpy(&version, p + 4, 2), memcpy(&small, p + 8, 4), memcpy(&large, p + 8, 8);
		return version == 1 ? (most == (size_t)-1 ? 0 : most) : version == 2 ? small : large;
	}
	memcpy(&count, p + 24, 8);
	if (count > 4096)
		return 0;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t field[3];
		memcpy(field, p + at, sizeof field);
		if (field[2] > 1024 || field[0] > most || field[1] > most - field[0])
			return 0;
		at += sizeof field + field[2];
		if (field[0] + field[1] > end)
			end = field[0] + field[1];
	}
	return end > at ? end : at;
}

/* image_size finds the length of an image, which hosts do not give: PTX ends with a zero byte; a fat binary has its
   length in its head; an ELF file, in the place of its section table. A wrapper points at a fat binary. */
static size_t image_size(const void **image)
{
	const unsigned char *p = *image;
	uint32_t magic;
	memcpy(&magic, p, 4);
	if (magic == 0x466243b1) { /* a wrapper */
		memcpy(&p, p + 8, 8);
		*image = p;
		memcpy(&magic, p, 4);
	}
	if (magic == 0xba55ed50) {
		uint16_t head;
		uint64_t size;
		memcpy(&head, p + 6, 2);
		memcpy(&size, p + 8, 8);
		return head + size;
	}
	if (magic == 0x424f4343 /* CCOB */ || (magic == 0x4c435f5f && !memcmp(p, "__CLANG_OFFLOAD_BUNDLE__", 24)))
		return bundle_size(p);
	if (magic == 0x464c457f) { /* ELF */
		uint64_t sections;
		uint16_t each, count;
		memcpy(&sections, p + 40, 8);
		memcpy(&each, p + 58, 2);
		memcpy(&count, p + 60, 2);
		return sections + (uint64_t)each * count;
	}
	return strlen((const char *)p);
}

static unsigned module_count;

/* load loads a module, which belongs to a context, or to none if it is a library. */
static int load(struct module **out, const void *image, size_t size, const char *name, struct jit *j, struct context *c)
{
	struct module *m;
	uint64_t id;
	char text[32];
	uint32_t n;
	const char *log;
	int e;

	if (!out || !image)
		return place_none(INVALID_VALUE);
	if (size == 0)
		size = image_size(&image);
	if (size == 0 || size > 64 << 20) {
		place_none(0);
		fprintf(stderr, "crosslane: a module %s\n", size ? "has more than 64 MiB: it is not loaded" : "is empty, or a bundle of code objects whose head makes no sense");
		return INVALID_IMAGE;
	}
	note_callers();
	BEGIN(LOAD);
	snprintf(text, sizeof text, "module %u", ++module_count);
	put_bytes(name ? name : text, strlen(name ? name : text));
	put_bytes(image, size), put32(j ? j->registers : 0);
	put_placing();
	e = transact();
	id = get64();
	log = get_bytes(&n);
	if (j)
		jit_log(j, e != SUCCESS, log, n);
	if (e && n > 0 && !(j && j->error))
		fprintf(stderr, "crosslane: %.*s", (int)n, log);
	if (!e) {
		m = calloc(1, sizeof *m);
		if (!m || (e = add_handle(m, MODULE_HANDLE))) {
			free(m);
			END(OUT_OF_MEMORY);
		}
		m->id = id, m->context = c, m->next = modules, modules = m;
		n = get32();
		for (uint32_t i = 0; i < n; i++) { /* its variables */
			uint64_t p = get64(), bytes = get64();
			uint32_t managed = get32();
			if (managed == 2) {
				if (place(m, p, bytes, get64()) || add_block(p, bytes, MANAGED, m))
					fprintf(stderr, "crosslane: the managed variable at %#llx cannot be shared with the device: %s\n", (unsigned long long)p, strerror(errno));
				managed_memory = 1;
			} else if (bytes > 0 && !add_block(p, bytes, managed ? MANAGED : DEVICE_MEMORY, m) && managed)
				open_to_host(p, bytes, 1);
		}
		*out = m;
	}
	END(e);
}

/* file returns the bytes of a file, with a zero byte behind them, and their number; NULL: there is no such file. */
static char *file(const char *path, size_t *size)
{
	FILE *f = path ? fopen(path, "r") : NULL;
	char *data = NULL;
	long n = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
	if (n >= 0 && !fseek(f, 0, SEEK_SET) && (data = calloc(1, (size_t)n + 1)) && fread(data, 1, (size_t)n, f) != (size_t)n) {
		free(data);
		data = NULL;
	}
	if (f)
		fclose(f);
	*size = data ? (size_t)n : 0;
	return data;
}

static int load_file(struct module **out, const char *path, struct jit *j, struct context *c)
{
	size_t n;
	char *data = file(path, &n);
	int e = data ? load(out, data, n, path, j, c) : FILE_NOT_FOUND;
	free(data);
	return e;
}

int EXPORT(cuModuleLoadData)(void *out, void *image) { WITH_CONTEXT(); return load(out, image, 0, NULL, NULL, current()); }
int EXPORT(cuModuleLoadFatBinary)(void *out, void *image) { WITH_CONTEXT(); return load(out, image, 0, NULL, NULL, current()); }
int EXPORT(cuModuleLoad)(void *out, void *path) { WITH_CONTEXT(); return load_file(out, path, NULL, current()); }

int EXPORT(cuModuleLoadDataEx)(void *out, void *image, uint32_t n, void *options, void *values)
{
	struct jit j = jit_options(n, options, values);
	WITH_CONTEXT();
	return load(out, image, 0, NULL, &j, current());
}

int EXPORT(cuLibraryLoadData)(void *out, void *image, void *jit, void *jit_values, uint32_t n, void *options, void *values, uint32_t options_count)
{
	struct jit j = jit_options(n, jit, jit_values);
	(void)options, (void)values, (void)options_count;
	INITIALIZED();
	return load(out, image, 0, NULL, &j, NULL);
}

int EXPORT(cuLibraryLoadFromFile)(void *out, void *path, void *jit, void *jit_values, uint32_t n, void *options, void *values, uint32_t options_count)
{
	struct jit j = jit_options(n, jit, jit_values);
	(void)options, (void)values, (void)options_count;
	INITIALIZED();
	return load_file(out, path, &j, NULL);
}

static struct module *find_module(void *p) { return is_handle(p, MODULE_HANDLE) ? p : NULL; }

/* forget_module ends a module that the server has unloaded; under the lock. Its functions have no handles any more; their
   structures stay, because graphs may name them. */
static void forget_module(struct module *m)
{
	struct module **at_m;
	for (struct function *f = m->functions; f; f = f->next) {
		remove_handle(f);
		free(f->name), free(f->offset), free(f->size);
		f->name = NULL, f->offset = f->size = NULL, f->count = f->bytes = 0, f->module = NULL;
	}
	forget_blocks(m);
	remove_handle(m);
	for (at_m = &modules; *at_m != m; at_m = &(*at_m)->next)
		;
	*at_m = m->next;
	free(m);
}

/* find_function returns the function of a handle, or NULL; under the lock. */
static struct function *find_function(void *p) { return is_handle(p, FUNCTION_HANDLE) ? p : NULL; }

/* is_function is find_function without the lock. */
static int is_function(void *p)
{
	int found;
	pthread_mutex_lock(&lock);
	found = find_function(p) != NULL;
	pthread_mutex_unlock(&lock);
	return found;
}

/* The CUDA runtime libraries ask whether an address is the handle of a kernel; that it is not is no mistake. */
__attribute__((visibility("default"))) int crosslane_is_function(void *p) { return is_function(p); }

static int unload(void *p)
{
	struct module *m;
	int e;
	note_callers();
	BEGIN(UNLOAD);
	m = find_module(p);
	if (!m)
		END_REFUSED(INVALID_HANDLE, NO_MODULE);
	unplace(m);
	put64(m->id);
	e = transact();
	forget_module(m);
	END(e);
}

int EXPORT(cuModuleUnload)(void *m) { INITIALIZED(); return unload(m); }
int EXPORT(cuLibraryUnload)(void *m) { INITIALIZED(); return unload(m); }

/* ---- functions ---- */

static int get_function(struct function **out, void *module, const char *name)
{
	struct module *m;
	struct function *f;
	int e;
	if (!out || !name)
		return INVALID_VALUE;
	BEGIN(FUNCTION);
	m = find_module(module);
	if (!m)
		END_REFUSED(INVALID_HANDLE, NO_MODULE);
	for (f = m->functions; f; f = f->next)
		if (!strcmp(f->name, name)) {
			*out = f;
			END(SUCCESS);
		}
	put64(m->id), put_bytes(name, strlen(name));
	if ((e = transact()))
		END(e);
	f = calloc(1, sizeof *f);
	if (!f)
		END(OUT_OF_MEMORY);
	f->id = get64(), f->module = m, f->name = strdup(name), f->count = get32();
	f->offset = calloc(f->count + 1, 4), f->size = calloc(f->count + 1, 4);
	if (!f->name || !f->offset || !f->size || add_handle(f, FUNCTION_HANDLE)) {
		free(f->name), free(f->offset), free(f->size), free(f);
		END(OUT_OF_MEMORY);
	}
	for (uint32_t i = 0; i < f->count; i++) {
		f->offset[i] = get32(), f->size[i] = get32();
		if (f->offset[i] + f->size[i] > f->bytes)
			f->bytes = f->offset[i] + f->size[i];
	}
	f->next = m->functions, m->functions = f;
	*out = f;
	END(SUCCESS);
}

int EXPORT(cuModuleGetFunction)(void *out, void *m, void *name) { WITH_CONTEXT(); return get_function(out, m, name); }
int EXPORT(cuLibraryGetKernel)(void *out, void *m, void *name) { INITIALIZED(); return get_function(out, m, name); }
int EXPORT(cuKernelGetFunction)(void *out, void *kernel) { INITIALIZED(); if (!out) return INVALID_VALUE; FUNCTION(kernel); *(void **)out = kernel; return SUCCESS; }
int EXPORT(cuLibraryGetModule)(void *out, void *m) { INITIALIZED(); if (!out) return INVALID_VALUE; pthread_mutex_lock(&lock); *(void **)out = find_module(m); END(*(void **)out ? SUCCESS : INVALID_HANDLE); }
int EXPORT(cuFuncGetModule)(void *out, void *f) { INITIALIZED(); if (!out) return INVALID_VALUE; FUNCTION(f); *(void **)out = ((struct function *)f)->module; return SUCCESS; }
int EXPORT(cuKernelGetLibrary)(void *out, void *f) { return EXPORT(cuFuncGetModule)(out, f); }
int EXPORT(cuFuncGetName)(void *out, void *f) { INITIALIZED(); if (!out) return INVALID_VALUE; FUNCTION(f); *(char **)out = ((struct function *)f)->name; return SUCCESS; }
int EXPORT(cuKernelGetName)(void *out, void *f) { return EXPORT(cuFuncGetName)(out, f); }

static int count_functions(void *out, void *module)
{
	struct module *m;
	int e;
	if (!out)
		return INVALID_VALUE;
	BEGIN(FUNCTIONS);
	m = find_module(module);
	if (!m)
		END_REFUSED(INVALID_HANDLE, NO_MODULE);
	put64(m->id);
	if (!(e = transact()))
		*(uint32_t *)out = get32();
	END(e);
}

/* list_functions returns the first n functions. */
static int list_functions(void *list, uint32_t n, void *module)
{
	char **names;
	uint32_t count, i;
	struct module *m;
	int e;
	BEGIN(FUNCTIONS);
	m = find_module(module);
	if (!m)
		END_REFUSED(INVALID_HANDLE, NO_MODULE);
	put64(m->id);
	if ((e = transact()))
		END(e);
	count = get32();
	if (n > count)
		n = count;
	names = calloc(n + 1, sizeof *names);
	for (i = 0; names && i < n; i++) {
		uint32_t length;
		const char *s = get_bytes(&length);
		names[i] = strndup(s, length);
	}
	pthread_mutex_unlock(&lock);
	for (i = 0; names && i < n && !e; i++)
		e = get_function((struct function **)list + i, module, names[i]);
	for (i = 0; names && i < n; i++)
		free(names[i]);
	free(names);
	return e;
}

int EXPORT(cuModuleGetFunctionCount)(void *out, void *m) { INITIALIZED(); return count_functions(out, m); }
int EXPORT(cuLibraryGetKernelCount)(void *out, void *m) { INITIALIZED(); return count_functions(out, m); }
int EXPORT(cuModuleEnumerateFunctions)(void *list, uint32_t n, void *m) { INITIALIZED(); return list_functions(list, n, m); }
int EXPORT(cuLibraryEnumerateKernels)(void *list, uint32_t n, void *m) { INITIALIZED(); return list_functions(list, n, m); }

int EXPORT(cuFuncGetParamInfo)(void *function, uint64_t i, void *offset, void *size)
{
	struct function *f = function;
	INITIALIZED();
	FUNCTION(f);
	if (i >= f->count)
		return INVALID_VALUE; /* hosts look for the end that way */
	if (offset)
		*(uint64_t *)offset = f->offset[i];
	if (size)
		*(uint64_t *)size = f->size[i];
	return SUCCESS;
}

int EXPORT(cuKernelGetParamInfo)(void *f, uint64_t i, void *offset, void *size) { return EXPORT(cuFuncGetParamInfo)(f, i, offset, size); }
int EXPORT(cuFuncGetParamCount)(void *f, void *out) { INITIALIZED(); if (!out) return INVALID_VALUE; FUNCTION(f); *(uint64_t *)out = ((struct function *)f)->count; return SUCCESS; }
int EXPORT(cuKernelGetParamCount)(void *f, void *out) { return EXPORT(cuFuncGetParamCount)(f, out); }

/* prepare fetches the attributes of a function, once: the server translates it. */
static int prepare(struct function *f)
{
	int e;
	BEGIN(PREPARE);
	if (!find_function(f))
		END_REFUSED(INVALID_HANDLE, "the handle is no function of a loaded module");
	if (f->prepared)
		END(SUCCESS);
	put64(f->id);
	if (!(e = transact())) {
		for (int i = 0; i < 8; i++)
			f->attribute[i] = (int32_t)get32();
		f->prepared = 1;
	}
	END(e);
}

int EXPORT(cuFuncGetAttribute)(void *out, uint32_t n, void *function)
{
	struct function *f = function;
	static const int at_attribute[] = { 0, 1, 2, 3, 4, 5, 6, -1, 7 };
	int e;
	INITIALIZED();
	if (!out)
		return INVALID_VALUE;
	if ((e = prepare(f)))
		return e;
	if (n >= 9 && n <= 15)
		*(int *)out = n == 9 ? -1 : 0;
	else if (n == 7)
		*(int *)out = 0;
	else if (n >= 0 && n <= 8)
		*(int *)out = f->attribute[at_attribute[n]];
	else
		return INVALID_VALUE;
	return SUCCESS;
}

int EXPORT(cuKernelGetAttribute)(void *out, uint32_t n, void *f, int32_t device) { DEVICE(device); return EXPORT(cuFuncGetAttribute)(out, n, f); }

int EXPORT(cuFuncSetAttribute)(void *function, uint32_t n, int32_t value)
{
	struct function *f = function;
	int e;
	INITIALIZED();
	if (n != 8)
		return n >= 9 && n <= 15 ? SUCCESS : INVALID_VALUE;
	if (value < 0 || (e = prepare(f)))
		return value < 0 ? INVALID_VALUE : e;
	BEGIN(MAX_SHARED);
	put64(f->id), put32((uint32_t)value);
	if ((e = transact()) == INVALID_VALUE)
		END_REFUSED(e, "a block cannot have as much dynamic shared memory");
	if (!e)
		f->attribute[7] = value;
	END(e);
}

int EXPORT(cuKernelSetAttribute)(uint32_t n, int32_t value, void *f, int32_t device) { DEVICE(device); return EXPORT(cuFuncSetAttribute)(f, n, value); }
int EXPORT(cuFuncSetCacheConfig)(void *f, uint32_t config) { (void)config; INITIALIZED(); return is_function(f) ? SUCCESS : INVALID_HANDLE; }
int EXPORT(cuFuncSetSharedMemConfig)(void *f, uint32_t config) { return EXPORT(cuFuncSetCacheConfig)(f, config); }
int EXPORT(cuFuncIsLoaded)(void *out, void *f) { INITIALIZED(); if (!out) return INVALID_VALUE; FUNCTION(f); *(int *)out = 1; return SUCCESS; }
int EXPORT(cuFuncLoad)(void *f) { INITIALIZED(); return prepare(f); }

int EXPORT(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(void *out, void *function, int32_t lanes, uint64_t shared, uint32_t flags)
{
	struct function *f = function;
	int e;
	WITH_CONTEXT();
	if (!out || lanes < 1 || flags > 1)
		return INVALID_VALUE;
	if ((e = prepare(f)))
		return e;
	BEGIN(OCCUPANCY);
	put64(f->id), put32((uint32_t)lanes), put32((uint32_t)shared);
	if (!(e = transact()))
		*(int *)out = (int)get32();
	END(e);
}

int EXPORT(cuOccupancyMaxActiveBlocksPerMultiprocessor)(void *out, void *f, int32_t lanes, uint64_t shared)
{
	return EXPORT(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(out, f, lanes, shared, 0);
}

/* ---- variables ---- */

static int get_variable(void *p, void *size, void *module, const char *name, int want_managed)
{
	struct module *m;
	int e;
	if (!name)
		return INVALID_VALUE;
	BEGIN(VARIABLE);
	m = find_module(module);
	if (!m)
		END_REFUSED(INVALID_HANDLE, NO_MODULE);
	put64(m->id), put_bytes(name, strlen(name));
	if (!(e = transact())) {
		uint64_t at_p = get64(), n = get64();
		uint32_t managed = get32();
		if (want_managed && !managed)
			END(NOT_FOUND);
		if (p)
			*(uint64_t *)p = at_p;
		if (size)
			*(uint64_t *)size = n;
	}
	END(e);
}

int EXPORT(cuModuleGetGlobal_v2)(void *p, void *size, void *m, void *name) { WITH_CONTEXT(); return get_variable(p, size, m, name, 0); }
int EXPORT(cuLibraryGetGlobal)(void *p, void *size, void *m, void *name) { WITH_CONTEXT(); return get_variable(p, size, m, name, 0); }
int EXPORT(cuLibraryGetManaged)(void *p, void *size, void *m, void *name) { INITIALIZED(); return get_variable(p, size, m, name, 1); }

/* ---- linking ---- */

int EXPORT(cuLinkCreate_v2)(uint32_t n, void *options, void *values, void *out)
{
	struct link *l;
	struct jit j = jit_options(n, options, values);
	WITH_CONTEXT();
	if (!out || !(l = calloc(1, sizeof *l)))
		return out ? OUT_OF_MEMORY : INVALID_VALUE;
	l->jit = j; /* the options live as long as the linker */
	pthread_mutex_lock(&lock);
	if (add_handle(l, LINK_HANDLE)) {
		free(l);
		END(OUT_OF_MEMORY);
	}
	*(void **)out = l;
	END(SUCCESS);
}

/* is_link reports whether a handle is one of a linker. */
static int is_link(void *l)
{
	int found;
	pthread_mutex_lock(&lock);
	found = is_handle(l, LINK_HANDLE);
	pthread_mutex_unlock(&lock);
	return found;
}

enum { MAX_LINKED = 64 << 20 }; /* bytes of all inputs */

static int link_put(struct link *l, const void *p, size_t n)
{
	if (l->used + n > l->room) {
		size_t room = (l->used + n) * 2 + 4096;
		unsigned char *grown = realloc(l->body, room);
		if (!grown)
			return OUT_OF_MEMORY;
		l->body = grown, l->room = room;
	}
	memcpy(l->body + l->used, p, n);
	l->used += n;
	return SUCCESS;
}

int EXPORT(cuLinkAddData_v2)(void *state_, uint32_t type, void *data, uint64_t size, void *name, uint32_t n, void *options, void *values)
{
	struct link *l = state_;
	uint32_t length, bytes = (uint32_t)size;
	char text[32];
	int e;
	(void)n, (void)options, (void)values;
	WITH_CONTEXT();
	if (!is_link(l))
		return refuse(INVALID_HANDLE, "the handle is no linker");
	if (!data)
		return INVALID_VALUE;
	if (size >= 8 && !memcmp(data, "!<arch>\n", 8))
		return SUCCESS; /* an archive of machine code, such as libcudadevrt.a: its functions are builtins here */
	if (size > MAX_LINKED - l->bytes) {
		static const char limit[] = "error: the inputs of the linker have more than 64 MiB together\n";
		fprintf(stderr, "crosslane: %s", limit);
		jit_log(&l->jit, 1, limit, sizeof limit - 1);
		return INVALID_IMAGE;
	}
	if (type > 1 && !(type == 2 || type == 3 || type == 4)) /* a cubin is the text, too: see cuLinkComplete */
		return NOT_SUPPORTED;
	snprintf(text, sizeof text, "input %u", l->count + 1);
	if (!name || !*(char *)name)
		name = text;
	length = (uint32_t)strlen(name);
	if ((e = link_put(l, &length, 4)) || (e = link_put(l, name, length)) || (e = link_put(l, &bytes, 4)) || (e = link_put(l, data, size)))
		return e;
	l->count++;
	l->bytes += size;
	return SUCCESS;
}

int EXPORT(cuLinkAddFile_v2)(void *l, uint32_t type, void *path, uint32_t n, void *options, void *values)
{
	size_t size;
	char *data = file(path, &size);
	int e = data ? EXPORT(cuLinkAddData_v2)(l, type, data, size, path, n, options, values) : FILE_NOT_FOUND;
	free(data);
	return e;
}

/* cuLinkComplete returns the PTX text of the linked module: cuModuleLoadData takes it, as it takes a cubin. */
int EXPORT(cuLinkComplete)(void *state_, void *out, void *size)
{
	struct link *l = state_;
	uint32_t n, m;
	const char *text, *log;
	int e;
	WITH_CONTEXT();
	if (!is_link(l))
		return refuse(INVALID_HANDLE, "the handle is no linker");
	if (!out || !size)
		return INVALID_VALUE;
	note_callers();
	BEGIN(LINK);
	put32(l->jit.registers), put32(l->count), put(l->body, l->used);
	e = transact();
	text = get_bytes(&n);
	log = get_bytes(&m);
	jit_log(&l->jit, e != SUCCESS, log, m);
	jit_log(&l->jit, e == SUCCESS, "", 0);
	if (!e && (l->image = calloc(1, (size_t)n + 1))) {
		memcpy(l->image, text, n);
		*(void **)out = l->image;
		*(uint64_t *)size = (uint64_t)n + 1;
	}
	END(e);
}

int EXPORT(cuLinkDestroy)(void *state_)
{
	struct link *l = state_;
	pthread_mutex_lock(&lock);
	if (!is_handle(l, LINK_HANDLE))
		END_REFUSED(INVALID_HANDLE, "the handle is no linker");
	remove_handle(l);
	pthread_mutex_unlock(&lock);
	free(l->body);
	free(l->image);
	free(l);
	return SUCCESS;
}

/* ---- launches ---- */

/* The mode of a launch: bit 0: it is cooperative; from bits 8, 16 and 24 on the size of a cluster in x, y and z, 0: not given. */
static uint32_t cluster_mode(const uint32_t c[3]) { return c[0] << 8 | c[1] << 16 | c[2] << 24; }

static int launch(struct function *f, const uint32_t grid[3], const uint32_t block[3], uint32_t shared, void *stream, uint32_t mode, void **params, void **extra)
{
	unsigned char small[4096], *data = small;
	uint64_t id, lanes = (uint64_t)block[0] * block[1] * block[2];
	size_t bytes;
	int e, first;

	FUNCTION(f);
	CAPTURE(stream, capture_launch(q, f, grid, block, shared, mode, params, extra));
	STREAM(stream);
	for (int i = 0; i < 3; i++)
		if (grid[i] == 0 || block[i] == 0 || grid[i] > (uint32_t)attributes[5 + i] || block[i] > (uint32_t)attributes[2 + i])
			return refuse(INVALID_VALUE, "a dimension of the grid or the block is 0 or too large");
	first = !f->prepared;
	if ((e = prepare(f)))
		return e;
	if (lanes > (uint32_t)f->attribute[0])
		return refuse(INVALID_VALUE, "the block has more threads than the kernel allows");
	if ((int64_t)shared > f->attribute[7])
		return refuse(INVALID_VALUE, "the launch has more dynamic shared memory than the kernel allows: raise the limit, which is the kernel's attribute MaxDynamicSharedMemorySize");
	bytes = f->bytes;
	if (bytes > sizeof small && !(data = malloc(bytes)))
		return OUT_OF_MEMORY;
	memset(data, 0, bytes); /* between the parameters */
	if (params) {
		for (uint32_t i = 0; i < f->count; i++)
			memcpy(data + f->offset[i], params[i], f->size[i]);
	} else if (extra) {
		const void *packed = NULL;
		size_t size = 0;
		for (int i = 0; extra[i]; i += 2) {
			if (extra[i] == (void *)1)
				packed = extra[i + 1];
			else if (extra[i] == (void *)2)
				size = *(size_t *)extra[i + 1];
		}
		if (packed && size >= bytes)
			memcpy(data, packed, bytes);
		else
			e = INVALID_VALUE;
	} else if (f->count > 0) {
		e = INVALID_VALUE;
	}
	if (e) {
		if (data != small)
			free(data);
		return refuse(e, "the launch has no parameters, or too few");
	}
	note_callers();
	BEGIN(LAUNCH);
	id = stream_id(stream);
	put64(id), put64(f->id);
	put(grid, 12), put(block, 12), put32(shared), put32(mode);
	put_bytes(data, bytes);
	if (data != small)
		free(data);
	/* The first launch is waited for: it says whether the kernel can run. */
	e = first || mode ? transact() : post();
	if (!e && checks)
		watch_managed(id);
	END(e);
}

int EXPORT(cuLaunchKernel)(void *f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz, uint32_t shared, void *stream, void *params, void *extra)
{
	uint32_t grid[3] = { gx, gy, gz }, block[3] = { bx, by, bz };
	WITH_CONTEXT();
	return launch(f, grid, block, shared, stream, 0, params, extra);
}

int EXPORT(cuLaunchCooperativeKernel)(void *f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz, uint32_t shared, void *stream, void *params)
{
	uint32_t grid[3] = { gx, gy, gz }, block[3] = { bx, by, bz };
	WITH_CONTEXT();
	return launch(f, grid, block, shared, stream, 1, params, NULL);
}

int EXPORT(cuLaunchKernelEx)(void *config, void *f, void *params, void *extra)
{
	struct { uint32_t grid[3], block[3], shared; void *stream; void *attributes; uint32_t count; } *c = config;
	uint32_t mode = 0;
	WITH_CONTEXT();
	if (!c)
		return INVALID_VALUE;
	for (uint32_t i = 0; i < c->count; i++) {
		const unsigned char *a = (unsigned char *)c->attributes + 72 * i;
		uint32_t id, value[3];
		memcpy(&id, a, 4);
		memcpy(value, a + 8, 12);
		if (id == 2) {
			mode |= value[0] != 0;
		} else if (id == 4) {
			for (int j = 0; j < 3; j++)
				if (value[j] < 1 || value[j] > 16)
					return refuse(INVALID_CLUSTER_SIZE, "a cluster has 1 to 16 blocks in each dimension");
			if (!attributes[120] && (value[0] > 1 || value[1] > 1 || value[2] > 1))
				return refuse(NOT_SUPPORTED, "the device has no clusters: they need sm_90 or later");
			mode |= cluster_mode(value);
		}
	}
	return launch(f, c->grid, c->block, c->shared, c->stream, mode, params, extra);
}
