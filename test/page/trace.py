"""A host program of the CUDA driver: one launch of partial_reduce with 20 of 32 values.

python3 trace.py FILE.ptx
"""

import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *args):
    status = getattr(cuda, name)(*args)
    if status != 0:
        sys.exit(f"{name} returned {status}")


call("cuInit", 0)
device, context, module, function = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuCtxCreate_v2", ctypes.byref(context), 0, device)
with open(sys.argv[1], "rb") as f:
    text = f.read() + b"\0"
call("cuModuleLoadData", ctypes.byref(module), text)
call("cuModuleGetFunction", ctypes.byref(function), module, b"partial_reduce")

values = (ctypes.c_int * 32)(*(i % 7 + 1 for i in range(32)))
source, result = ctypes.c_uint64(), ctypes.c_uint64()
call("cuMemAlloc_v2", ctypes.byref(source), 128)
call("cuMemAlloc_v2", ctypes.byref(result), 4)
call("cuMemcpyHtoD_v2", source, values, ctypes.c_size_t(128))
count = ctypes.c_int(20)
args = (ctypes.c_void_p * 3)(*(ctypes.cast(ctypes.byref(a), ctypes.c_void_p) for a in (source, result, count)))
call("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, None, args, None)
total = ctypes.c_int()
call("cuMemcpyDtoH_v2", ctypes.byref(total), result, ctypes.c_size_t(4))
print(total.value)
