/* Graphs whose nodes a value of the device decides: IF, WHILE, SWITCH. The argument names a mistake. */
#include "cu.h"

struct kernel { void *f; unsigned grid[3], block[3], shared; void **list, **extra, *kernel, *context; };
struct conditional { int type, reserved[3]; uint64_t handle; uint32_t kind, count; void **bodies; void *context; uint64_t rest[27]; };

int cuGraphCreate(void **, unsigned), cuGraphDestroy(void *), cuGraphAddKernelNode_v2(void **, void *, void **, size_t, const struct kernel *), cuGraphConditionalHandleCreate(uint64_t *, void *, void *, unsigned, unsigned);
int cuGraphAddNode_v2(void **, void *, void **, void *, size_t, struct conditional *), cuGraphInstantiateWithFlags(void **, void *, uint64_t), cuGraphExecDestroy(void *), cuGraphLaunch(void *, void *);
int cuGraphNodeGetParams(void *, struct conditional *), cuGraphClone(void **, void *), cuMemsetD32_v2(ptr, unsigned, size_t), cuGraphExecUpdate_v2(void *, void *, void *), cuGraphDebugDotPrint(void *, const char *, unsigned);
int cuStreamBeginCaptureToGraph(void *, void *, void **, void *, size_t, int), cuStreamEndCapture(void *, void **);

/* set stores the value n, or one that it computes from the word at p: n minus the word. */
static const char text[] =
	".version 8.0\n.target sm_70\n.address_size 64\n.extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);\n"
	".visible .entry set(.param .u64 h, .param .u32 n)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p;\n"
	"ld.param.u64 %rd1, [h]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.ne.u32 %p, %r2, 0; @%p ret;\n"
	"{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd1; st.param.b32 [b], %r1; call.uni cudaGraphSetConditional, (a, b); }\nret;\n}\n"
	".visible .entry less(.param .u64 h, .param .u64 q, .param .u32 n)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p;\n"
	"ld.param.u64 %rd1, [h]; ld.param.u64 %rd2, [q]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.ne.u32 %p, %r2, 0; @%p ret;\n"
	"ld.global.u32 %r3, [%rd2]; sub.u32 %r1, %r1, %r3;\n"
	"{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd1; st.param.b32 [b], %r1; call.uni cudaGraphSetConditional, (a, b); }\nret;\n}\n";

static void *set, *less, *s;
static ptr p;

static void kernel(void **node, void *graph, void **needs, size_t count, void *f, void **list)
{
	struct kernel k = { f, { 1, 1, 1 }, { 32, 1, 1 }, 0, list, NULL, NULL, context };
	OK(cuGraphAddKernelNode_v2(node, graph, needs, count, &k));
}

static void *condition(void *graph, void **needs, size_t count, uint64_t handle, unsigned kind, unsigned bodies, void **out)
{
	struct conditional q = { 13, { 0 }, handle, kind, bodies, NULL, context, { 0 } };
	void *node = NULL;
	OK(cuGraphAddNode_v2(&node, graph, needs, NULL, count, &q));
	for (unsigned i = 0; i < bodies && q.bodies; i++)
		out[i] = q.bodies[i];
	return node;
}

static unsigned word(void)
{
	unsigned v[32];
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH_v2(v, p, sizeof v));
	for (int i = 1; i < 32; i++)
		WANT(v[i], v[0]);
	return v[0];
}

static void launch(void *x, unsigned want)
{
	OK(cuMemsetD32_v2(p, 0, 32));
	OK(cuStreamSynchronize(NULL));
	OK(cuGraphLaunch(x, s));
	WANT(word(), want);
}

/* A branch: the graph sets the value v; one of two inner graphs runs. */
static void branches(unsigned v, unsigned count, unsigned want)
{
	void *g, *x, *n[2], *body[2], *inner;
	uint64_t h;
	unsigned five = 5, seven = 7;
	void *first[] = { &h, &v }, *yes[] = { &p, &five }, *no[] = { &p, &seven };
	struct conditional got;
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphConditionalHandleCreate(&h, g, context, 0, 0));
	kernel(&n[0], g, NULL, 0, set, first);
	n[1] = condition(g, n, 1, h, 0, count, body);
	OK(cuGraphNodeGetParams(n[1], &got));
	WANT(got.type == 13 && got.handle == h && got.kind == 0 && got.count == count && got.bodies[0] == body[0], 1);
	kernel(&inner, body[0], NULL, 0, add, yes);
	if (count > 1)
		kernel(&inner, body[1], NULL, 0, add, no);
	WANT(cuGraphDestroy(body[0]), 1);
	WANT(cuGraphClone(&inner, g), 801);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	launch(x, want);
	launch(x, want);
	OK(cuGraphDestroy(g));
	launch(x, want); /* the executable graph keeps the value */
	OK(cuGraphExecDestroy(x));
}

/* A loop inside: the body adds 3 until the word is n. The default value begins each launch. */
static void loops(unsigned n, unsigned begin, unsigned want)
{
	void *g, *x, *node[2], *body;
	uint64_t h;
	unsigned three = 3;
	void *step[] = { &p, &three }, *test[] = { &h, &p, &n };
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphConditionalHandleCreate(&h, g, context, begin, 1));
	condition(g, NULL, 0, h, 1, 1, &body);
	kernel(&node[0], body, NULL, 0, add, step);
	kernel(&node[1], body, node, 1, less, test);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	launch(x, want);
	launch(x, want);
	OK(cuGraphDebugDotPrint(g, "/dev/null", 0));
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(g));
}

/* A choice whose second graph has a loop of its own, made by a capture. */
static void chooses(unsigned v, unsigned want)
{
	void *g, *x, *n[2], *body[3], *inner, *same;
	uint64_t h, loop;
	unsigned one = 1, ten = 10, six = 6;
	void *first[] = { &h, &v }, *a[] = { &p, &one }, *c[] = { &p, &ten }, *test[] = { &loop, &p, &six };
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphConditionalHandleCreate(&h, g, context, 0, 0));
	OK(cuGraphConditionalHandleCreate(&loop, g, context, 1, 1));
	kernel(&n[0], g, NULL, 0, set, first);
	condition(g, n, 1, h, 2, 3, body);
	kernel(&n[1], body[0], NULL, 0, add, a);
	condition(body[1], NULL, 0, loop, 1, 1, &inner);
	OK(cuStreamBeginCaptureToGraph(s, inner, NULL, NULL, 0, 2));
	OK(run(add, p, 2, s));
	OK(cuLaunchKernel(less, 1, 1, 1, 32, 1, 1, 0, s, test, NULL));
	if (v == 1) {
		OK(cuStreamEndCapture(s, NULL)); /* the graph is the program's own */
	} else {
		OK(cuStreamEndCapture(s, &same));
		WANT(same == inner, 1);
	}
	kernel(&n[1], body[2], NULL, 0, add, c);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	launch(x, want);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(g));
}

static void refused(void)
{
	struct conditional q = { 13, { 0 }, 0, 0, 1, NULL, context, { 0 } };
	void *g, *other, *node;
	uint64_t h;
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphCreate(&other, 0));
	WANT(cuGraphConditionalHandleCreate(&h, g, context, 0, 2), 1);
	OK(cuGraphConditionalHandleCreate(&h, g, context, 0, 0));
	q.handle = h + 1;
	WANT(cuGraphAddNode_v2(&node, g, NULL, NULL, 0, &q), 1);
	q.handle = h;
	WANT(cuGraphAddNode_v2(&node, other, NULL, NULL, 0, &q), 1);
	q.count = 0;
	WANT(cuGraphAddNode_v2(&node, g, NULL, NULL, 0, &q), 1);
	q.count = 3;
	WANT(cuGraphAddNode_v2(&node, g, NULL, NULL, 0, &q), 1);
	q.kind = 1, q.count = 2;
	WANT(cuGraphAddNode_v2(&node, g, NULL, NULL, 0, &q), 1);
	q.kind = 3, q.count = 1;
	WANT(cuGraphAddNode_v2(&node, g, NULL, NULL, 0, &q), 1);
	OK(cuGraphDestroy(other));
	OK(cuGraphDestroy(g));
}

/* The value has no default, and no kernel sets it. */
static void never_set(void)
{
	void *g, *x, *body, *inner;
	uint64_t h;
	unsigned one = 1;
	void *list[] = { &p, &one };
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphConditionalHandleCreate(&h, g, context, 0, 0));
	condition(g, NULL, 0, h, 0, 1, &body);
	kernel(&inner, body, NULL, 0, add, list);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	cuGraphLaunch(x, s);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(g));
}

/* A loop without a kernel never ends. */
static void endless(void)
{
	void *g, *x, *body;
	uint64_t h;
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphConditionalHandleCreate(&h, g, context, 1, 1));
	condition(g, NULL, 0, h, 1, 1, &body);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	WANT(cuGraphLaunch(x, s), 702);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(g));
}

/* Two kernels that nothing orders set one value. */
static void race(void)
{
	void *g, *x, *n[3], *body, *inner;
	uint64_t h;
	unsigned one = 1, two = 2;
	void *a[] = { &h, &one }, *b[] = { &h, &two }, *list[] = { &p, &one };
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphConditionalHandleCreate(&h, g, context, 0, 0));
	kernel(&n[0], g, NULL, 0, set, a);
	kernel(&n[1], g, NULL, 0, set, b);
	condition(g, n, 2, h, 0, 1, &body);
	kernel(&inner, body, NULL, 0, add, list);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	launch(x, 1);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(g));
}

int main(int argc, char **argv)
{
	void *module;
	begin();
	OK(cuModuleLoadData(&module, text));
	OK(cuModuleGetFunction(&set, module, "set"));
	OK(cuModuleGetFunction(&less, module, "less"));
	OK(cuStreamCreate(&s, 1));
	OK(cuMemAlloc_v2(&p, 128));
	OK(cuMemsetD32_v2(p, 0, 32));
	OK(cuStreamSynchronize(NULL));
	if (argc > 1 && !strcmp(argv[1], "unset")) {
		never_set();
	} else if (argc > 1 && !strcmp(argv[1], "endless")) {
		endless();
	} else if (argc > 1) {
		race();
	} else {
		branches(0, 1, 0);
		branches(4, 1, 5);
		branches(0, 2, 7);
		branches(1, 2, 5);
		loops(12, 1, 12);
		loops(3, 1, 3);
		loops(12, 0, 0); /* it never begins */
		chooses(0, 1);
		chooses(1, 6);
		chooses(2, 10);
		chooses(3, 0); /* none */
		refused();
	}
	OK(cuMemFree_v2(p));
	OK(cuStreamDestroy_v2(s));
	return finish();
}
