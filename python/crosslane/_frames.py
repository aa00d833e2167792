"""The Python frames that lead to a call, for findings."""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import List, Optional, Tuple

_MOST = 32
_hidden: List[str] = [os.path.dirname(os.path.abspath(__file__)) + os.sep]


def hide(folder: str) -> None:
    """Leave out frames of files in a folder: findings show the calls of the user."""
    if folder + os.sep not in _hidden:
        _hidden.append(folder + os.sep)


def callers() -> List[Tuple[str, int, str]]:
    """Return file, line and function of the frames, the innermost first."""
    out: List[Tuple[str, int, str]] = []
    f: Optional[FrameType] = sys._getframe(1)
    skip = tuple(_hidden)
    while f is not None and len(out) < _MOST:
        if not f.f_code.co_filename.startswith(skip):
            out.append((f.f_code.co_filename, f.f_lineno, f.f_code.co_name))
        f = f.f_back
    return out
