/* Graphs made by calls: nodes of all types, edges, parameters, executable graphs, updates, clones, owned objects, memory.
   With the argument "race" an edge is missing between two nodes that use the same memory. */
#include "cu.h"

struct kernel { void *f; unsigned grid[3], block[3], shared; void **params, **extra; void *kernel, *context; };
struct fill { ptr p; size_t pitch; unsigned value, element; size_t width, height; };
struct host { void (*f)(void *); void *data; };
struct copy { size_t sx, sy, sz, sl; unsigned st; const void *sh; ptr sd; void *sa, *r0; size_t sp, shh, dx, dy, dz, dl; unsigned dt; void *dh; ptr dd; void *da, *r1; size_t dp, dhh, w, h, d; };
struct memory { struct { int type, handles, at, id; void *security; size_t limit; unsigned short usage; char reserved[54]; } pool; void *access; size_t access_count, size; ptr p; };
struct instantiate { uint64_t flags; void *stream, *bad; int result; };
struct update { int result; void *node, *from; };
int cuModuleUnload(void *), cuGraphCreate(void **, unsigned), cuGraphDestroy(void *), cuGraphClone(void **, void *), cuGraphNodeFindInClone(void **, void *, void *), cuGraphDebugDotPrint(void *, const char *, unsigned);
int cuGraphAddKernelNode_v2(void **, void *, void **, size_t, const struct kernel *), cuGraphAddMemcpyNode(void **, void *, void **, size_t, const struct copy *, void *), cuGraphAddMemsetNode(void **, void *, void **, size_t, const struct fill *, void *);
int cuGraphAddHostNode(void **, void *, void **, size_t, const struct host *), cuGraphAddEmptyNode(void **, void *, void **, size_t), cuGraphAddChildGraphNode(void **, void *, void **, size_t, void *);
int cuGraphAddEventRecordNode(void **, void *, void **, size_t, void *), cuGraphAddEventWaitNode(void **, void *, void **, size_t, void *), cuGraphAddMemAllocNode(void **, void *, void **, size_t, struct memory *), cuGraphAddMemFreeNode(void **, void *, void **, size_t, ptr);
int cuGraphAddNode_v2(void **, void *, void **, void *, size_t, void *), cuGraphNodeGetParams(void *, void *), cuGraphNodeSetParams_v2(void *, void *), cuGraphKernelNodeGetParams_v2(void *, struct kernel *), cuGraphKernelNodeSetParams_v2(void *, const struct kernel *);
int cuGraphAddDependencies_v2(void *, void **, void **, void *, size_t), cuGraphRemoveDependencies_v2(void *, void **, void **, void *, size_t), cuGraphGetNodes(void *, void **, size_t *), cuGraphGetRootNodes(void *, void **, size_t *), cuGraphGetEdges_v2(void *, void **, void **, void *, size_t *);
int cuGraphNodeGetDependencies_v2(void *, void **, void *, size_t *), cuGraphNodeGetDependentNodes_v2(void *, void **, void *, size_t *), cuGraphNodeGetType(void *, int *), cuGraphDestroyNode(void *), cuGraphMemsetNodeGetParams(void *, struct fill *), cuGraphChildGraphNodeGetGraph(void *, void **);
int cuGraphInstantiateWithFlags(void **, void *, uint64_t), cuGraphInstantiateWithParams(void **, void *, struct instantiate *), cuGraphExecDestroy(void *), cuGraphLaunch(void *, void *), cuGraphUpload(void *, void *), cuGraphExecUpdate_v2(void *, void *, struct update *);
int cuGraphExecKernelNodeSetParams_v2(void *, void *, const struct kernel *), cuGraphExecMemsetNodeSetParams(void *, void *, const struct fill *, void *), cuGraphExecHostNodeSetParams(void *, void *, const struct host *), cuGraphNodeSetEnabled(void *, void *, unsigned), cuGraphExecGetFlags(void *, uint64_t *);
int cuUserObjectCreate(void **, void *, void (*)(void *), unsigned, unsigned), cuUserObjectRetain(void *, unsigned), cuUserObjectRelease(void *, unsigned), cuGraphRetainUserObject(void *, void *, unsigned, unsigned), cuGraphReleaseUserObject(void *, void *, unsigned);
int cuDeviceGetGraphMemAttribute(int, int, uint64_t *), cuMemFreeAsync(ptr, void *), cuEventElapsedTime(float *, void *, void *), cuGraphKernelNodeSetAttribute(void *, int, const void *);

static void *s;
static ptr p, q;
static unsigned out[32];

static struct kernel kernel_of(void *f, ptr *at, unsigned *n, void **list)
{
	struct kernel k = { f, { 1, 1, 1 }, { 32, 1, 1 }, 0, list, NULL, NULL, NULL };
	list[0] = at, list[1] = n;
	return k;
}

static struct copy to_host(ptr from)
{
	struct copy c = { 0 };
	c.st = 2, c.sd = from, c.dt = 1, c.dh = out, c.w = sizeof out, c.h = 1, c.d = 1;
	return c;
}

static int counted;
static void count(void *n) { counted += *(int *)n; }

/* A chain: fill with 3, add 4, multiply by 5, copy to the host, call the host. */
static void chain(void)
{
	void *g, *x, *y, *n[5], *list[2], *nodes[8], *to[8], *clone, *found;
	unsigned four = 4, five = 5, seven = 7;
	int one = 1, hundred = 100, type;
	size_t c;
	char edges[8 * 8];
	struct fill f = { p, 0, 3, 4, 32, 1 }, got;
	struct kernel k = kernel_of(add, &p, &four, list), back;
	struct copy copy = to_host(p);
	struct host h = { count, &one };
	struct instantiate how = { 0, NULL, NULL, 9 };
	struct update result;
	uint64_t flags;

	WANT(sizeof k, 72);
	WANT(cuGraphCreate(&g, 1), 1);
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddMemsetNode(&n[0], g, NULL, 0, &f, context));
	OK(cuGraphAddKernelNode_v2(&n[1], g, n, 1, &k));
	k = kernel_of(scale, &p, &five, list);
	OK(cuGraphAddKernelNode_v2(&n[2], g, n + 1, 1, &k));
	five = 99; /* the value was copied */
	OK(cuGraphAddMemcpyNode(&n[3], g, n + 2, 1, &copy, context));
	OK(cuGraphAddHostNode(&n[4], g, n + 3, 1, &h));
	k.block[0] = 5000;
	WANT(cuGraphAddKernelNode_v2(&found, g, NULL, 0, &k), 1);
	f.element = 3;
	WANT(cuGraphAddMemsetNode(&found, g, NULL, 0, &f, context), 1);
	c = 8;
	OK(cuGraphGetNodes(g, nodes, &c));
	WANT(c == 5 && nodes[4] == n[4] && nodes[5] == NULL, 1);
	OK(cuGraphGetNodes(g, NULL, &c));
	WANT(c, 5);
	c = 1;
	OK(cuGraphGetRootNodes(g, nodes, &c));
	WANT(c == 1 && nodes[0] == n[0], 1);
	c = 8;
	OK(cuGraphGetEdges_v2(g, nodes, to, edges, &c));
	WANT(c == 4 && nodes[3] == n[3] && to[3] == n[4] && edges[0] == 0, 1);
	c = 8;
	OK(cuGraphNodeGetDependencies_v2(n[2], nodes, edges, &c));
	WANT(c == 1 && nodes[0] == n[1], 1);
	c = 8;
	OK(cuGraphNodeGetDependentNodes_v2(n[2], nodes, NULL, &c));
	WANT(c == 1 && nodes[0] == n[3], 1);
	OK(cuGraphNodeGetType(n[3], &type));
	WANT(type, 1);
	OK(cuGraphMemsetNodeGetParams(n[0], &got));
	WANT(got.value == 3 && got.width == 32, 1);
	OK(cuGraphKernelNodeGetParams_v2(n[2], &back));
	WANT(back.f == scale && *(unsigned *)back.params[1] == 5 && *(ptr *)back.params[0] == p, 1);

	OK(cuGraphInstantiateWithParams(&x, g, &how));
	WANT(how.result, 0);
	OK(cuGraphUpload(x, s));
	OK(cuGraphLaunch(x, s));
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	WANT(out[0], 35);
	WANT(out[31], 35);
	WANT(counted, 2);

	/* parameters of the executable graph; the graph keeps its own */
	k = kernel_of(add, &p, &seven, list);
	OK(cuGraphExecKernelNodeSetParams_v2(x, n[1], &k));
	h.data = &hundred;
	OK(cuGraphExecHostNodeSetParams(x, n[4], &h));
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	WANT(out[9], 50);
	WANT(counted, 102);
	OK(cuGraphNodeSetEnabled(x, n[2], 0));
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	WANT(out[9], 10);
	WANT(cuGraphNodeSetEnabled(x, n[4], 0), 1);

	/* updates */
	OK(cuGraphNodeSetEnabled(x, n[2], 1));
	OK(cuGraphKernelNodeGetParams_v2(n[1], &back));
	*(unsigned *)back.params[1] = 1; /* the list points at the parameters of the node */
	OK(cuGraphKernelNodeSetParams_v2(n[1], &back));
	OK(cuGraphExecUpdate_v2(x, g, &result));
	WANT(result.result, 0);
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	WANT(out[9], 20);
	WANT(counted, 203);
	OK(cuGraphClone(&clone, g));
	OK(cuGraphNodeFindInClone(&found, n[3], clone));
	OK(cuGraphDestroyNode(found));
	WANT(cuGraphNodeGetType(found, &type), 1);
	WANT(cuGraphExecUpdate_v2(x, clone, &result), 910);
	WANT(result.result, 2);
	OK(cuGraphInstantiateWithFlags(&y, clone, 8));
	OK(cuGraphExecGetFlags(y, &flags));
	WANT(flags, 8);
	OK(cuGraphDestroy(clone));
	out[9] = 0;
	OK(cuGraphLaunch(y, s));
	OK(cuStreamSynchronize(s));
	WANT(out[9], 0); /* it has no copy to the host */
	WANT(counted, 204);
	OK(cuMemcpyDtoH_v2(out, p, sizeof out));
	WANT(out[9], 20);
	OK(cuGraphExecDestroy(y));
	WANT(cuGraphLaunch(y, s), 1);

	/* a kernel whose module is unloaded */
	OK(cuModuleLoadData(&found, kernels));
	OK(cuModuleGetFunction(&k.f, found, "add"));
	k.block[0] = 32;
	OK(cuGraphAddKernelNode_v2(&nodes[0], g, NULL, 0, &k));
	OK(cuModuleUnload(found));
	OK(cuGraphInstantiateWithFlags(&y, g, 0));
	WANT(cuGraphLaunch(y, s), 400);
	OK(cuGraphExecDestroy(y));
	OK(cuGraphDestroyNode(nodes[0]));

	/* edges that are a circle */
	OK(cuGraphAddDependencies_v2(g, n + 4, n, NULL, 1));
	WANT(cuGraphAddDependencies_v2(g, n + 4, n, NULL, 1), 1);
	WANT(cuGraphInstantiateWithParams(&y, g, &how), 1);
	WANT(how.result == 2 && how.bad != NULL, 1);
	OK(cuGraphRemoveDependencies_v2(g, n + 4, n, NULL, 1));
	WANT(cuGraphInstantiateWithFlags(&y, g, 4), 801);
	OK(cuGraphDestroy(g));
	WANT(cuGraphDestroy(g), 1);
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	WANT(out[9], 20);
	OK(cuGraphExecDestroy(x));
}

/* A diamond: two branches on halves of their own, joined by a kernel; with an inner graph and events. */
static void diamond(int race)
{
	void *g, *inner, *x, *n[6], *list[2], *e1, *e2, *got;
	unsigned one = 1, two = 2, three = 3;
	float ms;
	char dot[4096] = "", name[] = "/tmp/crosslane-dot-XXXXXX";
	struct fill f = { p, 0, 10, 4, 32, 1 };
	struct kernel k;
	struct { int type, reserved[3]; union { struct kernel k; char bytes[232]; } u; uint64_t reserved2; } params = { 0 };
	FILE *file;
	WANT(sizeof params, 256);
	OK(cuEventCreate(&e1, 0));
	OK(cuEventCreate(&e2, 0));
	OK(cuGraphCreate(&inner, 0));
	k = kernel_of(add, &q, &two, list);
	OK(cuGraphAddKernelNode_v2(&n[0], inner, NULL, 0, &k));
	k = kernel_of(scale, &q, &three, list);
	OK(cuGraphAddKernelNode_v2(&n[1], inner, n, 1, &k));
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddMemsetNode(&n[0], g, NULL, 0, &f, context));
	f.p = q;
	OK(cuGraphAddMemsetNode(&n[1], g, NULL, 0, &f, context));
	params.u.k = kernel_of(add, &p, &one, list); /* the branch of p */
	OK(cuGraphAddNode_v2(&n[2], g, n, NULL, 1, &params));
	OK(cuGraphAddChildGraphNode(&n[3], g, n + 1, race ? 0 : 1, inner)); /* the branch of q; its fill comes before */
	OK(cuGraphDestroy(inner));
	OK(cuGraphChildGraphNodeGetGraph(n[3], &got));
	WANT(cuGraphDestroy(got), 1);
	OK(cuGraphAddEventRecordNode(&n[4], g, n + 2, 2, e1));
	OK(cuGraphAddEmptyNode(&n[5], g, n + 1, 1));
	OK(cuGraphNodeGetParams(n[2], &params));
	WANT(params.type == 0 && params.u.k.f == add && params.u.k.block[0] == 32, 1);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	for (int i = 0; i < 2; i++) {
		OK(cuGraphLaunch(x, s));
		OK(cuEventRecord(e2, s));
		OK(cuStreamSynchronize(s));
		OK(cuMemcpyDtoH_v2(out, p, sizeof out));
		WANT(out[7], 11);
		OK(cuMemcpyDtoH_v2(out, q, sizeof out));
		WANT(out[7], 36);
	}
	OK(cuEventElapsedTime(&ms, e1, e2));
	close(mkstemp(name));
	OK(cuGraphDebugDotPrint(g, name, 1));
	file = fopen(name, "r");
	WANT(file != NULL && fread(dot, 1, sizeof dot - 1, file) > 0, 1);
	WANT(strstr(dot, "digraph") && strstr(dot, "KERNEL\\nadd") && strstr(dot, "->"), 1);
	fclose(file);
	remove(name);
	params.type = 12;
	WANT(cuGraphAddNode_v2(&n[5], g, NULL, NULL, 0, &params), 801);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(g));
	OK(cuEventDestroy_v2(e1));
	OK(cuEventDestroy_v2(e2));
}

/* The function of an object is called when its last owner goes: the program, a graph, an executable graph. */
static void owners(void)
{
	void *o, *g, *x;
	int one = 1;
	counted = 0;
	WANT(cuUserObjectCreate(&o, &one, count, 1, 0), 1);
	OK(cuUserObjectCreate(&o, &one, count, 2, 1));
	OK(cuUserObjectRetain(o, 1));
	OK(cuUserObjectRelease(o, 2));
	WANT(cuUserObjectRelease(o, 2), 1);
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphRetainUserObject(g, o, 1, 1)); /* the graph takes the reference */
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuGraphLaunch(x, s));
	WANT(cuGraphReleaseUserObject(g, o, 2), 1);
	OK(cuGraphDestroy(g));
	WANT(counted, 0);
	OK(cuGraphExecDestroy(x));
	WANT(counted, 1);
	WANT(cuUserObjectRetain(o, 1), 1);
	OK(cuUserObjectCreate(&o, &one, count, 1, 1));
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphRetainUserObject(g, o, 2, 0));
	OK(cuUserObjectRelease(o, 1));
	OK(cuGraphReleaseUserObject(g, o, 1));
	WANT(counted, 1);
	OK(cuGraphDestroy(g));
	WANT(counted, 2);
}

/* Memory of a graph has one address in all launches. */
static void memory_nodes(void)
{
	void *g, *x, *n[4], *list[2];
	unsigned six = 6;
	uint64_t used;
	struct memory m = { .pool = { .type = 1, .at = 1 }, .size = 128 };
	struct fill f;
	struct kernel k;
	struct copy c;
	WANT(sizeof m, 120);
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddMemAllocNode(&n[0], g, NULL, 0, &m));
	f = (struct fill){ m.p, 0, 1, 4, 32, 1 };
	OK(cuGraphAddMemsetNode(&n[1], g, n, 1, &f, context));
	k = kernel_of(add, &m.p, &six, list);
	OK(cuGraphAddKernelNode_v2(&n[2], g, n + 1, 1, &k));
	c = to_host(m.p);
	OK(cuGraphAddMemcpyNode(&n[3], g, n + 2, 1, &c, context));
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	WANT(out[3], 7);
	OK(cuDeviceGetGraphMemAttribute(0, 0, &used));
	WANT(used, 128);
	WANT(cuGraphLaunch(x, s), 1); /* the memory is still allocated */
	OK(cuMemFreeAsync(m.p, s));
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	OK(cuMemFree_v2(m.p));
	WANT(cuMemFree_v2(m.p), 1);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphAddMemFreeNode(&n[0], g, n + 3, 1, m.p));
	WANT(cuGraphAddMemFreeNode(&n[0], g, n + 3, 1, p), 1);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuGraphLaunch(x, s));
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	OK(cuDeviceGetGraphMemAttribute(0, 0, &used));
	WANT(used, 0);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(g));
	OK(cuDeviceGetGraphMemAttribute(0, 2, &used));
	WANT(used, 0);
}

int main(int argc, char **argv)
{
	int race = argc > 1 && !strcmp(argv[1], "race");
	begin();
	OK(cuStreamCreate(&s, 1));
	OK(cuMemAlloc_v2(&p, 128));
	OK(cuMemAlloc_v2(&q, 128));
	chain();
	diamond(race);
	owners();
	memory_nodes();
	OK(cuMemFree_v2(p));
	OK(cuMemFree_v2(q));
	OK(cuStreamDestroy_v2(s));
	return finish();
}
