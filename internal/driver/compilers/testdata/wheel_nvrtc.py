# NVRTC and nvJitLink by ctypes and by their absolute paths, as many programs load them.
import ctypes
import glob
import os
import nvidia

folder = os.path.join(list(nvidia.__path__)[0], "cu13", "lib")
rtc = ctypes.CDLL(glob.glob(folder + "/libnvrtc.so.1*")[0])
link = ctypes.CDLL(glob.glob(folder + "/libnvJitLink.so.1*")[0])
cuda = ctypes.CDLL("libcuda.so.1")


def ok(e):
    assert e == 0, e


def compiled(source, *options):
    program = ctypes.c_void_p()
    ok(rtc.nvrtcCreateProgram(ctypes.byref(program), source, b"k.cu", 0, None, None))
    args = (ctypes.c_char_p * len(options))(*options)
    ok(rtc.nvrtcCompileProgram(program, len(options), args))
    size = ctypes.c_size_t()
    form = "LTOIR" if b"-dlto" in options else "CUBIN"
    ok(getattr(rtc, f"nvrtcGet{form}Size")(program, ctypes.byref(size)))
    text = ctypes.create_string_buffer(size.value)
    ok(getattr(rtc, f"nvrtcGet{form}")(program, text))
    ok(rtc.nvrtcDestroyProgram(ctypes.byref(program)))
    return text.raw


caller = b'extern __device__ int twice(int); extern "C" __global__ void k(int *p) { p[threadIdx.x] = twice(threadIdx.x); }'
callee = b"__device__ int twice(int n) { return 2 * n; }"
inputs = [compiled(caller, b"--gpu-architecture=sm_80", b"-rdc=true"), compiled(callee, b"-arch", b"sm_80", b"-dlto")]

options = (ctypes.c_char_p * 2)(b"-arch=sm_80", b"-lto")
state = ctypes.c_void_p()
ok(link.nvJitLinkCreate(ctypes.byref(state), 2, options))
for kind, text in zip((1, 3), inputs):
    ok(link.nvJitLinkAddData(state, kind, text, ctypes.c_size_t(len(text)), b"input"))
ok(link.nvJitLinkComplete(state))
size = ctypes.c_size_t()
ok(link.nvJitLinkGetLinkedCubinSize(state, ctypes.byref(size)))
image = ctypes.create_string_buffer(size.value)
ok(link.nvJitLinkGetLinkedCubin(state, image))
ok(link.nvJitLinkDestroy(ctypes.byref(state)))

context, module, kernel, memory = (ctypes.c_void_p() for _ in range(4))
ok(cuda.cuInit(0))
ok(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
ok(cuda.cuCtxSetCurrent(context))
ok(cuda.cuModuleLoadData(ctypes.byref(module), image))
ok(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"k"))
ok(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(128)))
params = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
ok(cuda.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, params, None))
out = (ctypes.c_int * 32)()
ok(cuda.cuMemcpyDtoH_v2(out, memory, ctypes.c_size_t(128)))
print(sum(out) == sum(2 * n for n in range(32)))
