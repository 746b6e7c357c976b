"""Runs an engine over stdin and stdout, line by line, until the other side quits or is gone."""

import os
import sys
import threading
from collections.abc import Callable
from typing import Protocol

from boardwright.games import registry
from boardwright.games.base import Game
from boardwright.protocols.line import LineProtocol

LONGEST_LINE = 1 << 20  # characters


class Engine(Protocol):
    """The engine's side of a protocol."""

    def __init__(self, bound: Game, spec: str, write: Callable[[str], None]):
        """A player of a game; `write` sends a line."""
        ...

    def handle(self, line: str) -> bool:
        """Does what a line says; False once the engine is to quit."""
        ...

    def close(self) -> None:
        """Stops a search, waits for its answer, and frees the player."""
        ...


def serve(make: Callable[[Callable[[str], None]], Engine]) -> None:
    """Talks over stdin and stdout. When stdin ends the player answers at once and the engine quits."""
    lock = threading.Lock()

    def write(line: str) -> None:
        with lock:
            try:
                print(" ".join(line.split()), flush=True)
            except OSError:  # the other side is gone, and this may not be the main thread
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


PROTOCOLS: dict[str, type[Engine]] = {"line": LineProtocol}  # for every game


def make_engine(name: str, game: Game, spec: str, write: Callable[[str], None]) -> Engine:
    """A player as an engine of a protocol, which sends its lines through `write`; raises BoardwrightError."""
    kind = PROTOCOLS.get(name) or registry.load(registry.protocol(game, name).engine)
    return kind(game, spec, write)
