/* Memory that the host maps at addresses which it has reserved. Without arguments: what works. Else the first argument is
   wrong or right, the second the name of a mistake. */
#include "cu.h"

struct properties { uint32_t type, handles; int32_t at_type, at_id; void *security; unsigned char flags[8]; };
struct rights { int32_t type, id; uint32_t flags; };

int cuMemAddressReserve(ptr *, size_t, size_t, ptr, uint64_t), cuMemAddressFree(ptr, size_t), cuMemMap(ptr, size_t, size_t, uint64_t, uint64_t), cuMemUnmap(ptr, size_t);
int cuMemCreate(uint64_t *, size_t, const struct properties *, uint64_t), cuMemRelease(uint64_t), cuMemRetainAllocationHandle(uint64_t *, void *);
int cuMemSetAccess(ptr, size_t, const struct rights *, size_t), cuMemGetAccess(uint64_t *, const void *, ptr), cuMemGetAllocationGranularity(size_t *, const struct properties *, unsigned);
int cuMemGetAllocationPropertiesFromHandle(struct properties *, uint64_t), cuMemExportToShareableHandle(void *, uint64_t, unsigned, uint64_t);
int cuMemsetD32_v2(ptr, unsigned, size_t), cuMemcpyDtoD_v2(ptr, ptr, size_t), cuDeviceGetAttribute(int *, int, int), cuMemGetInfo_v2(size_t *, size_t *);
int cuPointerGetAttribute(void *, int, ptr), cuMemGetAddressRange_v2(ptr *, size_t *, ptr), cuDevicePrimaryCtxReset_v2(int);
int cuMemcpyDtoHAsync_v2(void *, ptr, size_t, void *), cuMemAllocHost_v2(void **, size_t), cuMemFreeHost(void *);

enum { CHUNK = 2 << 20, N = 32 };

static const struct properties device_memory = { 1, 0, 1, 0, NULL, { 0 } };
static const struct rights both = { 1, 0, 3 }, read_only = { 1, 0, 1 }, none = { 1, 0, 0 };

static ptr reserve(size_t chunks)
{
	ptr p = 0;
	OK(cuMemAddressReserve(&p, chunks * CHUNK, 0, 0, 0));
	return p;
}

static uint64_t create(size_t chunks)
{
	uint64_t m = 0;
	OK(cuMemCreate(&m, chunks * CHUNK, &device_memory, 0));
	return m;
}

/* mapped maps new memory and gives the device all rights to it. */
static uint64_t mapped(ptr p, size_t chunks)
{
	uint64_t m = create(chunks);
	OK(cuMemMap(p, chunks * CHUNK, 0, m, 0));
	OK(cuMemSetAccess(p, chunks * CHUNK, &both, 1));
	return m;
}

static void end(ptr p, size_t chunks, uint64_t m)
{
	OK(cuMemUnmap(p, chunks * CHUNK));
	OK(cuMemRelease(m));
	OK(cuMemAddressFree(p, chunks * CHUNK));
}

static unsigned word(ptr p)
{
	unsigned v = 0;
	OK(cuMemcpyDtoH_v2(&v, p, 4));
	return v;
}

/* A range grows by mappings; copies, fills and kernels cross from one into the next. */
static void grows(void)
{
	ptr p = reserve(8), start = 0, edge = p + CHUNK - 64;
	size_t size = 0, least = 0, before, after, total;
	uint64_t first, second, access = 0, again = 0;
	struct properties q;
	unsigned words[2 * N];
	int v;
	OK(cuDeviceGetAttribute(&v, 102, 0));
	WANT(v, 1);
	OK(cuMemGetAllocationGranularity(&least, &device_memory, 0));
	WANT(least, CHUNK);
	OK(cuMemGetInfo_v2(&before, &total));
	first = mapped(p, 1);
	OK(cuMemsetD32_v2(p, 5, CHUNK / 4));
	second = mapped(p + CHUNK, 2);
	OK(cuMemGetInfo_v2(&after, &total));
	WANT(before - after, 3 * CHUNK);
	OK(cuMemsetD32_v2(p + CHUNK, 6, 2 * CHUNK / 4));
	OK(run(add, edge, 10, NULL)); /* 16 words of either mapping */
	OK(cuMemcpyDtoH_v2(words, edge - 64, sizeof words));
	for (int i = 0; i < 2 * N; i++)
		WANT(words[i], i < 16 ? 5 : i < 32 ? 15 : i < 48 ? 16 : 6);
	OK(cuMemcpyDtoD_v2(p + 2 * CHUNK - 64, edge, 128));
	WANT(word(p + 2 * CHUNK), 16);
	OK(cuMemGetAccess(&access, &both, p));
	WANT(access, 3);
	OK(cuMemGetAllocationPropertiesFromHandle(&q, second));
	WANT(memcmp(&q, &device_memory, 16), 0);
	OK(cuMemGetAddressRange_v2(&start, &size, p + CHUNK + 8));
	WANT(start, p + CHUNK);
	WANT(size, 2 * CHUNK);
	OK(cuPointerGetAttribute(&v, 2, p)); /* memory of the device */
	WANT(v, 2);
	/* A handle from the address keeps the memory. */
	OK(cuMemRetainAllocationHandle(&again, (void *)(p + 100)));
	WANT(again, first);
	OK(cuMemRelease(first));
	/* The rights change, and the contents stay. */
	OK(cuMemSetAccess(p, CHUNK, &none, 1));
	OK(cuMemSetAccess(p + CHUNK, 2 * CHUNK, &read_only, 1));
	WANT(word(p + CHUNK + 64), 6);
	OK(cuMemSetAccess(p, 3 * CHUNK, &both, 1));
	WANT(word(p), 5);
	/* The memory moves to another address. */
	OK(cuMemUnmap(p, CHUNK));
	OK(cuMemMap(p + 5 * CHUNK, CHUNK, 0, again, 0));
	OK(cuMemSetAccess(p + 5 * CHUNK, CHUNK, &both, 1));
	WANT(word(p + 5 * CHUNK), 5);
	WANT(word(p + 5 * CHUNK + (CHUNK - 64)), 15);
	OK(cuMemUnmap(p + 5 * CHUNK, CHUNK));
	OK(cuMemUnmap(p + CHUNK, 2 * CHUNK));
	OK(cuMemRelease(again));
	OK(cuMemRelease(second));
	OK(cuMemGetInfo_v2(&after, &total));
	WANT(before - after, 0);
	OK(cuMemAddressFree(p, 8 * CHUNK));
}

/* One memory at two addresses, and the second half of one. */
static void twice(void)
{
	ptr p = reserve(2), q = reserve(3);
	uint64_t m = mapped(p, 2);
	WANT(p % CHUNK, 0);
	OK(cuMemsetD32_v2(p, 1, 2 * CHUNK / 4));
	OK(cuMemMap(q + CHUNK, CHUNK, CHUNK, m, 0));
	OK(cuMemSetAccess(q + CHUNK, CHUNK, &both, 1));
	OK(run(add, p + CHUNK, 3, NULL));
	OK(run(scale, q + CHUNK, 2, NULL));
	WANT(word(p + CHUNK + 4), 8);
	WANT(word(q + CHUNK + 4), 8);
	WANT(word(p), 1);
	OK(cuMemRelease(m)); /* its mappings keep it */
	OK(cuMemUnmap(p, 2 * CHUNK));
	WANT(word(q + CHUNK + 8), 8);
	OK(cuMemUnmap(q + CHUNK, CHUNK));
	OK(cuMemAddressFree(p, 2 * CHUNK));
	OK(cuMemAddressFree(q, 3 * CHUNK));
}

/* What the driver refuses. */
static void refused(void)
{
	struct properties q = device_memory;
	ptr p = reserve(2), other;
	uint64_t m = create(1), n = 0;
	void *memory = NULL;
	struct rights host = { 2, 0, 3 }, elsewhere = { 1, 1, 3 };
	WANT(cuMemAddressReserve(&other, CHUNK + 4096, 0, 0, 0), 1);
	WANT(cuMemAddressReserve(&other, CHUNK, 3 * CHUNK, 0, 0), 1);
	WANT(cuMemCreate(&n, 1000, &device_memory, 0), 1);
	WANT(cuMemCreate(&n, CHUNK, &device_memory, 1), 1);
	WANT(cuMemCreate(&n, 1ull << 50, &device_memory, 0), 2);
	q.handles = 1;
	WANT(cuMemCreate(&n, CHUNK, &q, 0), 801);
	q = device_memory, q.at_type = 2;
	WANT(cuMemCreate(&n, CHUNK, &q, 0), 801);
	q = device_memory, q.at_id = 1;
	WANT(cuMemCreate(&n, CHUNK, &q, 0), 101);
	WANT(cuMemExportToShareableHandle(&memory, m, 1, 0), 801);
	WANT(cuMemMap(p, CHUNK, 4096, m, 0), 1);
	WANT(cuMemMap(p, 2 * CHUNK, 0, m, 0), 1);
	WANT(cuMemMap(p + 2 * CHUNK, CHUNK, 0, m, 0), 1);
	WANT(cuMemMap(p, CHUNK, 0, m + 100, 0), 1);
	OK(cuMemMap(p, CHUNK, 0, m, 0));
	WANT(cuMemMap(p, CHUNK, 0, m, 0), 1);
	WANT(cuMemSetAccess(p, CHUNK, &host, 1), 801);
	WANT(cuMemSetAccess(p, CHUNK, &elsewhere, 1), 101);
	WANT(cuMemSetAccess(p, 2 * CHUNK, &both, 1), 1);
	WANT(cuMemUnmap(p, 2 * CHUNK), 1);
	WANT(cuMemAddressFree(p, 2 * CHUNK), 1);
	WANT(cuMemFree_v2(p), 1);
	OK(cuMemUnmap(p, CHUNK));
	WANT(cuMemUnmap(p, CHUNK), 1);
	OK(cuMemRelease(m));
	WANT(cuMemRelease(m), 1);
	WANT(cuMemMap(p, CHUNK, 0, m, 0), 1);
	WANT(cuMemAddressFree(p, CHUNK), 1);
	OK(cuMemAddressFree(p, 2 * CHUNK));
	WANT(cuMemAddressFree(p, 2 * CHUNK), 1);
}

/* A reset ends mappings; the addresses serve other memory afterwards. */
static void resets(void)
{
	ptr p = reserve(1);
	mapped(p, 1);
	OK(cuMemsetD32_v2(p, 9, N));
	OK(cuDevicePrimaryCtxReset_v2(0));
	begin();
	grows();
}

/* ---- mistakes, with their twins ---- */

static void after_unmap(int bad)
{
	ptr p = reserve(2);
	uint64_t m = mapped(p, 2);
	OK(cuMemsetD32_v2(p, 1, N));
	if (!bad)
		OK(run(add, p, 1, NULL));
	OK(cuCtxSynchronize());
	OK(cuMemUnmap(p, 2 * CHUNK));
	if (bad)
		run(add, p, 1, NULL);
	cuCtxSynchronize();
	cuMemRelease(m);
	cuMemAddressFree(p, 2 * CHUNK);
}

static void copy_after_unmap(int bad)
{
	ptr p = reserve(2);
	uint64_t m = mapped(p, 1);
	unsigned v[N] = { 0 };
	OK(cuMemcpyHtoD_v2(p, v, sizeof v));
	OK(cuMemUnmap(p, CHUNK));
	if (bad)
		WANT(cuMemcpyHtoD_v2(p + 8, v, sizeof v), 1);
	OK(cuMemRelease(m));
	OK(cuMemAddressFree(p, 2 * CHUNK));
}

static void no_rights(int bad)
{
	ptr p = reserve(2);
	uint64_t m = create(1);
	OK(cuMemMap(p, CHUNK, 0, m, 0));
	OK(cuMemSetAccess(p, CHUNK, &both, 1));
	OK(cuMemsetD32_v2(p, 1, N));
	if (bad)
		OK(cuMemSetAccess(p, CHUNK, &none, 1));
	run(add, p, 1, NULL);
	cuCtxSynchronize();
	cuMemUnmap(p, CHUNK);
	cuMemRelease(m);
	cuMemAddressFree(p, 2 * CHUNK);
}

static void copy_no_rights(int bad)
{
	ptr p = reserve(1);
	uint64_t m = create(1);
	unsigned v[N] = { 0 };
	OK(cuMemMap(p, CHUNK, 0, m, 0));
	if (!bad)
		OK(cuMemSetAccess(p, CHUNK, &both, 1));
	WANT(cuMemcpyHtoD_v2(p, v, sizeof v), bad ? 700 : 0);
	end(p, 1, m);
}

static void only_read(int bad)
{
	ptr p = reserve(1);
	uint64_t m = mapped(p, 1);
	OK(cuMemsetD32_v2(p, 1, N));
	if (bad)
		OK(cuMemSetAccess(p, CHUNK, &read_only, 1));
	run(add, p, 1, NULL);
	cuCtxSynchronize();
	cuMemUnmap(p, CHUNK);
	cuMemRelease(m);
	cuMemAddressFree(p, CHUNK);
}

static void fill_only_read(int bad)
{
	ptr p = reserve(1);
	uint64_t m = mapped(p, 1);
	if (bad)
		OK(cuMemSetAccess(p, CHUNK, &read_only, 1));
	WANT(cuMemsetD32_v2(p, 1, N), bad ? 700 : 0);
	OK(cuCtxSynchronize());
	end(p, 1, m);
}

static void past_mapping(int bad)
{
	ptr p = reserve(2);
	uint64_t m = mapped(p, 1), rest = bad ? 0 : mapped(p + CHUNK, 1);
	OK(cuMemsetD32_v2(p, 1, CHUNK / 4));
	if (!bad)
		OK(cuMemsetD32_v2(p + CHUNK, 1, CHUNK / 4));
	run(add, p + CHUNK - 64, 1, NULL);
	cuCtxSynchronize();
	cuMemUnmap(p, bad ? CHUNK : 2 * CHUNK);
	cuMemRelease(m);
	if (rest)
		cuMemRelease(rest);
	cuMemAddressFree(p, 2 * CHUNK);
}

static void unmap_in_use(int bad)
{
	void *s;
	ptr p = reserve(1);
	uint64_t m = mapped(p, 1);
	OK(cuStreamCreate(&s, 1));
	OK(cuMemsetD32_v2(p, 1, N));
	OK(cuCtxSynchronize());
	OK(run(add, p, 1, s));
	if (!bad)
		OK(cuStreamSynchronize(s));
	end(p, 1, m);
	OK(cuStreamDestroy_v2(s));
}

static void never_written(int bad)
{
	ptr p = reserve(2);
	uint64_t first = mapped(p, 1), second;
	OK(cuMemsetD32_v2(p, 1, CHUNK / 4));
	second = mapped(p + CHUNK, 1);
	if (!bad)
		OK(cuMemsetD32_v2(p + CHUNK, 1, N));
	word(p + CHUNK - 4);
	word(p + CHUNK);
	OK(cuMemUnmap(p, 2 * CHUNK));
	OK(cuMemRelease(first));
	OK(cuMemRelease(second));
	OK(cuMemAddressFree(p, 2 * CHUNK));
}

static void race(int bad)
{
	void *s, *t;
	ptr p = reserve(2);
	uint64_t first = mapped(p, 1), second;
	OK(cuStreamCreate(&s, 1));
	OK(cuStreamCreate(&t, 1));
	OK(cuMemsetD32_v2(p, 1, N));
	OK(cuCtxSynchronize());
	OK(run(add, p, 1, s));
	second = mapped(p + CHUNK, 1); /* the range grows, and the operation stays known */
	if (!bad)
		OK(cuStreamSynchronize(s));
	OK(run(add, p, 1, t));
	OK(cuCtxSynchronize());
	OK(cuMemUnmap(p, 2 * CHUNK));
	OK(cuMemRelease(first));
	OK(cuMemRelease(second));
	OK(cuMemAddressFree(p, 2 * CHUNK));
	OK(cuStreamDestroy_v2(s));
	OK(cuStreamDestroy_v2(t));
}

static void leak_memory(int bad)
{
	uint64_t m = create(1);
	if (!bad)
		OK(cuMemRelease(m));
}

static void leak_mapping(int bad)
{
	ptr p = reserve(1);
	uint64_t m = mapped(p, 1);
	OK(cuMemRelease(m));
	if (!bad) {
		OK(cuMemUnmap(p, CHUNK));
		OK(cuMemAddressFree(p, CHUNK));
	}
}

static void leak_addresses(int bad)
{
	ptr p = reserve(3);
	if (!bad)
		OK(cuMemAddressFree(p, 3 * CHUNK));
}

static void release_twice(int bad)
{
	uint64_t m = create(1);
	OK(cuMemRelease(m));
	if (bad)
		WANT(cuMemRelease(m), 1);
}

#define PAIR(name) { #name, name }
static const struct { const char *name; void (*call)(int bad); } pairs[] = {
	PAIR(after_unmap), PAIR(copy_after_unmap), PAIR(no_rights), PAIR(copy_no_rights), PAIR(only_read), PAIR(fill_only_read), PAIR(past_mapping),
	PAIR(unmap_in_use), PAIR(never_written), PAIR(race), PAIR(leak_memory), PAIR(leak_mapping), PAIR(leak_addresses), PAIR(release_twice),
};

int main(int argc, char **argv)
{
	begin();
	if (argc < 2) {
		grows();
		twice();
		refused();
		resets();
		return finish();
	}
	for (size_t i = 0; argc > 2 && i < sizeof pairs / sizeof *pairs; i++)
		if (!strcmp(argv[2], pairs[i].name)) {
			pairs[i].call(!strcmp(argv[1], "wrong"));
			return finish();
		}
	return 2;
}
