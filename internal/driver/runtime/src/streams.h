/* Streams, events, functions of the host, captures. The handles 1 and 2 are the default stream and that of the thread in
   both APIs. */

API int cudaStreamCreate(void **s) { WANT(s); CALL(cuStreamCreate(s, 0)); }
API int cudaStreamCreateWithFlags(void **s, uint32_t flags) { WANT(s); CALL(cuStreamCreate(s, flags)); }
API int cudaStreamCreateWithPriority(void **s, uint32_t flags, int32_t priority) { WANT(s); CALL(cuStreamCreateWithPriority(s, flags, priority)); }
API int cudaStreamDestroy(void *s) { ENTER(); return (uint64_t)s <= 2 ? fail(INVALID_HANDLE) : fail(cuStreamDestroy_v2(s)); }

/* FORMS defines a function and its form whose stream 0 is that of the thread. */
#define FORMS(name, parameters, call) \
	API int name parameters { CALL(call); } \
	API int name##_ptsz parameters { s = OWN(s); CALL(call); }

FORMS(cudaStreamSynchronize, (void *s), cuStreamSynchronize(s))
FORMS(cudaStreamQuery, (void *s), cuStreamQuery(s))
FORMS(cudaStreamWaitEvent, (void *s, void *event, uint32_t flags), cuStreamWaitEvent(s, event, flags))
FORMS(cudaStreamGetFlags, (void *s, uint32_t *flags), flags ? cuStreamGetFlags(s, flags) : INVALID_VALUE)
FORMS(cudaStreamGetPriority, (void *s, int32_t *priority), priority ? cuStreamGetPriority(s, priority) : INVALID_VALUE)
FORMS(cudaStreamGetAttribute, (void *s, uint32_t id, void *value), cuStreamGetAttribute(s, id, value))
FORMS(cudaStreamSetAttribute, (void *s, uint32_t id, const void *value), cuStreamSetAttribute(s, id, (void *)value))
FORMS(cudaStreamAddCallback, (void *s, void (*function)(void *, int, void *), void *data, uint32_t flags), cuStreamAddCallback(s, (void *)function, data, flags))
FORMS(cudaLaunchHostFunc, (void *s, void (*function)(void *), void *data), cuLaunchHostFunc(s, (void *)function, data))
FORMS(cudaStreamIsCapturing, (void *s, uint32_t *status), status ? cuStreamIsCapturing(s, status) : INVALID_VALUE)
FORMS(cudaStreamBeginCapture, (void *s, uint32_t mode), cuStreamBeginCapture_v2(s, mode))
FORMS(cudaStreamEndCapture, (void *s, void **graph), cuStreamEndCapture(s, graph))
#if CUDART_MAJOR >= 12
FORMS(cudaStreamGetId, (void *s, uint64_t *id), id ? cuStreamGetId(s, id) : INVALID_VALUE)
FORMS(cudaStreamGetDevice, (void *s, int32_t *device), device ? cuStreamGetDevice(s, device) : INVALID_VALUE)
FORMS(cudaStreamBeginCaptureToGraph, (void *s, void *graph, void *const *needs, const void *edges, size_t n, uint32_t mode), cuStreamBeginCaptureToGraph(s, graph, (void *)needs, (void *)edges, n, mode))
#endif
#if CUDART_MAJOR >= 13
FORMS(cudaLaunchHostFunc_v2, (void *s, void (*function)(void *), void *data, uint32_t mode), cuLaunchHostFunc_v2(s, (void *)function, data, mode))
FORMS(cudaStreamGetCaptureInfo, (void *s, uint32_t *status, uint64_t *id, void **graph, void *const **needs, const void **edges, size_t *n), cuStreamGetCaptureInfo_v3(s, status, id, graph, needs, edges, n))
FORMS(cudaStreamUpdateCaptureDependencies, (void *s, void **nodes, const void *edges, size_t n, uint32_t flags), cuStreamUpdateCaptureDependencies_v2(s, nodes, (void *)edges, n, flags))
#else
FORMS(cudaStreamGetCaptureInfo, (void *s, uint32_t *status, uint64_t *id), cuStreamGetCaptureInfo(s, status, id))
FORMS(cudaStreamGetCaptureInfo_v2, (void *s, uint32_t *status, uint64_t *id, void **graph, void *const **needs, size_t *n), cuStreamGetCaptureInfo_v2(s, status, id, graph, needs, n))
FORMS(cudaStreamUpdateCaptureDependencies, (void *s, void **nodes, size_t n, uint32_t flags), cuStreamUpdateCaptureDependencies(s, nodes, n, flags))
#endif
#if CUDART_MAJOR == 12
FORMS(cudaStreamGetCaptureInfo_v3, (void *s, uint32_t *status, uint64_t *id, void **graph, void *const **needs, const void **edges, size_t *n), cuStreamGetCaptureInfo_v3(s, status, id, graph, needs, edges, n))
FORMS(cudaStreamUpdateCaptureDependencies_v2, (void *s, void **nodes, const void *edges, size_t n, uint32_t flags), cuStreamUpdateCaptureDependencies_v2(s, nodes, (void *)edges, n, flags))
#endif
API int cudaStreamCopyAttributes(void *to, void *from) { CALL(cuStreamCopyAttributes(to, from)); }
API int cudaStreamCopyAttributes_ptsz(void *to, void *from) { CALL(cuStreamCopyAttributes(OWN(to), OWN(from))); }
API int cudaThreadExchangeStreamCaptureMode(uint32_t *mode) { WANT(mode); CALL(cuThreadExchangeStreamCaptureMode(mode)); }

API int cudaEventCreate(void **event) { WANT(event); CALL(cuEventCreate(event, 0)); }
API int cudaEventCreateWithFlags(void **event, uint32_t flags) { WANT(event); CALL(cuEventCreate(event, flags)); }
API int cudaEventDestroy(void *event) { CALL(cuEventDestroy_v2(event)); }
API int cudaEventQuery(void *event) { CALL(cuEventQuery(event)); }
API int cudaEventSynchronize(void *event) { CALL(cuEventSynchronize(event)); }
API int cudaEventElapsedTime(float *ms, void *from, void *to) { WANT(ms); CALL(cuEventElapsedTime(ms, from, to)); }
#if CUDART_MAJOR == 12
API int cudaEventElapsedTime_v2(float *ms, void *from, void *to) { WANT(ms); CALL(cuEventElapsedTime_v2(ms, from, to)); }
#endif
FORMS(cudaEventRecord, (void *event, void *s), cuEventRecord(event, s))
FORMS(cudaEventRecordWithFlags, (void *event, void *s, uint32_t flags), cuEventRecordWithFlags(event, s, flags))
