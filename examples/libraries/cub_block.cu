// Block primitives of CUB: scan, reduction, radix sort, exchange, histogram, load and store.
#include <cub/cub.cuh>
template <int N, cub::BlockScanAlgorithm A>
__device__ void scan(int *o) {
  using S = cub::BlockScan<int, N, A>;
  __shared__ typename S::TempStorage t;
  int v = o[threadIdx.x], all;
  S(t).InclusiveSum(v, v, all);
  o[threadIdx.x] = v + all;
}
extern "C" __global__ void scan_raking(int *o) { scan<128, cub::BLOCK_SCAN_RAKING>(o); }
extern "C" __global__ void scan_warps(int *o) { scan<256, cub::BLOCK_SCAN_WARP_SCANS>(o); }
extern "C" __global__ void scan_odd(int *o) { scan<96, cub::BLOCK_SCAN_RAKING_MEMOIZE>(o); }
template <int N, cub::BlockReduceAlgorithm A, class T>
__device__ void reduce(T *o) {
  using R = cub::BlockReduce<T, N, A>;
  __shared__ typename R::TempStorage t;
  T v = R(t).Sum(o[threadIdx.x]);
  if (threadIdx.x == 0) o[0] = v;
}
extern "C" __global__ void reduce_raking(float *o) { reduce<128, cub::BLOCK_REDUCE_RAKING>(o); }
extern "C" __global__ void reduce_commutative(float *o) { reduce<256, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(o); }
extern "C" __global__ void reduce_warps(double *o) { reduce<160, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(o); }
extern "C" __global__ void reduce_valid(int *o, int n) {
  using R = cub::BlockReduce<int, 128>;
  __shared__ typename R::TempStorage t;
  int v = R(t).Reduce(threadIdx.x < n ? o[threadIdx.x] : 0, cuda::maximum<>{}, n);
  if (threadIdx.x == 0) o[0] = v;
}
extern "C" __global__ void sort_block(unsigned *k) {
  using S = cub::BlockRadixSort<unsigned, 128, 4>;
  __shared__ typename S::TempStorage t;
  unsigned v[4];
  cub::LoadDirectBlocked(threadIdx.x, k, v);
  S(t).Sort(v);
  cub::StoreDirectBlocked(threadIdx.x, k, v);
}
extern "C" __global__ void sort_pairs(float *k, short *p) {
  using S = cub::BlockRadixSort<float, 64, 3, short>;
  __shared__ typename S::TempStorage t;
  float v[3]; short w[3];
  cub::LoadDirectStriped<64>(threadIdx.x, k, v);
  cub::LoadDirectStriped<64>(threadIdx.x, p, w);
  S(t).SortDescendingBlockedToStriped(v, w);
  cub::StoreDirectStriped<64>(threadIdx.x, k, v);
  cub::StoreDirectStriped<64>(threadIdx.x, p, w);
}
extern "C" __global__ void merge_sort(int *k) {
  using S = cub::BlockMergeSort<int, 128, 4>;
  __shared__ typename S::TempStorage t;
  int v[4];
  cub::LoadDirectBlocked(threadIdx.x, k, v);
  S(t).Sort(v, cuda::std::less<int>{});
  cub::StoreDirectBlocked(threadIdx.x, k, v);
}
extern "C" __global__ void exchange(int *k) {
  using X = cub::BlockExchange<int, 128, 4, true>;
  __shared__ typename X::TempStorage t;
  int v[4];
  cub::LoadDirectBlocked(threadIdx.x, k, v);
  X(t).BlockedToStriped(v);
  cub::StoreDirectStriped<128>(threadIdx.x, k, v);
}
extern "C" __global__ void histogram(unsigned char *k, unsigned *h) {
  using H = cub::BlockHistogram<unsigned char, 128, 4, 256, cub::BLOCK_HISTO_SORT>;
  __shared__ typename H::TempStorage t;
  __shared__ unsigned s[256];
  unsigned char v[4];
  cub::LoadDirectBlocked(threadIdx.x, k, v);
  H(t).Histogram(v, s);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 128) h[i] = s[i];
}
extern "C" __global__ void load_store(int *k, int n) {
  using L = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using S = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union { typename L::TempStorage l; typename S::TempStorage s; } t;
  int v[4];
  L(t.l).Load(k, v, n, -1);
  __syncthreads();
  for (int &x : v) x = x * 2 + 1;
  S(t.s).Store(k, v, n);
}
extern "C" __global__ void adjacent(int *k) {
  using D = cub::BlockDiscontinuity<int, 128>;
  using A = cub::BlockAdjacentDifference<int, 128>;
  __shared__ typename D::TempStorage t;
  __shared__ typename A::TempStorage u;
  int v[2] = {k[threadIdx.x * 2], k[threadIdx.x * 2 + 1]}, h[2], d[2];
  D(t).FlagHeads(h, v, cuda::std::not_equal_to<int>{});
  A(u).SubtractLeft(v, d, cuda::std::minus<int>{});
  k[threadIdx.x * 2] = h[0] + d[0]; k[threadIdx.x * 2 + 1] = h[1] + d[1];
}
