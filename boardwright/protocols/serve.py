"""Runs an engine over stdin and stdout, line by line, until the other side quits or is gone."""

import os
import sys
import threading

from boardwright.games import registry
from boardwright.games.base import Game
from boardwright.protocols.line import LineProtocol

MAX_LINE_LENGTH = 1 << 20  # characters


def serve(protocol: str, game: Game, spec: str) -> None:
    """Runs a player as an engine of a protocol, over stdin and stdout; raises BoardwrightError.

    When stdin ends the player answers at once and the engine quits.
    """
    kind = LineProtocol if protocol == "line" else registry.load(registry.protocol(game, protocol).engine)
    lock = threading.Lock()

    def write(line: str) -> None:
        with lock:
            try:
                print(" ".join(line.split()), flush=True)
            except OSError:  # the other side is gone, and this may not be the main thread
                os._exit(1)

    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    engine = kind(game, spec, write)
    try:
        while (line := _next_line()) and engine.handle(line):
            pass
    finally:
        engine.close()


def _next_line() -> str:
    """A line of stdin, empty at its end; one that is too long is cut, so that it is still one line."""
    line = piece = sys.stdin.readline(MAX_LINE_LENGTH)
    while len(piece) == MAX_LINE_LENGTH and not piece.endswith("\n"):
        piece = sys.stdin.readline(MAX_LINE_LENGTH)
    return line
