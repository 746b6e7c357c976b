"""What Python needs of `shim.c`: counting calls below a folder, making them fail, and the log of what they did."""

import ctypes
import os
import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

LIBRARY = "BOARDWRIGHT_FAULTS_SHIM"  # in the environment: the compiled library, which LD_PRELOAD names too
HEAD = struct.Struct("<5q")
KINDS = {
    "w": "write", "s": "sync", "t": "truncate", "o": "create", "r": "rename", "l": "link", "u": "unlink", "m": "mkdir"
}  # fmt: skip


class Mode(IntEnum):
    """How calls fail."""

    OFF = 0
    ONCE = 1
    FROM_NOW_ON = 2  # all that need room: a disk that stays full
    SHORT = 3  # half of it is written, without an error
    KILL = 4  # the process ends instead


@dataclass(frozen=True)
class Call:
    """A call that succeeded."""

    kind: str
    path: str
    other: str  # the new name of what was renamed or linked
    offset: int  # where it was written, or the new size
    data: bytes

    @property
    def place(self) -> str:
        """The kind and the file, without what differs from file to file of a kind."""
        name = re.sub(r"[.][a-z0-9_]{8}[.]part$", ".*.part", Path(self.path).name)
        return f"{self.kind} {re.sub('[0-9]+', '#', name)}"


class Shim:
    """The library in this process, with the folder that it watches."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._library = ctypes.CDLL(os.environ[LIBRARY])
        for name in ("faults_calls", "faults_failed"):
            getattr(self._library, name).restype = ctypes.c_long
        self._library.faults_arm.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_int]
        self._library.faults_watch(os.fsencode(folder.resolve()))

    def arm(self, number: int, mode: Mode, error: int = 0) -> None:
        """Makes the call of a number fail, counted from one and from now."""
        self._library.faults_arm(number, mode, error)

    def disarm(self) -> None:
        """Lets all calls pass, and counts them from zero."""
        self.arm(0, Mode.OFF)

    @property
    def calls(self) -> int:
        """Calls counted since the shim was armed or disarmed."""
        return self._library.faults_calls()

    @property
    def failed(self) -> int:
        """Calls that failed since then."""
        return self._library.faults_failed()

    @contextmanager
    def recording(self, log: Path) -> Iterator[None]:
        """Counts from zero, and writes the calls of the block to a file outside the folder."""
        with log.open("wb", buffering=0) as file:
            self.disarm()
            self._library.faults_log(file.fileno())
            try:
                yield
            finally:
                self._library.faults_log(-1)


def read_log(log: Path) -> list[Call]:
    """The calls in a log."""
    data, place, calls = log.read_bytes(), 0, []
    while place < len(data):
        kind, *lengths, offset, size = HEAD.unpack_from(data, place)
        place += HEAD.size
        parts = []
        for length in (*lengths, size):
            parts.append(data[place : place + length])
            place += length
        calls.append(Call(KINDS[chr(kind)], os.fsdecode(parts[0]), os.fsdecode(parts[1]), offset, parts[2]))
    return calls
