"""How sure a score is: confidence intervals for the result of a match.

Scores are shares of the points, a draw half a point. Games that belong together, such as the two of a pair
played from the same opening with the roles changed, are not independent: a lopsided opening is won once and
lost once, and a lucky one twice. So the unit that is counted is the *group* of games, not the game.

The interval is that of Agresti and Coull, carried over from wins and losses to any scores: add z²/2 groups
that lost everything and z²/2 that won everything (z = 1.96), and take mean ± z standard errors of
what there is then. For single games without draws this is theirs to the letter, which covers what it promises
even where the plain formula collapses: after ten wins running it says 0.68 to 1 and not 1 to 1, and after a
hundred draws 0.48 to 0.52. It always contains the score.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

Z = 1.959964  # 95 % of a normal distribution lie within so many standard deviations


@dataclass(frozen=True)
class Score:
    """A share of the points, 0 to 1, and where the true one lies with 95 % confidence."""

    score: float
    low: float
    high: float


def score_interval(groups: Iterable[Sequence[float]]) -> Score:
    """The score of a match from the points, 0 to 1 each, of every group of games that belong together.

    `[(1.0, 0.5), (0.0, 1.0), (1.0,)]` are two pairs and a game whose twin was not played. Without any
    game the score is one half, and the interval everything.
    """
    played = [group for group in groups if len(group)]
    means = np.array([sum(group) / len(group) for group in played])
    return _interval(means, weights=np.array([float(len(group)) for group in played]))


def interval_of_counts(means: Sequence[float], counts: Sequence[float]) -> Score:
    """The same where so many groups of equal size had each mean score."""
    return _interval(np.asarray(means, float), np.ones(len(means)), np.asarray(counts, float))


def elo_of_score(score: float) -> float:
    """The difference in strength, in logistic Elo points, that a score means; infinite at 0 and 1."""
    if score <= 0.0 or score >= 1.0:
        return math.copysign(math.inf, score - 0.5)
    return -400.0 * math.log10(1.0 / score - 1.0)


def score_of_elo(elo: float) -> float:
    """The score that a difference in strength leads to."""
    return 1.0 / (1.0 + 10.0 ** (-elo / 400.0))


def _interval(means: np.ndarray, weights: np.ndarray, counts: np.ndarray | None = None) -> Score:
    """Of groups with these mean scores, weights (games a group) and, if not 1, numbers; all [k]."""
    counts = np.ones(len(means)) if counts is None else counts
    total = (weights * counts).sum()
    if not total:
        return Score(0.5, 0.0, 1.0)
    score = float((weights * counts) @ means / total)
    effective = total**2 / (weights**2 @ counts)  # groups that would tell as much if all had the same size
    variance = (weights * counts) @ (means - score) ** 2 / total
    with_added = effective + Z**2
    centre = (effective * score + Z**2 / 2.0) / with_added
    squares = effective * (variance + score**2) + Z**2 / 2.0
    reach = Z * math.sqrt(max(squares / with_added - centre**2, 0.0) / with_added)
    return Score(score, max(0.0, float(centre - reach)), min(1.0, float(centre + reach)))
