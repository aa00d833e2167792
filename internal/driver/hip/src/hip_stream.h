/* Streams and events, and functions of the host in streams. */

HIP(hipStreamCreate)(void **out) { ENTER(); RETURN(CU(cuStreamCreate)(out, 0)); }
HIP(hipStreamCreateWithFlags)(void **out, uint32_t flags) { ENTER(); REQUIRE(flags <= 1); RETURN(CU(cuStreamCreate)(out, flags)); }
HIP(hipStreamCreateWithPriority)(void **out, uint32_t flags, int priority) { ENTER(); REQUIRE(flags <= 1); RETURN(CU(cuStreamCreateWithPriority)(out, flags, priority)); }
HIP(hipExtStreamCreateWithCUMask)(void **out, uint32_t n, const uint32_t *mask) { ENTER(); REQUIRE(out && n && mask); RETURN(CU(cuStreamCreate)(out, 0)); }
HIP(hipStreamDestroy)(void *stream) { ENTER(); RETURN(CU(cuStreamDestroy_v2)(stream)); }
HIP(hipStreamSynchronize)(void *stream) { ENTER(); RETURN(CU(cuStreamSynchronize)(stream)); }
HIP(hipStreamQuery)(void *stream) { ENTER(); RETURN(CU(cuStreamQuery)(stream)); }
HIP(hipStreamWaitEvent)(void *stream, void *event, uint32_t flags) { ENTER(); RETURN(CU(cuStreamWaitEvent)(stream, event, flags)); }
HIP(hipStreamGetFlags)(void *stream, uint32_t *flags) { ENTER(); RETURN(CU(cuStreamGetFlags)(stream, flags)); }
HIP(hipStreamGetPriority)(void *stream, int *priority) { ENTER(); RETURN(CU(cuStreamGetPriority)(stream, priority)); }
HIP(hipStreamGetDevice)(void *stream, int *device) { ENTER(); (void)stream; REQUIRE(device); *device = 0; return done(hipSuccess); }
HIP(hipStreamGetId)(void *stream, void *id) { ENTER(); RETURN(CU(cuStreamGetId)(stream, id)); }
HIP(hipGetStreamDeviceId)(void *stream) { (void)stream; return 0; }
HIP(hipStreamSynchronize_spt)(void *stream) { return hipStreamSynchronize(PER_THREAD(stream)); }
HIP(hipStreamQuery_spt)(void *stream) { return hipStreamQuery(PER_THREAD(stream)); }
HIP(hipStreamWaitEvent_spt)(void *stream, void *event, uint32_t flags) { return hipStreamWaitEvent(PER_THREAD(stream), event, flags); }
HIP(hipStreamGetFlags_spt)(void *stream, uint32_t *flags) { return hipStreamGetFlags(PER_THREAD(stream), flags); }
HIP(hipStreamGetPriority_spt)(void *stream, int *priority) { return hipStreamGetPriority(PER_THREAD(stream), priority); }

/* Flags of events: HIP adds two about caches, 0x40000000 and 0x80000000. */
HIP(hipEventCreateWithFlags)(void **out, uint32_t flags) { ENTER(); REQUIRE(out); RETURN(CU(cuEventCreate)(out, flags & 7)); }
HIP(hipEventCreate)(void **out) { return hipEventCreateWithFlags(out, 0); }
HIP(hipEventDestroy)(void *event) { ENTER(); RETURN(CU(cuEventDestroy_v2)(event)); }
HIP(hipEventRecord)(void *event, void *stream) { ENTER(); RETURN(CU(cuEventRecord)(event, stream)); }
HIP(hipEventRecord_spt)(void *event, void *stream) { return hipEventRecord(event, PER_THREAD(stream)); }
HIP(hipEventRecordWithFlags)(void *event, void *stream, uint32_t flags) { ENTER(); RETURN(CU(cuEventRecordWithFlags)(event, stream, flags)); }
HIP(hipEventSynchronize)(void *event) { ENTER(); RETURN(CU(cuEventSynchronize)(event)); }
HIP(hipEventQuery)(void *event) { ENTER(); RETURN(CU(cuEventQuery)(event)); }
HIP(hipEventElapsedTime)(float *ms, void *begin, void *end) { ENTER(); RETURN(CU(cuEventElapsedTime_v2)(ms, begin, end)); }

/* ---- functions of the host ---- */

struct called { void (*function)(void *, int, void *); void *stream, *data; };

static void call_back(void *p)
{
	struct called c = *(struct called *)p;
	free(p);
	c.function(c.stream, hipSuccess, c.data);
}

HIP(hipStreamAddCallback)(void *stream, void *function, void *data, uint32_t flags)
{
	struct called *c;
	int e;
	ENTER();
	REQUIRE(function && flags == 0);
	if (!(c = malloc(sizeof *c)))
		return done(hipErrorOutOfMemory);
	*(void **)&c->function = function, c->stream = stream, c->data = data;
	if ((e = CU(cuLaunchHostFunc)(stream, (void *)call_back, c)))
		free(c);
	RETURN(e);
}

HIP(hipStreamAddCallback_spt)(void *stream, void *function, void *data, uint32_t flags) { return hipStreamAddCallback(PER_THREAD(stream), function, data, flags); }
HIP(hipLaunchHostFunc)(void *stream, void *function, void *data) { ENTER(); RETURN(CU(cuLaunchHostFunc)(stream, function, data)); }
HIP(hipLaunchHostFunc_spt)(void *stream, void *function, void *data) { return hipLaunchHostFunc(PER_THREAD(stream), function, data); }
