"""Run, check and explain GPU kernels in NVIDIA PTX and AMD GCN3 without a GPU.

    import crosslane, numpy as np
    scan = crosslane.load("block_scan.ptx", check=True)["block_scan"]
    x, out = np.ones(1024, np.int32), np.empty(1024, np.int32)
    print(scan(4, 256, x, out, 1024).findings)

`load` is for single kernels on arrays. `Device` is for memory that lives across launches, streams and events. `why` shows
how a value came about. `pytest --crosslane` runs a project's tests on Crosslane.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Tuple, Union

from ._arguments import In, Out, Param
from ._command import command_path
from ._device import Device, DeviceArray, Event, Kernel, Module, Result, Stream, Variable, read_source
from ._findings import Disconnected, Error, Fault, Finding, Findings, LaunchError, LoadError, Step
from ._why import Why, why

if TYPE_CHECKING:
    from ._process import ProcessModule

__version__ = "0.1.0"

__all__ = [
    "Device", "DeviceArray", "Disconnected", "Error", "Event", "Fault", "Finding", "Findings", "In", "Kernel", "LaunchError",
    "LoadError", "Module", "Out", "Param", "Result", "Step", "Stream", "Variable", "Why", "command_path", "load", "why",
]  # fmt: skip

_devices: Dict[Tuple[str, bool], Device] = {}
_lock = threading.Lock()


def load(
    source: Union[str, bytes, "os.PathLike[str]"],
    *,
    check: bool = False,
    target: Optional[str] = None,
    device: Optional[Device] = None,
    name: Optional[str] = None,
) -> Module:
    """Load a module and return it: `load("k.ptx")["scan"](grid, block, x, out, n)`.

    `source` is a path, the text of a module, or the bytes of a code object or a fat binary. With `check`, each launch is
    checked, and `findings` of its result are what was found. `target` names the device, such as "sm_90"; if it is left
    out, the device is one that runs the module. `device` is a Device to load the module on; without it, modules of one
    target share a device.

    Raises LoadError, with the diagnostics, if the module cannot be loaded.
    """
    if device is not None:
        if check and not device.check:
            raise ValueError("the device does not check launches: make it with check=True")
        return device.load(source, name)
    image, path, shown = read_source(source, name)
    if not sys.platform.startswith("linux"):
        from ._process import ProcessModule

        out: Any = ProcessModule((image, path, shown), check, None)
        return out  # type: ignore[no-any-return]
    m = _default(target or _target(image), check, target is None).load(image, shown)
    m.path = path
    return m


def _default(target: str, check: bool, free: bool) -> Device:
    """Return the device that modules of a target share.

    Below `crosslane exec` it is the device of this process there, so that its reports have the findings. If that does
    not check, launches that are to be checked need a device of their own.
    """
    path = os.environ.get("CROSSLANE_SOCKET") if free else None
    with _lock:
        if path:
            d = _shared(("", False), lambda: Device.connect(path))
            if d.check or not check:
                return d
        return _shared((target, check), lambda: Device(target, check))


def _shared(key: Tuple[str, bool], make: Callable[[], Device]) -> Device:
    d = _devices.get(key)
    if d is None or d._connection.closed or d._connection.forked:
        d = _devices[key] = make()
    return d


_ELF_AMDGPU = 224
_KNOWN = (50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121)


def _target(image: bytes) -> str:
    """Return the name of a device that runs a module."""
    if image.startswith(b"\x7fELF"):
        return "gfx803" if int.from_bytes(image[18:20], "little") == _ELF_AMDGPU else "sm_89"
    numbers = [int(n) for n in re.findall(rb"^\s*\.target\s+sm_(\d+)", image, re.MULTILINE)]
    if numbers:
        least = max([89, *numbers])
        return f"sm_{min([n for n in _KNOWN if n >= least], default=least)}"
    if re.search(rb"^\s*\.version\s+\d+\.\d+", image, re.MULTILINE):
        return "sm_89"
    return "gfx803" if b"\0" not in image[:64] else "sm_89"
