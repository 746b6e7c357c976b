"""A run's folder: its lock, and whether it has a run to resume."""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import safetensors

from boardwright.errors import RunError
from boardwright.learn.run import arrayfile, checkpoint, league, metrics, portable_state

LOCK_TIMEOUT = 0.5  # seconds: a process that calls `is_held` has the lock for an instant


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Holds the lock of a folder, made if missing, so that one process at a time trains into it; raises RunError.

    The operating system releases the lock when the process ends, however it ends; the file `lock` stays.
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
    """Locks a file for this process; raises BlockingIOError after a timeout."""
    deadline = time.monotonic() + LOCK_TIMEOUT
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def can_resume(folder: Path) -> bool:
    """Whether a folder has a run to resume; raises RunError where a new run would overwrite the rest of one.

    The rest of a run is metrics and nets without checkpoints, as published.
    """
    if checkpoint.numbered(folder / "checkpoints"):
        return True
    unpacked, nets = portable_state.path_in(folder, portable_state.UNPACKED), folder / "nets"
    if unpacked.exists():  # metrics may be of more than was packed
        first, found, best = portable_state.read(unpacked)[1].iteration, [], []
    else:
        measured = metrics.progress(folder)[0] if (folder / metrics.NAME).exists() else 0
        first, found = 0, [f"metrics up to iteration {measured}"] if measured else []
        best = [path for path in sorted(nets.glob("best.*")) if _iteration(path)]
    later = [league.path_of(nets, number) for number in league.iterations_in(nets) if number > first]
    found += [f"nets/{path.name}" for path in (later or best)[-1:]]
    if found:
        raise RunError(
            f"{folder} has {' and '.join(found)}, but no checkpoint to resume from, and a new run would overwrite "
            f"that: restore its checkpoints, unpack it again if it was packed, or give another --out"
        )
    return unpacked.exists()


def _iteration(path: Path) -> int | None:
    """The iteration of a net or an auto-encoder; 1 where the file does not say."""
    try:
        with safetensors.safe_open(path, "numpy") as file:
            return json.loads(file.metadata()[arrayfile.KEY])["training"]["iteration"]
    except (safetensors.SafetensorError, OSError, ValueError, KeyError, TypeError):
        return 1
