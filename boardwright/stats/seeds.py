"""Student's confidence interval of a figure measured once per training seed.

An interval over games says how well we know given nets; one over seeds says how well we know the training method.
"""

import math
from collections.abc import Sequence

from boardwright.stats.intervals import Interval

# 97.5 % quantiles of Student's distribution by degrees of freedom, from 1.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)
BEYOND = 2.120  # for more degrees of freedom: slightly too wide


def over_seeds(values: Sequence[float]) -> Interval:
    """The mean of a figure that was measured once for each seed."""
    return _about_the_mean(values, of=0)


def of_one_seed(values: Sequence[float]) -> Interval:
    """The same mean with the 95 % prediction interval of one more seed: what a single run may show."""
    return _about_the_mean(values, of=1)


def _about_the_mean(values: Sequence[float], *, of: int) -> Interval:
    """Student's interval of the mean, or, `of` one seed more, of a value whose own variance adds to the mean's."""
    if not values:
        raise ValueError("no seed was measured")
    mean = math.fsum(values) / len(values)
    if len(values) == 1:
        return Interval(mean, -math.inf, math.inf)
    freedom = len(values) - 1
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / freedom)
    student = STUDENT[freedom - 1] if freedom <= len(STUDENT) else BEYOND
    reach = student * deviation * math.sqrt(of + 1 / len(values))
    return Interval(mean, mean - reach, mean + reach)


def share_over_seeds(values: Sequence[float]) -> Interval:
    """As `over_seeds` for a figure between 0 and 1: the interval is cut off there."""
    return _as_share(over_seeds(values))


def share_of_one_seed(values: Sequence[float]) -> Interval:
    """As `of_one_seed` for a figure between 0 and 1."""
    return _as_share(of_one_seed(values))


def _as_share(found: Interval) -> Interval:
    return Interval(found.mean, max(found.low, 0.0), min(found.high, 1.0)) if found.is_bounded else found
