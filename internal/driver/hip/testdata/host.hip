/* Calls of most parts of the HIP runtime. Each result is compared with one that the host computes. MAJOR is the version. */
#include "mini.h"

__constant__ int factors[4];
__device__ int counter = 5;
__managed__ int both = 7;

__global__ void saxpy(float a, const float *x, float *y, int n)
{
	int i = blockIdx_x * blockDim_x + threadIdx_x;
	if (i < n)
		y[i] = a * x[i] + y[i];
}

__global__ void sum(const int *in, int *out, int n)
{
	__shared__ int waves[4];
	int i = blockIdx_x * blockDim_x + threadIdx_x, v = i < n ? in[i] : 0;
	for (int d = 32; d > 0; d /= 2)
		v += shuffle_down(v, d);
	if (threadIdx_x % 64 == 0)
		waves[threadIdx_x / 64] = v;
	__syncthreads();
	if (threadIdx_x == 0)
		out[blockIdx_x] = waves[0] + waves[1] + waves[2] + waves[3];
}

extern __shared__ int tile[];

__global__ void reverse(int *data)
{
	tile[threadIdx_x] = data[threadIdx_x];
	__syncthreads();
	data[threadIdx_x] = tile[blockDim_x - 1 - threadIdx_x];
}

__global__ void use(int *out)
{
	out[threadIdx_x] = factors[threadIdx_x % 4] * (int)threadIdx_x;
	if (threadIdx_x == 0)
		counter++, both *= 2;
}

__global__ void add(int *data, int v) { data[blockIdx_x * blockDim_x + threadIdx_x] += v; }
__global__ void count(int *out) { __hip_atomic_fetch_add(out, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }

static void launches(void)
{
	enum { n = 1000 };
	static float x[n], y[n];
	static int h[1024], part[4];
	float *dx, *dy;
	int *d, *out;
	for (int i = 0; i < n; i++)
		x[i] = i, y[i] = 1;
	CHECK(hipMalloc(&dx, sizeof x)), CHECK(hipMalloc(&dy, sizeof y));
	CHECK(hipMemcpy(dx, x, sizeof x, hipMemcpyHostToDevice)), CHECK(hipMemcpy(dy, y, sizeof y, hipMemcpyDefault));
	saxpy<<<4, 256>>>(2, dx, dy, n);
	CHECK(hipGetLastError());
	CHECK(hipMemcpy(y, dy, sizeof y, hipMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		EXPECT(y[i] == 2.0f * i + 1);
	CHECK(hipFree(dx)), CHECK(hipFree(dy));

	int want = 0, got = 0;
	for (int i = 0; i < 1024; i++)
		h[i] = i * 7 % 101 - 30, want += i < n ? h[i] : 0;
	CHECK(hipMalloc(&d, sizeof h)), CHECK(hipMalloc(&out, sizeof part));
	CHECK(hipMemcpy(d, h, sizeof h, hipMemcpyHostToDevice));
	sum<<<4, 256>>>(d, out, n);
	CHECK(hipMemcpy(part, out, sizeof part, hipMemcpyDeviceToHost));
	for (int i = 0; i < 4; i++)
		got += part[i];
	EXPECT(got == want);
	reverse<<<1, 128, 128 * sizeof(int)>>>(d);
	static int back[128];
	CHECK(hipMemcpy(back, d, sizeof back, hipMemcpyDeviceToHost));
	for (int i = 0; i < 128; i++)
		EXPECT(back[i] == h[127 - i]);

	CHECK(hipMemset(out, 0, 4));
	void *args[] = { &out };
	CHECK(hipLaunchCooperativeKernel((void *)count, dim3(3), dim3(64), args, 0, 0));
	hipEvent_t begin, end;
	float ms;
	CHECK(hipEventCreate(&begin)), CHECK(hipEventCreate(&end));
	CHECK(hipExtLaunchKernel((void *)count, dim3(2), dim3(32), args, 0, 0, begin, end, 0));
	CHECK(hipEventSynchronize(end)), CHECK(hipEventElapsedTime(&ms, begin, end));
	CHECK(hipEventDestroy(begin)), CHECK(hipEventDestroy(end));
	CHECK(hipMemcpy(&got, out, 4, hipMemcpyDeviceToHost));
	EXPECT(got == 3 * 64 + 2 * 32 && ms >= 0);
	void *f;
	CHECK(hipGetFuncBySymbol(&f, (void *)count));
	CHECK(hipModuleLaunchKernel(f, 2, 1, 1, 64, 1, 1, 0, 0, args, 0));                /* 2 blocks */
	CHECK(hipExtModuleLaunchKernel(f, 128, 1, 1, 64, 1, 1, 0, 0, args, 0, 0, 0, 0)); /* 128 threads */
	size_t bytes = sizeof out;
	void *extra[] = { (void *)1, &out, (void *)2, &bytes, (void *)3 };
	CHECK(hipModuleLaunchKernel(f, 1, 1, 1, 10, 1, 1, 0, 0, 0, extra));
	struct { unsigned id, pad; long long value[8]; } cooperative = { 2, 0, { 1 } };
	struct { unsigned grid[3], block[3], shared; hipStream_t stream; void *attributes; unsigned count; } config = { { 2, 1, 1 }, { 16, 1, 1 }, 0, 0, &cooperative, 0 };
	CHECK(hipDrvLaunchKernelEx(&config, f, args, 0));
	config.count = 1, config.grid[0] = 1;
	CHECK(hipDrvLaunchKernelEx(&config, f, args, 0)); /* cooperative */
	config.attributes = 0;
	EXPECT(hipDrvLaunchKernelEx(&config, f, args, 0) == 1);
	CHECK(hipMemcpy(&got, out, 4, hipMemcpyDeviceToHost));
	EXPECT(got == 256 + 128 + 128 + 10 + 32 + 16);
	EXPECT(hipExtModuleLaunchKernel(f, 100, 1, 1, 64, 1, 1, 0, 0, args, 0, 0, 0, 0) == 801);
	EXPECT(hipModuleLaunchKernel(f, 0, 1, 1, 64, 1, 1, 0, 0, args, 0) == 9);
	CHECK(hipFree(d)), CHECK(hipFree(out));

	int blocks, grid, block;
	func_attributes a;
	CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void *)sum, 256, 0));
	CHECK(hipOccupancyMaxPotentialBlockSize(&grid, &block, (void *)sum, 0, 0));
	CHECK(hipFuncGetAttributes(&a, (void *)sum));
	EXPECT(blocks > 0 && grid > 0 && block > 0 && block <= 1024 && a.shared == 16 && a.threads == 1024 && a.dynamic == 65536 - 16);
}

static void variables(void)
{
	const int f[4] = { 1, -2, 3, -4 };
	int *out, c = 0;
	void *p;
	size_t size;
	EXPECT(both == 7);
	both = 20;
	CHECK(hipMemcpyToSymbol(factors, f, sizeof f, 0, hipMemcpyHostToDevice));
	CHECK(hipMallocManaged(&out, 64 * sizeof(int), 1));
	use<<<1, 64>>>(out);
	CHECK(hipDeviceSynchronize());
	for (int i = 0; i < 64; i++)
		EXPECT(out[i] == f[i % 4] * i);
	CHECK(hipMemcpyFromSymbol(&c, &counter, sizeof c, 0, hipMemcpyDeviceToHost));
	EXPECT(c == 6 && both == 40);
	CHECK(hipGetSymbolAddress(&p, &counter)), CHECK(hipGetSymbolSize(&size, &counter));
	c = 11;
	CHECK(hipMemcpy(p, &c, sizeof c, hipMemcpyHostToDevice));
	CHECK(hipMemcpyFromSymbol(&c, &counter, sizeof c, 0, hipMemcpyDefault));
	EXPECT(c == 11 && size == 4);
	EXPECT(hipMemcpyToSymbol(factors, f, sizeof f, 4, hipMemcpyHostToDevice) == 1);
	EXPECT(hipGetSymbolSize(&size, f) == 13);
	pointer_attributes a;
	CHECK(hipPointerGetAttributes(&a, out));
	EXPECT(a.managed == 1 && a.device == 0 && a.on_device == out && a.kind == (MAJOR == 5 ? 1 : 3));
	CHECK(hipFree(out));
	CHECK(hipHostMalloc(&out, 64, 0));
	CHECK(hipPointerGetAttributes(&a, out));
	EXPECT(a.managed == 0 && a.on_host == out && a.kind == (MAJOR == 5 ? 0 : 1));
	CHECK(hipHostFree(out));
	EXPECT(hipPointerGetAttributes(&a, f) == (MAJOR == 5 ? 1 : 0));
}

static void called(hipStream_t, hipError_t e, void *data) { *(int *)data = e ? -1 : 42; }

static void streams(void)
{
	enum { n = 256 };
	int *h, *d, seen = 0, got[n];
	hipStream_t a, b;
	hipEvent_t ready;
	void *graph, *exec;
	CHECK(hipHostMalloc(&h, n * sizeof(int), 0)), CHECK(hipMalloc(&d, n * sizeof(int)));
	for (int i = 0; i < n; i++)
		h[i] = i;
	CHECK(hipStreamCreate(&a)), CHECK(hipStreamCreateWithFlags(&b, 1)), CHECK(hipEventCreate(&ready));
	CHECK(hipMemcpyAsync(d, h, sizeof got, hipMemcpyHostToDevice, a));
	add<<<1, n, 0, a>>>(d, 10);
	CHECK(hipEventRecord(ready, a)), CHECK(hipStreamWaitEvent(b, ready, 0));
	add<<<1, n, 0, b>>>(d, 100);
	CHECK(hipMemcpyAsync(h, d, sizeof got, hipMemcpyDeviceToHost, b));
	CHECK(hipStreamAddCallback(b, called, &seen, 0));
	CHECK(hipStreamSynchronize(b));
	EXPECT(seen == 42 && hipStreamQuery(b) == 0);
	for (int i = 0; i < n; i++)
		EXPECT(h[i] == i + 110);
	CHECK(hipStreamBeginCapture(a, 0));
	add<<<1, n, 0, a>>>(d, 1);
	add<<<1, n, 0, a>>>(d, 2);
	CHECK(hipStreamEndCapture(a, &graph)), CHECK(hipGraphInstantiate(&exec, graph, 0, 0, 0));
	CHECK(hipGraphLaunch(exec, a)), CHECK(hipGraphLaunch(exec, a)), CHECK(hipStreamSynchronize(a));
	CHECK(hipGraphExecDestroy(exec)), CHECK(hipGraphDestroy(graph));

	struct { dim3 block; void **extra, *stub; dim3 grid; void **params; unsigned shared; } k;
	int v = 1000;
	void *args[] = { &d, &v }, *copy, *kernel;
	memset(&k, 0, sizeof k);
	k.block = dim3(n), k.stub = (void *)add, k.grid = dim3(1), k.params = args;
	CHECK(hipGraphCreate(&graph, 0));
	CHECK(hipGraphAddKernelNode(&kernel, graph, 0, 0, &k));
	CHECK(hipGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, got, d, sizeof got, hipMemcpyDeviceToHost));
	CHECK(hipGraphInstantiate(&exec, graph, 0, 0, 0));
	CHECK(hipGraphLaunch(exec, a)), CHECK(hipStreamSynchronize(a));
	for (int i = 0; i < n; i++)
		EXPECT(got[i] == i + 110 + 6 + 1000);
	CHECK(hipGraphExecDestroy(exec)), CHECK(hipGraphDestroy(graph));
	CHECK(hipEventDestroy(ready)), CHECK(hipStreamDestroy(a)), CHECK(hipStreamDestroy(b));
	CHECK(hipHostFree(h)), CHECK(hipFree(d));
	CHECK(hipMallocAsync(&d, 64, 0)), CHECK(hipFreeAsync(d, 0)), CHECK(hipDeviceSynchronize());
}

static void copies(void)
{
	static unsigned char a[3000], b[3000];
	void *d;
	size_t pitch;
	pitched p;
	extent n = { 20, 10, 5 };
	parms c;
	for (int i = 0; i < 3000; i++)
		a[i] = (unsigned char)(i * 7);
	CHECK(hipMallocPitch(&d, &pitch, 100, 30)), CHECK(hipMemset2D(d, pitch, 9, 100, 30));
	CHECK(hipMemcpy2D(d, pitch, a, 100, 100, 15, hipMemcpyHostToDevice)), CHECK(hipMemcpy2D(b, 100, d, pitch, 100, 30, hipMemcpyDeviceToHost));
	for (int i = 0; i < 3000; i++)
		EXPECT(b[i] == (i < 1500 ? a[i] : 9));
	CHECK(hipFree(d));
	CHECK(hipMalloc3D(&p, n)), CHECK(hipMemset3D(p, 3, n));
	memset(&c, 0, sizeof c);
	c.src = { a, 20, 20, 10 }, c.dst = p, c.n = { 20, 10, 4 }, c.kind = hipMemcpyHostToDevice;
	CHECK(hipMemcpy3D(&c));
	memset(&c, 0, sizeof c);
	c.src = p, c.dst = { b, 20, 20, 10 }, c.n = n, c.kind = hipMemcpyDeviceToHost;
	CHECK(hipMemcpy3D(&c));
	for (int i = 0; i < 1000; i++)
		EXPECT(b[i] == (i < 800 ? a[i] : 3));
	CHECK(hipFree(p.ptr));
	EXPECT(hipMemcpy(0, a, 4, hipMemcpyHostToDevice) == 1 && hipMemcpy(a, b, 4, 77) == 21);
}

static void device(void)
{
	static unsigned char p[2048];
	char name[64];
	int n, warp;
	size_t memory;
	CHECK(hipGetDeviceCount(&n));
	EXPECT(n == 1 && hipSetDevice(1) == 101);
	EXPECT(hipGetLastError() == 101 && hipGetLastError() == 0);
	CHECK(hipDeviceGetAttribute(&warp, 87, 0)), CHECK(hipDeviceGetName(name, sizeof name, 0));
	memset(p, 0xee, sizeof p);
	CHECK(MAJOR == 5 ? hipGetDeviceProperties(p, 0) : hipGetDevicePropertiesR0600(p, 0));
	memcpy(&memory, p + (MAJOR == 5 ? 256 : 288), sizeof memory);
	memcpy(&n, p + (MAJOR == 5 ? 276 : 308), sizeof n);
	EXPECT(!strcmp((char *)p, name) && n == warp && warp == 64 && memory >= 1 << 30);
	EXPECT(!strcmp((char *)p + (MAJOR == 5 ? 396 : 1160), "gfx803"));
	EXPECT(p[MAJOR == 5 ? 792 : 1472] == 0xee); /* what follows the structure is not touched */
	EXPECT(hipSetDevice(7) == 101 && hipSetDevice(0) == 0);
	EXPECT(hipPeekAtLastError() == (MAJOR == 7 ? 101 : 0)); /* HIP 7 keeps an error until it is asked for */
	hipGetLastError();
	EXPECT(hipMipmappedArrayCreate(0, 0, 0) == 801 && hipMipmappedArrayCreate(0, 0, 0) == 801);
	EXPECT(!strcmp(hipGetErrorName(209), "hipErrorNoBinaryForGpu"));
}

int main(void)
{
	launches(), variables(), streams(), copies(), device();
	puts("right");
	return 0;
}
