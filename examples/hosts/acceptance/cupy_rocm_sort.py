"""CuPy for ROCm 5.0: rocThrust's sort, of which the wheel has machine code for gfx803. See cupy_rocm.sh."""

import cupy as cp
import numpy as np
from cupy.cuda import thrust


def main():
    n = 4000
    a = np.random.default_rng(1).integers(-1000, 1000, n).astype(np.int32)
    x = cp.ndarray(n, cp.int32)
    x.set(a)
    thrust.sort(x.dtype, x.data.ptr, 0, (n,))
    assert np.array_equal(x.get(), np.sort(a))
    print(cp.__version__, "right")


if __name__ == "__main__":
    main()
