"""Launches without shared memory: each one is a run of the command. It is slower, and works on every system."""

from __future__ import annotations

import json
import os
import tempfile
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple

from ._arguments import Param, dimensions
from ._command import run
from ._device import Dim, Result
from ._findings import Fault, Findings, LaunchError, LoadError, of_json
from ._launchfile import LaunchFiles

if TYPE_CHECKING:
    from ._why import Why


class ProcessKernel:
    """A kernel that is launched by the command."""

    def __init__(self, module: "ProcessModule", d: Dict[str, Any]) -> None:
        self.module = module
        self.name: str = d["name"]
        self.params: Tuple[Param, ...] = tuple(map(Param.from_json, d.get("params") or ()))
        self.names: List[str] = [q.name for q in self.params]
        b = d.get("block")
        self.block: Optional[Tuple[int, int, int]] = (b[0], b[1], b[2]) if b else None

    def __repr__(self) -> str:
        return f"<Kernel {self.name}({', '.join(map(str, self.params))})>"

    def __call__(self, grid: Dim, block: Dim, *args: Any, shared: int = 0, stream: Any = None, cooperative: bool = False) -> Result:
        """Launch the kernel: see `Kernel`."""
        m = self.module
        if stream is not None:
            raise TypeError("streams need a Device, which needs Linux")
        files = LaunchFiles((m.source, m.path, m.file), self.name, self.params, self.names, dimensions(grid, "the grid"), dimensions(block, "the block"), args, shared, cooperative)
        options: List[str] = []
        for name, array in files.buffers:
            if array.back and array.nbytes:
                options += ["--save", f"{name}={os.path.join(files.folder, name + '.out')}"]
        p = run(["run", files.file, "--launch", files.path, "--format=json", *options, *m.options])
        try:
            d = json.loads(p.stdout)
        except ValueError:
            raise LaunchError(p.stderr.decode("utf-8", "replace").strip()) from None
        found = of_json(d.get("findings", ()))
        faults = Findings(f for f in found if f.kind in ("fault", "timeout"))
        if faults:
            raise Fault(str(faults), found, 719)
        if p.returncode > 1:
            raise LaunchError(str(found.errors or found) or p.stderr.decode("utf-8", "replace"), found)
        for name, array in files.buffers:
            if array.back and array.nbytes:
                with open(os.path.join(files.folder, name + ".out"), "rb") as f:
                    array.view[:] = f.read()
        if m.check:
            c = run(["check", files.file, "--launch", files.path, "--format=json", *m.options])
            found = of_json(json.loads(c.stdout).get("findings", ()))
        return Result(found if m.check else Findings(), "")

    def why(self, grid: Dim, block: Dim, *args: Any, at: Any, **options: Any) -> "Why":
        """Show how a value came about: see `crosslane.why`."""
        from ._why import why

        return why(self, grid, block, *args, at=at, **options)  # type: ignore[arg-type]


class ProcessModule:
    """A module whose kernels are launched by the command."""

    def __init__(self, program: Tuple[bytes, Optional[str], str], check: bool, timeout: Optional[float]) -> None:
        self.source, self.path, self.file = program
        self.check = check
        self.options: Sequence[str] = [f"--timeout={timeout}s"] if timeout is not None else []
        self._folder = None
        file = self.path
        if file is None:
            self._folder = tempfile.TemporaryDirectory(prefix="crosslane-")
            file = os.path.join(self._folder.name, os.path.basename(self.file) or "module.ptx")
            with open(file, "wb") as f:
                f.write(self.source)
        p = run(["kernels", file, "--format=json"])
        try:
            d = json.loads(p.stdout)
        except ValueError:
            d = {}
        if p.returncode or "kernels" not in d:
            found = of_json(d.get("findings", ()))
            raise LoadError(str(found) if found else p.stderr.decode("utf-8", "replace").strip(), found)
        self._all = {k["name"]: ProcessKernel(self, k) for k in d["kernels"]}
        self.names = list(self._all)

    def __repr__(self) -> str:
        return f"<Module {self.file}: {', '.join(self.names)}>"

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> ProcessKernel:
        """Return a kernel by its name in the file, or by a part of it that only one kernel has."""
        found = [name] if name in self._all else [n for n in self.names if name in n]
        if len(found) != 1:
            raise KeyError(f"{self.file} has no kernel {name}; there are {', '.join(self.names) or 'none'}")
        return self._all[found[0]]

    @property
    def kernels(self) -> List[ProcessKernel]:
        """The kernels, in the order of the file."""
        return list(self._all.values())


