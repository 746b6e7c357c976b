"""The six tables of Pilarski, "Designing an Effective Tablut Artificial Intelligence", and our targets.

The paper's Muscovites are the attackers and move first; its rules are our rule set `mcgill`, its players think
2 seconds per move. A *side* is one player in one role against one opponent: half a row of our table.
"""

import tomllib
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from boardwright.arena.event import PlayedGame
from boardwright.games.base import DRAW
from boardwright.stats.score import Score

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


TARGETS: dict[str, Callable[[Count], bool]] = {  # what our player must reach
    "wins at least 96 %": lambda count: 100 * count.wins >= 96 * count.games,
    "wins at least 97 %": lambda count: 100 * count.wins >= 97 * count.games,
    "no loss": lambda count: count.losses == 0,
    "more wins than losses": lambda count: count.wins > count.losses,
}


@dataclass(frozen=True)
class Side:
    """One player in one role against one opponent."""

    table: str  # of the paper
    player: str  # spec
    opponent: str
    role: int  # of the player
    paper: Count
    games: int  # as many as the target asks for, or the paper played
    target: str | None = None  # of TARGETS; None: only reported

    def is_met(self, ours: Count) -> bool | None:
        """Whether our games reach the target; None without one."""
        return None if self.target is None else TARGETS[self.target](ours)


_ROWS = tomllib.loads(Path(__file__).with_name("claims.toml").read_text(encoding="utf-8"))["rows"]
SIDES = tuple(
    Side(
        table=row["table"],
        player=row["player"],
        opponent=row["opponents"][role],
        role=role,
        paper=Count(*row["paper"][role]),
        games=row["games"][role],
        target=row.get("target"),
    )
    for row in _ROWS
    for role in (ATTACKERS, DEFENDERS)
)


def count(games: Iterable[PlayedGame], role: int) -> Count:
    """The games counted for the player of a role."""
    played = list(games)
    decisive = [len(game.record.actions) for game in played if game.record.result != DRAW]  # an action is a ply
    score = sum((Score.of(game.record.result, role) for game in played), Score())
    return Count(**asdict(score), plies=sum(decisive) / len(decisive) if decisive else None)
