/* A host program that loads the library, as the test of the stubs wants it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A program may have a variable with the name of a function. The library's table must not refer to it. */
void *cuDeviceGetCount = NULL;

struct small { unsigned char byte[8]; };
struct large { char byte[64]; };

#define GET(type, name) type name = (type)dlsym(library, #name)
#define EXPECT(call, want) if ((call) != (want)) printf("wrong: %s, want %d\n", #call, want)

static void call(void *library)
{
	typedef int (*U)(unsigned);
	typedef int (*P)(void *);
	typedef int (*Advise)(unsigned long long, size_t, int, struct small);
	typedef int (*Open)(unsigned long long *, struct large, unsigned);
	typedef int (*Bias)(void *, float);
	typedef int (*Set)(unsigned long long, unsigned char, size_t);
	typedef int (*Launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
	GET(U, cuInit);
	GET(P, cuCtxGetCurrent);
	GET(P, cuCtxGetId);
	GET(Advise, cuMemAdvise_v2);
	GET(Open, cuIpcOpenMemHandle_v2);
	GET(Bias, cuTexRefSetMipmapLevelBias);
	GET(Set, cuMemsetD8_v2_ptds);
	GET(Set, cuMemsetD8_v2);
	GET(Launch, cuLaunchKernel);
	struct small at = {{1, 0, 0, 0, 2}};
	struct large handle = {{0}};
	for (int i = 0; i < 8; i++)
		handle.byte[8 * i] = i + 1;

	EXPECT(cuInit(0xfedcba98u), 7);
	EXPECT(cuMemAdvise_v2(0x1122334455667788u, 1ull << 40, 3, at), 7);
	EXPECT(cuIpcOpenMemHandle_v2(NULL, handle, 5), 7);
	EXPECT(cuTexRefSetMipmapLevelBias((void *)16, 1.5f), 7);
	EXPECT(cuMemsetD8_v2_ptds(1, 255, 3), 7);
	EXPECT(cuLaunchKernel((void *)1, 2, 3, 4, 5, 6, 7, 8, (void *)9, (void *)10, (void *)11), 7);

	for (int i = 0; i < 3; i++)
		EXPECT(cuCtxGetCurrent(NULL), 801);
	EXPECT(cuMemsetD8_v2(1, 255, 3), 801);
	EXPECT(cuCtxGetId(NULL), 801);
	EXPECT(cuCtxGetCurrent(NULL), 801);
}

/* Each line of the input is "symbol NAME" or "lookup VERSION FLAGS DRIVER [NAME]". The output of a
   lookup is its result and the symbol at the address. */
int main(int argc, char **argv)
{
	char line[256], name[200];
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*lookup)(const char *, int, uint64_t, int, void **);
	if (!library) {
		printf("wrong: %s\n", dlerror());
		return 1;
	}
	lookup = (int (*)(const char *, int, uint64_t, int, void **))dlsym(library, "test_lookup");
	void *function = &line;
	EXPECT(lookup(NULL, 0, 0, 13050, &function), -1);
	EXPECT(function == NULL, 1);
	call(library);
	while (fgets(line, sizeof line, stdin)) {
		int version, driver;
		unsigned long long flags;
		*name = 0;
		if (sscanf(line, "symbol %199s", name) == 1) {
			if (!dlsym(library, name))
				printf("wrong: no symbol %s\n", name);
		} else if (sscanf(line, "lookup %d %llu %d %199s", &version, &flags, &driver, name) >= 3) {
			Dl_info info = {0};
			int status = lookup(name, version, flags, driver, &function);
			if (function && (!dladdr(function, &info) || strcmp(info.dli_fname, argv[1])))
				printf("wrong: %s %d is outside the library\n", name, version);
			printf("%d %s\n", status, function ? info.dli_sname : "");
		} else {
			printf("wrong: the line %s", line);
		}
	}
	return 0;
}
