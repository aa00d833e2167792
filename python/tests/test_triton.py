"""Triton kernels from their Python source on arrays of numpy; expected results by numpy."""

import os

import numpy as np
import pytest

import crosslane

try:
    import triton
    import triton.language as tl
except ImportError:
    assert not os.environ.get("CROSSLANE_REQUIRE_ORACLES"), "triton is not installed"
    pytest.skip("triton is not installed", allow_module_level=True)

import crosslane.triton

TARGETS = ["sm_80", "sm_89", "sm_120"]


@pytest.fixture(scope="module", params=TARGETS)
def run(request):
    return crosslane.triton.Runner(request.param, check=True)


@triton.jit
def add(x, y, out, n, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + scale * tl.load(y + i, mask=m), mask=m)


@triton.jit
def add_unmasked(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(out, x, stride, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    row = tl.load(x + tl.program_id(0) * stride + i, mask=i < n, other=-float("inf"))
    e = tl.exp(row - tl.max(row, axis=0))
    tl.store(out + tl.program_id(0) * stride + i, e / tl.sum(e, axis=0), mask=i < n)


@triton.jit
def matmul(a, b, c, K, N: tl.constexpr, B: tl.constexpr):
    r, s, k = tl.program_id(0) * B + tl.arange(0, B), tl.program_id(1) * B + tl.arange(0, B), tl.arange(0, B)
    acc = tl.zeros((B, B), dtype=tl.float32)
    for at in range(0, K, B):
        acc = tl.dot(tl.load(a + r[:, None] * K + at + k[None, :]), tl.load(b + (at + k)[:, None] * N + s[None, :]), acc)
    tl.store(c + r[:, None] * N + s[None, :], acc)


@triton.jit
def histogram(values, counts, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counts + tl.load(values + i, mask=i < n, other=0), 1, mask=i < n)


def test_add(run):
    rng = np.random.default_rng(1)
    n = 3000
    x, y = rng.random(n, dtype=np.float32), rng.random(n, dtype=np.float32)
    out = np.zeros_like(x)
    result = run(add, lambda m: (triton.cdiv(m["n"], m["BLOCK"]),), x, y, crosslane.Out(out), n, 1, BLOCK=1024)
    assert (out == x + y).all() and result.findings.errors == ()
    on = run.device.array(x)
    run(add, (3,), on, y, out, n, scale=2.0, BLOCK=1024)
    assert (out == x + np.float32(2) * y).all()
    on.free()


def test_fault_shows_the_source(run):
    x, y, out = (np.ones(3000, np.float32) for _ in range(3))
    with pytest.raises(crosslane.Fault, match='just past the end of "x" \\(12000 bytes\\)') as e:
        run(add_unmasked, (3,), x, y, out, 3000, BLOCK=1024)
    (f,) = [f for f in e.value.findings if f.code == "out-of-bounds"]
    assert f"{__file__}:" in f.text
    assert any(s.file == __file__ and "launched here" in s.message for s in f.steps)


def test_softmax(run):
    x = np.random.default_rng(2).standard_normal((16, 300), dtype=np.float32)
    out = np.zeros_like(x)
    found = run(softmax, (16,), out, x, 300, 300, SIZE=512).findings
    e = np.exp(x - x.max(axis=1, keepdims=True))
    assert np.abs(out - e / e.sum(axis=1, keepdims=True)).max() < 1e-6 and found.errors == ()


def test_matmul(run):
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((32, 64)).astype(np.float16), rng.standard_normal((64, 32)).astype(np.float16)
    c = np.zeros((32, 32), np.float32)
    found = run(matmul, (2, 2), a, b, c, 64, N=32, B=16, num_warps=1).findings
    assert np.abs(c - a.astype(np.float64) @ b.astype(np.float64)).max() < 1e-3 and found.errors == ()


def test_histogram(run):
    values = np.random.default_rng(4).integers(0, 10, 1000, dtype=np.int32)
    counts = np.zeros(10, np.int32)
    found = run(histogram, (4,), values, counts, 1000, BLOCK=256).findings
    assert (counts == np.bincount(values, minlength=10)).all() and found.errors == ()


def test_compile():
    k = crosslane.triton.Runner("sm_90").compile(add, np.zeros(4, np.float32), np.zeros(4, np.float32), np.zeros(4, np.float32), 4, 2.0, BLOCK=16)
    assert ".target sm_90" in k.asm["ptx"] and k.metadata.num_warps == 4
