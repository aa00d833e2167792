/* Clusters of blocks, by the attribute of a launch and by what the kernel requires, alone and in a graph. */
#include "cu.h"

struct config { unsigned grid[3], block[3], shared; void *stream, *attributes; unsigned count; };
struct attribute { unsigned id, pad; unsigned value[16]; };
int cuLaunchKernelEx(const struct config *, void *, void **, void **), cuDeviceGetAttribute(int *, int, int);
int cuOccupancyMaxActiveClusters(int *, void *, const struct config *), cuOccupancyMaxPotentialClusterSize(int *, void *, const struct config *);
int cuStreamBeginCapture_v2(void *, int), cuStreamEndCapture(void *, void **), cuGraphInstantiateWithFlags(void **, void *, unsigned long long), cuGraphLaunch(void *, void *);
int cuGraphExecDestroy(void *), cuGraphDestroy(void *);

/* each block stores 100 times its rank and the number of its cluster to the memory of the next block, which stores it at p */
#define BODY(name, directives) \
	".visible .entry " name "(.param .u64 p) " directives "\n{\n.shared .align 4 .b32 cell;\n.reg .b32 %r<9>; .reg .b64 %rd<3>;\n" \
	"mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank; mov.u32 %r3, %clusterid.x; mad.lo.u32 %r3, %r1, 100, %r3;\n" \
	"add.u32 %r4, %r1, 1; rem.u32 %r4, %r4, %r2; mov.u32 %r5, cell; mapa.shared::cluster.u32 %r5, %r5, %r4;\n" \
	"barrier.cluster.arrive; barrier.cluster.wait;\nst.shared::cluster.u32 [%r5], %r3;\nbarrier.cluster.arrive; barrier.cluster.wait;\n" \
	"ld.shared.u32 %r6, [cell]; ld.param.u64 %rd1, [p]; mov.u32 %r7, %ctaid.x; mul.wide.u32 %rd2, %r7, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r6; ret;\n}\n"
static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n" BODY("plain", "") BODY("pairs", ".reqnctapercluster 2");

static void expect(ptr p, unsigned blocks, unsigned size)
{
	unsigned got[16];
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH_v2(got, p, 4 * blocks));
	for (unsigned b = 0; b < blocks; b++)
		WANT(got[b], (b % size + size - 1) % size * 100 + b / size);
}

int main(void)
{
	struct attribute a = { 4, 0, { 4, 1, 1 } };
	struct config c = { { 8, 1, 1 }, { 1, 1, 1 }, 0, NULL, &a, 1 };
	void *module, *plain, *pairs, *s, *graph, *exec;
	ptr p;
	void *params[] = { &p };
	int v;

	begin();
	OK(cuDeviceGetAttribute(&v, 120, 0));
	WANT(v, 1);
	OK(cuModuleLoadData(&module, text));
	OK(cuModuleGetFunction(&plain, module, "plain"));
	OK(cuModuleGetFunction(&pairs, module, "pairs"));
	OK(cuStreamCreate(&s, 1));
	OK(cuMemAlloc_v2(&p, 64));

	OK(cuLaunchKernelEx(&c, plain, params, NULL));
	expect(p, 8, 4);
	OK(cuLaunchKernel(plain, 8, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	expect(p, 8, 1);
	OK(cuLaunchKernel(pairs, 8, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	expect(p, 8, 2);

	OK(cuOccupancyMaxPotentialClusterSize(&v, plain, &c));
	WANT(v, 8);
	OK(cuOccupancyMaxActiveClusters(&v, plain, &c));
	WANT(v > 0, 1);

	/* a graph keeps the size */
	c.stream = s;
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuLaunchKernelEx(&c, plain, params, NULL));
	OK(cuStreamEndCapture(s, &graph));
	OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cuGraphLaunch(exec, s));
	expect(p, 8, 4);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));

	/* sizes that cannot be */
	a.value[0] = 17;
	WANT(cuLaunchKernelEx(&c, plain, params, NULL), 912);
	a.value[0] = 3; /* the grid is no multiple */
	WANT(cuLaunchKernelEx(&c, plain, params, NULL) != 0, 1);

	OK(cuStreamDestroy_v2(s));
	OK(cuMemFree_v2(p));
	return finish();
}
