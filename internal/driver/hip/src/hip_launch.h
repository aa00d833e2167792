/* Launches. The driver library copies arguments by the layout that the metadata of the code object gives; the server fills
   the arguments that the runtime owes a kernel. */

/* ---- the configuration between the brackets of a launch ---- */

struct configuration { struct dim3 grid, block; size_t shared; void *stream; unsigned char *arguments; size_t used; };

enum { NESTED = 16, ARGUMENTS = 4096 };

static __thread struct configuration configurations[NESTED];
static __thread int configured;

HIP(__hipPushCallConfiguration)(struct dim3 grid, struct dim3 block, size_t shared, void *stream)
{
	if (configured == NESTED)
		return done(hipErrorOutOfMemory);
	configurations[configured++] = (struct configuration){ .grid = grid, .block = block, .shared = shared, .stream = stream };
	return hipSuccess;
}

HIP(__hipPopCallConfiguration)(struct dim3 *grid, struct dim3 *block, size_t *shared, void **stream)
{
	struct configuration *c;
	if (configured == 0)
		return done(52); /* hipErrorMissingConfiguration */
	c = &configurations[--configured];
	*grid = c->grid, *block = c->block, *shared = c->shared, *stream = c->stream;
	return hipSuccess;
}

/* The older way: hipConfigureCall, hipSetupArgument for each argument, hipLaunchByPtr. */
HIP(hipConfigureCall)(struct dim3 grid, struct dim3 block, size_t shared, void *stream) { return __hipPushCallConfiguration(grid, block, shared, stream); }

HIP(hipSetupArgument)(const void *argument, size_t size, size_t offset)
{
	struct configuration *c = configured ? &configurations[configured - 1] : NULL;
	if (!c)
		return done(52);
	if (offset > ARGUMENTS || size > ARGUMENTS - offset || (!c->arguments && !(c->arguments = calloc(1, ARGUMENTS))))
		return done(hipErrorInvalidValue);
	memcpy(c->arguments + offset, argument, size);
	if (offset + size > c->used)
		c->used = offset + size;
	return hipSuccess;
}

/* ---- launches ---- */

/* launch launches a kernel by its handle. extra is a list as HIP has it, which ends with 3. */
static int launch(void *f, struct dim3 grid, struct dim3 block, size_t shared, void *stream, int cooperative, void **params, void **extra)
{
	void *list[5] = { 0 };
	if (!f)
		return hipErrorInvalidHandle;
	if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0)
		return hipErrorInvalidConfiguration;
	if (shared > 0xffffffff)
		return hipErrorInvalidValue;
	if (extra && params)
		return hipErrorInvalidValue;
	for (int i = 0; extra && extra[i] != (void *)3; i += 2) {
		if (i == 4 || !extra[i])
			return hipErrorInvalidValue;
		list[i] = extra[i], list[i + 1] = extra[i + 1];
	}
	if (cooperative)
		return status(CU(cuLaunchCooperativeKernel)(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, (uint32_t)shared, stream, params));
	return status(CU(cuLaunchKernel)(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, (uint32_t)shared, stream, params, extra ? list : NULL));
}

/* launch_stub launches a kernel by the address of its stub. */
static int launch_stub(const void *stub, struct dim3 grid, struct dim3 block, void **args, size_t shared, void *stream, int cooperative)
{
	void *f;
	int e = function_of(stub, &f);
	return e ? e : launch(f, grid, block, shared, stream, cooperative, args, NULL);
}

HIP(hipLaunchKernel)(const void *stub, struct dim3 grid, struct dim3 block, void **args, size_t shared, void *stream)
{
	ENTER();
	return done(launch_stub(stub, grid, block, args, shared, stream, 0));
}

#define PER_THREAD(stream) ((stream) ? (stream) : (void *)2)

HIP(hipLaunchKernel_spt)(const void *stub, struct dim3 grid, struct dim3 block, void **args, size_t shared, void *stream)
{
	return hipLaunchKernel(stub, grid, block, args, shared, PER_THREAD(stream));
}

HIP(hipLaunchCooperativeKernel)(const void *stub, struct dim3 grid, struct dim3 block, void **args, uint32_t shared, void *stream)
{
	ENTER();
	return done(launch_stub(stub, grid, block, args, shared, stream, 1));
}

HIP(hipLaunchCooperativeKernel_spt)(const void *stub, struct dim3 grid, struct dim3 block, void **args, uint32_t shared, void *stream)
{
	return hipLaunchCooperativeKernel(stub, grid, block, args, shared, PER_THREAD(stream));
}

HIP(hipLaunchByPtr)(const void *stub)
{
	struct configuration c;
	void *f, *extra[5];
	int e;
	ENTER();
	if (configured == 0)
		return done(52);
	c = configurations[--configured];
	extra[0] = (void *)1, extra[1] = c.arguments, extra[2] = (void *)2, extra[3] = &c.used, extra[4] = (void *)3;
	if (!(e = function_of(stub, &f)))
		e = launch(f, c.grid, c.block, c.shared, c.stream, 0, NULL, c.arguments ? extra : NULL);
	free(c.arguments);
	configurations[configured].arguments = NULL;
	return done(e);
}

/* between launches a kernel between two events. */
static int between(void *begin, void *end, void *stream, int e)
{
	(void)begin;
	return !e && end ? status(CU(cuEventRecord)(end, stream)) : e;
}

HIP(hipExtLaunchKernel)(const void *stub, struct dim3 grid, struct dim3 block, void **args, size_t shared, void *stream, void *begin, void *end, int flags)
{
	int e;
	ENTER();
	(void)flags;
	if (begin && (e = CU(cuEventRecord)(begin, stream)))
		RETURN(e);
	return done(between(begin, end, stream, launch_stub(stub, grid, block, args, shared, stream, 0)));
}

HIP(hipModuleLaunchKernel)(void *f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz, uint32_t shared, void *stream, void **params, void **extra)
{
	ENTER();
	return done(launch(f, (struct dim3){ gx, gy, gz }, (struct dim3){ bx, by, bz }, shared, stream, 0, params, extra));
}

HIP(hipModuleLaunchCooperativeKernel)(void *f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz, uint32_t shared, void *stream, void **params)
{
	ENTER();
	return done(launch(f, (struct dim3){ gx, gy, gz }, (struct dim3){ bx, by, bz }, shared, stream, 1, params, NULL));
}

/* hipExtModuleLaunchKernel counts threads instead of blocks. */
HIP(hipExtModuleLaunchKernel)(void *f, uint32_t x, uint32_t y, uint32_t z, uint32_t bx, uint32_t by, uint32_t bz, size_t shared, void *stream, void **params, void **extra, void *begin, void *end, uint32_t flags)
{
	int e;
	ENTER();
	(void)flags;
	if (bx == 0 || by == 0 || bz == 0)
		return done(hipErrorInvalidConfiguration);
	if (x % bx || y % by || z % bz)
		UNSUPPORTED("the number of threads is no multiple of the block; a last block with fewer threads does not run");
	if (begin && (e = CU(cuEventRecord)(begin, stream)))
		RETURN(e);
	return done(between(begin, end, stream, launch(f, (struct dim3){ x / bx, y / by, z / bz }, (struct dim3){ bx, by, bz }, shared, stream, 0, params, extra)));
}

/* Functions with names of C++. */
HIP(_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j)(void *f, uint32_t x, uint32_t y, uint32_t z, uint32_t bx, uint32_t by, uint32_t bz, size_t shared, void *stream, void **params, void **extra, void *begin, void *end, uint32_t flags)
{
	return hipExtModuleLaunchKernel(f, x, y, z, bx, by, bz, shared, stream, params, extra, begin, end, flags);
}

HIP(_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_)(void *f, uint32_t x, uint32_t y, uint32_t z, uint32_t bx, uint32_t by, uint32_t bz, size_t shared, void *stream, void **params, void **extra, void *begin, void *end)
{
	return hipExtModuleLaunchKernel(f, x, y, z, bx, by, bz, shared, stream, params, extra, begin, end, 0);
}

/* launch_config is hipLaunchConfig_t; an attribute has 72 bytes. */
struct launch_config { struct dim3 grid, block; size_t shared; void *stream; void *attributes; uint32_t count; };

HIP(hipLaunchKernelExC)(const struct launch_config *c, const void *stub, void **args)
{
	int cooperative = 0;
	ENTER();
	REQUIRE(c);
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t id;
		memcpy(&id, (char *)c->attributes + 72 * i, 4);
		if (id == 2)
			memcpy(&cooperative, (char *)c->attributes + 72 * i + 8, 4);
	}
	return done(launch_stub(stub, c->grid, c->block, args, c->shared, c->stream, cooperative != 0));
}
