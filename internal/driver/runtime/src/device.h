/* Devices: properties, attributes, limits, versions. There is one, number 0. */

#define DEVICE(d) do { int e_ = start(); if (e_) return fail(e_); if ((d) != 0) return fail(INVALID_DEVICE); } while (0)

API int cudaRuntimeGetVersion(int32_t *version) { WANT(version); *version = CUDART_VERSION_NUMBER; return SUCCESS; }
API int cudaDriverGetVersion(int32_t *version) { WANT(version); start(); return fail(cuDriverGetVersion(version)); }

API int cudaGetDeviceCount(int32_t *count)
{
	int e;
	WANT(count);
	*count = 0;
	return fail((e = start()) ? e : cuDeviceGetCount(count));
}

API int cudaGetDevice(int32_t *device)
{
	int e = start();
	WANT(device);
	if (!e)
		*device = 0;
	return fail(e);
}

API int cudaSetDevice(int32_t device) { DEVICE(device); return fail(take_primary()); }
API int cudaSetValidDevices(int32_t *list, int32_t n) { WANT(n >= 0 && n <= 1 && (list || n == 0)); return n == 1 && list[0] != 0 ? fail(INVALID_DEVICE) : SUCCESS; }
API int cudaChooseDevice(int32_t *device, const void *properties) { WANT(device && properties); *device = 0; return fail(start()); }

static uint32_t device_flags; /* that cudaSetDeviceFlags has set */
enum { MAP_HOST = 8 };

API int cudaSetDeviceFlags(uint32_t flags) { WANT(!(flags & ~0xffu)); __atomic_store_n(&device_flags, flags, __ATOMIC_RELAXED); return fail(start()); }
API int cudaGetDeviceFlags(uint32_t *flags) { WANT(flags); *flags = __atomic_load_n(&device_flags, __ATOMIC_RELAXED) | MAP_HOST; return SUCCESS; }

#if CUDART_MAJOR >= 12
API int cudaInitDevice(int32_t device, uint32_t with_flags, uint32_t flags)
{
	DEVICE(device);
	WANT(flags <= 1);
	if (flags == 1)
		__atomic_store_n(&device_flags, with_flags, __ATOMIC_RELAXED);
	return fail(enter());
}
#endif

API int cudaDeviceSynchronize(void) { CALL(cuCtxSynchronize()); }

API int cudaDeviceReset(void)
{
	int e = start();
	if (e)
		return fail(e);
	unload_all();
	return fail(cuDevicePrimaryCtxReset_v2(0));
}

API int cudaDeviceGetAttribute(int32_t *value, uint32_t attribute, int32_t device) { WANT(value); DEVICE(device); return fail(cuDeviceGetAttribute(value, attribute, 0)); }
API int cudaDeviceGetPCIBusId(char *id, int32_t n, int32_t device) { WANT(id && n > 0); DEVICE(device); return fail(cuDeviceGetPCIBusId(id, n, 0)); }
API int cudaDeviceGetByPCIBusId(int32_t *device, const char *id) { int e = start(); WANT(device && id); return fail(e ? e : cuDeviceGetByPCIBusId(device, (void *)id)); }
API int cudaDeviceGetLimit(size_t *value, uint32_t limit) { WANT(value); CALL(cuCtxGetLimit(value, limit)); }
API int cudaDeviceSetLimit(uint32_t limit, size_t value) { CALL(cuCtxSetLimit(limit, value)); }
API int cudaDeviceGetCacheConfig(uint32_t *config) { WANT(config); CALL(cuCtxGetCacheConfig(config)); }
API int cudaDeviceSetCacheConfig(uint32_t config) { WANT(config <= 3); CALL(cuCtxSetCacheConfig(config)); }
API int cudaDeviceGetSharedMemConfig(uint32_t *config) { WANT(config); CALL(cuCtxGetSharedMemConfig(config)); }
API int cudaDeviceSetSharedMemConfig(uint32_t config) { CALL(cuCtxSetSharedMemConfig(config)); }
API int cudaDeviceGetStreamPriorityRange(int32_t *least, int32_t *greatest) { CALL(cuCtxGetStreamPriorityRange(least, greatest)); }
API int cudaCtxResetPersistingL2Cache(void) { CALL(cuCtxResetPersistingL2Cache()); }
API int cudaDeviceFlushGPUDirectRDMAWrites(uint32_t target, uint32_t scope) { CALL(cuFlushGPUDirectRDMAWrites(target, scope)); }

/* A pair has two devices, and there is one. */
API int cudaDeviceCanAccessPeer(int32_t *can, int32_t device, int32_t peer) { WANT(can); DEVICE(device); DEVICE(peer); return fail(cuDeviceCanAccessPeer(can, device, peer)); }
API int cudaDeviceEnablePeerAccess(int32_t peer, uint32_t flags) { WANT(!flags); DEVICE(peer); return fail(INVALID_DEVICE); }
API int cudaDeviceDisablePeerAccess(int32_t peer) { DEVICE(peer); return fail(PEER_NOT_ENABLED); }
API int cudaDeviceGetP2PAttribute(int32_t *value, uint32_t attribute, int32_t a, int32_t b) { WANT(value); DEVICE(a); DEVICE(b); return fail(cuDeviceGetP2PAttribute(value, attribute, a, b)); }

#if CUDART_MAJOR <= 12
API int cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
API int cudaThreadExit(void) { return cudaDeviceReset(); }
API int cudaThreadGetLimit(size_t *value, uint32_t limit) { return cudaDeviceGetLimit(value, limit); }
API int cudaThreadSetLimit(uint32_t limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
API int cudaThreadGetCacheConfig(uint32_t *config) { return cudaDeviceGetCacheConfig(config); }
API int cudaThreadSetCacheConfig(uint32_t config) { return cudaDeviceSetCacheConfig(config); }
API int cudaSetDoubleForDevice(double *d) { (void)d; return SUCCESS; }
API int cudaSetDoubleForHost(double *d) { (void)d; return SUCCESS; }
#endif
API int cudaProfilerStart(void) { return SUCCESS; }
API int cudaProfilerStop(void) { return SUCCESS; }
#if CUDART_MAJOR == 11
API int cudaProfilerInitialize(const char *config, const char *output, uint32_t mode) { (void)config, (void)output, (void)mode; return SUCCESS; }
#endif
API int cudaGetExportTable(const void **tables, const void *id) { (void)id; if (tables) *tables = NULL; return fail(SYMBOL_NOT_FOUND); }

/* ---- properties ---- */

/* The members of cudaDeviceProp: the attributes they hold, and where they are in the structures of CUDA 11, 12 and 13; -1:
   they are absent. wide members have 8 bytes. Members with several values hold consecutive attributes. */
static const struct property { int16_t attribute, count, wide, at[3]; } properties[] = {
	{ 8, 1, 1, { 296, 296, 296 } }, { 12, 1, 0, { 304, 304, 304 } }, { 10, 1, 0, { 308, 308, 308 } }, { 11, 1, 1, { 312, 312, 312 } },
	{ 1, 1, 0, { 320, 320, 320 } }, { 2, 3, 0, { 324, 324, 324 } }, { 5, 3, 0, { 336, 336, 336 } }, { 13, 1, 0, { 348, 348, -1 } },
	{ 9, 1, 1, { 352, 352, 352 } }, { 75, 2, 0, { 360, 360, 360 } }, { 14, 1, 1, { 368, 368, 368 } }, { 51, 1, 1, { 376, 376, 376 } },
	{ 15, 1, 0, { 384, 384, -1 } }, { 16, 1, 0, { 388, 388, 384 } }, { 17, 1, 0, { 392, 392, -1 } }, { 18, 1, 0, { 396, 396, 388 } },
	{ 19, 1, 0, { 400, 400, 392 } }, { 20, 1, 0, { 404, 404, -1 } }, { 21, 1, 0, { 408, 408, 396 } }, { 77, 1, 0, { 412, 412, 400 } },
	{ 69, 1, 0, { 416, 416, -1 } }, { 22, 2, 0, { 420, 420, 404 } }, { 73, 2, 0, { 428, 428, 412 } }, { 70, 3, 0, { 436, 436, 420 } },
	{ 45, 2, 0, { 448, 448, 432 } }, { 24, 3, 0, { 456, 456, 440 } }, { 47, 3, 0, { 468, 468, 452 } }, { 52, 1, 0, { 480, 480, 464 } },
	{ 42, 2, 0, { 484, 484, 468 } }, { 27, 3, 0, { 492, 492, 476 } }, { 53, 2, 0, { 504, 504, 488 } }, { 55, 1, 0, { 512, 512, 496 } },
	{ 56, 2, 0, { 516, 516, 500 } }, { 58, 3, 0, { 524, 524, 508 } }, { 61, 2, 0, { 536, 536, 520 } }, { 63, 3, 0, { 544, 544, 528 } },
	{ 66, 1, 0, { 556, 556, 540 } }, { 67, 2, 0, { 560, 560, 544 } }, { 30, 1, 1, { 568, 568, 552 } }, { 31, 1, 0, { 576, 576, 560 } },
	{ 32, 1, 0, { 580, 580, 564 } }, { 33, 1, 0, { 584, 584, 568 } }, { 34, 1, 0, { 588, 588, 572 } }, { 50, 1, 0, { 592, 592, 576 } },
	{ 35, 1, 0, { 596, 596, 580 } }, { 40, 1, 0, { 600, 600, 584 } }, { 41, 1, 0, { 604, 604, 588 } }, { 36, 1, 0, { 608, 608, -1 } },
	{ 37, 1, 0, { 612, 612, 592 } }, { 38, 1, 0, { 616, 616, 596 } }, { 108, 1, 0, { 620, 620, 600 } }, { 39, 1, 0, { 624, 624, 604 } },
	{ 78, 1, 0, { 628, 628, 608 } }, { 79, 1, 0, { 632, 632, 612 } }, { 80, 1, 0, { 636, 636, 616 } }, { 81, 1, 1, { 640, 640, 624 } },
	{ 82, 1, 0, { 648, 648, 632 } }, { 83, 1, 0, { 652, 652, 636 } }, { 84, 1, 0, { 656, 656, 640 } }, { 85, 1, 0, { 660, 660, 644 } },
	{ 86, 1, 0, { 664, 664, 648 } }, { 87, 1, 0, { 668, 668, -1 } }, { 88, 1, 0, { 672, 672, 652 } }, { 89, 1, 0, { 676, 676, 656 } },
	{ 90, 1, 0, { 680, 680, 660 } }, { 91, 1, 0, { 684, 684, 664 } }, { 95, 1, 0, { 688, 688, 668 } }, { 96, 1, 0, { 692, 692, -1 } },
	{ 97, 1, 1, { 696, 696, 672 } }, { 100, 1, 0, { 704, 704, 680 } }, { 101, 1, 0, { 708, 708, 684 } }, { 106, 1, 0, { 712, 712, 688 } },
	{ 109, 1, 0, { 716, 716, 692 } }, { 111, 1, 1, { 720, 720, 696 } }, { 99, 1, 0, { -1, 728, 704 } }, { 112, 1, 0, { -1, 732, 708 } },
	{ 113, 1, 0, { -1, 736, 712 } }, { 114, 1, 0, { -1, 740, 716 } }, { 115, 1, 0, { -1, 744, 720 } }, { 116, 1, 0, { -1, 748, 724 } },
	{ 117, 1, 0, { -1, 752, 728 } }, { 118, 1, 0, { -1, 756, 732 } }, { 119, 1, 0, { -1, 760, 736 } }, { 121, 1, 0, { -1, 764, 740 } },
	{ 125, 1, 0, { -1, 768, 744 } }, { 120, 1, 0, { -1, 772, 748 } }, { 129, 1, 0, { -1, 776, 752 } }, { 130, 1, 0, { -1, -1, 756 } },
	{ 131, 1, 0, { -1, -1, 760 } }, { 133, 1, 0, { -1, -1, 764 } }, { 134, 1, 0, { -1, -1, 768 } }, { 139, 1, 0, { -1, -1, 772 } },
	{ 140, 1, 0, { -1, -1, 776 } }, { 143, 1, 0, { -1, -1, 780 } },
};

static const size_t property_bytes[3] = { 728, 1032, 1008 };

/* get_properties fills the structure of a version: 0, 1 and 2 are CUDA 11, 12 and 13. */
static int get_properties(char *out, int32_t device, int version)
{
	int e;
	WANT(out);
	DEVICE(device);
	memset(out, 0, property_bytes[version]);
	if ((e = cuDeviceGetName(out, 256, 0)) || (e = cuDeviceGetUuid_v2(out + 256, 0)) || (e = cuDeviceTotalMem_v2(out + 288, 0)))
		return fail(e);
	for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++) {
		const struct property *p = &properties[i];
		for (int k = 0; k < p->count && p->at[version] >= 0; k++) {
			int32_t v = 0;
			int64_t wide;
			if (cuDeviceGetAttribute(&v, (uint32_t)(p->attribute + k), 0))
				continue; /* the device does not know it */
			wide = v;
			memcpy(out + p->at[version] + 4 * k, p->wide ? (void *)&wide : (void *)&v, p->wide ? sizeof wide : sizeof v);
		}
	}
	return SUCCESS;
}

#if CUDART_MAJOR == 12
API int cudaGetDeviceProperties(void *out, int32_t device) { return get_properties(out, device, 0); }
API int cudaGetDeviceProperties_v2(void *out, int32_t device) { return get_properties(out, device, 1); }
#else
API int cudaGetDeviceProperties(void *out, int32_t device) { return get_properties(out, device, CUDART_MAJOR - 11); }
#endif

/* ---- functions of the driver ---- */

static int entry_point(const char *symbol, void **function, uint32_t version, uint64_t flags, uint32_t *status, int own)
{
	int32_t found = 0;
	int e;
	WANT(symbol && function && flags <= 2);
	if ((e = start()))
		return fail(e);
	if (flags == 0 && own)
		flags = 2;
	*function = NULL;
	e = cuGetProcAddress_v2((void *)symbol, function, (int32_t)version, flags, &found);
	if (status)
		*status = (uint32_t)found;
	return fail(e ? e : SUCCESS);
}

#if CUDART_MAJOR == 11
API int cudaGetDriverEntryPoint(const char *symbol, void **function, uint64_t flags) { int e; uint32_t status = 0; if (!(e = entry_point(symbol, function, CUDART_VERSION_NUMBER, flags, &status, 0)) && status) return fail(SYMBOL_NOT_FOUND); return e; }
API int cudaGetDriverEntryPoint_ptsz(const char *symbol, void **function, uint64_t flags) { int e; uint32_t status = 0; if (!(e = entry_point(symbol, function, CUDART_VERSION_NUMBER, flags, &status, 1)) && status) return fail(SYMBOL_NOT_FOUND); return e; }
#else
API int cudaGetDriverEntryPoint(const char *symbol, void **function, uint64_t flags, uint32_t *status) { return entry_point(symbol, function, CUDART_VERSION_NUMBER, flags, status, 0); }
API int cudaGetDriverEntryPoint_ptsz(const char *symbol, void **function, uint64_t flags, uint32_t *status) { return entry_point(symbol, function, CUDART_VERSION_NUMBER, flags, status, 1); }
API int cudaGetDriverEntryPointByVersion(const char *symbol, void **function, uint32_t version, uint64_t flags, uint32_t *status) { return entry_point(symbol, function, version, flags, status, 0); }
API int cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **function, uint32_t version, uint64_t flags, uint32_t *status) { return entry_point(symbol, function, version, flags, status, 1); }
#endif
