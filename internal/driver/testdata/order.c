/* Functions of the host in streams, queries, and kernels that wait for the host. */
#include "cu.h"
#include <time.h>

int cuMemHostAlloc(void **, size_t, unsigned), cuMemFreeHost(void *), cuStreamQuery(void *), cuEventQuery(void *), cuEventElapsedTime(float *, void *, void *);
int cuLaunchHostFunc(void *, void (*)(void *), void *), cuStreamAddCallback(void *, void (*)(void *, int, void *), void *, unsigned), cuMemsetD32Async(ptr, unsigned, size_t, void *);
int cuLaunchCooperativeKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **);

static const char waits[] =
	".version 8.0\n.target sm_70\n.address_size 64\n"
	".visible .entry wait(.param .u64 p)\n{\n.reg .b32 %r<3>; .reg .b64 %rd<2>; .reg .pred %q;\nld.param.u64 %rd1, [p];\n"
	"again: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %q, %r1, 0; @%q bra again;\nst.global.u32 [%rd1], 0; st.global.u32 [%rd1+4], 7; ret;\n}\n";

static void nap(void) { struct timespec t = { 0, 20000000 }; nanosleep(&t, NULL); }

static volatile int order[8], next;
static pthread_t host;
static int in_function, other_thread;

static void note(void *p)
{
	ptr q;
	other_thread += !pthread_equal(pthread_self(), host);
	in_function = cuMemAlloc_v2(&q, 64);
	nap();
	order[next++] = *(int *)p;
}

static void note_status(void *stream, int status, void *p)
{
	order[next++] = *(int *)p + status;
	(void)stream;
}

int main(int n, char **args)
{
	static int one = 1, two = 2, three = 3;
	void *module, *wait, *s, *t, *e1, *e2;
	volatile unsigned *flag;
	unsigned host_copy[32];
	float ms;
	ptr p;

	begin();
	host = pthread_self();
	OK(cuModuleLoadData(&module, waits));
	OK(cuModuleGetFunction(&wait, module, "wait"));
	OK(cuMemHostAlloc((void **)&flag, 64, 0));
	OK(cuStreamCreate(&s, 1));
	OK(cuStreamCreate(&t, 1));
	OK(cuEventCreate(&e1, 0));
	OK(cuEventCreate(&e2, 0));
	OK(cuMemAlloc_v2(&p, 128));

	OK(cuMemsetD32Async(p, 0, 32, s));
	OK(run(add, p, 0, s)); /* translated before a kernel waits */

	/* the host goes on while the first launch of a kernel runs, and a cooperative one */
	void *params[] = { &flag };
	for (int i = 0; i < 2; i++) {
		flag[0] = 0, flag[1] = 0;
		OK(cuEventRecord(e1, s));
		if (i)
			OK(cuLaunchCooperativeKernel(wait, 1, 1, 1, 1, 1, 1, 0, s, params));
		else
			OK(cuLaunchKernel(wait, 1, 1, 1, 1, 1, 1, 0, s, params, NULL));
		OK(cuEventRecord(e2, s));
		WANT(cuStreamQuery(s), 600);
		WANT(cuEventQuery(e2), 600);
		WANT(cuEventElapsedTime(&ms, e1, e2), 600);
		OK(cuStreamQuery(t)); /* it has no work */
		nap();
		flag[0] = 1;
		while (cuStreamQuery(s) == 600)
			;
		OK(cuStreamQuery(s));
		OK(cuEventQuery(e2));
		WANT(flag[1], 7);
		OK(cuEventElapsedTime(&ms, e1, e2));
		WANT(ms >= 0, 1);
	}

	/* functions of the host: after what is before them in the stream, before what is after them, on another thread */
	flag[0] = 0;
	OK(cuMemsetD32Async(p, 5, 32, s));
	OK(cuLaunchKernel(wait, 1, 1, 1, 1, 1, 1, 0, s, params, NULL));
	OK(cuLaunchHostFunc(s, note, &one));
	OK(cuStreamAddCallback(s, note_status, &two, 0));
	OK(run(add, p, 1, s));
	OK(cuLaunchHostFunc(s, note, &three));
	nap();
	WANT(next, 0);
	WANT(cuStreamQuery(s), 600);
	flag[0] = 1;
	OK(cuStreamSynchronize(s));
	WANT(next, 3);
	WANT(order[0] == 1 && order[1] == 2 && order[2] == 3, 1);
	WANT(other_thread, 2);
	WANT(in_function, 800);
	OK(cuMemcpyDtoH_v2(host_copy, p, 128));
	WANT(host_copy[31], 6);
	OK(cuMemFree_v2(p));
	OK(cuMemFreeHost((void *)flag));
	OK(cuStreamDestroy_v2(s));
	OK(cuStreamDestroy_v2(t));
	if (n > 1) { /* after a fault: the callback learns of it, and the function does not run */
		next = 0;
		OK(cuMemAlloc_v2(&p, 64));
		OK(run(add, p, 1, NULL));
		OK(cuLaunchHostFunc(NULL, note, &one));
		OK(cuStreamAddCallback(NULL, note_status, &two, 0));
		WANT(cuCtxSynchronize(), 700);
		WANT(next, 1);
		WANT(order[0], 702);
	}
	(void)args;
	return finish();
}
