"""Atomic file writes, and reads that never wait.

A file is written under a temporary name, synced to disk and then renamed.
"""

import errno
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

PARTIAL = ".part"  # ends the name of a file that is being written
_LEFTOVER = re.compile(rf"[.].+[.][a-z0-9_]{{8}}{re.escape(PARTIAL)}")  # as `open_atomic` names them


def open_ordinary(path: Path) -> BufferedReader:
    """Opens a file to read; raises OSError for a pipe or a device, where reading could wait for ever."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not an ordinary file", str(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_bounded(path: Path, most: int) -> bytes:
    """Reads an ordinary file; raises OSError, also for a file of more than `most` bytes."""
    with open_ordinary(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"larger than {most:,} bytes", str(path))
    return content


def remove_partial(folder: Path) -> None:
    """Removes files that a killed process left partially written; no other process may be writing into the folder."""
    if folder.is_dir():
        for path in folder.iterdir():
            if _LEFTOVER.fullmatch(path.name) and path.is_file():
                path.unlink(missing_ok=True)


@contextmanager
def open_atomic(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which replaces `path` when the block ends without an error; otherwise nothing changes."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PARTIAL)
    partial = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.chmod(0o644)
        partial.replace(path)
        sync_folder(path.parent)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def write_atomic(path: Path, data: bytes) -> None:
    """Writes a file, or replaces it, atomically."""
    with open_atomic(path) as file:
        file.write(data)


def sync_folder(folder: Path) -> None:
    """Waits until the directory entries of a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
