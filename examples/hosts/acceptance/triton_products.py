"""Products of matrices in Triton with the shapes that use the matrix units of each device, against numpy.

    crosslane exec --device sm_90a -- python3 examples/hosts/acceptance/triton_products.py
    crosslane exec --device sm_100a --check -- python3 examples/hosts/acceptance/triton_products.py f16 descriptors

Triton writes wgmma for sm_90a, tcgen05 for sm_100a and mma.sync for sm_120a. All numbers are small integers, so every sum is
exact in any order. It needs Triton 3.9 and cuda-bindings 13.5, as triton_softmax.py does.
"""
import sys

import numpy as np
import triton
import triton.language as tl
from cuda.bindings import driver
from triton_kernels import Array, done, live

random = np.random.default_rng(11)


def bfloat(x):
    return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def small(exponent, mantissa, bias):
    """Returns a function that encodes numbers of a few bits as 8-bit floats."""
    values = {}
    for bits in range(128):
        e, m = bits >> mantissa, bits & (1 << mantissa) - 1
        v = m * 2.0 ** (1 - bias - mantissa) if e == 0 else (1 + m / 2**mantissa) * 2.0 ** (e - bias)
        values.setdefault(v, bits)
    return lambda x: np.array([values[abs(v)] | (128 if v < 0 else 0) for v in x.ravel()], np.uint8).reshape(x.shape)


TYPES = {
    "f16": ("fp16", lambda x: x.astype(np.float16)),
    "bf16": ("bf16", bfloat),
    "tf32": ("fp32", lambda x: x.astype(np.float32)),
    "i8": ("i8", lambda x: x.astype(np.int8)),
    "e4m3": ("fp8e4nv", small(4, 3, 7)),
    "e5m2": ("fp8e5", small(5, 2, 15)),
}


def numbers(*shape):
    return random.integers(-4, 5, shape)


@triton.jit
def product(a, b, c, m, n, k, across: tl.constexpr, whole: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    col = tl.program_id(1) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), dtype=tl.int32 if whole else tl.float32)
    for first in range(0, k, K):
        at = first + tl.arange(0, K)
        x = tl.load(a + row[:, None] * k + at[None, :], mask=(row[:, None] < m) & (at[None, :] < k), other=0.0)
        if across:
            y = tl.load(b + col[None, :] * k + at[:, None], mask=(col[None, :] < n) & (at[:, None] < k), other=0.0)
        else:
            y = tl.load(b + at[:, None] * n + col[None, :], mask=(col[None, :] < n) & (at[:, None] < k), other=0.0)
        acc = tl.dot(x, y, acc, out_dtype=tl.int32 if whole else tl.float32)
    tl.store(c + row[:, None] * n + col[None, :], acc, mask=(row[:, None] < m) & (col[None, :] < n))


def multiply(kind, across=False, m=256, n=128, k=160, block=(128, 128, 64), stages=3, warps=4):
    dtype, encode = TYPES[kind]
    x, y = numbers(m, k), numbers(k, n)
    whole = kind == "i8"
    c = Array(np.zeros((m, n), np.int32 if whole else np.float32), "i32" if whole else "fp32")
    product[(triton.cdiv(m, block[0]), triton.cdiv(n, block[1]))](
        Array(encode(x), dtype), Array(encode(y.T if across else y), dtype), c, m, n, k, across, whole,
        M=block[0], N=block[1], K=block[2], num_stages=stages, num_warps=warps)
    np.testing.assert_array_equal(c.numpy(), x @ y)


@triton.jit
def persistent(a, b, c, m, n, k, programs, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    wide = tl.cdiv(n, N)
    for tile in tl.range(tl.program_id(0), tl.cdiv(m, M) * wide, programs):
        row = tile // wide * M + tl.arange(0, M)
        col = tile % wide * N + tl.arange(0, N)
        acc = tl.zeros((M, N), dtype=tl.float32)
        for first in range(0, k, K):
            at = first + tl.arange(0, K)
            acc = tl.dot(tl.load(a + row[:, None] * k + at[None, :]), tl.load(b + at[:, None] * n + col[None, :]), acc)
        tl.store(c + row[:, None] * n + col[None, :], acc)


def test_persistent():
    x, y = numbers(384, 128), numbers(128, 256)
    c = Array(np.zeros((384, 256), np.float32), "fp32")
    persistent[(2,)](Array(x.astype(np.float16), "fp16"), Array(y.astype(np.float16), "fp16"), c, 384, 256, 128, 2, M=128, N=128, K=64)
    np.testing.assert_array_equal(c.numpy(), x @ y)


@triton.jit
def described(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    of_a = tl.make_tensor_descriptor(a, [m, k], [k, 1], [M, K])
    of_b = tl.make_tensor_descriptor(b, [n, k], [k, 1], [N, K])
    of_c = tl.make_tensor_descriptor(c, [m, n], [n, 1], [M, N])
    row, col = tl.program_id(0) * M, tl.program_id(1) * N
    acc = tl.zeros((M, N), dtype=tl.float32)
    for first in range(0, k, K):
        acc = tl.dot(of_a.load([row, first]), of_b.load([col, first]).T, acc)
    of_c.store([row, col], acc.to(tl.float16))


def test_descriptors():
    triton.set_allocator(lambda size, alignment, stream: Array(np.zeros(size, np.uint8), "u8"))
    x, y = numbers(200, 96), numbers(120, 96)
    c = Array(np.zeros((200, 120), np.float16), "fp16")
    described[(2, 1)](Array(x.astype(np.float16), "fp16"), Array(y.astype(np.float16), "fp16"), c, 200, 120, 96, M=128, N=128, K=64)
    np.testing.assert_array_equal(c.numpy(), x @ y.T)


@triton.jit
def attend(q, k, v, out, n, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    row, d = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, D)
    x = tl.load(q + row[:, None] * D + d[None, :])
    best, total = tl.full((M,), float("-inf"), tl.float32), tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), dtype=tl.float32)
    for first in range(0, n, N):
        at = first + tl.arange(0, N)
        s = tl.dot(x, tl.load(k + at[None, :] * D + d[:, None]))
        new = tl.maximum(best, tl.max(s, 1))
        p, keep = tl.exp(s - new[:, None]), tl.exp(best - new)
        total, best = total * keep + tl.sum(p, 1), new
        acc = tl.dot(p.to(tl.float16), tl.load(v + at[:, None] * D + d[None, :]), acc * keep[:, None])
    tl.store(out + row[:, None] * D + d[None, :], acc / total[:, None])


def test_attention():
    n, width = 256, 64
    q, k, v = ((random.standard_normal((n, width)) / 4).astype(np.float16) for _ in range(3))
    out = Array(np.zeros((n, width), np.float32), "fp32")
    attend[(n // 128,)](Array(q, "fp16"), Array(k, "fp16"), Array(v, "fp16"), out, n, M=128, N=128, D=width)
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    p = np.exp(q @ k.T - (q @ k.T).max(1, keepdims=True))
    np.testing.assert_allclose(out.numpy(), p @ v / p.sum(1, keepdims=True), atol=3e-3)


@triton.jit
def scaled(a, fa, b, fb, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, kind: tl.constexpr, part: tl.constexpr):
    row, col, at, f = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K // part), tl.arange(0, K // 32)
    x = tl.load(a + row[:, None] * (K // part) + at[None, :])
    y = tl.load(b + col[:, None] * (K // part) + at[None, :])
    of_x, of_y = tl.load(fa + row[:, None] * (K // 32) + f[None, :]), tl.load(fb + col[:, None] * (K // 32) + f[None, :])
    acc = tl.dot_scaled(x, of_x, kind, y.T, of_y, kind)
    tl.store(c + row[:, None] * N + col[None, :], acc)


def test_scaled(kind):
    m, n, k = 128, 128, 128
    fx, fy = random.integers(-2, 3, (m, k // 32)), random.integers(-2, 3, (n, k // 32))
    x, y = numbers(m, k), numbers(n, k)
    if kind == "e2m1":
        code = {0: 0, 1: 2, 2: 4, 3: 5, 4: 6}
        nibbles = lambda v: np.array([code[abs(i)] | (8 if i < 0 else 0) for i in v.ravel()], np.uint8).reshape(v.shape)
        a, b = ((lambda z: z[:, 0::2] | z[:, 1::2] << 4)(nibbles(v)) for v in (x, y))
        dtype, part = "u8", 2
    else:
        dtype, encode = TYPES[kind]
        a, b, part = encode(x), encode(y), 1
    c = Array(np.zeros((m, n), np.float32), "fp32")
    scaled[(1,)](Array(a, dtype), Array((fx + 127).astype(np.uint8), "u8"), Array(b, dtype), Array((fy + 127).astype(np.uint8), "u8"), c,
                 M=m, N=n, K=k, kind=kind, part=part)
    want = (x * 2.0 ** np.repeat(fx, 32, 1)) @ (y * 2.0 ** np.repeat(fy, 32, 1)).T
    np.testing.assert_array_equal(c.numpy(), want.astype(np.float32))


SHAPES = {
    "": {},
    " across": {"across": True},
    " ragged": {"m": 200, "n": 104, "k": 72},
    " one stage": {"stages": 1},
    " four stages": {"stages": 4, "k": 256},
    " 64 rows": {"block": (64, 128, 64)},
    " 64 columns": {"block": (128, 64, 64), "across": True},
    " 8 warps": {"block": (128, 256, 64), "n": 256, "stages": 2, "warps": 8},
}


def of(kind, how):
    how = dict(how)
    if kind == "tf32":  # twice the bytes
        m, n, k = how.get("block", (128, 128, 64))
        how["block"] = m, n, k // 2
    multiply(kind, **how)


TESTS = {
    **{kind + name: (lambda kind=kind, how=how: of(kind, how)) for kind in TYPES for name, how in SHAPES.items()},
    "persistent": test_persistent,
    "descriptors": test_descriptors,
    "attention": test_attention,
}
# Products with scale factors are of the matrix units from sm_100a on; before, Triton multiplies first.
SCALED = {"scaled " + kind: (lambda kind=kind: test_scaled(kind)) for kind in ("e4m3", "e5m2", "e2m1")}


def main():
    done(driver.cuInit(0))
    device = done(driver.cuDeviceGet(0))
    done(driver.cuCtxSetCurrent(done(driver.cuDevicePrimaryCtxRetain(device))))
    major = done(driver.cuDeviceGetAttribute(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
    tests = TESTS | (SCALED if major >= 10 else {})
    failed = 0
    for name in sys.argv[1:] or tests:
        try:
            tests[name]()
            done(driver.cuCtxSynchronize())
            print(name + ": right", flush=True)
        except Exception as e:
            failed += 1
            print(f"{name}: {type(e).__name__}: {str(e).strip()[:400]}", flush=True)
        while live:
            done(driver.cuMemFree(live.pop()))
    return failed


if __name__ == "__main__":
    sys.exit(main())
