/* Memory of the host that kernels use: of malloc, of a mapping, of the stack, and two ranges in one page. With the
   argument "past" a kernel writes past the end of a range, with "leak" a range stays registered. */
#include "cu.h"
#include <fcntl.h>

int cuMemHostRegister_v2(void *, size_t, unsigned), cuMemHostUnregister(void *), cuMemHostGetDevicePointer_v2(ptr *, void *, unsigned), cuMemHostGetFlags(unsigned *, void *);
int cuDeviceGetAttribute(int *, int, int), cuPointerGetAttribute(void *, int, ptr), cuMemcpyDtoD_v2(ptr, ptr, size_t), cuMemHostAlloc(void **, size_t, unsigned), cuMemFreeHost(void *);

static unsigned data_[5000] = { 1, 2, 3 }; /* pages of the program's file, copied when written */

/* twice lets a kernel add to a range, sees it at once on the host, and the other way round. */
static void twice(unsigned *a, size_t n)
{
	ptr p;
	unsigned before = a[31], flags;
	OK(cuMemHostRegister_v2(a, n, 3));
	WANT(a[31], before);
	OK(cuMemHostGetDevicePointer_v2(&p, a, 0));
	OK(cuMemHostGetFlags(&flags, a));
	WANT(flags & 2, 2);
	OK(run(add, p, 100, NULL));
	OK(cuCtxSynchronize());
	WANT(a[31], before + 100);
	a[31] = 7;
	OK(run(scale, p, 6, NULL));
	OK(cuCtxSynchronize());
	WANT(a[31], 42);
	OK(cuMemHostUnregister(a));
	WANT(a[31], 42);
	WANT(cuMemHostUnregister(a), 713);
	a[31] = before;
}

static void attributes(unsigned *a)
{
	unsigned char b;
	int v;
	ptr p, q;
	void *host;
	OK(cuMemHostRegister_v2(a + 1, 256, 0));
	OK(cuMemHostGetDevicePointer_v2(&p, a + 3, 0));
	OK(cuPointerGetAttribute(&v, 2, (ptr)(a + 3)));
	WANT(v, 1);
	OK(cuPointerGetAttribute(&q, 3, (ptr)(a + 3)));
	WANT(p == q, 1);
	OK(cuPointerGetAttribute(&host, 4, p));
	WANT(host == a + 3, 1);
	OK(cuPointerGetAttribute(&q, 12, (ptr)(a + 3)));
	WANT(q, 256);
	OK(cuPointerGetAttribute(&b, 8, p));
	WANT(b, 0);
	WANT(cuPointerGetAttribute(&v, 2, (ptr)a), 1);
	WANT(cuMemHostRegister_v2(a + 32, 256, 0), 712);
	OK(cuMemHostUnregister(a + 1));
}

int main(int argc, char **argv)
{
	unsigned on_stack[3000], out[32];
	unsigned *a = malloc(300), *b, *page = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[] = "/tmp/crosslane-register-XXXXXX";
	int file, v;
	ptr p, q;
	begin();
	OK(cuDeviceGetAttribute(&v, 99, 0));
	WANT(v, 1);
	OK(cuDeviceGetAttribute(&v, 91, 0));
	WANT(v, 0);
	for (int i = 0; i < 3000; i++)
		on_stack[i] = (unsigned)i;
	a[31] = 5;
	twice(a, 300);
	twice(data_, sizeof data_);
	WANT(data_[2], (3 + 100) * 6);
	twice(page, 1 << 20);
	twice(on_stack, sizeof on_stack);
	for (int i = 32; i < 3000; i++)
		if (on_stack[i] != (unsigned)i)
			WANT(on_stack[i], i);
	attributes(page);

	/* two ranges in one page; the first one is larger */
	a = page + 256, b = page + 512;
	memset(page, 0, 4096);
	OK(cuMemHostRegister_v2(a, 128, 0));
	OK(cuMemHostRegister_v2(b, 128, 0));
	OK(cuMemHostGetDevicePointer_v2(&p, a, 0));
	OK(cuMemHostGetDevicePointer_v2(&q, b, 0));
	OK(run(add, p, 1, NULL));
	OK(run(add, q, 2, NULL));
	OK(cuCtxSynchronize());
	OK(cuMemHostUnregister(a));
	OK(run(add, q, 2, NULL));
	OK(cuCtxSynchronize());
	WANT(a[0] == 1 && a[31] == 1 && b[0] == 4 && b[31] == 4, 1);
	WANT(cuMemHostRegister_v2(page, 8192, 0), 712); /* a page of it is registered */
	OK(cuMemHostUnregister(b));
	WANT(a[0] == 1 && b[31] == 4, 1);

	/* copies to and from registered memory, by both of its addresses */
	OK(cuMemHostRegister_v2(a, 128, 0));
	OK(cuMemHostGetDevicePointer_v2(&p, a, 0));
	OK(cuMemAlloc_v2(&q, 128));
	OK(cuMemcpyHtoD_v2(q, a, 128));
	OK(run(add, q, 10, NULL));
	OK(cuMemcpyDtoD_v2(p, q, 128));
	OK(cuCtxSynchronize());
	WANT(a[5], 11);
	OK(cuMemcpyDtoH_v2(out, p, 128));
	WANT(out[5], 11);
	OK(cuMemFree_v2(q));
	if (argc < 2 || strcmp(argv[1], "leak"))
		OK(cuMemHostUnregister(a));

	/* what cannot be registered */
	WANT(cuMemHostRegister_v2(NULL, 64, 0), 1);
	WANT(cuMemHostRegister_v2(a, 0, 0), 1);
	WANT(cuMemHostRegister_v2((void *)0x1000, 64, 0), 1);
	file = mkstemp(name);
	OK(unlink(name));
	OK(ftruncate(file, 4096));
	b = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	WANT(cuMemHostRegister_v2(b, 64, 0), 801);
	OK(cuMemHostAlloc((void **)&b, 64, 0));
	WANT(cuMemHostRegister_v2(b, 64, 0), 712);
	OK(cuMemFreeHost(b));

	if (argc > 1 && !strcmp(argv[1], "past")) {
		OK(cuMemHostRegister_v2(page + 1024, 124, 0)); /* 31 elements */
		OK(cuMemHostGetDevicePointer_v2(&p, page + 1024, 0));
		OK(run(add, p, 1, NULL));
		WANT(cuCtxSynchronize(), 700);
	}
	return finish();
}
