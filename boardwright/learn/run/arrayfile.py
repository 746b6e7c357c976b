"""Array files: named arrays and a JSON header in one safetensors file, written atomically.

The last tensor, `sha256`, is the checksum of all bytes before it. Arrays are streamed, since they may be gigabytes.
"""

import collections
import errno
import hashlib
import io
import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import jax
import numpy as np

from boardwright.atomicfile import open_atomic, open_ordinary
from boardwright.errors import RunError, reraise_as
from boardwright.learn.distributed import processes

KEY = "boardwright"  # of the header in the metadata
CHECKSUM = "sha256"
PIECE = 64 << 20  # bytes in memory at a time
_DIGEST_BYTES = 32
_CODES = {"bool": "BOOL", "bfloat16": "BF16"} | {  # names of types in safetensors
    f"{kind}{bits}": f"{kind[0].upper()}{bits}" for kind in ("int", "uint", "float") for bits in (8, 16, 32, 64)
}

Arrays = Mapping[str, jax.Array | np.ndarray]


class DamagedError(RunError):
    """A file that differs from what was written."""


@dataclass(frozen=True)
class ArrayFile:
    """A file whose checksum was verified."""

    path: Path
    header: Mapping[str, Any]
    offsets: Mapping[str, tuple[int, int]]  # of each array: first byte and end in the file

    def load(self, name: str, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Reads an array of a known shape and type; raises DamagedError."""
        array = np.empty(shape, dtype)
        begin, end = self.offsets.get(name, (0, 0))
        with open_ordinary(self.path) as file:
            file.seek(begin)
            if array.nbytes != end - begin or file.readinto(array.reshape(-1).view(np.uint8).data) != array.nbytes:
                raise DamagedError(f"{self.path} is damaged: {name} has {end - begin} bytes, expected {array.nbytes}")
        return array


def write(path: Path, arrays: Arrays, header: Mapping[str, Any]) -> None:
    """Writes a file atomically; raises RunError. Of several processes all must call it, and the first writes."""
    pieces = _pieces(arrays)
    if not processes.is_first():
        collections.deque(pieces, maxlen=0)  # sends the shards of this process to the first
        return
    digest = hashlib.sha256()
    try:
        with open_atomic(path) as file:
            for data in itertools.chain([_head(arrays, header)], pieces):
                file.write(data)
                digest.update(data)
            file.write(digest.digest())
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = "the disk is full: make room and resume" if is_full else error.strerror
        raise RunError(f"cannot write {path}: {reason}: earlier files are intact") from error


def read(path: Path, data: bytes | None = None) -> ArrayFile:
    """A file, or its bytes where they were read already, after verifying its checksum; raises DamagedError."""
    with (
        reraise_as(DamagedError, f"{path} cannot be read"),
        open_ordinary(path) if data is None else io.BytesIO(data) as file,
    ):
        return _parse(path, file)


def _parse(path: Path, file: BinaryIO) -> ArrayFile:
    size = file.seek(0, io.SEEK_END)
    digest, left = hashlib.sha256(), size - _DIGEST_BYTES
    file.seek(0)
    while left > 0 and (data := file.read(min(PIECE, left))):
        digest.update(data)
        left -= len(data)
    if left or file.read() != digest.digest():
        raise DamagedError(f"{path} is damaged: its checksum is wrong")
    file.seek(0)
    first = 8 + int.from_bytes(file.read(8), "little")
    try:
        entries = json.loads(file.read(min(first, size) - 8))
        header = {**json.loads(entries.pop("__metadata__")[KEY])}
        places = {name: [first + int(place) for place in entry["data_offsets"]] for name, entry in entries.items()}
        offsets = {name: (begin, end) for name, (begin, end) in places.items()}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise DamagedError(f"{path} was not written by Boardwright") from error
    ordered = [first, *itertools.chain(*sorted(offsets.values())), size]
    if ordered != sorted(ordered):
        raise DamagedError(f"{path} is damaged: its arrays overlap or exceed the file")
    return ArrayFile(path, header, offsets)


def _pieces(arrays: Arrays) -> Iterator[memoryview]:
    """The bytes of all arrays in order, on the host."""
    for array in arrays.values():
        rows = len(array) if array.ndim else 1
        step = max(1, PIECE * rows // max(array.nbytes, 1))
        for start in range(0, rows, step):
            # A slice of its own: an array on a device keeps its copy on the host once it has one.
            piece = processes.on_host(array if step >= rows else array[start : start + step])
            yield np.ascontiguousarray(piece).reshape(-1).view(np.uint8).data


def _head(arrays: Arrays, header: Mapping[str, Any]) -> bytes:
    """The length of the safetensors header, and the header."""
    entries: dict[str, Any] = {"__metadata__": {KEY: json.dumps(header, allow_nan=False)}}
    begin = 0
    for name, array in {**arrays, CHECKSUM: np.zeros(_DIGEST_BYTES, np.uint8)}.items():
        end = begin + array.nbytes
        entries[name] = {"dtype": _CODES[array.dtype.name], "shape": [*array.shape], "data_offsets": [begin, end]}
        begin = end
    text = json.dumps(entries).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text
