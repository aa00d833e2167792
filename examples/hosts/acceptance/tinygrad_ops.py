"""Operations, reductions, products and softmax of tinygrad against numpy.

    DEV=CUDA:PTX crosslane exec -- python3 examples/hosts/acceptance/tinygrad_ops.py
    DEV=CUDA crosslane exec --check -- python3 examples/hosts/acceptance/tinygrad_ops.py

It needs tinygrad 0.14; DEV=CUDA also needs NVRTC (pip install "tinygrad==0.14.*" "nvidia-cuda-nvrtc==13.*" numpy).
"""
import sys

import numpy as np
from tinygrad import Tensor, dtypes

random = np.random.default_rng(3)
a = random.standard_normal((33, 48), dtype=np.float32)
b = random.standard_normal((33, 48), dtype=np.float32)
p = np.abs(a) + 0.1
k = random.integers(-100, 100, (33, 48), dtype=np.int32)
n = random.integers(1, 20, (33, 48), dtype=np.int32)
A, B, P, K, N = (Tensor(x) for x in (a, b, p, k, n))


def soft(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


CASES = [
    # what, of tinygrad, of numpy, relative error
    ("add", lambda: A + B, lambda: a + b, 0),
    ("sub", lambda: A - B, lambda: a - b, 0),
    ("mul", lambda: A * B, lambda: a * b, 0),
    ("div", lambda: A / P, lambda: a / p, 1e-6),
    ("neg", lambda: -A, lambda: -a, 0),
    ("exp", lambda: A.exp(), lambda: np.exp(a), 1e-5),
    ("log", lambda: P.log(), lambda: np.log(p), 1e-5),
    ("sqrt", lambda: P.sqrt(), lambda: np.sqrt(p), 1e-6),
    ("sin", lambda: A.sin(), lambda: np.sin(a), 1e-5),
    ("tanh", lambda: A.tanh(), lambda: np.tanh(a), 1e-5),
    ("relu", lambda: A.relu(), lambda: np.maximum(a, 0), 0),
    ("gelu", lambda: A.gelu(), lambda: 0.5 * a * (1 + np.tanh(0.7978845608 * (a + 0.044715 * a**3))), 1e-5),
    ("maximum", lambda: A.maximum(B), lambda: np.maximum(a, b), 0),
    ("where", lambda: (A > B).where(A, B), lambda: np.where(a > b, a, b), 0),
    ("less", lambda: A < B, lambda: a < b, 0),
    ("floor", lambda: A.floor(), lambda: np.floor(a), 0),
    ("trunc", lambda: A.trunc(), lambda: np.trunc(a), 0),
    ("int add", lambda: K + N, lambda: k + n, 0),
    ("int mul", lambda: K * N, lambda: k * n, 0),
    ("int div", lambda: K.div(N, rounding_mode="trunc"), lambda: (k / n).astype(np.int32), 0),
    ("int and", lambda: K & N, lambda: k & n, 0),
    ("int xor", lambda: K ^ N, lambda: k ^ n, 0),
    ("shift", lambda: N << 3, lambda: n << 3, 0),
    ("cast", lambda: A.cast(dtypes.int32), lambda: a.astype(np.int32), 0),
    ("half", lambda: (A.half() + B.half()).float(), lambda: (a.astype(np.float16) + b.astype(np.float16)).astype(np.float32), 0),
    ("sum", lambda: A.sum(), lambda: a.sum(dtype=np.float64), 1e-4),
    ("sum of rows", lambda: A.sum(1), lambda: a.sum(1), 1e-4),
    ("sum of columns", lambda: A.sum(0), lambda: a.sum(0), 1e-4),
    ("max", lambda: A.max(1), lambda: a.max(1), 0),
    ("argmax", lambda: A.argmax(1), lambda: a.argmax(1), 0),
    ("mean", lambda: A.mean(0), lambda: a.mean(0), 1e-4),
    ("std", lambda: A.std(0), lambda: a.std(0, ddof=1), 1e-4),
    ("prod", lambda: P.prod(1), lambda: p.prod(1), 1e-4),
    ("cumsum", lambda: A.cumsum(1), lambda: a.cumsum(1), 1e-3),
    ("sort", lambda: A.sort(1)[0], lambda: np.sort(a, 1), 0),
    ("softmax", lambda: A.softmax(1), lambda: soft(a, 1), 1e-5),
    ("log softmax", lambda: A.log_softmax(1), lambda: np.log(soft(a, 1)), 1e-4),
    ("layer norm", lambda: A.layernorm(), lambda: (a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + 1e-5), 1e-3),
    ("matmul", lambda: A @ B.T, lambda: a @ b.T, 1e-4),
    ("batched matmul", lambda: A.reshape(3, 11, 48) @ B.reshape(3, 11, 48).transpose(1, 2), lambda: a.reshape(3, 11, 48) @ b.reshape(3, 11, 48).transpose(0, 2, 1), 1e-4),
    ("half matmul", lambda: (A.half() @ B.half().T).float(), lambda: (a.astype(np.float16).astype(np.float32) @ b.astype(np.float16).astype(np.float32).T), 2e-2),
    ("transpose", lambda: A.T.contiguous(), lambda: a.T, 0),
    ("pad", lambda: A.pad(((1, 2), (3, 4))), lambda: np.pad(a, ((1, 2), (3, 4))), 0),
    ("gather", lambda: A[Tensor([3, 1, 32])], lambda: a[[3, 1, 32]], 0),
    ("flip", lambda: A.flip(0), lambda: a[::-1], 0),
    ("cat", lambda: A.cat(B, dim=1), lambda: np.concatenate([a, b], 1), 0),
]

wrong = 0
for what, ours, numpys, error in CASES:
    got, want = ours().numpy(), numpys()
    if not np.allclose(got, want, rtol=error, atol=error):
        wrong += 1
        print(f"{what}: off by {np.max(np.abs(got - want))}")
print(f"{len(CASES) - wrong} of {len(CASES)} operations: right")
sys.exit(wrong > 0)
