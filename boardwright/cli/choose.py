"""Options shared by commands: which game, which rule set, which position."""

import dataclasses
import json
from dataclasses import dataclass
from typing import Annotated, Any

import tyro

from boardwright.errors import BoardwrightError
from boardwright.games.base import Game, Position
from boardwright.games.registry import game


@dataclass(frozen=True)
class GameOptions:
    """A game and its rule set."""

    game: tyro.conf.Positional[str]
    """Name of the game; `boardwright games` lists them."""
    rules: Annotated[str | None, tyro.conf.arg(metavar="RULES")] = None
    """Rule set: a name, or the path of a .toml or .json file. Default: the game's own."""
    json: bool = False
    """Print one JSON object and nothing else."""

    def bound_game(self) -> Game:
        """The game these options name."""
        return game(self.game, self.rules)


@dataclass(frozen=True)
class PositionOptions(GameOptions):
    """A position: the start, one given as text, or one reached by action numbers."""

    position: Annotated[str | None, tyro.conf.arg(metavar="TEXT")] = None
    """Position text to start from instead of the first position."""
    actions: Annotated[str | None, tyro.conf.arg(metavar="N,N,…")] = None
    """Action numbers played from the start, separated by commas."""

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
            raise BoardwrightError(f"--actions: {field!r} is not an action number")
    return [int(field) for field in fields]


def print_json(fields: dict[str, Any] | Any) -> None:
    """One JSON object on one line of stdout."""
    print(json.dumps(dataclasses.asdict(fields) if dataclasses.is_dataclass(fields) else fields))  # type: ignore[arg-type]


def in_range(option: str, value: int, low: int, high: int) -> int:
    """`value`, or a one-line error that names the option and what it may be."""
    if not low <= value <= high:
        raise BoardwrightError(f"{option} must be from {low} to {high}, not {value}")
    return value
