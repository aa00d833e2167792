# Triton without torch: a tensor is anything with data_ptr() and dtype.
import ctypes
import os
import numpy

os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"  # else it warns
import triton
import triton.language as tl

cuda = ctypes.CDLL("libcuda.so.1")


def ok(e):
    assert e == 0, e


class Tensor:
    def __init__(self, array):
        self.array, self.dtype, self.memory = array, str(array.dtype), ctypes.c_void_p()
        ok(cuda.cuMemAlloc_v2(ctypes.byref(self.memory), ctypes.c_size_t(array.nbytes)))
        ok(cuda.cuMemcpyHtoD_v2(self.memory, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes)))

    def data_ptr(self):
        return self.memory.value

    def numpy(self):
        out = numpy.empty_like(self.array)
        ok(cuda.cuMemcpyDtoH_v2(out.ctypes.data_as(ctypes.c_void_p), self.memory, ctypes.c_size_t(out.nbytes)))
        return out


@triton.jit
def softmax(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    line = tl.program_id(0) * n
    v = tl.load(x + line + at, mask=at < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + line + at, e / tl.sum(e, axis=0), mask=at < n)


@triton.jit
def product(a, b, c, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    tl.store(c + i * N + j, tl.dot(tl.load(a + i * N + j), tl.load(b + i * N + j)))


triton.runtime.driver.active.get_current_device()  # makes the context
random = numpy.random.default_rng(1)
x = random.standard_normal((7, 100), dtype=numpy.float32)
y = Tensor(numpy.zeros_like(x))
softmax[(7,)](Tensor(x), y, 100, BLOCK=128)
e = numpy.exp(x - x.max(axis=1, keepdims=True))
print(numpy.allclose(y.numpy(), e / e.sum(axis=1, keepdims=True), atol=1e-6))

a, b = (random.standard_normal((32, 32), dtype=numpy.float32).astype(numpy.float16) for _ in "ab")
c = Tensor(numpy.zeros((32, 32), numpy.float32))
product[(1,)](Tensor(a), Tensor(b), c, N=32)
print(numpy.allclose(c.numpy(), a.astype(numpy.float32) @ b.astype(numpy.float32), atol=1e-2))
