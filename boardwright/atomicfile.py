"""Atomic file writes: a file is written under a temporary name, synced to disk and then renamed."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

PARTIAL = ".part"  # ends the name of a file that is being written


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
