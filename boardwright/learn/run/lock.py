"""One process at a time trains into a folder."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from boardwright.errors import RunError

PATIENCE = 0.5  # seconds to wait for the lock: whoever only looks whether it is held has it for an instant


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
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
            _take(descriptor)
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


def is_held(folder: Path) -> bool:
    """Whether a process is training into a folder."""
    try:
        descriptor = os.open(folder / "lock", os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


def _take(descriptor: int) -> None:
    """Locks a file for this process alone; raises BlockingIOError where another keeps it."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
