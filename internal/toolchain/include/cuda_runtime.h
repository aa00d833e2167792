/* Crosslane: a small header in place of one of CUDA. */

#ifndef CROSSLANE_CUDA_RUNTIME_H
#define CROSSLANE_CUDA_RUNTIME_H

#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "texture_types.h"
#include "vector_functions.h"

#ifdef __cplusplus

#ifdef CROSSLANE_FOR_HOST
/* Tells the runtime library of Crosslane where the managed variables of a program or a library are. What ends them begins with a
   page of its own. */
extern "C" {
extern char __start_crosslane_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_crosslane_managed[] __attribute__((weak, visibility("hidden")));
void __cudaCrosslaneManaged(const char *from, const char *to) __attribute__((weak));
__attribute__((constructor(101), weak, visibility("hidden"))) void crosslane_managed_variables(void)
{
	if (__start_crosslane_managed == __stop_crosslane_managed)
		return;
	if (!__cudaCrosslaneManaged)
		__builtin_trap(); /* the runtime library of NVIDIA does not know these variables */
	__cudaCrosslaneManaged(__start_crosslane_managed, __stop_crosslane_managed);
}
__attribute__((destructor(101), weak, visibility("hidden"))) void crosslane_managed_variables_end(void)
{
	if (__start_crosslane_managed != __stop_crosslane_managed)
		__cudaCrosslaneManaged(__start_crosslane_managed, __start_crosslane_managed);
}
__attribute__((weak, visibility("hidden"), used, aligned(4096), section("crosslane_managed"))) char crosslane_managed_first[0];
__attribute__((weak, visibility("hidden"), used, aligned(4096), section("crosslane_managed_end"))) char crosslane_managed_last[1] = {0};
}
#endif

/* The forms of the runtime API that know types. */
template <class T> inline cudaError_t cudaMalloc(T **p, size_t bytes) { return ::cudaMalloc((void **)(void *)p, bytes); }
template <class T> inline cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned int flags = 0) { return ::cudaHostAlloc((void **)(void *)p, bytes, flags); }
template <class T> inline cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned int flags) { return ::cudaHostAlloc((void **)(void *)p, bytes, flags); }
template <class T> inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags) { return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags); }
template <class T> inline cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned int flags = cudaMemAttachGlobal) { return ::cudaMallocManaged((void **)(void *)p, bytes, flags); }
template <class T> inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height) { return ::cudaMallocPitch((void **)(void *)p, pitch, width, height); }
template <class T> inline cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t stream) { return ::cudaMallocAsync((void **)(void *)p, bytes, stream); }

template <class T> inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) { return ::cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind); }
template <class T> inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) { return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind); }
template <class T> inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream = 0) { return ::cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream); }
template <class T> inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream = 0) { return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream); }
template <class T> inline cudaError_t cudaGetSymbolAddress(void **p, const T &symbol) { return ::cudaGetSymbolAddress(p, (const void *)&symbol); }
template <class T> inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) { return ::cudaGetSymbolSize(bytes, (const void *)&symbol); }

template <class T> inline cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0) { return ::cudaLaunchKernel((const void *)function, grid, block, args, shared, stream); }
template <class T> inline cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0) { return ::cudaLaunchCooperativeKernel((const void *)function, grid, block, args, shared, stream); }
template <class T> inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, T *function) { return ::cudaFuncGetAttributes(attributes, (const void *)function); }
template <class T> inline cudaError_t cudaFuncSetAttribute(T *function, enum cudaFuncAttribute attribute, int value) { return ::cudaFuncSetAttribute((const void *)function, attribute, value); }
template <class T> inline cudaError_t cudaFuncSetCacheConfig(T *function, enum cudaFuncCache config) { return ::cudaFuncSetCacheConfig((const void *)function, config); }
template <class T> inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int threads, size_t shared) { return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, threads, shared); }
template <class T, class S> inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T function, S shared, int limit = 0)
{
	/* The size with the most threads on a multiprocessor; of equals the largest one. */
	int device, processors, most = 0, blocks;
	struct cudaFuncAttributes attributes;
	cudaError_t e;
	if (!grid || !block)
		return cudaErrorInvalidValue;
	if ((e = cudaGetDevice(&device)) || (e = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device)) || (e = ::cudaFuncGetAttributes(&attributes, (const void *)function)))
		return e;
	const int largest = limit > 0 && limit < attributes.maxThreadsPerBlock ? limit : attributes.maxThreadsPerBlock;
	for (int size = (largest + 31) / 32 * 32; size > 0; size -= 32) {
		const int threads = size < largest ? size : largest;
		if ((e = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)function, threads, shared(threads))))
			return e;
		if (blocks * threads > most)
			most = blocks * threads, *block = threads, *grid = blocks * processors;
	}
	return most ? cudaSuccess : cudaErrorInvalidConfiguration;
}
template <class T> inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T function, size_t shared = 0, int limit = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, function, [shared](int) { return shared; }, limit);
}
template <class T> inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const T &symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind) { return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, after, count, (const void *)&symbol, from, bytes, offset, kind); }
template <class T> inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *to, const T &symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind) { return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, after, count, to, (const void *)&symbol, bytes, offset, kind); }
template <class T> inline cudaError_t cudaMallocFromPoolAsync(T **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) { return ::cudaMallocFromPoolAsync((void **)(void *)p, bytes, pool, stream); }
template <class... P, class... A> inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...args)
{
	return [&](P... values) {
		void *list[sizeof...(P) + 1] = {(void *)&values...};
		return ::cudaLaunchKernelExC(config, (const void *)kernel, list);
	}((P)args...);
}
inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) { return ::cudaEventCreateWithFlags(event, flags); }

/* A kernel sets the value of a conditional node. Crosslane has the function. */
extern "C" __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);

/* Addresses of a state space, as instructions of PTX take them, and generic ones. */
#define CROSSLANE_SPACE(name, n) \
	static __inline__ __device__ size_t __cvta_generic_to_##name(const void *p) { return (size_t)(__attribute__((address_space(n))) const void *)p; } \
	static __inline__ __device__ void *__cvta_##name##_to_generic(size_t p) { return (void *)(__attribute__((address_space(n))) void *)p; }
CROSSLANE_SPACE(global, 1)
CROSSLANE_SPACE(shared, 3)
CROSSLANE_SPACE(constant, 4)
CROSSLANE_SPACE(local, 5)
#undef CROSSLANE_SPACE

/* min and max of the host; clang and crt/math_functions.hpp have those of kernels. */
#define CROSSLANE_MINMAX(T) \
	static __inline__ T min(T a, T b) { return a < b ? a : b; } \
	static __inline__ T max(T a, T b) { return a < b ? b : a; }
CROSSLANE_MINMAX(int)
CROSSLANE_MINMAX(unsigned int)
CROSSLANE_MINMAX(long)
CROSSLANE_MINMAX(unsigned long)
CROSSLANE_MINMAX(long long)
CROSSLANE_MINMAX(unsigned long long)
CROSSLANE_MINMAX(float)
CROSSLANE_MINMAX(double)
#undef CROSSLANE_MINMAX

/* Functions of kernels that clang's headers mention in code of the host, too, where they are not defined. */
extern "C" {
float rsqrtf(float);
float rcbrtf(float);
float sinpif(float);
float cospif(float);
void sincospif(float, float *, float *);
float erfcinvf(float);
float normcdfinvf(float);
float normcdff(float);
float erfcxf(float);
}
#endif

#endif
