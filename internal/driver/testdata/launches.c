/* Many launches of one warp: argument 1 is how many, argument 2 after how many the host waits. */
#include "cu.h"

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000, each = argc > 2 ? atoi(argv[2]) : 1, out[32] = { 0 };
	unsigned one = 1;
	ptr p;
	void *args[] = { &p, &one };
	begin();
	OK(cuMemAlloc_v2(&p, sizeof out));
	OK(cuMemcpyHtoD_v2(p, out, sizeof out));
	for (int i = 0; i < n; i++) {
		OK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
		if ((i + 1) % each == 0)
			OK(cuCtxSynchronize());
	}
	OK(cuMemcpyDtoH_v2(out, p, sizeof out));
	WANT(out[3], n);
	OK(cuMemFree_v2(p));
	return finish();
}
