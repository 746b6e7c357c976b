"""Named arrays and a JSON header in one file that is whole or not there, streamed: arrays may be gigabytes.

The file is a safetensors file, so other tools can look into it. Its last tensor, `sha256`, is the checksum of
all bytes before it: it is known when the last array has passed, and is checked without trusting anything else.

Writing goes to a hidden file beside it, which takes the name in one step when everything is on the disk.
Nothing in a file is ever run.
"""

import errno
import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import jax
import numpy as np

from boardwright.errors import RunError
from boardwright.learn.distributed import processes
from boardwright.wholefile import whole

KEY = "boardwright"  # of the header in the metadata
CHECKSUM = "sha256"
PIECE = 64 << 20  # bytes that pass through memory at a time
MOST_HEADER_BYTES = 100 << 20  # safetensors reads no more
_DIGEST_BYTES = 32
_CODES = {  # what safetensors calls them; arrays of other types are kept as bytes
    "bool": "BOOL",
    "int8": "I8",
    "int16": "I16",
    "int32": "I32",
    "int64": "I64",
    "uint8": "U8",
    "uint16": "U16",
    "uint32": "U32",
    "uint64": "U64",
    "float16": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
}

Arrays = Mapping[str, jax.Array | np.ndarray]


class DamagedError(RunError):
    """A file that is not as it was written."""


@dataclass(frozen=True)
class ArrayFile:
    """A file that was found whole."""

    path: Path
    header: Mapping[str, Any]
    offsets: Mapping[str, tuple[int, int]]  # of each array: where its bytes begin and end in the file

    def fill(self, name: str, array: np.ndarray) -> None:
        """Reads the bytes of an array into one of its size."""
        begin, end = self.offsets[name]
        target = _bytes_of(array)
        if len(target) != end - begin:
            raise DamagedError(f"{self.path}: {name} has {end - begin} bytes, not {len(target)}")
        with self.path.open("rb") as file:
            file.seek(begin)
            for start in range(0, len(target), PIECE):
                piece = target[start : start + PIECE]
                if file.readinto(piece.data) != len(piece):
                    raise DamagedError(f"{self.path}: cut off while it was read")


def write(path: Path, arrays: Arrays, header: Mapping[str, Any]) -> None:
    """Writes a file; raises RunError, and leaves no trace, where that fails."""
    digest = hashlib.sha256()
    try:
        with whole(path) as file:
            for data in _stream(arrays, header):
                file.write(data)
                digest.update(data)
            file.write(digest.digest())
    except OSError as error:
        raise _refusal(path, error) from error


def hand_over(arrays: Arrays) -> None:
    """Gives the first process, which writes a file, those parts of its arrays that are here."""
    for _ in _pieces(arrays):
        pass


def read(path: Path) -> ArrayFile:
    """A file after a look at every byte of it; raises DamagedError."""
    try:
        with path.open("rb") as file:
            return _looked_at(path, file)
    except OSError as error:
        raise DamagedError(f"{path} cannot be read: {error.strerror}") from error


def header_in(data: bytes, path: Path) -> Mapping[str, Any]:
    """The header of a file whose bytes are at hand, after the same look at them; raises DamagedError that names it."""
    return _looked_at(path, io.BytesIO(data)).header


def _looked_at(path: Path, file: BinaryIO) -> ArrayFile:
    try:
        size = file.seek(0, io.SEEK_END)
        _check(file, size)
        length = int.from_bytes(_take(file, 8, at=0), "little")
        entries = json.loads(_take(file, length, at=8))
        header = json.loads(entries.pop("__metadata__")[KEY])
        if not isinstance(header, dict):
            raise TypeError(type(header))
        offsets = {name: _offsets(entry["data_offsets"], 8 + length) for name, entry in entries.items()}
    except DamagedError as error:
        raise DamagedError(f"{path} is damaged: {error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedError(f"{path} is not a file of ours") from error
    upto = 8 + length
    for begin, end in sorted(offsets.values()):
        if not upto <= begin <= end <= size:
            raise DamagedError(f"{path} is damaged: its arrays overlap or are not in it")
        upto = end
    return ArrayFile(path, header, offsets)


def _offsets(told: Any, first: int) -> tuple[int, int]:
    """Where an array begins and ends in a file, of places counted from its first."""
    begin, end = told
    if type(begin) is not int or type(end) is not int:
        raise TypeError(told)
    return first + begin, first + end


def _check(file: BinaryIO, size: int) -> None:
    """Compares the checksum at the end with what is before it."""
    digest, left = hashlib.sha256(), size - _DIGEST_BYTES
    file.seek(0)
    while left > 0:
        data = file.read(min(PIECE, left))
        if not data:
            raise DamagedError("it is cut off")
        digest.update(data)
        left -= len(data)
    if size < _DIGEST_BYTES or file.read() != digest.digest():
        raise DamagedError("its checksum is wrong")


def _take(file: BinaryIO, count: int, *, at: int) -> bytes:
    file.seek(at)
    if count > MOST_HEADER_BYTES:
        raise DamagedError(f"its header has {count} bytes")
    return file.read(count)


def _stream(arrays: Arrays, header: Mapping[str, Any]) -> Iterator[bytes | memoryview]:
    """All bytes of a file but the checksum."""
    yield _head(arrays, header)
    for piece in _pieces(arrays):
        yield _bytes_of(piece).data


def _pieces(arrays: Arrays) -> Iterator[np.ndarray]:
    """The numbers of all arrays in order, on the host."""
    for array in arrays.values():
        rows = len(array) if array.ndim else 1
        step = max(1, PIECE * rows // max(array.nbytes, 1))
        if step >= rows:
            yield np.ascontiguousarray(processes.on_host(array))
            continue
        for start in range(0, rows, step):
            # A slice of its own: an array on a device remembers its copy on the host once it has one.
            yield np.ascontiguousarray(processes.on_host(array[start : start + step]))


def _head(arrays: Arrays, header: Mapping[str, Any]) -> bytes:
    """The length of what safetensors calls the header, and the header."""
    entries: dict[str, Any] = {"__metadata__": {KEY: json.dumps(header, allow_nan=False)}}
    begin = 0
    for name, array in arrays.items():
        code = _CODES.get(array.dtype.name if array.dtype.isnative else "")
        shape = [*array.shape] if code else [*array.shape, array.dtype.itemsize]
        entries[name] = {"dtype": code or "U8", "shape": shape, "data_offsets": [begin, begin + array.nbytes]}
        begin += array.nbytes
    entries[CHECKSUM] = {"dtype": "U8", "shape": [_DIGEST_BYTES], "data_offsets": [begin, begin + _DIGEST_BYTES]}
    text = json.dumps(entries).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > MOST_HEADER_BYTES:
        raise RunError(f"a header of {len(text)} bytes is more than the {MOST_HEADER_BYTES} a file can have")
    return len(text).to_bytes(8, "little") + text


def _bytes_of(array: np.ndarray) -> np.ndarray:
    """The memory of a contiguous array."""
    return array.reshape(-1).view(np.uint8)


def _refusal(path: Path, error: OSError) -> RunError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return RunError(f"cannot write {path}: the disk is full: make room and go on, the files before it are safe")
    return RunError(f"cannot write {path}: {error.strerror}: the files before it are safe")
