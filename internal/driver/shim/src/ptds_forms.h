/* The forms for streams of threads, one line each. A synchronous function is the asynchronous one in the thread's own
   stream, and a wait for that stream; a fill does not wait. */

#define THEN_WAIT(call) do { int e_ = (call); return e_ ? e_ : EXPORT(cuStreamSynchronize)(OWN_STREAM); } while (0)

int EXPORT(cuMemcpy_ptds)(uint64_t to, uint64_t from, uint64_t n) { THEN_WAIT(EXPORT(cuMemcpyAsync)(to, from, n, OWN_STREAM)); }
int EXPORT(cuMemcpyHtoD_v2_ptds)(uint64_t to, void *from, uint64_t n) { THEN_WAIT(EXPORT(cuMemcpyHtoDAsync_v2)(to, from, n, OWN_STREAM)); }
int EXPORT(cuMemcpyDtoH_v2_ptds)(void *to, uint64_t from, uint64_t n) { THEN_WAIT(EXPORT(cuMemcpyDtoHAsync_v2)(to, from, n, OWN_STREAM)); }
int EXPORT(cuMemcpyDtoD_v2_ptds)(uint64_t to, uint64_t from, uint64_t n) { return EXPORT(cuMemcpyDtoDAsync_v2)(to, from, n, OWN_STREAM); }
int EXPORT(cuMemcpy2D_v2_ptds)(void *c) { THEN_WAIT(EXPORT(cuMemcpy2DAsync_v2)(c, OWN_STREAM)); }
int EXPORT(cuMemcpy2DUnaligned_v2_ptds)(void *c) { THEN_WAIT(EXPORT(cuMemcpy2DAsync_v2)(c, OWN_STREAM)); }
int EXPORT(cuMemsetD8_v2_ptds)(uint64_t p, uint8_t v, uint64_t n) { return EXPORT(cuMemsetD8Async)(p, v, n, OWN_STREAM); }
int EXPORT(cuMemsetD16_v2_ptds)(uint64_t p, uint16_t v, uint64_t n) { return EXPORT(cuMemsetD16Async)(p, v, n, OWN_STREAM); }
int EXPORT(cuMemsetD32_v2_ptds)(uint64_t p, uint32_t v, uint64_t n) { return EXPORT(cuMemsetD32Async)(p, v, n, OWN_STREAM); }

static int fill_2d_own(uint64_t p, uint64_t pitch, const void *v, uint32_t size, uint64_t w, uint64_t h) { WITH_CONTEXT(); note_callers(); return fill_2d(p, pitch, v, size, w, h, OWN_STREAM); }
int EXPORT(cuMemsetD2D8_v2_ptds)(uint64_t p, uint64_t pitch, uint8_t v, uint64_t w, uint64_t h) { return fill_2d_own(p, pitch, &v, 1, w, h); }
int EXPORT(cuMemsetD2D16_v2_ptds)(uint64_t p, uint64_t pitch, uint16_t v, uint64_t w, uint64_t h) { return fill_2d_own(p, pitch, &v, 2, w, h); }
int EXPORT(cuMemsetD2D32_v2_ptds)(uint64_t p, uint64_t pitch, uint32_t v, uint64_t w, uint64_t h) { return fill_2d_own(p, pitch, &v, 4, w, h); }

int EXPORT(cuMemcpyAsync_ptsz)(uint64_t to, uint64_t from, uint64_t n, void *s) { return EXPORT(cuMemcpyAsync)(to, from, n, OWN(s)); }
int EXPORT(cuMemcpyHtoDAsync_v2_ptsz)(uint64_t to, void *from, uint64_t n, void *s) { return EXPORT(cuMemcpyHtoDAsync_v2)(to, from, n, OWN(s)); }
int EXPORT(cuMemcpyDtoHAsync_v2_ptsz)(void *to, uint64_t from, uint64_t n, void *s) { return EXPORT(cuMemcpyDtoHAsync_v2)(to, from, n, OWN(s)); }
int EXPORT(cuMemcpyDtoDAsync_v2_ptsz)(uint64_t to, uint64_t from, uint64_t n, void *s) { return EXPORT(cuMemcpyDtoDAsync_v2)(to, from, n, OWN(s)); }
int EXPORT(cuMemcpy2DAsync_v2_ptsz)(void *c, void *s) { return EXPORT(cuMemcpy2DAsync_v2)(c, OWN(s)); }
int EXPORT(cuMemsetD8Async_ptsz)(uint64_t p, uint8_t v, uint64_t n, void *s) { return EXPORT(cuMemsetD8Async)(p, v, n, OWN(s)); }
int EXPORT(cuMemsetD16Async_ptsz)(uint64_t p, uint16_t v, uint64_t n, void *s) { return EXPORT(cuMemsetD16Async)(p, v, n, OWN(s)); }
int EXPORT(cuMemsetD32Async_ptsz)(uint64_t p, uint32_t v, uint64_t n, void *s) { return EXPORT(cuMemsetD32Async)(p, v, n, OWN(s)); }
int EXPORT(cuMemAllocAsync_ptsz)(void *out, uint64_t n, void *s) { return EXPORT(cuMemAllocAsync)(out, n, OWN(s)); }
int EXPORT(cuMemAllocFromPoolAsync_ptsz)(void *out, uint64_t n, void *pool, void *s) { return EXPORT(cuMemAllocFromPoolAsync)(out, n, pool, OWN(s)); }
int EXPORT(cuMemFreeAsync_ptsz)(uint64_t p, void *s) { return EXPORT(cuMemFreeAsync)(p, OWN(s)); }

int EXPORT(cuLaunchKernel_ptsz)(void *f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz, uint32_t shared, void *s, void *params, void *extra)
{
	return EXPORT(cuLaunchKernel)(f, gx, gy, gz, bx, by, bz, shared, OWN(s), params, extra);
}

int EXPORT(cuLaunchCooperativeKernel_ptsz)(void *f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz, uint32_t shared, void *s, void *params)
{
	return EXPORT(cuLaunchCooperativeKernel)(f, gx, gy, gz, bx, by, bz, shared, OWN(s), params);
}

int EXPORT(cuLaunchKernelEx_ptsz)(void *config, void *f, void *params, void *extra)
{
	unsigned char own[56]; /* CUlaunchConfig; the stream is at 32 */
	void *s;
	if (!config)
		return INVALID_VALUE;
	memcpy(own, config, sizeof own);
	memcpy(&s, own + 32, sizeof s);
	s = OWN(s);
	memcpy(own + 32, &s, sizeof s);
	return EXPORT(cuLaunchKernelEx)(own, f, params, extra);
}

int EXPORT(cuLaunchHostFunc_ptsz)(void *s, void *function, void *data) { return EXPORT(cuLaunchHostFunc)(OWN(s), function, data); }
int EXPORT(cuEventRecord_ptsz)(void *event, void *s) { return EXPORT(cuEventRecord)(event, OWN(s)); }
int EXPORT(cuEventRecordWithFlags_ptsz)(void *event, void *s, uint32_t flags) { return EXPORT(cuEventRecordWithFlags)(event, OWN(s), flags); }
int EXPORT(cuStreamAddCallback_ptsz)(void *s, void *function, void *data, uint32_t flags) { return EXPORT(cuStreamAddCallback)(OWN(s), function, data, flags); }
int EXPORT(cuStreamAttachMemAsync_ptsz)(void *s, uint64_t p, uint64_t n, uint32_t flags) { return EXPORT(cuStreamAttachMemAsync)(OWN(s), p, n, flags); }
int EXPORT(cuStreamGetCtx_ptsz)(void *s, void *out) { return EXPORT(cuStreamGetCtx)(OWN(s), out); }
int EXPORT(cuStreamGetDevice_ptsz)(void *s, void *out) { return EXPORT(cuStreamGetDevice)(OWN(s), out); }
int EXPORT(cuStreamGetFlags_ptsz)(void *s, void *out) { return EXPORT(cuStreamGetFlags)(OWN(s), out); }
int EXPORT(cuStreamGetId_ptsz)(void *s, void *out) { return EXPORT(cuStreamGetId)(OWN(s), out); }
int EXPORT(cuStreamGetPriority_ptsz)(void *s, void *out) { return EXPORT(cuStreamGetPriority)(OWN(s), out); }
int EXPORT(cuStreamIsCapturing_ptsz)(void *s, void *out) { return EXPORT(cuStreamIsCapturing)(OWN(s), out); }
int EXPORT(cuStreamQuery_ptsz)(void *s) { return EXPORT(cuStreamQuery)(OWN(s)); }
int EXPORT(cuStreamSynchronize_ptsz)(void *s) { return EXPORT(cuStreamSynchronize)(OWN(s)); }
int EXPORT(cuStreamWaitEvent_ptsz)(void *s, void *event, uint32_t flags) { return EXPORT(cuStreamWaitEvent)(OWN(s), event, flags); }

int EXPORT(cuMemcpy3D_v2_ptds)(void *c) { THEN_WAIT(EXPORT(cuMemcpy3DAsync_v2)(c, OWN_STREAM)); }
int EXPORT(cuMemcpy3DPeer_ptds)(void *c) { THEN_WAIT(EXPORT(cuMemcpy3DAsync_v2)(c, OWN_STREAM)); }
int EXPORT(cuMemcpyPeer_ptds)(uint64_t to, void *a, uint64_t from, void *b, uint64_t n) { return EXPORT(cuMemcpyPeerAsync)(to, a, from, b, n, OWN_STREAM); }
int EXPORT(cuMemcpy3DAsync_v2_ptsz)(void *c, void *s) { return EXPORT(cuMemcpy3DAsync_v2)(c, OWN(s)); }
int EXPORT(cuMemcpy3DPeerAsync_ptsz)(void *c, void *s) { return EXPORT(cuMemcpy3DAsync_v2)(c, OWN(s)); }
int EXPORT(cuMemcpyPeerAsync_ptsz)(uint64_t to, void *a, uint64_t from, void *b, uint64_t n, void *s) { return EXPORT(cuMemcpyPeerAsync)(to, a, from, b, n, OWN(s)); }
int EXPORT(cuMemcpyBatchAsync_ptsz)(void *to, void *from, void *sizes, uint64_t n, void *l, void *i, uint64_t c, void *failed, void *s) { return EXPORT(cuMemcpyBatchAsync)(to, from, sizes, n, l, i, c, failed, OWN(s)); }
int EXPORT(cuMemcpyBatchAsync_v2_ptsz)(void *to, void *from, void *sizes, uint64_t n, void *l, void *i, uint64_t c, void *s) { return EXPORT(cuMemcpyBatchAsync_v2)(to, from, sizes, n, l, i, c, OWN(s)); }
int EXPORT(cuMemcpyWithAttributesAsync_ptsz)(uint64_t to, uint64_t from, uint64_t n, void *l, void *s) { (void)l; return EXPORT(cuMemcpyAsync)(to, from, n, OWN(s)); }
int EXPORT(cuMemsetD2D8Async_ptsz)(uint64_t p, uint64_t pitch, uint8_t v, uint64_t w, uint64_t h, void *s) { return EXPORT(cuMemsetD2D8Async)(p, pitch, v, w, h, OWN(s)); }
int EXPORT(cuMemsetD2D16Async_ptsz)(uint64_t p, uint64_t pitch, uint16_t v, uint64_t w, uint64_t h, void *s) { return EXPORT(cuMemsetD2D16Async)(p, pitch, v, w, h, OWN(s)); }
int EXPORT(cuMemsetD2D32Async_ptsz)(uint64_t p, uint64_t pitch, uint32_t v, uint64_t w, uint64_t h, void *s) { return EXPORT(cuMemsetD2D32Async)(p, pitch, v, w, h, OWN(s)); }
int EXPORT(cuMemPrefetchAsync_ptsz)(uint64_t p, uint64_t n, int32_t device, void *s) { return EXPORT(cuMemPrefetchAsync)(p, n, device, OWN(s)); }
int EXPORT(cuMemPrefetchAsync_v2_ptsz)(uint64_t p, uint64_t n, struct crosslane_struct8 l, uint32_t flags, void *s) { return EXPORT(cuMemPrefetchAsync_v2)(p, n, l, flags, OWN(s)); }
int EXPORT(cuLaunchHostFunc_v2_ptsz)(void *s, void *function, void *data, uint32_t mode) { return EXPORT(cuLaunchHostFunc_v2)(OWN(s), function, data, mode); }
int EXPORT(cuStreamGetCtx_v2_ptsz)(void *s, void *context, void *green) { return EXPORT(cuStreamGetCtx_v2)(OWN(s), context, green); }
int EXPORT(cuStreamGetAttribute_ptsz)(void *s, uint32_t n, void *out) { return EXPORT(cuStreamGetAttribute)(OWN(s), n, out); }
int EXPORT(cuStreamSetAttribute_ptsz)(void *s, uint32_t n, void *value) { return EXPORT(cuStreamSetAttribute)(OWN(s), n, value); }
int EXPORT(cuStreamCopyAttributes_ptsz)(void *to, void *from) { return EXPORT(cuStreamCopyAttributes)(OWN(to), OWN(from)); }
int EXPORT(cuMemPrefetchBatchAsync_ptsz)(void *p, void *sizes, uint64_t n, void *l, void *i, uint64_t c, uint64_t flags, void *s) { return EXPORT(cuMemPrefetchBatchAsync)(p, sizes, n, l, i, c, flags, OWN(s)); }
int EXPORT(cuMemDiscardBatchAsync_ptsz)(void *p, void *sizes, uint64_t n, uint64_t flags, void *s) { return EXPORT(cuMemDiscardBatchAsync)(p, sizes, n, flags, OWN(s)); }
int EXPORT(cuMemDiscardAndPrefetchBatchAsync_ptsz)(void *p, void *sizes, uint64_t n, void *l, void *i, uint64_t c, uint64_t flags, void *s) { return EXPORT(cuMemDiscardAndPrefetchBatchAsync)(p, sizes, n, l, i, c, flags, OWN(s)); }
