"""A launch as files: the program, its buffers, and a launch file of the command line."""

from __future__ import annotations

import json
import math
import os
import re
import struct
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._arguments import HostArray, Param, is_array, scalar

_FLOAT_FORMS = {"f16": "<e", "f32": "<f", "f64": "<d"}


class LaunchFiles:
    """A folder with a program, a launch file and the contents of its buffers. It is removed with this object."""

    def __init__(
        self,
        program: Tuple[bytes, Optional[str], str],
        kernel: str,
        params: Sequence[Param],
        names: Sequence[str],
        grid: Tuple[int, int, int],
        block: Tuple[int, int, int],
        args: Sequence[Any],
        shared: int = 0,
        cooperative: bool = False,
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="crosslane-")
        self.folder = self._folder.name
        self.file = self._program(program)
        self.buffers: List[Tuple[str, HostArray]] = []
        self._named: Dict[int, str] = {}
        self.arguments: List[str] = []
        """The names of the buffers that the arguments are; "" for numbers."""
        needed = [q for q in params if not q.hidden]
        if not len(needed) <= len(args) <= len(params):
            raise TypeError(f"kernel {kernel} takes {len(needed)} arguments ({', '.join(map(str, needed))}), found {len(args)}")
        pairs = [(q, n) for q, n in zip(params, names) if len(args) == len(params) or not q.hidden]
        launch: Dict[str, Any] = {
            "schema": "crosslane.launch/1",
            "kernel": kernel,
            "grid": list(grid),
            "block": list(block),
            "args": [self._argument(q, n, v) for (q, n), v in zip(pairs, args)],
        }
        if shared:
            launch["shared"] = shared
        if cooperative:
            launch["cooperative"] = True
        self.path = os.path.join(self.folder, "launch.json")
        with open(self.path, "w", encoding="utf-8") as f:
            json.dump(launch, f)

    def _program(self, program: Tuple[bytes, Optional[str], str]) -> str:
        image, path, shown = program
        if path is not None:
            try:
                with open(path, "rb") as f:
                    if f.read() == image:
                        return path
            except OSError:
                pass
        base = os.path.basename(shown) or "module"
        if "." not in base and not image.startswith(b"\x7fELF"):
            base += ".ptx"
        copy = os.path.join(self.folder, base)
        with open(copy, "wb") as f:
            f.write(image)
        return copy

    def _argument(self, q: Param, name: str, value: Any) -> Any:
        undefined: Optional[bytes] = None
        if hasattr(value, "_snapshot"):
            contents, undefined = value._snapshot()
            key, array = id(value), HostArray(contents, f"argument {name}")
        elif q.kind != "bytes" and q.size == 8 and is_array(value) and q.type in ("", "u64", "s64", "b64"):
            key, array = id(value), HostArray(value, f"argument {name}")
        else:
            self.arguments.append("")
            return self._number(q, name, value)
        if key in self._named:
            self.arguments.append(self._named[key])
            return self._named[key]
        name = re.sub(r"\W", "_", name)
        while any(name == n for n, _ in self.buffers):
            name += "_"
        self._named[key] = name
        self.arguments.append(name)
        self.buffers.append((name, array))
        out: Dict[str, Any] = {"name": name, "type": array.type, "shape": _shape(array)}
        if array.into and array.nbytes:
            file = f"{name}.bin"
            with open(os.path.join(self.folder, file), "wb") as f:
                f.write(array.view)
            out["init"] = f"@{file}"
            if undefined is not None:
                with open(os.path.join(self.folder, f"{name}.undefined"), "wb") as f:
                    f.write(undefined)
                out["undefined"] = f"@{name}.undefined"
        return out

    def _number(self, q: Param, name: str, value: Any) -> Any:
        if value is None:
            value = 0
        data = scalar(q, value)
        if q.kind == "shared":
            return {"shared": int.from_bytes(data, "little")}
        if q.kind == "pointer" and any(data):
            raise TypeError(f"parameter {q} takes an array here, found an address: only a device knows what is there")
        if q.type in _FLOAT_FORMS:
            (x,) = struct.unpack(_FLOAT_FORMS[q.type], data)
            if math.isfinite(x):
                return {"value": x, "type": q.type}
        if q.kind == "bytes" or q.type in _FLOAT_FORMS or q.type == "bf16" or (q.type == "" and q.size not in (1, 2, 4, 8)):
            return {"struct": ["hex:" + data.hex()]}
        n = int.from_bytes(data, "little")
        if q.type.startswith("s") and n >> (8 * q.size - 1):
            n -= 1 << 8 * q.size
        return n


def _shape(a: HostArray) -> Any:
    if a.type == "u8":
        return a.nbytes
    if len(a.shape) == 2:
        return list(a.shape)
    n = 1
    for k in a.shape:
        n *= k
    return n
