/* What the programs of this folder have in common. A call that does not return what it should is printed. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef uint64_t ptr;

static int wrong;
#define WANT(x, v) do { long long got_ = (long long)(x); if (got_ != (long long)(v)) { printf("line %d: %s is %lld, want %lld\n", __LINE__, #x, got_, (long long)(v)); wrong++; } } while (0)
#define OK(x) WANT(x, 0)

int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *), cuCtxSynchronize(void);
int cuMemAlloc_v2(ptr *, size_t), cuMemFree_v2(ptr), cuMemcpyHtoD_v2(ptr, const void *, size_t), cuMemcpyDtoH_v2(void *, ptr, size_t);
int cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int cuStreamCreate(void **, unsigned), cuStreamDestroy_v2(void *), cuStreamSynchronize(void *), cuStreamWaitEvent(void *, void *, unsigned);
int cuEventCreate(void **, unsigned), cuEventRecord(void *, void *), cuEventSynchronize(void *), cuEventDestroy_v2(void *);
int cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);

/* add adds n to the 32 elements at p, scale multiplies them by n. */
static const char kernels[] =
	".version 8.0\n.target sm_70\n.address_size 64\n"
	".visible .entry add(.param .u64 p, .param .u32 n)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<3>;\n"
	"ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2;\n"
	"ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, %r1; st.global.u32 [%rd1], %r3; ret;\n}\n"
	".visible .entry scale(.param .u64 p, .param .u32 n)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<3>;\n"
	"ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2;\n"
	"ld.global.u32 %r3, [%rd1]; mul.lo.u32 %r3, %r3, %r1; st.global.u32 [%rd1], %r3; ret;\n}\n";

static void *context, *add, *scale;

/* begin makes the context current and loads the kernels. */
static inline void begin(void)
{
	void *module;
	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuModuleLoadData(&module, kernels));
	OK(cuModuleGetFunction(&add, module, "add"));
	OK(cuModuleGetFunction(&scale, module, "scale"));
}

/* run launches one warp of a kernel. */
static inline int run(void *kernel, ptr p, unsigned n, void *stream)
{
	void *args[] = { &p, &n };
	return cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, args, NULL);
}

static inline int finish(void)
{
	printf("%d wrong\n", wrong);
	return wrong != 0;
}
