/* Occupancy: how many blocks run at a time, and the sizes of blocks that fill the device. */

static int active_blocks(struct function *f, int32_t lanes, uint64_t shared, int *out)
{
	return EXPORT(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(out, f, lanes, shared, 0);
}

/* cuOccupancyMaxPotentialBlockSizeWithFlags tries all multiples of a warp, and takes the largest size of those that fill
   a multiprocessor best. */
int EXPORT(cuOccupancyMaxPotentialBlockSizeWithFlags)(void *grid, void *block, void *function, void *size_of, uint64_t shared, int32_t limit, uint32_t flags)
{
	struct function *f = function;
	int32_t warp = attributes[10], most, best = 0, lanes;
	int e, blocks, filled = 0;
	WITH_CONTEXT();
	if (!grid || !block || !f || limit < 0 || flags > 1)
		return INVALID_VALUE;
	if ((e = prepare(f)))
		return e;
	most = f->attribute[0];
	if (limit > 0 && limit < most)
		most = limit;
	for (lanes = most; lanes > 0; lanes = lanes % warp ? lanes - lanes % warp : lanes - warp) {
		uint64_t bytes = size_of ? ((size_t (*)(int))size_of)(lanes) : shared;
		if ((e = active_blocks(f, lanes, bytes, &blocks)))
			return e;
		if (blocks * lanes > filled)
			filled = blocks * lanes, best = lanes, *(int *)grid = blocks * attributes[16];
		if (filled >= attributes[39])
			break; /* it cannot be fuller */
	}
	if (!best)
		return INVALID_VALUE;
	*(int *)block = best;
	return SUCCESS;
}

int EXPORT(cuOccupancyMaxPotentialBlockSize)(void *grid, void *block, void *f, void *size_of, uint64_t shared, int32_t limit)
{
	return EXPORT(cuOccupancyMaxPotentialBlockSizeWithFlags)(grid, block, f, size_of, shared, limit, 0);
}

/* cuOccupancyAvailableDynamicSMemPerBlock finds the most bytes with which so many blocks still run at a time, by halving. */
int EXPORT(cuOccupancyAvailableDynamicSMemPerBlock)(void *out, void *function, int32_t want, int32_t lanes)
{
	struct function *f = function;
	uint64_t low = 0, high;
	int e, blocks;
	WITH_CONTEXT();
	if (!out || !f || want < 1 || lanes < 1)
		return INVALID_VALUE;
	if ((e = prepare(f)) || (e = active_blocks(f, lanes, 0, &blocks)))
		return e;
	if (blocks < want)
		return INVALID_VALUE;
	high = (uint64_t)f->attribute[7];
	while (low < high) {
		uint64_t middle = high - (high - low) / 2;
		if ((e = active_blocks(f, lanes, middle, &blocks)))
			return e;
		if (blocks >= want)
			low = middle;
		else
			high = middle - 1;
	}
	*(uint64_t *)out = low;
	return SUCCESS;
}

struct config { uint32_t grid[3], block[3], shared; void *stream, *attributes; uint32_t count; }; /* CUlaunchConfig */

/* cluster_blocks returns how many blocks a cluster of the launch has. */
static uint64_t cluster_blocks(const struct config *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const uint32_t *a = (const uint32_t *)((const unsigned char *)c->attributes + 72 * i);
		if (a[0] == 4)
			return (uint64_t)a[2] * a[3] * a[4];
	}
	return 1;
}

int EXPORT(cuOccupancyMaxActiveClusters)(void *out, void *f, void *config)
{
	struct config *c = config;
	uint64_t size;
	int e, blocks;
	WITH_CONTEXT();
	if (!out || !f || !c)
		return INVALID_VALUE;
	size = cluster_blocks(c);
	if (size > 1 && !attributes[120])
		return NOT_SUPPORTED;
	if (size < 1 || size > 16)
		return INVALID_CLUSTER_SIZE;
	if (!(e = active_blocks(f, (int32_t)(c->block[0] * c->block[1] * c->block[2]), c->shared, &blocks)))
		*(int *)out = (int)((uint64_t)blocks * (uint64_t)attributes[16] / size);
	return e;
}

/* A cluster of 8 blocks is always possible where there are clusters. */
int EXPORT(cuOccupancyMaxPotentialClusterSize)(void *out, void *f, void *config)
{
	WITH_CONTEXT();
	if (!out || !f || !config)
		return INVALID_VALUE;
	*(int *)out = attributes[120] ? 8 : 1;
	return SUCCESS;
}
