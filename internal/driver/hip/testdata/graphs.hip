/* Nodes of graphs: what a program reads of them, changes in them, and changes in a graph that was instantiated. Each change is
   seen by what the next launch writes. */
#include "mini.h"

struct kernel_node { dim3 block; void **extra; void *f; dim3 grid; void **params; unsigned shared; };
struct fill_node { void *p; unsigned element; size_t height, pitch; unsigned value; size_t width; };
struct host_node { void (*f)(void *); void *data; };
struct instantiate { void *node; unsigned long long flags; unsigned result; void *stream; };
typedef void *node_t;

extern "C" {
hipError_t hipGraphKernelNodeGetParams(node_t, void *), hipGraphKernelNodeSetParams(node_t, const void *), hipGraphExecKernelNodeSetParams(void *, node_t, const void *);
hipError_t hipGraphAddMemcpyNode(node_t *, void *, const void *, size_t, const parms *), hipGraphMemcpyNodeGetParams(node_t, parms *), hipGraphMemcpyNodeSetParams(node_t, const parms *), hipGraphExecMemcpyNodeSetParams(void *, node_t, const parms *);
hipError_t hipGraphMemcpyNodeSetParams1D(node_t, void *, const void *, size_t, int), hipGraphExecMemcpyNodeSetParams1D(void *, node_t, void *, const void *, size_t, int);
hipError_t hipGraphAddMemcpyNodeToSymbol(node_t *, void *, const void *, size_t, const void *, const void *, size_t, size_t, int), hipGraphAddMemcpyNodeFromSymbol(node_t *, void *, const void *, size_t, void *, const void *, size_t, size_t, int);
hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(void *, node_t, const void *, const void *, size_t, size_t, int);
hipError_t hipGraphAddMemsetNode(node_t *, void *, const void *, size_t, const fill_node *), hipGraphMemsetNodeGetParams(node_t, fill_node *), hipGraphMemsetNodeSetParams(node_t, const fill_node *), hipGraphExecMemsetNodeSetParams(void *, node_t, const fill_node *);
hipError_t hipGraphAddHostNode(node_t *, void *, const void *, size_t, const host_node *), hipGraphHostNodeGetParams(node_t, host_node *), hipGraphHostNodeSetParams(node_t, const host_node *), hipGraphExecHostNodeSetParams(void *, node_t, const host_node *);
hipError_t hipGraphAddEventRecordNode(node_t *, void *, const void *, size_t, hipEvent_t), hipGraphEventRecordNodeGetEvent(node_t, hipEvent_t *), hipGraphEventRecordNodeSetEvent(node_t, hipEvent_t);
hipError_t hipGraphExecUpdate(void *, void *, node_t *, unsigned *), hipGraphInstantiateWithParams(void *, void *, instantiate *), hipGraphExecGetFlags(void *, unsigned long long *);
hipError_t hipGraphNodeSetEnabled(void *, node_t, unsigned), hipGraphNodeGetEnabled(void *, node_t, unsigned *), hipGraphGetNodes(void *, node_t *, size_t *);
hipError_t hipUserObjectCreate(void *, void *, void *, unsigned, unsigned), hipUserObjectRelease(void *, unsigned), hipGraphRetainUserObject(void *, void *, unsigned, unsigned);
hipError_t hipStreamWriteValue32(hipStream_t, void *, unsigned, unsigned), hipStreamWaitValue32(hipStream_t, void *, unsigned, unsigned, unsigned);
hipError_t hipMemsetD2D16(void *, size_t, unsigned short, size_t, size_t), hipGetProcAddress(const char *, void *, int, unsigned long long, unsigned *);
}

static __global__ void add(int *p, int v) { p[blockIdx_x * blockDim_x + threadIdx_x] += v; }

static __device__ int variable[4];

static void one(void *p) { *(int *)p += 1; }
static void ten(void *p) { *(int *)p += 10; }
static int destroyed;
static void destroy(void *p) { destroyed += *(int *)p; }

enum { N = 128 };

static int *d, h[N];

/* equal looks at the memory of the device. */
static bool equal(int v)
{
	CHECK(hipDeviceSynchronize());
	CHECK(hipMemcpy(h, d, sizeof h, hipMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		if (h[i] != v)
			return false;
	return true;
}

static void kernels_and_fills(void)
{
	void *graph, *other, *exec;
	node_t fill, kernel, bad;
	int v = 5;
	unsigned result = 9, enabled = 9;
	void *params[] = { &d, &v };
	unsigned long long flags = 9;
	kernel_node k = { dim3(N / 64), NULL, (void *)add, dim3(64), params, 0 }, got;
	fill_node f = { d, 4, 1, 0, 100, N }, filled;
	instantiate with = { &fill, 0, 9, NULL };
	k.block = dim3(64), k.grid = dim3(N / 64);
	CHECK(hipGraphCreate(&graph, 0));
	CHECK(hipGraphAddMemsetNode(&fill, graph, NULL, 0, &f)), CHECK(hipGraphAddKernelNode(&kernel, graph, &fill, 1, &k));
	CHECK(hipGraphKernelNodeGetParams(kernel, &got)), CHECK(hipGraphMemsetNodeGetParams(fill, &filled));
	EXPECT(got.f == (void *)add && got.grid.x == 2 && got.block.x == 64 && *(int *)got.params[1] == 5);
	EXPECT(filled.p == d && filled.value == 100 && filled.width == N && filled.height == 1 && filled.element == 4);
	CHECK(hipGraphInstantiateWithParams(&exec, graph, &with));
	EXPECT(with.node == NULL && with.result == 0);
	CHECK(hipGraphExecGetFlags(exec, &flags));
	EXPECT(flags == 0);
	CHECK(hipGraphLaunch(exec, 0));
	EXPECT(equal(105));
	v = 7, f.value = 200; /* in the instantiated graph */
	CHECK(hipGraphExecKernelNodeSetParams(exec, kernel, &k)), CHECK(hipGraphExecMemsetNodeSetParams(exec, fill, &f));
	CHECK(hipGraphLaunch(exec, 0));
	EXPECT(equal(207));
	CHECK(hipGraphNodeSetEnabled(exec, kernel, 0)), CHECK(hipGraphNodeGetEnabled(exec, kernel, &enabled));
	EXPECT(enabled == 0);
	CHECK(hipGraphLaunch(exec, 0));
	EXPECT(equal(200));
	CHECK(hipGraphNodeSetEnabled(exec, kernel, 1));
	v = 1, f.value = 300; /* in the graph, and from there in the instantiated one */
	CHECK(hipGraphKernelNodeSetParams(kernel, &k)), CHECK(hipGraphMemsetNodeSetParams(fill, &f));
	CHECK(hipGraphExecUpdate(exec, graph, &bad, &result));
	EXPECT(result == 0);
	CHECK(hipGraphLaunch(exec, 0));
	EXPECT(equal(301));
	CHECK(hipGraphCreate(&other, 0));
	EXPECT(hipGraphExecUpdate(exec, other, &bad, &result) == 910 && result == 2); /* another topology */
	CHECK(hipGraphExecDestroy(exec)), CHECK(hipGraphDestroy(graph)), CHECK(hipGraphDestroy(other));
}

static void copies(void)
{
	static int a[N], b[N], c[N], s[4] = { 1, 2, 3, 4 }, t[4] = { 5, 6, 7, 8 }, back[4];
	void *graph, *exec;
	node_t up, down, to, from;
	parms p = {}, got;
	for (int i = 0; i < N; i++)
		a[i] = 3 * i, b[i] = 1000 + i;
	CHECK(hipGraphCreate(&graph, 0));
	p.src = { a, sizeof a, sizeof a, 1 }, p.dst = { d, sizeof a, sizeof a, 1 }, p.n = { sizeof a, 1, 1 }, p.kind = hipMemcpyHostToDevice;
	CHECK(hipGraphAddMemcpyNode(&up, graph, NULL, 0, &p)), CHECK(hipGraphAddMemcpyNode1D(&down, graph, &up, 1, c, d, sizeof c, hipMemcpyDeviceToHost));
	CHECK(hipGraphAddMemcpyNodeToSymbol(&to, graph, NULL, 0, variable, s, sizeof s, 0, hipMemcpyHostToDevice));
	CHECK(hipGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, back, variable, 8, 8, hipMemcpyDeviceToHost));
	CHECK(hipGraphMemcpyNodeGetParams(up, &got));
	EXPECT(got.src.ptr == a && got.dst.ptr == d && got.n.width == sizeof a && got.n.height == 1 && got.kind == hipMemcpyHostToDevice);
	CHECK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	CHECK(hipGraphLaunch(exec, 0)), CHECK(hipDeviceSynchronize());
	EXPECT(!memcmp(a, c, sizeof a) && back[0] == 3 && back[1] == 4);
	CHECK(hipGraphExecMemcpyNodeSetParams1D(exec, up, d, b, sizeof b, hipMemcpyHostToDevice));
	CHECK(hipGraphExecMemcpyNodeSetParamsToSymbol(exec, to, variable, t, sizeof t, 0, hipMemcpyHostToDevice));
	CHECK(hipGraphLaunch(exec, 0)), CHECK(hipDeviceSynchronize());
	EXPECT(!memcmp(b, c, sizeof b) && back[0] == 7 && back[1] == 8);
	p.src.ptr = b, p.n.width = 8;
	CHECK(hipGraphExecMemcpyNodeSetParams(exec, up, &p)), CHECK(hipMemset(d, 0, sizeof a));
	CHECK(hipGraphLaunch(exec, 0)), CHECK(hipDeviceSynchronize());
	EXPECT(c[0] == 1000 && c[1] == 1001 && c[2] == 0);
	EXPECT(hipGraphAddMemcpyNodeToSymbol(&to, graph, NULL, 0, variable, s, 8, 12, hipMemcpyHostToDevice) == 1); /* past its end */
	p.src_array = a;
	EXPECT(hipGraphMemcpyNodeSetParams(up, &p) == 1); /* a side is an array or memory */
	p.src.ptr = NULL, p.kind = hipMemcpyDeviceToDevice;
	EXPECT(hipGraphMemcpyNodeSetParams(up, &p) == 400); /* no array */
	CHECK(hipGraphExecDestroy(exec)), CHECK(hipGraphDestroy(graph));
}

static void hosts(void)
{
	static int calls, many = 3, pinned;
	void *graph, *exec, *object;
	node_t call, record;
	hipEvent_t e, f, got;
	host_node n = { one, &calls }, m;
	size_t count = 0;
	hipStream_t s;
	unsigned *value, found = 9;
	hipError_t (*init)(unsigned);
	CHECK(hipEventCreate(&e)), CHECK(hipEventCreate(&f));
	CHECK(hipGraphCreate(&graph, 0));
	CHECK(hipGraphAddHostNode(&call, graph, NULL, 0, &n)), CHECK(hipGraphAddEventRecordNode(&record, graph, &call, 1, e));
	CHECK(hipGraphHostNodeGetParams(call, &m)), CHECK(hipGraphEventRecordNodeGetEvent(record, &got));
	EXPECT(m.f == one && m.data == &calls && got == e);
	CHECK(hipGraphEventRecordNodeSetEvent(record, f)), CHECK(hipGraphEventRecordNodeGetEvent(record, &got));
	EXPECT(got == f);
	CHECK(hipUserObjectCreate(&object, &many, (void *)destroy, 1, 1)), CHECK(hipGraphRetainUserObject(graph, object, 1, 0)), CHECK(hipUserObjectRelease(object, 1));
	CHECK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	CHECK(hipGraphLaunch(exec, 0)), CHECK(hipDeviceSynchronize());
	n.f = ten;
	CHECK(hipGraphExecHostNodeSetParams(exec, call, &n));
	CHECK(hipGraphLaunch(exec, 0)), CHECK(hipDeviceSynchronize());
	EXPECT(calls == 11 && destroyed == 0);
	CHECK(hipGraphGetNodes(graph, NULL, &count));
	EXPECT(count == 2);
	CHECK(hipGraphExecDestroy(exec)), CHECK(hipGraphDestroy(graph)), CHECK(hipEventDestroy(e)), CHECK(hipEventDestroy(f));
	for (int i = 0; i < 1000000 && !*(volatile int *)&destroyed; i++)
		;
	EXPECT(destroyed == 3);
	CHECK(hipStreamCreate(&s)), CHECK(hipMalloc(&value, 4)), CHECK(hipMemset(value, 0, 4));
	CHECK(hipStreamWriteValue32(s, value, 41, 0)), CHECK(hipStreamWaitValue32(s, value, 40, 0, 0xffffffff)), CHECK(hipStreamSynchronize(s));
	EXPECT(hipStreamWaitValue32(s, value, 40, 0, 0xff) == 801);
	CHECK(hipMemcpy(&pinned, value, 4, hipMemcpyDeviceToHost));
	EXPECT(pinned == 41);
	CHECK(hipMemsetD2D16(d, 64, 0x0102, 2, 8)), CHECK(hipMemcpy(h, d, sizeof h, hipMemcpyDeviceToHost));
	EXPECT(h[0] == 0x01020102 && h[16] == 0x01020102 && h[7 * 16] == 0x01020102);
	CHECK(hipFree(value)), CHECK(hipStreamDestroy(s));
	CHECK(hipGetProcAddress("hipInit", &init, 600, 0, &found));
	EXPECT(found == 0 && init(0) == 0 && hipGetProcAddress("hipNothing", &init, 600, 0, &found) == 1 && found == 1 && !init);
}

int main(void)
{
	CHECK(hipMalloc(&d, sizeof h)), CHECK(hipMemset(d, 0, sizeof h));
	kernels_and_fills(), copies(), hosts();
	CHECK(hipFree(d));
	puts("right");
	return 0;
}
