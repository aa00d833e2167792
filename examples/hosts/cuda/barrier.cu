// libcu++: a barrier of a block, a pipeline of copies, an atomic variable.
#include "check.h"
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

__global__ void reverse(const int *in, int *out, int *count)
{
#ifdef __clang__ // takes no variable of shared memory whose destructor does something
	__shared__ alignas(cuda::barrier<cuda::thread_scope_block>) unsigned char room[sizeof(cuda::barrier<cuda::thread_scope_block>)];
	auto &bar = *reinterpret_cast<cuda::barrier<cuda::thread_scope_block> *>(room);
#else
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
#endif
	__shared__ int tile[128];
	if (threadIdx.x == 0)
		init(&bar, blockDim.x);
	__syncthreads();
	tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
	bar.arrive_and_wait();
	out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
	cuda::atomic_ref<int, cuda::thread_scope_device>(*count).fetch_add(1);
}

__global__ void stages(const int *in, int *out, int n)
{
	__shared__ int tile[2][64];
	cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
	int steps = n / 64;
	for (int s = 0; s <= steps; s++) {
		if (s < steps) {
			pipe.producer_acquire();
			cuda::memcpy_async(&tile[s % 2][threadIdx.x], &in[s * 64 + threadIdx.x], cuda::aligned_size_t<4>(4), pipe);
			pipe.producer_commit();
		}
		if (s > 0) {
			if (s < steps)
				cuda::pipeline_consumer_wait_prior<1>(pipe);
			else
				cuda::pipeline_consumer_wait_prior<0>(pipe);
			out[(s - 1) * 64 + threadIdx.x] = 3 * tile[(s - 1) % 2][threadIdx.x];
			pipe.consumer_release();
		}
	}
}

int main()
{
	const int n = 1024;
	std::vector<int> h(n);
	for (int i = 0; i < n; i++)
		h[i] = i * i;
	Buffer<int> in(h), out(n), count(1);
	OK(cudaMemset(count, 0, 4));
	reverse<<<n / 128, 128>>>(in, out, count);
	std::vector<int> got = out.get();
	for (int i = 0; i < n; i++)
		WANT(got[i], h[i / 128 * 128 + 127 - i % 128]);
	WANT(count.get()[0], n);
	stages<<<1, 64>>>(in, out, n);
	got = out.get();
	for (int i = 0; i < n; i++)
		WANT(got[i], 3 * h[i]);
	return finish();
}
