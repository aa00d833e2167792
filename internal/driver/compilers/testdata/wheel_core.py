# cuda.core: machine code of CUDA C++, linked from two objects.
import numpy
from cuda.core import Device, LaunchConfig, Linker, LinkerOptions, Program, ProgramOptions, launch

device = Device()
device.set_current()
stream = device.create_stream()
arch = "sm_" + "".join(str(n) for n in device.compute_capability)


def run(code):
    kernel = code.get_kernel("k")
    memory = device.allocate(128, stream=stream)
    launch(stream, LaunchConfig(grid=1, block=32), kernel, memory)
    stream.sync()
    out = numpy.zeros(32, dtype=numpy.int32)
    from cuda.bindings import driver
    e, = driver.cuMemcpyDtoH(out.ctypes.data, int(memory.handle), 128)
    assert e == 0, e
    memory.close(stream)
    return bool((out == 2 * numpy.arange(32)).all())


one = 'extern "C" __global__ void k(int *p) { p[threadIdx.x] = 2 * threadIdx.x; }'
print("cubin", run(Program(one, "c++", ProgramOptions(std="c++17", arch=arch)).compile("cubin")))

caller = 'extern __device__ int twice(int); extern "C" __global__ void k(int *p) { p[threadIdx.x] = twice(threadIdx.x); }'
callee = "__device__ int twice(int n) { return 2 * n; }"
for form in "ptx", "cubin", "ltoir":
    lto = form == "ltoir"
    options = ProgramOptions(arch=arch, relocatable_device_code=True, link_time_optimization=lto)
    parts = [Program(s, "c++", options).compile(form) for s in (caller, callee)]
    linker = Linker(*parts, options=LinkerOptions(arch=arch, link_time_optimization=lto))
    print(form, type(linker).__name__, run(linker.link("cubin")))
