"""CuPy for ROCm: properties, copies, streams, events and kernels that hiprtc compiles. See cupy_rocm.sh."""

import cupy as cp
import numpy as np
from cupy.cuda import runtime

SHUFFLE = r"""
extern "C" __global__ void doubled(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = 2 * p[i] + __shfl_xor(p[i], 1);
}
"""
TEMPLATE = "template <typename T> __global__ void set(T *p, T v) { p[threadIdx.x] = v; }"


def main():
    properties = runtime.getDeviceProperties(0)
    assert runtime.is_hip and properties["gcnArchName"] == b"gfx803" and properties["warpSize"] == 64
    a = np.arange(64, dtype=np.float32)
    x = cp.ndarray(64, cp.float32)
    stream, before, after = cp.cuda.Stream(), cp.cuda.Event(), cp.cuda.Event()
    with stream:
        before.record()
        x.set(a)
        cp.RawKernel(SHUFFLE, "doubled")((1,), (64,), (x, cp.int32(64)))
        after.record()
    stream.synchronize()
    assert after.done and cp.cuda.get_elapsed_time(before, after) >= 0
    assert np.array_equal(x.get(), 2 * a + a[np.arange(64) ^ 1])
    module = cp.RawModule(code=TEMPLATE, name_expressions=["set<float>", "set<int>"])
    module.get_function("set<float>")((1,), (64,), (x, cp.float32(7)))
    assert (x.get() == 7).all()
    print(cp.__version__, "right")


if __name__ == "__main__":
    main()
