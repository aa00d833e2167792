// CUTLASS 2: device-wide products, of several types and tiles.
#include <cutlass/gemm/device/gemm.h>
#include <cutlass/gemm/device/gemm_universal.h>
using Row = cutlass::layout::RowMajor;
using Col = cutlass::layout::ColumnMajor;
using S1 = cutlass::gemm::device::Gemm<float, Row, float, Col, float, Row, float>;
template __global__ void cutlass::Kernel<S1::GemmKernel>(S1::GemmKernel::Params);
#if ARCH >= 75
using H = cutlass::half_t;
using T75 = cutlass::gemm::device::Gemm<H, Row, H, Col, H, Row, float, cutlass::arch::OpClassTensorOp, cutlass::arch::Sm75, cutlass::gemm::GemmShape<128, 128, 32>, cutlass::gemm::GemmShape<64, 64, 32>, cutlass::gemm::GemmShape<16, 8, 8>>;
template __global__ void cutlass::Kernel<T75::GemmKernel>(T75::GemmKernel::Params);
using I75 = cutlass::gemm::device::Gemm<int8_t, Row, int8_t, Col, int32_t, Row, int32_t, cutlass::arch::OpClassTensorOp, cutlass::arch::Sm75, cutlass::gemm::GemmShape<64, 64, 64>, cutlass::gemm::GemmShape<32, 32, 64>, cutlass::gemm::GemmShape<8, 8, 16>, cutlass::epilogue::thread::LinearCombinationClamp<int32_t, 4, int32_t, float>>;
#endif
#if ARCH >= 80
using T80 = cutlass::gemm::device::Gemm<H, Row, H, Col, float, Row, float, cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80, cutlass::gemm::GemmShape<128, 128, 32>, cutlass::gemm::GemmShape<64, 64, 32>, cutlass::gemm::GemmShape<16, 8, 16>, cutlass::epilogue::thread::LinearCombination<float, 4, float, float>, cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>, 3>;
template __global__ void cutlass::Kernel<T80::GemmKernel>(T80::GemmKernel::Params);
#endif
