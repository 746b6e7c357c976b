"""Work on a paper that trains: watched, stopped by Ctrl-C with all of it kept, and gone on with by the same command."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from boardwright.cli.progress import phases
from boardwright.cli.stopping import stop_on_signal
from boardwright.cli.train import keep_programs

if TYPE_CHECKING:
    from boardwright.learn.run.method import RunObserver

Results = TypeVar("Results")


def done(folder: Path, everything: "Callable[[RunObserver], Results]", *, silent: bool) -> Results:
    """What comes of all the work, which is kept in a folder; stopped, the program ends here."""
    from boardwright.learn.run.method import RunObserver
    from boardwright.papers.stopping import StoppedError

    keep_programs(folder)
    with stop_on_signal() as stop, phases() as show:
        said = (lambda text: None) if silent else show.line
        watch = RunObserver(progress=show.phase, message=said, stopped=lambda: stop.asked)
        try:
            return everything(watch)
        except StoppedError:
            print("boardwright: stopped; the same command goes on from here", file=sys.stderr)
            sys.exit(130)
