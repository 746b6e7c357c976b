"""A progress bar on stderr with rate and time left; silent without a terminal."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")


def track(items: Iterable[T], total: int, what: str, weight: int = 1) -> Iterator[T]:
    """Yields `items`, counting `weight` units of `what` as done after each, up to `total`."""
    with phases() as show:
        show.phase(what, 0, total)
        for count, item in enumerate(items, start=1):
            yield item
            show.phase(what, count * weight, total)


class Phases:
    """A bar for the current phase of a long run, below the lines it prints."""

    def __init__(self, bar: "Progress | None"):
        self._bar, self._task, self._what = bar, None, ""

    def phase(self, what: str, done: int, total: int) -> None:
        """Shows that `done` of `total` units of a phase are complete."""
        if self._bar is None:
            return
        if what != self._what or self._task is None:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task, self._what = self._bar.add_task(what, total=total), what
        self._bar.update(self._task, completed=done, total=total)

    def line(self, text: str) -> None:
        """Prints a line."""
        if self._bar is None:
            print(text, flush=True)
        else:
            self._bar.console.print(text, highlight=False, markup=False)


@contextmanager
def phases() -> Iterator[Phases]:
    """The progress display of a long run; without a terminal only its lines are printed."""
    if not sys.stderr.isatty():
        yield Phases(None)
        return
    with _bar() as bar:
        yield Phases(bar)


def _bar() -> "Progress":
    """A bar with the name of its phase, how much is done, the rate and the time left."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """Units per second."""

        def render(self, task: Task) -> Text:
            if not task.speed:
                return Text("…/s")
            return Text(f"{task.speed:,.0f}/s" if task.speed >= 10 else f"{task.speed:.2g}/s")

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
