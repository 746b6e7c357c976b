"""The three-move openings of the American Checker Federation, from which matches draw their games.

Every opening has its number in the list and belongs to a deck: `crossboard` is played over the board,
`mail` by post as well, `barred` not at all.
"""

import csv
import functools
from dataclasses import dataclass
from importlib import resources
from typing import Any

from boardwright.errors import BoardwrightError, UnknownNameError
from boardwright.games import registry
from boardwright.games.base import Position

DECKS = ("crossboard", "mail", "barred")


@dataclass(frozen=True)
class Ballot:
    """One opening of the list."""

    number: int
    moves: tuple[str, ...]
    deck: str  # one of `DECKS`
    name: str  # may be empty


def ballots(deck: str | None = None) -> tuple[Ballot, ...]:
    """The openings of a deck, or all of them, by number; raises UnknownNameError for no deck."""
    if deck is None:
        return _all_ballots()
    if deck not in DECKS:
        raise UnknownNameError("deck of openings", deck, DECKS)
    return tuple(ballot for ballot in _all_ballots() if ballot.deck == deck)


def ballot(number: int) -> Ballot:
    """The opening with a number in the list; raises BoardwrightError where there is none."""
    known = _all_ballots()
    if not 1 <= number <= len(known):
        raise BoardwrightError(f"opening {number}: the three-move list goes from 1 to {len(known)}")
    return known[number - 1]


def position_after(ballot: Ballot, rules: Any = None) -> Position:
    """The position an opening leads to, under a rule set as `boardwright.game` takes it."""
    position = registry.game("draughts", rules).start()
    for move in ballot.moves:
        position = position.play(move)
    return position


@functools.cache
def _all_ballots() -> tuple[Ballot, ...]:
    text = resources.files("boardwright.games.draughts").joinpath("ballots.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return tuple(Ballot(int(row["number"]), tuple(row["moves"].split()), row["deck"], row["name"]) for row in rows)
