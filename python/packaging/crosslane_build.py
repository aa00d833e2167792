"""The build backend of the package: wheels without the command, and source archives (PEP 517, 660).

The wheels of a release are made by the Go package internal/release from the same files, with the command inside.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import re
import tarfile
import zipfile
from typing import Any, Dict, List, Optional, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _read(name: str) -> bytes:
    with open(os.path.join(ROOT, *name.split("/")), "rb") as f:
        return f.read()


def _version() -> str:
    found = re.search(r'^__version__ = "(.+)"$', _read("crosslane/__init__.py").decode(), re.MULTILINE)
    assert found
    return found.group(1)


def _metadata() -> bytes:
    return _read("packaging/METADATA").replace(b"@VERSION@", _version().encode()) + _read("README.md")


def _license() -> bytes:
    """Return the license: beside the package in a source archive, above it in the repository."""
    return _read("LICENSE" if os.path.exists(os.path.join(ROOT, "LICENSE")) else "../LICENSE")


def _modules() -> List[str]:
    return sorted(f"crosslane/{n}" for n in os.listdir(os.path.join(ROOT, "crosslane")) if n.endswith(".py") or n == "py.typed")


def _sources() -> List[str]:
    tests = [f"tests/{n}" for n in os.listdir(os.path.join(ROOT, "tests")) if n.endswith(".py")]
    packaging = ["packaging/METADATA", "packaging/crosslane_build.py", "packaging/entry_points.txt"]
    return sorted(_modules() + tests + packaging + ["README.md", "pyproject.toml"])


def _info() -> List[Tuple[str, bytes]]:
    wheel = b"Wheel-Version: 1.0\nGenerator: crosslane\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    return [("METADATA", _metadata()), ("WHEEL", wheel), ("entry_points.txt", _read("packaging/entry_points.txt")), ("licenses/LICENSE", _license())]


def _write_wheel(folder: str, files: List[Tuple[str, bytes]]) -> str:
    info = f"crosslane-{_version()}.dist-info"
    files = files + [(f"{info}/{n}", b) for n, b in _info()]
    record = "".join(f"{n},sha256={base64.urlsafe_b64encode(hashlib.sha256(b).digest()).rstrip(b'=').decode()},{len(b)}\n" for n, b in files)
    files.append((f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode()))
    name = f"crosslane-{_version()}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as z:
        for n, b in files:
            z.writestr(zipfile.ZipInfo(n, (1980, 1, 1, 0, 0, 0)), b, zipfile.ZIP_DEFLATED)
    return name


def get_requires_for_build_wheel(config_settings: Optional[Dict[str, Any]] = None) -> List[str]:
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory: str, config_settings: Optional[Dict[str, Any]] = None, metadata_directory: Optional[str] = None) -> str:
    return _write_wheel(wheel_directory, [(n, _read(n)) for n in _modules()])


def build_editable(wheel_directory: str, config_settings: Optional[Dict[str, Any]] = None, metadata_directory: Optional[str] = None) -> str:
    return _write_wheel(wheel_directory, [("crosslane.pth", (ROOT + "\n").encode())])


def build_sdist(sdist_directory: str, config_settings: Optional[Dict[str, Any]] = None) -> str:
    top = f"crosslane-{_version()}"
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as t:
        for name, content in [("LICENSE", _license()), ("PKG-INFO", _metadata())] + [(n, _read(n)) for n in _sources()]:
            member = tarfile.TarInfo(f"{top}/{name}")
            member.size, member.mtime, member.mode = len(content), 315532800, 0o644
            t.addfile(member, io.BytesIO(content))
    name = f"{top}.tar.gz"
    with open(os.path.join(sdist_directory, name), "wb") as f, gzip.GzipFile("", "wb", 9, f, 315532800) as z:
        z.write(raw.getvalue())
    return name
