// cutlass_gemm.cu multiplies two matrices with the collectives of CUTLASS 3, D = A B + 2 C: f16 in, f32 in the sum and out. It compares
// every element with a host computation in whole numbers, so the order of the sums does not matter.
//
//   cutlass_gemm [M [N [K]]]      default 256 256 128
//
// VARIANT selects the kernel: see cutlass.sh.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "cutlass/cutlass.h"
#include "cutlass/numeric_types.h"
#include "cute/tensor.hpp"
#include "cutlass/gemm/device/gemm_universal_adapter.h"
#include "cutlass/gemm/kernel/gemm_universal.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/util/packed_stride.hpp"
using namespace cute;
#if VARIANT == 1 // sm_90a, two consumer warpgroups that take turns
using Arch = cutlass::arch::Sm90;
using Schedule = cutlass::gemm::KernelTmaWarpSpecializedPingpong;
using EpilogueSchedule = cutlass::epilogue::TmaWarpSpecialized;
using GemmTile = Shape<_64, _128, _64>;
using GemmCluster = Shape<_1, _1, _1>;
#elif VARIANT == 2 // sm_90a, two blocks that share their tiles of B by multicast
using Arch = cutlass::arch::Sm90;
using Schedule = cutlass::gemm::KernelTmaWarpSpecializedCooperative;
using EpilogueSchedule = cutlass::epilogue::TmaWarpSpecializedCooperative;
using GemmTile = Shape<_128, _128, _64>;
using GemmCluster = Shape<_2, _1, _1>;
#elif VARIANT == 3 // sm_100a, Tensor Memory
using Arch = cutlass::arch::Sm100;
using Schedule = cutlass::gemm::collective::KernelScheduleAuto;
using EpilogueSchedule = cutlass::epilogue::collective::EpilogueScheduleAuto;
using GemmTile = Shape<_128, _128, _64>;
using GemmCluster = Shape<_1, _1, _1>;
#elif VARIANT == 4 // sm_100a, products of pairs of blocks
using Arch = cutlass::arch::Sm100;
using Schedule = cutlass::gemm::KernelTmaWarpSpecialized2SmSm100;
using EpilogueSchedule = cutlass::epilogue::TmaWarpSpecialized2Sm;
using GemmTile = Shape<_256, _128, _64>;
using GemmCluster = Shape<_2, _1, _1>;
#else // sm_90a, two consumer warpgroups that share a tile
using Arch = cutlass::arch::Sm90;
using Schedule = cutlass::gemm::KernelTmaWarpSpecializedCooperative;
using EpilogueSchedule = cutlass::epilogue::TmaWarpSpecializedCooperative;
using GemmTile = Shape<_128, _128, _64>;
using GemmCluster = Shape<_1, _1, _1>;
#endif
using Half = cutlass::half_t;
using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<Arch, cutlass::arch::OpClassTensorOp, GemmTile, GemmCluster,
    cutlass::epilogue::collective::EpilogueTileAuto, float, float, float, cutlass::layout::RowMajor, 4, float, cutlass::layout::RowMajor, 4, EpilogueSchedule>::CollectiveOp;
using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<Arch, cutlass::arch::OpClassTensorOp, Half, cutlass::layout::RowMajor, 8, Half,
    cutlass::layout::ColumnMajor, 8, float, GemmTile, GemmCluster, cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(sizeof(typename Epilogue::SharedStorage))>, Schedule>::CollectiveOp;
using Kernel = cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int, int>, Mainloop, Epilogue>;
using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;

int main(int argc, char **argv) {
  int m = argc > 1 ? atoi(argv[1]) : 256, n = argc > 2 ? atoi(argv[2]) : 256, k = argc > 3 ? atoi(argv[3]) : 128;
  std::vector<Half> a(m * k), b(n * k);
  for (int i = 0; i < m * k; i++) a[i] = Half(float((i * 7 + i / k) % 9 - 4));
  for (int i = 0; i < n * k; i++) b[i] = Half(float((i * 5 + i / k) % 7 - 3));
  std::vector<float> c(m * n, 1.0f), d(m * n);
  Half *da, *db; float *dc, *dd;
  cudaMalloc(&da, a.size() * 2); cudaMalloc(&db, b.size() * 2); cudaMalloc(&dc, c.size() * 4); cudaMalloc(&dd, d.size() * 4);
  cudaMemcpy(da, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(dc, c.data(), c.size() * 4, cudaMemcpyHostToDevice);
  auto sa = cutlass::make_cute_packed_stride(typename Kernel::StrideA{}, make_shape(m, k, 1));
  auto sb = cutlass::make_cute_packed_stride(typename Kernel::StrideB{}, make_shape(n, k, 1));
  auto sc = cutlass::make_cute_packed_stride(typename Kernel::StrideC{}, make_shape(m, n, 1));
  auto sd = cutlass::make_cute_packed_stride(typename Kernel::StrideD{}, make_shape(m, n, 1));
  typename Gemm::Arguments args{cutlass::gemm::GemmUniversalMode::kGemm, {m, n, k, 1}, {da, sa, db, sb}, {{1.0f, 2.0f}, dc, sc, dd, sd}};
  Gemm gemm;
  size_t bytes = Gemm::get_workspace_size(args);
  void *work = nullptr;
  if (bytes) cudaMalloc(&work, bytes);
  if (gemm.can_implement(args) != cutlass::Status::kSuccess) { printf("cannot\n"); return 2; }
  if (gemm.initialize(args, work) != cutlass::Status::kSuccess) { printf("initialize\n"); return 2; }
  if (gemm.run() != cutlass::Status::kSuccess) { printf("run: %s\n", cudaGetErrorString(cudaGetLastError())); return 2; }
  cudaError_t e = cudaDeviceSynchronize();
  if (e) { printf("%s\n", cudaGetErrorString(e)); return 2; }
  cudaMemcpy(d.data(), dd, d.size() * 4, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int x = 0; x < k; x++) s += float(a[i * k + x]) * float(b[j * k + x]);
      if (d[i * n + j] != s + 2 && bad++ < 3) printf("d[%d][%d] = %g, want %g\n", i, j, d[i * n + j], s + 2);
    }
  cudaFree(da); cudaFree(db); cudaFree(dc); cudaFree(dd); if (work) cudaFree(work);
  printf("%s: %d wrong\n", bad ? "FAIL" : "ok", bad);
  return bad != 0;
}
