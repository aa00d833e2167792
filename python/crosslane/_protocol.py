"""The messages between this package and a server of Crosslane.

The numbers are those of the Go package internal/driver, whose tests compare them with this file.
"""

from __future__ import annotations

import enum
import struct

VERSION = 1
"""The version of the messages."""

ARENA_BASE = 0x1100_0000_0000
"""The address on the device of the first byte of the shared memory."""

ARENA_BYTES = 64 << 30
"""The size of the shared memory in bytes. The system provides only what is used."""

REPLY = 1
"""The flag of a request that wants a reply."""

MANAGED, SHOWN = 1, 2
"""Flags of allocations: the host uses the memory between launches; it looks at it after each launch."""

OPTION_CHECK = 1
"""The flag of a server that checks launches."""


class Call(enum.IntEnum):
    """The numbers of the calls."""

    HELLO = 1
    CALLERS = 2
    ALLOC = 3
    FREE = 4
    MEMORY = 5
    WRITE_SHARED = 6
    READ_SHARED = 7
    WRITE = 8
    READ = 9
    COPY = 10
    SET = 11
    LOAD = 12
    UNLOAD = 13
    FUNCTION = 14
    FUNCTIONS = 15
    VARIABLE = 16
    PREPARE = 17
    MAX_SHARED = 18
    OCCUPANCY = 19
    LAUNCH = 20
    STREAM_NEW = 21
    STREAM_CLOSE = 22
    STREAM_WAIT = 23
    EVENT_NEW = 24
    EVENT_CLOSE = 25
    EVENT_RECORD = 26
    EVENT_WAIT = 27
    EVENT_HOST = 28
    EVENT_SINCE = 29
    SYNCHRONIZE = 30
    LINK = 31
    RESET = 32
    FINDINGS = 33
    ALLOC_NAMED = 34
    DESCRIBE = 35
    LAUNCH_SEEN = 36
    SNAPSHOT = 52


STATUSES = {
    1: "invalid value",
    2: "out of memory",
    3: "not initialised",
    200: "invalid image",
    201: "invalid context",
    209: "the module is for another device",
    218: "invalid PTX",
    222: "unsupported PTX version",
    400: "invalid handle",
    500: "not found",
    700: "illegal address",
    702: "the launch ran too long",
    710: "an assertion failed",
    716: "misaligned address",
    717: "wrong address space",
    718: "invalid program counter",
    719: "the launch failed",
    720: "the cooperative launch is too large",
    801: "not supported",
}
"""The statuses that a server returns, in words."""

_U32 = struct.Struct("<I")
_U64 = struct.Struct("<Q")
HEAD = struct.Struct("<IHH")
REPLY_HEAD = struct.Struct("<Ii")


def u32(value: int) -> bytes:
    """Encode a number of 4 bytes."""
    return _U32.pack(value)


def u64(value: int) -> bytes:
    """Encode a number of 8 bytes."""
    return _U64.pack(value)


def data(value: bytes) -> bytes:
    """Encode bytes with their length before them."""
    return _U32.pack(len(value)) + value


def text(value: str) -> bytes:
    """Encode a text with its length before it."""
    return data(value.encode("utf-8", "surrogateescape"))


def request(call: int, flags: int, body: bytes) -> bytes:
    """Return a request with its head."""
    return HEAD.pack(len(body), call, flags) + body


class Reader:
    """The fields of a reply, in their order."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.at = 0

    def u32(self) -> int:
        """Take a number of 4 bytes."""
        (v,) = _U32.unpack_from(self.body, self.at)
        self.at += 4
        return int(v)

    def u64(self) -> int:
        """Take a number of 8 bytes."""
        (v,) = _U64.unpack_from(self.body, self.at)
        self.at += 8
        return int(v)

    def data(self) -> bytes:
        """Take bytes that have their length before them."""
        n = self.u32()
        out = self.body[self.at : self.at + n]
        self.at += n
        return out

    def text(self) -> str:
        """Take a text that has its length before it."""
        return self.data().decode("utf-8", "replace")
