"""One process at a time trains into a folder."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from boardwright.errors import RunError


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Holds the folder's lock, and makes the folder if need be; raises RunError while another process has it.

    The operating system lets go of the lock when the process ends, however it ends; the file `lock` stays.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise RunError(f"cannot train into {folder}: {error.strerror}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
            raise RunError(
                f"{folder} is being trained into by process {holder or '?'}: wait for it, or choose another --out"
            ) from error
        except OSError as error:
            raise RunError(f"cannot lock {folder}: {error.strerror}") from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
