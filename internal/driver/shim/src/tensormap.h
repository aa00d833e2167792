/* Tensor maps. The server encodes them, because it has their layout and their rules; a map is 128 bytes of the host. */

enum { MAP_BYTES = 128, MAP_TILED = 0, MAP_IM2COL, MAP_WIDE, MAP_ADDRESS, MAP_CLASS, MAP_MOST = 5 };

/* map_result takes the reply: why the map is refused, or its bytes. */
static int map_result(void *map)
{
	char reason[256];
	uint32_t n;
	const char *text;
	int e = transact();
	reason[0] = 0;
	if (!e) {
		text = get_bytes(&n);
		snprintf(reason, sizeof reason, "%.*s", (int)n, text);
		text = get_bytes(&n);
		if (!reason[0] && n == MAP_BYTES)
			memcpy(map, text, n);
	}
	pthread_mutex_unlock(&lock);
	return e ? e : reason[0] ? refuse(INVALID_VALUE, reason) : SUCCESS;
}

/* map_operands says why operands that every map has cannot be read; NULL: they can. */
static const char *map_operands(void *map, uint32_t rank, const uint64_t *dims, const uint64_t *strides, const uint32_t *steps)
{
	if (!map || (uint64_t)map % 64)
		return "the place for the map is no multiple of 64";
	if (rank < 1 || rank > MAP_MOST)
		return "the rank is outside 1 to 5";
	if (!dims || (!strides && rank > 1) || !steps)
		return "a list of sizes, strides or element strides is NULL";
	return NULL;
}

static void put_list32(const void *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		put32(((const uint32_t *)list)[i]);
}

static void put_map(uint32_t kind, uint32_t type, uint32_t rank, uint64_t address, const uint64_t *dims, const uint64_t *strides)
{
	put32(kind), put32(type), put32(rank), put64(address);
	for (uint32_t i = 0; i < rank; i++)
		put64(dims[i]);
	for (uint32_t i = 0; i + 1 < rank; i++)
		put64(strides[i]);
}

int EXPORT(cuTensorMapEncodeTiled)(void *map, uint32_t type, uint32_t rank, void *address, void *dims, void *strides, void *box, void *steps,
	uint32_t interleave, uint32_t swizzle, uint32_t l2, uint32_t fill)
{
	const char *why;
	INITIALIZED();
	if ((why = map_operands(map, rank, dims, strides, steps)) || (why = box ? NULL : "the list of the box is NULL"))
		return refuse(INVALID_VALUE, why);
	note_callers();
	BEGIN(TENSOR_MAP);
	put_map(MAP_TILED, type, rank, (uint64_t)address, dims, strides);
	put_list32(box, rank), put_list32(steps, rank);
	put32(interleave), put32(swizzle), put32(l2), put32(fill);
	return map_result(map);
}

int EXPORT(cuTensorMapEncodeIm2col)(void *map, uint32_t type, uint32_t rank, void *address, void *dims, void *strides, void *lower, void *upper,
	uint32_t channels, uint32_t pixels, void *steps, uint32_t interleave, uint32_t swizzle, uint32_t l2, uint32_t fill)
{
	const char *why;
	INITIALIZED();
	if ((why = map_operands(map, rank, dims, strides, steps)) || (why = lower && upper ? NULL : "a list of corners is NULL") ||
		(why = rank < 3 ? "the rank of an im2col map is outside 3 to 5" : NULL))
		return refuse(INVALID_VALUE, why);
	note_callers();
	BEGIN(TENSOR_MAP);
	put_map(MAP_IM2COL, type, rank, (uint64_t)address, dims, strides);
	put_list32(lower, rank - 2), put_list32(upper, rank - 2), put32(channels), put32(pixels), put_list32(steps, rank);
	put32(interleave), put32(swizzle), put32(l2), put32(fill);
	return map_result(map);
}

int EXPORT(cuTensorMapEncodeIm2colWide)(void *map, uint32_t type, uint32_t rank, void *address, void *dims, void *strides, int32_t lower, int32_t upper,
	uint32_t channels, uint32_t pixels, void *steps, uint32_t interleave, uint32_t mode, uint32_t swizzle, uint32_t l2, uint32_t fill)
{
	const char *why;
	INITIALIZED();
	if ((why = map_operands(map, rank, dims, strides, steps)) || (why = rank < 3 ? "the rank of an im2col map is outside 3 to 5" : NULL) ||
		(why = mode > 1 ? "the mode is neither W nor W128" : NULL))
		return refuse(INVALID_VALUE, why);
	note_callers();
	BEGIN(TENSOR_MAP);
	put_map(MAP_WIDE + (mode << 8), type, rank, (uint64_t)address, dims, strides);
	put32((uint32_t)lower), put32((uint32_t)upper), put32(channels), put32(pixels), put_list32(steps, rank);
	put32(interleave), put32(swizzle), put32(l2), put32(fill);
	return map_result(map);
}

int EXPORT(cuTensorMapReplaceAddress)(void *map, void *address)
{
	INITIALIZED();
	if (!map || (uint64_t)map % 64)
		return refuse(INVALID_VALUE, "the map is NULL or no multiple of 64");
	note_callers();
	BEGIN(TENSOR_MAP);
	put32(MAP_ADDRESS), put_bytes(map, MAP_BYTES), put64((uint64_t)address);
	return map_result(map);
}

/* The class of the allocation has no effect on results. */
int EXPORT(cuTensorMapSetAllocationClass)(void *map, uint32_t allocation, void *unused)
{
	(void)unused;
	INITIALIZED();
	if (!map || (uint64_t)map % 64)
		return refuse(INVALID_VALUE, "the map is NULL or no multiple of 64");
	note_callers();
	BEGIN(TENSOR_MAP);
	put32(MAP_CLASS), put_bytes(map, MAP_BYTES), put64(allocation);
	return map_result(map);
}
