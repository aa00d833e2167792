// ---- leaks ----

//! leak
//- --leaks
//= "allocation 1" (1024 bytes) was never freed
MISTAKE(leak)
{
	int *d;
	OK(cudaMalloc(&d, BYTES)); // here
	OK(cudaMemset(d, 0, BYTES));
	if (!wrong)
		OK(cudaFree(d));
}

//! leak
//- --leaks
//= "allocation 1" (1024 bytes) was never freed
MISTAKE(leak_pinned)
{
	int *h;
	OK(cudaHostAlloc(&h, BYTES, cudaHostAllocMapped)); // here
	if (!wrong)
		OK(cudaFreeHost(h));
}

//! leak
//- --leaks
//= "allocation 1" (1024 bytes) was never freed
MISTAKE(leak_managed)
{
	int *m;
	OK(cudaMallocManaged(&m, BYTES)); // here
	if (!wrong)
		OK(cudaFree(m));
}

//! leak
//- --leaks
//= was never freed
MISTAKE(leak_of_stream)
{
	cudaStream_t s = stream();
	int *d;
	OK(cudaMallocAsync(&d, BYTES, s)); // here
	OK(cudaMemsetAsync(d, 0, BYTES, s));
	if (!wrong)
		OK(cudaFreeAsync(d, s));
	OK(cudaStreamSynchronize(s));
	OK(cudaStreamDestroy(s));
}

//! leak
//- --leaks
//= stream
MISTAKE(leak_stream)
{
	cudaStream_t s;
	OK(cudaStreamCreate(&s)); // here
	if (!wrong)
		OK(cudaStreamDestroy(s));
}

//! leak
//- --leaks
//= event
MISTAKE(leak_event)
{
	cudaEvent_t e;
	OK(cudaEventCreate(&e)); // here
	if (!wrong)
		OK(cudaEventDestroy(e));
}

// ---- frees ----

//! double-free
//= "allocation 1" (1024 bytes), which was freed
//= it was freed here
MISTAKE(double_free)
{
	int *d = memory();
	OK(cudaFree(d)); // here
	if (wrong)
		cudaFree(d); // here
}

//! double-free
//= it was freed here
MISTAKE(double_free_of_stream)
{
	cudaStream_t s = stream();
	int *d;
	OK(cudaMallocAsync(&d, BYTES, s));
	OK(cudaFreeAsync(d, s)); // here
	if (wrong)
		cudaFreeAsync(d, s); // here
	OK(cudaStreamSynchronize(s));
	OK(cudaStreamDestroy(s));
}

//! double-free
//= it was freed here
MISTAKE(double_free_pinned)
{
	int *h = pinned();
	OK(cudaFreeHost(h)); // here
	if (wrong)
		cudaFreeHost(h); // here
}

//! bad-pointer
//= 4 bytes inside "allocation 1" (1024 bytes)
MISTAKE(free_inside)
{
	int *d = memory();
	if (wrong)
		cudaFree(d + 1); // here
	OK(cudaFree(d));
}

//! bad-pointer
//= no allocation begins there
MISTAKE(free_of_host)
{
	int *h = (int *)std::malloc(BYTES);
	if (wrong)
		cudaFree(h); // here
	std::free(h);
}

//! mismatched-free
//= freed by cudaFree, but is pinned memory: free it with cudaFreeHost
MISTAKE(free_of_pinned)
{
	int *h = pinned();
	if (wrong)
		cudaFree(h); // here
	OK(cudaFreeHost(h));
}

//! mismatched-free
//= freed by cudaFreeHost, but is memory of the device: free it with cudaFree
MISTAKE(free_as_pinned)
{
	int *d = memory();
	if (wrong)
		cudaFreeHost(d); // here
	OK(cudaFree(d));
}

//! bad-pointer
//= is freed, and no allocation begins there
MISTAKE(free_of_registered)
{
	static int room[4096];
	OK(cudaHostRegister(room, sizeof room, cudaHostRegisterDefault));
	if (wrong)
		cudaFreeHost(room); // here
	OK(cudaHostUnregister(room));
}

__device__ int variable[N];

//! bad-pointer
//= no allocation begins there
MISTAKE(free_of_variable)
{
	void *p;
	OK(cudaGetSymbolAddress(&p, variable));
	if (wrong)
		cudaFree(p); // here
	OK(cudaMemset(p, 0, sizeof variable));
}

//! use-after-free
//= "allocation 1" (1024 bytes), which was freed
MISTAKE(copy_after_free)
{
	int *d = memory(), h[N];
	if (wrong)
		OK(cudaFree(d)); // here
	cudaMemcpy(h, d, BYTES, cudaMemcpyDeviceToHost); // here
	if (!wrong)
		OK(cudaFree(d));
}

//! use-after-free
//< add
//= "allocation 1" (1024 bytes), which was freed
MISTAKE(kernel_after_free)
{
	int *d = memory();
	if (wrong)
		OK(cudaFree(d)); // here
	add<<<1, N>>>(d, 1, N); // here
	cudaDeviceSynchronize();
	if (!wrong)
		OK(cudaFree(d));
}

struct list { int *data; int n; };

__global__ void through(const list *l) { l->data[threadIdx.x] = l->n; } // [through]

//! use-after-free
//< through
MISTAKE(nested_after_free)
{
	int *d = memory();
	list h = {d, 7}, *l;
	OK(cudaMalloc(&l, sizeof h));
	OK(cudaMemcpy(l, &h, sizeof h, cudaMemcpyHostToDevice));
	if (wrong)
		OK(cudaFree(d)); // here
	through<<<1, N>>>(l); // here
	cudaDeviceSynchronize();
	if (!wrong)
		OK(cudaFree(d));
	cudaFree(l);
}

//! use-after-free
//< add
MISTAKE(kernel_after_free_of_stream)
{
	cudaStream_t s = stream();
	int *d;
	OK(cudaMallocAsync(&d, BYTES, s));
	OK(cudaMemsetAsync(d, 0, BYTES, s));
	if (wrong)
		OK(cudaFreeAsync(d, s)); // here
	add<<<1, N, 0, s>>>(d, 1, N); // here
	if (!wrong)
		OK(cudaFreeAsync(d, s));
	cudaStreamSynchronize(s);
	cudaStreamDestroy(s);
}

//! freed-in-use
//= while kernel add
MISTAKE(freed_in_use)
{
	cudaStream_t s = stream(), t = stream();
	int *d = memory();
	OK(cudaDeviceSynchronize());
	add<<<1, N, 0, s>>>(d, 1, N); // here
	OK(cudaFreeAsync(d, wrong ? t : s)); // here
	OK(cudaDeviceSynchronize());
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
}

//! use-after-free
//~ ENDS
//= it was freed here
MISTAKE(pinned_after_free)
{
	int *h = pinned();
	if (wrong)
		OK(cudaFreeHost(h)); // here
	seen = h[3]; // here
	if (!wrong)
		OK(cudaFreeHost(h));
}

// ---- memory in the order of streams ----

//! stream-race
//= while an allocation in stream 1 allocates them
MISTAKE(allocated_elsewhere)
{
	cudaStream_t s = stream(), t = stream();
	int *d;
	OK(cudaMallocAsync(&d, BYTES, s)); // here
	set<<<1, N, 0, wrong ? t : s>>>(d, 1); // here
	OK(cudaDeviceSynchronize());
	OK(cudaFreeAsync(d, s));
	OK(cudaDeviceSynchronize());
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
}

//! refused-call
//= cudaDeviceSetMemPool returns 1 (cudaErrorInvalidValue): the handle is no pool, or one that was destroyed
MISTAKE(pool_of_none)
{
	cudaMemPool_t pool;
	OK(cudaDeviceGetDefaultMemPool(&pool, 0));
	if (wrong)
		cudaDeviceSetMemPool(0, (cudaMemPool_t)&pool); // here
	else
		OK(cudaDeviceSetMemPool(0, pool));
}

//! refused-call
//= cudaMemPoolDestroy returns 1 (cudaErrorInvalidValue): a default pool cannot be destroyed
MISTAKE(pool_of_device)
{
	cudaMemPool_t pool;
	OK(cudaDeviceGetDefaultMemPool(&pool, 0));
	if (wrong)
		cudaMemPoolDestroy(pool); // here
	OK(cudaMemPoolTrimTo(pool, 0));
}
