/* Devices, contexts and streams: functions that few programs call. */

/* ---- devices ---- */

int EXPORT(cuDeviceGetByPCIBusId)(void *device, void *id)
{
	unsigned domain = 0, bus, slot, function = 0;
	int n = 0;
	INITIALIZED();
	if (!device || !id)
		return INVALID_VALUE;
	if ((sscanf(id, "%x:%x:%x%n.%x%n", &domain, &bus, &slot, &n, &function, &n) < 3 || ((char *)id)[n]) &&
		(domain = 0, function = 0, sscanf(id, "%x:%x%n.%x%n", &bus, &slot, &n, &function, &n) < 2 || ((char *)id)[n]))
		return INVALID_VALUE;
	if (domain || bus || slot || function)
		return INVALID_DEVICE;
	*(int *)device = 0;
	return SUCCESS;
}

/* cuDeviceGetLuid exists for Windows only. */
int EXPORT(cuDeviceGetLuid)(void *id, void *mask, int32_t device) { (void)id, (void)mask; DEVICE(device); return NOT_SUPPORTED; }

int EXPORT(cuDeviceGetProperties)(void *out, int32_t device)
{
	/* threads of a block, its 3 sizes, 3 sizes of the grid, shared bytes, constant bytes, lanes, pitch, registers, clock, alignment */
	static const int list[14] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 };
	DEVICE(device);
	if (!out)
		return INVALID_VALUE;
	for (int i = 0; i < 14; i++)
		((int32_t *)out)[i] = attributes[list[i]];
	return SUCCESS;
}

int EXPORT(cuDeviceGetExecAffinitySupport)(void *out, uint32_t type, int32_t device) { DEVICE(device); if (!out || type > 0) return INVALID_VALUE; *(int *)out = 0; return SUCCESS; }
int EXPORT(cuDeviceGetP2PAttribute)(void *out, uint32_t attribute, int32_t a, int32_t b) { (void)attribute; DEVICE(a); DEVICE(b); return out ? INVALID_DEVICE : INVALID_VALUE; /* a pair has two devices */ }
int EXPORT(cuFlushGPUDirectRDMAWrites)(uint32_t target, uint32_t scope) { WITH_CONTEXT(); return target == 0 && (scope == 100 || scope == 200) ? SUCCESS : INVALID_VALUE; }
int EXPORT(cuModuleGetLoadingMode)(void *out) { INITIALIZED(); if (!out) return INVALID_VALUE; *(int *)out = 2; return SUCCESS; /* lazy: kernels are translated at first use */ }

/* ---- contexts ---- */

enum { UNSUPPORTED_EXEC_AFFINITY = 224, PEER_NOT_ENABLED = 705 };

int EXPORT(cuCtxCreate_v3)(void *out, void *params, int32_t n, uint32_t flags, int32_t device)
{
	(void)params;
	return n > 0 ? UNSUPPORTED_EXEC_AFFINITY : n < 0 ? INVALID_VALUE : EXPORT(cuCtxCreate_v2)(out, flags, device);
}

int EXPORT(cuCtxDestroy)(void *c) { return EXPORT(cuCtxDestroy_v2)(c); }
int EXPORT(cuCtxPushCurrent)(void *c) { return EXPORT(cuCtxPushCurrent_v2)(c); }
int EXPORT(cuCtxPopCurrent)(void *out) { return EXPORT(cuCtxPopCurrent_v2)(out); }

int EXPORT(cuCtxGetId)(void *c, void *out)
{
	INITIALIZED();
	if (!chosen(c))
		return INVALID_CONTEXT;
	if (!out)
		return INVALID_VALUE;
	*(uint64_t *)out = (uint64_t)chosen(c);
	return SUCCESS;
}

int EXPORT(cuCtxSetFlags)(uint32_t flags) { WITH_CONTEXT(); if (flags & ~0x7fu) return INVALID_VALUE; current()->flags = flags; return SUCCESS; }
int EXPORT(cuCtxGetSharedMemConfig)(void *out) { WITH_CONTEXT(); if (!out) return INVALID_VALUE; *(uint32_t *)out = 1; return SUCCESS; }
int EXPORT(cuCtxSetSharedMemConfig)(uint32_t config) { WITH_CONTEXT(); return config > 2 ? INVALID_VALUE : SUCCESS; }
int EXPORT(cuCtxResetPersistingL2Cache)(void) { WITH_CONTEXT(); return SUCCESS; }
int EXPORT(cuCtxGetExecAffinity)(void *out, uint32_t type) { (void)type; WITH_CONTEXT(); return out ? UNSUPPORTED_EXEC_AFFINITY : INVALID_VALUE; }
int EXPORT(cuCtxEnablePeerAccess)(void *c, uint32_t flags) { WITH_CONTEXT(); return flags ? INVALID_VALUE : valid(c) ? PEER_UNSUPPORTED : INVALID_CONTEXT; }
int EXPORT(cuCtxDisablePeerAccess)(void *c) { WITH_CONTEXT(); return valid(c) ? PEER_NOT_ENABLED : INVALID_CONTEXT; }

/* ---- streams ---- */

static struct green *green_of(const struct context *c);

/* The context of a stream of a green context is the primary one. */
int EXPORT(cuStreamGetCtx_v2)(void *p, void *context, void *green)
{
	struct green *g;
	int e = EXPORT(cuStreamGetCtx)(p, context);
	if (e)
		return e;
	if ((g = green_of(*(struct context **)context)))
		*(struct context **)context = &primary;
	if (green)
		*(struct green **)green = g;
	return SUCCESS;
}

/* cuLaunchHostFunc_v2 may let the device spin while the function runs; both ways give the same results. */
int EXPORT(cuLaunchHostFunc_v2)(void *s, void *function, void *data, uint32_t mode) { return mode > 1 ? INVALID_VALUE : EXPORT(cuLaunchHostFunc)(s, function, data); }

enum { STREAM_ATTRIBUTES = 16, ATTRIBUTE_BYTES = 64 };

static unsigned char default_attributes[3][STREAM_ATTRIBUTES * ATTRIBUTE_BYTES]; /* of the special streams */

/* stream_attribute returns the value of an attribute, under the lock: NULL if there is no memory for it. */
static unsigned char *stream_attribute(void *p, uint32_t n)
{
	struct stream *s;
	if ((uint64_t)p <= 2)
		return default_attributes[(uint64_t)p] + n * ATTRIBUTE_BYTES;
	s = find_stream(p);
	if (s && !s->attributes)
		s->attributes = calloc(STREAM_ATTRIBUTES, ATTRIBUTE_BYTES);
	return s && s->attributes ? s->attributes + n * ATTRIBUTE_BYTES : NULL;
}

/* known_attribute reports whether streams have an attribute: access window, way of waiting, priority, memory domains. */
static int known_attribute(uint32_t n) { return n == 1 || n == 3 || n == 8 || n == 9 || n == 10; }

int EXPORT(cuStreamGetAttribute)(void *p, uint32_t n, void *out)
{
	unsigned char *v;
	WITH_CONTEXT();
	STREAM(p);
	if (!out || !known_attribute(n))
		return INVALID_VALUE;
	if (n == 8)
		return EXPORT(cuStreamGetPriority)(p, out);
	pthread_mutex_lock(&lock);
	if ((v = stream_attribute(p, n)))
		memcpy(out, v, ATTRIBUTE_BYTES);
	pthread_mutex_unlock(&lock);
	if (v && n == 3 && *(uint32_t *)out == 0)
		*(uint32_t *)out = 1; /* the default: automatic */
	return v ? SUCCESS : OUT_OF_MEMORY;
}

int EXPORT(cuStreamSetAttribute)(void *p, uint32_t n, void *value)
{
	unsigned char *v;
	WITH_CONTEXT();
	STREAM(p);
	if (!value || !known_attribute(n))
		return INVALID_VALUE;
	pthread_mutex_lock(&lock);
	if (n == 8 && (uint64_t)p > 2)
		find_stream(p)->priority = *(int32_t *)value > 0 ? 0 : *(int32_t *)value < -5 ? -5 : *(int32_t *)value;
	else if ((v = stream_attribute(p, n)))
		memcpy(v, value, ATTRIBUTE_BYTES);
	END(SUCCESS);
}

int EXPORT(cuStreamCopyAttributes)(void *to, void *from)
{
	static const uint32_t list[] = { 1, 3, 8, 9, 10 };
	uint64_t value[ATTRIBUTE_BYTES / 8] = { 0 };
	int e = SUCCESS;
	for (int i = 0; i < 5 && !e; i++)
		if (!(e = EXPORT(cuStreamGetAttribute)(from, list[i], value)))
			e = EXPORT(cuStreamSetAttribute)(to, list[i], value);
	return e;
}

/* ---- linking: the first forms have the same parameters ---- */

int EXPORT(cuLinkCreate)(uint32_t n, void *options, void *values, void *out) { return EXPORT(cuLinkCreate_v2)(n, options, values, out); }
int EXPORT(cuLinkAddData)(void *l, uint32_t type, void *data, uint64_t size, void *name, uint32_t n, void *options, void *values) { return EXPORT(cuLinkAddData_v2)(l, type, data, size, name, n, options, values); }
int EXPORT(cuLinkAddFile)(void *l, uint32_t type, void *path, uint32_t n, void *options, void *values) { return EXPORT(cuLinkAddFile_v2)(l, type, path, n, options, values); }

int EXPORT(cuKernelSetCacheConfig)(void *f, uint32_t config, int32_t device) { DEVICE(device); return config > 3 ? INVALID_VALUE : EXPORT(cuFuncSetCacheConfig)(f, config); }
