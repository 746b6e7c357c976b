"""The line protocol: one small language for all games. docs/reference/protocols.md describes it.

> position start moves 11-15 23-19
> go time 1s
info depth 1 score 0.12 nodes 2140 nps 71333 time 0.030 pv 8-11
bestmove 8-11
"""

from collections.abc import Callable

from boardwright import __version__
from boardwright.agents.base import Limit
from boardwright.agents.specs import DEPTH, NODES, SIMULATIONS, TIME
from boardwright.errors import BoardwrightError
from boardwright.games.base import Game, Position
from boardwright.games.lines import move_text, play_words
from boardwright.games.registry import game
from boardwright.protocols.session import Engine, Thought

_BOUNDS: dict[str, tuple[str, Callable]] = {  # word -> field of Limit, how its value is read
    "time": ("seconds", TIME.parse),
    "nodes": ("nodes", NODES.parse),
    "simulations": ("simulations", SIMULATIONS.parse),
    "depth": ("depth", DEPTH.parse),
}


class LineProtocol(Engine):
    """The engine's side of the conversation."""

    def __init__(self, bound: Game, spec: str, write: Callable[[str], None]):
        super().__init__(bound, spec, write)
        self._commands: dict[str, Callable[[str], None]] = {
            "hello": self._hello,
            "isready": lambda rest: self._write("readyok"),
            "newgame": lambda rest: self.session.start_game(self.session.game),
            "rules": lambda rest: self.session.start_game(game(self.session.game.name, rest or None)),
            "position": self._position,
            "go": lambda rest: self.session.think(parse_limit(rest), self._report, self._answer),
            "stop": lambda rest: self.session.stop(),
        }

    def handle(self, line: str) -> bool:
        """Does what a line says; False once the engine is to quit."""
        word, _, rest = line.strip().partition(" ")
        if word == "quit":
            return False
        try:
            if word in self._commands:
                self._commands[word](rest.strip())
            elif word:
                raise BoardwrightError(f"unknown command {word[:40]!r}: known: {', '.join(self._commands)}, quit")
        except BoardwrightError as error:
            self._write(f"error {error}")
            if word == "go" and not self.session.busy:
                self._write("bestmove none")  # the other side waits for an answer
        return True

    def _hello(self, rest: str) -> None:
        bound = self.session.game
        self._write(f"hello boardwright {__version__} {bound.name} {bound.rules.name} {self.session.spec}")

    def _position(self, rest: str) -> None:
        self.session.check_free()
        self.session.position = parse_position(self.session.game, rest)

    def _report(self, thought: Thought) -> None:
        self._write(info_text(thought))

    def _answer(self, result: Thought | BoardwrightError) -> None:
        if isinstance(result, BoardwrightError):
            self._write(f"error {result}")
            self._write("bestmove none")
        else:
            self._write(info_text(result))
            self._write(f"bestmove {move_text(*result.line[0])}")


def parse_position(bound: Game, text: str) -> Position:
    """Reads `start` or a position's text, and moves after it; raises BoardwrightError."""
    where, _, moves = f"{text} ".partition(" moves ")
    where = where.strip()
    if not where:
        raise BoardwrightError("position: expected start or a position, then optionally moves M M …")
    position = bound.start() if where == "start" else bound.position(where)
    return play_words(position, moves.split())


def parse_limit(text: str) -> Limit:
    """Reads `time 2s nodes 1000`; raises BoardwrightError."""
    words = text.split()
    if len(words) % 2:
        raise BoardwrightError(f"go {text!r}: give pairs such as time 2s, nodes 1000, simulations 400 or depth 8")
    bounds = {}
    for word, value in zip(words[::2], words[1::2], strict=True):
        if word not in _BOUNDS:
            raise BoardwrightError(f"go: unknown limit {word!r}: known: {', '.join(_BOUNDS)}")
        field, parse = _BOUNDS[word]
        try:
            bounds[field] = parse(value)
        except ValueError as error:
            raise BoardwrightError(f"go: {word} must be {error}, not {value!r}") from None
    return Limit(**bounds)


def info_text(thought: Thought) -> str:
    """What a player has found, as an info line; what it does not know is left out."""
    choice, words = thought.choice, ["info"]
    if choice.depth:
        words.append(f"depth {choice.depth}")
    if choice.value is not None:
        words.append(f"score {choice.value:.4f}")
    if choice.nodes:
        words.append(f"nodes {choice.nodes}")
    if choice.simulations:
        words.append(f"simulations {choice.simulations}")
    if choice.nodes or choice.simulations:
        words.append(f"nps {thought.rate:.0f}")
    return " ".join([*words, f"time {thought.seconds:.3f}", "pv", *(move_text(*move) for move in thought.line)])
