"""The lock of a run's folder. Imports no JAX: the server asks which runs are being trained."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from boardwright import filelock
from boardwright.atomicfile import remove_partial
from boardwright.errors import RunError


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Holds the lock of a folder, made if missing, so that one process at a time trains in it; raises RunError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = filelock.acquire(folder / "lock")
    except filelock.LockHeldError as error:
        raise RunError(
            f"process {error} is already training in {folder}: wait for it, or choose another --out"
        ) from error
    except OSError as error:
        raise RunError(f"cannot train in {folder}: {error.strerror}") from error
    with lock:
        for place in (folder, folder / "nets", folder / "checkpoints"):
            remove_partial(place)
        yield


def is_held(folder: Path) -> bool:
    """Whether a process is training in a folder."""
    return filelock.is_held(folder / "lock")
