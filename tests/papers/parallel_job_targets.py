"""Jobs for tests of `parallel_jobs`, which processes import by name; they leave files in a folder."""

import os
import signal
import time
from pathlib import Path

from boardwright.errors import BoardwrightError
from boardwright.learn.run.method import RunObserver
from boardwright.papers.work_folder import StoppedError

PATIENCE = 120  # seconds


def meet(folder: Path, name: str, others: tuple[str, ...], watch: RunObserver) -> None:
    """Says that it is there, and ends once the others are."""
    (folder / name).touch()
    watch.message(f"{name} is there")
    end = time.monotonic() + PATIENCE
    while not all((folder / other).exists() for other in others):
        assert time.monotonic() < end, f"{name} waits for {others} in vain"
        time.sleep(0.02)


def run_until_stopped(folder: Path, name: str, watch: RunObserver) -> None:
    """Saves a file when it is asked to stop."""
    (folder / name).touch()
    watch.message(f"{name} is there")
    end = time.monotonic() + PATIENCE
    while not watch.stopped():
        assert time.monotonic() < end, f"{name} was not stopped"
        time.sleep(0.02)
    (folder / f"{name}-kept").touch()
    raise StoppedError


def fail(folder: Path, other: str, how: str, watch: RunObserver) -> None:
    """Once the other is there."""
    meet(folder, "failing", (other,), watch)
    if how == "refuses":
        raise BoardwrightError("no such game")
    if how == "breaks":
        raise ValueError("not a number")
    os.kill(os.getpid(), signal.SIGKILL)
