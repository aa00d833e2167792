// ---- kernels ----

//! out-of-bounds
//< add
//= in block (1,0,0) reads 4 bytes
//= just past the end of "allocation 1" (1024 bytes)
MISTAKE(out_of_bounds)
{
	int *d = memory();
	add<<<2, N>>>(d, 1, wrong ? N + 1 : N); // here
	cudaDeviceSynchronize();
	cudaFree(d);
}

//! out-of-bounds ignored-error
//= a copy to the host is asked for after a fault
MISTAKE(goes_on)
{
	int *d = memory(), h[N];
	add<<<2, N>>>(d, 1, wrong ? N + 1 : N);
	cudaError_t e = cudaDeviceSynchronize();
	EXPECT((e == cudaSuccess) == !wrong);
	cudaMemcpy(h, d, BYTES, cudaMemcpyDeviceToHost); // here
	cudaFree(d);
}

//! out-of-bounds
//< set
MISTAKE(host_pointer)
{
	int *d = memory(), *h = (int *)std::calloc(N, sizeof(int));
	set<<<1, N>>>(wrong ? h : d, 1); // here
	cudaDeviceSynchronize();
	cudaFree(d);
	std::free(h);
}

//! out-of-bounds
//< set
MISTAKE(null_pointer)
{
	int *d = memory();
	set<<<1, N>>>(wrong ? nullptr : d, 1); // here
	cudaDeviceSynchronize();
	cudaFree(d);
}

//! misaligned
//< set
MISTAKE(misaligned)
{
	int *d = memory();
	set<<<1, N / 2>>>((int *)((char *)d + (wrong ? 2 : 4)), 1); // here
	cudaDeviceSynchronize();
	cudaFree(d);
}

__global__ void reverse(int *data, bool barrier)
{
	__shared__ int tile[N];
	tile[threadIdx.x] = data[threadIdx.x]; // [reverse]
	if (barrier)
		__syncthreads();
	data[threadIdx.x] = tile[N - 1 - threadIdx.x];
}

//! race-shared
//< reverse
//= nothing orders the two
MISTAKE(race)
{
	int *d = memory();
	reverse<<<1, N>>>(d, !wrong); // here
	OK(cudaDeviceSynchronize());
	OK(cudaFree(d));
}

__global__ void total(int *out, bool atomic)
{
	if (atomic)
		atomicAdd(out, 1);
	else if (threadIdx.x == 0)
		out[0] = out[0] + 1; // [total]
}

//! race-global race-global
//< total
MISTAKE(race_of_blocks)
{
	int *d = memory();
	total<<<2, 32>>>(d, !wrong); // here
	OK(cudaDeviceSynchronize());
	OK(cudaFree(d));
}

__global__ void sum(int *out, unsigned mask)
{
	int v = threadIdx.x;
	v += __shfl_down_sync(mask, v, 16);
	if (threadIdx.x == 0)
		*out = v;
}

//! not-in-membermask undefined-source
//= lanes 16-31 execute it without being in the membermask given, 0x0000ffff
MISTAKE(membermask)
{
	int *d = memory();
	sum<<<1, 32>>>(d, wrong ? 0xffff : 0xffffffff); // here
	cudaDeviceSynchronize();
	cudaFree(d);
}

__global__ void half(int *data, int n)
{
	if (threadIdx.x < n) {
		data[threadIdx.x] = 1;
		__syncthreads();
	}
	__syncthreads(); // [half]
}

//! barriers-apart exited-lanes not-converged
//< half
MISTAKE(divergent_barrier)
{
	int *d = memory();
	half<<<1, 64>>>(d, wrong ? 48 : 64); // here
	cudaDeviceSynchronize();
	cudaFree(d);
}

__global__ void shared_undefined(int *data, bool fill)
{
	__shared__ int tile[N];
	if (fill || threadIdx.x < N / 2)
		tile[threadIdx.x] = 1;
	__syncthreads();
	if (tile[N - 1 - threadIdx.x] > 0) // [shared undefined]
		data[threadIdx.x] = 2;
}

//! poison-branch
//< shared undefined
MISTAKE(undefined_shared)
{
	int *d = memory();
	shared_undefined<<<1, N>>>(d, !wrong); // here
	cudaDeviceSynchronize();
	cudaFree(d);
}

__global__ void positive(const int *data, int *out)
{
	if (data[threadIdx.x] > 0) // [positive]
		out[threadIdx.x] = 1;
}

//! poison-branch
//< positive
MISTAKE(undefined_input)
{
	int *d, *out = memory();
	OK(cudaMalloc(&d, BYTES));
	if (!wrong)
		OK(cudaMemset(d, 0, BYTES));
	positive<<<1, N>>>(d, out); // here
	OK(cudaDeviceSynchronize());
	OK(cudaFree(d));
	OK(cudaFree(out));
}

__global__ void wait_for(const volatile int *flag, int *out)
{
	while (*flag == 0) // [wait for]
		;
	*out = 1;
}

//! livelock
//< wait for
MISTAKE(never_ends)
{
	int *d = memory(), one = 1;
	if (!wrong)
		OK(cudaMemcpy(d, &one, sizeof one, cudaMemcpyHostToDevice));
	wait_for<<<1, 1>>>(d, d + 1); // here
	cudaDeviceSynchronize();
	cudaFree(d);
}

__global__ void checks(const int *data)
{
	if (data[threadIdx.x] != 0)
		__trap();
}

//! trap
//= the kernel trapped
MISTAKE(traps)
{
	int *d = memory();
	if (wrong)
		OK(cudaMemset(d, 1, 4));
	checks<<<1, N>>>(d); // here
	cudaDeviceSynchronize();
	cudaFree(d);
}
