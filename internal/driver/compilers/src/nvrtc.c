/* A stand-in for NVRTC: programs that are compiled for a real architecture are compiled for the virtual one of the same
   number, and the PTX is the answer where machine code, or code for link-time optimisation, is asked for. See audit.c
   for how the real library is found. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_OF_MEMORY = 1, INVALID_PROGRAM = 4, INTERNAL_ERROR = 11 }; /* nvrtcResult */
enum { MACHINE_CODE = 1, LTO = 2 };                                     /* what a program would have been compiled to */

static struct program { /* a program whose options were changed */
	void *handle;
	int asked;
	struct program *next;
} *programs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* asked returns what a program would have been compiled to. */
static int asked(void *handle)
{
	struct program *p;
	int n = 0;
	pthread_mutex_lock(&lock);
	for (p = programs; p; p = p->next)
		if (p->handle == handle)
			n = p->asked;
	pthread_mutex_unlock(&lock);
	return n;
}

/* forget removes a program from the list. */
static void forget(void *handle)
{
	pthread_mutex_lock(&lock);
	for (struct program **at = &programs; *at; at = &(*at)->next)
		if ((*at)->handle == handle) {
			struct program *p = *at;
			*at = p->next;
			free(p);
			break;
		}
	pthread_mutex_unlock(&lock);
}

static int note(void *handle, int asked)
{
	struct program *p;
	forget(handle);
	if (!asked)
		return 1;
	if (!(p = malloc(sizeof *p)))
		return 0;
	p->handle = handle, p->asked = asked;
	pthread_mutex_lock(&lock);
	p->next = programs, programs = p;
	pthread_mutex_unlock(&lock);
	return 1;
}

/* REAL declares the variable real, the function of this name in the real library. */
#define REAL(name, ...) \
	int (*real)(__VA_ARGS__) = (int (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name); \
	if (!real) \
		return fprintf(stderr, "crosslane: the real NVRTC has no %s\n", name), INTERNAL_ERROR

/* value returns the value in an option like --gpu-architecture=sm_80; NULL if it is another option. */
static const char *value(const char *option)
{
	static const char *const names[] = { "--gpu-architecture=", "-arch=", "--arch=" };
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(option, names[i], strlen(names[i])))
			return option + strlen(names[i]);
	return NULL;
}

int nvrtcCompileProgram(void *program, int n, const char *const *options)
{
	const char **list;
	char **made;
	int kind = 0, count = 0, kept = 0, relocatable = 0, e = OUT_OF_MEMORY;
	REAL("nvrtcCompileProgram", void *, int, const char *const *);
	if (n <= 0 || !options)
		return note(program, 0), real(program, n, options);
	for (int i = 0; i < n; i++)
		if (options[i] && (!strcmp(options[i], "-rdc=true") || !strcmp(options[i], "--relocatable-device-code=true")))
			relocatable = 1;
	list = calloc((size_t)n, sizeof *list);
	made = calloc((size_t)n, sizeof *made);
	if (!list || !made)
		goto end;
	for (int i = 0; i < n; i++) {
		const char *o = options[i], *v;
		int bare = i > 0 && options[i - 1] && (!strcmp(options[i - 1], "-arch") || !strcmp(options[i - 1], "--gpu-architecture"));
		list[kept++] = o;
		if (!o)
			continue;
		v = bare ? o : value(o);
		if (v && !strncmp(v, "sm_", 3)) {
			size_t head = (size_t)(v - o), room = strlen(o) + 8;
			if (!(made[count] = malloc(room)))
				goto end;
			snprintf(made[count], room, "%.*scompute_%s", (int)head, o, v + 3);
			list[kept - 1] = made[count++];
			kind |= MACHINE_CODE;
		} else if (!strcmp(o, "-dlto") || !strcmp(o, "--dlink-time-opt")) {
			if (relocatable)
				kept--;
			else
				list[kept - 1] = "--relocatable-device-code=true"; /* -dlto implies it */
			kind |= LTO;
		}
	}
	if (note(program, kind & LTO ? LTO : kind))
		e = real(program, kept, list);
end:
	for (int i = 0; i < count; i++)
		free(made[i]);
	free(made);
	free(list);
	return e;
}

int nvrtcDestroyProgram(void **program)
{
	REAL("nvrtcDestroyProgram", void **);
	if (program)
		forget(*program);
	return real(program);
}

/* Each of these functions asks the real library for PTX if the program would have been compiled to the other form. */
#define ANSWER(name, type, form, other) \
	int name(void *program, type *out) \
	{ \
		REAL(asked(program) & (form) ? other : #name, void *, type *); \
		return real(program, out); \
	}

ANSWER(nvrtcGetCUBINSize, size_t, MACHINE_CODE, "nvrtcGetPTXSize")
ANSWER(nvrtcGetCUBIN, char, MACHINE_CODE, "nvrtcGetPTX")
ANSWER(nvrtcGetLTOIRSize, size_t, LTO, "nvrtcGetPTXSize")
ANSWER(nvrtcGetLTOIR, char, LTO, "nvrtcGetPTX")
