"""Results of games by pair of players: the table that ratings are fitted to, and the crosstable."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from boardwright.errors import BoardwrightError
from boardwright.stats.score import DRAW, Score

MAX_PLAYERS = 4000  # the table of results and larger ones of the fit have a row and a column for each


class Encounter(NamedTuple):
    """One finished game between two named players."""

    first: str  # who played role 0
    second: str  # who played role 1
    result: int  # the role that won, or DRAW


@dataclass(frozen=True, eq=False)
class Pairings:
    """All encounters of n players."""

    names: tuple[str, ...]  # sorted, n of them
    counts: np.ndarray  # [n, n, 3] float64: first, second, and how often first won, second won, neither did

    @property
    def games(self) -> np.ndarray:
        """[n] int64: games each took part in; one against itself is one game."""
        met = self.counts.sum(axis=2)
        return (met.sum(axis=0) + met.sum(axis=1) - met.diagonal()).astype(np.int64)

    @property
    def met(self) -> np.ndarray:
        """[n, n] float64: games of two players in both orders of roles; symmetric."""
        met = self.counts.sum(axis=2)
        return met + met.T - np.diag(met.diagonal())


def condense(encounters: Iterable[Encounter] | Mapping[Encounter, int]) -> Pairings:
    """The table of all encounters, listed or counted; raises BoardwrightError for more players than fit in memory."""
    tally = +Counter(encounters)
    names = tuple(sorted({name for first, second, _ in tally for name in (first, second)}))
    if len(names) > MAX_PLAYERS:
        raise BoardwrightError(f"{len(names)} players are too many to rate: at most {MAX_PLAYERS}, so choose some")
    number = {name: index for index, name in enumerate(names)}
    counts = np.zeros((len(names), len(names), 3))
    for (first, second, result), games in tally.items():
        if result not in (0, 1, DRAW):
            raise ValueError(f"a game that was not finished cannot be rated: result {result}")
        counts[number[first], number[second], result] += games
    return Pairings(names, counts)


def split_roles(pairings: Pairings, roles: tuple[str, str]) -> tuple[Pairings, list[tuple[str, int]]]:
    """Every player split into two entries, one for each role it played; and the player and role of each entry.

    The first roles come first, so the first `len(names) - k` entries meet only the last k.
    """
    n = len(pairings.names)
    counts = np.zeros((2 * n, 2 * n, 3))
    counts[:n, n:] = pairings.counts
    entries = [(name, role) for role in (0, 1) for name in pairings.names]
    played = np.flatnonzero(Pairings((), counts).games)
    players = [entries[entry] for entry in played]
    names = tuple(f"{name} as {roles[role]}" for name, role in players)
    return Pairings(names, counts[np.ix_(played, played)]), players


def groups(pairings: Pairings) -> list[list[int]]:
    """Players that are connected by games, directly or through others; the largest group first.

    No player needs both a win and a loss: the virtual draws of the prior make all ratings finite.
    """
    return sorted((sorted(heights) for heights in _heights_by_group(pairings)), key=len, reverse=True)


def identifies_advantage(pairings: Pairings) -> bool:
    """Whether the games separate the advantage of the first role from the strength of the players who had it.

    They do not where ratings alone could explain any advantage: when the players can be given heights such
    that every game was played from a height to the one just below, as when each always has the same role.
    """
    height = {player: value for heights in _heights_by_group(pairings) for player, value in heights.items()}
    encounters = np.argwhere(pairings.counts.sum(axis=2)).tolist()
    return any(height[first] != height[second] + 1 for first, second in encounters)


def _heights_by_group(pairings: Pairings) -> list[dict[int, int]]:
    """By group of connected players, heights from which every game that was needed to connect them went one down."""
    met = pairings.counts.sum(axis=2) > 0
    left, found = set(range(len(met))), []
    while left:
        height = {min(left): 0}
        frontier = list(height)
        while frontier:
            player = frontier.pop()
            for others, step in ((np.flatnonzero(met[player]), -1), (np.flatnonzero(met[:, player]), 1)):
                new = {other: height[player] + step for other in others.tolist() if other not in height}
                height |= new
                frontier += new
        left -= height.keys()
        found.append(height)
    return found


@dataclass(frozen=True)
class CrosstableRow:
    """One player's results."""

    name: str
    total: Score
    against: dict[str, Score]  # by opponent


def crosstable(encounters: Iterable[Encounter]) -> list[CrosstableRow]:
    """A row for each player, the best share of the points first; games of a player against itself are left out."""
    cells: dict[str, dict[str, Score]] = defaultdict(lambda: defaultdict(Score))
    for first, second, result in encounters:
        if first != second:
            cells[first][second] += Score.of(result, 0)
            cells[second][first] += Score.of(result, 1)
    rows = [CrosstableRow(name, sum(against.values(), Score()), dict(against)) for name, against in cells.items()]
    return sorted(rows, key=lambda row: (-row.total.share, row.name))
