"""Confidence intervals of scores and other figures.

Scores are shares of the points, a draw half a point. Games that belong together, such as the two of a pair
played from the same opening with the roles changed, are not independent: a lopsided opening is won once and
lost once, and a lucky one twice. So the unit of the statistics is the *group* of games, not the game.

The interval is that of Agresti and Coull, generalised from wins and losses to any scores: add z²/2 groups
that lost everything and z²/2 that won everything (z = 1.96), and take mean ± z standard errors of the sum.
For single games without draws it is exactly theirs. Its coverage holds where the plain formula collapses: it
gives 0.68 to 1 after ten wins, not 1 to 1, and 0.48 to 0.52 after a hundred draws. It always contains the score.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

Z = 1.959964  # 95 % of a normal distribution are within Z standard deviations of the mean
PAIR_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # shares of the two points of a pair of games


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


def score_interval(groups: Iterable[Sequence[float]]) -> Interval:
    """The score of a match from the points, 0 to 1 each, of every group of games that belong together.

    `[(1.0, 0.5), (0.0, 1.0), (1.0,)]` are two pairs and a game whose twin was not played. Without games the
    score is one half, from 0 to 1.
    """
    played = [group for group in groups if len(group)]
    means = np.array([sum(group) / len(group) for group in played])
    return _interval(means, weights=np.array([float(len(group)) for group in played]))


def interval_of_counts(means: Sequence[float], counts: Sequence[float]) -> Interval:
    """The same for groups of equal size: `counts[i]` of them had the mean score `means[i]`."""
    return _interval(np.asarray(means, float), np.ones(len(means)), np.asarray(counts, float))


def interval_of_pairs(counts: Sequence[float]) -> Interval:
    """The score from the number of pairs of games that brought 0, ½, 1, 1½ and 2 points."""
    return interval_of_counts(PAIR_SHARES, counts)


def elo_of_score(score: float) -> float:
    """The difference in strength, in logistic Elo points, that corresponds to a score; infinite at 0 and 1."""
    if score <= 0.0 or score >= 1.0:
        return math.copysign(math.inf, score - 0.5)
    return -400.0 * math.log10(1.0 / score - 1.0)


def score_of_elo(elo: float) -> float:
    """The expected score for a difference in strength, in Elo points."""
    return 1.0 / (1.0 + 10.0 ** (-elo / 400.0))


def _interval(means: np.ndarray, weights: np.ndarray, counts: np.ndarray | None = None) -> Interval:
    """Of groups with these mean scores, weights (games a group) and, if not 1, numbers; all [k]."""
    counts = np.ones(len(means)) if counts is None else counts
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
