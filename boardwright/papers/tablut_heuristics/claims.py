"""The six tables of Pilarski, "Designing an Effective Tablut Artificial Intelligence", and our targets.

The paper's Muscovites are the attackers and move first; its rules are our rule set `mcgill`, its players think
2 seconds a move. A *side* is one player in one role against one opponent: half a row of our table.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

from boardwright.arena.event import PlayedGame
from boardwright.games.base import DRAW
from boardwright.stats.score import Score

NAME = "tablut-heuristics"
TITLE = "Designing an Effective Tablut Artificial Intelligence"
GAME, RULES = "tablut", "mcgill"
SECONDS = "2s"  # a move, the paper's
ATTACKERS, DEFENDERS = 0, 1


@dataclass(frozen=True)
class Count(Score):
    """A score with the length of the decisive games."""

    plies: float | None = None  # mean of the decisive games; None without any

    def __str__(self) -> str:
        return f"{self.wins}-{self.losses}-{self.draws}" + ("" if self.plies is None else f" ({self.plies:.0f})")


@dataclass(frozen=True)
class Target:
    """What our player must reach."""

    text: str
    met: Callable[[Count], bool]


@dataclass(frozen=True)
class Side:
    """One player in one role against one opponent."""

    table: str  # of the paper
    player: str  # spec
    opponent: str
    role: int  # of the player
    paper: Count
    games: int  # as many as the target asks for, or the paper played
    target: Target | None = None  # None: only reported


def share(percent: int) -> Target:
    """To win that many of a hundred games."""
    return Target(f"wins {percent} %", lambda count: 100 * count.wins >= percent * count.games)


NO_LOSS = Target("no loss", lambda count: count.losses == 0)
MORE_WINS = Target("more wins than losses", lambda count: count.wins > count.losses)


def _row(
    table: str,
    player: str,
    opponents: str | tuple[str, str],
    papers: tuple[Count, Count],
    games: tuple[int, int],
    target: Target | None = None,
) -> list[Side]:
    """A player as attackers and as defenders; `opponents` differ by role where the paper's did."""
    both = (opponents, opponents) if isinstance(opponents, str) else opponents
    return [Side(table, player, both[role], role, papers[role], games[role], target) for role in (ATTACKERS, DEFENDERS)]


SIDES: tuple[Side, ...] = (
    *_row("I", "greedy", "random", (Count(10, 0, 0, 26), Count(10, 0, 0, 16)), (1000, 1000), share(96)),
    *_row("II", "heuristic", "greedy", (Count(10, 0, 0, 9), Count(10, 0, 0, 14)), (500, 500), share(97)),
    *_row("III", "mc", "greedy", (Count(6, 0, 4, 15), Count(6, 0, 4, 20)), (10, 10)),
    *_row("IV", "mc-expanded", "greedy", (Count(0, 0, 10, 18), Count(10, 0, 0, 18)), (10, 10)),
    # Its Monte Carlo player uses the expanded definitions as defenders, but not as attackers.
    *_row("V", "heuristic", ("mc-expanded", "mc"), (Count(1, 8, 1, 24), Count(10, 0, 0, 20)), (10, 10)),
    *_row("VI", "heuristic-mc", "random", (Count(20, 0, 0, 21), Count(20, 0, 0, 16)), (20, 20), NO_LOSS),
    *_row("VI", "heuristic-mc", "greedy", (Count(20, 0, 0, 9), Count(20, 0, 0, 17)), (20, 20), NO_LOSS),
    *_row("VI", "heuristic-mc", "heuristic", (Count(13, 21, 6, 67), Count(18, 10, 2, 43)), (40, 30), MORE_WINS),
    *_row("VI", "heuristic-mc", "mc", (Count(10, 0, 0, 19), Count(10, 0, 0, 20)), (10, 10), NO_LOSS),
    *_row("VI", "heuristic-mc", "mc-expanded", (Count(5, 5, 0, 34), Count(10, 0, 0, 20)), (10, 10), NO_LOSS),
)


def count(games: Iterable[PlayedGame], role: int) -> Count:
    """The games counted for the player of a role."""
    played = list(games)
    decisive = [len(game.record.actions) for game in played if game.record.result != DRAW]  # an action is a ply
    score = sum((Score.of(game.record.result, role) for game in played), Score())
    return Count(**asdict(score), plies=sum(decisive) / len(decisive) if decisive else None)
