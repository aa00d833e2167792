// ---- launches ----

//! refused-call
//= cudaLaunchKernel returns 9 (cudaErrorInvalidConfiguration): a dimension of the grid or the block is 0 or too large
MISTAKE(empty_grid)
{
	int *d = memory();
	add<<<wrong ? 0 : 1, N>>>(d, 1, N); // here
	EXPECT(cudaPeekAtLastError() == (wrong ? cudaErrorInvalidConfiguration : cudaSuccess));
	EXPECT(cudaGetLastError() == (wrong ? cudaErrorInvalidConfiguration : cudaSuccess));
	EXPECT(cudaGetLastError() == cudaSuccess);
	OK(cudaFree(d));
}

//! refused-call
//= cudaLaunchKernel returns 9 (cudaErrorInvalidConfiguration)
MISTAKE(large_block)
{
	int *d = memory();
	add<<<1, wrong ? 2048 : 1024>>>(d, 1, N); // here
	cudaGetLastError();
	OK(cudaFree(d));
}

//! refused-call
//= cudaLaunchKernel returns 9 (cudaErrorInvalidConfiguration)
MISTAKE(high_grid)
{
	int *d = memory();
	add<<<dim3(1, wrong ? 65536 : 2), N>>>(d, 1, 0); // here
	cudaGetLastError();
	OK(cudaFree(d));
}

// The error of a launch that was not looked at is that of a later one, which is right.
//! refused-call
//= cudaLaunchKernel returns 9 (cudaErrorInvalidConfiguration)
MISTAKE(stale_error)
{
	int *d = memory();
	add<<<1, wrong ? 4096 : N>>>(d, 1, N); // here
	add<<<1, N>>>(d, 1, N);
	OK(cudaDeviceSynchronize());
	EXPECT(cudaPeekAtLastError() == cudaGetLastError());
	EXPECT(cudaGetLastError() == cudaSuccess);
	OK(cudaFree(d));
}

//! refused-call
//= cudaLaunchKernel returns 1 (cudaErrorInvalidValue): the launch has more dynamic shared memory than the kernel allows
MISTAKE(shared_memory)
{
	int *d = memory();
	if (!wrong)
		OK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000));
	dynamic<<<1, N, 50000>>>(d); // here
	cudaGetLastError();
	OK(cudaFree(d));
}

//! refused-call
//= cudaFuncSetAttribute returns 1 (cudaErrorInvalidValue): a block cannot have as much dynamic shared memory
MISTAKE(shared_memory_of_device)
{
	cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, wrong ? 1 << 20 : 60000); // here
}

__global__ __launch_bounds__(64) void bounded(int *data) { data[threadIdx.x] = 1; }

//! refused-call
//= cudaLaunchKernel returns 1 (cudaErrorInvalidValue): the block has more threads than the kernel allows
MISTAKE(launch_bounds)
{
	int *d = memory();
	bounded<<<1, wrong ? 128 : 64>>>(d); // here
	cudaGetLastError();
	OK(cudaFree(d));
}

//! refused-call
//= cudaLaunchKernel returns 1 (cudaErrorInvalidValue): the launch has no parameters, or too few
MISTAKE(no_parameters)
{
	int *d = memory(), v = 1, n = N;
	void *list[] = {&d, &v, &n};
	cudaLaunchKernel(add, dim3(1), dim3(N), wrong ? nullptr : list); // here
	OK(cudaFree(d));
}

void no_kernel(int *) {}

//! refused-call
//= cudaLaunchKernel returns 98 (cudaErrorInvalidDeviceFunction)
MISTAKE(launch_of_host_function)
{
	int *d = memory(), v = 1, n = N;
	void *list[] = {&d, &v, &n};
	cudaLaunchKernel(wrong ? (const void *)no_kernel : (const void *)add, dim3(1), dim3(N), list, 0, 0); // here
	OK(cudaFree(d));
}

//! refused-call
//= cudaLaunchKernelExC returns 9 (cudaErrorInvalidConfiguration)
MISTAKE(launch_with_config)
{
	int *d = memory();
	cudaLaunchConfig_t config = {};
	config.gridDim = 1, config.blockDim = wrong ? 1025 : 1024;
	cudaLaunchKernelEx(&config, add, d, 1, (int)N); // here
	OK(cudaFree(d));
}

__global__ void together(int *data)
{
	cooperative_groups::this_grid().sync(); // [together]
	if (threadIdx.x == 0)
		atomicAdd(data, 1);
}

//! refused-call
//= 100000 blocks are to be in flight together
MISTAKE(cooperative_too_large)
{
	int *d = memory();
	void *list[] = {&d};
	cudaLaunchCooperativeKernel(together, dim3(wrong ? 100000 : 2), dim3(N), list); // here
	cudaGetLastError();
	OK(cudaDeviceSynchronize());
	OK(cudaFree(d));
}

// ---- graphs ----

static void end_capture(cudaStream_t s)
{
	cudaGraph_t graph = nullptr;
	cudaStreamEndCapture(s, &graph);
	if (graph)
		OK(cudaGraphDestroy(graph));
}

//! refused-call
//= cudaDeviceSynchronize returns 900 (cudaErrorStreamCaptureUnsupported): a stream is being captured
MISTAKE(capture_waits)
{
	cudaStream_t s = stream();
	int *d = memory();
	OK(cudaDeviceSynchronize());
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	add<<<1, N, 0, s>>>(d, 1, N);
	if (wrong)
		cudaDeviceSynchronize(); // here
	end_capture(s);
	OK(cudaDeviceSynchronize());
	OK(cudaStreamDestroy(s));
	OK(cudaFree(d));
}

//! refused-call
//= cudaMalloc returns 900 (cudaErrorStreamCaptureUnsupported)
MISTAKE(capture_allocates)
{
	cudaStream_t s = stream();
	int *d = nullptr;
	if (!wrong)
		d = memory();
	OK(cudaDeviceSynchronize());
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	if (wrong)
		cudaMalloc(&d, BYTES); // here
	end_capture(s);
	OK(cudaFree(d));
	OK(cudaStreamDestroy(s));
}

//! refused-call
//= cudaLaunchKernel returns 906 (cudaErrorStreamCaptureImplicit): a call in the default stream would wait for a stream that is being captured
MISTAKE(capture_default)
{
	cudaStream_t s = stream(wrong ? cudaStreamDefault : cudaStreamNonBlocking);
	int *d = memory();
	OK(cudaDeviceSynchronize());
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	add<<<1, N>>>(d, 1, N); // here
	end_capture(s);
	cudaGetLastError();
	OK(cudaDeviceSynchronize());
	OK(cudaStreamDestroy(s));
	OK(cudaFree(d));
}

//! refused-call
//= cudaStreamEndCapture returns 904 (cudaErrorStreamCaptureUnjoined): streams that joined the capture are not joined again
MISTAKE(capture_unjoined)
{
	cudaStream_t s = stream(), t = stream();
	cudaEvent_t fork, join;
	int *d = memory();
	OK(cudaDeviceSynchronize());
	OK(cudaEventCreate(&fork));
	OK(cudaEventCreate(&join));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	OK(cudaEventRecord(fork, s));
	OK(cudaStreamWaitEvent(t, fork, 0));
	add<<<1, N, 0, t>>>(d, 1, N);
	OK(cudaEventRecord(join, t));
	if (!wrong)
		OK(cudaStreamWaitEvent(s, join, 0));
	end_capture(s); // here
	OK(cudaEventDestroy(fork));
	OK(cudaEventDestroy(join));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
	OK(cudaFree(d));
}

//! refused-call
//= cudaEventSynchronize returns 907 (cudaErrorCapturedEvent)
MISTAKE(capture_event_waited_for)
{
	cudaStream_t s = stream();
	cudaEvent_t e;
	int *d = memory();
	OK(cudaDeviceSynchronize());
	OK(cudaEventCreate(&e));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	add<<<1, N, 0, s>>>(d, 1, N);
	if (wrong) {
		OK(cudaEventRecord(e, s));
		cudaEventSynchronize(e); // here
	}
	end_capture(s);
	OK(cudaEventDestroy(e));
	OK(cudaStreamDestroy(s));
	OK(cudaFree(d));
}

// graph_of makes a graph of two kernels that add to the same memory.
static cudaGraph_t graph_of(int *d, bool edge)
{
	cudaGraph_t graph;
	cudaGraphNode_t a, b;
	int v = 1, n = N;
	void *list[] = {&d, &v, &n};
	cudaKernelNodeParams p = {};
	p.func = (void *)add, p.gridDim = dim3(1), p.blockDim = dim3(N), p.kernelParams = list;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddKernelNode(&a, graph, nullptr, 0, &p)); // [first node]
	OK(cudaGraphAddKernelNode(&b, graph, &a, edge ? 1 : 0, &p)); // [second node]
	return graph;
}

//! stream-race
//= kernel add
MISTAKE(graph_edge)
{
	cudaStream_t s = stream();
	int *d = memory();
	cudaGraph_t graph = graph_of(d, !wrong);
	cudaGraphExec_t exec;
	OK(cudaDeviceSynchronize());
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, s)); // here
	OK(cudaStreamSynchronize(s));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaFree(d));
	OK(cudaStreamDestroy(s));
}

//! refused-call
//= cudaGraphLaunch returns 1 (cudaErrorInvalidValue): the handle is no executable graph, or one that was destroyed
MISTAKE(graph_destroyed)
{
	cudaStream_t s = stream();
	int *d = memory();
	cudaGraph_t graph = graph_of(d, true);
	cudaGraphExec_t exec;
	OK(cudaDeviceSynchronize());
	OK(cudaGraphInstantiate(&exec, graph, 0));
	if (wrong)
		OK(cudaGraphExecDestroy(exec));
	cudaGraphLaunch(exec, s); // here
	OK(cudaStreamSynchronize(s));
	if (!wrong)
		OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaFree(d));
	OK(cudaStreamDestroy(s));
}

//! use-after-free
//< add
//= "allocation 1" (1024 bytes), which was freed
MISTAKE(graph_after_free)
{
	cudaStream_t s = stream();
	int *d = memory();
	cudaGraph_t graph = graph_of(d, true);
	cudaGraphExec_t exec;
	OK(cudaDeviceSynchronize());
	OK(cudaGraphInstantiate(&exec, graph, 0));
	if (wrong)
		OK(cudaFree(d)); // here
	cudaGraphLaunch(exec, s); // here
	cudaStreamSynchronize(s);
	cudaGraphExecDestroy(exec);
	cudaGraphDestroy(graph);
	if (!wrong)
		OK(cudaFree(d));
	cudaStreamDestroy(s);
}

//! host-race
//= the host reads byte 0 of "allocation 2"
MISTAKE(graph_read_early)
{
	cudaStream_t s = stream();
	int *d = memory(), *h = pinned();
	cudaGraph_t graph;
	cudaGraphNode_t node;
	cudaGraphExec_t exec;
	OK(cudaDeviceSynchronize());
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, h, d, BYTES, cudaMemcpyDeviceToHost));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, s)); // here
	if (!wrong)
		OK(cudaStreamSynchronize(s));
	seen = h[0]; // here
	OK(cudaStreamSynchronize(s));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaFreeHost(h));
	OK(cudaFree(d));
	OK(cudaStreamDestroy(s));
}

static cudaError_t add_edge(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to)
{
#if CUDART_VERSION >= 13000
	return cudaGraphAddDependencies(graph, &from, &to, nullptr, 1);
#else
	return cudaGraphAddDependencies(graph, &from, &to, 1);
#endif
}

//! refused-call
//= cudaGraphInstantiate returns 1 (cudaErrorInvalidValue): the edges of the graph are a circle
MISTAKE(graph_cycle)
{
	cudaGraph_t graph;
	cudaGraphNode_t a, b;
	cudaGraphExec_t exec;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddEmptyNode(&a, graph, nullptr, 0));
	OK(cudaGraphAddEmptyNode(&b, graph, &a, 1));
	if (wrong)
		OK(add_edge(graph, b, a));
	if (cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess) // here
		OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
}
