/* Mistakes of hosts that only a driver sees. The first argument is wrong or right, the second the name of a pair: the
   function with the mistake, or its twin without it. */
#include "cu.h"

int cuMemAllocHost_v2(void **, size_t), cuMemFreeHost(void *), cuMemAllocManaged(ptr *, size_t, unsigned), cuMemcpyDtoD_v2(ptr, ptr, size_t);
int cuMemcpyHtoDAsync_v2(ptr, const void *, size_t, void *), cuMemcpyDtoHAsync_v2(void *, ptr, size_t, void *), cuMemsetD32_v2(ptr, unsigned, size_t);
int cuFuncSetAttribute(void *, unsigned, int), cuStreamQuery(void *), cuEventQuery(void *), cuMemAllocAsync(ptr *, size_t, void *), cuMemFreeAsync(ptr, void *), cuCtxCreate_v2(void **, unsigned, int), cuCtxDestroy_v2(void *);
int cuMemHostRegister_v2(void *, size_t, unsigned), cuMemHostUnregister(void *), cuCtxPopCurrent_v2(void **);
int cuStreamBeginCapture_v2(void *, unsigned), cuStreamEndCapture(void *, void **), cuGraphDestroy(void *);
int cuLaunchHostFunc(void *, void (*)(void *), void *);
int cuMemAddressReserve(ptr *, size_t, size_t, ptr, uint64_t), cuMemAddressFree(ptr, size_t), cuMemMap(ptr, size_t, size_t, uint64_t, uint64_t), cuMemUnmap(ptr, size_t);
int cuMemCreate(uint64_t *, size_t, const void *, uint64_t), cuMemRelease(uint64_t), cuMemSetAccess(ptr, size_t, const void *, size_t);
int cuModuleUnload(void *), cuStreamAttachMemAsync(void *, ptr, size_t, unsigned);

enum { N = 32, BYTES = 4 * N };

static volatile unsigned seen;

static ptr device_memory(unsigned v)
{
	ptr p = 0;
	OK(cuMemAlloc_v2(&p, BYTES));
	OK(cuMemsetD32_v2(p, v, N));
	return p;
}

static unsigned *pinned_memory(void)
{
	void *h = NULL;
	OK(cuMemAllocHost_v2(&h, BYTES));
	memset(h, 0, BYTES);
	return h;
}

static void *new_stream(unsigned flags)
{
	void *s = NULL;
	OK(cuStreamCreate(&s, flags));
	return s;
}

/* The host reads the target of a copy that it has not waited for. */
void wrong_read_early(void)
{
	ptr p = device_memory(7);
	unsigned *h = pinned_memory();
	void *s = new_stream(0);
	OK(cuMemcpyDtoHAsync_v2(h, p, BYTES, s));
	seen = h[4];
	OK(cuStreamSynchronize(s));
	OK(cuMemFreeHost(h));
	OK(cuMemFree_v2(p));
}

void right_read_early(void)
{
	ptr p = device_memory(7);
	unsigned *h = pinned_memory();
	void *s = new_stream(0);
	OK(cuMemcpyDtoHAsync_v2(h, p, BYTES, s));
	OK(cuStreamSynchronize(s));
	seen = h[4];
	WANT(seen, 7);
	OK(cuMemFreeHost(h));
	OK(cuMemFree_v2(p));
}

/* The host waits for another stream. */
void wrong_read_other_stream(void)
{
	ptr p = device_memory(7);
	unsigned *h = pinned_memory();
	void *s = new_stream(1), *other = new_stream(1);
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoHAsync_v2(h, p, BYTES, s));
	OK(cuStreamSynchronize(other));
	seen = h[0];
	OK(cuCtxSynchronize());
	OK(cuMemFreeHost(h));
	OK(cuMemFree_v2(p));
}

void right_read_other_stream(void)
{
	ptr p = device_memory(7);
	unsigned *h = pinned_memory();
	void *s = new_stream(1), *other = new_stream(1), *done;
	OK(cuCtxSynchronize());
	OK(cuEventCreate(&done, 2));
	OK(cuMemcpyDtoHAsync_v2(h, p, BYTES, s));
	OK(cuEventRecord(done, s));
	OK(cuStreamWaitEvent(other, done, 0));
	OK(cuStreamSynchronize(other));
	seen = h[0];
	WANT(seen, 7);
	OK(cuMemFreeHost(h));
	OK(cuMemFree_v2(p));
}

/* The host waits for an event that was recorded before the copy. */
void wrong_read_after_event(void)
{
	ptr p = device_memory(7);
	unsigned *h = pinned_memory();
	void *s = new_stream(0), *done;
	OK(cuEventCreate(&done, 2));
	OK(cuEventRecord(done, s));
	OK(cuMemcpyDtoHAsync_v2(h, p, BYTES, s));
	OK(cuEventSynchronize(done));
	seen = h[0];
	OK(cuCtxSynchronize());
	OK(cuMemFreeHost(h));
	OK(cuMemFree_v2(p));
}

void right_read_after_event(void)
{
	ptr p = device_memory(7);
	unsigned *h = pinned_memory();
	void *s = new_stream(0), *done;
	OK(cuEventCreate(&done, 2));
	OK(cuMemcpyDtoHAsync_v2(h, p, BYTES, s));
	OK(cuEventRecord(done, s));
	while (cuEventQuery(done) == 600)
		;
	seen = h[0];
	WANT(seen, 7);
	OK(cuMemFreeHost(h));
	OK(cuMemFree_v2(p));
}

/* The host writes the source of a copy that it has not waited for. */
void wrong_write_source(void)
{
	ptr p = device_memory(7);
	unsigned *h = pinned_memory();
	void *s = new_stream(0);
	OK(cuMemcpyHtoDAsync_v2(p, h, BYTES, s));
	seen = h[3]; /* reading it is allowed */
	h[3] = 9;
	OK(cuStreamSynchronize(s));
	OK(cuMemFreeHost(h));
	OK(cuMemFree_v2(p));
}

void right_write_source(void)
{
	ptr p = device_memory(7);
	unsigned *h = pinned_memory(), pageable[N] = { 0 };
	void *s = new_stream(0);
	OK(cuMemcpyHtoDAsync_v2(p, h, BYTES, s));
	seen = h[3];
	OK(cuStreamSynchronize(s));
	h[3] = 9;
	OK(cuMemcpyHtoDAsync_v2(p, pageable, BYTES, s)); /* the driver has its own copy of pageable memory */
	pageable[3] = 9;
	OK(cuStreamSynchronize(s));
	OK(cuMemFreeHost(h));
	OK(cuMemFree_v2(p));
}

/* The host uses managed memory while a kernel may use it. */
void wrong_managed(void)
{
	ptr p;
	OK(cuMemAllocManaged(&p, BYTES, 1));
	memset((void *)p, 0, BYTES);
	OK(run(add, p, 5, NULL));
	seen = ((unsigned *)p)[1];
	OK(cuCtxSynchronize());
	OK(cuMemFree_v2(p));
}

void right_managed(void)
{
	ptr p;
	OK(cuMemAllocManaged(&p, BYTES, 1));
	memset((void *)p, 0, BYTES);
	for (int i = 0; i < 3; i++) {
		OK(run(add, p, 5, NULL));
		OK(run(add, p, 5, NULL));
		OK(cuCtxSynchronize());
		((unsigned *)p)[1]++;
	}
	WANT(((unsigned *)p)[1], 33);
	OK(cuMemFree_v2(p));
}

/* A kernel in a stream that does not wait for the default one reads what a copy from pageable memory may not have written. */
void wrong_pageable(void)
{
	unsigned a[N] = { 1 };
	ptr p = device_memory(0);
	void *s = new_stream(1);
	OK(cuCtxSynchronize());
	OK(cuMemcpyHtoD_v2(p, a, BYTES));
	OK(run(add, p, 5, s));
	OK(cuCtxSynchronize());
	OK(cuMemFree_v2(p));
}

void right_pageable(void)
{
	unsigned *a = pinned_memory(), b[N] = { 1 };
	ptr p = device_memory(0);
	void *s = new_stream(1), *blocking = new_stream(0);
	OK(cuMemcpyHtoD_v2(p, a, BYTES)); /* returns when it is done */
	OK(run(add, p, 5, s));
	OK(cuCtxSynchronize());
	OK(cuMemcpyHtoD_v2(p, b, BYTES));
	OK(run(add, p, 5, blocking)); /* waits for the default stream */
	OK(cuCtxSynchronize());
	OK(cuMemcpyHtoD_v2(p, b, BYTES));
	OK(cuStreamSynchronize(NULL));
	OK(run(add, p, 5, s));
	/* A copy to pageable memory returns when it is done. */
	OK(cuMemcpyDtoHAsync_v2(b, p, BYTES, s));
	WANT(b[0], 6);
	OK(run(add, p, 5, blocking));
	OK(cuCtxSynchronize());
	OK(cuMemFreeHost(a));
	OK(cuMemFree_v2(p));
}

/* The host reads device memory; the process ends by the signal. */
void wrong_device_read(void)
{
	ptr p = device_memory(7);
	seen = *(unsigned *)(p + 8);
}

void right_device_read(void)
{
	ptr p = device_memory(7);
	unsigned v = 0;
	OK(cuMemcpyDtoH_v2(&v, p + 8, 4));
	WANT(v, 7);
	OK(cuMemFree_v2(p));
}

void wrong_device_write(void)
{
	ptr p = device_memory(7);
	*(unsigned *)(p + 8) = 1;
}

void right_device_write(void)
{
	ptr p = device_memory(7);
	unsigned v = 1;
	OK(cuMemcpyHtoD_v2(p + 8, &v, 4));
	OK(cuMemFree_v2(p));
}

/* The host uses pinned memory that it has freed. */
void wrong_pinned_after_free(void)
{
	unsigned *h = pinned_memory();
	OK(cuMemFreeHost(h));
	seen = h[0];
}

void right_pinned_after_free(void)
{
	unsigned *h = pinned_memory();
	seen = h[0];
	OK(cuMemFreeHost(h));
}

/* The kind of a copy is wrong: its source is on the device. */
void wrong_copy_kind(void)
{
	ptr p = device_memory(7), q = device_memory(8);
	WANT(cuMemcpyHtoD_v2(q, (void *)p, BYTES), 1);
	OK(cuMemFree_v2(p));
	OK(cuMemFree_v2(q));
}

void right_copy_kind(void)
{
	ptr p = device_memory(7), q = device_memory(8);
	OK(cuMemcpyDtoD_v2(q, p, BYTES));
	OK(cuMemFree_v2(p));
	OK(cuMemFree_v2(q));
}

/* Its target is on the device. */
void wrong_copy_kind_back(void)
{
	ptr p = device_memory(7), q = device_memory(8);
	WANT(cuMemcpyDtoH_v2((void *)q, p, BYTES), 1);
	OK(cuMemFree_v2(p));
	OK(cuMemFree_v2(q));
}

void right_copy_kind_back(void)
{
	ptr p = device_memory(7);
	unsigned *h = pinned_memory();
	OK(cuMemcpyDtoH_v2(h, p, BYTES));
	WANT(h[31], 7);
	OK(cuMemFreeHost(h));
	OK(cuMemFree_v2(p));
}

/* The arguments of a copy are exchanged. */
void wrong_copy_exchanged(void)
{
	ptr p = device_memory(7);
	unsigned a[N] = { 0 };
	WANT(cuMemcpyDtoH_v2((void *)p, (ptr)a, BYTES), 1);
	OK(cuMemFree_v2(p));
}

void right_copy_exchanged(void)
{
	ptr p = device_memory(7);
	unsigned a[N] = { 0 };
	OK(cuMemcpyDtoH_v2(a, p, BYTES));
	OK(cuMemFree_v2(p));
}

/* A copy reads more than the pinned memory has. */
void wrong_pinned_too_short(void)
{
	ptr p;
	unsigned *h = pinned_memory();
	OK(cuMemAlloc_v2(&p, 2 * BYTES));
	WANT(cuMemcpyHtoD_v2(p, h, 2 * BYTES), 1);
	OK(cuMemFreeHost(h));
	OK(cuMemFree_v2(p));
}

void right_pinned_too_short(void)
{
	ptr p;
	unsigned *h = pinned_memory();
	OK(cuMemAlloc_v2(&p, 2 * BYTES));
	OK(cuMemcpyHtoD_v2(p, h + N / 2, BYTES / 2));
	OK(cuMemFreeHost(h));
	OK(cuMemFree_v2(p));
}

/* Pinned memory is freed as device memory. */
void wrong_free_of_pinned(void)
{
	unsigned *h = pinned_memory();
	WANT(cuMemFree_v2((ptr)h), 1);
	OK(cuMemFreeHost(h));
}

void right_free_of_pinned(void)
{
	unsigned *h = pinned_memory();
	OK(cuMemFreeHost(h));
}

/* Device memory is freed as pinned memory. */
void wrong_free_as_pinned(void)
{
	ptr p = device_memory(7);
	WANT(cuMemFreeHost((void *)p), 1);
	OK(cuMemFree_v2(p));
}

void right_free_as_pinned(void)
{
	ptr p = device_memory(7), m;
	OK(cuMemAllocManaged(&m, BYTES, 1));
	OK(cuMemFree_v2(p));
	OK(cuMemFree_v2(m));
}

/* Handles that were destroyed before. */
void wrong_stream_twice(void)
{
	void *s = new_stream(0);
	OK(cuStreamDestroy_v2(s));
	WANT(cuStreamDestroy_v2(s), 400);
}

void right_stream_twice(void)
{
	void *s = new_stream(0);
	OK(cuStreamDestroy_v2(s));
}

void wrong_event_twice(void)
{
	void *v;
	OK(cuEventCreate(&v, 0));
	OK(cuEventDestroy_v2(v));
	WANT(cuEventDestroy_v2(v), 400);
}

void right_event_twice(void)
{
	void *v;
	OK(cuEventCreate(&v, 0));
	OK(cuEventDestroy_v2(v));
}

void wrong_event_destroyed(void)
{
	void *v, *s = new_stream(0);
	OK(cuEventCreate(&v, 0));
	OK(cuEventRecord(v, s));
	OK(cuEventDestroy_v2(v));
	WANT(cuStreamWaitEvent(NULL, v, 0), 400);
}

void right_event_destroyed(void)
{
	void *v, *s = new_stream(0);
	OK(cuEventCreate(&v, 0));
	OK(cuEventRecord(v, s));
	OK(cuStreamWaitEvent(NULL, v, 0));
	OK(cuEventDestroy_v2(v)); /* the stream still waits for it */
}

void wrong_stream_destroyed(void)
{
	void *s = new_stream(0);
	ptr p = device_memory(7);
	OK(cuStreamDestroy_v2(s));
	WANT(run(add, p, 1, s), 400);
	OK(cuMemFree_v2(p));
}

void right_stream_destroyed(void)
{
	void *s = new_stream(0);
	ptr p = device_memory(7);
	OK(run(add, p, 1, s));
	OK(cuStreamDestroy_v2(s));
	OK(cuMemFree_v2(p));
}

void wrong_module_twice(void)
{
	void *m;
	OK(cuModuleLoadData(&m, kernels));
	OK(cuModuleUnload(m));
	WANT(cuModuleUnload(m), 400);
}

void right_module_twice(void)
{
	void *m;
	OK(cuModuleLoadData(&m, kernels));
	OK(cuModuleUnload(m));
}

void wrong_unloaded_kernel(void)
{
	void *m, *k;
	ptr p = device_memory(7);
	OK(cuModuleLoadData(&m, kernels));
	OK(cuModuleGetFunction(&k, m, "add"));
	OK(cuModuleUnload(m));
	WANT(run(k, p, 1, NULL), 400);
	OK(cuMemFree_v2(p));
}

void right_unloaded_kernel(void)
{
	void *m, *k;
	ptr p = device_memory(7);
	OK(cuModuleLoadData(&m, kernels));
	OK(cuModuleGetFunction(&k, m, "add"));
	OK(run(k, p, 1, NULL));
	OK(cuModuleUnload(m));
	OK(cuMemFree_v2(p));
}

void wrong_context_twice(void)
{
	void *c;
	OK(cuCtxCreate_v2(&c, 0, 0));
	OK(cuCtxDestroy_v2(c));
	WANT(cuCtxDestroy_v2(c) != 0, 1);
}

void right_context_twice(void)
{
	void *c;
	OK(cuCtxCreate_v2(&c, 0, 0));
	OK(cuCtxDestroy_v2(c));
}

/* Memory that a context leaves. */
void wrong_context_leaks(void)
{
	void *c;
	OK(cuCtxCreate_v2(&c, 0, 0));
	device_memory(7);
	OK(cuCtxDestroy_v2(c));
}

void right_context_leaks(void)
{
	void *c;
	OK(cuCtxCreate_v2(&c, 0, 0));
	OK(cuMemFree_v2(device_memory(7)));
	OK(cuCtxDestroy_v2(c));
}

/* Launches that are refused. */
static int shaped(unsigned grid, unsigned block, unsigned shared, void **args) { return cuLaunchKernel(add, grid, 1, 1, block, 1, 1, shared, NULL, args, NULL); }

void wrong_empty_grid(void)
{
	ptr p = device_memory(7);
	unsigned n = 1;
	WANT(shaped(0, N, 0, (void *[]){ &p, &n }), 1);
	OK(cuMemFree_v2(p));
}

void right_empty_grid(void)
{
	ptr p = device_memory(7);
	unsigned n = 1;
	OK(shaped(1, N, 0, (void *[]){ &p, &n }));
	OK(cuMemFree_v2(p));
}

void wrong_shared_memory(void)
{
	ptr p = device_memory(7);
	unsigned n = 1;
	WANT(shaped(1, N, 50000, (void *[]){ &p, &n }), 1);
	OK(cuMemFree_v2(p));
}

void right_shared_memory(void)
{
	ptr p = device_memory(7);
	unsigned n = 1;
	OK(cuFuncSetAttribute(add, 8, 50000));
	OK(shaped(1, N, 50000, (void *[]){ &p, &n }));
	OK(cuMemFree_v2(p));
}

void wrong_no_parameters(void)
{
	ptr p = device_memory(7);
	WANT(shaped(1, N, 0, NULL), 1);
	OK(cuMemFree_v2(p));
}

void right_no_parameters(void)
{
	ptr p = device_memory(7);
	unsigned n = 1;
	OK(shaped(1, N, 0, (void *[]){ &p, &n }));
	OK(cuMemFree_v2(p));
}

/* Registered memory is freed as pinned memory. */
static unsigned registered[2048];

void wrong_free_of_registered(void)
{
	OK(cuMemHostRegister_v2(registered, sizeof registered, 0));
	WANT(cuMemFreeHost(registered) != 0, 1);
	OK(cuMemHostUnregister(registered));
}

void right_free_of_registered(void)
{
	OK(cuMemHostRegister_v2(registered, sizeof registered, 0));
	OK(cuMemHostUnregister(registered));
}

/* The host goes on after a fault. */
void wrong_goes_on(void)
{
	ptr p;
	unsigned out[N];
	OK(cuMemAlloc_v2(&p, BYTES / 2));
	OK(cuMemsetD32_v2(p, 1, N / 2));
	run(add, p, 1, NULL);
	cuCtxSynchronize();
	cuMemcpyDtoH_v2(out, p, BYTES / 2);
	cuMemFree_v2(p);
}

void right_goes_on(void)
{
	ptr p = device_memory(1);
	unsigned out[N];
	OK(run(add, p, 1, NULL));
	if (!cuCtxSynchronize())
		OK(cuMemcpyDtoH_v2(out, p, BYTES));
	OK(cuMemFree_v2(p));
}

/* A function of the host reads the target of a copy in another stream. */
static void reads(void *p)
{
	seen = *(volatile unsigned *)p;
}

void wrong_function_elsewhere(void)
{
	void *s = new_stream(1), *t = new_stream(1);
	ptr p = device_memory(7);
	unsigned *h = pinned_memory();
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoHAsync_v2(h, p, BYTES, s));
	OK(cuLaunchHostFunc(t, reads, h));
	OK(cuCtxSynchronize());
	OK(cuStreamDestroy_v2(s));
	OK(cuStreamDestroy_v2(t));
	OK(cuMemFreeHost(h));
	OK(cuMemFree_v2(p));
}

void right_function_elsewhere(void)
{
	void *s = new_stream(1), *t = new_stream(1), *e;
	ptr p = device_memory(7);
	unsigned *h = pinned_memory();
	OK(cuEventCreate(&e, 0));
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoHAsync_v2(h, p, BYTES, s));
	OK(cuLaunchHostFunc(s, reads, h));
	OK(cuMemcpyDtoHAsync_v2(h, p, BYTES, s));
	OK(cuEventRecord(e, s));
	OK(cuStreamWaitEvent(t, e, 0));
	OK(cuLaunchHostFunc(t, reads, h));
	OK(cuCtxSynchronize());
	WANT(seen, 7);
	OK(cuEventDestroy_v2(e));
	OK(cuStreamDestroy_v2(s));
	OK(cuStreamDestroy_v2(t));
	OK(cuMemFreeHost(h));
	OK(cuMemFree_v2(p));
}

/* A function of the host uses managed memory while a kernel in another stream may use it. */
void wrong_function_managed(void)
{
	void *s = new_stream(1), *t = new_stream(1);
	ptr p;
	OK(cuMemAllocManaged(&p, BYTES, 1));
	memset((void *)p, 0, BYTES);
	OK(run(add, p, 5, s));
	OK(cuLaunchHostFunc(t, reads, (void *)p));
	OK(cuCtxSynchronize());
	OK(cuStreamDestroy_v2(s));
	OK(cuStreamDestroy_v2(t));
	OK(cuMemFree_v2(p));
}

void right_function_managed(void)
{
	void *s = new_stream(1);
	ptr p;
	OK(cuMemAllocManaged(&p, BYTES, 1));
	memset((void *)p, 0, BYTES);
	OK(run(add, p, 5, s));
	OK(cuLaunchHostFunc(s, reads, (void *)p));
	OK(cuCtxSynchronize());
	WANT(seen, 5);
	OK(cuStreamDestroy_v2(s));
	OK(cuMemFree_v2(p));
}

/* The host waits for all streams while one is being captured. */
static void *captured(void *s)
{
	void *graph = NULL;
	int e = cuStreamEndCapture(s, &graph);
	WANT(e == 0 || e == 901 || e == 904, 1);
	return graph;
}

void wrong_capture_waits(void)
{
	void *s = new_stream(1);
	ptr p = device_memory(1);
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(run(add, p, 1, s));
	WANT(cuCtxSynchronize(), 900);
	WANT(captured(s) == NULL, 1);
	OK(cuStreamDestroy_v2(s));
	OK(cuMemFree_v2(p));
}

void right_capture_waits(void)
{
	void *s = new_stream(1);
	ptr p = device_memory(1);
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(run(add, p, 1, s));
	OK(cuGraphDestroy(captured(s)));
	OK(cuCtxSynchronize());
	OK(cuStreamDestroy_v2(s));
	OK(cuMemFree_v2(p));
}

/* A launch in the default stream while a blocking stream is being captured. */
void wrong_capture_default(void)
{
	void *s = new_stream(0);
	ptr p = device_memory(1);
	OK(cuCtxSynchronize());
	OK(cuStreamBeginCapture_v2(s, 2));
	WANT(run(add, p, 1, NULL), 906);
	WANT(captured(s) == NULL, 1);
	OK(cuStreamDestroy_v2(s));
	OK(cuMemFree_v2(p));
}

void right_capture_default(void)
{
	void *s = new_stream(1);
	ptr p = device_memory(1);
	OK(cuCtxSynchronize());
	OK(cuStreamBeginCapture_v2(s, 2));
	OK(run(add, p, 1, NULL));
	OK(cuGraphDestroy(captured(s)));
	OK(cuCtxSynchronize());
	OK(cuStreamDestroy_v2(s));
	OK(cuMemFree_v2(p));
}

/* A capture ends without the stream that joined it. */
static void join_capture(int back)
{
	void *s = new_stream(1), *t = new_stream(1), *fork, *join, *graph;
	ptr p = device_memory(1);
	OK(cuEventCreate(&fork, 0));
	OK(cuEventCreate(&join, 0));
	OK(cuCtxSynchronize());
	OK(cuStreamBeginCapture_v2(s, 2));
	OK(cuEventRecord(fork, s));
	OK(cuStreamWaitEvent(t, fork, 0));
	OK(run(add, p, 1, t));
	OK(cuEventRecord(join, t));
	if (back)
		OK(cuStreamWaitEvent(s, join, 0));
	graph = captured(s);
	WANT(graph != NULL, back);
	if (graph)
		OK(cuGraphDestroy(graph));
	OK(cuEventDestroy_v2(fork));
	OK(cuEventDestroy_v2(join));
	OK(cuStreamDestroy_v2(s));
	OK(cuStreamDestroy_v2(t));
	OK(cuMemFree_v2(p));
}

void wrong_capture_unjoined(void)
{
	join_capture(0);
}

void right_capture_unjoined(void)
{
	join_capture(1);
}

/* mapped_memory maps memory at reserved addresses, with rights of the device to it (CUmemAccess_flags). */
static ptr mapped_memory(unsigned rights)
{
	struct { uint32_t type, handles; int32_t at_type, at_id; uint64_t rest[2]; } properties = { 1, 0, 1, 0, { 0 } };
	struct { int32_t type, id; uint32_t flags; } all = { 1, 0, 3 };
	uint64_t memory;
	ptr p = 0;
	OK(cuMemAddressReserve(&p, 2 << 20, 0, 0, 0));
	OK(cuMemCreate(&memory, 2 << 20, &properties, 0));
	OK(cuMemMap(p, 2 << 20, 0, memory, 0));
	OK(cuMemRelease(memory));
	OK(cuMemSetAccess(p, 2 << 20, &all, 1));
	OK(cuMemsetD32_v2(p, 7, N));
	all.flags = rights;
	OK(cuMemSetAccess(p, 2 << 20, &all, 1));
	return p;
}

/* A kernel writes memory that it may only read. */
void wrong_no_rights(void)
{
	ptr p = mapped_memory(1);
	OK(run(add, p, 1, NULL));
	WANT(cuCtxSynchronize(), 700);
}

void right_no_rights(void)
{
	ptr p = mapped_memory(3);
	OK(run(add, p, 1, NULL));
	OK(cuCtxSynchronize());
	OK(cuMemUnmap(p, 2 << 20));
	OK(cuMemAddressFree(p, 2 << 20));
}

#define PAIR(name) { #name, wrong_##name, right_##name }
static const struct { const char *name; void (*wrong)(void), (*right)(void); } pairs[] = {
	PAIR(read_early), PAIR(read_other_stream), PAIR(read_after_event), PAIR(write_source), PAIR(managed), PAIR(pageable),
	PAIR(device_read), PAIR(device_write), PAIR(pinned_after_free), PAIR(copy_kind), PAIR(copy_kind_back), PAIR(copy_exchanged),
	PAIR(pinned_too_short), PAIR(free_of_pinned), PAIR(free_as_pinned), PAIR(stream_twice), PAIR(event_twice), PAIR(event_destroyed),
	PAIR(stream_destroyed), PAIR(module_twice), PAIR(unloaded_kernel), PAIR(context_twice), PAIR(context_leaks), PAIR(empty_grid),
	PAIR(shared_memory), PAIR(no_parameters), PAIR(free_of_registered), PAIR(goes_on), PAIR(capture_waits), PAIR(capture_default),
	PAIR(capture_unjoined), PAIR(function_elsewhere), PAIR(function_managed), PAIR(no_rights),
};

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	begin();
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (!strcmp(argv[2], pairs[i].name)) {
			(strcmp(argv[1], "wrong") ? pairs[i].right : pairs[i].wrong)();
			return finish();
		}
	return 2;
}
