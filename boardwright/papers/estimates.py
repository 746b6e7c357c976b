"""How sure a figure is: over the games of given nets, and over the seeds that nets are trained from.

The first says how well we know these nets, the second how well we know the way they were trained, which is what a
paper makes statements about. Seeds are few, so theirs is Student's interval of the mean.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from boardwright.arena.intervals import interval_of_counts

# 97.5 % of Student's distribution lie below, by degrees of freedom from 1 on; then the normal distribution's.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)
BEYOND = 2.120  # more degrees of freedom than that: a little wide rather than narrow


@dataclass(frozen=True)
class Estimate:
    """A figure, and where the true one lies with 95 % confidence."""

    mean: float
    low: float
    high: float

    @property
    def is_bounded(self) -> bool:
        """Whether there is an interval; one seed gives none."""
        return math.isfinite(self.low) and math.isfinite(self.high)


def over_games(wins: int, draws: int, losses: int) -> Estimate:
    """The score, a draw being half a point."""
    found = interval_of_counts((1.0, 0.5, 0.0), (wins, draws, losses))
    return Estimate(found.score, found.low, found.high)


def over_seeds(values: Sequence[float]) -> Estimate:
    """The mean of a figure that was measured once for each seed."""
    return _about_the_mean(values, of=0)


def of_one_seed(values: Sequence[float]) -> Estimate:
    """The same mean, and where the figure of one seed more lies with 95 % confidence: what a single run may show."""
    return _about_the_mean(values, of=1)


def _about_the_mean(values: Sequence[float], *, of: int) -> Estimate:
    """Student's interval of the mean, or, `of` one seed more, of a value whose own variance adds to the mean's."""
    if not values:
        raise ValueError("no seed was measured")
    mean = math.fsum(values) / len(values)
    if len(values) == 1:
        return Estimate(mean, -math.inf, math.inf)
    freedom = len(values) - 1
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / freedom)
    student = STUDENT[freedom - 1] if freedom <= len(STUDENT) else BEYOND
    reach = student * deviation * math.sqrt(of + 1 / len(values))
    return Estimate(mean, mean - reach, mean + reach)


def share_over_seeds(values: Sequence[float]) -> Estimate:
    """As `over_seeds`, of a figure that lies between 0 and 1, as does its interval, if it has one."""
    return _as_share(over_seeds(values))


def share_of_one_seed(values: Sequence[float]) -> Estimate:
    """As `of_one_seed`, likewise."""
    return _as_share(of_one_seed(values))


def _as_share(found: Estimate) -> Estimate:
    return Estimate(found.mean, max(found.low, 0.0), min(found.high, 1.0)) if found.is_bounded else found
