/* Programs that ask for too much, or end in the middle of something. */
#include "cu.h"
#include <signal.h>

int cuCtxCreate_v2(void **, unsigned, int), cuCtxDestroy_v2(void *), cuCtxPopCurrent_v2(void **), cuMemAllocManaged(ptr *, size_t, unsigned);

static const char endless[] =
	".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry endless(.param .u64 p)\n{\n.reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
	"ld.param.u64 %rd1, [p];\nL: ld.volatile.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; st.volatile.global.u32 [%rd1], %r1; bra L;\n}\n";

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	ptr p, q;
	begin();
	if (!strcmp(what, "contexts")) {
		enum { MANY = 10000 };
		static void *list[MANY];
		void *popped;
		for (int i = 0; i < MANY; i++) {
			OK(cuCtxCreate_v2(&list[i], 0, 0));
			OK(cuCtxPopCurrent_v2(&popped));
		}
		for (int i = 0; i < MANY; i += 2)
			OK(cuCtxDestroy_v2(list[i]));
		OK(cuCtxSetCurrent(list[MANY - 1]));
		OK(cuMemAlloc_v2(&p, 64));
		OK(cuMemFree_v2(p));
	} else if (!strcmp(what, "memory")) {
		WANT(cuMemAlloc_v2(&p, 64ull << 30), 2);
		WANT(cuMemAlloc_v2(&p, ~0ull), 2);
		WANT(cuMemAllocManaged(&p, 1ull << 62, 1), 2);
		for (int i = 0; i < 100; i++) { /* again and again in the same memory */
			OK(cuMemAlloc_v2(&q, 200 << 20));
			OK(cuMemFree_v2(q));
		}
		OK(cuMemAlloc_v2(&q, 64));
		OK(cuMemFree_v2(q));
	} else if (!strcmp(what, "killed")) {
		void *module, *kernel;
		OK(cuMemAllocManaged(&p, 64, 1));
		OK(cuModuleLoadData(&module, endless));
		OK(cuModuleGetFunction(&kernel, module, "endless"));
		OK(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, (void *[]){ &p }, NULL));
		while (*(volatile uint32_t *)p == 0)
			;
		kill(getpid(), SIGKILL);
	} else if (!strcmp(what, "threads")) { /* an exit while other threads are in calls */
		pthread_t t;
		for (int i = 0; i < 8; i++)
			pthread_create(&t, NULL, (void *(*)(void *))pause, NULL);
		OK(cuMemAlloc_v2(&p, 64));
		_exit(wrong);
	}
	printf("%d wrong\n", wrong);
	return wrong != 0;
}
