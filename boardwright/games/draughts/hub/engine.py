"""The Hub protocol, version 2, by Fabien Letouzey: how draughts programs such as Scan talk to a board.

We are an engine of the variant `english`. Scores are expected results from -1 to 1, not men. The protocol
lets an engine end any search when it likes, so pondering and analysing are ordinary searches.
"""

import math
from collections.abc import Callable, Mapping

from boardwright import __version__
from boardwright.agents.base import Limit
from boardwright.arena.event import Clock
from boardwright.errors import BoardwrightError
from boardwright.games.base import Game
from boardwright.games.draughts.hub import words
from boardwright.protocols.session import Engine, Thought

MIN_SECONDS, MAX_SECONDS = 0.001, 3600.0  # of a search; the maximum is that of a search without a limit
MAX_DEPTH = 100  # of a search


class HubProtocol(Engine):
    """The engine side of the protocol."""

    def __init__(self, bound: Game, spec: str, write: Callable[[str], None]):
        super().__init__(bound, spec, write)
        self._limit = Limit()
        self._commands: dict[str, Callable[[Mapping[str, str]], None]] = {
            "hub": self._introduce,
            "set-param": self._set,
            "init": lambda arguments: self._write("ready"),
            "new-game": lambda arguments: self.session.start_game(self.session.game),
            "pos": self._position,
            "level": self._level,
            "go": lambda arguments: self.session.think(self._limit, self._report, self._answer),
            "stop": lambda arguments: self.session.stop(),
            "ping": lambda arguments: self._write("pong"),
        }

    def handle(self, line: str) -> bool:
        """Handles one line, ignoring unknown commands; returns False on `quit`."""
        command, arguments = words.parse_line(line)
        if command == "quit":
            return False
        try:
            if command in self._commands:
                self._commands[command](arguments)
        except BoardwrightError as error:
            self._write_error(error)
        return True

    def _write_error(self, error: BoardwrightError) -> None:
        self._write(f'error message="{str(error).replace(chr(34), chr(39))}"')

    def _introduce(self, arguments: Mapping[str, str]) -> None:
        self._write(f'id name=Boardwright version={__version__} author="The Boardwright authors"')
        self._write(f'param name=variant value={words.VARIANT} type=enum values="{words.VARIANT}"')
        self._write("wait")

    def _set(self, arguments: Mapping[str, str]) -> None:
        if arguments.get("name") == "variant" and arguments.get("value") != words.VARIANT:
            raise BoardwrightError(f"this engine plays the variant {words.VARIANT} only")

    def _position(self, arguments: Mapping[str, str]) -> None:
        self.session.check_free()
        if "start" in arguments:
            position = self.session.game.start()
        else:
            position = self.session.game.position(words.parse_position(arguments.get("pos", "")))
        for move in arguments.get("moves", "").split():
            position = position.play_all(words.parse_move(position, move))
        self.session.position = position

    def _level(self, arguments: Mapping[str, str]) -> None:
        if "infinite" in arguments:
            self._limit = Limit(seconds=MAX_SECONDS)
        elif "depth" in arguments:
            self._limit = Limit(depth=int(min(_positive(arguments, "depth"), MAX_DEPTH)))
        elif "nodes" in arguments:
            self._limit = Limit(nodes=int(_positive(arguments, "nodes")))
        elif "move-time" in arguments:
            self._limit = Limit(seconds=min(_positive(arguments, "move-time"), MAX_SECONDS))
        elif "time" in arguments:
            left, increment = (max(_number(arguments, name), 0.0) for name in ("time", "inc"))
            share = Clock(left, increment).share(left + increment)
            if "moves" in arguments:
                share = _number(arguments, "time") / _positive(arguments, "moves")
            self._limit = Limit(seconds=min(max(share, MIN_SECONDS), MAX_SECONDS))
        else:
            raise BoardwrightError("level: expected depth, nodes, move-time, time or infinite")

    def _report(self, thought: Thought) -> None:
        choice, parts = thought.choice, ["info"]
        if choice.depth:
            parts.append(f"depth={choice.depth}")
        if choice.value is not None:
            parts.append(f"score={choice.value:.3f}")
        if choice.nodes or choice.simulations:
            parts += [f"nodes={choice.nodes or choice.simulations}", f"nps={thought.rate / 1e6:.3f}"]
        line = " ".join(words.move_text(*move) for move in thought.line)
        self._write(" ".join([*parts, f"time={thought.seconds:.3f}", f'pv="{line}"']))

    def _answer(self, result: Thought | BoardwrightError) -> None:
        if isinstance(result, BoardwrightError):
            self._write_error(result)
            return
        self._report(result)
        best, *others = (words.move_text(*move) for move in result.line[:2])
        self._write(" ".join([f"done move={best}", *(f"ponder={other}" for other in others)]))


def _number(arguments: Mapping[str, str], name: str) -> float:
    """A number of the level, 0 where it is missing; the time may be negative when it has run out."""
    try:
        value = float(arguments.get(name, "0"))
    except ValueError:
        value = math.nan
    if not abs(value) < 1e12:
        raise BoardwrightError(f"level: {name} must be a number, not {arguments[name]!r}")
    return value


def _positive(arguments: Mapping[str, str], name: str) -> float:
    value = _number(arguments, name)
    if value <= 0:
        raise BoardwrightError(f"level: {name} must be more than 0, not {value:g}")
    return value
