/* Programs that handle SIGSEGV themselves, and ways to learn of the end of an operation that are no calls. The argument
   chooses. */
#include "cu.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>

int cuMemAllocHost_v2(void **, size_t), cuMemFreeHost(void *), cuMemsetD32_v2(ptr, unsigned, size_t), cuMemcpyDtoHAsync_v2(void *, ptr, size_t, void *), cuMemAllocManaged(ptr *, size_t, unsigned);
int cuStreamQuery(void *), cuLaunchHostFunc(void *, void (*)(void *), void *), cuStreamAttachMemAsync(void *, ptr, size_t, unsigned);

static sigjmp_buf back;
static void *volatile where;
static volatile int handled, on_own_stack;
static char own_stack[64 << 10];

static void jump(int sig, siginfo_t *info, void *context)
{
	char here;
	(void)sig, (void)context;
	where = info->si_addr;
	on_own_stack = &here > own_stack && &here < own_stack + sizeof own_stack;
	handled++;
	siglongjmp(back, 1);
}

static void plain(int sig) { (void)sig; handled++; }

static void handle(void)
{
	struct sigaction a = { .sa_sigaction = jump, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t s = { .ss_sp = own_stack, .ss_size = sizeof own_stack };
	OK(sigaltstack(&s, NULL));
	OK(sigaction(SIGSEGV, &a, NULL));
}

static ptr p;
static unsigned *h;

static void memory_for_copies(void)
{
	OK(cuMemAlloc_v2(&p, 128));
	OK(cuMemsetD32_v2(p, 7, 32));
	OK(cuMemAllocHost_v2((void **)&h, 3 * 4096));
	OK(cuCtxSynchronize());
}

static volatile unsigned got;
static void look(void *unused) { (void)unused; got = h[1]; }

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	void *s;
	ptr m;
	if (!strcmp(what, "before"))
		handle();
	if (!strcmp(what, "ignored"))
		signal(SIGSEGV, SIG_IGN);
	if (!strcmp(what, "plain"))
		signal(SIGSEGV, plain);
	begin();
	memory_for_copies();
	OK(cuStreamCreate(&s, 1));
	if (!strcmp(what, "before")) {
		/* The program's handler gets the address, on its own stack; an access of nothing goes to it alone. */
		if (!sigsetjmp(back, 1))
			*(volatile unsigned *)(p + 4) = 1;
		WANT(where == (void *)(p + 4) && on_own_stack, 1);
		if (!sigsetjmp(back, 1))
			*(volatile unsigned *)16 = 1;
		WANT(where == (void *)16 && on_own_stack, 1);
		WANT(handled, 2);
		OK(cuMemcpyDtoHAsync_v2(h, p, 128, s));
		OK(cuStreamSynchronize(s));
		WANT(h[31], 7);
		WANT(handled, 2);
	} else if (!strcmp(what, "after")) {
		/* A handler that comes later replaces that of the library, which takes no rights away then. */
		handle();
		OK(cuMemcpyDtoHAsync_v2(h, p, 128, s));
		got = h[1];
		WANT(handled, 0);
		OK(cuStreamSynchronize(s));
		if (!sigsetjmp(back, 1))
			*(volatile unsigned *)(p + 4) = 1;
		WANT(handled, 1);
	} else if (!strcmp(what, "ignored") || !strcmp(what, "plain")) {
		OK(kill(getpid(), SIGSEGV));
		WANT(handled, !strcmp(what, "plain"));
	} else if (!strcmp(what, "default")) {
		raise(SIGSEGV);
	} else if (!strcmp(what, "null")) {
		*(volatile unsigned *)16 = 1;
	} else if (!strcmp(what, "ends")) {
		/* A query, a function of the host. */
		OK(cuMemcpyDtoHAsync_v2(h, p, 128, s));
		while (cuStreamQuery(s) == 600)
			;
		look(NULL);
		OK(cuMemsetD32_v2(p, 8, 32));
		OK(cuCtxSynchronize());
		OK(cuMemcpyDtoHAsync_v2(h, p, 128, s));
		OK(cuLaunchHostFunc(s, look, NULL));
		OK(cuStreamSynchronize(s));
		WANT(got, 8);
		/* Other bytes of the pages of a copy belong to the host. */
		OK(cuMemcpyDtoHAsync_v2(h, p, 128, s));
		h[32] = 1, h[1024] = 2;
		WANT(h[32] + h[1024], 3);
		OK(cuCtxSynchronize());
		/* A kernel after the copy tells the host by memory that both use. */
		OK(cuMemAllocHost_v2((void **)&h, 128));
		unsigned *flag;
		OK(cuMemAllocHost_v2((void **)&flag, 128));
		memset(flag, 0, 128);
		OK(cuMemcpyDtoHAsync_v2(h, p, 128, s));
		OK(run(add, (ptr)flag, 1, s));
		while (!*(volatile unsigned *)flag)
			;
		look(NULL);
		WANT(got, 8);
		OK(cuCtxSynchronize());
		/* Managed memory that is attached to the host. */
		OK(cuMemAllocManaged(&m, 128, 2));
		OK(run(add, p, 1, s));
		*(volatile unsigned *)m = 4;
		OK(cuCtxSynchronize());
		OK(cuStreamAttachMemAsync(NULL, m, 0, 1));
		OK(run(add, p, 1, s));
		OK(cuStreamSynchronize(s));
		*(volatile unsigned *)m = 5;
	}
	return finish();
}
