/* Objects that a program leaves. With the argument "left" it ends none, without it all of them. A limit of registers
   counts for the kernels of a module. */
#include "cu.h"

struct properties { unsigned type, handles; int at, id; void *security; uint64_t limit; unsigned short usage; unsigned char reserved[54]; };
int cuMemPoolCreate(void **, const struct properties *), cuMemPoolDestroy(void *), cuModuleUnload(void *);
int cuModuleLoadDataEx(void **, const void *, unsigned, int *, void **), cuFuncGetAttribute(int *, int, void *);

static void *make_stream(void)
{
	void *s;
	OK(cuStreamCreate(&s, 1));
	return s;
}

static void *load(unsigned registers)
{
	void *module;
	int option = 0; /* CU_JIT_MAX_REGISTERS */
	void *value = (void *)(uintptr_t)registers;
	OK(cuModuleLoadDataEx(&module, kernels, registers > 0, &option, &value));
	return module;
}

static int registers_of(void *module)
{
	void *f;
	int n = 0;
	OK(cuModuleGetFunction(&f, module, "add"));
	OK(cuFuncGetAttribute(&n, 4, f));
	return n;
}

int main(int argc, char **argv)
{
	struct properties q = { .type = 1, .at = 1 };
	void *s, *t, *e, *m, *limited, *pool;
	(void)argv;
	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	s = make_stream(), t = make_stream();
	OK(cuEventCreate(&e, 0));
	m = load(0), limited = load(17);
	WANT(registers_of(limited), 17);
	WANT(registers_of(m) > 17, 1);
	OK(cuMemPoolCreate(&pool, &q));
	OK(cuStreamDestroy_v2(t));
	if (argc == 1) {
		OK(cuStreamDestroy_v2(s));
		OK(cuEventDestroy_v2(e));
		OK(cuModuleUnload(m));
		OK(cuModuleUnload(limited));
		OK(cuMemPoolDestroy(pool));
	}
	return finish();
}
