# numba-cuda with nvJitLink: code for link-time optimisation is its default.
import math
import warnings
import numpy
from numba import cuda, float32
from numba.cuda.core.errors import NumbaPerformanceWarning

warnings.simplefilter("error", RuntimeWarning)
warnings.simplefilter("ignore", NumbaPerformanceWarning)


@cuda.jit(device=True)
def half(x):
    return x / 2


@cuda.jit
def sums(a, out):
    shared = cuda.shared.array(64, float32)
    i = cuda.threadIdx.x
    shared[i] = half(math.exp(math.log(a[i])) * 2)
    cuda.syncthreads()
    step = 32
    while step:
        if i < step:
            shared[i] += shared[i + step]
        cuda.syncthreads()
        step //= 2
    if i == 0:
        out[0] = shared[0]


a = numpy.arange(1, 65, dtype=numpy.float32)
out = numpy.zeros(1, dtype=numpy.float32)
sums[1, 64](a, out)
print(abs(out[0] - a.sum()) < 1e-3)

# A function in CUDA C++, which NVRTC compiles.
source = cuda.CUSource('extern "C" __device__ int twice(int *out, int n) { *out = 2 * n; return 0; }')
twice = cuda.declare_device("twice", "int32(int32)", link=source)


@cuda.jit
def doubles(out):
    i = cuda.grid(1)
    out[i] = twice(i)


out = numpy.zeros(32, dtype=numpy.int32)
doubles[1, 32](out)
print(bool((out == 2 * numpy.arange(32)).all()))
