"""A template in CUDA C++, compiled by NVRTC and run with cuda.core; two events measure the time.

    crosslane exec -- python3 examples/hosts/cuda_core_saxpy.py
    crosslane exec --check -- python3 examples/hosts/cuda_core_saxpy.py

It needs cuda-core with NVRTC:
    pip install "cuda-core==1.2.*" "cuda-bindings==13.5.*" "nvidia-cuda-nvrtc==13.*" "nvidia-cuda-runtime==13.*" numpy
"""
import numpy as np
from cuda.bindings import driver
from cuda.core import Device, EventOptions, LaunchConfig, Program, ProgramOptions, launch

SOURCE = """
template <typename T>
__global__ void saxpy(T a, const T *x, const T *y, T *out, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = a * x[i] + y[i];
}
"""


def test_saxpy():
    device = Device()
    device.set_current()
    stream = device.create_stream()

    options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}")
    module = Program(SOURCE, code_type="c++", options=options).compile("cubin", name_expressions=("saxpy<float>",))
    saxpy = module.get_kernel("saxpy<float>")

    n = 50_000
    x = np.arange(n, dtype=np.float32)
    y = np.ones(n, dtype=np.float32)
    out = np.empty_like(x)

    buffers = [device.allocate(a.nbytes, stream=stream) for a in (x, y, out)]
    for buffer, array in zip(buffers[:2], (x, y)):
        driver.cuMemcpyHtoDAsync(int(buffer.handle), array.ctypes.data, array.nbytes, stream.handle)

    timing = EventOptions(timing_enabled=True)
    begin = stream.record(options=timing)
    launch(stream, LaunchConfig(grid=32, block=256), saxpy, np.float32(2), *buffers, np.uint64(n))
    end = stream.record(options=timing)
    driver.cuMemcpyDtoHAsync(out.ctypes.data, int(buffers[2].handle), out.nbytes, stream.handle)
    stream.sync()

    assert np.array_equal(out, 2 * x + y)
    assert end - begin >= 0  # milliseconds
    for buffer in buffers:
        buffer.close(stream)
    stream.close()


if __name__ == "__main__":
    test_saxpy()
    print("2x + y of 50000 values: right")
