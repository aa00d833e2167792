"""CuPy on Crosslane: elementwise kernels, reductions, sorts, and kernels in CUDA C++ with shuffles.

    crosslane exec -- python3 examples/hosts/cupy_app.py

The wheel cupy-cuda13x has PTX for sm_120 only, so exec chooses that device. NumPy computes what is expected.
"""

import cupy as cp
import numpy as np

SUM = r"""
extern "C" __global__ void warp_sums(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? in[i] : 0.0f;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        out[i / 32] = v;
}
"""

MODULE = r"""
template <typename T> __global__ void scale(T *x, T by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
}
"""


@cp.fuse()
def fused(x, y):
    return cp.sqrt(x * x + y * y)


def main():
    rng = np.random.default_rng(1)
    host = rng.integers(0, 100, 1000).astype(np.float32)
    x = cp.asarray(host)
    n = len(host)

    np.testing.assert_array_equal((x * 2 + 1).get(), host * 2 + 1)
    assert float(x.sum()) == host.sum() and float(x.max()) == host.max() and int(x.argmin()) == host.argmin()
    np.testing.assert_array_equal(cp.sort(x).get(), np.sort(host))
    np.testing.assert_array_equal(cp.argsort(x.astype(np.int64), kind="stable").get(), np.argsort(host, kind="stable"))
    np.testing.assert_array_equal(cp.cumsum(x).get(), np.cumsum(host))
    np.testing.assert_array_equal(cp.unique(x).get(), np.unique(host))

    sums = cp.zeros(n // 32 + 1, cp.float32)
    cp.RawKernel(SUM, "warp_sums")((4,), (256,), (x, sums, np.int32(n)))
    padded = np.zeros(1024, np.float32)
    padded[:n] = host
    np.testing.assert_array_equal(sums.get(), padded.reshape(-1, 32).sum(axis=1))

    y = cp.arange(n, dtype=cp.float64)
    module = cp.RawModule(code=MODULE, name_expressions=["scale<double>"])
    module.get_function("scale<double>")((4,), (256,), (y, np.float64(0.5), np.int32(n)))
    np.testing.assert_array_equal(y.get(), np.arange(n) * 0.5)

    np.testing.assert_allclose(fused(x, x + 1).get(), np.hypot(host, host + 1), rtol=1e-6)
    square = cp.ElementwiseKernel("T a, T b", "T c", "c = a * a - b", "square")
    np.testing.assert_array_equal(square(x, x).get(), host * host - host)
    norm = cp.ReductionKernel("T a", "T b", "a * a", "a + b", "b = a", "0", "norm")
    assert float(norm(x)) == (host * host).sum()
    print("all results of CuPy are right")


if __name__ == "__main__":
    main()
