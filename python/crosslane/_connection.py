"""A connection with a server: the socket and the memory that both sides share."""

from __future__ import annotations

import atexit
import fcntl
import json
import mmap
import os
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from typing import Any, Optional, Tuple

from . import _protocol as p
from ._command import command_path
from ._findings import Disconnected, Error, Fault, Findings, of_json
from ._frames import callers

_MAP_NORESERVE = 0x4000
_F_ADD_SEALS, _F_SEAL_SHRINK = 1033, 2
_FAULTS = range(700, 720)

_open: "weakref.WeakSet[Connection]" = weakref.WeakSet()


def _forked() -> None:
    """Make the connections of the parent unusable in a child: both would read the same replies."""
    for c in _open:
        c.forked = True


os.register_at_fork(after_in_child=_forked)


@atexit.register
def _end() -> None:
    for c in list(_open):
        c.close()


class Connection:
    """One client of a server. Calls of several threads wait for each other."""

    def __init__(self, target: str, check: bool, options: Tuple[str, ...], path: Optional[str] = None) -> None:
        self.lock = threading.RLock()
        self.forked = False
        self.said = tempfile.TemporaryFile()
        self.process: Optional[subprocess.Popen[bytes]] = None
        self.socket = self._connect(path) if path else self._start(target, check, options)
        try:
            self._share()
            self._hello()
        except OSError as e:
            said = self._said()
            raise Disconnected(f"the server of Crosslane did not answer: {e}{said}") from e
        finally:
            if not hasattr(self, "name"):  # it did not say hello
                self.socket.close()
                self.said.close()
        _open.add(self)

    def _connect(self, path: str) -> socket.socket:
        s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        s.connect(path)
        return s

    def _start(self, target: str, check: bool, options: Tuple[str, ...]) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        arguments = [command_path(), "device", f"--fd={theirs.fileno()}", f"--target={target}", "--keep-going", *options]
        if check:
            arguments.append("--check")
        with theirs:
            # A session of its own: Ctrl-C at a terminal is for Python, which then ends the connection.
            self.process = subprocess.Popen(arguments, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.said, start_new_session=True)
        return ours

    def _said(self) -> str:
        """Return what the server has said on its standard error, for messages."""
        if self.process is None:
            return ""
        self.socket.close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return ""
        self.said.seek(0)
        said = self.said.read().decode("utf-8", "replace").strip()
        return f"\n{said}" if said else ""

    def _share(self) -> None:
        fd = os.memfd_create("crosslane", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            os.ftruncate(fd, p.ARENA_BYTES)
            fcntl.fcntl(fd, _F_ADD_SEALS, _F_SEAL_SHRINK)
            self.map = mmap.mmap(fd, p.ARENA_BYTES, flags=mmap.MAP_SHARED | _MAP_NORESERVE)
            self.memory = memoryview(self.map)
            socket.send_fds(self.socket, [b"\0"], [fd])
        finally:
            os.close(fd)

    def _hello(self) -> None:
        program = " ".join([os.path.basename(sys.executable), *sys.argv])[:255]
        r = self.call(p.Call.HELLO, p.u32(p.VERSION) + p.u32(os.getpid()) + p.text(program))
        self.check = bool(r.u32() & p.OPTION_CHECK)
        self.driver_version = r.u32()
        self.limit = r.u64()
        self.name = r.text()
        n = r.u32()
        values = [r.u32() for _ in range(n)]
        self.attributes = [None if v == 0xFFFFFFFF else v for v in values]

    def close(self) -> None:
        """End the connection. The server frees everything."""
        _open.discard(self)
        with self.lock:
            self.socket.close()
            self.said.close()
            if self.process is not None and not self.forked:
                try:
                    self.process.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    self.process.kill()
                    self.process.wait()
                self.process = None

    @property
    def closed(self) -> bool:
        """Report whether the connection has ended."""
        return self.socket.fileno() < 0

    def transact(self, call: int, body: bytes = b"", callers: bool = False) -> Tuple[int, p.Reader]:
        """Make a call and return its status and the reply. Text that kernels have printed is written to sys.stdout."""
        with self.lock:
            if self.forked:
                raise Disconnected("this process was forked after the device was made: make a device in each process")
            if self.closed:
                raise Disconnected("the device is closed")
            message = p.request(call, p.REPLY, body)
            if callers and self.check:
                message = self._callers() + message
            try:
                self.socket.sendall(message)
                n, status = p.REPLY_HEAD.unpack(self._receive(p.REPLY_HEAD.size))
                r = p.Reader(self._receive(n))
            except OSError as e:
                raise Disconnected(f"the server of Crosslane has ended: {e}{self._said()}") from e
            except BaseException:
                # An interrupted call leaves half a reply behind.
                self.socket.close()
                raise
        printed = r.text() if n else ""
        if printed:
            self.printed(printed)
        return status, r

    def printed(self, text: str) -> None:
        """Write what a kernel has printed."""
        sys.stdout.write(text)

    def _receive(self, n: int) -> bytes:
        out = bytearray(n)
        view = memoryview(out)
        at = 0
        while at < n:
            k = self.socket.recv_into(view[at:])
            if k == 0:
                raise ConnectionResetError("it closed the connection")
            at += k
        return bytes(out)

    def call(self, call: int, body: bytes = b"", callers: bool = False) -> p.Reader:
        """Make a call that must succeed."""
        status, r = self.transact(call, body, callers)
        if status:
            raise self.error(status)
        return r

    def error(self, status: int, kind: type = Error) -> Error:
        """Return the error for a status, with the reasons that the server keeps."""
        failed = self.fetch()
        reasons = failed.errors or failed
        message = "\n".join(map(str, reasons)) or p.STATUSES.get(status, f"status {status}")
        if status in _FAULTS:
            kind = Fault
        out = kind(message, reasons, status)
        assert isinstance(out, Error)
        return out

    def fetch(self) -> Findings:
        """Hand the new findings to `keep`, and return why the last call failed."""
        status, r = self.transact(p.Call.FINDINGS)
        if status:
            return Findings()
        d: Any = json.loads(r.data())
        self.keep(of_json(d["findings"]))
        return of_json(d["failed"])

    def keep(self, fresh: Findings) -> None:
        """Receive findings; a device replaces this."""

    def _callers(self) -> bytes:
        """Return the call that tells the server the Python frames that lead to the next call."""
        frames = [p.text(file) + p.u32(line) + p.text(function) for file, line, function in callers()]
        return p.request(p.Call.CALLERS, 0, p.u32(len(frames)) + b"".join(frames))

