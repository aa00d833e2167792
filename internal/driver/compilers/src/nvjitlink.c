/* A stand-in for nvJitLink: modules of PTX are linked by the driver library of Crosslane (crosslane_link), and the linked
   text is the answer where machine code is asked for. Code for link-time optimisation that another tool has made is
   turned into PTX by the real library. Machine code cannot be linked. See audit.c for how the real library is found.

   The library exports its functions under names with the version of the toolkit, too (versions.h). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { /* nvJitLinkResult */
	SUCCESS = 0, MISSING_ARCH = 2, INVALID_INPUT = 3, PTX_COMPILE = 4, INTERNAL = 6, UNRECOGNIZED_INPUT = 8, FINALIZE = 9, NULL_INPUT = 10
};

enum { PTX = 2, LTO = 3 }; /* nvJitLinkInputType */

struct input { char *name, *data; size_t size; int lto; };

struct linker {
	char **options;
	uint32_t option_count;
	struct input *inputs;
	uint32_t count;
	char *text;        /* the linked module */
	char *info, *error; /* the logs */
};

/* note adds a line to a log. */
static void note(char **log, const char *format, ...)
{
	char *line, *grown;
	va_list args;
	int n;
	va_start(args, format);
	n = vasprintf(&line, format, args);
	va_end(args);
	if (n < 0)
		return;
	grown = realloc(*log, (*log ? strlen(*log) : 0) + (size_t)n + 2);
	if (grown) {
		if (!*log)
			*grown = 0;
		strcat(strcat(grown, line), "\n");
		*log = grown;
	}
	free(line);
}

static int create(struct linker **out, uint32_t n, const char *const *options)
{
	struct linker *l;
	int arch = 0;
	if (!out || (n && !options))
		return NULL_INPUT;
	for (uint32_t i = 0; i < n; i++)
		if (!options[i])
			return NULL_INPUT;
		else if (!strncmp(options[i], "-arch", 5))
			arch = 1;
	if (!arch)
		return MISSING_ARCH;
	if (!(l = calloc(1, sizeof *l)) || !(l->options = calloc(n + 1, sizeof *l->options)))
		return free(l), INTERNAL;
	for (uint32_t i = 0; i < n; i++)
		if ((l->options[l->option_count] = strdup(options[i])))
			l->option_count++;
	*out = l;
	return SUCCESS;
}

static void free_inputs(struct linker *l)
{
	for (uint32_t i = 0; i < l->count; i++)
		free(l->inputs[i].name), free(l->inputs[i].data);
	free(l->inputs);
	l->inputs = NULL, l->count = 0;
}

static int destroy(struct linker **at)
{
	struct linker *l;
	if (!at || !*at)
		return NULL_INPUT;
	l = *at;
	free_inputs(l);
	for (uint32_t i = 0; i < l->option_count; i++)
		free(l->options[i]);
	free(l->options), free(l->text), free(l->info), free(l->error), free(l);
	*at = NULL;
	return SUCCESS;
}

/* is_text reports whether data is PTX: it has a .version directive before any other one. */
static int is_text(const char *data, size_t size)
{
	const char *end = data + size;
	for (; data < end; data++) {
		if (end - data >= 2 && data[0] == '/' && data[1] == '/') {
			while (data < end && *data != '\n')
				data++;
		} else if (end - data >= 2 && data[0] == '/' && data[1] == '*') {
			const char *close = memmem(data + 2, (size_t)(end - data) - 2, "*/", 2);
			if (!close)
				return 0;
			data = close + 1;
		} else if (!strchr(" \t\r\n", *data) || !*data) {
			return end - data > 8 && !memcmp(data, ".version", 8);
		}
		if (data == end)
			break;
	}
	return 0;
}

/* add_data takes an input by its contents: the answers of the other stand-ins are PTX, whatever was asked for. */
static int add_data(struct linker *l, int type, const void *data, size_t size, const char *name)
{
	struct input *in, *grown;
	char number[32];
	const char *what = NULL;
	int lto = 0;
	(void)type;
	if (!l || !data)
		return NULL_INPUT;
	snprintf(number, sizeof number, "input %u", l->count + 1);
	if (!name || !*name)
		name = number;
	while (size > 0 && ((const char *)data)[size - 1] == 0)
		size--;
	if (is_text(data, size))
		;
	else if (size >= 4 && !memcmp(data, "\x7fNC\xed", 4))
		lto = 1;
	else if (size >= 4 && !memcmp(data, "\x7f""ELF", 4))
		what = "machine code, which does not run here: compile it to PTX";
	else if (size >= 4 && !memcmp(data, "\x50\xed\x55\xba", 4))
		what = "a fat binary, which Crosslane does not link: give the linker its PTX (crosslane dis prints it)";
	else if (size >= 8 && !memcmp(data, "!<arch>\n", 8)) {
		note(&l->info, "crosslane: %s is a library and is left out: the functions of cudadevrt are built in", name);
		return SUCCESS;
	} else
		what = "no PTX";
	if (what) {
		note(&l->error, "crosslane: %s is %s", name, what);
		return UNRECOGNIZED_INPUT;
	}
	if (!(grown = realloc(l->inputs, (l->count + 1) * sizeof *grown)))
		return INTERNAL;
	l->inputs = grown;
	in = &grown[l->count];
	*in = (struct input){ strdup(name), malloc(size + 1), size, lto };
	if (!in->name || !in->data)
		return free(in->name), free(in->data), INTERNAL;
	memcpy(in->data, data, size);
	in->data[size] = 0;
	l->count++;
	return SUCCESS;
}

static int add_file(struct linker *l, int type, const char *path)
{
	FILE *f;
	char *data = NULL;
	long size;
	int e = INVALID_INPUT;
	if (!l || !path)
		return NULL_INPUT;
	if (!(f = fopen(path, "rb"))) {
		note(&l->error, "crosslane: cannot open %s", path);
		return INVALID_INPUT;
	}
	if (!fseek(f, 0, SEEK_END) && (size = ftell(f)) >= 0) {
		rewind(f);
		if ((data = malloc((size_t)size + 1)) && fread(data, 1, (size_t)size, f) == (size_t)size)
			e = add_data(l, type, data, (size_t)size, path);
	}
	free(data);
	fclose(f);
	return e;
}

/* real returns a function of the real library. Its plain names exist in all versions. */
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

/* from_lto turns the inputs for link-time optimisation into one module of PTX. */
static int from_lto(struct linker *l)
{
	int (*make)(void **, uint32_t, const char **) = (int (*)(void **, uint32_t, const char **))real("nvJitLinkCreate");
	int (*end)(void **) = (int (*)(void **))real("nvJitLinkDestroy");
	int (*add)(void *, int, const void *, size_t, const char *) = (int (*)(void *, int, const void *, size_t, const char *))real("nvJitLinkAddData");
	int (*complete)(void *) = (int (*)(void *))real("nvJitLinkComplete");
	int (*ptx_size)(void *, size_t *) = (int (*)(void *, size_t *))real("nvJitLinkGetLinkedPtxSize");
	int (*ptx)(void *, char *) = (int (*)(void *, char *))real("nvJitLinkGetLinkedPtx");
	int (*log_size)(void *, size_t *) = (int (*)(void *, size_t *))real("nvJitLinkGetErrorLogSize");
	int (*log)(void *, char *) = (int (*)(void *, char *))real("nvJitLinkGetErrorLog");
	const char **options;
	uint32_t count = 0, kept = 0;
	void *handle = NULL;
	char *text = NULL;
	size_t n = 0;
	int e;

	for (uint32_t i = 0; i < l->count; i++)
		count += (uint32_t)l->inputs[i].lto;
	if (count == 0)
		return SUCCESS;
	if (!make || !end || !add || !complete || !ptx_size || !ptx || !log_size || !log || !(options = calloc(l->option_count + 2, sizeof *options)))
		return note(&l->error, "crosslane: the real nvJitLink cannot make PTX of code for link-time optimisation"), INTERNAL;
	for (uint32_t i = 0; i < l->option_count; i++)
		if (strcmp(l->options[i], "-ptx") && strcmp(l->options[i], "-lto"))
			options[kept++] = l->options[i];
	options[kept++] = "-lto";
	options[kept++] = "-ptx";
	e = make(&handle, kept, options);
	free(options);
	for (uint32_t i = 0; i < l->count && !e; i++)
		if (l->inputs[i].lto)
			e = add(handle, LTO, l->inputs[i].data, l->inputs[i].size, l->inputs[i].name);
	if (!e && !(e = complete(handle)) && !(e = ptx_size(handle, &n)) && (text = calloc(1, n + 1)) && !(e = ptx(handle, text))) {
		uint32_t rest = 0;
		for (uint32_t i = 0; i < l->count; i++)
			if (l->inputs[i].lto)
				free(l->inputs[i].name), free(l->inputs[i].data);
			else
				l->inputs[rest++] = l->inputs[i];
		l->count = rest;
		e = add_data(l, PTX, text, n, "code for link-time optimisation");
	} else {
		char *said = NULL;
		if (handle && !log_size(handle, &n) && n && (said = calloc(1, n + 1)))
			log(handle, said);
		note(&l->error, "crosslane: the real nvJitLink cannot make PTX of code for link-time optimisation (error %d)%s%s", e, said ? ": " : "", said ? said : "");
		free(said);
		e = e ? e : INTERNAL;
	}
	free(text);
	if (handle)
		end(&handle);
	return e;
}

static int complete(struct linker *l)
{
	typedef int link_function(uint32_t, uint32_t, const char *const *, const char *const *, const size_t *, char **, char **);
	link_function *link;
	void *driver;
	const char **names, **data;
	size_t *sizes;
	uint32_t registers = 0;
	char *log = NULL;
	int e;
	if (!l)
		return NULL_INPUT;
	if ((e = from_lto(l)))
		return e;
	driver = dlopen("libcuda.so.1", RTLD_NOW); /* it stays */
	link = driver ? (link_function *)dlsym(driver, "crosslane_link") : NULL;
	if (!link) {
		note(&l->error, "crosslane: libcuda.so.1 is not that of Crosslane; run the program with crosslane exec");
		return INTERNAL;
	}
	names = calloc(l->count + 1, sizeof *names), data = calloc(l->count + 1, sizeof *data), sizes = calloc(l->count + 1, sizeof *sizes);
	e = INTERNAL;
	if (names && data && sizes) {
		for (uint32_t i = 0; i < l->count; i++)
			names[i] = l->inputs[i].name, data[i] = l->inputs[i].data, sizes[i] = l->inputs[i].size;
		free(l->text), l->text = NULL;
		for (uint32_t i = 0; i < l->option_count; i++)
			if (!strncmp(l->options[i], "-maxrregcount=", 14))
				registers = (uint32_t)strtoul(l->options[i] + 14, NULL, 10);
		e = link(registers, l->count, names, data, sizes, &l->text, &log);
		if (log && *log)
			note(e ? &l->error : &l->info, "%s", log);
		if (e && !(log && *log))
			note(&l->error, "crosslane: linking failed with error %d of the driver", e);
		e = e == 0 ? SUCCESS : e == 218 ? PTX_COMPILE : FINALIZE;
	}
	free(log), free(names), free(data), free(sizes);
	return e;
}

/* linked_size and linked answer with the text, whatever form is asked for. The size includes the zero byte at its end. */
static int linked_size(struct linker *l, size_t *n)
{
	if (!l || !n)
		return NULL_INPUT;
	if (!l->text)
		return INTERNAL;
	*n = strlen(l->text) + 1;
	return SUCCESS;
}

static int linked(struct linker *l, void *out)
{
	if (!l || !out)
		return NULL_INPUT;
	if (!l->text)
		return INTERNAL;
	memcpy(out, l->text, strlen(l->text) + 1);
	return SUCCESS;
}

static int log_size(const char *log, size_t *n) { return n ? (*n = log ? strlen(log) + 1 : 0), SUCCESS : NULL_INPUT; }
static int log_text(const char *log, char *out) { return out ? strcpy(out, log ? log : ""), SUCCESS : NULL_INPUT; }

int nvJitLinkCreate(void **l, uint32_t n, const char *const *o) { return create((struct linker **)l, n, o); }
int nvJitLinkDestroy(void **l) { return destroy((struct linker **)l); }
int nvJitLinkAddData(void *l, int type, const void *p, size_t n, const char *name) { return add_data(l, type, p, n, name); }
int nvJitLinkAddFile(void *l, int type, const char *path) { return add_file(l, type, path); }
int nvJitLinkComplete(void *l) { return complete(l); }
int nvJitLinkGetLinkedCubinSize(void *l, size_t *n) { return linked_size(l, n); }
int nvJitLinkGetLinkedCubin(void *l, void *out) { return linked(l, out); }
int nvJitLinkGetLinkedPtxSize(void *l, size_t *n) { return linked_size(l, n); }
int nvJitLinkGetLinkedPtx(void *l, char *out) { return linked(l, out); }
int nvJitLinkGetLinkedLTOIRSize(void *l, size_t *n) { return linked_size(l, n); }
int nvJitLinkGetLinkedLTOIR(void *l, void *out) { return linked(l, out); }
int nvJitLinkGetErrorLogSize(void *l, size_t *n) { return l ? log_size(((struct linker *)l)->error, n) : NULL_INPUT; }
int nvJitLinkGetErrorLog(void *l, char *out) { return l ? log_text(((struct linker *)l)->error, out) : NULL_INPUT; }
int nvJitLinkGetInfoLogSize(void *l, size_t *n) { return l ? log_size(((struct linker *)l)->info, n) : NULL_INPUT; }
int nvJitLinkGetInfoLog(void *l, char *out) { return l ? log_text(((struct linker *)l)->info, out) : NULL_INPUT; }

/* ALIASES gives all functions a second name, with a version. */
#define ALIAS(name, version) extern __typeof__(nvJitLink##name) __nvJitLink##name##version __attribute__((alias("nvJitLink" #name)));
#define ALIASES(version) \
	ALIAS(Create, version) ALIAS(Destroy, version) ALIAS(AddData, version) ALIAS(AddFile, version) ALIAS(Complete, version) \
	ALIAS(GetLinkedCubinSize, version) ALIAS(GetLinkedCubin, version) ALIAS(GetLinkedPtxSize, version) ALIAS(GetLinkedPtx, version) \
	ALIAS(GetLinkedLTOIRSize, version) ALIAS(GetLinkedLTOIR, version) ALIAS(GetErrorLogSize, version) ALIAS(GetErrorLog, version) \
	ALIAS(GetInfoLogSize, version) ALIAS(GetInfoLog, version)
#include "versions.h"
