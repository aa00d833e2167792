/* Streams of threads: the forms _ptds and _ptsz, and the handle 2. With the argument "race" a thread reads what another
   thread writes in its own stream, and nothing orders the two. */
#include "cu.h"

int cuMemsetD32_v2_ptds(ptr, unsigned, size_t), cuMemcpyDtoH_v2_ptds(void *, ptr, size_t), cuStreamGetId(void *, uint64_t *), cuStreamGetId_ptsz(void *, uint64_t *);
int cuLaunchKernelEx_ptsz(const void *, void *, void **, void **), cuMemsetD32Async(ptr, unsigned, size_t, void *), cuMemcpyDtoHAsync_v2(void *, ptr, size_t, void *);
int cuEventRecord_ptsz(void *, void *), cuStreamWaitEvent_ptsz(void *, void *, unsigned), cuStreamSynchronize_ptsz(void *), cuMemsetD2D8_v2_ptds(ptr, size_t, unsigned char, size_t, size_t);

#define OWN ((void *)2)

static ptr p;
static int race;
static uint64_t ids[3];
static void *event;
static pthread_barrier_t written, read_;

static void *writer(void *unused)
{
	OK(cuCtxSetCurrent(context));
	OK(cuStreamGetId(OWN, &ids[0]));
	OK(cuMemsetD32_v2_ptds(p, 5, 32)); /* a fill does not wait */
	OK(cuEventRecord_ptsz(event, NULL));
	pthread_barrier_wait(&written);
	pthread_barrier_wait(&read_);
	return unused;
}

static void *reader(void *unused)
{
	unsigned b[32], n = 3;
	void *args[] = { &p, &n };
	struct { unsigned grid[3], block[3], shared; void *stream, *attributes; unsigned count; } config = { { 1, 1, 1 }, { 32, 1, 1 }, 0, NULL, NULL, 0 };
	OK(cuCtxSetCurrent(context));
	OK(cuStreamGetId_ptsz(NULL, &ids[1]));
	if (!race)
		OK(cuStreamWaitEvent_ptsz(NULL, event, 0));
	OK(cuLaunchKernelEx_ptsz(&config, add, args, NULL));
	WANT(config.stream == NULL, 1);
	OK(cuMemcpyDtoH_v2_ptds(b, p, sizeof b));
	for (int i = 0; i < 32; i++)
		WANT(b[i], 8);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	unsigned out[32];
	uint64_t legacy;
	int (*synchronize)(void *), (*set)(ptr, unsigned, size_t), status;
	race = argc > 1 && !strcmp(argv[1], "race");
	begin();
	OK(cuEventCreate(&event, 2));
	OK(cuMemAlloc_v2(&p, sizeof out));
	OK(cuStreamGetId(OWN, &ids[2]));
	OK(cuStreamGetId(NULL, &legacy));
	/* The first thread lives until the second has ended: an ended thread's stream may be used by the next thread. */
	OK(pthread_barrier_init(&written, NULL, 2));
	OK(pthread_barrier_init(&read_, NULL, 2));
	OK(pthread_create(&a, NULL, writer, NULL));
	pthread_barrier_wait(&written);
	OK(pthread_create(&b, NULL, reader, NULL));
	OK(pthread_join(b, NULL));
	pthread_barrier_wait(&read_);
	OK(pthread_join(a, NULL));
	WANT(ids[0] != ids[1] && ids[0] != ids[2] && ids[1] != ids[2] && legacy != ids[2], 1);

	/* The default stream waits for the streams of threads. */
	OK(cuMemcpyDtoH_v2(out, p, sizeof out));
	WANT(out[31], 8);
	/* cuGetProcAddress with flag 2 chooses these forms. */
	OK(cuGetProcAddress_v2("cuStreamSynchronize", (void **)&synchronize, 13050, 2, &status));
	WANT(synchronize == cuStreamSynchronize_ptsz, 1);
	OK(cuGetProcAddress_v2("cuMemsetD32", (void **)&set, 13050, 2, &status));
	WANT(set == cuMemsetD32_v2_ptds, 1);
	OK(set(p, 9, 32));
	OK(synchronize(NULL));
	OK(cuMemsetD2D8_v2_ptds(p + 4, 8, 1, 4, 2)); /* the elements 1 and 3 */
	OK(cuMemcpyDtoHAsync_v2(out, p, sizeof out, OWN));
	OK(cuStreamSynchronize(OWN));
	WANT(out[0], 9);
	WANT(out[1], 0x01010101);
	WANT(out[2], 9);
	WANT(out[3], 0x01010101);
	OK(cuMemFree_v2(p));
	return finish();
}
