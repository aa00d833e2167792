/* Mistakes of HIP programs. The first argument names one; with a second one, the twin without the mistake runs. */
#include "mini.h"

static int wrong; /* 1: make the mistake */

enum { N = 256, BYTES = N * sizeof(int) };

__global__ void add(int *data, int v, int n)
{
	int i = blockIdx_x * blockDim_x + threadIdx_x;
	if (i < n)
		data[i] += v;
}

__global__ void set(int *data, int v) { data[blockIdx_x * blockDim_x + threadIdx_x] = v; }

__global__ void reverse(int *data, int barrier)
{
	__shared__ int tile[N];
	tile[threadIdx_x] = data[threadIdx_x];
	if (barrier)
		__syncthreads();
	data[threadIdx_x] = tile[N - 1 - threadIdx_x];
}

__global__ void total(int *out, int atomic)
{
	if (atomic)
		__hip_atomic_fetch_add(out, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
	else if (threadIdx_x == 0)
		out[0] = out[0] + 1; /* each block does it */
}

static int *memory(void)
{
	int *d;
	CHECK(hipMalloc(&d, BYTES));
	CHECK(hipMemset(d, 0, BYTES));
	return d;
}

void out_of_bounds(void)
{
	int *d = memory();
	add<<<2, N>>>(d, 1, wrong ? N + 1 : N);
	hipDeviceSynchronize();
	hipFree(d);
}

void double_free(void)
{
	int *d = memory();
	hipFree(d);
	if (wrong)
		hipFree(d);
}

void streams(void)
{
	int *d = memory();
	hipStream_t a, b;
	hipEvent_t e;
	CHECK(hipStreamCreate(&a)), CHECK(hipStreamCreate(&b)), CHECK(hipEventCreate(&e));
	add<<<1, N, 0, a>>>(d, 1, N);
	CHECK(hipEventRecord(e, a));
	if (!wrong)
		CHECK(hipStreamWaitEvent(b, e, 0));
	add<<<1, N, 0, b>>>(d, 2, N);
	CHECK(hipDeviceSynchronize());
	CHECK(hipEventDestroy(e)), CHECK(hipStreamDestroy(a)), CHECK(hipStreamDestroy(b)), CHECK(hipFree(d));
}

void copy_kind(void)
{
	int *d = memory(), h[N];
	hipMemcpy(h, d, BYTES, wrong ? hipMemcpyHostToDevice : hipMemcpyDeviceToHost);
	hipFree(d);
}

void copy_too_long(void)
{
	int *d = memory(), h[2 * N] = { 0 };
	hipMemcpy(d, h, wrong ? sizeof h : BYTES, hipMemcpyHostToDevice);
	hipFree(d);
}

void race(void)
{
	int *d = memory();
	reverse<<<1, N>>>(d, !wrong);
	CHECK(hipDeviceSynchronize());
	CHECK(hipFree(d));
}

void race_of_blocks(void)
{
	int *d = memory();
	total<<<4, 64>>>(d, !wrong);
	CHECK(hipDeviceSynchronize());
	CHECK(hipFree(d));
}

void leak(void)
{
	int *d = memory();
	if (!wrong)
		CHECK(hipFree(d));
}

void use_after_free(void)
{
	int *d = memory();
	if (wrong)
		hipFree(d);
	add<<<1, N>>>(d, 1, N);
	hipDeviceSynchronize();
	if (!wrong)
		hipFree(d);
}

void wrong_free(void)
{
	int *d = memory();
	if (wrong)
		hipHostFree(d);
	else
		hipFree(d);
}

void undefined(void)
{
	int *d, h[N];
	CHECK(hipMalloc(&d, BYTES));
	set<<<1, wrong ? N / 2 : N>>>(d, 7);
	CHECK(hipMemcpy(h, d, BYTES, hipMemcpyDeviceToHost));
	CHECK(hipFree(d));
}

void touched_early(void)
{
	int *d, *h;
	hipStream_t s;
	CHECK(hipMalloc(&d, 4096)), CHECK(hipMemset(d, 0, 4096)), CHECK(hipHostMalloc(&h, 4096, 0)), CHECK(hipStreamCreate(&s));
	CHECK(hipMemcpyAsync(h, d, 4096, hipMemcpyDeviceToHost, s)); /* a page */
	if (!wrong)
		CHECK(hipStreamSynchronize(s));
	h[0]++;
	CHECK(hipStreamSynchronize(s));
	CHECK(hipStreamDestroy(s)), CHECK(hipHostFree(h)), CHECK(hipFree(d));
}

void stream_twice(void)
{
	hipStream_t s;
	CHECK(hipStreamCreate(&s)), CHECK(hipStreamDestroy(s));
	if (wrong)
		hipStreamSynchronize(s);
}

void large_block(void)
{
	int *d = memory();
	add<<<1, wrong ? 2048 : N>>>(d, 1, N);
	hipDeviceSynchronize();
	CHECK(hipFree(d));
}

#define MISTAKE(name) { #name, name }
static const struct { const char *name; void (*make)(void); } mistakes[] = {
	MISTAKE(out_of_bounds), MISTAKE(double_free), MISTAKE(streams), MISTAKE(copy_kind), MISTAKE(copy_too_long), MISTAKE(race), MISTAKE(race_of_blocks),
	MISTAKE(leak), MISTAKE(use_after_free), MISTAKE(wrong_free), MISTAKE(undefined), MISTAKE(touched_early), MISTAKE(stream_twice), MISTAKE(large_block),
};

int main(int argc, char **argv)
{
	wrong = argc == 2;
	for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
		if (!strcmp(mistakes[i].name, argv[1])) {
			mistakes[i].make();
			return 0;
		}
	return 2;
}
