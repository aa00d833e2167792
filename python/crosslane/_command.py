"""Where the command `crosslane` is, and how it is run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import List, Optional, Sequence


def command_path() -> str:
    """Return the path of the command `crosslane`.

    The variable CROSSLANE of the environment names it; else it is the one in this package; else the one in PATH.

    Raises FileNotFoundError if there is none.
    """
    named = os.environ.get("CROSSLANE")
    if named:
        return named
    name = "crosslane.exe" if sys.platform == "win32" else "crosslane"
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", name)
    if os.path.exists(inside):
        return inside
    # The script of this package has the same name: it would call this function again.
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        found = shutil.which("crosslane", path=folder) if folder else None
        if found and not _is_script(found):
            return found
    raise FileNotFoundError(
        "the command crosslane is not in this package and not in PATH: install the wheel of this platform, "
        "or build the command with `go install ./cmd/crosslane`, or set CROSSLANE to its path"
    )


def _is_script(path: str) -> bool:
    try:
        with open(path, "rb") as f:
            return f.read(2) == b"#!"
    except OSError:
        return True


def run(arguments: Sequence[str], cwd: Optional[str] = None) -> "subprocess.CompletedProcess[bytes]":
    """Run the command with arguments, and return its output and status."""
    return subprocess.run([command_path(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd, check=False)


def main(arguments: Optional[List[str]] = None) -> int:
    """Run the command as this process: the script `crosslane` of the package."""
    args = sys.argv[1:] if arguments is None else arguments
    try:
        path = command_path()
    except FileNotFoundError as e:
        print(f"crosslane: {e}", file=sys.stderr)
        return 2
    if sys.platform == "win32":
        return subprocess.call([path, *args])
    os.execv(path, [path, *args])
    return 2
