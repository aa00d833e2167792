"""How a value came about: the command `crosslane why` on a launch."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Tuple, Union

from ._arguments import dimensions
from ._command import run
from ._findings import Error, of_json
from ._launchfile import LaunchFiles

if TYPE_CHECKING:
    from ._device import Dim, Kernel

At = Union[str, int, Tuple[int, Union[int, Tuple[int, ...]]]]
"""A value: a line, "NAME[INDEX]", or the number of an argument and an index."""


class Why:
    """The instructions, lanes and inputs that made a value. `print` shows it; a notebook draws it."""

    def __init__(self, files: LaunchFiles, arguments: Sequence[str]) -> None:
        self._files = files
        self._arguments = list(arguments)
        self._formats: Dict[str, bytes] = {}
        self.text = self._output("text").decode()
        """The answer as `crosslane why` prints it."""

    def _output(self, form: str) -> bytes:
        if form not in self._formats:
            p = run(["why", self._files.file, "--launch", self._files.path, *self._arguments, f"--format={form}"])
            if not p.stdout or (p.returncode and form != "json" and not p.stdout.strip()):
                raise Error(p.stderr.decode("utf-8", "replace").strip() or "crosslane why has no answer")
            self._formats[form] = p.stdout
        return self._formats[form]

    @property
    def data(self) -> Any:
        """The answer as a graph: the form `crosslane.why/1`."""
        return json.loads(self._output("json"))

    @property
    def findings(self) -> Any:
        """The findings of the run."""
        return of_json(self.data.get("findings", ()))

    @property
    def svg(self) -> str:
        """The answer as a picture."""
        return self._output("svg").decode()

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self.svg}</div><details><summary>text</summary><pre>{html.escape(self.text)}</pre></details>'


def why(
    kernel: "Kernel",
    grid: "Dim",
    block: "Dim",
    *args: Any,
    at: At,
    lane: "int | None" = None,
    warp: "int | None" = None,
    at_block: "Dim | None" = None,
    nth: "int | None" = None,
    all: bool = False,
    depth: int = 0,
    shared: int = 0,
    cooperative: bool = False,
) -> Why:
    """Show how a value of a launch came about.

    The launch runs by itself, with the present contents of the arrays, which do not change. `at` is a line of the
    program, an element such as "out[3]" by the name of a parameter, or the number of an argument from 0 on and an index:
    `(1, 3)`. `lane`, `warp`, `at_block` and `nth` choose an execution of a line. `all` leaves nothing out; `depth` limits
    the steps.

    Raises Error if there is no such value.
    """
    m = kernel.module
    files = LaunchFiles((m.source, m.path, m.file), kernel.name, kernel.params, kernel.names, dimensions(grid, "the grid"), dimensions(block, "the block"), args, shared, cooperative)
    options: List[str] = []
    if isinstance(at, tuple):
        number, index = at
        name = files.arguments[number]
        if not name:
            raise TypeError(f"argument {number} is no array")
        at = f"{name}[{','.join(map(str, index)) if isinstance(index, tuple) else index}]"
    options.append(f"--at={at}")
    for flag, value in (("lane", lane), ("warp", warp), ("nth", nth), ("depth", depth or None)):
        if value is not None:
            options.append(f"--{flag}={value}")
    if at_block is not None:
        options.append("--at-block=" + ",".join(map(str, dimensions_from_zero(at_block))))
    if all:
        options.append("--all")
    return Why(files, options)


def dimensions_from_zero(value: "Dim") -> Tuple[int, ...]:
    """Return the index of a block as numbers."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)
