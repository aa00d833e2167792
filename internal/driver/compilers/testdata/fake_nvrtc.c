/* A library in the place of NVRTC: it prints the options that it gets, and its PTX and machine code name themselves. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int nvrtcVersion(int *major, int *minor) { return *major = 13, *minor = 5, 0; }

int nvrtcCompileProgram(void *program, int n, const char *const *options)
{
	(void)program;
	printf("compile");
	for (int i = 0; i < n; i++)
		printf(" %s", options[i]);
	/* The real library loads a file next to itself. */
	printf(" (%s)\n", dlopen("libnvrtc-builtins.so", RTLD_NOW) ? "builtins" : dlerror());
	return 0;
}

int nvrtcDestroyProgram(void **program) { return *program = NULL, 0; }

#define ANSWER(form) \
	int nvrtcGet##form##Size(void *program, size_t *n) { return (void)program, *n = sizeof #form, 0; } \
	int nvrtcGet##form(void *program, char *out) { return (void)program, strcpy(out, #form), 0; }
ANSWER(PTX)
ANSWER(CUBIN)
ANSWER(LTOIR)
