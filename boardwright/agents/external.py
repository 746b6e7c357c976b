"""An external program as a player: `external:cmd=./engine --fast`, in any of the protocols.

`cmd` comes last in the spec and takes the rest of it. The player raises, and so forfeits a match, if the program
cannot be started, exits, reports an error, exceeds its time by `wait`, or plays an illegal move.
"""

import shlex
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.agents.dialects import Dialect, LineDialect, MoveRequest, Thinking
from boardwright.agents.pipe import Pipe, ProgramError
from boardwright.agents.specs import DEPTH, NODES, SIMULATIONS, TIME, Option, Player, limit_of, seconds
from boardwright.errors import BoardwrightError, IllegalMoveError
from boardwright.games import registry
from boardwright.games.base import Game, Position
from boardwright.games.lines import whole_moves


class ExternalPlayer(Agent):
    """An engine process, started on first use and ended by `close`."""

    def __init__(self, game: Game, command: str, protocol: str, limit: Limit, wait: float):
        self._game = game
        self._command = command
        kind = LineDialect if protocol == "line" else registry.load(registry.protocol(game, protocol).dialect)
        self._dialect: Dialect = kind()
        self._limit = limit
        self._wait = wait
        self._pipe: Pipe | None = None
        self._base: Position | None = None  # the moves since then are sent to the program

    def prepare(self) -> None:
        """Starts and initialises the program."""
        if self._pipe is None:
            self._pipe = Pipe(self._command)
            with _add_stderr(self._pipe):
                self._dialect.greet(self._pipe, self._game, time.monotonic() + self._wait)

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """The program's whole move; the player's own limit applies if `limit` sets none."""
        limit = self._limit if limit == Limit() else limit
        self.prepare()
        assert self._pipe is not None
        with _add_stderr(self._pipe):
            return self._ask(self._pipe, position, limit, watch)

    def _ask(self, pipe: Pipe, position: Position, limit: Limit, watch: Watch | None) -> Choice:
        request = self._request(position, limit)
        deadline = time.monotonic() + (limit.seconds or 0.0) + self._wait
        self._dialect.ask(pipe, request)
        best: Choice | None = None
        asked_to_stop = self._dialect.stop is None
        while True:
            line = pipe.receive(deadline, None if asked_to_stop else watch)
            if line is None:
                pipe.send(str(self._dialect.stop))
                asked_to_stop = True
                continue
            answer = self._dialect.read(pipe, line, request)
            if isinstance(answer, Choice):
                return best if best is not None and best.line[: len(answer.line)] == answer.line else answer
            if isinstance(answer, Thinking):
                best = answer.choice
                if watch is not None:
                    watch.report(best)

    def _request(self, position: Position, limit: Limit) -> MoveRequest:
        """The position with as much history as can be sent, so that the program detects repetitions."""
        start = self._game.start()
        for base in (self._base or start, start):
            moves = _moves_between(base, position)
            if moves is not None:
                self._base = base
                return MoveRequest(base, base.hash == start.hash and base.plies == 0, moves, position, limit)
        self._base = position
        return MoveRequest(position, False, [], position, limit)

    def close(self) -> None:
        """Ends the program."""
        if self._pipe is not None:
            self._pipe.close(self._dialect.farewell)
            self._pipe = None


@contextmanager
def _add_stderr(pipe: Pipe) -> Iterator[None]:
    """Adds the last lines of a program's stderr to the message of an error that it causes."""
    try:
        yield
    except BoardwrightError as error:
        lines = pipe.last_stderr()
        if not lines:
            raise
        kind = IllegalMoveError if isinstance(error, IllegalMoveError) else ProgramError
        raise kind(f"{error}; last lines of its stderr: {lines}") from error


def _moves_between(base: Position, position: Position) -> list[tuple[Position, tuple[int, ...]]] | None:
    """The whole moves that lead from one position to another; None if neither continues the other."""
    before, line = base.actions(), position.actions()
    if line[: len(before)] != before or position.core.continues:
        return None
    since = line[len(before) :]
    try:
        moves = whole_moves(base, since)
    except IllegalMoveError:
        return None
    return moves if base.play_all(since).text == position.text else None


def _command(text: str) -> str:
    try:
        words = shlex.split(text)
    except ValueError:
        raise ValueError("a command without an unclosed quote") from None
    if not words or shutil.which(words[0]) is None:
        raise ValueError("a command whose program is installed, or the path of one")
    return text


def _make(game: Game, chosen: Mapping[str, Any]) -> Agent:
    if "cmd" not in chosen:
        raise BoardwrightError("player 'external' needs the program to run: external:cmd=PROGRAM ARGUMENTS")
    return ExternalPlayer(game, chosen["cmd"], chosen["protocol"], limit_of(chosen, Limit()), chosen["wait"])


def player(game: Game) -> Player:
    """`external`, with the protocols of a game."""
    return Player(
        "external",
        "an external engine, over stdin and stdout",
        _make,
        (
            Option("protocol", "its protocol", str, "|".join(("line", *game.protocols)), "line"),
            Option("wait", "timeout at its start and beyond its time per move", seconds, "10s", "10s"),
            TIME,
            NODES,
            SIMULATIONS,
            DEPTH,
            Option("cmd", "the program and its arguments; must be the last option", _command, "COMMAND", ""),
        ),
    )
