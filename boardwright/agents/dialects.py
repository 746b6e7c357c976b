"""Client side of the engine protocols: how a program is asked for a move.

A dialect initialises the program, sends a position, and parses the lines that come back: a final `Choice`, an
intermediate report (`Thinking`), or None. The line protocol is for every game; protocols of one game are in its
folder. docs/reference/protocols.md describes them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from boardwright.agents.base import Choice, Limit
from boardwright.agents.pipe import Pipe, ProgramError
from boardwright.errors import IllegalMoveError
from boardwright.games.base import Game, Position
from boardwright.games.lines import move_text, play_words

Moves = Sequence[tuple[Position, tuple[int, ...]]]  # the position before each whole move, and its actions


@dataclass(frozen=True)
class MoveRequest:
    """A position, as the line of whole moves that led to it from one that can be sent as text."""

    base: Position
    from_start: bool  # whether `base` is the first position of the rules
    moves: Moves
    position: Position
    limit: Limit


@dataclass(frozen=True)
class Thinking:
    """A program's intermediate report."""

    choice: Choice


class Dialect(Protocol):
    """One protocol, client side."""

    farewell: str  # asks the program to quit
    stop: str | None  # makes it answer at once; None where the protocol has no such command

    def greet(self, pipe: Pipe, game: Game, deadline: float) -> None:
        """Initialises the program."""

    def ask(self, pipe: Pipe, request: MoveRequest) -> None:
        """Asks for a move."""

    def read(self, pipe: Pipe, line: str, request: MoveRequest) -> Choice | Thinking | None:
        """Interprets a line; raises IllegalMoveError for an illegal move, ProgramError for an error of the program."""
        ...


class LineDialect:
    """Our own protocol, for all games."""

    farewell: str = "quit"
    stop: str | None = "stop"

    def greet(self, pipe: Pipe, game: Game, deadline: float) -> None:
        """Sends the rule set and waits until the program is ready."""
        if game.rule_sets().get(game.rules.name) == game.rules:
            pipe.send(f"rules {game.rules.name}")
        pipe.send("isready")
        while (line := pipe.receive(deadline)) != "readyok":
            if line is not None and line.startswith("error "):
                raise ProgramError(f"engine {pipe.command!r}: {line.removeprefix('error ')}")

    def ask(self, pipe: Pipe, request: MoveRequest) -> None:
        """Sends the position with its history, and `go`."""
        words = ["position", "start" if request.from_start else request.base.text]
        if request.moves:
            words += ["moves", *(move_text(*move) for move in request.moves)]
        pipe.send(" ".join(words))
        limit = request.limit
        words = ["go"] if limit.seconds is None else ["go", f"time {limit.seconds:.6f}"]
        bounds = (("nodes", limit.nodes), ("simulations", limit.simulations), ("depth", limit.depth))
        pipe.send(" ".join([*words, *(f"{name} {value}" for name, value in bounds if value is not None)]))

    def read(self, pipe: Pipe, line: str, request: MoveRequest) -> Choice | Thinking | None:
        """`bestmove`, `info` and `error`; all else is ignored."""
        word, _, rest = line.partition(" ")
        if word == "bestmove":
            actions = request.position.game.parse_move(request.position.core, rest.strip())
            return Choice(actions[0], line=actions)
        if word == "info":
            return _thinking(rest, request.position)
        if word == "error":
            raise ProgramError(f"engine {pipe.command!r}: {rest}")
        return None


def _thinking(text: str, position: Position) -> Thinking | None:
    """An info line as a choice; None if it names no legal move."""
    head, _, line = f" {text} ".partition(" pv ")
    try:
        actions = tuple(play_words(position, line.split()).actions()[len(position.actions()) :])
    except IllegalMoveError:
        return None
    if not actions:
        return None
    words = head.split()
    fields = dict(zip(words[::2], words[1::2], strict=False))
    score = re.fullmatch(r"-?\d{1,9}(?:\.\d{1,9})?", fields.get("score", ""), flags=re.ASCII)
    counts = {}
    for name in ("nodes", "simulations", "depth"):
        count = re.fullmatch(r"\d{1,18}", fields.get(name, ""), flags=re.ASCII)
        counts[name] = int(count[0]) if count else 0
    return Thinking(Choice(actions[0], value=float(score[0]) if score else None, line=actions, **counts))
