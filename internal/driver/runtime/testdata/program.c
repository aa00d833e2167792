/* A program that does by hand what nvcc's start-up code does, against the runtime library of one version (MAJOR). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "start.h"

int __cudaInitModule(void **), cudaGetLastError(void), cudaPeekAtLastError(void), cudaMalloc(void **, size_t), cudaFree(void *);
int cudaMemcpy(void *, const void *, size_t, int), cudaMemset(void *, int, size_t), cudaDeviceSynchronize(void), cudaDeviceReset(void);
int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int), cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
int cudaGetSymbolAddress(void **, const void *), cudaGetSymbolSize(size_t *, const void *), cudaGetDeviceProperties(void *, int);
int cudaSetDevice(int), cudaGetDevice(int *), cudaGetDeviceCount(int *), cudaRuntimeGetVersion(int *), cudaMemGetInfo(size_t *, size_t *);
int cudaStreamSynchronize(void *), cudaArrayGetPlane(void **, void *, unsigned), cudaFuncGetAttributes(void *, const void *);
int cudaPointerGetAttributes(void *, const void *), cudaMallocHost(void **, size_t), cudaFreeHost(void *), cudaStreamQuery(void *), cudaLaunchHostFunc(void *, void (*)(void *), void *);
int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int), cudaMallocPitch(void **, size_t *, size_t, size_t);
const char *cudaGetErrorName(int), *cudaGetErrorString(int);
#if MAJOR >= 12
int __cudaGetKernel(void **, const void *), __cudaLaunchKernel(void *, dim3, dim3, void **, size_t, void *), cudaFuncGetName(const char **, const void *);
#endif
#if MAJOR == 12
int cudaGetDeviceProperties_v2(void *, int);
#endif

static int wrong;
#define WANT(x, v) do { long long got_ = (long long)(x); if (got_ != (long long)(v)) { printf("line %d: %s is %lld, want %lld\n", __LINE__, #x, got_, (long long)(v)); wrong++; } } while (0)
#define OK(x) WANT(x, 0)
#define SAME(x, v) do { const char *got_ = (x); if (strcmp(got_, v)) { printf("line %d: %s is %s, want %s\n", __LINE__, #x, got_, v); wrong++; } } while (0)

enum { HTOD = 1, DTOH, DTOD, ANY };

static char unknown_stub, unknown_variable; /* nothing is registered for these addresses */

static int values_are(const unsigned *h, unsigned first, unsigned step)
{
	for (unsigned i = 0; i < 32; i++)
		if (h[i] != first + i * step)
			return 0;
	return 1;
}

/* The kernel adds to each element what the constant says, counts itself, and doubles the managed variable. */
static void kernels_and_variables(void)
{
	unsigned h[32], five = 5, count = 0;
	void *p, *address;
	size_t size = 0;
	WANT(managed != NULL, 0); /* nothing is loaded before it is used */
	WANT(__cudaInitModule(handle), 1);
	WANT(*managed, 7);
	OK(cudaMalloc(&p, sizeof h));
	OK(cudaMemset(p, 0, sizeof h));
	OK(cudaMemcpyToSymbol(&constant, &five, 4, 0, HTOD));
	OK(add_all(p, 100, NULL));
	OK(cudaMemcpy(h, p, sizeof h, DTOH));
	WANT(values_are(h, 105, 1), 1);
	OK(cudaMemcpyFromSymbol(&count, &counter, 4, 4, DTOH));
	WANT(count, 1);
	WANT(*managed, 14);
	OK(cudaGetSymbolSize(&size, &counter));
	WANT(size, 8);
	OK(cudaGetSymbolAddress(&address, &counter));
	OK(cudaMemcpy(&count, (char *)address + 4, 4, ANY));
	WANT(count, 1);
	OK(cudaGetSymbolAddress(&address, managed));
	WANT(address == managed, 1);
#if MAJOR >= 12
	{
		void *kernel, *args[] = { &p, &five };
		const char *name;
		OK(__cudaGetKernel(&kernel, &add_stub));
		OK(__cudaLaunchKernel(kernel, (dim3){ 1, 1, 1 }, (dim3){ 32, 1, 1 }, args, 0, NULL));
		OK(cudaMemcpy(h, p, sizeof h, DTOH));
		WANT(values_are(h, 115, 2), 1);
		OK(cudaFuncGetName(&name, &add_stub));
		SAME(name, "add");
	}
#endif
	OK(cudaFree(p));
	OK(cudaFree(NULL));
}

static sem_t semaphore;
static void wait_for_semaphore(void *p) { (void)p, sem_wait(&semaphore); }

/* A stream with work in it is no error. */
static void queries(void)
{
	OK(sem_init(&semaphore, 0, 0));
	OK(cudaLaunchHostFunc(NULL, wait_for_semaphore, NULL));
	WANT(cudaStreamQuery(NULL), 600);
	OK(cudaGetLastError());
	OK(sem_post(&semaphore));
	OK(cudaDeviceSynchronize());
	OK(cudaStreamQuery(NULL));
}

static void errors(void)
{
	dim3 one = { 1, 1, 1 }, none = { 0, 1, 1 }, many = { 2048, 1, 1 }, grid;
	unsigned v = 0;
	void *p, *args[] = { &p, &v }, *stream;
	size_t shared;
	OK(cudaGetLastError());
	OK(cudaMalloc(&p, 128));
	WANT(cudaLaunchKernel(&unknown_stub, one, one, args, 0, NULL), 98);
	WANT(cudaPeekAtLastError(), 98);
	WANT(cudaGetLastError(), 98);
	OK(cudaGetLastError());
	WANT(cudaLaunchKernel(&add_stub, none, one, args, 0, NULL), 9);
	WANT(cudaLaunchKernel(&add_stub, one, many, args, 0, NULL), 9);
	WANT(cudaLaunchKernel(&add_stub, one, one, args, 1 << 20, NULL), 1);
	WANT(cudaLaunchKernel(&absent_stub, one, one, args, 0, NULL), 98);
	WANT(cudaMemcpy(p, &v, 4, 9), 21);
	WANT(cudaMemcpyToSymbol(&unknown_variable, &v, 4, 0, HTOD), 13);
	WANT(cudaMemcpyToSymbol(&constant, &v, 4, 1, HTOD), 1);
	WANT(cudaMemcpyToSymbol(&constant, &v, 4, 0, DTOH), 21);
	WANT(cudaMemcpy2D(p, 4, &v, 4, 8, 1, HTOD), 12);
	WANT(__cudaPopCallConfiguration(&grid, &grid, &shared, &stream), 52);
	WANT(cudaSetDevice(1), 101);
	WANT(cudaArrayGetPlane(&stream, p, 0), 801);
	WANT(cudaArrayGetPlane(&stream, p, 0), 801);
	WANT(cudaGetLastError(), 801);
	OK(cudaFree(p));
	WANT(cudaFree(p), 1);
	OK(cudaGetLastError() != 1);
	SAME(cudaGetErrorName(0), "cudaSuccess");
	SAME(cudaGetErrorName(2), "cudaErrorMemoryAllocation");
	SAME(cudaGetErrorString(2), "out of memory");
	SAME(cudaGetErrorString(9), "invalid configuration argument");
	SAME(cudaGetErrorName(98), "cudaErrorInvalidDeviceFunction");
	SAME(cudaGetErrorString(12345), "unrecognized error code");
}

/* The library writes no byte behind the structure of its version. */
static void structures(void)
{
	unsigned char room[1200];
	static const int bytes[] = { 728, 728, 1008 }, lanes[] = { 388, 388, 384 };
	int version = 0, n, v;
	void *p;
	memset(room, 0xa5, sizeof room);
	OK(cudaGetDeviceProperties(room, 0));
	n = bytes[MAJOR - 11];
	WANT(room[n], 0xa5);
	WANT(room[n - 1], 0);
	memcpy(&v, room + 308, 4);
	WANT(v, 32);
	memcpy(&v, room + 360, 4);
	WANT(v, 8);
	memcpy(&v, room + lanes[MAJOR - 11], 4);
	WANT(v > 0, 1);
#if MAJOR == 12
	memset(room, 0xa5, sizeof room);
	OK(cudaGetDeviceProperties_v2(room, 0));
	WANT(room[1032], 0xa5);
	WANT(room[1031], 0);
#endif
	memset(room, 0xa5, sizeof room);
	OK(cudaFuncGetAttributes(room, &add_stub));
	n = MAJOR == 11 ? 56 : 144;
	WANT(room[n], 0xa5);
	memcpy(&v, room + 24, 4);
	WANT(v, 1024);
	memset(room, 0xa5, sizeof room);
	OK(cudaMallocHost(&p, 64));
	OK(cudaPointerGetAttributes(room, p));
	WANT(room[MAJOR == 13 ? 88 : 24], 0xa5);
	WANT(room[0], 1);
	OK(cudaFreeHost(p));
	OK(cudaPointerGetAttributes(room, &version));
	WANT(room[0], 0);
	OK(cudaRuntimeGetVersion(&version));
	WANT(version / 1000, MAJOR);
}

static void *in_thread(void *number)
{
	unsigned n = (unsigned)(size_t)number, h[32];
	void *p;
	OK(cudaGetLastError()); /* the errors of other threads are theirs */
	OK(cudaMalloc(&p, sizeof h));
	OK(cudaMemset(p, 0, sizeof h));
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 20; i++)
		OK(add_all(p, n, (void *)2));
	OK(cudaStreamSynchronize((void *)2));
	OK(cudaMemcpy(h, p, sizeof h, DTOH));
	WANT(values_are(h, 20 * (n + 5), 20), 1);
	OK(cudaFree(p));
	WANT(cudaSetDevice(3), 101);
	WANT(cudaPeekAtLastError(), 101);
	return NULL;
}

static void threads(void)
{
	pthread_t t[4];
	unsigned five = 5;
	OK(cudaMemcpyToSymbol(&constant, &five, 4, 0, HTOD));
	for (size_t i = 0; i < 4; i++)
		OK(pthread_create(&t[i], NULL, in_thread, (void *)i));
	for (size_t i = 0; i < 4; i++)
		OK(pthread_join(t[i], NULL));
	OK(cudaGetLastError());
}

/* A child may not use the device; it ends as any program does. */
static void child(void)
{
	int status = 0;
	pid_t pid;
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		void *p;
		int e = cudaMalloc(&p, 64);
		exit(e == 3 ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	WANT(status, 0);
}

/* A library with a kernel is opened and closed; its memory is given back. */
static void plugins(const char *path)
{
	size_t first = 0, now = 0, all;
	for (int i = 0; i < 100; i++) {
		void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *p;
		unsigned h[32];
		int (*add)(void *, unsigned, void *);
		if (!library) {
			printf("%s\n", dlerror());
			wrong++;
			return;
		}
		*(void **)&add = dlsym(library, "plugin_add");
		OK(cudaMalloc(&p, sizeof h));
		OK(cudaMemset(p, 0, sizeof h));
		OK(add(p, (unsigned)i, NULL));
		OK(cudaMemcpy(h, p, sizeof h, DTOH));
		WANT(values_are(h, (unsigned)i + 3, 1), 1);
		OK(cudaFree(p));
		OK(dlclose(library));
		OK(cudaMemGetInfo(&now, &all));
		if (i == 0)
			first = now;
	}
	WANT(now, first);
}

/* After a reset variables have their first values. */
static void reset(void)
{
	unsigned count = 9;
	OK(cudaDeviceReset());
	OK(cudaMemcpyFromSymbol(&count, &counter, 4, 4, DTOH));
	WANT(count, 0);
}

int main(int argc, char **argv)
{
	int n = 0, device = -1;
	if (argc > 2) {
		/* The program has machine code only. */
		void *p;
		OK(cudaMalloc(&p, 128));
		WANT(add_all(p, 1, NULL), 209);
		WANT(add_all(p, 1, NULL), 209);
		SAME(cudaGetErrorName(209), "cudaErrorNoKernelImageForDevice");
		return wrong != 0;
	}
	OK(cudaGetDeviceCount(&n));
	WANT(n, 1);
	OK(cudaGetDevice(&device));
	WANT(device, 0);
	kernels_and_variables();
	queries();
	errors();
	structures();
	threads();
	child();
	plugins(argv[1]);
	reset();
	printf("%d wrong\n", wrong);
	return wrong != 0;
}
