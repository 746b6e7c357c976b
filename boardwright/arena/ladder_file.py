"""Ratings that ship with the package: one JSON file per game and rule set, `ratings/GAME-RULES.json`.

`boardwright ladder GAME --db FILE --ship MACHINE` writes the file, `boardwright ladder GAME --out FILE.md` makes a page
of it.
"""

import dataclasses
import json
import typing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardwright.agents.specs import current_spec
from boardwright.arena.ladder import ANCHOR
from boardwright.atomicfile import read_bounded, write_atomic
from boardwright.coerce import MismatchError, check_value
from boardwright.errors import BoardwrightError
from boardwright.games.base import Game
from boardwright.stats.bayeselo import Rating

FOLDER = Path(__file__).parent / "ratings"
MAX_BYTES = 1 << 20
AGAIN = "measure it again with 'boardwright ladder'"


class LadderFileError(BoardwrightError):
    """A file of ratings that cannot be read or written."""


@dataclass(frozen=True, kw_only=True)
class RatedField:
    """The ratings of a ladder and how they were measured."""

    game: str
    rules: str  # name of the rule set
    command: str  # that played the games; FILE is their database
    machine: str  # in words
    date: str  # 2025-01-31
    version: str  # of boardwright
    games: int  # that the ratings are based on
    advantage: float  # of the first role, in Elo points of the model
    draw: float  # the larger, the more games are drawn between equals
    doubts: tuple[str, ...]  # warnings for readers of the ratings
    players: tuple[Rating, ...]  # the strongest first, Elo points above random play


def path_of(game: Game) -> Path | None:
    """Where the ratings of a game under its rules are or would be; None for rules that do not ship."""
    if game.rule_sets().get(game.rules.name) != game.rules:
        return None
    return FOLDER / f"{game.name}-{game.rules.name}.json"


def shipped_ratings(game: Game) -> RatedField | None:
    """The ratings that ship for a game under its rules, if any do; raises LadderFileError for a damaged file."""
    path = path_of(game)
    if path is None or not path.exists():
        return None
    rated = read(path)
    if (rated.game, rated.rules) != (game.name, game.rules.name):
        raise LadderFileError(f"ratings {path}: of {rated.game} {rated.rules}, unlike the file name: {AGAIN}")
    return rated


def read(path: Path) -> RatedField:
    """The ratings in a file; raises LadderFileError."""
    try:
        content = read_bounded(path, MAX_BYTES)
    except OSError as error:
        raise LadderFileError(f"cannot read ratings {path}: {error.strerror}: {AGAIN}") from error
    try:
        data = json.loads(content)
        players = data.pop("players")
        rated = RatedField(**_fields(RatedField, data, excluded="players"), players=tuple(map(_player, players)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = str(error) if isinstance(error, MismatchError) else "not JSON of the right form"
        raise LadderFileError(f"ratings {path}: damaged ({reason}): {AGAIN}") from error
    names = [rating.name for rating in rated.players]
    if len(set(names)) < len(names):
        raise LadderFileError(f"ratings {path}: damaged (a player occurs twice): {AGAIN}")
    if {rating.elo for rating in rated.players if rating.name == ANCHOR} != {0.0}:
        raise LadderFileError(f"ratings {path}: damaged ({ANCHOR} is not 0): {AGAIN}")
    return rated


def write(path: Path, rated: RatedField) -> None:
    """Writes a file of ratings atomically; raises LadderFileError."""
    fields = dataclasses.asdict(rated)
    fields["players"] = [{"spec": player.pop("name"), **player} for player in fields["players"]]
    try:
        path.parent.mkdir(exist_ok=True)
        write_atomic(path, (json.dumps(fields, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode())
    except OSError as error:
        raise LadderFileError(f"cannot write ratings {path}: {error.strerror}") from error


def _player(data: dict[str, Any]) -> Rating:
    rating = Rating(**_fields(Rating, {"name": current_spec(data.pop("spec")), **data}))
    if rating.plus < 0 or rating.minus < 0 or rating.games < 0:
        raise MismatchError(f"{rating.name!r} has a negative interval or number of games")
    return rating


def _fields(kind: type, data: dict[str, Any], excluded: str = "") -> dict[str, Any]:
    """The fields of a record in a file: all of them and no others, with the right types."""
    hints = {name: hint for name, hint in typing.get_type_hints(kind).items() if name != excluded}
    if data.keys() != hints.keys():
        odd = ", ".join(sorted(data.keys() ^ hints.keys()))
        raise MismatchError(f"missing or unknown: {odd[:100]}")
    return {name: check_value(value, hints[name]) for name, value in data.items()}
