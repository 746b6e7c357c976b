"""When a run stops: on a signal, or when its time is up."""

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
        self._last = time.monotonic()
        self._end = None if minutes is None else self._last + 60 * minutes
        self._ended, self._longest = 0, 0.0  # iterations; seconds of the longest but the first
        self._no_room = False  # for another iteration

    def iteration_ended(self) -> None:
        """Records the end of an iteration."""
        now = time.monotonic()
        took, self._last = now - self._last, now
        if self._ended:
            self._longest = max(self._longest, took)
        expected = MARGIN * self._longest if self._ended else took
        self._ended += 1
        self._no_room = self._end is not None and now + expected > self._end

    def is_up(self) -> bool:
        """Whether it is time to stop."""
        return self._no_room or (self._end is not None and time.monotonic() >= self._end)


class _Stop:
    asked = False


@contextmanager
def stop_on_signal() -> Iterator[_Stop]:
    """Ctrl-C and SIGTERM, which schedulers send, ask the run to stop at the next checkpoint; a second one kills.

    Python calls signal handlers between two instructions of its own, and one instruction may compile for minutes. So a
    thread answers, which reads the signals from a pipe as they arrive.
    """
    stop, ended = _Stop(), threading.Event()
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
            if stop.asked and not ended.wait(GRACE_SECONDS):
                os._exit(EXIT_STATUS)
            if not stop.asked:
                stop.asked = True
                print("\nboardwright: stopping once this step is saved (Ctrl-C again stops at once) …", file=sys.stderr)

    before: dict[int, Any] = {number: signal.signal(number, let_the_next_interrupt) for number in _STOPPING}
    before_descriptor = signal.set_wakeup_fd(writer)
    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    try:
        yield stop
    finally:
        signal.set_wakeup_fd(before_descriptor)
        for number, handler in before.items():
            signal.signal(number, handler)
        ended.set()
        os.write(writer, bytes([_END]))
        thread.join()
        os.close(reader)
        os.close(writer)
