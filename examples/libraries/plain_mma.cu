// Matrix products through wmma, half arithmetic, warp intrinsics of the guide.
#include <mma.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
using namespace nvcuda;
extern "C" __global__ void wmma_half(const half *a, const half *b, float *c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int i = 0; i < n; i += 16) {
    wmma::load_matrix_sync(fa, a + i, n); wmma::load_matrix_sync(fb, b + i, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
extern "C" __global__ void wmma_shared(const half *a, half *c) {
  __shared__ half s[4][256];
  int w = threadIdx.x / 32;
  for (int i = threadIdx.x % 32; i < 256; i += 32) s[w][i] = a[w * 256 + i];
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> fc;
  wmma::fill_fragment(fc, __float2half(0));
  wmma::load_matrix_sync(fa, s[w], 16); wmma::load_matrix_sync(fb, s[w], 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(s[w], fc, 16, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x % 32; i < 256; i += 32) c[w * 256 + i] = s[w][i];
}
extern "C" __global__ void halves(half *o, __nv_bfloat16 *b, half2 *p) {
  int i = threadIdx.x;
  o[i] = hexp(o[i]) + __hmax(o[i], o[0]); b[i] = hsqrt(b[i]) * b[0];
  p[i] = __hfma2(p[i], p[0], p[1]);
  atomicAdd(o + 64, o[i]); atomicAdd(b + 64, b[i]);
  o[i] = __shfl_xor_sync(~0u, o[i], 3);
}
__device__ int block_sum(int v) {
  __shared__ int s[32];
  for (int i = 16; i; i /= 2) v += __shfl_down_sync(~0u, v, i);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0;
  if (threadIdx.x < 32) for (int i = 16; i; i /= 2) v += __shfl_down_sync(~0u, v, i);
  return v;
}
extern "C" __global__ void guide_sum(const int *in, int *o, int n) {
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  v = block_sum(v);
  if (threadIdx.x == 0) atomicAdd(o, v);
}
extern "C" __global__ void syncs(int *o, int n) {
  __shared__ int s[256];
  s[threadIdx.x] = o[threadIdx.x];
  for (int k = 1; k < n; k *= 2) {
    if (__syncthreads_or(s[threadIdx.x] > k)) { __syncthreads(); s[threadIdx.x] += 1; }
    __syncthreads();
  }
  int c = __syncthreads_count(s[threadIdx.x] & 1);
  if (c > 4) { __syncthreads(); o[threadIdx.x] = s[(threadIdx.x + c) & 255]; }
}
extern "C" __global__ void shared_tree(float *o) {
  __shared__ float s[256];
  s[threadIdx.x] = o[threadIdx.x];
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); }
  if (threadIdx.x == 0) o[0] = s[0];
}
extern "C" __global__ void transpose(float *o, const float *in, int n) {
  __shared__ float s[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) s[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) o[(y + j) * n + x] = s[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void softmax_row(float *o, int n) {
  __shared__ float red[32];
  float m = -1e30f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) m = fmaxf(m, o[blockIdx.x * n + i]);
  for (int k = 16; k; k /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, k));
  if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = m;
  __syncthreads();
  if (threadIdx.x < 32) { m = threadIdx.x < blockDim.x / 32 ? red[threadIdx.x] : -1e30f; for (int k = 16; k; k /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, k)); if (threadIdx.x == 0) red[0] = m; }
  __syncthreads();
  m = red[0];
  for (int i = threadIdx.x; i < n; i += blockDim.x) o[blockIdx.x * n + i] = __expf(o[blockIdx.x * n + i] - m);
}
