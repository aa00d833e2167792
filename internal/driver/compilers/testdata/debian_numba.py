# Numba 0.56 with its own CUDA target: what it compiles by libnvvm, against numpy.
import math
import sys

import numpy as np
from numba import cuda, vectorize

lanes = np.arange(32)
bad = []


def compare(name, got, want):
    if not np.array_equal(np.asarray(got), np.asarray(want)):
        bad.append(name)
        print("wrong:", name, got, want)


@cuda.jit
def collectives(out):
    i = cuda.laneid
    out[0, i] = cuda.shfl_sync(0xFFFFFFFF, i * 3, 5)
    out[1, i] = cuda.shfl_up_sync(0xFFFFFFFF, i * 3, 2)
    out[2, i] = cuda.shfl_down_sync(0xFFFFFFFF, i * 3, 2)
    out[3, i] = cuda.shfl_xor_sync(0xFFFFFFFF, i * 3, 9)
    out[4, i] = cuda.all_sync(0xFFFFFFFF, i < 31)
    out[5, i] = cuda.any_sync(0xFFFFFFFF, i == 7)
    out[6, i] = cuda.eq_sync(0xFFFFFFFF, i > 64)
    out[7, i] = cuda.ballot_sync(0xFFFFFFFF, i % 3 == 0)
    out[8, i] = cuda.match_any_sync(0xFFFFFFFF, i // 4)
    out[9, i] = cuda.match_all_sync(0xFFFFFFFF, np.int64(1) << np.int64(40))[1]
    out[10, i] = cuda.match_all_sync(0xFFFFFFFF, np.int64(i) << np.int64(40))[1]
    cuda.syncwarp()
    out[11, i] = cuda.syncthreads_count(i < 11)
    out[12, i] = cuda.syncthreads_and(i < 32)
    out[13, i] = cuda.syncthreads_or(i > 31)


out = np.zeros((14, 32), np.int64)
collectives[1, 32](out)
want = np.array([
    np.full(32, 15), np.where(lanes < 2, lanes, lanes - 2) * 3, np.where(lanes > 29, lanes, lanes + 2) * 3, (lanes ^ 9) * 3,
    lanes * 0, lanes * 0 + 1, lanes * 0 + 1, lanes * 0 + sum(1 << i for i in range(0, 32, 3)), 0xF << (lanes // 4 * 4),
    lanes * 0 + 1, lanes * 0, lanes * 0 + 11, lanes * 0 + 1, lanes * 0,
])
compare("collectives", out & 0xFFFFFFFF, want)


@cuda.jit
def histogram(values, bins, most, total):
    shared = cuda.shared.array(16, np.int32)
    t = cuda.threadIdx.x
    if t < 16:
        shared[t] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(shared, values[i] % 16, 1)
        cuda.atomic.max(most, 0, float(values[i]))
        cuda.atomic.add(total, 0, float(values[i]))
    cuda.syncthreads()
    if t < 16:
        cuda.atomic.add(bins, t, shared[t])


values = (np.arange(1000, dtype=np.int32) * 7919) % 10007
bins, most, total = np.zeros(16, np.int32), np.zeros(1), np.zeros(1)
histogram[8, 128](values, bins, most, total)
compare("bins", bins, np.bincount(values % 16, minlength=16))
compare("most", most, [values.max()])
compare("total", total, [values.sum()])


@vectorize(["float64(float64, float64)"], target="cuda")
def hypotenuse(x, y):
    return math.sqrt(x * x + y * y)


x = np.arange(1, 100, dtype=np.float64)
compare("ufunc", hypotenuse(x, x + 1), np.sqrt(x * x + (x + 1) * (x + 1)))

total_of = cuda.reduce(lambda a, b: a + b)
compare("reduce", total_of(np.arange(5000, dtype=np.int64)), 5000 * 4999 // 2)


@cuda.jit(debug=True, opt=False)
def divides(a, b):
    i = cuda.grid(1)
    b[i] = a[i] // b[i]


a, b = np.arange(32, 64), np.arange(32)
try:
    divides[1, 32](a, b)
    print("wrong: no exception")
    bad.append("debug")
except ZeroDivisionError:
    pass


@cuda.jit
def grid_sum(a, b):
    i = cuda.grid(1)
    a[i] = i
    cuda.cg.this_grid().sync()
    b[i] = a[a.size - 1 - i]


a, b = cuda.to_device(np.zeros(128, np.int32)), cuda.to_device(np.zeros(128, np.int32))
grid_sum[4, 32](a, b)
compare("grid", b.copy_to_host(), np.arange(128)[::-1])


@cuda.jit
def says(n):
    print("lane", cuda.threadIdx.x, n)


says[1, 1](7)
cuda.synchronize()
print("wrong" if bad else "right")
sys.exit(len(bad))
