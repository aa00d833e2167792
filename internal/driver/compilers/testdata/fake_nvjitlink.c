/* A library in the place of nvJitLink: its linked PTX is a module with the function lto; other functions fail. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .func lto() { ret; }\n";
static int inputs;

int nvJitLinkVersion(unsigned *major, unsigned *minor) { return *major = 13, *minor = 5, 0; }

int nvJitLinkCreate(void **handle, unsigned n, const char **options)
{
	printf("real create");
	for (unsigned i = 0; i < n; i++)
		printf(" %s", options[i]);
	printf("\n");
	return *handle = &inputs, 0;
}

int nvJitLinkDestroy(void **handle) { return *handle = NULL, 0; }

int nvJitLinkAddData(void *handle, int type, const void *data, size_t size, const char *name)
{
	return (void)handle, (void)data, printf("real add %d %zu %s\n", type, size, name), inputs++, 0;
}

int nvJitLinkComplete(void *handle) { return (void)handle, inputs > 1 ? 5 : 0; }
int nvJitLinkGetLinkedPtxSize(void *handle, size_t *n) { return (void)handle, *n = sizeof text, 0; }
int nvJitLinkGetLinkedPtx(void *handle, char *out) { return (void)handle, strcpy(out, text), 0; }
int nvJitLinkGetErrorLogSize(void *handle, size_t *n) { return (void)handle, *n = 11, 0; }
int nvJitLinkGetErrorLog(void *handle, char *out) { return (void)handle, strcpy(out, "two inputs"), 0; }
int nvJitLinkGetLinkedCubinSize(void *handle, size_t *n) { return (void)handle, (void)n, 6; }
