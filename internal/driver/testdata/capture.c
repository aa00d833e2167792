/* Graphs from streams: what is captured, streams that join, and the calls that captures forbid. */
#include "cu.h"

int cuStreamBeginCapture_v2(void *, int), cuStreamEndCapture(void *, void **), cuStreamIsCapturing(void *, int *), cuStreamGetCaptureInfo(void *, int *, uint64_t *), cuStreamGetCaptureInfo_v3(void *, int *, uint64_t *, void **, void ***, void **, size_t *);
int cuStreamBeginCaptureToGraph(void *, void *, void **, void *, size_t, int), cuStreamUpdateCaptureDependencies_v2(void *, void **, void *, size_t, unsigned), cuThreadExchangeStreamCaptureMode(int *);
int cuGraphInstantiateWithFlags(void **, void *, uint64_t), cuGraphLaunch(void *, void *), cuGraphDestroy(void *), cuGraphExecDestroy(void *), cuGraphGetNodes(void *, void **, size_t *), cuGraphGetEdges_v2(void *, void **, void **, void *, size_t *), cuGraphNodeGetType(void *, int *), cuGraphCreate(void **, unsigned), cuGraphAddEmptyNode(void **, void *, void **, size_t);
int cuMemcpyHtoDAsync_v2(ptr, const void *, size_t, void *), cuMemcpyDtoHAsync_v2(void *, ptr, size_t, void *), cuMemsetD32Async(ptr, unsigned, size_t, void *), cuMemAllocAsync(ptr *, size_t, void *), cuMemFreeAsync(ptr, void *), cuMemsetD2D8Async(ptr, size_t, unsigned char, size_t, size_t, void *);
int cuLaunchHostFunc(void *, void (*)(void *), void *), cuStreamAddCallback(void *, void *, void *, unsigned), cuEventQuery(void *), cuStreamQuery(void *), cuMemsetD32_v2(ptr, unsigned, size_t), cuEventRecordWithFlags(void *, void *, unsigned);
int cuStreamGetCaptureInfo_v3_ptsz(void *, int *, uint64_t *, void **, void ***, void **, size_t *);

static void *s, *t, *blocking, *e1, *e2;
static ptr p;
static unsigned in[32], out[32];
static int counted;
static void count(void *n) { counted += *(int *)n; }

/* end ends a capture that has failed with an error. */
static void end(void *stream, int error)
{
	void *g = &g;
	WANT(cuStreamEndCapture(stream, &g), error);
	WANT(g == NULL, 1);
}

static void *thread(void *stream)
{
	void *g;
	ptr q;
	int mode = 2;
	OK(cuCtxSetCurrent(context));
	WANT(cuStreamEndCapture(stream, &g), 908);
	OK(cuThreadExchangeStreamCaptureMode(&mode));
	WANT(mode, 0);
	OK(cuMemAlloc_v2(&q, 64)); /* a relaxed thread may */
	OK(cuMemFree_v2(q));
	return NULL;
}

static void chain(void)
{
	void *g, *x, *graph, **needs, *edges, *nodes[8];
	int status, one = 1, types[6] = { 1, 0, 2, 0, 1, 3 };
	uint64_t id = 0;
	size_t n;
	ptr q;
	for (unsigned i = 0; i < 32; i++)
		in[i] = i;
	OK(cuMemAllocAsync(&q, 128, s));
	OK(cuStreamBeginCapture_v2(s, 0));
	WANT(cuStreamBeginCapture_v2(s, 0), 401);
	OK(cuMemcpyHtoDAsync_v2(p, in, 128, s));
	OK(run(add, p, 2, s));
	OK(cuMemsetD2D8Async(q, 16, 1, 4, 2, s));
	OK(run(scale, p, 3, s));
	OK(cuMemcpyDtoHAsync_v2(out, p, 128, s));
	OK(cuLaunchHostFunc(s, count, &one));
	OK(cuStreamIsCapturing(s, &status));
	WANT(status, 1);
	OK(cuStreamIsCapturing(t, &status));
	WANT(status, 0);
	OK(cuStreamGetCaptureInfo_v3(s, &status, &id, &graph, &needs, &edges, &n));
	WANT(status == 1 && id > 0 && n == 1, 1);
	OK(cuStreamEndCapture(s, &g));
	WANT(g == graph, 1);
	WANT(out[1], 0);
	n = 8;
	OK(cuGraphGetNodes(g, nodes, &n));
	WANT(n, 6);
	for (int i = 0; i < 6; i++) {
		OK(cuGraphNodeGetType(nodes[i], &status));
		WANT(status, types[i]);
	}
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuGraphDestroy(g));
	in[1] = 10; /* read when the graph runs */
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	WANT(out[1] == 36 && out[31] == 99 && counted == 1, 1);

	/* a graph in a graph */
	OK(cuStreamBeginCapture_v2(t, 1));
	OK(cuGraphLaunch(x, t));
	OK(run(add, p, 1, t));
	OK(cuStreamEndCapture(t, &g));
	OK(cuGraphExecDestroy(x));
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	WANT(counted, 2);
	OK(cuMemcpyDtoH_v2(out, p, 128));
	WANT(out[31], 100);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(g));
	OK(cuMemFreeAsync(q, s));
	OK(cuStreamSynchronize(s));
}

/* fork captures two streams: t joins by an event, and s waits for it at the end, unless a mistake is asked for. */
static void fork_and_join(int race)
{
	void *g, *x, *from[8], *to[8];
	size_t n = 8;
	ptr q;
	int status;
	OK(cuMemAlloc_v2(&q, 128));
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuMemsetD32Async(p, 1, 32, s));
	OK(cuEventRecord(e1, s));
	OK(cuStreamWaitEvent(t, e1, 0));
	OK(cuMemsetD32Async(race ? p : q, 2, 32, t));
	OK(run(add, p, 5, s));
	OK(cuEventRecord(e2, t));
	OK(cuStreamWaitEvent(s, e2, 0));
	OK(run(add, q, 1, s));
	OK(cuStreamEndCapture(s, &g));
	OK(cuStreamIsCapturing(t, &status));
	WANT(status, 0);
	OK(cuGraphGetEdges_v2(g, from, to, NULL, &n));
	WANT(n, 4);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuMemsetD32Async(q, 0, 32, s));
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH_v2(out, q, 128));
	WANT(out[8], race ? 1 : 3);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(g));

	/* t is not joined again */
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuEventRecord(e1, s));
	OK(cuStreamWaitEvent(t, e1, 0));
	OK(cuMemsetD32Async(q, 2, 32, t));
	end(s, 904);
	/* the end of another stream */
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuEventRecord(e1, s));
	OK(cuStreamWaitEvent(t, e1, 0));
	end(t, 903);
	end(s, 901);
	OK(cuMemFree_v2(q));
}

static void memory(void)
{
	void *g, *x;
	ptr q;
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuMemAllocAsync(&q, 128, s));
	OK(cuMemsetD32Async(q, 4, 32, s));
	OK(run(add, q, 5, s));
	OK(cuMemcpyDtoHAsync_v2(out, q, 128, s));
	OK(cuMemFreeAsync(q, s));
	OK(cuStreamEndCapture(s, &g));
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuGraphLaunch(x, s));
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	WANT(out[30], 9);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(g));
}

/* Each forbidden call returns its error, and the capture is invalid from then on. */
static void forbidden(void)
{
	void *g;
	int status, mode;
	uint64_t id;
	ptr q;
	pthread_t other;
	WANT(cuStreamBeginCapture_v2(NULL, 0), 900);
	WANT(cuStreamEndCapture(s, &g), 401);
#define FORBIDDEN(call, error) do { OK(cuStreamBeginCapture_v2(s, 0)); WANT(call, error); OK(cuStreamIsCapturing(s, &status)); WANT(status, 2); WANT(run(add, p, 1, s), 901); end(s, 901); } while (0)
	FORBIDDEN(cuStreamSynchronize(s), 900);
	FORBIDDEN(cuStreamQuery(s), 900);
	FORBIDDEN(cuCtxSynchronize(), 900);
	FORBIDDEN(cuMemAlloc_v2(&q, 64), 900);
	FORBIDDEN(cuMemcpyDtoH_v2(out, p, 64), 900);
	FORBIDDEN(cuStreamAddCallback(s, count, &status, 0), 900);
	OK(cuEventRecord(e2, t));
	FORBIDDEN(cuStreamWaitEvent(s, e2, 0), 905);
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuEventRecord(e1, s));
	WANT(cuEventQuery(e1), 907);
	end(s, 901);
	OK(cuStreamBeginCapture_v2(s, 0)); /* two captures cannot become one */
	OK(cuStreamBeginCapture_v2(t, 0));
	OK(cuEventRecord(e1, s));
	WANT(cuStreamWaitEvent(t, e1, 0), 902);
	end(s, 901);
	end(t, 901);
	OK(cuStreamBeginCapture_v2(blocking, 2)); /* the default stream would wait for it */
	WANT(cuStreamIsCapturing(NULL, &status), 906);
	WANT(cuStreamGetCaptureInfo(NULL, &status, &id), 906);
	OK(cuStreamIsCapturing(blocking, &status));
	WANT(status, 1);
	WANT(run(add, p, 1, NULL), 906);
	end(blocking, 901);
	OK(cuStreamBeginCapture_v2(blocking, 0));
	WANT(cuMemsetD32_v2(p, 1, 32), 906);
	end(blocking, 901);
	OK(cuStreamBeginCapture_v2(s, 0)); /* it does not wait for a non-blocking stream */
	OK(run(add, p, 1, NULL));
	OK(pthread_create(&other, NULL, thread, s));
	OK(pthread_join(other, NULL));
	OK(cuStreamEndCapture(s, &g));
	OK(cuGraphDestroy(g));
	OK(cuStreamBeginCapture_v2(s, 2)); /* a relaxed capture */
	OK(cuMemAlloc_v2(&q, 64));
	OK(cuMemFree_v2(q));
	OK(cuStreamEndCapture(s, &g));
	OK(cuGraphDestroy(g));
	mode = 2;
	OK(cuThreadExchangeStreamCaptureMode(&mode)); /* a relaxed thread */
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuMemAlloc_v2(&q, 64));
	OK(cuMemFree_v2(q));
	OK(cuStreamEndCapture(s, &g));
	OK(cuGraphDestroy(g));
	OK(cuThreadExchangeStreamCaptureMode(&mode));
}

static void dependencies(void)
{
	void *g, *got, *n[2], **needs, *edges, *from[8], *to[8];
	int status;
	uint64_t id;
	size_t count_needs, edge_count = 8;
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddEmptyNode(&n[0], g, NULL, 0));
	OK(cuGraphAddEmptyNode(&n[1], g, NULL, 0));
	OK(cuStreamBeginCaptureToGraph((void *)2, g, n, NULL, 1, 0)); /* the thread's own stream */
	OK(cuStreamUpdateCaptureDependencies_v2((void *)2, n + 1, NULL, 1, 0));
	OK(cuStreamGetCaptureInfo_v3_ptsz(NULL, &status, &id, &got, &needs, &edges, &count_needs));
	WANT(status == 1 && got == g && count_needs == 2 && needs[1] == n[1] && ((uint64_t *)edges)[1] == 0, 1);
	OK(run(add, p, 1, (void *)2));
	OK(cuStreamUpdateCaptureDependencies_v2((void *)2, n, NULL, 1, 1));
	OK(run(add, p, 1, (void *)2));
	OK(cuEventRecordWithFlags(e2, (void *)2, 1));
	OK(cuStreamEndCapture((void *)2, &got));
	WANT(got == g, 1);
	OK(cuGraphGetEdges_v2(g, from, to, NULL, &edge_count));
	WANT(edge_count, 4);
	OK(cuGraphDestroy(g));
}

int main(int argc, char **argv)
{
	begin();
	OK(cuStreamCreate(&s, 1));
	OK(cuStreamCreate(&t, 1));
	OK(cuStreamCreate(&blocking, 0));
	OK(cuEventCreate(&e1, 2));
	OK(cuEventCreate(&e2, 2));
	OK(cuMemAlloc_v2(&p, 128));
	OK(cuMemsetD32_v2(p, 0, 32));
	OK(cuCtxSynchronize());
	chain();
	fork_and_join(argc > 1 && !strcmp(argv[1], "race"));
	memory();
	OK(cuMemsetD32_v2(p, 0, 32));
	OK(cuCtxSynchronize());
	forbidden();
	OK(cuCtxSynchronize());
	dependencies();
	OK(cuMemFree_v2(p));
	return finish();
}
