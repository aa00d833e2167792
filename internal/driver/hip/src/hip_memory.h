/* Memory: allocations, pools, registered memory, what a pointer is, advice. */

/* zero_bytes is a request for nothing: HIP returns NULL. */
#define ALLOCATE(out, n, call) do { \
	int e_; \
	ENTER(); \
	REQUIRE(out); \
	*(void **)(out) = NULL; \
	if ((n) == 0) \
		return done(hipSuccess); \
	e_ = (call); \
	return done(status(e_)); } while (0)

HIP(hipMalloc)(void **out, size_t n) { ALLOCATE(out, n, CU(cuMemAlloc_v2)(out, n)); }
HIP(hipExtMallocWithFlags)(void **out, size_t n, uint32_t flags) { (void)flags; ALLOCATE(out, n, CU(cuMemAlloc_v2)(out, n)); }
HIP(hipHostMalloc)(void **out, size_t n, uint32_t flags) { ALLOCATE(out, n, CU(cuMemHostAlloc)(out, n, flags & 7)); }
HIP(hipHostAlloc)(void **out, size_t n, uint32_t flags) { return hipHostMalloc(out, n, flags); }
HIP(hipMallocHost)(void **out, size_t n) { return hipHostMalloc(out, n, 0); }
HIP(hipMemAllocHost)(void **out, size_t n) { return hipHostMalloc(out, n, 0); }

HIP(hipMallocManaged)(void **out, size_t n, uint32_t flags)
{
	ENTER();
	REQUIRE(flags == 1 || flags == 2); /* global, or the host's */
	ALLOCATE(out, n, CU(cuMemAllocManaged)(out, n, flags));
}

HIP(hipFree)(void *p) { ENTER(); RETURN(p ? CU(cuMemFree_v2)((uint64_t)p) : CU(cuCtxSynchronize)()); }
HIP(hipHostFree)(void *p) { ENTER(); RETURN(p ? CU(cuMemFreeHost)(p) : hipSuccess); }
HIP(hipFreeHost)(void *p) { return hipHostFree(p); }

/* pitched allocates rows of bytes. */
static int pitched(void *out, size_t *pitch, size_t width, size_t height)
{
	return CU(cuMemAllocPitch_v2)(out, pitch, width, height, 4);
}

HIP(hipMallocPitch)(void **out, size_t *pitch, size_t width, size_t height) { ENTER(); REQUIRE(pitch); ALLOCATE(out, width && height, pitched(out, pitch, width, height)); }
HIP(hipMemAllocPitch)(void **out, size_t *pitch, size_t width, size_t height, uint32_t element) { (void)element; return hipMallocPitch(out, pitch, width, height); }

struct pitched { void *p; size_t pitch, width, height; };
struct extent { size_t width, height, depth; };

HIP(hipMalloc3D)(struct pitched *out, struct extent n)
{
	uint64_t p = 0;
	size_t pitch = 0;
	int e;
	ENTER();
	REQUIRE(out);
	*out = (struct pitched){ 0 };
	if (n.width == 0 || n.height == 0 || n.depth == 0)
		return done(hipSuccess);
	if ((e = pitched(&p, &pitch, n.width, n.height * n.depth)))
		RETURN(e);
	*out = (struct pitched){ (void *)p, pitch, n.width, n.height };
	return done(hipSuccess);
}

HIP(hipMemGetInfo)(size_t *unused, size_t *total) { ENTER(); RETURN(CU(cuMemGetInfo_v2)(unused, total)); }
HIP(hipMemGetAddressRange)(void **base, size_t *size, void *p) { ENTER(); RETURN(CU(cuMemGetAddressRange_v2)(base, size, (uint64_t)p)); }

HIP(hipMemPtrGetInfo)(void *p, size_t *size)
{
	uint64_t base;
	ENTER();
	REQUIRE(size);
	RETURN(CU(cuMemGetAddressRange_v2)(&base, size, (uint64_t)p) ? hipErrorInvalidValue : hipSuccess);
}

HIP(hipHostGetDevicePointer)(void **out, void *p, uint32_t flags) { ENTER(); RETURN(CU(cuMemHostGetDevicePointer_v2)(out, p, flags)); }
HIP(hipHostGetFlags)(uint32_t *flags, void *p) { ENTER(); RETURN(CU(cuMemHostGetFlags)(flags, p)); }
HIP(hipHostRegister)(void *p, size_t n, uint32_t flags) { ENTER(); RETURN(CU(cuMemHostRegister_v2)(p, n, flags & 3)); }
HIP(hipHostUnregister)(void *p) { ENTER(); RETURN(CU(cuMemHostUnregister)(p)); }

/* ---- what a pointer is ---- */

/* The numbers of kinds of memory (hipMemoryType) changed in HIP 6. */
#define KIND_HOST (HIP_MAJOR >= 6 ? 1 : 0)
#define KIND_DEVICE (HIP_MAJOR >= 6 ? 2 : 1)
#define KIND_MANAGED (HIP_MAJOR >= 6 ? 3 : 1)

HIP(hipPointerGetAttributes)(void *out, const void *p)
{
	struct { int kind, device; void *on_device, *on_host; int managed; uint32_t flags; } a = { 0 };
	uint32_t kind = 0;
	uint8_t managed = 0;
	ENTER();
	REQUIRE(out);
	if (!p || CU(cuPointerGetAttribute)(&kind, 2, (uint64_t)p)) {
		if (HIP_MAJOR < 6 || !p)
			return done(hipErrorInvalidValue);
		a.device = -2; /* memory that is not registered: kind 0 */
		memcpy(out, &a, sizeof a);
		return done(hipSuccess);
	}
	CU(cuPointerGetAttribute)(&managed, 8, (uint64_t)p);
	CU(cuPointerGetAttribute)(&a.on_device, 3, (uint64_t)p);
	if (managed || kind == 1)
		a.on_host = (void *)p;
	a.kind = managed ? KIND_MANAGED : kind == 1 ? KIND_HOST : KIND_DEVICE;
	a.managed = managed;
	memcpy(out, &a, sizeof a);
	return done(hipSuccess);
}

HIP(hipPointerGetAttribute)(void *out, uint32_t n, void *p)
{
	int e;
	ENTER();
	REQUIRE(out);
	if ((e = CU(cuPointerGetAttribute)(out, n, (uint64_t)p)))
		RETURN(e);
	if (n == 2 && HIP_MAJOR < 6) /* the kind */
		*(uint32_t *)out -= 1;
	return done(hipSuccess);
}

HIP(hipDrvPointerGetAttributes)(uint32_t n, uint32_t *list, void **out, void *p)
{
	ENTER();
	REQUIRE(list && out);
	for (uint32_t i = 0; i < n; i++)
		hipPointerGetAttribute(out[i], list[i], p);
	return done(hipSuccess);
}

/* ---- pools ---- */

HIP(hipMallocAsync)(void **out, size_t n, void *stream) { ALLOCATE(out, n, CU(cuMemAllocAsync)(out, n, stream)); }
HIP(hipMallocFromPoolAsync)(void **out, size_t n, void *pool, void *stream) { ALLOCATE(out, n, CU(cuMemAllocFromPoolAsync)(out, n, pool, stream)); }
HIP(hipFreeAsync)(void *p, void *stream) { ENTER(); REQUIRE(p); RETURN(CU(cuMemFreeAsync)((uint64_t)p, stream)); }
HIP(hipDeviceGetDefaultMemPool)(void **pool, int device) { ENTER(); RETURN(CU(cuDeviceGetDefaultMemPool)(pool, device)); }
HIP(hipDeviceGetMemPool)(void **pool, int device) { ENTER(); RETURN(CU(cuDeviceGetMemPool)(pool, device)); }
HIP(hipDeviceSetMemPool)(int device, void *pool) { ENTER(); RETURN(CU(cuDeviceSetMemPool)(device, pool)); }
HIP(hipMemPoolCreate)(void **pool, const void *properties) { ENTER(); RETURN(CU(cuMemPoolCreate)(pool, (void *)properties)); }
HIP(hipMemPoolDestroy)(void *pool) { ENTER(); RETURN(CU(cuMemPoolDestroy)(pool)); }
HIP(hipMemPoolTrimTo)(void *pool, size_t keep) { ENTER(); RETURN(CU(cuMemPoolTrimTo)(pool, keep)); }
HIP(hipMemPoolSetAttribute)(void *pool, uint32_t n, void *value) { ENTER(); RETURN(CU(cuMemPoolSetAttribute)(pool, n, value)); }
HIP(hipMemPoolGetAttribute)(void *pool, uint32_t n, void *value) { ENTER(); RETURN(CU(cuMemPoolGetAttribute)(pool, n, value)); }
HIP(hipMemPoolSetAccess)(void *pool, const void *list, size_t n) { ENTER(); RETURN(CU(cuMemPoolSetAccess)(pool, (void *)list, n)); }
HIP(hipMemPoolGetAccess)(uint32_t *flags, void *pool, void *location) { ENTER(); RETURN(CU(cuMemPoolGetAccess)(flags, pool, location)); }

/* ---- memory at addresses that the host reserves: the structures are those of the driver API ---- */

HIP(hipMemGetAllocationGranularity)(size_t *out, const void *properties, uint32_t option) { ENTER(); RETURN(CU(cuMemGetAllocationGranularity)(out, (void *)properties, option)); }
HIP(hipMemAddressReserve)(void **out, size_t n, size_t align, void *address, unsigned long long flags) { ENTER(); RETURN(CU(cuMemAddressReserve)(out, n, align, (uint64_t)address, flags)); }
HIP(hipMemAddressFree)(void *p, size_t n) { ENTER(); RETURN(CU(cuMemAddressFree)((uint64_t)p, n)); }
HIP(hipMemCreate)(void **out, size_t n, const void *properties, unsigned long long flags) { ENTER(); RETURN(CU(cuMemCreate)(out, n, (void *)properties, flags)); }
HIP(hipMemRelease)(void *handle) { ENTER(); RETURN(CU(cuMemRelease)((uint64_t)handle)); }
HIP(hipMemRetainAllocationHandle)(void **out, void *p) { ENTER(); RETURN(CU(cuMemRetainAllocationHandle)(out, p)); }
HIP(hipMemGetAllocationPropertiesFromHandle)(void *out, void *handle) { ENTER(); RETURN(CU(cuMemGetAllocationPropertiesFromHandle)(out, (uint64_t)handle)); }
HIP(hipMemMap)(void *p, size_t n, size_t offset, void *handle, unsigned long long flags) { ENTER(); RETURN(CU(cuMemMap)((uint64_t)p, n, offset, (uint64_t)handle, flags)); }
HIP(hipMemUnmap)(void *p, size_t n) { ENTER(); RETURN(CU(cuMemUnmap)((uint64_t)p, n)); }
HIP(hipMemSetAccess)(void *p, size_t n, const void *list, size_t count) { ENTER(); RETURN(CU(cuMemSetAccess)((uint64_t)p, n, (void *)list, count)); }
HIP(hipMemGetAccess)(unsigned long long *flags, const void *place, void *p) { ENTER(); RETURN(CU(cuMemGetAccess)(flags, (void *)place, (uint64_t)p)); }

/* ---- managed memory ---- */

HIP(hipMemPrefetchAsync)(const void *p, size_t n, int device, void *stream) { ENTER(); (void)p, (void)n, (void)device, (void)stream; return done(hipSuccess); }
HIP(hipMemAdvise)(const void *p, size_t n, uint32_t advice, int device) { ENTER(); (void)p, (void)n, (void)advice, (void)device; return done(hipSuccess); }
HIP(hipStreamAttachMemAsync)(void *stream, void *p, size_t n, uint32_t flags) { ENTER(); RETURN(CU(cuStreamAttachMemAsync)(stream, (uint64_t)p, n, flags)); }

/* ---- other processes ---- */

struct handle { unsigned char bytes[64]; };

HIP(hipIpcGetMemHandle)(struct handle *out, void *p) { ENTER(); RETURN(CU(cuIpcGetMemHandle)(out, (uint64_t)p)); }
HIP(hipIpcCloseMemHandle)(void *p) { ENTER(); RETURN(CU(cuIpcCloseMemHandle)((uint64_t)p)); }
HIP(hipIpcGetEventHandle)(struct handle *out, void *event) { ENTER(); RETURN(CU(cuIpcGetEventHandle)(out, event)); }

HIP(hipIpcOpenMemHandle)(void **out, struct handle h, uint32_t flags)
{
	struct crosslane_struct64 x;
	ENTER();
	memcpy(&x, &h, sizeof x);
	RETURN(CU(cuIpcOpenMemHandle_v2)(out, x, flags ? flags : 1));
}

HIP(hipIpcOpenEventHandle)(void **out, struct handle h)
{
	struct crosslane_struct64 x;
	ENTER();
	memcpy(&x, &h, sizeof x);
	RETURN(CU(cuIpcOpenEventHandle)(out, x));
}
