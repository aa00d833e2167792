/* Functions that few programs call: contexts, attributes, advice, copies in three dimensions, occupancy, old launches. */
#include "cu.h"

struct location { int type, id; };
int cuCtxCreate_v3(void **, void *, int, unsigned, int), cuCtxDestroy(void *), cuCtxPopCurrent(void **), cuCtxPushCurrent(void *), cuCtxGetId(void *, uint64_t *);
int cuCtxGetSharedMemConfig(int *), cuCtxSetSharedMemConfig(int), cuCtxResetPersistingL2Cache(void), cuCtxGetExecAffinity(void *, int), cuCtxSetFlags(unsigned), cuCtxGetFlags(unsigned *);
int cuCtxEnablePeerAccess(void *, unsigned), cuCtxDisablePeerAccess(void *);
int cuDeviceGetByPCIBusId(int *, const char *), cuDeviceGetPCIBusId(char *, int, int), cuDeviceGetLuid(char *, unsigned *, int), cuDeviceGetProperties(void *, int), cuDeviceGetAttribute(int *, int, int);
int cuDeviceGetP2PAttribute(int *, int, int, int), cuDeviceGetExecAffinitySupport(int *, int, int), cuFlushGPUDirectRDMAWrites(int, int), cuModuleGetLoadingMode(int *);
int cuStreamGetCtx_v2(void *, void **, void **), cuStreamGetAttribute(void *, int, void *), cuStreamSetAttribute(void *, int, const void *), cuStreamCopyAttributes(void *, void *), cuStreamGetPriority(void *, int *);
int cuLaunchHostFunc_v2(void *, void (*)(void *), void *, unsigned), cuKernelSetCacheConfig(void *, int, int);
int cuLinkCreate(unsigned, int *, void **, void **), cuLinkAddData(void *, int, void *, size_t, const char *, unsigned, int *, void **), cuLinkComplete(void *, void **, size_t *), cuLinkDestroy(void *);
int cuMemAllocManaged(ptr *, size_t, unsigned), cuMemAdvise(ptr, size_t, int, int), cuMemAdvise_v2(ptr, size_t, int, struct location), cuMemPrefetchAsync(ptr, size_t, int, void *), cuMemPrefetchAsync_v2(ptr, size_t, struct location, unsigned, void *);
int cuMemPrefetchBatchAsync(ptr *, size_t *, size_t, struct location *, size_t *, size_t, uint64_t, void *), cuMemDiscardBatchAsync(ptr *, size_t *, size_t, uint64_t, void *), cuMemDiscardAndPrefetchBatchAsync(ptr *, size_t *, size_t, struct location *, size_t *, size_t, uint64_t, void *);
int cuMemRangeGetAttribute(void *, size_t, int, ptr, size_t), cuMemRangeGetAttributes(void **, size_t *, int *, size_t, ptr, size_t);
int cuMemcpyPeer(ptr, void *, ptr, void *, size_t), cuMemcpyPeerAsync(ptr, void *, ptr, void *, size_t, void *), cuMemcpy3D_v2(const void *), cuMemcpy3DAsync_v2(const void *, void *);
int cuMemcpyBatchAsync_v2(ptr *, ptr *, size_t *, size_t, void *, size_t *, size_t, void *), cuMemsetD2D16Async(ptr, size_t, unsigned short, size_t, size_t, void *), cuMemsetD2D32Async(ptr, size_t, unsigned, size_t, size_t, void *);
int cuOccupancyMaxPotentialBlockSize(int *, int *, void *, size_t (*)(int), size_t, int), cuOccupancyAvailableDynamicSMemPerBlock(size_t *, void *, int, int);
int cuOccupancyMaxActiveClusters(int *, void *, const void *), cuOccupancyMaxPotentialClusterSize(int *, void *, const void *);
int cuFuncSetBlockShape(void *, int, int, int), cuFuncSetSharedSize(void *, unsigned), cuParamSetSize(void *, unsigned), cuParamSeti(void *, int, unsigned), cuParamSetv(void *, int, void *, unsigned), cuLaunchGrid(void *, int, int), cuLaunch(void *);
int cuGetErrorName(unsigned, const char **), cuGetErrorString(unsigned, const char **);

static int ran;
static void on_host(void *p) { ran += *(int *)p; }
static size_t per_lane(int lanes) { return (size_t)lanes * 64; }

static void contexts(void)
{
	void *c, *d;
	uint64_t a, b;
	unsigned flags;
	int n;
	WANT(cuCtxCreate_v3(&c, NULL, 1, 0, 0), 224);
	OK(cuCtxCreate_v3(&c, NULL, 0, 0, 0));
	OK(cuCtxGetId(NULL, &a));
	OK(cuCtxGetId(context, &b));
	WANT(a != b, 1);
	OK(cuCtxSetFlags(4));
	OK(cuCtxGetFlags(&flags));
	WANT(flags, 4);
	OK(cuCtxGetSharedMemConfig(&n));
	WANT(n, 1);
	OK(cuCtxSetSharedMemConfig(2));
	WANT(cuCtxSetSharedMemConfig(3), 1);
	OK(cuCtxResetPersistingL2Cache());
	WANT(cuCtxGetExecAffinity(&a, 0), 224);
	WANT(cuCtxEnablePeerAccess(context, 0), 217);
	WANT(cuCtxDisablePeerAccess(context), 705);
	OK(cuCtxPopCurrent(&d));
	WANT(c == d, 1);
	OK(cuCtxPushCurrent(c));
	OK(cuCtxDestroy(c));
}

static void devices(void)
{
	char id[32];
	int n, p[14], v;
	unsigned mask;
	OK(cuDeviceGetPCIBusId(id, sizeof id, 0));
	OK(cuDeviceGetByPCIBusId(&n, id));
	WANT(n, 0);
	OK(cuDeviceGetByPCIBusId(&n, "00:00"));
	WANT(cuDeviceGetByPCIBusId(&n, "0000:0f:00.0"), 101);
	WANT(cuDeviceGetByPCIBusId(&n, "somewhere"), 1);
	WANT(cuDeviceGetLuid(id, &mask, 0), 801);
	OK(cuDeviceGetProperties(p, 0));
	OK(cuDeviceGetAttribute(&v, 12, 0));
	WANT(p[0] == 1024 && p[1] == 1024 && p[3] == 64 && p[9] == 32 && p[11] == v, 1);
	WANT(cuDeviceGetP2PAttribute(&v, 1, 0, 0), 101);
	OK(cuDeviceGetExecAffinitySupport(&v, 0, 0));
	WANT(v, 0);
	OK(cuFlushGPUDirectRDMAWrites(0, 100));
	OK(cuModuleGetLoadingMode(&v));
	WANT(v == 1 || v == 2, 1);
}

static void streams(void)
{
	void *s, *t, *c, *green = &s;
	int value[16] = { 0 }, n = 5;
	OK(cuStreamCreate(&s, 0));
	OK(cuStreamCreate(&t, 0));
	OK(cuStreamGetCtx_v2(s, &c, &green));
	WANT(c == context && green == NULL, 1);
	OK(cuStreamGetAttribute(s, 3, value));
	WANT(value[0], 1);
	value[0] = 2;
	OK(cuStreamSetAttribute(s, 3, value));
	value[0] = -3;
	OK(cuStreamSetAttribute(s, 8, value));
	OK(cuStreamCopyAttributes(t, s));
	OK(cuStreamGetAttribute(t, 3, value));
	WANT(value[0], 2);
	OK(cuStreamGetPriority(t, value));
	WANT(value[0], -3);
	WANT(cuStreamGetAttribute(t, 99, value), 1);
	OK(cuLaunchHostFunc_v2(s, on_host, &n, 1));
	OK(cuStreamSynchronize(s));
	WANT(ran, 5);
	WANT(cuLaunchHostFunc_v2(s, on_host, &n, 2), 1);
	OK(cuStreamDestroy_v2(s));
	OK(cuStreamDestroy_v2(t));
}

static void advice(void)
{
	ptr p, q;
	int v, list[3], kinds[] = { 2, 4 }, a, b;
	void *out[] = { &a, &b };
	size_t sizes[] = { 4, 4 };
	OK(cuMemAllocManaged(&p, 4096, 1));
	OK(cuMemAlloc_v2(&q, 64));
	OK(cuMemRangeGetAttribute(&v, 4, 2, p, 4096));
	WANT(v, -2);
	OK(cuMemAdvise(p, 4096, 1, 0));
	OK(cuMemAdvise_v2(p, 4096, 3, (struct location){ 2, 0 }));
	OK(cuMemAdvise(p, 4096, 5, 0));
	OK(cuMemPrefetchAsync(p, 4096, 0, NULL));
	OK(cuMemRangeGetAttribute(&v, 4, 1, p, 4096));
	WANT(v, 1);
	OK(cuMemRangeGetAttributes(out, sizes, kinds, 2, p, 4096));
	WANT(a == -1 && b == 0, 1);
	OK(cuMemRangeGetAttribute(list, sizeof list, 3, p, 16));
	WANT(list[0] == 0 && list[1] == -2 && list[2] == -2, 1);
	OK(cuMemPrefetchAsync_v2(p, 4096, (struct location){ 2, 0 }, 0, NULL));
	OK(cuMemRangeGetAttribute(&v, 4, 7, p, 4096));
	WANT(v, 2);
	ptr parts[] = { p, p + 1024 };
	size_t part_sizes[] = { 1024, 64 }, first[] = { 0, 1 }, late[] = { 1, 1 };
	struct location to[] = { { 2, 0 }, { 1, 0 } };
	OK(cuMemPrefetchBatchAsync(parts, part_sizes, 2, to, first, 2, 0, (void *)2));
	OK(cuMemRangeGetAttribute(&v, 4, 7, p, 4096));
	WANT(v, 1);
	WANT(cuMemPrefetchBatchAsync(parts, part_sizes, 2, to, late, 2, 0, (void *)2), 1);
	OK(cuMemDiscardBatchAsync(parts, part_sizes, 2, 0, (void *)2));
	OK(cuMemDiscardAndPrefetchBatchAsync(parts, part_sizes, 2, to, first, 1, 0, (void *)2));
	parts[1] = q;
	WANT(cuMemDiscardBatchAsync(parts, part_sizes, 2, 0, (void *)2), 1);
	WANT(cuMemAdvise(p, 4097, 1, 0), 1);
	WANT(cuMemAdvise(p, 4096, 3, 5), 101);
	WANT(cuMemAdvise(q, 64, 1, 0), 1);
	OK(cuMemFree_v2(p));
	OK(cuMemFree_v2(q));
}

static void copies(void)
{
	struct { size_t sx, sy, sz, sl; unsigned st; const void *sh; ptr sd; void *sa, *r0; size_t sp, shh, dx, dy, dz, dl; unsigned dt; void *dh; ptr dd; void *da, *r1; size_t dp, dhh, w, h, d; } c = { 0 };
	unsigned char in[4][3][8], out[2][2][4];
	unsigned v[32];
	unsigned short *half = (unsigned short *)v;
	ptr p, q;
	void *s;
	WANT(sizeof c, 200);
	for (int z = 0; z < 4; z++)
		for (int y = 0; y < 3; y++)
			for (int x = 0; x < 8; x++)
				in[z][y][x] = (unsigned char)(z * 64 + y * 16 + x);
	OK(cuMemAlloc_v2(&p, sizeof in));
	OK(cuMemAlloc_v2(&q, 128));
	c.st = 1, c.sh = in, c.sp = 8, c.shh = 3, c.dt = 2, c.dd = p, c.dp = 8, c.dhh = 3, c.w = 8, c.h = 3, c.d = 4;
	OK(cuMemcpy3D_v2(&c));
	memset(&c, 0, sizeof c);
	c.st = 2, c.sd = p, c.sp = 8, c.shh = 3, c.sx = 2, c.sy = 1, c.sz = 2, c.dt = 1, c.dh = out, c.dp = 4, c.dhh = 2, c.w = 4, c.h = 2, c.d = 2;
	OK(cuMemcpy3DAsync_v2(&c, NULL));
	for (int z = 0; z < 2; z++)
		for (int y = 0; y < 2; y++)
			for (int x = 0; x < 4; x++)
				WANT(out[z][y][x], (z + 2) * 64 + (y + 1) * 16 + x + 2);
	OK(cuMemcpyPeer(q, context, p, context, 8));
	WANT(cuMemcpyPeer(q, NULL, p, context, 8), 201);
	OK(cuMemcpyDtoH_v2(v, q, 8));
	WANT(memcmp(v, in, 8), 0);
	OK(cuStreamCreate(&s, 0));
	ptr to[] = { q, q + 8 }, from[] = { p + 8, (ptr)in };
	size_t sizes[] = { 8, 4 }, zero = 0;
	OK(cuMemcpyBatchAsync_v2(to, from, sizes, 2, NULL, &zero, 0, s));
	WANT(cuMemcpyBatchAsync_v2(to, from, sizes, 2, NULL, &zero, 0, NULL), 1);
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH_v2(v, q, 12));
	WANT(memcmp(v, in[0][1], 8) == 0 && memcmp(v + 2, in, 4) == 0, 1);
	OK(cuMemsetD2D32Async(q, 64, 7, 4, 2, s));
	OK(cuMemsetD2D16Async(q, 64, 9, 1, 2, s));
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH_v2(v, q, 16));
	WANT(half[0] == 9 && half[1] == 0 && v[1] == 7 && v[3] == 7, 1);
	OK(cuMemcpyDtoH_v2(v, q + 64, 16));
	WANT(half[0] == 9 && v[3] == 7, 1);
	OK(cuStreamDestroy_v2(s));
	OK(cuMemFree_v2(p));
	OK(cuMemFree_v2(q));
}

/* A device of 8.0 has 108 multiprocessors, each with 2048 threads, 32 blocks and 164 KB of shared memory, of which a
   block takes 1 KB for itself. */
static void occupancy(void)
{
	struct { unsigned grid[3], block[3], shared; void *stream, *attributes; unsigned count; } config = { { 1, 1, 1 }, { 1024, 1, 1 }, 0, NULL, NULL, 0 };
	uint64_t cluster[9] = { 4, 2 | 1ull << 32, 1 };
	int grid, block, n;
	size_t bytes;
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, add, NULL, 0, 0));
	WANT(block == 1024 && grid == 2 * 108, 1);
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, add, NULL, 0, 500));
	WANT(block, 256); /* 4 x 500 = 2000 lanes, 7 x 288 = 2016, 8 x 256 = 2048 */
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, add, per_lane, 0, 256));
	WANT(block, 256);
	OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, add, 16, 128));
	WANT(bytes, 164 * 1024 / 16 - 1024);
	OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, add, 1, 128));
	WANT(bytes, 48 << 10);
	WANT(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, add, 3, 1024), 1);
	OK(cuOccupancyMaxActiveClusters(&n, add, &config));
	WANT(n, 2 * 108);
	config.attributes = cluster, config.count = 1;
	WANT(cuOccupancyMaxActiveClusters(&n, add, &config), 801);
	OK(cuOccupancyMaxPotentialClusterSize(&n, add, &config));
	WANT(n, 1);
	OK(cuKernelSetCacheConfig(add, 1, 0));
}

static void old(void)
{
	ptr p;
	unsigned v[32] = { 1, 2, 3 };
	OK(cuMemAlloc_v2(&p, sizeof v));
	OK(cuMemcpyHtoD_v2(p, v, sizeof v));
	OK(cuFuncSetBlockShape(add, 32, 1, 1));
	OK(cuFuncSetSharedSize(add, 0));
	OK(cuParamSetv(add, 0, &p, 8));
	OK(cuParamSeti(add, 8, 40));
	OK(cuParamSetSize(add, 12));
	OK(cuLaunch(add));
	OK(cuLaunchGrid(add, 1, 1));
	OK(cuMemcpyDtoH_v2(v, p, sizeof v));
	WANT(v[0] == 81 && v[2] == 83 && v[31] == 80, 1);
	OK(cuMemFree_v2(p));
}

int main(void)
{
	const char *text;
	void *l, *image;
	size_t size;
	begin();
	contexts();
	devices();
	streams();
	advice();
	copies();
	occupancy();
	old();
	OK(cuLinkCreate(0, NULL, NULL, &l));
	OK(cuLinkAddData(l, 1, (void *)kernels, sizeof kernels, "kernels", 0, NULL, NULL));
	OK(cuLinkComplete(l, &image, &size));
	OK(cuLinkDestroy(l));
	OK(cuGetErrorName(906, &text));
	WANT(strcmp(text, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"), 0);
	OK(cuGetErrorString(705, &text));
	WANT(strcmp(text, "peer access has not been enabled"), 0);
	return finish();
}
