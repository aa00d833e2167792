"""Eight kernels in Triton against numpy: add, softmax, matmul, layer norm, attention, atomics, sort and scan.

    crosslane exec --device sm_80 -- python3 examples/hosts/acceptance/triton_kernels.py
    crosslane exec --device sm_120 --check -- python3 examples/hosts/acceptance/triton_kernels.py

It needs Triton 3.9 and cuda-bindings 13.5, as triton_softmax.py does.
"""
import sys

import numpy as np
import triton
import triton.language as tl
from cuda.bindings import driver

random = np.random.default_rng(7)


def done(result):
    status, *values = result
    if status != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(status)
    return values[0] if len(values) == 1 else values


NAMES = {"float32": "fp32", "float16": "fp16", "int32": "i32"}
live = []


class Array:
    """Memory of the device; dtype is Triton's name of the elements."""

    def __init__(self, host, dtype=None):
        host = np.ascontiguousarray(host)
        self.shape, self.type, self.dtype = host.shape, host.dtype, dtype or NAMES[host.dtype.name]
        self.address = done(driver.cuMemAlloc(host.nbytes))
        done(driver.cuMemcpyHtoD(self.address, host.ctypes.data, host.nbytes))
        live.append(self.address)

    def data_ptr(self):
        return int(self.address)

    def numpy(self):
        host = np.empty(self.shape, self.type)
        done(driver.cuMemcpyDtoH(host.ctypes.data, self.address, host.nbytes))
        return host


def rows(*shape, dtype=np.float32):
    return random.standard_normal(shape).astype(dtype)


@triton.jit
def add(x, y, out, n, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


def test_add():
    n = 98432
    x, y = rows(n), rows(n)
    out = Array(np.zeros_like(x))
    add[(triton.cdiv(n, 1024),)](Array(x), Array(y), out, n, SIZE=1024)
    assert np.array_equal(out.numpy(), x + y)


@triton.jit
def softmax(out, x, n, SIZE: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, SIZE)
    v = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * n + at, e / tl.sum(e, axis=0), mask=at < n)


def test_softmax():
    x = rows(32, 781)
    out = Array(np.zeros_like(x))
    softmax[(32,)](out, Array(x), 781, SIZE=1024)
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(out.numpy(), e / e.sum(1, keepdims=True), rtol=1e-5)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k0 in range(0, K, BK):
        x = tl.load(a + i[:, None] * K + (k0 + k)[None, :])
        y = tl.load(b + (k0 + k)[:, None] * N + j[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + i[:, None] * N + j[None, :], total)


def test_matmul():
    m, n, k = 64, 96, 128
    a, b = rows(m, k, dtype=np.float16), rows(k, n, dtype=np.float16)
    c = Array(np.zeros((m, n), np.float32))
    matmul[(m // 32, n // 32)](Array(a), Array(b), c, m, n, k, BM=32, BN=32, BK=32)
    np.testing.assert_allclose(c.numpy(), a.astype(np.float64) @ b.astype(np.float64), rtol=1e-3, atol=1e-3)


@triton.jit
def layer_norm(x, w, b, out, n, eps, SIZE: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, SIZE)
    inside = at < n
    v = tl.load(x + row * n + at, mask=inside, other=0.0)
    mean = tl.sum(v, axis=0) / n
    d = tl.where(inside, v - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(d * d, axis=0) / n + eps)
    tl.store(out + row * n + at, d * scale * tl.load(w + at, mask=inside) + tl.load(b + at, mask=inside), mask=inside)


def test_layer_norm():
    x, w, b = rows(16, 1000), rows(1000), rows(1000)
    out = Array(np.zeros_like(x))
    layer_norm[(16,)](Array(x), Array(w), Array(b), out, 1000, 1e-5, SIZE=1024)
    want = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * w + b
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-4, atol=1e-4)


@triton.jit
def attention(q, k, v, out, scale, L: tl.constexpr, D: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    x = tl.load(q + i[:, None] * D + d[None, :])
    most = tl.full((B,), -float("inf"), tl.float32)
    total = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    for j0 in range(0, L, B):
        j = j0 + tl.arange(0, B)
        s = tl.dot(x, tl.trans(tl.load(k + j[:, None] * D + d[None, :]))) * scale
        s = tl.where(i[:, None] >= j[None, :], s, -float("inf"))
        new = tl.maximum(most, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        keep = tl.exp(most - new)
        acc = acc * keep[:, None] + tl.dot(p.to(tl.float16), tl.load(v + j[:, None] * D + d[None, :]))
        total = total * keep + tl.sum(p, 1)
        most = new
    tl.store(out + i[:, None] * D + d[None, :], acc / total[:, None])


def test_attention():
    length, d = 64, 32
    q, k, v = (rows(length, d, dtype=np.float16) for _ in range(3))
    out = Array(np.zeros((length, d), np.float32))
    attention[(length // 16,)](Array(q), Array(k), Array(v), out, d**-0.5, L=length, D=d, B=16)
    s = q.astype(np.float64) @ k.astype(np.float64).T * d**-0.5
    s[np.triu_indices(length, 1)] = -np.inf
    e = np.exp(s - s.max(1, keepdims=True))
    np.testing.assert_allclose(out.numpy(), e / e.sum(1, keepdims=True) @ v.astype(np.float64), rtol=2e-2, atol=2e-3)


@triton.jit
def histogram(x, bins, n, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.atomic_add(bins + tl.load(x + at, mask=at < n, other=0), 1, mask=at < n)


def test_atomics():
    n = 5000
    x = random.integers(0, 64, n).astype(np.int32)
    bins = Array(np.zeros(64, np.int32))
    histogram[(triton.cdiv(n, 512),)](Array(x), bins, n, SIZE=512)
    assert np.array_equal(bins.numpy(), np.bincount(x, minlength=64))


@triton.jit
def sort(x, out, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(out + at, tl.sort(tl.load(x + at)))


def test_sort():
    x = random.integers(-1000, 1000, 512).astype(np.int32)
    out = Array(np.zeros_like(x))
    sort[(1,)](Array(x), out, SIZE=512)
    assert np.array_equal(out.numpy(), np.sort(x))


@triton.jit
def scan(x, out, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(out + at, tl.cumsum(tl.load(x + at), axis=0))


def test_scan():
    x = random.integers(-1000, 1000, 512).astype(np.int32)
    out = Array(np.zeros_like(x))
    scan[(1,)](Array(x), out, SIZE=512)
    assert np.array_equal(out.numpy(), np.cumsum(x))


if __name__ == "__main__":
    done(driver.cuInit(0))
    done(driver.cuCtxSetCurrent(done(driver.cuDevicePrimaryCtxRetain(done(driver.cuDeviceGet(0))))))
    failed = 0
    for name, test in [(n[5:], t) for n, t in globals().items() if n.startswith("test_")]:
        try:
            test()
            print(f"{name}: right")
        except Exception as e:
            failed += 1
            print(f"{name}: {type(e).__name__}: {e}")
        for address in live:
            done(driver.cuMemFree(address))
        live.clear()
    sys.exit(failed > 0)
