"""A kernel on memory of ctypes, by ptx_run as a mock of a driver calls it."""
import ctypes
import ctypes.util

text = b""".version 7.5
.target sm_35
.address_size 64
.visible .entry scale(.param .u64 p, .param .u64 q, .param .f32 f)
{
    .reg .f32 %f<3>; .reg .b32 %r<2>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; ld.param.f32 %f1, [f];
    mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
    ld.global.f32 %f2, [%rd1]; mul.f32 %f2, %f2, %f1; st.global.f32 [%rd2], %f2; ret;
}
"""
library = ctypes.CDLL(ctypes.util.find_library("gpuocelot") or "libgpuocelot.so")
library.ptx_run.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p)] + [ctypes.c_int] * 7

N = 50000
source = (ctypes.c_float * N)(*range(N))
target = bytearray(4 * N)
half = int.from_bytes(ctypes.c_float(0.5), "little")
args = (ctypes.c_void_p * 3)(ctypes.addressof(source), ctypes.addressof(ctypes.c_char.from_buffer(target)), half)
status = library.ptx_run(text, 3, args, 1, 1, 1, N, 1, 1, 0)
print(status, memoryview(target).cast("f").tolist() == [i / 2 for i in range(N)])
