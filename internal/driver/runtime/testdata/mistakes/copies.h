// ---- copies and fills ----

//! host-access
//= a copy to the device reads 1024 bytes of the host, but the address is one of the device
MISTAKE(copy_kind)
{
	int *d = memory(), *e = memory();
	cudaMemcpy(e, d, BYTES, wrong ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice); // here
	OK(cudaFree(d));
	OK(cudaFree(e));
}

//! host-access
//= a copy to the host writes 1024 bytes of the host, but the address is one of the device
MISTAKE(copy_exchanged)
{
	int *d = memory(), h[N] = {1};
	if (wrong)
		cudaMemcpy(d, h, BYTES, cudaMemcpyDeviceToHost); // here
	else
		OK(cudaMemcpy(d, h, BYTES, cudaMemcpyHostToDevice));
	OK(cudaFree(d));
}

//! bad-pointer
//= which is no memory of the device
MISTAKE(copy_within_of_host)
{
	int *d = memory(), h[N] = {1};
	cudaMemcpy(d, h, BYTES, wrong ? cudaMemcpyDeviceToDevice : cudaMemcpyDefault); // here
	OK(cudaFree(d));
}

//! refused-call
//= cudaMemcpy returns 1 (cudaErrorInvalidValue)
//= an address is one of the device
MISTAKE(copy_on_host_of_device)
{
	int *d = memory(), h[N];
	cudaMemcpy(h, d, BYTES, wrong ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost); // here
	OK(cudaFree(d));
}

//! refused-call
//= cudaMemcpyAsync returns 21 (cudaErrorInvalidMemcpyDirection)
MISTAKE(copy_of_no_kind)
{
	int *d = memory(), *h = pinned();
	cudaMemcpyAsync(h, d, BYTES, (cudaMemcpyKind)(wrong ? 7 : 2)); // here
	OK(cudaDeviceSynchronize());
	OK(cudaFree(d));
	OK(cudaFreeHost(h));
}

//! copy-out-of-bounds
//= a copy to the device writes 2048 bytes
//= the last 1024 are past its end
MISTAKE(copy_too_long)
{
	int *d = memory(), h[2 * N] = {1};
	cudaMemcpy(d, h, wrong ? sizeof h : BYTES, cudaMemcpyHostToDevice); // here
	OK(cudaFree(d));
}

//! copy-out-of-bounds
//= a copy to the host reads 2048 bytes
MISTAKE(copy_back_too_long)
{
	int *d = memory(), h[2 * N];
	cudaMemcpy(h, d, wrong ? sizeof h : BYTES, cudaMemcpyDeviceToHost); // here
	OK(cudaFree(d));
}

//! copy-out-of-bounds
//= a copy to the device reads 2048 bytes
MISTAKE(pinned_too_short)
{
	int *d, *h = pinned();
	OK(cudaMalloc(&d, 2 * BYTES));
	cudaMemcpy(d, h, (wrong ? 2 : 1) * BYTES, cudaMemcpyHostToDevice); // here
	OK(cudaFreeHost(h));
	OK(cudaFree(d));
}

//! undefined-copy
//= 768 of 1024 bytes that the host reads from "allocation 1" were never written
MISTAKE(copy_of_elements)
{
	int *d, h[N] = {1};
	OK(cudaMalloc(&d, BYTES));
	OK(cudaMemcpy(d, h, wrong ? N : BYTES, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(h, d, BYTES, cudaMemcpyDeviceToHost)); // here
	OK(cudaFree(d));
}

//! undefined-copy
//= 1024 of 1024 bytes
MISTAKE(copy_of_undefined)
{
	int *d, h[N];
	OK(cudaMalloc(&d, BYTES));
	if (!wrong)
		set<<<1, N>>>(d, 1);
	OK(cudaMemcpy(h, d, BYTES, cudaMemcpyDeviceToHost)); // here
	OK(cudaFree(d));
}

//! overlapping-copy
//= reads bytes 0 to 1019
MISTAKE(copy_overlaps)
{
	int *d = memory();
	OK(cudaMemcpy(d + (wrong ? 1 : N / 2), d, wrong ? BYTES - 4 : BYTES / 2, cudaMemcpyDeviceToDevice)); // here
	OK(cudaFree(d));
}

//! refused-call
//= cudaMemcpy2D returns 12 (cudaErrorInvalidPitchValue): a line has 100 bytes, and the pitches are 64 and 100
MISTAKE(copy_of_small_pitch)
{
	size_t pitch;
	char *d, h[8][100] = {};
	OK(cudaMallocPitch(&d, &pitch, 100, 8));
	cudaMemcpy2D(d, wrong ? 64 : pitch, h, 100, 100, 8, cudaMemcpyHostToDevice); // here
	OK(cudaFree(d));
}

//! bad-pointer
//= just past the end of "allocation 1" (4096 bytes)
MISTAKE(copy_of_too_many_lines)
{
	size_t pitch;
	char *d, h[9][100] = {};
	OK(cudaMallocPitch(&d, &pitch, 100, 8));
	cudaMemcpy2D(d, pitch, h, 100, 100, wrong ? 9 : 8, cudaMemcpyHostToDevice); // here
	OK(cudaFree(d));
}

//! bad-pointer
//= just past the end of "allocation 1" (4096 bytes)
MISTAKE(copy_of_too_many_planes)
{
	cudaExtent e = make_cudaExtent(64, 4, 2);
	cudaPitchedPtr d;
	static char h[3 * 4 * 64];
	OK(cudaMalloc3D(&d, e));
	cudaMemcpy3DParms c = {};
	c.srcPtr = make_cudaPitchedPtr(h, 64, 64, 4), c.dstPtr = d, c.extent = make_cudaExtent(64, 4, wrong ? 3 : 2), c.kind = cudaMemcpyHostToDevice;
	cudaMemcpy3D(&c); // here
	OK(cudaFree(d.ptr));
}

//! copy-out-of-bounds
//= a fill
MISTAKE(fill_of_elements)
{
	int *d = memory();
	cudaMemset(d, 0, wrong ? BYTES * sizeof(int) : BYTES); // here
	OK(cudaFree(d));
}

//! bad-pointer
//= a fill
MISTAKE(fill_of_too_many_lines)
{
	size_t pitch;
	char *d;
	OK(cudaMallocPitch(&d, &pitch, 100, 8));
	cudaMemset2D(d, pitch, 0, 100, wrong ? 9 : 8); // here
	OK(cudaFree(d));
}

//! bad-pointer
//= which is no memory of the device
MISTAKE(fill_of_host)
{
	int *d = memory(), h[N];
	cudaMemset(wrong ? h : d, 0, BYTES); // here
	OK(cudaFree(d));
}

// ---- variables ----

//! refused-call
//= cudaMemcpyToSymbol returns 1 (cudaErrorInvalidValue): the copy has 2048 bytes from byte 0 on, and the variable has 1024
MISTAKE(symbol_too_long)
{
	int h[2 * N] = {1};
	cudaMemcpyToSymbol(variable, h, wrong ? sizeof h : sizeof variable); // here
}

//! refused-call
//= cudaMemcpyFromSymbol returns 1 (cudaErrorInvalidValue)
MISTAKE(symbol_offset)
{
	int h[N];
	cudaMemcpyFromSymbol(h, variable, BYTES / 2, wrong ? BYTES : BYTES / 2); // here
}

//! refused-call
//= cudaMemcpyToSymbol returns 21 (cudaErrorInvalidMemcpyDirection)
MISTAKE(symbol_kind)
{
	int h[N] = {1};
	cudaMemcpyToSymbol(variable, h, BYTES, 0, wrong ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice); // here
}

//! bad-pointer
//= which is no memory of the device
MISTAKE(symbol_as_pointer)
{
	int h[N] = {1};
	void *p;
	OK(cudaGetSymbolAddress(&p, variable));
	cudaMemcpy(wrong ? (void *)&variable : p, h, BYTES, cudaMemcpyHostToDevice); // here
}

static int of_host[N];

//! refused-call
//= cudaGetSymbolAddress returns 13 (cudaErrorInvalidSymbol)
MISTAKE(symbol_of_host)
{
	void *p;
	if (wrong)
		cudaGetSymbolAddress(&p, of_host); // here
	else
		OK(cudaGetSymbolAddress(&p, variable));
}
