/* A host program on the driver API. It checks what each call returns, and prints the calls that return something else.
   Its exit status is the number of these. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef uint64_t ptr;
int cuInit(unsigned), cuDriverGetVersion(int *), cuDeviceGetCount(int *), cuDeviceGet(int *, int), cuDeviceGetName(char *, int, int);
int cuDeviceGetAttribute(int *, unsigned, int), cuDeviceTotalMem_v2(size_t *, int), cuDevicePrimaryCtxRetain(void **, int), cuDevicePrimaryCtxRelease_v2(int);
int cuCtxSetCurrent(void *), cuCtxGetCurrent(void **), cuCtxPushCurrent_v2(void *), cuCtxPopCurrent_v2(void **), cuCtxGetDevice(int *), cuCtxSynchronize(void);
int cuCtxCreate_v2(void **, unsigned, int), cuCtxDestroy_v2(void *);
int cuMemAlloc_v2(ptr *, size_t), cuMemFree_v2(ptr), cuMemAllocManaged(ptr *, size_t, unsigned), cuMemHostAlloc(void **, size_t, unsigned), cuMemFreeHost(void *);
int cuMemAllocAsync(ptr *, size_t, void *), cuMemFreeAsync(ptr, void *), cuMemGetInfo_v2(size_t *, size_t *), cuMemGetAddressRange_v2(ptr *, size_t *, ptr);
int cuMemAllocPitch_v2(ptr *, size_t *, size_t, size_t, unsigned);
int cuPointerGetAttribute(void *, unsigned, ptr), cuPointerGetAttributes(unsigned, int *, void **, ptr);
int cuMemcpyHtoD_v2(ptr, const void *, size_t), cuMemcpyDtoH_v2(void *, ptr, size_t), cuMemcpyDtoD_v2(ptr, ptr, size_t), cuMemcpy(ptr, ptr, size_t);
int cuMemcpyHtoDAsync_v2(ptr, const void *, size_t, void *), cuMemcpy2D_v2(const void *);
int cuMemsetD8_v2(ptr, unsigned char, size_t), cuMemsetD16_v2(ptr, unsigned short, size_t), cuMemsetD32_v2(ptr, unsigned, size_t), cuMemsetD2D8_v2(ptr, size_t, unsigned char, size_t, size_t);
int cuModuleLoadData(void **, const void *), cuModuleLoadDataEx(void **, const void *, unsigned, int *, void **), cuModuleUnload(void *);
int cuModuleGetFunction(void **, void *, const char *), cuModuleGetGlobal_v2(ptr *, size_t *, void *, const char *), cuFuncGetAttribute(int *, unsigned, void *), cuFuncSetAttribute(void *, unsigned, int);
int cuFuncGetParamInfo(void *, size_t, size_t *, size_t *), cuLibraryLoadData(void **, const void *, void *, void *, unsigned, void *, void *, unsigned), cuLibraryGetKernel(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **), cuLaunchKernelEx(const void *, void *, void **, void **);
int cuLinkCreate_v2(unsigned, int *, void **, void **), cuLinkAddData_v2(void *, unsigned, void *, size_t, const char *, unsigned, int *, void **), cuLinkComplete(void *, void **, size_t *), cuLinkDestroy(void *);
int cuStreamCreate(void **, unsigned), cuStreamDestroy_v2(void *), cuStreamSynchronize(void *), cuStreamWaitEvent(void *, void *, unsigned), cuStreamQuery(void *), cuLaunchHostFunc(void *, void (*)(void *), void *);
int cuEventCreate(void **, unsigned), cuEventRecord(void *, void *), cuEventSynchronize(void *), cuEventElapsedTime(float *, void *, void *), cuEventDestroy_v2(void *);
int cuGetErrorName(unsigned, const char **), cuGetErrorString(unsigned, const char **), cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *), cuGetExportTable(const void **, const void *);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, void *, int, size_t), cuTexRefCreate(void **);

static int wrong;
#define WANT(x, v) do { long long got_ = (long long)(x); if (got_ != (long long)(v)) { printf("line %d: %s is %lld, want %lld\n", __LINE__, #x, got_, (long long)(v)); wrong++; } } while (0)
#define OK(x) WANT(x, 0)

static const char kernels[] =
	".version 8.0\n.target sm_70\n.address_size 64\n"
	".visible .global .align 4 .u32 counter = 7;\n.visible .const .align 4 .u32 scale = 3;\n.visible .global .attribute(.managed) .align 4 .u32 shared = 9;\n"
	".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.global .b8 hello[4] = {104, 105, 10, 0};\n"
	".visible .entry mul(.param .u64 p, .param .u32 n)\n{\n.reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %q;\n"
	"ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.ge.u32 %q, %r2, %r1; @%q ret;\n"
	"mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2; ld.global.u32 %r3, [%rd1]; ld.const.u32 %r4, [scale];\n"
	"mul.lo.u32 %r3, %r3, %r4; st.global.u32 [%rd1], %r3; red.global.add.u32 [counter], 1; ret;\n}\n"
	".visible .entry greet()\n{\n.reg .b64 %rd<3>; .param .b64 f; .param .b64 a; .param .b32 r;\n"
	"mov.u64 %rd1, hello; cvta.global.u64 %rd1, %rd1; mov.u64 %rd2, 0; st.param.b64 [f], %rd1; st.param.b64 [a], %rd2; call (r), vprintf, (f, a); ret;\n}\n"
	".visible .entry small() .maxntid 32, 1, 1\n{\nret;\n}\n";

static const char caller[] =
	".version 8.0\n.target sm_70\n.address_size 64\n.extern .func (.param .b32 r) twice(.param .b32 x);\n"
	".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<3>; .reg .b64 %rd<2>; .param .b32 x; .param .b32 r;\nld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1];\n"
	"st.param.b32 [x], %r1; call (r), twice, (x); ld.param.b32 %r2, [r]; st.global.u32 [%rd1], %r2; ret;\n}\n";
static const char callee[] =
	".version 8.3\n.target sm_75\n.address_size 64\n.visible .func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret;\n}\n";

static int ran;
static void on_host(void *p) { ran = *(int *)p; }

int main(void)
{
	int n, v;
	void *c, *other, *m, *f, *g, *s, *e1, *e2, *l, *image, *fn;
	size_t size, total, pitch, off;
	ptr p, q, base;
	unsigned a[32], b[32], len = 32, i;
	const char *text;
	float ms;

	WANT(cuDeviceGetCount(&n), 3); /* before cuInit */
	WANT(cuInit(1), 1);
	OK(cuInit(0));
	OK(cuInit(0));
	OK(cuDriverGetVersion(&v));
	WANT(v >= 13050, 1);
	OK(cuDeviceGetCount(&n));
	WANT(n, 1);
	WANT(cuDeviceGet(&n, 1), 101);
	OK(cuDeviceGet(&n, 0));
	OK(cuDeviceGetAttribute(&v, 75, 0));
	WANT(v, 8);
	OK(cuDeviceGetAttribute(&v, 10, 0));
	WANT(v, 32);
	WANT(cuDeviceGetAttribute(&v, 9999, 0), 1);
	WANT(cuCtxSynchronize(), 201);
	WANT(cuMemAlloc_v2(&p, 64), 201);
	OK(cuCtxGetCurrent(&c));
	WANT(c == NULL, 1);
	OK(cuDevicePrimaryCtxRetain(&c, 0));
	OK(cuCtxGetCurrent(&other));
	WANT(other == NULL, 1);
	OK(cuCtxSetCurrent(c));
	OK(cuCtxCreate_v2(&other, 0, 0));
	void *now;
	OK(cuCtxGetCurrent(&now));
	WANT(now == other, 1);
	OK(cuCtxPopCurrent_v2(&now));
	WANT(now == other, 1);
	OK(cuCtxDestroy_v2(other));
	WANT(cuCtxPushCurrent_v2(other), 201);
	OK(cuCtxGetDevice(&n));

	/* memory */
	WANT(cuMemAlloc_v2(&p, 0), 1);
	WANT(cuMemAlloc_v2(&p, (size_t)1 << 50), 2);
	OK(cuMemAlloc_v2(&p, sizeof a));
	for (i = 0; i < 32; i++)
		a[i] = i;
	OK(cuMemcpyHtoD_v2(p, a, sizeof a));
	OK(cuMemGetAddressRange_v2(&base, &size, p + 5));
	WANT(base == p && size == sizeof a, 1);
	OK(cuPointerGetAttribute(&v, 2, p));
	WANT(v, 2);
	WANT(cuPointerGetAttribute(&v, 2, (ptr)a), 1);
	int kinds[2] = { 2, 9 }, type = 5, ordinal = 5;
	void *values[2] = { &type, &ordinal };
	OK(cuPointerGetAttributes(2, kinds, values, (ptr)a));
	WANT(type == 0 && ordinal == -2, 1);
	OK(cuMemGetInfo_v2(&size, &total));
	WANT(total - size, sizeof a);
	WANT(cuMemcpyHtoD_v2(p, a, sizeof a + 1), 1);
	WANT(cuMemFree_v2(p + 4), 1);

	/* modules and launches */
	OK(cuModuleLoadData(&m, kernels));
	WANT(cuModuleGetFunction(&f, m, "nothing"), 500);
	OK(cuModuleGetFunction(&f, m, "mul"));
	OK(cuFuncGetParamInfo(f, 1, &off, &size));
	WANT(off == 8 && size == 4, 1);
	WANT(cuFuncGetParamInfo(f, 2, &off, &size), 1);
	OK(cuFuncGetAttribute(&v, 0, f));
	WANT(v, 1024);
	OK(cuFuncGetAttribute(&v, 5, f)); /* the virtual architecture of the text, not its version 8.0 */
	WANT(v, 70);
	OK(cuFuncGetAttribute(&v, 6, f));
	WANT(v, 80);
	void *args[] = { &p, &len };
	for (i = 0; i < 3; i++)
		OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
	OK(cuMemcpyDtoH_v2(b, p, sizeof b));
	for (i = 0; i < 32; i++)
		if (b[i] != 27 * i)
			WANT(b[i], 27 * i);
	struct { ptr p; unsigned n; } packed = { p, 2 };
	size = 12;
	void *extra[] = { (void *)1, &packed, (void *)2, &size, NULL };
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
	struct { unsigned grid[3], block[3], shared; void *stream, *attributes; unsigned count; } config = { { 1, 1, 1 }, { 32, 1, 1 }, 0, NULL, NULL, 0 };
	WANT(sizeof config, 56);
	OK(cuLaunchKernelEx(&config, f, args, NULL));
	OK(cuMemcpyDtoH_v2(b, p, sizeof b));
	WANT(b[1] == 243 && b[2] == 162, 1);
	WANT(cuLaunchKernel(f, 0, 1, 1, 32, 1, 1, 0, NULL, args, NULL), 1);
	WANT(cuLaunchKernel(f, 1, 1, 1, 1025, 1, 1, 0, NULL, args, NULL), 1);
	WANT(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 50000, NULL, args, NULL), 1);
	OK(cuFuncGetAttribute(&v, 8, f));
	WANT(v, 48 << 10);
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 48 << 10, NULL, args, NULL));
	OK(cuFuncSetAttribute(f, 8, 60000));
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 50000, NULL, args, NULL));
	OK(cuModuleGetFunction(&g, m, "small"));
	WANT(cuLaunchKernel(g, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL), 1);
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, f, 1024, 0));
	WANT(v, 2);

	/* variables: constant, ordinary, managed */
	OK(cuModuleGetGlobal_v2(&q, &size, m, "scale"));
	WANT(size, 4);
	v = 10;
	OK(cuMemcpyHtoD_v2(q, &v, 4));
	OK(cuMemcpyDtoH_v2(&n, q, 4));
	WANT(n, 10);
	OK(cuMemsetD32_v2(p, 5, 32));
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
	OK(cuMemcpyDtoH_v2(b, p, sizeof b));
	WANT(b[31], 50);
	OK(cuModuleGetGlobal_v2(&q, &size, m, "counter"));
	OK(cuMemcpyDtoH_v2(&v, q, 4));
	WANT(v, 7 + 3 * 32 + 2 + 4 * 32);
	OK(cuModuleGetGlobal_v2(&q, &size, m, "shared"));
	WANT(*(int *)q, 9);

	/* fills and copies */
	OK(cuMemsetD16_v2(p, 0x1234, 2));
	OK(cuMemsetD8_v2(p + 4, 0xab, 4));
	OK(cuMemcpyDtoD_v2(p + 8, p, 8));
	OK(cuMemcpyDtoH_v2(b, p, 16));
	WANT(b[0] == 0x12341234 && b[1] == 0xabababab && b[2] == b[0] && b[3] == b[1], 1);
	OK(cuMemAllocPitch_v2(&q, &pitch, 12, 4, 4));
	WANT(pitch % 512, 0);
	OK(cuMemsetD2D8_v2(q, pitch, 0x11, 12, 4));
	struct { size_t sx, sy; unsigned st; const void *sh; ptr sd; void *sa; size_t sp, dx, dy; unsigned dt; void *dh; ptr dd; void *da; size_t dp, w, h; } two = { 0 };
	WANT(sizeof two, 128);
	two.sx = 4, two.sy = 1, two.st = 2, two.sd = q, two.sp = pitch, two.dt = 1, two.dh = b, two.dp = 8, two.w = 8, two.h = 2;
	memset(b, 0, sizeof b);
	OK(cuMemcpy2D_v2(&two));
	WANT(b[0] == 0x11111111 && b[3] == 0x11111111 && b[4] == 0, 1);
	OK(cuMemFree_v2(q));

	/* managed and pinned memory have one address */
	OK(cuMemAllocManaged(&q, 128, 1));
	for (i = 0; i < 32; i++)
		((unsigned *)q)[i] = 1;
	args[0] = &q;
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
	OK(cuCtxSynchronize());
	WANT(((unsigned *)q)[31], 10);
	OK(cuMemFree_v2(q));
	OK(cuMemHostAlloc((void **)&q, 128, 0));
	((unsigned *)q)[0] = 4;
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
	OK(cuCtxSynchronize());
	WANT(*(unsigned *)q, 40);
	OK(cuMemcpy(p, q, 4));
	OK(cuMemcpy((ptr)b, p, 4));
	WANT(b[0], 40);
	OK(cuMemFreeHost((void *)q));

	/* streams and events */
	OK(cuStreamCreate(&s, 1));
	OK(cuEventCreate(&e1, 0));
	OK(cuEventCreate(&e2, 0));
	OK(cuEventRecord(e1, s));
	OK(cuMemAllocAsync(&q, 64, s));
	OK(cuMemcpyHtoDAsync_v2(q, a, 64, s));
	OK(cuMemFreeAsync(q, s));
	OK(cuEventRecord(e2, s));
	OK(cuStreamWaitEvent(NULL, e2, 0));
	v = 77;
	OK(cuLaunchHostFunc(s, on_host, &v));
	OK(cuStreamSynchronize(s));
	WANT(ran, 77);
	OK(cuStreamQuery(s));
	OK(cuEventSynchronize(e2));
	OK(cuEventElapsedTime(&ms, e1, e2));
	WANT(ms >= 0 && ms < 60000, 1);
	OK(cuEventDestroy_v2(e1));
	OK(cuEventDestroy_v2(e2));
	OK(cuStreamDestroy_v2(s));
	WANT(cuStreamSynchronize(s), 400);
	WANT(cuMemcpyHtoDAsync_v2(p, a, 64, s), 400);
	WANT(cuMemAllocAsync(&q, 64, s), 400);

	/* linking: the result is loaded as if it were machine code */
	int most_registers = 0;
	void *sixteen = (void *)16;
	OK(cuFuncGetAttribute(&v, 4, f));
	WANT(v > 16, 1);
	OK(cuLinkCreate_v2(1, &most_registers, &sixteen, &l));
	OK(cuLinkAddData_v2(l, 1, (void *)caller, sizeof caller, "caller", 0, NULL, NULL));
	OK(cuLinkAddData_v2(l, 1, (void *)callee, sizeof callee, "callee", 0, NULL, NULL));
	OK(cuLinkComplete(l, &image, &size));
	void *linked;
	OK(cuModuleLoadData(&linked, image));
	OK(cuLinkDestroy(l));
	OK(cuModuleGetFunction(&g, linked, "k"));
	OK(cuFuncGetAttribute(&v, 4, g));
	WANT(v, 16);
	args[0] = &p;
	OK(cuLaunchKernel(g, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	OK(cuMemcpyDtoH_v2(b, p, 4));
	WANT(b[0], 80);
	OK(cuModuleUnload(linked));
	WANT(cuModuleUnload(linked), 400);

	/* the log of a module that does not load */
	char log[512] = "";
	int options[] = { 5, 6 };
	void *option_values[] = { log, (void *)sizeof log };
	WANT(cuModuleLoadDataEx(&linked, ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { frob; }\n", 2, options, option_values), 218);
	WANT(strstr(log, "frob") != NULL, 1);
	WANT((size_t)option_values[1], strlen(log));
	WANT(cuModuleLoadData(&linked, ".version 8.7\n.target sm_120\n.address_size 64\n.entry k() { ret; }\n"), 209);
	OK(cuLibraryLoadData(&linked, kernels, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&g, linked, "mul"));

	/* names */
	OK(cuGetErrorName(700, &text));
	WANT(strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
	WANT(cuGetErrorString(12345, &text), 1);
	OK(cuGetProcAddress_v2("cuMemAlloc", &fn, 12000, 0, &v));
	WANT(fn != NULL && v == 0, 1);
	OK(((int (*)(ptr *, size_t))fn)(&q, 64));
	OK(cuMemFree_v2(q));
	OK(cuGetProcAddress_v2("cuNothing", &fn, 12000, 0, &v));
	WANT(fn == NULL && v == 1, 1);
	WANT(cuGetProcAddress_v2("cuInit", &fn, 99000, 0, &v), 1);
	WANT(cuGetExportTable((const void **)&fn, a), 500);
	WANT(cuTexRefCreate(&fn), 801);

	/* what kernels print comes out at the next call that waits */
	OK(cuModuleGetFunction(&g, m, "greet"));
	OK(cuLaunchKernel(g, 1, 1, 1, 2, 1, 1, 0, NULL, NULL, NULL));
	OK(cuCtxSynchronize());

	/* a child may not use the parent's device */
	fflush(stdout);
	pid_t child = fork();
	if (child == 0)
		_exit(cuMemAlloc_v2(&q, 64));
	waitpid(child, &v, 0);
	WANT(WEXITSTATUS(v), 3);

	/* device memory cannot be touched */
	child = fork();
	if (child == 0) {
		*(volatile int *)p = 1;
		_exit(0);
	}
	waitpid(child, &v, 0);
	WANT(WIFSIGNALED(v), 1);

	/* a fault stays */
	len = 64;
	args[0] = &p, args[1] = &len;
	OK(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, args, NULL));
	WANT(cuCtxSynchronize(), 700);
	WANT(cuMemAlloc_v2(&q, 64), 700);
	printf("%d wrong\n", wrong);
	return wrong;
}
