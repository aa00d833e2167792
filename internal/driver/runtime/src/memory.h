/* Memory: allocation, pinned and registered memory, managed memory, pointers. */

/* Zero bytes have the address NULL, which can be freed. */
API int cudaMalloc(void **p, size_t n) { WANT(p); ENTER(); if (n == 0) { *p = NULL; return SUCCESS; } return fail(cuMemAlloc_v2(p, n)); }
API int cudaFree(void *p) { ENTER(); return p ? fail(cuMemFree_v2((uint64_t)p)) : SUCCESS; }
API int cudaMallocHost(void **p, size_t n) { WANT(p); ENTER(); if (n == 0) { *p = NULL; return SUCCESS; } return fail(cuMemAllocHost_v2(p, n)); }
API int cudaHostAlloc(void **p, size_t n, uint32_t flags) { WANT(p); ENTER(); if (n == 0) { *p = NULL; return SUCCESS; } return fail(cuMemHostAlloc(p, n, flags)); }
API int cudaFreeHost(void *p) { ENTER(); return p ? fail(cuMemFreeHost(p)) : SUCCESS; }
API int cudaMallocManaged(void **p, size_t n, uint32_t flags) { WANT(p && n > 0); CALL(cuMemAllocManaged(p, n, flags)); }
API int cudaHostRegister(void *p, size_t n, uint32_t flags) { CALL(cuMemHostRegister_v2(p, n, flags)); }
API int cudaHostUnregister(void *p) { CALL(cuMemHostUnregister(p)); }
API int cudaHostGetDevicePointer(void **out, void *p, uint32_t flags) { WANT(out); CALL(cuMemHostGetDevicePointer_v2(out, p, flags)); }
API int cudaHostGetFlags(uint32_t *flags, void *p) { WANT(flags); CALL(cuMemHostGetFlags(flags, p)); }
API int cudaMemGetInfo(size_t *free_bytes, size_t *total) { CALL(cuMemGetInfo_v2(free_bytes, total)); }

API int cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
	WANT(p && pitch);
	ENTER();
	if (width == 0 || height == 0) {
		*p = NULL, *pitch = 0;
		return SUCCESS;
	}
	return fail(cuMemAllocPitch_v2(p, pitch, width, height, 4));
}

API int cudaMalloc3D(struct pitched *out, struct extent e)
{
	void *p;
	size_t pitch, rows;
	int error;
	WANT(out);
	if (__builtin_mul_overflow(e.height, e.depth, &rows))
		return fail(INVALID_VALUE);
	if (!(error = cudaMallocPitch(&p, &pitch, e.width, rows)))
		*out = (struct pitched){ p, pitch, e.width, e.height };
	return error;
}

API int cudaPointerGetAttributes(struct pointer_attributes *out, const void *p)
{
	uint32_t type = 0;
	int32_t device = -2;
	uint8_t managed = 0;
	uint64_t on_device = 0, on_host = 0;
	int32_t list[] = { 2, 9, 8, 3, 4 };
	void *values[] = { &type, &device, &managed, &on_device, &on_host };
	int e;
	WANT(out);
	ENTER();
	if ((e = cuPointerGetAttributes(5, list, values, (uint64_t)p)))
		return fail(e);
	memset(out, 0, sizeof *out);
	out->type = managed ? 3 : type;
	out->device = device;
	out->device_pointer = (void *)on_device;
	out->host_pointer = type == 0 ? (void *)p : (void *)on_host;
#if CUDART_MAJOR >= 13
	out->locality.domain = -1;
#endif
	return SUCCESS;
}

/* ---- managed memory ---- */

#if CUDART_MAJOR <= 12
API int cudaMemAdvise(const void *p, size_t n, uint32_t advice, int32_t device) { CALL(cuMemAdvise((uint64_t)p, n, advice, device)); }
API int cudaMemPrefetchAsync(const void *p, size_t n, int32_t device, void *s) { CALL(cuMemPrefetchAsync((uint64_t)p, n, device, s)); }
API int cudaMemPrefetchAsync_ptsz(const void *p, size_t n, int32_t device, void *s) { CALL(cuMemPrefetchAsync((uint64_t)p, n, device, OWN(s))); }
#define V2(name) name##_v2
#define V2_OWN(name) name##_v2_ptsz
#else
#define V2(name) name
#define V2_OWN(name) name##_ptsz
#endif
#if CUDART_MAJOR >= 12
API int V2(cudaMemAdvise)(const void *p, size_t n, uint32_t advice, struct crosslane_struct8 l) { CALL(cuMemAdvise_v2((uint64_t)p, n, advice, l)); }
API int V2(cudaMemPrefetchAsync)(const void *p, size_t n, struct crosslane_struct8 l, uint32_t flags, void *s) { CALL(cuMemPrefetchAsync_v2((uint64_t)p, n, l, flags, s)); }
API int V2_OWN(cudaMemPrefetchAsync)(const void *p, size_t n, struct crosslane_struct8 l, uint32_t flags, void *s) { CALL(cuMemPrefetchAsync_v2((uint64_t)p, n, l, flags, OWN(s))); }
#endif
#if CUDART_MAJOR >= 13
API int cudaMemPrefetchBatchAsync(void **p, size_t *sizes, size_t n, void *l, size_t *indices, size_t count, uint64_t flags, void *s) { CALL(cuMemPrefetchBatchAsync(p, sizes, n, l, indices, count, flags, s)); }
API int cudaMemPrefetchBatchAsync_ptsz(void **p, size_t *sizes, size_t n, void *l, size_t *indices, size_t count, uint64_t flags, void *s) { CALL(cuMemPrefetchBatchAsync(p, sizes, n, l, indices, count, flags, OWN(s))); }
API int cudaMemDiscardBatchAsync(void **p, size_t *sizes, size_t n, uint64_t flags, void *s) { CALL(cuMemDiscardBatchAsync(p, sizes, n, flags, s)); }
API int cudaMemDiscardBatchAsync_ptsz(void **p, size_t *sizes, size_t n, uint64_t flags, void *s) { CALL(cuMemDiscardBatchAsync(p, sizes, n, flags, OWN(s))); }
API int cudaMemDiscardAndPrefetchBatchAsync(void **p, size_t *sizes, size_t n, void *l, size_t *indices, size_t count, uint64_t flags, void *s) { CALL(cuMemDiscardAndPrefetchBatchAsync(p, sizes, n, l, indices, count, flags, s)); }
API int cudaMemDiscardAndPrefetchBatchAsync_ptsz(void **p, size_t *sizes, size_t n, void *l, size_t *indices, size_t count, uint64_t flags, void *s) { CALL(cuMemDiscardAndPrefetchBatchAsync(p, sizes, n, l, indices, count, flags, OWN(s))); }
#endif

API int cudaMemRangeGetAttribute(void *out, size_t size, uint32_t attribute, const void *p, size_t n) { CALL(cuMemRangeGetAttribute(out, size, attribute, (uint64_t)p, n)); }
API int cudaMemRangeGetAttributes(void **out, size_t *sizes, uint32_t *list, size_t count, const void *p, size_t n) { CALL(cuMemRangeGetAttributes(out, sizes, list, count, (uint64_t)p, n)); }

/* 0 bytes stand for the memory from p to the end of its allocation, in the driver API, too. */
API int cudaStreamAttachMemAsync(void *s, void *p, size_t n, uint32_t flags) { CALL(cuStreamAttachMemAsync(s, (uint64_t)p, n, flags)); }
API int cudaStreamAttachMemAsync_ptsz(void *s, void *p, size_t n, uint32_t flags) { CALL(cuStreamAttachMemAsync(OWN(s), (uint64_t)p, n, flags)); }

/* ---- other processes ---- */

API int cudaIpcGetMemHandle(void *handle, void *p) { WANT(handle); CALL(cuIpcGetMemHandle(handle, (uint64_t)p)); }
API int cudaIpcOpenMemHandle(void **p, struct crosslane_struct64 handle, uint32_t flags) { WANT(p); CALL(cuIpcOpenMemHandle_v2(p, handle, flags)); }
API int cudaIpcCloseMemHandle(void *p) { CALL(cuIpcCloseMemHandle((uint64_t)p)); }
API int cudaIpcGetEventHandle(void *handle, void *event) { WANT(handle); CALL(cuIpcGetEventHandle(handle, event)); }
API int cudaIpcOpenEventHandle(void **event, struct crosslane_struct64 handle) { WANT(event); CALL(cuIpcOpenEventHandle(event, handle)); }
