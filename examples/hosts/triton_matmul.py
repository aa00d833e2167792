"""The product of two matrices with Triton, without torch. For sm_90 Triton writes wgmma.

    crosslane exec --device sm_90a -- python3 examples/hosts/triton_matmul.py
    crosslane exec --device sm_90a --check -- python3 examples/hosts/triton_matmul.py

It needs Triton 3.9 (pip install "triton==3.9.*" numpy) and cuda-bindings for memory
(pip install "cuda-bindings==13.5.*"), as triton_softmax.py does.
"""
import numpy as np
import triton
import triton.language as tl
from triton_softmax import Array, done
from cuda.bindings import driver


@triton.jit
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    col = tl.program_id(1) * N + tl.arange(0, N)
    at = tl.arange(0, K)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for first in range(0, k, K):
        x = tl.load(a + row[:, None] * k + (first + at)[None, :], mask=(first + at)[None, :] < k, other=0.0)
        y = tl.load(b + (first + at)[:, None] * n + col[None, :], mask=(first + at)[:, None] < k, other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + row[:, None] * n + col[None, :], acc)


def test_matmul():
    done(driver.cuInit(0))
    context = done(driver.cuDevicePrimaryCtxRetain(done(driver.cuDeviceGet(0))))
    done(driver.cuCtxSetCurrent(context))
    m, n, k = 128, 128, 96
    random = np.random.default_rng(1)
    x, y = random.standard_normal((m, k)).astype(np.float16), random.standard_normal((k, n)).astype(np.float16)
    a, b, c = Array(x), Array(y), Array(np.zeros((m, n), np.float32))
    a.dtype = b.dtype = "fp16"
    matmul[(m // 64, n // 64)](a, b, c, m, n, k, M=64, N=64, K=32, num_warps=4, num_stages=3)
    done(driver.cuCtxSynchronize())
    np.testing.assert_allclose(c.numpy(), x.astype(np.float64) @ y.astype(np.float64), atol=1e-3)
    for array in (a, b, c):
        array.free()


if __name__ == "__main__":
    test_matmul()
    print("product of 128x96 and 96x128 halves: right")
