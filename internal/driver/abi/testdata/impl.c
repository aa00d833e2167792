/* Implementations for the test of the stubs: each kind of parameter arrives. */
#include "crosslane_cuda.h"

int crosslane_cuInit(uint32_t flags) { return flags == 0xfedcba98u ? 7 : 1; }

int crosslane_cuMemAdvise_v2(uint64_t address, uint64_t bytes, uint32_t advice, struct crosslane_struct8 at)
{
	return address == 0x1122334455667788u && bytes == 1ull << 40 && advice == 3 && at.word[0] == 1 && at.word[1] == 2 ? 7 : 1;
}

int crosslane_cuIpcOpenMemHandle_v2(void *address, struct crosslane_struct64 handle, uint32_t flags)
{
	return address == &handle ? 2 : handle.word[0] == 1 && handle.word[7] == 8 && flags == 5 ? 7 : 1;
}

int crosslane_cuTexRefSetMipmapLevelBias(void *ref, float bias) { return ref == (void *)16 && bias == 1.5f ? 7 : 1; }

int crosslane_cuMemsetD8_v2_ptds(uint64_t address, uint8_t value, uint64_t n) { return address == 1 && value == 255 && n == 3 ? 7 : 1; }

int crosslane_cuLaunchKernel(void *f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz,
	uint32_t shared, void *stream, void *params, void *extra)
{
	return f == (void *)1 && gx == 2 && gy == 3 && gz == 4 && bx == 5 && by == 6 && bz == 7 && shared == 8 &&
		stream == (void *)9 && params == (void *)10 && extra == (void *)11 ? 7 : 1;
}

__attribute__((visibility("default"))) int test_lookup(const char *name, int version, uint64_t flags, int driver, void **function)
{
	return crosslane_lookup(name, version, flags, driver, function);
}
