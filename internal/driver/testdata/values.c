/* Streams that write values and wait for values: in an order that works, beside copies, kernels and functions of the host,
   by pinned memory, in lists. With the argument "never" nothing writes the value, with "same" the stream that waits
   would, and with "race" a kernel does not wait for the value. */
#include "cu.h"

int cuStreamWaitValue32_v2(void *, ptr, unsigned, unsigned), cuStreamWriteValue32_v2(void *, ptr, unsigned, unsigned), cuStreamWaitValue64_v2(void *, ptr, uint64_t, unsigned), cuStreamWriteValue64_v2(void *, ptr, uint64_t, unsigned);
int cuMemcpyHtoDAsync_v2(ptr, const void *, size_t, void *), cuMemsetD32_v2(ptr, unsigned, size_t), cuMemAllocHost_v2(void **, size_t), cuMemFreeHost(void *), cuStreamQuery(void *), cuMemsetD32Async(ptr, unsigned, size_t, void *);
int cuDeviceGetAttribute(int *, int, int), cuLaunchHostFunc(void *, void (*)(void *), void *);

struct operation { unsigned kind; ptr address; uint64_t value; unsigned flags; uint64_t unused[2]; };
int cuStreamBatchMemOp_v2(void *, unsigned, struct operation *, unsigned);

static void set(void *p) { *(volatile unsigned *)p = 9; }

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	void *a, *b, *c;
	unsigned got[32], *pinned;
	ptr p, flag;
	int v;

	begin();
	OK(cuDeviceGetAttribute(&v, 122, 0));
	WANT(v, 1);
	OK(cuStreamCreate(&a, 1));
	OK(cuStreamCreate(&b, 1));
	OK(cuStreamCreate(&c, 1));
	OK(cuMemAlloc_v2(&p, 128));
	OK(cuMemAlloc_v2(&flag, 64));
	OK(cuMemAllocHost_v2((void **)&pinned, 64));
	OK(cuMemsetD32_v2(p, 1, 32));
	OK(cuMemsetD32_v2(flag, 0, 16));
	OK(cuCtxSynchronize());
	if (!strcmp(what, "never")) {
		OK(cuStreamWaitValue32_v2(a, flag, 3, 1));
		WANT(cuStreamSynchronize(a), 702);
		return finish();
	}
	if (!strcmp(what, "same")) {
		OK(cuStreamWaitValue64_v2(a, flag, 3, 0));
		OK(cuStreamWriteValue64_v2(a, flag, 3, 0));
		WANT(cuStreamSynchronize(a), 702);
		return finish();
	}
	/* the wait comes first: what follows in its stream comes after the write */
	OK(cuStreamWaitValue32_v2(a, flag, 5, 1));
	OK(cuMemsetD32Async(p + 124, 1, 1, a));
	OK(run(scale, p, 10, a));
	WANT(cuStreamQuery(a), 600);
	if (strcmp(what, "race")) {
		OK(run(add, p, 2, b));
		OK(cuStreamWriteValue32_v2(b, flag, 5, 0));
	} else {
		OK(cuStreamWriteValue32_v2(b, flag, 5, 0));
		OK(run(add, p, 2, b));
	}
	OK(cuStreamSynchronize(a));
	OK(cuStreamSynchronize(b));
	OK(cuMemcpyDtoH_v2(got, p, 128));
	if (strcmp(what, "race"))
		WANT(got[7], 30);
	/* each comparison, with 32 and 64 bits; a wait for what is there ends at once */
	OK(cuStreamWriteValue64_v2(a, flag + 8, 0xfffffffffffffff0, 0));
	OK(cuStreamWaitValue64_v2(a, flag + 8, 0xffffffffffffff00, 0));
	OK(cuStreamWaitValue64_v2(a, flag + 8, 0x10, 2));
	OK(cuStreamWaitValue64_v2(a, flag + 8, 1, 3));
	OK(cuStreamWriteValue32_v2(a, flag + 8, 0x80000001, 0));
	OK(cuStreamWaitValue32_v2(a, flag + 8, 0x7ffffff0, 0)); /* the difference has the sign 0 */
	OK(cuStreamSynchronize(a));
	/* two waits, two writers, a list, and a function of the host; the second stream waits for the first */
	struct operation list[] = { { 1, flag + 16, 1, 0, { 0 } }, { 1, flag + 20, 7, 1, { 0 } }, { 5, flag + 24, 1ull << 40, 0, { 0 } } };
	OK(cuStreamBatchMemOp_v2(a, 3, list, 0));
	OK(cuStreamWaitValue64_v2(b, flag + 24, 1ull << 40, 2));
	*pinned = 0;
	OK(cuLaunchHostFunc(b, set, pinned));
	OK(run(add, p, 3, b));
	OK(cuStreamWriteValue32_v2(c, flag + 20, 7, 0));
	OK(cuStreamSynchronize(c));
	WANT(cuStreamQuery(b), 600);
	OK(cuStreamWriteValue32_v2(c, flag + 16, 4, 0));
	OK(cuStreamSynchronize(b));
	WANT(*pinned, 9);
	/* the host writes by itself */
	*(volatile unsigned *)pinned = 0;
	OK(cuStreamWaitValue32_v2(a, (ptr)pinned, 1, 0));
	OK(run(add, p, 4, a));
	WANT(cuStreamQuery(a), 600);
	*(volatile unsigned *)pinned = 2;
	OK(cuStreamSynchronize(a));
	OK(cuMemcpyDtoH_v2(got, p, 128));
	if (strcmp(what, "race"))
		{
		WANT(got[30], 37);
		WANT(got[31], 17); /* 1 * 10 + 3 + 4 */
	}
	/* errors */
	WANT(cuStreamWriteValue32_v2(a, flag + 2, 1, 0), 1);
	WANT(cuStreamWaitValue32_v2(a, flag, 1, 1u << 30), 801);
	WANT(cuStreamWaitValue32_v2(a, flag, 1, 8), 1);
	list[0].kind = 8;
	WANT(cuStreamBatchMemOp_v2(a, 1, list, 0), 801);
	OK(cuMemFree_v2(p));
	OK(cuMemFree_v2(flag));
	OK(cuMemFreeHost(pinned));
	return finish();
}
