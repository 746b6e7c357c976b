"""The table of a tournament: what everybody scored, and against whom."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from boardwright.arena.pairings import Encounter
from boardwright.arena.played import PlayedGame
from boardwright.arena.tally import Tally, tallies


@dataclass(frozen=True)
class Row:
    """One player's results."""

    name: str
    total: Tally
    against: dict[str, Tally]  # by opponent


def crosstable(games: Iterable[PlayedGame]) -> list[Row]:
    """A row a player, the best score first."""
    cells: dict[str, dict[str, Tally]] = defaultdict(lambda: defaultdict(Tally))
    for played in games:
        (first, second), (of_first, of_second) = played.players, tallies(played)
        cells[first][second] += of_first
        cells[second][first] += of_second
    rows = [Row(name, sum(against.values(), Tally()), dict(against)) for name, against in cells.items()]
    return sorted(rows, key=lambda row: (-row.total.score, row.name))


def encounters(games: Iterable[PlayedGame]) -> list[Encounter]:
    """The games as ratings are made from."""
    return [Encounter(*played.players, played.record.result) for played in games]
