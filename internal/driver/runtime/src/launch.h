/* Launches, and what is asked about kernels. */

/* ---- the configuration of <<<>>>: each thread has a stack of them ---- */

struct configuration { size3 grid, block; size_t shared; void *stream; };

enum { MOST_CONFIGURATIONS = 64 };

static __thread struct configuration configurations[MOST_CONFIGURATIONS];
static __thread int configuration_count;

API uint32_t __cudaPushCallConfiguration(size3 grid, size3 block, size_t shared, void *stream)
{
	struct configuration *c = &configurations[configuration_count];
	if (configuration_count == MOST_CONFIGURATIONS)
		return (uint32_t)fail(INVALID_CONFIGURATION);
	c->grid = grid, c->block = block, c->shared = shared, c->stream = stream;
	configuration_count++;
	return SUCCESS;
}

API int __cudaPopCallConfiguration(size3 *grid, size3 *block, size_t *shared, void *stream)
{
	const struct configuration *c;
	if (configuration_count == 0)
		return fail(MISSING_CONFIGURATION);
	c = &configurations[--configuration_count];
	*grid = c->grid, *block = c->block, *shared = c->shared;
	*(void **)stream = c->stream;
	return SUCCESS;
}

/* ---- launches ---- */

/* fits reports whether the device can have such a grid and block at all. */
static int fits(size3 grid, size3 block)
{
	static int32_t most[7]; /* threads of a block, sizes of a block, sizes of a grid: the attributes 1 to 7 */
	uint64_t threads = (uint64_t)block.x * block.y * block.z;
	if (!__atomic_load_n(&most[0], __ATOMIC_ACQUIRE)) {
		for (int i = 6; i >= 0; i--) {
			int32_t v = 0;
			if (cuDeviceGetAttribute(&v, (uint32_t)i + 1, 0))
				return 1;
			__atomic_store_n(&most[i], v, __ATOMIC_RELEASE);
		}
	}
	return grid.x && grid.y && grid.z && block.x && block.y && block.z && threads <= (uint64_t)most[0] &&
		block.x <= (uint32_t)most[1] && block.y <= (uint32_t)most[2] && block.z <= (uint32_t)most[3] &&
		grid.x <= (uint32_t)most[4] && grid.y <= (uint32_t)most[5] && grid.z <= (uint32_t)most[6];
}

/* too_large and no_kernel return the errors of a launch. */
static int too_large(size3 grid, size3 block)
{
	return refused(INVALID_CONFIGURATION, "a dimension of the grid or the block is 0 or too large: the grid is (%u,%u,%u), the block (%u,%u,%u)", grid.x, grid.y, grid.z, block.x, block.y, block.z);
}

static int no_kernel(int e) { return e == INVALID_DEVICE_FUNCTION ? refused(e, "the function is no kernel that the program has registered, or its PTX lacks the kernel") : fail(e); }

static int launch(const void *func, size3 grid, size3 block, void **args, size_t shared, void *stream, int cooperative)
{
	void *kernel;
	int e;
	ENTER();
	if ((e = kernel_of(func, &kernel)))
		return no_kernel(e);
	if (shared > UINT32_MAX)
		return refused(INVALID_VALUE, "the launch has %zu bytes of dynamic shared memory", shared);
	if (!fits(grid, block))
		return too_large(grid, block);
	e = cooperative ? cuLaunchCooperativeKernel(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, (uint32_t)shared, stream, args)
	                : cuLaunchKernel(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, (uint32_t)shared, stream, args, NULL);
	return fail(e);
}

API int cudaLaunchKernel(const void *func, size3 grid, size3 block, void **args, size_t shared, void *stream) { return launch(func, grid, block, args, shared, stream, 0); }
API int cudaLaunchKernel_ptsz(const void *func, size3 grid, size3 block, void **args, size_t shared, void *stream) { return launch(func, grid, block, args, shared, OWN(stream), 0); }
API int cudaLaunchCooperativeKernel(const void *func, size3 grid, size3 block, void **args, size_t shared, void *stream) { return launch(func, grid, block, args, shared, stream, 1); }
API int cudaLaunchCooperativeKernel_ptsz(const void *func, size3 grid, size3 block, void **args, size_t shared, void *stream) { return launch(func, grid, block, args, shared, OWN(stream), 1); }

static int launch_with(const struct launch_config *config, const void *func, void **args, int own)
{
	struct launch_config c;
	void *kernel;
	int e;
	ENTER();
	WANT(config);
	if ((e = kernel_of(func, &kernel)))
		return no_kernel(e);
	c = *config;
	if (!fits(c.grid, c.block))
		return too_large(c.grid, c.block);
	if (c.shared > UINT32_MAX)
		return refused(INVALID_VALUE, "the launch has %zu bytes of dynamic shared memory", c.shared);
	if (own)
		c.stream = OWN(c.stream);
	return fail(cuLaunchKernelEx(&c, kernel, args, NULL)); /* CUlaunchConfig has the same members */
}

API int cudaLaunchKernelExC(const struct launch_config *config, const void *func, void **args) { return launch_with(config, func, args, 0); }
API int cudaLaunchKernelExC_ptsz(const struct launch_config *config, const void *func, void **args) { return launch_with(config, func, args, 1); }

#if CUDART_MAJOR >= 12
API int cudaGetKernel(void **kernel, const void *func) { WANT(kernel); ENTER(); return fail(kernel_of(func, kernel)); }

/* __cudaGetKernel is called once, by the first launch. A kernel that cannot be loaded keeps the address of its stub as its
   handle, so each launch returns the error. */
API int __cudaGetKernel(void **kernel, const void *func)
{
	int e = enter();
	void *found;
	WANT(kernel);
	if (!e)
		e = kernel_of(func, &found);
	*kernel = (void *)func;
	return fail(e) ? e : SUCCESS;
}

API int __cudaLaunchKernel(void *kernel, size3 grid, size3 block, void **args, size_t shared, void *stream) { return launch(kernel, grid, block, args, shared, stream, 0); }
API int __cudaLaunchKernel_ptsz(void *kernel, size3 grid, size3 block, void **args, size_t shared, void *stream) { return launch(kernel, grid, block, args, shared, OWN(stream), 0); }
#endif
API int cudaGetFuncBySymbol(void **function, const void *symbol) { void *kernel; int e; WANT(function); ENTER(); if (!(e = kernel_of(symbol, &kernel))) e = cuKernelGetFunction(function, kernel); return fail(e); }

/* ---- attributes ---- */

#define KERNEL(k, func) void *k; do { int e_; ENTER(); if ((e_ = kernel_of(func, &k))) return fail(e_); } while (0)

API int cudaFuncGetAttributes(struct function_attributes *out, const void *func)
{
	int32_t v[16];
	int e;
	KERNEL(kernel, func);
	WANT(out);
	for (uint32_t i = 0; i < 16; i++)
		if (i < 10 || CUDART_MAJOR >= 12)
			if ((e = cuKernelGetAttribute(&v[i], i, kernel, 0)))
				return fail(e);
	memset(out, 0, sizeof *out);
	out->max_threads = v[0], out->shared = (size_t)v[1], out->constant = (size_t)v[2], out->local = (size_t)v[3];
	out->registers = v[4], out->ptx_version = v[5], out->binary_version = v[6], out->cache_mode = v[7];
	out->max_dynamic_shared = v[8], out->carveout = v[9];
#if CUDART_MAJOR >= 12
	out->cluster_must_be_set = v[10];
	memcpy(out->cluster, v + 11, sizeof out->cluster);
	out->nonportable_cluster = v[14], out->cluster_policy = v[15];
#endif
	return SUCCESS;
}

API int cudaFuncSetAttribute(const void *func, uint32_t attribute, int32_t value) { KERNEL(k, func); return fail(cuKernelSetAttribute(attribute, value, k, 0)); }
API int cudaFuncSetCacheConfig(const void *func, uint32_t config) { KERNEL(k, func); return fail(cuFuncSetCacheConfig(k, config)); }
API int cudaFuncSetSharedMemConfig(const void *func, uint32_t config) { KERNEL(k, func); return fail(cuFuncSetSharedMemConfig(k, config)); }
#if CUDART_MAJOR >= 12
API int cudaFuncGetName(const char **name, const void *func) { KERNEL(k, func); WANT(name); return fail(cuKernelGetName(name, k)); }
API int cudaFuncGetParamInfo(const void *func, size_t i, size_t *offset, size_t *size) { KERNEL(k, func); WANT(offset); return fail(cuKernelGetParamInfo(k, i, offset, size)); }
API int cudaKernelSetAttributeForDevice(void *kernel, uint32_t attribute, int32_t value, int32_t device) { DEVICE(device); KERNEL(k, kernel); return fail(cuKernelSetAttribute(attribute, value, k, 0)); }
#endif
#if CUDART_MAJOR >= 13
API int cudaFuncGetParamCount(const void *func, size_t *count) { KERNEL(k, func); WANT(count); return fail(cuKernelGetParamCount(k, count)); }
#endif

/* ---- occupancy ---- */

API int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int32_t *blocks, const void *func, int32_t threads, size_t shared, uint32_t flags) { KERNEL(k, func); WANT(blocks); return fail(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, k, threads, shared, flags)); }
API int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int32_t *blocks, const void *func, int32_t threads, size_t shared) { return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, func, threads, shared, 0); }
API int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func, int32_t blocks, int32_t threads) { KERNEL(k, func); WANT(bytes); return fail(cuOccupancyAvailableDynamicSMemPerBlock(bytes, k, blocks, threads)); }
API int cudaOccupancyMaxActiveClusters(int32_t *clusters, const void *func, const struct launch_config *config) { KERNEL(k, func); WANT(clusters && config); return fail(cuOccupancyMaxActiveClusters(clusters, k, (void *)config)); }
API int cudaOccupancyMaxPotentialClusterSize(int32_t *size, const void *func, const struct launch_config *config) { KERNEL(k, func); WANT(size && config); return fail(cuOccupancyMaxPotentialClusterSize(size, k, (void *)config)); }
