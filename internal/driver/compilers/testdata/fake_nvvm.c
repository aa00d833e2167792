/* A library in the place of libnvvm: it prints the options that it gets. */
#include <stdio.h>

int nvvmVersion(int *major, int *minor) { return *major = 2, *minor = 0, 0; }

static int show(const char *name, int n, const char **options)
{
	printf("%s", name);
	for (int i = 0; i < n; i++)
		printf(" %s", options[i]);
	printf("\n");
	return 0;
}

int nvvmCompileProgram(void *program, int n, const char **options) { return (void)program, show("compile", n, options); }
int nvvmVerifyProgram(void *program, int n, const char **options) { return (void)program, show("verify", n, options); }
