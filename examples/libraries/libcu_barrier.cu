// libcu++: barriers, pipelines, copies, semaphores and latches.
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/latch>
#include <cooperative_groups.h>
extern "C" __global__ void barriers(float *o) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ float s[256];
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  for (int i = 0; i < 4; i++) {
    s[threadIdx.x] = o[threadIdx.x];
    auto t = b.arrive();
    b.wait(cuda::std::move(t));
    float v = s[threadIdx.x ^ 1];
    b.arrive_and_wait();
    o[threadIdx.x] = v + i;
  }
}
extern "C" __global__ void copies(float *o, const float *in) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ alignas(16) float s[1024];
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(s + threadIdx.x * 4, in + threadIdx.x * 4, cuda::aligned_size_t<16>(16), b);
  b.arrive_and_wait();
  o[threadIdx.x] = s[1023 - threadIdx.x];
}
extern "C" __global__ void pipelines(float *o, const float *in, int n) {
  constexpr int stages = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  __shared__ alignas(16) float s[stages][256];
  auto g = cooperative_groups::this_thread_block();
  auto p = cuda::make_pipeline(g, &state);
  float sum = 0;
  for (int i = 0, f = 0; i < n; i++) {
    for (; f < n && f < i + stages; f++) {
      p.producer_acquire();
      cuda::memcpy_async(g, s[f % stages], in + f * 256, cuda::aligned_size_t<16>(1024), p);
      p.producer_commit();
    }
    p.consumer_wait();
    sum += s[i % stages][threadIdx.x];
    p.consumer_release();
  }
  o[threadIdx.x] = sum;
}
extern "C" __global__ void thread_pipeline(float *o, const float *in, int n) {
  __shared__ float s[2][128];
  auto p = cuda::make_pipeline();
  float sum = 0;
  p.producer_acquire();
  cuda::memcpy_async(&s[0][threadIdx.x], in + threadIdx.x, sizeof(float), p);
  p.producer_commit();
  for (int i = 1; i < n; i++) {
    p.producer_acquire();
    cuda::memcpy_async(&s[i & 1][threadIdx.x], in + i * 128 + threadIdx.x, sizeof(float), p);
    p.producer_commit();
    cuda::pipeline_consumer_wait_prior<1>(p);
    sum += s[(i - 1) & 1][threadIdx.x];
    p.consumer_release();
  }
  o[threadIdx.x] = sum;
}
extern "C" __global__ void roles(float *o, const float *in, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> full[2], empty[2];
  __shared__ float s[2][96];
  if (threadIdx.x < 2) { init(&full[threadIdx.x], blockDim.x); init(&empty[threadIdx.x], blockDim.x); }
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int i = 0; i < n; i++) {
      empty[i & 1].arrive_and_wait();
      for (int k = threadIdx.x; k < 96; k += 32) s[i & 1][k] = in[i * 96 + k];
      (void)full[i & 1].arrive();
    }
  } else {
    (void)empty[0].arrive(); (void)empty[1].arrive();
    float sum = 0;
    for (int i = 0; i < n; i++) {
      full[i & 1].arrive_and_wait();
      sum += s[i & 1][threadIdx.x - 32];
      (void)empty[i & 1].arrive();
    }
    o[threadIdx.x - 32] = sum;
  }
}
extern "C" __global__ void sems(int *o, cuda::counting_semaphore<cuda::thread_scope_device, 4> *s, cuda::latch<cuda::thread_scope_device> *l) {
  s->acquire(); o[threadIdx.x]++; s->release(); l->arrive_and_wait();
}
