"""The conversation itself: lines in, lines out, until the other side quits or is gone."""

import os
import sys
import threading
from collections.abc import Callable
from typing import Protocol

LONGEST_LINE = 1 << 20  # characters


class Speaker(Protocol):
    """The engine's side of a protocol."""

    def handle(self, line: str) -> bool:
        """Does what a line says; False once the engine is to quit."""
        ...

    def close(self) -> None:
        """Lets the player answer at once if it was asked, and go."""
        ...


def serve(make: Callable[[Callable[[str], None]], Speaker]) -> None:
    """Talks over stdin and stdout. When stdin ends the player answers at once and the engine quits."""
    lock = threading.Lock()

    def write(line: str) -> None:
        with lock:
            try:
                print(" ".join(line.split()), flush=True)
            except OSError:  # nobody listens any more, and this may not be the thread that could say so
                os._exit(1)

    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    engine = make(write)
    try:
        while (line := _next_line()) and engine.handle(line):
            pass
    finally:
        engine.close()


def _next_line() -> str:
    """A line of stdin, empty at its end; one that is too long is cut, so that it is still one line."""
    line = piece = sys.stdin.readline(LONGEST_LINE)
    while len(piece) == LONGEST_LINE and not piece.endswith("\n"):
        piece = sys.stdin.readline(LONGEST_LINE)
    return line
