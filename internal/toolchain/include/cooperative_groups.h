/* Crosslane: a small header in place of one of CUDA. */
#ifndef CROSSLANE_COOPERATIVE_GROUPS_H
#define CROSSLANE_COOPERATIVE_GROUPS_H

/* Blocks, grids, tiles of a warp, and the active lanes. Clusters and asynchronous copies are left out. */

extern "C" {
__device__ unsigned long long cudaCGGetIntrinsicHandle(int scope);
__device__ int cudaCGSynchronize(unsigned long long handle, unsigned int flags);
}

namespace cooperative_groups {

class thread_block {
public:
	static __device__ void sync() { __syncthreads(); }
	static __device__ unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
	static __device__ unsigned int num_threads() { return size(); }
	static __device__ unsigned int thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
	static __device__ dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
	static __device__ dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
	static __device__ dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};

static __inline__ __device__ thread_block this_thread_block() { return thread_block(); }

class grid_group {
	unsigned long long handle;
public:
	__device__ explicit grid_group(unsigned long long h) : handle(h) {}
	__device__ bool is_valid() const { return handle != 0; }
	__device__ void sync() const { cudaCGSynchronize(handle, 0); }
	static __device__ unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
	static __device__ unsigned long long block_rank() { return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z); }
	static __device__ unsigned long long size() { return num_blocks() * thread_block::size(); }
	static __device__ unsigned long long num_threads() { return size(); }
	static __device__ unsigned long long thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
};

static __inline__ __device__ grid_group this_grid() { return grid_group(cudaCGGetIntrinsicHandle(1)); }

/* A tile of Size neighbouring lanes: 1, 2, 4, 8, 16 or 32. */
template <unsigned int Size, class Parent = thread_block> class thread_block_tile {
	static_assert(Size == 1 || Size == 2 || Size == 4 || Size == 8 || Size == 16 || Size == 32, "a tile has 1, 2, 4, 8, 16 or 32 threads");
	static __device__ unsigned int lane() { return thread_block::thread_rank() & 31; }
	static __device__ unsigned int first() { return lane() & ~(Size - 1); }
	static __device__ unsigned int mask() { return (Size == 32 ? 0xffffffffu : (1u << (Size & 31)) - 1) << first(); }
public:
	static __device__ void sync() { __syncwarp(mask()); }
	static constexpr __device__ unsigned int size() { return Size; }
	static constexpr __device__ unsigned int num_threads() { return Size; }
	static __device__ unsigned int thread_rank() { return lane() & (Size - 1); }
	static __device__ unsigned int meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
	static __device__ unsigned int meta_group_rank() { return thread_block::thread_rank() / Size; }
	template <class T> static __device__ T shfl(T v, int source) { return __shfl_sync(mask(), v, source, Size); }
	template <class T> static __device__ T shfl_up(T v, unsigned int n) { return __shfl_up_sync(mask(), v, n, Size); }
	template <class T> static __device__ T shfl_down(T v, unsigned int n) { return __shfl_down_sync(mask(), v, n, Size); }
	template <class T> static __device__ T shfl_xor(T v, unsigned int n) { return __shfl_xor_sync(mask(), v, n, Size); }
	static __device__ int any(int p) { return __any_sync(mask(), p); }
	static __device__ int all(int p) { return __all_sync(mask(), p); }
	static __device__ unsigned int ballot(int p) { return __ballot_sync(mask(), p) >> first() & (Size == 32 ? 0xffffffffu : (1u << (Size & 31)) - 1); }
};

template <unsigned int Size> static __inline__ __device__ thread_block_tile<Size> tiled_partition(const thread_block &) { return thread_block_tile<Size>(); }

/* The lanes that are here together. */
class coalesced_group {
	unsigned int mask;
	__device__ unsigned int lane() const { return thread_block::thread_rank() & 31; }
	__device__ int at(int rank) const { return __fns(mask, 0, rank + 1); }
public:
	__device__ explicit coalesced_group(unsigned int m) : mask(m) {}
	__device__ unsigned int size() const { return __popc(mask); }
	__device__ unsigned int num_threads() const { return size(); }
	__device__ unsigned int thread_rank() const { return __popc(mask & ((1u << lane()) - 1)); }
	__device__ void sync() const { __syncwarp(mask); }
	__device__ int any(int p) const { return __any_sync(mask, p); }
	__device__ int all(int p) const { return __all_sync(mask, p); }
	template <class T> __device__ T shfl(T v, int source) const { return __shfl_sync(mask, v, at(source)); }
};

static __inline__ __device__ coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <class Group> static __inline__ __device__ void sync(const Group &g) { g.sync(); }

} // namespace cooperative_groups

#endif
