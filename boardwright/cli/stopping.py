"""When a run stops: on a signal, or when its time is up."""

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from boardwright.errors import BoardwrightError

EXIT_STATUS = 130  # as of programs that end by Ctrl-C
GRACE_SECONDS = 3.0  # after a second signal, for Python code to end by itself
_STOPPING = (signal.SIGINT, signal.SIGTERM)
_END = 0  # no signal has this number
MARGIN = 1.5  # iterations grow: more simulations later in a run, longer games, evaluation games


class TimeLimit:
    """A limit in minutes from now; None for no limit.

    A run loses no work if it stops between two iterations. So time is up when the next iteration might not finish,
    expected to take MARGIN times the longest so far. The first, which compiles, counts only until there is a second,
    and without a margin.
    """

    def __init__(self, minutes: float | None):
        if minutes is not None and not minutes > 0:
            raise BoardwrightError(f"--minutes {minutes:g}: expected more than 0")
        self._last = time.monotonic()  # the end of the last iteration
        self._end = math.inf if minutes is None else self._last + 60 * minutes
        self._seconds: list[float] = []  # of each iteration

    def iteration_ended(self) -> None:
        """Records the end of an iteration."""
        now = time.monotonic()
        self._seconds.append(now - self._last)
        self._last = now

    def is_up(self) -> bool:
        """Whether it is time to stop."""
        first, *others = self._seconds or [0.0]
        expected = MARGIN * max(others) if others else first
        return self._last + expected > self._end or time.monotonic() >= self._end


@contextmanager
def stop_on_signal() -> Iterator[threading.Event]:
    """Ctrl-C and SIGTERM, which schedulers send, set an event: the run stops at its next checkpoint. A second kills.

    Python calls signal handlers between two instructions of its own, and one instruction may compile for minutes. So a
    thread answers, which reads the signals from a pipe as they arrive.
    """
    stop, ended = threading.Event(), threading.Event()
    reader, writer = os.pipe()
    os.set_blocking(writer, False)

    def let_the_next_interrupt(number: int, frame: FrameType | None) -> None:
        del number, frame
        for each in _STOPPING:
            signal.signal(each, signal.default_int_handler)

    def answer() -> None:
        while (number := os.read(reader, 1)[0]) != _END:
            if number not in _STOPPING:
                continue
            if stop.is_set() and not ended.wait(GRACE_SECONDS):
                os._exit(EXIT_STATUS)
            if not stop.is_set():
                stop.set()
                print("\nboardwright: stopping once this step is saved (Ctrl-C again stops at once) …", file=sys.stderr)

    before: dict[int, Any] = {number: signal.signal(number, let_the_next_interrupt) for number in _STOPPING}
    descriptor = signal.set_wakeup_fd(writer)
    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    try:
        yield stop
    finally:
        signal.set_wakeup_fd(descriptor)
        for number, handler in before.items():
            signal.signal(number, handler)
        ended.set()
        os.write(writer, bytes([_END]))
        thread.join()
        os.close(reader)
        os.close(writer)
