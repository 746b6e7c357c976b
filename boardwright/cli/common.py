"""Parts that commands share: options for a game and a position, checks of options, JSON output, and files."""

import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from tyro.conf import Positional, arg

from boardwright.atomicfile import open_ordinary, read_bounded, write_atomic
from boardwright.errors import BoardwrightError
from boardwright.games.base import Game, Position
from boardwright.games.registry import game

DATABASE = b"SQLite format 3\0"  # the first bytes of a SQLite file
T = TypeVar("T")
Number = TypeVar("Number", int, int | None)


def value(metavar: str, name: str | None = None) -> Any:
    """How help shows an option: the name of its value, and its default if it has one."""
    return arg(
        metavar=metavar,
        name=name,
        help_behavior_hint=lambda default: "" if default in ("None", "") else f"(default: {default})",
    )


# Types of options, named as help texts name their values: `--games N`. The help text of an option is its comment, or a
# string below it.
FILE = Annotated[T, value("FILE")]
FOLDER = Annotated[T, value("FOLDER")]
GAME = Annotated[T, value("GAME")]
N = Annotated[T, value("N")]
NAME = Annotated[T, value("NAME")]
RULES = Annotated[T, value("RULES")]
SPEC = Annotated[T, value("SPEC")]
TEXT = Annotated[T, value("TEXT")]


@dataclass(frozen=True, kw_only=True)
class JsonOption:
    """Base of the options of commands that can print JSON."""

    json: bool = False  # Print one JSON object and nothing else.


@dataclass(frozen=True)
class InteractiveOptions:
    """A game and its rule set, of a command that has no JSON form."""

    game: Positional[str]  # Name of the game; `boardwright games` lists them.
    rules: RULES[str | None] = None  # Rule set: a name, or the path of a .toml or .json file. Default: the game's own.

    def bound_game(self) -> Game:
        """The game these options name."""
        return game(self.game, self.rules)


@dataclass(frozen=True)
class GameOptions(InteractiveOptions, JsonOption):
    """A game and its rule set."""


@dataclass(frozen=True)
class PositionOptions(GameOptions):
    """A position: the start, one given as text, or one reached by action numbers."""

    position: TEXT[str | None] = None  # Position text to start from instead of the initial position.
    actions: Annotated[str | None, value("N,N,…")] = None  # Action numbers from the start, separated by commas.

    def chosen_position(self) -> Position:
        """The position these options name."""
        bound = self.bound_game()
        if self.position is not None and self.actions is not None:
            raise BoardwrightError("--position and --actions exclude each other: give one")
        if self.position is not None:
            return bound.position(self.position)
        if self.actions is not None:
            return bound.play_all(_action_numbers(self.actions))
        return bound.start()


def _action_numbers(text: str) -> list[int]:
    fields = [field.strip() for field in text.split(",")] if text.strip() else []
    for field in fields:
        if not (field.isascii() and field.isdigit() and len(field) <= 9):
            raise BoardwrightError(f"--actions: {field!r} is not an action number; expected numbers such as 12,40")
    return [int(field) for field in fields]


def hops(position: Position, route: Sequence[int]) -> str:
    """A route of a move as its hops, `2x11 11x4`."""
    names = []
    for action in route:
        names.append(position.action_text(action))
        position = position.play(action)
    return " ".join(names)


def print_json(fields: dict[str, Any]) -> None:
    """One JSON object on one line of stdout."""
    print(json.dumps(fields))


def in_range(option: str, value: Number, low: int, high: int) -> Number:
    """`value`, which may be None, or a one-line error that names the option and what it may be."""
    if value is not None and not low <= value <= high:
        raise BoardwrightError(f"{option} must be from {low} to {high}, not {value}")
    return value


def command_line(words: Sequence[str], options: Any, names: Iterable[str]) -> str:
    """A command of `boardwright` with the options of these names, but those that are off or None."""
    line = ["boardwright", *words]
    for name in names:
        value, flag = getattr(options, name), f"--{name.replace('_', '-')}"
        if value is not None and value is not False:
            line += [flag] if value is True else [flag, f"{value:g}" if isinstance(value, float) else str(value)]
    return shlex.join(line)


def only_game(games: Sequence[str], database: Path, nothing: str) -> str:
    """The one game that a database holds; raises BoardwrightError for several, or with the words `nothing` for none."""
    if not games:
        raise BoardwrightError(f"{database}: {nothing}")
    if len(games) > 1:
        raise BoardwrightError(f"{database} holds several games: choose with --game one of {', '.join(games)}")
    return games[0]


def read_bytes(path: Path, most: int) -> bytes:
    """The content of an ordinary file; raises BoardwrightError if it has more than `most` bytes."""
    with _translate_os_errors("read", path):
        return read_bounded(path, most)


def write_text(path: Path, text: str) -> None:
    """Writes a file, atomically if it is an ordinary one and not a pipe; raises BoardwrightError for a database."""
    check_not_database(path)
    with _translate_os_errors("write", path):
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
        else:
            write_atomic(path.resolve(), text.encode())


def check_not_database(path: Path) -> None:
    """Raises BoardwrightError if text would replace a database, since two file names were probably mixed up."""
    try:
        with open_ordinary(path) as file:
            begins = file.read(len(DATABASE))
    except (OSError, ValueError):
        return  # missing, or writing reports the error
    if begins == DATABASE:
        raise BoardwrightError(f"cannot write {path}: it is a database: name another file, or delete this one first")


def make_folder(option: str, folder: Path) -> None:
    """Makes the folder that an option names; raises BoardwrightError if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BoardwrightError(f"{option} {folder}: {error.strerror}") from error


@contextmanager
def _translate_os_errors(verb: str, path: Path) -> Iterator[None]:
    """Errors of the system as BoardwrightError."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a valid file name"
        raise BoardwrightError(f"cannot {verb} {str(path)!r}: {reason}") from error
