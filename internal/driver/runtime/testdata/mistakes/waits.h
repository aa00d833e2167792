// ---- the host and the operations of streams ----

//! host-race
//= the host reads byte 16 of "allocation 2" (1024 bytes), while a copy to the host in stream 1 writes it
MISTAKE(read_early)
{
	cudaStream_t s = stream();
	int *d = memory(), *h = pinned();
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s)); // here
	if (!wrong)
		OK(cudaStreamSynchronize(s));
	seen = h[4]; // here
	OK(cudaStreamSynchronize(s));
	OK(cudaFreeHost(h));
	OK(cudaFree(d));
	OK(cudaStreamDestroy(s));
}

//! host-race
//= the host reads byte 0 of "allocation 2"
MISTAKE(read_after_other_stream)
{
	cudaStream_t s = stream(), t = stream();
	int *d = memory(), *h = pinned();
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s)); // here
	OK(cudaStreamSynchronize(wrong ? t : s));
	seen = h[0]; // here
	OK(cudaDeviceSynchronize());
	OK(cudaFreeHost(h));
	OK(cudaFree(d));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
}

//! host-race
//= the host reads byte 0 of "allocation 2"
MISTAKE(read_after_early_event)
{
	cudaStream_t s = stream();
	cudaEvent_t done;
	int *d = memory(), *h = pinned();
	OK(cudaDeviceSynchronize());
	OK(cudaEventCreate(&done));
	if (wrong)
		OK(cudaEventRecord(done, s));
	OK(cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s)); // here
	if (!wrong)
		OK(cudaEventRecord(done, s));
	OK(cudaEventSynchronize(done));
	seen = h[0]; // here
	OK(cudaDeviceSynchronize());
	OK(cudaFreeHost(h));
	OK(cudaFree(d));
	OK(cudaEventDestroy(done));
	OK(cudaStreamDestroy(s));
}

//! host-race
//= the host reads byte 0 of "allocation 2"
MISTAKE(read_after_no_event)
{
	cudaStream_t s = stream();
	cudaEvent_t done;
	int *d = memory(), *h = pinned();
	OK(cudaDeviceSynchronize());
	OK(cudaEventCreate(&done));
	OK(cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s)); // here
	if (!wrong)
		OK(cudaEventRecord(done, s));
	OK(cudaEventSynchronize(done)); // an event that was never recorded is over
	seen = h[0]; // here
	OK(cudaDeviceSynchronize());
	OK(cudaFreeHost(h));
	OK(cudaFree(d));
	OK(cudaEventDestroy(done));
	OK(cudaStreamDestroy(s));
}

//! host-race
//= the host reads byte 0 of "allocation 2"
MISTAKE(read_before_query)
{
	cudaStream_t s = stream();
	int *d = memory(), *h = pinned();
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s)); // here
	if (wrong)
		seen = h[0]; // here
	while (cudaStreamQuery(s) == cudaErrorNotReady)
		;
	seen = h[0];
	OK(cudaFreeHost(h));
	OK(cudaFree(d));
	OK(cudaStreamDestroy(s));
}

//! host-race
//= the host reads byte 0 of "allocation 2"
MISTAKE(read_after_default_copy)
{
	cudaStream_t s = stream();
	int *d = memory(), *h = pinned();
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDefault, s)); // here
	if (!wrong)
		OK(cudaStreamSynchronize(s));
	seen = h[0]; // here
	OK(cudaStreamSynchronize(s));
	OK(cudaFreeHost(h));
	OK(cudaFree(d));
	OK(cudaStreamDestroy(s));
}

//! host-race
//= the host writes byte 12 of "allocation 2" (1024 bytes), while a copy to the device in stream 1 reads it
MISTAKE(write_source)
{
	cudaStream_t s = stream();
	int *d = memory(), *h = pinned();
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpyAsync(d, h, BYTES, cudaMemcpyHostToDevice, s)); // here
	seen = h[3]; // reading it is allowed
	if (!wrong)
		OK(cudaStreamSynchronize(s));
	h[3] = 9; // here
	OK(cudaStreamSynchronize(s));
	OK(cudaFreeHost(h));
	OK(cudaFree(d));
	OK(cudaStreamDestroy(s));
}

//! host-race
//= the host reads byte 4 of "allocation 1" (1024 bytes), while kernel add in the default stream may use it
MISTAKE(managed_while_kernel)
{
	int *m;
	OK(cudaMallocManaged(&m, BYTES));
	std::memset(m, 0, BYTES);
	add<<<1, N>>>(m, 5, N); // here
	if (!wrong)
		OK(cudaDeviceSynchronize());
	seen = m[1]; // here
	OK(cudaDeviceSynchronize());
	OK(cudaFree(m));
}

//! host-race
//= while kernel add in stream 1 may use it
MISTAKE(managed_after_other_stream)
{
	cudaStream_t s = stream(), t = stream();
	int *m;
	OK(cudaMallocManaged(&m, BYTES));
	std::memset(m, 0, BYTES);
	add<<<1, N, 0, s>>>(m, 5, N); // here
	OK(cudaStreamSynchronize(wrong ? t : s));
	m[1]++; // here
	OK(cudaDeviceSynchronize());
	OK(cudaFree(m));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
}

//! stream-race
//= kernel add in stream 1 writes "allocation 1", bytes 0 to 1023, while a copy to the device from pageable memory in the default stream writes them
MISTAKE(pageable_copy)
{
	cudaStream_t s = stream();
	int *d = memory(), h[N] = {1};
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(d, h, BYTES, cudaMemcpyHostToDevice)); // here
	if (!wrong)
		OK(cudaStreamSynchronize(0));
	add<<<1, N, 0, s>>>(d, 5, N); // here
	OK(cudaDeviceSynchronize());
	OK(cudaFree(d));
	OK(cudaStreamDestroy(s));
}

//! stream-race
//= while a fill in the default stream
MISTAKE(fill_of_default_stream)
{
	cudaStream_t s = stream();
	int *d;
	OK(cudaMalloc(&d, BYTES));
	OK(cudaMemset(d, 0, BYTES)); // here
	if (!wrong)
		OK(cudaDeviceSynchronize());
	add<<<1, N, 0, s>>>(d, 5, N); // here
	OK(cudaDeviceSynchronize());
	OK(cudaFree(d));
	OK(cudaStreamDestroy(s));
}

//! host-access
//~ ENDS
//= the host reads memory of the device as its own
MISTAKE(device_read)
{
	int *d = memory(), h[N];
	if (wrong)
		seen = d[2]; // here
	OK(cudaMemcpy(h, d, BYTES, cudaMemcpyDeviceToHost));
	OK(cudaFree(d));
}

//! host-access
//~ ENDS
//= the host writes memory of the device as its own
MISTAKE(device_write)
{
	int *d = memory(), v = 1;
	if (wrong)
		d[2] = v; // here
	OK(cudaMemcpy(d + 2, &v, sizeof v, cudaMemcpyHostToDevice));
	OK(cudaFree(d));
}

static void reads(void *p) { seen = *(volatile int *)p; }

//! host-race
//= the host reads byte 0 of "allocation 2" (1024 bytes), while a copy to the host in stream 1 writes it
MISTAKE(function_elsewhere)
{
	cudaStream_t s = stream(), t = stream();
	int *d = memory(), *h = pinned();
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s)); // here
	OK(cudaLaunchHostFunc(wrong ? t : s, reads, h));
	OK(cudaDeviceSynchronize());
	OK(cudaFreeHost(h));
	OK(cudaFree(d));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
}

static void CUDART_CB called(cudaStream_t, cudaError_t, void *p) { seen = *(volatile int *)p; }

//! host-race
//= while kernel add in stream 1 may use it
MISTAKE(callback_managed)
{
	cudaStream_t s = stream(), t = stream();
	int *m;
	OK(cudaMallocManaged(&m, BYTES));
	std::memset(m, 0, BYTES);
	add<<<1, N, 0, s>>>(m, 5, N); // here
	OK(cudaStreamAddCallback(wrong ? t : s, called, m, 0));
	OK(cudaDeviceSynchronize());
	OK(cudaFree(m));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
}

// ---- streams and events ----

//! stream-race
//= kernel add in stream 2 writes
//= while kernel add in stream 1 writes them
MISTAKE(streams)
{
	cudaStream_t s = stream(0), t = stream(0);
	int *d = memory();
	add<<<1, N, 0, s>>>(d, 1, N); // here
	add<<<1, N, 0, wrong ? t : s>>>(d, 1, N); // here
	OK(cudaDeviceSynchronize());
	OK(cudaFree(d));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
}

//! stream-race
//= a copy to the host in the default stream reads "allocation 1", bytes 0 to 1023, while kernel add in stream 1 writes them
MISTAKE(default_stream)
{
	cudaStream_t s = stream();
	int *d = memory(), h[N];
	OK(cudaDeviceSynchronize());
	add<<<1, N, 0, s>>>(d, 1, N); // here
	if (!wrong)
		OK(cudaStreamSynchronize(s));
	OK(cudaMemcpy(h, d, BYTES, cudaMemcpyDeviceToHost)); // here
	OK(cudaFree(d));
	OK(cudaStreamDestroy(s));
}

//! stream-race
//= waits here for an event that was not recorded before
MISTAKE(wait_before_record)
{
	cudaStream_t s = stream(), t = stream();
	cudaEvent_t e;
	int *d = memory();
	OK(cudaDeviceSynchronize());
	OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
	if (wrong)
		OK(cudaStreamWaitEvent(t, e, 0)); // here
	add<<<1, N, 0, s>>>(d, 1, N); // here
	OK(cudaEventRecord(e, s));
	if (!wrong)
		OK(cudaStreamWaitEvent(t, e, 0));
	add<<<1, N, 0, t>>>(d, 1, N); // here
	OK(cudaDeviceSynchronize());
	OK(cudaFree(d));
	OK(cudaEventDestroy(e));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
}

//! stream-race
//= while kernel add in stream 1 writes them
MISTAKE(record_too_early)
{
	cudaStream_t s = stream(), t = stream();
	cudaEvent_t e;
	int *d = memory();
	OK(cudaDeviceSynchronize());
	OK(cudaEventCreate(&e));
	if (wrong)
		OK(cudaEventRecord(e, s));
	add<<<1, N, 0, s>>>(d, 1, N); // here
	if (!wrong)
		OK(cudaEventRecord(e, s));
	OK(cudaStreamWaitEvent(t, e, 0));
	add<<<1, N, 0, t>>>(d, 1, N); // here
	OK(cudaDeviceSynchronize());
	OK(cudaFree(d));
	OK(cudaEventDestroy(e));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
}

//! stream-race
//= while kernel add in stream 1 writes them
MISTAKE(record_elsewhere)
{
	cudaStream_t s = stream(), t = stream();
	cudaEvent_t e;
	int *d = memory();
	OK(cudaDeviceSynchronize());
	OK(cudaEventCreate(&e));
	add<<<1, N, 0, s>>>(d, 1, N); // here
	OK(cudaEventRecord(e, wrong ? t : s));
	OK(cudaStreamWaitEvent(t, e, 0));
	add<<<1, N, 0, t>>>(d, 1, N); // here
	OK(cudaDeviceSynchronize());
	OK(cudaFree(d));
	OK(cudaEventDestroy(e));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
}

//! bad-handle
//= cudaStreamDestroy returns 400 (cudaErrorInvalidResourceHandle): the handle is no stream, or one that was destroyed
MISTAKE(stream_twice)
{
	cudaStream_t s = stream();
	OK(cudaStreamDestroy(s));
	if (wrong)
		cudaStreamDestroy(s); // here
}

//! bad-handle
//= cudaEventDestroy returns 400 (cudaErrorInvalidResourceHandle): the handle is no event, or one that was destroyed
MISTAKE(event_twice)
{
	cudaEvent_t e;
	OK(cudaEventCreate(&e));
	OK(cudaEventDestroy(e));
	if (wrong)
		cudaEventDestroy(e); // here
}

//! bad-handle
//= cudaLaunchKernel returns 400 (cudaErrorInvalidResourceHandle): the handle is no stream
MISTAKE(stream_destroyed)
{
	cudaStream_t s = stream();
	int *d = memory();
	OK(cudaDeviceSynchronize());
	if (wrong)
		OK(cudaStreamDestroy(s));
	add<<<1, N, 0, s>>>(d, 1, N); // here
	EXPECT(cudaGetLastError() == (wrong ? cudaErrorInvalidResourceHandle : cudaSuccess));
	if (!wrong)
		OK(cudaStreamDestroy(s));
	OK(cudaFree(d));
}

//! bad-handle
//= cudaStreamWaitEvent returns 400 (cudaErrorInvalidResourceHandle)
MISTAKE(event_destroyed)
{
	cudaStream_t s = stream();
	cudaEvent_t e;
	OK(cudaEventCreate(&e));
	OK(cudaEventRecord(e, s));
	if (wrong)
		OK(cudaEventDestroy(e));
	cudaStreamWaitEvent(0, e, 0); // here
	if (!wrong)
		OK(cudaEventDestroy(e)); // the stream still waits for it
	OK(cudaStreamDestroy(s));
}

//! bad-handle
//= cudaEventElapsedTime returns 400 (cudaErrorInvalidResourceHandle)
MISTAKE(event_without_time)
{
	cudaEvent_t from, to;
	float ms;
	OK(cudaEventCreateWithFlags(&from, wrong ? cudaEventDisableTiming : cudaEventDefault));
	OK(cudaEventCreate(&to));
	OK(cudaEventRecord(from));
	OK(cudaEventRecord(to));
	OK(cudaEventSynchronize(to));
	cudaEventElapsedTime(&ms, from, to); // here
	OK(cudaEventDestroy(from));
	OK(cudaEventDestroy(to));
}

//! bad-handle
//= cudaEventElapsedTime returns 400 (cudaErrorInvalidResourceHandle)
MISTAKE(event_not_recorded)
{
	cudaEvent_t from, to;
	float ms;
	OK(cudaEventCreate(&from));
	OK(cudaEventCreate(&to));
	OK(cudaEventRecord(from));
	if (!wrong)
		OK(cudaEventRecord(to));
	OK(cudaEventSynchronize(to));
	cudaEventElapsedTime(&ms, from, to); // here
	OK(cudaEventDestroy(from));
	OK(cudaEventDestroy(to));
}
