"""Launches of kernels on arrays: results by computation, arguments of every kind, and what is refused."""

import array
import ctypes
import struct
import subprocess
import sys

import kernels
import numpy as np
import pytest

import crosslane


def test_scan(block_scan):
    scan = crosslane.load(block_scan)["block_scan"]
    x = np.random.default_rng(1).integers(-1000, 1000, 1024, dtype=np.int32)
    out = np.zeros(1024, np.int32)
    before = x.copy()
    result = scan(4, 256, x, out, 1024)
    want = np.cumsum(x.reshape(4, 256), axis=1, dtype=np.int32).ravel()
    assert (out == want).all()
    assert (x == before).all()
    assert result.findings == ()
    # Again, with other contents: memory of the launch before is used again.
    x[:] = 1
    scan((4, 1), (256, 1, 1), x, out, 1000)
    assert (out[:1000] == np.tile(np.arange(1, 257), 4)[:1000]).all()
    assert (out[1000:] == want[1000:]).all()


def test_kinds_of_arrays():
    mul = crosslane.load(kernels.SCALE)["mul"]
    want = [3 * i for i in range(8)]
    for make in (
        lambda: array.array("I", range(8)),
        lambda: (ctypes.c_uint32 * 8)(*range(8)),
        lambda: bytearray(struct.pack("8I", *range(8))),
        lambda: memoryview(bytearray(struct.pack("8I", *range(8)))),
        lambda: np.arange(8, dtype=np.uint32).reshape(2, 4),
    ):
        a = make()
        mul(1, 32, a, 8)
        assert list(struct.unpack("8I", bytes(memoryview(a).cast("B")))) == want, type(a)

    class Face:
        """An array of another library: it has only an interface."""

        def __init__(self, a):
            self.a = a
            self.__array_interface__ = a.__array_interface__

    class Capsule:
        def __init__(self, a):
            self.a = a

        def __dlpack__(self, **options):
            return self.a.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.a.__dlpack_device__()

    class OldCapsule(Capsule):
        """A library that knows no versions of DLPack."""

        def __dlpack__(self, stream=None):
            return self.a.__dlpack__()

    for wrap in (Face, Capsule, OldCapsule):
        a = np.arange(8, dtype=np.uint32)
        mul(1, 32, wrap(a), 8)
        assert a.tolist() == want, wrap


def test_dlpack():
    """What cannot be written is not copied back; what is not memory of the host is refused."""

    class Capsule:
        def __init__(self, a, device=1):
            self.a, self.device = a, device

        def __dlpack__(self, **options):
            return self.a.__dlpack__(**options)

        def __dlpack_device__(self):
            return (self.device, 0)

    mul = crosslane.load(kernels.SCALE)["mul"]
    a = np.arange(4, dtype=np.uint32)
    with pytest.raises(TypeError, match="memory of another device"):
        mul(1, 32, Capsule(a, 2), 4)
    with pytest.raises(TypeError, match="not contiguous"):
        mul(1, 32, Capsule(np.arange(8, dtype=np.uint32)[::2]), 4)
    with crosslane.Device() as d:
        assert d.array(Capsule(np.arange(6, dtype=np.int16).reshape(2, 3))).shape == (2, 3)
    mul(1, 32, Capsule(a), 4)
    assert a.tolist() == [0, 3, 6, 9]
    a.flags.writeable = False
    try:
        a.__dlpack__(max_version=(1, 0))
    except (TypeError, BufferError):
        return  # this numpy gives no memory that cannot be written
    mul(1, 32, Capsule(a), 4)
    assert a.tolist() == [0, 3, 6, 9]


def test_read_only_arrays_stay():
    mul = crosslane.load(kernels.SCALE)["mul"]
    a = np.arange(4, dtype=np.uint32)
    a.flags.writeable = False
    mul(1, 32, a, 4)
    assert a.tolist() == [0, 1, 2, 3]
    b = np.arange(4, dtype=np.uint32)
    mul(1, 32, crosslane.In(b), 4)
    assert b.tolist() == [0, 1, 2, 3]
    mul(1, 32, b, 4)
    assert b.tolist() == [0, 3, 6, 9]
    with pytest.raises(TypeError, match="cannot be written"):
        mul(1, 32, crosslane.Out(a), 4)
    # What Out holds is not copied in: the kernel sees zeros, also in memory that is used again.
    c = np.arange(1, 5, dtype=np.uint32)
    mul(1, 32, crosslane.Out(c), 4)
    assert c.tolist() == [0, 0, 0, 0]


def test_numbers():
    k = crosslane.load(kernels.NUMBERS)["numbers"]
    assert [(q.name, q.type, q.offset, q.size, q.kind) for q in k.params[:3]] == [("out", "u64", 0, 8, "scalar"), ("a", "s8", 8, 1, "scalar"), ("b", "u16", 10, 2, "scalar")]
    out = bytearray(48)
    k(1, 1, out, -3, 65535, -(2**31), 2**64 - 1, 1, 0.1, 2.5, struct.pack("iif", 1, 2, 7.5))
    assert struct.unpack_from("<i", out, 0) == (-3,)
    assert struct.unpack_from("<H", out, 4) == (65535,)
    assert struct.unpack_from("<i", out, 8) == (-(2**31),)
    assert struct.unpack_from("<Q", out, 16) == (2**64 - 1,)
    assert struct.unpack_from("<f", out, 24) == (1.0,)
    assert struct.unpack_from("<d", out, 32) == (0.1,)
    assert struct.unpack_from("<f", out, 40) == (2.5,)
    assert struct.unpack_from("<f", out, 44) == (7.5,)
    # Numbers of numpy, and an integer for a parameter that declares only a size.
    k(np.int64(1), 1, out, np.int8(5), np.uint16(6), np.int32(7), np.uint64(8), np.float32(0.5), np.float64(0.25), np.int32(-1), np.zeros(3, np.float32))
    assert struct.unpack_from("<i", out, 0) == (5,) and struct.unpack_from("<f", out, 24) == (0.5,)
    assert struct.unpack_from("<i", out, 40) == (-1,) and struct.unpack_from("<f", out, 44) == (0.0,)
    good = [out, 1, 2, 3, 4, 5.0, 6.0, 7, bytes(12)]
    for i, bad, kind, said in [
        (1, 256, OverflowError, "a: s8: 256 does not fit 1 bytes"),
        (1, -129, OverflowError, "-129"),
        (3, 1.5, TypeError, "c: s32 takes an integer, found 1.5"),
        (3, "x", TypeError, "takes a number, found a str"),
        (5, np.zeros(1, np.float32), TypeError, "takes a number, found an array"),
        (8, bytes(11), TypeError, "takes 12 bytes, found 11"),
        (8, 3, TypeError, "takes 12 bytes, found the number 3"),
    ]:
        args = list(good)
        args[i] = bad
        with pytest.raises(kind, match=said):
            k(1, 1, *args)
    with pytest.raises(TypeError, match="takes 9 arguments"):
        k(1, 1, *good[:-1])
    k(1, 1, *good)


def test_what_is_refused():
    m = crosslane.load(kernels.SCALE)
    mul = m["mul"]
    a = np.arange(32, dtype=np.uint32)
    with pytest.raises(crosslane.LaunchError, match="2000"):
        mul(1, 2000, a, 32)
    with pytest.raises(ValueError, match="4 dimensions"):
        mul((1, 1, 1, 1), 1, a, 32)
    with pytest.raises(ValueError, match="each dimension"):
        mul(0, 1, a, 32)
    with pytest.raises(TypeError, match="not contiguous"):
        mul(1, 16, a[::2], 16)
    with pytest.raises(TypeError, match="big-endian"):
        mul(1, 16, a.astype(">u4"), 16)
    with pytest.raises(KeyError, match="no kernel add; there are mul"):
        m["add"]
    with pytest.raises(crosslane.LoadError, match=r"bad.ptx:4:14: error.*frob"):
        crosslane.load(kernels.HEAD + ".entry k() { frob; }\n", name="bad.ptx")
    with pytest.raises(FileNotFoundError):
        crosslane.load("there-is-no-such-file.ptx")
    assert a.tolist() == list(range(32))
    mul(1, 32, a, 32)
    assert a.tolist() == [3 * i for i in range(32)]


def test_fault_goes_on():
    mul = crosslane.load(kernels.SCALE, name="scale.ptx")["mul"]
    a = np.arange(16, dtype=np.uint32)
    with pytest.raises(crosslane.Fault, match=r'just past the end of "p" \(64 bytes\)') as e:
        mul(1, 32, a, 32)
    (finding,) = e.value.findings
    assert (finding.code, finding.severity, finding.file, finding.line) == ("out-of-bounds", "error", "scale.ptx", 16)
    assert finding.lanes == tuple(range(16, 32)) and finding.remedy and "ld.global.u32 %r3, [%rd1];" in finding.text
    assert a.tolist() == list(range(16))
    mul(1, 32, a, 16)
    assert a.tolist() == [3 * i for i in range(16)]
    empty = np.zeros(0, np.uint32)
    mul(1, 32, empty, 0)
    with pytest.raises(crosslane.Fault, match="just past the end"):
        mul(1, 1, empty, 1)


def test_printed(capsys):
    greet = crosslane.load(kernels.GREET)["greet"]
    assert greet(1, 2).printed == "hi\nhi\n"
    assert capsys.readouterr().out == "hi\nhi\n"


def test_gcn3(root):
    path = root / "examples" / "gcn3" / "wave_sum.s"
    if not path.exists():
        path = sorted((root / "examples" / "gcn3").glob("*.s"))[0]
    m = crosslane.load(path)
    assert m.device.target == "gfx803" and len(m.names) >= 1


def test_no_numpy():
    code = f"""
import sys
sys.modules["numpy"] = None
import array, crosslane
a = array.array("I", range(8))
crosslane.load({kernels.SCALE!r})["mul"](1, 32, a, 8)
d = crosslane.Device()
b = d.array(a)
print(list(a), bytes(b.read()) == a.tobytes())
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "[0, 3, 6, 9, 12, 15, 18, 21] True\n"


def test_fork():
    code = f"""
import os, crosslane, array
mul = crosslane.load({kernels.SCALE!r})["mul"]
a = array.array("I", range(4))
if os.fork() == 0:
    try:
        mul(1, 32, a, 4)
    except crosslane.Disconnected as e:
        crosslane.load({kernels.SCALE!r})["mul"](1, 32, a, 4)
        print("child", e, list(a), flush=True)
    os._exit(0)
os.wait()
mul(1, 32, a, 4)
print("parent", list(a))
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "child this process was forked after the device was made: make a device in each process [0, 3, 6, 9]\nparent [0, 3, 6, 9]\n"
