"""Softmax of the rows of a matrix with Triton, without torch.

    crosslane exec -- python3 examples/hosts/triton_softmax.py
    crosslane exec --check -- python3 examples/hosts/triton_softmax.py

It needs Triton 3.9 (pip install "triton==3.9.*" numpy) and cuda-bindings for memory
(pip install "cuda-bindings==13.5.*").
"""
import numpy as np
import triton
import triton.language as tl
from cuda.bindings import driver


def done(result):
    """The values of a call of the driver, whose first value is its status."""
    status, *values = result
    if status != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(status)
    return values[0] if len(values) == 1 else values


class Array:
    """An array on the device: Triton asks for its address and the name of its type."""

    def __init__(self, host):
        self.shape, self.type, self.dtype = host.shape, host.dtype, "fp32"
        self.address = done(driver.cuMemAlloc(host.nbytes))
        done(driver.cuMemcpyHtoD(self.address, host.ctypes.data, host.nbytes))

    def data_ptr(self):
        return int(self.address)

    def numpy(self):
        host = np.empty(self.shape, self.type)
        done(driver.cuMemcpyDtoH(host.ctypes.data, self.address, host.nbytes))
        return host

    def free(self):
        done(driver.cuMemFree(self.address))


@triton.jit
def softmax(out, values, stride, n, SIZE: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, SIZE)
    x = tl.load(values + row * stride + at, mask=at < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out + row * stride + at, e / tl.sum(e, axis=0), mask=at < n)


def test_softmax():
    done(driver.cuInit(0))
    context = done(driver.cuDevicePrimaryCtxRetain(done(driver.cuDeviceGet(0))))
    done(driver.cuCtxSetCurrent(context))
    rows, n = 64, 300
    values = np.random.default_rng(1).standard_normal((rows, n), dtype=np.float32)
    a, out = Array(values), Array(np.zeros_like(values))
    softmax[(rows,)](out, a, n, n, SIZE=512)
    done(driver.cuCtxSynchronize())
    e = np.exp(values - values.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out.numpy(), e / e.sum(axis=1, keepdims=True), rtol=1e-5)
    a.free()
    out.free()


if __name__ == "__main__":
    test_softmax()
    print("softmax of 64 rows of 300 values: right")
