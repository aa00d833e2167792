/* Tensor maps: their words, and each kind of refusal. */
#include "cu.h"

typedef unsigned long long u64;

int cuTensorMapEncodeTiled(void *, int, unsigned, void *, const u64 *, const u64 *, const unsigned *, const unsigned *, int, int, int, int);
int cuTensorMapEncodeIm2col(void *, int, unsigned, void *, const u64 *, const u64 *, const int *, const int *, unsigned, unsigned, const unsigned *, int, int, int, int);
int cuTensorMapEncodeIm2colWide(void *, int, unsigned, void *, const u64 *, const u64 *, int, int, unsigned, unsigned, const unsigned *, int, int, int, int, int);
int cuTensorMapReplaceAddress(void *, void *), cuTensorMapSetAllocationClass(void *, int, void *);

int main(void)
{
	static u64 map[16] __attribute__((aligned(64)));
	u64 dims[5] = { 64, 128, 4, 2, 3 }, strides[4] = { 128, 128 * 128, 4 * 128 * 128, 8 * 128 * 128 };
	unsigned box[5] = { 64, 128, 1, 1, 1 }, one[5] = { 1, 1, 1, 1, 1 }, two[5] = { 1, 2, 1, 1, 1 };
	int low[3] = { -1, -1, 0 }, high[3] = { -1, -1, 0 };
	void *p = (void *)0x110000001000;
	begin();
	OK(cuTensorMapEncodeTiled(map, 6, 2, p, dims, strides, box, one, 0, 3, 2, 0)); /* f16, 128B, L2 128B */
	WANT(map[0], 0x110000001000ull);
	WANT(map[1], 8ull << 32 | 0x46312);
	WANT(map[4], 127ull << 32 | 63);
	WANT(map[6], 0x3full << 56);
	WANT(map[7], 127);
	WANT(map[8], 0);
	OK(cuTensorMapReplaceAddress(map, (char *)p + 64));
	WANT(map[0], 0x110000001040ull);
	WANT(map[7], 127);
	WANT(cuTensorMapReplaceAddress(map, (char *)p + 8), 1);
	WANT(map[0], 0x110000001040ull);
	OK(cuTensorMapSetAllocationClass(map, 1, 0));
	WANT(map[1], 8ull << 32 | 0x246312);
	WANT(cuTensorMapSetAllocationClass(map, 2, 0), 1);
	OK(cuTensorMapEncodeTiled(map, 7, 5, p, dims, strides, two, two, 0, 0, 0, 0) == 1 ? 0 : 99); /* a box of one float */
	box[0] = 32;
	OK(cuTensorMapEncodeTiled(map, 7, 1, p, dims, 0, box, one, 0, 0, 0, 1)); /* f32, NaN */
	WANT(map[1] & 0xffffffff, 0x8382);
	OK(cuTensorMapEncodeTiled(map, 9, 1, p, dims, 0, box, one, 0, 0, 0, 0)); /* bf16 is 10 in the map */
	WANT(map[1] & 0xffffffff, 0x502);
	WANT(cuTensorMapEncodeTiled(map, 2, 1, p, dims, 0, box, one, 0, 0, 0, 1), 1); /* NaN of integers */
	WANT(cuTensorMapEncodeTiled(map, 2, 6, p, dims, strides, box, one, 0, 0, 0, 0), 1);
	WANT(cuTensorMapEncodeTiled((char *)map + 16, 2, 1, p, dims, 0, box, one, 0, 0, 0, 0), 1);
	WANT(cuTensorMapEncodeTiled(map, 16, 1, p, dims, 0, box, one, 0, 0, 0, 0), 1);
	WANT(cuTensorMapEncodeTiled(map, 2, 1, p, 0, 0, box, one, 0, 0, 0, 0), 1);
	WANT(cuTensorMapEncodeTiled(map, 2, 1, p, dims, 0, box, one, 0, 7, 0, 0), 1);
	OK(cuTensorMapEncodeIm2col(map, 6, 4, p, dims, strides, low, high, 64, 32, one, 0, 3, 0, 0));
	WANT(map[1] & 0xffffffff, 0x20633a);
	WANT(map[7], 31ull << 32 | 0xffffffffull);
	WANT(cuTensorMapEncodeIm2col(map, 6, 2, p, dims, strides, low, high, 64, 32, one, 0, 3, 0, 0), 1);
	WANT(cuTensorMapEncodeIm2col(map, 6, 4, p, dims, strides, low, high, 64, 1025, one, 0, 3, 0, 0), 1);
	OK(cuTensorMapEncodeIm2colWide(map, 6, 4, p, dims, strides, 0, 0, 64, 32, one, 0, 1, 3, 0, 0));
	WANT(map[1] & 0xffffffff, 0xa0633a);
	WANT(cuTensorMapEncodeIm2colWide(map, 6, 4, p, dims, strides, 0, 0, 64, 32, one, 0, 0, 0, 0, 0), 1);
	return finish();
}
