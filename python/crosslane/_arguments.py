"""Arguments of kernels: arrays, device memory, numbers and structures."""

from __future__ import annotations

import ctypes
import struct
import sys
from dataclasses import dataclass
from typing import Any, Dict, Optional, Sequence, Tuple

from . import _dlpack

_FORMATS: Dict[str, str] = {
    "u8": "B", "s8": "b", "b8": "B", "u16": "H", "s16": "h", "b16": "H", "u32": "I", "s32": "i", "b32": "I",
    "u64": "Q", "s64": "q", "b64": "Q", "f16": "e", "f32": "f", "f64": "d",
}  # fmt: skip
_FLOATS = {2: "e", 4: "f", 8: "d"}


@dataclass(frozen=True)
class Param:
    """A parameter of a kernel."""

    name: str
    kind: str
    """"scalar", "pointer", "shared" (of GCN3) or "bytes" (a structure by value)."""
    type: str
    """The type of a scalar, such as "u32"; "" if the file declares only a size."""
    offset: int
    """In bytes from the start of the parameter block."""
    size: int
    """In bytes."""
    hidden: str = ""
    """Not "" if the compiler's runtime passes the parameter, and no caller does."""
    unread: bool = False
    """The code of the kernel does not mention the parameter."""

    @classmethod
    def from_json(cls, d: Dict[str, Any]) -> "Param":
        """Make a parameter of its JSON form."""
        return cls(d["name"], d["kind"], d.get("type", ""), d["offset"], d["size"], d.get("hidden", ""), bool(d.get("unread")))

    def __str__(self) -> str:
        return f"{self.name}: {self.type or self.kind}" + ("" if self.type else f" ({self.size} bytes)")


class In:
    """An array that the kernel only reads: it is not copied back."""

    def __init__(self, array: Any) -> None:
        self.array = array


class Out:
    """An array that the kernel only writes. Its contents are not copied in: checks count its bytes as uninitialised."""

    def __init__(self, array: Any) -> None:
        self.array = array


class HostArray:
    """The bytes of an array of the host, and how they are copied.

    `view` is the memory as bytes; `into` and `back` say whether the bytes are copied to the device and back.
    """

    def __init__(self, obj: Any, what: str) -> None:
        self.into, self.back = True, True
        if isinstance(obj, In):
            obj, self.back = obj.array, False
        elif isinstance(obj, Out):
            obj, self.into = obj.array, False
        self.what = what
        view, self.type, self.shape, self.owner = _view(obj, what)
        if view.readonly:
            if not self.into:
                raise TypeError(f"{what} is an Out, and its memory cannot be written")
            self.back = False
        self.view = view
        self.nbytes = view.nbytes


def is_array(obj: Any) -> bool:
    """Report whether an argument has memory of the host, and is no number."""
    if isinstance(obj, (In, Out)):
        return True
    if isinstance(obj, (int, float, bool, str)) or obj is None:
        return False
    if getattr(obj, "shape", None) == () and _is_scalar(obj):
        return False
    if hasattr(obj, "__array_interface__") or hasattr(obj, "__dlpack__"):
        return True
    try:
        memoryview(obj)
    except TypeError:
        return False
    return True


def _is_scalar(obj: Any) -> bool:
    np = sys.modules.get("numpy")
    return np is not None and isinstance(obj, np.generic)


# The elements that launch files know, by kind and size of an array interface.
_ELEMENTS = {"i": "s", "u": "u", "b": "u", "f": "f"}


def element(typestr: str) -> str:
    """Return the name of an element, such as "s32" of "<i4"; "u8" if there is none."""
    kind, size = typestr[1:2], typestr[2:]
    if kind in _ELEMENTS and size in ("1", "2", "4", "8") and not (kind == "f" and size == "1") and typestr[0] != ">":
        return f"{_ELEMENTS[kind]}{8 * int(size)}"
    return "u8"


def _view(obj: Any, what: str) -> "Tuple[memoryview, str, Tuple[int, ...], Any]":
    """Return the memory of an array as bytes, the type of its elements, its shape, and what keeps the memory."""
    face = getattr(obj, "__array_interface__", None)
    if face is None and not _has_buffer(obj) and hasattr(obj, "__dlpack__"):
        keeper, face = _dlpack.interface(obj, what)
        m, name, shape = _of_interface(obj, face, what)
        return m, name, shape, keeper
    if face is not None:
        return (*_of_interface(obj, face, what), obj)
    try:
        m = memoryview(obj)
    except TypeError:
        raise TypeError(f"{what} is a {type(obj).__name__}, which has no memory that can be copied: pass an array or a number") from None
    if not m.c_contiguous:
        raise TypeError(f"{what} is not contiguous: pass a contiguous copy")
    kind = m.format.lstrip("@=<")
    name = "u8"
    if len(kind) == 1 and kind in "bhilq":
        name = f"s{8 * m.itemsize}"
    elif len(kind) == 1 and kind in "BHILQ?":
        name = f"u{8 * m.itemsize}"
    elif len(kind) == 1 and kind in "efd":
        name = f"f{8 * m.itemsize}"
    shape = tuple(m.shape or ()) if name != "u8" or m.itemsize == 1 else (m.nbytes,)
    return (m.cast("B") if m.nbytes else memoryview(b"")), name, shape, obj


def _has_buffer(obj: Any) -> bool:
    try:
        memoryview(obj)
    except (TypeError, BufferError, ValueError):
        return False
    return True


def _of_interface(obj: Any, face: Dict[str, Any], what: str) -> "Tuple[memoryview, str, Tuple[int, ...]]":
    shape = tuple(face["shape"])
    size = int("".join(c for c in face["typestr"][2:] if c.isdigit()) or 0)
    count = 1
    for n in shape:
        count *= n
    strides = face.get("strides")
    if strides is not None and count:
        want = size
        for n, s in zip(reversed(shape), reversed(tuple(strides))):
            if n != 1 and s != want:
                raise TypeError(f"{what} is not contiguous: pass a contiguous copy, such as numpy.ascontiguousarray")
            want *= n
    if face["typestr"].startswith(">"):
        raise TypeError(f"{what} has big-endian elements: pass a little-endian copy")
    if "O" in face["typestr"]:
        raise TypeError(f"{what} has Python objects as elements: pass numbers")
    name = element(face["typestr"])
    if count == 0:
        return memoryview(bytearray()), name, shape
    data = face.get("data")
    if data is None:
        m = memoryview(obj).cast("B")
    else:
        address, readonly = data
        m = memoryview((ctypes.c_char * (count * size)).from_address(address)).cast("B")
        if readonly:
            m = m.toreadonly()
    return m, name, shape if name != "u8" or size == 1 else (count * size,)


def scalar(p: Param, value: Any) -> bytes:
    """Return the bytes of a number or a structure that is passed by value.

    Raises TypeError and OverflowError, with the parameter's name, if the value does not fit.
    """
    if _is_scalar(value):
        if value.dtype.kind in "iub":
            value = int(value)
        elif value.dtype.kind == "f" and p.type in ("", f"b{8 * value.dtype.itemsize}") and value.dtype.itemsize == p.size:
            return bytes(value.tobytes())
        elif value.dtype.kind == "f":
            value = float(value)
    if isinstance(value, (int, bool)) and not isinstance(value, float):
        return _integer(p, int(value))
    if isinstance(value, float):
        return _float(p, value)
    try:
        m = memoryview(value)
    except TypeError:
        raise TypeError(f"parameter {p} takes a number, found a {type(value).__name__}") from None
    if m.nbytes != p.size:
        raise TypeError(f"parameter {p} takes {p.size} bytes, found {m.nbytes}")
    return m.tobytes()


def _integer(p: Param, value: int) -> bytes:
    if p.type in ("f16", "f32", "f64", "bf16"):
        return _float(p, float(value))
    if p.size not in (1, 2, 4, 8):
        raise TypeError(f"parameter {p} takes {p.size} bytes, found the number {value}")
    if not -(1 << (8 * p.size - 1)) <= value < 1 << (8 * p.size):
        raise OverflowError(f"parameter {p}: {value} does not fit {p.size} bytes")
    return (value & ((1 << (8 * p.size)) - 1)).to_bytes(p.size, "little")


def _float(p: Param, value: float) -> bytes:
    if p.type == "bf16":
        (bits,) = struct.unpack("<I", struct.pack("<f", value))
        if value == value:
            bits += 0x7FFF + (bits >> 16 & 1)
        return int(bits >> 16 & 0xFFFF).to_bytes(2, "little")
    if p.type in _FORMATS and p.type[0] not in "fb":
        raise TypeError(f"parameter {p} takes an integer, found {value}")
    form = _FLOATS.get(p.size)
    if form is None:
        raise TypeError(f"parameter {p} takes {p.size} bytes, found the number {value}")
    return struct.pack("<" + form, value)


def dimensions(value: Any, what: str) -> Tuple[int, int, int]:
    """Return a grid or a block as three numbers: 4, (4,), (4, 2) and (4, 2, 1) are allowed."""
    many: Sequence[Any] = value if isinstance(value, (tuple, list)) else (value,)
    if not 1 <= len(many) <= 3:
        raise ValueError(f"{what} has {len(many)} dimensions: give 1 to 3")
    out = []
    for n in many:
        n = n.__index__()
        if not 1 <= n < 1 << 32:
            raise ValueError(f"{what} is {value}: each dimension must be 1 to 4294967295")
        out.append(n)
    out += [1] * (3 - len(out))
    return out[0], out[1], out[2]


def as_numpy() -> "Optional[Any]":
    """Return the module numpy, or None if it is not installed."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy
