"""Wins, draws and losses of one player, its share of the points and the confidence interval of that share."""

from dataclasses import dataclass
from typing import Self

from boardwright.stats.intervals import Interval, interval_of_counts

DRAW = 2  # result of a game without a winner; results 0 and 1 are the role that won


@dataclass(frozen=True)
class Score:
    """Games counted from one player's side."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @classmethod
    def of(cls, result: int, role: int) -> Self:
        """One finished game, for the player of a role; `result` is the role that won, or DRAW."""
        return cls(int(result == role), int(result == DRAW), int(result == 1 - role))

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """One for a win, half for a draw."""
        return self.wins + self.draws / 2

    @property
    def share(self) -> float:
        """Share of the points, 0 to 1; one half without games."""
        return self.points / self.games if self.games else 0.5

    @property
    def interval(self) -> Interval:
        """The share with its 95 % confidence interval, if all games are independent."""
        return interval_of_counts((1.0, 0.5, 0.0), (self.wins, self.draws, self.losses))

    def __add__(self, other: "Score") -> "Score":
        return Score(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)
