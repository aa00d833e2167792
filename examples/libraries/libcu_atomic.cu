// libcu++: atomics of all sizes and scopes; int128; bit functions.
#include <cuda/atomic>
#include <cuda/std/bit>
#include <cuda/std/complex>
extern "C" __global__ void atomics(cuda::atomic<int> *a, cuda::atomic<char, cuda::thread_scope_block> *b, cuda::atomic<double> *c, cuda::atomic<unsigned short> *d) {
  a->fetch_add(1, cuda::memory_order_relaxed);
  b->fetch_or(1); c->fetch_add(0.5); d->fetch_max(threadIdx.x);
  int e = a->load();
  while (!a->compare_exchange_weak(e, e * 3 + 1)) {}
  if (b->load() == 3) a->notify_all();
}
extern "C" __global__ void wide(unsigned __int128 *o, int n) {
  unsigned __int128 v = o[threadIdx.x];
  v = (v << n) | (v >> (128 - n)); v = v * o[0] + (v << 108) + (v >> 77); v /= (o[1] | 1);
  o[threadIdx.x] = v % 1000003;
}
extern "C" __global__ void shifts(__int128 *o) { o[threadIdx.x] = (o[threadIdx.x] >> 100) ^ (o[threadIdx.x + 1] << 68); }
extern "C" __global__ void bits(unsigned *o, unsigned long long *q) {
  unsigned v = o[threadIdx.x];
  o[threadIdx.x] = cuda::std::byteswap(v) + cuda::std::popcount(v) + cuda::std::countl_zero(v) + cuda::std::rotl(v, 7);
  q[threadIdx.x] = cuda::std::byteswap(q[threadIdx.x]) + cuda::std::rotr(q[threadIdx.x], 40) + cuda::std::bit_ceil(q[threadIdx.x]);
}
extern "C" __global__ void complex_mul(cuda::std::complex<float> *o) { o[threadIdx.x] *= o[threadIdx.x + 1] / o[0]; }
