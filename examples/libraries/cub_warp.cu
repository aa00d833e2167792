// Warp primitives of CUB, of whole warps and parts, of small and large types.
#include <cub/cub.cuh>
struct Pair { int key; double value; char tag; };
struct Sum { __device__ Pair operator()(const Pair &a, const Pair &b) const { return {a.key + b.key, a.value + b.value, b.tag}; } };
template <class T, int W> __device__ void warp_sum(T *o) {
  using R = cub::WarpReduce<T, W>;
  __shared__ typename R::TempStorage t[128 / W];
  T v = R(t[threadIdx.x / W]).Sum(o[threadIdx.x]);
  if (threadIdx.x % W == 0) o[threadIdx.x / W] = v;
}
extern "C" __global__ void sum_int32(int *o) { warp_sum<int, 32>(o); }
extern "C" __global__ void sum_f16(float *o) { warp_sum<float, 16>(o); }
extern "C" __global__ void sum_d8(double *o) { warp_sum<double, 8>(o); }
// Logical warps of another size than a power of two: one in each warp, the others keep away.
extern "C" __global__ void sum_c12(char *o) {
  using R = cub::WarpReduce<char, 12>;
  __shared__ typename R::TempStorage t[4];
  if (threadIdx.x % 32 >= 12) return;
  char v = R(t[threadIdx.x / 32]).Sum(o[threadIdx.x]);
  if (threadIdx.x % 32 == 0) o[threadIdx.x / 32] = v;
}
extern "C" __global__ void reduce_pair(Pair *o) {
  using R = cub::WarpReduce<Pair>;
  __shared__ typename R::TempStorage t[4];
  Pair v = R(t[threadIdx.x / 32]).Reduce(o[threadIdx.x], Sum{});
  if (threadIdx.x % 32 == 0) o[threadIdx.x / 32] = v;
}
extern "C" __global__ void segmented(int *o, int *f) {
  using R = cub::WarpReduce<int>;
  __shared__ typename R::TempStorage t[4];
  int v = R(t[threadIdx.x / 32]).HeadSegmentedSum(o[threadIdx.x], f[threadIdx.x]);
  if (f[threadIdx.x]) o[threadIdx.x] = v;
}
extern "C" __global__ void scan_pair(Pair *o) {
  using S = cub::WarpScan<Pair>;
  __shared__ typename S::TempStorage t[4];
  Pair v = o[threadIdx.x];
  S(t[threadIdx.x / 32]).InclusiveScan(v, v, Sum{});
  o[threadIdx.x] = v;
}
extern "C" __global__ void scan_both(int *o) {
  using S = cub::WarpScan<int, 16>;
  __shared__ typename S::TempStorage t[8];
  int v = o[threadIdx.x], a, b;
  S(t[threadIdx.x / 16]).Scan(v, a, b, 0, cuda::std::plus<int>{});
  o[threadIdx.x] = a ^ b;
}
extern "C" __global__ void broadcast(double *o) {
  using S = cub::WarpScan<double>;
  __shared__ typename S::TempStorage t[4];
  o[threadIdx.x] = S(t[threadIdx.x / 32]).Broadcast(o[threadIdx.x], 3);
}
extern "C" __global__ void warp_sort(int *o) {
  using S = cub::WarpMergeSort<int, 4, 16>;
  __shared__ typename S::TempStorage t[8];
  int v[4];
  for (int i = 0; i < 4; i++) v[i] = o[threadIdx.x * 4 + i];
  S(t[threadIdx.x / 16]).Sort(v, cuda::std::less<int>{});
  for (int i = 0; i < 4; i++) o[threadIdx.x * 4 + i] = v[i];
}
extern "C" __global__ void warp_load(int *o) {
  using L = cub::WarpLoad<int, 4, cub::WARP_LOAD_TRANSPOSE, 16>;
  using X = cub::WarpExchange<int, 4, 16>;
  __shared__ typename L::TempStorage t[8];
  __shared__ typename X::TempStorage u[8];
  int v[4];
  L(t[threadIdx.x / 16]).Load(o + threadIdx.x / 16 * 64, v);
  X(u[threadIdx.x / 16]).BlockedToStriped(v, v);
  for (int i = 0; i < 4; i++) o[threadIdx.x * 4 + i] = v[i];
}
