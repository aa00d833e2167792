// Cooperative groups: tiles of all sizes, coalesced groups, labelled and binary partitions.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
template <int N> __device__ int tile_sum(int *o) {
  auto t = cg::tiled_partition<N>(cg::this_thread_block());
  int v = o[threadIdx.x];
  for (int i = t.size() / 2; i > 0; i /= 2) v += t.shfl_down(v, i);
  return t.shfl(v, 0);
}
extern "C" __global__ void tiles(int *o) {
  o[threadIdx.x] = tile_sum<32>(o) + tile_sum<16>(o) + tile_sum<8>(o) + tile_sum<4>(o) + tile_sum<2>(o);
}
extern "C" __global__ void reduce_tile(int *o, float *f) {
  auto t = cg::tiled_partition<16>(cg::this_thread_block());
  o[threadIdx.x] = cg::reduce(t, o[threadIdx.x], cg::plus<int>());
  f[threadIdx.x] = cg::reduce(t, f[threadIdx.x], cg::less<float>());
}
extern "C" __global__ void scan_tile(int *o) {
  auto t = cg::tiled_partition<8>(cg::this_thread_block());
  o[threadIdx.x] = cg::exclusive_scan(t, o[threadIdx.x], cg::plus<int>()) + cg::inclusive_scan(t, 1);
}
extern "C" __global__ void coalesced(int *o, int *n) {
  if (o[threadIdx.x] > 0) {
    auto g = cg::coalesced_threads();
    int base = 0;
    if (g.thread_rank() == 0) base = atomicAdd(n, g.size());
    base = g.shfl(base, 0);
    o[base + g.thread_rank()] = g.size();
  }
}
extern "C" __global__ void partitions(int *o) {
  auto t = cg::tiled_partition<32>(cg::this_thread_block());
  int v = o[threadIdx.x];
  auto b = cg::binary_partition(t, (v & 1) != 0);
  int s = cg::reduce(b, v, cg::plus<int>());
  auto l = cg::labeled_partition(t, v & 3);
  o[threadIdx.x] = s + cg::reduce(l, v, cg::greater<int>());
}
extern "C" __global__ void votes(int *o) {
  auto t = cg::tiled_partition<32>(cg::this_thread_block());
  int v = o[threadIdx.x];
  o[threadIdx.x] = t.any(v > 3) + t.all(v > 1) + __popc(t.ballot(v > 2)) + t.match_any(v) + t.shfl_xor(v, 5) + t.shfl_up(v, 2);
  t.sync();
}
extern "C" __global__ void block(int *o) {
  auto b = cg::this_thread_block();
  __shared__ int s[256];
  s[b.thread_rank()] = o[b.thread_rank()];
  b.sync();
  o[b.thread_rank()] = s[b.size() - 1 - b.thread_rank()];
}
extern "C" __global__ void block_tile(int *o) {
  __shared__ cg::block_tile_memory<256> m;
  auto b = cg::this_thread_block(m);
  auto t = cg::tiled_partition<128>(b);
  o[threadIdx.x] = cg::reduce(t, o[threadIdx.x], cg::plus<int>());
}
