"""The spec strings that name players: `random`, `mc:time=2s`, `alphabeta:depth=6,threads=2`.

A spec is a player's name and, after a colon, `option=value` pairs separated by commas; `cmd=` comes last and
takes the rest, commas and all. Options are declared as data, so that `boardwright agents` can list them and errors
name the wrong one.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from boardwright.agents.base import Agent, Limit
from boardwright.errors import BoardwrightError, UnknownNameError
from boardwright.games.base import Game

MAX_SPEC_LENGTH = 1000  # characters
LIMITS = ("time", "nodes", "sims", "depth")  # options that limit the search for a move
OLD_NAMES = {"zero": "alphazero"}  # of players: still accepted, and found in files of older versions
DEFAULT_LIMIT = Limit(seconds=1.0)  # of searches whose spec sets none


@dataclass(frozen=True)
class Option:
    """An option of a player."""

    name: str
    help: str
    parse: Callable[[str], Any]  # raises ValueError whose message completes "must be …"
    form: str  # placeholder in help: `2s`, `N`, `on|off`
    default: str  # the default as text; empty for none


@dataclass(frozen=True)
class Player:
    """A kind of player: name, summary, factory and options."""

    name: str
    summary: str
    make: Callable[[Game, Mapping[str, Any]], Agent]  # values by option name, defaults included
    options: tuple[Option, ...] = ()


def current_spec(spec: str) -> str:
    """The spec with the current name of its player. Without options it may be a person's name, and stays."""
    name, colon, options = spec.partition(":")
    return f"{OLD_NAMES.get(name, name)}:{options}" if colon else spec


def original_spec(spec: str) -> str:
    """The spec as the first version wrote it, the inverse of `current_spec`: what stored events are identified by."""
    name, colon, options = spec.partition(":")
    first = {new: old for old, new in OLD_NAMES.items()}
    return f"{first.get(name, name)}:{options}" if colon else spec


def split(spec: str) -> tuple[str, dict[str, str]]:
    """A spec's name and its options as text; raises BoardwrightError."""
    if len(spec) > MAX_SPEC_LENGTH:
        raise BoardwrightError(f"player {spec[:40]!r}…: a spec has at most {MAX_SPEC_LENGTH} characters")
    name, _, tail = spec.partition(":")
    name = OLD_NAMES.get(name, name)
    options: dict[str, str] = {}
    head, *command = re.split(r"(?:^|(?<=,))cmd=", tail, maxsplit=1)
    for part in (*filter(None, head.split(",")), *(f"cmd={rest}" for rest in command)):
        key, equals, value = part.partition("=")
        if not equals:
            raise BoardwrightError(f"player {spec!r}: {part!r} is not of the form option=value")
        if key in options:
            raise BoardwrightError(f"player {spec!r}: option {key!r} is given twice")
        options[key] = value
    return name, options


def values(player: Player, spec: str, given: Mapping[str, str]) -> dict[str, Any]:
    """The values of a player's options, defaults included; raises BoardwrightError."""
    known = {option.name: option for option in player.options}
    for key in given:
        if key not in known:
            if not known:
                raise BoardwrightError(f"player {spec!r}: {player.name!r} has no options, got {key!r}")
            raise UnknownNameError(f"option of player {player.name!r}", key, known)
    chosen: dict[str, Any] = {}
    for option in player.options:
        text = given.get(option.name, option.default)
        if not text and option.name not in given:
            continue
        try:
            chosen[option.name] = option.parse(text)
        except ValueError as error:
            raise BoardwrightError(f"player {spec!r}: {option.name} must be {error}, not {text!r}") from None
    return chosen


def sets_limit(given: Mapping[str, str]) -> bool:
    """Whether a spec's options limit the search."""
    return not given.keys().isdisjoint(LIMITS)


def with_seed(player: Player, spec: str, seed: int) -> str:
    """The spec with a seed added, if the player has that option and the spec does not set it."""
    name, given = split(spec)
    if "seed" in given or all(option.name != "seed" for option in player.options):
        return spec
    return f"{name}:seed={seed},{spec.partition(':')[2]}"


def limit_of(chosen: Mapping[str, Any], otherwise: Limit) -> Limit:
    """The limit that a player's own options `time`, `nodes`, `sims` and `depth` set, if any do."""
    limit = Limit(chosen.get("time"), chosen.get("nodes"), chosen.get("sims"), chosen.get("depth"))
    return otherwise if limit == Limit() else limit


def whole(low: int, high: int) -> Callable[[str], int]:
    """A parser of whole numbers in a range."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 20 and low <= int(text) <= high):
            raise ValueError(f"a whole number from {low} to {high}")
        return int(text)

    return parse


def seconds(text: str) -> float:
    """Parses a time such as 2s, 0.5 or 500ms."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)(ms|s)?", text, flags=re.ASCII)
    value = float(match[1]) * (0.001 if match[2] == "ms" else 1.0) if match else math.nan
    if not 0 < value <= 3600.0:
        raise ValueError("like 2s or 500ms, up to an hour")
    return value


def on_off(text: str) -> bool:
    """Parses a switch."""
    if text not in ("on", "off"):
        raise ValueError("on or off")
    return text == "on"


SEED = Option("seed", "seed of random choices", whole(0, 2**64 - 1), "N", "")
TIME = Option("time", "time per move", seconds, "2s", "")
NODES = Option("nodes", "positions per move", whole(1, 10**12), "N", "")
SIMULATIONS = Option("sims", "simulations per move", whole(1, 10**9), "N", "")
THREADS = Option("threads", "search threads", whole(1, 256), "N", "1")
DEPTH = Option("depth", "search depth in moves", whole(1, 100), "N", "")
