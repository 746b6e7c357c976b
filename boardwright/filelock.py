"""Lock files: one process at a time holds one. The operating system releases it when the process ends."""

import fcntl
import os
import time
from io import FileIO
from pathlib import Path

from boardwright.errors import BoardwrightError

LOCK_TIMEOUT = 0.5  # seconds: a process that calls `is_held` has the lock for an instant


class LockHeldError(BoardwrightError):
    """A lock that another process holds; the message is its process id, or "?"."""


def acquire(path: Path) -> FileIO:
    """Locks a file, which is created if missing and stays, until it is closed; raises LockHeldError, and OSError."""
    lock = FileIO(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o644), "r+")
    deadline = time.monotonic() + LOCK_TIMEOUT
    try:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() > deadline:
                    holder = lock.read(20).decode("ascii", "replace").strip()
                    raise LockHeldError(holder if holder.isdigit() else "?") from error
                time.sleep(0.01)
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n".encode())
    except BaseException:
        lock.close()
        raise
    return lock


def is_held(path: Path) -> bool:
    """Whether a process holds a lock file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except OSError as error:
        return isinstance(error, BlockingIOError)
    finally:
        os.close(descriptor)
