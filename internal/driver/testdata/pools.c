/* Memory pools: handles, what they count, limits, access. */
#include "cu.h"

struct properties { int type, handles, at, id; void *security; size_t limit; unsigned short usage; char reserved[54]; };
struct access { int at, id; unsigned flags; };
int cuMemPoolCreate(void **, const void *), cuMemPoolDestroy(void *), cuMemPoolGetAttribute(void *, int, void *), cuMemPoolSetAttribute(void *, int, void *), cuMemPoolTrimTo(void *, size_t);
int cuMemPoolSetAccess(void *, const void *, size_t), cuMemPoolGetAccess(unsigned *, void *, const void *), cuMemAllocFromPoolAsync(ptr *, size_t, void *, void *), cuMemAllocAsync(ptr *, size_t, void *), cuMemFreeAsync(ptr, void *);
int cuDeviceGetMemPool(void **, int), cuDeviceSetMemPool(int, void *), cuDeviceGetDefaultMemPool(void **, int), cuMemGetMemPool(void **, const void *, int), cuMemSetMemPool(const void *, int, void *);
int cuMemPoolExportToShareableHandle(void *, void *, int, uint64_t), cuPointerGetAttribute(void *, int, ptr), cuMemsetD32Async(ptr, unsigned, size_t, void *);

static uint64_t get(void *pool, int n) { uint64_t v = 0; OK(cuMemPoolGetAttribute(pool, n, &v)); return v; }

int main(void)
{
	struct properties q = { 1, 0, 1, 0, NULL, 1 << 20, 0, { 0 } };
	struct access access = { 1, 0, 3 };
	void *pool, *first, *now, *s;
	uint64_t zero = 0, keep = 64 << 20;
	unsigned flags;
	int where[2] = { 2, 0 };
	ptr a, b, c;
	begin();
	WANT(sizeof q, 88);
	OK(cuStreamCreate(&s, 1));
	OK(cuDeviceGetDefaultMemPool(&first, 0));
	OK(cuDeviceGetMemPool(&now, 0));
	WANT(now == first, 1);
	WANT(cuMemPoolDestroy(first), 1);
	OK(cuMemPoolCreate(&pool, &q));
	OK(cuMemAllocFromPoolAsync(&a, 1000, pool, s));
	OK(cuMemAllocFromPoolAsync(&b, 500, pool, s));
	OK(cuPointerGetAttribute(&now, 17, b));
	WANT(now == pool, 1);
	OK(cuMemsetD32Async(a, 1, 250, s));
	WANT(get(pool, 7), 1500);
	WANT(get(pool, 5) >= 1500, 1);
	OK(cuMemFreeAsync(a, s));
	WANT(get(pool, 7), 500);
	WANT(get(pool, 8), 1500);
	WANT(get(first, 8), 0);
	OK(cuMemPoolSetAttribute(pool, 8, &zero));
	WANT(get(pool, 8), 500);
	WANT(cuMemPoolSetAttribute(pool, 8, &keep), 1);
	WANT(cuMemPoolSetAttribute(pool, 7, &zero), 1);
	WANT(cuMemAllocFromPoolAsync(&a, 1 << 20, pool, s), 2); /* past the limit of the pool */
	WANT(get(pool, 13), 1 << 20);

	/* the threshold keeps memory; TrimTo gives it back */
	OK(cuMemPoolSetAttribute(first, 4, &keep));
	WANT(get(first, 4), keep);
	OK(cuMemAllocAsync(&a, 5 << 20, s));
	OK(cuMemFreeAsync(a, s));
	WANT(get(first, 7), 0);
	WANT(get(first, 5) >= 5 << 20, 1);
	OK(cuMemPoolTrimTo(first, 0));
	WANT(get(first, 5), 0);

	/* a device's pool; a destroyed pool lives until its last allocation is freed */
	OK(cuDeviceSetMemPool(0, pool));
	OK(cuMemAllocAsync(&c, 64, NULL));
	WANT(get(pool, 7), 564);
	OK(cuMemPoolDestroy(pool));
	OK(cuDeviceGetMemPool(&now, 0));
	WANT(now == first, 1);
	WANT(cuMemAllocFromPoolAsync(&a, 64, pool, s), 1);
	WANT(cuMemPoolGetAttribute(pool, 7, &a), 1);
	OK(cuStreamSynchronize(s));
	OK(cuMemFree_v2(b));
	OK(cuMemFreeAsync(c, NULL));

	/* access */
	OK(cuMemPoolSetAccess(first, &access, 1));
	OK(cuMemPoolGetAccess(&flags, first, &access));
	WANT(flags, 3);
	access.flags = 0;
	WANT(cuMemPoolSetAccess(first, &access, 1), 1);
	access.id = 1;
	WANT(cuMemPoolSetAccess(first, &access, 1), 101);

	/* a pool of host memory */
	q.at = 2, q.limit = 0;
	OK(cuMemPoolCreate(&pool, &q));
	OK(cuMemSetMemPool(where, 1, pool));
	OK(cuMemGetMemPool(&now, where, 1));
	WANT(now == pool, 1);
	OK(cuMemAllocFromPoolAsync(&a, 128, pool, s));
	((unsigned *)a)[31] = 5;
	OK(run(add, a, 1, s));
	OK(cuStreamSynchronize(s));
	WANT(((unsigned *)a)[31], 6);
	OK(cuMemFreeAsync(a, s));
	OK(cuMemPoolDestroy(pool));

	/* what is refused by name */
	q.handles = 1;
	WANT(cuMemPoolCreate(&pool, &q), 801);
	WANT(cuMemPoolExportToShareableHandle(&now, first, 1, 0), 801);
	OK(cuStreamDestroy_v2(s));
	return finish();
}
