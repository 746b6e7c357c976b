"""Scores of games and their confidence intervals; intervals of figures measured once per training seed.

Scores are shares of the points, a draw half a point. Games that belong together, such as the two of a pair
played from the same opening with the roles changed, are not independent: a lopsided opening is won once and
lost once, and a lucky one twice. So the unit of the statistics is the *group* of games, not the game.

The interval is that of Agresti and Coull, generalised from wins and losses to any scores: add z²/2 groups
that lost everything and z²/2 that won everything (z = 1.96), and take mean ± z standard errors of the sum.
For single games without draws it is exactly theirs. Its coverage holds where the plain formula collapses: it
gives 0.68 to 1 after ten wins, not 1 to 1, and 0.48 to 0.52 after a hundred draws. It always contains the score.

An interval over games says how well we know given nets; one over seeds says how well we know the training method.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

DRAW = 2  # result of a game without a winner; results 0 and 1 are the role that won
Z = 1.959964  # 95 % of a normal distribution are within Z standard deviations of the mean
PAIR_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # shares of the two points of a pair of games

# 97.5 % quantiles of Student's distribution by degrees of freedom, from 1.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)
BEYOND = 2.120  # for more degrees of freedom: slightly too wide


@dataclass(frozen=True)
class Interval:
    """A figure with its 95 % confidence interval."""

    mean: float
    low: float
    high: float

    @property
    def is_bounded(self) -> bool:
        """Whether both ends are finite; a single seed gives no interval."""
        return math.isfinite(self.low) and math.isfinite(self.high)


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


def score_interval(groups: Iterable[Sequence[float]]) -> Interval:
    """The score of a match from the points, 0 to 1 each, of every group of games that belong together.

    `[(1.0, 0.5), (0.0, 1.0), (1.0,)]` are two pairs and a game whose twin was not played. Without games the
    score is one half, from 0 to 1.
    """
    sized = [(sum(group) / len(group), len(group)) for group in groups if len(group)]
    means, sizes = np.array(sized, float).reshape(-1, 2).T
    return interval_of_counts(means, np.ones(len(means)), sizes)


def interval_of_counts(
    means: Sequence[float] | np.ndarray, counts: Sequence[float] | np.ndarray, sizes: float | np.ndarray = 1.0
) -> Interval:
    """The same for groups by their mean score: `counts[i]` groups of `sizes[i]` games had the mean `means[i]`."""
    means, counts = np.asarray(means, float), np.asarray(counts, float)
    weights = sizes * np.ones(len(means))
    total = (weights * counts).sum()
    if not total:
        return Interval(0.5, 0.0, 1.0)
    score = float((weights * counts) @ means / total)
    effective = total**2 / (weights**2 @ counts)  # groups of equal size with the same information
    variance = (weights * counts) @ (means - score) ** 2 / total
    with_added = effective + Z**2
    centre = (effective * score + Z**2 / 2.0) / with_added
    squares = effective * (variance + score**2) + Z**2 / 2.0
    reach = Z * math.sqrt(max(squares / with_added - centre**2, 0.0) / with_added)
    return Interval(score, max(0.0, float(centre - reach)), min(1.0, float(centre + reach)))


def elo_of_score(score: float) -> float:
    """The difference in strength, in logistic Elo points, that corresponds to a score; infinite at 0 and 1."""
    if score <= 0.0 or score >= 1.0:
        return math.copysign(math.inf, score - 0.5)
    return -400.0 * math.log10(1.0 / score - 1.0)


def score_of_elo(elo: float) -> float:
    """The expected score for a difference in strength, in Elo points."""
    return 1.0 / (1.0 + 10.0 ** (-elo / 400.0))


def over_seeds(values: Sequence[float], *, is_share: bool = False, further: int = 0) -> Interval:
    """The mean of a figure that was measured once for each seed; the interval of a share is cut off at 0 and 1.

    It is Student's interval of the mean, or with `further=1` the prediction interval of one more seed, which is what a
    single run may show: its own variance adds to the mean's.
    """
    if not values:
        raise ValueError("no seed was measured")
    mean = math.fsum(values) / len(values)
    if len(values) == 1:
        return Interval(mean, -math.inf, math.inf)
    freedom = len(values) - 1
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / freedom)
    student = STUDENT[freedom - 1] if freedom <= len(STUDENT) else BEYOND
    reach = student * deviation * math.sqrt(further + 1 / len(values))
    low, high = mean - reach, mean + reach
    return Interval(mean, max(low, 0.0), min(high, 1.0)) if is_share else Interval(mean, low, high)
