"""Event files for TensorBoard, written without it: scalars, and session starts.

A file is a row of records (length, its checksum, data, its checksum); the data of each is an `Event` of
TensorBoard's protocol buffers. We need five of its fields, so we encode them by hand:

    Event       1 wall_time: double   2 step: int64   3 file_version: string   5 summary   7 session_log
    Summary     1 value: repeated     Value: 1 tag: string   2 simple_value: float
    SessionLog  1 status: 1 is START; TensorBoard then forgets events of that step and later from older files
"""

import contextlib
import struct
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from boardwright.errors import RunError, reraise_as

FILE_VERSION = b"brain.Event:2"
_VARINT, _DOUBLE, _BYTES, _FLOAT = 0, 1, 2, 5  # wire types


class EventFile:
    """A new event file in a folder, after the existing ones. Each call is one write."""

    def __init__(self, folder: Path):
        with reraise_as(RunError, f"cannot write event files into {folder}"):
            folder.mkdir(parents=True, exist_ok=True)
            # TensorBoard reads files in the order of their names.
            numbers = [
                int(path.suffix[1:]) for path in folder.glob("events.out.tfevents.*") if path.suffix[1:].isdigit()
            ]
            self.path = folder / f"events.out.tfevents.{max(numbers, default=0) + 1:06d}"
            self._file = self.path.open("xb")
        self._write(0, _field(3, _BYTES, FILE_VERSION))

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        """Values of one step by tag."""
        self._write(step, _field(5, _BYTES, b"".join(_value(tag, value) for tag, value in values.items())))

    def restart_at(self, step: int) -> None:
        """Events of this step and later in older files do not count any more."""
        self._write(step, _field(7, _BYTES, _field(1, _VARINT, _varint(1))))

    def close(self) -> None:
        """Closes the file. What could not be written was reported by the call that wrote it."""
        with contextlib.suppress(OSError):
            self._file.close()

    def _write(self, step: int, what: bytes) -> None:
        event = _field(1, _DOUBLE, struct.pack("<d", time.time())) + _field(2, _VARINT, _varint(step)) + what
        with reraise_as(RunError, f"cannot write {self.path}"):
            self._file.write(record(event))
            self._file.flush()


def record(data: bytes) -> bytes:
    """Data framed as a record."""
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked_checksum(length)) + data + struct.pack("<I", masked_checksum(data))


def masked_checksum(data: bytes) -> int:
    """CRC-32C, rotated and shifted, so that data may contain checksums."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):  # Castagnoli's polynomial, lowest bit first
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def _value(tag: str, value: float) -> bytes:
    with np.errstate(over="ignore"):
        number = np.float32(value).tobytes()  # what is too large becomes infinite
    return _field(1, _BYTES, _field(1, _BYTES, tag.encode()) + _field(2, _FLOAT, number))


def _field(number: int, wire: int, data: bytes) -> bytes:
    """A field of a message: number and wire type, then the data, its length before it if that may vary."""
    return _varint(number << 3 | wire) + (_varint(len(data)) if wire == _BYTES else b"") + data


def _varint(number: int) -> bytes:
    """Seven bits per byte, lowest first; all but the last byte have the eighth set."""
    coded = bytearray()
    while number > 0x7F:
        coded.append(number & 0x7F | 0x80)
        number >>= 7
    coded.append(number)
    return bytes(coded)
