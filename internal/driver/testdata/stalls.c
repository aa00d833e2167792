/* Kernels that wait for what the host does after the launch, in another stream: a copy, a fill. With the argument
   "deferred" operations that come after the kernel stand between, with "same" and "default" the copy itself comes after the
   kernel, and with "nothing" there is none. With "query" the host ends the kernel only after queries have said that what came
   before has ended. */
#include "cu.h"
#include <unistd.h>

int cuMemcpyHtoDAsync_v2(ptr, const void *, size_t, void *), cuMemcpyDtoHAsync_v2(void *, ptr, size_t, void *), cuMemsetD32Async(ptr, unsigned, size_t, void *);
int cuStreamQuery(void *), cuMemAllocHost_v2(void **, size_t), cuEventQuery(void *);

/* await waits until p[0] is not 0, and stores p[0] + p[1] in p[2]; slow counts its rounds. */
#define AWAIT(name, count) \
	".visible .entry " name "(.param .u64 p)\n{\n.reg .b32 %r<5>; .reg .b64 %rd<2>; .reg .pred %q;\nld.param.u64 %rd1, [p]; mov.u32 %r4, 0;\n" \
	"again: " count " ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %q, %r1, 0; @%q bra again;\n" \
	"ld.volatile.global.u32 %r2, [%rd1+4]; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1+8], %r3; st.global.u32 [%rd1+12], %r4; ret;\n}\n"
static const char text[] = ".version 8.0\n.target sm_70\n.address_size 64\n" AWAIT("await", "") AWAIT("slow", "add.u32 %r4, %r4, 1;");

static void *kernel_of(void *module, const char *name)
{
	void *f;
	OK(cuModuleGetFunction(&f, module, name));
	return f;
}

static unsigned blocks = 1; /* with "blocks" several workers wait */

static int start(void *kernel, ptr p, void *stream)
{
	void *args[] = { &p };
	return cuLaunchKernel(kernel, blocks, 1, 1, 1, 1, 1, 0, stream, args, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	void *module, *await, *slow, *a, *b, *c, *blocking, *event;
	unsigned *pinned, got[32] = { 0 }, one = 1, forty = 40, zero[32] = { 0 };
	ptr p, q;

	begin();
	OK(cuModuleLoadData(&module, text));
	await = kernel_of(module, "await"), slow = kernel_of(module, "slow");
	OK(cuStreamCreate(&a, 1));
	OK(cuStreamCreate(&b, 1));
	OK(cuStreamCreate(&c, 1));
	OK(cuStreamCreate(&blocking, 0));
	OK(cuEventCreate(&event, 0));
	OK(cuMemAllocHost_v2((void **)&pinned, 4));
	OK(cuMemAlloc_v2(&p, 128));
	OK(cuMemAlloc_v2(&q, 128));
	OK(cuMemcpyHtoD_v2(p, zero, 128));
	OK(cuMemcpyHtoD_v2(q, zero, 128));
	OK(cuCtxSynchronize());
	*pinned = 2;
	if (!strcmp(what, "blocks"))
		blocks = 6;
	if (!*what || blocks > 1) {
		for (int round = 0; round < 6; round += (int)blocks / 6 + 1) {
			unsigned value = 1;
			OK(start(round % 2 ? slow : await, p, round < 4 ? a : NULL));
			OK(cuMemcpyHtoDAsync_v2(p + 4, &forty, 4, b));
			OK(cuStreamSynchronize(b));
			WANT(cuStreamQuery(round < 4 ? a : NULL), 600);
			switch (round / 2) {
			case 0: OK(cuMemcpyHtoDAsync_v2(p, &one, 4, b)); break;
			case 1: OK(cuMemsetD32Async(p, 1, 1, b)); break;
			default: OK(cuMemcpyHtoDAsync_v2(p, pinned, 4, b)); value = 2;
			}
			OK(cuCtxSynchronize());
			OK(cuMemcpyDtoH_v2(got, p, 16));
			WANT(got[2], 40 + value);
			WANT(got[3] > 1000, round % 2);
			OK(cuMemcpyHtoD_v2(p, zero, 128));
			OK(cuCtxSynchronize());
		}
	} else if (!strcmp(what, "query")) {
		int stream = 600, recorded = 600;
		OK(start(await, p, a));
		OK(cuMemcpyHtoDAsync_v2(p + 4, &forty, 4, b));
		OK(cuEventRecord(event, b));
		for (int i = 0; i < 60000 && (stream || recorded); i++) {
			stream = cuStreamQuery(b), recorded = cuEventQuery(event);
			usleep(1000);
		}
		WANT(stream, 0);
		WANT(recorded, 0);
		WANT(cuStreamQuery(a), 600); /* the kernel */
		OK(run(add, q, 2, a));
		OK(cuEventRecord(event, a));
		WANT(cuEventQuery(event), 600); /* what comes after it */
		OK(cuMemsetD32Async(p, 1, 1, b));
		OK(cuCtxSynchronize());
		OK(cuStreamQuery(a));
		OK(cuEventQuery(event));
		OK(cuMemcpyDtoH_v2(got, p, 16));
		WANT(got[2], 41);
	} else if (!strcmp(what, "deferred")) {
		OK(cuMemcpyHtoD_v2(q, &forty, 4));
		OK(cuCtxSynchronize());
		OK(start(await, p, a));
		OK(run(add, q, 2, a)); /* q[0] = 42 */
		OK(cuEventRecord(event, a));
		OK(cuStreamWaitEvent(c, event, 0));
		OK(run(scale, q, 10, c)); /* q[0] = 420, in this order only */
		WANT(cuEventQuery(event), 600);
		OK(cuMemsetD32Async(p, 1, 1, b));
		OK(cuStreamSynchronize(b));
		OK(cuStreamSynchronize(c));
		OK(cuMemcpyDtoH_v2(got, q, 4));
		WANT(got[0], 420);
		OK(cuEventQuery(event));
		OK(start(await, p, a)); /* it ends at once: p[0] is 1 */
		OK(cuStreamDestroy_v2(a));
		OK(cuCtxSynchronize());
	} else {
		OK(start(await, p, !strcmp(what, "default") ? blocking : a));
		if (!strcmp(what, "same"))
			WANT(cuMemcpyHtoDAsync_v2(p, &one, 4, a), 702);
		else if (!strcmp(what, "default"))
			WANT(cuMemcpyHtoDAsync_v2(p, &one, 4, NULL), 702);
		else
			WANT(cuStreamSynchronize(a), 702);
	}
	if (!argv[1] || blocks > 1 || !strcmp(what, "deferred") || !strcmp(what, "query")) {
		OK(cuMemFree_v2(p));
		OK(cuMemFree_v2(q));
		int cuMemFreeHost(void *);
		OK(cuMemFreeHost(pinned));
	}
	return finish();
}
