"""A device: memory that lives across launches, modules, streams and events."""

from __future__ import annotations

import os
import sys
import weakref
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple, Union

from . import _protocol as p
from ._arguments import HostArray, Param, as_numpy, dimensions, is_array, scalar
from ._findings import Error, Fault, Findings, LaunchError, LoadError

if TYPE_CHECKING:
    from ._connection import Connection
    from ._why import At, Why

Dim = Union[int, Tuple[int, ...], List[int]]
"""A grid in blocks or a block in lanes: a number, or up to three."""


_MAX_POOLED = 256 << 20


class Loan:
    """Memory of the device that holds an array during one launch."""

    def __init__(self, array: HostArray, name: str, address: int, base: int) -> None:
        self.array, self.name, self.address, self.base = array, name, address, base


class Stream:
    """A stream of a device: its operations are ordered. An event orders two streams.

    Every call has finished when it returns. Streams matter with `check=True`: two streams that use the same bytes and
    that nothing orders are a finding.
    """

    def __init__(self, device: "Device", handle: int) -> None:
        self.device = device
        self.handle = handle

    def synchronize(self) -> None:
        """Let the host wait for the stream."""
        self.device._call(p.Call.STREAM_WAIT, p.u64(self.handle))

    def wait(self, event: "Event") -> None:
        """Let the stream wait for an event."""
        self.device._call(p.Call.EVENT_WAIT, p.u64(self.handle) + p.u64(event.handle))

    def record(self, event: "Optional[Event]" = None) -> "Event":
        """Record an event in the stream, a new one if none is given, and return it."""
        e = event or Event(self.device)
        self.device._call(p.Call.EVENT_RECORD, p.u64(self.handle) + p.u64(e.handle))
        return e

    def close(self) -> None:
        """End the stream."""
        if self.handle:
            self.device._call(p.Call.STREAM_CLOSE, p.u64(self.handle))


class Event:
    """A point in a stream."""

    def __init__(self, device: "Device") -> None:
        self.device = device
        self.handle = device._call(p.Call.EVENT_NEW).u64()

    def synchronize(self) -> None:
        """Let the host wait for the event."""
        self.device._call(p.Call.EVENT_HOST, p.u64(self.handle))

    def since(self, earlier: "Event") -> float:
        """Return the seconds between an earlier event and this one, on this machine: they say nothing about a GPU."""
        return self.device._call(p.Call.EVENT_SINCE, p.u64(self.handle) + p.u64(earlier.handle)).u64() / 1e9

    def close(self) -> None:
        """Forget the event."""
        self.device._call(p.Call.EVENT_CLOSE, p.u64(self.handle))


SNAPSHOT_BYTES = 16 << 20


class DeviceArray:
    """Memory of a device that lives until `free`, or until the device is closed.

    `dtype` is a numpy dtype, or None without numpy.
    """

    def __init__(self, device: "Device", address: int, nbytes: int, shape: Tuple[int, ...], dtype: Any, name: str) -> None:
        self.device = device
        self.address = address
        self.nbytes = nbytes
        self.shape = shape
        self.dtype = dtype
        self.name = name

    def __repr__(self) -> str:
        return f"<DeviceArray {self.name} of {self.nbytes} bytes at {self.address:#x}>"

    def __len__(self) -> int:
        return self.shape[0]

    def data_ptr(self) -> int:
        """Return the address on the device."""
        return self.address

    def write(self, array: Any, stream: Optional[Stream] = None) -> "DeviceArray":
        """Copy an array of the host to the device. It must have as many bytes."""
        h = HostArray(array, "the array")
        self._fits(h)
        self.device._write(self.address, h.view, stream)
        return self

    def read(self, array: Any = None, stream: Optional[Stream] = None) -> Any:
        """Copy to an array of the host and return it: a new one if none is given, of numpy if that is installed."""
        if array is None:
            array = self._empty()
        h = HostArray(array, "the array")
        self._fits(h)
        if h.view.readonly and h.nbytes:
            raise TypeError("the array cannot be written")
        self.device._read(h.view, self.address, stream)
        return array

    def _snapshot(self) -> Tuple[Any, Optional[bytes]]:
        """Return the present contents and their undefined bits, None if there are none. The copy is no use of the memory."""
        array = self._empty()
        view, masks = HostArray(array, "the array").view, []
        for at in range(0, self.nbytes, SNAPSHOT_BYTES):
            n = min(SNAPSHOT_BYTES, self.nbytes - at)
            r = self.device._call(p.Call.SNAPSHOT, p.u64(self.address + at) + p.u64(n))
            view[at : at + n] = r.data()
            masks.append(r.data() or bytes(n))
        return array, b"".join(masks) if any(any(m) for m in masks) else None

    def _fits(self, h: HostArray) -> None:
        if h.nbytes != self.nbytes:
            raise ValueError(f"the array has {h.nbytes} bytes, the memory of the device {self.nbytes}")

    def _empty(self) -> Any:
        np = as_numpy()
        if np is None or self.dtype is None:
            return bytearray(self.nbytes)
        return np.empty(self.shape, self.dtype)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        out = self.read()
        return out if dtype is None else out.astype(dtype)

    def fill(self, value: int, width: int = 1, stream: Optional[Stream] = None) -> "DeviceArray":
        """Fill with an integer of 1, 2 or 4 bytes."""
        if width not in (1, 2, 4) or self.nbytes % width:
            raise ValueError(f"{self.nbytes} bytes cannot be filled with elements of {width}")
        pattern = (value & ((1 << 8 * width) - 1)).to_bytes(width, "little")
        self.device._call(p.Call.SET, p.u64(_handle(stream)) + p.u64(self.address) + p.data(pattern) + p.u64(self.nbytes // width))
        return self

    def free(self, stream: Optional[Stream] = None) -> None:
        """Free the memory, after all work of the device, or in a stream."""
        inside = p.u64(_handle(stream)) + p.u32(1 if stream else 0)
        self.device._call(p.Call.FREE, p.u64(self.address) + inside)


def _handle(stream: Optional[Stream]) -> int:
    return stream.handle if stream is not None else 0


class Result:
    """What a launch has shown: `findings` (with `check=True`), and the text that the kernel `printed`."""

    def __init__(self, findings: Findings, printed: str) -> None:
        self.findings = findings
        self.printed = printed

    def __repr__(self) -> str:
        return f"<Result: {self.findings!r}>"

    def __str__(self) -> str:
        return str(self.findings)

    def _repr_html_(self) -> str:
        return self.findings._repr_html_()


class Kernel:
    """A kernel of a module: call it to launch it.

    `kernel(grid, block, *args)` copies arrays in and out. `params` are the parameters that a caller passes.
    """

    def __init__(self, module: "Module", name: str, handle: int, params: Tuple[Param, ...], block: Optional[Tuple[int, int, int]]) -> None:
        self.module = module
        self.name = name
        self.handle = handle
        self.params = params
        self.names = [q.name for q in params]
        """What findings and `why` call the arrays, in the order of `params`. You may set other names."""
        self.block = block
        """The block that the kernel requires, or None."""
        self._shared = False

    def __repr__(self) -> str:
        return f"<Kernel {self.name}({', '.join(map(str, self.params))})>"

    def __call__(self, grid: Dim, block: Dim, *args: Any, shared: int = 0, stream: Optional[Stream] = None, cooperative: bool = False) -> Result:
        """Launch the kernel and wait for it.

        `grid` counts blocks, `block` lanes. An argument is an array (numpy, or anything with the buffer protocol,
        `__array_interface__` or `__dlpack__`), a DeviceArray, an address, a number, or the bytes of a structure. Arrays
        are copied in before the launch and out after it; `In` and `Out` leave one of the copies out. `shared` is
        dynamic shared memory in bytes.

        Raises Fault if the kernel faults, LaunchError if the launch does not fit, TypeError and OverflowError if an
        argument does not fit its parameter. Arrays are unchanged then.
        """
        d = self.module.device
        g, b = dimensions(grid, "the grid"), dimensions(block, "the block")
        if shared > 48 << 10 and not self._shared:
            d._call(p.Call.MAX_SHARED, p.u64(self.handle) + p.u32(shared), LaunchError)
            self._shared = True
        if d.check:
            d._fetch()
        seen = len(d._findings)
        d._printed.clear()
        loans: List[Loan] = []
        try:
            out = self._block(args, loans, stream)
            body = p.u64(_handle(stream)) + p.u64(self.handle) + b"".join(map(p.u32, (*g, *b, shared, int(cooperative)))) + p.data(out)
            fresh = d._call(p.Call.LAUNCH_SEEN, body, LaunchError).u32()
            if fresh:
                d._fetch()
                faults = Findings(f for f in d._findings[seen:] if f.kind in ("fault", "timeout"))
                if faults:
                    raise Fault(str(faults), d._findings[seen:], 719)
            for loan in loans:
                if loan.array.back and loan.array.nbytes:
                    # The launch has ended, and its checks know that the host looks at this memory.
                    contents = d._arena(loan.address, loan.array.nbytes)
                    assert contents is not None
                    loan.array.view[:] = contents
        finally:
            for loan in loans:
                d._release(loan)
        if d.check:
            d._fetch()
        return Result(Findings(d._findings[seen:]), "".join(d._printed))

    def _block(self, args: Tuple[Any, ...], loans: List[Loan], stream: Optional[Stream]) -> bytes:
        """Return the parameter block. Arrays are copied to the device, and noted in `loans`."""
        needed = [q for q in self.params if not q.hidden]
        if not len(needed) <= len(args) <= len(self.params):
            raise TypeError(f"kernel {self.name} takes {len(needed)} arguments ({', '.join(map(str, needed))}), found {len(args)}")
        out = bytearray(max((q.offset + q.size for q in self.params), default=0))
        d = self.module.device
        same: Dict[int, int] = {}
        pairs = [(q, n) for q, n in zip(self.params, self.names) if len(args) == len(self.params) or not q.hidden]
        for (q, name), value in zip(pairs, args):
            if isinstance(value, DeviceArray):
                if value.device is not d:
                    raise TypeError(f"parameter {q}: the array is on another device")
                value = value.address
            elif hasattr(value, "data_ptr") and not is_array(value):
                value = int(value.data_ptr())
            elif value is None:
                value = 0
            elif q.kind != "bytes" and q.kind != "shared" and (q.kind == "pointer" or q.type in ("u64", "b64", "s64", "")) and q.size == 8 and is_array(value):
                if id(value) not in same:
                    h = HostArray(value, f"argument {name}")
                    loans.append(d._lend(h, name, stream))
                    same[id(value)] = loans[-1].address
                value = same[id(value)]
            elif is_array(value) and q.kind == "scalar":
                raise TypeError(f"parameter {q} takes a number, found an array")
            out[q.offset : q.offset + q.size] = scalar(q, value)
        return bytes(out)

    def occupancy(self, block: Dim, shared: int = 0) -> int:
        """Return how many blocks are on a multiprocessor at a time. Registers are not counted."""
        x, y, z = dimensions(block, "the block")
        return self.module.device._call(p.Call.OCCUPANCY, p.u64(self.handle) + p.u32(x * y * z) + p.u32(shared)).u32()

    def why(self, grid: Dim, block: Dim, *args: Any, at: "At", **options: Any) -> "Why":
        """Run the launch by itself and show how a value came about: see `crosslane.why`."""
        from ._why import why

        return why(self, grid, block, *args, at=at, **options)


class Variable:
    """A variable of a module. It keeps its value from launch to launch; the host may read and write constants, too."""

    def __init__(self, device: "Device", name: str, address: int, nbytes: int) -> None:
        self.device = device
        self.name = name
        self.address = address
        self.nbytes = nbytes

    def write(self, value: Any) -> None:
        """Copy an array, or bytes, to the variable. It may be shorter than the variable."""
        h = HostArray(value, self.name)
        self.device._write(self.address, h.view, None)

    def read(self, dtype: Any = None) -> Any:
        """Return the bytes of the variable, or an array of numpy if a dtype is given."""
        out = bytearray(self.nbytes)
        self.device._read(memoryview(out), self.address, None)
        if dtype is None:
            return bytes(out)
        import numpy as np

        return np.frombuffer(bytes(out), dtype)


class Module:
    """A module on a device: `module["name"]` is a kernel, `module.variable("name")` a variable."""

    def __init__(self, device: "Device", handle: int, name: str, source: bytes, path: Optional[str]) -> None:
        self.device = device
        self.handle = handle
        self.file = name
        self.path = path
        self.source = source
        self._kernels: Dict[str, Kernel] = {}
        r = device._call(p.Call.FUNCTIONS, p.u64(handle))
        self.names = [r.text() for _ in range(r.u32())]
        """The names of the kernels, in the order of the file."""

    def __repr__(self) -> str:
        return f"<Module {self.file}: {', '.join(self.names)}>"

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> Kernel:
        """Return a kernel by its name in the file, or by a part of it that only one kernel has."""
        if name not in self._kernels:
            full = self._full(name)
            r = self.device._call(p.Call.FUNCTION, p.u64(self.handle) + p.text(full))
            handle = r.u64()
            d = self.device._json(p.Call.DESCRIBE, p.u64(handle))
            b = d.get("block")
            self._kernels[name] = Kernel(self, full, handle, tuple(map(Param.from_json, d["params"])), (b[0], b[1], b[2]) if b else None)
        return self._kernels[name]

    def _full(self, name: str) -> str:
        if name in self.names:
            return name
        found = [n for n in self.names if name in n]
        if len(found) == 1:
            return found[0]
        which = f"more than one has it in its name: {', '.join(found)}" if found else f"there are {', '.join(self.names) or 'none'}"
        raise KeyError(f"{self.file} has no kernel {name}; {which}")

    @property
    def kernels(self) -> List[Kernel]:
        """The kernels, in the order of the file."""
        return [self[n] for n in self.names]

    def variable(self, name: str) -> Variable:
        """Return a variable by its name in the file."""
        status, r = self.device._connection.transact(p.Call.VARIABLE, p.u64(self.handle) + p.text(name))
        if status:
            raise KeyError(f"{self.file} has no variable {name}")
        return Variable(self.device, name, r.u64(), r.u64())

    def unload(self) -> None:
        """Take the module and its variables away."""
        self.device._call(p.Call.UNLOAD, p.u64(self.handle))


class Device:
    """A device as a host program sees it. It is a process of Crosslane's, which ends with the device.

    `target` is a name such as "sm_80" or "gfx803". With `check`, every launch and every copy is checked; `findings`
    are those so far. `timeout` limits each launch, in seconds. `memory` is the size of the device in bytes.
    """

    def __init__(self, target: str = "sm_89", check: bool = False, *, timeout: Optional[float] = None, memory: Optional[int] = None, engine: Optional[str] = None) -> None:
        if not sys.platform.startswith("linux"):
            raise OSError("a Device needs Linux, where two processes can share memory; crosslane.load works everywhere")
        from ._connection import Connection

        options = []
        if timeout is not None:
            options.append(f"--timeout={timeout}s")
        if memory is not None:
            options.append(f"--memory={memory}")
        if engine is not None:
            options.append(f"--engine={engine}")
        self._start(Connection(target, check, tuple(options)), target)

    def _start(self, c: "Connection", target: str) -> None:
        self._connection = c
        self._findings: List[Any] = []
        self._printed: List[str] = []
        self._pool: Dict[Tuple[str, int], List[int]] = {}
        self._pooled = 0
        self.target = target
        self.check = c.check
        me = weakref.ref(self)

        def keep(fresh: Findings) -> None:
            d = me()
            if d is not None:
                d._findings.extend(fresh)

        def printed(text: str) -> None:
            sys.stdout.write(text)
            d = me()
            if d is not None:
                d._printed.append(text)

        c.keep = keep  # type: ignore[method-assign]
        c.printed = printed  # type: ignore[method-assign]

    @classmethod
    def connect(cls, path: str) -> "Device":
        """Return a device of a server that listens at a path, such as that of `crosslane exec` (CROSSLANE_SOCKET)."""
        from ._connection import Connection

        self = cls.__new__(cls)
        c = Connection("", False, (), path)
        self._start(c, c.name.rpartition(" ")[2])
        return self

    def __repr__(self) -> str:
        return f"<Device {self.target}{', checks' if self.check else ''}>"

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, call: int, body: bytes = b"", kind: type = Error) -> p.Reader:
        status, r = self._connection.transact(call, body, callers=True)
        if status:
            raise self._connection.error(status, kind)
        return r

    def _json(self, call: int, body: bytes = b"") -> Any:
        import json

        return json.loads(self._call(call, body).data())

    def _fetch(self) -> None:
        self._connection.fetch()

    @property
    def findings(self) -> Findings:
        """The findings so far, in the order in which they were made."""
        if not self._connection.closed:
            self._fetch()
        return Findings(self._findings)

    @property
    def memory(self) -> Tuple[int, int]:
        """How many bytes the allocations take, and how many they may take."""
        r = self._call(p.Call.MEMORY)
        return r.u64(), r.u64()

    def attribute(self, number: int) -> Optional[int]:
        """Return an attribute by its number in CUDA's driver API (CUdevice_attribute), or None."""
        values = self._connection.attributes
        return values[number] if 0 <= number < len(values) else None

    def load(self, source: Union[str, bytes, "os.PathLike[str]"], name: Optional[str] = None) -> Module:
        """Load a module: a path, or the text of a module, or the bytes of a code object or a fat binary.

        A str with a line break is a text. `name` is shown in findings. Raises LoadError.
        """
        image, path, shown = read_source(source, name)
        r_status, r = self._connection.transact(p.Call.LOAD, p.text(shown) + p.data(image), callers=True)
        if r_status:
            e = self._connection.error(r_status, LoadError)
            r.u64()
            raise e
        return Module(self, r.u64(), shown, image, path)

    def _arena(self, address: int, n: int) -> Optional[memoryview]:
        """Return shared memory at an address, or None if the memory is not shared."""
        off = address - p.ARENA_BASE
        if off < 0 or off + n > p.ARENA_BYTES:
            return None
        return self._connection.memory[off : off + n]

    def _write(self, address: int, view: memoryview, stream: Optional[Stream]) -> None:
        n = view.nbytes
        if n == 0:
            return
        shared = self._arena(address, n)
        if shared is None:
            self._call(p.Call.WRITE, p.u64(_handle(stream)) + p.u64(address) + p.data(bytes(view)))
            return
        self._call(p.Call.WRITE_SHARED, p.u64(_handle(stream)) + p.u64(address) + p.u64(n))
        shared[:] = view

    def _read(self, view: memoryview, address: int, stream: Optional[Stream]) -> None:
        n = view.nbytes
        if n == 0:
            return
        shared = self._arena(address, n)
        if shared is None:
            view[:] = self._call(p.Call.READ, p.u64(_handle(stream)) + p.u64(address) + p.u64(n)).data()
            return
        self._call(p.Call.READ_SHARED, p.u64(_handle(stream)) + p.u64(address) + p.u64(n))
        view[:] = shared

    def _copy_in(self, address: int, view: memoryview, stream: Optional[Stream]) -> None:
        """Copy to memory of one launch. The server must know of the copy only if it checks."""
        if self.check:
            self._write(address, view, stream)
        else:
            shared = self._arena(address, view.nbytes)
            assert shared is not None
            shared[:] = view

    def _alloc(self, name: str, nbytes: int, flags: int = 0) -> int:
        return self._call(p.Call.ALLOC_NAMED, p.text(name) + p.u64(nbytes) + p.u32(flags)).u64()

    def _lend(self, h: HostArray, name: str, stream: Optional[Stream]) -> "Loan":
        """Copy an array of the host to memory of one launch.

        Without checks, memory is used again by the next launch with an array of that name and size: nothing would
        see the difference, and the launch needs one message instead of nine.
        """
        if h.nbytes == 0:
            # Nothing may be accessed: the address is the end of an allocation.
            base = self._alloc(f"{name} (which is empty)", 256)
            return Loan(h, name, base + 256, base)
        pool = self._pool.get((name, h.nbytes))
        if pool:
            base = pool.pop()
            self._pooled -= h.nbytes
            if not h.into:
                shared = self._arena(base, h.nbytes)
                assert shared is not None
                shared[:] = bytes(h.nbytes)
        else:
            base = self._alloc(name, h.nbytes, p.SHOWN)
        if h.into:
            self._copy_in(base, h.view, stream)
        return Loan(h, name, base, base)

    def _release(self, loan: "Loan") -> None:
        """Take memory of one launch back. An error does not hide the one of the launch."""
        n = loan.array.nbytes
        if self._connection.closed:
            return
        if n and not self.check and self._pooled + n <= _MAX_POOLED:
            self._pool.setdefault((loan.name, n), []).append(loan.base)
            self._pooled += n
            return
        self._connection.transact(p.Call.FREE, p.u64(loan.base) + p.u64(0) + p.u32(0))

    def array(self, array: Any, name: str = "") -> DeviceArray:
        """Copy an array of the host to new memory of the device."""
        h = HostArray(array, name or "the array")
        d = DeviceArray(self, self._alloc(name, h.nbytes), h.nbytes, h.shape, getattr(array, "dtype", None), name or "array")
        self._write(d.address, h.view, None)
        return d

    def empty(self, shape: Union[int, Tuple[int, ...]], dtype: Any = "u1", name: str = "") -> DeviceArray:
        """Allocate memory without contents: checks count it as uninitialised. Without numpy, `shape` counts bytes."""
        dims = (shape,) if isinstance(shape, int) else tuple(shape)
        n = 1
        for k in dims:
            n *= k
        np = as_numpy()
        t = np.dtype(dtype) if np is not None else None
        nbytes = n * (t.itemsize if t is not None else 1)
        return DeviceArray(self, self._alloc(name, nbytes), nbytes, dims, t, name or "array")

    def managed(self, shape: Union[int, Tuple[int, ...]], dtype: Any = "u1", name: str = "") -> "Tuple[DeviceArray, Any]":
        """Allocate managed memory. Return it as memory of the device, and as an array of numpy that is the same memory.

        Use the array between launches only.
        """
        import numpy as np

        dims = (shape,) if isinstance(shape, int) else tuple(shape)
        t = np.dtype(dtype)
        nbytes = t.itemsize * int(np.prod(dims))
        d = DeviceArray(self, self._alloc(name, nbytes, p.MANAGED), nbytes, dims, t, name or "managed array")
        view = self._arena(d.address, nbytes)
        assert view is not None
        return d, np.frombuffer(view, t).reshape(dims)

    def copy(self, to: DeviceArray, from_: DeviceArray, stream: Optional[Stream] = None) -> None:
        """Copy between arrays of the device that have as many bytes."""
        if to.nbytes != from_.nbytes:
            raise ValueError(f"{from_.nbytes} bytes are copied to {to.nbytes}")
        self._call(p.Call.COPY, p.u64(_handle(stream)) + p.u64(to.address) + p.u64(from_.address) + p.u64(to.nbytes))

    def stream(self, non_blocking: bool = False) -> Stream:
        """Make a stream. A non-blocking one and the default stream do not wait for each other."""
        return Stream(self, self._call(p.Call.STREAM_NEW, p.u32(int(non_blocking))).u64())

    def event(self) -> Event:
        """Make an event."""
        return Event(self)

    def synchronize(self) -> None:
        """Let the host wait for all streams."""
        self._call(p.Call.SYNCHRONIZE)

    def close(self) -> Findings:
        """End the device and return all findings. With `check`, memory that was not freed is one."""
        c = self._connection
        if not c.closed:
            if self.check and not c.forked:
                c.transact(p.Call.RESET)
                self._fetch()
            c.close()
        return Findings(self._findings)


def read_source(source: Union[str, bytes, "os.PathLike[str]"], name: Optional[str]) -> Tuple[bytes, Optional[str], str]:
    """Return the bytes of a module, its path or None, and the name that findings show."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), None, name or "module"
    if isinstance(source, str) and "\n" in source:
        return source.encode(), None, name or "module.ptx"
    path = os.fspath(source)
    with open(path, "rb") as f:
        return f.read(), os.path.abspath(path), name or path
