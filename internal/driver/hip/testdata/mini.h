/* What the programs of this folder use of HIP: declarations of the runtime API, and of the device. With it clang compiles
   HIP without AMD's headers and device libraries. The numbers are those of the API. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __managed__ __attribute__((managed))

struct dim3 {
	uint32_t x, y, z;
	constexpr dim3(uint32_t x = 1, uint32_t y = 1, uint32_t z = 1) : x(x), y(y), z(z) {}
};

typedef int hipError_t;
typedef struct ihipStream *hipStream_t;
typedef struct ihipEvent *hipEvent_t;
struct pitched { void *ptr; size_t pitch, xsize, ysize; };
struct extent { size_t width, height, depth; };
struct parms { void *src_array; size_t src_pos[3]; pitched src; void *dst_array; size_t dst_pos[3]; pitched dst; extent n; int kind; };
struct pointer_attributes { int kind, device; void *on_device, *on_host; int managed; unsigned flags; };
struct func_attributes { int binary, cache; size_t constants, local; int dynamic, threads, registers, carveout, ptx; size_t shared; };
enum { hipMemcpyHostToHost, hipMemcpyHostToDevice, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice, hipMemcpyDefault };

extern "C" {
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, hipStream_t stream = 0);
hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, size_t, hipStream_t);
hipError_t hipLaunchCooperativeKernel(const void *, dim3, dim3, void **, unsigned, hipStream_t);
hipError_t hipExtLaunchKernel(const void *, dim3, dim3, void **, size_t, hipStream_t, hipEvent_t, hipEvent_t, int);
hipError_t hipMalloc(void *, size_t), hipFree(void *), hipHostMalloc(void *, size_t, unsigned), hipHostFree(void *);
hipError_t hipMallocManaged(void *, size_t, unsigned), hipMallocAsync(void *, size_t, hipStream_t), hipFreeAsync(void *, hipStream_t);
hipError_t hipMallocPitch(void *, size_t *, size_t, size_t), hipMalloc3D(pitched *, extent);
hipError_t hipMemcpy(void *, const void *, size_t, int), hipMemcpyAsync(void *, const void *, size_t, int, hipStream_t);
hipError_t hipMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int), hipMemcpy3D(const parms *);
hipError_t hipMemset(void *, int, size_t), hipMemsetD32(void *, int, size_t), hipMemset2D(void *, size_t, int, size_t, size_t), hipMemset3D(pitched, int, extent);
hipError_t hipMemcpyToSymbol(const void *, const void *, size_t, size_t, int), hipMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
hipError_t hipGetSymbolAddress(void *, const void *), hipGetSymbolSize(size_t *, const void *);
hipError_t hipGetLastError(void), hipPeekAtLastError(void), hipDeviceSynchronize(void), hipDeviceReset(void), hipGetDeviceCount(int *), hipSetDevice(int);
hipError_t hipDeviceGetAttribute(int *, int, int), hipGetDeviceProperties(void *, int), hipGetDevicePropertiesR0600(void *, int), hipDeviceGetName(char *, int, int);
hipError_t hipStreamCreate(hipStream_t *), hipStreamCreateWithFlags(hipStream_t *, unsigned), hipStreamDestroy(hipStream_t), hipStreamSynchronize(hipStream_t), hipStreamQuery(hipStream_t);
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned), hipStreamAddCallback(hipStream_t, void (*)(hipStream_t, hipError_t, void *), void *, unsigned);
hipError_t hipEventCreate(hipEvent_t *), hipEventDestroy(hipEvent_t), hipEventRecord(hipEvent_t, hipStream_t), hipEventSynchronize(hipEvent_t), hipEventElapsedTime(float *, hipEvent_t, hipEvent_t);
hipError_t hipModuleLoadData(void *, const void *), hipModuleGetFunction(void *, void *, const char *), hipModuleUnload(void *), hipModuleGetGlobal(void *, size_t *, void *, const char *);
hipError_t hipDrvLaunchKernelEx(const void *, void *, void **, void **), hipModuleLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, hipStream_t, void **, void **);
hipError_t hipExtModuleLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, size_t, hipStream_t, void **, void **, hipEvent_t, hipEvent_t, unsigned);
hipError_t hipPointerGetAttributes(pointer_attributes *, const void *), hipFuncGetAttributes(func_attributes *, const void *), hipGetFuncBySymbol(void *, const void *);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t), hipOccupancyMaxPotentialBlockSize(int *, int *, const void *, size_t, int);
hipError_t hipStreamBeginCapture(hipStream_t, int), hipStreamEndCapture(hipStream_t, void *), hipGraphInstantiate(void *, void *, void *, char *, size_t), hipGraphLaunch(void *, hipStream_t);
hipError_t hipGraphCreate(void *, unsigned), hipGraphAddMemcpyNode1D(void *, void *, const void *, size_t, void *, const void *, size_t, int), hipGraphAddKernelNode(void *, void *, const void *, size_t, const void *);
hipError_t hipGraphDestroy(void *), hipGraphExecDestroy(void *), hipMipmappedArrayCreate(void *, const void *, unsigned);
const char *hipGetErrorName(hipError_t), *hipGetErrorString(hipError_t);
}

#define threadIdx_x __builtin_amdgcn_workitem_id_x()
#define blockIdx_x __builtin_amdgcn_workgroup_id_x()
#define blockDim_x __builtin_amdgcn_workgroup_size_x()

static __device__ inline void __syncthreads(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/* The value of another lane of the wave of 64. */
static __device__ inline int shuffle_down(int v, int d)
{
	int lane = __builtin_amdgcn_mbcnt_hi(-1, __builtin_amdgcn_mbcnt_lo(-1, 0)), from = lane + d < 64 ? lane + d : lane;
	return __builtin_amdgcn_ds_bpermute(4 * from, v);
}

static void checked(hipError_t e, int line, const char *call)
{
	if (e) {
		printf("line %d: %s is %d (%s)\n", line, call, e, hipGetErrorName(e));
		exit(1);
	}
}

#define CHECK(call) checked((call), __LINE__, #call)
#define EXPECT(condition) do { if (!(condition)) { printf("line %d: %s is wrong\n", __LINE__, #condition); exit(1); } } while (0)
