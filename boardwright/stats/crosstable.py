"""Crosstable of a tournament: the score of each player, in total and against each opponent."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from boardwright.stats.pairings import Encounter
from boardwright.stats.score import Score


@dataclass(frozen=True)
class Row:
    """One player's results."""

    name: str
    total: Score
    against: dict[str, Score]  # by opponent


def crosstable(encounters: Iterable[Encounter]) -> list[Row]:
    """A row for each player, the best share of the points first; games of a player against itself are left out."""
    cells: dict[str, dict[str, Score]] = defaultdict(lambda: defaultdict(Score))
    for first, second, result in encounters:
        if first != second:
            cells[first][second] += Score.of(result, 0)
            cells[second][first] += Score.of(result, 1)
    rows = [Row(name, sum(against.values(), Score()), dict(against)) for name, against in cells.items()]
    return sorted(rows, key=lambda row: (-row.total.share, row.name))
