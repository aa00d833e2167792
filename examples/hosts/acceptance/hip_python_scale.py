"""hip-python, a real client of libamdhip64 and libhiprtc: a kernel template is compiled while the program runs, by its name
expression, and its results are compared with those of numpy.

    pip install numpy==2.3.4 hip-python==7.2.2.562.43
    crosslane exec --check --device gfx803 -- python3 hip_python_scale.py
"""

import ctypes

import numpy as np
from hip import hip, hiprtc

SOURCE = b"""
template <typename T, int FACTOR>
__global__ void scale(const T *in, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = FACTOR * in[i] + T(gridDim.x);
}

__global__ void lanes(int *sums, unsigned long long *votes)
{
    int v = threadIdx.x;
    for (int d = warpSize / 2; d > 0; d /= 2)
        v += __shfl_down(v, d);
    unsigned long long vote = __ballot(threadIdx.x % 3 == 0);
    if (__lane_id() == 0)
        sums[blockIdx.x] = v, votes[blockIdx.x] = vote;
    if (threadIdx.x == 1)
        atomicAdd(&sums[gridDim.x], 1);
}
"""


def check(result):
    status, *values = result if isinstance(result, tuple) else (result,)
    if int(status) != 0:
        raise RuntimeError(str(status))
    return values[0] if len(values) == 1 else values


def compiled(expressions, options=()):
    """Returns the code object and the lowered names."""
    program = check(hiprtc.hiprtcCreateProgram(SOURCE, b"scale.hip", 0, None, None))
    for e in expressions:
        check(hiprtc.hiprtcAddNameExpression(program, e))
    status, = hiprtc.hiprtcCompileProgram(program, len(options), list(options) or None)
    size = check(hiprtc.hiprtcGetProgramLogSize(program))
    log = bytearray(size)
    check(hiprtc.hiprtcGetProgramLog(program, log))
    if int(status) != 0:
        return log.rstrip(b"\0").decode(), None
    names = [str(check(hiprtc.hiprtcGetLoweredName(program, e))).encode() for e in expressions]  # the program owns the text
    code = bytearray(check(hiprtc.hiprtcGetCodeSize(program)))
    check(hiprtc.hiprtcGetCode(program, code))
    check(hiprtc.hiprtcDestroyProgram(program.createRef()))
    return code, names


def main():
    props = hip.hipDeviceProp_t()
    check(hip.hipGetDeviceProperties(props, 0))
    print(props.gcnArchName.decode(), props.warpSize, "lanes")
    code, names = compiled([b"scale<float, 3>", b"lanes"])
    assert code[:4] == b"\x7fELF", code
    module = check(hip.hipModuleLoadData(code))
    scale, lanes = (check(hip.hipModuleGetFunction(module, n)) for n in names)
    n = 1000
    x = np.linspace(-1, 1, n, dtype=np.float32)
    y = np.empty_like(x)
    a, b = check(hip.hipMalloc(x.nbytes)), check(hip.hipMalloc(y.nbytes))
    stream = check(hip.hipStreamCreate())
    check(hip.hipMemcpy(a, x, x.nbytes, hip.hipMemcpyKind.hipMemcpyHostToDevice))
    check(hip.hipModuleLaunchKernel(scale, 4, 1, 1, 256, 1, 1, 0, stream, None, (a, b, ctypes.c_int(n))))
    check(hip.hipStreamSynchronize(stream))
    check(hip.hipMemcpy(y, b, y.nbytes, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
    assert np.array_equal(y, np.float32(3) * x + np.float32(4))
    sums, votes = np.zeros(3, np.int32), np.zeros(2, np.uint64)
    c, d = check(hip.hipMalloc(sums.nbytes)), check(hip.hipMalloc(votes.nbytes))
    check(hip.hipMemset(c, 0, sums.nbytes))
    check(hip.hipModuleLaunchKernel(lanes, 2, 1, 1, 64, 1, 1, 0, stream, None, (c, d)))
    check(hip.hipMemcpy(sums, c, sums.nbytes, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
    check(hip.hipMemcpy(votes, d, votes.nbytes, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
    assert sums.tolist() == [64 * 63 // 2] * 2 + [2], sums
    assert votes.tolist() == [sum(1 << i for i in range(0, 64, 3))] * 2, votes
    log, none = compiled([], [b"--std=c++17", b"-DFACTOR=no_such_name+", b"-Werror"])
    assert none is None and "scale.hip:2" in log, log
    for p in a, b, c, d:
        check(hip.hipFree(p))
    check(hip.hipStreamDestroy(stream))
    check(hip.hipModuleUnload(module))
    print("right")


if __name__ == "__main__":
    main()
