"""Atomic file writes, and reads that never wait.

A file is written under a temporary name, synced to disk and then renamed. A process that is killed before that leaves
the temporary file, which the next one that writes the same file removes: no process holds its lock.
"""

import contextlib
import errno
import fcntl
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


def remove_partial(folder: Path, name: str | None = None) -> None:
    """Removes what killed processes left partially written in a folder, or of the file of one name."""
    target = ".+" if name is None else re.escape(name)
    named = re.compile(rf"[.]{target}[.][a-z0-9_]{{8}}{re.escape(PARTIAL)}", re.DOTALL)  # by `open_atomic`
    with contextlib.suppress(OSError):  # nothing depends on removing them
        for path in [path for path in folder.iterdir() if named.fullmatch(path.name)]:
            with contextlib.suppress(OSError), open_ordinary(path) as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises if a process is writing it
                path.unlink()


@contextmanager
def open_atomic(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which replaces `path` when the block ends without an error; otherwise nothing changes."""
    remove_partial(path.parent, path.name)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PARTIAL)
    partial = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(file, fcntl.LOCK_EX)
            yield file
            file.flush()
            os.fsync(file.fileno())
            partial.chmod(0o644)
            partial.replace(path)  # before the lock is released
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
