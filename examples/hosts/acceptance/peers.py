"""The time of four kernels, to compare Crosslane with the simulator of Numba: the second launch of each.

    crosslane exec -- python3 examples/hosts/acceptance/peers.py
    NUMBA_ENABLE_CUDASIM=1 python3 examples/hosts/acceptance/peers.py
"""
import time
import warnings

import numpy as np
from numba import config, cuda, float32, int32

warnings.simplefilter("ignore")


@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


@cuda.jit
def matmul(a, b, out):
    sa = cuda.shared.array((16, 16), float32)
    sb = cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    i, j = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for t in range(a.shape[1] // 16):
        sa[i, j] = a[x, j + t * 16]
        sb[i, j] = b[i + t * 16, y]
        cuda.syncthreads()
        for k in range(16):
            total += sa[i, k] * sb[k, j]
        cuda.syncthreads()
    out[x, y] = total


@cuda.jit
def reduce(a, out):
    s = cuda.shared.array(256, int32)
    i = cuda.threadIdx.x
    s[i] = a[cuda.grid(1)]
    cuda.syncthreads()
    step = 128
    while step > 0:
        if i < step:
            s[i] += s[i + step]
        cuda.syncthreads()
        step //= 2
    if i == 0:
        out[cuda.blockIdx.x] = s[0]


@cuda.jit
def histogram(a, bins):
    s = cuda.shared.array(64, int32)
    i = cuda.threadIdx.x
    if i < 64:
        s[i] = 0
    cuda.syncthreads()
    cuda.atomic.add(s, a[cuda.grid(1)], 1)
    cuda.syncthreads()
    if i < 64:
        cuda.atomic.add(bins, i, s[i])


random = np.random.default_rng(1)
n = 8192
f = random.random(n, dtype=np.float32)
m = random.random((64, 64), dtype=np.float32)
k = random.integers(0, 64, n).astype(np.int32)

print("simulator of Numba" if config.ENABLE_CUDASIM else "Crosslane")
for name, kernel, grid, block, args, out, want in [
    ("add, 8192", add, 32, 256, (f, f), np.zeros(n, np.float32), f + f),
    ("matmul 64 x 64 in tiles", matmul, (4, 4), (16, 16), (m, m), np.zeros((64, 64), np.float32), m @ m),
    ("reduce in shared memory, 8192", reduce, 32, 256, (k,), np.zeros(32, np.int32), k.reshape(32, 256).sum(1)),
    ("histogram, 8192", histogram, 32, 256, (k,), np.zeros(64, np.int32), np.bincount(k, minlength=64)),
]:
    for _ in range(2):
        inputs, result = [cuda.to_device(a) for a in args], cuda.to_device(out)
        began = time.perf_counter()
        kernel[grid, block](*inputs, result)
        cuda.synchronize()
        seconds = time.perf_counter() - began
    np.testing.assert_allclose(result.copy_to_host(), want, rtol=1e-4)
    print(f"{name}: {seconds * 1e3:.2f} ms")
