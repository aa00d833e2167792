/* Kernels on the host's own memory by ptx_run: of malloc, of the stack, of a mapping, in many pieces, by pointers in
   memory. With the argument "unmapped" a kernel stores where nothing is, with "constant" where the process may not, with
   "undefined" it stores what it has not written. */
#include "cu.h"
#include <dlfcn.h>

static int (*ptx_run)(const char *, int, void **, int, int, int, int, int, int, int);

#define HEAD ".version 7.5\n.target sm_35\n.address_size 64\n"

/* each adds n to each of the 4-byte elements at p, one a lane. */
static const char each[] = HEAD
	".visible .entry each(.param .u64 p, .param .u32 n)\n{\n.reg .b32 %r<6>; .reg .b64 %rd<3>;\n"
	"ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;\n"
	"mad.lo.u32 %r2, %r3, %r4, %r2; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2;\n"
	"ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, %r1; st.global.u32 [%rd1], %r5; ret;\n}\n";

/* list adds the values of a list, {value, address of the next node}, and counts the launches in a variable. */
static const char list[] = HEAD
	".global .align 4 .u32 launches;\n"
	".visible .entry list(.param .u64 out, .param .u64 first)\n{\n.reg .b32 %r<5>; .reg .b64 %rd<4>; .reg .pred %q;\n"
	"ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [first]; mov.u32 %r1, 0;\n"
	"ld.global.u32 %r3, [launches]; add.u32 %r3, %r3, 1; st.global.u32 [launches], %r3;\n"
	"next: setp.eq.u64 %q, %rd2, 0; @%q bra done; ld.global.u32 %r2, [%rd2]; add.u32 %r1, %r1, %r2; ld.global.u64 %rd2, [%rd2+8]; bra next;\n"
	"done: st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r3; ret;\n}\n";

/* copy copies a word from shared memory that it has not written. */
static const char undefined[] = HEAD
	".visible .entry copy(.param .u64 p)\n{\n.shared .align 4 .b8 s[128]; .reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
	"ld.param.u64 %rd1, [p]; ld.shared.u32 %r1, [s]; st.global.u32 [%rd1], %r1; ret;\n}\n";

struct node { unsigned value, unused; struct node *next; };

static int run_each(void *p, unsigned n, int lanes, int blocks)
{
	void *args[] = { p, (void *)(uintptr_t)n };
	return ptx_run(each, 2, args, lanes, 1, 1, blocks, 1, 1, 0);
}

static volatile int stop;
static unsigned neighbour[2]; /* a kernel adds to the first, a thread of the host to the second */

static void *count(void *unused)
{
	while (!stop)
		neighbour[1]++;
	return unused;
}

int main(int argc, char **argv)
{
	enum { MANY = 1 << 20 };
	unsigned *a = malloc(4 * MANY), on_stack[64], out[2] = { 0 }, last;
	unsigned char *page = mmap(NULL, 3 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct node *nodes[40];
	void *library = dlopen("libgpuocelot.so", RTLD_NOW);
	pthread_t thread;

	*(void **)&ptx_run = library ? dlsym(library, "ptx_run") : NULL;
	if (!ptx_run)
		return printf("no ptx_run: %s\n", dlerror()), 1;
	if (argc > 1 && !strcmp(argv[1], "unmapped")) {
		munmap(page + (1 << 16), 1 << 16);
		WANT(run_each(page + (1 << 16) - 64, 1, 32, 1), 700);
		WANT(page[(1 << 16) - 64], 0);
		OK(run_each(page, 1, 32, 1)); /* the fault has ended the launch, and no other one */
		WANT(page[0], 1);
		return finish();
	}
	if (argc > 1 && !strcmp(argv[1], "constant")) {
		mprotect(page, 4096, PROT_READ);
		WANT(run_each(page, 1, 32, 1), 700);
		return finish();
	}
	if (argc > 1 && !strcmp(argv[1], "undefined")) {
		void *args[] = { a };
		OK(ptx_run(undefined, 1, args, 1, 1, 1, 1, 1, 1, 0));
		return finish();
	}
	for (int i = 0; i < MANY; i++)
		a[i] = (unsigned)i;
	for (int i = 0; i < 64; i++)
		on_stack[i] = 5;
	OK(run_each(a, 3, 256, MANY / 256));
	for (int i = 0; i < MANY; i++)
		if (a[i] != (unsigned)i + 3)
			return printf("element %d is %u\n", i, a[i]), 1;
	OK(run_each(a + 1, 7, 32, 1)); /* 4 bytes past a page's start, and pieces of the size that was learned */
	WANT(a[0], 3);
	WANT(a[1], 11);
	WANT(a[33], 36);
	OK(run_each(on_stack + 16, 2, 32, 1));
	WANT(on_stack[15], 5);
	WANT(on_stack[16], 7);
	WANT(on_stack[47], 7);
	WANT(on_stack[48], 5);
	for (int i = 0; i < 40; i++) {
		nodes[i] = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		nodes[i]->value = 1u << (i % 20);
		mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	for (int i = 0; i + 1 < 40; i++)
		nodes[i]->next = nodes[i + 1];
	for (unsigned k = 1; k <= 2; k++) {
		void *args[] = { out, nodes[0] };
		OK(ptx_run(list, 2, args, 1, 1, 1, 1, 1, 1, 0));
		WANT(out[0], 2 * ((1 << 20) - 1));
		WANT(out[1], k); /* launches that had to be made again have not counted */
	}
	pthread_create(&thread, NULL, count, NULL);
	for (int i = 0; i < 50; i++)
		OK(run_each(neighbour, 1, 1, 1));
	last = *(volatile unsigned *)&neighbour[1];
	while (*(volatile unsigned *)&neighbour[1] == last)
		;
	stop = 1;
	pthread_join(thread, NULL);
	WANT(neighbour[0], 50);
	WANT(run_each(NULL, 1, 0, 1), 1);
	WANT(ptx_run(each, 1, (void *[]){ a }, 32, 1, 1, 1, 1, 1, 0), 1);
	WANT(ptx_run(kernels, 2, (void *[]){ a, a }, 32, 1, 1, 1, 1, 1, 0), 1);
	WANT(ptx_run("no PTX", 0, NULL, 1, 1, 1, 1, 1, 1, 0), 218);
	return finish();
}
