/* Memory at addresses that the program reserves, by the HIP API alone. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int hipMemGetAllocationGranularity(size_t *, const void *, unsigned), hipMemAddressReserve(void **, size_t, size_t, void *, unsigned long long), hipMemAddressFree(void *, size_t);
int hipMemCreate(void **, size_t, const void *, unsigned long long), hipMemRelease(void *), hipMemRetainAllocationHandle(void **, void *), hipMemGetAllocationPropertiesFromHandle(void *, void *);
int hipMemMap(void *, size_t, size_t, void *, unsigned long long), hipMemUnmap(void *, size_t), hipMemSetAccess(void *, size_t, const void *, size_t), hipMemGetAccess(unsigned long long *, const void *, void *);
int hipMemset(void *, int, size_t), hipMemcpy(void *, const void *, size_t, int), hipDeviceGetAttribute(int *, int, int), hipDeviceSynchronize(void);
int hipMemExportToShareableHandle(void *, void *, int, unsigned long long);

struct properties { uint32_t type, handles; int32_t at_type, at_id; void *security; unsigned char flags[8]; };

static int wrong;
#define WANT(x, v) do { long long got_ = (long long)(x); if (got_ != (long long)(v)) { printf("line %d: %s is %lld, want %lld\n", __LINE__, #x, got_, (long long)(v)); wrong++; } } while (0)
#define OK(x) WANT(x, 0)

int main(int argc, char **argv)
{
	struct properties q = { 1, 0, 1, 0, NULL, { 0 } }, seen;
	struct { int32_t type, id; uint32_t flags; } rights = { 1, 0, 3 };
	unsigned long long flags = 0;
	void *p, *first, *second, *again, *file = NULL;
	size_t n = 0;
	unsigned words[32];
	int v = 0, read_only = argc > 1;
	(void)argv;
	OK(hipDeviceGetAttribute(&v, 89, 0)); /* hipDeviceAttributeVirtualMemoryManagementSupported */
	WANT(v, 1);
	OK(hipMemGetAllocationGranularity(&n, &q, 1));
	WANT(n, 2 << 20);
	OK(hipMemAddressReserve(&p, 4 * n, 0, NULL, 0));
	OK(hipMemCreate(&first, n, &q, 0));
	OK(hipMemCreate(&second, n, &q, 0));
	OK(hipMemGetAllocationPropertiesFromHandle(&seen, second));
	WANT(memcmp(&q, &seen, 16), 0);
	WANT(hipMemExportToShareableHandle(&file, second, 1, 0), 801);
	OK(hipMemMap(p, n, 0, first, 0));
	OK(hipMemMap((char *)p + n, n, 0, second, 0));
	OK(hipMemSetAccess(p, 2 * n, &rights, 1));
	OK(hipMemGetAccess(&flags, &rights, p));
	WANT(flags, 3);
	OK(hipMemset(p, 7, 2 * n)); /* across both */
	OK(hipMemcpy(words, (char *)p + n - 64, sizeof words, 2));
	for (int i = 0; i < 32; i++)
		WANT(words[i], 0x07070707);
	if (read_only) {
		rights.flags = 1;
		OK(hipMemSetAccess(p, 2 * n, &rights, 1));
		WANT(hipMemset(p, 8, 16), 700);
	}
	OK(hipMemRetainAllocationHandle(&again, p));
	WANT(again == first, 1);
	OK(hipMemRelease(again));
	OK(hipDeviceSynchronize());
	OK(hipMemUnmap(p, 2 * n));
	OK(hipMemRelease(first));
	OK(hipMemRelease(second));
	OK(hipMemAddressFree(p, 4 * n));
	puts(wrong ? "wrong" : "right");
	return wrong != 0;
}
