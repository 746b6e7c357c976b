"""How to ask a program for a move, in each of the protocols that programs speak.

A dialect greets the program, asks about a position, and listens: what it hears is a finished `Choice`, a report
on the way there (`Thinking`), or nothing of interest. docs/engine-protocol.md describes the protocols.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from boardwright.agents.base import Choice, Limit
from boardwright.agents.pipe import Pipe, ProgramError
from boardwright.errors import BoardwrightError, IllegalMoveError
from boardwright.games.base import Game, Position
from boardwright.games.lines import move_text, play_words
from boardwright.games.tablut import opentafl_protocol as opentafl

Moves = Sequence[tuple[Position, tuple[int, ...]]]  # the position before each whole move, and its actions


@dataclass(frozen=True)
class Question:
    """A position, as the line of whole moves that led to it from one the program can be told as text."""

    base: Position
    from_start: bool  # whether `base` is the first position of the rules
    moves: Moves
    position: Position
    limit: Limit


@dataclass(frozen=True)
class Thinking:
    """What a program has found so far."""

    choice: Choice


class Dialect(Protocol):
    """One protocol, from the side of whoever asks."""

    farewell: str
    stop: str | None  # has the program answer at once; None where the protocol cannot say it

    def greet(self, pipe: Pipe, game: Game, deadline: float) -> None:
        """Gets the program ready."""
        ...

    def ask(self, pipe: Pipe, question: Question) -> None:
        """Asks for a move."""
        ...

    def hear(self, pipe: Pipe, line: str, question: Question) -> Choice | Thinking | None:
        """Understands a line; raises IllegalMoveError for a move that is none, ProgramError for a complaint."""
        ...


class LineDialect:
    """Our own protocol, for all games."""

    farewell, stop = "quit", "stop"

    def greet(self, pipe: Pipe, game: Game, deadline: float) -> None:
        """Says which rules are played and waits until the program is ready."""
        if game.rules.name in game.rule_sets() and game.rules == game.rule_sets()[game.rules.name]:
            pipe.send(f"rules {game.rules.name}")
        pipe.send("isready")
        while (line := pipe.receive(deadline)) != "readyok":
            if line is not None and line.startswith("error "):
                raise ProgramError(f"engine {pipe.command!r}: {line.removeprefix('error ')}")

    def ask(self, pipe: Pipe, question: Question) -> None:
        """Sends the position with its past, and `go`."""
        words = ["position", "start" if question.from_start else question.base.text]
        if question.moves:
            words += ["moves", *(move_text(*move) for move in question.moves)]
        pipe.send(" ".join(words))
        limit = question.limit
        words = ["go"] if limit.seconds is None else ["go", f"time {limit.seconds:.6f}"]
        bounds = (("nodes", limit.nodes), ("simulations", limit.simulations), ("depth", limit.depth))
        pipe.send(" ".join([*words, *(f"{name} {value}" for name, value in bounds if value is not None)]))

    def hear(self, pipe: Pipe, line: str, question: Question) -> Choice | Thinking | None:
        """`bestmove`, `info` and `error`; all else is ignored."""
        word, _, rest = line.partition(" ")
        if word == "bestmove":
            actions = question.position.game.parse_move(question.position.core, rest.strip())
            return Choice(actions[0], line=actions)
        if word == "info":
            return _thinking(rest, question.position)
        if word == "error":
            raise ProgramError(f"engine {pipe.command!r}: {rest}")
        return None


def _thinking(text: str, position: Position) -> Thinking | None:
    """An info line as a choice; None where it names no move that is legal."""
    head, _, line = f" {text} ".partition(" pv ")
    try:
        actions = tuple(play_words(position, line.split()).actions()[len(position.actions()) :])
    except IllegalMoveError:
        return None
    if not actions:
        return None
    words = head.split()
    told = dict(zip(words[::2], words[1::2], strict=False))
    return Thinking(
        Choice(
            actions[0],
            value=float(told["score"]) if _is_number(told.get("score", "")) else None,
            line=actions,
            nodes=_count(told.get("nodes", "")),
            simulations=_count(told.get("simulations", "")),
            depth=_count(told.get("depth", "")),
        )
    )


class HubDialect:
    """The Hub protocol of draughts programs, variant `english`."""

    farewell, stop = "quit", "stop"

    def greet(self, pipe: Pipe, game: Game, deadline: float) -> None:
        """Introduces itself, chooses the variant and waits until the program is ready."""
        from boardwright.games.draughts import hub

        pipe.send("hub")
        variants = ""
        while True:
            command, arguments = hub.parse_line(pipe.receive(deadline) or "")
            if command == "param" and arguments.get("name") == "variant":
                variants = arguments.get("values", "")
            if command == "wait":
                break
        if variants and hub.VARIANT not in variants.split():
            raise ProgramError(f"engine {pipe.command!r} plays {variants}, but not {hub.VARIANT} draughts")
        pipe.send(f"set-param name=variant value={hub.VARIANT}")
        pipe.send("init")
        while hub.parse_line(pipe.receive(deadline) or "")[0] != "ready":
            pass

    def ask(self, pipe: Pipe, question: Question) -> None:
        """Sends the position with its past, the level, and `go think`."""
        from boardwright.games.draughts import hub

        moves = " ".join(hub.move_text(*move) for move in question.moves)
        pipe.send(f"pos pos={hub.position_text(question.base)}" + (f' moves="{moves}"' if moves else ""))
        limit = question.limit
        if limit.seconds is not None:
            pipe.send(f"level move-time={limit.seconds:.6f}")
        elif limit.depth is not None:
            pipe.send(f"level depth={limit.depth}")
        elif limit.nodes is not None:
            pipe.send(f"level nodes={limit.nodes}")
        pipe.send("go think")

    def hear(self, pipe: Pipe, line: str, question: Question) -> Choice | Thinking | None:
        """`done` and `error`; all else is ignored."""
        from boardwright.games.draughts import hub

        command, arguments = hub.parse_line(line)
        if command == "done":
            actions = hub.parse_move(question.position, arguments.get("move", ""))
            return Choice(actions[0], line=actions)
        if command == "error":
            raise ProgramError(f"engine {pipe.command!r}: {arguments.get('message', 'an error without a message')}")
        return None


class OpenTaflDialect:
    """OpenTafl's engine protocol.

    It has no words for a position in the middle of a game, so a game that begins with one is told as rules
    that begin there. It has none for nodes or depth either.
    """

    farewell, stop = "goodbye", None

    def __init__(self) -> None:
        self._said: dict[str, str] = {}  # the last line by its first word, which the program may ask for again
        self._known: Position | None = None  # what the program has on its board

    def greet(self, pipe: Pipe, game: Game, deadline: float) -> None:
        """Waits for the program's greeting."""
        while (pipe.receive(deadline) or "").split(" ")[0] != "hello":
            pass

    def ask(self, pipe: Pipe, question: Question) -> None:
        """Sends what has happened since the last question, the clock, and `play`."""
        position, moves = question.position, list(question.moves)
        side = position.game.roles[position.role_to_move]
        known = next(
            (n for n, (before, _) in enumerate(moves) if self._known and before.hash == self._known.hash), None
        )
        if known is None or len(moves) - known != 1:
            from boardwright.games.tablut.opentafl_rules import rules_record

            rules = replace(position.game.rules, start=opentafl.board_text(position), first=side)
            for line in (f"rules {rules_record(rules)}", f"side {side}", "start"):
                self._say(pipe, line)
        else:
            before, (action,) = moves[-1]
            pipe.send(f"opponent-move {opentafl.move_text(before, action)} {opentafl.board_text(position)}")
        if question.limit.seconds is not None:  # an overtime period a move, always the same
            millis = round(question.limit.seconds * 1000)
            self._say(pipe, f"clock {millis}* {millis}* {max(1, round(millis / 1000))} 99 99")
        pipe.send(f"play {side}")

    def hear(self, pipe: Pipe, line: str, question: Question) -> Choice | Thinking | None:
        """`move`, `error -1` and requests to repeat something; all else is ignored."""
        word, _, rest = line.partition(" ")
        if word == "move":
            position = question.position
            (action,) = position.game.parse_move(position.core, rest.strip())
            self._known = position.play(action)
            pipe.send(f"move {opentafl.board_text(self._known)}")
            return Choice(action)
        if word == "error" and rest.startswith("-1"):
            raise ProgramError(f"engine {pipe.command!r}: {rest.removeprefix('-1').strip() or 'a critical error'}")
        if word in self._said:
            pipe.send(self._said[word])
        elif word == "position":
            pipe.send(f"position {opentafl.board_text(question.position)}")
        return None

    def _say(self, pipe: Pipe, line: str) -> None:
        self._said[line.partition(" ")[0]] = line
        pipe.send(line)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d{1,9}(?:\.\d{1,9})?", text, flags=re.ASCII) is not None


def _count(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


DIALECTS: dict[str, tuple[type, str | None]] = {  # and the only game it is for
    "line": (LineDialect, None),
    "hub": (HubDialect, "draughts"),
    "opentafl": (OpenTaflDialect, "tablut"),
}


def dialect(name: str, game: Game) -> Dialect:
    """The dialect of a name; raises BoardwrightError where it is not for this game."""
    kind, only = DIALECTS[name]
    if only is not None and game.name != only:
        raise BoardwrightError(f"protocol={name} is for {only}, not {game.name}: use protocol=line")
    return kind()
