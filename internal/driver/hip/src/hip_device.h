/* The device: properties, attributes, contexts. All figures come from the driver library, so no chip is named here. */

static int attribute(int n)
{
	int v = 0;
	return CU(cuDeviceGetAttribute)(&v, (uint32_t)n, 0) ? 0 : v;
}

/* architecture is the name of the chip, such as gfx803: the name of the device without what comes before the blank. */
static const char *architecture(char *room, size_t size)
{
	char *blank;
	*room = 0;
	CU(cuDeviceGetName)(room, (int32_t)size, 0);
	blank = strrchr(room, ' ');
	return blank ? blank + 1 : room;
}

/* generation is the number of a chip in four decimal digits and less: 803 of gfx803; letters count from 10. */
static void generation(int *major, int *minor, int *number)
{
	char room[256];
	const char *name = architecture(room, sizeof room);
	size_t n = strlen(name);
	*major = *minor = *number = 0;
	if (strncmp(name, "gfx", 3) || n < 6) {
		*major = attribute(75), *minor = attribute(76);
		return;
	}
	*number = (int)strtol(name + 3, NULL, 10);
	*minor = name[n - 2] - '0';
	for (size_t i = 3; i + 2 < n; i++)
		*major = *major * 10 + name[i] - '0';
}

/* features are the flags of hipDeviceArch_t: all but surfaces and launches from kernels. */
enum { FEATURES = 0x1ffff & ~(1 << 14 | 1 << 16 | 1 << 11) };

static void put_int(void *p, size_t at, int v) { memcpy((char *)p + at, &v, sizeof v); }
static void put_size(void *p, size_t at, size_t v) { memcpy((char *)p + at, &v, sizeof v); }

static size_t total_memory(void)
{
	uint64_t n = 0;
	CU(cuDeviceTotalMem_v2)(&n, 0);
	return n;
}

/* properties_5 writes the structure of HIP 5, which has 792 bytes. */
static int properties_5(void *p, int device)
{
	static const int ints[][2] = { /* offset, and attribute of the driver API */
		{ 272, 12 }, { 276, 10 }, { 280, 1 }, { 284, 2 }, { 288, 3 }, { 292, 4 }, { 296, 5 }, { 300, 6 }, { 304, 7 }, { 308, 13 }, { 312, 36 },
		{ 316, 37 }, { 336, 16 }, { 340, 38 }, { 344, 39 }, { 360, 31 }, { 388, 19 }, { 656, 95 }, { 772, 83 }, { 780, 89 }, { 784, 88 },
	};
	char room[256];
	int major, minor, number;
	if (device != 0)
		return hipErrorInvalidDevice;
	memset(p, 0, 792);
	CU(cuDeviceGetName)(p, 256, 0);
	for (size_t i = 0; i < sizeof ints / sizeof ints[0]; i++)
		put_int(p, (size_t)ints[i][0], attribute(ints[i][1]));
	generation(&major, &minor, &number);
	put_size(p, 256, total_memory());
	put_size(p, 264, (size_t)attribute(8));
	put_size(p, 320, (size_t)attribute(9));
	put_int(p, 328, major), put_int(p, 332, minor), put_int(p, 392, number);
	put_int(p, 352, attribute(13));
	put_int(p, 356, FEATURES);
	put_size(p, 376, (size_t)attribute(81));
	snprintf((char *)p + 396, 256, "%s", architecture(room, sizeof room));
	put_size(p, 712, (size_t)attribute(11)), put_size(p, 720, 256), put_size(p, 728, 256);
	return hipSuccess;
}

/* properties_6 writes the structure of HIP 6 and later, which has 1472 bytes. */
static int properties_6(void *p, int device)
{
	static const int ints[][2] = {
		{ 304, 12 }, { 308, 10 }, { 320, 1 }, { 324, 2 }, { 328, 3 }, { 332, 4 }, { 336, 5 }, { 340, 6 }, { 344, 7 }, { 348, 13 }, { 384, 15 },
		{ 388, 16 }, { 400, 19 }, { 576, 31 }, { 600, 40 }, { 604, 41 }, { 608, 36 }, { 612, 37 }, { 616, 38 }, { 624, 39 }, { 628, 78 },
		{ 632, 79 }, { 636, 80 }, { 648, 82 }, { 652, 83 }, { 664, 86 }, { 668, 87 }, { 672, 88 }, { 676, 89 }, { 688, 95 }, { 712, 106 },
		{ 728, 99 }, { 744, 115 },
	};
	char room[256];
	int major, minor, number;
	if (device != 0)
		return hipErrorInvalidDevice;
	memset(p, 0, 1472);
	CU(cuDeviceGetName)(p, 256, 0);
	CU(cuDeviceGetUuid_v2)((char *)p + 256, 0);
	for (size_t i = 0; i < sizeof ints / sizeof ints[0]; i++)
		put_int(p, (size_t)ints[i][0], attribute(ints[i][1]));
	generation(&major, &minor, &number);
	put_size(p, 288, total_memory());
	put_size(p, 296, (size_t)attribute(8));
	put_size(p, 312, (size_t)attribute(11));
	put_size(p, 352, (size_t)attribute(9));
	put_int(p, 360, major), put_int(p, 364, minor);
	put_size(p, 368, 256), put_size(p, 376, 256);
	put_size(p, 640, (size_t)attribute(81));
	put_size(p, 696, (size_t)attribute(97));
	put_size(p, 720, (size_t)attribute(111));
	snprintf((char *)p + 1160, 256, "%s", architecture(room, sizeof room));
	put_size(p, 1416, (size_t)attribute(81));
	put_int(p, 1424, attribute(13));
	put_int(p, 1428, FEATURES);
	return hipSuccess;
}

HIP(hipGetDeviceProperties)(void *p, int device) { ENTER(); REQUIRE(p); return done(properties_5(p, device)); }
HIP(hipGetDevicePropertiesR0000)(void *p, int device) { ENTER(); REQUIRE(p); return done(properties_5(p, device)); }
HIP(hipGetDevicePropertiesR0600)(void *p, int device) { ENTER(); REQUIRE(p); return done(properties_6(p, device)); }
HIP(hipChooseDevice)(int *device, const void *p) { ENTER(); REQUIRE(device && p); *device = 0; return done(hipSuccess); }
HIP(hipChooseDeviceR0000)(int *device, const void *p) { return hipChooseDevice(device, p); }
HIP(hipChooseDeviceR0600)(int *device, const void *p) { return hipChooseDevice(device, p); }

/* numbers are attributes of HIP (hipDeviceAttribute_t) and those of the driver API that they are. */
static const int numbers[][2] = {
	{ 0, 32 }, { 2, 40 }, { 3, 19 }, { 4, 91 }, { 5, 13 }, { 6, 20 }, { 7, 90 }, { 8, 31 }, { 9, 89 }, { 10, 95 }, { 11, 96 }, { 12, 15 },
	{ 13, 101 }, { 14, 79 }, { 15, 86 }, { 16, 18 }, { 17, 84 }, { 18, 17 }, { 19, 38 }, { 20, 80 }, { 24, 83 }, { 25, 106 }, { 26, 2 },
	{ 27, 3 }, { 28, 4 }, { 29, 5 }, { 30, 6 }, { 31, 7 }, { 55, 2 }, { 56, 1 }, { 57, 39 }, { 58, 11 }, { 59, 37 }, { 60, 36 }, { 63, 16 },
	{ 65, 88 }, { 66, 100 }, { 67, 33 }, { 68, 34 }, { 69, 50 }, { 71, 12 }, { 72, 82 }, { 73, 111 }, { 74, 8 }, { 75, 97 }, { 76, 81 },
	{ 77, 87 }, { 78, 78 }, { 79, 30 }, { 80, 35 }, { 81, 14 }, { 82, 51 }, { 83, 9 }, { 85, 41 }, { 87, 10 }, { 88, 115 }, { 89, 102 },
	{ 90, 99 }, { 10000, 13 }, { 10002, 81 }, { 10015, 16 }, { 10017, 13 },
};

HIP(hipDeviceGetAttribute)(int *out, int n, int device)
{
	int major, minor, number;
	ENTER();
	REQUIRE(out);
	if (device != 0)
		return done(hipErrorInvalidDevice);
	generation(&major, &minor, &number);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (numbers[i][0] == n) {
			*out = attribute(numbers[i][1]);
			return done(hipSuccess);
		}
	switch (n) {
	case 23: *out = major; return done(hipSuccess);
	case 61: *out = minor; return done(hipSuccess);
	case 84: { /* the size of the memory */
		size_t total = total_memory();
		*out = total > 0x7fffffff ? 0x7fffffff : (int)total;
		return done(hipSuccess);
	}
	case 10003: *out = number; return done(hipSuccess);
	case 10018: *out = 1; return done(hipSuccess); /* one die */
	}
	if ((n >= 32 && n <= 54) || n == 1 || n == 21 || n == 22 || n == 62 || n == 70 || n == 91 || (n >= 10001 && n <= 10016)) {
		*out = 0; /* textures, surfaces, and what the device lacks */
		return done(hipSuccess);
	}
	return done(hipErrorInvalidValue);
}

HIP(hipInit)(uint32_t flags) { REQUIRE(flags == 0); ENTER(); return done(hipSuccess); }
HIP(hipGetDeviceCount)(int *n) { ENTER(); REQUIRE(n); *n = 1; return done(hipSuccess); }
HIP(hipGetDevice)(int *device) { ENTER(); REQUIRE(device); *device = 0; return done(hipSuccess); }
HIP(hipSetDevice)(int device) { ENTER(); return done(device ? hipErrorInvalidDevice : hipSuccess); }
HIP(hipSetValidDevices)(const int *list, int n) { ENTER(); (void)list, (void)n; return done(hipSuccess); }
HIP(hipDeviceGet)(int *device, int n) { ENTER(); REQUIRE(device); *device = 0; return done(n ? hipErrorInvalidDevice : hipSuccess); }
HIP(hipDeviceGetName)(char *name, int n, int device) { ENTER(); RETURN(CU(cuDeviceGetName)(name, n, device)); }
HIP(hipDeviceGetUuid)(void *id, int device) { ENTER(); RETURN(CU(cuDeviceGetUuid_v2)(id, device)); }
HIP(hipDeviceTotalMem)(size_t *n, int device) { ENTER(); RETURN(CU(cuDeviceTotalMem_v2)(n, device)); }
HIP(hipDeviceGetPCIBusId)(char *id, int n, int device) { ENTER(); RETURN(CU(cuDeviceGetPCIBusId)(id, n, device)); }
HIP(hipDeviceGetByPCIBusId)(int *device, const char *id) { ENTER(); REQUIRE(device && id); *device = 0; return done(hipSuccess); }
HIP(hipDeviceCanAccessPeer)(int *can, int a, int b) { ENTER(); RETURN(CU(cuDeviceCanAccessPeer)(can, a, b)); }
HIP(hipDeviceEnablePeerAccess)(int a, uint32_t flags) { ENTER(); (void)a, (void)flags; return done(hipErrorInvalidDevice); }
HIP(hipDeviceDisablePeerAccess)(int a) { ENTER(); (void)a; return done(hipErrorInvalidDevice); }

HIP(hipDeviceComputeCapability)(int *major, int *minor, int device)
{
	int number;
	ENTER();
	REQUIRE(major && minor);
	if (device != 0)
		return done(hipErrorInvalidDevice);
	generation(major, minor, &number);
	return done(hipSuccess);
}

HIP(hipDriverGetVersion)(int *v) { ENTER(); REQUIRE(v); *v = HIP_MAJOR == 5 ? 50721153 : HIP_MAJOR == 6 ? 60443483 : 70125424; return done(hipSuccess); }
HIP(hipRuntimeGetVersion)(int *v) { return hipDriverGetVersion(v); }
HIP(hipDeviceSynchronize)(void) { ENTER(); RETURN(CU(cuCtxSynchronize)()); }
HIP(hipDeviceGetStreamPriorityRange)(int *least, int *greatest) { ENTER(); if (least) *least = 1; if (greatest) *greatest = -1; return done(hipSuccess); }
HIP(hipGetDeviceFlags)(uint32_t *flags) { ENTER(); REQUIRE(flags); *flags = 0; return done(hipSuccess); }
HIP(hipSetDeviceFlags)(uint32_t flags) { ENTER(); (void)flags; return done(hipSuccess); }
HIP(hipDeviceSetCacheConfig)(int config) { ENTER(); (void)config; return done(hipSuccess); }
HIP(hipDeviceGetCacheConfig)(int *config) { ENTER(); REQUIRE(config); *config = 0; return done(hipSuccess); }
HIP(hipDeviceSetSharedMemConfig)(int config) { ENTER(); (void)config; return done(hipSuccess); }
HIP(hipDeviceGetSharedMemConfig)(int *config) { ENTER(); REQUIRE(config); *config = 0; return done(hipSuccess); }
HIP(hipProfilerStart)(void) { ENTER(); return done(hipSuccess); }
HIP(hipProfilerStop)(void) { ENTER(); return done(hipSuccess); }

/* Limits have other numbers in HIP: 1 the buffer of printf, 2 the heap, 0 the stack. */
HIP(hipDeviceGetLimit)(size_t *out, uint32_t n) { ENTER(); REQUIRE(out && n <= 2); RETURN(CU(cuCtxGetLimit)(out, n)); }
HIP(hipDeviceSetLimit)(uint32_t n, size_t value) { ENTER(); REQUIRE(n <= 2); RETURN(CU(cuCtxSetLimit)(n, value)); }

/* ---- contexts, which HIP keeps for old programs ---- */

HIP(hipCtxCreate)(void **out, uint32_t flags, int device) { ENTER(); (void)flags; REQUIRE(out); if (device) return done(hipErrorInvalidDevice); *out = primary; return done(hipSuccess); }
HIP(hipCtxDestroy)(void *c) { ENTER(); return done(c ? hipSuccess : hipErrorInvalidValue); }
HIP(hipCtxSetCurrent)(void *c) { ENTER(); (void)c; return done(hipSuccess); }
HIP(hipCtxGetCurrent)(void **out) { ENTER(); REQUIRE(out); *out = primary; return done(hipSuccess); }
HIP(hipCtxPushCurrent)(void *c) { ENTER(); (void)c; return done(hipSuccess); }
HIP(hipCtxPopCurrent)(void **out) { ENTER(); if (out) *out = primary; return done(hipSuccess); }
HIP(hipCtxGetDevice)(int *device) { ENTER(); REQUIRE(device); *device = 0; return done(hipSuccess); }
HIP(hipCtxSynchronize)(void) { ENTER(); RETURN(CU(cuCtxSynchronize)()); }
HIP(hipCtxGetFlags)(uint32_t *flags) { ENTER(); REQUIRE(flags); *flags = 0; return done(hipSuccess); }
HIP(hipCtxGetApiVersion)(void *c, int *v) { ENTER(); (void)c; REQUIRE(v); *v = 4; return done(hipSuccess); }
HIP(hipDevicePrimaryCtxRetain)(void **out, int device) { ENTER(); REQUIRE(out); if (device) return done(hipErrorInvalidDevice); *out = primary; return done(hipSuccess); }
HIP(hipDevicePrimaryCtxRelease)(int device) { ENTER(); return done(device ? hipErrorInvalidDevice : hipSuccess); }
HIP(hipDevicePrimaryCtxGetState)(int device, uint32_t *flags, int *active) { ENTER(); if (flags) *flags = 0; if (active) *active = 1; return done(device ? hipErrorInvalidDevice : hipSuccess); }
HIP(hipDevicePrimaryCtxSetFlags)(int device, uint32_t flags) { ENTER(); (void)flags; return done(device ? hipErrorInvalidDevice : hipSuccess); }

static void forget_modules(void);

HIP(hipDeviceReset)(void)
{
	int e;
	ENTER();
	e = CU(cuDevicePrimaryCtxReset_v2)(0);
	forget_modules();
	RETURN(e);
}
HIP(hipDevicePrimaryCtxReset)(int device) { return device ? done(hipErrorInvalidDevice) : hipDeviceReset(); }
