"""What a scenario of the fault tests is, and how its operations are attempted."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from shim import Mode, Shim

from boardwright.errors import BoardwrightError

T = TypeVar("T")
Facts = dict[Hashable, Any]


class GaveUpError(Exception):
    """An operation that failed as it should, on a disk that stays full."""


class Attempts:
    """Runs operations, checks how they fail, and keeps what those that returned have acknowledged."""

    def __init__(self, shim: Shim, mode: Mode):
        self._shim, self._mode = shim, mode
        self.acknowledged: list[tuple[int, Hashable, Any]] = []  # with the number of calls before
        self.errors: list[str] = []

    def __call__(self, operation: Callable[[], T]) -> T:
        """The result of an operation.

        One that fails is tried again, and must succeed then. While the disk stays full it raises GaveUpError instead.
        """
        for is_last in (False, True):
            try:
                return operation()
            except (BoardwrightError, OSError) as error:
                check_message(error)
                self.errors.append(f"{type(error).__name__}: {error}")
                if is_last or self._mode not in (Mode.ONCE, Mode.FROM_NOW_ON):
                    raise AssertionError(f"failed without a fault that explains it: {error}") from error
                if self._mode is Mode.FROM_NOW_ON:
                    raise GaveUpError from error
        raise AssertionError

    def acknowledge(self, key: Hashable, value: Any = None) -> None:
        """Notes that something is stored, as its user was told."""
        self.acknowledged.append((self._shim.calls, key, value))

    def facts(self, calls: int | None = None) -> Facts:
        """The last value acknowledged of each key, before a number of calls or in all."""
        return facts_of(self.acknowledged, calls)


def facts_of(acknowledged: Iterable[tuple[int, Hashable, Any]], calls: int | None = None) -> Facts:
    """The last value of each key, before a number of calls or in all."""
    return {key: value for before, key, value in acknowledged if calls is None or before <= calls}


def check_message(error: Exception) -> None:
    """Fails for an error that a command would not show as one line."""
    assert isinstance(error, BoardwrightError) or (isinstance(error, OSError) and error.strerror), repr(error)
    text = str(error)
    assert len(text.splitlines()) == 1, repr(text)


class Scenario(ABC):
    """Operations on files in one folder, which can be repeated, and the check of what they left."""

    survives_power_cuts = True  # whether what was acknowledged is on the disk, not only with the operating system

    def prepare(self, folder: Path) -> Facts:
        """Makes what is there before, and returns it."""
        return {}

    @abstractmethod
    def work(self, folder: Path, attempt: Attempts) -> None:
        """The operations. Repeated, they do what was not done before."""

    @abstractmethod
    def check(self, folder: Path, facts: Facts) -> None:
        """Fails unless the facts hold, and all that is there is whole."""

    def check_end(self, folder: Path) -> None:
        """Fails if work that was repeated without faults has left the folder other than usual work."""
        temporary = (".part", "-wal", "-shm", "-journal")
        assert not [path.name for path in folder.rglob("*") if path.name.endswith(temporary)]
