"""A graph that is built once from two launches and runs five times, on pinned memory, with cuda.core.

    crosslane exec -- python3 examples/hosts/cuda_core_graph.py
    crosslane exec --check -- python3 examples/hosts/cuda_core_graph.py

It needs cuda-core with NVRTC:
    pip install "cuda-core==1.2.*" "cuda-bindings==13.5.*" "nvidia-cuda-nvrtc==13.*" "nvidia-cuda-runtime==13.*" numpy
"""
import numpy as np
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

SOURCE = """
extern "C" __global__ void add(int *at, int n) { if (threadIdx.x < n) at[threadIdx.x] += threadIdx.x; }
extern "C" __global__ void twice(int *at, int n) { if (threadIdx.x < n) at[threadIdx.x] *= 2; }
"""


def test_graph():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    program = Program(SOURCE, code_type="c++", options=ProgramOptions(arch=f"sm_{device.arch}"))
    module = program.compile("cubin")
    add, twice = module.get_kernel("add"), module.get_kernel("twice")

    n = 64
    pinned = LegacyPinnedMemoryResource().allocate(4 * n)
    numbers = np.from_dlpack(pinned).view(np.int32)
    numbers[:] = 1

    builder = device.create_graph_builder()
    builder.begin_building()
    config = LaunchConfig(grid=1, block=n)
    launch(builder, config, add, pinned, np.int32(n))
    launch(builder, config, twice, pinned, np.int32(n))
    graph = builder.end_building().complete()

    graph.upload(stream)
    for _ in range(5):
        graph.launch(stream)
    stream.sync()

    expected = np.ones(n, dtype=np.int32)
    for _ in range(5):
        expected = (expected + np.arange(n)) * 2
    assert np.array_equal(numbers, expected)


if __name__ == "__main__":
    test_graph()
    print("five runs of a graph with two kernels: right")
