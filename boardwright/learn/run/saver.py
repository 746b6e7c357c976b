"""Checkpoints written beside the work: what they hold is copied at once, and goes to the disk in a thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from boardwright.learn.distributed import processes
from boardwright.learn.run import checkpoint

SHARE_OF_TIME = 20  # a checkpoint is written no more often than so many times the time it takes
KEEP = checkpoint.Keep(newest=2)


class Saver:
    """Writes checkpoints, as often as their cost allows; use it in a `with` statement, which waits for the last.

    Several processes hand each other what they have while they write, so there it happens at once.
    """

    def __init__(self, folder: Path, seconds: float):
        self._folder, self._seconds = folder, seconds
        self._last, self._cost = time.monotonic(), 0.0
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="checkpoint")
        self._is_given = False  # a checkpoint
        self._writing: Future[float] | None = None
        self._beside: Future[None] | None = None

    def due(self) -> bool:
        """Whether it is time for the next."""
        if self._writing is not None and not self._writing.done():
            return False
        return time.monotonic() - self._last >= max(self._seconds, SHARE_OF_TIME * self._cost)

    def save(self, number: int, tree: Any, meta: Mapping[str, Any]) -> None:
        """Writes a checkpoint; `tree` may be used up as soon as this returns. Raises RunError, also of the one before
        it that could not be written.
        """
        self.finish()
        self._is_given = True
        self._last = begin = time.monotonic()
        if processes.are_several():
            checkpoint.save(self._folder, number, tree, meta, KEEP)
            processes.wait()  # a process that ends before it is kept may take the others with it
            self._cost = time.monotonic() - begin
            return
        copied = checkpoint.copied(tree)

        def write() -> float:
            checkpoint.save(self._folder, number, copied, meta, KEEP)
            return time.monotonic() - begin

        self._writing = self._threads.submit(write)

    def save_first(self, number: int, tree: Any, meta: Mapping[str, Any]) -> None:
        """Sees to it that a checkpoint is on the disk: one that was given before, or else this one."""
        if not self._is_given:
            self.save(number, tree, meta)
        self.finish()

    def write_beside(self, write: Callable[[], None]) -> None:
        """Has something else written in the thread, instead of what was last given here if that has not begun.

        Raises what went wrong with that.
        """
        if self._beside is not None and not self._beside.cancel() and self._beside.done():
            self._beside.result()
        self._beside = self._threads.submit(write)

    def finish(self) -> None:
        """Waits until all that was given is on the disk; raises RunError where it could not be written."""
        writing, self._writing = self._writing, None
        if writing is not None:
            self._cost = writing.result()
        beside, self._beside = self._beside, None
        if beside is not None:
            beside.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self.finish()
        finally:
            self._threads.shutdown()
