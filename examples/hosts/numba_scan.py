"""The sums of the first values of an array, by shuffles of a warp, with Numba.

    crosslane exec -- python3 examples/hosts/numba_scan.py
    crosslane exec --check -- python3 examples/hosts/numba_scan.py

It needs Numba of Debian 12, with
    apt-get install python3-numba llvm-14
or numba-cuda 0.30.4 with its compilers:
    pip install numba-cuda==0.30.4 "cuda-core==1.2.*" "cuda-bindings==13.5.*" "nvidia-nvvm==13.*" "nvidia-cuda-nvrtc==13.*" "nvidia-cuda-runtime==13.*"
"""
import numpy as np
from numba import cuda


@cuda.jit
def scan(values, sums, n):
    i = cuda.grid(1)
    lane = cuda.laneid
    x = np.int32(0)
    if i < n:
        x = values[i]
    step = 1
    while step < 32:
        y = cuda.shfl_up_sync(0xFFFFFFFF, x, step)
        if lane >= step:
            x += y
        step *= 2
    if i < n:
        sums[i] = x


def test_scan():
    n = 1000
    values = np.arange(n, dtype=np.int32)
    sums = cuda.device_array(n, dtype=np.int32)
    scan[(n + 127) // 128, 128](cuda.to_device(values), sums, n)
    # Each warp sums its own 32 values.
    warps = np.zeros(1024, dtype=np.int32)
    warps[:n] = values
    want = np.cumsum(warps.reshape(-1, 32), axis=1, dtype=np.int32).reshape(-1)[:n]
    assert np.array_equal(sums.copy_to_host(), want)


if __name__ == "__main__":
    test_scan()
    print("the sums of 1000 values in warps of 32: right")
