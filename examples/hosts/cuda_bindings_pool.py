"""The driver API from Python: two streams, an event between them, and memory of a pool, with cuda-bindings and NVRTC.

    crosslane exec -- python3 examples/hosts/cuda_bindings_pool.py
    crosslane exec --check -- python3 examples/hosts/cuda_bindings_pool.py

Without the event, --check reports a stream-race.
It needs
    pip install "cuda-bindings==13.5.*" "nvidia-cuda-nvrtc==13.*" numpy
"""
import numpy as np
from cuda.bindings import driver as cu, nvrtc

SOURCE = b"""extern "C" __global__ void square(int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        at[i] *= at[i];
}"""


def of(answer):
    """Returns the results of a call, or raises its error."""
    error, *results = answer
    if error != 0:
        raise RuntimeError(error)
    return results[0] if len(results) == 1 else results


def compile(source, arch):
    program = of(nvrtc.nvrtcCreateProgram(source, b"square.cu", 0, [], []))
    of(nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=" + arch]))
    ptx = bytes(of(nvrtc.nvrtcGetPTXSize(program)))
    of(nvrtc.nvrtcGetPTX(program, ptx))
    return ptx


def test_pool():
    of(cu.cuInit(0))
    device = of(cu.cuDeviceGet(0))
    of(cu.cuCtxSetCurrent(of(cu.cuDevicePrimaryCtxRetain(device))))
    square = of(cu.cuModuleGetFunction(of(cu.cuModuleLoadData(compile(SOURCE, b"compute_80"))), b"square"))

    pool = of(cu.cuDeviceGetDefaultMemPool(device))
    of(cu.cuMemPoolSetAttribute(pool, cu.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, cu.cuuint64_t(1 << 30)))
    first, second = (of(cu.cuStreamCreate(cu.CUstream_flags.CU_STREAM_NON_BLOCKING)) for _ in range(2))
    ready = of(cu.cuEventCreate(0))

    values = np.arange(1000, dtype=np.int32)
    result = np.empty_like(values)
    at = of(cu.cuMemAllocFromPoolAsync(values.nbytes, pool, first))
    of(cu.cuMemcpyHtoDAsync(at, values.ctypes.data, values.nbytes, first))
    of(cu.cuLaunchKernel(square, 8, 1, 1, 128, 1, 1, 0, first, ((at, len(values)), (None, np.ctypeslib.ctypes.c_int)), 0))
    of(cu.cuEventRecord(ready, first))
    of(cu.cuStreamWaitEvent(second, ready, 0))
    of(cu.cuMemcpyDtoHAsync(result.ctypes.data, at, values.nbytes, second))
    of(cu.cuMemFreeAsync(at, second))
    of(cu.cuStreamSynchronize(second))
    assert np.array_equal(result, values * values)


if __name__ == "__main__":
    test_pool()
    print("the squares of 1000 values, copied by another stream: right")
