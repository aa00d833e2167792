"""Arrays of other libraries through DLPack (https://dmlc.github.io/dlpack): their memory, without a copy.

numpy.from_dlpack is not used: for libraries that use the older form of DLPack it returns an array that cannot be written,
and then a kernel's results would not come back.
"""

from __future__ import annotations

import ctypes
from typing import Any, Dict, Tuple

_CPU = 1
_READ_ONLY = 1
_KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


def interface(obj: Any, what: str) -> Tuple[Any, Dict[str, Any]]:
    """Return an object that keeps the memory, and the array interface of an object with `__dlpack__`.

    Raises TypeError if the memory is not that of the host, or has elements that no array of the host has.
    """
    device = getattr(obj, "__dlpack_device__", lambda: (_CPU, 0))()
    if device[0] != _CPU:
        raise TypeError(f"{what} is memory of another device: copy it to the host first")
    try:
        capsule = obj.__dlpack__(max_version=(1, 0))
    except TypeError:
        capsule = obj.__dlpack__()  # the older form
    if _is_valid(capsule, b"dltensor_versioned"):
        managed = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
        if managed.major != 1:
            raise TypeError(f"{what} uses version {managed.major} of DLPack; 1 is known")
        t, readonly = managed.tensor, bool(managed.flags & _READ_ONLY)
    else:
        t, readonly = _Tensor.from_address(_pointer(capsule, b"dltensor")), False
    kind = _KINDS.get(t.code)
    if t.lanes != 1 or t.bits % 8 or kind is None:
        kind, size = "V", (t.bits * t.lanes + 7) // 8  # bytes, such as those of bfloat16
    else:
        size = t.bits // 8
    shape = tuple(t.shape[i] for i in range(t.ndim))
    strides = tuple(t.strides[i] * size for i in range(t.ndim)) if t.strides else None
    face = {"shape": shape, "typestr": f"<{kind}{size}", "data": ((t.data or 0) + t.byte_offset, readonly), "strides": strides, "version": 3}
    return capsule, face
