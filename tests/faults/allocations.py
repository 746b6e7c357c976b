"""Runs a scenario with allocations that fail; a process of its own, without `shim.c` in effect.

    python allocations.py SCENARIO FOLDER FACTOR sqlite|python

Those of SQLite: each operation gets a little more memory than in the trial before, until it suffices. Those of Python,
one or some in a row, in a forked child; one that crashes counts as killed. `FACTOR` is the ratio of the memory, or of
the number of the allocation, in one trial to that in the trial before. It prints how often an allocation failed.
"""

import _sqlite3
import ctypes
import faulthandler
import importlib
import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, TypeVar

from scenario import Attempts, check_message
from shim import Mode
from trials import Trials

from boardwright.errors import BoardwrightError

T = TypeVar("T")
QUIET = 5  # trials in a row without a failure, after which no allocation is reached any more
WIDTHS = (1, 30)  # allocations of Python that fail in a row
CHILD_SECONDS = 60  # of the processor, after which a child hangs


class Heap:
    """The memory of SQLite in this process."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(_sqlite3.__file__)  # finds symbols of what it is linked with
        self._library.sqlite3_memory_used.restype = ctypes.c_int64
        self._library.sqlite3_hard_heap_limit64.argtypes = [ctypes.c_int64]

    def limit(self, room: int | None) -> None:
        """Lets SQLite allocate some bytes more than it has now; None is without a limit."""
        used = self._library.sqlite3_memory_used()
        self._library.sqlite3_hard_heap_limit64(0 if room is None else used + room)


class ShortOfMemory(Attempts):
    """Attempts operations with little memory, and again with enough."""

    def __init__(self, trials: Trials, limit: Callable[[bool], None], others: tuple[type[Exception], ...] = ()):
        super().__init__(trials.shim, Mode.OFF)
        self._limit, self._others = limit, others

    def __call__(self, operation: Callable[[], T]) -> T:
        try:
            self._limit(True)
            return operation()
        except (BoardwrightError, OSError) as error:
            self._limit(False)
            check_message(error)
            self.errors.append(str(error))
        except self._others as error:
            self._limit(False)
            self.errors.append(repr(error))
        finally:
            self._limit(False)
        return operation()


def starve_sqlite(trials: Trials, factor: float) -> int:
    """Runs the scenario until SQLite has enough memory; returns how many operations failed."""
    heap, room, failed = Heap(), 64, 0
    while True:
        trials.reset()
        attempt = ShortOfMemory(trials, lambda on, room=room: heap.limit(room if on else None))
        try:
            trials.scenario.work(trials.folder, attempt)
            trials.check_and_repeat(attempt.facts())
        except Exception as problem:
            raise AssertionError(f"with {room} bytes; errors before: {attempt.errors}") from problem
        if not attempt.errors:
            return failed
        failed, room = failed + len(attempt.errors), max(room + 64, int(room * factor))


def starve_python(trials: Trials, factor: float) -> int:
    """Runs the scenario in children until no allocation is reached; returns how many children met a failure."""
    number, failed, quiet = 1, 0, 0
    while quiet < QUIET:
        trials.reset()
        facts, has_failed = _in_child(trials, number, number + WIDTHS[failed % len(WIDTHS)])
        try:
            trials.check_and_repeat(facts)
        except Exception as problem:
            raise AssertionError(f"allocation {number}") from problem
        failed, quiet = failed + has_failed, 0 if has_failed else quiet + 1
        number = max(number + 1, int(number * factor))
    return failed


class Reported(ShortOfMemory):
    """Attempts of a child, which reports what is acknowledged."""

    pipe: int

    def acknowledge(self, key: Hashable, value: Any = None) -> None:
        os.write(self.pipe, (json.dumps([key, value]) + "\n").encode())


def _in_child(trials: Trials, first: int, end: int) -> tuple[dict[Any, Any], bool]:
    """What a child acknowledged, and whether an allocation failed in it: from the first to before the end."""
    hooks = importlib.import_module("_testcapi")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (CHILD_SECONDS, CHILD_SECONDS + 1))
        code, left = 1, iter([True])

        def limit(on: bool) -> None:
            if on and next(left, False):
                hooks.set_nomemory(first, end)
            elif not on:
                hooks.remove_mem_hooks()

        attempt = Reported(trials, limit, (Exception,))
        attempt.pipe = writer
        try:
            trials.scenario.work(trials.folder, attempt)
            code = 2 if attempt.errors else 0
        except BaseException:
            limit(False)
            faulthandler.dump_traceback()
            raise
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as lines:
        facts = {_hashable(key): _hashable(value) for key, value in map(json.loads, lines)}
    _, status = os.waitpid(child, 0)
    ended = os.waitstatus_to_exitcode(status)
    assert ended not in (1, -signal.SIGXCPU), f"the child that lacked allocation {first} ended with {ended}"
    return facts, ended != 0


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def main() -> None:
    """Runs the scenario that the command line names."""
    name, folder, factor, whose = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    trials = Trials(importlib.import_module(name).SCENARIO, folder, 1)
    print(json.dumps({whose: {"sqlite": starve_sqlite, "python": starve_python}[whose](trials, factor)}), flush=True)


if __name__ == "__main__":
    main()
