"""Balance of the roles of a game: the role it favours, measured by games of one player against itself.

Both sides are the same player, so a difference between the roles is due to the rules, at that player's strength. Every
game has its own random opening, so games are independent samples.
"""

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boardwright.errors import BoardwrightError
from boardwright.games.lines import parse_counter
from boardwright.stats.score import Interval, Score, Z, elo_of_score

START, RANDOM, MAX_PLIES = "start", "random", 100


@dataclass(frozen=True, kw_only=True)
class BalanceSettings:
    """The settings of a measurement."""

    game: str
    nets: tuple[Path, ...]  # the first one trained on a rule set plays it, else the first one
    rules: tuple[str, ...] = ()  # names or files of rule sets; empty: those of the nets
    openings: tuple[int, ...] = (0, 4)  # random plies; 0 is the start
    games: int = 1000  # for each rule set and kind of opening
    simulations: int = 128
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Results of games of a player against itself."""

    wins: tuple[int, int]  # by role
    draws: int  # and games that were stopped
    plies: int  # of all games together, openings too
    squared_plies: int  # the sum of their squares
    openings: int  # different positions after the opening

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(self.wins) + self.draws

    @property
    def score(self) -> Interval:
        """The first role's share of the points."""
        return Score(self.wins[0], self.draws, self.wins[1]).interval

    @property
    def won(self) -> tuple[Interval, Interval]:
        """The share of the games each role won."""
        first, second = (self._share(count) for count in self.wins)
        return first, second

    @property
    def drawn(self) -> Interval:
        """The share of drawn games."""
        return self._share(self.draws)

    @property
    def mean_plies(self) -> tuple[float, float]:
        """Mean plies per game, and half the length of its 95 % confidence interval."""
        mean = self.plies / max(self.games, 1)
        variance = max(self.squared_plies / max(self.games, 1) - mean**2, 0.0)
        return mean, Z * math.sqrt(variance / max(self.games - 1, 1))

    @property
    def elo(self) -> Interval:
        """The advantage of the first role in Elo points; infinite if one role won every game."""
        score = self.score
        elo, low, high = (elo_of_score(share) + 0.0 for share in (score.mean, score.low, score.high))  # no -0
        return Interval(elo, low, high)

    @property
    def favoured(self) -> int | None:
        """The role whose interval is above one half; None if both intervals contain it."""
        if self.score.low > 0.5:
            return 0
        return 1 if self.score.high < 0.5 else None

    def _share(self, count: int) -> Interval:
        return Score(count, 0, self.games - count).interval


@dataclass(frozen=True)
class Line:
    """The games under one rule set with one kind of opening."""

    rules: str
    net: str  # name of the net that played both sides
    is_own: bool  # whether that net was trained on this rule set
    plies: int  # of the openings
    counts: Counts


def count(result: np.ndarray, plies: np.ndarray, openings: np.ndarray) -> Counts:
    """Counts games by result [N], plies [N] and hash of the opening position [N, 2]; a stopped game is a draw."""
    wins = (int((result == 0).sum()), int((result == 1).sum()))
    long = plies.astype(np.int64)
    return Counts(
        wins=wins,
        draws=len(result) - sum(wins),
        plies=int(long.sum()),
        squared_plies=int((long**2).sum()),
        openings=len(np.unique(openings, axis=0)),
    )


def fields(line: Line, roles: tuple[str, str]) -> dict[str, Any]:
    """A line for JSON; infinite numbers are null."""
    counts = line.counts
    plies, reach = counts.mean_plies
    favoured = counts.favoured
    return {
        "rules": line.rules,
        "net": line.net,
        "own": line.is_own,
        "opening": opening_name(line.plies),
        "games": counts.games,
        "openings": counts.openings,
        "wins": dict(zip(roles, counts.wins, strict=True)),
        "draws": counts.draws,
        "won": {role: _interval(share) for role, share in zip(roles, counts.won, strict=True)},
        "drawn": _interval(counts.drawn),
        "score": _interval(counts.score),
        "elo": _interval(counts.elo),
        "plies": {"mean": plies, "low": plies - reach, "high": plies + reach},
        "favoured": None if favoured is None else roles[favoured],
    }


def _interval(share: Interval) -> dict[str, float | None]:
    return {name: value if math.isfinite(value) else None for name, value in asdict(share).items()}


def opening_plies(text: str) -> tuple[int, ...]:
    """The numbers of random plies in a text such as `start,random:2,random:4`; raises BoardwrightError."""
    found = []
    for part in text.split(","):
        kind, _, detail = part.strip().partition(":")
        if kind == START and not detail:
            found.append(0)
        elif kind == RANDOM and parse_counter(detail) in range(1, MAX_PLIES + 1):
            found.append(int(detail))
        else:
            raise BoardwrightError(f"openings {part[:40]!r}: expected start or random:1 to random:{MAX_PLIES}")
    return tuple(dict.fromkeys(found))


def opening_name(plies: int) -> str:
    """The text of an opening with this number of random plies."""
    return f"{RANDOM}:{plies}" if plies else START
