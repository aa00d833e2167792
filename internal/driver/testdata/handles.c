/* Contexts and what belongs to them, and handles of nothing. */
#include "cu.h"

int cuCtxCreate_v2(void **, unsigned, int), cuCtxDestroy_v2(void *), cuCtxPushCurrent_v2(void *), cuCtxPopCurrent_v2(void **), cuCtxGetCurrent(void **);
int cuCtxSynchronize_v2(void *), cuCtxGetDevice_v2(int *, void *), cuMemAllocManaged(ptr *, size_t, unsigned), cuModuleUnload(void *), cuDevicePrimaryCtxRelease_v2(int);
int cuLibraryLoadData(void **, const void *, void *, void *, unsigned, void *, void *, unsigned), cuLibraryGetKernel(void **, void *, const char *);
int cuFuncGetAttribute(int *, unsigned, void *), cuFuncGetParamInfo(void *, size_t, size_t *, size_t *), cuFuncGetName(const char **, void *);
int cuLinkComplete(void *, void **, size_t *), cuLinkDestroy(void *), cuMemcpy(ptr, ptr, size_t), cuModuleGetGlobal_v2(ptr *, size_t *, void *, const char *);
int cuMemHostRegister_v2(void *, size_t, unsigned), cuLaunchKernelEx(const void *, void *, void **, void **);

static const char with_constant[] =
	".version 8.0\n.target sm_70\n.address_size 64\n.visible .const .align 4 .u32 scale = 3;\n.visible .global .attribute(.managed) .align 4 .u32 both = 9;\n"
	".visible .entry none()\n{\nret;\n}\n";

static void *doomed;
static pthread_barrier_t bar;

static void *other_thread(void *p)
{
	ptr q;
	void *c;
	OK(cuCtxPushCurrent_v2(doomed));
	pthread_barrier_wait(&bar);
	pthread_barrier_wait(&bar); /* the context is destroyed in between */
	WANT(cuMemAlloc_v2(&q, 64), 709);
	WANT(cuCtxSynchronize(), 709);
	OK(cuCtxGetCurrent(&c));
	WANT(c == doomed, 1);
	OK(cuCtxPopCurrent_v2(&c));
	WANT(cuMemAlloc_v2(&q, 64), 201);
	return p;
}

static void contexts(int leak)
{
	void *c, *now, *module, *kernel, *stream, *event, *library, *kept, *list[100];
	ptr p, q, mine;
	int n, i;
	pthread_t thread;

	OK(cuMemAlloc_v2(&mine, 128));
	OK(cuCtxCreate_v2(&c, 0, 0));
	OK(cuMemAlloc_v2(&p, 128));
	OK(cuMemAllocManaged(&q, 128, 1));
	OK(cuModuleLoadData(&module, kernels));
	OK(cuModuleGetFunction(&kernel, module, "add"));
	OK(cuLibraryLoadData(&library, kernels, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&kept, library, "add"));
	OK(cuStreamCreate(&stream, 0));
	OK(cuEventCreate(&event, 0));
	OK(cuEventRecord(event, stream));
	unsigned *page = aligned_alloc(4096, 4096);
	page[5] = 55;
	OK(cuMemHostRegister_v2(page, 4096, 0));
	if (!leak) {
		OK(cuMemFree_v2(p));
		OK(cuMemFree_v2(q));
	}
	OK(cuCtxDestroy_v2(c));
	WANT(page[5], 55);
	WANT(cuCtxDestroy_v2(c), 201);
	WANT(cuCtxPushCurrent_v2(c), 201);
	OK(cuCtxGetCurrent(&now));
	WANT(now == context, 1);
	WANT(run(kernel, mine, 1, NULL), 400);
	WANT(cuModuleUnload(module), 400);
	WANT(cuStreamSynchronize(stream), 400);
	WANT(cuEventSynchronize(event), 400);
	OK(run(kept, mine, 0, NULL)); /* a library belongs to no context */
	OK(run(add, mine, 0, NULL));
	OK(cuMemFree_v2(mine));

	/* deep stacks */
	for (i = 0; i < 100; i++)
		OK(cuCtxCreate_v2(&list[i], 0, 0));
	for (i = 99; i >= 0; i--) {
		OK(cuCtxPopCurrent_v2(&now));
		WANT(now == list[i], 1);
		OK(cuCtxDestroy_v2(now));
	}
	OK(cuCtxGetCurrent(&now));
	WANT(now == context, 1);

	/* a context that is current on another thread */
	OK(cuCtxCreate_v2(&doomed, 0, 0));
	pthread_barrier_init(&bar, NULL, 2);
	pthread_create(&thread, NULL, other_thread, NULL);
	pthread_barrier_wait(&bar);
	OK(cuCtxDestroy_v2(doomed));
	pthread_barrier_wait(&bar);
	pthread_join(thread, NULL);

	/* arguments that are no contexts: programs call version 2 as version 1 */
	OK(cuCtxSynchronize_v2((void *)0xdead0));
	OK(cuCtxGetDevice_v2(&n, (void *)&n));
	WANT(n, 0);
	WANT(cuCtxDestroy_v2(context), 201);
	WANT(cuCtxDestroy_v2((void *)0xdead0), 201);

	/* a reset of the primary context leaves what belongs to others */
	OK(cuCtxCreate_v2(&c, 0, 0));
	OK(cuMemAlloc_v2(&p, 128));
	OK(cuModuleLoadData(&module, kernels));
	OK(cuModuleGetFunction(&kernel, module, "add"));
	OK(cuDevicePrimaryCtxRelease_v2(0));
	WANT(run(add, p, 1, NULL), 400);
	OK(run(kernel, p, 0, NULL));
	OK(run(kept, p, 0, NULL));
	OK(cuMemFree_v2(p));
	OK(cuCtxDestroy_v2(c));
}

static void nothing(void)
{
	struct { unsigned grid[3], block[3], shared; void *stream, *attributes; unsigned count; } config = { { 1, 1, 1 }, { 32, 1, 1 }, 0, NULL, NULL, 1 };
	struct { unsigned id, pad; unsigned value[16]; } attribute = { 4, 0, { 1, 1, 1 } };
	void *garbage = (void *)0x123450, *image;
	char bytes[256] = { 0 };
	size_t size;
	const char *name;
	int v;
	ptr p;
	OK(cuMemAlloc_v2(&p, 128));
	for (int i = 0; i < 2; i++, garbage = bytes) {
		WANT(run(garbage, p, 1, NULL), 400);
		WANT(run(add, p, 1, garbage), 400);
		WANT(cuModuleGetFunction(&image, garbage, "add"), 400);
		WANT(cuModuleUnload(garbage), 400);
		WANT(cuFuncGetAttribute(&v, 0, garbage), 400);
		WANT(cuFuncGetParamInfo(garbage, 0, &size, &size), 400);
		WANT(cuFuncGetName(&name, garbage), 400);
		WANT(cuStreamSynchronize(garbage), 400);
		WANT(cuStreamDestroy_v2(garbage), 400);
		WANT(cuEventRecord(garbage, NULL), 400);
		WANT(cuEventDestroy_v2(garbage), 400);
		WANT(cuLinkComplete(garbage, &image, &size), 400);
		WANT(cuLinkDestroy(garbage), 400);
	}
	void *args[] = { &p, &v };
	v = 0;
	config.attributes = &attribute;
	OK(cuLaunchKernelEx(&config, add, args, NULL));
	for (int i = 0; i < 3; i++) {
		attribute.value[i] = 2;
		WANT(cuLaunchKernelEx(&config, add, args, NULL), 801);
		attribute.value[i] = 1;
	}
	WANT(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL), 1);
	OK(cuMemFree_v2(p));
}

/* The memory of a program that is not relocated has addresses as low as those of constants. */
static void low(void)
{
	void *module;
	unsigned *mine = malloc(64), v;
	ptr p, c;
	size_t size;
	OK(cuModuleLoadData(&module, with_constant));
	OK(cuModuleGetGlobal_v2(&c, &size, module, "scale"));
	OK(cuMemAlloc_v2(&p, 64));
	WANT(c < (ptr)1 << 40, 1);
	printf("%s", (ptr)mine < (ptr)1 << 40 ? "low " : "");
	mine[0] = 17;
	OK(cuMemcpy(p, (ptr)mine, 4));
	mine[0] = 0;
	OK(cuMemcpy((ptr)mine, p, 4));
	WANT(mine[0], 17);
	OK(cuMemcpy((ptr)&v, c, 4));
	WANT(v, 3);
	OK(cuMemcpy(c, (ptr)mine, 4));
	OK(cuMemcpy(p, c, 4));
	OK(cuMemcpyDtoH_v2(&v, p, 4));
	WANT(v, 17);
	OK(cuModuleGetGlobal_v2(&c, &size, module, "both"));
	WANT(*(unsigned *)c, 9);
	OK(cuModuleUnload(module));
	OK(cuMemFree_v2(p));
}

int main(int n, char **args)
{
	begin();
	if (n > 1 && !strcmp(args[1], "nothing"))
		nothing();
	else if (n > 1 && !strcmp(args[1], "low"))
		low();
	else
		contexts(n > 1);
	return finish();
}
