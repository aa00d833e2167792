/* Green contexts: multiprocessors are split, and streams of each part run kernels. With an argument, nothing orders two parts. */
#include "cu.h"

struct resource { unsigned type, inner[23], count, least, align, flags; unsigned char rest[24]; void *next; };

int cuDeviceGetDevResource(int, struct resource *, unsigned), cuDevSmResourceSplitByCount(struct resource *, unsigned *, const struct resource *, struct resource *, unsigned, unsigned);
int cuDevResourceGenerateDesc(void **, struct resource *, unsigned), cuGreenCtxCreate(void **, void *, int, unsigned), cuGreenCtxDestroy(void *), cuCtxFromGreenCtx(void **, void *), cuGreenCtxGetDevResource(void *, struct resource *, unsigned);
int cuGreenCtxStreamCreate(void **, void *, unsigned, int), cuGreenCtxRecordEvent(void *, void *), cuGreenCtxWaitEvent(void *, void *), cuStreamGetGreenCtx(void *, void **), cuCtxGetDevResource(void *, struct resource *, unsigned);
int cuDeviceGetAttribute(int *, int, int), cuCtxGetCurrent(void **), cuStreamGetCtx_v2(void *, void **, void **), cuMemsetD32_v2(ptr, unsigned, size_t), cuStreamGetDevResource(void *, struct resource *, unsigned);

int main(int argc, char **argv)
{
	struct resource all, part[2], rest, got;
	void *d[2], *g[2], *s[2], *now, *green = NULL, *done;
	unsigned n = 0;
	ptr p;
	int count, race = argc > 1;
	(void)argv;
	begin();
	OK(cuDeviceGetAttribute(&count, 16, 0));
	OK(cuDeviceGetDevResource(0, &all, 1));
	WANT(all.type == 1 && all.count == (unsigned)count && all.least >= all.align && all.align > 0, 1);
	WANT(cuDeviceGetDevResource(0, &got, 1000), 914);
	OK(cuDevSmResourceSplitByCount(NULL, &n, &all, NULL, 0, 1));
	WANT(n, all.count / all.least);
	n = 2;
	OK(cuDevSmResourceSplitByCount(part, &n, &all, &rest, 0, all.least + 1));
	WANT(n, 2);
	WANT(part[0].count, (all.least + all.align) / all.align * all.align);
	WANT(rest.count, all.count - 2 * part[0].count);
	n = 1;
	WANT(cuDevSmResourceSplitByCount(&got, &n, &part[0], NULL, 0, 1), 915); /* no green context has it */
	WANT(cuDevSmResourceSplitByCount(&got, &n, &all, NULL, 0, all.count + 1), 1);
	part[1].type = 0;
	WANT(cuDevResourceGenerateDesc(&d[0], part, 2), 914);
	part[1].type = 1;
	got = part[0];
	for (int i = 0; i < 2; i++) {
		OK(cuDevResourceGenerateDesc(&d[i], &part[i], 1));
		OK(cuGreenCtxCreate(&g[i], d[i], 0, 1));
		WANT(cuGreenCtxStreamCreate(&s[i], g[i], 0, 0), 1);
		OK(cuGreenCtxStreamCreate(&s[i], g[i], 1, 0));
		OK(cuStreamGetGreenCtx(s[i], &green));
		WANT(green == g[i], 1);
		green = NULL;
		OK(cuStreamGetCtx_v2(s[i], &now, &green));
		WANT(now == context && green == g[i], 1);
		OK(cuStreamGetDevResource(s[i], &got, 1));
		WANT(got.count, part[i].count);
	}
	OK(cuGreenCtxGetDevResource(g[0], &got, 1));
	n = 1;
	OK(cuDevSmResourceSplitByCount(&rest, &n, &got, NULL, 0, 1)); /* now it may be split */
	OK(cuCtxGetCurrent(&now));
	WANT(now == context, 1);
	OK(cuCtxFromGreenCtx(&now, g[1]));
	OK(cuCtxGetDevResource(now, &got, 1));
	WANT(got.count, part[1].count);
	OK(cuMemAlloc_v2(&p, 128));
	OK(cuMemsetD32_v2(p, 1, 32));
	OK(cuCtxSynchronize());
	OK(cuEventCreate(&done, 2));
	OK(run(add, p, 2, s[0]));
	OK(cuGreenCtxRecordEvent(g[0], done));
	if (!race)
		OK(cuGreenCtxWaitEvent(g[1], done));
	OK(run(scale, p, 5, s[1]));
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH_v2(&n, p, 4));
	WANT(n, 15);
	OK(cuMemFree_v2(p));
	OK(cuEventDestroy_v2(done));
	for (int i = 0; i < 2; i++) {
		OK(cuStreamDestroy_v2(s[i]));
		OK(cuGreenCtxDestroy(g[i]));
	}
	WANT(cuGreenCtxDestroy(g[0]), 201);
	return finish();
}
