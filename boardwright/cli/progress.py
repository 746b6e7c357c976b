"""A progress bar on stderr with rate and time left; silent where nobody watches."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def track(items: Iterable[T], total: int, what: str, weight: int = 1) -> Iterator[T]:
    """Yields `items`, counting `weight` units of `what` as done after each, up to `total`."""
    if not sys.stderr.isatty():
        yield from items
        return
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
        """Units a second."""

        def render(self, task: Task) -> Text:
            if not task.speed:
                return Text("…/s")
            return Text(f"{task.speed:,.0f}/s" if task.speed >= 10 else f"{task.speed:.2g}/s")

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        for item in items:
            yield item
            progress.advance(task, weight)
