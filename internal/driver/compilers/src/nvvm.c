/* A stand-in for libnvvm: it compiles to PTX where code for link-time optimisation is asked for. See audit.c for how
   the real library is found. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_OF_MEMORY = 1, COMPILATION = 9 };    /* nvvmResult */

/* with_options calls a function of the real library without the option -gen-lto. */
static int with_options(const char *name, void *program, int n, const char **options)
{
	int (*real)(void *, int, const char **) = (int (*)(void *, int, const char **))dlsym(RTLD_NEXT, name);
	const char **list;
	int kept = 0, e;
	if (!real)
		return fprintf(stderr, "crosslane: the real libnvvm has no %s\n", name), COMPILATION;
	if (n <= 0 || !options)
		return real(program, n, options);
	if (!(list = calloc((size_t)n, sizeof *list)))
		return OUT_OF_MEMORY;
	for (int i = 0; i < n; i++)
		if (!options[i] || strcmp(options[i], "-gen-lto"))
			list[kept++] = options[i];
	e = real(program, kept, list);
	free(list);
	return e;
}

int nvvmCompileProgram(void *program, int n, const char **options) { return with_options("nvvmCompileProgram", program, n, options); }
int nvvmVerifyProgram(void *program, int n, const char **options) { return with_options("nvvmVerifyProgram", program, n, options); }
