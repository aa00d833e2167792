"""Triton kernels on arrays, without torch and without a GPU.

    run = crosslane.triton.Runner(check=True)
    print(run(add, (4,), x, y, out, n, BLOCK=1024).findings)     # x, y, out: arrays of numpy

Triton compiles the kernel from its Python source to PTX; Crosslane runs the PTX. Findings show the lines of the Python
source. The module needs the package triton.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import stat
import tempfile
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _frames
from ._arguments import HostArray, In, Out, is_array
from ._command import command_path
from ._device import Device, DeviceArray, Kernel, Module, Result
from ._findings import Error, Findings, LaunchError

Grid = Union[Tuple[int, ...], List[int], Callable[[Dict[str, Any]], Tuple[int, ...]]]


class _Tensor:
    """An array of the host as Triton sees it. Its address is not known yet; that of a copy is a multiple of 16."""

    def __init__(self, array: Any) -> None:
        self.array = array
        inner = array.array if isinstance(array, (In, Out)) else array
        dtype = getattr(inner, "dtype", None)
        if dtype is None:
            name = HostArray(inner, "an argument").type
            kind = {"s": "int", "u": "uint", "f": "float"}[name[0]]
            self.dtype = kind + name[1:]
        else:
            self.dtype = str(dtype)
        self.shape = getattr(inner, "shape", ())

    def data_ptr(self) -> int:
        return 0


class _Utils:
    """What Triton asks its driver for beside launches."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.modules: Dict[int, Module] = {}

    def get_device_properties(self, device: int) -> Dict[str, int]:
        a = self.device.attribute
        return {
            "max_shared_mem": a(97) or a(8) or 0, "max_num_regs": a(12) or 0, "multiprocessor_count": a(16) or 0, "warpSize": a(10) or 32,
            "sm_clock_rate": a(13) or 0, "mem_clock_rate": a(36) or 0, "mem_bus_width": a(37) or 0,
        }  # fmt: skip

    def load_binary(self, name: str, kernel: bytes, shared: int, device: int) -> Tuple[int, Kernel, int, int, int]:
        module = self.device.load(bytes(kernel), f"{name}.ptx")
        self.modules[module.handle] = module
        return module.handle, module[name], 0, 0, 1024

    def unload_module(self, module: int) -> None:
        m = self.modules.pop(module, None)
        if m is not None and not self.device._connection.closed and not self.device._connection.forked:
            with contextlib.suppress(Error):
                m.unload()


class _Driver:
    """A driver of Triton whose device is one of Crosslane's."""

    def __init__(self, device: Device, target: Any) -> None:
        self.device = device
        self.target = target
        self.utils = _Utils(device)
        self.launcher_cls = self._launcher
        self.results: List[Result] = []

    def _launcher(self, src: Any, metadata: Any) -> "_Launcher":
        return _Launcher(self, src, metadata)

    def get_current_target(self) -> Any:
        return self.target

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None:
        pass

    def get_current_stream(self, device: int) -> int:
        return 0

    def get_active_torch_device(self) -> Any:
        raise NotImplementedError("there is no device of torch")

    def get_benchmarker(self) -> Callable[..., Any]:
        """Return what the autotuner measures with: one run on this machine, which says nothing about a GPU."""

        def bench(call: Callable[[], Any], quantiles: Sequence[float] = (), **_: Any) -> Any:
            began = time.perf_counter()
            call()
            took = (time.perf_counter() - began) * 1e3
            return [took] * len(quantiles) if quantiles else took

        return bench


def _flat(value: Any, kind: Any) -> Iterator[Tuple[str, Any]]:
    """Yield the types and values of arguments; those that are constants of the compiler are left out."""
    if isinstance(kind, (tuple, list)):
        for v, k in zip(value, kind):
            yield from _flat(v, k)
    elif kind != "constexpr":
        yield kind, value


class _Launcher:
    """Launches a kernel that Triton has compiled."""

    def __init__(self, driver: _Driver, src: Any, metadata: Any) -> None:
        self.driver = driver
        self.metadata = metadata
        self.kinds: List[Any] = list(src.signature.values())
        self.names: List[str] = []
        for name, kind in src.signature.items():
            self.names += [str(name)] * len(list(_flat(kind, kind)))
        for kind in self.kinds:
            if "tensordesc" in str(kind):
                raise LaunchError("this kernel takes a tensor descriptor, which crosslane.triton does not make: pass pointers and strides")
        if metadata.num_ctas != 1:
            raise LaunchError(f"this kernel needs clusters of {metadata.num_ctas} blocks, which Crosslane does not run")

    def __call__(self, gx: int, gy: int, gz: int, stream: int, kernel: Kernel, packed: Any, launch: Any, enter: Any, leave: Any, *args: Any) -> None:
        m = self.metadata
        values: List[Any] = []
        for kind, value in (pair for k, v in zip(self.kinds, args) for pair in _flat(v, k)):
            if kind[:2] in ("fp", "bf") and not isinstance(value, float):
                value = float(value)
            elif isinstance(value, _Tensor):
                value = value.array
            values.append(value)
        grid = (gx, gy, gz)
        sizes = (getattr(m, "global_scratch_size", 0) or 0, getattr(m, "profile_scratch_size", 0) or 0)
        names = list(self.names)
        if any(sizes):
            hidden = len(kernel.params) - len(values)
            for name, size in list(zip(("global_scratch", "profile_scratch"), sizes))[:hidden]:
                values.append(Out(bytearray(size * gx * gy * gz)) if size else None)
                names.append(name)
        kernel.names[: len(names)] = names
        cooperative = bool(getattr(m, "launch_cooperative_grid", False))
        self.driver.results.append(kernel(grid, 32 * m.num_warps, *values, shared=m.shared, cooperative=cooperative))


_lock = threading.RLock()
_stand_in: Optional[str] = None


def _assembler() -> str:
    """Return the path of a program that stands in for ptxas: its output is the PTX."""
    global _stand_in
    if _stand_in is None:
        folder = tempfile.mkdtemp(prefix="crosslane-triton-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        _stand_in = os.path.join(folder, "ptxas")
        command = command_path().replace("'", "'\\''")
        with open(_stand_in, "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\nexec '{command}' ptxas \"$@\"\n")
        os.chmod(_stand_in, stat.S_IRWXU)
    return _stand_in


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """Set what the compiler reads: the stand-in for ptxas, and a cache of our own, because files of the real one differ."""
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "crosslane", "triton-python")
    wanted = {"TRITON_PTXAS_PATH": _assembler(), "TRITON_PTXAS_BLACKWELL_PATH": _assembler(), "TRITON_CACHE_DIR": os.environ.get("CROSSLANE_TRITON_CACHE") or cache}
    before = {k: os.environ.get(k) for k in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for k, v in before.items():
            if v is None:
                del os.environ[k]
            else:
                os.environ[k] = v


class Runner:
    """Runs Triton kernels on a device of Crosslane.

    `target` is the device, such as "sm_89"; with `check`, every launch is checked. Calls of several threads wait for
    each other: Triton has one driver at a time.
    """

    def __init__(self, target: str = "sm_89", check: bool = False, device: Optional[Device] = None) -> None:
        import triton
        from triton.backends.compiler import GPUTarget

        _frames.hide(os.path.dirname(os.path.abspath(triton.__file__)))
        self.device = device or Device(target, check)
        number = self.device.target.rpartition("_")[2]
        if not self.device.target.startswith("sm_"):
            raise ValueError(f"Triton kernels need a device of NVIDIA's, such as sm_89; found {self.device.target}")
        self.driver = _Driver(self.device, GPUTarget("cuda", int(number), 32))

    def __call__(self, kernel: Any, grid: Grid, *args: Any, **options: Any) -> Result:
        """Compile a kernel, launch it and wait.

        `kernel` is a function with `@triton.jit`; `grid` a tuple, or a function of the arguments. Arrays are copied in
        and out, as for `Kernel`; a DeviceArray stays on the device. `options` are the constants of the kernel, and
        num_warps, num_stages and so on. Raises Fault, LaunchError, LoadError and what Triton raises.
        """
        self._run(kernel, grid, args, options, warmup=False)
        results, self.driver.results = self.driver.results, []
        return Result(Findings(f for r in results for f in r.findings), "".join(r.printed for r in results))

    def compile(self, kernel: Any, *args: Any, **options: Any) -> Any:
        """Compile a kernel for arguments, and return Triton's CompiledKernel: `.asm["ptx"]` is the text."""
        return self._run(kernel, (1,), args, options, warmup=True)

    def _run(self, kernel: Any, grid: Grid, args: Sequence[Any], options: Mapping[str, Any], warmup: bool) -> Any:
        from triton.runtime import driver as config

        wrapped = [_wrap(a) for a in args]
        named = {k: _wrap(v) for k, v in options.items()}
        with _lock, _environment():
            before = config._active
            config.set_active(self.driver)
            self.driver.results = []
            try:
                _forget(kernel, self.driver)
                return kernel.run(*wrapped, grid=grid, warmup=warmup, **named)
            finally:
                config._active = before

    def close(self) -> Findings:
        """End the device and return its findings."""
        return self.device.close()


def _forget(kernel: Any, driver: _Driver) -> None:
    """Drop what a kernel has compiled for another device: Triton keeps it by the number of the device."""
    while kernel is not None:
        caches = getattr(kernel, "device_caches", None)
        if caches is not None and getattr(kernel, "_crosslane", None) is not driver:
            caches.clear()
            kernel._crosslane = driver
        kernel = getattr(kernel, "fn", None) if hasattr(kernel, "run") else None


def _wrap(value: Any) -> Any:
    if isinstance(value, DeviceArray) or hasattr(value, "data_ptr") or not is_array(value):
        return value
    return _Tensor(value)
